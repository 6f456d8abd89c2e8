"""Kills a batch at random moments, resumes it, and compares it with an undisturbed run.

    python benchmarks/kill.py --pages 5000 --kills 20
    python benchmarks/kill.py --minutes 30 --workers 1
    python benchmarks/kill.py --faults

One page in a hundred is poison: segmentation faults, endless loops, memory bombs, sudden exits.
The exit code is 0 if no row is missing or double and all shards are the same, byte for byte.

With ``--minutes`` nothing is killed: one run goes on for so long and is then asked to end, while
its processes, their open files and their memory are watched. The exit code is 0 if every page has
the status that it should, no supervisor had to be started anew, and no open files were left behind.

With ``--faults`` every call to the system that a small run makes to open, write, force, rename or
hold something fails once, each in a run of its own. The exit code is 0 if each run ended with 4, or
went on, and the same command then gave the same bytes.
"""

import argparse
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from timing import DATA_SET, show

from batch import family, resident_mb

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support import poison  # noqa: E402 - lives with the tests

POISON_EVERY = 100
SOAK_PAGES = 500
MOST_PAGES_PER_SECOND = 200


def mixed_pages(data_set: Path, count: int) -> Iterator[tuple[str, str]]:
    """Yield pages of a data set, over and over, with poison among them: what it is, and its HTML.

    What it is: the kind of poison, or nothing.
    """
    from joeira.evaluation import datasets

    pages = [row.html for row in datasets.find(data_set, 500).rows()]
    kinds = [*poison.STATUS]
    for number in range(count):
        if number % POISON_EVERY == POISON_EVERY // 2:
            kind = kinds[number // POISON_EVERY % len(kinds)]
            yield kind, poison.page(kind)
        else:
            yield "", pages[number % len(pages)]


def write_pages(data_set: Path, path: Path, count: int) -> None:
    """Write pages with new ids."""
    with gzip.open(path, "wt", compresslevel=1) as file:
        for number, (_, html) in enumerate(mixed_pages(data_set, count)):
            file.write(json.dumps({"id": str(number), "html": html}) + "\n")


def start(options: argparse.Namespace, source: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "joeira", "batch", source, "-o", out]
    command += ["--workers", str(options.workers)]
    command += ["--method", options.method, "--timeout", str(options.timeout)]
    places = filter(None, (str(TESTS), os.environ.get("PYTHONPATH")))
    variables = {**os.environ, **poison.HOOK, "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL)


def shards(out: Path) -> dict[str, bytes]:
    """Return the content of all that must not differ."""
    return {p.name: p.read_bytes() for p in [*out.glob("part-*"), *out.glob("manifest.json")]}


def written(out: Path) -> int:
    """Return the number of shards that are there."""
    return len(list(out.glob("part-*")))


def kill_and_resume(options: argparse.Namespace) -> int:
    """Run undisturbed, run with kills, compare."""
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        source, calm, rough = (Path(folder, name) for name in ("pages.jsonl.gz", "calm", "rough"))
        write_pages(options.data_set, source, options.pages)
        began = time.monotonic()
        start(options, source, calm).wait()
        undisturbed = time.monotonic() - began
        print(f"undisturbed: {undisturbed:.1f} s")
        kills = 0
        while kills < options.kills and not (rough / "manifest.json").exists():
            process = start(options, source, rough)
            # Every third time some shard has to be there first, or a slow machine would never get
            # beyond the beginning; then at any moment within the time that a shard takes.
            wanted = written(rough) + (kills % 3 == 2)
            while written(rough) < wanted and process.poll() is None:
                time.sleep(0.05)
            try:
                process.wait(chance.uniform(0, undisturbed / written(calm)))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
                print(f"kill {kills}: {written(rough)} shards", flush=True)
        start(options, source, rough).wait()
        data = b"".join(gzip.decompress(path.read_bytes()) for path in sorted(rough.glob("part-*")))
        rows = [json.loads(line) for line in data.splitlines()]
        ids = [int(row["id"]) for row in rows]
        counts = Counter(row["status"] for row in rows)
        is_same = shards(rough) == shards(calm)
        print(f"kills {kills}; rows {len(rows)}, missing {options.pages - len(set(ids))}, ", end="")
        print(f"double {len(ids) - len(set(ids))}; {dict(counts)}; shards the same: {is_same}")
        return 0 if is_same and ids == list(range(options.pages)) else 1


def fail_and_resume() -> int:
    """Let calls fail one after the other, and print what came of it by kind of call."""
    counts, bad = Counter[tuple[str, str, str]](), 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "pages.jsonl")
        with source.open("w") as file:
            for number in range(1100):  # three shards; what has no page takes no time
                page = {"html": poison.page("none")} if number % 150 == 7 else {}
                file.write(json.dumps({"id": str(number), **page}) + "\n")
        command = [sys.executable, "-m", "support.faults", str(source), folder, "1"]
        places = filter(None, (str(TESTS), os.environ.get("PYTHONPATH")))
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
        said = subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True).stdout
    for line in said.splitlines():
        seen = json.loads(line)
        end = "went on" if seen["code"] == seen["calm_code"] else f"exit code {seen['code']}"
        counts[seen["kind"], end, "the same" if seen["same"] else "other"] += 1
        bad += not (seen["same"] and seen["code"] in (4, seen["calm_code"]))
    table = [[kind, end, same, str(number)] for (kind, end, same), number in sorted(counts.items())]
    show("calls that failed", ["call", "end of the run", "bytes after resuming", "calls"], table)
    return 1 if bad else 0


