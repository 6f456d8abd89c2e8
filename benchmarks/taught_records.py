"""How much of a list two clicks tell: gold records from marked fields, against those of people.

    python benchmarks/taught_records.py ../shared/bench/records/fadwa-dev.jsonl.gz

On each page the blocks that hold the first two values of one record are marked as fields, as
somebody does in the viewer. The records that this makes are compared with those of the data set,
each by the same two values: recall is the share of wanted records that are there, precision the
share of taught records that are wanted.
"""

import argparse
import statistics
from collections.abc import Iterator
from pathlib import Path

import joeira
from joeira.evaluation import datasets
from joeira.evaluation.datasets import Example
from joeira.evaluation.record_scores import bag, match
from joeira.page import Page
from joeira.viewer.marked_records import Mark
from joeira.viewer.teaching import Pupil, lesson
from joeira.viewer.view import Wish

CLICKS = 2
CHARS = 40
"""So much of a value has to be found in a block: blocks may be cut within it."""


def clicks(page: Page, record: tuple[str, ...]) -> Iterator[Mark]:
    """Yield marks on the blocks that hold the first values of a record."""
    bounds = page.blocks.first.tolist()
    for number, value in enumerate(record[:CLICKS]):
        words = " ".join(value.split())[:CHARS]
        blocks = (n for n, text in enumerate(page.blocks.texts) if words in text)
        block = next(blocks, None)
        if block is not None:
            yield Mark(bounds[block], bounds[block + 1], "field", f"field {number}")


def taught(row: Example) -> tuple[float, float] | None:
    """Return precision and recall of a page; None where no value can be clicked."""
    wanted = [record[:CLICKS] for record in row.records if isinstance(record, tuple) and record]
    page = joeira.parse(row.html)
    marks = next((found for one in wanted if (found := list(clicks(page, one)))), None)
    if marks is None:
        return None
    records = lesson(Pupil(row.html, None, row.id), Wish(method="all_text"), marks).records.records
    found = match(list(map(bag, wanted)), list(map(bag, records)), "attrs")
    return len(found) / max(1, len(records)), len(found) / len(wanted)


def main() -> None:
    """Print means over pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data_set", type=Path)
    parser.add_argument("--limit", type=int)
    wanted = parser.parse_args()
    pages = [taught(row) for row in datasets.find(wanted.data_set, wanted.limit).rows()]
    measured = [page for page in pages if page is not None]
    precision, recall = (statistics.mean(side) for side in zip(*measured, strict=True))
    whole = sum(min(page) == 1 for page in measured)
    print(f"{len(measured)} pages, {len(pages) - len(measured)} without a value to click")
    print(f"precision {precision:.3f}  recall {recall:.3f}  exact on {whole} pages")


if __name__ == "__main__":
    main()
