"""Segments: a partition of the texts of a page, by tag path sequences."""

import json

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter, UsageError
from joeira.segments import TPS
from support.command_line import ROOT
from support.command_line import joeira as run

LISTING = "<title>t</title><nav>{}</nav><main>{}</main><footer>{}</footer>".format(
    "<a href=x>menu</a>" * 4, "<p class=r><b>name</b><i>price</i></p>" * 12, "<small>f</small>" * 4
)


def test_regions_have_tag_paths_of_their_own() -> None:
    found = joeira.segment(LISTING, "tps", min_share=0.2)
    assert [part.text.split()[0] for part in found if "name" in part.text] == ["name"]
    assert any(set(part.text.split()) == {"name", "price"} for part in found)
    assert found.method == "tps"


def test_nothing_is_split_below_the_least_share() -> None:
    assert len(joeira.segment(LISTING, "tps", min_share=0.99)) <= 3
    assert len(joeira.segment(LISTING, "tps", min_share=0)) >= len(joeira.segment(LISTING, "tps"))


def test_plain_data() -> None:
    found = joeira.segment(LISTING, "tps")
    data = json.loads(json.dumps(found.to_dict()))
    assert [part["text"] for part in data["segments"]] == [part.text for part in found]
    assert found[0] is found[:1][0]


def test_misuse() -> None:
    with pytest.raises(BadParameter, match="min_share"):
        TPS(min_share=1)
    with pytest.raises(UsageError, match="one value per text"):
        joeira.Segments(joeira.parse("<p>x"), (), np.zeros(0, int), "mine")


@pytest.mark.parametrize("form", ["text", "json"])
def test_command(form: str) -> None:
    done = run("segment", str(ROOT / "examples" / "listing.html"), "--to", form)
    assert done.returncode == 0
    assert "Moradia T3 com quintal" in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["segments"]


def test_command_on_an_empty_page() -> None:
    done = run("segment", "-")
    assert done.returncode == 3
    assert "nothing found" in done.stderr
