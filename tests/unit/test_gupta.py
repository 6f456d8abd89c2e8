import pytest

import joeira
from joeira.content import Gupta
from joeira.content.result import Content

FILL = "<td>This cell has a sentence that is long enough to stay.</td>"


def table(cells: str) -> joeira.Page:
    return joeira.parse(f"<table><tr>{cells}{FILL}</tr></table>")


def reasons(content: Content) -> dict[str, str]:
    return {block.text: block.reason for block in content.explain()}


def test_worked_example() -> None:
    content = Gupta().extract(table("<td><a>a</a> <a>b</a> c</td>"))
    assert content.keep.tolist() == [False, False, False, True]
    # Two of three words are linked.
    assert content.scores.tolist()[:3] == pytest.approx([1 / 3] * 3)
    assert reasons(content)["a b c"] == (
        "in a list or cell of links: only 33% of its words are unlinked, less than 75%"
    )
    content = Gupta().extract(table("<td>one two three four <a>five</a></td>"))
    assert content.keep.all()
    assert content.scores.tolist()[:2] == pytest.approx([4 / 5] * 2)


def test_what_an_inner_filter_removed_no_longer_counts_outside() -> None:
    links = "<ul><li><a>one two three four five</a></li></ul>"
    content = Gupta().extract(table(f"<td>{links}<p>six seven eight nine ten eleven</p></td>"))
    assert content.keep.tolist() == [False, True, True]


def test_a_table_that_has_little_left_goes() -> None:
    html = "<table><tr><td>Short</td></tr></table><p>Text</p>"
    content = Gupta().extract(joeira.parse(html))
    assert content.text() == "Text"
    assert reasons(content)["Short"] == "in a table with fewer than 20 characters"
    assert Gupta(min_cell_chars=5).extract(joeira.parse(html)).keep.all()


def test_tags_to_drop() -> None:
    page = joeira.parse("<form>Search <b>now</b></form><x-ad>Buy</x-ad><p>Text</p>")
    assert Gupta().extract(page).text().split() == ["Buy", "Text"]
    content = Gupta(drop_tags=("x-ad", "unheard-of")).extract(page)
    assert content.text().split() == ["Search", "now", "Text"]
    assert reasons(content)["Buy"] == "inside a dropped element"


@pytest.mark.parametrize(
    "address, kept",
    [
        ("https://ads.example.com/x", False),
        ("//EXAMPLE.com./y", False),
        ("http://example.com:8080", False),
        ("http://notexample.com", True),
        ("http://example.com.org", True),
        ("/example.com", True),
        ("http://[broken", True),
        ("", True),
    ],
)
def test_hosts_of_advertisements(address: str, kept: bool) -> None:
    page = joeira.parse(f'<p><a href="{address}">Ad</a> and text</p>')
    content = Gupta(ad_hosts=("Example.com",)).extract(page)
    assert content.keep.tolist() == [kept, True]


def test_the_head_is_not_content() -> None:
    content = Gupta().extract(joeira.parse("<title>Name</title><p>Text</p>"))
    assert content.text() == "Text"
    assert reasons(content)["Name"] == "belongs to the document head"


def test_networks_that_many_pages_show_are_known() -> None:
    banner = "<a href='https://ad.doubleclick.net/x'>Buy a better umbrella</a>"
    content = Gupta().extract(joeira.parse(f"<p>Rain fell on the old town.</p>{banner}"))
    assert content.blocks() == ["Rain fell on the old town."]
    assert len(Gupta(ad_hosts=()).extract(content.page).blocks()) == 2
