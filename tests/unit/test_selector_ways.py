"""Selectors of columns whose values need more than a tag or a class to be told apart."""

from parsel import Selector

from support.lists import items, table_of


def values(html: str, css: str, column_css: str | None) -> list[str]:
    assert column_css is not None
    records = Selector(text=html).css(css)
    return ["".join(record.css(column_css).css("::text").getall()) for record in records]


def test_a_place_counted_from_the_last_sibling() -> None:
    html = items(*("<p>" + "<i>x</i>" * (n % 3) + f"<b>n{n}</b><b>m{n}</b></p>" for n in range(6)))
    html = html.replace("<i>x</i>", "<b class=new>new</b>")
    table = table_of(html)
    (column,) = [c for c in table.columns if table.to_dicts()[0][c] == "m0"]
    assert "last" in (column.css or "")
    assert "last()" in (column.xpath or "")
    assert values(html, "li", column.css) == [f"m{n}" for n in range(6)]


def test_one_column_with_two_places() -> None:
    plain = "<div class=a><h3>Tea {0}</h3><p class=price>$ {0}</p></div>"
    reduced = "<div class=a><h3>Tea {0}</h3><div class=sale><p class=price>$ {0}</p></div></div>"
    html = items(*((reduced if n % 3 else plain).format(n) for n in range(1, 8)))
    table = table_of(html)
    (column,) = [c for c in table.columns if c == "price"]
    assert values(html, "li", column.css) == [f"$ {n}" for n in range(1, 8)]


def test_a_stranger_among_the_records_does_not_pull_columns_apart() -> None:
    entries = [f"<h3>Tea {n}</h3><p class=maker>M{n}</p>" for n in range(6)]
    stranger = "<table>" + "<tr><td>a<td>b<td>c<td>d</tr>" * 12 + "</table>"
    table = table_of(items(*entries[:3], stranger, *entries[3:]))
    rows = [row for row in table.to_dicts() if row["maker"]]
    assert [row["title"] for row in rows] == [f"Tea {n}" for n in range(6)]


def test_records_of_several_classes_have_the_same_columns() -> None:
    item = "<li class={1}><b>t{0}</b>{2}<u>p{0}</u></li>"
    html = "".join(
        item.format(n, "odd" if n % 2 else "even", "<i>new</i>" * (n == 3)) for n in range(6)
    )
    table = table_of(f"<ul>{html}</ul>")
    assert len(table.columns) == 3
    assert [row[0] for row in table.rows()] == [f"t{n}" for n in range(6)]


def test_a_column_that_is_a_whole_record_here_and_a_part_there() -> None:
    line = '<span class="nav-line-2">{}<span></span></span>'
    html = f"<div><a><span></span>{line.format('Orders')}</a>{line.format('Cart')}</div>"
    table = table_of(html, "div > *")
    assert {"Cart", "Orders"} <= {value for row in table.rows() for value in row}
