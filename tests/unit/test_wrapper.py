"""Wrappers: learned from a page, they read the list of other pages, and notice when it changes."""

from __future__ import annotations

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import joeira
from joeira.errors import InputError, OutputError, UsageError
from joeira.records import Wrapper, WrapperColumn
from support.command_line import EXAMPLES

URL = "https://shop.example/list"
LISTING = (EXAMPLES / "listing.html").read_bytes()
NAMES = ("Kettle", "Teapot", "Mug", "Spoon", "Tray", "Sieve", "Whisk", "Ladle")


def item(name: str, price: str | None) -> str:
    cost = f"<p class=price>Price: {price} €</p>" if price else ""
    return (
        f"<li class=product><h3><a href='/p/{name.lower()}'>{name}</a></h3>"
        f"<img src='/i/{name.lower()}.jpg'>{cost}<p class=about>A fine {name.lower()}, "
        "as good as any.</p></li>"
    )


def shop(names: tuple[str, ...], *, price: str = "5.00", list_class: str = "products") -> str:
    items = "".join(item(name, f"{n}{price}") for n, name in enumerate(names, 1))
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("home", "shop", "help"))
    return (
        f"<body><ul class=menu>{menu}</ul><main><h1>Kitchen</h1>"
        f"<ul class={list_class}>{items}</ul></main></body>"
    )


def table_of(html: str) -> joeira.RecordTable:
    return joeira.find_records(html, url=URL, min_presence=0.0)[0]


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return joeira.learn_records(joeira.parse(shop(NAMES), URL))


# Reading ----------------------------------------------------------------------------------------


def test_same_page_gives_the_same_rows() -> None:
    page = joeira.parse(LISTING, "https://soalheiro.example.com/comprar")
    table = joeira.find_records(page)[0]
    (again,) = table.wrapper().extract(page)
    kinds = {str(column): column.kind for column in table.columns if column != "other"}
    assert {str(column): column.kind for column in again.columns} == kinds
    assert again.to_dicts() == [{name: row[name] for name in kinds} for row in table.to_dicts()]
    assert [record.text for record in again.records] == [record.text for record in table.records]


def test_next_page_has_the_same_columns(wrapper: Wrapper) -> None:
    records = wrapper.extract(shop(("Bowl", "Jug"), price="7.50"), url=URL)
    assert records.method == "wrapper"
    first, second = records[0].to_dicts()
    assert first["title"] == "Bowl"
    assert "https://shop.example/p/jug" in second.values()
    assert records[0].columns == tuple(column.name for column in wrapper.columns)


def test_label_is_no_part_of_the_value(wrapper: Wrapper) -> None:
    (row, *_) = wrapper.extract(shop(("Bowl",)), url=URL)[0].rows()
    assert "15.00 €" in row
    assert not any(value and value.startswith("Price") for value in row)


def test_one_record_is_enough_and_other_lists_are_not_taken(wrapper: Wrapper) -> None:
    (table,) = wrapper.extract(shop(("Bowl",)))
    assert len(table) == 1


def test_page_without_the_list_gives_nothing_and_says_so(wrapper: Wrapper) -> None:
    records = wrapper.extract("<p>Closed today.")
    assert not records
    assert "wrapper" in records.reason


def test_second_choice_is_taken_where_the_first_finds_nothing() -> None:
    read = Wrapper(("//ol/li", "//ul/li"), (WrapperColumn("name", "text", "."),))
    (table,) = read.extract("<ul><li>a<li>b</ul>")
    assert table.rows() == [["a"], ["b"]]


def test_records_that_are_runs_of_siblings() -> None:
    def terms(*words: str) -> str:
        inner = "".join(f"<dt><b>{w}</b></dt><dd>What {w} means, at length.</dd>" for w in words)
        return f"<h1>Words</h1><dl>{inner}</dl>"

    table = table_of(terms("alpha", "beta", "gamma", "delta"))
    assert len(table) == 4
    read = table.wrapper()
    (again,) = read.extract(terms("one", "two"))
    assert again.rows()[1] == ["two", "What two means, at length."]
    assert again.records[0].text == "one What one means, at length."


def test_inner_record_of_a_record_is_none() -> None:
    read = Wrapper(("//li",), (WrapperColumn("name", "text", "./b"),))
    (table,) = read.extract("<ul><li><b>a</b><ul><li><b>inner</b></ul><li><b>c</b></ul>")
    assert table.rows() == [["a"], ["c"]]


