"""Which of a few elements the page hides, without reading all its style sheets.

`joeira.page.visibility` matches every rule that may hide something with every row, and weighs all
rules and attributes that apply. For a few rows, such as the headings of a page, only those that
apply to them or their ancestors matter: rules whose selectors end with other names are not read.
Mostly none that does apply can hide anything, so that there is nothing to weigh.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from joeira._lazy import Lazy
from joeira.page import cascade, css, css_values, hiding_values, rules, tags, visibility
from joeira.page.css import Declared
from joeira.page.painting import TRANSFORMS

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
_FADING: Final = {"visibility", "fade"}
"""Groups of properties that make elements invisible or transparent, which counts as shown."""
_HIDING: Final = {
    "display", "line-height", "font-size", "content-visibility", "clip", "clip-path",
    *hiding_values.SMALL, *hiding_values.PLACES, *TRANSFORMS,
}  # fmt: skip
_ABLE: Final = frozenset(
    name for name, sets in css_values.SETS.items() if name != "all" and not _HIDING.isdisjoint(sets)
)
"""Properties by which elements can be hidden for good, whatever else is said; shorthands too."""
_OVERFLOW: Final = {"overflow-x", "overflow-y"}
_BY_ATTRIBUTE: Final = {"hidden", "aria-hidden", "popover"}
_BY_TAG: Final = {
    "datalist", "details", "dialog", "meter", "option", "progress", "rp", "select"
}  # fmt: skip
"""Elements that browsers hide, or parts of which they do."""


def are_hidden(page: Page, rows: Sequence[int]) -> list[bool]:
    """Return which of some elements are hidden, and stay so.

    The same as ``page.hidden``, with exceptions, all in favour of shown. Transparent and
    invisible elements count as shown: most of them fade in as readers reach them, and how many do
    only the whole page tells. So do elements that hold more than half of the page's text, even if
    parts of them are hidden once more, and those whose letters become too small step by step.
    """
    few = _Few(page, rows)
    if not few.may_be_hidden():
        return [False] * len(rows)
    ways = visibility.look_at(page, few.attributes, _Cascade(few))[rows]
    return [way > 0 and way not in visibility.FADING_IN for way in ways.tolist()]


class _Few:
    """Some elements and their ancestors."""

    def __init__(self, page: Page, rows: Sequence[int]) -> None:
        self.page = page
        self.names = {row: {*_names(page, row)} for row in sorted(_with_ancestors(page, rows))}

    @Lazy
    def attributes(self) -> dict[int, dict[str, str]]:
        """The attributes of each row."""
        return {row: self.page.attributes.of(row) for row in self.names}

    @Lazy
    def rules(self) -> tuple[list[rules.Rule], set[str]]:
        """The rules about names of the rows, and a note for each limit that was reached."""
        if not _has_sheets(self.page):
            return [], set()
        reader = _Reader(rules.Names(self.page).all, set().union(*self.names.values()))
        return reader.read(self.page), reader.notes

    def matching(self, selector: str, among: Collection[int] | None = None) -> list[int]:
        """Return the rows that a selector matches."""
        needed = cascade.subject_names(selector)
        rows = [row for row, names in self.names.items() if needed <= names]
        if among is not None:
            rows = [row for row in rows if row in among]
        return self.page.attributes.matching_among(rows, css.readable(selector)) if rows else []

    def may_be_hidden(self) -> bool:
        """Return whether anything that is said of the rows may hide one of them, by itself."""
        page = self.page
        has_templates = page.tag_counts[tags.NUMBER["template"]] > 0
        if has_templates and page.attributes.select("template[shadowrootmode]"):
            return True
        if not _BY_TAG.isdisjoint(page.tag_name(row) for row in self.names):
            return True
        for said in self.attributes.values():
            if not _BY_ATTRIBUTE.isdisjoint(said):
                return True
            style = css.plain(said.get("style", "")[: cascade.MAX_STYLE_CHARS])
            if style and _hides(css.declarations(style, _READING)):
                return True
        roots = {0, page.body}
        for rule in self.rules[0]:
            if css.is_hard(rule.selector) or not (by := _hides(rule.block.declared)):
                continue
            # Until a script shows it, all is hidden that is in the roots, which does not count.
            rows = self.names.keys() if "font" in by else self.names.keys() - roots
            if self.matching(rule.selector, rows):
                return True
        return False


def _has_sheets(page: Page) -> bool:
    """Return whether a page may have style sheets of its own."""
    links = page.attributes.links
    return page.tag_counts[tags.NUMBER["style"]] > 0 or any(
        address.lstrip()[:5].lower() == "data:" for _, address in links
    )


def _hides(declared: Declared) -> set[str]:
    """Return the groups of properties by which declarations may hide elements for good.

    Values that are not known yet count only where the property is one that can.
    """
    able = declared.keys() & _ABLE
    if not able:
        return set()
    # A line without height hides something only together with its overflow.
    said = able | (declared.keys() & _OVERFLOW)
    return _READING.hides({name: declared[name] for name in said}) - _FADING


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

    def __init__(self, few: _Few) -> None:
        self._few = few
        super().__init__(few.page, _READING, {})

    def _read(self) -> tuple[list[rules.Rule], set[str]]:
        return self._few.rules

    def _style_attributes(self) -> Iterable[tuple[int, str]]:
        said = self._few.attributes.items()
        return [(row, each["style"]) for row, each in said if each.get("style")]

    def _rows(self, selector: str, among: Collection[int] | None) -> list[int]:
        return self._few.matching(selector, among)


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
