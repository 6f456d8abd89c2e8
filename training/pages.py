"""Pages with gold text as training examples: features, labels, folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import words
from joeira.blockmodel import columns
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.evaluation.datasets import Example
from joeira.page import parse
from training.alignment import matched_words

TRAINING_SETS = {
    "wcxb-dev": "CC-BY-4.0 (Foley, WCXB)",
    "fundus-dev": "MIT",
    "magic-article": "Apache-2.0",
    "magic-forum-dev": "Apache-2.0",
    "products-dev": "MIT (Zyte)",
    "fadwa-dev": "MIT",
    "nexteval-dev": "MIT",
    "pagination-dev": "MIT (autopager)",
}
"""Data sets whose licence allows shipped weights, and that licence. Of those after the first four,
which have no main content as an answer, the pages that readers labelled are used."""

MEASURING_SETS = (
    "daniel-dev",
    "l3s-gn1",
    "dragnet",
    "cleaneval-dev",
    "cleaneval-final-dev",
    "trafilatura-dev",
    "news2023-dev",
    "harvest-dev",
)
"""Data sets that are only measured: no page of theirs is ever fitted, under whatever name."""

DOUBTED_KINDS = ("product", "collection", "listing")
DOUBTED_TRUST = 0.5
"""Where readers agree least with the answers of `MAIN_SET`, and what a page without a reader's
answer counts there."""

PRODUCT_TIMES = 1.6
"""How many times as much pages of products count in fitting: few were read, and they are hard."""

ONE_TYPE_SETS = {
    "fundus-dev": "article",
    "magic-article": "article",
    "magic-forum-dev": "forum",
}
"""Those that hold pages of one type only."""

_SECOND_LEVEL = frozenset("ac co com edu gob gov gv mil net nom or org go ne nic".split())

MAIN_SET = "wcxb-dev"
FOLDS = 4


@dataclass(frozen=True, eq=False)
class LabelledPage:
    """One page with labels."""

    id: str
    dataset: str
    domain: str
    kind: str | None
    """Page type, where the data set tells it page by page."""
    matrix: columns.Matrix
    """Features without the learned tables."""
    size: NDArray[np.float64]
    """Words of each block, as the score counts them."""
    matched: NDArray[np.float64]
    """Words of each block that are gold."""
    gold_size: int
    gold_counts: NDArray[np.int64]
    """How often each distinct gold word occurs in the gold text."""
    hits: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Block and gold word of every page word that occurs in the gold text."""
    trust: float = 1.0
    """What the answer counts."""
    gold: str | None = None
    """The labels of which a reader's answer is, where one answered by the guideline."""
    own: LabelledPage | None = None
    """The same page with the answer of its data set, where a reader gave another one."""
    made_up: bool = False
    """Whether the page was changed for fitting: such pages are never measured."""

    @property
    def page_type(self) -> str | None:
        """Page type, where it is known."""
        return self.kind or ONE_TYPE_SETS.get(self.dataset)

    @property
    def times(self) -> float:
        """How many times as much as its answer is trusted the page counts in fitting."""
        return PRODUCT_TIMES if self.kind == "product" else 1.0

    @property
    def share(self) -> NDArray[np.float64]:
        """Label of each block: the share of its words that are gold."""
        return np.clip(self.matched / np.maximum(self.size, 1), 0, 1)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each block: what it can do to the page's F1."""
        return self.trust * self.size / max(float(self.size.sum()) + self.gold_size, 1.0)

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """Return the word F1 of a choice of blocks."""
        taken = float(self.size[keep].sum())
        if not taken:
            return 0.0
        block, word = self.hits
        found = np.bincount(word[keep[block]], minlength=len(self.gold_counts))
        return 2 * float(np.minimum(found, self.gold_counts).sum()) / (taken + self.gold_size)


def example(row: Example, dataset: str, gold: str | None = None) -> LabelledPage | None:
    """Return a row as an example; None for a page without gold.

    Args:
        row: The page and its gold text.
        dataset: The data set that it is from.
        gold: The labels of which the gold text is, where a reader made it by the guideline.
    """
    if not row.has_text or row.text is None:
        return None
    page = parse(row.html, row.url)
    matrix = columns.matrix(page)
    blocks = [words(page.block_texts[number].lower()) for number in matrix.view.chosen]
    wanted = words(row.text.lower())
    number = {word: index for index, word in enumerate(dict.fromkeys(wanted))}
    counted = Counter(wanted)
    hits = [(b, number[word]) for b, block in enumerate(blocks) for word in block if word in number]
    pairs = np.array(hits, np.int64).reshape(-1, 2)
    kind = row.page_type
    return LabelledPage(
        id=row.id,
        dataset=dataset,
        domain=_domain(row.url) or _site(row.site) or f"{dataset}/{row.id}",
        kind=kind if (gold or dataset == MAIN_SET) and kind in PAGE_TYPES else None,
        matrix=matrix,
        size=np.array([len(block) for block in blocks], float),
        matched=matched_words(blocks, row.text),
        gold_size=len(wanted),
        gold_counts=np.array([counted[word] for word in number], np.int64),
        hits=(pairs[:, 0], pairs[:, 1]),
        trust=DOUBTED_TRUST if kind in DOUBTED_KINDS and not gold else 1.0,
        gold=gold,
    )


def folds(examples: Sequence[LabelledPage], count: int = FOLDS, seed: int = 0) -> NDArray[np.int64]:
    """Return the fold of each example: domains stay together, page types are spread evenly."""
    by_domain: dict[str, list[int]] = {}
    for index, one in enumerate(examples):
        by_domain.setdefault(one.domain, []).append(index)
    order = sorted(by_domain)
    random = np.random.default_rng(seed)
    random.shuffle(order)
    order.sort(key=lambda name: -len(by_domain[name]))
    kinds = [*PAGE_TYPES, None]
    load = np.zeros((count, len(kinds) + 1))
    fold = np.zeros(len(examples), np.int64)
    for name in order:
        members = by_domain[name]
        amount = np.zeros(len(kinds) + 1)
        for index in members:
            amount[kinds.index(examples[index].kind)] += 1
        amount[-1] = len(members) / 2
        chosen = int(np.argmin((load * amount).sum(axis=1)))
        load[chosen] += amount
        fold[members] = chosen
    return fold


def domains(examples: Iterable[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Return the examples of each domain."""
    found: dict[str, list[LabelledPage]] = {}
    for one in examples:
        found.setdefault(one.domain, []).append(one)
    return found


def _site(name: str | None) -> str | None:
    """Return the registrable part of the name of a site, where it is that of a host."""
    return _domain(f"//{name}") if name and "." in name else None


def _domain(url: str | None) -> str | None:
    """Return the registrable part of a host, near enough to keep sites together."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return None
    parts = host.split(".")
    long = len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in _SECOND_LEVEL
    return ".".join(parts[-3:] if long else parts[-2:]) or None
