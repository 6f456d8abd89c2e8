"""Declared parameters: checks, messages, texts and schemas come from one declaration."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from joeira import catalog
from joeira.errors import BadParameter
from joeira.params import HOST_NAME, TAG_NAME, check, param, parameters


@dataclass(frozen=True)
class Sieve:
    """Keep what does not fall through."""

    mesh: float = param(0.5, "Width of the   holes.", "paper", gt=0, le=2)
    shakes: int = param(3, "How often it is shaken.", ge=1)
    wood: Literal["oak", "pine"] = param("oak", "What it is made of.")
    tags: tuple[str, ...] = param(("div",), "What falls in.", pattern=TAG_NAME, min_items=1)
    hosts: tuple[str, ...] = param((), "Who may look.", pattern=HOST_NAME)
    wet: bool = param(False, "Whether it is wet.")
    depth: float | None = param(None, "How deep it is.", ge=0, lt=1)
    plain: int = 7

    def __post_init__(self) -> None:
        check(self)


NAMED = {parameter.name: parameter for parameter in parameters(Sieve)}


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("mesh", 0, "mesh must be a number from above 0 to 2, not 0"),
        ("mesh", math.nan, "mesh must be a number from above 0 to 2, not nan"),
        ("mesh", True, "mesh must be a number from above 0 to 2, not True"),
        ("mesh", "wide", "mesh must be a number from above 0 to 2, not 'wide'"),
        ("shakes", 0, "shakes must be a whole number of at least 1, not 0"),
        ("shakes", 1.5, "shakes must be a whole number of at least 1, not 1.5"),
        ("shakes", 2**31, "shakes must be a whole number of at least 1, not 2147483648"),
        ("wood", "ash", "wood must be one of oak, pine, not 'ash'"),
        ("tags", (), "tags must be a tuple of one or more names, not ()"),
        ("tags", "div", "tags must be a tuple of one or more names, not 'div'"),
        ("tags", ("DIV",), "tags must be a tuple of one or more names, not ('DIV',)"),
        ("hosts", (".",), "hosts must be a tuple of names, not ('.',)"),
        ("wet", 1, "wet must be true or false, not 1"),
        ("depth", 1, "depth must be a number from 0 to below 1, or none, not 1"),
        ("depth", math.inf, "depth must be a number from 0 to below 1, or none, not inf"),
        ("plain", None, "plain must be a whole number, not None"),
    ],
)
def test_a_value_out_of_bounds_is_refused_in_words(name: str, value: Any, message: str) -> None:
    with pytest.raises(BadParameter) as raised:
        Sieve(**{name: value})
    assert str(raised.value) == message


def test_values_within_bounds_are_taken() -> None:
    Sieve(mesh=2, shakes=1, wood="pine", tags=("p", "h-1"), hosts=("a.b",), wet=True, depth=0)
    Sieve(depth=None)


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("mesh", "1.5", 1.5),
        ("shakes", "4", 4),
        ("wood", "pine", "pine"),
        ("tags", "p, li", ("p", "li")),
        ("wet", "Yes", True),
        ("wet", "off", False),
        ("depth", "none", None),
        ("depth", "0.25", 0.25),
    ],
)
def test_texts_are_read(name: str, text: str, value: Any) -> None:
    assert NAMED[name].read(text) == value


def test_a_text_that_says_nothing_is_refused_as_it_was_written() -> None:
    with pytest.raises(BadParameter, match="wet must be true or false, not 'perhaps'"):
        catalog.read_settings("sieve", Sieve, {"wet": "perhaps"})
    with pytest.raises(BadParameter, match="shakes must be a whole number of at least 1"):
        catalog.read_settings("sieve", Sieve, {"shakes": "1.5"})


def test_schemas() -> None:
    assert NAMED["mesh"].schema == {"type": "number", "exclusiveMinimum": 0, "maximum": 2}
    assert NAMED["wood"].schema == {"enum": ["oak", "pine"]}
    assert NAMED["tags"].schema == {
        "type": "array",
        "items": {"type": "string", "pattern": TAG_NAME},
        "minItems": 1,
    }
    assert NAMED["depth"].schema["anyOf"][1] == {"type": "null"}


def test_the_declaration_is_kept() -> None:
    assert (NAMED["mesh"].about, NAMED["mesh"].source) == ("Width of the holes.", "paper")
    assert NAMED["plain"].about == ""


ENTRIES = [pytest.param(entry, id=f"{entry.task}-{entry.name}") for entry in catalog.METHODS]


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_parameter_is_declared(entry: catalog.Entry) -> None:
    for parameter in parameters(entry.load()):
        assert parameter.about.endswith((".", ")")), parameter.name
        assert parameter.kind not in (int, float) or parameter.bounds, parameter.name
        parameter.check(parameter.default)
