"""Values of CSS: amounts, colours, and which properties a declaration sets.

A declaration that is not valid counts for nothing, as in browsers: the one before it stands. Values
of functions that are not computed here are valid, and unknown.
"""

from __future__ import annotations

import colorsys
import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.page.css import EM, MAX_VALUE_CHARS, PENDING, Pairs, measure, parts

# Colours ------------------------------------------------------------------------------------------

Colour = tuple[float, float, float, float]
"""Red, green and blue from 0 to 255, opacity from 0 to 1."""
NEAR: Final = 12
"""Channels that differ by no more than this are one colour to a reader."""
WHITE: Final[Colour] = (255, 255, 255, 1)
BLACK: Final[Colour] = (0, 0, 0, 1)
LINK: Final[Colour] = (0, 0, 238, 1)

_NAMED: Final = (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc "
    "bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a "
    "burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 "
    "cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan "
    "008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki "
    "bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred "
    "8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f "
    "darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue "
    "00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 "
    "forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod "
    "daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink "
    "ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa "
    "lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 "
    "lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey "
    "d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa "
    "lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime "
    "00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa "
    "mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 "
    "mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred "
    "c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite "
    "ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered "
    "ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee "
    "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd "
    "powderblue b0e0e6 purple 800080 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown "
    "8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver "
    "c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa "
    "springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 "
    "turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 "
    "yellowgreen 9acd32 "
    "canvas ffffff canvastext 000000 buttonface efefef buttontext 000000 field ffffff fieldtext "
    "000000 linktext 0000ee window ffffff windowtext 000000 graytext 808080"
).split()
_HEX_OF: Final = dict(zip(_NAMED[::2], _NAMED[1::2], strict=True))
_HEX: Final = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION: Final = re.compile(
    r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|device-cmyk|contrast-color)"
    r"\((.*)\)"
)
_IN_FUNCTION: Final = re.compile(r"[\s,/]+")
_COLOUR_IN: Final = re.compile(r"#[0-9a-f]{3,8}|[a-z-]+\([^()]*\)|[a-z]+")


@lru_cache(maxsize=1024)
def colour(value: str) -> Colour | None:
    """Return a colour; None when it is unknown, or none."""
    if value == "transparent":
        return (0, 0, 0, 0)
    match = _HEX.fullmatch(f"#{_HEX_OF[value]}" if value in _HEX_OF else value)
    if match:
        digits = match[1] if len(match[1]) > 4 else "".join(digit * 2 for digit in match[1])
        channel = [float(each) for each in bytes.fromhex(digits)]
        return channel[0], channel[1], channel[2], channel[3] / 255 if len(channel) > 3 else 1.0
    function = _FUNCTION.fullmatch(value)
    if function is None:
        return None
    name, inner = function[1], function[2].strip()
    if name == "light-dark":
        return colour(parts(inner, ",")[0].strip())
    if name == "color" and inner.startswith(("srgb ", "display-p3 ")):
        name, inner = "srgb", inner.partition(" ")[2]
    pieces = _IN_FUNCTION.split(inner) if "(" not in inner else inner.replace("/", ",").split(",")
    wholes = _WHOLES.get(name.rstrip("a") if name != "rgba" else "rgb")
    if wholes is None or len(pieces) not in (3, 4):
        return None
    said = zip(pieces, (*wholes, 1.0), strict=False)
    amounts = [
        0.0 if piece == "none" else measure(piece.strip(), EM, whole) for piece, whole in said
    ]
    if None in amounts:
        return None
    one, two, three, opacity = (*(amount or 0.0 for amount in amounts), 1.0)[:4]
    channels = _channels(name, (one, two, three))
    if channels is None:
        return None
    red, green, blue = (min(max(each, 0.0), 255.0) for each in channels)
    return red, green, blue, min(max(opacity, 0.0), 1.0)


_WHOLES: Final = {
    "rgb": (255.0, 255.0, 255.0), "hsl": (360.0, 1.0, 1.0), "hwb": (360.0, 1.0, 1.0),
    "srgb": (1.0, 1.0, 1.0), "lab": (100.0, 125.0, 125.0), "lch": (100.0, 150.0, 360.0),
    "oklab": (1.0, 0.4, 0.4), "oklch": (1.0, 0.4, 360.0),
}  # fmt: skip


