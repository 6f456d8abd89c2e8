"""Emphasis in Markdown: asterisks that every parser reads as intended.

Whether ``**`` begins or ends emphasis depends on the characters beside it (CommonMark's *flanking*
rules), and which end belongs to which beginning on all marks of a paragraph. Where the marks would
be taken for stars, punctuation at the edge moves out of the emphasis, and neighbours that would run
into each other use underscores in turn. Then the marks are read back as CommonMark reads them:
those that would be read otherwise become tags of HTML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from unicodedata import category

_SIGNS: Final = {"strong": ("**", "__"), "em": ("*", "_"), "del": ("~~", "~~")}
_PUNCTUATION: Final = r"(?:\\[!-/:-@\[-`{-~]|&\w+;|[^\w\s\\]|_)+"
_LEADING: Final = re.compile(_PUNCTUATION)
_TRAILING: Final = re.compile(f"{_PUNCTUATION}$")
_MAX_ROUNDS: Final = 4
_MAX_BACK: Final = 100
"""Openers among which the one of a closer is looked for."""


class Mark:
    """Where emphasis begins or ends."""

    __slots__ = ("name", "opens", "other", "sign")

    def __init__(self, name: str, *, opens: bool) -> None:
        """Keep what kind of emphasis it is, and whether it begins here."""
        self.name = name
        self.opens = opens
        self.sign = ""
        self.other: Mark | None = None
        """The end of this beginning, or the beginning of this end."""


class Markup(str):
    """The end of a link, an image or a formula, whose characters must not be moved."""

    __slots__ = ()


class Code(Markup):
    """A code span."""

    __slots__ = ("code",)
    code: str
    """Its characters."""

    @classmethod
    def of(cls, code: str) -> Code:
        """Return characters between as many backticks as they need."""
        fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
        padded = f" {code} " if "`" in (code[:1], code[-1:]) else code
        span = cls(f"{fence}{padded}{fence}")
        span.code = code
        return span


Piece = str | Mark


def join(pieces: list[Piece]) -> str:
    """Return the pieces of a run as one text."""
    merged = _merged(pieces)
    if any(isinstance(piece, Mark) for piece in merged):
        _pair(merged)
        merged = _with_words_only(merged)
        _set_signs(merged)
    return "".join(piece if isinstance(piece, str) else piece.sign for piece in merged).strip()


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces without emphasis that ends where its like begins, or holds nothing.

    Two code spans in a row become one: otherwise their backticks would run into each other.
    """
    merged: list[Piece] = []
    for piece in pieces:
        if not piece:
            continue
        last = merged[-1] if merged else ""
        if isinstance(piece, Mark) and isinstance(last, Mark):
            if piece.name == last.name and piece.opens != last.opens:
                merged.pop()
                continue
        elif isinstance(piece, Code) and isinstance(last, Code):
            merged[-1] = Code.of(last.code + piece.code)
            continue
        merged.append(piece)
    return merged


def _pair(pieces: list[Piece]) -> None:
    opened: list[Mark] = []
    for piece in pieces:
        if isinstance(piece, Mark):
            if piece.opens:
                opened.append(piece)
            else:
                piece.other = opened.pop()
                piece.other.other = piece


def _with_words_only(pieces: list[Piece]) -> list[Piece]:
    """Move punctuation out of emphasis that is one text, where words touch it from outside."""
    moved: list[Piece] = []
    place = 0
    while place < len(pieces):
        opening, inner, closing = (*pieces[place : place + 3], "", "")[:3]
        if (
            isinstance(opening, Mark)
            and opening.other is closing
            and isinstance(inner, str)
            and not isinstance(inner, Markup)
        ):
            before = moved[-1] if moved else ""
            after = pieces[place + 3] if place + 3 < len(pieces) else ""
            moved += _emphasised(inner, opening, _edge(before, -1), _edge(after, 0))
            place += 3
        else:
            moved.append(opening)
            place += 1
    return moved


def _edge(piece: Piece, end: int) -> str:
    """Return the first or last character of a text; '' of what is none."""
    return piece[end] if isinstance(piece, str) and piece else ""


def _emphasised(inner: str, opening: Mark, before: str, after: str) -> list[Piece]:
    leading = _LEADING.match(inner) if before.isalnum() else None
    front = leading[0] if leading else ""
    trailing = _TRAILING.search(inner, len(front)) if after.isalnum() else None
    back = trailing[0] if trailing else ""
    core = inner[len(front) : len(inner) - len(back)]
    if core != core.strip():
        front, core, back = "", inner, ""
    marked: list[Piece] = [opening, core, opening.other or ""] if core else []
    return [piece for piece in (front, *marked, back) if piece]


