"""``joeira methods``: every method with its paper, parameters and measured F1.

Everything is read from the methods themselves, so that a default is written once; the table in the
README is what ``joeira methods --to markdown`` writes.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog
from joeira.cli import options, writing
from joeira.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

EXAMPLES = options.examples("joeira methods --task content", "joeira methods nce")


class Format(StrEnum):
    """What the list is written as."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A method, to see all about it.",
            autocompletion=options.complete_method,
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Only methods for a task, such as content.")
    ] = None,
    to: Annotated[Format, typer.Option("--to", help="Output.")] = Format.TABLE,
) -> None:
    """List the methods: task, paper, parameters and measured F1."""
    if name is not None:
        described = [Description.of(catalog.find(name, task))]
    else:
        described = [Description.of(entry) for entry in catalog.entries(task)]
    if not described:
        tasks = dict.fromkeys(entry.task for entry in catalog.entries())
        message = f"no method for the task {task!r}; tasks: {', '.join(tasks)}"
        raise UsageError(message)
    if to == Format.JSON:
        data = [dataclasses.asdict(method) for method in described]
        writing.to_stdout(json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n")
    elif to == Format.MARKDOWN:
        writing.to_stdout(_markdown_of_one(described[0]) if name else markdown(described))
    else:
        writing.show(_drawn(described[0]) if name else _table(described))


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a method, as its dataclass has it."""

    name: str
    kind: str
    default: Any
    about: str


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
            field.default_factory()
            if field.default_factory is not dataclasses.MISSING
            else field.default,
            about.get(field.name, ""),
        )
        for field in dataclasses.fields(method)
        if field.init
    ]


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


def markdown(described: list[Description]) -> str:
    """Return the table of the README."""
    data_sets = dict.fromkeys(name for method in described for name in method.f1)
    rows = [["name", "task", "paper", *(f"F1 on {name}" for name in data_sets)]]
    rows += [["---"] * len(rows[0])]
    for method in described:
        f1 = [_number(method.f1.get(name)) for name in data_sets]
        rows.append([f"`{method.name}`", method.task, method.paper or method.summary, *f1])
    return "".join(
        f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n" for row in rows
    )


def _markdown_of_one(method: Description) -> str:
    lines = [f"`{method.name}` ({method.task}): {method.summary}", ""]
    lines += [method.paper, ""] if method.paper else []
    lines += [
        f"- `{parameter.name}: {parameter.kind} = {parameter.default!r}` {parameter.about}".rstrip()
        for parameter in method.parameters
    ]
    return "\n".join(lines).rstrip() + "\n"


def _table(described: list[Description]) -> RenderableType:
    from rich.table import Table

    data_sets = dict.fromkeys(name for method in described for name in method.f1)
    table = Table(*("name", "task", "paper", "parameters"), box=None, pad_edge=False)
    for name in data_sets:
        table.add_column(f"F1 {name}", justify="right")
    table.columns[0].no_wrap = True
    for method in described:
        parameters = "\n".join(f"{one.name}={one.default!r}" for one in method.parameters)
        f1 = [_number(method.f1.get(name)) for name in data_sets]
        table.add_row(method.name, method.task, method.paper or method.summary, parameters, *f1)
    return table


def _drawn(method: Description) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    head = Text(method.name, "bold").append(f"  {method.task}\n{method.summary}\n", "not bold")
    if method.paper:
        head.append(f"{method.paper}\n", "not bold")
    for name, f1 in method.f1.items():
        head.append(f"F1 on {name}: {_number(f1)}\n", "not bold")
    if not method.parameters:
        return head.append("no parameters", "not bold")
    table = Table("parameter", "type", "default", "", box=None, pad_edge=False)
    for one in method.parameters:
        table.add_row(one.name, one.kind, repr(one.default), one.about)
    return Group(head, table)


def _number(f1: float | None) -> str:
    return "" if f1 is None else f"{f1:.3f}"
