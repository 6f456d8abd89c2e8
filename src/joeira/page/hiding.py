"""Whether the page may hide some of its rows: a quick look before all its style sheets are read.

To know which rows are hidden, every rule that may hide is matched with every row, and then all that
rules and attributes say of those rows is weighed (`joeira.page.visibility`). Few rows are asked
about, as the headings of a page, and most are shown: nothing that could hide matches them or one of
their ancestors. That is what is looked for here. In doubt a row may be hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING, Final

from joeira.page import cascade, css, visibility
from joeira.page.attributes import Names
from joeira.page.css import EM, Declared
from joeira.page.painting import UNREADABLE_PX

if TYPE_CHECKING:
    from joeira.page.model import Page

_BY_MARKUP: Final = (
    "[hidden],[aria-hidden=true],[popover],dialog,details,datalist,rp,meter,progress,option"
)
"""What attributes and tags may hide, or what is in it."""
_COMBINATORS: Final = (" ", ">", "+", "~")
_ANYTHING: Final = ("*", "]", ")")
"""Selectors that end so may match elements of any name."""


def may_hide(page: Page, rows: Iterable[int]) -> bool:
    """Return whether one of some elements may be hidden; if not, ``page.hidden`` has 0 for all."""
    chain = sorted(_with_ancestors(page, rows))
    matcher = page.attributes
    if matcher.matching_among(chain, _BY_MARKUP) or matcher.select("template[shadowrootmode]"):
        return True
    shrinking: dict[int, float] = {}
    for row, declared in _declared(page, chain):
        # The colours that hide a text leave its element as it is.
        if not visibility.READING.hides(declared) <= {"colour"}:
            return True
        # Fonts that are large enough each may be too small in each other.
        size = css.measure(declared.get("font-size", (False, ""))[1], whole=EM)
        shrinking[row] = min(shrinking.get(row, 1.0), EM if size is None else size / EM)
    return EM * prod(shrinking.values()) <= UNREADABLE_PX


def _with_ancestors(page: Page, rows: Iterable[int]) -> set[int]:
    chain: set[int] = set()
    for row in rows:
        above = row
        while above >= 0 and above not in chain:
            chain.add(above)
            above = int(page.parent[above])
    return chain


def _declared(page: Page, chain: list[int]) -> Iterator[tuple[int, Declared]]:
    """Yield what attributes and style sheets declare of rows that may hide something."""
    matcher = page.attributes
    for row in chain:
        style = matcher.get(row, "style")
        if style:
            style = css.plain(style[: cascade.MAX_STYLE_CHARS])
            yield row, css.declarations(style, visibility.READING)
    for rule in _Reader(page, chain).read(page):
        if rule.block.hides or "font-size" in rule.block.declared:
            for row in matcher.matching_among(chain, css.readable(rule.selector)):
                yield row, rule.block.declared


class _Reader(cascade.Reader):
    """Reads the rules whose selectors end with names of some elements: no others match them."""

    def __init__(self, page: Page, chain: list[int]) -> None:
        super().__init__(Names(page).all, visibility.READING)
        numbers, classes = page.classes
        id_numbers, ids = page.ids
        words = " ".join(classes[numbers[row]] for row in chain).lower().split()
        own_ids = (ids[id_numbers[row]].strip().lower() for row in chain)
        self._endings = (
            *_ANYTHING,
            *{page.tag_name(row).lower() for row in chain},
            *{f".{word}" for word in words},
            *{f"#{name}" for name in own_ids if name},
        )

    def _is_beside(self, preludes: list[str], declarations: str) -> bool:
        """Return whether a piece is one rule, all of it, that matches none of the rows."""
        if len(preludes) != 1:
            return False
        prelude = preludes[0]
        if "@" in prelude or ";" in prelude or "&" in prelude or "/" in prelude:
            return False
        return not any(map(self._may_end, prelude.lower().split(",")))

    def _may_end(self, selector: str) -> bool:
        """Return whether what a selector ends with may be one of the elements."""
        selector = selector.strip()
        if selector.endswith(self._endings) or "\\" in selector:
            return True
        head, colon, state = selector.rpartition(":")
        if not colon or not state.replace("-", "").isalnum():
            return False
        return not head or head.endswith(_COMBINATORS) or self._may_end(head)
