r"""Scores of segments and their labels against annotated blocks, word by word.

The answer names blocks by XPath, in the tree that lxml makes of the page; the block of a word is
the innermost around it. Words are lower-cased ``\w+`` runs, each Han, kana or hangul character one.
A method's words are aligned with those of the answer, so that no two parsers have to agree. lxml's
tree may differ from ours (it makes no ``tbody`` elements, for one), so a block is found by its
words: it is the element around the same words, and of several such elements the one that has its
tag, id and classes.

ARI and NMI, the adjusted Rand index and normalised mutual information of two partitions, are over
the words that are in some block of the answer; a word that the method left out is a segment of its
own. Extended BCubed (Amigó et al. 2009) is over all words.

Answers have types of their own. A label is right for a word when it is among those that mean the
same as the type of some block around the word (a list of links in the footer is both); it is right
for a segment when it is right for most of the segment's words that are in some block. The strict
measure knows one label for each type, and asks the innermost block alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.errors import UsageError, require
from joeira.evaluation.datasets import Example
from joeira.page import Page
from joeira.segments.learned.labels import LABELS
from joeira.segments.result import Segments


@dataclass(frozen=True)
class _Element:
    """A block in lxml's tree."""

    start: int
    """Number of its first word."""
    stop: int
    type: str
    tag: str
    id: str
    classes: str


def block_roots(row: Example, page: Page) -> dict[int, set[str]]:
    """Return the rows of the blocks of an answer that have words, with the types of each."""
    tree = lxml_tree(row.html)
    wanted: dict[Any, str] = {}
    for block in row.blocks:
        wanted |= dict.fromkeys(tree.xpath(block.xpath), block.type)
    page_words: list[str] = []
    elements = list(_elements(tree, wanted, page_words))
    text_rows = page.text_rows
    seen = np.flatnonzero(~page.in_head[text_rows]).tolist()
    text_of = spread(page_words, [(page.texts[number], number) for number in seen])
    roots: dict[int, set[str]] = {}
    for element in elements:
        texts = text_of[element.start : element.stop]
        texts = texts[texts >= 0]
        if len(texts):
            root = _root(page, int(texts.min()), int(texts.max()), element)
            roots.setdefault(root, set()).add(element.type)
    return roots


def _elements(tree: Any, wanted: dict[Any, str], element_words: list[str]) -> Iterator[_Element]:
    """Yield the wanted elements in order of their ends; collect the words of the page."""
    stack: list[tuple[Any, int | None]] = [(tree, None)]
    while stack:
        element, start = stack.pop()
        if start is None and isinstance(element.tag, str) and element.tag not in UNSEEN:
            stack.append((element, len(element_words)))
            element_words += words(element.text or "")
            stack += [(child, None) for child in reversed(element)]
            continue
        if start is not None and element in wanted:
            classes = " ".join((element.get("class") or "").split())
            yield _Element(
                start,
                len(element_words),
                wanted[element],
                element.tag,
                element.get("id") or "",
                classes,
            )
        if element is not tree:
            element_words += words(element.tail or "")


def _root(page: Page, first: int, last: int, element: _Element) -> int:
    """Return the row around the texts `first` to `last` that is most like the element."""
    rows = page.text_rows
    inner = trees.lowest_common_ancestor(int(rows[first]), int(rows[last]), page.parent, page.end)
    if page.is_text[inner]:
        inner = int(page.parent[inner])
    around = [inner]
    extent = _element_texts(page, inner)
    while (
        page.parent[around[-1]] >= 0
        and _element_texts(page, int(page.parent[around[-1]])) == extent
    ):
        around.append(int(page.parent[around[-1]]))
    return max(around, key=lambda row: _likeness(page, row, element))


def _element_texts(page: Page, row: int) -> tuple[int, int]:
    return int(page.text_index[row]), int(page.text_index[page.end[row]])


