r"""Scores of page segments against the blocks that a person marked, word by word.

The answer names blocks by XPath, in the tree that lxml makes of the page; the block of a word is
the innermost around it. Words are lower-cased ``\w+`` runs, each Han, kana or hangul character one.
A method's words are aligned with those of the answer, so that no two parsers have to agree.

ARI and NMI are over the words that are in some block of the answer; one that the method left out is
a segment of its own. Extended BCubed (Amigó et al. 2009) is over all words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.errors import UsageError
from joeira.evaluation.clusterings import adjusted_rand_index, normalized_mutual_information
from joeira.evaluation.datasets import Row

Parts = list[tuple[str, int]]
"""What is measured: the texts of a page in order, each with the number of its segment."""

COLUMNS = ("ari", "nmi", "precision", "recall", "f1", "segments", "blocks")
WIDTH = len(COLUMNS)
OUTSIDE = -1
"""The number of the block of a word that is in none."""

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w)+")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
UNSEEN = frozenset("script style noscript template head title iframe object svg noframes".split())


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Marked:
    """The words of a page with the block that each is in, `OUTSIDE` for none."""

    words: list[str]
    block: NDArray[np.int64]


class Gold:
    """The blocks of one page's answer, prepared so that many outputs can be measured."""

    def __init__(self, row: Row) -> None:
        """Find the words of the blocks."""
        self.marked = marked(row)

    def measure(self, parts: Parts) -> Floats:
        """Return the measurement of an output: `COLUMNS`."""
        found = spread(self.marked.words, parts)
        return measure(self.marked.block, found)


def measure(gold: NDArray[np.int64], found: NDArray[np.int64]) -> Floats:
    """Return `COLUMNS` of two labellings of words, negative for in no block."""
    inside = gold >= 0
    own = found.max(initial=0) + 1 + np.arange(len(found))
    completed = np.where(found >= 0, found, own)[inside]
    precision, recall = bcubed(gold, found), bcubed(found, gold)
    both = precision + recall
    return np.array(
        [
            adjusted_rand_index(gold[inside], completed),
            normalized_mutual_information(gold[inside], completed),
            precision,
            recall,
            2 * precision * recall / both if both else 0.0,
            len(np.unique(found[found >= 0])),
            len(np.unique(gold[inside])),
        ]
    )


def bcubed(gold: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """Return the extended BCubed precision where every word is in one block at most.

    The mean, over the words that were put into a segment, of the share of words of that segment
    which are in the word's own block. Swap the two for the recall.
    """
    kept = found >= 0
    if not kept.any():
        return 0.0
    size = Counter(found[kept].tolist())
    common = Counter(zip(found[kept].tolist(), gold[kept].tolist(), strict=True))
    right = sum(n * n / size[one] for (one, other), n in common.items() if other >= 0)
    return right / int(kept.sum())


def marked(row: Row) -> Marked:
    """Return the words of a page and the innermost block of each."""
    tree = lxml_tree(row.html)
    block_of = {}
    for number, block in enumerate(row.blocks):
        for element in tree.xpath(block.xpath):
            block_of[element] = number
    found: list[str] = []
    blocks: list[int] = []
    for text, inner in _texts(tree, block_of):
        new = words(text)
        found += new
        blocks += [inner] * len(new)
    return Marked(found, np.array(blocks, np.int64))


def spread(all_words: Sequence[str], parts: Parts) -> NDArray[np.int64]:
    """Return the segment of each word of a page, `OUTSIDE` for words that no part has."""
    own: list[str] = []
    numbers: list[int] = []
    for text, number in parts:
        new = words(text)
        own += new
        numbers += [number] * len(new)
    place = _aligned(all_words, own)
    return np.where(place >= 0, np.array([*numbers, OUTSIDE])[place], OUTSIDE)


def _aligned(wanted: Sequence[str], own: Sequence[str]) -> NDArray[np.int64]:
    """Return which of its own words each wanted word is, -1 for none."""
    place = np.full(len(wanted), -1, np.int64)
    shorter = min(len(wanted), len(own))
    # Nearly always both are the same; only what differs is compared the slow way.
    same = 0
    while same < shorter and wanted[same] == own[same]:
        same += 1
    place[:same] = np.arange(same)
    matcher = SequenceMatcher(None, wanted[same:], own[same:])
    for one, other, size in matcher.get_matching_blocks():
        place[same + one : same + one + size] = np.arange(same + other, same + other + size)
    return place


def lxml_tree(html: str) -> Any:
    """Return the tree that the XPaths of answers are about."""
    try:
        import lxml.html
    except ImportError as error:
        message = "segments are measured in lxml's tree of the page: pip install lxml"
        raise UsageError(message) from error
    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    source = _DECLARATION.sub("", html).encode("utf-8", "surrogatepass")
    return lxml.html.document_fromstring(source, parser=parser)


def _texts(tree: Any, block_of: dict[Any, int]) -> Iterator[tuple[str, int]]:
    """Yield the texts of a tree in order, each with the innermost block around it."""
    stack: list[tuple[Any, int, bool]] = [(tree, OUTSIDE, False)]
    while stack:
        element, outer, is_past = stack.pop()
        if is_past:
            yield element.tail or "", outer
            continue
        if element is not tree:
            stack.append((element, outer, True))
        if not isinstance(element.tag, str) or element.tag in UNSEEN:
            continue
        block = block_of.get(element, outer)
        yield element.text or "", block
        stack += [(child, block, False) for child in reversed(element)]
