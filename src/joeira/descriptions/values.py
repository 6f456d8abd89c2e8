"""Which values a parameter takes, as JSON Schema.

The type is that of the field. Its bounds are nowhere but in the checks of the method, so the method
is asked: it is made with one value after the other until the last one that it takes is found. What
a number may be is taken to be one interval, and not to depend on other parameters.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable
from typing import Any, Final

LARGEST: Final = 2**31 - 1
"""A number that is taken though it is as large as this has no bound worth telling."""

_FLOAT_STEPS: Final = 80
_DECIMALS: Final = 6
_NAMES: Final = (r"^[a-z0-9][a-z0-9.-]*$", r"^[a-z][a-z0-9-]*$")
"""Names of hosts and of elements: the first that a method takes."""
_EXAMPLES: Final = ("a.b", "a")

Schema = dict[str, Any]
Takes = Callable[[Any], bool]


def schema_of(method: type[Any], name: str, default: Any) -> Schema:
    """Return the schema of a parameter of a method, of which `default` is a value."""
    kind = typing.get_type_hints(method)[name]

    def takes(value: Any) -> bool:
        try:
            method(**{name: value})
        except (ValueError, TypeError, ArithmeticError):  # `BadParameter` is a `ValueError`
            return False
        return True

    return _schema(kind, takes, default)


def _schema(kind: Any, takes: Takes, default: Any) -> Schema:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        (kind,) = (option for option in typing.get_args(kind) if option is not type(None))
        return {"anyOf": [_schema(kind, takes, default), {"type": "null"}]}
    if origin is typing.Literal:
        return {"enum": [option for option in typing.get_args(kind) if takes(option)]}
    if origin in (tuple, frozenset):
        pattern = next((p for p, x in zip(_NAMES, _EXAMPLES, strict=True) if takes((x,))), ".")
        items = {"type": "string", "pattern": pattern}
        return {"type": "array", "items": items, **({} if takes(()) else {"minItems": 1})}
    if kind is bool:
        return {"type": "boolean"}
    if kind is int:
        return {"type": "integer", **_whole_bounds(takes, default)}
    if kind is float:
        return {"type": "number", **_bounds(takes, default)}
    return {"type": "string"}


def _whole_bounds(takes: Takes, default: int) -> Schema:
    found: Schema = {}
    for word, far in (("minimum", -LARGEST), ("maximum", LARGEST)):
        if not takes(far):
            taken, refused = default, far
            while abs(refused - taken) > 1:
                middle = (taken + refused) // 2
                taken, refused = (middle, refused) if takes(middle) else (taken, middle)
            found[word] = taken
    return found


def _bounds(takes: Takes, default: float | None) -> Schema:
    """Return the bounds of a number, up to a few decimals; they may be excluded themselves."""
    found: Schema = {}
    start = next(value for value in (default, 0.0, 1.0, 0.5) if value is not None and takes(value))
    for side, far in (("Minimum", -float(LARGEST)), ("Maximum", float(LARGEST))):
        if not takes(far):
            taken, refused = float(start), far
            for _ in range(_FLOAT_STEPS):
                middle = math.fsum((taken, refused)) / 2
                taken, refused = (middle, refused) if takes(middle) else (taken, middle)
            bound = round(taken, _DECIMALS) + 0.0  # no negative zero
            found[side.lower() if takes(bound) else f"exclusive{side}"] = bound
    return found
