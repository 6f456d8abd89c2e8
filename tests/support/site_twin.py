"""Content Extractor and X-CEX read literally: every block compared with every block."""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from joeira.page import Page
from joeira.sites._words import language_of, stop_words
from joeira.sites.content_extractor import ContentExtractor
from joeira.sites.xcex import XCEX
from support.plain_tree import Node, collapse

COUNTED = "img a table script p article figure button ul li div span h1 h2 h3 h4 h5 h6".split()


def text_of(node: Node) -> str:
    return " ".join(collapse(text.text) for text in node.texts())


def has_word(node: Node) -> bool:
    return re.search(r"\w", text_of(node)) is not None


def get_blocks(block: Node, tag: str) -> list[Node]:
    found = []
    for child in block.children:
        if child.tag == tag:
            found.append(child)
        else:
            found += get_blocks(child, tag)
    return found


def innermost(block: Node, tag: str, wanted: set[Node]) -> list[Node]:
    inside = [node for node in block.subtree() if node in wanted and node is not block]
    return [
        node
        for node in inside
        if not any(other in wanted for other in node.subtree() if other is not node)
    ]


def block_set(root: Node, tags: tuple[str, ...], *, cut: str, need_word: bool) -> list[Node]:
    blocks = [next(node for node in root.subtree() if node.tag == "body")]
    for tag in tags:
        replaced = []
        for block in blocks:
            if cut == "innermost":
                kind = [n for n in block.subtree() if n.tag == tag]
                good = {n for n in kind if has_word(n) or not (need_word or tag == "hr")}
                new = innermost(block, tag, good)
            else:
                new = _with_word(block, tag, need_word=need_word or tag == "hr")
            replaced += new or [block]
        blocks = replaced
    return [block for block in blocks if not need_word or has_word(block)]


def _with_word(block: Node, tag: str, *, need_word: bool) -> list[Node]:
    return [node for node in get_blocks(block, tag) if not need_word or has_word(node)]


# X-CEX ------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Block:
    page: int
    nodes: list[Node]
    """Owner first, then the rest in document order."""
    method: XCEX
    language: str

    @cached_property
    def elements(self) -> list[Node]:
        return [node for node in self.nodes if not node.is_text]

    @cached_property
    def text(self) -> str:
        return " ".join(collapse(node.text) for node in self.nodes if node.is_text)

    @cached_property
    def tags(self) -> list[str]:
        return [node.tag for node in self.elements]

    @cached_property
    def classes(self) -> set[str]:
        return {c for node in self.elements for c in (node.attributes.get("class") or "").split()}

    @cached_property
    def tokens(self) -> set[str]:
        pattern = r"\b[A-Za-z]+\b" if self.method.word_pattern == "ascii" else r"[^\W\d_]+"
        ignored = stop_words(self.language) if self.method.stop_words else frozenset()
        words = {word for word in re.findall(pattern, self.text.lower()) if len(word) > 1}
        return words - ignored

    @cached_property
    def unchanged(self) -> object:
        if self.method.exact_duplicate_of == "text":
            return self.text
        base = len(list(self.nodes[0].ancestors()))
        return [
            (len(list(node.ancestors())) - base, node.tag, sorted(node.attributes.items()))
            if not node.is_text
            else (len(list(node.ancestors())) - base, collapse(node.text))
            for node in self.nodes
        ]

    @cached_property
    def counts(self) -> list[int]:
        return [self.tags.count(tag) for tag in COUNTED] + [words_of(self.text)]


def blocks_of(root: Node, page: Page, number: int, method: XCEX) -> list[Block]:
    """The blocks of a page; where lossless ones begin and end is checked elsewhere."""
    language = language_of(page)
    if method.blocks != "lossless":
        need_word = not method.empty_elements_cut
        nodes = block_set(root, method.tags, cut=method.blocks, need_word=need_word)
        nodes = [node for node in nodes if has_word(node)]
        return [Block(number, list(node.subtree()), method, language) for node in nodes]
    node_at = {node.row: node for node in root.subtree()}
    found = []
    for piece in method.pieces(page):
        rows = [piece.owner, *range(piece.start + (piece.owner == piece.start), piece.stop)]
        found.append(Block(number, [node_at[row] for row in rows], method, language))
    return found


def words_of(text: str) -> int:
    return len(re.findall(r"(?=\w)[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+", text))


def structure(first: Block, second: Block) -> float:
    method = first.method
    if method.structure == "cosine":
        a, b = first.counts, second.counts
        norms = sum(x * x for x in a) * sum(y * y for y in b)
        return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(norms) if norms else 0.0
    a, b = first.tags, second.tags
    if method.structure == "griazev":
        same = sum(x == y for x, y in zip(a, b, strict=False))
        other = min(len(a), len(b)) - same
        return (same + other * (method.griazev_op_cost**2 * method.griazev_level)) / max(
            len(a), len(b)
        )
    ratio = difflib.SequenceMatcher(None, ["html", "body", *a], ["html", "body", *b]).ratio()
    either = first.classes | second.classes
    overlap = len(first.classes & second.classes) / len(either) if either else 1.0
    return 0.5 * ratio + 0.5 * overlap


