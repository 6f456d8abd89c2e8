"""Time and memory of every public function and method on hostile pages, and how they grow.

python benchmarks/growth.py [--pages NAME ...] [--functions TEXT] [--big]

Each function is run on every family of pages of the tests, at three sizes, in a process of its own
that may take 512 MB. A line of the table is a function with its worst pages.
"""

import argparse
import sys
from pathlib import Path

import timing

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.growth import PAGES, Growth, functions, measure


def main() -> None:
    """Print the tables; fail where a function is beyond a limit."""
    parser = argparse.ArgumentParser(description="growth of every public function")
    parser.add_argument("--pages", nargs="*", default=list(PAGES), help="families of pages")
    parser.add_argument("--functions", default="", help="only functions with this in their name")
    parser.add_argument("--big", action="store_true", help="the sizes of the slow tests")
    options = parser.parse_args()
    names = [name for name in functions() if options.functions in name]
    requests = []
    for pages in options.pages:
        family = PAGES[pages]
        size = family.big if options.big else 2 * family.small
        requests += [(name, pages, [size // 4, size // 2, size], 1) for name in names]
    measured = measure(requests)
    rows = [_line(name, [each for each in measured if each.function == name]) for name in names]
    head = ["function", "grows most on", "exponent", "s", "takes most for", "MB", "beyond a limit"]
    timing.show(f"{len(names)} functions on {len(options.pages)} families of pages", head, rows)
    failed = [each for each in measured if not each.is_fine]
    for each in failed:
        print(f"{each.function}, {each.pages}: {each.status}", each.seconds, each.exponent)
    sys.exit(f"{len(failed)} of {len(measured)} cases are beyond a limit" if failed else 0)


def _line(name: str, measured: list[Growth]) -> list[str]:
    grows = max(measured, key=lambda each: each.exponent or 0)
    takes = max(measured, key=lambda each: max(each.megabytes, default=0))
    exponent = "" if grows.exponent is None else f"{grows.exponent:.2f}"
    beyond = sum(not each.is_fine for each in measured)
    return [
        name,
        grows.pages if exponent else "(all below 0.1 s)",
        exponent,
        f"{max(max(each.seconds, default=0) for each in measured):.2f}",
        takes.pages,
        f"{max(takes.megabytes, default=0):.0f}",
        f"{beyond} of {len(measured)}" if beyond else "",
    ]


if __name__ == "__main__":
    main()
