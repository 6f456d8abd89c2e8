"""Data tables and listings are kept whole, or at least the rows of tables."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.blockmodel.completion import complete
from joeira.blockmodel.view import BlockView

TABLE = "<table><tr><td>a b<td>c d<td>e</tr><tr><td>f<td>g<td>h i</tr></table>"


def completed(html: str, kept: set[str], chance: float = 0.0) -> set[str]:
    """Return the blocks that are kept in the end, if some are and all have the same chance."""
    view = BlockView(joeira.parse(html))
    texts = [view.page.block_texts[block] for block in view.chosen]
    keep = np.array([text in kept for text in texts])
    complete(view, keep, np.full(len(keep), chance))
    return {text for text, is_kept in zip(texts, keep, strict=True) if is_kept}


@pytest.mark.parametrize(
    "kept, found",
    [
        (set(), set()),
        ({"a b"}, {"a b"}),  # less than half of the words of its row
        ({"a b", "e"}, {"a b", "c d", "e"}),
        ({"c d", "h i"}, {"c d", "f", "g", "h i"}),
    ],
)
def test_rows_of_which_most_is_kept(kept: set[str], found: set[str]) -> None:
    assert completed(TABLE, kept) == found


CELLS = {"a b", "c d", "e", "f", "g", "h i"}
BETWEEN = f"<p>before<p>x{TABLE}<p>y<p>after"


@pytest.mark.parametrize(
    "html, kept, chance, found",
    [
        (BETWEEN, {"before", "after"}, 0.3, {"before", "after"} | CELLS),
        (BETWEEN, {"before", "after"}, 0.1, {"before", "after"}),
        (BETWEEN, {"before"}, 0.9, {"before"}),
        (BETWEEN, {"after"}, 0.9, {"after"}),
        (BETWEEN, set(), 0.9, set()),
        (f"<p>before{'<p>x' * 3}{TABLE}<p>after", {"before", "after"}, 0.9, {"before", "after"}),
        (f"<p>before{TABLE}{'<p>x' * 3}<p>after", {"before", "after"}, 0.9, {"before", "after"}),
        (TABLE, {"e"}, 0.9, {"e"}),
        ("<p>before<p>after", {"before"}, 0.9, {"before"}),
        # A table that lays out the page is none.
        (f"<p>before{TABLE.replace('a b', '<h2>a b</h2>')}<p>after", {"before", "after"}, 0.9,
         {"before", "after"}),
    ],
)  # fmt: skip
def test_tables_between_kept_texts(
    html: str, kept: set[str], chance: float, found: set[str]
) -> None:
    assert completed(html, kept, chance) == found


def test_each_table_for_itself() -> None:
    other = TABLE.replace("<td>", "<td>other ")
    html = f"<p>before{TABLE}<p>between{'<p>x' * 5}{other}<p>after"
    kept = {"before", "between", "after"}
    assert completed(html, kept, 0.5) == kept | CELLS


LISTING = "<pre>one two<p>three</pre>"
CODE = {"one two", "three"}


@pytest.mark.parametrize(
    "html, kept, chance, found",
    [
        (f"<p>before{LISTING}<p>after", {"before", "after"}, 0.3, {"before", "after"} | CODE),
        (f"<p>before{LISTING}", {"before"}, 0.3, {"before"} | CODE),  # the end of the page
        (f"<p>before{LISTING}", {"before"}, 0.05, {"before"}),
        (f"<p>before{LISTING}<p>after", {"after"}, 0.9, {"after"}),
        (f"<p>before{'<p>x' * 3}{LISTING}", {"before"}, 0.9, {"before"}),
        (LISTING, {"three"}, 0.9, {"three"}),
        (
            "<p>before<pre>one two<button>copy</button></pre>",
            {"before"},
            0.9,
            {"before", "one two"},
        ),
    ],
)
def test_listings_after_kept_text(
    html: str, kept: set[str], chance: float, found: set[str]
) -> None:
    assert completed(html, kept, chance) == found
