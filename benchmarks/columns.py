"""Time and memory of columns and cells for lists of growing length.

Run: python benchmarks/columns.py [--records 1000 10000 100000]

Two lists: records of a few shapes, as pages have them, and records that all differ in shape, the
worst that a page can do. The page is parsed before the clock starts.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from math import log

import numpy as np
from timing import show

import joeira
from joeira.records.result import RecordTable

ALIKE = (
    "<li class=item><a href='/p/{0}'><img src='{0}.png' width=80></a><h3><a href='/p/{0}'>Tea {0}"
    "</a></h3>{1}<p class=price>$ {0}.00</p><p>Sold <b>{0}</b> times</p></li>"
)
BADGE = "<span class=badge>new</span>"


def alike(count: int) -> str:
    """Return a list of records with one optional field."""
    return "".join(ALIKE.format(number, BADGE * (number % 3 == 0)) for number in range(count))


def different(count: int) -> str:
    """Return a list of records of random make-up."""
    chance = random.Random(7)
    names = [f"<{tag} class=c{number}>x{{0}}</{tag}>" for number in range(12) for tag in "bip"]
    return "".join(
        f"<li>{''.join(chance.sample(names, 6)).format(number)}</li>" for number in range(count)
    )


def measured(html: str) -> tuple[float, float, RecordTable]:
    """Return the seconds for columns with all their cells, and with selectors."""
    page = joeira.parse(
        f"<ul>{html}</ul>", "https://example.org/", max_bytes=10**9, max_nodes=10**7
    )
    rows = np.flatnonzero(page.parent == page.rows_of("ul")[0])
    slices = np.stack((rows, page.end[rows]), axis=1)
    table = RecordTable(page, page.region(0), slices, np.arange(len(rows)), 1.0, "")
    began = time.process_time()
    table.rows()
    return time.process_time() - began, len(page), table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    options = parser.parse_args()
    lines, before = [], {}
    for kind, make in (("alike", alike), ("all different", different)):
        for count in options.records:
            seconds, nodes, table = measured(make(count))
            growth = ""
            if kind in before:
                smaller, faster = before[kind]
                growth = f"{log(seconds / faster) / log(count / smaller):.2f}"
            before[kind] = count, seconds
            lines.append(
                [
                    kind, f"{count:,}", f"{nodes:,}", str(len(table.columns)), f"{seconds:.2f}",
                    f"{seconds / count * 1e6:.0f}", growth,
                ]
            )  # fmt: skip
    head = ["records", "number", "rows of the page", "columns", "s", "µs/record", "exponent"]
    show("columns and cells", head, lines)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
