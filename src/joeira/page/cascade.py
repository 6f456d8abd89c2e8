"""The cascade: which declarations win for each row, on the few rows where that matters.

Rules that may hide text are matched first. The other rules that set the same properties, or such as
work together with them, follow; where descendants inherit a property, they are matched everywhere.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

import numpy as np

from joeira.page import css
from joeira.page.css import Declared, Reading

if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_CSS_CHARS: Final = 500_000
MAX_RULES: Final = 20_000
MAX_SELECTORS: Final = 150
"""So many selectors that hide are looked for in a document of any length ..."""
MAX_STEPS: Final = 500_000
"""... and more in a short one, as long as they times its rows are no more than this."""
MAX_MATCHES: Final = 50_000
MAX_STYLE_CHARS: Final = 2000
"""Characters of a style attribute that are read: longer ones hold data, not layout."""
MAX_VARIABLES: Final = 30
"""Variables that are looked up for one value."""


Layer = tuple[float, ...]
_UNLAYERED: Final[Layer] = (float("inf"),)
_HINT: Final[Layer] = (-1.0,)  # below every layer


class Rule(NamedTuple):
    """One selector with what it declares; a later rule of equal weight wins."""

    selector: str
    specificity: tuple[int, int, int]
    layer: Layer
    order: int
    declared: Declared


class Styles(NamedTuple):
    """The style of each row that declarations may hide, and a note for each limit reached."""

    of_row: dict[int, dict[str, str]]
    notes: tuple[str, ...]


_MAY_HIDE: Final = re.compile(
    r"none|hidden|collapse|clip|auto|scroll|opacity|-\s*[\d.]|\(|scale|translate|zoom|transparent"
    r"|:\s*\+?(?:0|1px|\.)|/|color|fill|mask|inset|background|left|right|top|\\"
)
_SUBJECT: Final = re.compile(r"[^\s>+~]*\Z")
_NAMES: Final = re.compile(r"[.#]?[\w-]+")
_VARIABLE: Final = re.compile(r"var\(\s*(--[\w-]+)")


def styles(
    page: Page, reading: Reading, hints: dict[int, Declared], asked: Iterable[int]
) -> Styles:
    """Return the style of each row that declarations may hide, and of those asked about.

    Args:
        page: The page.
        reading: What values mean.
        hints: What attributes such as bgcolor declare, per row.
        asked: Rows whose style is wanted in any case.
    """
    cascade = _Cascade(page, reading, hints)
    cascade.add_hidden(asked)
    cascade.add_others()
    return Styles(cascade.winners(), tuple(sorted(cascade.notes)))


class _Cascade:
    """What is said of the rows in play: those that something may hide."""

    def __init__(self, page: Page, reading: Reading, hints: dict[int, Declared]) -> None:
        self.page = page
        self.reading = reading
        self.hints = hints
        reader = Reader(page, reading)
        self.rules = reader.read(page)
        self.notes = reader.notes
        self.own: dict[int, Declared] = {}
        self.unread: dict[int, str] = {}
        for row, (value,) in page.attributes.read("[style]", ("style",)):
            style = value or ""
            if len(style) > MAX_STYLE_CHARS:
                self.notes.add(f"style attributes cut at {MAX_STYLE_CHARS} characters")
                style = style[:MAX_STYLE_CHARS]
            self.unread[row] = style
        for row in [row for row, style in self.unread.items() if _MAY_HIDE.search(style.lower())]:
            self._read(row)
        self.hides = [reading.hides(rule.declared) for rule in self.rules]
        self.groups: set[str] = set().union(*self.hides)
        self.of_row: dict[int, list[Rule]] = {}

    def _read(self, row: int) -> None:
        self.own[row] = css.declarations(css.plain(self.unread.pop(row)), self.reading)

    def _match(self, rules: list[Rule]) -> Iterator[tuple[Rule, list[int]]]:
        """Yield the rows that rules match, within bounds."""
        most = max(MAX_SELECTORS, MAX_STEPS // max(len(self.page), 1))
        if len(rules) > most:
            self.notes.add(f"only {most} selectors of the style sheets were looked for")
        left = MAX_MATCHES
        for rule in rules[:most]:
            if css.is_hard(rule.selector):
                self.notes.add("long selectors of the style sheets were not looked for")
                continue
            rows = self.page.attributes.matching(css.readable(rule.selector))
            left -= len(rows)
            if left < 0:
                self.notes.add(f"style sheets match over {MAX_MATCHES} times")
                return
            yield rule, rows

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
        hiding = [rule for rule, by in zip(self.rules, self.hides, strict=True) if by]
        for rule, rows in self._match(hiding):
            for row in rows:
                self.of_row.setdefault(row, []).append(rule)

    def add_others(self) -> None:
        """Add the other rules about the same properties, and rows that descend from such."""
        spreading = self.groups & self.reading.spreading
        for row in list(self.unread) if spreading else ():
            self._read(row)
        for row, declared in (*self.own.items(), *self.hints.items()) if spreading else ():
            if self._is_about(declared, spreading):
                self.of_row.setdefault(row, [])
        names = self._names_in_play()
        others = []
        for rule, by in zip(self.rules, self.hides, strict=True):
            if by or not self._is_about(rule.declared, self.groups):
                continue
            spreads = bool(spreading) and self._is_about(rule.declared, spreading)
            if spreads or not names.isdisjoint(_subject(rule.selector)):
                others.append(rule)
        for rule, rows in self._match(others):
            spreads = bool(spreading) and self._is_about(rule.declared, spreading)
            for row in rows:
                if row in self.of_row:
                    self.of_row[row].append(rule)
                elif spreads:
                    self.of_row[row] = [rule]

    def _is_about(self, declared: Declared, groups: Collection[str]) -> bool:
        group = self.reading.group
        return any(group.get(name) in groups for name in declared)

    def _names_in_play(self) -> set[str]:
        """Return the classes, ids and tags of the rows in play, in lower case, and ``*``."""
        page = self.page
        rows = np.fromiter(self.of_row, np.intp, len(self.of_row))
        numbers, classes = page.classes
        words = " ".join([classes[number] for number in np.unique(numbers[rows]).tolist()]).lower()
        names = {f".{word}" for word in words.split()}
        numbers, ids = page.ids
        names.update(f"#{ids[number].strip().lower()}" for number in np.unique(numbers[rows]))
        _, examples = np.unique(page.tag[rows], return_index=True)
        names.update(page.tag_name(row) for row in rows[examples].tolist())
        return names | {"*"}

    def winners(self) -> dict[int, dict[str, str]]:
        """Return the values that win on each row in play, in the order of the page."""
        for row in self.unread.keys() & self.of_row.keys():
            self._read(row)
        styles = {}
        for row in sorted(self.of_row):
            rules = self.of_row[row]
            if row in self.hints:
                rules = [Rule("", (0, 0, 0), _HINT, 0, self.hints[row]), *rules]
            styles[row] = winning(rules, self.own.get(row, {}))
        if any(css.PENDING in value for style in styles.values() for value in style.values()):
            variables = _Variables(self)
            styles = {row: variables.resolve(row, style) for row, style in styles.items()}
        return styles

    def values_of(self, names: set[str]) -> dict[int, dict[str, str]]:
        """Return the values of some custom properties on each row that a style gives one."""
        of_row: dict[int, list[Rule]] = {}
        about = [rule for rule in self.rules if not names.isdisjoint(rule.declared)]
        for rule, rows in self._match(about):
            for row in rows:
                of_row.setdefault(row, []).append(rule)
        for row in [row for row, style in self.unread.items() if "--" in style]:
            self._read(row)
        rows = of_row.keys() | {row for row, each in self.own.items() if not names.isdisjoint(each)}
        return {row: winning(of_row.get(row, []), self.own.get(row, {})) for row in rows}


def _subject(selector: str) -> set[str]:
    """Return the names of which an element that a selector matches has at least one."""
    last = _SUBJECT.search(selector)
    if last is None or ":is(" in last[0] or ":where(" in last[0] or ")" in last[0]:
        return {"*"}
    bare = last[0].partition("[")[0].partition(":")[0].lower()
    return set(_NAMES.findall(bare)) or {"*"}


def winning(rules: Iterable[Rule], own: Declared) -> dict[str, str]:
    """Return the value of each property that the cascade chooses."""
    weight: dict[str, Any] = {}
    values: dict[str, str] = {}
    for rule in rules:
        opposite = tuple(-step for step in rule.layer)
        for name, (important, value) in rule.declared.items():
            layer = opposite if important else rule.layer
            key = (important, False, layer, rule.specificity, rule.order)
            if name not in weight or key >= weight[name]:
                weight[name], values[name] = key, value
    for name, (important, value) in own.items():
        if important or name not in weight or not weight[name][0]:
            values[name] = value
    return values


class _Variables:
    """The values of custom properties, which descendants inherit."""

    def __init__(self, cascade: _Cascade) -> None:
        said = [rule.declared for rule in cascade.rules] + list(cascade.own.values())
        values = {name: value for each in said for name, (_, value) in each.items()}
        names = {name for value in values.values() for name in _VARIABLE.findall(value)}
        self._of_row = cascade.values_of(names)
        self._parent = cascade.page.parent
        self._reading = cascade.reading

    def resolve(self, row: int, style: dict[str, str]) -> dict[str, str]:
        """Return a style whose values have no variables: where one is missing, ``unset``."""
        return {
            name: self._value(row, name, value) if css.PENDING in value else value
            for name, value in style.items()
        }

    def _value(self, row: int, name: str, value: str) -> str:
        shorthand, _, value = value.partition(css.PENDING)
        for _ in range(MAX_VARIABLES):
            start = value.rfind("var(")
            if start < 0:
                pairs = dict(self._reading.longhands(shorthand, value.strip()))
                return pairs.get(name, "unset")
            inner = css.parts(value[start + 4 :], ")")[0]
            variable, comma, fallback = inner.partition(",")
            said = self._lookup(row, variable.strip())
            if said is None and not comma:
                return "unset"
            rest = value[start + 4 + len(inner) + 1 :]
            value = f"{value[:start]}{fallback if said is None else said}{rest}"
            if len(value) > css.MAX_VALUE_CHARS:
                break
        return "unset"

    def _lookup(self, row: int, name: str) -> str | None:
        while row >= 0:
            value = self._of_row.get(row, {}).get(name)
            if value is not None and value != "inherit":
                return None if value == "initial" else value
            row = int(self._parent[row])
        return None


# Rules --------------------------------------------------------------------------------------------


class _Block(NamedTuple):
    """What holds for what is inside a pair of braces."""

    selectors: tuple[str, ...] | None = None
    """What ``&`` stands for: the selectors of the rule around; None outside of rules."""
    layer: str = ""
    scope: tuple[str, str] = ("", "")
    """Within what selectors match, and where that ends."""


def sheets(page: Page) -> Iterator[str]:
    """Yield the style sheets for screens that the page itself brings."""
    selector = "style,link[rel~=stylesheet i][href^='data:' i]"
    wanted = ("type", "media", "rel", "href", "disabled")
    for row, (kind, media, relation, address, disabled) in page.attributes.read(selector, wanted):
        if (kind or "text/css").strip().lower() != "text/css" or not css.media_apply(media or ""):
            continue
        if relation is None:
            yield page.attributes.inner_text(row)
        elif disabled is None and "alternate" not in relation.lower():
            yield _sheet_in(address or "")


def _sheet_in(address: str) -> str:
    """Return the style sheet that an address holds."""
    head, _, data = address.strip().partition(",")
    if not head.lower().startswith("data:text/css"):
        return ""
    try:
        data = unquote(data)
        return b64decode(data).decode("utf-8", "replace") if "base64" in head.lower() else data
    except ValueError:
        return ""


class Reader:
    """Reads the rules of style sheets that name only what a page has, one for each selector.

    Most rules are for other pages of the site, so what they declare is not even read, nor is what
    does not have `about` in it.
    """

    def __init__(self, page: Page, reading: Reading, about: str = "") -> None:
        """Keep the names of a page."""
        self.notes: set[str] = set()
        self._reading = reading
        self._about = about
        self._names = {f".{name}" for name in page.class_text.split()}
        self._names.update(f"#{name.strip().lower()}" for name in page.ids[1])
        self._order = 0
        self._imports = 0
        self._layers: dict[str, Layer] = {"": _UNLAYERED}

    def read(self, page: Page) -> list[Rule]:
        """Return the rules of all sheets of the page, up to the limits."""
        text = "\n".join(sheets(page))
        if len(text) > MAX_CSS_CHARS:
            self.notes.add(f"style sheets cut at {MAX_CSS_CHARS} characters")
        rules = list(islice(self.rules(text[:MAX_CSS_CHARS], _Block()), MAX_RULES + 1))
        if len(rules) > MAX_RULES:
            self.notes.add(f"only the first {MAX_RULES} rules of the style sheets were read")
        return rules[:MAX_RULES]

    def rules(self, text: str, block: _Block) -> Iterator[Rule]:
        """Yield the rules of a style sheet."""
        stack = [block]
        skipped = depth = 0
        held: list[str] = []
        pending = ""
        # The parser lets no NUL through. A regular expression would take five times as long.
        pieces = css.plain(text).replace("{", "\0{\0").replace("}", "\0}\0").split("\0")
        for piece in chain(pieces, "}"):
            if "(" in piece or (depth and ")" in piece):
                depth = max(depth + piece.count("(") - piece.count(")"), 0)
            if depth:  # in round brackets braces mean nothing
                held.append(piece)
            elif held:
                pending = "".join((*held, piece))
                held.clear()
            elif piece == "{":
                before, _, prelude = pending.rpartition(";")
                pending = ""
                if skipped:
                    skipped += 1
                    continue
                yield from self._declare(before, stack[-1])
                inner = self._open(prelude.replace(css.COMMENT, "").strip(), stack[-1])
                if inner is None or len(stack) > css.MAX_NESTING:
                    skipped = 1
                else:
                    stack.append(inner)
            elif piece != "}":
                pending = piece
            elif skipped:
                skipped -= 1
                pending = ""
            else:
                yield from self._declare(pending, stack[-1])
                pending = ""
                if len(stack) > 1:
                    stack.pop()

    def _declare(self, text: str, block: _Block) -> Iterator[Rule]:
        """Yield what css.declarations say for each selector; outside of rules there are statements."""
        if block.selectors is None:
            for statement in text.split(";") if "@" in text else ():
                yield from self._state(statement.replace(css.COMMENT, "").strip(), block)
        elif text and self._about in text:
            declared = css.declarations(text, self._reading)
            for selector in block.selectors if declared else ():
                self._order += 1
                layer = self._layers[block.layer]
                scoped = css.scoped(selector, block.scope) if block.scope[0] else selector
                yield Rule(scoped, css.specificity(selector), layer, self._order, declared)

    def _state(self, statement: str, block: _Block) -> Iterator[Rule]:
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
                yield from self.rules(_sheet_in(match[1])[:MAX_CSS_CHARS], block)

    def _open(self, prelude: str, around: _Block) -> _Block | None:
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

    def _applicable(self, prelude: str, around: _Block) -> tuple[str, ...]:
        """Return the selectors of a rule that can match; none if one of them is invalid."""
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
