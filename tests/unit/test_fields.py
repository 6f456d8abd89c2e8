"""Columns and cells of lists made by hand."""

import copy
import json
import pickle

import pytest

import joeira
from joeira.records.result import Column
from support.command_line import EXAMPLES
from support.lists import URL, items, table_of, table_of_rows


def test_example_listing() -> None:
    table = table_of((EXAMPLES / "listing.html").read_bytes(), "li.anuncio")
    assert table.columns == (
        "image", "selo", "title", "title_url", "local", "preco", "detalhes", "detalhes_2",
        "descricao", "agencia", "date", "contactar_url",
    )  # fmt: skip
    kinds = {column: column.kind for column in table.columns}
    assert kinds["image"] == "image"
    assert kinds["preco"] == "price"
    assert kinds["title_url"] == kinds["contactar_url"] == "link"
    assert table.to_dicts()[1]["selo"] == "Baixou de preço"
    assert [row[1] for row in table.rows()].count(None) == 8
    assert table.to_dicts()[0]["title"] == "Moradia T3 com quintal"
    assert len(table.rows()) == len(table) == 10


def test_optional_fields_are_empty_cells() -> None:
    table = table_of(items("<b>A</b><i>1</i>", "<b>B</b><u>x</u><i>2</i>", "<b>C</b><u>y</u>"))
    assert table.rows() == [["A", None, "1"], ["B", "x", "2"], ["C", "y", None]]


def test_names_from_the_page() -> None:
    item = (
        "<h3>Tea {0}</h3><span itemprop=brand>Brand {0}</span>"
        "<p class='product__maker x9f'>M{0}</p>"
        "<span class=col-4>Weight: {0} kg</span><dl><dt>Colour</dt><dd>red {0}</dd></dl>"
        "<b>Price:</b> <i>$ {0}.00</i>"
    )
    table = table_of(items(*(item.format(number) for number in range(1, 5))))
    assert table.columns == ("title", "brand", "maker", "weight", "colour", "price")
    assert [c.source for c in table.columns] == [
        "tag", "itemprop", "class", "label", "label", "label",
    ]  # fmt: skip
    assert table.rows()[0] == ["Tea 1", "Brand 1", "M1", "1 kg", "red 1", "$ 1.00"]


def test_the_name_of_the_list_is_no_part_of_the_names() -> None:
    classes = ("sch-res-title", "sch-res-date", "sch-res-text", "other-word")
    item = "".join(f"<p class={name}>{name} {{0}}</p>" for name in classes)
    table = table_of(items(*(item.format(number) for number in range(3))))
    assert table.columns == ("title", "date", "text", "other_word")


def test_names_are_unique() -> None:
    table = table_of(items(*["<p>a b</p><p>c d</p><p class=text_2>e f</p>"] * 3))
    assert len(set(table.columns)) == len(table.columns) == 3


@pytest.mark.parametrize(
    "values, kind",
    [
        (("1,200", "37", "-4.5"), "number"),
        (("12 %", "7 %", "3.5 %"), "number"),
        (("$5", "$1,200.00", "USD 30"), "price"),
        (("285.000 €", "12,50 €", "9 EUR"), "price"),
        (("$44.99 usd", "$14.99 USD", "\ufeffCAD 263.59"), "price"),
        (("2024-01-31", "2024/02/01", "31.12.2023"), "date"),
        (("Saturday, February 4, 2017 - 09:00", "Monday, May 1, 2017 - 20:03"), "date"),
        (("3 May 2024", "May 4, 2023", "Fri, 5 January 2024 10:30"), "date"),
        (("1", "2", "three"), "text"),
        (("$5", "free", "$7"), "text"),
        (("12 rooms", "3 rooms", "4 rooms"), "text"),
    ],
)
def test_kinds_are_claimed_where_certain(values: tuple[str, ...], kind: str) -> None:
    table = table_of(items(*(f"<b>{value}</b>" for value in values)))
    assert [column.kind for column in table.columns] == [kind]


def test_sentences_stay_whole() -> None:
    snippets = (
        "<a href=/1>One</a><br>the <b>tea</b> of the <b>day</b> is green<br><font>one.org</font>",
        "<a href=/2>Two</a><br><b>tea</b> is drunk hot<br><font>two.org</font>",
        "<a href=/3>Three</a><br>all about <b>tea</b><br><font>three.org</font>",
        "<a href=/4>Four</a><br>nothing here<br><font>four.org</font>",
    )
    table = table_of(items(*snippets))
    assert [row[0] for row in table.rows()] == ["One", "Two", "Three", "Four"]
    assert [row[2:] for row in table.rows()] == [
        ["the tea of the day is green", "one.org"],
        ["tea is drunk hot", "two.org"],
        ["all about tea", "three.org"],
        ["nothing here", "four.org"],
    ]


def test_regular_lines_are_split() -> None:
    table = table_of(
        items(*(f"<a href=/{n}>Book {n}</a> by Author {n}, {2000 + n}" for n in range(4)))
    )
    assert table.rows()[1] == ["Book 1", "https://shop.example.com/1", "by Author 1, 2001"]


def test_lists_within_records_are_one_value() -> None:
    inner = [f"<b>{n}</b><ol>{'<li>tag</li><li>tea</li>' * n}</ol>" for n in range(1, 5)]
    table = table_of(items(*inner), "ul > li")
    assert table.rows()[1] == ["2", "tag | tea | tag | tea"]


def test_what_has_no_column_is_left_over() -> None:
    inner = [f"<b>Tea {n}</b>" for n in range(30)]
    inner[7] += "<em>sold out</em>"
    table = table_of(items(*inner))
    assert table.columns[-1] == "other"
    assert table.columns[-1].source == "left over"
    assert [row[-1] for row in table.rows()].count(None) == 29
    assert table.rows()[7] == ["Tea 7", "sold out"]


