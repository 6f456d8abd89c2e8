"""Tables 2 and 3 of the TPS thesis, measured again beside its own figures.

Table 2: how much of each page the filter prunes, whether the main region stays, and the records
that MDR finds before and after. Table 3: precision, recall and F measure of these. Readings of the
filter: `tps`, the listing's; `scan on`, which goes on past borders that do not pass; and `scan on,
above`, which counts a path as frequent only above the threshold. Pages are read as HTML5, and, for
the sizes, once more as the thesis' program read them (`tag_soup.py`).

python benchmarks/tps_table.py [DATASET]
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

import numpy as np
import tag_soup
import timing  # before numpy is imported

import joeira
from joeira.arrays import Floats
from joeira.evaluation import datasets, metrics, record_scores
from joeira.page.tag_paths import MainRegion, Prefilter, TagPathFilter
from joeira.records import MDR

HERE = Path(__file__).resolve().parent
PAGES = HERE.parents[1] / "shared" / "bench" / "records" / "tpsf.jsonl.gz"
PUBLISHED = HERE / "published"
VERDICT = {True: "yes", False: "no"}
READINGS = {
    "tps": TagPathFilter(),
    "scan on": TagPathFilter(split_policy="scan_on"),
    "scan on, above": TagPathFilter(split_policy="scan_on", frequent="above"),
}
Line = list[str]


@dataclass
class Reading:
    """One reading of the filter, and what it did to the pages so far."""

    name: str
    chosen: TagPathFilter
    kept: list[bool] = field(default_factory=list)
    verdicts: list[bool] = field(default_factory=list)
    """Whether the thesis has the same."""
    changes: list[float] = field(default_factory=list)
    changes_then: list[float] = field(default_factory=list)
    """Of the pages as the thesis' program read them."""
    counts: list[Floats] = field(default_factory=list)

    def add(self, page: joeira.Page, then: joeira.Page) -> MainRegion:
        """Measure the sizes of a page."""
        left = self.chosen.apply(page)
        self.changes.append(change(left))
        self.changes_then.append(change(self.chosen.apply(then)))
        return left

    def noise_removed(self, before: Sequence[Floats]) -> float:
        """Return the mean share of noise that the filter takes away where the region stays."""
        pairs = zip(before, self.counts, self.kept, strict=True)
        shares = [
            metrics.noise_removed(int(one[2]), int(one[1]), int(other[2]), int(other[1]))
            for one, other, kept in pairs
            if kept
        ]
        return 100 * mean(share for share in shares if share is not None)


def change(left: MainRegion) -> float:
    """Return the change of a page's nodes in per cent."""
    return 100 * metrics.tree_reduction(left.nodes, left.nodes_left)


def is_kept(row: datasets.Example, page: joeira.Page, left: MainRegion) -> bool:
    """Return whether 80 % of the wanted records still have 80 % of their words."""
    stays = left.kept[page.text_rows]
    bag = record_scores.bag([text for text, stay in zip(page.texts, stays, strict=True) if stay])
    wanted = [words for words in map(record_scores.bag, row.records) if words]
    whole = [(bag & words).total() >= record_scores.THRESHOLD * words.total() for words in wanted]
    return sum(whole) >= record_scores.THRESHOLD * len(wanted)


def count(row: datasets.Example, page: joeira.Page, prefilter: Prefilter = "none") -> Floats:
    """Return the counts of the records that MDR finds."""
    tables = MDR(prefilter=prefilter).extract(page)
    texts = [[record.text for record in table.records] for table in tables]
    return record_scores.Gold(row).measure(texts)


def of_all(counts: Floats) -> str:
    """Return wanted and all records that were found."""
    return f"{counts[1]:.0f}/{counts[2]:.0f}"


