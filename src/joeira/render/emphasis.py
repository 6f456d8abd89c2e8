"""Emphasis in Markdown: stars that every reader takes for what they are.

Whether ``**`` begins or ends emphasis depends on the characters beside it (CommonMark's *flanking*
rules). Where the marks would be taken for stars, punctuation at the edge moves out of the emphasis;
neighbours that would run into each other use underscores in turn; and only where neither helps
stand tags of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import category

_SIGNS: Final = {"strong": ("**", "__"), "em": ("*", "_"), "del": ("~~", "~~")}
_LEADING: Final = re.compile(r"(?:\\[!-/:-@\[-`{-~]|&\w+;|[^\w\s\\]|_)+")
_TRAILING: Final = re.compile(r"(?:\\[!-/:-@\[-`{-~]|&\w+;|[^\w\s\\]|_)+$")


class Mark:
    """Where emphasis begins or ends."""

    __slots__ = ("name", "opens", "sign")

    def __init__(self, name: str, *, opens: bool) -> None:
        """Keep what kind of emphasis it is, and whether it begins here."""
        self.name = name
        self.opens = opens
        self.sign = ""


Piece = str | Mark


def join(pieces: list[Piece]) -> str:
    """Return the pieces of a run as one text."""
    if any(isinstance(piece, Mark) for piece in pieces):
        _set_signs(pieces)
    return "".join(piece if isinstance(piece, str) else piece.sign for piece in pieces).strip()


def _set_signs(pieces: list[Piece]) -> None:
    pairs: list[tuple[int, int]] = []
    opened: list[int] = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, Mark):
            if piece.opens:
                opened.append(place)
            elif opened:
                pairs.append((opened.pop(), place))
    for start, stop in sorted(pairs):
        _set_pair(pieces, start, stop)
    # Only now is everything known that stands beside each mark.
    for start, stop in sorted(pairs):
        if not (_opens(pieces, start) and _closes(pieces, stop)):
            _repair(pieces, start, stop)


def _set_pair(pieces: list[Piece], start: int, stop: int) -> None:
    """Choose the signs of a pair: others than those of emphasis that ends right before it."""
    opening, closing = pieces[start], pieces[stop]
    if not (isinstance(opening, Mark) and isinstance(closing, Mark)):
        return
    if not any(piece for piece in pieces[start + 1 : stop] if isinstance(piece, str)):
        return  # nothing to emphasise
    signs = _SIGNS[opening.name]
    before = pieces[start - 1] if start else ""
    touches = isinstance(before, Mark) and not before.opens and before.sign[:1] == "*"
    after = _after(pieces, stop)
    sign = signs[1] if touches and not (after.isalnum() or after == "_") else signs[0]
    opening.sign = closing.sign = sign


def _repair(pieces: list[Piece], start: int, stop: int) -> None:
    """Move punctuation out of emphasis whose marks would be stars, or write tags."""
    opening, closing = pieces[start], pieces[stop]
    if not (isinstance(opening, Mark) and isinstance(closing, Mark)) or not opening.sign:
        return
    if start + 2 == stop and isinstance(inner := pieces[start + 1], str):
        leading = _LEADING.match(inner) if not _opens(pieces, start) else None
        rest = inner[leading.end() :] if leading else inner
        trailing = _TRAILING.search(rest) if not _closes(pieces, stop) else None
        core = rest[: trailing.start()] if trailing else rest
        if core and core == core.strip():
            front, back = (leading[0] if leading else ""), (trailing[0] if trailing else "")
            pieces[start + 1] = f"{front}{opening.sign}{core}{closing.sign}{back}"
            opening.sign = closing.sign = ""
            return
        if not core:
            opening.sign = closing.sign = ""
            return
    opening.sign, closing.sign = f"<{opening.name}>", f"</{closing.name}>"


def _before(pieces: Sequence[Piece], place: int) -> str:
    """Return the character before a run of marks; '' at the start."""
    sign = pieces[place].sign[:1] if isinstance(pieces[place], Mark) else ""  # type: ignore[union-attr]
    for piece in reversed(pieces[:place]):
        text = piece if isinstance(piece, str) else piece.sign
        if isinstance(piece, Mark) and text[:1] == sign:
            continue
        if text:
            return text[-1]
    return ""


def _after(pieces: Sequence[Piece], place: int) -> str:
    """Return the character after a run of marks; '' at the end."""
    sign = pieces[place].sign[:1] if isinstance(pieces[place], Mark) else ""  # type: ignore[union-attr]
    for piece in pieces[place + 1 :]:
        text = piece if isinstance(piece, str) else piece.sign
        if isinstance(piece, Mark) and text[:1] == sign:
            continue
        if text:
            return text[0]
    return ""


def _opens(pieces: Sequence[Piece], place: int) -> bool:
    before, after = _before(pieces, place), _after(pieces, place)
    return not _is_space(after) and (not _is_mark(after) or _is_space(before) or _is_mark(before))


def _closes(pieces: Sequence[Piece], place: int) -> bool:
    before, after = _before(pieces, place), _after(pieces, place)
    return not _is_space(before) and (not _is_mark(before) or _is_space(after) or _is_mark(after))


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    """Return whether Markdown takes a character for punctuation."""
    return category(character)[0] in "PS"
