"""Visibility of painted text: the position of its box, clipping, and the background.

Boxes are not laid out. Where one begins, and how large it is, is known only as far as its style
tells; what is not known is taken to be on the screen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.page import css_values as values
from joeira.page import tags
from joeira.page.css import DIMENSION, EM, FONT_UNITS, Declared, measure, parts
from joeira.page.css_values import GLOBAL, PLACES, Colour, colour

if TYPE_CHECKING:
    from joeira.page.model import Page

Style = dict[str, str]

WIDTH: Final = 1280.0
HEIGHT: Final = 720.0
_FLAT: Final = 0.02
"""Scale up to which nothing is left of a text."""
UNREADABLE_PX: Final = 1.0
_FAR_PX: Final = 400.0
"""Where a box begins is not known: it is off the screen if it is moved by more than this."""
_FAR_UP_PX: Final = 1000.0
_FAR_RIGHT_PX: Final = 5000.0
INDENT_PX: Final = 100.0
_CLIPS: Final = ("hidden", "clip", "auto", "scroll", "overlay")
MOVED: Final = ("absolute", "fixed")


# Shapes -------------------------------------------------------------------------------------------

_CALL: Final = re.compile(r"([a-z0-9]+)\(((?:[^()]|\([^()]*\))*)\)")
_SIDE: Final = 1000.0
"""What 100 % are where the size of a box is not known."""


class Transform(NamedTuple):
    """What transforms leave of a box, and where they move it."""

    scale: float
    right_px: float
    down_px: float
    shows_back: bool


UNMOVED: Final = Transform(1.0, 0.0, 0.0, shows_back=False)
TRANSFORMS: Final = ("transform", "translate", "scale", "rotate", "zoom")


def transform(style: dict[str, str], em: float, width: float) -> Transform:
    """Return what the transforms of a style do to a box of some width."""
    if style.keys().isdisjoint(TRANSFORMS):
        return UNMOVED
    linear = np.eye(3)
    offset = np.zeros(3)
    said = [(name, style.get(name, "none").replace(" ", ",")) for name in ("translate", "scale")]
    turn = [word for word in style.get("rotate", "none").split() if word != "z"]
    axis = turn[0] if len(turn) == 2 and turn[0] in ("x", "y") else ""
    calls = [(name, value) for name, value in said if value != "none"]
    calls += [(f"rotate{axis}", turn[-1])] if turn[-1:] not in (["none"], []) else []
    calls += _CALL.findall(style.get("transform", ""))
    for name, inner in calls[:MAX_CALLS]:
        words = [word.strip() for word in parts(inner, ",") if word.strip()]
        wholes = (width, 2 * em) if "translate" in name else (1.0, 1.0)
        amounts = [measure(word, em, wholes[place % 2]) for place, word in enumerate(words)]
        numbers = [amount for amount in amounts if amount is not None]
        if len(numbers) == len(words) > 0:
            matrix, move = _matrix(name, numbers)
            offset = offset + linear @ move
            linear = linear @ matrix
    zoom = measure(style.get("zoom", "1"), whole=1) or 1.0
    scale = float(np.linalg.svd(linear[:2, :2], compute_uv=False)[-1]) * zoom
    return Transform(scale, float(offset[0]), float(offset[1]), bool(linear[2, 2] < 0))


MAX_CALLS: Final = 20


def _matrix(name: str, numbers: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return what a function does to directions, and how it moves."""
    linear, move = np.eye(3), np.zeros(3)
    one, two = numbers[0], numbers[1] if len(numbers) > 1 else None
    kind, axis = name.rstrip("xyz").removesuffix("3d"), name[-1]
    if kind == "translate":
        pair = (0.0, one) if axis == "y" else (one, 0.0) if axis in "xz" else (one, two or 0.0)
        move[:2] = pair if axis != "z" else (0, 0)
    elif kind == "scale":
        pair = (
            (one, 1)
            if axis == "x"
            else (1, one)
            if axis == "y"
            else (one, one if two is None else two)
        )
        linear[[0, 1], [0, 1]] = pair if axis != "z" else (1, 1)
    elif kind == "rotate" and len(numbers) == 1:
        cosine, sine = np.cos(np.radians(one)), np.sin(np.radians(one))
        first, second = {"x": (1, 2), "y": (2, 0)}.get(axis, (0, 1))
        linear[first, first] = linear[second, second] = cosine
        linear[first, second], linear[second, first] = -sine, sine
    elif kind == "matri" and len(numbers) == 6:
        linear[:2, :2] = [[one, numbers[2]], [numbers[1], numbers[3]]]
        move[:2] = numbers[4:]
    elif name == "matrix3d" and len(numbers) == 16:
        whole = np.array(numbers).reshape(4, 4).T
        linear, move = whole[:3, :3], whole[:3, 3]
    return linear, move


