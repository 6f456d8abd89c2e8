"""What there is to know about a method, read from the method itself and the measured scores."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from joeira import catalog
from joeira.descriptions.values import schema_of


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a method, as its dataclass has it."""

    name: str
    kind: str
    default: Any
    about: str
    schema: dict[str, Any]
    """Which values it takes, as JSON Schema."""


@dataclasses.dataclass(frozen=True)
class Description:
    """What there is to know about a method."""

    name: str
    task: str
    summary: str
    paper: str | None
    parameters: list[Parameter]
    f1: dict[str, float]
    """Measured F1 by data set."""

    @classmethod
    def of(cls, entry: catalog.Entry) -> Description:
        """Read everything from the method and the measured scores."""
        method = entry.load()
        paper = getattr(method, "paper", None)
        scores = _scores().get(entry.task, {})
        return cls(
            name=entry.name,
            task=entry.task,
            summary=(inspect.getdoc(method) or "").partition("\n")[0],
            paper=str(paper) if paper else None,
            parameters=_parameters(method),
            f1={
                data: found["f1"][entry.name]
                for data, found in scores.items()
                if entry.name in found["f1"]
            },
        )


def _parameters(method: type[Any]) -> list[Parameter]:
    about = _field_docstrings(method)
    return [
        Parameter(
            field.name,
            field.type if isinstance(field.type, str) else field.type.__name__,
            default := _default(field),
            about.get(field.name, ""),
            schema_of(method, field.name, default),
        )
        for field in dataclasses.fields(method)
        if field.init
    ]


def _default(field: dataclasses.Field[Any]) -> Any:
    made = field.default_factory
    return made() if made is not dataclasses.MISSING else field.default


def _field_docstrings(method: type[Any]) -> dict[str, str]:
    """Return the strings written below fields, which Python itself does not keep."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(method))).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: " ".join(note.value.value.split())
        for field, note in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(note, ast.Expr)
        and isinstance(note.value, ast.Constant)
        and isinstance(note.value.value, str)
    }


@cache
def _scores() -> dict[str, dict[str, Any]]:
    """Return what was measured by task and data set; `joeira.evaluation.scores` writes it."""
    file = files("joeira") / "models" / "scores.json"
    if not file.is_file():
        return {}
    scores: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return scores