def test_links_images_and_unsafe_addresses() -> None:
    item = (
        "<a href='/p/{0}'><img src='i/{0}.png' width=80></a><a href='/p/{0}'>Tea {0}</a>"
        "<a href='javascript:buy({0})'>Buy it {0}</a><a href='mailto:a{0}@example.com'>Ask</a>"
        "<img src=t.gif width=1 height=1>"
    )
    table = table_of(items(*(item.format(number) for number in range(1, 5))))
    assert table.to_dicts()[0] == {
        "image": f"{URL}i/1.png",
        "title": "Tea 1",
        "title_url": "https://shop.example.com/p/1",
        "text": "Buy it 1",
        "ask_url": "mailto:a1@example.com",
    }
    cell = table.cells[0][2]
    assert cell is not None
    assert (cell.text, cell.url) == ("Tea 1", "https://shop.example.com/p/1")
    assert cell.xpath.endswith("/li[1]/a[2]")


def test_addresses_start_from_the_base() -> None:
    page = "<base href='https://other.example.com/x/'>" + items(
        "<a href=1>a</a>", "<a href=2>b</a>"
    )
    assert [row[1] for row in table_of(page).rows()] == [
        "https://other.example.com/x/1",
        "https://other.example.com/x/2",
    ]


def test_records_of_several_parts() -> None:
    html = "".join(f"<h4>Question {n}</h4><p>Answer <i>{n}</i> of all</p>" for n in range(3))
    page = table_of(html, "h4, p").page
    table = table_of_rows(page, page.attributes.select("h4, p"), parts=2)
    assert table.columns == ("title", "number")  # the words around it are the same everywhere
    assert table.rows()[2] == ["Question 2", "2"]


def test_any_script() -> None:
    table = table_of(
        items(
            "<h3>שלום עולם</h3><p>שלום: 5</p>",
            "<h3>日本語</h3><p>שלום: 7</p>",
            "<h3>İ</h3><p>שלום: 1</p>",
        )
    )
    assert table.columns == ("title", "שלום")
    assert [row[1] for row in table.rows()] == ["5", "7", "1"]


def test_no_records() -> None:
    table = table_of("<p>nothing</p>", "li")
    assert (table.columns, table.rows(), table.cells) == ((), [], [])
    assert table.to_csv() == "\n"
    assert table.to_markdown() == ""


def test_records_without_values() -> None:
    table = table_of(items("", "<br>", "<img>"))
    assert table.rows() == [[], [], []]
    assert table.to_dicts() == [{}, {}, {}]


# Formats ----------------------------------------------------------------------------------------


def test_csv() -> None:
    table = table_of(items('<b>a, "b"</b><i>=1+1</i>', "<b>c</b><i>-5</i>", "<b>@x</b>"))
    assert table.to_csv() == 'text,text_2\n"a, ""b""",=1+1\nc,-5\n@x,\n'
    assert table.to_csv(safe=True) == 'text,text_2\n"a, ""b""",\'=1+1\nc,-5\n\'@x,\n'


def test_markdown() -> None:
    table = table_of(items("<b>a | b</b><i>&lt;x></i>", "<b>c</b>"))
    assert table.to_markdown() == (
        "| text | text_2 |\n| --- | --- |\n| a \\| b | &lt;x> |\n| c |  |\n"
    )


def test_plain_data() -> None:
    table = table_of(items("<b class=name>a</b>", "<b class=name>b</b>"))
    data = json.loads(json.dumps(table.to_dict()))
    assert data["records"] == [{"name": "a"}, {"name": "b"}]
    assert data["columns"][0]["kind"] == "text"
    assert data["columns"][0]["source"] == "class"
    assert data["xpath"] == "/html/body"
    assert (data["score"], data["reason"]) == (1.0, "made by hand")


def test_a_column_is_its_name() -> None:
    column = Column("price", "price", "class", "b", ".//b")
    for same in (column, pickle.loads(pickle.dumps(column)), copy.deepcopy(column)):
        assert same == "price"
        assert isinstance(same, Column)
        assert same.to_dict() == column.to_dict()
    assert json.dumps({column: 1}) == '{"price": 1}'


def test_prose_is_one_value_however_it_is_marked_up() -> None:
    long = " ".join(f"word{number}" for number in range(20))
    bodies = [
        f"<p>{long}</p><p>And a <b>second</b> paragraph.</p>",
        f"<p>{long}</p><ul><li>one</li><li>two</li></ul><p>{long}</p>",
        f"<blockquote><p>As said before.</p></blockquote><p>{long}</p>",
        f"<p>{long}</p><pre>code()</pre>",
    ]
    posts = "".join(
        f"<li class=e><a href='/u/{number}'>Person {number}</a><div class=post>{body}</div></li>"
        for number, body in enumerate(bodies)
    )
    table = table_of(f"<body><ol>{posts}</ol></body>", "li.e")
    assert table.columns == ("title", "title_url", "post")
    assert [row[2] for row in table.rows()] == [
        f"{long} And a second paragraph.",
        f"{long} one two {long}",
        f"As said before. {long}",
        f"{long} code()",
    ]
    assert table.columns[2].css == "div.post"


def test_of_links_in_links_the_inner_one_is_the_value() -> None:
    html = "<a>One</a><a>Two<svg><foreignObject><a href=out><table><a href=in>"
    (table,) = joeira.find_records(html, "mdr")
    assert table.rows() == [["One", None], ["Two", "in"]]
