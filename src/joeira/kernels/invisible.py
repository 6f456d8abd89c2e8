"""Characters that no reader sees, by which text can say one thing to people, another to machines.

What a script needs is left alone: joiners between letters that join and within emoji, the selector
after a symbol, the tags that make a flag. Soft hyphens are not counted either; they show when a
line breaks there.
"""

from __future__ import annotations

import re
from typing import Final

_KINDS: Final = {
    "tag characters": "\U000e0000-\U000e007f",
    "zero-width characters": "\u200b-\u200d\u2060\ufeff\u180e\u034f",
    "direction controls": "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069",
    "invisible operators": "\u2061-\u2065\u206a-\u206f\ufff9-\ufffb",
    "blank letters": "\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800",
    "variation selectors": "\ufe00-\ufe0f\U000e0100-\U000e01ef",
}
_ANY: Final = re.compile(f"[{''.join(_KINDS.values())}]")
_ALLOWED: Final = (
    "(?:(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # a flag
    "|(?<=[^\x00-\u02ff\u2000-\u206f])[\u200c\u200d]+(?=[^\x00-\u02ff\u2000-\u206f])"  # joiners
    "|(?<=[^\\s\u2000-\u206f\ufe00-\ufe0f\U000e0000-\U000e01ef])"  # one selector after a symbol
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef]))"
)
_UNSEEN: Final = re.compile(
    f"{_ALLOWED}|" + "|".join(f"([{characters}])" for characters in _KINDS.values())
)


def count(text: str) -> dict[str, int]:
    """Return how many characters of each kind a text hides; empty for nearly every text."""
    if text.isascii() or not _ANY.search(text):
        return {}
    found = [match.lastindex for match in _UNSEEN.finditer(text) if match.lastindex]
    kinds = {kind: found.count(number) for number, kind in enumerate(_KINDS, 1)}
    return {kind: times for kind, times in kinds.items() if times}


def removed(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    if text.isascii() or not _ANY.search(text):
        return text
    return _UNSEEN.sub(lambda match: "" if match.lastindex else match[0], text)
