"""The features against a plain reading of their sentences, on random pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import joeira
from joeira.blockmodel import columns
from joeira.blockmodel.columns import GROUPS, NAMES, PLAIN
from joeira.blockmodel.lexicon import SPACES
from strategies import pages
from support.examples import EXAMPLES
from support.feature_twin import FeatureTwin
from support.html import documents
from support.learning import LISTED, made_up_knowledge, made_up_tables

TABLES = {space: table.astype(np.float32) / 16 for space, table in made_up_tables().items()}
KNOWN = made_up_knowledge()
PROSE = "<p>" + "Plain words of a long story, told at length. " * 8 + "</p>"
LINKS = "<ul>" + "<li class='menu-item navLink'><a href=1>One link of 12</a></li>" * 6 + "</ul>"
ARTICLE = (
    "<title>A long story of 12 words</title><main id=mainContent><h1>A long Story</h1>"
    f"{PROSE * 3}</main><h2>See also</h2>{LINKS}<p class='page-footer x'>A long story</p>"
)
ROLES = (
    "<div role='Navigation list'>a</div><div role=dialog><p>b<p role=contentinfo>c</div>"
    "<div aria-modal=true role=form>d</div><div data-nosnippet role=main>e</div>"
    "<div aria-modal=false role=''>f</div><ul role=presentation><li>g</ul><p role=unheard>h"
    "<noindex><p>i</noindex>"
)
SHOP = (
    "<main><h1>Lamp</h1><p>$ 30</p><p>Bright and small.</p></main><div>"
    + "<div class=card><a href=1>Other lamp</a> <span>$ 20</span></div>" * 3
    + "<div class=card>Sold out</div></div>"
)
FROM_ATTRIBUTES = [name for name in NAMES if name.startswith("told_")]
html_pages = documents | pages()


def compare(page: joeira.Page, expected: Mapping[str, Sequence[float]]) -> None:
    found = columns.matrix(page, KNOWN).values
    wrong = {}
    for name, column in expected.items():
        own = found[:, NAMES.index(name)]
        assert len(own) == len(column), name
        if not np.allclose(own, column, rtol=1e-5, atol=2e-6):
            wrong[name] = (own.tolist(), list(column))
    assert not wrong


def test_the_twin_has_every_plain_column() -> None:
    twin = FeatureTwin("<p>x")
    assert {*twin.columns(), *FROM_ATTRIBUTES} == set(NAMES[:PLAIN])
    assert set(twin.lexicon(TABLES)) == {feature.name for feature in GROUPS["lexicon"]}


@EXAMPLES
@given(html_pages)
@example(ARTICLE)
@example(LINKS + "<div>" + PROSE + PROSE + "</div>")
@example("<p>rain</p>" * 70 + "<h1>rain</h1>")
@example(ROLES)
@example(SHOP)
def test_columns(html: str) -> None:
    page = joeira.parse(html)
    assume(page.scripting)
    compare(page, FeatureTwin(html).columns())


@EXAMPLES
@given(html_pages)
@example(ARTICLE)
@example("<h2>Rain</h2>" + "<p class='post-bodyText x1' id=HTMLbody>3 words 4u</p>" * 62)
def test_columns_of_the_tables(html: str) -> None:
    page = joeira.parse(html)
    assume(page.scripting)
    compare(page, FeatureTwin(html).lexicon(TABLES, LISTED))


@EXAMPLES
@given(html_pages | st.text(max_size=40))
@example("")
@example("<frameset>")
@example("<noscript>text</noscript>")
@example("<title>x</title>")
def test_any_page_has_features(html: str) -> None:
    matrix = columns.matrix(joeira.parse(html), KNOWN)
    assert matrix.values.shape == (matrix.view.size, len(NAMES))
    assert matrix.values.dtype == np.float32
    assert np.isfinite(matrix.values).all()


@EXAMPLES
@given(html_pages)
def test_the_same_page_has_the_same_features(html: str) -> None:
    page = joeira.parse(html)
    first = columns.matrix(page, KNOWN).values
    for again in (page, joeira.parse(html)):
        assert columns.matrix(again, KNOWN).values.tobytes() == first.tobytes()


@pytest.mark.parametrize("space", SPACES)
def test_a_table_touches_only_its_own_columns(space: str) -> None:
    page = joeira.parse(ARTICLE)
    changed = {**KNOWN.tables, space: KNOWN.tables[space] + np.int8(16)}
    before, after = (
        columns.matrix(page, known).values for known in (KNOWN, replace(KNOWN, tables=changed))
    )
    touched = {NAMES[k] for k in np.flatnonzero((before != after).any(axis=0))}
    names = [feature.name for feature in GROUPS["lexicon"]]
    own = {name for name in names if name.split("_")[0] == {"listed": "name"}.get(space, space)}
    assert touched
    assert touched <= own