def _channels(name: str, amounts: tuple[float, float, float]) -> tuple[float, ...] | None:
    """Return red, green and blue; None of what is far from grey in a space of lightness."""
    one, two, three = amounts
    if name.startswith("rgb"):
        return amounts
    if name == "srgb":
        return tuple(255 * each for each in amounts)
    if name.startswith("hsl"):
        return tuple(255 * each for each in colorsys.hls_to_rgb(one / 360 % 1, three, two))
    if name == "hwb":
        pure = colorsys.hls_to_rgb(one / 360 % 1, 0.5, 1)
        white, black = two / max(two + three, 1), three / max(two + three, 1)
        return tuple(255 * (each * (1 - white - black) + white) for each in pure)
    is_ok, is_polar = name.startswith("ok"), name.endswith("lch")
    if abs(two) + (0 if is_polar else abs(three)) > (0.01 if is_ok else 3):
        return None
    light = one**3 if is_ok else ((one + 16) / 116) ** 3 if one > 8 else one / 903.3
    grey = 12.92 * light if light <= 0.0031308 else 1.055 * max(light, 0) ** (1 / 2.4) - 0.055
    return (255 * grey,) * 3


def is_colour(value: str) -> bool:
    """Return whether a value of a colour is valid."""
    return value == "currentcolor" or colour(value) is not None or _is_function(value)


def _is_function(value: str) -> bool:
    """Return whether a value is a colour that is not computed here."""
    match = _FUNCTION.fullmatch(value)
    return match is not None and match[1] not in ("rgb", "rgba", "hsl", "hsla", "hwb")


def colours_in(value: str) -> list[Colour | None]:
    """Return the colours of a gradient; None for what is unknown."""
    inner = value.partition("(")[2].rpartition(")")[0]
    words = (word for part in parts(inner, ",") for word in parts(part.strip(), " "))
    return [colour(word) for word in words if is_colour(word)]


def over(front: Colour, back: Colour) -> Colour:
    """Return the colour of something that lets another shine through."""
    share = front[3]
    red, green, blue = (
        share * a + (1 - share) * b for a, b in zip(front[:3], back[:3], strict=True)
    )
    return red, green, blue, 1.0


def is_same(text: Colour, ground: Colour) -> bool:
    """Return whether a reader could not tell text of one colour on a ground of the other."""
    seen = over(text, ground)
    return all(abs(a - b) <= NEAR for a, b in zip(seen[:3], ground[:3], strict=True))


# Properties ---------------------------------------------------------------------------------------

