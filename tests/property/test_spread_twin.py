"""InfoDiscoverer and the site style tree against a literal reading, on random small sites."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.sites import InfoDiscoverer, StyleTree
from joeira.sites.style_tree import style_nodes
from strategies import sites
from support import spread_twin
from support.plain_tree import Node, plain_tree

NEAR = 1e-9
"""Sums in another order may differ by this; a decision so near to its threshold is not compared."""


def different(htmls: list[str]) -> list[str]:
    """A page given twice counts once."""
    return list(dict.fromkeys(htmls))


@settings(max_examples=60)
@given(sites(), st.sampled_from(("outermost", "innermost", "lossless")), st.booleans())
def test_entropies_of_blocks(htmls: list[str], cut: str, stemming: bool) -> None:
    method = InfoDiscoverer(tags=("div", "p"), blocks=cut, stemming=stemming)  # type: ignore[arg-type]  # one of three
    pages = [joeira.parse(html) for html in different(htmls)]
    expected = spread_twin.block_entropies([method.keywords(page)[1] for page in pages])
    site = method.fit(pages)
    apart = method.fit(pages[:-1])
    for number, page in enumerate(pages):
        judges = [site, apart] if number == len(pages) - 1 else [site]
        for judge in judges:
            blocks, found = judge.entropies(page)
            assert found.tolist() == pytest.approx(expected[number], abs=NEAR)
            kept = judge.extract(page).keep
            for block, entropy in zip(blocks, expected[number], strict=True):
                if abs(entropy - method.entropy_threshold) > NEAR:
                    assert kept[block.texts].all() == (entropy <= method.entropy_threshold)


@settings(max_examples=80)
@given(sites(), st.sampled_from((0.0, 0.5, 0.9)), st.sampled_from((0.0, 0.2, 0.6)))
def test_importances_in_the_style_tree(htmls: list[str], gamma: float, threshold: float) -> None:
    htmls = different(htmls)
    method = StyleTree(noise_threshold=threshold, gamma=gamma)
    pages = [joeira.parse(html) for html in htmls]
    trees = [plain_tree(html) for html in htmls]
    root = spread_twin.Element()
    style_of: dict[Node, spread_twin.Style] = {}
    element_of: dict[Node, spread_twin.Element] = {}
    for tree in trees:
        body = next(node for node in tree.subtree() if node.tag == "body")
        spread_twin.merge(root, body, style_of, element_of)
    site = method.fit(pages)
    apart = method.fit(pages[:-1])
    composite = dict(zip(*(column.tolist() for column in site.importances()), strict=True))
    for number, (page, tree) in enumerate(zip(pages, trees, strict=True)):
        node_at = {node.row: node for node in tree.subtree() if node in element_of}
        nodes = style_nodes(page)
        assert nodes.row.tolist() == list(node_at)
        for row, place in zip(nodes.row.tolist(), nodes.place.tolist(), strict=True):
            expected = element_of[node_at[row]].importance(gamma)
            assert composite[place] == pytest.approx(expected, abs=NEAR)
        for judge in [site, apart] if number == len(pages) - 1 else [site]:
            leaf = np.flatnonzero(nodes.is_leaf)
            found = judge.leaf_importances(page, nodes)[0][leaf]
            wanted = [style_of[node_at[row]].importance(gamma) for row in nodes.row[leaf].tolist()]
            assert found.tolist() == pytest.approx(wanted, abs=NEAR)
            kept = judge.extract(page).keep
            for text, row in enumerate(page.text_rows.tolist()):
                holder = row if row in node_at else int(page.parent[row])
                if holder not in node_at:
                    assert not kept[text]  # the title
                    continue
                importance = style_of[node_at[holder]].importance(gamma)
                if abs(importance - threshold) > NEAR:
                    assert kept[text] == (importance > threshold)
