"""The tasks of an evaluation: one per task of the catalog, and two for metadata.

A task says what is taken from a method's result, whether a page has an answer for it, and how the
output is measured against the answer: a row of numbers per page. Reports know what the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from joeira.arrays import Floats
from joeira.errors import UsageError
from joeira.evaluation import metadata_scores, metrics, record_scores, segment_scores
from joeira.evaluation.datasets import Example


@dataclass(frozen=True)
class Reading:
    """How answers and outputs are read."""

    split_cjk: bool = False
    """Whether Han, kana, hangul and Thai characters are words (content)."""
    first_tables: int = 1
    """How many tables are measured on their own, beside all of them (records)."""


class Gold(Protocol):
    """The answer of one page, prepared so that many outputs can be measured against it."""

    def measure(self, output: Any, /) -> Floats:
        """Return the measurement of an output."""
        ...


@dataclass(frozen=True)
class Task:
    """How one task is measured."""

    name: str
    """As in the catalog."""
    output_of: Callable[[Any], Any]
    """From a method's result to what is measured."""
    nothing: Any
    """The output of a method that failed; its type is that of every output."""
    has_gold: Callable[[Example], bool]
    gold: Callable[[Example, Reading], Gold]
    width: int
    """Numbers per measurement."""
    methods: str = ""
    """Task of the catalog whose methods are measured, where it is another."""


def _tables(found: Any) -> record_scores.Tables:
    return [[record.text for record in table.records] for table in found]


def _parts(found: Any) -> segment_scores.Parts:
    page = found.page
    in_head = page.in_head[page.text_rows].tolist()
    texts = zip(page.texts, found.labels.tolist(), in_head, strict=True)
    return [(text, number) for text, number, hidden in texts if not hidden]


CONTENT = Task(
    name="content",
    output_of=lambda content: content.text(),
    nothing="",
    has_gold=lambda row: row.has_text or row.has_snippets,
    gold=lambda row, reading: metrics.Gold(row, reading.split_cjk),
    width=metrics.WIDTH,
)
RECORDS = Task(
    name="records",
    output_of=_tables,
    nothing=[],
    has_gold=lambda row: any(map(record_scores.bag, row.records)),
    gold=lambda row, reading: record_scores.Gold(row, reading.first_tables),
    width=record_scores.WIDTH,
)
SEGMENTS = Task(
    name="segments",
    output_of=_parts,
    nothing=[],
    has_gold=lambda row: bool(row.blocks),
    gold=lambda row, reading: segment_scores.Gold(row),
    width=segment_scores.WIDTH,
)
METADATA = Task(
    name="metadata",
    output_of=lambda metadata: {fact: getattr(metadata, fact) for fact in metadata_scores.FACTS},
    nothing={},
    has_gold=metadata_scores.has_gold,
    gold=lambda row, reading: metadata_scores.Gold(row),
    width=metadata_scores.WIDTH,
)
POSTS = Task(
    name="posts",
    output_of=lambda content: [post.to_dict() for post in content.posts],
    nothing=[],
    has_gold=lambda row: bool(row.posts),
    gold=lambda row, reading: record_scores.PostGold(row),
    width=len(record_scores.POST_COLUMNS),
    methods=CONTENT.name,
)
PRODUCT = Task(
    name="product",
    output_of=lambda metadata: metadata.product.to_dict() if metadata.product else {},
    nothing={},
    has_gold=lambda row: bool(row.product),
    gold=lambda row, reading: metadata_scores.ProductGold(row),
    width=metadata_scores.PRODUCT_WIDTH,
)
TASKS = {task.name: task for task in (CONTENT, RECORDS, SEGMENTS, METADATA, POSTS, PRODUCT)}


def find(name: str) -> Task:
    """Return a task by name, or raise `UsageError` with the names that exist."""
    if name not in TASKS:
        message = f"no task {name!r} to measure; tasks: {', '.join(TASKS)}"
        raise UsageError(message)
    return TASKS[name]
