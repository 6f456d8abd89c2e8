"""The site object model against a plain reading of its pages: objects, recursion, no arrays."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.page import Page
from joeira.sites import SOM
from joeira.sites.som.pruning import BLOCK_LEVEL, prune
from joeira.sites.som.tree import Repetition, SiteTree, template_id
from strategies import sites
from support.plain_tree import Node, plain_tree

REPETITION = Repetition()


@dataclass
class Element:
    tag: str
    id: str
    own: int = 0
    """Words directly in it."""
    children: list[Element] = field(default_factory=list)

    def words(self) -> int:
        return self.own + sum(child.words() for child in self.children)

    def shape(self) -> tuple[str, tuple[object, ...]]:
        return self.tag, tuple(child.shape() for child in self.children)


@dataclass(eq=False)
class Merged:
    tag: str
    path: str
    parent: Merged | None
    frequency: int = 0
    words: dict[int, int] = field(default_factory=dict)
    children: dict[tuple[str, str, int], Merged] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    def below(self) -> list[Merged]:
        return [node for child in self.children.values() for node in (child, *child.below())]

    def take_all(self) -> None:
        for child in self.children.values():
            child.take_all()
            for page, words in child.words.items():
                self.words[page] = self.words.get(page, 0) + words
        self.children = {}


def element(node: Node, words: dict[int, int]) -> Element | None:
    """Return an element after the first step, None for one without words."""
    if node.tag == "head":
        return None
    own = sum(words[child.row] for child in node.children if child.is_text)
    children = [element(child, words) for child in node.children if not child.is_text]
    made = Element(
        node.tag, template_id(node.attributes.get("id") or ""), own, [c for c in children if c]
    )
    if made.own:
        return Element(made.tag, made.id, made.words())
    return made if made.words() else None


def regular(node: Element) -> Element:
    """Return an element with repeated children as one leaf."""
    shapes = [child.shape() for child in node.children]
    out, i = [], 0
    while i < len(shapes):
        covered = 0
        for period in range(1, REPETITION.max_period + 1):
            repeats = 1
            while shapes[i + repeats * period :][:period] == shapes[i:][:period]:
                if i + (repeats + 1) * period > len(shapes):
                    break
                repeats += 1
            if repeats >= REPETITION.min_repeats:
                covered = max(covered, repeats * period)
        if covered:
            words = sum(child.words() for child in node.children[i : i + covered])
            if covered == len(shapes):
                return Element(node.tag, node.id, words)
            out.append(Element(node.children[i].tag, node.children[i].id, words))
            i += covered
        else:
            out.append(regular(node.children[i]))
            i += 1
    return Element(node.tag, node.id, node.own, out)


def lay(node: Element, place: Merged, page: int) -> None:
    place.frequency += 1
    if node.own:
        place.words[page] = node.own
    seen: dict[tuple[str, str], int] = {}
    for child in node.children:
        alike = (child.tag, child.id)
        seen[alike] = seen.get(alike, 0) + 1
        key = (*alike, seen[alike])
        name = f"{child.tag}#{child.id}" if child.id else child.tag
        step = f"{name}[{key[2]}]" if key[2] > 1 else name
        new = Merged(child.tag, f"{place.path}/{step}", place)
        lay(child, place.children.setdefault(key, new), page)


def merged(pages: list[Page], sources: list[str]) -> Merged:
    root = Merged("html", "html", None)
    for number, (page, source) in enumerate(zip(pages, sources, strict=True)):
        rows = [node.row for node in plain_tree(source).texts()]
        words = dict(zip(rows, page.text_words.tolist(), strict=True))
        top = element(plain_tree(source), words)
        if top is not None:
            lay(regular(top), root, number)
    return root


def features(node: Merged, pages: int) -> list[float]:
    children = list(node.children.values())
    siblings = list(node.parent.children.values()) if node.parent else [node]
    place = siblings.index(node)
    others = [one for one in siblings if one is not node]
    beside = [siblings[i] for i in (place - 1, place + 1) if 0 <= i < len(siblings)]
    levels, above = 0, node
    while above is not None:
        if above.words:
            levels = node.depth + 1 - above.depth
            break
        above = above.parent
    block = [child.tag in BLOCK_LEVEL for child in children]
    with_text = {page for child in children for page in child.words}
    total = sum(sum(child.words.values()) for child in children)
    return [
        len(children), node.depth + 1,
        node.frequency / max(child.frequency for child in children),
        node.frequency / min(child.frequency for child in children),
        len(with_text) / node.frequency, levels, node.frequency / pages,
        len(node.words) / node.frequency, total / len(children),
        all(child.words for child in children), node.tag in BLOCK_LEVEL, any(block),
        not all(block), len(children) > 1 and len({child.tag for child in children}) == 1,
        any(one.tag == node.tag for one in beside), any(one.children for one in others),
        any(not one.children for one in others), any(one.tag in BLOCK_LEVEL for one in others),
        any(one.tag not in BLOCK_LEVEL for one in others), any(one.words for one in others),
        len(others), all(len(child.words) == node.frequency for child in children),
        sum(block) / len(block),
    ]  # fmt: skip


def chance(path: str, seed: int) -> bool:
    return zlib.crc32(f"{seed} {path}".encode()) % 10 < 6


def ask(node: Merged, seed: int, pages: int, log: list[tuple[str, list[float], bool]]) -> None:
    for child in list(node.children.values()):
        ask(child, seed, pages, log)
    if node.children and not any(child.children for child in node.children.values()):
        yes = chance(node.path, seed)
        log.append((node.path, features(node, pages), yes))
        if yes:
            node.take_all()


def prune_nested(node: Merged, alpha: int) -> None:
    if node.words and any(b.words and b.depth - node.depth <= alpha for b in node.below()):
        node.take_all()
    for child in node.children.values():
        prune_nested(child, alpha)


def prune_rare(node: Merged, beta: int) -> None:
    for child in node.children.values():
        prune_rare(child, beta)
    if node.children and all(child.frequency < beta for child in node.children.values()):
        node.take_all()


def left(root: Merged) -> dict[str, dict[int, int]]:
    return {node.path: node.words for node in (root, *root.below()) if node.words}


@given(sites())
def test_the_tree_of_a_site(sources: list[str]) -> None:
    pages = [joeira.parse(source) for source in sources]
    root = merged(pages, sources)
    tree = SiteTree()
    for page in pages:
        tree.add(page, REPETITION)
    paths = tree.paths()
    found = {path: (tree.frequency[n], tree.words[n]) for n, path in enumerate(paths)}
    expected = {node.path: (node.frequency, node.words) for node in (root, *root.below())}
    assert found == expected
    assert SiteTree.restore(tree.to_dict()).to_dict() == tree.to_dict()


@given(sites(), st.integers(0, 100))
def test_samples_and_their_features(sources: list[str], seed: int) -> None:
    pages = [joeira.parse(source) for source in sources]
    root = merged(pages, sources)
    log: list[tuple[str, list[float], bool]] = []
    ask(root, seed, len(pages), log)
    tree = SOM().fit(pages).tree
    if tree.pages < len(pages):
        return  # a page that is there twice counts once
    paths = tree.paths()
    asked = prune(tree, lambda node, features: chance(paths[node], seed))
    assert [paths[node] for node in asked.nodes] == [path for path, _, _ in log]
    assert asked.merged.tolist() == [yes for _, _, yes in log]
    for row, (_, expected, _) in zip(asked.features.tolist(), log, strict=True):
        assert row == pytest.approx([float(value) for value in expected])


@given(sites(), st.integers(0, 3), st.integers(0, 4))
def test_pruning_by_thresholds(sources: list[str], alpha: int, beta: int) -> None:
    pages = [joeira.parse(source) for source in dict.fromkeys(sources)]
    root = merged(pages, list(dict.fromkeys(sources)))
    site = SOM("thresholds", alpha=alpha, beta=beta, join_text=False).fit(pages)
    if site.tree.pages < len(pages):
        return  # pages that differ in attributes alone count once
    prune_nested(root, alpha)
    prune_rare(root, beta)
    found: dict[str, dict[int, int]] = {}
    for node, words in enumerate(site.tree.words):
        for page, count in words.items():
            block = found.setdefault(site.paths[site.owner[node]], {})
            block[page] = block.get(page, 0) + count
    assert found == left(root)
