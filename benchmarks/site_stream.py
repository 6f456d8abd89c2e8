"""Memory while the pages of a site stream through `SiteModel.update`.

python benchmarks/site_stream.py [DATASET] [--pages N] [--at-once N] [--max-texts N]

Pages are made one at a time from the texts of a real site, as in `sites.py`, and not kept. Shown
are the sizes of the tables, the largest memory of the process so far, and by how much a count of
pages may be too low once the table of texts is full.
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
from joeira.sites.template import TemplateSite


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="memory of a site in the making")
    parser.add_argument(
        "data_set", nargs="?", type=Path, default=SITES / "news-google.com.jsonl.gz"
    )
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=1000, help="pages for each update")
    parser.add_argument("--max-texts", type=int, default=50_000)
    options = parser.parse_args()
    html = [row.html for row in datasets.find(options.data_set, 40).rows()]
    stream = map(joeira.parse, resampled(html, options.pages))
    site = joeira.learn_site(islice(stream, 1), max_texts=options.max_texts)
    rows = []
    began = time.process_time()
    while site.pages < options.pages:
        before = site.pages
        site = site.update(islice(stream, options.at_once))
        if site.pages == before:
            break
        learned = site.learned
        assert isinstance(learned, TemplateSite)
        spent = time.process_time() - began
        rows.append(
            [
                f"{site.pages}",
                f"{1000 * spent / site.pages:.1f}",
                f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
                f"{len(learned.texts.counts)}",
                f"{learned.texts.missed}",
                f"{sum(map(len, learned.slots))}",
            ]
        )
    head = ["pages", "ms per page", "MB", "texts", "missed at most", "slots"]
    timing.show(f"{options.data_set.name}, {options.at_once} pages at a time", head, rows)


if __name__ == "__main__":
    main()
