"""How well a wrapper does on other pages of the site: learned from one page, or from two examples.

    python benchmarks/wrappers.py [../shared/bench/records/fadwa-dev.jsonl.gz] [--errors]

*Pairs*: the list of page A is learned and read on page B, the next one of the same site, against
finding the records of B afresh. Scores are those of the records (macro precision and recall).

*Examples*: the first two values of the first record that shows both are given. Wanted are the first
two values of every record, on the same page and on the next one; the F measure of the values, each
counted once, is averaged over the sites. The data set has values without names, so only records
with the usual number of values count, and the values of others are neither right nor wrong; with
``--all-records`` all of them count, as if positions always meant the same. With autoscraper
installed (``pip install autoscraper "beautifulsoup4<4.13"``: it finds nothing with later versions),
it is measured on the same pages; a page on which a system fails counts as 0.
"""

import argparse
import importlib.util
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean

from timing import show

import joeira
from joeira.evaluation import datasets
from joeira.evaluation.datasets import Example
from joeira.evaluation.record_scores import bag, match
from joeira.records.result import Records

DATA = Path(__file__).resolve().parents[2] / "shared/bench/records/fadwa-dev.jsonl.gz"
SITES, EXAMPLES = 40, 2
ALL_RECORDS = "--all-records" in sys.argv
URL = "https://example.org/list/"


# Pairs ------------------------------------------------------------------------------------------


def record_score(row: Example, records: Records) -> tuple[float, float]:
    """Return precision and recall of the first table of a page."""
    wanted = [bag(" ".join(filter(None, one))) for one in row.records if isinstance(one, tuple)]
    given = [bag(record.text) for record in records[0].records] if records else []
    right = len(match(wanted, given, row.mode))
    return right / max(len(given), 1), right / max(len(wanted), 1)


def pairs(sites: dict[str, list[Example]], errors: bool) -> None:
    """Print how wrappers of one page do on the next one."""
    scores: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rows in sites.values():
        for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
            page, after = joeira.parse(row.html, url=URL), joeira.parse(other.html, url=URL)
            wrapper = joeira.learn_records(page)
            scores["found afresh on B"].append(record_score(other, joeira.find_records(after)))
            scores["learned on A, read on A"].append(record_score(row, wrapper.extract(page)))
            scores["learned on A, read on B"].append(record_score(other, wrapper.extract(after)))
            if errors and f_of(scores["learned on A, read on B"][-1:]) < 0.9:
                print(other.id, scores["learned on A, read on B"][-1], wrapper.xpaths)
    lines = []
    for name, both in scores.items():
        precision, recall = (mean(side) for side in zip(*both, strict=True))
        shares = (f"{share:.3f}" for share in (precision, recall, f_of(both)))
        lines.append([name, str(len(both)), *shares])
    show("pairs of pages", ["", "pairs", "P", "R", "F"], lines)


def f_of(scores: Sequence[tuple[float, float]]) -> float:
    """Return the harmonic mean of mean precision and mean recall."""
    precision, recall = (mean(side) for side in zip(*scores, strict=True))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


# Examples ---------------------------------------------------------------------------------------

Reader = Callable[[str], Iterable[str | None]]


def plain(value: str | None) -> str:
    """Return a value as it is compared: without white space and case."""
    return "".join((value or "").split()).casefold()


def usual(row: Example) -> tuple[list[tuple[str, ...]], set[str]]:
    """Return the records with the usual number of values, and the values of the others."""
    records = [record for record in row.records if isinstance(record, tuple)]
    if ALL_RECORDS:
        return records, set()
    size = Counter(map(len, records)).most_common(1)[0][0]
    others = {plain(value) for one in records if len(one) != size for value in one}
    return [record for record in records if len(record) == size], others


def examples_of(row: Example) -> list[str]:
    """Return the first values of the first record that the page shows."""
    shown = {plain(text) for text in joeira.parse(row.html).texts}
    for record in usual(row)[0]:
        values = [value for value in record[:EXAMPLES] if value]
        if len(values) == EXAMPLES and all(plain(value) in shown for value in values):
            return values
    return []


def by_joeira(html: str, examples: list[str]) -> Reader:
    """Learn with Joeira."""
    wrapper = joeira.learn_records(html, examples)

    def read(other: str) -> Iterable[str | None]:
        tables = wrapper.extract(other)
        return [value for table in tables for values in table.rows() for value in values]

    return read


def by_autoscraper(html: str, examples: list[str]) -> Reader:
    """Learn with autoscraper."""
    from autoscraper import AutoScraper

    scraper = AutoScraper()
    scraper.build(html=html, wanted_list=examples)
    return lambda other: scraper.get_result_similar(html=other)


def value_score(row: Example, values: Iterable[str | None]) -> float:
    """Return the F measure of values."""
    records, others = usual(row)
    wanted = {plain(value) for record in records for value in record[:EXAMPLES] if value}
    given = set(filter(None, map(plain, values))) - (others - wanted)
    return 2 * len(wanted & given) / (len(wanted) + len(given)) if wanted or given else 0.0


def by_example(sites: dict[str, list[Example]], errors: bool) -> None:
    """Print how much two examples are worth."""
    learners = {"joeira": by_joeira}
    if importlib.util.find_spec("autoscraper"):
        learners["autoscraper"] = by_autoscraper
    known = [(rows, examples) for rows in sites.values() if (examples := examples_of(rows[0]))]
    lines = []
    for name, learn in learners.items():
        same, following = [], []
        for rows, examples in known[:SITES]:
            try:
                read = learn(rows[0].html, examples)
                scores = [value_score(row, read(row.html)) for row in rows[:2]]
            except Exception as error:  # a peer may fail in its own way
                scores = [0.0, 0.0]
                print(f"{name}: {rows[0].id}: {type(error).__name__}: {error}")
            same.append(scores[0])
            following.append(scores[1])
            if errors and name == "joeira" and min(scores) < 0.9:
                print(rows[0].id, examples, [round(score, 2) for score in scores])
        lines.append([name, str(len(same)), f"{mean(same):.3f}", f"{mean(following):.3f}"])
    show("two examples", ["", "sites", "same page", "next page"], lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA)
    parser.add_argument("--only", choices=("pairs", "examples"))
    parser.add_argument("--all-records", action="store_true", help="also with unusual lengths")
    parser.add_argument("--errors", action="store_true", help="print what goes wrong")
    options = parser.parse_args()
    sites: dict[str, list[Example]] = defaultdict(list)
    for row in datasets.find(options.data_set, None).rows():
        sites[row.site or row.id].append(row)
    several = {site: rows for site, rows in sites.items() if len(rows) > 1}
    if options.only != "examples":
        pairs(several, options.errors)
    if options.only != "pairs":
        by_example(several, options.errors)


if __name__ == "__main__":
    main()
