"""How well the links to the other pages of a list are found: precision, recall, F1 of each kind.

    python benchmarks/pagination.py [../shared/bench/records/pagination-dev.jsonl.gz] [--errors]
    python benchmarks/pagination.py --held-out

A link counts by its address, each address of a page once, since pages show their navigation twice.
Gold elements that lead nowhere, such as the number of the page itself and links for scripts, are
left out on both sides. With AutoPager installed (``pip install autopager``), it is measured on the
same pages; its shipped model was trained on pages of the same collection.

The words of ``find_pages`` were written with these pages in view. With ``--held-out`` the sites are
divided into halves, and the pages of each half are read with those words only that links of the
other half show: a lower bound, since people know more words for *next* than 55 sites have.
"""

import argparse
import gzip
import importlib.util
import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from timing import show

import joeira
from joeira.page import Page, addresses
from joeira.records import page_links

DATA = Path(__file__).resolve().parents[2] / "shared/bench/records/pagination-dev.jsonl.gz"
KINDS = {"next": "next", "prev": "previous", "page": "numbered", "first": "first", "last": "last"}

Answer = set[tuple[str, str]]
"""Kind and address of each link."""


def wanted(page: Page, selectors: dict[str, str]) -> Answer:
    """Return the gold links of a page."""
    base = addresses.base_of(page)
    links: Answer = set()
    for kind, selector in selectors.items():
        for row in page.attributes.matching(selector):
            href = address_of(page, row)
            url = addresses.clean(href, base, addresses.LINK_SCHEMES) if href else None
            if url:
                links.add((KINDS[kind], url))
    return links


def address_of(page: Page, row: int) -> str:
    """Return the address of a link, or of the one around or in an element."""
    above = row
    while above > 0:
        if page.tag_name(above) == "a":
            break
        above = int(page.parent[above])
    inside = page.attributes.find(".//a[@href]", row)
    link = above if above > 0 else next(iter(inside), row)
    href = page.attributes.get(link, "href") or ""
    return "" if href.startswith("#") else href


def by_joeira(page: Page, _row: dict[str, Any]) -> Answer:
    """Return the links that Joeira finds."""
    links = joeira.find_pages(page)
    answer = {("numbered", link.url) for link in links.numbered}
    for kind in ("next", "previous", "first", "last"):
        if link := getattr(links, kind):
            answer.add((kind, link.url))
    return answer


def by_autopager(page: Page, row: dict[str, Any]) -> Answer:
    """Return the links that AutoPager finds: it knows next, previous and numbered ones."""
    import autopager
    import parsel

    base = addresses.base_of(page)
    answer: Answer = set()
    names = {"NEXT": "next", "PREV": "previous", "PAGE": "numbered"}
    for kind, link in autopager.extract(parsel.Selector(text=row["html"])):
        url = addresses.clean(link.attrib.get("href", ""), base, addresses.LINK_SCHEMES)
        if url and kind in names and not link.attrib.get("href", "").startswith("#"):
            answer.add((names[kind], url))
    return answer


def words_shown(rows: list[dict[str, Any]]) -> set[str]:
    """Return what the gold links of pages say, as `find_pages` reads it, and each first word."""
    shown = set()
    for row in rows:
        page = joeira.parse(row["html"], url=row["url"])
        gold = {url for _, url in wanted(page, row["pagination"])}
        for anchor in page_links.Links(page).anchors:
            if anchor.url in gold:
                words = page_links.TRIMMED.sub(" ", anchor.text).strip().casefold()
                shown |= {words, *words.split()[:1]}
    return shown


def halves(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the pages in two halves, those of a site together."""
    sites = sorted({page_links.host_of(row["url"]) for row in rows})
    return [[row for row in rows if page_links.host_of(row["url"]) in sites[n::2]] for n in (0, 1)]


def by_words_of_others(rows: list[dict[str, Any]]) -> dict[str, Answer]:
    """Return the links that Joeira finds on each page with the words of the other half only."""
    answers = {}
    every = page_links.roles_of_words()
    for own, others in pairwise([*halves(rows), halves(rows)[0]]):
        known = words_shown(others)
        fewer = {word: role for word, role in every.items() if word in known}
        page_links.roles_of_words = lambda fewer=fewer: fewer
        for row in own:
            answers[row["id"]] = by_joeira(joeira.parse(row["html"], url=row["url"]), row)
    page_links.roles_of_words = lambda: every
    return answers


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA)
    parser.add_argument("--held-out", action="store_true", help="also with fewer words")
    parser.add_argument("--errors", action="store_true", help="print what is missed and made up")
    options = parser.parse_args()
    with gzip.open(options.data_set, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    finders: dict[str, Callable[[Page, dict[str, Any]], Answer]] = {"joeira": by_joeira}
    if importlib.util.find_spec("autopager"):
        finders["autopager"] = by_autopager
    if options.held_out:
        answers = by_words_of_others(rows)
        finders["joeira, words of the other half"] = lambda _, row: answers[row["id"]]
    for name, find in finders.items():
        right: Counter[str] = Counter()
        gold: Counter[str] = Counter()
        given: Counter[str] = Counter()
        for row in rows:
            page = joeira.parse(row["html"], url=row["url"])
            want, got = wanted(page, row["pagination"]), find(page, row)
            for counter, links in ((right, want & got), (gold, want), (given, got)):
                counter.update(kind for kind, _ in links)
                counter["all"] += len(links)
            if options.errors and want != got and name == "joeira":
                print(row["id"], row["url"])
                for mark, links in (("  missed", want - got), ("  made up", got - want)):
                    for kind, url in sorted(links)[:6]:
                        print(f"{mark:9} {kind:9} {url[-90:]}")
        lines = []
        for kind in ("next", "previous", "numbered", "first", "last", "all"):
            precision = right[kind] / max(given[kind], 1)
            recall = right[kind] / max(gold[kind], 1)
            f_measure = 2 * right[kind] / max(given[kind] + gold[kind], 1)
            shares = (f"{share:.3f}" for share in (precision, recall, f_measure))
            lines.append([kind, str(gold[kind]), str(given[kind]), *shares])
        show(f"{name}: {len(rows)} pages", ["kind", "gold", "given", "P", "R", "F1"], lines)


if __name__ == "__main__":
    main()
