"""Where the values that people took down of records stand in our tables, and how columns are named.

python benchmarks/cells.py [DATASET.jsonl.gz] [--names common|raw] [--examples N]

Of each page the first table counts, whatever its presence, and of it the records that match an
answer. A value of the answer is

- *exact*: the text of a cell, with or without what all records have beside it: a label, a word
  that all cells of the column begin or end with, such as a currency or a unit;
- *item*: the same of an item of a cell that is a list;
- *in other*: an item of the column ``other``;
- *split*: the texts of several neighbouring cells together;
- *inside*: glued to a neighbour in a larger cell;
- *constant*: out of the table on purpose, since the records have it in common: buttons, labels;
- *not shown*: not in the text of the record, as answers differ from pages now and then;
- *missing*: in no cell.

Of two pages of one site their first tables are compared, `other` set aside: whether they have the
same set of names; the same but for columns that say one thing on one of the pages, and are a
constant of that name there; and how many of the columns that both have, found by the same selector,
are called alike. A set differs also where a page has nothing to show: no sale, no picture.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from statistics import mean

from timing import show

import joeira
from joeira.evaluation import datasets
from joeira.evaluation.record_scores import bag, match

DATA_SET = (
    Path(__file__).resolve().parents[2] / "shared" / "bench" / "records" / "fadwa-dev.jsonl.gz"
)
PLACES = ("exact", "item", "in other", "split", "inside", "constant", "not shown", "missing")
OTHER = "other"
_WORD = re.compile(r"\w+")


def words(text: str) -> str:
    """Return the words of a text in lower case, a blank around each."""
    return f" {' '.join(_WORD.findall(text.lower().replace('_', ' ')))} "


def bare(text: str, constants: Iterable[str]) -> set[str]:
    """Return what a text is without a constant before or behind it."""
    before = {f" {text.removeprefix(one)}" for one in constants if text.startswith(one)}
    behind = {f"{text.removesuffix(one)} " for one in constants if text.endswith(one)}
    return before | behind


def shared_ends(texts: Iterable[str]) -> tuple[str, str]:
    """Return the words that all texts begin with, and those that all end with."""
    distinct = {tuple(words(text).split()) for text in texts}
    if len(distinct) < 2:
        return "", ""
    begin = _shared_start(distinct)
    end = _shared_start(one[::-1] for one in distinct)[::-1]
    return words(" ".join(begin)), words(" ".join(end))


def _shared_start(texts: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the words that all texts begin with."""
    start = []
    for first, *others in zip(*texts, strict=False):
        if others.count(first) < len(others):
            break
        start.append(first)
    return start


def _without_both(text: str, ends: tuple[str, str]) -> set[str]:
    """Return a text without what it begins with, ends with, or both."""
    behind = f" {text.removeprefix(ends[0])}" if ends[0].strip() else text
    both = f"{behind.removesuffix(ends[1])} " if ends[1].strip() else behind
    before = f"{text.removesuffix(ends[1])} " if ends[1].strip() else text
    return {behind, both, before}


def places(table: joeira.RecordTable, row: datasets.Example) -> Iterator[tuple[str, str]]:
    """Yield where each value of the answer is, and the value."""
    wanted = [(bag(record), record) for record in row.records if bag(record)]
    found = [bag(record.text) for record in table.records]
    constants = {words(text) for text in table.constants.values()}
    constants |= {words(column.label) for column in table.columns if column.label}
    affixes = [shared_ends(cell.text for cell in own if cell) for own in table.fields.cells]
    constants |= {end for ends in affixes for end in ends}
    records = table.records
    cells = table.cells
    for number, answer in match([words for words, _ in wanted], found, row.mode).items():
        own, exact, listed, left = [], set(), set(), set()
        for column, cell, ends in zip(table.columns, cells[number], affixes, strict=True):
            if cell is None or not cell.text or column.kind in ("link", "image"):
                continue
            items = cell.text.split(" | ")
            if column == OTHER:
                left.update(map(words, items))
                continue
            own.append(words(f"{column.label} {cell.text}"))
            exact.update(map(words, (cell.text, f"{column.label} {cell.text}")))
            exact.update(_without_both(words(cell.text), ends))
            listed.update(map(words, items))
        together = words("".join(own))
        values = wanted[answer][1]
        for value in (values,) if isinstance(values, str) else values:
            text = words(value)
            if not text.strip():
                continue
            if text in exact or not exact.isdisjoint(bare(text, constants)):
                yield "exact", value
            elif text in listed or not listed.isdisjoint(bare(text, constants)):
                yield "item", value
            elif text in left:
                yield "in other", value
            elif text in constants:
                yield "constant", value
            elif any(text in one for one in own) or any(text in one for one in left):
                yield "inside", value
            elif text in together:
                yield "split", value
            elif text not in words(records[number].text):
                yield "not shown", value
            else:
                yield "missing", value


