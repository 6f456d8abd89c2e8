"""Similarity of blocks of different pages: weighted markup and words, as in X-CEX.

One block is compared with all others at once. An inverted index counts common words; a pair is
compared in full only where the words, and the lengths of texts and tag sequences, leave it a chance
to pass the threshold. The formula is evaluated in one order everywhere, so that this is the same
decision as comparing every pair.

Texts are compared by the words they share or by editing: Levenshtein, Damerau, Hamming,
Jaro-Winkler. Hamming is counted here with numpy. The others are computed by rapidfuzz, which is
installed by the ``sites`` extra; its Damerau-Levenshtein is the unrestricted one, and its
Jaro-Winkler raises only similarities above 0.7 for a common beginning, as the libraries in use
do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Floats
from joeira.sites.corpus import Postings, binary_cosine

NEEDS_RAPIDFUZZ = ("levenshtein", "damerau_levenshtein", "jaro_winkler")


def can(kind: str) -> bool:
    """Return whether a similarity can be computed with what is installed."""
    return kind not in NEEDS_RAPIDFUZZ or find_spec("rapidfuzz") is not None


def similarities(kind: str, text: str, others: Sequence[str], least: Floats) -> Floats:
    """Return the similarity of a text with each other one.

    Where it would not be above `least`, any number not above `least` may be returned.
    """
    if kind == "jaro_winkler":
        return _jaro_winkler(text, others)
    longest = np.fromiter((max(len(text), len(other)) for other in others), np.int64, len(others))
    # The most edits that still leave more than the least similarity, one more for rounding.
    most = np.clip((1 - least) * longest, 0, longest).astype(np.int64) + 1
    count: Callable[..., Floats] = _hamming if kind == "hamming" else _distances(kind)
    return as_similarity(count(text, others, most), longest)


def as_similarity(distance: Floats, longest: NDArray[np.int64]) -> Floats:
    """Return one less the share of characters that differ; 1 for two empty texts."""
    similarity: Floats = 1 - distance / np.maximum(longest, 1)
    return similarity


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _hamming(text: str, others: Sequence[str], most: NDArray[np.int64]) -> Floats:
    """Count positions that differ, those that only one text has included."""
    own = code_points(text)
    similarities = np.empty(len(others))
    for number, other in enumerate(others):
        apart = abs(len(text) - len(other))
        if apart >= most[number]:
            similarities[number] = max(len(text), len(other))
            continue
        codes = code_points(other)
        both = min(len(own), len(codes))
        similarities[number] = int(np.count_nonzero(own[:both] != codes[:both])) + apart
    return similarities


def _distances(kind: str) -> Callable[..., Floats]:
    from rapidfuzz import distance

    module = {
        "levenshtein": distance.Levenshtein, "damerau_levenshtein": distance.DamerauLevenshtein,
    }[kind]  # fmt: skip
    measure: Callable[..., Any] = module.distance

    def count(text: str, others: Sequence[str], most: NDArray[np.int64]) -> Floats:
        limits = most.tolist()
        pairs = zip(others, limits, strict=True)
        distances = [measure(text, other, score_cutoff=limit) for other, limit in pairs]
        return np.array(distances, np.float64)

    return count


def _jaro_winkler(text: str, others: Sequence[str]) -> Floats:
    from rapidfuzz.distance import JaroWinkler

    return np.array([JaroWinkler.similarity(text, other) for other in others], np.float64)


Tags = tuple[str, ...]

_DOCUMENT: Tags = ("html", "body")
"""html-similarity parses each piece as a document of its own, which begins with these."""


_CACHED_TAGS = 256
"""Longer pairs are compared each time: a cache of them would hold whole pages."""


def tag_sequence_ratio(first: Tags, second: Tags) -> float:
    """Return difflib's ratio of two tag sequences, each as a document; not symmetric."""
    if first == second:
        return 1.0
    is_short = len(first) + len(second) <= _CACHED_TAGS
    return _cached_ratio(first, second) if is_short else _ratio(first, second)


def _ratio(first: Tags, second: Tags) -> float:
    return SequenceMatcher(None, _DOCUMENT + first, _DOCUMENT + second).ratio()


_cached_ratio = lru_cache(1 << 14)(_ratio)


def tag_sequence_bound(length: int, lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what `tag_sequence_ratio` cannot exceed, from the lengths alone."""
    outer = len(_DOCUMENT)
    bound: NDArray[np.float64] = (
        2.0 * (np.minimum(length, lengths) + outer) / (length + lengths + 2 * outer)
    )
    return bound


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of members that two sets have in common; 1 for two empty sets."""
    either = len(first | second)
    return len(first & second) / either if either else 1.0


def html_similarity(
    first: tuple[Tags, frozenset[str]], second: tuple[Tags, frozenset[str]]
) -> float:
    """Return the mean of tag sequence ratio and class set overlap, as html-similarity has it."""
    return 0.5 * tag_sequence_ratio(first[0], second[0]) + 0.5 * jaccard(first[1], second[1])


def griazev_similarity(first: Sequence[str], second: Sequence[str], different: float) -> float:
    """Return the mean score of positions: 1 for equal tags, `different` for others, 0 if missing.

    Griazev and Ramanauskaitė's comparison without the levels of the tree.
    """
    longer = max(len(first), len(second))
    if not longer:
        return 1.0
    equal = sum(map(str.__eq__, first, second))
    both = min(len(first), len(second))
    return (equal + (both - equal) * different) / longer


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
        number, kinds = self._kinds
        of_chosen = number[chosen]
        asked = np.flatnonzero(np.bincount(of_chosen, minlength=len(kinds)))
        compare = self._comparison(block)
        similarity = np.zeros(len(kinds))
        similarity[asked] = [compare(*kinds[kind]) for kind in asked.tolist()]
        return similarity[of_chosen]

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
        return similarities(self.likeness.content, block.text, texts, rest / weight)

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
