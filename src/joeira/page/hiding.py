"""Which of a few elements the page hides, without reading all its style sheets.

`joeira.page.visibility` matches every rule that may hide something with every row, and weighs all
rules and attributes that apply. For a few rows, such as the headings of a page, only those that
apply to them or their ancestors matter: rules whose selectors end with other names are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from joeira.page import cascade, css, css_values, hiding_values, rules, visibility

if TYPE_CHECKING:
    from joeira.page.model import Page

_READING: Final = hiding_values.READING._replace(
    hides=hiding_values.groups_that_hide_elements,
    shorthands={
        name: names
        for name, names in css_values.SETS.items()
        if any(css_values.GROUP[each] != "colour" for each in names)
    },
)
"""Without colours, which hide texts and no elements."""
_COMBINATORS: Final = (" ", ">", "+", "~")
_ANYTHING: Final = ("*", "]", ")")
"""Selectors that end so may match elements of any name."""


def are_hidden(page: Page, rows: Sequence[int]) -> list[bool]:
    """Return which of some elements are hidden, and stay so.

    The same as ``page.hidden``, with two exceptions, both in favour of shown. Transparent and
    invisible elements count as shown: most of them fade in as readers reach them, and how many do
    only the whole page tells. So do elements that hold more than half of the page's text, even if
    parts of them are hidden once more.
    """
    chain = sorted(_with_ancestors(page, rows))
    ways = visibility.look_at(page, {*chain}, _Cascade(page, chain))[rows]
    return [way > 0 and way not in visibility.FADING_IN for way in ways.tolist()]


def _with_ancestors(page: Page, rows: Sequence[int]) -> set[int]:
    chain: set[int] = set()
    for row in rows:
        above = row
        while above >= 0 and above not in chain:
            chain.add(above)
            above = int(page.parent[above])
    return chain


def _names(page: Page, row: int) -> Iterator[str]:
    """Yield tag, classes and id of a row as selectors have them, in lower case."""
    numbers, classes = page.classes
    id_numbers, ids = page.ids
    yield page.tag_name(row).lower()
    yield from (f".{word}" for word in classes[numbers[row]].lower().split())
    if id_numbers[row]:
        yield f"#{ids[id_numbers[row]].strip().lower()}"


class _Cascade(cascade.Cascade):
    """What is said of a few rows."""

    def __init__(self, page: Page, chain: list[int]) -> None:
        self._chain = {row: {*_names(page, row)} for row in chain}
        super().__init__(page, _READING, {})

    def _make_reader(self) -> rules.Reader:
        return _Reader(self.names.all, set().union(*self._chain.values()))

    def _style_attributes(self) -> Iterable[tuple[int, str]]:
        styles = ((row, self.page.attributes.get(row, "style")) for row in self._chain)
        return [(row, style) for row, style in styles if style]

    def _rows(self, selector: str, among: Collection[int] | None) -> list[int]:
        needed = cascade.subject_names(selector)
        rows = [row for row, names in self._chain.items() if needed <= names]
        if among is not None:
            rows = [row for row in rows if row in among]
        return self.page.attributes.matching_among(rows, css.readable(selector))


class _Reader(rules.Reader):
    """Reads the rules whose selectors end with names of some rows: no others match them."""

    def __init__(self, names: frozenset[str], endings: Iterable[str]) -> None:
        super().__init__(names, _READING, rules.Wanted(endings=(*_ANYTHING, *endings)))

    def _is_beside(self, prelude: str, declarations: str) -> bool:
        """Return whether a whole rule matches none of the rows."""
        prelude = prelude.replace(css.COMMENT, "")
        if "@" in prelude or ";" in prelude or "&" in prelude or "/" in prelude:
            return False
        return not any(map(self._may_end, prelude.lower().split(",")))

    def _may_end(self, selector: str) -> bool:
        """Return whether what a selector ends with may be one of the rows."""
        selector = selector.strip()
        if selector.endswith(self._wanted.endings) or "\\" in selector:
            return True
        head, colon, state = selector.rpartition(":")
        if not colon or not state.replace("-", "").isalnum():
            return False
        return not head or head.endswith(_COMBINATORS) or self._may_end(head)
