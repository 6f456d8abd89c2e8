"""The page's own style sheets: rules that may hide text or begin a line, and colours they name.

There is no layout engine: linked sheets are never loaded, and rules that depend on the screen
(``@media`` with a condition), on the mouse or on pseudo-elements are not read. What is read obeys
the cascade: ``!important``, then specificity, then order, and the ``style`` attribute between the
two. All work is bounded: so much CSS, so many selectors, and of these only such whose names the
page has. Colours are read as far as needed to see text that has the colour of its background.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page

Colour = tuple[int, int, int, float]
"""Red, green and blue from 0 to 255, opacity from 0 to 1."""

NEAR: Final = 12
"""Channels that differ by no more than this are one colour to a reader."""

_NAMED: Final[dict[str, Colour]] = {
    "white": (255, 255, 255, 1),
    "snow": (255, 250, 250, 1),
    "ivory": (255, 255, 240, 1),
    "whitesmoke": (245, 245, 245, 1),
    "black": (0, 0, 0, 1),
    "red": (255, 0, 0, 1),
    "green": (0, 128, 0, 1),
    "blue": (0, 0, 255, 1),
    "yellow": (255, 255, 0, 1),
    "gray": (128, 128, 128, 1),
    "grey": (128, 128, 128, 1),
    "silver": (192, 192, 192, 1),
    "transparent": (0, 0, 0, 0),
}
_HEX: Final = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_CHANNELS: Final = re.compile(r"rgba?\(([^()]{5,60})\)")
_NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d{1,6})?%?|\.\d{1,6}")


def colour(value: str) -> Colour | None:
    """Return a colour; None when it is written in a way that is not read here."""
    value = value.strip()
    if value in _NAMED:
        return _NAMED[value]
    if match := _HEX.fullmatch(value):
        digits = match[1] if len(match[1]) > 4 else "".join(digit * 2 for digit in match[1])
        red, green, blue, *opacity = bytes.fromhex(digits)
        return red, green, blue, opacity[0] / 255 if opacity else 1.0
    match = _CHANNELS.fullmatch(value)
    numbers = _NUMBER.findall(match[1]) if match else []
    if len(numbers) not in (3, 4):
        return None
    red, green, blue = (round(_amount(number, 255)) for number in numbers[:3])
    return red, green, blue, _amount(numbers[3], 1) if len(numbers) == 4 else 1.0


def is_same(one: Colour, other: Colour) -> bool:
    """Return whether a reader could not tell text of one colour on a ground of the other."""
    near = all(abs(a - b) <= NEAR for a, b in zip(one[:3], other[:3], strict=True))
    return near and one[3] > 0 and other[3] > 0


def _amount(number: str, whole: float) -> float:
    return float(number[:-1]) / 100 * whole if number.endswith("%") else float(number)


MAX_CSS_CHARS: Final = 500_000
MAX_RULES: Final = 20_000
MAX_SELECTORS: Final = 150
"""Each is looked for in the whole document."""
MAX_SELECTOR_CHARS: Final = 200
MAX_NAMES: Final = 50
MAX_MATCHES: Final = 50_000
MAX_STYLE_CHARS: Final = 2000
"""Characters of a style attribute that are read: longer ones hold data, not layout."""

PROPERTIES: Final = frozenset(
    "display visibility content-visibility opacity filter font-size font color background "
    "background-color left right top bottom text-indent margin-left margin-top transform clip "
    "clip-path width height max-width max-height overflow overflow-x overflow-y position".split()
)
_MAY_HIDE: Final = re.compile(
    r"none|hidden|collapse|opacity|-\s*\d{3}|rect\(|inset\(|circle\(|scale|translate|transparent"
    r"|font(?:-size)?\s*:\s*[0.]|(?:width|height)\s*:\s*[0.]"
)
_BLOCK: Final = re.compile(r"(?:block|flex|grid|table|list-item|flow-root)\b")
_SHOWS_BLOCK: Final = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)")
_SUBJECT: Final = re.compile(r"(?<![^\s{},>+~])[^\s{},>+~]++(?=\s*[,{])")
_TAG_OR_CLASS: Final = re.compile(r"[.#:\[]?[\w-]+")  # the marks tell ids and states from tags
_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_COMMENT: Final = re.compile(r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|$)")
_STRING: Final = re.compile(r"""\"[^"\n]*\"|'[^'\n]*'""")
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_PLAIN_AT: Final = re.compile(r"@(?:layer\b|media\s+(?:screen|all)\s*$)", re.IGNORECASE)
_NAME: Final = re.compile(r"[.#][\w-]+")
_DYNAMIC: Final = re.compile(
    r"::|:(?:hover|focus|active|target|visited|link|has|before|after|first-l|checked|is|where|host)"
)
_BRACKETS: Final = re.compile(r"\[[^\]]*\]|:[\w-]+")
_WORD: Final = re.compile(r"(?:^|[\s>+~])[a-zA-Z][\w-]*")
_COMBINATORS: Final = re.compile(r"[\s>+~]+")
_MAX_COMBINATORS: Final = 6

