"""The site object model: the worked examples of its specification."""

import pytest

from joeira import parse
from joeira.errors import BadParameter
from joeira.page import Page
from joeira.sites.som import SOM, SiteTree, simplified


def step_one(body: str) -> list[str]:
    """Return the nodes of a page after step 1: depth, tag and, for leaves, the text."""
    page = parse(f"<html><body>{body}</body></html>")
    simple = simplified(page, SOM())
    told = []
    for row, stop, leaf in zip(simple.rows, simple.stop, simple.is_leaf, strict=True):
        text = " ".join(
            page.texts[page.text_index[own]].strip() for own in page.text_rows if row <= own < stop
        )
        told.append(f"{page.tag_name(int(row))} {text}" if leaf else page.tag_name(int(row)))
    return told[2:]  # html and body


def site_of(*bodies: str, **parameters: int) -> tuple[SiteTree, list[Page]]:
    pages = [parse(f"<html><body>{body}</body></html>") for body in bodies]
    return SOM(**parameters).fit(pages), pages


def told(tree: SiteTree) -> dict[str, tuple[int, int]]:
    """Return pages with the node, and pages with text in it, by path."""
    return {
        tree.path(node): (tree.frequency[node], tree.with_text[node])
        for node in range(len(tree.parent))
    }


def blocks(tree: SiteTree, page: Page) -> list[tuple[str | None, str]]:
    return [(part.label, part.text) for part in tree.extract(page)]


def test_an_element_with_text_takes_all_below_it() -> None:
    assert step_one("<div><p>Hello <b>big</b> <b>world</b></p></div>") == [
        "div",
        "p Hello big world",
    ]


def test_equal_siblings_in_a_row_are_one_leaf() -> None:
    html = (
        "<div><ul><li><a>Home</a></li><li><a>News</a></li><li><a>Mail</a></li></ul>"
        "<h1>T</h1><p>x</p><p>y</p></div>"
    )
    assert step_one(html) == ["div", "ul Home News Mail", "h1 T", "p x y"]


def test_a_pattern_of_several_elements_repeats_too() -> None:
    assert step_one("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>") == ["dl a b c d"]


def test_neighbours_of_other_structure_stay_apart() -> None:
    html = "<div><p>x</p><p>y</p></div><div><ul><li>a</li><li>b</li></ul></div>"
    assert step_one(html) == ["div x y", "div", "ul a b"]


FIRST = "<div>A1</div><div><h1>t1</h1><pre>x1 y1</pre></div>"
SECOND = "<div>A2</div><div><h1>t2</h1><p>z2 w2</p></div>"


def test_pages_are_laid_over_each_other() -> None:
    tree, _ = site_of(FIRST, SECOND, beta=0)
    assert told(tree) == {
        "html": (2, 0),
        "html/body": (2, 0),
        "html/body/div": (2, 2),
        "html/body/div[2]": (2, 0),
        "html/body/div[2]/h1": (2, 2),
        "html/body/div[2]/pre": (1, 1),
        "html/body/div[2]/p": (1, 1),
    }


def test_a_frequent_child_keeps_its_siblings_apart() -> None:
    tree, pages = site_of(FIRST, SECOND, beta=2)
    assert blocks(tree, pages[0]) == [
        ("html/body/div", "A1"),
        ("html/body/div[2]/h1", "t1"),
        ("html/body/div[2]/pre", "x1 y1"),
    ]


def test_fewer_pages_than_the_threshold_make_one_block() -> None:
    tree, pages = site_of(FIRST, SECOND, beta=3)
    assert blocks(tree, pages[1]) == [("html", "A2 t2 z2 w2")]


def test_text_of_some_page_takes_what_is_near_below_it() -> None:
    third = "<div><span>A3</span></div><div><h1>t3</h1></div>"
    tree, pages = site_of(FIRST, SECOND, third, beta=2)
    assert blocks(tree, pages[2])[0] == ("html/body/div", "A3")
    apart, pages = site_of(FIRST, SECOND, third, beta=0, alpha=0)
    assert blocks(apart, pages[2])[0] == ("html/body/div/span", "A3")


def test_ids_tell_siblings_apart() -> None:
    tree, pages = site_of("<div id=a>x</div><p>q</p><div id=b>y</div>", "<div id=b>z</div>", beta=2)
    assert blocks(tree, pages[1]) == [("html/body/div#b", "z")]


def test_every_text_is_in_one_block_of_a_page_never_seen() -> None:
    tree, _ = site_of(FIRST, SECOND, beta=2)
    page = parse("<title>t</title><table><tr><td>new</td></tr></table>")
    found = tree.extract(page)
    assert len(found.labels) == len(page.texts)
    assert not tree.extract(parse(""))


@pytest.mark.parametrize(
    "wrong", [{"alpha": -1}, {"beta": -1}, {"max_period": 0}, {"min_repeats": 1}]
)
def test_parameters_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(BadParameter):
        SOM(**wrong)
