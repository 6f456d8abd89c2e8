"""What the selectors of columns find in parsel is what the cells say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import joeira
from support.command_line import EXAMPLES as PAGES
from support.examples import EXAMPLES
from support.lists import URL, table_of
from support.scraping import agreements

_words = st.text("abcdefgh ", min_size=1, max_size=12).filter(str.strip)
_fields = (
    "<h3><a href='/p/{0}'>{0}</a></h3>",
    "<span class=price>{0}</span>",
    "<span class='price old'>{0}</span>",
    "<p>by <b>{0}</b></p>",
    "<div class=box><p>{0}</p><p>{0} too</p></div>",
    "<img src='{0}.png'>",
    "<em itemprop=brand>{0}</em>",
    "<a class=more href='/more/{0}'>more</a>",
    "{0}<br>",
)


@st.composite
def lists(draw: st.DrawFn) -> str:
    """Lists whose records have the same fields, some of them optional, and a twin elsewhere."""
    fields = draw(st.lists(st.sampled_from(_fields), min_size=1, max_size=6, unique=True))
    optional = draw(st.lists(st.booleans(), min_size=len(fields), max_size=len(fields)))
    items = []
    for _ in range(draw(st.integers(2, 6))):
        kept = [
            field.format(draw(_words).strip())
            for field, may_miss in zip(fields, optional, strict=True)
            if not (may_miss and draw(st.booleans()))
        ]
        items.append(f"<li class='item{draw(st.sampled_from(('', ' odd')))}'>{''.join(kept)}</li>")
    return (
        "<html><body><ul class=menu><li>Home</li><li>About</li></ul>"
        f"<ul class=list>{''.join(items)}</ul></body></html>"
    )


@EXAMPLES
@given(lists())
def test_lists(html: str) -> None:
    table = table_of(html, "li.item")
    assert table.record_css == "li.item"
    wrong = [found for found in agreements(table, html) if not found.exact]
    assert not wrong


def test_every_column_of_the_example_has_selectors() -> None:
    html = (PAGES / "listing.html").read_text("utf-8")
    table = table_of(joeira.parse(html, URL), "li.anuncio")
    found = list(agreements(table, html))
    assert len(found) == 2 * len(table.columns)
    assert all(agreement.exact for agreement in found)
