"""``joeira compare``: what an upgrade changes, page by page."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira.cli import options, writing
from joeira.cli.writing import ExitCode, printable
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from joeira.evaluation.changes import Comparison, Rows
    from joeira.evaluation.report import Grid

EXAMPLES = options.examples(
    "joeira compare old.jsonl.gz new.jsonl.gz",
    "joeira compare rows-1.0/ rows-1.1/ --fields text,markdown --over 0.1 --to markdown",
)


class Form(StrEnum):
    """How the comparison is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def compare(
    old: Annotated[
        Path,
        typer.Argument(
            metavar="OLD",
            help="JSON Lines file (or .gz) with an id in each row, or an output folder of `joeira "
            "batch`.",
        ),
    ],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The output to compare it with.")],
    *,
    fields: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Only these fields, separated by commas. Default: all except those that record "
            "versions or settings.",
            show_default=False,
        ),
    ] = None,
    over: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="Count pages on which more than this share of the words changed.",
        ),
    ] = 0.05,
    most: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of most changed pages to list.")
    ] = 20,
    to: Annotated[Form, typer.Option("--to", help="Output.")] = Form.TEXT,
) -> None:
    """Compare two outputs for the same pages, such as those of two versions.

    The exit codes are those of diff: 0 if all compared fields are equal, 1 if something differs,
    2 if the outputs cannot be compared.
    """
    from joeira.evaluation import changes

    names = None if fields is None else _names(fields)
    how = changes.Options(names, over, most)
    try:
        with writing.progress_bar("comparing") as progress:
            found = changes.compare(_rows(old), _rows(new), how, progress)
    except InputError as error:  # 1 would say that they differ
        raise UsageError(writing.in_words(error)) from error
    if to is Form.JSON:
        writing.to_stdout(json.dumps(to_dict(found), ensure_ascii=False, indent=2) + "\n")
    elif to is Form.MARKDOWN:
        tables = "".join(f"\n{grid.markdown()}" for grid in _grids(found))
        writing.to_stdout(f"{summary(found)}\n{_not_compared(found)}{tables}")
    else:
        writing.to_stdout(f"{summary(found)}\n{_not_compared(found)}")
        writing.show(*(grid.rich() for grid in _grids(found)))
    raise typer.Exit(ExitCode.SOME_FAILED if found.differs else ExitCode.OK)


def _names(fields: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in fields.split(",") if name.strip())
    if not names:
        message = "--fields is empty"
        raise UsageError(message)
    return names


def _rows(path: Path) -> Rows:
    """Return the rows of a file, or of all shards in the folder of a batch."""
    from joeira.batch.output import shards_in
    from joeira.evaluation.changes import Rows

    if path.is_dir():
        shards = tuple(path / name for name in shards_in(path))
        if not shards:
            raise UsageError(f"{path}: no shards of a batch in this folder; name a .jsonl file")
        return Rows(shards)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; check the path")
    return Rows((path,))


def summary(found: Comparison) -> str:
    """Return one line that says it all."""
    pages = f"{found.pages:,} page{'s' * (found.pages != 1)} in both"
    parts = [f"{found.equal_pages:,} equal", f"{found.changed_pages:,} changed"]
    if found.changed_pages:
        parts[1] += f" ({found.over_pages:,} by more than {found.options.over:.0%} of the words)"
    unpaired = f"only in OLD: {found.only_old_rows:,}, only in NEW: {found.only_new_rows:,}"
    return f"{pages}: {', '.join(parts)}; {unpaired}"


def _not_compared(found: Comparison) -> str:
    """Return a line each for what was left out, and for pages that are in one output only."""
    lines = [f"Not compared: {', '.join(found.ignored)}"] if found.ignored else []
    for side, ids, rows in (
        ("OLD", found.only_old, found.only_old_rows),
        ("NEW", found.only_new, found.only_new_rows),
    ):
        more = f" and {rows - len(ids):,} more" if rows > len(ids) else ""
        lines += [f"Only in {side}: {printable(', '.join(ids))}{more}"] if ids else []
    return "".join(f"{line}\n" for line in lines)


def _grids(found: Comparison) -> list[Grid]:
    from joeira.evaluation.report import Grid

    head = ["field", "equal", "changed", "only in OLD", "only in NEW"]
    head += ["words changed", f"pages over {found.options.over:.0%}"]
    rows = []
    for name, count in found.fields.items():
        size = "" if count.mean_size is None else f"{count.mean_size:.2%}"
        over = "" if count.mean_size is None else f"{count.over:,}"
        numbers = (count.equal, count.changed, count.only_old, count.only_new)
        rows.append([printable(name), *(f"{number:,}" for number in numbers), size, over])
    grids = [Grid("fields", head, rows)] if rows else []
    changes = [
        [
            *map(_one_line, (change.id, change.field, change.lost, change.gained)),
            _one_line(", ".join(change.also)),
            "" if change.size is None else f"{change.size:.1%}",
        ]
        for change in found.most_changed
    ]
    head = ["page", "field", "lost", "gained", "also changed", "words changed"]
    grids += [Grid("most changed pages", head, changes, len(head) - 1)] if changes else []
    return grids


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data."""
    return {
        "summary": summary(found),
        "pages": found.pages,
        "equal": found.equal_pages,
        "changed": found.changed_pages,
        "over": {"share": found.options.over, "pages": found.over_pages},
        "only_old": {"pages": found.only_old_rows, "first": found.only_old},
        "only_new": {"pages": found.only_new_rows, "first": found.only_new},
        "not_compared": list(found.ignored),
        "fields": {
            name: {
                "equal": count.equal,
                "changed": count.changed,
                "only_old": count.only_old,
                "only_new": count.only_new,
                "words_changed": count.mean_size,
                "over": None if count.mean_size is None else count.over,
            }
            for name, count in found.fields.items()
        },
        "most_changed": [dataclasses.asdict(change) for change in found.most_changed],
    }