Declared = dict[str, tuple[bool, str]]
"""Properties with whether they are important, and their values."""


class Rule(NamedTuple):
    """One selector with what it declares; a later rule of equal weight wins."""

    selector: str
    specificity: tuple[int, int, int]
    order: int
    declared: Declared


def declarations(style: str) -> Declared:
    """Return the declarations of a style that matter for what is shown."""
    declared: Declared = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if colon and name in PROPERTIES:
            value, mark, _ = value.partition("!important")
            if mark or not declared.get(name, (False, ""))[0]:
                declared[name] = (bool(mark), value.strip())
    return declared


def styles(page: Page) -> dict[int, dict[str, str]]:
    """Return the winning declarations of each row that its style or a rule may hide."""
    own: dict[int, Declared] = {}
    shown: dict[int, str] = {}
    for row, (value,) in page.attributes.read("[style]", ("style",)):
        style = _COMMENT.sub("", (value or "")[:MAX_STYLE_CHARS]).lower()
        if "color" in style or "\\" in style or _MAY_HIDE.search(style):
            own[row] = declarations(unescaped(style))
        else:
            shown[row] = style
    rules_of = _ruled(page, own)
    return {
        row: _winners(rules, own[row] if row in own else declarations(shown.get(row, "")))
        for row, rules in rules_of.items()
    }


