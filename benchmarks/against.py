"""CPU time of records, segments and metadata, beside another checkout of the package.

python benchmarks/against.py OTHER/src [DATASET] [--pages N] [--rounds N] [--without-kernels]

Records and segments are those of parsed pages; metadata, the columns of a batch, is read after the
text of a page. Both checkouts run in processes of their own, round after round in turn, on the same
pages, each parsed anew; of each page the best round counts. Answers are compared as well.
A checkout with kernels must have been compiled (python hatch_build.py).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import timing

OWN = Path(__file__).resolve().parents[1] / "src"
TASKS = ("find_records", "segment", "metadata")
SIZES = (1, 2, 4)

WORKER = """
import gc, json, sys, time
import joeira

def extracted(source):
    content = joeira.extract(joeira.parse(source, url="https://example.org/a"))
    content.text()
    return content

def metadata(content):
    return [getattr(content.metadata, name) for name in COLUMNS]

COLUMNS = "title author date sitename hostname description image language pagetype".split()
tasks = {
    "find_records": (joeira.parse, joeira.find_records),
    "segment": (joeira.parse, joeira.segment),
    "metadata": (extracted, metadata),
}

def plain(found):
    if isinstance(found, list):
        return found
    if isinstance(found, joeira.Records):
        return [[table.slices.tolist(), table.score, table.presence] for table in found], found.note
    return [[part.start, part.stop, part.label, part.score] for part in found]

for line in sys.stdin:
    page = json.loads(line)
    spent, answers = {}, {}
    for name, (prepare, task) in tasks.items():
        prepared = prepare(page)
        gc.collect(0)
        began = time.process_time()
        found = task(prepared)
        spent[name] = (time.process_time() - began) * 1000
        answers[name] = plain(found)
    print(json.dumps([spent, answers]), flush=True)
"""


class Side:
    """One checkout in a process of its own."""

    def __init__(self, source: Path, native: str) -> None:
        """Start it."""
        self.best: dict[tuple[str, int], float] = {}
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(source), "JOEIRA_NATIVE": native},
        )

    def run(self, number: int, page: str) -> dict[str, Any]:
        """Time the tasks on a page, keep the best times and return the answers."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(page) + "\n")
        self.process.stdin.flush()
        spent, answers = json.loads(self.process.stdout.readline())
        for name, ms in spent.items():
            self.best[name, number] = min(ms, self.best.get((name, number), float("inf")))
        found: dict[str, Any] = answers
        return found

    def mean(self, name: str) -> float:
        """Return milliseconds per page."""
        times = [ms for (task, _), ms in self.best.items() if task == name]
        return sum(times) / len(times)

    def close(self) -> None:
        """Let it end."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="folder with the package of the other checkout")
    parser.add_argument("data_set", nargs="?", type=Path, default=timing.DATA_SET)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-kernels", action="store_true", help="both run on numpy")
    options = parser.parse_args()
    native = "0" if options.without_kernels else "1"
    pages = timing.read_pages(options)
    other, own, same = race(options, pages, native)
    rows = [
        [
            name,
            f"{other.mean(name):.2f}",
            f"{own.mean(name):.2f}",
            f"{own.mean(name) / other.mean(name):.2f}",
            f"{same[name]} of {len(pages)}",
        ]
        for name in TASKS
    ]
    head = ["ms/page", "other", "this one", "ratio", "same answers"]
    timing.show(f"{len(pages)} pages, on top of parsing", head, rows)
    few = sorted(pages, key=len)[-timing.GROWTH_PAGES // 2 :]
    grown = [race(options, [timing.grown(page, size) for page in few], native) for size in SIZES]
    rows = []
    for name in TASKS:
        for side, title in ((0, "other"), (1, "this one")):
            once, twice, four_times = (found[side].mean(name) for found in grown)
            exponent = timing.log2(four_times / once) / 2
            rows.append(
                [name, title, f"{twice / once:.2f}", f"{four_times / once:.2f}", f"{exponent:.2f}"]
            )
    title = f"growth on the {len(few)} longest pages, their body several times over"
    timing.show(title, ["", "", "x2", "x4", "exponent (linear: 1)"], rows)


def race(
    options: argparse.Namespace, pages: list[str], native: str
) -> tuple[Side, Side, dict[str, int]]:
    """Return both sides with their times, and on how many pages their answers are the same."""
    other, own = Side(options.other, native), Side(OWN, native)
    same = dict.fromkeys(TASKS, 0)
    for side in (other, own):
        side.run(-1, "<ul><li>to load<li>the models</ul>")
        side.best.clear()
    for number in range(options.rounds):
        for place, page in enumerate(pages):
            sides = (other, own) if (number + place) % 2 else (own, other)
            one, two = (side.run(place, page) for side in sides)
            if not number:
                for name in TASKS:
                    same[name] += one[name] == two[name]
    for side in (other, own):
        side.close()
    return other, own, same


if __name__ == "__main__":
    main()