def is_nothing(shape: str, em: float) -> bool:
    """Return whether nothing is left of a box that is clipped to a shape."""
    match = _CALL.match(shape)
    if match is None:
        return shape.startswith("path(") and not re.search(r"[1-9]", shape)
    name, inner = match[1], match[2].partition(" round ")[0]
    if name == "path":
        return not re.search(r"[1-9]", inner)
    if name == "polygon":
        points = [_lengths(point, em) for point in parts(inner, ",") if "odd" not in point]
        return all(len(point) == 2 for point in points) and _is_empty(np.array(points))
    sizes, _, place = inner.partition("at ")
    lengths = _lengths(sizes.replace("auto", "100%" if name == "rect" else "0"), em)
    if name == "inset" and lengths:
        top, right, bottom, left = (lengths[place] for place in PLACES.get(len(lengths), (0,) * 4))
        return top + bottom >= _SIDE - 1 or left + right >= _SIDE - 1
    if name == "rect" and len(lengths) == 4:
        top, right, bottom, left = lengths
        return bottom - top <= 1 or right - left <= 1
    if name == "xywh" and len(lengths) == 4:
        return min(lengths[2:]) <= 1
    if name in ("circle", "ellipse") and lengths:
        centre = _lengths(place, em)
        return min(lengths) <= 1 or any(each + max(lengths) <= 0 for each in centre)
    return False


def _lengths(text: str, em: float) -> list[float]:
    words = parts(text.replace(",", " ").strip(), " ")
    amounts = [measure(word, em, _SIDE) for word in words if word]
    return [amount for amount in amounts if amount is not None]


def _is_empty(points: np.ndarray) -> bool:
    """Return whether a polygon has no area, or lies before the box."""
    if len(points) < 3:
        return True
    x, y = points.T
    area = abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
    is_outside = x.max() <= 0 or y.max() <= 0 or x.min() >= _SIDE or y.min() >= _SIDE
    return bool(area <= 1 or is_outside)


def may_transform_away(name: str, value: str) -> bool:
    """Return whether a property may move a box away, or leave nothing of it."""
    move = transform({name: value}, EM, 1.5 * INDENT_PX)
    is_moved = abs(move.right_px) > INDENT_PX or abs(move.down_px) > INDENT_PX
    return is_moved or move.scale < 0.2 or move.shows_back


# Boxes --------------------------------------------------------------------------------------------

_LEAST_RELATIVE_PX: Final = 6.0
"""Fonts sized relative to another are shown no smaller than this, unless the size is 0."""


def font_size(value: str, above: float, is_absolute: bool) -> tuple[float, bool]:
    """Return the size of a font in pixels, and whether it was told without regard to others."""
    match = DIMENSION.fullmatch(value)
    is_relative = match is not None and (match[2] in ("%", "rem", *FONT_UNITS))
    size = measure(value, above, above)
    if size is None:  # a word
        return (above if value in ("smaller", "larger") else EM), is_absolute
    is_absolute = is_absolute or not is_relative
    return (size if is_absolute or size < 1e-9 else max(size, _LEAST_RELATIVE_PX)), is_absolute


class Box(NamedTuple):
    """The box of an element, as far as its style tells where it is."""

    style: Style
    em: float
    width: float
    """As declared, or of its longest text."""
    text_width: float
    is_alone: bool

    def px(self, name: str, whole: float = WIDTH) -> float | None:
        """Return a length of the style in pixels."""
        return measure(self.style[name], self.em, whole) if name in self.style else None

    @property
    def position(self) -> str:
        """How it is placed: '' where a sheet that is not read may tell."""
        return self.style.get("position", "static" if self.is_alone else "")

    def is_away(self) -> bool:
        """Return whether it lies beyond the borders of the screen."""
        position, fixed = self.position, self.position == "fixed"
        move = transform(self.style, self.em, self.width)
        x = move.right_px + (self.px("margin-left") or 0.0)
        y = move.down_px + (self.px("margin-top") or 0.0)
        if position != "static":
            left, right, top, bottom = (
                self.px(side) for side in ("left", "right", "top", "bottom")
            )
            is_taken_out = position in MOVED
            if left is not None:
                x += left
            elif right is not None:
                x += WIDTH - right - self.width if is_taken_out else -right
            if top is not None:
                y += top
            elif bottom is not None:
                y += HEIGHT - bottom if is_taken_out else -bottom
        indent = self.px("text-indent", self.width) or 0.0
        if indent <= -INDENT_PX and indent + self.text_width <= 0:
            return True
        far = 0.0 if fixed else _FAR_PX
        if (x < -far and x + self.width <= 0) or y <= -_FAR_UP_PX:
            return True
        return (fixed and (x >= WIDTH or y >= HEIGHT or y <= -HEIGHT)) or x >= _FAR_RIGHT_PX

    def is_clipped(self) -> bool:
        """Return whether nothing of it is left."""
        say = self.style.get
        if self.position in (*MOVED, "") and is_nothing(say("clip", ""), self.em):
            return True
        if is_nothing(say("clip-path", ""), self.em):
            return True
        move = transform(self.style, self.em, self.width)
        if move.scale <= _FLAT or (move.shows_back and say("backface-visibility") == "hidden"):
            return True
        if say("overflow-x") not in _CLIPS and say("overflow-y") not in _CLIPS:
            return False
        if self._is_flat("width", "left", "right") or self._is_flat("height", "top", "bottom"):
            return True
        whole = self.px("width") or WIDTH
        indent = self.px("text-indent", whole) or 0.0
        return indent >= whole and "nowrap" in say("white-space", "")

    def _is_flat(self, name: str, *sides: str) -> bool:
        grows = measure(self.style.get("flex-grow", "0")) or 0.0
        sizes = [None if grows else self.px(name), self.px(f"max-{name}")]
        if name == "height" and sizes[0] is None and self.style.get("line-height") == "0":
            sizes.append(0.0)
        size = min((size for size in sizes if size is not None), default=WIDTH)
        padding = sum(self.px(f"padding-{side}") or 0.0 for side in sides)
        return max(size, self.px(f"min-{name}") or 0.0) + padding <= UNREADABLE_PX


