"""Scores of site methods: each data set is one site, learned without its gold.

Beside them stand methods for single pages and other libraries on the same pages. Words are measured
as for single pages. Blocks are those of the page, whatever a method's own blocks are: a block is
content in the answer when its words stand there in a row, and predicted when most of its words were
kept. The X-CEX thesis measures a method's own blocks instead; where a method tells these, both are
given.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from joeira import catalog
from joeira.arrays import Case
from joeira.catalog import Extractor, SiteLearner
from joeira.content.result import Content, ReasonTable
from joeira.evaluation import contenders, metrics
from joeira.evaluation.compare import CJK_MIN_SHARE
from joeira.evaluation.datasets import Example, Source, survey
from joeira.evaluation.metrics import BlockScore, block_score, tokens
from joeira.evaluation.report import Grid
from joeira.page import Page, parse
from joeira.sites.corpus import JudgedBlock

REPEAT = "exact_repeat"
"""A floor for comparison: every block whose text no other page of the site has."""


@dataclass(frozen=True)
class SiteScore:
    """A method on one site."""

    precision: float
    recall: float
    f1: float
    """Mean word scores over the pages."""
    seconds: float
    """CPU time for learning and extraction, pages parsed; of a peer from the source on."""
    blocks: BlockScore | None
    """None for peers, which give text only."""
    own_blocks: BlockScore | None = None
    """The same of the method's own blocks, as the X-CEX thesis measures; None if it has none."""
    own_count: int = 0
    """Number of the method's own blocks."""


@dataclass(frozen=True)
class SiteEvaluation:
    """Every method on every site."""

    scores: dict[str, dict[str, SiteScore]] = field(default_factory=dict)
    """By site, then by method."""
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Number of pages and fingerprint by site."""

    def mean(self, method: str, value: str = "f1") -> float:
        """Return the mean of a word score over the sites."""
        return float(np.mean([getattr(site[method], value) for site in self.scores.values()]))

    def block_mean(self, method: str, value: str, *, own: bool = False) -> float | None:
        """Return the mean over the sites of a score of the page's blocks, or the method's own."""
        kind = "own_blocks" if own else "blocks"
        block_scores = [getattr(site[method], kind) for site in self.scores.values()]
        known = [getattr(score, value) for score in block_scores if score is not None]
        return float(np.mean(known)) if known else None

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        count = sum(pages for pages, _ in self.pages.values())
        prints = "-".join(print_[:4] for _, print_ in self.pages.values())
        return [
            f"{len(self.pages)} sites, {count} pages, fingerprint {prints}.",
            "F1 of words: mean over the pages of a site, then over sites. s: CPU seconds for all "
            "pages, without parsing except for peers.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        methods = list(next(iter(self.scores.values()), {}))
        rows = [
            [site, str(self.pages[site][0]), *(f"{of_site[name].f1:.3f}" for name in methods)]
            for site, of_site in self.scores.items()
        ]
        rows.append(["mean", "", *(f"{self.mean(name):.3f}" for name in methods)])
        yield Grid("word F1 by site", ["site", "pages", *methods], rows)
        words = ("precision", "recall", "f1", "seconds")
        shares = ("precision", "recall", "f1", "accuracy", "share_not_wrongly_kept")
        head = ["P", "R", "F1", "s", *("block P", "block R", "block F", "accuracy", "1 - fp/n")]
        means = [
            [name, *(f"{self.mean(name, value):.3f}" for value in words)]
            + [_shown(self.block_mean(name, value)) for value in shares]
            for name in methods
        ]
        yield Grid("means over sites", ["method", *head], means)
        own = [
            [name, str(sum(site[name].own_count for site in self.scores.values()))]
            + [_shown(self.block_mean(name, value, own=True)) for value in shares]
            for name in methods
            if self.block_mean(name, "f1", own=True) is not None
        ]
        if own:
            head = ["method", "blocks", "P", "R", "F", "accuracy", "1 - fp/n"]
            yield Grid("the methods' own blocks, means over sites", head, own)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        return {
            "sites": {
                site: {
                    "pages": self.pages[site][0],
                    "fingerprint": self.pages[site][1],
                    "methods": {name: _as_dict(score) for name, score in of_site.items()},
                }
                for site, of_site in self.scores.items()
            }
        }


def evaluate(
    sources: Sequence[Source],
    names: Sequence[str],
    split_cjk: bool | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SiteEvaluation:
    """Run methods over sites.

    Args:
        sources: One data set for each site.
        names: Site methods, methods for single pages, peers, or ``exact_repeat``.
        split_cjk: Whether Han and the like are words; None: where the answers have them.
        progress: Called with the number of finished and of all turns.
    """
    runs = {name: find(name) for name in names}
    evaluation = SiteEvaluation()
    for number, source in enumerate(sources):
        known = survey(source)
        rows = [row for row in source.rows() if row.has_text]
        split = known.cjk_share >= CJK_MIN_SHARE if split_cjk is None else split_cjk
        evaluation.pages[source.name] = (len(rows), known.fingerprint)
        evaluation.scores[source.name] = {}
        for turn, (name, run) in enumerate(runs.items(), 1):
            evaluation.scores[source.name][name] = _score(run, rows, split)
            progress(number * len(runs) + turn, len(sources) * len(runs))
    return evaluation


class Outcome(NamedTuple):
    """What a method made of the pages of a site."""

    outputs: Sequence[Content | str]
    seconds: float
    own_blocks: Sequence[Sequence[JudgedBlock]] | None = None
    """Per page: the method's own blocks, if it has any."""


