"""``joeira methods``: every method with its paper, parameters and measured F1.

Everything is read from the methods themselves, so that a default is written once; the table in the
README is what ``joeira methods --to markdown`` writes.
"""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog
from joeira.cli import options, writing
from joeira.descriptions import Description
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
