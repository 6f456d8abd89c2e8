"""Progress of what takes long, on standard error: how much is done, how fast, what time is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from joeira.cli.writing import progress_bar

Item = TypeVar("Item")


def watched(items: Iterable[Item], total: int, doing: str, unit: str = "pages") -> Iterator[Item]:
    """Yield items, and show how many of all are done."""
    with progress_bar(doing, unit) as progress:
        for done, item in enumerate(items):
            progress(done, total)
            yield item
        progress(total, total)