def write_soak(options: argparse.Namespace, folder: Path) -> dict[int, str]:
    """Write a folder with enough files; return by offset which poison stands there in each.

    They are one file under many names, so that a page is known by name and offset.
    """
    folder.mkdir()
    first, kinds = folder / "pages-00000.jsonl", {}
    with first.open("wb") as file:
        for kind, html in mixed_pages(options.data_set, SOAK_PAGES):
            kinds[file.tell()] = kind
            file.write(json.dumps({"html": html}).encode() + b"\n")
    files = int(options.minutes * 60 * MOST_PAGES_PER_SECOND / SOAK_PAGES) + 1
    for number in range(1, files):
        (folder / f"pages-{number:05d}.jsonl").symlink_to(first.name)
    return kinds


def open_files(pid: int) -> int:
    """Return how many files a process has open; none if it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208  (a list of names)
    except OSError:
        return 0


def soak(options: argparse.Namespace) -> int:
    """Watch a long run, end it, and check every row that it wrote."""
    table = list[list[str]]()
    nurseries, supervisors, children = set[int](), set[int](), set[int]()
    files_of_parent = list[int]()
    with tempfile.TemporaryDirectory() as name:
        source, out = Path(name, "pages"), Path(name, "rows")
        kinds = write_soak(options, source)
        process, began = start(options, source, out), time.monotonic()
        steps = max(1, round(options.minutes))
        while process.poll() is None and (ran := time.monotonic() - began) < options.minutes * 60:
            time.sleep(0.25)
            below = [family(pid) for pid in family(process.pid)[1:]]
            inner = {pid for pids in below for pid in pids[1:]}
            nurseries |= {pids[0] for pids in below} - inner
            supervisors |= {pids[0] for pids in below if len(pids) > 1} & inner
            children |= inner - supervisors
            if ran >= len(table) * 60 * options.minutes / steps and children:
                files_of_parent.append(open_files(process.pid))
                largest = max((resident_mb(pid) for pids in below for pid in pids), default=0.0)
                seen = [written(out) * 500, files_of_parent[-1], resident_mb(process.pid), largest]
                table.append([f"{ran / 60:.1f}", *(f"{each:.0f}" for each in seen)])
        process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        code = process.wait()
        ended = time.monotonic() - asked
        counts, wrong = Counter[str](), 0
        for path in sorted(out.glob("part-*")):
            for line in gzip.decompress(path.read_bytes()).splitlines():
                row = json.loads(line)
                kind = kinds[row["offset"]]
                counts[f"{kind} {row['status']}".strip()] += 1
                good = (poison.STATUS[kind],) if kind else ("ok", "empty")
                wrong += row["status"] not in good
    head = ["minutes", "rows written", "open files of the parent", "MB of the parent", "largest"]
    show(f"{options.minutes:g} minutes, {options.workers} workers", head, table)
    print(
        f"exit code {code}, {ended:.1f} s after SIGTERM; nurseries {len(nurseries)}, "
        f"supervisors {len(supervisors)}, ",
        end="",
    )
    print(f"children at least {len(children)}; rows {counts.total()}, of wrong status {wrong}")
    print(dict(sorted(counts.items())))
    is_flat = max(files_of_parent[1:], default=0) <= files_of_parent[0]
    is_calm = len(nurseries) == 1 and len(supervisors) == options.workers
    return 0 if not wrong and is_flat and is_calm else 1


def main() -> int:
    """Kill, or watch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="watch a long run instead")
    parser.add_argument("--faults", action="store_true", help="let system calls fail instead")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--method", default="learned")
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.faults:
        return fail_and_resume()
    return kill_and_resume(options) if options.minutes is None else soak(options)


if __name__ == "__main__":
    sys.exit(main())
