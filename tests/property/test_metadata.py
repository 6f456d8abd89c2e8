"""Metadata of any page: nothing raises, and what is said to be at an XPath is there."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from urllib.parse import urljoin

import lxml.html
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.metadata import Metadata, about, dates, language, structured, title
from joeira.metadata.statements import Meta, Statements
from support.examples import EXAMPLES

names = st.sampled_from(
    "author og:title dc.creator article:published_time description og:site_name date".split()
)
values = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["Ann Lee", "By Ann Lee and Bo Ek", "2024-05-06", "Ice | Courier", "Courier"]),
)
data = st.recursive(
    st.none() | st.booleans() | st.integers() | values,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "@type @id @graph author name headline datePublished url image".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def pages(draw: st.DrawFn) -> str:
    metas = draw(st.lists(st.tuples(names, values), max_size=5))
    head = "".join(f'<meta name="{name}" content="{escaped(v)}">' for name, v in metas)
    script = json.dumps(draw(data)).replace("<", "\\u003c")
    head += f"<script type='application/ld+json'>{script}</script>"
    blocks = draw(
        st.lists(st.tuples(st.sampled_from(["h1", "p", "time", "a"]), values), max_size=5)
    )
    body = "".join(
        f"<{tag} class=byline rel=author itemscope itemprop=author>{escaped(text)}</{tag}>"
        for tag, text in blocks
    )
    return f"<html><head>{head}</head><body>{body}</body></html>"


@EXAMPLES
@given(pages())
def test_any_statements_are_read(source: str) -> None:
    found = Metadata(joeira.parse(source, "https://e.org/2024/05/06/x"))
    json.dumps(found.to_dict(), ensure_ascii=False).encode()
    tree = lxml.html.document_fromstring(source.encode(), lxml.html.HTMLParser(encoding="utf-8"))
    for field in found.sourced_fields:
        candidates = found.candidates(field)
        assert [c.confidence for c in candidates] == sorted(
            (c.confidence for c in candidates), reverse=True
        )
        for candidate in candidates:
            assert candidate.value
            assert 0 <= candidate.confidence <= 1
            if candidate.source in ("opengraph", "dublin-core", "meta"):
                assert candidate.xpath is not None
                (element,) = tree.xpath(candidate.xpath)
                assert element.get("name") == candidate.key
            if candidate.source == "heading":
                (element,) = tree.xpath(candidate.xpath)
                assert element.tag == candidate.key


prices = st.one_of(
    st.text(max_size=30),
    st.floats().map(str),
    st.decimals().map(str),
    st.from_regex(r"[€$£]? ?[0-9]{1,9}([., '’][0-9]{2,3}){0,3} ?(€|kr|zł|EUR)?", fullmatch=True),
)


@EXAMPLES
@given(prices, prices)
def test_prices_are_decimal_numbers(stated: str, shown: str) -> None:
    """Whatever a page states or shows, a price is a number that `Decimal` takes, or nothing."""
    offer = {"@type": "Offer", "price": stated, "priceCurrency": shown}
    thing = {"@type": "Product", "name": "Seeds", "offers": [offer], "sku": shown}
    script = json.dumps(thing).replace("<", "\\u003c")
    source = f"""<script type='application/ld+json'>{script}</script><h1>Seeds</h1>
    <del class=old-price>{escaped(stated)}</del><b class=price>{escaped(shown)}</b>"""
    product = Metadata(joeira.parse(source, "https://e.org/p/123456")).product
    assert product is not None
    for name in ("price", "old_price"):
        for candidate in product.candidates(name):
            number = Decimal(str(candidate.value))
            assert number.is_finite()
            assert number > 0
            assert str(candidate.value).isascii()
    assert product.currency is None or re.fullmatch(r"[A-Z]{3}", product.currency)


sections = st.sampled_from(
    [
        "div",
        "div class=comments",
        "section id=Reviews",
        "div itemscope itemtype='https://schema.org/Comment'",
        "p itemprop=comment",
        "h1",
        "h1 style='display:none'",
        "p class='author date'",
        "p class=author-name",
        "p class=byline",
    ]
)
sayings = st.sampled_from(
    [
        "", "<time datetime=2024-05-06></time>", "By Ann Lee", "Bo Ek", "5 May 2024", "7 May 2024",
        "Updated 8 May 2024", "<time datetime=2024-05-07>updated</time>", "by Cy Oak", "ANN LEE",
        "an old ice house by the lake", "<script></script>",
    ]
)  # fmt: skip


@st.composite
def discussed_pages(draw: st.DrawFn) -> str:
    opened = draw(st.lists(st.tuples(sections, sayings, st.booleans()), max_size=12))
    body = "".join(
        f"<{section}>{said}{f'</{section.split()[0]}>' if closed else ''}"
        for section, said, closed in opened
    )
    head = draw(st.sampled_from(["", "<title>Ice house</title>", "<title>Bo Ek</title>"]))
    kind = draw(st.sampled_from(["Article", "Product"]))
    data = json.dumps({"@type": kind, "author": "Ann Lee", "datePublished": "2024-05-05"})
    script = draw(st.sampled_from(["", f"<script type='application/ld+json'>{data}</script>"]))
    return f"<html><head>{head}</head><body>{body}{script}</body></html>"


@EXAMPLES
@given(st.one_of(pages(), discussed_pages()))
def test_a_value_is_that_of_the_best_candidate(source: str) -> None:
    page = joeira.parse(source, "https://e.org/x")
    for pagetype in (None, ("product", 0.9)):
        known = Metadata(page, pagetype=pagetype)
        for field in known.sourced_fields:
            best = next((each.value for each in known.candidates(field)), None)
            assert Metadata(page, pagetype=pagetype)._best(field) == best


@EXAMPLES
@given(discussed_pages())
def test_what_readers_wrote_is_known_of_few_rows_as_of_all(html: str) -> None:
    page = joeira.parse(html)
    theirs = Statements(page).is_by_readers.tolist()
    for row in range(len(page)):
        assert Statements(page).are_by_readers([row]) == [theirs[row]]


SEPARATORS = re.compile(
    r"\s+[|\-–—·•»«:/~>]+\s+"  # a mark between spaces
    r"|\s*[|｜]\s*|\s*_\s*|\s*[：]\s*"  # a mark that needs none
    r"|\s+[-–—](?=\S)"  # a dash at the beginning of a word
    r"|(?<=[^\x00-\u2e7f])[-–—](?=[^\x00-\u2e7f])"  # or between letters of scripts without spaces
)


@EXAMPLES
@given(st.text(alphabet=" \t\u3000|｜_：:–—-»/a中文", max_size=20))
def test_titles_are_taken_apart_at_each_kind_of_separator(text: str) -> None:
    found = [text[start:stop] for start, stop, _ in title._parts(text)]
    assert found == [part for part in SEPARATORS.split(text) if part]


@EXAMPLES
@given(st.text(st.characters(max_codepoint=127)))
def test_titles_are_the_same_if_their_words_are(text: str) -> None:
    words = re.findall("[a-z0-9]+", text.lower())
    assert title.same(text) == (" ".join(words) or text.lower().strip())


_AROUND = ("<!--", "-->", "//", "<![CDATA[", "]]>", "/* x */", ";", " ", "\n", "\ufeff", "{}", "x")


@given(st.lists(st.sampled_from(_AROUND), max_size=7).map("".join))
def test_what_is_around_data_is_found_where_it_may_be(source: str) -> None:
    stripped = structured._WRAPPING.sub("", structured._WRAPPING.sub("", source.strip())).strip()
    assert structured._unwrapped(source.strip()) == stripped


def test_no_statement_of_the_language_is_trusted_more_than_its_source() -> None:
    highest: dict[str, float] = {}
    for name, confidence in language._METAS.items():
        source = Meta(name, "en", 0).source
        highest[source] = max(confidence, highest.get(source, 0.0))
    items = dict.fromkeys(("json-ld", "microdata", "rdfa"), 0.75)
    assert {**items, **highest} == language._ELSEWHERE


@given(st.lists(st.sampled_from(("en", "de", "pt-BR", "", "x")), min_size=5, max_size=5))
def test_the_language_is_the_best_candidate(codes: list[str]) -> None:
    text = "The house that was built on the hill is one of the oldest in the town. " * 3
    html = (
        f'<html lang="{codes[0]}"><meta property=og:locale content="{codes[1]}">'
        f'<meta name=citation_language content="{codes[2]}"><meta name=language content=de>'
        f'<script type=application/ld+json>{{"@type":"Article","inLanguage":"{codes[3]}"}}</script>'
        f'<body lang="{codes[4]}"><p>{text}'
    )
    quick, whole = (joeira.extract(html, "all_text").metadata for _ in range(2))
    assert quick.language == whole.candidates("language")[0].value == whole.language


_OF_DATES = st.sampled_from((*"2021 2022 20210304 3 04 13 March May by , - / . é".split(), " "))


@given(st.lists(_OF_DATES, max_size=9).map("".join), st.booleans())
def test_the_first_date_is_found_whatever_form_is_searched_for_first(
    text: str, month_first: bool
) -> None:
    days = [
        (match.start(), order, day)
        for order, form in enumerate(dates._FORMS)
        for match in form.finditer(text)
        if (day := dates._day_of(match, month_first))
    ]
    first = min(days)[2] if days else dates._day_of_seconds(text)
    assert dates.first_day(text, month_first=month_first) == first


_OF_ADDRESSES = st.lists(st.sampled_from("a .. : = & ; ? # // / % é @ , ( [ ~ + http:".split()))


@given(_OF_ADDRESSES.map("".join), st.sampled_from(("http://b.org/c/d", "https://a.b/e;f?g", None)))
def test_addresses_in_full_are_not_changed(rest: str, base: str | None) -> None:
    address = f"https://a.org/{rest}"
    assert not about._IN_FULL.fullmatch(address) or urljoin(base or "", address) == address
