"""``joeira methods``: every method with its paper, parameters and measured F1.

Everything is read from the methods themselves, so that a default is written once; the table in the
docs is what ``joeira methods --to markdown`` writes.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog
from joeira.catalog import Description
from joeira.cli import options, writing
from joeira.errors import UsageError
from joeira.params import Parameter

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
            help="Show the details of this method.",
            autocompletion=options.complete_method,
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="TASK", help="Only methods for this task, such as content."),
    ] = None,
    to: Annotated[Format, typer.Option("--to", help="Output.")] = Format.TABLE,
) -> None:
    """List the methods: task, paper, parameters and measured F1."""
    entries = catalog.entries(task) if name is None else catalog.find_all(name, task)
    described = [catalog.describe(entry) for entry in entries]
    if not described:
        tasks = dict.fromkeys(entry.task for entry in catalog.entries())
        message = f"no method for the task {task!r}; tasks: {', '.join(tasks)}"
        raise UsageError(message)
    if to == Format.JSON:
        data = [method.to_dict() for method in described]
        writing.to_stdout(json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n")
    elif to == Format.MARKDOWN:
        whole = "\n".join(map(reference, described)) if name else markdown(described)
        writing.to_stdout(whole)
    elif name:
        for method in described:
            writing.show(_card(method))
    else:
        writing.show(_table(described))


def markdown(described: list[Description]) -> str:
    """Return the table of the documentation."""
    data_sets = dict.fromkeys(name for method in described for name in method.f1)
    rows = [["name", "task", "paper", *(f"F1 on {name}" for name in data_sets)]]
    rows += [["---"] * len(rows[0])]
    for method in described:
        f1 = [_number(method.f1.get(name)) for name in data_sets]
        names = ", ".join(f"`{name}`" for name in (method.name, *method.aliases))
        rows.append([names, method.task, method.citation or method.summary, *f1])
    return "".join(
        f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n" for row in rows
    )


def reference(method: Description) -> str:
    """Return all there is to know about a method, as Markdown; the documentation has it too."""
    lines = [f"`{method.name}` ({method.task}): {method.summary}", ""]
    lines += [f"{line}\n" for line in _works(method)]
    lines += [
        f"- `{parameter.name} = {parameter.default!r}` ({_values(parameter)}) {parameter.about}"
        for parameter in method.parameters
    ]
    if method.presets:
        names = ", ".join(f"`preset={name}`" for name in method.presets)
        lines += ["", f"Presets: {names}"]
    return "\n".join(lines).rstrip() + "\n"


def _works(method: Description) -> list[str]:
    """Return its papers, a line each, then the work by which it came to Joeira."""
    lines = [str(paper) for paper in method.papers]
    if method.origin and method.origin not in method.papers:
        lines.append(f"Adopted from: {method.origin}")
    return lines


def _values(parameter: Parameter) -> str:
    """Return which values a parameter takes, and where the default comes from."""
    return (
        f"{parameter.values}; from the {parameter.source}" if parameter.source else parameter.values
    )


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
        names = "\n".join((method.name, *method.aliases))
        table.add_row(names, method.task, method.citation or method.summary, parameters, *f1)
    return table


def _card(method: Description) -> RenderableType:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    lines = [f"  {method.task}", method.summary, *_works(method)]
    lines += [f"Aliases: {', '.join(method.aliases)}."] if method.aliases else []
    lines += [f"F1 on {name}: {_number(f1)}" for name, f1 in method.f1.items()]
    head = Text(method.name, "bold").append("\n".join(lines) + "\n", "not bold")
    if not method.parameters:
        return head.append("no parameters", "not bold")
    table = Table("parameter", "default", "values", "", box=None, pad_edge=False)
    for one in method.parameters:
        table.add_row(one.name, repr(one.default), Text(_values(one)), Text(one.about))
    return Group(head, table)


def _number(f1: float | None) -> str:
    return "" if f1 is None else f"{f1:.3f}"
