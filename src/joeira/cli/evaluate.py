"""``joeira evaluate``: measure methods and peers on pages with gold annotations."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import __version__, catalog
from joeira.cli import options, writing
from joeira.cli.writing import ExitCode, say
from joeira.errors import UsageError

if TYPE_CHECKING:  # no other command needs any of it, and all of them start with this module
    from joeira.evaluation.compare import Evaluation
    from joeira.evaluation.datasets import Source
    from joeira.evaluation.marked_sites import SiteSegments
    from joeira.evaluation.report import Told
    from joeira.evaluation.site_scores import SiteEvaluation

    SiteReport = SiteEvaluation | SiteSegments
    Progress = Callable[[int, int], None]


class Task(StrEnum):
    """What to measure."""

    CONTENT = "content"
    RECORDS = "records"
    SEGMENTS = "segments"
    SITE = "site"
    SITE_SEGMENTS = "site_segments"
    METADATA = "metadata"
    POSTS = "posts"
    PRODUCT = "product"


class Grouping(StrEnum):
    """What pages can be grouped by."""

    PAGE_TYPE = "page_type"
    LANGUAGE = "lang"


class Form(StrEnum):
    """How the report is written to standard output."""

    TABLE = "table"
    MARKDOWN = "markdown"


EXAMPLES = options.examples(
    "joeira evaluate pages.jsonl.gz --methods nce,bte --json report.json",
    "joeira evaluate lists.jsonl.gz --task records --methods 'mdr,mdr[prefilter=tps]' --compare",
)


def evaluate(
    data_sets: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATASET", help="Data sets with gold annotations: .jsonl, .jsonl.gz, .jsonl.xz."
        ),
    ],
    *,
    task: Annotated[Task, typer.Option(help="What to measure.")] = Task.CONTENT,
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Methods, separated by commas, each as name or name\\[key=value;key=value]; "
            "peer:name is another library. Default: every method for the task (posts: "
            "learned).",
            show_default=False,
        ),
    ] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the report as JSON.")
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare the first method with each of the others, page by page; for records, "
            "also how much of its noise the others remove.",
        ),
    ] = False,
    by: Annotated[
        Grouping | None,
        typer.Option(help="Group the pages by this field only (content). Default: by both."),
    ] = None,
    top: Annotated[
        int,
        typer.Option(min=1, metavar="K", help="Also measure the first K tables of records alone."),
    ] = 1,
    cjk: Annotated[
        bool | None,
        typer.Option(
            "--cjk/--no-cjk",
            help="Count each Han, kana, hangul or Thai character as a word. Default: if the gold "
            "contains such scripts.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="PAGES", help="Use only the first pages.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Worker processes. Default: one per processor."),
    ] = None,
    to: Annotated[
        Form, typer.Option("--to", help="Format of the report: table, markdown.")
    ] = Form.TABLE,
) -> None:
    """Measure methods and other libraries on pages with gold annotations.

    The task posts measures the posts of threads with their authors and dates.
    With the tasks site and site_segments, each data set is one site, and methods learn from its
    pages without the gold.

    The report covers words, runs of four words and snippets by page type and language, or records
    found and missed, or the agreement of segments, with 95 % intervals, CPU time per page and
    failures.
    """
    from joeira.evaluation import compare as comparing
    from joeira.evaluation import contenders, datasets

    sources = [datasets.find(path, limit) for path in data_sets]
    if task in (Task.SITE, Task.SITE_SEGMENTS):
        measure = _measure_sites(task, contenders.split_names(methods), cjk)
        with writing.progress_bar("sites") as progress:
            measured = measure(sources, progress)
        _show_sites(measured, json_file, to)
        return
    names = contenders.split_names(methods) or default_names(task)
    if compare and len(names) < 2:
        message = "--compare needs at least two methods"
        raise UsageError(message)
    groupings = comparing.GROUPINGS if by is None else (by.value,)
    how = comparing.Options(cjk, workers, task=task.value, first_tables=top)
    reports: list[Told] = []
    for source in sources:
        with writing.progress_bar(source.name) as progress:
            evaluation = comparing.evaluate(source, names, how, progress)
        report = _report(task, evaluation, groupings, compare)
        _show(report, to)
        reports.append(report)
    if json_file is not None:
        found = {"joeira": __version__, "data_sets": [report.to_dict() for report in reports]}
        writing.to_file(json_file, json.dumps(found, indent=1) + "\n")
    failed = sum(len(f) for report in reports for f in report.evaluation.failures.values())
    if failed:
        say(f"{failed} failure{'s' * (failed > 1)}; the report lists the pages")
        raise typer.Exit(ExitCode.SOME_FAILED)


def _measure_sites(
    task: Task, names: list[str], cjk: bool | None
) -> Callable[[list[Source], Progress], SiteReport]:
    """Return what measures site methods: each data set is a site, and one report is of all."""
    from joeira.evaluation import marked_sites, site_scores

    if task is Task.SITE_SEGMENTS:
        named = names or marked_sites.default_names()
        return lambda sources, progress: marked_sites.evaluate(sources, named, progress)
    named = names or site_scores.default_names()
    return lambda sources, progress: site_scores.evaluate(sources, named, cjk, progress)


def _show_sites(found: SiteReport, json_file: Path | None, form: Form) -> None:
    notes = "".join(f"- {note}\n" for note in found.notes())
    if form is Form.MARKDOWN:
        tables = "\n".join(grid.markdown() for grid in found.grids())
        writing.to_stdout(f"{notes}\n{tables}\n")
    else:
        writing.to_stdout(notes)
        writing.show(*(grid.rich() for grid in found.grids()))
    if json_file is not None:
        told = {"joeira": __version__, **found.to_dict()}
        writing.to_file(json_file, json.dumps(told, indent=1) + "\n")


def default_names(task: Task = Task.CONTENT) -> list[str]:
    """Return the methods of the catalog for a task that need nothing else to be installed."""
    if task in (Task.METADATA, Task.PRODUCT):
        return [task.value]  # each has one reader of its own
    if task is Task.POSTS:
        return [catalog.DEFAULT_CONTENT]  # few others know a thread when they see one
    return [entry.name for entry in catalog.entries(task.value) if not entry.needs]


def _report(task: Task, evaluation: Evaluation, groupings: Sequence[str], compare: bool) -> Told:
    from joeira.evaluation import task_reports
    from joeira.evaluation.report import Report

    if task is Task.RECORDS:
        return task_reports.RecordReport(evaluation, compare)
    if task is Task.SEGMENTS:
        return task_reports.SegmentReport(evaluation)
    if task is Task.METADATA:
        return task_reports.FactsReport(evaluation)
    if task is Task.POSTS:
        return task_reports.PostReport(evaluation)
    if task is Task.PRODUCT:
        return task_reports.ProductReport(evaluation)
    return Report(evaluation, groupings, compare)


def _show(report: Told, form: Form) -> None:
    from joeira.evaluation.report import markdown

    if form is Form.MARKDOWN:
        writing.to_stdout(f"{markdown(report)}\n")
        return
    notes = "\n".join([report.evaluation.name, *(f"- {note}" for note in report.notes()), ""])
    writing.to_stdout(notes)
    writing.show(*(grid.rich() for grid in report.grids()))
