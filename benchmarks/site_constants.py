"""The constants of the default site method, chosen on all sites but one and measured on that one.

python benchmarks/site_constants.py [FOLDER] [--limit 40]

A site is learned from once, since the constants matter only for extraction. Every setting of a
small grid around the shipped one is measured on every site; then each site is left out in turn, the
setting that is best on the others is taken, and its word F1 on the site left out is counted.
"""

import timing  # isort: skip (before numpy)

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from sites import SITES

import joeira
from joeira.evaluation import datasets, metrics
from joeira.evaluation.compare import CJK_MIN_SHARE
from joeira.sites import template
from joeira.sites.template.slots import SiteBlocks

GRID = {
    "TITLE_ODDS": (4.0, 6.0),
    "FIELD_ODDS": (1.0, 2.0, 3.0),
    "DETAIL_ODDS": (4.0, 6.0),
    "COMMENT_ODDS": (1.5, 3.0),
    "HALF_KNOWN_PAGES": (3,),
}
Setting = tuple[float, ...]


def measured(source: datasets.Source, settings: list[Setting]) -> list[float]:
    """Return the mean word F1 of a site's pages each alone, then under each setting."""
    rows = [row for row in source.rows() if row.text]
    split_cjk = datasets.survey(source).cjk_share >= CJK_MIN_SHARE
    pages = [joeira.parse(row.html, row.url) for row in rows]
    site = template.Template().fit(pages)
    known = {id(page): SiteBlocks.of(page) for page in pages}
    again = SiteBlocks.of
    SiteBlocks.of = staticmethod(lambda page: known.get(id(page)) or again(page))  # type: ignore[method-assign, assignment]  # the blocks do not depend on the constants

    def f1(extract: Callable[[joeira.Page], joeira.Content]) -> float:
        texts = (extract(page).text() for page in pages)
        pairs = zip(rows, texts, strict=True)
        return float(
            np.mean([metrics.word_scores(row.text, text, split_cjk)[2] for row, text in pairs])
        )

    means = [f1(joeira.extract)]
    for setting in settings:
        put(setting)
        means.append(f1(site.extract))
    SiteBlocks.of = again  # type: ignore[method-assign]  # as it was
    return means


def put(setting: Setting) -> None:
    """Give the method other constants."""
    for name, value in zip(GRID, setting, strict=True):
        setattr(template, name, value)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="leave-one-site-out choice of constants")
    parser.add_argument("folder", nargs="?", type=Path, default=SITES)
    parser.add_argument("--limit", type=int, default=40, help="pages of each site")
    options = parser.parse_args()
    shipped = tuple(getattr(template, name) for name in GRID)
    settings = list(product(*GRID.values()))
    paths = sorted(options.folder.glob("*.jsonl.gz"))
    means = np.array([measured(datasets.find(path, options.limit), settings) for path in paths])
    alone, f1 = means[:, 0], means[:, 1:]
    put(shipped)
    lines = []
    for number, path in enumerate(paths):
        chosen = int(np.delete(f1, number, axis=0).mean(axis=0).argmax())
        own, best = f1[number, settings.index(shipped)], f1[number].max()
        shown = ", ".join(f"{value:g}" for value in settings[chosen])
        name = path.name.removesuffix(".jsonl.gz")
        lines.append([name, shown, alone[number], f1[number, chosen], own, best])
    mean = ["mean", "", *(np.mean([line[place] for line in lines]) for place in (2, 3, 4, 5))]
    rows = [[*line[:2], *(f"{value:.3f}" for value in line[2:])] for line in (*lines, mean)]
    head = ["site", f"chosen on the others: {', '.join(GRID)}"]
    head += ["each page alone", "F1", "F1 shipped", "F1 at best"]
    timing.show(f"{len(settings)} settings, up to {options.limit} pages a site", head, rows)


if __name__ == "__main__":
    main()
