"""InfoDiscoverer and the site style tree read literally: entropies from counts on every page."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from support.plain_tree import UNSEEN, Node


def entropy(counts: list[int], base: int) -> float:
    """Entropy of counts on pages, the logarithm to the base of the number of pages."""
    if base <= 1:
        return 0.0
    total = sum(counts)
    return -sum(n / total * math.log(n / total, base) for n in counts if n)


def block_entropies(pages: list[list[list[str]]]) -> list[list[float]]:
    """Mean entropy of the distinct keywords of each block of each page."""
    on_pages = [Counter(word for block in page for word in block) for page in pages]

    def of_word(word: str) -> float:
        return entropy([counts[word] for counts in on_pages], len(pages))

    return [
        [sum(map(of_word, set(block))) / len(set(block)) if block else 0.0 for block in page]
        for page in pages
    ]


@dataclass(eq=False)
class Element:
    """An element node: its style nodes by the children's names, and what it holds as a leaf."""

    styles: dict[tuple[object, ...], Style] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return sum(style.pages for style in self.styles.values())

    def importance(self, gamma: float) -> float:
        if list(self.styles) == [()]:
            return self.styles[()].importance(gamma)
        pages = self.pages
        counts = [style.pages for style in self.styles.values()]
        own = 1.0 if pages == 1 else entropy(counts, pages)
        below = sum(s.pages / pages * s.importance(gamma) for s in self.styles.values())
        weight = gamma ** len(self.styles)
        return (1 - weight) * own + weight * below


@dataclass(eq=False)
class Style:
    """A style node: pages that use it, the element nodes of its children, or a leaf's features."""

    pages: int = 0
    children: list[Element] = field(default_factory=list)
    held: list[Counter[str]] = field(default_factory=list)

    def importance(self, gamma: float) -> float:
        if self.children:
            return sum(child.importance(gamma) for child in self.children) / len(self.children)
        if self.pages == 1:
            return 1.0
        features = {feature for page in self.held for feature in page}
        spread = [entropy([page[f] for page in self.held], self.pages) for f in features]
        return 1 - sum(spread) / len(spread) if spread else 0.0


def children(node: Node) -> list[Node]:
    elements = [c for c in node.children if not c.is_text and c.tag not in UNSEEN]
    return [c for c in node.children if c.is_text or c in elements] if elements else []


def name(node: Node) -> tuple[str, str]:
    return node.tag, " ".join((node.attributes.get("class") or "").split())


def merge(root: Element, node: Node, style_of: dict[Node, Style], element_of: dict[Node, Element]):
    """Merge the tree of a page into that of the site."""
    element_of[node] = root
    below = children(node)
    style = root.styles.setdefault(tuple(map(name, below)), Style())
    style_of[node] = style
    style.pages += 1
    if below and not style.children:
        style.children = [Element() for _ in below]
    for element, child in zip(style.children, below, strict=True):
        merge(element, child, style_of, element_of)
    if not below:
        held = node.texts()
        words = [word for text in held for word in re.findall(r"\w+", text.text.lower())]
        targets = [f"{k}={node.attributes[k]}" for k in ("href", "src") if k in node.attributes]
        style.held.append(Counter([*words, *targets]))
