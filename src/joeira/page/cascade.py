"""The cascade: which declarations win for each row, on the few rows where that matters.

Rules that may hide text are matched first. The other rules that set the same properties, or such as
work together with them, follow; where descendants inherit a property, they are matched everywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from joeira._lazy import Lazy
from joeira.arrays import AnyInts
from joeira.page import css
from joeira.page.attributes import Numbered
from joeira.page.css import Declared, Reading
from joeira.page.css_values import Variables
from joeira.page.rules import Reader, Rule

if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_SELECTORS: Final = 150
"""So many selectors that hide are looked for in a document of any length ..."""
MAX_STEPS: Final = 5_000_000
"""... and more in a short one, as long as their number times its rows does not exceed this."""
MAX_MATCHES: Final = 50_000
_MANY: Final = 64
"""Rows that are better not tried one by one."""
MAX_STYLE_CHARS: Final = 10_000
"""Characters of a style attribute that are read: longer ones hold data, not layout."""


def is_about(declared: Declared, groups: Collection[str], reading: Reading) -> bool:
    """Return whether declarations set a property of some groups."""
    return any(reading.group.get(name) in groups for name in declared)


_ATTRIBUTE: Final = re.compile(r"\[[^\[\]]*\]")
_SUBJECT: Final = re.compile(r"(?<![^\s>+~])[^\s>+~]*+\Z")
_NAMES: Final = re.compile(r"[.#]?[\w-]+")
_VARIABLE: Final = re.compile(r"var\(\s*(--[\w-]+)")


def styles(
    page: Page, reading: Reading, hints: dict[int, Declared], asked: Iterable[int]
) -> tuple[dict[int, dict[str, str]], tuple[str, ...]]:
    """Return the style of each row that declarations may hide, and a note for each limit reached.

    Args:
        page: The page.
        reading: What values mean.
        hints: What attributes such as bgcolor declare, per row.
        asked: Rows whose style is wanted in any case.
    """
    cascade = Cascade(page, reading, hints)
    cascade.add_hidden(asked)
    cascade.add_others()
    return cascade.winners(), tuple(sorted(cascade.notes))


class Names:
    """The classes, ids and tags of a page, as selectors have them in lower case."""

    def __init__(self, page: Page) -> None:
        """Store the page; rows with a name are looked up on demand."""
        self._page = page
        classes = [f".{word}" for word in set(page.class_text.split())]
        self.all = frozenset((*classes, *[f"#{name.strip().lower()}" for name in page.ids[1]]))
        self._rows: dict[str, list[int]] = {}

    def rows(self, name: str) -> list[int]:
        """Return the rows that have a name."""
        if name not in self._rows:
            if name[0] in ".#":
                numbers, order, first = self._classes if name[0] == "." else self._ids
                rows = [order[first[n] : first[n + 1]] for n in numbers.get(name[1:], ())]
                self._rows[name] = np.concatenate(rows).tolist() if rows else []
            else:
                self._rows[name] = self._page.rows_of(name).tolist()
        return self._rows[name]

    @cached_property
    def _classes(self) -> tuple[dict[str, list[int]], AnyInts, AnyInts]:
        return _index(self._page.classes)

    @cached_property
    def _ids(self) -> tuple[dict[str, list[int]], AnyInts, AnyInts]:
        return _index(self._page.ids)


def _index(column: Numbered) -> tuple[dict[str, list[int]], AnyInts, AnyInts]:
    """Return the numbers of each word, the rows ordered by number, and where each number begins."""
    numbers, values = column
    numbers_of: dict[str, list[int]] = defaultdict(list)
    for number, value in enumerate(values):
        for word in {*value.lower().split()}:
            numbers_of[word].append(number)
    order = numbers.argsort(kind="stable")
    return numbers_of, order, numbers[order].searchsorted(np.arange(len(values) + 1))


class Cascade:
    """What is said of the rows in play: those that something may hide."""

    def __init__(self, page: Page, reading: Reading, hints: dict[int, Declared]) -> None:
        """Read the style sheets and attributes of the page."""
        self.page = page
        self.reading = reading
        self.hints = hints
        self.rules, self.notes = self._read()
        self.own: dict[int, Declared] = {}
        declared: dict[str, Declared] = {}
        for row, style in self._style_attributes():
            if len(style) > MAX_STYLE_CHARS:
                self.notes.add(f"style attributes cut at {MAX_STYLE_CHARS} characters")
            if style not in declared:  # many rows have the same
                plain = css.plain(style[:MAX_STYLE_CHARS])
                declared[style] = css.declarations(plain, reading)
            self.own[row] = declared[style]
        self.groups: set[str] = set().union(*(rule.block.hides for rule in self.rules))
        self.of_row: dict[int, list[Rule]] = {}

    @Lazy
    def names(self) -> Names:
        """The names of the page, which not all readers need."""
        return Names(self.page)

    def _read(self) -> tuple[list[Rule], set[str]]:
        """Return the rules of the style sheets, and a note for each limit that was reached."""
        reader = Reader(self.names.all, self.reading)
        return reader.read(self.page), reader.notes

    def _style_attributes(self) -> Iterable[tuple[int, str]]:
        return zip(*self.page.attributes.column("style"), strict=True)

    def _match(
        self, rules: list[Rule], spreading: frozenset[str] | None = None
    ) -> Iterator[tuple[Rule, list[int]]]:
        """Yield the rows that rules match, within bounds.

        With `spreading`, only rules about such groups are looked for beyond the rows in play.
        """
        most = max(MAX_SELECTORS, MAX_STEPS // max(len(self.page), 1))
        if len(rules) > most and spreading is None:
            self.notes.add(f"only {most} selectors of the style sheets were matched")
        left = MAX_MATCHES
        for rule in rules[:most]:
            if css.is_hard(rule.selector):
                if rule.block.hides:
                    self.notes.add("long selectors of the style sheets were not looked for")
                continue
            is_everywhere = spreading is None or rule.block.is_about(spreading)
            rows = self._rows(rule.selector, None if is_everywhere else self.of_row)
            left -= len(rows)
            if left < 0:
                self.notes.add(f"style sheets match more than {MAX_MATCHES} times")
                return
            if rows:
                yield rule, rows

    def _rows(self, selector: str, among: Collection[int] | None) -> list[int]:
        """Return the rows that a selector matches; only those are tried that its subject names."""
        matcher = self.page.attributes
        named = [self.names.rows(name) for name in subject_names(selector)]
        rows: Collection[int] = min(named, key=len) if named else among or ()
        if named and among is not None:
            rows = [row for row in rows if row in among]
        if len(rows) > _MANY or (not named and among is None):
            return matcher.matching(css.readable(selector))
        return matcher.matching_among(rows, css.readable(selector)) if rows else []

    def add_hidden(self, asked: Iterable[int]) -> None:
        """Bring into play what declarations may hide, and what is asked about."""
        self.of_row.update((row, []) for row in asked)
        if self.of_row:
            self.groups.add("display")
        for row, declared in (*self.own.items(), *self.hints.items()):
            by = self.reading.hides(declared)
            if by:
                self.groups |= by
                self.of_row.setdefault(row, [])
        for rule, rows in self._match([rule for rule in self.rules if rule.block.hides]):
            for row in rows:
                self.of_row.setdefault(row, []).append(rule)

    def add_others(self) -> None:
        """Add the other rules about the same properties, and rows that descend from such."""
        groups = frozenset(self.groups)
        spreading = groups & self.reading.spreading
        if not (self.of_row or spreading):
            return
        for row, declared in (*self.own.items(), *self.hints.items()) if spreading else ():
            if is_about(declared, spreading, self.reading):
                self.of_row.setdefault(row, [])
        names = self._names_in_play()
        others = [
            rule
            for rule in self.rules
            if not rule.block.hides
            and rule.block.is_about(groups)
            and (names.issuperset(subject_names(rule.selector)) or rule.block.is_about(spreading))
        ]
        for rule, rows in self._match(others, spreading):
            spreads = rule.block.is_about(spreading)
            for row in rows:
                if spreads or row in self.of_row:
                    self.of_row.setdefault(row, []).append(rule)

    def _names_in_play(self) -> set[str]:
        """Return the classes, ids and tags of the rows in play, in lower case."""
        page = self.page
        rows = np.fromiter(self.of_row, np.intp, len(self.of_row))
        numbers, classes = page.classes
        words = " ".join([classes[number] for number in {*numbers[rows].tolist()}]).lower()
        names = {f".{word}" for word in words.split()}
        numbers, ids = page.ids
        names.update(f"#{ids[number].strip().lower()}" for number in {*numbers[rows].tolist()})
        examples = dict(zip(page.tag[rows].tolist(), self.of_row, strict=True))
        names.update(map(page.tag_name, examples.values()))
        return names

    def winners(self) -> dict[int, dict[str, str]]:
        """Return the values that win on each row in play, in the order of the page."""
        wanted = {name for name, group in self.reading.group.items() if group in self.groups}
        styles = {}
        for row in sorted(self.of_row):
            hint = {name: value for name, (_, value) in self.hints.get(row, {}).items()}
            styles[row] = hint | winning(self.of_row[row], self.own.get(row, {}), wanted)
        if any(css.PENDING in value for style in styles.values() for value in style.values()):
            variables = Variables(self._variables(styles), self.page.end)
            styles = {row: variables.resolve(row, style) for row, style in styles.items()}
        return styles

    def _variables(self, _styles: dict[int, dict[str, str]]) -> dict[int, dict[str, str]]:
        """Return the values of the variables in use on each row that a style gives one."""
        said = [rule.block.with_variables for rule in self.rules if "var(" in rule.block.text]
        said.extend(self.own.values())
        names = variables_in(text for each in said for _, text in each.values())
        about = [
            rule
            for rule in self.rules
            if "--" in rule.block.text and names & rule.block.with_variables.keys()
        ]
        return self._values_of(names, about, attrgetter("block.with_variables"))

    def _values_of(
        self, variables: set[str], about: list[Rule], declared_by: Callable[[Rule], Declared]
    ) -> dict[int, dict[str, str]]:
        """Return the values of variables on each row that rules about them or a style give one."""
        of_row: dict[int, list[Rule]] = {}
        for rule, rows in self._match(about):
            for row in rows:
                of_row.setdefault(row, []).append(rule)
        given = of_row.keys() | {row for row, each in self.own.items() if variables & each.keys()}
        return {
            row: winning(of_row.get(row, []), self.own.get(row, {}), variables, declared_by)
            for row in given
        }


def variables_in(values: Iterable[str]) -> set[str]:
    """Return the variables that values refer to."""
    return {name for value in {*values} for name in _VARIABLE.findall(value)}


def subject_names(selector: str) -> set[str]:
    """Return names that every element has which a selector matches, in lower case."""
    if "\\" in selector or selector.endswith(")"):
        return set()
    if "[" in selector:
        selector = _ATTRIBUTE.sub("", selector)
    last = _SUBJECT.search(selector)
    if last is None or ")" in last[0]:
        return set()
    return set(_NAMES.findall(last[0].partition(":")[0].lower()))


declared: Final = attrgetter("block.declared")


def winning(
    rules: Iterable[Rule],
    own: Declared,
    wanted: Collection[str],
    declared_by: Callable[[Rule], Declared] = declared,
) -> dict[str, str]:
    """Return the value of each property that the cascade chooses."""
    weight: dict[str, Any] = {}
    values: dict[str, str] = {}
    for rule in rules:
        specificity = css.specificity(rule.unscoped)
        for name, (important, value) in declared_by(rule).items():
            if name not in wanted:
                continue
            layer = tuple(-step for step in rule.layer) if important else rule.layer
            key = (important, layer, specificity, rule.order)
            if name not in weight or key >= weight[name]:
                weight[name], values[name] = key, value
    for name, (important, value) in own.items():
        if name in wanted and (important or name not in weight or not weight[name][0]):
            values[name] = value
    return values


# Selectors ----------------------------------------------------------------------------------------

_MARK: Final = r"\\[0-9a-fA-F]{1,6}\s?"
_NAME: Final = rf"-?(?:[^\W\d]|[^\x00-\x7f]|{_MARK})(?:[\w-]|[^\x00-\x7f]|{_MARK})*+"
_VALUE: Final = rf"\"(?:[^\"\\]|{_MARK})*+\"|'(?:[^'\\]|{_MARK})*+'|{_NAME}"
_TOKEN: Final = re.compile(
    rf"(?P<combinator>\s*[>+~]\s*|\s+)|(?P<any>\*)|(?P<tag>{_NAME})|(?P<name>[.#]{_NAME})"
    rf"|\[\s*(?P<attribute>{_NAME})\s*(?:(?P<sign>[~|^$*]?=)\s*(?P<value>{_VALUE})\s*)?\]"
    r"|:(?P<state>[\w-]+)(?:\((?P<inner>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\))?"
)
HOST: Final = "host"
"""No element of a page is one, and the parser reads no selector with it."""
_PLACES: Final = {
    HOST, "first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type"
}  # fmt: skip


@dataclass(slots=True)
class Step:
    """What a selector says of one element."""

    combinator: str
    """How it stands to the step before."""
    names: set[str] = field(default_factory=set)
    """Tag, classes and ids; ``:root`` is one."""
    lowered: set[str] = field(default_factory=set)
    """The same in lower case."""
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    """Names of attributes; how they are compared with what, if they are."""
    choices: list[tuple[bool, list[str]]] = field(default_factory=list)
    """Selectors of which one matches the element, or (False) none does."""
    places: list[str] = field(default_factory=list)
    """What it says of where the element is among others; ``host`` is a place, too."""
    is_known: bool = True
    """Whether it says nothing else."""

    @property
    def is_readable(self) -> bool:
        """Return whether the parser can read it, as far as it is known."""
        return self.is_known and HOST not in self.places


def steps(selector: str) -> list[Step] | None:
    """Return the steps of a selector; None where only the parser can read it."""
    step = Step("")
    found: list[Step] = []
    place, is_new = 0, True
    while place < len(selector):
        token = _TOKEN.match(selector, place)
        if token is None:
            return None
        place = token.end()
        kind, text = token.lastgroup, token[token.lastindex or 0]
        if kind == "combinator":
            if is_new:
                return None
            found.append(step)
            step, is_new = Step(text.strip()), True
            continue
        if kind in ("tag", "any") and not is_new:
            return None
        is_new = False
        if kind in ("tag", "name"):
            name = css.unescaped(text)
            step.names.add(name if kind == "name" else name.lower())
            step.lowered.add(name.lower())
        elif kind in ("attribute", "value"):
            value = css.unescaped(text.strip("\"'")) if kind == "value" else ""
            name = css.unescaped(token["attribute"]).lower()
            step.attributes.append((name, token["sign"] or "", value))
        elif kind != "any":
            _add_state(step, token["state"].lower(), token["inner"] or "")
    return None if is_new else [*found, step]


def _add_state(step: Step, name: str, inner: str) -> None:
    """Add what follows a colon."""
    if name == "root" and not inner:
        step.names.add(":root")
        step.lowered.add(":root")
        return
    if name in _PLACES and not inner:
        step.places.append(name)
        return
    if name in ("is", "where", "not") and inner:
        selectors = [each.strip() for each in css.parts(inner, ",")]
        if name != "not" and all("::" in each for each in selectors):  # no element is such a part
            selectors.clear()
        said = list(map(steps, selectors))
        if all(each is not None and all(step.is_readable for step in each) for each in said):
            step.choices.append((name != "not", selectors))
            return
    step.is_known = False