def _likeness(page: Page, row: int, element: _Element) -> tuple[bool, bool, bool]:
    classes = " ".join((page.attributes.get(row, "class") or "").split())
    return (
        page.tag_name(row) == element.tag,
        (page.attributes.get(row, "id") or "") == element.id,
        classes == element.classes,
    )


Labels = Sequence[int] | Sequence[str] | NDArray[np.integer]


def adjusted_rand_index(first: Labels, second: Labels) -> float:
    """Return the Rand index corrected for chance: 1 for equal partitions, 0 at chance level.

    May be negative. From counts of the contingency table, in time linear in the items.
    """
    table, rows, columns = _contingency(first, second)
    pairs = _pairs(np.array([len(first)]))
    together = _pairs(table)
    in_first, in_second = _pairs(rows), _pairs(columns)
    expected = in_first * in_second / pairs if pairs else 0.0
    possible = (in_first + in_second) / 2 - expected
    return (together - expected) / possible if possible else 1.0


def normalized_mutual_information(first: Labels, second: Labels) -> float:
    """Return mutual information over the geometric mean of the entropies.

    1 when both sides are one cluster, 0 when only one of them is.
    """
    table, rows, columns = _contingency(first, second)
    entropies = _entropy(rows), _entropy(columns)
    if not any(entropies):
        return 1.0
    if not all(entropies):
        return 0.0
    information = entropies[0] + entropies[1] - _entropy(table)
    return float(max(0.0, information) / np.sqrt(entropies[0] * entropies[1]))


