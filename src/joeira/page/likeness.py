"""How alike blocks of different pages are: markup and words, weighed, as X-CEX compares them.

One block is compared with all others at once. An inverted index counts common words; a pair is
compared in full only where the words, and the lengths of texts and tag sequences, leave it a chance
to pass the threshold. The formula is evaluated in one order everywhere, so that this is the same
decision as comparing every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from joeira.kernels import edits
from joeira.kernels.markup_similarity import (
    griazev_similarity,
    html_similarity,
    tag_sequence_bound,
)
from joeira.kernels.postings import Postings, binary_cosine

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STRUCTURES = ("html_similarity", "cosine", "griazev")
CONTENTS = ("cosine", "levenshtein", "damerau_levenshtein", "hamming", "jaro_winkler")
COUNTED_TAGS = "img a table script p article figure button ul li div span h1 h2 h3 h4 h5 h6".split()
"""Elements whose numbers, with the number of words, are compared by the cosine structure."""


@dataclass(frozen=True)
class Block:
    """What is compared of a block."""

    tags: tuple[str, ...]
    classes: frozenset[str]
    words: frozenset[str]
    """Compared by the content cosine; empty where texts are compared."""
    text: str
    """Compared by edit distances; empty where words are."""
    word_count: int
    digest: str
    """Equal for exact duplicates."""

    @property
    def counts(self) -> list[int]:
        """Numbers of some elements, and of words."""
        return [*map(self.tags.count, COUNTED_TAGS), self.word_count]


@dataclass(frozen=True)
class Likeness:
    """Which similarities are weighed how."""

    structure: str
    content: str
    content_weight: float
    threshold: float
    griazev_different: float
    """Score of a position with different tags."""


@dataclass(frozen=True, eq=False)
class Index:
    """Blocks to compare other blocks with."""

    likeness: Likeness
    blocks: tuple[Block, ...]

    def alike(self, block: Block) -> Bools:
        """Return which blocks are alike to one, which need not be among them."""
        likeness = self.likeness
        weight = likeness.content_weight
        bound = self._structure_bound(block)
        chance = np.flatnonzero((1 - weight) * bound + weight * 1.0 > likeness.threshold)
        content = self._content(block, chance, bound)
        passed = (1 - weight) * bound[chance] + weight * content > likeness.threshold
        chance, content = chance[passed], content[passed]
        structure = self._structure(block, chance)
        alike = np.zeros(len(self.blocks), bool)
        alike[chance[(1 - weight) * structure + weight * content > likeness.threshold]] = True
        return alike

    # Structure --------------------------------------------------------------------------------

    def _structure_bound(self, block: Block) -> Floats:
        if self.likeness.structure == "html_similarity":
            return 0.5 * tag_sequence_bound(len(block.tags), self._tag_counts) + 0.5 * 1.0
        return np.ones(len(self.blocks))

    def _structure(self, block: Block, chosen: NDArray[np.intp]) -> Floats:
        if self.likeness.structure == "cosine":
            return self._count_cosine(block, chosen)
        # Markup repeats: one comparison for each kind of it.
        kinds, which = np.unique(self._kinds[0][chosen], return_inverse=True)
        compare = self._comparison(block)
        found = [compare(*self._kinds[1][kind]) for kind in kinds.tolist()]
        return np.array(found, np.float64)[which] if found else np.zeros(0)

    def _comparison(self, block: Block) -> Callable[[tuple[str, ...], frozenset[str]], float]:
        if self.likeness.structure == "griazev":
            different = self.likeness.griazev_different
            return lambda tags, _: griazev_similarity(block.tags, tags, different)
        own = (block.tags, block.classes)
        return lambda tags, classes: html_similarity(own, (tags, classes))

    def _count_cosine(self, block: Block, chosen: NDArray[np.intp]) -> Floats:
        own = np.array(block.counts, np.int64)
        others = self._counts[chosen]
        norms = (others * others).sum(axis=1) * int(own @ own)
        cosine: Floats = (others @ own) / np.sqrt(np.where(norms > 0, norms, 1))
        return cosine

    @cached_property
    def _tag_counts(self) -> NDArray[np.int64]:
        return np.array([len(block.tags) for block in self.blocks], np.int64)

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        counts = np.array([block.counts for block in self.blocks], np.int64)
        return counts.reshape(len(self.blocks), len(COUNTED_TAGS) + 1)

    @cached_property
    def _kinds(self) -> tuple[NDArray[np.int64], list[tuple[tuple[str, ...], frozenset[str]]]]:
        """Number of each block's kind of markup, and the kinds."""
        number: dict[tuple[tuple[str, ...], frozenset[str]], int] = {}
        kinds = [
            number.setdefault((block.tags, block.classes), len(number)) for block in self.blocks
        ]
        return np.array(kinds, np.int64), list(number)

    # Content ----------------------------------------------------------------------------------

    def _content(self, block: Block, chosen: NDArray[np.intp], bound: Floats) -> Floats:
        if self.likeness.content == "cosine":
            numbers = self._vocabulary
            asked = [numbers[word] for word in block.words if word in numbers]
            shared = self._postings.shared(asked)
            return binary_cosine(shared, len(block.words), self._postings.sizes)[chosen]
        weight = max(self.likeness.content_weight, 1e-12)
        rest = self.likeness.threshold - (1 - self.likeness.content_weight) * bound[chosen]
        texts = [self.blocks[number].text for number in chosen.tolist()]
        return edits.similarities(self.likeness.content, block.text, texts, rest / weight)

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        words: dict[str, int] = {}
        for block in self.blocks:
            for word in block.words:
                words.setdefault(word, len(words))
        return words

    @cached_property
    def _postings(self) -> Postings:
        number = self._vocabulary
        sets: Sequence[list[int]] = [
            [number[word] for word in block.words] for block in self.blocks
        ]
        return Postings.of(sets, len(number))