def test_values_of_several_places_and_lists() -> None:
    columns = (
        WrapperColumn("tags", "text", ".//i", separator=" | "),
        WrapperColumn("name", "text", "./h2 | ./h3"),
        WrapperColumn("second", "text", "./p/text()[normalize-space()][2]"),
        WrapperColumn("link", "link", ".//a/@href"),
    )
    html = (
        "<div><h3>x</h3><i>a</i><i> </i><i>b</i><p>one<br>two</p><a href=#top>-</a><a href=/y>y</a>"
    )
    (table,) = Wrapper(("//div",), columns).extract(html, url="https://a.example/b")
    assert table.rows() == [["a | b", "x", "two", "https://a.example/y"]]


def test_dangerous_addresses_are_no_values() -> None:
    read = Wrapper(("//p",), (WrapperColumn("link", "link", "./a/@href"),))
    (table,) = read.extract("<p><a href='javascript:alert(1)'>x</a>")
    assert table.rows() == [[None]]


# Learning ---------------------------------------------------------------------------------------


def test_several_pages_outvote_what_one_page_alone_has() -> None:
    pages = [joeira.parse(shop(NAMES[n:], list_class=f"products p{n}34"), URL) for n in range(3)]
    wrapper = joeira.learn_records(pages)
    assert wrapper.pages == 3
    assert wrapper.counts == (6, 8)
    assert "34" not in "".join(wrapper.xpaths)


def test_names_with_numbers_are_avoided() -> None:
    html = shop(NAMES).replace("<ul class=products>", "<ul id=list-48213 class=products>")
    assert "48213" not in joeira.learn_records(html).xpaths[0]


def test_examples_choose_list_and_columns() -> None:
    read = joeira.learn_records(shop(NAMES), ["Teapot", "25.00 €"])
    assert len(read.columns) == 2
    rows = read.extract(shop(("Bowl", "Jug")))[0].rows()
    assert rows == [["Bowl", "15.00 €"], ["Jug", "25.00 €"]]


def test_examples_can_name_columns() -> None:
    read = joeira.learn_records(shop(NAMES), {"what": "Mug", "text": "A fine mug, as good as any."})
    assert read.extract(shop(("Bowl",)))[0].to_dicts() == [
        {"what": "Bowl", "text": "A fine bowl, as good as any."}
    ]


def test_examples_find_a_list_that_is_not_the_best() -> None:
    read = joeira.learn_records(shop(NAMES), ["help"])
    assert read.extract(shop(NAMES))[0].rows() == [["home"], ["shop"], ["help"]]


def test_examples_of_one_column_make_one_column() -> None:
    read = joeira.learn_records(shop(NAMES), ["Teapot", "Mug"])
    assert [len(row) for row in read.extract(shop(NAMES))[0].rows()] == [1] * len(NAMES)


