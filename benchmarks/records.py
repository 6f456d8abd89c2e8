"""CPU time of each record method on top of parsing, and how it grows with the length of a list.

python benchmarks/records.py [DATASET] [--pages N] [--rounds N]
"""

import sys

import timing
from parse import table

import joeira
from joeira import catalog

LISTS = (1_000, 10_000, 100_000)
ITEM = "<li class=item><h3><a href=x>Name {0}</a></h3><p>Some words</p><span>{0} €</span></li>"
PAGES = timing.DATA_SET.parents[1] / "records" / "fadwa-dev.jsonl.gz"


def main() -> None:
    """Print the tables."""
    if not any(argument.endswith((".jsonl", ".gz", ".xz")) for argument in sys.argv[1:]):
        sys.argv.insert(1, str(PAGES))
    options = timing.arguments("CPU time of the record methods", rounds=3)
    pages = timing.read_pages(options)
    names = [entry.name for entry in catalog.entries("records")]
    tasks: dict[str, timing.Task] = {
        name: catalog.build(name, task="records").extract for name in names
    }
    tasks["mdr behind tps"] = catalog.build("mdr", {"prefilter": "tps"}, "records").extract
    found = timing.race(tasks, pages, options.rounds, table)
    parsing = found.pop(timing.PREPARE)
    rows = [[name, f"{ms:.2f}", f"{ms / parsing:.2f}"] for name, ms in found.items()]
    title = f"{len(pages)} pages; parsing with the columns of the methods: {parsing:.2f} ms/page"
    timing.show(title, ["method", "ms/page", "of parsing"], rows)
    lists = [f"<ul>{''.join(ITEM.format(n) for n in range(length))}</ul>" for length in LISTS]
    grown = [timing.race(tasks, [page], 1, joeira.parse) for page in lists]
    rows = [[name, *(f"{ms[name]:.0f}" for ms in grown)] for name in grown[0]]
    timing.show("ms for one list, by its items", ["", *(f"{length:,}" for length in LISTS)], rows)


if __name__ == "__main__":
    main()