def _contingency(
    first: Labels, second: Labels
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sizes of the common parts, of the first and of the second clusters."""
    require(len(first) == len(second), "both partitions must label the same items")
    _, left, rows = np.unique(np.asarray(first), return_inverse=True, return_counts=True)
    _, right, columns = np.unique(np.asarray(second), return_inverse=True, return_counts=True)
    _, table = np.unique(left * max(1, len(columns)) + right, return_counts=True)
    return table, rows, columns


def _pairs(sizes: NDArray[np.int64]) -> float:
    return float((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: NDArray[np.int64]) -> float:
    if len(sizes) < 2:
        return 0.0  # exactly, not up to rounding
    shares = sizes / sizes.sum()
    return float(-(shares * np.log(shares)).sum())


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

    def __init__(self, row: Example) -> None:
        """Find the words of the blocks."""
        self.marked = marked(row)

    def measure(self, parts: Parts) -> Floats:
        """Return the measurement of an output: `COLUMNS`."""
        part_of_word = spread(self.marked.words, parts)
        return measure(self.marked.block, part_of_word)


def measure(gold: NDArray[np.int64], found: NDArray[np.int64]) -> Floats:
    """Return `COLUMNS` of two labellings of words, negative for in no block."""
    inside, completed = _inside_blocks(gold, found)
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


def rand_index(gold: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """Return the first of `COLUMNS` alone: it takes a tenth of the time."""
    inside, completed = _inside_blocks(gold, found)
    return adjusted_rand_index(gold[inside], completed)


def _inside_blocks(
    gold: NDArray[np.int64], found: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which words are in some block, and their segments: of its own for a word in none."""
    inside = gold >= 0
    own = found.max(initial=0) + 1 + np.arange(len(found))
    return inside, np.where(found >= 0, found, own)[inside]


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


def marked(row: Example) -> Marked:
    """Return the words of a page and the innermost block of each."""
    tree = lxml_tree(row.html)
    block_of = {}
    for number, block in enumerate(row.blocks):
        for element in tree.xpath(block.xpath):
            block_of[element] = number
    all_words: list[str] = []
    blocks: list[int] = []
    for text, inner in _texts(tree, block_of):
        new = words(text)
        all_words += new
        blocks += [inner] * len(new)
    return Marked(all_words, np.array(blocks, np.int64))


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


MEANING: Final = {
    "Ad": "advertisement",
    "Article": "main listing",
    "Comments": "comments",
    "Content": "main listing",
    "Footer": "footer",
    "Header": "header",
    "Image": "main listing other",
    "LinkList": "listing navigation related",
    "Logo": "header title",
    "Menu": "navigation",
    "Menu Sidebar": "navigation sidebar",
    "Searchbar": "form",
    "Sidebar": "sidebar",
    "Table": "listing main",
    "Title": "title",
    "Video": "main listing other",
}
"""Labels that mean the same as a type of the pages of Kreuzer et al. (2015), the nearest first."""

LABEL_COLUMNS: Final = ("words", "probability", "right")


def judged(
    row: Example, found: Segments, *, every: bool = False, is_strict: bool = False
) -> Floats:
    """Return `LABEL_COLUMNS` of each segment that has words in some block, or of every one.

    Args:
        row: The page with its answer.
        found: The segments of the page.
        every: Whether segments that are in no block have a line, too.
        is_strict: Whether the innermost block alone says what is right, by one label for each type.
    """
    total, right = right_labels(row, found, is_strict)
    own = [LABELS.index(part.label or "other") for part in found]
    probability = np.array([part.score or 0.0 for part in found])
    table = np.column_stack((total, probability, right[np.arange(len(found)), own]))
    return table if every else table[total > 0]


def right_labels(row: Example, found: Segments, is_strict: bool = False) -> tuple[Floats, Floats]:
    """Return how many words of each segment are in some block, and which labels are right for it.

    The second has one line per segment and one column for each of `LABELS`: 1 for right.
    """
    page = found.page
    shown = found.labels >= 0
    number = found.labels[shown]
    accepted = _accepted(page, block_roots(row, page), is_strict)[page.text_rows][shown]
    words = np.where(accepted > 0, page.text_words[shown], 0)
    total: Floats = np.bincount(number, words, len(found)).astype(np.float64)
    is_right = (accepted[:, None] >> np.arange(len(LABELS), dtype=np.uint32)) & 1
    right = np.zeros((len(found), len(LABELS)))
    np.add.at(right, number, is_right * words[:, None])
    return total, (2 * right > total[:, None]).astype(np.float64)


def _accepted(page: Page, roots: dict[int, set[str]], is_strict: bool) -> NDArray[np.uint32]:
    """Return per row the labels that are right there, as bits; 0 outside all blocks."""
    bits = np.zeros(len(page), np.uint32)
    for root, types in roots.items():
        for type_ in types:
            for label in MEANING.get(type_, "").split()[: 1 if is_strict else None]:
                bits[root] |= np.uint32(1 << LABELS.index(label))
    if not is_strict:
        return trees.union_over_ancestors(bits, page.parent, page.ladder)
    # Rows are numbered from the root down: of the blocks around a row the innermost is the last.
    outward = np.where(bits > 0, -np.arange(len(page)), 1)
    innermost = -trees.minimum_over_ancestors(outward, page.parent, page.ladder)
    inner_bits: NDArray[np.uint32] = np.where(innermost >= 0, bits[innermost], np.uint32(0))
    return inner_bits


def label_summary(tables: Sequence[Floats]) -> dict[str, Any]:
    """Return accuracy by segments and by words, and how far probabilities are off."""
    words, probability, right = np.concatenate(tables).T
    bins = np.minimum((probability * 5).astype(np.intp), 4)
    reliability = [
        {
            "segments": int((bins == number).sum()),
            "said": round(float(probability[bins == number].mean()), 3),
            "right": round(float(right[bins == number].mean()), 3),
        }
        for number in np.unique(bins).tolist()
    ]
    error = sum(one["segments"] * abs(one["said"] - one["right"]) for one in reliability)
    return {
        "segments": len(right),
        "accuracy": round(float(right.mean()), 4),
        "accuracy_by_words": round(float((right * words).sum() / words.sum()), 4),
        "mean_probability": round(float(probability.mean()), 4),
        "calibration_error": round(error / len(right), 4),
        "reliability": reliability,
    }
