"""No method falls below what it once reached. Floors change only by `joeira.evaluation.floors`."""

from pathlib import Path

import pytest

from joeira.errors import UsageError
from joeira.evaluation.floors import Floor

pytestmark = pytest.mark.quality


def test_no_method_falls_below_its_floor(floor: Floor, bench: Path) -> None:
    try:
        floor.source(bench / "content")
    except UsageError:
        pytest.skip(f"no data set {floor.data_set} under {bench}; set JOEIRA_BENCH to its folder")
    complaints = floor.complaints(floor.measured(bench / "content"))
    assert not complaints, "\n".join(complaints)
