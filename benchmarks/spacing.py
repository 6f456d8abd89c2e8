"""Whether words of the extracted text begin and end where Chromium shows them to.

python benchmarks/spacing.py [DATASET...] [--pages N] [--seed N] [--show N]

Pages are drawn at random, the same for the same seed, equally many from each data set. Chromium
reads the source of each without network and without running scripts, and gives its ``innerText``.
Each kept text is then looked for in both, in the text of the default method and in what Chromium
shows. Wherever two kept texts follow each other there, both are asked whether white space stands
between them:

- *invented*: the text has a border where Chromium shows one word;
- *lost*: the text has one word where Chromium shows a border.

Two kinds of borders that only the text has are no faults and are counted apart. Pieces that no text
stands beside (``<span>Price</span><span>5</span>``) are kept apart on purpose: what does so on the
screen is mostly a linked style sheet, and such sheets are not at hand. And an image between two
words is nothing in ``innerText``, but it parts them on the screen.

Texts that Chromium does not show are left out, and so are pages of which it makes another tree than
Joeira's parser. Floats are put back into their line, because a large capital is part of its word.

The page needs Playwright and Chromium (``pip install 'joeira[browser]'``).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import timing

import joeira
from joeira.page import tags

ADDRESS = "http://page.invalid/"
HEADERS = {
    # Scripts are on, so that <noscript> stays shut as in Joeira's parser, but none may run.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Content-Type": "text/html; charset=utf-8",
}
TIMEOUT_MS = 20_000
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
READ = """() => {
  const names = [...document.querySelectorAll("*")].map(element => element.localName);
  const style = document.createElement("style");
  style.textContent = "* { text-transform: none !important; float: none !important }";
  document.documentElement.append(style);
  return [names, document.body ? document.body.innerText : ""];
}"""
UNSEEN_CHARACTERS = dict.fromkeys(map(ord, "\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
FARTHEST = 400
"""Characters that are looked through for the next text."""
IMAGES = tags.table("img svg picture canvas video audio object input iframe embed")

INVENTED, LOST, PIECES, IMAGE = "invented", "lost", "pieces without text beside", "image between"
FAULTS = (INVENTED, LOST)


@dataclass
class Squeezed:
    """A text without its white space, and before which of its characters there was some."""

    solid: str
    spaced: set[int]
    at: int = 0

    @classmethod
    def of(cls, text: str) -> Squeezed:
        """Take the white space and the unseen characters out of a text."""
        spaced, length = set(), 0
        words = text.translate(UNSEEN_CHARACTERS).split()
        for word in words:
            spaced.add(length)
            length += len(word)
        return cls("".join(words), spaced)

    def place_of(self, piece: str) -> tuple[int, int] | None:
        """Return where a piece of text comes next; None when it does not come soon."""
        start = self.solid.find(piece, self.at, self.at + len(piece) + FARTHEST)
        if start < 0:
            return None
        self.at = start + len(piece)
        return start, self.at


@dataclass
class Tally:
    """Borders that were compared, kept texts that were not, and what the two see differently."""

    pages: int = 0
    borders: int = 0
    skipped_texts: int = 0
    cases: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By kind: the page and the texts around each border."""
    pages_with: Counter[str] = field(default_factory=Counter)
    pages_left_out: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, content: joeira.Content, shown: str) -> None:
        """Compare the borders between the kept texts of a page with those that Chromium shows."""
        page = content.page
        ours, theirs = Squeezed.of(content.text()), Squeezed.of(shown)
        kinds: set[str] = set()
        ends: tuple[int, int] | None = None  # of the text before, in both
        for number, (text, kept) in enumerate(zip(page.texts, content.keep.tolist(), strict=True)):
            piece = "".join(text.translate(UNSEEN_CHARACTERS).split())
            place = theirs.place_of(piece) if piece else None
            own_place = ours.place_of(piece) if piece and kept else None
            if place is None or own_place is None:
                self.skipped_texts += kept
                ends = None
                continue
            if ends == (own_place[0], place[0]):
                self.borders += 1
                is_ours, is_theirs = own_place[0] in ours.spaced, place[0] in theirs.spaced
                if is_ours != is_theirs:
                    kind = kind_of(page, number) if is_ours else LOST
                    kinds.add(kind)
                    example = f"{page.texts[number - 1][-30:]!r} + {text[:30]!r}"
                    self.cases[kind].append(f"{name}: {example}")
            ends = own_place[1], place[1]
        self.pages += 1
        self.pages_with.update(kinds)
        self.pages_with["faults"] += not kinds.isdisjoint(FAULTS)

    def show(self, examples: int, seed: int) -> None:
        """Print shares of pages, and some examples of each kind."""
        rows = []
        for kind in (INVENTED, LOST, "faults", PIECES, IMAGE):
            count = sum(len(self.cases[each]) for each in (FAULTS if kind == "faults" else (kind,)))
            pages = self.pages_with[kind]
            rows.append([kind, str(count), str(pages), f"{pages / max(self.pages, 1):.1%}"])
        left_out = ", ".join(f"{count} {why}" for why, count in self.pages_left_out.items())
        title = (
            f"{self.pages} pages (left out: {left_out or 'none'}), {self.borders} borders between "
            f"kept texts; {self.skipped_texts} kept texts are not shown or not found"
        )
        timing.show(title, ["only one has a border", "borders", "pages", "share of pages"], rows)
        for kind, cases in self.cases.items():
            some = random.Random(seed).sample(cases, min(examples, len(cases)))
            print("".join(f"\n{kind}: {case}" for case in sorted(some)))


