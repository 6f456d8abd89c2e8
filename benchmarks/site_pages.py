"""Site methods on pages fetched again, and by the number of pages learned from: mean word F1.

python benchmarks/site_pages.py [FOLDER] [--methods a;b] [--limit 40] [--sites a,b]

A page fetched again has one more visible line, a counter. Columns: the pages that were learned
from; the same fetched again; all pages when both versions of each were learned from; and all pages
when only the first of them were learned from. Below, how many pages are known again by their
sketches, and how many are taken for another page of the site.
"""

import timing  # isort: skip (before numpy)

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sites import SITES

import joeira
from joeira.evaluation import contenders, datasets, metrics
from joeira.evaluation.compare import CJK_MIN_SHARE
from joeira.sites.corpus import identify
from joeira.sites.near_duplicates import KnownPages, sketch

FEW = (1, 3, 10)
_BODY = re.compile(r"<body[^>]*>", re.IGNORECASE)


def fetched_again(html: str | bytes) -> str:
    """Return a page with a counter as its first line."""
    text = html if isinstance(html, str) else html.decode("utf-8", "replace")
    body = _BODY.search(text)
    place = body.end() if body else 0
    return f"{text[:place]}<p>1234 readers have seen this page</p>{text[place:]}"


def measured(source: datasets.Source, method: Any) -> list[float]:
    """Return the mean word F1 of a site's pages, in the order of the columns."""
    rows = [row for row in source.rows() if row.text]
    split_cjk = datasets.survey(source).cjk_share >= CJK_MIN_SHARE
    pages = [joeira.parse(row.html, row.url) for row in rows]
    again = [joeira.parse(fetched_again(row.html), row.url) for row in rows]

    def f1(site: Any, asked: Sequence[joeira.Page]) -> float:
        texts = (site.extract(page).text() for page in asked)
        pairs = zip(rows, texts, strict=True)
        return float(
            np.mean([metrics.word_scores(row.text, text, split_cjk)[2] for row, text in pairs])
        )

    site = method.fit(pages)
    few = [f1(method.fit(pages[:number]), pages) for number in FEW]
    return [f1(site, pages), f1(site, again), f1(method.fit([*pages, *again]), pages), *few]


def known_again(source: datasets.Source) -> tuple[int, int, int]:
    """Return the number of different pages, of those known again, and of those taken for others."""
    known = KnownPages()
    pages: dict[str, str] = {}
    mistaken = 0
    for row in source.rows():
        page = joeira.parse(row.html, row.url)
        print_, own = identify(page)
        if row.text and print_ not in pages:
            mistaken += known.same_as(own) is not None
            known.add(print_, own)
            pages[print_] = fetched_again(row.html)
    same = [known.same_as(sketch(joeira.parse(html))) == print_ for print_, html in pages.items()]
    return len(pages), sum(same), mistaken


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="pages fetched again, and numbers of pages")
    parser.add_argument("folder", nargs="?", type=Path, default=SITES)
    parser.add_argument("--methods", default="template;xcex;content_extractor")
    parser.add_argument("--limit", type=int, default=40, help="pages of each site")
    parser.add_argument("--sites", default="", help="only sites with one of these words")
    options = parser.parse_args()
    words = [word for word in options.sites.split(",") if word]
    paths = [
        path
        for path in sorted(options.folder.glob("*.jsonl.gz"))
        if not words or any(word in path.name for word in words)
    ]
    rows = []
    for name in options.methods.split(";"):
        method = contenders.configured(name, "site")
        f1 = [measured(datasets.find(path, options.limit), method) for path in paths]
        rows.append([name, *(f"{value:.3f}" for value in np.mean(f1, axis=0))])
    head = ["method", "learned", "fetched again", "learned twice", *(f"from {n}" for n in FEW)]
    timing.show(f"{len(paths)} sites, up to {options.limit} pages", head, rows)
    counts = [known_again(datasets.find(path, options.limit)) for path in paths]
    pages, same, mistaken = np.sum(counts, axis=0)
    print(f"{pages} pages: {same} known again, {mistaken} taken for another page")


if __name__ == "__main__":
    main()
