"""An evaluation as plain data, Markdown and tables for the terminal.

A table is described once (`Grid`) and rendered in two ways, so that both always say the same.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from joeira.blockmodel import model
from joeira.evaluation.compare import GROUPINGS, Evaluation
from joeira.evaluation.metrics import METRICS, Difference, Score

if TYPE_CHECKING:
    from rich.table import Table

FAILURES_SHOWN = 10
_GROUPING_TITLES = {"page_type": "page type", "lang": "language"}


@dataclass(frozen=True)
class Grid:
    """A table before it is rendered."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    """Columns on the left that hold text; the others hold numbers."""

    def markdown(self) -> str:
        """Return a GFM table under its title."""
        rule = ["---" if self._is_text(number) else "---:" for number in range(len(self.head))]
        lines = [self.head, rule, *self.rows]
        table = "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)
        return f"### {self.title}\n\n{table}\n"

    def rich(self) -> Table:
        """Return a table for the terminal."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title=self.title, title_justify="left")
        for number, name in enumerate(self.head):
            table.add_column(name, justify="left" if self._is_text(number) else "right")
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def turned(self, corner: str) -> Grid:
        """Return the same table with rows for columns."""
        head, *rows = zip([corner, *self.head[1:]], *self.rows, strict=True)
        return Grid(self.title, head, rows)

    def _is_text(self, number: int) -> bool:
        return number < self.text_columns


class Told(Protocol):
    """What every report can say, whatever the task."""

    @property
    def evaluation(self) -> Evaluation:
        """What was measured."""
        ...

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        ...

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        ...


def markdown(report: Told) -> str:
    """Return a whole report as Markdown."""
    notes = "\n".join(f"- {note}" for note in report.notes())
    tables = "\n".join(grid.markdown() for grid in report.grids())
    return f"## {report.evaluation.name}\n\n{notes}\n\n{tables}"


def heading(evaluation: Evaluation) -> dict[str, Any]:
    """Return what every report says first: which pages were measured, for which task."""
    survey = evaluation.survey
    return {
        "name": evaluation.name,
        "task": evaluation.options.task,
        "pages": survey.pages,
        "without_gold": survey.without_gold,
        "fingerprint": survey.fingerprint,
    }


def failures(evaluation: Evaluation) -> Iterator[Grid]:
    """Yield a table of the pages on which contenders gave no output, if there are any."""
    rows = []
    for name, failed in evaluation.failures.items():
        rows += [[name, failure.page_id, failure.reason] for failure in failed[:FAILURES_SHOWN]]
        if len(failed) > FAILURES_SHOWN:
            reasons = Counter(failure.reason for failure in failed).most_common(1)
            more = f"{len(failed) - FAILURES_SHOWN} more"
            rows.append([name, more, f"most often: {reasons[0][0]}"])
    head = ["method", "page", "reason"]
    if rows:
        yield Grid(f"{evaluation.name}: failures", head, rows, len(head))