def kind_of(page: joeira.Page, number: int) -> str:
    """Return what a border before a text is called that only our text has."""
    row, row_after = page.text_rows[number - 1 : number + 1].tolist()
    if IMAGES[page.known_tag[row:row_after]].any():
        return IMAGE
    is_beside = page.parent[row_after] < row or page.end[page.parent[row]] > row_after
    return INVENTED if is_beside else PIECES


class Chromium:
    """Gives the names of the elements and the text of pages."""

    def __init__(self, context: Any, errors: type[Exception]) -> None:
        """Keep a browser context and the errors it raises."""
        self.context = context
        self.errors = errors
        self.html = ""
        context.route("**/*", self.answer)

    def answer(self, route: Any) -> None:
        """Serve the page, and nothing else."""
        if route.request.url == ADDRESS:
            route.fulfill(body=self.html.encode("utf-8", "replace"), headers=HEADERS)
        else:
            route.abort()

    def read(self, html: str) -> tuple[list[str], str] | None:
        """Return the names of a page's elements in order, and its text; None when it gives up."""
        self.html = html
        tab = self.context.new_page()
        try:
            tab.goto(ADDRESS, wait_until="domcontentloaded")
            names, text = tab.evaluate(READ)
        except self.errors:
            return None
        finally:
            tab.close()
        return names, text


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Open a browser that never touches the network."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        program = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, PROGRAMS)), None),
            # Chromium's sandbox refuses to run as root, and only then is it left out.
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        context = program.new_context(viewport={"width": 1280, "height": 1024})
        context.set_default_timeout(TIMEOUT_MS)
        yield Chromium(context, Error)
        program.close()


def pages_of(files: list[Path], count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield names and sources of random pages, equally many from each data set."""
    for number, file in enumerate(files):
        share = count * (number + 1) // len(files) - count * number // len(files)
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = list(lines)
        for line in random.Random(seed).sample(rows, min(share, len(rows))):
            row = json.loads(line)
            yield f"{file.name.partition('.')[0]}/{row['id']}", row["html"]


def names_of(page: joeira.Page) -> list[str]:
    """Return the names of a page's elements in order."""
    return [page.tag_name(row) for row in (~page.is_text).nonzero()[0].tolist()]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    folder = timing.DATA_SET.parent
    # Gold texts without pages are no data sets of their own.
    files = sorted(path for path in folder.glob("*.jsonl.gz") if not path.name.startswith("gold-"))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, default=files, help=".jsonl.gz with html")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="examples of each kind")
    return parser.parse_args()


def main() -> None:
    """Print how often the two differ."""
    options = arguments()
    tally = Tally()
    with chromium() as browser:
        for name, html in pages_of(options.files, options.pages, options.seed):
            answer = browser.read(html)
            content = joeira.extract(html)
            if answer is None:
                tally.pages_left_out["given up"] += 1
            elif names_of(content.page) != answer[0]:
                tally.pages_left_out["with another tree"] += 1
            else:
                tally.add(name, content, answer[1])
    tally.show(options.show, options.seed)


if __name__ == "__main__":
    main()
