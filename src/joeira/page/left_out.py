"""What the parser is not given: surrogates, and the long texts of scripts and style sheets.

These may be half of a source, none of it is shown, and nobody asks most pages for them. So a number
stands for each until somebody does: the tree is the same, its markup is shorter.

That the tree is the same is seen in the tree: if each number is all the text of a script or style
sheet, then the parser was reading just that when it came there, would have read the whole text as
that, and would have gone on in the same way. If not, the page is parsed as it is.
"""

from __future__ import annotations

import re
from typing import Final

from joeira._native import native_available

if native_available:
    from joeira._native import characters, raw_texts

_LEAST_CHARS: Final = 256
"""From here on it is quicker to leave a text out than to have it parsed."""
MARK: Final = "\x01"
"""Between two of this character, which no page needs, is the number of a text."""
_NUMBER: Final = re.compile(f"{MARK}([0-9]{{1,9}}){MARK}")


class LeftOut:
    """What was left out of a source, and how to put it back."""

    def __init__(self, source: str | bytes, places: list[tuple[int, int]]) -> None:
        """Store the source, and where each text begins and ends there."""
        self._source = source
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def text_for(self, text: str) -> str:
        """Return what the text of a script or style sheet was, as a parser reads it."""
        number = _NUMBER.fullmatch(text)
        if number is None or int(number[1]) >= len(self._places):
            return text
        text_or_bytes = self._source[slice(*self._places[int(number[1])])]
        text = text_or_bytes if isinstance(text_or_bytes, str) else text_or_bytes.decode()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.replace("\0", "\ufffd")


def without_long_texts(source: str | bytes) -> tuple[str | bytes, LeftOut | None]:
    """Return a source without its long texts, and these; the source itself if it has none.

    Without kernels nothing is left out: looking for it would take longer than parsing it.
    """
    if not native_available or (isinstance(source, bytes) and not _is_utf8(source)):
        return source, None
    rest, places = raw_texts.leave_out(source, _LEAST_CHARS)
    return (source, None) if rest is None else (rest, LeftOut(source, places))


def _is_utf8(source: bytes) -> bool:
    """Return whether bytes tell the same encoding if some of ASCII among them are left out."""
    try:
        return b"\x1b" not in source and (source.isascii() or bool(source.decode()))
    except UnicodeDecodeError:
        return False


def without_surrogates(text: str) -> str:
    """Return text that can be written as UTF-8: pairs of surrogates joined, lone ones replaced."""
    if text.isascii() or not _has_surrogates(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _has_surrogates(text: str) -> bool:
    if native_available:
        return characters.has_surrogates(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
