"""Kills a batch at random moments, resumes it, and compares it with an undisturbed run.

    python benchmarks/kill.py --pages 5000 --kills 20

One page in a hundred is poison: segmentation faults, endless loops, memory bombs, sudden exits.
The exit code is 0 if no row is missing or double and all shards are the same, byte for byte.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from timing import DATA_SET

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support import poison  # noqa: E402 - lives with the tests

POISON_EVERY = 100


def write_pages(data_set: Path, path: Path, count: int) -> None:
    """Write pages of a data set, over and over with new ids, some of them poison."""
    from joeira.evaluation import datasets

    pages = [row.html for row in datasets.find(data_set, 500).rows()]
    kinds = [*poison.STATUS]
    with gzip.open(path, "wt", compresslevel=1) as file:
        for number in range(count):
            html = pages[number % len(pages)]
            if number % POISON_EVERY == POISON_EVERY // 2:
                html = poison.page(kinds[number // POISON_EVERY % len(kinds)])
            file.write(json.dumps({"id": str(number), "html": html}) + "\n")


def start(options: argparse.Namespace, source: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "joeira", "batch", source, "-o", out, "--workers", "2"]
    command += ["--method", options.method, "--timeout", str(options.timeout)]
    variables = {**os.environ, **poison.HOOK, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL)


def shards(out: Path) -> dict[str, bytes]:
    """Return the content of all that must not differ."""
    return {p.name: p.read_bytes() for p in [*out.glob("part-*"), *out.glob("manifest.json")]}


def written(out: Path) -> int:
    """Return the number of shards that are there."""
    return len(list(out.glob("part-*")))


def main() -> int:
    """Run undisturbed, run with kills, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--method", default="learned")
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
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


if __name__ == "__main__":
    sys.exit(main())