@dataclass(frozen=True)
class Names:
    """What the columns of a table are called."""

    columns: frozenset[str]
    constants: frozenset[str]
    by_selector: dict[str, str]

    @classmethod
    def of(cls, table: joeira.RecordTable) -> Names:
        """Return the names of a table."""
        own = [column for column in table.columns if column != OTHER]
        return cls(
            frozenset(map(str, own)),
            frozenset(table.constants),
            {column.css: str(column) for column in own if column.css},
        )

    def in_common_with(self, other: Names) -> list[bool]:
        """Return of each column that both have whether it is called alike."""
        both = self.by_selector.keys() & other.by_selector.keys()
        return [self.by_selector[css] == other.by_selector[css] for css in both]

    def differ_in(self, other: Names) -> frozenset[str]:
        """Return the names that one has as a column and the other neither so nor as constant."""
        mine = self.columns - other.columns - other.constants
        return mine | (other.columns - self.columns - self.constants)


def show_names(by_site: Iterable[list[Names]]) -> None:
    """Print how alike the names on pages of one site are."""
    pairs = [pair for names in by_site for pair in combinations(names, 2)]
    shared = [one.in_common_with(other) for one, other in pairs]
    union = [len(a.columns | b.columns) or 1 for a, b in pairs]
    alike = [
        len(a.columns & b.columns) / all_of for (a, b), all_of in zip(pairs, union, strict=True)
    ]
    lines = [
        ["pairs with the same set of names", mean(a.columns == b.columns for a, b in pairs)],
        ["the same, constants counted", mean(not a.differ_in(b) for a, b in pairs)],
        ["names that both have, of all", mean(alike)],
        ["columns of the same selector with the same name", mean(chain.from_iterable(shared))],
        ["pairs in which all of these have", mean(map(all, shared))],
    ]
    title = f"names on {len(pairs)} pairs of pages of one site"
    show(title, ["", "share"], [[what, f"{share:.3f}"] for what, share in lines])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--names", choices=("common", "raw"), default="common")
    parser.add_argument("--examples", type=int, default=0, help="values to print that are no cell")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    per_page: defaultdict[str, float] = defaultdict(float)
    pages = columns = 0
    by_site: defaultdict[str, list[Names]] = defaultdict(list)
    for row in datasets.find(options.data_set).rows():
        found = joeira.find_records(row.html, min_presence=0)
        if not found:
            continue
        table = found[0] if options.names == "common" else found[0].with_names("raw")
        columns += len(table.columns)
        by_site[row.site or row.id].append(Names.of(table))
        own = list(places(table, row))
        counts.update(place for place, _ in own)
        pages += bool(own)
        for place, _ in own:
            per_page[place] += 1 / len(own)
        wrong = [(place, value) for place, value in own if place in ("inside", "split", "missing")]
        for place, value in wrong[: options.examples]:
            print(f"{row.id}\t{place}\t{value}")
    total = counts.total()
    lines = [
        [
            place,
            f"{counts[place]:,}",
            f"{counts[place] / total:.3f}",
            f"{per_page[place] / pages:.3f}",
        ]
        for place in PLACES
    ]
    for left_out in (["constant"], ["constant", "not shown"]):
        rest = total - sum(counts[place] for place in left_out)
        right = counts["exact"] + counts["item"]
        name = f"exact or item, without {' and '.join(left_out)}"
        lines.append([name, f"{rest:,}", f"{right / rest:.3f}", ""])
    show(f"{total:,} values on {pages} pages", ["", "values", "share", "mean of pages"], lines)
    print(f"\n{columns} columns")
    if any(len(names) > 1 for names in by_site.values()):
        show_names(by_site.values())


if __name__ == "__main__":
    main()
