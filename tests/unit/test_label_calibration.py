"""Probabilities of segment labels, fitted to how often they are right."""

import numpy as np
import pytest

import joeira
from joeira.segments.learned import calibrated
from training.segment_labels import fit, measured


def pages(slope: float, offset: float, count: int = 40) -> list[np.ndarray]:
    """Made-up pages whose labels are right as often as slope and offset say."""
    random = np.random.default_rng(1)
    said = random.uniform(0.05, 0.95, (count, 200))
    right = random.uniform(size=said.shape) < calibrated(said, (slope, offset))
    return [np.column_stack((np.ones(200), *both)) for both in zip(said, right, strict=True)]


@pytest.mark.parametrize("true", [(1.0, 0.0), (0.5, 0.2), (2.0, -0.5)])
def test_what_made_the_pages_is_found_again(true: tuple[float, float]) -> None:
    assert fit(pages(*true)) == pytest.approx(true, abs=0.1)


def test_unseen_pages_are_told_better() -> None:
    found = measured(pages(0.4, 0.3))
    assert found["before"]["calibration_error"] > 0.1
    assert found["out_of_fold"]["calibration_error"] < 0.02
    assert found["out_of_fold"]["accuracy"] == found["before"]["accuracy"]


def test_the_order_stays_and_nothing_is_certain() -> None:
    said = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    now = calibrated(said)
    assert (np.diff(now) > 0).all()
    assert 0 < now[0] < now[-1] < 1


def test_segments_carry_the_fitted_probability() -> None:
    (part,) = (part for part in joeira.segment("<nav><a>Home</a> <a>News</a></nav>") if part.score)
    assert part.label == "navigation"
    assert 0.5 < part.score < 0.95
