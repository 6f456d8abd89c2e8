"""Run the public functions over hostile pages and mutants, for a sanitizer to watch.

python scripts/sanitize.py MUTANTS [PAGES]

Pages are those of the examples, of the fuzz corpus and, where they are at hand, the hostile ones of
the benchmarks; mutants are pieces of them cut, doubled and put together. Nothing is compared: what
the kernels read or write out of place is the sanitizer's to find.
"""

import os
import random
import sys
from pathlib import Path

import joeira

ROOT = Path(__file__).resolve().parents[1]
BENCH = Path(os.environ.get("JOEIRA_BENCH", ROOT.parent / "shared" / "bench"))
MAX_BYTES = 2_000_000
MISNESTED = (
    b"a href=x>", b"/a>", b"b class=y>", b"/b>", b"i>", b"/i>", b"nobr>", b"font size=1>",
    b"/font>", b"p>", b"/p>", b"div>", b"/div>", b"table>", b"tr>", b"td itemprop=z>",
    b"/table>", b"form>", b"input type=hidden>", b"pre>\n", b"/pre>",
    b"script type=application/ld+json>{}</script>",
)  # fmt: skip


def pages() -> list[bytes]:
    """Return the sources of all pages."""
    folders = (ROOT / "examples", ROOT / "tests" / "fuzz" / "corpus", BENCH / "hostile")
    paths = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.read_bytes()[:MAX_BYTES] for path in paths]


def mutant(sources: list[bytes], chance: random.Random) -> bytes:
    """Return pieces of two pages, cut anywhere and doubled."""
    pieces = []
    for source in chance.sample(sources, 2):
        start = chance.randrange(len(source) + 1)
        pieces.append(
            source[start : start + chance.randrange(1, 20_000)] * chance.choice((1, 1, 3))
        )
    chance.shuffle(pieces)
    return b"".join(pieces) if chance.random() < 0.5 else misnested(b"".join(pieces), chance)


def misnested(source: bytes, chance: random.Random) -> bytes:
    """Return a page with tags in it that make others move."""
    tags = source.split(b"<")
    for _ in range(chance.randrange(1, 60)):
        tags.insert(chance.randrange(len(tags)) + 1, chance.choice(MISNESTED))
    return b"<".join(tags)


def use(source: bytes) -> None:
    """Ask for everything that kernels take part in."""
    page = joeira.parse(source)
    content = joeira.extract(page)
    content.text()
    content.markdown()
    joeira.find_records(page)
    joeira.segment(page)
    # Most bytes go to the parser; text is read from the source as far as it is plain.
    text = joeira.extract(source.decode(errors="replace"))
    text.text()
    text.metadata.to_dict()
    text.visible().text()
    for name in ("class", "href"):
        text.page.attributes.column(name)


def main() -> None:
    """Say how many pages were run."""
    mutants = int(sys.argv[1])
    known = pages()[: int(sys.argv[2]) if len(sys.argv) > 2 else None]
    if not joeira.native_available:
        sys.exit("the kernels were not compiled")
    chance = random.Random(7)
    for source in known:
        use(source)
    small = [source for source in known if len(source) < 200_000]
    for _ in range(mutants):
        use(mutant(small, chance))
    print(f"{len(known)} pages and {mutants} mutants")


if __name__ == "__main__":
    main()
