"""CPU time of site methods: forty pages, and how it grows with the number of pages.

python benchmarks/sites.py [DATASET] [--pages N] [--largest N] [--methods a,b]

Larger sites are made by drawing anew the texts of a real site: a page keeps the markup of one real
page, and each of its longer texts is replaced, one time in two, by a text of any page.
"""

import timing  # isort: skip (before numpy)

import argparse
import random
import re
import time
from collections.abc import Iterator
from math import log2
from pathlib import Path

import joeira
from joeira import sites
from joeira.evaluation import datasets

SITES = Path(__file__).resolve().parents[2] / "shared" / "bench" / "sites"
SIZES = (250, 500, 1000)
METHODS = {
    "xcex": sites.XCEX(),
    "content_extractor": sites.ContentExtractor(),
    "infodiscoverer": sites.InfoDiscoverer(),
    "style_tree": sites.StyleTree(),
    "template": sites.Template(),
    "xcex, lossless": sites.XCEX(blocks="lossless"),
}
_TEXT = re.compile(r">([^<>]{30,})<")


def resampled(pages: list[str], count: int) -> Iterator[str]:
    """Yield pages made of the texts of real ones."""
    draw = random.Random(1)
    texts = [text for page in pages for text in _TEXT.findall(page)]

    def another(match: re.Match[str]) -> str:
        return f">{draw.choice(texts)}<" if draw.random() < 0.5 else match[0]

    for number in range(count):
        yield _TEXT.sub(another, pages[number % len(pages)])


def seconds(method: object, pages: list[joeira.Page]) -> tuple[float, float]:
    """Return the CPU time to learn from pages, and to extract all of them."""
    began = time.process_time()
    site = joeira.learn_site(pages, method)
    learned = time.process_time()
    for page in pages:
        site.extract(page)
    return learned - began, time.process_time() - learned


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="CPU time of site methods")
    parser.add_argument(
        "data_set", nargs="?", type=Path, default=SITES / "news-we-dwoje.pl.jsonl.gz"
    )
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--methods", default="", help=f"some of {', '.join(METHODS)}")
    options = parser.parse_args()
    wanted = options.methods.split(",") if options.methods else list(METHODS)
    methods = {name: method for name, method in METHODS.items() if name in wanted}
    html = [row.html for row in datasets.find(options.data_set, options.pages).rows()]
    rows = []
    for name, method in methods.items():
        pages = [joeira.parse(page) for page in html]
        blocks = sum(len(method.pieces(page)) for page in pages) if hasattr(method, "pieces") else 0
        pages = [joeira.parse(page) for page in html]
        learn, extract = seconds(method, pages)
        rows.append([name, str(blocks or ""), f"{learn:.2f}", f"{extract:.2f}"])
    head = ["method", "blocks", "s to learn", "s to extract"]
    timing.show(f"{len(html)} pages, after parsing", head, rows)
    sizes = [size for size in SIZES if size <= options.largest]
    head = ["method", *map(str, sizes), "exponent (linear: 1)"]
    rows = []
    for name, method in methods.items():
        spent = [
            seconds(method, [joeira.parse(page) for page in resampled(html, size)])
            for size in sizes
        ]
        totals = [sum(both) for both in spent]
        exponent = log2(totals[-1] / totals[0]) / log2(sizes[-1] / sizes[0]) if spent[1:] else 1
        shown = (f"{learn:.1f} + {extract:.1f}" for learn, extract in spent)
        rows.append([name, *shown, f"{exponent:.2f}"])
    timing.show("seconds to learn + to extract, by number of resampled pages", head, rows)


if __name__ == "__main__":
    main()
