"""VIPS on made-up layouts: what divides a page, and what does not."""

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter
from joeira.page import Page
from joeira.render.browser import Layout
from joeira.segments import VIPS

HTML = "<body><div><p>Menu</p></div><div><p>One</p><p>Two</p></div><div><p>Foot</p></div></body>"


def laid_out(
    page: Page, boxes: dict[str, tuple[float, float, float, float]], **looks: dict
) -> Layout:
    """Return a layout: boxes by XPath, texts filling the boxes of their parents."""
    box = np.zeros((len(page), 4))
    background = np.zeros(len(page), np.intp)
    size, weight = np.full(len(page), 16.0), np.full(len(page), 400.0)
    for row in range(len(page)):
        path = page.xpath(row)
        above = int(page.parent[row])
        if page.is_text[row]:
            box[row] = box[above]
        elif path in boxes:
            box[row] = boxes[path]
        if above >= 0:
            background[row], size[row] = background[above], size[above]
        background[row] = looks.get("background", {}).get(path, background[row])
        size[row] = looks.get("size", {}).get(path, size[row])
    return Layout(box, background, size, weight)


def boxes(gap: float) -> dict[str, tuple[float, float, float, float]]:
    second, third = 300 + gap, 700 + 2 * gap
    return {
        "/html/body": (0, 0, 1000, 1000),
        "/html/body/div[1]": (0, 0, 1000, 300),
        "/html/body/div[1]/p": (0, 0, 1000, 300),
        "/html/body/div[2]": (0, second, 1000, second + 400),
        "/html/body/div[2]/p[1]": (0, second, 1000, second + 200),
        "/html/body/div[2]/p[2]": (0, second + 200, 1000, second + 400),
        "/html/body/div[3]": (0, third, 1000, third + 300),
        "/html/body/div[3]/p": (0, third, 1000, third + 300),
    }


def texts(
    method: VIPS, layout_of: dict[str, tuple[float, float, float, float]], **looks: dict
) -> list[str]:
    page = joeira.parse(HTML)
    return [part.text for part in method.divide(page, laid_out(page, layout_of, **looks))]


def test_blocks_that_touch_are_together() -> None:
    assert texts(VIPS(), boxes(0)) == ["Menu One Two Foot"]


def test_wide_gaps_divide() -> None:
    assert texts(VIPS(), boxes(40)) == ["Menu", "One Two", "Foot"]


def test_a_higher_permitted_coherence_divides_more() -> None:
    found = [len(texts(VIPS(degree), boxes(12))) for degree in range(1, 11)]
    assert found == sorted(found)
    assert found[0] == 1
    assert found[-1] == 4


def test_backgrounds_and_fonts_divide() -> None:
    grey = {"background": {"/html/body/div[1]": 1}}
    assert texts(VIPS(), boxes(4), **grey) == ["Menu", "One Two Foot"]
    large = {"size": {"/html/body/div[2]/p[1]": 30.0}}
    assert texts(VIPS(7), boxes(4), **large) == ["Menu", "One Two Foot"]


def test_columns_are_divided() -> None:
    beside = boxes(0) | {
        "/html/body/div[1]": (0, 0, 300, 1000),
        "/html/body/div[1]/p": (0, 0, 300, 1000),
        "/html/body/div[2]": (350, 0, 1000, 700),
        "/html/body/div[2]/p[1]": (350, 0, 1000, 350),
        "/html/body/div[2]/p[2]": (350, 350, 1000, 700),
        "/html/body/div[3]": (350, 700, 1000, 1000),
        "/html/body/div[3]/p": (350, 700, 1000, 1000),
    }
    assert texts(VIPS(), beside) == ["Menu", "One Two Foot"]


def test_what_is_not_drawn_belongs_to_what_is_before_it() -> None:
    hidden = boxes(40) | {"/html/body/div[2]/p[2]": (0.0, 0.0, 0.0, 0.0)}
    assert texts(VIPS(), hidden) == ["Menu", "One Two", "Foot"]
    page = joeira.parse(HTML)
    nothing = VIPS().divide(page, laid_out(page, {}))
    assert [part.text for part in nothing] == ["Menu One Two Foot"]


@pytest.mark.parametrize(
    "wrong", [{"permitted_coherence": 0}, {"permitted_coherence": 11}, {"width": 0}]
)
def test_parameters_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(BadParameter):
        VIPS(**wrong)
