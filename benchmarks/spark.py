"""Compares batches by Spark with those of one machine: rows, poison, and memory with sites.

    python benchmarks/spark.py --pages 2000 --kills 2
    python benchmarks/spark.py --pages 20000 --files 10 --worker-kills 1 --modes alone
    python benchmarks/spark.py --pages 600 --engines local --calm

One page crashes its process and one hangs. Drivers of Spark are killed some time after a new shard
has appeared, and started again. Python workers of Spark are killed at any moment, and Spark starts
their tasks again. The exit code is 0 if all rows are the same. CPU time is that of all processes;
on a busy machine it tells more than pages per second.
"""

import argparse
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from timing import DATA_SET

from batch import HEAD, HTTP, cpu_seconds, family, resident_mb

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support import poison  # noqa: E402 - lives with the tests

SITES = 20
SPARK_UI = "http://127.0.0.1:4040/api/v1"


def write_archives(options: argparse.Namespace, folder: Path) -> list[str]:
    """Write pages of a data set as WARC, with hosts in turn, two of them poison."""
    from joeira.evaluation import datasets

    count, files = options.pages, options.files
    found = (row.html for row in datasets.find(options.data_set, min(count, 2000)).rows())
    pages = [html for html in found if len(html) <= options.max_kilobytes * 1000]
    names = []
    for part in range(files):
        names.append(str(folder / f"{part}.warc.gz"))
        with Path(names[-1]).open("wb") as file:
            for number in range(part * count // files, (part + 1) * count // files):
                html = pages[number % len(pages)]
                kind = {count // 3: "segfault", count // 2: "loop"}.get(number)
                kind = None if options.calm else kind
                block = HTTP + (poison.page(kind) if kind else html).encode("utf-8", "replace")
                url = f"http://site{number % SITES}.example/{number}"
                head = HEAD.format(number=number, url=url, length=len(block)).encode()
                file.write(gzip.compress(head + block + b"\r\n\r\n", 5, mtime=0))
    return names


@dataclass
class Seen:
    """What was seen of a run."""

    seconds: float = 0.0
    memory: dict[str, float] = field(default_factory=dict)
    """The most megabytes of each kind of process."""
    cpu: dict[int, float] = field(default_factory=dict)
    """CPU seconds of each process."""
    shuffled: int = 0
    """Bytes that Spark moved between tasks."""
    killed: int = 0
    """Python workers of Spark."""
    written: int = 0
    """Bytes of all shards."""

    def watch(self, pid: int, kill_chance: float) -> None:
        """Look at a process and all below it, and perhaps kill a worker of Spark."""
        workers = []
        for each in family(pid):
            kind = kind_of(each)
            self.memory[kind] = max(self.memory.get(kind, 0.0), resident_mb(each))
            self.cpu[each] = max(self.cpu.get(each, 0.0), cpu_seconds(each))
            workers += [each] if kind == "spark worker" else []
        if "java" in self.memory:
            self.shuffled = max(self.shuffled, shuffled_bytes())
        if workers and random.random() < kill_chance:
            with suppress(ProcessLookupError):
                os.kill(random.choice(workers), signal.SIGKILL)
                self.killed += 1


def shuffled_bytes() -> int:
    """Return how much the stages of a local Spark have written for others, as its own page says."""
    try:
        with urllib.request.urlopen(f"{SPARK_UI}/applications", timeout=2) as answer:
            known = json.load(answer)[0]["id"]
        with urllib.request.urlopen(f"{SPARK_UI}/applications/{known}/stages", timeout=2) as answer:
            return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))
    except (OSError, ValueError, LookupError):
        return 0


def run(command: list[str], out: Path, kills: int, kill_chance: float) -> Seen:
    """Run a command, killing its driver so many times and workers of Spark now and then."""
    variables = {**os.environ, **poison.HOOK, "PYTHONPATH": str(TESTS)}
    began = time.monotonic()
    seen = Seen()
    for left in reversed(range(kills + 1)):
        before = written(out)
        process = subprocess.Popen(command, env=variables)
        while process.poll() is None:
            seen.watch(process.pid, kill_chance)
            time.sleep(0.5)
            if left and written(out) > before and random.random() < 0.5:
                process.kill()
                process.wait()
                print(f"killed with {written(out)} shards", flush=True)
    seen.seconds = time.monotonic() - began
    seen.written = sum(path.stat().st_size for path in out.glob("part-*"))
    return seen


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


def rows_of(out: Path) -> list[tuple[str, str]]:
    """Return the id and a hash of every row, by id."""
    from pyarrow import parquet

    return sorted(
        (row["id"], hashlib.sha256(json.dumps(row, default=str).encode()).hexdigest())
        for path in out.glob("part-*.parquet")
        for row in parquet.read_table(path).to_pylist()
    )


def told(engine: str, mode: list[str], rows: int, seen: Seen) -> str:
    """Return what is printed about a run."""
    memory = {kind: round(value) for kind, value in sorted(seen.memory.items())}
    said = f"{' '.join([engine, *mode])}: {rows} rows, {seen.seconds:.0f} s, "
    said += f"{rows / seen.seconds:.1f} pages/s, "
    if not seen.killed:  # who is killed leaves children behind that nobody sees
        said += f"{1000 * sum(seen.cpu.values()) / max(rows, 1):.1f} CPU ms per page, "
    said += f"{seen.written / max(rows, 1) / 1000:.1f} kB written per page, most MB: {memory}"
    if engine == "spark":
        said += f", shuffled {seen.shuffled / max(rows, 1):.0f} bytes per page"
        said += f", Python workers killed: {seen.killed}"
    return said


def main() -> int:
    """Run both engines on the same archives, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--max-kilobytes", type=int, default=10_000, help="of a page")
    parser.add_argument("--kills", type=int, default=0, help="how often the driver is killed")
    parser.add_argument(
        "--worker-kills", type=float, default=0.0, help="Python workers killed in a minute"
    )
    parser.add_argument("--modes", default="alone,site", help="alone, site or both")
    parser.add_argument("--engines", default="local,spark", help="local, spark or both")
    parser.add_argument("--calm", action="store_true", help="no page crashes or hangs")
    parser.add_argument("--method", default="learned")
    parser.add_argument("--timeout", default="5")
    options = parser.parse_args()
    is_same = True
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = write_archives(options, folder)
        size = sum(Path(name).stat().st_size for name in names)
        print(f"{options.pages} records, {size / options.pages / 1000:.1f} kB compressed each")
        common = ["--method", options.method, "--timeout", options.timeout]
        for mode in options.modes.split(","):
            rows = {}
            arguments = ["--site"] if mode == "site" else []
            for engine in options.engines.split(","):
                out = folder / f"{engine}-{mode}"
                command = [sys.executable, "-m", "joeira", "batch", *names, "-o", str(out)]
                # On one machine Spark gives a task up at once, unless it is told otherwise.
                command += ["--to", "parquet", "--engine", engine, "--master", "local[2,1000]"]
                is_spark = engine == "spark"
                kills = options.kills if is_spark else 0
                chance = options.worker_kills / 120 if is_spark else 0.0
                seen = run([*command, *common, *arguments], out, kills, chance)
                rows[engine] = rows_of(out)
                print(told(engine, arguments, len(rows[engine]), seen), flush=True)
            if len(rows) == 2:
                is_same = is_same and rows["local"] == rows["spark"]
                print(f"the same rows: {rows['local'] == rows['spark']}", flush=True)
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
