"""What the benchmarks share: pages, a stop-watch for CPU time, growing pages, a table.

Import it before anything that imports numpy: it asks for one thread of linear algebra.
"""

import argparse
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

DATA_SET = (
    Path(__file__).resolve().parents[2] / "shared" / "bench" / "content" / "wcxb-dev.jsonl.gz"
)
GROWTH_PAGES = 30
STEP = 4  # one page in four: neighbours in a file are often alike
_BODY = re.compile(r"(<body[^>]*>)(.*)(</body>)", re.IGNORECASE | re.DOTALL)

PREPARE = "prepare"

Task = Callable[[Any], object]


def arguments(description: str, rounds: int) -> argparse.Namespace:
    """Read the command line: which pages, how many, how many rounds."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser.parse_args()


def read_pages(options: argparse.Namespace) -> list[str]:
    """Return the source of the pages."""
    from joeira.evaluation import datasets

    source = datasets.find(options.data_set, options.pages, STEP)
    return [row.html for row in source.rows()]


@dataclass
class Watch:
    """CPU time by name, as the best of several rounds."""

    best_ms: dict[str, float] = field(default_factory=dict)
    _round_ms: dict[str, float] = field(default_factory=dict)

    def time(self, name: str, task: Task, argument: object) -> Any:
        """Run a task and add its time to the round."""
        began = time.process_time()
        result = task(argument)
        spent = (time.process_time() - began) * 1000
        self._round_ms[name] = self._round_ms.get(name, 0) + spent
        return result

    def end_round(self, pages: int) -> None:
        """Keep the milliseconds per page where they are better than before."""
        for name, spent in self._round_ms.items():
            self.best_ms[name] = min(spent / pages, self.best_ms.get(name, float("inf")))
        self._round_ms.clear()


def as_is(page: str) -> str:
    """Prepare nothing: the tasks take the source of a page."""
    return page


def race(
    tasks: dict[str, Task], pages: Sequence[str], rounds: int, prepare: Task = as_is
) -> dict[str, float]:
    """Return CPU ms per page of each task, and of preparing the page for all of them.

    Tasks take turns on every page, each of them first, and after each other one, equally often:
    after a task that needs much memory, the next one finds nothing of its own in the caches.
    """
    watch = Watch()
    names = list(tasks)
    for _ in range(rounds):
        for number, page in enumerate(pages):
            prepared = watch.time(PREPARE, prepare, page)
            first, lap = number % len(names), number // len(names)
            order = names[first:] + names[:first]
            for name in reversed(order) if lap % 2 else order:
                watch.time(name, tasks[name], prepared)
        watch.end_round(len(pages))
    return {name: watch.best_ms[name] for name in (PREPARE, *names)}


def grown(page: str, times: int) -> str:
    """Return a page with its body several times over."""
    return _BODY.sub(lambda match: match[1] + match[2] * times + match[3], page, count=1)


def show_growth(
    tasks: dict[str, Task], pages: Sequence[str], rounds: int, prepare: Task = as_is
) -> None:
    """Print how the time of each task grows on pages two and four times as long."""
    few = sorted(pages, key=len)[-GROWTH_PAGES:]  # on short ones fixed costs hide the growth
    by_size = [
        race(tasks, [grown(page, times) for page in few], rounds, prepare) for times in (1, 2, 4)
    ]
    rows = []
    for name in by_size[0] if prepare is not as_is else tasks:
        once, twice, four_times = (found[name] for found in by_size)
        exponent = log2(four_times / once) / 2
        rows.append([name, f"{twice / once:.2f}", f"{four_times / once:.2f}", f"{exponent:.2f}"])
    title = f"growth on the {len(few)} longest pages, their body several times over"
    show(title, ["", "x2", "x4", "exponent (linear: 1)"], rows)


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n{title}\n")
    for line in (head, ["---", *["---:"] * (len(head) - 1)], *rows):
        print(f"| {' | '.join(line)} |")
