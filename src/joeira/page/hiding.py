"""Which of a few elements the page hides, without reading all its style sheets.

`joeira.page.visibility` matches every rule that may hide something with every row, and weighs all
rules and attributes that apply. For a few rows, such as the headings of a page, only those that
apply to them or their ancestors matter: rules whose selectors name others are not read. Mostly
none that does apply can hide anything, so that there is nothing to weigh. Nor is a tree made where
the names and attributes of these elements tell which selectors match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import numpy as np

from joeira._lazy import Lazy
from joeira.page import cascade, css, css_values, hiding_values, rules, tags, visibility
from joeira.page.cascade import Step
from joeira.page.css import Declared
from joeira.page.hiding_values import Values
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
_ALL: Final = dict.fromkeys(_READING.shorthands, 0)
_MANY: Final = 300  # elements that are better not looked at one by one
_ROUNDS: Final = 6  # of reading variables that others refer to
_OVERFLOW: Final = {"overflow-x", "overflow-y"}

_VALUES: Final = {
    Values.WORD: {"display", "content-visibility"},
    Values.PLACE: {*hiding_values.PLACES},
    Values.SIZE: {*hiding_values.SMALL},
    Values.FONT_SIZE: {"font-size"},
    Values.LINE_HEIGHT: {"line-height"},
    Values.FUNCTION: {"clip", "clip-path", *TRANSFORMS},
    Values.UNKNOWN: _OVERFLOW,
}
_KINDS: Final = {
    name: kind
    for name, sets in css_values.SETS.items()
    for kind, able in _VALUES.items()
    if name != "all" and not able.isdisjoint(sets)
}
"""Which of their values can, as far as is seen at once."""
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


# Selectors ----------------------------------------------------------------------------------------

_SPACES: Final = re.compile(r"[ \t\n\f\r]+")
_FOREIGN: Final = ("svg", "math")
_WORD: Final = re.compile(r"[.#:]*(?:[\w-]|\\[0-9a-fA-F]{1,6}\s?)+")
_BESIDE: Final = re.compile(r"(?<![^\s>+~])[^\s>+~]++(?=[\s>]*+[+~])")
_COMPARED: Final[dict[str, Callable[[str, str], bool]]] = {
    "=": str.__eq__,
    "^=": str.startswith,
    "$=": str.endswith,
    "*=": str.__contains__,
    "~=": lambda said, value: value in _SPACES.split(said),
    "|=": lambda said, value: said == value or said.startswith(f"{value}-"),
}


class _Few:
    """Some elements and their ancestors, perhaps with what stands before each of these."""

    def __init__(self, page: Page, rows: Sequence[int], has_siblings: bool = False) -> None:
        self.page = page
        self._has_siblings = has_siblings
        self.names = {row: {*_names(page, row)} for row in sorted(_with_ancestors(page, rows))}
        """What selectors may call each row, in lower case, ancestors first."""
        self._found: dict[str, tuple[list[int], bool]] = {}
        self._siblings: dict[tuple[int, int], list[int]] = {}
        self._at: dict[tuple[int, str], bool] = {}

    @Lazy
    def attributes(self) -> dict[int, dict[str, str]]:
        """The attributes of each row."""
        return {row: self.page.attributes.of(row) for row in self.names}

    @Lazy
    def sheets(self) -> str:
        """The style sheets of the page, without most of what matters to none of the rows."""
        if not rules.has_sheets(self.page):
            return ""
        text = "\n".join(rules.sheets(self.page))
        return _Reader(self).sift(text[: rules.MAX_CSS_CHARS])

    @Lazy
    def all_names(self) -> frozenset[str]:
        """All that selectors may call one of the rows."""
        return frozenset().union(*self.names.values())

    @Lazy
    def names_of_page(self) -> frozenset[str]:
        """The classes and ids of the whole page."""
        return cascade.Names(self.page).all

    @Lazy
    def _exact_names(self) -> dict[int, set[str]]:
        """The same as `names`, as the page writes them, tags excepted."""
        (numbers, classes), (id_numbers, ids) = self.page.classes, self.page.ids
        exact = {
            row: {
                self.page.tag_name(row).lower(),
                *(f".{word}" for word in _SPACES.split(classes[numbers[row]])),
                f"#{ids[id_numbers[row]]}",
            }
            for row in self.names
        }
        exact[0].add(":root")
        return exact

    @Lazy
    def _parents(self) -> dict[int, int]:
        return {row: int(self.page.parent[row]) for row in self.names}

    @Lazy
    def _has_foreign(self) -> bool:
        is_foreign = (not names.isdisjoint(_FOREIGN) for names in self.names.values())
        return not self._has_siblings and any(is_foreign)

    def _beside(self, row: int, tag: int = tags.TEXT) -> list[int]:
        """Return the elements right below the parent of a row, perhaps only those of a tag."""
        above = self._parents[row]
        if (above, tag) not in self._siblings:
            rows = slice(above + 1, int(self.page.end[max(above, 0)]))
            is_one = (self.page.tag[rows] == tag) != (tag == tags.TEXT)
            found = np.flatnonzero((self.page.parent[rows] == above) & is_one)
            self._siblings[above, tag] = (found + rows.start).tolist()
        return self._siblings[above, tag]

    @Lazy
    def _with_siblings(self) -> _Few:
        """The same with what stands before each row, or itself where that is not to be known."""
        before = [*self.names]
        if not self._has_foreign:
            for row in self.names:
                before.extend(takewhile(row.__ne__, self._beside(row)))
        if len(before) == len(self.names) or len(before) > _MANY:
            return self
        return _Few(self.page, before, has_siblings=True)

    def matching(self, selector: str, among: Collection[int] | None = None) -> list[int]:
        """Return the rows that a selector matches."""
        rows, is_sure = self.find(selector)
        if among is not None:
            rows = [row for row in rows if row in among]
        if is_sure or not rows:
            return rows
        return self.page.attributes.matching_among(rows, css.readable(selector))

    def find(self, selector: str) -> tuple[list[int], bool]:
        """Return all rows that a selector may match, and whether it does for sure.

        What can be read without a tree is: making one takes longer than all else here.
        """
        if selector not in self._found:
            self._found[selector] = self._find(selector)
        return self._found[selector]

    def _find(self, selector: str) -> tuple[list[int], bool]:
        if not self._has_all_named(css.without_brackets(selector)):
            return [], True
        needed = cascade.subject_names(selector)
        rows = [row for row, names in self.names.items() if needed <= names]
        if not rows:
            return [], True
        steps = None if self._has_foreign or css.is_hard(selector) else cascade.steps(selector)
        if steps is None:
            return rows, False
        if any(cascade.HOST in step.places for step in steps):
            return [], True
        has_siblings = "+" in selector or "~" in selector
        if has_siblings and not self._has_siblings and self._with_siblings is not self:
            found, is_sure = self._with_siblings.find(selector)
            return [row for row in found if row in self.names], is_sure
        return self._follow(steps, has_siblings and not self._has_siblings)

    def _follow(self, steps: list[Step], has_unknown: bool) -> tuple[list[int], bool]:
        """Return the rows that may be what the last of some steps is about, and whether they are.

        With `has_unknown` siblings some steps are about what is none of the rows.
        """
        is_sure = True
        found: set[int] = set()
        for number, step in enumerate(steps):
            tried = [row for row, names in self.names.items() if step.lowered <= names]
            if step.combinator in ("+", "~"):
                if has_unknown:
                    is_sure = False
                else:
                    tried = self._behind(found, tried, step.combinator == "+")
            elif number:
                tried = self._below(found, tried, step.combinator == ">")
            fits = [(row, self._fits(row, step)) for row in tried]
            found = {row for row, is_fit in fits if is_fit is not False}
            is_sure = is_sure and all(is_fit is not None for _, is_fit in fits)
            if not found and not has_unknown:
                return [], True
        return sorted(found), is_sure

    def _has_all_named(self, selector: str) -> bool:
        """Return whether there is all that a selector without brackets names.

        What stands beside a row may be called anything, but is in the same ancestors.
        """
        named = css.names_needed(selector)
        if named is None or "(" in selector or "[" in selector:
            return named is not None
        inside = _BESIDE.sub("", selector) if "+" in selector or "~" in selector else selector
        is_plain = inside.isascii() and "|" not in inside
        words = _WORD.findall(inside) if is_plain else css.names_needed(inside) or ()
        own = [css.unescaped(word).lower() for word in words if word[0] != ":"]
        is_here = self.all_names.issuperset(own)
        return is_here and (inside is selector or self.names_of_page.issuperset(named))

    def _below(self, found: set[int], tried: list[int], is_right_below: bool) -> list[int]:
        """Return those rows that are below others, right below or anywhere."""
        inside = found
        if not is_right_below:
            inside = {*found}
            for row, above in self._parents.items():
                if above in inside:
                    inside.add(row)
        return [row for row in tried if self._parents[row] in inside]

    def _behind(self, found: set[int], tried: list[int], is_right_behind: bool) -> list[int]:
        """Return those rows that are behind siblings, right behind one or anywhere."""
        before = {row: [*takewhile(row.__ne__, self._beside(row))] for row in tried}
        first = -1 if is_right_behind else 0
        return [row for row in tried if not found.isdisjoint(before[row][first:])]

    def _fits(self, row: int, step: Step) -> bool | None:
        """Return whether an element is what a step asks for; None if only the parser knows.

        Whether capitals count depends on the page, and on the attribute.
        """
        is_sure: bool | None = True
        if self._has_siblings and not self.names[row].isdisjoint(_FOREIGN):
            return None
        if step.places and not all(self._is_at(row, place) for place in step.places):
            return False
        if not (step.is_known and step.names <= self._exact_names[row]):
            is_sure = None
        for name, sign, value in step.attributes:
            said = self.attributes[row].get(name)
            if said is None:
                return False
            if sign and not (value and _COMPARED[sign](said, value)):
                if value and not _COMPARED[sign](said.lower(), value.lower()):
                    return False
                is_sure = None
        for is_wanted, selectors in step.choices:
            sure = {sure for rows, sure in map(self.find, selectors) if row in rows}
            if False in sure and True not in sure:
                is_sure = None
            elif (True in sure) != is_wanted:
                return False
        return is_sure

    def _is_at(self, row: int, place: str) -> bool:
        """Return whether an element is the first, last or only one, perhaps of those of its tag."""
        if (row, place) not in self._at:
            tag = int(self.page.tag[row]) if place.endswith("type") else tags.TEXT
            beside = self._beside(row, tag)
            is_first = place.startswith("last") or beside[0] == row
            self._at[row, place] = is_first and (place.startswith("first") or beside[-1] == row)
        return self._at[row, place]

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
        for rule in _Reader(self, _KINDS).read_text(self.sheets):
            if css.is_hard(rule.selector) or not (by := _hides(rule.block.declared)):
                continue
            # Until a script shows it, all is hidden that is in the roots, which does not count.
            rows = self.names.keys() if "font" in by else self.names.keys() - roots
            if self.matching(rule.selector, rows):
                return True
        return False


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
    if row == 0:
        yield ":root"
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
        """Return the rules without variables, of which pages set hundreds and use a few."""
        reader = _Reader(self._few, _ALL)
        return reader.read_text(self._few.sheets), reader.notes

    def _variables(self, styles: dict[int, dict[str, str]]) -> dict[int, dict[str, str]]:
        """Read only the variables that styles refer to, and those that these refer to."""
        about: list[rules.Rule] = []
        known: set[str] = set()
        said: Iterable[str] = (value for style in styles.values() for value in style.values())
        for _ in range(_ROUNDS):
            names = cascade.variables_in(said) - known
            if not names:
                return self._values_of(known, about, cascade.declared)
            known |= names
            reading = _READING._replace(shorthands={name: (name,) for name in names})
            reader = _Reader(self._few, dict.fromkeys(names, 0), reading)
            found = [rule for rule in reader.read_text(self._few.sheets) if rule.block.declared]
            about += found
            declared = *(rule.block.declared for rule in found), *self.own.values()
            said = [each[name][1] for each in declared for name in names & each.keys()]
        self.rules = _Reader(self._few).read_text(self._few.sheets)  # all at once
        return super()._variables(styles)

    def _style_attributes(self) -> Iterable[tuple[int, str]]:
        said = self._few.attributes.items()
        return [(row, each["style"]) for row, each in said if each.get("style")]

    def _rows(self, selector: str, among: Collection[int] | None) -> list[int]:
        return self._few.matching(selector, among)


class _Reader(rules.Reader):
    """Reads the rules whose selectors may match one of a few elements, or of their ancestors."""

    def __init__(
        self, few: _Few, kinds: Mapping[str, int] | None = None, reading: css.Reading = _READING
    ) -> None:
        """Keep which rows are asked about, and which values that rules set for which properties."""
        self._few = few
        names = few.all_names
        wanted = rules.Wanted(endings=(*_ANYTHING, *names), is_of_few=True, kinds=kinds or {})
        super().__init__(names, reading, wanted)

    def _asked(self, block: rules.Place) -> list[tuple[str, str]]:
        """Return the selectors that may match, as they match in their scope and as such."""
        return [pair for pair in super()._asked(block) if self._may_match(pair[1])]

    def _may_match(self, selector: str) -> bool:
        return self._may_end(selector.lower()) and bool(self._few.find(selector)[0])

    def _is_beside(self, prelude: str, declarations: str) -> bool:
        """Return whether a whole rule matches none of the rows."""
        prelude = prelude.replace(css.COMMENT, "")
        if "@" in prelude or ";" in prelude or "&" in prelude or "/" in prelude:
            return False
        return not any(map(self._may_end, prelude.lower().split(",")))

    def _may_end(self, selector: str, depth: int = 0) -> bool:
        """Return whether what a selector ends with may be one of the rows; ``&`` may be any."""
        selector, is_deep = selector.strip(), depth > css.MAX_NESTING
        if is_deep or selector.endswith(("&", *self._wanted.endings)) or "\\" in selector:
            return True
        head, colon, state = selector.rpartition(":")
        if not colon or not state.replace("-", "").isalnum():
            return False
        return not head or head.endswith(_COMBINATORS) or self._may_end(head, depth + 1)
