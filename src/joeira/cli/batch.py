"""``joeira batch``: many pages to shards of rows, exactly one row for each page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from joeira import catalog
from joeira.cli import options
from joeira.cli.ending import ExitCode, say
from joeira.errors import OutputError, UsageError


class Task(StrEnum):
    """What is extracted."""

    CONTENT = "content"
    RECORDS = "records"
    SEGMENTS = "segments"
    ALL = "all"


class Form(StrEnum):
    """How rows are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class Engine(StrEnum):
    """What divides the work."""

    LOCAL = "local"
    SPARK = "spark"


class Schema(StrEnum):
    """How columns are named."""

    JOEIRA = "joeira"
    FINEWEB = "fineweb"


EXAMPLES = options.examples(
    "joeira batch crawl/*.warc.gz -o rows/ --to parquet",
    "joeira batch pages/ -o rows/ --site --task all --workers 4 --timeout 10",
)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


def batch(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="HTML files, folders, .jsonl(.gz, .zst) with html in each line, .warc(.gz), or "
            ".txt files that list them, or web addresses.",
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the shards go.")
    ],
    task: Annotated[Task, typer.Option(help="What is extracted.")] = Task.CONTENT,
    method: options.Method = catalog.DEFAULT_CONTENT,
    to: Annotated[Form, typer.Option("--to", help="How rows are written.")] = Form.JSONL,
    schema: Annotated[Schema, typer.Option(help="How columns are named.")] = Schema.JOEIRA,
    markdown: Annotated[bool, typer.Option("--markdown", help="Also write Markdown.")] = False,
    visible_only: options.VisibleOnly = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes. Default: one for each processor."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit of a page.")
    ] = 5.0,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory limit of a page, such as 512M or 2G.")
    ] = "1G",
    site: Annotated[
        bool,
        typer.Option(
            "--site",
            help="Learn every site first, and read its pages in the light of each other; "
            "with --task segments by the method som.",
        ),
    ] = False,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch pages at web addresses, one after the other.")
    ] = False,
    engine: Annotated[
        Engine, typer.Option(help="This machine's processes, or Apache Spark.")
    ] = Engine.LOCAL,
    master: Annotated[
        str, typer.Option(metavar="URL", help="Which Spark, with --engine spark.")
    ] = "local[*]",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start anew where an output exists.")
    ] = False,
) -> None:
    """Extract from many pages: exactly one row for each, whatever the pages do.

    A run that was stopped or killed goes on when the same command is given again. A page that
    crashes, hangs or eats memory becomes a row with that status.
    """
    from joeira.batch import Job, Limits, Output, Summary, run
    from joeira.batch.job import site_method_for

    limits = Limits(timeout, _bytes(memory))
    learner = site_method_for(task.value) if site else None
    job = Job(task.value, method, markdown, visible_only, limits, learner)
    where = Output(output, to.value, schema.value, overwrite=overwrite)
    began = time.monotonic()
    try:
        done: Summary
        if engine is Engine.SPARK:
            from joeira import spark

            if fetch:
                raise UsageError("Spark reads files: --fetch is for one machine")
            done = spark.run(inputs, where, job, master=master)
        else:
            with _progress() as progress:
                done = run(
                    inputs, where, job, workers=workers, progress=progress, fetch=_fetch(fetch)
                )
    except (SystemExit, KeyboardInterrupt):
        say("stopped: every finished shard is safe; the same command goes on from there")
        raise
    except OutputError as error:
        hint = "once it can be written, the same command goes on from there"
        raise OutputError(f"{error}; {hint}") from error
    say(_told(done.rows, done.counts, done.resumed_rows, time.monotonic() - began))
    if done.failed:
        raise typer.Exit(ExitCode.SOME_FAILED)


def _fetch(is_wanted: bool) -> Callable[[str], tuple[str, bytes | str]] | None:
    """Return how pages are fetched, by the client that refuses private addresses."""
    if not is_wanted:
        return None
    from joeira.fetch.fetcher import Fetcher

    return Fetcher(options.TIMEOUT_SECONDS, options.MAX_BYTES, allow_private=False).fetch


def _told(rows: int, counts: dict[str, int], resumed: int, seconds: float) -> str:
    """Return the one line at the end."""
    parts = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    new = rows - resumed
    told = f"{rows} page{'s' * (rows != 1)}: {parts or 'none'}"
    if resumed:
        told += f" ({resumed} of them from an earlier run)"
    return f"{told}; {seconds:.1f} s, {new / max(seconds, 1e-9):.1f} pages/s"


def _bytes(size: str) -> int:
    found = _SIZE.fullmatch(size.strip())
    if found is None:
        raise UsageError(f"--memory needs a size such as 512M or 2G, not {size!r}")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


@contextmanager
def _progress() -> Iterator[Callable[..., None] | None]:
    """Show on standard error how the run goes, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    words = TextColumn("{task.description}")
    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), words)
    began = time.monotonic()
    with Progress(*columns, console=console, transient=True) as bar:
        shown = bar.add_task("starting", total=None)

        def show(now: object) -> None:
            from joeira.batch import Summary

            assert isinstance(now, Summary)
            rate = (now.rows - now.resumed_rows) / max(time.monotonic() - began, 1e-9)
            told = (
                f"{now.rows} pages, {rate:.0f}/s; ok {now.counts['ok']}, empty "
                f"{now.counts['empty']}, failed {now.failed}; slowest {now.slowest[0]:.0f} ms"
            )
            bar.update(
                shown, completed=now.done_bytes, total=now.total_bytes or None, description=told
            )

        yield show
