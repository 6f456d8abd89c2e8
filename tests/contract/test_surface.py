"""The public names: all that users type, and all that public calls return.

Every class of ours that can be reached from a public function, by what is annotated to be returned
and by the public fields, properties and methods of that, is a public name, here or in the public
package that it belongs to.
"""

from __future__ import annotations

import ast
import inspect
import sys
import typing
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import joeira

SOURCE = Path(joeira.__file__).parent
PUBLIC = {name: getattr(joeira, name) for name in joeira.__all__}
IN_PACKAGES = {
    name: getattr(package, name)
    for package in (joeira.records, joeira.sites)
    for name in package.__all__
}
"""Names of packages that are public themselves: types of what few people hold in their hands."""
MAX_NAMES = 50

each_package = pytest.mark.parametrize(
    "package",
    [
        "joeira",
        "joeira.batch",
        "joeira.content",
        "joeira.metadata",
        "joeira.records",
        "joeira.segments",
        "joeira.sites",
    ],
)


# What public calls return -----------------------------------------------------------------------


def public_functions() -> Iterator[tuple[str, Any]]:
    for package in (joeira, joeira.batch):
        for name in package.__all__:
            if inspect.isfunction(value := getattr(package, name)):
                yield f"{package.__name__}.{name}", value


def hints_of(annotated: Any) -> dict[str, Any]:
    """The annotations; names that a module imports only for type checkers are public ones."""
    return typing.get_type_hints(
        annotated, {**IN_PACKAGES, **PUBLIC, **vars(sys.modules[annotated.__module__])}
    )


def is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "joeira"


def classes_in(hint: Any) -> Iterator[type]:
    """Our classes in an annotation such as ``dict[str, tuple[Region, ...] | None]``."""
    if isinstance(hint, type) and is_ours(hint):
        yield hint
    for argument in typing.get_args(hint):
        yield from classes_in(argument)


def function_of(member: Any) -> Any:
    """The function behind a property, a class method and the like."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return getattr(member, "__func__", member)


def is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__call__", "__getitem__", "__iter__")


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public fields, properties and methods of a class, and what they are annotated to give."""
    yield from ((name, hint) for name, hint in hints_of(kind).items() if is_public(name))
    for base in filter(is_ours, kind.__mro__):
        for name, member in vars(base).items():
            if is_public(name) and inspect.isfunction(function := function_of(member)):
                yield name, hints_of(function).get("return")


def reached() -> dict[type, str]:
    """Every class of ours that can be reached, and from where."""
    waiting = [(hints_of(function)["return"], place) for place, function in public_functions()]
    places: dict[type, str] = {}
    while waiting:
        hint, place = waiting.pop()
        for kind in classes_in(hint):
            if places.setdefault(kind, place) is place:
                waiting += [(hint, f"{kind.__name__}.{name}") for name, hint in members(kind)]
    return places


def test_what_public_calls_return_is_public() -> None:
    public = set(filter(inspect.isclass, (*PUBLIC.values(), *IN_PACKAGES.values())))
    missing = {
        f"{kind.__module__}.{kind.__qualname__}": place
        for kind, place in reached().items()
        if kind not in public
    }
    assert not missing, "name it in joeira/__init__.py, or make what leads to it private"


def test_the_walk_goes_through_fields_properties_and_methods() -> None:
    places = reached()
    assert places[joeira.Attributes] == "Page.attributes"  # a field
    assert places[joeira.Metadata] == "Content.metadata"  # a cached property
    assert places[joeira.Characters] == "Page.characters"  # a lazy column
    assert places[joeira.Candidate] == "Metadata.candidates"  # a method
    assert places[joeira.BlockDecision] in ("Explanation.__iter__", "Explanation.about")
    assert places[joeira.Summary] == "joeira.batch.run"


def test_there_are_few_public_names() -> None:
    assert len(set(joeira.__all__)) == len(joeira.__all__) <= MAX_NAMES


def test_every_public_name_is_documented() -> None:
    pages = (SOURCE.parents[1] / "docs" / "api.md").read_text("utf-8")
    for name, value in PUBLIC.items():
        is_module = inspect.ismodule(value)
        places = [f":: joeira.{name}\n" if is_module else f":: {name}\n", f"`joeira.{name}`"]
        if getattr(value, "__module__", "") == "joeira.errors":
            places = [f"`{name}`"]  # and with all errors of that module
        assert any(place in pages for place in places), name
    assert pages.index("## Functions") < pages.index("autofunction") < pages.index("autoclass")


# Names that are imported when they are used -----------------------------------------------------


def table_of(package: str) -> dict[str, str]:
    table: dict[str, str] = import_module(package)._MODULE_OF
    return table


def checked_imports(package: str) -> dict[str, str]:
    """What type checkers are told: each name, and the module that has it or that it is."""
    source = SOURCE.parent.joinpath(*package.split("."), "__init__.py").read_text("utf-8")
    (block,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return {
        alias.name: f"joeira.{alias.name}" if node.module == "joeira" else str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@each_package
def test_programs_checkers_and_stars_see_the_same_names(package: str) -> None:
    table = table_of(package)
    assert checked_imports(package) == table
    assert set(import_module(package).__all__) - {"__version__"} == set(table)
    assert set(table) <= set(dir(import_module(package)))


@each_package
def test_every_name_is_where_the_table_has_it(package: str) -> None:
    for name, module in table_of(package).items():
        value = getattr(import_module(package), name)
        place = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", module)
        assert place == module


@each_package
def test_other_names_are_not_there(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'extrac'") as e:
        _ = import_module(package).extrac
    assert (e.value.name, e.value.obj) == ("extrac", import_module(package))  # for suggestions
