"""Declared parameters of methods.

A method is a frozen dataclass. Each of its fields is declared with `param`, and everything else
derives from the declaration: validation and error messages, the texts that ``--set`` accepts, the
JSON Schema of the service, and what ``joeira methods`` and the documentation show.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, Literal, TypedDict, Unpack

from joeira.errors import BadParameter

LARGEST: Final = 2**31 - 1
"""No whole number that a parameter takes is larger, whatever its own bounds are."""

TAG_NAME: Final = r"^[a-z][a-z0-9-]*$"
HOST_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9.-]*$"
"""Patterns of items: names of elements and of hosts."""

_DECLARED: Final = "joeira"
_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")
_KIND_NAMES: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
_JSON_WORDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}


class Bounds(TypedDict, total=False):
    """The values that a parameter accepts, beyond its type."""

    ge: float
    gt: float
    le: float
    lt: float
    pattern: str
    """Of each item of a tuple, or of a text."""
    min_items: int


@dataclass(frozen=True)
class _Declaration:
    about: str
    source: str
    bounds: Bounds


def param(default: Any, about: str, source: str = "", **bounds: Unpack[Bounds]) -> Any:
    """Declare a parameter of a method: a field of its dataclass.

    Args:
        default: The default value.
        about: Its meaning, as a sentence without its name.
        source: Where the default comes from, such as ``paper``; empty if it is ours.
        bounds: The values that it accepts.
    """
    declaration = _Declaration(" ".join(about.split()), source, bounds)
    return dataclasses.field(default=default, metadata={_DECLARED: declaration})


def check(method: object) -> None:
    """Raise `BadParameter` for the first parameter of a method whose value is out of bounds.

    A parameter that is a group of others may be given as a mapping of names to values, which is
    converted to the group.
    """
    for parameter in parameters(type(method)):
        value = getattr(method, parameter.name)
        if value is not parameter.default:
            if parameter.group and isinstance(value, Mapping):
                value = parameter.of_parts(value)
                object.__setattr__(method, parameter.name, value)
            parameter.check(value)


def parameters(method: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a method's class, declared by `param` or as plain fields."""
    hashable: Any = method  # as every class is, whatever mypy believes of `type[Any]`
    return _parameters(hashable)


