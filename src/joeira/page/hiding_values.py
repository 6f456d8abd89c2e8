"""Declarations that may hide text: which values of which properties can, whatever else is said."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache, partial
from typing import Final

from joeira.page import css_values as values
from joeira.page.css import EM, PENDING, Declared, Reading, measure
from joeira.page.css_values import colour
from joeira.page.painting import HEIGHT, INDENT_PX, TRANSFORMS, WIDTH, may_transform_away

FAINT: Final = 0.05
"""Opacity up to which nobody sees a text: its colour hardly differs from the ground."""
GROUNDS: Final = {"background-color", "background-image"}
TEXT_COLOURS: Final = {"color", "-webkit-text-fill-color"}
PLACES: Final = ("left", "top", "margin-left", "margin-top", "text-indent", "right", "bottom")
SMALL: Final = ("width", "height", "max-width", "max-height")
_SHAPES: Final = ("inset(", "circle(", "ellipse(", "polygon(", "path(", "rect(", "xywh(", "shape(")


class Values(IntEnum):
    """Which values of a property are of interest, as a kernel expects them."""

    ANY = 0
    WORD = 1
    """What is or may be ``none``, ``hidden`` or ``collapse``."""
    PLACE = 2
    """What may be further away than `may_hide` allows."""
    SIZE = 3
    FONT_SIZE = 4
    """What may be smaller than it allows."""
    LINE_HEIGHT = 5
    """What may be zero."""
    FUNCTION = 6
    """What is none of the words that change nothing."""
    UNKNOWN = 7
    """What is no word."""


@lru_cache(maxsize=8192)
def may_hide(name: str, value: str) -> bool:
    """Return whether a value can hide text, whatever else is said."""
    if PENDING in value:
        return name not in ("color", "background-color", "background-image")
    if name in ("display", "visibility", "content-visibility"):
        return value in ("none", "hidden", "collapse")
    if name in ("opacity", "filter", "mask-image"):
        words = {"filter": "opacity(", "mask-image": "gradient("}
        # Not only what is gone by itself: one faint thing in another is.
        return words[name] in value if name in words else (measure(value, whole=1) or 0) < 0.5
    if name == "font-size":
        return (measure(value, whole=EM) or EM) < 4 or "(" in value or value[:1] == "0"
    if name in PLACES:
        amount = measure(value, whole=WIDTH)
        return amount is not None and (amount < -INDENT_PX or amount >= HEIGHT)
    if name in SMALL:
        amount = measure(value, whole=100)
        return amount is not None and amount <= 1
    if name in ("clip", "clip-path"):
        return value.startswith(_SHAPES)
    return name in TRANSFORMS and may_transform_away(name, value)


@lru_cache(maxsize=8192)
def _hiding_group(name: str, value: str) -> str:
    return values.GROUP.get(name, "") if may_hide(name, value) else ""


def groups_that_hide_elements(declared: Declared) -> set[str]:
    """Return the groups of properties by which declarations may hide whole elements."""
    groups = {_hiding_group(name, value) for name, (_, value) in declared.items()}
    groups.discard("")
    has_overflow = "overflow-x" in declared or "overflow-y" in declared
    if has_overflow and declared.get("line-height", (False, ""))[1] == "0":
        groups.add("box")
    return groups


def _groups_that_hide(declared: Declared, is_alone: bool) -> set[str]:
    """Return the groups of properties by which declarations may hide text.

    Beside sheets that are not read, only what sets colour and ground alike is judged.
    """
    groups = groups_that_hide_elements(declared)
    texts = [declared[name][1] for name in TEXT_COLOURS & declared.keys()]
    grounds = [declared[name][1] for name in GROUNDS & declared.keys()]
    if is_alone:
        return groups | {"colour"} if texts or grounds else groups
    if any(_is_unseen_on(text, grounds) for text in texts):
        groups.add("colour")
    return groups


def _is_unseen_on(text: str, grounds: list[str]) -> bool:
    """Return whether text of some colour may not be seen on one of some grounds."""
    if PENDING in text or any(PENDING in ground for ground in grounds):
        return bool(grounds)
    front = colour(text)
    if front is None or front[3] <= FAINT:
        return front is not None
    backs = [colour(ground) for ground in grounds]
    return any(back is not None and back[3] > 0 and values.is_same(front, back) for back in backs)


def _make_reading(is_alone: bool) -> Reading:
    spreading = frozenset(("visibility", "font", "colour") if is_alone else ("visibility", "font"))
    hides = partial(_groups_that_hide, is_alone=is_alone)
    return Reading(values.longhands, values.SETS, hides, values.GROUP, spreading)


READING: Final = _make_reading(is_alone=False)
READING_ALONE: Final = _make_reading(is_alone=True)