Run = Callable[[list[Example]], Outcome]


def find(name: str) -> Run:
    """Return what runs a method by name, or raise `UsageError`."""
    if name == REPEAT:
        return _with(_ExactRepeat())
    if name.startswith(contenders.PREFIX):
        return _peer(contenders.find(name))
    # By its own name only: `learned` is the default of single pages, which sites are compared with.
    if name.partition("[")[0] in (entry.name for entry in catalog.entries("site")):
        return _with(contenders.configured(name, "site"))
    return _with(_Alone(contenders.configured(name, "content")))


def default_names() -> list[str]:
    """Return every site method, and the default for single pages."""
    return [*(entry.name for entry in catalog.entries("site")), catalog.DEFAULT_CONTENT, REPEAT]


def _with(learner: SiteLearner[Content]) -> Run:
    def run(rows: list[Example]) -> Outcome:
        pages = [parse(row.html, row.url) for row in rows]
        began = time.process_time()
        site = learner.fit(pages)
        contents = [site.extract(page) for page in pages]
        seconds = time.process_time() - began
        judge: Callable[[Page], list[JudgedBlock]] | None = getattr(site, "blocks", None)
        return Outcome(contents, seconds, [judge(page) for page in pages] if judge else None)

    return run


def _peer(make: Callable[[], contenders.Contender]) -> Run:
    def run(rows: list[Example]) -> Outcome:
        contender = make()
        began = time.process_time()
        texts = [contender(row) for row in rows]
        return Outcome(texts, time.process_time() - began)

    return run


@dataclass(frozen=True)
class _Alone:
    """A method for single pages, which learns nothing of a site."""

    method: Extractor[Content]

    def fit(self, _pages: Iterable[Page], /) -> Extractor[Content]:
        return self.method


@dataclass(frozen=True)
class _ExactRepeat:
    """Keep the blocks whose text no other page has."""

    on_pages: dict[str, int] = field(default_factory=dict)

    def fit(self, pages: Iterable[Page], /) -> _ExactRepeat:
        counts: dict[str, int] = {}
        for page in pages:
            for text in set(page.block_texts):
                counts[text] = counts.get(text, 0) + 1
        return _ExactRepeat(counts)

    def extract(self, page: Page, /) -> Content:
        alone = np.array([self.on_pages[text] == 1 for text in page.block_texts], bool)
        keep = alone[page.blocks.of_text] & ~page.in_head[page.text_rows]
        scores = keep.astype(float)
        reasons = ReasonTable(keep.astype(np.int8), _RepeatCase, scores)
        return Content(page, keep, scores, reasons, REPEAT)


class _RepeatCase(Case):
    REPEATED = 0, "text on other pages, or of the document head"
    ALONE = 1, "text on no other page"


def _score(run: Run, rows: list[Example], split_cjk: bool) -> SiteScore:
    outputs, seconds, own = run(rows)
    words, sets = [], [set[tuple[int, int]]() for _ in range(3)]
    for number, (row, output) in enumerate(zip(rows, outputs, strict=True)):
        text = output if isinstance(output, str) else output.text()
        words.append(metrics.word_scores(row.text or "", text, split_cjk))
        if not isinstance(output, str):
            for whole, part in zip(sets, _blocks(output, row.text or ""), strict=True):
                whole.update((number, block) for block in part)
    precision, recall, f1 = np.mean(words, axis=0).tolist()
    candidates, predicted, truth = sets
    blocks = block_score(candidates, predicted, truth) if candidates else None
    if own is None:
        return SiteScore(precision, recall, f1, seconds, blocks)
    own_score, own_count = _own_score(own, [row.text or "" for row in rows])
    return SiteScore(precision, recall, f1, seconds, blocks, own_score, own_count)


def _own_score(
    own: Sequence[Sequence[JudgedBlock]], golds: Sequence[str]
) -> tuple[BlockScore, int]:
    """Return how well a method's own blocks agree with the answers, and their number."""
    candidates, predicted, truth = (set[tuple[int, int]]() for _ in range(3))
    for number, (blocks, gold) in enumerate(zip(own, golds, strict=True)):
        answer = _in_a_row(gold)
        for place, block in enumerate(blocks):
            words = _in_a_row(block.text)
            candidates.add((number, place))
            if block.is_content:
                predicted.add((number, place))
            if words.strip() and words in answer:
                truth.add((number, place))
    return block_score(candidates, predicted, truth), len(candidates)


def _blocks(content: Content, gold: str) -> tuple[list[int], list[int], list[int]]:
    """Return all blocks of a page, those predicted and those of the answer."""
    page = content.page
    kept = page.blocks.sums(page.text_words * content.keep)
    size = page.blocks.sums(page.text_words)
    candidates = np.flatnonzero((size > 0) & ~page.in_head[page.blocks.owner]).tolist()
    answer = _in_a_row(gold)
    truth = [block for block in candidates if _in_a_row(page.block_texts[block]) in answer]
    return candidates, [block for block in candidates if 2 * kept[block] >= size[block]], truth


def _in_a_row(text: str) -> str:
    return f" {' '.join(tokens(text.lower(), split_cjk=True))} "


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _as_dict(score: SiteScore) -> dict[str, Any]:
    words = {name: getattr(score, name) for name in ("precision", "recall", "f1", "seconds")}
    scores = {"blocks": score.blocks, "own_blocks": score.own_blocks}
    shown = {name: None if of is None else vars(of) for name, of in scores.items()}
    return words | shown | {"own_count": score.own_count}