@pytest.mark.parametrize(
    "examples, words",
    [(["Sofa"], "Sofa"), ([""], "examples are texts"), ([3], "examples are texts")],
)
def test_examples_that_are_none(examples: list[Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        joeira.learn_records(shop(NAMES), examples)


@pytest.mark.parametrize("pages", [[], "", "<p>Nothing repeats.", "plain text"])
def test_nothing_to_learn_from(pages: Any) -> None:
    with pytest.raises(UsageError):
        joeira.learn_records(pages)


# Checks -----------------------------------------------------------------------------------------


def test_check_holds_on_like_pages(wrapper: Wrapper) -> None:
    check = wrapper.check(shop(tuple(reversed(NAMES)), price="9.99"))
    assert not check.changed
    assert check.records == len(NAMES)
    assert str(check) == "the wrapper still fits (8 records)"
    assert set(check.filled.values()) == {1.0}


@pytest.mark.parametrize(
    "html, words",
    [
        ("<p>Moved", "find no records"),
        (shop(NAMES[:1]), "1 records, but there were at least 8"),
        (shop(NAMES).replace("class=price", "class=cost"), "0% of the records have a value"),
        (shop(NAMES, price=" please ask").replace("Price:", "Price: if"), "no longer of kind"),
    ],
)
def test_check_tells_what_changed(wrapper: Wrapper, html: str, words: str) -> None:
    check = wrapper.check(html)
    assert check.changed
    assert words in str(check)


# Storage ----------------------------------------------------------------------------------------


def test_saved_and_loaded(wrapper: Wrapper, tmp_path: Path) -> None:
    path = tmp_path / "wrapper.json"
    wrapper.save(path)
    assert joeira.load_records(path) == wrapper
    assert path.stat().st_size < 10_000
    assert pickle.loads(pickle.dumps(wrapper)) == wrapper  # as batches send it to workers


def test_cannot_be_saved_into_nothing(wrapper: Wrapper, tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        wrapper.save(tmp_path / "no" / "wrapper.json")


def change(data: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(data))
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return changed


@pytest.mark.parametrize(
    "path, to, words",
    [
        (("format",), "other", "not a wrapper"),
        (("version",), 99, "version 99"),
        (("records",), [], "needs records and columns"),
        (("records", "xpath"), [], "needs an XPath"),
        (("records", "xpath"), ["//["], "cannot be read"),
        (("records", "xpath"), [3], "list of XPaths"),
        (("records", "css"), 3, "CSS"),
        (("records", "siblings"), 0, "whole numbers"),
        (("records", "least"), True, "whole numbers"),
        (("columns", 0), "title", "a column is an object"),
        (("columns", 0, "xpath"), "", "needs a xpath"),
        (("columns", 0, "kind"), "music", "not a kind of column"),
        (("columns", 0, "filled"), 7, "from 0 to 1"),
        (("columns", 0, "prefix"), 7, "are texts"),
        (("columns", 1, "name"), "title", "different names"),
    ],
)
def test_damaged_files_are_refused(
    wrapper: Wrapper, tmp_path: Path, path: tuple[Any, ...], to: Any, words: str
) -> None:
    data = wrapper.to_dict()
    names = [column["name"] for column in data["columns"]]
    data["columns"].sort(key=lambda column: column["name"] != "title")
    assert "title" in names
    file = tmp_path / "wrapper.json"
    file.write_text(json.dumps(change(data, *path, to=to)))
    with pytest.raises(InputError, match=words) as caught:
        joeira.load_records(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\ud800"])
def test_what_is_no_wrapper(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrapper.json"
    file.write_text(text, "utf-8", errors="surrogatepass")
    with pytest.raises(InputError, match="not a wrapper"):
        joeira.load_records(file)
    with pytest.raises(InputError):
        joeira.load_records(tmp_path / "missing.json")


# Programs ---------------------------------------------------------------------------------------

PAGES = {
    "shop": (shop(NAMES), URL),
    "listing": (LISTING.decode(), "https://soalheiro.example.com/comprar"),
    "table": (
        "<table class=t><tr><th>Town<th>People"
        + "".join(f"<tr><td>Town {n}</td><td>{n}5,000</td></tr>" for n in range(1, 9))
        + "</table>",
        URL,
    ),
    "spaces": (
        "<ul>"
        + "".join(
            f"<li class=x><p><b>W</b><i>ord</i> {n}</p><p>un<span>believ{n}</span>able</p>"
            f"<div><span>Price</span><span>{n}</span></div><em>a<br>b{n}</em></li>"
            for n in range(6)
        )
        + "</ul>",
        URL,
    ),
}


def module(wrapper: Wrapper, target: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "scraper"}
    exec(compile(wrapper.to_python(target, "Shop"), "scraper.py", "exec"), names)
    return names


def rows_by_parsel(names: dict[str, Any], html: str, url: str) -> list[dict[str, str | None]]:
    rows: list[dict[str, str | None]] = names["Shop"](html, url).rows()
    return rows


def rows_by_scrapy(names: dict[str, Any], html: str, url: str) -> list[dict[str, str | None]]:
    from scrapy.http import HtmlResponse

    response = HtmlResponse(url, body=html.encode(), encoding="utf-8")
    spider = names["Shop"](url=url)
    assert spider.start_urls == [url]
    return list(spider.parse(response))


def rows_by_web_poet(names: dict[str, Any], html: str, url: str) -> list[dict[str, str | None]]:
    from web_poet import HttpResponse

    page = names["Shop"](HttpResponse(url, html.encode(), encoding="utf-8"))
    assert asyncio.run(page.to_item()) == {"records": page.records}
    rows: list[dict[str, str | None]] = page.records
    return rows


READERS = {"parsel": rows_by_parsel, "scrapy": rows_by_scrapy, "web-poet": rows_by_web_poet}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("target", READERS)
def test_programs_give_the_same_rows(target: str, name: str) -> None:
    pytest.importorskip(target.replace("-", "_"))
    html, url = PAGES[name]
    page = joeira.parse(html, url)
    wrapper = joeira.learn_records(page)
    assert "joeira" not in wrapper.to_python(target).lower().split('"""', 2)[2]
    rows = READERS[target](module(wrapper, target), html, url)
    assert rows == wrapper.extract(page)[0].to_dicts()
    assert rows


def test_programs_with_bad_names(wrapper: Wrapper) -> None:
    with pytest.raises(UsageError, match="no export 'perl'"):
        wrapper.to_python("perl")
    for name in ("", "a b", "class", "x: pass\nimport os", "é"):
        with pytest.raises(UsageError, match="not a valid class name"):
            wrapper.to_python("parsel", name)
