"""CPU time of each content method on top of parsing, and how it grows with the page.

python benchmarks/methods.py [DATASET] [--pages N] [--rounds N]
"""

import timing
from parse import table

from joeira import catalog


def main() -> None:
    """Print the tables."""
    options = timing.arguments("CPU time of the content methods", rounds=5)
    pages = timing.read_pages(options)
    names = [entry.name for entry in catalog.entries("content")]
    tasks: dict[str, timing.Task] = {name: catalog.build(name).extract for name in names}
    found = timing.race(tasks, pages, options.rounds, table)
    parsing = found.pop(timing.PREPARE)
    found["all together"] = sum(found.values())
    rows = [[name, f"{ms:.2f}", f"{ms / parsing:.2f}"] for name, ms in found.items()]
    title = f"{len(pages)} pages; parsing with the columns of the methods: {parsing:.2f} ms/page"
    timing.show(title, ["method", "ms/page", "of parsing"], rows)
    timing.show_growth(tasks, pages, options.rounds, table)


if __name__ == "__main__":
    main()
