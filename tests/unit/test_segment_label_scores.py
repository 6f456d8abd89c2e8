"""How labels of segments are judged, and where blocks of an answer are in our tree."""

import numpy as np
import pytest

import joeira
from joeira.evaluation.datasets import Block, Example
from joeira.evaluation.segment_scores import MEANING, block_roots, judged, label_summary
from joeira.page import Region
from joeira.segments.learned.labels import LABELS
from joeira.segments.result import Segments

pytest.importorskip("lxml", reason="answers are in lxml's tree")

HTML = """<body><div id=a><div><p>Home News</p></div></div><table><tr><td>One two three</td></tr>
<tr><td>four</td></tr></table><div><p>In no block</p></div></body>"""
ROW = Example(
    "1",
    HTML,
    blocks=(
        Block("/html/body/div[1]", "Menu"),
        Block("/html/body/table", "Content"),
        Block("/html/body/table/tr[2]", "LinkList"),
        Block("/html/body/div[9]", "Footer"),
    ),
)


def test_blocks_are_found_by_their_words() -> None:
    page = joeira.parse(HTML)
    found = {page.xpath(row): types for row, types in block_roots(ROW, page).items()}
    assert found == {
        "/html/body/div[1]": {"Menu"},
        "/html/body/table": {"Content"},
        "/html/body/table/tbody/tr[2]": {"LinkList"},
    }


def test_a_label_is_right_when_it_means_the_type_of_some_block_around() -> None:
    page = joeira.parse(HTML)
    roots = sorted(block_roots(ROW, page))[:2]
    last = int(np.flatnonzero(page.tag == page.tag[roots[0]])[-1])
    labels = ("navigation", "related", "main")
    regions = tuple(
        Region(page, row, int(page.end[row]), label, score)
        for row, label, score in zip((*roots, last), labels, (0.9, 0.7, 0.5), strict=True)
    )
    found = Segments(page, regions, np.array([0, 1, 1, 2]), "mine")
    # "related" is right for one of four words only; what is in no block is not judged.
    assert judged(ROW, found).tolist() == [[2, 0.9, 1], [4, 0.7, 0]]
    assert judged(ROW, found, is_strict=True).tolist() == [[2, 0.9, 1], [4, 0.7, 0]]
    told = label_summary([judged(ROW, found)])
    assert told["accuracy"] == 0.5
    assert told["accuracy_by_words"] == pytest.approx(2 / 6, abs=1e-4)
    assert told["calibration_error"] == pytest.approx((0.1 + 0.7) / 2)


@pytest.mark.parametrize("label, is_right", [("main", 0), ("listing", 1), ("navigation", 0)])
def test_strictly_the_innermost_block_has_one_label(label: str, is_right: int) -> None:
    page = joeira.parse(HTML)
    row = max(block_roots(ROW, page))  # links in a table of content
    part = Region(page, row, int(page.end[row]), label, 0.5)
    number = np.where(page.text_rows == row + 2, 0, -1)
    found = Segments(page, (part,), number, "mine")
    assert judged(ROW, found, is_strict=True).tolist() == [[1, 0.5, is_right]]
    assert judged(ROW, found).tolist() == [[1, 0.5, 1]]


def test_types_mean_labels_that_exist() -> None:
    assert {label for names in MEANING.values() for label in names.split()} <= set(LABELS)
