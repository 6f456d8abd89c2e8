"""The page's own style sheets, read as CSS: rules, the cascade, and what each row is styled as.

There is no layout engine, and linked sheets are never loaded, but for those whose address holds
them (``data:``). What is read obeys the cascade on a screen 1280 pixels wide: the conditions of
at-rules, layers, scopes, nesting, importance, specificity, order; the ``style`` attribute stands
above the sheets, attributes such as ``bgcolor`` below them. Selectors are matched by the parser.
Only rules that can decide whether text is seen, or begins a line, and whose names the page has are
looked at. What values mean is the caller's to say, as a `Reading`. All work is bounded, and limits
speak: there is a note for each that was reached.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

MAX_SELECTOR_CHARS, MAX_COMBINATORS = 1000, 30
MAX_NESTING: Final = 20
MAX_VALUE_CHARS: Final = 1000

Declared = dict[str, tuple[bool, str]]
"""Properties with whether they are important, and their values."""
Pairs = tuple[tuple[str, str], ...]


class Reading(NamedTuple):
    """What values mean to whoever asks."""

    longhands: Callable[[str, str], Pairs]
    """The properties that a declaration sets, shorthands resolved; none if it is invalid."""
    shorthands: Mapping[str, tuple[str, ...]]
    """The properties that each property sets: itself, or those that it is short for."""
    hides: Callable[[Declared], set[str]]
    """The groups of properties by which declarations may hide text."""
    group: Mapping[str, str]
    """The group of properties that work together to which each belongs."""
    spreading: frozenset[str]
    """Groups whose values descendants have, too, until one of their own says otherwise."""


# Declarations -------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?"
    r"|\((?<=[uU][rR][lL]\()\s*+(?![\"'])(?:[^)\\]|\\.)*+\)?|\\[^0-9a-fA-F\n]",
    re.DOTALL,
)
_NUMBERS: Final = {ord(mark): f"\\{ord(mark):x} " for mark in "{}();:,!@&<>+~*#.=|/[]\\"}
COMMENT: Final = "/**/"
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORTANT: Final = re.compile(r"!\s*important\s*\Z")
_HELD: Final = re.compile(r"[(\[][^()\[\];]*;")  # a mark in brackets
PENDING: Final = "\1"  # between a shorthand and a value that is known only with its variables


def plain(css: str) -> str:
    """Return CSS in which every brace, semicolon and the like has its meaning.

    In strings and after a backslash they are written by number. Comments are empty ones.
    """
    if "(" in css or "/*" in css or '"' in css or "'" in css or "\\" in css:
        return _TOKEN.sub(_plain_token, css)
    return css


def _plain_token(match: re.Match[str]) -> str:
    token = match[0]
    quote = token[0]
    if quote == "/":
        return COMMENT
    if quote == "\\":
        return _by_number(token[1])
    if quote == "(":  # no address is of interest but one that holds a style sheet
        address = token[1:].strip(") ") if "data:text/css" in token[:30].lower() else ""
        return f"({_by_number(address)})"
    inner = token[1:-1] if len(token) > 1 and token[-1] == quote else token[1:]
    return f"{quote}{_by_number(unescaped(inner))}{quote}"


def _by_number(text: str) -> str:
    return text.translate(_NUMBERS)


def unescaped(css: str) -> str:
    r"""Return CSS with its escapes resolved: ``n\6fne`` is ``none``."""
    if "\\" not in css:
        return css
    return _ESCAPE.sub(lambda match: _character(match[1]) if match[1] else match[2], css)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def parts(text: str, mark: str) -> list[str]:
    """Return what stands between marks, those in brackets not counted."""
    pieces = text.split(mark)
    if len(pieces) == 1 or ("(" not in text and "[" not in text):
        return pieces
    joined: list[list[str]] = []
    depth = 0
    for piece in pieces:
        if depth > 0:
            joined[-1].append(piece)
        else:
            depth = 0
            joined.append([piece])
        depth += piece.count("(") + piece.count("[") - piece.count(")") - piece.count("]")
    return [mark.join(each) for each in joined]


def declarations(style: str, reading: Reading, variables: bool = True) -> Declared:
    """Return the valid declarations of a plain style that matter, the last of each property.

    With or without `variables`, of which some style sheets have hundreds that nothing refers to.
    """
    declared: Declared = {}
    known = reading.shorthands
    style = style.replace(COMMENT, " ").lower()
    for part in parts(style, ";") if _HELD.search(style) else style.split(";"):
        name, _, value = part.partition(":")
        name = name.strip()
        if name not in known:
            if "\\" in name:
                name = unescaped(name).strip().lower()
            if name not in known and not (variables and name.startswith("--")):
                continue
        if len(value) > MAX_VALUE_CHARS:
            continue
        value = unescaped(value).strip().lower() if "\\" in value else value.strip()
        mark = _IMPORTANT.search(value) if "!" in value else None
        value = value[: mark.start()].strip() if mark else value
        if name.startswith("--"):
            pairs: Pairs = ((name, value),)
        elif "var(" in value:
            pairs = tuple((each, f"{name}{PENDING}{value}") for each in known[name])
        else:
            pairs = reading.longhands(name, value)
        for longhand, said in pairs:
            if mark or longhand not in declared or not declared[longhand][0]:
                declared[longhand] = (mark is not None, said)
    return declared


# Amounts ------------------------------------------------------------------------------------------

EM: Final = 16.0
_UNITS: Final = {
    "": 1, "px": 1, "pt": 4 / 3, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "vw": 12.8, "vi": 12.8, "vmax": 12.8, "vh": 7.2, "vb": 7.2, "vmin": 7.2, "svh": 7.2, "lvh": 7.2,
    "dvh": 7.2, "svw": 12.8, "lvw": 12.8, "dvw": 12.8, "cqw": 12.8, "cqi": 12.8, "dppx": 1,
    "dpi": 1 / 96, "dpcm": 1 / 37.8, "rem": EM, "deg": 1, "grad": 0.9, "turn": 360, "rad": 57.29578,
    "rlh": 1.2 * EM,
}  # fmt: skip
FONT_UNITS: Final = {"em": 1, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1, "lh": 1.2}
_NUMBER: Final = r"(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d++)?"
DIMENSION: Final = re.compile(rf"([+-]?{_NUMBER})([a-z]*|%)")
_MATH: Final = re.compile(rf"\s+|({_NUMBER}(?:[a-z]+|%)?|[a-z]*\(|[-+*/,)]|pi)|.", re.DOTALL)
_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "(": float, "calc(": float, "min(": min, "max(": max, "abs(": abs, "hypot(": math.hypot,
    "clamp(": lambda least, value, most: max(least, min(value, most)),
    "sign(": lambda value: (value > 0) - (value < 0),
}  # fmt: skip


def measure(value: str, em: float = EM, whole: float = 0.0) -> float | None:
    """Return an amount in pixels, degrees or as such; None if it is none.

    Args:
        value: A number with or without unit, or a calculation.
        em: The size of the font.
        whole: What 100 % are.
    """
    match = DIMENSION.fullmatch(value)
    if match:
        scale = _scale(match[2], em, whole)
        return None if scale is None else float(match[1]) * scale
    is_long = len(value) > MAX_VALUE_CHARS or value.count("(") > MAX_NESTING
    if is_long or not value.endswith(")"):
        return None
    tokens = [token for token in _MATH.findall(value)[::-1] if token]
    try:
        amount = _sum(tokens, em, whole)
    except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return None if tokens else amount


def _scale(unit: str, em: float, whole: float) -> float | None:
    if unit == "%":
        return whole / 100
    return FONT_UNITS[unit] * em if unit in FONT_UNITS else _UNITS.get(unit)


def _sum(tokens: list[str], em: float, whole: float) -> float:
    total = _product(tokens, em, whole)
    while tokens and tokens[-1] in "+-":
        sign = 1 if tokens.pop() == "+" else -1
        total += sign * _product(tokens, em, whole)
    return total


def _product(tokens: list[str], em: float, whole: float) -> float:
    total = _factor(tokens, em, whole)
    while tokens and tokens[-1] in "*/":
        if tokens.pop() == "*":
            total *= _factor(tokens, em, whole)
        else:
            total /= _factor(tokens, em, whole)
    return total


def _factor(tokens: list[str], em: float, whole: float) -> float:
    sign = 1
    while (token := tokens.pop()) in ("+", "-"):
        sign = sign if token == "+" else -sign
    if token.endswith("("):
        amounts = [_sum(tokens, em, whole)]
        while (mark := tokens.pop()) == ",":
            amounts.append(_sum(tokens, em, whole))
        if mark != ")":
            raise ValueError
        return sign * _FUNCTIONS[token](*amounts)
    match = DIMENSION.fullmatch(token)
    scale = _scale(match[2], em, whole) if match else None
    if match is None or scale is None:
        raise ValueError
    return sign * float(match[1]) * scale


# Conditions ---------------------------------------------------------------------------------------

_SCREEN: Final = {
    "width": 1280, "height": 720, "device-width": 1280, "device-height": 720, "inline-size": 1280,
    "block-size": 720, "aspect-ratio": 16 / 9, "device-aspect-ratio": 16 / 9, "resolution": 1,
    "-webkit-device-pixel-ratio": 1, "color": 8, "color-index": 0, "monochrome": 0, "grid": 0,
}  # fmt: skip
_READER: Final = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "prefers-color-scheme": "light", "scripting": "enabled",
    "prefers-reduced-motion": "no-preference", "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference", "prefers-reduced-data": "no-preference",
    "update": "fast", "display-mode": "browser", "forced-colors": "none", "color-gamut": "srgb",
    "inverted-colors": "none", "overflow-block": "scroll", "overflow-inline": "scroll",
    "dynamic-range": "standard", "video-dynamic-range": "standard", "transform-3d": "1",
}  # fmt: skip
_COMPARED: Final = re.compile(r"(?<!\s)\s*+(<=|>=|<|>|=|:)\s*")
_JOINED: Final = re.compile(r"\)\s*(and|or)\s*(?=not\b|\(|\w+\()")
_QUERY: Final = re.compile(r"(only\s+|not\s+)?([a-z-]+)(?:\s+and\s+(.*))?", re.DOTALL)
_UNSUPPORTED: Final = re.compile(
    r"-(?!webkit-)|\s*$|behavior|filter\s*:\s*progid|(?:x|foo|bogus)\b"
)


@lru_cache(maxsize=256)
def media_apply(queries: str) -> bool:
    """Return whether a list of media queries is true of the screen."""
    return any(map(_media_applies, parts(queries.lower(), ","))) if queries.strip() else True


def _media_applies(query: str) -> bool:
    match = _QUERY.fullmatch(query.strip())
    if match is None:
        return holds(query, is_so_on_screen) is True
    applies = match[2] in ("all", "screen") and (
        not match[3] or holds(match[3], is_so_on_screen) is True
    )
    return applies != ((match[1] or "").strip() == "not")


def holds(condition: str, test: Callable[[str], bool | None], depth: int = 0) -> bool | None:
    """Return whether a condition holds; None where that is not known, whatever stands before."""
    condition = _JOINED.sub(r") \1 ", condition.strip())
    if depth > MAX_NESTING:
        return None
    for word, quick in ((" and ", False), (" or ", True)):
        sides = parts(condition, word)
        if len(sides) > 1:
            truths = [holds(side, test, depth + 1) for side in sides]
            return quick if quick in truths else None if None in truths else not quick
    if condition.startswith("not"):
        truth = holds(condition[3:], test, depth + 1)
        return None if truth is None else not truth
    if condition.startswith("(") and condition.endswith(")"):
        inner = condition[1:-1].strip()
        is_group = inner.startswith(("(", "not ", "not(", "selector(", "style("))
        return holds(inner, test, depth + 1) if is_group else test(inner)
    return test(condition) if "(" in condition else None


def is_so_on_screen(feature: str) -> bool | None:
    """Return whether a feature of the screen is as said."""
    sides = _COMPARED.split(feature.strip())
    name = sides[0]
    if len(sides) == 1:
        return bool(_SCREEN[name]) if name in _SCREEN else _READER.get(name, "none") != "none"
    if sides[1] == ":":
        if name in _READER:
            return _READER[name] == sides[2]
        least, most = name.startswith(("min-", "-webkit-min-")), "max-" in name[:12]
        name = re.sub(r"^(-webkit-)?(?:min|max)-", r"\1", name)
        sides = [name, ">=" if least else "<=" if most else "=", *sides[2:]]
    amounts = [_SCREEN[side] if side in _SCREEN else _ratio(side) for side in sides[::2]]
    if None in amounts:
        return None
    pairs = zip(amounts, sides[1::2], amounts[1:], strict=False)
    return all(_compare(one or 0, sign, other or 0) for one, sign, other in pairs)


def _compare(one: float, sign: str, other: float) -> bool:
    if abs(one - other) < 1e-6:
        return "=" in sign
    return one < other if sign[0] == "<" else sign[0] == ">"


def _ratio(text: str) -> float | None:
    above, slash, below = text.partition("/")
    amount, whole = measure(above.strip()), measure(below.strip()) if slash else 1.0
    return None if amount is None or not whole else amount / whole


def is_supported(reading: Reading, query: str) -> bool | None:
    """Return whether browsers know a declaration; of most only its look is judged."""
    if query.startswith(("selector(", "font-")):
        return "::-moz" not in query and is_valid(query[9:-1])
    name, _, value = (side.strip() for side in query.partition(":"))
    if name in reading.shorthands and "(" not in value:
        return bool(reading.longhands(name, value))
    return bool(value) and not _UNSUPPORTED.match(query)


# Selectors ----------------------------------------------------------------------------------------

NAMES: Final = re.compile(r"[.#:\[]?[\w-]+")  # the marks tell ids and states from tags
_NAME: Final = re.compile(r"[.#][\w-]+")
_NAME_WITH_MARKS: Final = re.compile(r"[.#](?:[\w-]|\\[0-9a-fA-F]{1,6}\s?)+")
_TYPE: Final = re.compile(r"(?:^|[\s>+~])[a-zA-Z][\w-]*")
_COMBINATORS: Final = re.compile(r"[\s>+~]+")


_BRACKETED: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_STATE: Final = re.compile(r":(?:hover|focus|active|target|visited)")
_OF_PARTS: Final = re.compile(r"::|:(?:before|after|first-l)")
_PSEUDO: Final = re.compile(r"(?<!\\):(:?)([\w-]+)")
_KNOWN: Final = frozenset(
    "active any-link autofill checked default defined dir disabled empty enabled first-child host "
    "first-of-type focus focus-visible focus-within fullscreen future has host-context hover is "
    "in-range indeterminate invalid lang last-child last-of-type link modal muted not nth-child "
    "nth-last-child nth-last-of-type nth-of-type only-child only-of-type open optional past paused "
    "out-of-range picture-in-picture placeholder-shown playing popover-open read-only read-write "
    "required root scope state target user-invalid user-valid valid visited where -webkit-any "
    "-webkit-any-link -webkit-autofill before after first-line first-letter marker selection part "
    "placeholder backdrop cue details-content file-selector-button grammar-error highlight slotted "
    "spelling-error target-text".split()
)
# The parser does not know these. No script has run, so no field is filled and nothing is open.
_NEVER: Final = re.compile(r":(?:placeholder-shown|indeterminate|popover-open|user-\w+|playing)\b")
_ALWAYS: Final = re.compile(r":(?:defined|paused)\b")
_FORGIVING: Final = re.compile(r":(?:is|where)\((?:[^()]|\([^()]*\))*+\)|\[[^\[\]]*\]")


def is_valid(selector: str) -> bool:
    """Return whether browsers know what follows the colons of a selector."""
    outer = _FORGIVING.sub("", selector) if "(" in selector or "[" in selector else selector
    return all(
        name.lower() in _KNOWN or (colons and name.lower().startswith("-webkit-"))
        for colons, name in _PSEUDO.findall(outer)
    )


def without_brackets(selector: str) -> str:
    """Return a selector without what is in brackets, unless it is in too many."""
    for _ in range(MAX_NESTING):
        if "(" not in selector and "[" not in selector:
            break
        selector = _BRACKETED.sub("", selector)
    return selector


def names_needed(selector: str) -> list[str] | None:
    """Return classes and ids without which nothing matches; None if nothing does in any case."""
    outer = without_brackets(selector)
    if ":" in outer and (_OF_PARTS.search(outer) or _STATE.search(outer)):
        return None
    if "\\" in outer:
        return [unescaped(name).lower() for name in _NAME_WITH_MARKS.findall(outer)]
    return _NAME.findall(outer.lower())


@lru_cache(maxsize=1024)
def specificity(selector: str) -> tuple[int, int, int]:
    """Return how many ids, classes and the like, and tags a selector names."""
    inner: list[tuple[int, int, int]] = []
    for _ in range(MAX_NESTING):
        start = selector.find("(")
        if start < 0:
            break
        stop = start + len(parts(selector[start + 1 :], ")")[0]) + 1
        head, _, name = selector[:start].rpartition(":")
        argument = selector[start + 1 : stop]
        if name in ("is", "not", "has", "-webkit-any"):
            inner.append(max(map(specificity, parts(argument, ","))))
        elif name != "where":  # :nth-child(2 of .x), :lang(en)
            others = map(specificity, parts(argument.partition(" of ")[2], ","))
            inner.extend(((0, 1, 0), max(others, default=(0, 0, 0))))
        selector = f"{head}{selector[stop + 1 :]}"
    bare = re.sub(r"\[[^\[\]]*\]", ".x", selector) if "[" in selector else selector
    ids, colons = bare.count("#"), len(_PSEUDO.findall(bare)) if ":" in bare else 0
    own = (ids, bare.count(".") + colons, len(_TYPE.findall(bare)))
    return tuple(map(sum, zip(own, *inner, strict=True)))  # type: ignore[return-value]  # of three


def is_hard(selector: str) -> bool:
    """Return whether matching a selector would take too long."""
    is_long = len(selector) > MAX_SELECTOR_CHARS
    return is_long or len(_COMBINATORS.findall(selector)) > MAX_COMBINATORS


def readable(selector: str) -> str:
    """Return a selector as the parser reads it, with states that it does not know."""
    if ":" not in selector:
        return selector
    selector = selector.replace(":-webkit-any(", ":is(").replace(":-webkit-any-link", ":any-link")
    selector = re.sub(r":open\b", ":is([open])", selector)
    return _ALWAYS.sub(":not(:hover)", _NEVER.sub(":hover", selector))
