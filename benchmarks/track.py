"""Speed over time: what the main functions cost, as multiples of bare parsing, kept line by line.

    python benchmarks/track.py                      # on the pages of examples/
    python benchmarks/track.py DATASET.jsonl.gz --pages 200 --dry-run

Every line of track.jsonl has the ratios of one run, with date, commit, Python and platform, and the
change since the last line for the same pages is shown. Each function is given the source of a page;
`import extract` is a new process, and `batch row` a row more of many pages in worker processes.

It is CPU time. Tasks take turns on every page, each is divided by the bare parsing of the same
round, and the median of all rounds is kept: a busy machine slows all of them alike.
"""

import timing  # isort: skip (before numpy)

import argparse
import gc
import gzip
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import turbohtml

import joeira
from batch import family

ROOT = Path(__file__).resolve().parents[1]
TRACK = ROOT / "benchmarks" / "track.jsonl"
BARE = "bare parsing"
PAGES_IN_ROUND = 60
"""Fewer pages are taken several times over: bare parsing of six would be too short to measure."""
FIRST_ROWS, ROWS = 20, 240
"""Rows that are not measured, while workers start and take pages ahead; and those that are."""
NOTICEABLE = 0.05
CHILDREN = ("children_user", "children_system")

TASKS: dict[str, timing.Task] = {
    BARE: turbohtml.parse,
    "parse": joeira.parse,
    "extract to text": lambda html: joeira.extract(html).text(),
    "extract to Markdown": lambda html: joeira.extract(html).markdown(),
    "find_records": joeira.find_records,
}

Line = dict[str, Any]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Speed over time")
    parser.add_argument("data_set", nargs="?", type=Path, help="JSON lines with html, maybe gzip")
    parser.add_argument("--pages", type=int, default=100, help="at most so many of a data set")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--file", type=Path, default=TRACK, help="where the lines are kept")
    parser.add_argument("--dry-run", action="store_true", help="show, but keep nothing")
    options = parser.parse_args()
    if options.rounds < 2 or options.pages < 1:
        parser.error("at least two rounds and one page are needed")
    return options


def read_pages(data_set: Path | None, most: int) -> list[str]:
    """Return the source of the pages."""
    if data_set is None:
        return [path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.html"))]
    opened = gzip.open if data_set.suffix == ".gz" else open
    with opened(data_set, "rt", encoding="utf-8") as file:
        return [json.loads(line)["html"] for line in islice(file, most)]


def milliseconds_by_task(pages: Sequence[str], shift: int) -> dict[str, float]:
    """Return CPU time per page; tasks take turns, and each goes first equally often."""
    spent = dict.fromkeys(TASKS, 0.0)
    names = list(TASKS)
    for number, page in enumerate(pages, shift):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            began = time.process_time()
            TASKS[name](page)
            spent[name] += time.process_time() - began
    return {name: 1000 * seconds / len(pages) for name, seconds in spent.items()}


def import_milliseconds() -> float:
    """Return what a new process pays for the import of one function: names load when asked for."""

    def spent(code: str) -> float:
        began = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        ended = os.times()
        user, system = (getattr(ended, name) - getattr(began, name) for name in CHILDREN)
        return float(1000 * (user + system))

    return spent("from joeira import extract") - spent("pass")


def cpu_milliseconds(pid: int) -> float:
    """Return the CPU time of a process, and of those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def row_milliseconds(pages: Sequence[str]) -> float:
    """Return what a row costs once workers are running, in all processes together."""
    rows = joeira.extract_many(cycle(pages), workers=1)

    def spent_until(count: int) -> float:
        for _ in islice(rows, count):
            pass
        return sum(map(cpu_milliseconds, family(os.getpid())))

    before = spent_until(FIRST_ROWS)
    return (spent_until(ROWS) - before) / ROWS


def measure(pages: Sequence[str], rounds: int) -> Iterator[dict[str, float]]:
    """Yield the ratios of each round, and the milliseconds of bare parsing."""
    milliseconds_by_task(pages, 0)  # loads models, and what is kept from page to page
    import_milliseconds()  # compiles what has changed
    pages = list(pages) * -(-PAGES_IN_ROUND // len(pages))
    for number in range(rounds):
        gc.collect()
        spent = {"import extract": import_milliseconds(), **milliseconds_by_task(pages, number)}
        if sys.platform == "linux":  # which tells what other processes use
            spent["batch row"] = row_milliseconds(pages)
        bare = spent.pop(BARE)
        yield {BARE: bare, **{name: each / bare for name, each in spent.items()}}


def present_commit() -> str:
    """Return the commit, with a mark if there is more than it."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words]
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", ".", f":!{TRACK.relative_to(ROOT).as_posix()}")
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("-dirty" if changed else "")


def line_of(found: Sequence[dict[str, float]], pages: str) -> Line:
    """Return what is kept of a run."""
    middle = {name: median(each[name] for each in found) for name in found[0]}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": present_commit(),
        "joeira": joeira.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "turbohtml": version("turbohtml"),
        "numpy": version("numpy"),
        "pages": pages,
        "rounds": len(found),
        "bare_ms": float(f"{middle.pop(BARE):.4g}"),
        "ratios": {name: float(f"{each:.4g}") for name, each in middle.items()},
    }


def last_line(path: Path, pages: str) -> Line | None:
    """Return the last line that was measured on the same pages."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    read = (json.loads(line) for line in reversed(lines))
    return next((line for line in read if line["pages"] == pages), None)


def show(line: Line, last: Line | None, found: Sequence[dict[str, float]]) -> None:
    """Print the ratios beside those of the last line."""
    rows = []
    for name, ratio in line["ratios"].items():
        low, _, high = quantiles((each[name] for each in found), n=4)
        spread = (high - low) / 2 / ratio
        before = last["ratios"].get(name) if last else None
        change = ratio / before - 1 if before else 0.0
        told = f"{change:+.1%}" if before else ""
        if abs(change) > max(NOTICEABLE, spread):
            told += " slower" if change > 0 else " faster"
        rows.append(
            [name, f"{ratio:.4g}", f"{spread:.1%}", f"{before:.4g}" if before else "", told]
        )
    title = f"{line['pages']}, {line['rounds']} rounds, bare parsing {line['bare_ms']} ms/page"
    timing.show(title, ["", "of bare parsing", "spread", "last time", "change"], rows)
    if last is None:
        print("\nnothing to compare with: the first line for these pages")
        return
    print(f"\nlast time: {last['date']}, commit {last['commit']}")
    others = [
        name for name in ("python", "platform", "turbohtml", "numpy") if line[name] != last[name]
    ]
    for name in others:
        print(f"not the same {name}: {last[name]} then, {line[name]} now")


def main() -> None:
    """Measure, show and keep."""
    options = arguments()
    pages = read_pages(options.data_set, options.pages)
    name = f"{options.data_set.name if options.data_set else 'examples'} ({len(pages)})"
    found = list(measure(pages, options.rounds))
    line = line_of(found, name)
    show(line, last_line(options.file, name), found)
    if not options.dry_run:
        with options.file.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")


if __name__ == "__main__":
    main()
