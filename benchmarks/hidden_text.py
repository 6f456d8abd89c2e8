"""How much of the answers of a data set a browser would not show: what leaving it out costs.

python benchmarks/hidden_text.py [DATASET] [--pages N] [--browser]
python benchmarks/hidden_text.py hidden.jsonl --ways [--browser]

With ``--browser``, the first line is what Chromium does not show, with neither scripts nor network.

With ``--ways``, the rows are pages that hide a word, or seem to (``html``, ``token``, ``seen``,
``weak``): those are printed on which leaving out what is hidden keeps the word though it is not
seen (a leak), or drops it though it is. With ``--browser``, Chromium says what is seen: it draws
each page with the word and with another in its place, and what is seen makes a difference.
"""

import argparse
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import timing

import joeira
from joeira.arrays.strings import words
from joeira.evaluation import datasets
from joeira.page.visibility import Hidden

BY_DEFAULT, VISIBLE_ONLY = "dropped by default", "dropped by visible_only"
NOT_SHOWN = "not shown by Chromium"
SHOWN = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), shown = [];
  const how = {opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true};
  while (texts.nextNode()) {
    const around = texts.currentNode.parentElement, box = around.getBoundingClientRect();
    if (around.checkVisibility(how) && box.right > 0 && box.bottom + scrollY > 0
        && box.width > 1 && box.height > 1) shown.push(texts.currentNode.data);
  }
  return shown;
}"""
SEEN_PIXELS, SEEN_CHANGE = 20, 24
"""So many pixels have to change by more than this for a reader to see it."""
COMPARE = """async ([one, two, least]) => {
  const [a, b] = await Promise.all([one, two].map(async data => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  let changed = 0;
  for (let i = 0; i < a.length; i += 4) {
    if ([0, 1, 2].some(k => Math.abs(a[i + k] - b[i + k]) > least)) changed++;
  }
  return changed;
}"""


def counted(texts: Iterable[str]) -> Counter[str]:
    """Return the words of texts as a bag."""
    return Counter(map(str.lower, words("\n".join(texts))))


def losses(page: joeira.Page, answer: Counter[str], shown: Iterable[str] | None) -> dict[str, int]:
    """Return how many words of the answer are lost without the texts hidden in some way."""
    reasons = page.hidden[page.text_rows].tolist()
    whole = (answer & counted(page.texts)).total()

    def lost(kept: Iterable[str]) -> int:
        return whole - (answer & counted(kept)).total()

    texts = list(zip(page.texts, reasons, strict=True))
    found = {
        Hidden(number).sentence: lost(text for text, reason in texts if reason != number)
        for number in sorted(set(reasons) - {0})
    }
    if shown is not None:
        found[NOT_SHOWN] = lost(shown)
    found[BY_DEFAULT] = lost(joeira.extract(page, "all_text").blocks())
    found[VISIBLE_ONLY] = lost(joeira.extract(page, "all_text", visible_only=True).blocks())
    return found


def show_losses(options: argparse.Namespace) -> None:
    """Print the words of the answers that each way of hiding holds."""
    source = datasets.find(options.data_set, options.pages)
    total = pages = 0
    lost: Counter[str] = Counter()
    hurt: Counter[str] = Counter()
    with shower() if options.browser else nobody() as show:
        for row in source.rows():
            answer = counted([row.text])
            shown = show(row.html) if show else None
            for name, count in losses(joeira.parse(row.html), answer, shown).items():
                lost[name] += count
                hurt[name] += count > answer.total() / 10
            total += answer.total()
            pages += 1
    rows = [
        [name, str(count), f"{count / max(total, 1):.2%}", str(hurt[name])]
        for name, count in sorted(lost.items(), key=lambda item: -item[1])
    ]
    columns = ["hidden by", "words of answers", "share", "pages with over a tenth"]
    timing.show(f"{pages} pages, {total} words in their answers", columns, rows)


def show_ways(options: argparse.Namespace) -> None:
    """Print the pages on which the hidden word is kept, or the seen one dropped."""
    pages = [json.loads(line) for line in options.data_set.read_text().splitlines()]
    with painter() if options.browser else nobody() as is_painted:
        rows = []
        counts: Counter[str] = Counter()
        for page in pages:
            seen = is_painted(page["html"], page["token"]) if is_painted else page["seen"]
            content = joeira.extract(page["html"], "all_text", visible_only=True)
            is_kept = page["token"] in content.text()
            if is_kept != seen and not (is_kept and content.status == "cut"):
                kind = f"{'weak ' if page.get('weak') else ''}{'leak' if is_kept else 'dropped'}"
                counts[kind] += 1
                rows.append([page.get("id", ""), kind, page.get("name", "")])
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none wrong"
    timing.show(f"{len(pages)} pages: {told}", ["page", "wrong", "hidden by"], rows)


Painted = Callable[[str, str], bool]


@contextmanager
def nobody() -> Iterator[None]:
    """Stand in for the browser where it is not asked."""
    yield None


@contextmanager
def chromium() -> Iterator[Any]:
    """Open Chromium, and yield a context without network."""
    import os
    import shutil

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        context = browser.new_context(offline=True, viewport={"width": 1280, "height": 720})
        context.route("**/*", lambda route: route.abort())
        yield context
        browser.close()


@contextmanager
def shower() -> Iterator[Callable[[str], list[str]]]:
    """Open Chromium, and yield what tells the texts that a page shows without its scripts."""
    # Scripts are taken out, for a browser that runs none runs no question of ours either.
    scripts = re.compile(r"<script\b.*?</script\s*>", re.IGNORECASE | re.DOTALL)
    with chromium() as context:

        def show(html: str) -> list[str]:
            tab = context.new_page()
            tab.set_content(scripts.sub("", html), wait_until="domcontentloaded")
            shown: list[str] = tab.evaluate(SHOWN)
            tab.close()
            return shown

        yield show


@contextmanager
def painter() -> Iterator[Painted]:
    """Open Chromium, and yield what tells whether a page shows a word."""
    with chromium() as context:
        comparing = context.browser.new_context().new_page()

        def draw(html: str) -> str:
            tab = context.new_page()
            tab.set_content(html, wait_until="domcontentloaded")
            image = tab.screenshot(animations="disabled")
            tab.close()
            return b64encode(image).decode()

        def is_painted(html: str, token: str) -> bool:
            other = "".join(
                chr(ord(letter) ^ 1) if letter.isalnum() else letter for letter in token
            )
            pictures = [draw(html), draw(html.replace(token, other.upper()))]
            if pictures[0] == pictures[1]:
                return False
            changed: int = comparing.evaluate(COMPARE, [*pictures, SEEN_CHANGE])
            return changed >= SEEN_PIXELS

        yield is_painted


def main() -> None:
    """Print what leaving out hidden text costs, or where it fails."""
    parser: Any = argparse.ArgumentParser(description="hidden words of the answers")
    parser.add_argument("data_set", nargs="?", type=Path, default=timing.DATA_SET)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--ways", action="store_true")
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args()
    (show_ways if options.ways else show_losses)(options)


if __name__ == "__main__":
    main()
