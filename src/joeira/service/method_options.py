"""The methods that the service offers, and their parameters as a client may set them.

It offers all but those that start programs of their own: a worker process may use so much memory
and time, and is killed when it uses more. A browser needs more than that, and would be left behind.

What a method takes comes from its declaration. The service adds bounds of its own, so that no
number is too large for an array, and leaves out free texts: those are patterns, and one that a
stranger writes can take any time.
"""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from joeira import catalog
from joeira.catalog import Entry
from joeira.errors import UnknownMethod
from joeira.params import LARGEST
from joeira.service.guard import Problem, in_words

SITES = "sites"
"""Both tasks of methods that learn from many pages: content, and segments."""


def offered(task: str | None = None) -> list[Entry]:
    """Return the methods for a task."""
    if task == SITES:
        return [*offered("site"), *offered("site_segments")]
    return [entry for entry in catalog.entries(task) if not entry.needs]


def find(name: str, task: str) -> Entry:
    """Return the entry of a method, or raise `UnknownMethod`."""
    entry = catalog.find_site(name) if task == SITES else catalog.find(name, task)
    if entry.needs:
        known = ", ".join(other.name for other in offered(task))
        message = f"method {name!r} needs a {entry.needs}, which the service does not start; "
        raise UnknownMethod(f"{message}available: {known}")
    return entry


_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_MAX_NAMES = 100
_MAX_NAME_CHARS = 100
_WORDS = {
    "minimum": "ge", "exclusiveMinimum": "gt", "maximum": "le", "exclusiveMaximum": "lt",
    "minItems": "min_length",
}  # fmt: skip
"""What pydantic calls the words of JSON Schema."""


@lru_cache(maxsize=256)
def model_of(entry: Entry) -> type[BaseModel]:
    """Return the parameters of a method as a model."""
    fields: dict[str, Any] = {}
    for parameter in catalog.settable(entry):
        if parameter.schema != {"type": "string"}:
            default = parameter.default
            if isinstance(default, tuple | frozenset):
                default = list(default)
            kind = _kind(parameter.schema)
            fields[parameter.name] = (kind, Field(default, description=parameter.about or None))
    return create_model(
        f"{entry.task}_{entry.name}_options".title().replace("_", ""),
        __config__=_STRICT,
        __doc__=f"Parameters of the method {entry.name}.",
        **fields,
    )


def read(name: str, task: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a client sets, or raise the problem with them."""
    try:
        found = model_of(find(name, task)).model_validate(options)
    except ValidationError as error:
        raise Problem(400, f"options of {name}: {in_words(error)}") from None
    return _set_values(found)


def _set_values(found: BaseModel) -> dict[str, Any]:
    """Return what a client set, groups as mappings."""
    values = {key: getattr(found, key) for key in found.model_fields_set}
    return {
        key: _set_values(value)
        if isinstance(value, BaseModel)
        else (tuple(value) if isinstance(value, list) else value)
        for key, value in values.items()
    }


def from_texts(name: str, task: str, settings: dict[str, str]) -> dict[str, Any]:
    """Return parameters given as texts, each as what it says."""
    entry = find(name, task)
    values = catalog.read_texts(entry.name, entry.task, settings)
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    """Return a value as a client would send it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(part) for name, part in asdict(value).items()}
    return list(value) if isinstance(value, tuple | frozenset) else value


def _kind(schema: dict[str, Any]) -> Any:
    """Return the type of what a schema describes."""
    if "anyOf" in schema:
        first, second = map(_kind, schema["anyOf"])
        return first | second
    if "properties" in schema:
        parts: dict[str, Any] = {
            name: (_kind(part), None) for name, part in schema["properties"].items()
        }
        return create_model("Parts", __config__=_STRICT, **parts)
    if schema.get("type") == "null":
        return None
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    bounds = {_WORDS[word]: bound for word, bound in schema.items() if word in _WORDS}
    if schema["type"] == "boolean":
        return bool
    if schema["type"] == "array":
        pattern = schema["items"]["pattern"]
        item = Annotated[str, Field(pattern=pattern, max_length=_MAX_NAME_CHARS)]
        return Annotated[list[item], Field(**{"max_length": _MAX_NAMES, **bounds})]
    if not bounds.keys() & {"ge", "gt"}:
        bounds["ge"] = -LARGEST
    if not bounds.keys() & {"le", "lt"}:
        bounds["le"] = LARGEST
    if schema["type"] == "integer":
        return Annotated[int, Field(**bounds), BeforeValidator(_whole)]
    return Annotated[float, Field(**bounds)]


def _whole(value: Any) -> Any:
    """Return 5.0 as 5: JSON Schema calls it an integer, too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
