"""Memory while the pages of a site stream through `SiteModel.update`.

python benchmarks/site_stream.py [DATASET] [--pages N] [--at-once N] [--max-texts N]
python benchmarks/site_stream.py [DATASET] [--pages N] [--at-once N] --method xcex [--max-pages N]

Pages are made one at a time from the texts of a real site, as in `sites.py`, and not kept. Shown
are the largest memory of the process so far and, of the default, the sizes of the tables, and by
how much a count of pages may be too low once the table of texts is full; of other methods how many
pages their sample has.
"""

import timing  # isort: skip (before numpy)

import argparse
import resource
import time
from itertools import islice
from pathlib import Path

from sites import SITES, resampled

import joeira
from joeira.evaluation import datasets
from joeira.sites.corpus import kept
from joeira.sites.result import LearnedSite
from joeira.sites.template import TemplateSite


def sizes(learned: LearnedSite, max_pages: int) -> list[str]:
    """Return how much a site has kept."""
    if not isinstance(learned, TemplateSite):
        return [str(len(kept(learned.fingerprints, max_pages)))]
    found = len(learned.texts.counts), learned.texts.missed, sum(map(len, learned.slots))
    return list(map(str, found))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="memory of a site in the making")
    parser.add_argument(
        "data_set", nargs="?", type=Path, default=SITES / "news-google.com.jsonl.gz"
    )
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=1000, help="pages for each update")
    parser.add_argument("--max-texts", type=int, default=50_000)
    parser.add_argument("--method", default="template")
    parser.add_argument("--max-pages", type=int, default=1000)
    options = parser.parse_args()
    is_default = options.method == "template"
    html = [row.html for row in datasets.find(options.data_set, 40).rows()]
    stream = map(joeira.parse, resampled(html, options.pages))
    limit = {"max_texts": options.max_texts} if is_default else {"max_pages": options.max_pages}
    site = joeira.learn_site(islice(stream, 1), options.method, **limit)
    rows = []
    began = time.process_time()
    while site.pages < options.pages:
        before = site.pages
        site = site.update(islice(stream, options.at_once))
        if site.pages == before:
            break
        spent = time.process_time() - began
        rows.append(
            [
                f"{site.pages}",
                f"{1000 * spent / site.pages:.1f}",
                f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
                *sizes(site.learned, options.max_pages),
            ]
        )
    more = ["texts", "missed at most", "slots"] if is_default else ["pages kept"]
    head = ["pages", "ms per page", "MB", *more]
    timing.show(f"{options.data_set.name}, {options.at_once} pages at a time", head, rows)


if __name__ == "__main__":
    main()