# Grounds ------------------------------------------------------------------------------------------


_PICTURES: Final = tags.table("img picture video svg canvas iframe")


class Grounds:
    """The colours behind texts."""

    def __init__(
        self, page: Page, styles: dict[int, Style], nearest: NDArray[np.int32], is_alone: bool
    ) -> None:
        self.page = page
        self.styles = styles
        self.nearest = nearest
        self.is_alone = is_alone
        self._behind: dict[int, list[Colour | None]] = {}

    def shine_through(self, row: int) -> bool:
        """Return whether texts are windows to the ground: where it is cut to their shape."""
        return row >= 0 and "text" in self.styles[row].get("background-clip", "")

    def may_be_pictures(self, row: int, ground_row: int) -> bool:
        """Return whether a box around a row may lie over a picture, being out of the flow."""
        page = self.page
        while row > ground_row:
            if self.styles.get(row, {}).get("position") in MOVED:
                around = int(page.parent[row])
                if _PICTURES.take(page.known_tag[around : page.end[around]]).any():
                    return True
            row = int(page.parent[row])
        return False

    def swallow(self, row: int, text: Colour) -> bool:
        """Return whether a text cannot be told from any of the colours behind it."""
        colours = self.behind(row)
        return bool(colours) and all(
            each is not None and values.is_same(text, each) for each in colours
        )

    def behind(self, row: int, depth: int = 0) -> list[Colour | None]:
        """Return the colours that a row has behind it: several in a gradient, None if unknown."""
        if row in self._behind:
            return self._behind[row]
        if row < 0 or depth > 50:
            return [values.WHITE if self.is_alone else None]
        style = self.styles[row]
        image = style.get("background-image", "none")
        ground = colour(style.get("background-color", "transparent"))
        said = style.get("background-color", "transparent")
        if said in GLOBAL:
            ground = (0, 0, 0, 0)
        layers = (
            [ground]
            if image in ("none", *GLOBAL)
            else values.colours_in(image)
            if "gradient(" in image
            else [None]
        )
        if all(layer is not None and layer[3] >= 1 for layer in layers):
            return list(layers)
        above = int(self.page.parent[row])
        below = self.behind(int(self.nearest[above]) if above >= 0 else -1, depth + 1)
        self._behind[row] = [
            None if layer is None or each is None else values.over(layer, each)
            for layer in layers or [None]
            for each in below[:2]
        ]
        return self._behind[row]


# Attributes ---------------------------------------------------------------------------------------


def hints(page: Page) -> dict[int, Declared]:
    """Return what attributes for looks declare."""
    attributes = page.attributes
    of_row: dict[int, Declared] = {}
    rows = {row for name in ("bgcolor", "background") for row in attributes.column(name)[0]}
    rows.update(attributes.select("body[text]"), attributes.select("font[color]"))
    for row in sorted(rows):
        names = ("bgcolor", "background", "text", "color")
        ground, image, text, font = (attributes.get(row, name) for name in names)
        said = {"background-color": ground, "color": text or font}
        declared = {
            name: (False, _legacy(value)) for name, value in said.items() if value is not None
        }
        of_row[row] = declared | ({"background-image": (False, "url()")} if image else {})
    return of_row


def _legacy(value: str) -> str:
    """Return a colour of an attribute as styles write it."""
    value = value.strip().lower()
    digits = value.removeprefix("#")
    return f"#{digits}" if re.fullmatch(r"[0-9a-f]{3}|[0-9a-f]{6}", digits) else value
