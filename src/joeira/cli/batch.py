"""``joeira batch``: many pages to shards of rows, exactly one row for each page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog
from joeira.cli import options
from joeira.cli.inputs import Reader, may_list_pages
from joeira.cli.writing import ExitCode, LineAMinute, say
from joeira.errors import InputError, JoeiraError, OutputError, UsageError
from joeira.isolation.work import keep_freed_memory
from joeira.params import parameters

if TYPE_CHECKING:
    from joeira.batch import Summary


class Task(StrEnum):
    """What to extract."""

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
    """Names of the columns."""

    JOEIRA = "joeira"
    FINEWEB = "fineweb"


EXAMPLES = options.examples(
    "joeira batch crawl/*.warc.gz -o rows/ --to parquet",
    "joeira batch pages/ -o rows/ --task records --method mdr --metadata title,date --workers 4",
)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


def batch(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="HTML files, folders, .jsonl(.gz, .zst) with html in each line, .warc(.gz), or "
            ".txt files that list them, web addresses, or s3://, gs:// and az://.",
        ),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where the shards go: a folder, or an address such as s3://bucket/rows.",
        ),
    ],
    task: Annotated[Task, typer.Option(help="What to extract.")] = Task.CONTENT,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            metavar="NAME",
            help="Method of the task; with --task all, the content method, plus records=NAME or "
            "segments=NAME for the others. `joeira methods` lists them.",
            autocompletion=options.complete_method,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of the method, or of another as records.NAME=VALUE; repeatable.",
        ),
    ] = None,
    metadata: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Metadata columns, separated by commas, such as title,date; or all, or none. "
            "Default: all with content, none with --task records or segments.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Form, typer.Option("--to", help="Output format of the rows: jsonl, parquet.")
    ] = Form.JSONL,
    schema: Annotated[Schema, typer.Option(help="Names of the columns.")] = Schema.JOEIRA,
    markdown: Annotated[bool, typer.Option("--markdown", help="Also write Markdown.")] = False,
    visible_only: options.VisibleOnly = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Worker processes. Default: one per processor."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit per page.")
    ] = 5.0,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory limit per page, such as 512M or 2G.")
    ] = "1G",
    site: Annotated[
        bool,
        typer.Option(
            "--site",
            help="Learn every site first, then extract its pages with the learned model (with "
            "--task segments, by the method som).",
        ),
    ] = False,
    wrapper: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Read records with a wrapper from `joeira records learn`."
        ),
    ] = None,
    fetch: Annotated[
        bool,
        typer.Option("--fetch", help="Fetch pages from web addresses, from many hosts at once."),
    ] = False,
    delay: Annotated[
        float,
        typer.Option(min=0, metavar="SECONDS", help="Seconds to wait between two pages of a host."),
    ] = 1.0,
    engine: Annotated[
        Engine, typer.Option(help="Run in local processes or on Apache Spark.")
    ] = Engine.LOCAL,
    master: Annotated[
        str, typer.Option(metavar="URL", help="Address of the Spark master, with --engine spark.")
    ] = "local[*]",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start over if the output exists.")
    ] = False,
) -> None:
    """Extract from many pages, with exactly one row per page.

    If a run is stopped or killed, the same command resumes it. A page that crashes, hangs or
    exhausts memory becomes a row with that status.
    """
    from joeira.batch import Job, Limits, Output, run
    from joeira.batch.job import site_method_for

    job = Job(
        task.value,
        markdown=markdown,
        visible_only=visible_only,
        limits=Limits(timeout, _bytes(memory)),
        site_method=site_method_for(task.value) if site else None,
        metadata=_metadata(metadata),
        **_with_wrapper(task, wrapper, _methods(task, method or [], settings)),
    )
    where = Output(output, to.value, schema.value, overwrite=overwrite)
    if fetch:
        inputs = _with_named_pages(inputs)
    began = time.monotonic()
    try:
        done: Summary
        if engine is Engine.SPARK:
            from joeira import spark

            if fetch:
                raise UsageError(
                    "--fetch does not work with --engine spark, which reads files only"
                )
            done = spark.run(inputs, where, job, master=master)
        else:
            keep_freed_memory()
            with _progress() as progress, _fetching(inputs, fetch, delay) as get:
                done = run(inputs, where, job, workers=workers, progress=progress, fetch=get)
    except (SystemExit, KeyboardInterrupt):
        say("stopped: all finished shards are safe; run the same command to resume")
        raise
    except OutputError as error:
        hint = "when it can be written again, run the same command to resume"
        raise OutputError(f"{error}; {hint}") from error
    except UsageError:
        raise
    except (JoeiraError, OSError, MemoryError) as error:  # the run has not come to its end
        told = getattr(error, "strerror", None) or str(error) or "out of memory"
        raise OutputError(f"{told}; run the same command to resume after the last shard") from error
    say(_told(done.rows, done.counts, done.resumed_rows, time.monotonic() - began))
    if done.failed:
        raise typer.Exit(ExitCode.SOME_FAILED)


def _with_wrapper(task: Task, wrapper: str | None, methods: dict[str, Any]) -> dict[str, Any]:
    """Return the methods of a job with a wrapper for records."""
    if wrapper is None:
        return methods
    name = {Task.RECORDS: "method", Task.ALL: "records_method"}.get(task)
    if name is None:
        raise UsageError(f"--wrapper is for records, not for --task {task.value}")
    if name in methods:
        raise UsageError("--wrapper cannot be combined with a record method; remove one of them")
    from joeira.records.wrapper import Wrapper

    return {**methods, name: Wrapper.load(wrapper)}


def _methods(task: Task, names: list[str], settings: list[str] | None) -> dict[str, Any]:
    """Return the methods of a job by its fields, from ``NAME`` or ``TASK=NAME`` and settings."""
    from joeira.batch.job import COLUMN_OF, DEFAULTS

    own = Task.CONTENT.value if task is Task.ALL else task.value
    parts = list(COLUMN_OF) if task is Task.ALL else [own]
    name_of: dict[str, str] = {}
    values_of: dict[str, dict[str, str]] = {}
    for text in names:
        part, _, name = text.rpartition("=")
        name_of[part.strip() or own] = name.strip()
    for key, value in options.read_settings(settings).items():
        # The parts of a parameter have dots too: `prefilter.frequent`.
        part, dot, name = key.partition(".")
        if not dot or part.strip() in _groups(name_of.get(own, DEFAULTS[own]), own):
            part, name = own, key
        values_of.setdefault(part.strip(), {})[name] = value
    for part in {**name_of, **values_of}:
        if part not in parts:
            known = ", ".join(parts)
            raise UsageError(f"--task {task.value} has methods for {known}, not for {part!r}")
    return {
        "method" if part == own else f"{part}_method": catalog.build(
            name_of.get(part, DEFAULTS[part]), values_of.get(part), part
        )
        for part in {**name_of, **values_of}
    }


def _groups(name: str, task: str) -> set[str]:
    """Return the parameters of a method that are given in parts, or could be."""
    method = catalog.find(name, task).load()
    named = {parameter.name for parameter in parameters(method) if parameter.group}
    return named | ({"prefilter"} if task == Task.RECORDS.value else set())


def _metadata(names: str | None) -> tuple[str, ...] | None:
    """Return the columns of metadata that are wanted; None if nobody says."""
    from joeira.batch.job import METADATA

    if names is None:
        return None
    if names in ("all", "none"):
        return METADATA if names == "all" else ()
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _with_named_pages(inputs: list[str]) -> list[str]:
    """Return the inputs; for each feed and sitemap, the pages that it names."""
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
    opened: list[str] = []
    for name in inputs:
        named = None
        with suppress(InputError):  # its row will say why
            named = reader.read_listing(name) if may_list_pages(name) else None
        opened += [name] if named is None else named
    return opened


@contextmanager
def _fetching(
    inputs: list[str], is_wanted: bool, delay_seconds: float
) -> Iterator[Callable[[str], tuple[str, bytes | str]] | None]:
    """Give what fetches the pages at addresses, by the client that refuses private ones."""
    if not is_wanted:
        yield None
        return
    from joeira.batch.sources import expand, is_page_address
    from joeira.fetch.ahead import Ahead, Pace
    from joeira.fetch.fetcher import Fetcher

    addresses = [name for name in expand(inputs) if is_page_address(name)]
    fetcher = Fetcher(options.TIMEOUT_SECONDS, options.MAX_BYTES, allow_private=False)
    with Ahead(addresses, fetcher, Pace(delay_seconds=delay_seconds)) as ahead:
        yield ahead.fetch


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
        raise UsageError(f"--memory must be a size such as 512M or 2G, not {size!r}")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


@contextmanager
def _progress() -> Iterator[Callable[[Summary], None]]:
    """Show on standard error how the run goes: on a terminal as a bar, else by a line a minute."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        lines = LineAMinute("extracting")

        def tell(now: Summary) -> None:
            expected = round(now.rows * now.total_bytes / max(now.done_bytes, 1))
            lines(now.rows - now.resumed_rows, expected - now.resumed_rows)

        yield tell
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    words = TextColumn("{task.description}")
    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), words)
    began = time.monotonic()
    with Progress(*columns, console=console, transient=True) as bar:
        shown = bar.add_task("starting", total=None)

        def show(now: Summary) -> None:
            rate = (now.rows - now.resumed_rows) / max(time.monotonic() - began, 1e-9)
            told = (
                f"{now.rows} pages, {rate:.0f}/s; ok {now.counts['ok']}, empty "
                f"{now.counts['empty']}, failed {now.failed}; slowest {now.slowest[0]:.0f} ms"
            )
            bar.update(
                shown, completed=now.done_bytes, total=now.total_bytes or None, description=told
            )

        yield show
