"""Wall time of extracting pages in memory with one thread, and with two at once.

python benchmarks/threads.py [DATASET] [--pages N] [--rounds N]

Only an idle machine with at least two cores tells something. What holds the interpreter's lock does
not run in parallel: the parser and all Python code; most kernels release it while they count.
"""

import timing  # isort: skip (before numpy)

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import joeira


def extract(html: str) -> int:
    """Extract a page with the default method."""
    return len(joeira.extract(html).text())


def seconds(pages: list[str], threads: int) -> float:
    """Return how long so many threads take for the pages."""
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(extract, pages))
    return time.perf_counter() - began


def main() -> None:
    """Print the rates, and how many times as fast two threads are."""
    options = timing.arguments("one thread and two", rounds=3)
    pages = timing.read_pages(options)
    seconds(pages[:20], 2)
    best = {
        threads: min(seconds(pages, threads) for _ in range(options.rounds)) for threads in (1, 2)
    }
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    rows = [
        [str(threads), f"{len(pages) / took:.0f}", f"{best[1] / took:.2f}"]
        for threads, took in best.items()
    ]
    lock = "with" if is_locked else "without"
    timing.show(f"{len(pages)} pages, {lock} a global lock", ["threads", "pages/s", "times"], rows)


if __name__ == "__main__":
    main()
