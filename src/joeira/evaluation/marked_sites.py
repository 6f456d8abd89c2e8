"""Sites with annotated blocks: measuring segments, and training the classifier of `SOM`.

Each data set is one site. A method for sites learns from its pages without their answers; methods
for single pages stand beside it. Scores are those of single pages (`segment_scores`), as means over
the pages of a site and then over sites.

A `MarkedSite` is the merged tree of a site with the answers laid over it. With it come the oracle
of Daoud's thesis, which knows the blocks, the scores of a pruned tree, and `train`, which learns
from the oracle's decisions and chooses the settings of the machine inside the sites it learns from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira import catalog
from joeira.arrays import Floats
from joeira.errors import InputError
from joeira.evaluation import contenders, segment_scores
from joeira.evaluation.datasets import Example, Source, survey
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.evaluation.report import Grid
from joeira.evaluation.tasks import SEGMENTS
from joeira.page import Page, parse
from joeira.segments.result import Segments
from joeira.sites.som import SOM
from joeira.sites.som.pruning import (
    GRID,
    Asked,
    Decision,
    Machine,
    MachineSettings,
    best_settings,
    fit,
    prune,
)
from joeira.sites.som.tree import SiteTree, simplified

PART_PAGES: Final = 10


@dataclass(frozen=True, eq=False)
class MarkedSite:
    """The merged tree of a site, with what people marked."""

    method: SOM
    """Says which nodes are the same, and what is repeated."""
    tree: SiteTree
    blocks: Sequence[NDArray[np.int64]]
    """Per page: the block of each of its words, negative for none."""
    nodes: Sequence[NDArray[np.int64]]
    """Per page: the node of the tree that each word belongs to, negative for none."""
    block_count: NDArray[np.intp]
    """Per node: pages on which it is the root of a block, or took the root in."""

    @classmethod
    def of(cls, rows: Sequence[Example], method: SOM) -> MarkedSite:
        """Return the site of pages with answers."""
        tree = method.new_tree()
        blocks, nodes, roots_of_pages = [], [], []
        for row in rows:
            page = parse(row.html, row.url)
            simple = simplified(page, method.repetition)
            place = np.array([*tree.add(page, method.repetition), 0], np.intp)  # 0 for no node
            marked = segment_scores.marked(row)
            blocks.append(marked.block)
            nodes.append(_nodes_of_words(page, marked.words, simple.rows, place))
            roots = np.array([*segment_scores.block_roots(row, page)], np.intp)
            roots_of_pages.append(
                np.unique(place[np.searchsorted(simple.rows, roots, "right") - 1])
            )
        counts = np.bincount(np.concatenate([*roots_of_pages, []]).astype(np.intp))
        block_count = np.zeros(len(tree.frequency), np.intp)
        block_count[: len(counts)] = counts
        return cls(method, tree, blocks, nodes, block_count)

    def measured(self, decide: Decision | None = None) -> Floats:
        """Return `segment_scores.COLUMNS` of each page after pruning.

        Args:
            decide: What prunes the tree; none: the method itself.
        """
        method, tree = self.method, self.tree
        owner = method.decided(tree, decide) if decide else method.owners(tree)
        # One more node, so that words of no node stay without one.
        owner = np.append(owner, segment_scores.OUTSIDE)
        pages = zip(self.blocks, self.nodes, strict=True)
        return np.array([segment_scores.measure(blocks, owner[nodes]) for blocks, nodes in pages])

    def scores(self, decide: Decision | None = None) -> dict[str, float]:
        """Return the mean scores over the pages after pruning, as `measured` does."""
        return _means(self.measured(decide))

    def rand_index(self, decide: Decision) -> float:
        """Return the mean adjusted Rand index over the pages after pruning."""
        owner = np.append(self.method.decided(self.tree, decide), segment_scores.OUTSIDE)
        pages = zip(self.blocks, self.nodes, strict=True)
        indices = [segment_scores.rand_index(blocks, owner[nodes]) for blocks, nodes in pages]
        return float(np.mean(indices))

    def samples(self) -> Asked:
        """Return the samples of the tree with the answers of who knows the blocks."""
        return prune(self.tree, oracle(self), self.method.rare_share)


def _nodes_of_words(
    page: Page, words: Sequence[str], rows: NDArray[np.intp], place: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the node of the site's tree for each word of a page, negative for none."""
    shown = np.flatnonzero(~page.in_head[page.text_rows]).tolist()
    text_of_word = segment_scores.spread(words, [(page.texts[text], text) for text in shown])
    node_of_text = place[np.searchsorted(rows, page.text_rows, "right") - 1]
    known = text_of_word >= 0
    nodes = np.full(len(text_of_word), segment_scores.OUTSIDE, np.int64)
    nodes[known] = node_of_text[text_of_word[known]]
    return nodes


