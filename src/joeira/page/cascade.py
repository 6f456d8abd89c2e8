"""The cascade: which declarations win for each row, on the few rows where that matters.

Rules that may hide text are matched first. The other rules that set the same properties, or such as
work together with them, follow; where descendants inherit a property, they are matched everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from joeira._native import native_available
from joeira.page import attributes, css
from joeira.page.css import Declared, Reading
from joeira.page.css_values import Variables
from joeira.page.sheets import sheet_in, sheets

if native_available:
    from joeira._native import sheets as kernels
if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_CSS_CHARS: Final = 500_000
MAX_RULES: Final = 20_000
MAX_SELECTORS: Final = 150
"""So many selectors that hide are looked for in a document of any length ..."""
MAX_STEPS: Final = 5_000_000
"""... and more in a short one, as long as their number times its rows does not exceed this."""
MAX_MATCHES: Final = 50_000
_MANY: Final = 64
"""Rows that are better not tried one by one."""
MAX_STYLE_CHARS: Final = 10_000
"""Characters of a style attribute that are read: longer ones hold data, not layout."""

Layer = tuple[float, ...]
_UNLAYERED: Final[Layer] = (float("inf"),)


class Block:
    """The contents of the braces, parsed on demand because most of them never matter."""

    def __init__(self, text: str, reading: Reading) -> None:
        """Keep the text."""
        self.text = text.lower()
        self._reading = reading

    @cached_property
    def declared(self) -> Declared:
        """The declarations that matter."""
        return css.declarations(self.text, self._reading)

    @cached_property
    def hides(self) -> set[str]:
        """The groups of properties by which they may hide text."""
        return self._reading.hides(self.declared)

    def is_about(self, groups: frozenset[str]) -> bool:
        """Return whether they set a property of some groups."""
        return bool(groups) and is_about(self.declared, groups, self._reading)


class Rule(NamedTuple):
    """One selector with what it declares; a later rule of equal weight wins."""

    selector: str
    unscoped: str
    layer: Layer
    order: int
    block: Block


def is_about(declared: Declared, groups: Collection[str], reading: Reading) -> bool:
    """Return whether declarations set a property of some groups."""
    return any(reading.group.get(name) in groups for name in declared)


_ATTRIBUTE: Final = re.compile(r"\[[^\]]*\]")
_SUBJECT: Final = re.compile(r"[^\s>+~]*\Z")
_NAMES: Final = re.compile(r"[.#]?[\w-]+")
_PLAIN: Final = re.compile(r"[^:(\[\\&]*\Z")
_CLASS_OR_ID: Final = re.compile(r"[.#][\w-]+")
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


class Cascade:
    """What is said of the rows in play: those that something may hide."""

    def __init__(self, page: Page, reading: Reading, hints: dict[int, Declared]) -> None:
        """Read the style sheets and attributes of the page."""
        self.page = page
        self.reading = reading
        self.hints = hints
        self.names = attributes.Names(page)
        reader = self._make_reader()
        self.rules = reader.read(page)
        self.notes = reader.notes
        self.own: dict[int, Declared] = {}
        for row, style in self._style_attributes():
            if len(style) > MAX_STYLE_CHARS:
                self.notes.add(f"style attributes cut at {MAX_STYLE_CHARS} characters")
            declared = css.declarations(css.plain(style[:MAX_STYLE_CHARS]), reading)
            self.own[row] = declared
        self.groups: set[str] = set().union(*(rule.block.hides for rule in self.rules))
        self.of_row: dict[int, list[Rule]] = {}

    def _make_reader(self) -> Reader:
        return Reader(self.names.all, self.reading)

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
        words = " ".join([classes[number] for number in np.unique(numbers[rows]).tolist()]).lower()
        names = {f".{word}" for word in words.split()}
        numbers, ids = page.ids
        names.update(f"#{ids[number].strip().lower()}" for number in np.unique(numbers[rows]))
        _, examples = np.unique(page.tag[rows], return_index=True)
        names.update(page.tag_name(row) for row in rows[examples].tolist())
        return names

    def winners(self) -> dict[int, dict[str, str]]:
        """Return the values that win on each row in play, in the order of the page."""
        wanted = {name for name, group in self.reading.group.items() if group in self.groups}
        styles = {}
        for row in sorted(self.of_row):
            hint = {name: value for name, (_, value) in self.hints.get(row, {}).items()}
            styles[row] = hint | winning(self.of_row[row], self.own.get(row, {}), wanted)
        if any(css.PENDING in value for style in styles.values() for value in style.values()):
            variables = Variables(self._variables(), self.page.end)
            styles = {row: variables.resolve(row, style) for row, style in styles.items()}
        return styles

    def _variables(self) -> dict[int, dict[str, str]]:
        """Return the values of the variables in use on each row that a style gives one."""
        said = [rule.block.declared for rule in self.rules if "var(" in rule.block.text]
        said.extend(self.own.values())
        texts = {text for each in said for _, text in each.values()}
        names = {name for text in texts for name in _VARIABLE.findall(text)}
        of_row: dict[int, list[Rule]] = {}
        about = [rule for rule in self.rules if names & rule.block.declared.keys()]
        for rule, rows in self._match(about):
            for row in rows:
                of_row.setdefault(row, []).append(rule)
        given = of_row.keys() | {row for row, each in self.own.items() if names & each.keys()}
        return {row: winning(of_row.get(row, []), self.own.get(row, {}), names) for row in given}


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


def winning(rules: Iterable[Rule], own: Declared, wanted: Collection[str]) -> dict[str, str]:
    """Return the value of each property that the cascade chooses."""
    weight: dict[str, Any] = {}
    values: dict[str, str] = {}
    for rule in rules:
        specificity = css.specificity(rule.unscoped)
        for name, (important, value) in rule.block.declared.items():
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


# Rules --------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """What holds for what is inside a pair of braces."""

    selectors: tuple[str, ...] | None = None
    """What ``&`` stands for: the selectors of the rule around; None outside of rules."""
    layer: str = ""
    scope: tuple[str, str] = ("", "")
    """Within what selectors match, and where that ends."""


class Wanted(NamedTuple):
    """Which rules a reader is to look for."""

    about: str = ""
    """A word that is in what they declare."""
    endings: tuple[str, ...] = ()
    """What a selector ends with, but for states, if there are any."""
    asked: frozenset[str] = frozenset()
    """Names of which a selector has at least one, if there are any."""


_ANYTHING: Final = Wanted()


class Reader:
    """Reads the rules of style sheets that name only what a page has, one for each selector.

    Most rules are for other pages of the site, so what they declare is not even read.
    """

    def __init__(
        self, names: frozenset[str], reading: Reading, wanted: Wanted = _ANYTHING
    ) -> None:
        """Keep the names of a page: its classes and ids."""
        self.notes: set[str] = set()
        self._reading = reading
        self._wanted = wanted
        self._names = names
        self._order = 0
        self._imports = 0
        self._layers: dict[str, Layer] = {"": _UNLAYERED}
        # Nothing that matters is lost: without the kernel, more is read of which nothing is made.
        self._sift: Callable[[str], str] = (
            kernels.Sieve(names, *wanted) if native_available else str
        )

    def read(self, page: Page) -> list[Rule]:
        """Return the rules of all sheets of the page, up to the limits."""
        text = "\n".join(sheets(page))
        if len(text) > MAX_CSS_CHARS:
            self.notes.add(f"style sheets cut at {MAX_CSS_CHARS} characters")
        rules = list(islice(self.rules(text[:MAX_CSS_CHARS], _Place()), MAX_RULES + 1))
        if len(rules) > MAX_RULES:
            self.notes.add(f"only the first {MAX_RULES} rules of the style sheets were read")
        return rules[:MAX_RULES]

    def rules(self, text: str, block: _Place) -> Iterator[Rule]:
        """Yield the rules of a style sheet."""
        stack = [block]
        skipped = depth = 0
        held: list[str] = []
        for piece in css.plain(self._sift(text)).split("}"):
            if depth or "(" in piece:
                held.append(piece)
                depth = max(depth + piece.count("(") - piece.count(")"), 0)
                if depth:  # in round brackets braces mean nothing
                    continue
            preludes = css.parts("}".join(held), "{") if len(held) > 1 else piece.split("{")
            held.clear()
            last = preludes.pop()
            is_beside = bool(preludes) and self._is_beside(preludes[-1], last)
            for prelude in preludes[:-1] if is_beside else preludes:
                if skipped:
                    skipped += 1
                    continue
                if ";" in prelude:
                    before, _, prelude = prelude.rpartition(";")  # noqa: PLW2901  # the rest of it
                    yield from self._declare(before, stack[-1])
                inner = self._open(prelude.replace(css.COMMENT, "").strip(), stack[-1])
                if inner is None or len(stack) > css.MAX_NESTING:
                    skipped = 1
                else:
                    stack.append(inner)
            if is_beside:  # it ends here, what it is in does not
                continue
            if skipped:
                skipped -= 1
                continue
            if last:
                yield from self._declare(last, stack[-1])
            if len(stack) > 1:
                stack.pop()

    def _is_beside(self, prelude: str, declarations: str) -> bool:
        """Return whether a whole rule does not have `about` in what it declares."""
        return self._wanted.about not in declarations and "@" not in prelude and ";" not in prelude

    def _declare(self, text: str, block: _Place) -> Iterator[Rule]:
        """Yield what declarations say for each selector; outside of rules there are statements."""
        if block.selectors is None:
            for statement in text.split(";") if "@" in text else ():
                yield from self._state(statement.replace(css.COMMENT, "").strip(), block)
        elif text and self._wanted.about in text:
            inner = Block(text, self._reading)
            asked = self._wanted.asked
            for selector in block.selectors:
                scoped = css.scoped(selector, block.scope) if block.scope[0] else selector
                if asked and asked.isdisjoint(css.NAMES.findall(scoped)):
                    continue
                self._order += 1
                yield Rule(scoped, selector, self._layers[block.layer], self._order, inner)

    def _state(self, statement: str, block: _Place) -> Iterator[Rule]:
        """Name layers in their order; yield the rules of an import whose address holds them."""
        name, condition = css.at_rule(statement)
        if name == "layer":
            for each in condition.split(","):
                self._name_layer(each.strip(), block.layer)
        elif (
            name == "import"
            and "data:" in css.unescaped(condition)
            and self._imports < css.MAX_NESTING
        ):
            self._imports += 1
            match = css.IMPORT.match(css.unescaped(condition))
            if match and css.media_apply(match[2]):
                yield from self.rules(sheet_in(match[1])[:MAX_CSS_CHARS], block)

    def _open(self, prelude: str, around: _Place) -> _Place | None:
        """Return what holds inside the braces after a prelude; None if nothing there applies."""
        if not prelude.startswith("@"):
            selectors = self._applicable(prelude, around)
            return around._replace(selectors=selectors) if selectors else None
        name, condition = css.at_rule(prelude)
        if name == "layer":
            return around._replace(layer=self._name_layer(condition, around.layer))
        if name == "scope":
            match = css.SCOPE.fullmatch(condition)
            return around._replace(scope=(match[1] or "", match[2] or "")) if match else None
        if name == "supports":
            test = partial(css.is_supported, self._reading)
            return around if css.holds(condition.lower(), test) else None
        if name == "container":  # taken to be as wide as the screen
            condition = condition[max(condition.find("("), 0) :].lower()
            return around if css.holds(condition, css.is_so_on_screen) else None
        return around if name == "media" and css.media_apply(condition) else None

    def _name_layer(self, name: str, around: str) -> str:
        """Return the full name of a layer; one that is new comes after all others."""
        path = around
        for step in (name or f"\0{len(self._layers)}").split("."):
            upper = self._layers[path][:-1]
            path = f"{path}.{step}" if path else step
            self._layers.setdefault(path, (*upper, float(len(self._layers)), float("inf")))
        return path

    def _applicable(self, prelude: str, around: _Place) -> tuple[str, ...]:
        """Return the selectors of a rule that can match; none if one of them is invalid."""
        if around.selectors is None and _PLAIN.match(prelude):
            names = self._names
            return tuple(
                selector.strip()
                for selector in prelude.split(",")
                if names.issuperset(_CLASS_OR_ID.findall(selector.lower()))
            )
        selectors = [selector.strip() for selector in css.parts(prelude, ",")]
        if ":" in prelude and not all(map(css.is_valid, selectors)):
            return ()
        if around.selectors is not None or "&" in prelude:
            parents = around.selectors or (around.scope[0] or ":root",)
            selectors = [css.nested(selector, parents) for selector in selectors]
        return tuple(filter(self._can_match, selectors))

    def _can_match(self, selector: str) -> bool:
        """Return whether a selector names only what the page has, and no part of an element."""
        names = css.names_needed(selector) if selector else None
        return names is not None and self._names.issuperset(names)