@dataclass(frozen=True)
class Report:
    """The report of one evaluation of content methods."""

    evaluation: Evaluation
    groupings: Sequence[str] = GROUPINGS
    compare: bool = False
    """Whether the first method is compared with each other one, page by page."""

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        notes = [f"{survey.pages} pages, fingerprint {survey.fingerprint}."]
        if survey.pages_of:
            pages = ", ".join(f"{count} of {name}" for name, count in survey.pages_of.items())
            notes.append(f"The gold is that of {self.evaluation.name}, the pages are {pages}.")
        if survey.without_text == survey.pages:
            notes.append("No page has gold text: only snippets are measured.")
        elif survey.without_text:
            left_out = f"{survey.without_text} without gold text"
            notes.append(f"Left out of words and shingles: {left_out}.")
        how = (
            "individually as words" if self.evaluation.split_cjk else "in runs, like other letters"
        )
        notes.append(
            f"Han, kana, hangul and Thai characters ({survey.cjk_share:.2%} of the gold's letters) "
            f"are counted {how}."
        )
        unseen = model.out_of_fold(self.evaluation.name)
        if unseen is not None and any(
            name.startswith("learned") for name in self.evaluation.measured
        ):
            notes.append(
                "The model of learned was trained on this data set: its scores here are too high. "
                f"On pages held out of training, its word F1 is {unseen:.4f}."
            )
        notes.append("ms: CPU time per page from source to text; intervals: 95 %, bootstrap.")
        return notes

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        yield self._overall()
        if self._scores["snippets"]:
            yield self._snippets()
        for grouping in self.groupings:
            if self._grouped_scores[grouping]:
                yield self._grouped(grouping)
        if self._differences:
            yield self._compared()
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        first, *others = evaluation.measured
        comparisons = [
            {"method": first, "other": other}
            | {
                metric: dataclasses.asdict(by_other[other])
                for metric, by_other in self._differences
            }
            for other in others
            if self._differences
        ]
        return {
            "name": evaluation.name,
            **dataclasses.asdict(evaluation.survey),
            "split_cjk": evaluation.split_cjk,
            "methods": {name: self._method(name) for name in evaluation.measured},
            "comparisons": comparisons,
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, Score]]:
        """By metric and method."""
        return {metric: self.evaluation.scores(metric) for metric in METRICS}

    @cached_property
    def _grouped_scores(self) -> dict[str, dict[str, dict[str, dict[str, Score]]]]:
        """By grouping, group, metric and method."""
        return {
            grouping: {
                group: {metric: self.evaluation.scores(metric, inside) for metric in METRICS}
                for group, inside in self.evaluation.groups(grouping).items()
            }
            for grouping in self.groupings
        }

    @cached_property
    def _differences(self) -> list[tuple[str, dict[str, Difference]]]:
        """Metrics, each with the other methods; empty unless asked for."""
        differences = [
            (metric, self.evaluation.differences(metric)) for metric in METRICS * self.compare
        ]
        return [(metric, by_method) for metric, by_method in differences if by_method]

    def _method(self, name: str) -> dict[str, Any]:
        failures = self.evaluation.failures[name]
        return {
            **_plain(self._scores, name),
            "by": {
                grouping: {group: _plain(scores, name) for group, scores in groups.items()}
                for grouping, groups in self._grouped_scores.items()
            },
            "cpu_ms": float(self.evaluation.cpu_ms[name].mean()),
            "failures": [dataclasses.asdict(failure) for failure in failures],
        }

    def _overall(self) -> Grid:
        head = ["method", "P", "R", "F1", "95 %", "shingle F1", "snippet F1", "ms", "failed"]
        rows = []
        for name, cpu_ms in self.evaluation.cpu_ms.items():
            words, shingles, snippets = (self._scores[metric].get(name) for metric in METRICS)
            bag = map(_number, (words.precision, words.recall, words.f1)) if words else [""] * 3
            rest = [_interval(words or snippets), _f1(shingles), _f1(snippets)]
            failed = len(self.evaluation.failures[name])
            rows.append([name, *bag, *rest, f"{cpu_ms.mean():.1f}", str(failed)])
        return Grid(f"{self.evaluation.name}: all pages", head, rows)

    def _snippets(self) -> Grid:
        head = ["method", "pages", "wanted found", "unwanted found", "P", "R", "F1", "accuracy"]
        rows = []
        for name, score in self._scores["snippets"].items():
            shares = (score.found_wanted, score.found_unwanted, score.precision, score.recall)
            numbers = map(_number, (*shares, score.f1, score.accuracy))
            rows.append([name, str(score.pages), *numbers])
        return Grid(f"{self.evaluation.name}: snippets", head, rows)

    def _grouped(self, grouping: str) -> Grid:
        metric = "words" if self._scores["words"] else "snippets"
        groups = self._grouped_scores[grouping]
        # Every method is measured on the same pages; a group may have no gold for the metric.
        measured = [scores[metric].values() for scores in groups.values()]
        sizes = [max((score.pages for score in scores), default=0) for scores in measured]
        head = ["method", *(f"{name} ({n})" for name, n in zip(groups, sizes, strict=True))]
        rows = [
            [name, *(_f1(scores[metric].get(name)) for scores in groups.values())]
            for name in self.evaluation.measured
        ]
        by = _GROUPING_TITLES[grouping]
        grid = Grid(f"{self.evaluation.name}: {metric} F1 by {by} (pages)", head, rows)
        return grid.turned(by) if len(head) > len(rows) + 1 else grid

    def _compared(self) -> Grid:
        head = ["methods", "metric", "difference of F1", "95 %", "not better"]
        first, *others = self.evaluation.measured
        rows = []
        for other in others:
            for metric, by_method in self._differences:
                difference = by_method[other]
                low, high = difference.interval
                numbers = [f"{difference.difference:+.4f}", f"{low:+.4f} to {high:+.4f}"]
                rows.append(
                    [f"{first} - {other}", metric, *numbers, f"{difference.not_better:.4f}"]
                )
        return Grid(f"{self.evaluation.name}: paired comparison", head, rows, 2)


def _plain(scores: dict[str, dict[str, Score]], name: str) -> dict[str, Any]:
    """Return a method's score by metric, None if there is no gold for it."""
    return {
        metric: {
            key: value
            for key, value in dataclasses.asdict(by_method[name]).items()
            if value is not None
        }
        if by_method
        else None
        for metric, by_method in scores.items()
    }


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _f1(score: Score | None) -> str:
    return "" if score is None else _number(score.f1)


def _interval(score: Score | None) -> str:
    return "" if score is None else f"{score.interval[0]:.4f}-{score.interval[1]:.4f}"


def _escaped(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
