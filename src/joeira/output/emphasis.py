"""Emphasis in Markdown: stars and tildes where they work, HTML tags where they would not.

Whether ``**`` begins or ends emphasis depends on the characters beside it (CommonMark's *flanking*
rules), and those are known only when the Markdown is finished. Until then emphasis is marked by
Unicode noncharacters, which no text may hold.
"""

from __future__ import annotations

import re
from unicodedata import category

MARKS = {
    "strong": ("\ufdd0", "\ufdd1"),
    "em": ("\ufdd2", "\ufdd3"),
    "del": ("\ufdd4", "\ufdd5"),
}
_SYMBOLS = {"\ufdd0": ("**", "strong"), "\ufdd2": ("*", "em"), "\ufdd4": ("~~", "del")}
_STARTS = frozenset(start for start, _ in MARKS.values())
_STOPS = frozenset(stop for _, stop in MARKS.values())
_ANY = re.compile("[\ufdd0-\ufdd5]")
_RESERVED = re.compile("[\ufdd0-\ufddd]")
_WITHIN_WORD = re.compile(r"(?<=[^\W_])_(?=[^\W_])")
_UNDERSCORE = "\ufddd"


def without_marks(text: str) -> str:
    """Return the text without the characters used as marks, also for formulas and footnotes."""
    return _RESERVED.sub("", text)


def with_bare_underscores(text: str) -> str:
    """Return the text with marks for underscores that nobody needs to escape.

    Between letters and digits an underscore never is emphasis, and escaped names are hard to read.
    """
    return _WITHIN_WORD.sub(_UNDERSCORE, text) if "_" in text else text


def with_emphasis(markdown: str) -> str:
    """Return the Markdown with its marks made stars, tildes, tags or underscores."""
    markdown = markdown.replace(_UNDERSCORE, "_")
    marks = [match.start() for match in _ANY.finditer(markdown)]
    if not marks:
        return markdown
    replaced: dict[int, str] = {}
    starts: list[int] = []
    for place in marks:
        if markdown[place] in _STARTS:
            starts.append(place)
        elif starts:
            start = starts.pop()
            symbol, tag = _SYMBOLS[markdown[start]]
            if _opens(markdown, start) and _closes(markdown, place):
                replaced[start] = replaced[place] = symbol
            else:
                replaced[start], replaced[place] = f"<{tag}>", f"</{tag}>"
    pieces = []
    done = 0
    for place in marks:
        pieces += [markdown[done:place], replaced.get(place, "")]
        done = place + 1
    return "".join(pieces) + markdown[done:]


def _opens(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if before in _STOPS:
        return False  # "**a**" and "*b*" side by side would run into each other
    return not _is_space(after) and (not _is_mark(after) or _is_space(before) or _is_mark(before))


def _closes(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    return not _is_space(before) and (not _is_mark(before) or _is_space(after) or _is_mark(after))


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    """Return whether Markdown takes a character for punctuation; our marks will become some."""
    return category(character)[0] in "PS" or character in _STARTS or character in _STOPS