def _means(table: Floats) -> dict[str, float]:
    """Return the mean of each column of scores by its name."""
    return dict(zip(segment_scores.COLUMNS, table.mean(axis=0).round(4).tolist(), strict=True))


def samples_of_parts(rows: Sequence[Example], method: SOM) -> Asked:
    """Return the samples of a site as those see it who have all its pages, or ten of them.

    Frequencies and numbers of words are others where there are fewer pages; so are the nodes.
    """
    parts = [rows[first : first + PART_PAGES] for first in range(0, len(rows), PART_PAGES)]
    # What is left over is no site of its own.
    parts = [part for part in parts if len(part) == PART_PAGES and len(part) < len(rows)]
    asked = [MarkedSite.of(part, method).samples() for part in (rows, *parts)]
    return Asked(
        np.concatenate([each.nodes for each in asked]),
        np.concatenate([each.features for each in asked]),
        np.concatenate([each.merged for each in asked]),
        asked[0].whole,
    )


def oracle(site: MarkedSite) -> Decision:
    """Return who knows the blocks: children are one block if each is inside one, below its root.

    The block that a child is in is the node with most block roots among the child and what is above
    it; of several the deepest.
    """
    count, parent = site.block_count.tolist(), site.tree.parent.tolist()
    block: list[int] = []
    is_inside = [True] * len(count)
    for node, above in enumerate(parent):
        outer = block[above] if above >= 0 else -1
        is_root = count[node] > 0 and (outer < 0 or count[node] >= count[outer])
        block.append(node if is_root else outer)
        if above >= 0 and block[node] in (-1, node):
            is_inside[above] = False
    return lambda node, features: is_inside[node]


@dataclass(frozen=True, eq=False)
class Training:
    """A machine with what it was chosen by."""

    machine: Machine
    tried: dict[MachineSettings, float]
    """Mean adjusted Rand index of each settings on sites that were not learned from."""

    @property
    def summary(self) -> dict[str, Any]:
        """The settings that were chosen, and what all of them reach, best first."""
        best_first = sorted(self.tried.items(), key=lambda item: -item[1])
        return {
            "chosen": asdict(self.machine.settings),
            "tried": [{**asdict(each), "ari": round(score, 4)} for each, score in best_first],
        }


