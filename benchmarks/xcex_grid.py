"""The experiments of the X-CEX thesis on other sites: every option, F and seconds.

python benchmarks/xcex_grid.py [FOLDER] [--published xcex_results.csv] [--pages N] [--sites a,b]

The published means are of other sites, so that only the shape of the findings can be compared:
equal weights collapse recall, the page limit hardly matters, Hamming does as well as the cosine.
"""

import argparse
import csv
from pathlib import Path

import timing
from numpy import mean

from joeira.evaluation import datasets, sites

SHARED = Path(__file__).resolve().parents[2] / "shared"
GRID = {
    "xcex": "xcex",
    "content_extractor": "content_extractor",
    "tags_list1": "xcex[tags=body,main,article,section,div,p]",
    "tags_list2": "xcex[tags=table,tr,p,hr,ul,div,span]",
    "no_ibdf_minus1": "xcex[exact_duplicate_rule=false]",
    **{f"ibdf_limit_{n}": f"xcex[page_limit_percent={n}]" for n in (15, 25, 30, 35)},
    **{f"content_weight_{n}": f"xcex[content_weight=0.{n}]" for n in (50, 55, 60, 75, 80)},
    "struct_cosine": "xcex[structure=cosine]",
    "struct_griazev": "xcex[structure=griazev]",
    "content_levenshtein": "xcex[content=levenshtein]",
    "content_damerau_levenshtein": "xcex[content=damerau_levenshtein]",
    "content_hamming": "xcex[content=hamming]",
    "content_jaro_winkler": "xcex[content=jaro_winkler]",
    "unicode words": "xcex[word_pattern=unicode]",
    "innermost blocks": "xcex[blocks=innermost]",
    "lossless blocks": "xcex[blocks=lossless]",
    "lossless, unicode": "xcex[blocks=lossless;word_pattern=unicode]",
    "recommended": "xcex[blocks=lossless;word_pattern=unicode;page_limit_percent=25]",
}
SAME = {f"ibdf_limit_{n}": "ibdf_limit_25_30_35" for n in (25, 30, 35)}
"""The thesis prints one table for three limits."""


def published(path: Path) -> dict[str, tuple[float, float]]:
    """Return mean F and mean seconds of each experiment of the thesis."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [row for row in rows if row["variant"] == name]
        seconds = [float(row["seconds"]) for row in own if row["seconds"]]
        found[name] = (
            float(mean([float(row["f_measure"]) for row in own])),
            float(mean(seconds)) if seconds else 0.0,
        )
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the grid of the X-CEX thesis")
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED / "bench" / "sites")
    published_file = SHARED / "specs" / "published" / "xcex_results.csv"
    parser.add_argument("--published", type=Path, default=published_file)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--sites", default="", help="only sites with one of these words")
    options = parser.parse_args()
    words = [word for word in options.sites.split(",") if word]
    paths = sorted(options.folder.glob("*.jsonl.gz"))
    chosen = [path for path in paths if not words or any(word in path.name for word in words)]
    sources = [datasets.find(path, options.pages) for path in chosen]
    found = sites.evaluate(sources, list(GRID.values()))
    printed = published(options.published)
    rows = []
    for name, method in GRID.items():
        f, seconds = printed.get(SAME.get(name, name), (None, None))
        blocks = [found.block_mean(method, value) or 0 for value in ("precision", "recall", "f1")]
        numbers = [f"{value:.3f}" for value in (found.mean(method), *blocks)]
        spent = f"{found.mean(method, 'seconds'):.2f}"
        there = ["", ""] if f is None else [f"{f:.3f}", f"{seconds:.0f}"]
        rows.append([name, *numbers, spent, *there])
    head = ["option", "word F1", "block P", "block R", "block F", "s", "thesis F", "thesis s"]
    timing.show(f"{len(sources)} sites, up to {options.pages} pages each", head, rows)


if __name__ == "__main__":
    main()
