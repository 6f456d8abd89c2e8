"""The numbers that models see are on the scales that their features declare, on random pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from numpy.typing import NDArray

import joeira
from joeira.blockmodel import columns
from joeira.models import Feature, Scale
from joeira.records.learned import describe
from joeira.records.learned import features as of_lists
from joeira.segments.learned import features as of_segments
from strategies import pages
from support.command_line import EXAMPLES as FOLDER
from support.examples import EXAMPLES
from support.html import documents
from support.learning import made_up_knowledge

KNOWN = made_up_knowledge()
LEAST: dict[Scale, float] = {"flag": 0, "share": 0, "rate": 0, "log1p": 0, "log": 0}
MOST: dict[Scale, float] = {"flag": 1, "share": 1}
ROUNDING = 1e-5
html_pages = documents | pages()


def misfits(features: Sequence[Feature], lines: Iterable[NDArray[np.float32]]) -> list[str]:
    """Return the features with a value that their scale does not have."""
    wrong = []
    for feature, line in zip(features, lines, strict=True):
        fits = line >= LEAST.get(feature.scale, -np.inf) - ROUNDING
        fits &= line <= MOST.get(feature.scale, np.inf) + ROUNDING
        if feature.scale == "flag":
            fits &= (line == 0) | (line == 1)
        if not fits.all():
            wrong.append(f"{feature.name}: {line[~fits].tolist()} is no {feature.scale}")
    return wrong


def check(html: str | bytes) -> None:
    page = joeira.parse(html)
    assert misfits(columns.FEATURES, columns.matrix(page, KNOWN).values.T) == []
    view = of_segments.SegmentView(page)
    rows = np.flatnonzero(view.has_text)
    assert misfits(of_segments.FEATURES, of_segments.columns(view, rows)) == []
    assert misfits(of_lists.FEATURES, describe(page)[1]) == []


@EXAMPLES
@given(html_pages)
@example("<ul>" + "<li><a href=x>One</a> 5 \u20ac" * 5 + "</ul>")
def test_values_fit_their_scales(html: str) -> None:
    check(html)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.html")), ids=lambda path: path.stem)
def test_values_of_the_examples_fit_their_scales(path) -> None:
    check(path.read_bytes())


def test_a_wrong_scale_is_noticed() -> None:
    values = np.array([[0.0, 2.0], [0.5, 1.0]], np.float32)
    features = [Feature("x", "", "", "share"), Feature("y", "", "", "flag")]
    assert len(misfits(features, values)) == 2