def content(first: Block, second: Block) -> float:
    if first.method.content == "cosine":
        a, b = first.tokens, second.tokens
        return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0
    a, b = first.text, second.text
    if first.method.content == "jaro_winkler":
        return jaro_winkler(a, b)
    distance = {
        "levenshtein": levenshtein, "damerau_levenshtein": damerau_levenshtein, "hamming": hamming,
    }[first.method.content](a, b)  # fmt: skip
    return 1 - distance / max(len(a), len(b), 1)


def levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        below = [i + 1]
        for j, y in enumerate(b):
            below.append(min(row[j] + (x != y), row[j + 1] + 1, below[j] + 1))
        row = below
    return row[-1]


def damerau_levenshtein(a: str, b: str) -> int:
    """Unrestricted: letters may be edited between the two that change places."""
    infinite = len(a) + len(b)
    last_row: dict[str, int] = {}
    table = {(-1, -1): infinite}
    for i in range(len(a) + 1):
        table[i, -1], table[i, 0] = infinite, i
    for j in range(len(b) + 1):
        table[-1, j], table[0, j] = infinite, j
    for i in range(1, len(a) + 1):
        last_column = 0
        for j in range(1, len(b) + 1):
            row, column = last_row.get(b[j - 1], 0), last_column
            different = a[i - 1] != b[j - 1]
            if not different:
                last_column = j
            table[i, j] = min(
                table[i - 1, j - 1] + different,
                table[i, j - 1] + 1,
                table[i - 1, j] + 1,
                table[row - 1, column - 1] + (i - row - 1) + 1 + (j - column - 1),
            )
        last_row[a[i - 1]] = i
    return table[len(a), len(b)]


def hamming(a: str, b: str) -> int:
    return sum(x != y for x, y in zip(a, b, strict=False)) + abs(len(a) - len(b))


def jaro_winkler(a: str, b: str) -> float:
    if not a or not b:
        return float(a == b)
    window = max(0, max(len(a), len(b)) // 2 - 1)
    in_a, in_b = [False] * len(a), [False] * len(b)
    for i, letter in enumerate(a):
        for j in range(max(0, i - window), min(len(b), i + window + 1)):
            if not in_b[j] and b[j] == letter:
                in_a[i] = in_b[j] = True
                break
    matches = sum(in_a)
    if not matches:
        return 0.0
    first = [x for x, matched in zip(a, in_a, strict=True) if matched]
    second = [x for x, matched in zip(b, in_b, strict=True) if matched]
    swapped = sum(x != y for x, y in zip(first, second, strict=True)) // 2
    jaro = (matches / len(a) + matches / len(b) + (matches - swapped) / matches) / 3
    prefix = 0
    for x, y in zip(a[:4], b[:4], strict=False):
        if x != y:
            break
        prefix += 1
    return jaro + prefix * 0.1 * (1 - jaro) if jaro > 0.7 else jaro


def xcex_counts(blocks: list[Block]) -> list[int]:
    """Pages with a block alike, per block; -1 for an exact duplicate."""
    found = []
    for block in blocks:
        method = block.method
        if method.exact_duplicate_rule and any(
            other.page != block.page and other.unchanged == block.unchanged for other in blocks
        ):
            found.append(-1)
            continue
        pages = set()
        for other in blocks:
            if other is block or (other.page == block.page and not method.compare_same_page):
                continue
            weight = method.content_weight
            alike = (1 - weight) * structure(block, other) + weight * content(block, other)
            if alike > method.similarity_threshold:
                pages.add(other.page)
        found.append(len(pages))
    return found


# Content Extractor ------------------------------------------------------------------------------


def content_extractor_counts(pages: list[list[Node]], method: ContentExtractor) -> list[int]:
    vectors = []
    for number, nodes in enumerate(pages):
        for node in nodes:
            words = re.findall(method.word_pattern, text_of(node).lower())
            vector = Counter(f"<{below.tag}>" for below in node.subtree() if not below.is_text)
            vector.update(dict.fromkeys(words, 1))
            if method.include_term_count:
                vector["#terms"] = len(words)
            vectors.append((number, vector))
    return [
        len(
            {
                other_page
                for other_page, other in vectors
                if other_page != page
                and sum(vector[key] * other[key] for key in vector)
                > method.similarity_threshold * math.sqrt(_square(vector) * _square(other))
            }
        )
        for page, vector in vectors
    ]


def _square(vector: Counter[str]) -> int:
    return sum(count * count for count in vector.values())