@lru_cache(maxsize=256)
def _parameters(method: Any) -> tuple[Parameter, ...]:
    kinds = typing.get_type_hints(method)
    described = []
    for field in dataclasses.fields(method):
        if field.init:
            made = field.default_factory
            default = made() if made is not dataclasses.MISSING else field.default
            declared = field.metadata.get(_DECLARED, _Declaration("", "", Bounds()))
            described.append(Parameter(field.name, kinds[field.name], default, declared))
    return tuple(described)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method."""

    name: str
    kind: Any
    """Its type, resolved."""
    default: Any
    declared: _Declaration = dataclasses.field(repr=False)

    @property
    def about(self) -> str:
        """What it means."""
        return self.declared.about

    @property
    def source(self) -> str:
        """Where the default comes from; empty if it is ours."""
        return self.declared.source

    @property
    def bounds(self) -> Bounds:
        """The values that it accepts, beyond its type."""
        return self.declared.bounds

    @cached_property
    def is_optional(self) -> bool:
        """Whether it may be None."""
        return type(None) in typing.get_args(self.kind) and self._plain is not self.kind

    @cached_property
    def _plain(self) -> Any:
        """Its type without None."""
        if typing.get_origin(self.kind) in (typing.Union, types.UnionType):
            return next(kind for kind in typing.get_args(self.kind) if kind is not type(None))
        return self.kind

    @cached_property
    def options(self) -> tuple[Any, ...]:
        """The values to choose from by name; empty where there are none."""
        kinds = typing.get_args(self.kind) if self.group else (self._plain,)
        choices = (typing.get_args(kind) for kind in kinds if typing.get_origin(kind) is Literal)
        return tuple(chain.from_iterable(choices))

    @cached_property
    def group(self) -> type[Any] | None:
        """The dataclass that it may be, whose fields are parameters themselves."""
        kinds = (self.kind, *typing.get_args(self.kind))
        classes = (kind for kind in kinds if isinstance(kind, type))
        return next((kind for kind in classes if dataclasses.is_dataclass(kind)), None)

    @property
    def _parts(self) -> dict[str, Parameter]:
        """The parameters of its group."""
        return {part.name: part for part in parameters(self.group)} if self.group else {}

    def of_parts(self, values: Mapping[str, Any]) -> Any:
        """Return the group that some of its parameters make, or raise `BadParameter`."""
        assert self.group is not None
        for name, value in values.items():
            if name not in self._parts:
                known = ", ".join(self._parts)
                raise BadParameter(f"{self.name} has no parameter {name!r}; it has: {known}")
            dataclasses.replace(self._parts[name], name=f"{self.name}.{name}").check(value)
        return self.group(**values)

    def read_parts(self, texts: Mapping[str, str]) -> Any:
        """Return the group that texts such as those of ``--set`` stand for."""
        parts = self._parts
        return self.of_parts(
            {
                name: parts[name].read(text) if name in parts else text
                for name, text in texts.items()
            }
        )

    @cached_property
    def _collection(self) -> type[Any] | None:
        """What holds its items, if it has items."""
        origin = typing.get_origin(self._plain)
        return origin if origin in (tuple, frozenset) else None

    @cached_property
    def _item(self) -> Any:
        """Type of its items, if it has items."""
        return next(iter(typing.get_args(self._plain)), str)

    @property
    def values(self) -> str:
        """The values that it accepts, in words."""
        if self.options:
            words = f"one of {', '.join(map(str, self.options))}"
            if self.group:
                words += f", or any of {', '.join(self._parts)}"
        elif self._collection:
            some = "one or more " if self.bounds.get("min_items") else ""
            items = "names" if self._item is str else "numbers"
            words = f"a {self._collection.__name__} of {some}{items}"
        else:
            words = " ".join(filter(None, (_KIND_NAMES.get(self._plain, "text"), self._range)))
        return f"{words}, or none" if self.is_optional else words

    @property
    def _range(self) -> str:
        low = self.bounds.get("ge", self.bounds.get("gt"))
        high = self.bounds.get("le", self.bounds.get("lt"))
        below = "below " if "lt" in self.bounds else ""
        if low is None:
            return "" if high is None else f"{below or 'at most '}{high:g}"
        if high is None:
            return f"above {low:g}" if "gt" in self.bounds else f"of at least {low:g}"
        above = "above " if "gt" in self.bounds else ""
        return f"from {above}{low:g} to {below}{high:g}"

    def check(self, value: Any) -> None:
        """Raise `BadParameter` for a value that it does not accept."""
        if not ((value is None and self.is_optional) or self._takes(value)):
            raise BadParameter(f"{self.name} must be {self.values}, not {value!r}")

    def _takes(self, value: Any) -> bool:
        if self.group and isinstance(value, self.group):
            return True
        if self.options:
            return value in self.options
        if self._collection:
            return isinstance(value, self._collection) and self._takes_items(value)
        if self._plain is bool:
            return isinstance(value, bool)
        if self._plain is int:
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            return is_whole and abs(value) <= LARGEST and self._is_within(value)
        if self._plain is float:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and math.isfinite(value) and self._is_within(value)
        return isinstance(value, str) if self._plain is str else True

    def _takes_items(self, values: Any) -> bool:
        pattern = self.bounds.get("pattern", ".")
        return len(values) >= self.bounds.get("min_items", 0) and all(
            isinstance(value, self._item) and (self._item is not str or re.search(pattern, value))
            for value in values
        )

    def _is_within(self, value: float) -> bool:
        bounds = self.bounds
        return (
            bounds.get("ge", -math.inf) <= value <= bounds.get("le", math.inf)
            and value < bounds.get("lt", math.inf)
            and value > bounds.get("gt", -math.inf)
        )

    def read(self, text: str) -> Any:
        """Return the value that a text such as that of ``--set`` stands for."""
        if self.is_optional and text.lower() in ("none", ""):
            return None
        if self.options:
            return {str(option): option for option in self.options}.get(text, text)
        if self._collection:
            parts = (part.strip() for part in text.split(","))
            return self._collection(_converted(part, self._item) for part in parts if part)
        if self._plain is bool:
            return {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}.get(
                text.lower(), text
            )
        return _converted(text, self._plain)

    @property
    def schema(self) -> dict[str, Any]:
        """The values that it accepts, as JSON Schema."""
        schema = self._plain_schema
        if self.group:
            parts = {name: part.schema for name, part in self._parts.items()}
            whole = {"type": "object", "properties": parts, "additionalProperties": False}
            return {"anyOf": [schema, whole]}
        return {"anyOf": [schema, {"type": "null"}]} if self.is_optional else schema

    @property
    def _plain_schema(self) -> dict[str, Any]:
        if self.options:
            return {"enum": list(self.options)}
        if self._collection:
            items = {"type": "string", "pattern": self.bounds.get("pattern", ".")}
            least = self.bounds.get("min_items")
            return {"type": "array", "items": items, **({"minItems": least} if least else {})}
        if self._plain is bool:
            return {"type": "boolean"}
        if self._plain in (int, float):
            bounds = {
                word: bound
                for name, word in _JSON_WORDS.items()
                if (bound := self.bounds.get(name)) is not None
            }
            return {"type": "integer" if self._plain is int else "number", **bounds}
        return {"type": "string"}


def _converted(text: str, kind: Any) -> Any:
    """Return a text as a value of a type, or as it is: the check says what it should have been."""
    try:
        return kind(text)
    except ValueError:
        return text