def table_2(pages: Path, readings: Sequence[Reading]) -> list[Floats]:
    """Print Table 2; return what MDR finds without the filter."""
    lines: list[Line] = []
    before: list[Floats] = []
    for row, theirs in zip(datasets.find(pages).rows(), published(2), strict=True):
        page, then = joeira.parse(row.html), tag_soup.read(row.html)
        left = [reading.add(page, then) for reading in readings]
        line = [theirs["site"], str(left[0].nodes), theirs["dom_nodes"]]
        line += [f"{reading.changes[-1]:.1f}" for reading in readings]
        line += [f"{readings[-1].changes_then[-1]:.1f}", theirs["reduction_pct"]]
        if row.records:
            before.append(count(row, page))
            for reading, each in zip(readings, left, strict=True):
                reading.kept.append(is_kept(row, page, each))
                reading.verdicts.append(VERDICT[reading.kept[-1]] == theirs["main_region_kept"])
                reading.counts.append(count(row, page, reading.chosen))
            line += [VERDICT[reading.kept[-1]] for reading in readings]
            line += [theirs["main_region_kept"], of_all(before[-1])]
            line += [f"{theirs['mdr_target']}/{theirs['mdr_records']}"]
            line += [of_all(reading.counts[-1]) for reading in readings]
            line += [f"{theirs['tps_mdr_target']}/{theirs['tps_mdr_records']}"]
        lines.append(line + [""] * (18 - len(line)))
    names = [*READINGS, "thesis"]
    head = ["site", "nodes", "nodes, thesis", *(f"change %, {name}" for name in READINGS)]
    head += ["change %, scan on, above, as then read", "change %, thesis"]
    head += [f"kept, {name}" for name in names]
    head += ["records, MDR", "records, MDR, thesis", *(f"records, {name}" for name in names)]
    timing.show("Table 2 (records: wanted/all)", head, lines)
    return before


def summary(readings: Sequence[Reading], before: Sequence[Floats]) -> None:
    """Print what Table 2 comes to."""
    printed = [float(row["reduction_pct"]) for row in published(2)]
    lines = []
    for reading in readings:
        line = [reading.name, f"{sum(reading.kept)} of {len(reading.kept)}"]
        line += [str(sum(reading.verdicts)), f"{mean(reading.changes):.2f}"]
        for changes in (reading.changes, reading.changes_then):
            apart = [abs(ours - theirs) for ours, theirs in zip(changes, printed, strict=True)]
            line.append(f"{sum(each <= 1 for each in apart)} of {len(apart)} ({median(apart):.2f})")
        lines.append([*line, f"{reading.noise_removed(before):.2f}"])
    lines.append(["thesis", "42 of 51", "", "-50.18", "", "", "88.86"])
    head = ["reading", "main region kept", "verdict as in the thesis", "mean change of nodes %"]
    head += ["size within one point (median difference), HTML5", "as then read", "noise removed %"]
    timing.show("Means", head, lines)


def table_3(readings: Sequence[Reading], before: Sequence[Floats]) -> None:
    """Print Table 3 as the thesis counts, and over all pages."""
    counts = [before, *(reading.counts for reading in readings)]
    found = record_scores.scores([np.array(rows) for rows in counts])
    lines = [
        [
            name,
            f"{score.region_rate * score.pages:.0f} of {score.pages}",
            *(f"{100 * value:.2f}" for value in (score.precision_where_found, score.region_rate)),
            f"{100 * score.f1_where_found:.2f}",
            *(f"{value:.3f}" for value in (score.precision, score.recall, score.f1)),
        ]
        for name, score in zip(["MDR", *READINGS], found, strict=True)
    ]
    by_measure = {row["measure"]: row for row in published(3)}
    measures = [by_measure[name] for name in ("Precision", "Recall", "F-measure")]
    for name, column in (("MDR", "mdr_pct"), ("MDR behind the filter", "mdr_plus_filter_pct")):
        lines.append([f"{name}, thesis", "", *(row[column] for row in measures), "", "", ""])
    head = ["", "main list found", "precision %", "recall %", "F measure %"]
    timing.show(
        "Table 3 (its precision is that of the pages with the main list, its recall their share)",
        [*head, "P, all pages", "R, all pages", "F, all pages"],
        lines,
    )


def published(table: int) -> list[dict[str, str]]:
    """Return a table of the thesis."""
    with (PUBLISHED / f"tps_table_{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Print the tables."""
    pages = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    readings = [Reading(name, chosen) for name, chosen in READINGS.items()]
    before = table_2(pages, readings)
    summary(readings, before)
    table_3(readings, before)


if __name__ == "__main__":
    main()
