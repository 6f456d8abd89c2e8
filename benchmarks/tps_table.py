"""The TPS filter beside Table 2 of its thesis: main region kept or lost, nodes and noise removed.

python benchmarks/tps_table.py [DATASET] [TABLE.csv]
"""

import csv
import sys
from pathlib import Path
from statistics import mean, median

import timing

import joeira
from joeira.evaluation import datasets, records
from joeira.page import tag_paths
from joeira.records import MDR

SHARED = Path(__file__).resolve().parents[2] / "shared"
PAGES = SHARED / "bench" / "records" / "tpsf.jsonl.gz"
PUBLISHED = SHARED / "specs" / "published" / "tps_results.csv"


def is_kept(row: datasets.Row, page: joeira.Page, region: tag_paths.MainRegion) -> bool:
    """Return whether 80 % of the wanted records still have 80 % of their words."""
    left = region.kept[page.text_rows]
    bag = records.bag([text for text, stays in zip(page.texts, left, strict=True) if stays])
    wanted = [words for words in map(records.bag, row.records) if words]
    found = [(bag & words).total() >= records.THRESHOLD * words.total() for words in wanted]
    return sum(found) >= records.THRESHOLD * len(wanted)


def texts(method: MDR, page: joeira.Page) -> records.Tables:
    """Return the records that a method finds."""
    return [[record.text for record in table.records] for table in method.extract(page)]


def main() -> None:
    """Print the table and its summary."""
    pages = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    table = Path(sys.argv[2]) if len(sys.argv) > 2 else PUBLISHED
    with table.open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    lines, agreed, reductions, deviations = [], 0, [], []
    noise: dict[str, list[float]] = {"yes": [], "no": []}
    for row, theirs in zip(datasets.find(pages).rows(), published, strict=True):
        if not row.records:
            continue
        page = joeira.parse(row.html)
        region = tag_paths.main_region(page)
        kept = is_kept(row, page, region)
        agreed += kept == (theirs["main_region_kept"] == "yes")
        reduction = 100 * (region.nodes_inside / region.nodes - 1)
        reductions.append(reduction)
        deviations.append(abs(reduction - float(theirs["reduction_pct"])))
        gold = records.Gold(row)
        before, after = (gold.measure(texts(MDR(prefilter=use), page)) for use in ("none", "tps"))
        share = ""
        if kept and before[2] > before[1]:
            removed = 1 - (after[2] - after[1]) / (before[2] - before[1])
            noise[theirs["main_region_kept"]].append(removed)
            share = f"{100 * removed:.1f}"
        both = [f"{region.nodes}", theirs["dom_nodes"], f"{reduction:.1f}", theirs["reduction_pct"]]
        verdicts = ["yes" if kept else "no", theirs["main_region_kept"]]
        lines.append([theirs["site"], *both, *verdicts, share, theirs["noise_removed_pct"]])
    head = ["site", "nodes", "thesis", "change %", "thesis", "kept", "thesis", "noise removed %"]
    timing.show("TPS filter, ours beside the thesis", [*head, "thesis"], lines)
    print(f"\nverdict as in the thesis on {agreed} of {len(lines)} pages")
    print(f"mean change of nodes {mean(reductions):.2f} % (thesis -50.18), ", end="")
    print(f"median difference to the thesis {median(deviations):.2f} points")
    ours = noise["yes"] + noise["no"]
    print(f"mean noise removed {100 * mean(ours):.2f} % over {len(ours)} pages, ", end="")
    both = noise["yes"]
    print(f"{100 * mean(both):.2f} % over the {len(both)} that the thesis keeps too (thesis 88.86)")


if __name__ == "__main__":
    main()