def blocks(page: Page, elements: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return which of some elements the page's own styles show as blocks.

    On most pages there is no such rule for any of their classes or names of the page's own, which
    is seen without reading style sheets as such.
    """
    _, examples = np.unique(page.tag.take(elements), return_index=True)
    kinds = {page.tag_name(row) for row in elements.take(examples).tolist()}
    plain = sorted(filter(_PLAIN_NAME.fullmatch, kinds))[:MAX_NAMES]
    selector = ",".join(f"{name}[style*=display i]" for name in plain)
    own: dict[int, Declared] = {}
    for row, (value,) in page.attributes.read(selector, ("style",)) if plain else ():
        own[row] = declarations(unescaped((value or "")[:MAX_STYLE_CHARS]))
    rules_of: dict[int, list[Rule]] = {row: [] for row in own}
    matches = 0
    for rule in _block_rules(page, elements, kinds.difference(tags.NUMBER)):
        rows = page.attributes.matching(rule.selector)
        matches += len(rows)
        if matches > MAX_MATCHES:
            break
        for row in rows:
            rules_of.setdefault(row, []).append(rule)
    styles = ((row, _winners(rules, own.get(row, {}))) for row, rules in rules_of.items())
    shown = [row for row, style in styles if _BLOCK.match(style.get("display", ""))]
    return np.intersect1d(np.array(shown, np.int32), elements)


def _block_rules(page: Page, elements: NDArray[np.integer[Any]], foreign: set[str]) -> list[Rule]:
    """Return the rules about display of what elements are called, if one makes blocks of them."""
    numbers, values = page.classes
    words = " ".join([values[number] for number in set(numbers[elements].tolist())]).split()
    asked = foreign.union(map(".{}".format, words))
    css = "\n".join(page.attributes.inner_texts("style"))[:MAX_CSS_CHARS] if asked else ""
    if asked.isdisjoint(_names_of_blocks(css)):
        return []
    rules = islice(_rules(_css(page), _names(page), "display"), MAX_RULES)
    about = (rule for rule in rules if "display" in rule.declared)
    named = (rule for rule in about if not asked.isdisjoint(_TAG_OR_CLASS.findall(rule.selector)))
    return list(islice(named, MAX_SELECTORS))


def _names_of_blocks(css: str) -> set[str]:
    """Return the tags and classes of what rules show as blocks, without reading other rules."""
    selectors = []
    read = 0  # no part is looked through twice
    for match in _SHOWS_BLOCK.finditer(css):
        brace = css.rfind("{", read, match.start())
        if brace >= 0:
            selectors.append(css[max(css.rfind("}", read, brace), read) : brace + 1])
        read = match.end()
    return set(_TAG_OR_CLASS.findall(" ".join(_SUBJECT.findall("".join(selectors)))))


def unescaped(css: str) -> str:
    r"""Return CSS with its escapes resolved: ``n\6fne`` is ``none``."""
    if "\\" not in css:
        return css
    return _ESCAPE.sub(lambda match: _character(match[1]) if match[1] else match[2], css)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _winners(rules: list[Rule], own: Declared) -> dict[str, str]:
    """Return the value of each property that the cascade chooses."""
    weight: dict[str, tuple[bool, bool, tuple[int, int, int], int]] = {}
    values: dict[str, str] = {}
    said = [(False, rule.specificity, rule.order, rule.declared) for rule in rules]
    for inline, specificity, order, declared in [*said, (True, (0, 0, 0), 0, own)]:
        for name, (important, value) in declared.items():
            key = (important, inline, specificity, order)
            if name not in weight or key >= weight[name]:
                weight[name], values[name] = key, value
    return values


def _ruled(page: Page, own: Iterable[int]) -> dict[int, list[Rule]]:
    """Return the rules for each row that one of them, or its own style, may hide."""
    rules_of: dict[int, list[Rule]] = {row: [] for row in own}
    rules = list(islice(_rules(_css(page), _names(page)), MAX_RULES))
    hiding = [rule for rule in rules if _may_hide(rule.declared)][:MAX_SELECTORS]
    matches = 0
    for rule in hiding:
        rows = page.attributes.matching(rule.selector)
        matches += len(rows)
        if matches > MAX_MATCHES:
            break
        for row in rows:
            rules_of.setdefault(row, []).append(rule)
    for rule in _showing(rules, hiding)[:MAX_SELECTORS] if rules_of else ():
        for row in page.attributes.matching(rule.selector):
            if row in rules_of:
                rules_of[row].append(rule)
    return rules_of


def _showing(rules: list[Rule], hiding: list[Rule]) -> list[Rule]:
    """Return the other rules that set the same properties, and those stronger than any style."""
    done = {rule.order for rule in hiding}
    named = {name for rule in hiding for name in rule.declared}
    return [
        rule
        for rule in rules
        if rule.order not in done
        and any(name in named or important for name, (important, _) in rule.declared.items())
    ]


def _may_hide(declared: Declared) -> bool:
    if "color" in declared and ("background" in declared or "background-color" in declared):
        return True
    values = ";".join(f"{name}:{value}" for name, (_, value) in declared.items())
    return _MAY_HIDE.search(values) is not None


def _css(page: Page) -> str:
    """Return the style sheets of the page that are meant for screens, one after the other."""
    sheets = []
    left = MAX_CSS_CHARS
    for row in page.rows_of("style").tolist():
        media = (page.attributes.get(row, "media") or "all").strip().lower()
        if media in ("all", "screen") and left > 0:
            sheets.append(page.attributes.inner_text(row)[:left])
            left -= len(sheets[-1])
    return _STRING.sub(_without_braces, _COMMENT.sub(" ", "\n".join(sheets)))


def _without_braces(string: re.Match[str]) -> str:
    return '""' if "{" in string[0] or "}" in string[0] else string[0]


def _rules(css: str, names: set[str], about: str = "") -> Iterator[Rule]:
    """Yield the rules that name only what the page has, with properties that matter.

    There is one for each selector. Most rules are for other pages of the site, so what they declare
    is not even read, nor is what does not have `about` in it.
    """
    order = 0
    skipped = 0
    prelude = ""
    inside = False
    # The parser lets no NUL through. A regular expression would take five times as long.
    for piece in css.replace("{", "\0{\0").replace("}", "\0}\0").split("\0"):
        if piece == "{":
            at_rule = prelude.startswith("@")
            if skipped or inside or (at_rule and not _PLAIN_AT.match(prelude)):
                skipped += 1
            elif not at_rule:
                inside = True
        elif piece == "}":
            if skipped:
                skipped -= 1
            else:
                inside = False
        elif inside and not skipped:
            if about not in piece:
                continue
            selectors = [each for each in prelude.split(",") if _is_applicable(each.strip(), names)]
            declared = declarations(unescaped(piece)) if selectors else {}
            for selector in selectors if declared else ():
                order += 1
                yield Rule(selector.strip(), _specificity(selector), order, declared)
        else:
            prelude = piece.rpartition(";")[2].strip()  # after @import, @charset


def _specificity(selector: str) -> tuple[int, int, int]:
    ids, classes = selector.count("#"), selector.count(".") + len(_BRACKETS.findall(selector))
    return ids, classes, len(_WORD.findall(selector))


def _names(page: Page) -> set[str]:
    """Return the classes and ids of a page as selectors have them."""
    classes = {f".{name}" for value in page.classes[1] for name in value.split()}
    return classes | {f"#{name.strip()}" for name in page.ids[1]}


def _is_applicable(selector: str, names: set[str]) -> bool:
    """Return whether a selector is plain enough and names only what the page has."""
    if not selector or len(selector) > MAX_SELECTOR_CHARS:
        return False
    is_plain = "\\" not in selector and "(" not in selector
    if is_plain and not names.issuperset(_NAME.findall(selector)):
        return False
    if _DYNAMIC.search(selector):
        return False
    return len(_COMBINATORS.findall(selector)) <= _MAX_COMBINATORS
