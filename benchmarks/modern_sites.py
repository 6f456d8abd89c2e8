"""Site methods on modern sites: pages of content sets that share a host, each host one site.

python benchmarks/modern_sites.py [DATA_SET ...] [--least N] [--most N] [--methods a;b]
                                  [--readers FILE]

The seventeen sites of the other benchmarks are older than main, article and section, so that a list
of tags with these cannot be tried there. Where readers have marked a page anew, their answer counts
and not that of its data set. Pages are copied to a folder that is deleted afterwards.
"""

import timing  # isort: skip (before numpy)

import argparse
import gzip
import json
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from joeira import parse
from joeira.evaluation import datasets, site_scores
from joeira.evaluation.datasets import Example

CONTENT = Path(__file__).resolve().parents[2] / "shared" / "bench" / "content"
SETS = ("wcxb-dev", "fundus-dev", "news2023-dev")
METHODS = {
    "template": "template",
    "learned, alone": "learned",
    "exact_repeat": "exact_repeat",
    "xcex": "xcex",
    "xcex, with section": "xcex[tags=body,main,article,section,div,p]",
    "the same, empty cut": "xcex[tags=body,main,article,section,div,p;empty_elements_cut=true]",
    "xcex, tags of 2005": "xcex[preset=original_tags]",
    "xcex, recommended": "xcex[preset=recommended]",
    "content_extractor": "content_extractor",
    "pagelets": "pagelets",
}


def answers(path: Path) -> dict[tuple[str, str], str]:
    """Return the text that readers marked on each page, by data set and page."""
    if not path.is_file():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return {(row["set"], row["source"]): row["text"] for row in rows if row["text"]}


def by_host(
    paths: list[Path], wanted: range, marked: dict[tuple[str, str], str]
) -> dict[str, list[Example]]:
    """Return the pages with answers of each host that has as many of them as wanted."""
    hosts: dict[str, list[Example]] = defaultdict(list)
    for path in paths:
        name = path.name.removesuffix(".jsonl.gz")
        for row in datasets.find(path).rows():
            if row.text and row.url:
                text = marked.get((name, row.id), row.text)
                hosts[urlsplit(row.url).hostname or ""].append(replace(row, text=text))
    return {host: rows for host, rows in sorted(hosts.items()) if len(rows) in wanted}


def write(folder: Path, host: str, rows: list[Example]) -> Path:
    """Write the pages of a host as a data set."""
    path = folder / f"{host}.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for row in rows:
            html = row.html if isinstance(row.html, str) else row.html.decode("utf-8", "replace")
            one = {"id": row.id, "url": row.url, "html": html, "text": row.text}
            file.write(json.dumps(one) + "\n")
    return path


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="site methods on pages that share a host")
    parser.add_argument(
        "sets", nargs="*", type=Path, default=[CONTENT / f"{name}.jsonl.gz" for name in SETS]
    )
    parser.add_argument("--least", type=int, default=5, help="pages of a host")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--methods", default="", help=f"some of {'; '.join(METHODS)}")
    parser.add_argument("--readers", type=Path, default=CONTENT / "gold-dev.jsonl.gz")
    options = parser.parse_args()
    counts = range(options.least, options.most + 1)
    hosts = by_host(options.sets, counts, answers(options.readers))
    wanted = [name.strip() for name in options.methods.split(";") if name] or list(METHODS)
    methods = {name: METHODS[name] for name in wanted}
    with tempfile.TemporaryDirectory() as folder:
        sources = [datasets.find(write(Path(folder), host, rows)) for host, rows in hosts.items()]
        scores = site_scores.evaluate(sources, list(methods.values()))
    tags = ("main", "article", "section")
    lines = []
    for host, rows in hosts.items():
        pages = [parse(row.html) for row in rows]
        used = [f"{sum(len(p.rows_of(t)) for p in pages) / len(pages):.0f}" for t in tags]
        f1 = list(scores.scores.values())[len(lines)]
        shown = [f"{f1[method].f1:.3f}" for method in methods.values()]
        lines.append([host, str(len(rows)), "/".join(used), *shown])
    means = [f"{scores.mean(method):.3f}" for method in methods.values()]
    lines.append(["mean", "", "", *means])
    head = ["host", "pages", "/".join(tags), *methods]
    timing.show(f"word F1 on {len(hosts)} hosts", head, lines)
    rows = []
    for name, method in methods.items():
        own = [
            scores.block_mean(method, value, own=True) for value in ("precision", "recall", "f1")
        ]
        if own[0] is not None:
            count = sum(site[method].own_count for site in scores.scores.values())
            rows.append([name, str(count), *(f"{value:.3f}" for value in own)])
    if rows:
        timing.show("the methods' own blocks", ["method", "blocks", "P", "R", "F"], rows)


if __name__ == "__main__":
    main()
