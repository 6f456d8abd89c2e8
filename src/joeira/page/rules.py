"""The rules of a page's own style sheets: those that may say something of what the page has.

Most rules are for other pages of the site, so what they declare is not even read. A kernel leaves
them out where it is certain that nothing would be made of them; all others come to the same end.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from joeira._native import native_available
from joeira.page import css, tags
from joeira.page.css import Declared, Reading

if native_available:
    from joeira._native import sheets as kernels
if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_CSS_CHARS: Final = 500_000
MAX_RULES: Final = 20_000
MAX_SELECTORS: Final = 200_000
_USUAL_CHARS: Final = 50
_TOO_LONG: Final = "*" * (css.MAX_SELECTOR_CHARS + 1)
_MIN_CHARS: Final = 1000
"""Shorter sheets are read sooner than the names of the page are put into tables."""

Layer = tuple[float, ...]
_UNLAYERED: Final[Layer] = (float("inf"),)
_PLAIN: Final = re.compile(r"[^:(\[\\&]*\Z")
_CLASS_OR_ID: Final = re.compile(r"[.#][\w-]+")
_SETS_VARIABLE: Final = re.compile(r"(?<![\w-])--[\w-]*\s*:")
_AT_RULE: Final = re.compile(r"@([\w-]+)(.*)", re.DOTALL)
_SCOPE: Final = re.compile(r"(?:\((.*?)\))?\s*(?:to\s*\((.*)\))?", re.DOTALL)
_IMPORT: Final = re.compile(
    r"(?:url\()?\s*[\"']?(data:.*?)(?:[\"']\s*\)?|\)|$)\s*(?:layer(?:\([^)]*\))?)?"
    r"\s*(?:supports\([^()]*(?:\([^()]*\))?\))?\s*([^;]*)",
    re.DOTALL | re.IGNORECASE,
)


def has_sheets(page: Page) -> bool:
    """Return whether a page may have style sheets of its own."""
    links = page.attributes.links
    return page.tag_counts[tags.NUMBER["style"]] > 0 or any(
        address.lstrip()[:5].lower() == "data:" for _, address in links
    )


def sheets(page: Page) -> Iterator[str]:
    """Yield the style sheets for screens that the page itself brings."""
    selector = "style"
    if any(address.lstrip()[:5].lower() == "data:" for _, address in page.attributes.links):
        selector = "style,link[rel~='stylesheet' i][href]"
    wanted = ("type", "media", "rel", "href", "disabled")
    for row, (kind, media, relation, address, disabled) in page.attributes.read(selector, wanted):
        if (kind or "text/css").strip().lower() != "text/css" or not css.media_apply(media or ""):
            continue
        if relation is None:
            yield page.attributes.inner_text(row)
            continue
        is_wanted = disabled is None and "alternate" not in relation.lower()
        if is_wanted and address and address[:5].lower() == "data:":
            yield sheet_in(address)


def sheet_in(address: str) -> str:
    """Return the style sheet that an address holds."""
    head, _, data = address.strip().partition(",")
    if not head.lower().startswith("data:text/css"):
        return ""
    try:
        data = unquote(data)
        return b64decode(data).decode("utf-8", "replace") if "base64" in head.lower() else data
    except ValueError:
        return ""


class Block:
    """The contents of the braces."""

    def __init__(self, text: str, reading: Reading) -> None:
        """Keep the text, of which most is never asked for."""
        self._reading = reading
        self.text = text.lower()

    @cached_property
    def declared(self) -> Declared:
        """The declarations that matter, without variables."""
        return css.declarations(self.text, self._reading, variables=False)

    @cached_property
    def hides(self) -> set[str]:
        """The groups of properties by which they may hide text."""
        return self._reading.hides(self.declared) if self.declared else set()

    @cached_property
    def _groups(self) -> set[str | None]:
        return {self._reading.group.get(name) for name in self.declared}

    def is_about(self, groups: frozenset[str]) -> bool:
        """Return whether they set a property of some groups."""
        return not self._groups.isdisjoint(groups)

    @property
    def matters(self) -> bool:
        """Whether they set anything."""
        if _SETS_VARIABLE.search(self.text) or self.declared:
            return True
        is_unusual = "\\" in self.text or css.COMMENT in self.text
        return is_unusual and bool(self.with_variables)

    @cached_property
    def with_variables(self) -> Declared:
        """The declarations that matter, and what variables stand for."""
        return css.declarations(self.text, self._reading)


class Rule(NamedTuple):
    """One selector with what it declares; a later rule of equal weight wins."""

    selector: str
    unscoped: str
    layer: Layer
    order: int
    block: Block


class Place(NamedTuple):
    """What holds for what is inside a pair of braces."""

    selectors: Selectors | None = None
    """Those of the rule around; None outside of rules."""
    layer: int = 0
    scope: tuple[str, str] = ("", "")
    """Within what selectors match, and where that ends."""


class Selectors:
    """The selectors of a rule as written; few are ever combined with those of the rules around."""

    def __init__(self, own: tuple[str, ...], around: Place | None) -> None:
        """Keep them, and what holds around the rule unless they say all by themselves."""
        self.own = own
        self.around = around
        self.parent: str | None = None
        """What ``&`` stands for inside the rule, once somebody has asked."""


class Wanted(NamedTuple):
    """Which rules a reader is to look for."""

    about: str = ""
    """A word that is in what they declare."""
    endings: tuple[str, ...] = ()
    """What a selector ends with, but for states, if there are any."""
    asked: frozenset[str] = frozenset()
    """Names of which a selector has at least one, if there are any."""
    is_of_few: bool = False
    """Whether the names are those of a few elements and their ancestors, not of the whole page."""
    kinds: Mapping[str, int] = MappingProxyType({})
    """Which values (`joeira.page.hiding_values.Values`) of which properties or variables a rule
    sets, or others; any of all that matter if nothing is said."""


_ANYTHING: Final = Wanted()


class Reader:
    """Reads the rules of style sheets that name only what a page has, one for each selector."""

    def __init__(self, names: frozenset[str], reading: Reading, wanted: Wanted = _ANYTHING) -> None:
        """Keep the names of a page: its classes and ids."""
        self.notes: set[str] = set()
        self._reading = reading
        self._wanted = wanted
        self._names = names
        self._order = 0
        self._imports = 0
        self._selectors = 0
        self._layers = [_UNLAYERED]
        self._layers_in: dict[tuple[int, str], int] = {}

    def read(self, page: Page) -> list[Rule]:
        """Return the rules of all sheets of the page, up to the limits."""
        return self.read_text("\n".join(sheets(page)))

    def read_text(self, text: str) -> list[Rule]:
        """Return the rules of a style sheet, up to the limits."""
        if len(text) > MAX_CSS_CHARS:
            self.notes.add(f"style sheets cut at {MAX_CSS_CHARS} characters")
        rules = list(islice(self.rules(text[:MAX_CSS_CHARS], Place()), MAX_RULES + 1))
        if len(rules) > MAX_RULES:
            self.notes.add(f"only the first {MAX_RULES} rules of the style sheets were read")
        return rules[:MAX_RULES]

    def rules(self, text: str, block: Place) -> Iterator[Rule]:
        """Yield the rules of a style sheet."""
        stack = [block]
        skipped = depth = 0
        held: list[str] = []
        for piece in css.plain(self.sift(text)).split("}"):
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

    def sift(self, text: str) -> str:
        """Return a style sheet without rules that do not matter; some may be left."""
        if not native_available or len(text) < _MIN_CHARS:
            return text
        kinds = self._wanted.kinds
        known = kinds or dict.fromkeys(self._reading.shorthands, 0)
        return kernels.Sieve(self._names, known, self._wanted[:4], not kinds)(text)

    def _is_beside(self, prelude: str, declarations: str) -> bool:
        """Return whether a whole rule does not have `about` in what it declares."""
        return self._wanted.about not in declarations and "@" not in prelude and ";" not in prelude

    def _declare(self, text: str, block: Place) -> Iterator[Rule]:
        """Yield what declarations say for each selector; outside of rules there are statements."""
        if block.selectors is None:
            for statement in text.split(";") if "@" in text else ():
                yield from self._state(statement.replace(css.COMMENT, "").strip(), block)
        elif text and self._wanted.about in text:
            is_alone = block.selectors.around is None and not block.scope[0]
            if not is_alone and not Block(text, self._reading).matters:
                return  # so that nobody puts selectors together for it
            selectors = self._asked(block)
            inner = Block(text, self._reading) if selectors else None
            if inner is None or not inner.matters:
                return
            for scoped, selector in selectors:
                self._order += 1
                yield Rule(scoped, selector, self._layers[block.layer], self._order, inner)

    def _asked(self, block: Place) -> list[tuple[str, str]]:
        """Return the selectors that are asked about, as they match in their scope and as such."""
        said, scope, asked = block.selectors, block.scope, self._wanted.asked
        if said is None:
            return []
        selectors = self._whole(
            tuple(each for each in said.own if self._may_end(each.lower())), said.around
        )
        if scope[0] and self._are_too_many(len(selectors), "".join(scope)):
            return []
        scoped = [_scoped(each, scope) for each in selectors] if scope[0] else selectors
        pairs = zip(scoped, selectors, strict=True)
        if not asked:
            return list(pairs)
        return [pair for pair in pairs if not asked.isdisjoint(css.NAMES.findall(pair[0]))]

    def _may_end(self, selector: str) -> bool:
        """Return whether what a selector in lower case ends with may be asked about."""
        return True

    def _whole(self, own: tuple[str, ...], around: Place | None) -> tuple[str, ...]:
        """Return selectors of a rule as they would be written outside of all others."""
        if around is None:
            return own
        parent = self._parent(around)
        if not parent or self._are_too_many(len(own), parent):
            return ()
        return tuple(filter(self._can_match, [_nested(each, parent) for each in own]))

    def _parent(self, around: Place) -> str:
        """Return what ``&`` stands for; nothing where no selector around it can match."""
        said = around.selectors
        if said is None:
            return _parent_of((around.scope[0] or ":root",))
        if said.parent is None:
            whole = self._whole(said.own, said.around)
            said.parent = _parent_of(whole) if whole else ""
        return said.parent

    def _are_too_many(self, selectors: int, around: str = "") -> bool:
        """Return whether so many more are too many: what they are in makes them many and long."""
        self._selectors += selectors * (1 + len(around) // _USUAL_CHARS)
        if self._selectors > MAX_SELECTORS:
            self.notes.add(f"only {MAX_SELECTORS} selectors of the style sheets were read")
        return self._selectors > MAX_SELECTORS

    def _state(self, statement: str, block: Place) -> Iterator[Rule]:
        """Name layers in their order; yield the rules of an import whose address holds them."""
        name, condition = _at_rule(statement)
        if name == "layer":
            for each in condition.split(","):
                self._name_layer(each.strip(), block.layer)
        elif (
            name == "import"
            and "data:" in css.unescaped(condition)
            and self._imports < css.MAX_NESTING
        ):
            self._imports += 1
            match = _IMPORT.match(css.unescaped(condition))
            if match and css.media_apply(match[2]):
                yield from self.rules(sheet_in(match[1])[:MAX_CSS_CHARS], block)

    def _open(self, prelude: str, around: Place) -> Place | None:
        """Return what holds inside the braces after a prelude; None if nothing there applies."""
        if not prelude.startswith("@"):
            selectors = self._applicable(prelude, around)
            return around._replace(selectors=selectors) if selectors.own else None
        name, condition = _at_rule(prelude)
        if name == "layer":
            return around._replace(layer=self._name_layer(condition, around.layer))
        if name == "scope":
            match = _SCOPE.fullmatch(condition)
            return around._replace(scope=(match[1] or "", match[2] or "")) if match else None
        if name == "supports":
            test = partial(css.is_supported, self._reading)
            return around if css.holds(condition.lower(), test) else None
        if name == "container":  # taken to be as wide as the screen
            condition = condition[max(condition.find("("), 0) :].lower()
            return around if css.holds(condition, css.is_so_on_screen) else None
        return around if name == "media" and css.media_apply(condition) else None

    def _name_layer(self, name: str, around: int) -> int:
        """Return the number of a layer; one that is new comes after all others."""
        layer = around
        for step in (name or f"\0{len(self._layers)}").split(".", css.MAX_NESTING):
            outer = self._layers[layer][:-1]
            if len(outer) == css.MAX_NESTING:
                break  # whatever is deeper inside belongs to this one
            inner = self._layers_in.setdefault((layer, step), len(self._layers))
            if inner == len(self._layers):
                self._layers.append((*outer, float(inner), float("inf")))
            layer = inner
        return layer

    def _applicable(self, prelude: str, around: Place) -> Selectors:
        """Return the selectors of a rule that can match; none if one of them is invalid."""
        if around.selectors is None and _PLAIN.match(prelude):
            names = self._names
            plain = [
                selector.strip()
                for selector in prelude.split(",")
                if self._wanted.is_of_few
                or names.issuperset(_CLASS_OR_ID.findall(selector.lower()))
            ]
            return Selectors(tuple(plain), None)
        selectors = [selector.strip() for selector in css.parts(prelude, ",")]
        if ":" in prelude and not all(map(css.is_valid, selectors)):
            return Selectors((), None)
        is_nested = around.selectors is not None or "&" in prelude
        return Selectors(tuple(filter(self._can_match, selectors)), around if is_nested else None)

    def _can_match(self, selector: str) -> bool:
        """Return whether a selector names only what the page has, and no part of an element.

        One that matches nothing by itself matches nothing inside another rule either.
        """
        names = css.names_needed(selector) if selector else None
        if names is None or self._wanted.is_of_few:
            return names is not None  # what is nested may match a sibling of what this matches
        return self._names.issuperset(names)


def _parent_of(selectors: tuple[str, ...]) -> str:
    """Return the selectors of a rule as those of the rules inside it name them."""
    is_plain = len(selectors) == 1 and _CLASS_OR_ID.fullmatch(selectors[0])
    return selectors[0] if is_plain else _or_too_long(f":is({','.join(selectors)})")


def _nested(selector: str, parent: str) -> str:
    """Return a selector of a rule inside another as it would be written outside."""
    if "&" not in selector:
        return _or_too_long(f"{parent} {selector}")
    is_long = selector.count("&") * len(parent) > css.MAX_SELECTOR_CHARS
    return _TOO_LONG if is_long else selector.replace("&", parent)


def _scoped(selector: str, scope: tuple[str, str]) -> str:
    """Return a selector that matches in a scope only."""
    root, limit = scope
    if selector.count(":scope") * len(root) > css.MAX_SELECTOR_CHARS:
        return _TOO_LONG
    selector = re.sub(r":scope\b", lambda _: f":is({root})", selector)
    outside = f":not(:is({root}) :is({limit}),:is({root}) :is({limit}) *)" if limit else ""
    return f"{selector}:is({root},:is({root}) *){outside}"


def _or_too_long(selector: str) -> str:
    """Return a selector, or one for all that are too long, as what is inside is longer yet."""
    return selector if len(selector) <= css.MAX_SELECTOR_CHARS else _TOO_LONG


def _at_rule(text: str) -> tuple[str, str]:
    """Return the name of an at-rule and what stands behind it."""
    match = _AT_RULE.match(text)
    return (match[1].lower(), match[2].strip()) if match else ("", "")
