"""How many headings of the answers are kept, and how many of the kept ones are in the answers.

python benchmarks/headings.py [DATASET] [--pages N]

Answers are plain text. A heading of the page (``h1`` to ``h6``) is one of the answer when its words
make up a line of it; of equal headings as many count as the answer has lines. A kept heading is
right when its words stand anywhere in the answer. ``h1`` is told apart: most of them are titles.
"""

import re
from collections import Counter

import numpy as np
import timing

import joeira
from joeira.evaluation import datasets
from joeira.page import tags

Counts = Counter[str]
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, with a space between them."""
    return " ".join(_WORD.findall(text.lower()))


def counts(content: joeira.Content, answer: str) -> Counts:
    """Return how many headings there are in the answer, how many are kept, and are right."""
    page, blocks = content.page, content.page.blocks
    lines = Counter(map(words_of, answer.splitlines()))
    anywhere = f" {words_of(answer)} "
    found: Counts = Counter()
    for is_title in (True, False):
        is_wanted = page.known_tag[blocks.owner] == tags.NUMBER["h1"]
        if not is_title:
            is_wanted = tags.HEADINGS[page.known_tag[blocks.owner]] & ~is_wanted
        headings = [
            (words_of(blocks.texts[block]), bool(content.keep[blocks.first[block]]))
            for block in np.flatnonzero(is_wanted)
        ]
        all_of, kept = (
            Counter(text for text, is_kept in headings if text and (is_kept or not only_kept))
            for only_kept in (False, True)
        )
        gold = all_of & lines
        name = "h1" if is_title else "h2-h6"
        found[f"{name} gold"] += gold.total()
        found[f"{name} gold kept"] += (gold & kept).total()
        found[f"{name} kept"] += kept.total()
        found[f"{name} right"] += sum(
            count for text, count in kept.items() if f" {text} " in anywhere
        )
    return found


def main() -> None:
    """Print recall and precision of the headings, by type of page."""
    options = timing.arguments("headings of the answers", rounds=1)
    by_type: dict[str, Counts] = {}
    for row in datasets.find(options.data_set, options.pages).rows():
        if row.has_text:
            found = counts(joeira.extract(row.html, url=row.url), row.text or "")
            for name in ("all", row.page_type or "unknown"):
                by_type.setdefault(name, Counter()).update(found)
    rows = []
    for name, found in by_type.items():
        rows.append([name])
        for kind in ("h2-h6", "h1"):
            gold, kept = found[f"{kind} gold"], found[f"{kind} kept"]
            recall = found[f"{kind} gold kept"] / max(gold, 1)
            precision = found[f"{kind} right"] / max(kept, 1)
            rows[-1] += [str(gold), f"{recall:.3f}", f"{precision:.3f}"]
    columns = ["pages", "h2-h6", "recall", "precision", "h1", "recall", "precision"]
    title = "headings of the answers that are kept, and kept ones that are right"
    timing.show(title, columns, rows)


if __name__ == "__main__":
    main()
