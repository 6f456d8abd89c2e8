"""Answers by readers who followed one written guideline, page by page.

``labels/first.jsonl`` has one line for each page: the data set and the id there, the hash of its
source, the kind of page, the numbers of the blocks that are main content, who read it and what was
unclear. ``labels/second.jsonl`` has what a second reader, who did not know the first one's answers,
made of some of them. The pages themselves are in the data sets, and so is ``gold-dev``, whose
labels were made in the same way. A page has the answer that is trusted most: that of a reader
before that of its data set.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from joeira.arrays.strings import words
from joeira.evaluation.datasets import Example
from joeira.page import Page, parse

FOLDER = Path(__file__).with_name("labels")
GOLD_SET = "gold-dev"
OWN_SET = "labels"
_HASH_CHARS = 16


@dataclass(frozen=True)
class Label:
    """What a reader said about a page: a text, or the numbers of the blocks that make one."""

    html_sha256: str
    gold: str
    """Which labels it is one of: `GOLD_SET` or `OWN_SET`."""
    dataset: str
    """The data set that has the page."""
    page_type: str
    text: str | None = field(default=None, repr=False)
    keep: str = ""
    """Numbers of blocks, as in ``3-17,20``."""
    words_sha256: str = ""
    """Beginning of the hash of the words of these blocks: they are what the reader saw."""

    def text_of(self, page: Page) -> str:
        """Return the main content of the page that was read.

        Raises:
            ValueError: When the blocks of the page are not those that the reader saw.
        """
        if self.text is not None:
            return self.text
        numbers = block_numbers(self.keep)
        if not numbers or numbers[-1] < len(page.block_texts):
            kept = [page.block_texts[number] for number in numbers]
            if words_hash(kept) == self.words_sha256:
                return "\n\n".join(kept)
        message = (
            f"page {self.html_sha256[:12]} of {self.dataset}: its blocks are not those that "
            "the reader saw; make its label anew"
        )
        raise ValueError(message)


def read(data: Path | None = None) -> dict[str, Label]:
    """Return the labels by the hash of the page, with those of `GOLD_SET` in a folder of data."""
    labels = read_file("first")
    path = data / f"{GOLD_SET}.jsonl.gz" if data else None
    if path and path.exists():
        labels |= {row["html_sha256"]: _label(row, GOLD_SET) for row in rows(path)}
    return labels


def read_file(name: str) -> dict[str, Label]:
    """Return the labels of ``first`` or ``second`` readers by the hash of the page."""
    return {row["html_sha256"]: _label(row, OWN_SET) for row in rows(FOLDER / f"{name}.jsonl")}


def rows(path: Path) -> Iterable[dict[str, Any]]:
    """Yield the lines of a file of labels."""
    read = path.read_bytes()
    lines = gzip.decompress(read) if path.suffix == ".gz" else read
    yield from map(json.loads, lines.decode("utf-8").split("\n")[:-1])


def _label(row: Mapping[str, Any], gold: str) -> Label:
    return Label(
        row["html_sha256"],
        gold,
        row["set"],
        row["page_type"],
        row.get("text"),
        row.get("keep", ""),
        row.get("words_sha256", ""),
    )


def trusted(row: Example, labels: Mapping[str, Label]) -> tuple[Example, str | None]:
    """Return a page with the answer that is trusted most, and of which labels that is, if any."""
    known = labels.get(html_hash(row.html))
    if known is None:
        return row, None
    text = known.text_of(parse(row.html, row.url))
    return replace(row, text=text, page_type=row.page_type or known.page_type), known.gold


def html_hash(html: str) -> str:
    """Return the hash by which the source of a page is known."""
    return hashlib.sha256(html.encode("utf-8", "surrogatepass")).hexdigest()


def words_hash(texts: Iterable[str]) -> str:
    """Return the hash by which the words of blocks are known."""
    joined = " ".join(word for text in texts for word in words(text.lower()))
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]


def block_numbers(keep: str) -> list[int]:
    """Return the numbers in a text such as ``3-17,20``."""
    numbers: list[int] = []
    for part in filter(None, keep.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def agreement(first: str, second: str) -> float:
    """Return the word F1 of two readers' texts of one page; 1 where both kept nothing."""
    one, two = (Counter(words(text.lower())) for text in (first, second))
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 1.0
