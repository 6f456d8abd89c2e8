"""Site style tree: the worked examples of its description."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.sites.style_tree import StyleTree, composite_importance, style_nodes


def importance_of_body(bodies: list[str], gamma: float = 0.0) -> float:
    """With gamma 0 the importance of a node is that of its styles alone."""
    pages = [joeira.parse(f"<body>{body}</body>") for body in bodies]
    places, found = StyleTree(gamma=gamma).fit(pages).importances()
    root = style_nodes(pages[0]).place[0]
    return float(found[places == root][0])


@pytest.mark.parametrize(
    "bodies, expected",
    [
        ([f"<p>{n}</p>" for n in "abcd"], 0.0),
        (["<p>a</p>", "<p>b</p>", "<ul>a</ul>", "<ul>b</ul>"], 0.5),
        (["<p>a</p>", "<ul>a</ul>", "<h1>a</h1>", "<div>a</div>"], 1.0),
        (["<p>a</p>", "<p class=x>a</p>"], 1.0),
        (["<p>a</p>"], 1.0),
    ],
)
def test_importance_of_styles(bodies: list[str], expected: float) -> None:
    assert importance_of_body(bodies) == pytest.approx(expected)


@pytest.mark.parametrize(
    "texts, expected",
    [
        (["same"] * 4, [0.0] * 4),
        (["a", "b", "c", "d"], [1.0] * 4),
        # One word on all pages; the four others, each on one page, tip the mean.
        (["same a", "same b", "same c", "same d"], [0.8] * 4),
    ],
)
def test_importance_of_a_leaf(texts: list[str], expected: list[float]) -> None:
    pages = [joeira.parse(f"<p>{t}</p><div>{n}</div>") for n, t in enumerate(texts)]
    site = StyleTree().fit(pages)
    found = [site.leaf_importances(page, style_nodes(page))[0][1] for page in pages]
    assert found == pytest.approx(expected)


def test_a_word_of_all_pages_and_a_word_of_one() -> None:
    own = enumerate(("own", "", "", ""))
    pages = [joeira.parse(f"<p>same {word}</p><div>{n}</div>") for n, word in own]
    site = StyleTree().fit(pages)
    assert site.leaf_importances(pages[0], style_nodes(pages[0]))[0][1] == pytest.approx(0.5)


def test_composite_importance_of_two_styles() -> None:
    below = np.array([0.5 * 0.2 + 0.5 * 0.9])
    found = composite_importance(np.array([0.5]), below, np.array([2]), 0.9)
    assert found.tolist() == pytest.approx([0.5405])


def test_links_and_images_are_features_of_leaves() -> None:
    html = "<p><a href={0}>more</a></p><div><img src={0}></div><ul>{0}</ul>"
    pages = [joeira.parse(html.format(n)) for n in range(4)]
    site = StyleTree().fit(pages)
    nodes = style_nodes(pages[0])
    found = dict(
        zip(
            [pages[0].tag_name(row) for row in nodes.row.tolist()],
            site.leaf_importances(pages[0], nodes)[0].tolist(),
            strict=True,
        )
    )
    assert found["a"] == pytest.approx(0.8)
    assert found["img"] == pytest.approx(1.0)


def test_text_beside_elements_is_a_leaf_of_its_own() -> None:
    pages = [joeira.parse(f"<p>read <b>more</b> of {word}</p>") for word in ("a", "b", "c")]
    site = StyleTree().fit(pages)
    assert site.extract(pages[0]).text().strip() == "of a"
    other = joeira.parse("<p>read <i>more</i></p>")
    assert site.extract(other).text().split() == ["read", "more"]
    assert "on no other page" in next(iter(site.extract(other).explain())).reason


def test_scripts_and_the_head_are_no_part_of_the_tree() -> None:
    plain, busy = (
        joeira.parse(f"<title>{n}</title>{script}<p>text</p>")
        for n, script in enumerate(("", "<script>x()</script>"))
    )
    assert style_nodes(plain).place[-1] == style_nodes(busy).place[-1]
    assert style_nodes(plain).of_text[0] == -1