GLOBAL: Final = ("inherit", "initial", "unset", "revert", "revert-layer")
_DISPLAYS: Final = frozenset(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table contents "
    "list-item flow flow-root run-in table-row table-cell table-caption table-row-group ruby math "
    "table-header-group table-footer-group table-column table-column-group ruby-text ruby-base "
    "-webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex".split()
)
_WORDS: Final = {
    "visibility": "visible hidden collapse",
    "content-visibility": "visible hidden auto",
    "position": "static relative absolute fixed sticky -webkit-sticky",
    "float": "none left right inline-start inline-end",
    "overflow-x": "visible hidden clip scroll auto overlay",
    "overflow-y": "visible hidden clip scroll auto overlay",
    "backface-visibility": "visible hidden",
    "white-space": "normal nowrap pre pre-wrap pre-line break-spaces",
}
_SIZES: Final = "auto none min-content max-content fit-content stretch -webkit-fill-available"
_FONT_SIZES: Final = (
    "xx-small x-small small medium large x-large xx-large xxx-large smaller larger math"
)
_LENGTHS: Final = {
    **dict.fromkeys(("left", "right", "top", "bottom", "margin-left", "margin-top"), "auto"),
    **dict.fromkeys(("width", "height", "max-width", "max-height"), _SIZES),
    **dict.fromkeys(("min-width", "min-height"), _SIZES),
    **dict.fromkeys(("padding-left", "padding-top", "padding-right", "padding-bottom"), ""),
    "font-size": _FONT_SIZES,
    "text-indent": "",
    "line-height": "normal",
}
_COLOURED: Final = ("color", "background-color", "-webkit-text-fill-color")
_ANY: Final = (
    "opacity filter mask-image background-image background-clip text-shadow -webkit-text-stroke "
    "transform translate scale rotate clip clip-path zoom"
).split()
_SIDES: Final = ("top", "right", "bottom", "left")
_SHORT: Final = {
    "background": ("background-color", "background-image", "background-clip"),
    "font": ("font-size",),
    "flex": ("flex-grow",),
    "-webkit-flex": ("flex-grow",),
    "inset": _SIDES,
    "margin": ("margin-top", "margin-left"),
    "padding": tuple(f"padding-{side}" for side in _SIDES),
    "overflow": ("overflow-x", "overflow-y"),
    "mask": ("mask-image",),
    "-webkit-mask": ("mask-image",),
    "-webkit-mask-image": ("mask-image",),
    "-webkit-transform": ("transform",),
    "-webkit-filter": ("filter",),
    "-webkit-opacity": ("opacity",),
    "-webkit-clip-path": ("clip-path",),
    "-webkit-background-clip": ("background-clip",),
    "-webkit-backface-visibility": ("backface-visibility",),
    "inset-inline-start": ("left",),
    "inset-inline-end": ("right",),
    "inset-block-start": ("top",),
    "inset-block-end": ("bottom",),
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "margin-inline-start": ("margin-left",),
    "margin-block-start": ("margin-top",),
    "inline-size": ("width",),
    "block-size": ("height",),
    "max-inline-size": ("max-width",),
    "max-block-size": ("max-height",),
}
GROUP: Final[dict[str, str]] = {
    "display": "display",
    "visibility": "visibility",
    "font-size": "font",
    **dict.fromkeys(("opacity", "filter", "mask-image"), "fade"),
    **dict.fromkeys((*_COLOURED, "background-image", "background-clip"), "colour"),
    **dict.fromkeys(("text-shadow", "-webkit-text-stroke"), "colour"),
    **dict.fromkeys((*_WORDS, *_LENGTHS), "box"),
    **dict.fromkeys(
        "transform translate scale rotate clip clip-path zoom flex-grow".split(), "box"
    ),
} | {"visibility": "visibility", "font-size": "font"}
"""The group of properties that work together to which each belongs."""
SETS: Final[dict[str, tuple[str, ...]]] = {
    **{name: (name,) for name in GROUP},
    **_SHORT,
    "all": tuple(GROUP),
}
"""The properties that each property sets: itself, or those that it is short for."""


