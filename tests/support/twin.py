"""The page table by its definition: a plain recursive walk over the parser's nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import turbohtml

from joeira.arrays.strings import UNSPACED_RANGES, words
from joeira.page import tags


def names(table: Any) -> frozenset[str]:
    return frozenset(name for number, name in enumerate(tags.NAMES) if table[number])


INLINE, TIGHT, VERBATIM, NOT_TEXT, HEAD, VOID = map(
    names, (tags.INLINE, tags.TIGHT, tags.VERBATIM, tags.NOT_TEXT, tags.HEAD, tags.VOID)
)
PICTURES = ("img", "svg", "input")

CLOSING = ",.;:!?)]}%…”’»、。，．：；！？）］」』】"
OPENING = "([{“‘«¿¡$€£¥#@（［「『【"


@dataclass
class Row:
    node: Any
    name: str
    ancestors: list[int]
    text: str | None = None
    gap_before: bool = False
    tags_before: int = 0
    children: list[int] = field(default_factory=list)
    end: int = 0


class Twin:
    """Rows of a document, made one by one."""

    def __init__(self, html: str) -> None:
        self.rows: list[Row] = []
        self._gap = False
        self._tags = 0
        self.document = turbohtml.parse(html, scripting=True, allow_declarative_shadow_roots=False)
        for child in self.document.children:
            self._visit(child, [])
        self.texts = [row for row in self.rows if row.text is not None]

    def _visit(self, node: Any, ancestors: list[int]) -> None:
        if isinstance(node, turbohtml.Element):
            self._visit_element(node, ancestors)
        elif isinstance(node, turbohtml.Text | turbohtml.CData):
            if any(self.rows[row].name in NOT_TEXT for row in ancestors):
                return
            if node.data.isspace():
                self._gap = True
                return
            row = self._add(Row(node, "#text", ancestors, node.data, self._gap))
            row.end = len(self.rows)
            self._gap = False

    def _visit_element(self, node: Any, ancestors: list[int]) -> None:
        self._tags += 1
        number = len(self.rows)
        row = self._add(Row(node, node.tag, ancestors))
        for child in node.children:
            self._visit(child, [*ancestors, number])
        row.end = len(self.rows)
        self._tags += row.name not in VOID

    def _add(self, row: Row) -> Row:
        row.tags_before, self._tags = self._tags, 0
        if row.ancestors:
            self.rows[row.ancestors[-1]].children.append(len(self.rows))
        self.rows.append(row)
        return row

    # Columns ------------------------------------------------------------------------------------

    def names_to(self, row: Row) -> list[str]:
        return [*(self.rows[above].name for above in row.ancestors), row.name]

    def chars(self, row: Row) -> int:
        return len(" ".join(row.text.split())) if row.text is not None else 0

    def words(self, row: Row) -> int:
        return len(words(row.text)) if row.text is not None else 0

    def linked(self, row: Row) -> bool:
        return "a" in self.names_to(row)

    def in_head(self, row: Row) -> bool:
        return not HEAD.isdisjoint(self.names_to(row))

    def styled_path(self, row: Row) -> tuple[tuple[str, ...], ...]:
        rows = [*(self.rows[number] for number in row.ancestors), row]
        return tuple(map(self._styled, rows))

    def _styled(self, row: Row) -> tuple[str, ...]:
        if row.text is not None:
            return (row.name,)
        styles = (row.node.attr("class"), row.node.attr("style"))
        return (row.name, *(" ".join((style or "").split()) for style in styles))

    def shape(self, row: Row) -> Any:
        if not row.children:
            return "leaf"
        return (row.name, *(self.shape(self.rows[child]) for child in row.children))

    def blocks(self) -> list[tuple[int, list[int]]]:
        """Return the owner and the texts of every block."""
        inline = {number for number in range(len(self.rows)) if self._is_inline(number)}
        found: list[tuple[int, list[int]]] = []
        for number, new in enumerate(self._starts_anew(inline)):
            if new:
                found.append((self._nearest(self.texts[number], inline), []))
            found[-1][1].append(number)
        return found

    def space_before(self) -> list[bool]:
        inline = {number for number in range(len(self.rows)) if self._is_inline(number)}
        tight = {number for number, row in enumerate(self.rows) if row.name in TIGHT}
        new_block, new_piece = self._starts_anew(inline), self._starts_anew(tight)
        return [True] * bool(self.texts) + [
            self._has_space(number, new_block[number], new_piece[number])
            for number in range(1, len(self.texts))
        ]

    def _has_space(self, number: int, new_block: bool, new_piece: bool) -> bool:
        """Return whether there is a space before a text."""
        row, row_after = self.texts[number - 1 : number + 1]
        last, first = str(row.text)[-1], str(row_after.text)[0]
        if row_after.gap_before or first.isspace() or last.isspace():
            return True
        if re.fullmatch(f"[{UNSPACED_RANGES}]{{2}}", last + first):
            return False
        places = [place for place, each in enumerate(self.rows) if each.text is not None]
        begun = set(range(places[number - 1] + 1, places[number]))
        crossed = begun | (set(row.ancestors) - set(row_after.ancestors))
        if new_block or "br" in {self.rows[each].name for each in begun}:
            return True
        if first in CLOSING or last in OPENING:
            return False
        if any(self.rows[each].name in PICTURES for each in begun):
            return True
        around, around_after = row.ancestors[-1], row_after.ancestors[-1]
        is_beside = around in row_after.ancestors or around_after in row.ancestors
        is_verbatim = not VERBATIM.isdisjoint(self.names_to(row) + self.names_to(row_after))
        if new_piece and not is_beside and not is_verbatim:
            return True
        return bool(re.match(r"\w", first)) and any(map(self._is_block_by_style, crossed))

    def _is_inline(self, number: int) -> bool:
        """Return whether a row is inline: if unknown, by what it holds and by its style."""
        below = [number, *range(number + 1, self.rows[number].end)]
        if self.rows[number].name in tags.NUMBER:
            return self.rows[number].name in INLINE
        return not any(map(self._is_block, below))

    def _is_block(self, number: int) -> bool:
        row = self.rows[number]
        if row.name in tags.NUMBER:
            return row.name not in INLINE
        has_text = any(each.text is not None for each in self.rows[number : row.end])
        return has_text and self._is_block_by_style(number)

    def _is_block_by_style(self, number: int) -> bool:
        row = self.rows[number]
        if row.name in VERBATIM | NOT_TEXT or not re.fullmatch("[a-z][a-z0-9-]*", row.name):
            return False
        return "display:block" in (row.node.attr("style") or "")

    def _nearest(self, row: Row, passed: set[int]) -> int:
        return next(above for above in reversed(row.ancestors) if above not in passed)

    def _starts_anew(self, passed: set[int]) -> list[bool]:
        """Per text: is it apart from the text before, by elements outside a set?"""
        anew = []
        before = None
        opened = False
        for number, row in enumerate(self.rows):
            if row.text is None:
                opened |= number not in passed
                continue
            owner = self._nearest(row, passed)
            anew.append(opened or owner != before)
            before, opened = owner, False
        return anew

    def hidden(self, row: Row) -> str:
        numbers = [*row.ancestors, self.rows.index(row)]
        return next(filter(None, (self._hides(number) for number in reversed(numbers))), "")

    def _hides(self, number: int) -> str:
        row = self.rows[number]
        if row.text is None:
            own = self._own_reason(row)
            if own:
                return own
        above = self.rows[row.ancestors[-1]] if row.ancestors else None
        if above and above.name == "details" and above.node.attr("open") is None:
            beside = [each for each in self.rows if each.ancestors[-1:] == row.ancestors[-1:]]
            summary = next((each for each in beside if each.name == "summary"), None)
            return "closed details" if row is not summary else ""
        return ""

    def _own_reason(self, row: Row) -> str:
        attribute = row.node.attr
        style = attribute("style") or ""
        is_displayed = "display:block" in style
        if attribute("hidden") is not None and not is_displayed:
            return "hidden attribute"
        if "display:none" in style:
            return "display: none"
        if "opacity: 0" in style:
            return "opacity: 0"
        if attribute("aria-hidden") == "true":
            return "aria-hidden"
        if row.name == "dialog" and attribute("open") is None and not is_displayed:
            return "closed dialog"
        return ""