def train(
    sites: Sequence[MarkedSite],
    samples: Sequence[Asked],
    grid: Sequence[MachineSettings] = GRID,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Training:
    """Return a machine learned from sites; its settings are chosen inside them.

    Args:
        sites: At least two.
        samples: What is learned of each: `samples_of_parts`.
        grid: The settings that are tried.
        progress: Called with how many settings were tried on how many sites, and with how many
            will be.
    """
    merged = [one.merged for one in samples]
    if len(sites) < 2 or np.all(np.concatenate(merged)) or not np.any(np.concatenate(merged)):
        message = (
            "training needs at least two sites with blocks that are divided and blocks that are "
            "not; annotate more pages"
        )
        raise InputError(message)
    done = count(1)

    def measure(number: int, machine: Machine) -> float:
        progress(next(done), len(sites) * len(grid))
        return sites[number].rand_index(machine.decide)

    best, tried = best_settings(samples, measure, grid)
    return Training(fit(samples, best), tried)


@dataclass(frozen=True)
class SiteSegments:
    """Methods on sites whose blocks are known."""

    measured: dict[str, dict[str, Floats]] = field(default_factory=dict)
    """By site and method: `segment_scores.COLUMNS` of each page."""
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    """By site and method: CPU time for learning and segments, pages parsed."""
    fingerprints: dict[str, str] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        count = sum(len(next(iter(by.values()))) for by in self.measured.values())
        prints = "-".join(print_[:4] for print_ in self.fingerprints.values())
        return [
            f"{len(self.measured)} sites, {count} pages, fingerprint {prints}.",
            "Means over the pages of a site, then over sites; intervals: 95 %, bootstrap over the "
            "pages of each site. ms: CPU time per page, without parsing.",
            "The shipped models may have been trained on these sites; see their model cards.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        names = list(next(iter(self.measured.values()), {}))
        rows = [
            [site, str(len(by[names[0]])), *(f"{by[name][:, 0].mean():.3f}" for name in names)]
            for site, by in self.measured.items()
        ]
        yield Grid("ARI by site", ["site", "pages", *names], rows)
        head = ["method", "ARI", "95 %", "NMI", "B3 P", "B3 R", "B3 F1", "segments", "blocks", "ms"]
        yield Grid("means over sites", head, [self._line(name) for name in names])

    def _line(self, name: str) -> list[str]:
        tables = [by[name] for by in self.measured.values()]
        means = np.mean([table.mean(axis=0) for table in tables], axis=0)
        low, high = self.interval(name)
        pages = sum(map(len, tables))
        cpu_ms = 1000 * sum(by[name] for by in self.seconds.values()) / pages
        numbers = [f"{value:.3f}" for value in means[1:5]] + [f"{value:.1f}" for value in means[5:]]
        return [name, f"{means[0]:.3f}", f"{low:.3f}-{high:.3f}", *numbers, f"{cpu_ms:.1f}"]

    def interval(self, name: str) -> tuple[float, float]:
        """Return the interval of a method's mean adjusted Rand index."""
        means = []
        for by in self.measured.values():
            scores = by[name][:, 0]
            drawn = resamples(len(scores), BOOTSTRAP_SAMPLES, 0)
            means.append(np.concatenate([times @ scores / len(scores) for times in drawn]))
        return interval(np.mean(means, axis=0))

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        return {
            "sites": {
                site: {
                    "fingerprint": self.fingerprints[site],
                    "methods": {
                        name: {
                            **_means(table),
                            "pages": len(table),
                            "seconds": self.seconds[site][name],
                        }
                        for name, table in by.items()
                    },
                }
                for site, by in self.measured.items()
            }
        }


def evaluate(
    sources: Sequence[Source],
    names: Sequence[str],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SiteSegments:
    """Run methods over sites.

    Args:
        sources: One data set for each site.
        names: Methods for the segments of sites, or of single pages.
        progress: Called with the number of finished and of all turns.
    """
    runs = {name: _find(name) for name in names}
    found = SiteSegments()
    for number, source in enumerate(sources):
        rows = [row for row in source.rows() if row.blocks]
        if not rows:
            message = f"{source.path}: no page has blocks in its gold"
            raise InputError(message)
        pages = [parse(row.html, row.url) for row in rows]
        golds = [segment_scores.Gold(row) for row in rows]
        found.fingerprints[source.name] = survey(source, lambda row: bool(row.blocks)).fingerprint
        found.measured[source.name], found.seconds[source.name] = {}, {}
        for turn, (name, run) in enumerate(runs.items(), 1):
            began = time.process_time()
            outputs = run(pages)
            found.seconds[source.name][name] = time.process_time() - began
            parts = map(SEGMENTS.output_of, outputs)
            table = [gold.measure(each) for gold, each in zip(golds, parts, strict=True)]
            found.measured[source.name][name] = np.array(table)
            progress(number * len(runs) + turn, len(sources) * len(runs))
    return found


def default_names() -> list[str]:
    """Return every method for the segments of sites, and the default for single pages."""
    return [*(entry.name for entry in catalog.entries("site_segments")), catalog.DEFAULT_SEGMENTS]


def _find(name: str) -> Callable[[Sequence[Page]], list[Any]]:
    """Return what divides the pages of a site by a method's name, or raise `UsageError`."""
    if name.partition("[")[0] in (entry.name for entry in catalog.entries("site_segments")):
        learner = contenders.configured(name, "site_segments")

        def learned(pages: Sequence[Page]) -> list[Any]:
            site = learner.fit(pages)
            return [_by_class(site.extract(page)) for page in pages]

        return learned
    method = contenders.configured(name, "segments")
    return lambda pages: [method.extract(page) for page in pages]


def _by_class(found: Segments) -> Segments:
    """Return segments of one class, which others may stand between, as one: they are one block."""
    classes: dict[str | None, int] = {}
    own = [classes.setdefault(part.label, len(classes)) for part in found]
    number = np.array([*own, segment_scores.OUTSIDE], np.int64)
    return replace(found, labels=number[found.labels])
