"""Share of the columns of records that have selectors: CSS, XPath, and of the records themselves.

python benchmarks/column_selectors.py [--step 3] [DATASET.jsonl.gz ...]

The first table of each page. The column of what is left over never has a selector; it is counted.
``pytest -m quality tests/quality/test_selectors.py`` checks what selectors find, with parsel.
"""

import argparse
from pathlib import Path

from timing import show

import joeira
from joeira.evaluation import datasets

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "bench" / "records"
SETS = [FOLDER / f"{name}.jsonl.gz" for name in ("tpsf", "fadwa-dev", "nexteval-dev")]


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_sets", nargs="*", type=Path, default=SETS)
    parser.add_argument("--step", type=int, default=1, help="every so many pages")
    options = parser.parse_args()
    lines = []
    for path in options.data_sets:
        source = datasets.find(path, None, options.step)
        found = (joeira.find_records(row.html, url="https://example.org/") for row in source.rows())
        tables = [page[0] for page in found if page]
        columns = [column for table in tables for column in table.columns]
        shares = [
            (sum(one.css is not None for one in columns), len(columns)),
            (sum(one.xpath is not None for one in columns), len(columns)),
            (sum(one.record_css is not None for one in tables), len(tables)),
            (sum(one.record_xpath is not None for one in tables), len(tables)),
        ]
        counts = [str(len(tables)), str(len(columns))]
        lines.append([path.name.partition(".")[0], *counts, *(f"{a / b:.3f}" for a, b in shares)])
    head = ["data set", "tables", "columns", "CSS", "XPath", "CSS of records", "XPath of records"]
    show("columns with selectors", head, lines)


if __name__ == "__main__":
    main()
