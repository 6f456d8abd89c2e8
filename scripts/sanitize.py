"""Run the public functions over hostile pages and mutants, for a sanitizer to watch.

python scripts/sanitize.py MUTANTS [PAGES]

Pages are those of the examples, the fuzz corpus, the families of hostile pages and, where they are
at hand, pages of the benchmarks; mutants are those of scripts/fuzz. Nothing is compared: what the
kernels read or write out of place is the sanitizer's to find. The page at which a process dies
stays in out/sanitize.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests")]

import joeira  # noqa: E402 - after the path of the tests
from support.hostile import FAMILIES  # noqa: E402
from support.mutants import Pages, Source, load_pages, mutant  # noqa: E402

MAX_BYTES = 2_000_000
SEED = 7
PART = 100
"""Pages that a process takes at a time."""


@cache
def known_pages() -> Pages:
    """Return what mutants are made from, read once in every process."""
    return load_pages()


def hostile_pages() -> Iterator[Source]:
    """Yield all pages that are no mutants."""
    corpus = ROOT / "tests" / "fuzz" / "corpus"
    yield from (path.read_bytes() for path in sorted((ROOT / "examples").glob("*.html")))
    yield from (path.read_bytes() for path in sorted(corpus.iterdir()))
    yield from (family.make(family.small) for family in FAMILIES.values())
    yield from known_pages().pieces
    yield from known_pages().whole


def use(source: Source) -> None:
    """Ask for everything that kernels take part in."""
    page = joeira.parse(source)
    content = joeira.extract(page)
    content.text()
    content.markdown()
    joeira.find_records(page)
    joeira.segment(page)
    # Most bytes go to the parser; text is read from the source as far as it is plain.
    readable = source.decode(errors="replace") if isinstance(source, bytes) else source
    text = joeira.extract(readable)
    text.text()
    text.metadata.to_dict()
    text.visible().text()
    for name in ("class", "href"):
        text.page.attributes.column(name)


def use_all(sources: Iterator[Source]) -> int:
    """Use some pages, each of which lies in a file as long as it takes; return how many."""
    path = ROOT / "out" / "sanitize" / f"{os.getpid()}.html"
    count = 0
    for source in sources:
        text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        path.write_bytes(text[:MAX_BYTES])
        use(source[:MAX_BYTES])
        count += 1
    path.unlink(missing_ok=True)
    return count


def use_mutants(first: int, after: int) -> int:
    """Use the mutants with these numbers."""
    return use_all(mutant(SEED, number, known_pages()) for number in range(first, after))


def main() -> None:
    """Say how many pages were run."""
    mutants = int(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if not joeira.native_available:
        sys.exit("the kernels were not compiled")
    (ROOT / "out" / "sanitize").mkdir(parents=True, exist_ok=True)
    if most is not None:
        pages = use_all(page for page, _ in zip(hostile_pages(), range(most), strict=False))
        print(f"{pages} pages")
        return
    began = time.monotonic()
    done = 0
    with ProcessPoolExecutor() as pool:
        first = pool.submit(use_all_hostile)
        parts = range(0, mutants, PART)
        ends = [min(start + PART, mutants) for start in parts]
        for count in pool.map(use_mutants, parts, ends):
            done += count
            if done % 1000 == 0:
                print(f"{done} mutants, {time.monotonic() - began:.0f} s", flush=True)
        print(f"{first.result()} pages and {done} mutants")


def use_all_hostile() -> int:
    """Use all pages that are no mutants."""
    return use_all(hostile_pages())


if __name__ == "__main__":
    main()
