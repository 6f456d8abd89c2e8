"""The TPS filter beside Table 2 of its thesis: main region kept or lost, nodes and noise removed.

Both readings of the scan for borders: the listing's, which leaves it at the first border, and the
one that goes on past borders that do not pass.

python benchmarks/tps_table.py [DATASET] [TABLE.csv]
"""

import csv
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Literal

import timing

import joeira
from joeira.arrays.sequences import SplitRule
from joeira.evaluation import datasets, metrics, record_scores
from joeira.page import tag_paths
from joeira.records import MDR

SHARED = Path(__file__).resolve().parents[2] / "shared"
PAGES = SHARED / "bench" / "records" / "tpsf.jsonl.gz"
PUBLISHED = SHARED / "specs" / "published" / "tps_results.csv"
VERDICT = {True: "yes", False: "no"}


@dataclass
class Reading:
    """One reading of the filter, and what it did to the pages so far."""

    policy: Literal["first", "scan_on"]
    prefilter: tag_paths.Prefilter
    agreed: int = 0
    kept: int = 0
    reductions: list[float] = field(default_factory=list)
    deviations: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)
    noise_of_both: list[float] = field(default_factory=list)
    """On pages whose region the thesis keeps too."""

    def add(self, row: datasets.Example, page: joeira.Page, theirs: dict[str, str]) -> list[str]:
        """Measure one page; return change of nodes, verdict and noise removed for the table."""
        region = tag_paths.main_region(page, rule=SplitRule(policy=self.policy))
        reduction = 100 * metrics.tree_reduction(region.nodes, region.nodes_left)
        self.reductions.append(reduction)
        self.deviations.append(abs(reduction - float(theirs["reduction_pct"])))
        kept = is_kept(row, page, region)
        self.kept += kept
        self.agreed += VERDICT[kept] == theirs["main_region_kept"]
        gold = record_scores.Gold(row)
        before, after = (
            gold.measure(texts(MDR(prefilter=use), page)) for use in ("none", self.prefilter)
        )
        counts = (before[2], before[1], after[2], after[1])
        removed = metrics.noise_removed(*map(int, counts)) if kept else None
        if removed is None:
            return [f"{reduction:.1f}", VERDICT[kept], ""]
        self.noise.append(100 * removed)
        if theirs["main_region_kept"] == "yes":
            self.noise_of_both.append(100 * removed)
        return [f"{reduction:.1f}", VERDICT[kept], f"{100 * removed:.1f}"]

    def summary(self) -> list[str]:
        """Return a line of the table of means."""
        found = [f"{self.kept} of {len(self.reductions)}", f"{self.agreed}"]
        found += [f"{mean(self.reductions):.2f}", f"{median(self.deviations):.2f}"]
        return [
            self.policy,
            *found,
            *(f"{mean(all_):.2f} ({len(all_)})" for all_ in (self.noise, self.noise_of_both)),
        ]


def is_kept(row: datasets.Example, page: joeira.Page, region: tag_paths.MainRegion) -> bool:
    """Return whether 80 % of the wanted records still have 80 % of their words."""
    left = region.kept[page.text_rows]
    bag = record_scores.bag([text for text, stays in zip(page.texts, left, strict=True) if stays])
    wanted = [words for words in map(record_scores.bag, row.records) if words]
    found = [(bag & words).total() >= record_scores.THRESHOLD * words.total() for words in wanted]
    return sum(found) >= record_scores.THRESHOLD * len(wanted)


def texts(method: MDR, page: joeira.Page) -> record_scores.Tables:
    """Return the records that a method finds."""
    return [[record.text for record in table.records] for table in method.extract(page)]


def main() -> None:
    """Print the table and its summary."""
    pages = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    table = Path(sys.argv[2]) if len(sys.argv) > 2 else PUBLISHED
    with table.open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    readings = [Reading("first", "tps"), Reading("scan_on", "tps_scan_on")]
    lines = []
    for row, theirs in zip(datasets.find(pages).rows(), published, strict=True):
        if not row.records:
            continue
        page = joeira.parse(row.html)
        nodes = str(tag_paths.main_region(page).nodes)
        found = [reading.add(row, page, theirs) for reading in readings]
        thesis = [theirs[name] for name in ("reduction_pct", "main_region_kept")]
        columns = zip(*found, [*thesis, theirs["noise_removed_pct"]], strict=True)
        values = [value for column in columns for value in column]
        lines.append([theirs["site"], nodes, theirs["dom_nodes"], *values])
    each = ("first", "scan_on", "thesis")
    head = [
        f"{what} {which}" for what in ("change %,", "kept,", "noise removed %,") for which in each
    ]
    timing.show("TPS filter", ["site", "nodes", "nodes, thesis", *head], lines)
    means = ["kept", "verdict as in the thesis", "mean change of nodes %", "median difference"]
    means += ["noise removed % (pages)", "where the thesis keeps too"]
    thesis = ["thesis", "42 of 51", "", "-50.18", "", "88.86 (42)", ""]
    summaries = [reading.summary() for reading in readings]
    timing.show("Means", ["reading", *means], [*summaries, thesis])


if __name__ == "__main__":
    main()
