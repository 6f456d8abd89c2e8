"""Segments by text density and by headings."""

import pytest

import joeira
from joeira.errors import BadParameter
from joeira.segments import BlockFusion, Headings

DENSE = "Many words that go on and on in one line of text which is long enough to be dense. " * 3
HTML = f"""<title>t</title><body><nav><a href=x>One</a><br><a href=x>Two</a></nav>
<div><h2>First</h2><p>{DENSE}</p><p>{DENSE}</p></div><div><h2>Second</h2><p>{DENSE}</p></div>
<p>End</p>"""


def test_neighbours_of_like_density_are_one_segment() -> None:
    found = joeira.segment(HTML, "density")
    texts = [part.text.split()[0] for part in found]
    assert texts == ["One", "Many", "Second", "Many", "End"]
    assert found[1].text == " ".join([DENSE.strip()] * 2)
    assert len(joeira.segment(HTML, BlockFusion(theta=1))) == 1


def test_headings_begin_segments() -> None:
    found = joeira.segment(HTML, "headings")
    assert [part.text.split()[0] for part in found] == ["One", "First", "Second", "End"]
    assert [part.xpath for part in found][1:] == [
        "/html/body/div[1]",
        "/html/body/div[2]",
        "/html/body/p",
    ]
    assert len(joeira.segment(HTML, "headings", max_level=1)) == 2


def test_the_page_divides_into_groups_and_segments() -> None:
    found = joeira.segment(HTML, Headings())
    assert found.children == tuple(found)
    (body,) = found.groups
    assert found.members(body) == tuple(found)
    assert found.to_dict()["groups"] == [
        {"xpath": "/html/body", "groups": [], "segments": [0, 1, 2, 3]}
    ]
    alone = joeira.segment("<p>x", "headings")
    assert alone.children == alone.regions


@pytest.mark.parametrize("wrong", [{"theta": 2}, {"line_width": 0}])
def test_density_checks_its_parameters(wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        BlockFusion(**wrong)  # type: ignore[arg-type]  # the mistake is tested


def test_headings_check_their_parameters() -> None:
    with pytest.raises(BadParameter):
        Headings(max_level=7)
