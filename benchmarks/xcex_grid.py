"""The experiments of the X-CEX thesis on other sites: every option, F and seconds.

python benchmarks/xcex_grid.py [FOLDER] [--published xcex_results.csv] [--pages N] [--sites a,b]
                               [--slow-pages N] [--json FILE]

Two measures: of the paragraph-like blocks of the page, the same for every option, and of the
blocks that each option makes itself, as in the thesis. The published means are of other sites, so
that only the shape of the findings can be compared: equal weights collapse recall, the page limit
hardly matters, Hamming does as well as the cosine. The findings, by a method's own blocks, are
printed below the table, both ours and the published ones; docs/pictures/draw.py draws them from the
file of --json.
"""

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import NamedTuple

import timing
from numpy import mean

from joeira.evaluation import datasets, site_scores

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
    "advised (chapter 6)": "xcex[preset=advised]",
    "empty elements cut": "xcex[empty_elements_cut=true]",
    "tags_list1, empty cut": "xcex[tags=body,main,article,section,div,p;empty_elements_cut=true]",
    "unicode words": "xcex[word_pattern=unicode]",
    "innermost blocks": "xcex[blocks=innermost]",
    "lossless blocks": "xcex[blocks=lossless]",
    "lossless, unicode": "xcex[blocks=lossless;word_pattern=unicode]",
    "recommended": "xcex[preset=recommended]",
    "recommended, hamming": "xcex[preset=recommended;content=hamming]",
    "xcex, as few": "xcex",
    "recommended, as few": "xcex[preset=recommended]",
}
SAME = {f"ibdf_limit_{n}": "ibdf_limit_25_30_35" for n in (25, 30, 35)}
"""The thesis prints one table for three limits."""


SLOW = (
    "content_damerau_levenshtein", "content_levenshtein", "content_jaro_winkler",
    "recommended, hamming", "xcex, as few", "recommended, as few",
)  # fmt: skip
"""Take most of the time, as in the thesis, so that they have a number of pages of their own; and
what they are to be compared with."""
LIMITS = tuple(f"ibdf_limit_{n}" for n in (15, 25, 30, 35))


class Means(NamedTuple):
    """Means over sites of one experiment."""

    precision: float
    recall: float
    f: float
    seconds: float


def published(path: Path) -> dict[str, Means]:
    """Return the means of each experiment of the thesis."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for name in dict.fromkeys(row["variant"] for row in rows):
        own = [row for row in rows if row["variant"] == name]
        columns = (
            [float(row[column]) for row in own if row[column]]
            for column in ("precision", "recall", "f_measure", "seconds")
        )
        found[name] = Means(*(float(mean(column)) if column else 0.0 for column in columns))
    return found | {name: found[same] for name, same in SAME.items()}


def findings(of: dict[str, Means]) -> list[str]:
    """Return what the thesis concludes, in figures."""
    known, half = of["xcex"], of["content_weight_50"]
    f = [of[name].f for name in ("xcex", *LIMITS)]
    return [
        f"recall {known.recall:.3f}, with equal weights {half.recall:.3f}",
        f"F from {min(f):.3f} to {max(f):.3f} over page limits from 15 to 35 %",
        f"F {known.f:.3f} by cosine, {of['content_hamming'].f:.3f} by Hamming",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the grid of the X-CEX thesis")
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED / "bench" / "sites")
    published_file = SHARED / "specs" / "published" / "xcex_results.csv"
    parser.add_argument("--published", type=Path, default=published_file)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--slow-pages", type=int, default=8, help="pages for edit distances")
    parser.add_argument("--sites", default="", help="only sites with one of these words")
    parser.add_argument("--json", type=Path, help="file for the means, by a method's own blocks")
    options = parser.parse_args()
    words = [word for word in options.sites.split(",") if word]
    paths = sorted(options.folder.glob("*.jsonl.gz"))
    chosen = [path for path in paths if not words or any(word in path.name for word in words)]
    sources = [datasets.find(path, options.pages) for path in chosen]
    few = [datasets.find(path, options.slow_pages) for path in chosen]
    quick = [method for name, method in GRID.items() if name not in SLOW]
    all_pages = site_scores.evaluate(sources, quick, progress=_tell)
    few_pages = site_scores.evaluate(few, [GRID[name] for name in SLOW], progress=_tell)
    there = published(options.published)
    here, rows = {}, []
    for name, method in GRID.items():
        found = few_pages if name in SLOW else all_pages
        shares = ("precision", "recall", "f1")
        blocks = [found.block_mean(method, value) or 0.0 for value in shares]
        own = [found.block_mean(method, value, own=True) or 0.0 for value in shares]
        here[name] = Means(*own, found.mean(method, "seconds"))
        numbers = [f"{value:.3f}" for value in (found.mean(method), *blocks, *own)]
        numbers.append(str(sum(site[method].own_count for site in found.scores.values())))
        thesis = [f"{value:.3f}" for value in there[name][:3]] if name in there else [""] * 3
        spent = f"{there[name].seconds:.0f}" if name in there else ""
        shown = f"{name} ({options.slow_pages} pages)" if name in SLOW else name
        rows.append([shown, *numbers, f"{here[name].seconds:.2f}", *thesis, spent])
    head = ["option", "word F1", "page P", "page R", "page F", "own P", "own R", "own F", "blocks"]
    head += ["s", "thesis P", "thesis R", "thesis F", "thesis s"]
    timing.show(f"{len(sources)} sites, up to {options.pages} pages each", head, rows)
    if options.json:
        means = {
            title: {name: [round(each, 3) for each in of[name][:3]] for name in GRID if name in of}
            for title, of in (("here", here), ("thesis", there))
        }
        options.json.write_text(f"{json.dumps(means, indent=1)}\n", "utf-8")
    for title, of in (("here", here), ("thesis", there)):
        for line in findings(of) if of else []:
            print(f"{title}: {line}")


def _tell(done: int, total: int) -> None:
    print(f"\r{done} of {total}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
