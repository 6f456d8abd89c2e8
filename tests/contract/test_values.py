"""What the descriptions say of parameters is what the methods take."""

from itertools import product
from typing import Any

import pytest

from joeira import catalog
from joeira.catalog import Entry
from joeira.errors import BadParameter
from joeira.params import LARGEST

ENTRIES = [pytest.param(entry, id=f"{entry.task}-{entry.name}") for entry in catalog.METHODS]


def schema(name: str, parameter: str, task: str = "content") -> dict[str, Any]:
    described = catalog.describe(catalog.find(name, task))
    return next(each.schema for each in described.parameters if each.name == parameter)


def test_bounds_are_those_of_the_checks() -> None:
    assert schema("nce", "leaf_min_chars") == {"type": "integer", "minimum": 0}
    assert schema("cetr", "radius") == {"type": "integer", "minimum": 0, "maximum": 1000}
    assert schema("bte", "tag_cost") == {"type": "number", "exclusiveMinimum": 0}
    assert schema("tps", "min_imbalance") == {
        "type": "number", "minimum": 0, "exclusiveMaximum": 1,
    }  # fmt: skip
    assert schema("density", "min_density") == {
        "anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]
    }
    assert schema("cetr", "variant") == {"enum": ["threshold", "clustering"]}
    assert schema("tps", "text_nodes") == {"type": "boolean"}
    assert schema("xcex", "tags", "site")["minItems"] == 1


def ends(schema: dict[str, Any]) -> list[Any]:
    """The first and the last of the values that a parameter takes."""
    if "anyOf" in schema:
        first, other = schema["anyOf"]
        return [*([None] if other == {"type": "null"} else []), *ends(first)]
    if "enum" in schema:
        return schema["enum"][:: max(1, len(schema["enum"]) - 1)]
    if schema["type"] == "boolean":
        return [False, True]
    if schema["type"] in ("array", "string"):
        return []
    near = 1e-3 if schema["type"] == "number" else 0
    low = schema.get("minimum", schema.get("exclusiveMinimum", -LARGEST - near) + near)
    high = schema.get("maximum", schema.get("exclusiveMaximum", LARGEST + near) - near)
    return [low, high]


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_is_described_is_taken_whatever_the_others_are(entry: Entry) -> None:
    """Two parameters at a time, each at both ends of what it takes."""
    method = entry.load()
    described = catalog.describe(entry).parameters
    for one, other in product(described, described):
        for first, second in product(ends(one.schema), ends(other.schema)):
            method(**{one.name: first, other.name: second})


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_lies_beyond_is_refused(entry: Entry) -> None:
    method = entry.load()
    for parameter in catalog.describe(entry).parameters:
        told = parameter.schema
        beyond = [bound for word, bound in told.items() if word.startswith("exclusive")]
        beyond += [told["minimum"] - 1] if "minimum" in told else []
        beyond += [told["maximum"] + 1] if "maximum" in told else []
        for value in beyond:
            with pytest.raises(BadParameter):
                method(**{parameter.name: value})