def _set_signs(pieces: list[Piece]) -> None:
    before: Piece = ""
    for piece in pieces:
        if isinstance(piece, Mark) and piece.opens:
            touches = isinstance(before, Mark) and not before.opens and before.sign[:1] == "*"
            _sign(piece, _SIGNS[piece.name][touches])
        before = piece
    tried: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        misread = _misread(pieces)
        if not misread:
            return
        for mark in misread:
            first, second = _SIGNS[mark.name]
            if id(mark) in tried:
                _tag(mark)
            else:
                _sign(mark, second if mark.sign == first else first)
                tried.add(id(mark))
    for mark in _misread(pieces):
        _tag(mark)


def _sign(mark: Mark, sign: str) -> None:
    mark.sign = sign
    if mark.other:
        mark.other.sign = sign


def _tag(mark: Mark) -> None:
    for each in filter(None, (mark, mark.other)):
        each.sign = f"<{each.name}>" if each.opens else f"</{each.name}>"


@dataclass
class _Delimiter:
    """Marks of one character in a row, as CommonMark reads them."""

    character: str
    marks: list[Mark]
    opens: bool
    closes: bool
    length: int = 0

    def __post_init__(self) -> None:
        """Count the characters."""
        self.length = self.left = sum(len(mark.sign) for mark in self.marks)


def _delimiters(pieces: list[Piece]) -> list[_Delimiter]:
    parts = [(piece, piece if isinstance(piece, str) else piece.sign) for piece in pieces]
    parts = [part for part in parts if part[1]]
    delimiters = []
    place = 0
    while place < len(parts):
        mark, sign = parts[place]
        stop = place + 1
        if isinstance(mark, Mark) and sign[0] in "*_~":
            while (
                stop < len(parts)
                and isinstance(parts[stop][0], Mark)
                and parts[stop][1][0] == sign[0]
            ):
                stop += 1
            before = parts[place - 1][1][-1] if place else ""
            after = parts[stop][1][0] if stop < len(parts) else ""
            opens = _flanks(before, after)
            closes = _flanks(after, before)
            if sign[0] == "_":
                opens, closes = (
                    opens and (not closes or _is_mark(before)),
                    closes and (not opens or _is_mark(after)),
                )
            marks = [part for part, _ in parts[place:stop] if isinstance(part, Mark)]
            delimiters.append(_Delimiter(sign[0], marks, opens, closes))
        place = stop
    return delimiters


def _misread(pieces: list[Piece]) -> list[Mark]:
    """Return beginnings whose ends CommonMark would not find: its algorithm, step by step."""
    right: set[int] = set()
    wrong: set[int] = set()
    opened: list[_Delimiter] = []
    for closer in _delimiters(pieces):
        while closer.closes and closer.left:
            opener = _opener(opened, closer)
            if opener is None:
                break
            used = 2 if min(opener.left, closer.left) >= 2 else 1
            first, last = opener.marks[-1], closer.marks[0]
            if first.other is not last:
                wrong.update(map(id, (first, last, first.other, last.other)))
                break
            if len(first.sign) < used and len(opener.marks) > 1 < len(closer.marks):
                # The stars of "***a***" belong to strong first, which comes to the same.
                opener.marks[-2:] = reversed(opener.marks[-2:])
                closer.marks[:2] = reversed(closer.marks[:2])
                continue
            if len(first.sign) != used:
                wrong.add(id(first))
                break
            right.add(id(first))
            opener.marks.pop()
            closer.marks.pop(0)
            opener.left -= used
            closer.left -= used
            del opened[opened.index(opener) + 1 :]
            if not opener.left:
                opened.pop()
        if closer.opens and closer.left:
            opened.append(closer)
    return [
        piece
        for piece in pieces
        if isinstance(piece, Mark)
        and piece.opens
        and piece.sign[:1] in ("*", "_", "~")
        and (id(piece) not in right or id(piece) in wrong)
    ]


def _opener(opened: list[_Delimiter], closer: _Delimiter) -> _Delimiter | None:
    for opener in opened[: -_MAX_BACK - 1 : -1]:
        if opener.character == closer.character:
            is_odd = (opener.closes or closer.opens) and (opener.length + closer.length) % 3 == 0
            if not is_odd or (opener.length % 3 == 0 and closer.length % 3 == 0):
                return opener
    return None


def _flanks(outside: str, inside: str) -> bool:
    """Return whether marks between two characters can belong to the second."""
    if _is_space(inside):
        return False
    return not _is_mark(inside) or _is_space(outside) or _is_mark(outside)


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    """Return whether Markdown takes a character for punctuation."""
    return bool(character) and category(character)[0] in "PS"