PLACES: Final = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of so many words are for the top, the right, the bottom and the left."""


@lru_cache(maxsize=8192)
def longhands(name: str, value: str) -> Pairs:
    """Return the properties that a declaration sets, with their values; none if it is invalid."""
    names = SETS[name]
    if value in GLOBAL:
        return tuple((each, value) for each in names)
    if name == "background":
        return _background(value)
    if name == "font":
        return _font(value)
    if name == "flex":
        word = value.partition(" ")[0]
        return (("flex-grow", {"none": "0", "auto": "1"}.get(word, word)),)
    if name == "all":
        return ()
    words = [word for word in parts(value, " ") if word] if len(names) > 1 else [value]
    if len(words) not in PLACES or (len(names) == 2 and len(words) > 2 and name != "margin"):
        return ()
    places = PLACES[len(words)]
    said = [words[place] for place in (places[::3] if name == "margin" else places[: len(names)])]
    pairs = tuple(zip(names, said, strict=True))
    return pairs if all(_is_valid(each, word) for each, word in pairs) else ()


def _is_valid(name: str, value: str) -> bool:
    if name == "display":
        return _DISPLAYS.issuperset(value.split())
    if name in _WORDS:
        return value in _WORDS[name].split() or name == "white-space"
    if name in _LENGTHS:
        return _is_length(name, value)
    if name in _COLOURED:
        return is_colour(value)
    if name in ("opacity", "zoom"):
        return measure(value, EM, 1) is not None or (name == "zoom" and value == "normal")
    if name in ("transform", "clip-path", "clip", "filter"):
        return value in ("none", "auto") or "(" in value or name == "clip-path"
    if name in ("scale", "rotate", "translate"):
        words = [word for word in parts(value, " ") if word not in ("x", "y", "z")]
        return value == "none" or all(measure(word, EM, 1) is not None for word in words)
    return bool(value)


_NOT_LENGTHS: Final = ("deg", "grad", "turn", "rad", "dppx", "dpi", "dpcm")


def _is_length(name: str, value: str) -> bool:
    if value in _LENGTHS[name].split():
        return True
    if value.startswith(("fit-content(", "anchor(", "anchor-size(", "calc-size(", "env(")):
        return True
    amount = measure(value, EM, 100)
    if amount is None or value.endswith(_NOT_LENGTHS):
        return False
    has_unit = amount == 0 or not value[-1].isdigit() or name == "line-height"
    may_be_negative = name in ("left", "right", "top", "bottom", "text-indent") or "margin" in name
    return has_unit and (amount >= 0 or may_be_negative or value.endswith(")"))


def _background(value: str) -> Pairs:
    """Return what a background sets: the last of its layers may have a colour."""
    layers = [[word for word in parts(layer.strip(), " ") if word] for layer in parts(value, ",")]
    colours = [word for word in layers[-1] if is_colour(word)]
    words = [word for layer in layers for word in layer]
    if not all(map(_may_be_in_background, words)) or len(colours) > 1:
        return ()
    image = next(
        (
            word
            for word in words
            if word.endswith(")") and not is_colour(word) and measure(word) is None
        ),
        "none",
    )
    clip = "text" if "text" in words else "border-box"
    return (
        ("background-color", colours[0] if colours else "transparent"),
        ("background-image", image),
        ("background-clip", clip),
    )


_IN_BACKGROUND: Final = frozenset(
    "none repeat repeat-x repeat-y no-repeat space round scroll fixed local left right top bottom "
    "center cover contain auto border-box padding-box content-box text /".split()
)


def _may_be_in_background(word: str) -> bool:
    if word in _IN_BACKGROUND or is_colour(word) or "(" in word:
        return True
    return all(
        side in _IN_BACKGROUND or measure(side, EM, 1) is not None
        for side in word.split("/")
        if side
    )


def _font(value: str) -> Pairs:
    """Return the size that a font sets: the first word that is one, with a family after it."""
    words = [word for word in parts(re.sub(r"\s*/\s*", "/", value), " ") if word]
    if len(words) == 1:  # caption, icon, menu ...
        return (("font-size", "medium"),) if words[0].isidentifier() else ()
    for place, word in enumerate(words[:-1]):
        size = parts(word, "/")[0]
        is_weight = size.isdigit() and size != "0"
        if not is_weight and _is_length("font-size", size):
            return (("font-size", size),)
        if place > 4:
            break
    return ()


# Variables ----------------------------------------------------------------------------------------

MAX_VARIABLES: Final = 30
"""Variables that are looked up for one value."""


class Variables:
    """The values of custom properties, which descendants inherit."""

    def __init__(self, of_row: dict[int, dict[str, str]], end: NDArray[np.int32]) -> None:
        """Keep the values on each row that is given one, and where the subtree of a row ends."""
        self._of_row = of_row
        self._end = end
        self._rows: dict[str, list[int]] = {}
        for row in sorted(self._of_row):
            for name in self._of_row[row]:
                self._rows.setdefault(name, []).append(row)

    def resolve(self, row: int, style: dict[str, str]) -> dict[str, str]:
        """Return a style whose values have no variables: where one is missing, ``unset``."""
        return {
            name: self._value(row, name, value) if PENDING in value else value
            for name, value in style.items()
        }

    def _value(self, row: int, name: str, value: str) -> str:
        shorthand, _, value = value.partition(PENDING)
        for _ in range(MAX_VARIABLES):
            start = value.rfind("var(")
            if start < 0:
                pairs = dict(longhands(shorthand, value.strip()))
                return pairs.get(name, "unset")
            inner = parts(value[start + 4 :], ")")[0]
            variable, comma, fallback = inner.partition(",")
            said = self._lookup(row, variable.strip())
            if said is None and not comma:
                return "unset"
            rest = value[start + 4 + len(inner) + 1 :]
            value = f"{value[:start]}{fallback if said is None else said}{rest}"
            if len(value) > MAX_VALUE_CHARS:
                break
        return "unset"

    def _lookup(self, row: int, name: str) -> str | None:
        rows = self._rows.get(name, ())
        for place in range(bisect_right(rows, row) - 1, -1, -1):
            if self._end[rows[place]] > row:  # it is around the row
                value = self._of_row[rows[place]][name]
                if value != "inherit":
                    return None if value == "initial" else value
        return None
