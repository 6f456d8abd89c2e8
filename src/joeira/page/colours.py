"""Colours as CSS writes them, as far as needed to see text that has the colour of its ground."""

from __future__ import annotations

import re
from typing import Final

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
