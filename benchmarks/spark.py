"""Compares batches by Spark with those of one machine: rows, poison, and memory with sites.

    python benchmarks/spark.py --pages 2000 --kills 2

One page crashes its process and one hangs. Drivers of Spark are killed some time after a new shard
has appeared, and started again. The exit code is 0 if all rows are the same.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import DATA_SET

from batch import HEAD, HTTP, family, resident_mb

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support import poison  # noqa: E402 - lives with the tests

SITES = 20


def write_archives(data_set: Path, folder: Path, count: int, files: int) -> list[str]:
    """Write pages of a data set as WARC, with hosts in turn, two of them poison."""
    import gzip

    from joeira.evaluation import datasets

    pages = [row.html for row in datasets.find(data_set, min(count, 500)).rows()]
    names = []
    for part in range(files):
        names.append(str(folder / f"{part}.warc.gz"))
        with Path(names[-1]).open("wb") as file:
            for number in range(part * count // files, (part + 1) * count // files):
                html = pages[number % len(pages)]
                kind = {count // 3: "segfault", count // 2: "loop"}.get(number)
                block = HTTP + (poison.page(kind) if kind else html).encode("utf-8", "replace")
                url = f"http://site{number % SITES}.example/{number}"
                head = HEAD.format(number=number, url=url, length=len(block)).encode()
                file.write(gzip.compress(head + block + b"\r\n\r\n", 5, mtime=0))
    return names


def run(command: list[str], out: Path, kills: int) -> tuple[float, dict[str, float]]:
    """Run a command; return its seconds, and the most memory of each kind of process."""
    variables = {**os.environ, **poison.HOOK, "PYTHONPATH": str(TESTS)}
    began = time.monotonic()
    most: dict[str, float] = {}
    for left in reversed(range(kills + 1)):
        before = written(out)
        process = subprocess.Popen(command, env=variables)
        while process.poll() is None:
            for pid in family(process.pid):
                kind = kind_of(pid)
                most[kind] = max(most.get(kind, 0.0), resident_mb(pid))
            time.sleep(0.2)
            if left and written(out) > before and random.random() < 0.3:
                process.kill()
                process.wait()
                print(f"killed with {written(out)} shards", flush=True)
    return time.monotonic() - began, most


def written(out: Path) -> int:
    """Return the number of shards that are there."""
    return len(list(out.glob("part-*")))


def kind_of(pid: int) -> str:
    """Return what a process is for."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    if b"java" in words[0]:
        return "java"
    if b"joeira.isolation.supervisor" in words:
        return "page worker"
    return "spark worker" if any(b"pyspark" in word for word in words) else "command"


def rows_of(out: Path) -> list[str]:
    """Return all rows in a fixed order."""
    from pyarrow import parquet

    tables = [parquet.read_table(path).to_pylist() for path in out.glob("part-*.parquet")]
    return sorted(json.dumps(row) for rows in tables for row in rows)


def main() -> int:
    """Run all four, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--method", default="learned")
    parser.add_argument("--timeout", default="5")
    options = parser.parse_args()
    is_same = True
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = write_archives(options.data_set, folder, options.pages, options.files)
        common = ["--method", options.method, "--timeout", options.timeout]
        for mode in ([], ["--site"]):
            rows = {}
            for engine in ("local", "spark"):
                out = folder / f"{engine}{''.join(mode)}"
                command = [sys.executable, "-m", "joeira", "batch", *names, "-o", str(out)]
                command += ["--to", "parquet", "--engine", engine, "--master", "local[2]"]
                kills = options.kills if engine == "spark" else 0
                seconds, most = run([*command, *common, *mode], out, kills)
                rows[engine] = rows_of(out)
                memory = {kind: round(value) for kind, value in sorted(most.items())}
                told = f"{engine} {' '.join(mode)}: {len(rows[engine])} rows, {seconds:.0f} s"
                print(f"{told}, most memory in MB: {memory}", flush=True)
            is_same = is_same and rows["local"] == rows["spark"]
            print(f"the same rows: {rows['local'] == rows['spark']}", flush=True)
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
