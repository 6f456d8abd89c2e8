"""Links to other pages of a list, and lists over several pages."""

from __future__ import annotations

import pytest

import joeira
from joeira.errors import UsageError
from joeira.records import DetailLinks, merge_tables

URL = "https://shop.example/list?page=3"


def pager(*pieces: str, around: str = "") -> joeira.records.PageLinks:
    html = f"<p>Things to buy.</p>{around}<div class=x>{' '.join(pieces)}</div><p>Goodbye.</p>"
    return joeira.find_pages(html, url=URL)


def link(number: object, text: object = None, attributes: str = "") -> str:
    return f"<a href='/list?page={number}' {attributes}>{number if text is None else text}</a>"


def url(number: object) -> str:
    return f"https://shop.example/list?page={number}"


def test_numbers_around_the_page_itself() -> None:
    links = pager(link(1), link(2), "<b>3</b>", link(4), link(5))
    assert [one.url for one in links.numbered] == [url(n) for n in (1, 2, 4, 5)]
    assert [one.text for one in links.numbered] == ["1", "2", "4", "5"]
    assert links
    assert links.next is None
    assert all(0 < one.confidence <= 1 for one in links.numbered)


def test_words_of_no_known_language_lead_by_their_address() -> None:
    links = pager(link(2, "Yadda"), link(1), link(2), "<b>3</b>", link(4), link(5), link(4, "Blah"))
    assert links.next
    assert links.next.url == url(4)
    assert links.next.text == "Blah"
    assert links.previous
    assert links.previous.url == url(2)


@pytest.mark.parametrize(
    "before, after",
    [
        ("Previous", "Next"),
        ("« Anterior", "Próximo »"),
        ("Zurück", "Weiter"),
        ("前へ", "次へ"),
        ("上一页", "下一页"),
        ("Назад", "Вперёд"),
        ("السابق", "التالي"),
        ("‹", "›"),
        ("<", "&gt;"),
    ],
)
def test_words_beside_numbers(before: str, after: str) -> None:
    links = pager(link(2, before), link(1), link(2), "3", link(4), link(4, after))
    assert links.next
    assert links.previous
    assert (links.previous.url, links.next.url) == (url(2), url(4))


def test_first_and_last() -> None:
    links = pager(link(1, "««"), link(2, "«"), link(2), "3", link(4), link(4, "»"), link(9, "»»"))
    assert [one and one.url for one in (links.first, links.previous, links.next, links.last)] == [
        url(n) for n in (1, 2, 4, 9)
    ]


def test_words_alone() -> None:
    links = pager(link(2, "Older posts"), link(4, "Newer posts"))
    assert links.previous
    assert links.next
    assert (links.previous.url, links.next.url) == (url(2), url(4))


def test_pictures_say_it_too() -> None:
    links = pager(link(1), link(2), "3", link(4), link(4, "<img src=n.png alt=next>"))
    assert links.next
    assert links.next.url == url(4)


def test_declared_in_the_head_or_by_a_button() -> None:
    head = joeira.find_pages("<head><link rel=next href='?page=4'></head><p>x", url=URL)
    assert head.next
    assert head.next.url == url(4)
    more = joeira.find_pages("<p>x</p><button data-next-url='/list?page=4'>More</button>", url=URL)
    assert more.next
    assert (more.next.url, more.next.text) == (url(4), "More")


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<a href='/p'>A page</a>",
        "<a href='#2'>2</a> <a href='#3'>3</a> <a href='#4'>Next</a>",
        "<a href='javascript:go(2)'>2</a><a href='javascript:go(3)'>3</a>",
        "Show <a href='?n=20'>20</a> <a href='?n=40'>40</a> <a href='?n=60'>60</a>",
        "<a href='https://twitter.example/s?1'>1</a> <a href='https://twitter.example/s?2'>2</a>",
        "<table id=wp-calendar><tr>"
        + "".join(f"<td><a href='/2016/01/0{n}/'>{n}</a></td>" for n in range(1, 8))
        + "</table>",
        "<a href='/'>Start</a> <a href='/end'>End</a> <a href='/c'>Contact</a>",
        "<a href='http://[bad'>2</a><a href='http://[bad'>3</a>",
    ],
)
def test_what_is_no_page_of_a_list(html: str) -> None:
    links = joeira.find_pages(html, url="https://shop.example/")
    assert not links


def test_xpath_finds_the_link_again() -> None:
    page = joeira.parse(f"<div>{link(1)} 2 {link(3)} {link(3, 'Next')}</div>", url(2))
    links = joeira.find_pages(page)
    assert links.next
    (row,) = page.attributes.find(links.next.xpath)
    assert page.text_of(row) == "Next"


# Several pages ----------------------------------------------------------------------------------


def table(*names: str, extra: str = "") -> joeira.RecordTable:
    items = "".join(
        f"<li><h3><a href='/p/{name}'>{name} of the day</a></h3><i>{name} made by hand</i>"
        f"{extra.format(name)}"
        f"<a href='/by/anna'>Anna</a></li>"
        for name in names
    )
    html = f"<ul>{items}</ul>"
    return joeira.find_records(html, url="https://shop.example/", min_presence=0.0)[0]


def test_tables_add_up_without_doubles() -> None:
    both = table("mug", "jug", "pot") + table("pot", "pan", "cup")
    assert len(both) == 5
    assert [record.text.split()[0] for record in both.records] == [
        "mug",
        "jug",
        "pot",
        "pan",
        "cup",
    ]
    assert len({id(cell.page) for cells in both.cells for cell in cells if cell}) == 2
    assert len(both.to_csv().splitlines()) == 6
    assert len(both + table("tin", "can")) == 7


def test_columns_of_both_are_there() -> None:
    plain, more = (
        table("mug", "jug"),
        table("pot", "pan", extra="<p class=size>Large {} for many</p>"),
    )
    both = plain + more
    assert set(both.columns) == {*plain.columns, *more.columns}
    extra = next(name for name in more.columns if name not in plain.columns)
    assert [row[extra] for row in both.to_dicts()][:2] == [None, None]


def test_key_is_a_column_of_ones_own() -> None:
    first, second = table("mug", "jug"), table("mug", "pot")
    column = first.columns[0]
    assert len(merge_tables([first, second], str(column))) == 3
    with pytest.raises(UsageError, match="no column 'nothing'"):
        merge_tables([first, second], "nothing")
    with pytest.raises(UsageError, match="no table"):
        merge_tables([])
    with pytest.raises(TypeError):
        first + 3  # type: ignore[operator]  # what a caller may get wrong


def test_links_lead_to_details_not_to_authors() -> None:
    links = table("mug", "jug", "pot").links()
    assert links == ("https://shop.example/p/mug", "https://shop.example/p/jug",
                     "https://shop.example/p/pot")  # fmt: skip
    assert links.column is not None
    assert links.column.kind == "link"


def test_without_links() -> None:
    html = "<ul>" + "".join(f"<li><b>Name {n}</b> <i>text {n}</i></li>" for n in range(5)) + "</ul>"
    links = joeira.find_records(html, min_presence=0.0)[0].links()
    assert isinstance(links, DetailLinks)
    assert not links
    assert links.name == ""
