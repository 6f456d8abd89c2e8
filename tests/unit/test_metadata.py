"""Metadata: each source, contradictions between sources, provenance, and hostile statements."""

from __future__ import annotations

import json
import sys
import time

import pytest

import joeira
from joeira.errors import UsageError
from joeira.metadata import FIELDS, Candidate, Metadata, language

URL = "https://www.courier.example.org/2024/05/06/story"


def read(head: str = "", body: str = "<p>text", url: str | None = None) -> Metadata:
    return Metadata(joeira.parse(f"<html><head>{head}</head><body>{body}</body></html>", url))


def json_ld(data: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(data)}</script>"


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "Ice house opens",
    "author": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bo Ek"}],
    "datePublished": "2024-05-06T23:30:00-05:00",
    "dateModified": "2024-05-08",
    "publisher": {"@type": "Organization", "name": "The Courier"},
    "description": "An ice house.",
    "image": {"@type": "ImageObject", "url": "/ice.jpg"},
    "keywords": "ice, seeds",
    "articleSection": "Town",
    "inLanguage": "pt-BR",
    "license": "https://creativecommons.org/licenses/by-sa/4.0/",
}


def test_json_ld_tells_everything() -> None:
    found = read(json_ld(ARTICLE), url=URL)
    assert found.title == "Ice house opens"
    assert found.authors == ("Ann Lee", "Bo Ek")
    assert found.author == "Ann Lee; Bo Ek"
    assert found.date == "2024-05-06"  # as written: no time zone moves it
    assert found.modified == "2024-05-08"
    assert found.sitename == "The Courier"
    assert found.description == "An ice house."
    assert found.image == "https://www.courier.example.org/ice.jpg"
    assert found.tags == ("ice", "seeds")
    assert found.categories == ("Town",)
    assert found.language == "pt"
    assert found.license == "CC BY-SA 4.0"
    assert found.pagetype == "article"
    assert found.hostname == "www.courier.example.org"


def test_json_ld_references_graphs_and_repairs() -> None:
    graph = {
        "@graph": [
            {"@type": "Article", "headline": "T", "author": {"@id": "#a"}},
            {"@type": "Person", "@id": "#a", "name": "Ann Lee"},
        ]
    }
    assert read(json_ld(graph)).author == "Ann Lee"
    broken = '<!-- {"@type": "Article", "author": "Ann\nLee",} -->'
    script = f"<script type=application/ld+json>{broken}</script>"
    assert read(script).author == "Ann Lee"


def test_microdata() -> None:
    body = """<div itemscope itemtype="https://schema.org/BlogPosting">
      <h2 itemprop=headline>Seeds</h2>
      <span itemprop=author itemscope itemtype="https://schema.org/Person">
        <b itemprop=name>Ann Lee</b></span>
      <time itemprop=datePublished datetime=2024-05-06>May</time>"""
    found = read(body=body)
    assert (found.title, found.author, found.date) == ("Seeds", "Ann Lee", "2024-05-06")


def test_rdfa() -> None:
    body = """<div vocab="https://schema.org/" typeof=Article><b property=headline>Seeds</b>
      <i property=author>Ann Lee</i><i property=datePublished content=2024-05-06>May</i></div>"""
    found = read(body=body)
    assert (found.title, found.author, found.date) == ("Seeds", "Ann Lee", "2024-05-06")


@pytest.mark.parametrize(
    "name, content, field, value",
    [
        ("og:title", "Seeds", "title", "Seeds"),
        ("citation_title", "Seeds", "title", "Seeds"),
        ("dc.creator", "Lee, Ann", "author", "Ann Lee"),
        ("parsely-author", "Ann Lee and Bo Ek", "author", "Ann Lee; Bo Ek"),
        ("author", "By Ann Lee", "author", "Ann Lee"),
        ("article:author", "https://facebook.com/courier", "author", None),
        ("article:published_time", "2024-05-06T10:00Z", "date", "2024-05-06"),
        ("citation_publication_date", "2024/5/6", "date", "2024-05-06"),
        ("og:updated_time", "2024-05-08", "modified", "2024-05-08"),
        ("og:site_name", "The Courier", "sitename", "The Courier"),
        ("og:locale", "fr_FR", "language", "fr"),
        ("description", "Of seeds.", "description", "Of seeds."),
        ("twitter:image", "https://e.org/i.png", "image", "https://e.org/i.png"),
        ("og:image", "javascript:alert(1)", "image", None),
        ("og:type", "Article", "pagetype", "article"),
        ("og:url", "https://e.org/a", "url", "https://e.org/a"),
    ],
)
def test_meta_elements(name: str, content: str, field: str, value: str | None) -> None:
    assert getattr(read(meta(name, content)), field) == value


def test_links() -> None:
    head = """<link rel=canonical href=/c><link rel=license href=/terms>
      <link rel=alternate type=application/rss+xml href=/feed>
      <link rel=alternate type=text/html href=/print>"""
    found = read(head, "<a rel=author>Ann Lee</a> <a rel=tag>ice</a> <a rel=tag>seeds</a>", URL)
    assert found.url == "https://www.courier.example.org/c"
    assert found.feeds == ("https://www.courier.example.org/feed",)
    assert found.author == "Ann Lee"
    assert found.tags == ("ice", "seeds")


@pytest.mark.parametrize(
    "title, expected",
    [
        ("Ice house opens | The Courier", "Ice house opens"),
        ("The Courier - Ice house opens", "Ice house opens"),
        ("Ice house opens – courier.example.org", "Ice house opens"),
        ("Ice - and seeds - The Courier", "Ice - and seeds"),
    ],
)
def test_the_name_of_the_site_is_taken_off_the_title(title: str, expected: str) -> None:
    head = f"<title>{title}</title>{meta('og:site_name', 'The Courier')}"
    assert read(head, url=URL).title == expected


def test_a_heading_that_agrees_with_the_title_beats_one_that_does_not() -> None:
    body = "<h1>The Courier</h1><h1>Ice house opens</h1>"
    assert read("<title>Ice house opens - Town</title>", body).title == "Ice house opens"


def test_two_sources_that_agree_beat_one() -> None:
    head = meta("article:published_time", "2024-05-06") + meta("parsely-pub-date", "2024-05-06")
    found = read(head + json_ld({"@type": "Article", "datePublished": "2024-01-01"}))
    assert found.date == "2024-05-06"
    best, *others = found.candidates("date")
    assert best.confidence > max(other.confidence for other in others if other.value != best.value)


@pytest.mark.parametrize(
    "head, body, url, expected",
    [
        (  # a heading that names the site
            "<title>Was zum Hören</title><meta property=og:title content='Was zum Hören'>",
            "<h1>Zahlenzauberin</h1>",
            "https://zahlenzauberin.example.com/2012/08/22/",
            "Was zum Hören",
        ),
        (  # a headline that was rewritten: the address has the first one
            json_ld({"@type": "NewsArticle", "headline": "Unbekannte Städte werfen neues Licht"})
            + "<meta property=og:title content='Archäologen finden uralte Städte in Guatemala'>",
            "<h1>Archäologen finden uralte Städte in Guatemala</h1>",
            "https://e.org/a1/unbekannte-staedte-werfen-neues-licht",
            "Unbekannte Städte werfen neues Licht",
        ),
        (  # a dash within the title
            "<meta property=og:title content='Leudot talvet – näillä keinoilla torjut oireita'>"
            "<title>Leudot talvet – näillä keinoilla torjut oireita | Uutisia</title>",
            "<p>x",
            "https://e.org/3",
            "Leudot talvet – näillä keinoilla torjut oireita",
        ),
        (  # a section of the site
            "<title>Stipends are raised to 50,000 | News</title>",
            "<p>x",
            "https://e.org/3",
            "Stipends are raised to 50,000",
        ),
        (  # escaped twice
            "<title>Seeds &amp;amp; weeds</title>",
            "<p>x",
            None,
            "Seeds & weeds",
        ),
    ],
    ids=["site", "address", "dash", "section", "escaped"],
)
def test_titles_are_told_from_what_is_around_them(
    head: str, body: str, url: str | None, expected: str
) -> None:
    assert read(head, body, url).title == expected


REVIEWED = """<h1>Tarn lantern</h1><p class=price>£48.50</p><button>Add to basket</button>
<section class=reviews><div itemprop=review itemscope itemtype="https://schema.org/Review">
<span class=review-author itemprop=author>Ash Carter</span> <time datetime=2024-05-06>6 May</time>
<p>It is a very good lantern and I would buy it again.</p></div>
<div><span class=author>By Bo Ek</span> <time datetime=2024-05-07>7 May</time>
<p>It is rather heavy, but the light is warm.</p></div></section>"""


def test_a_reviewer_is_not_the_author_of_a_product() -> None:
    review = {"@type": "Review", "author": "Ann Lee", "datePublished": "2024-05-05"}
    head = json_ld({"@type": "Product", "name": "Tarn lantern", "review": [review]})
    for found in (read(head, REVIEWED), read("", REVIEWED)):
        assert (found.author, found.date) == (None, None)
    assert joeira.extract(f"<title>Tarn lantern</title>{REVIEWED}").metadata.author is None


def test_a_writer_of_teasers_is_not_the_author_of_a_list() -> None:
    teaser = (
        "<article><h2>Story</h2><p class=byline>By Ann {0}</p><time>2024-05-0{1}</time></article>"
    )
    names = ["Lee", "Ek", "Moe", "Ray", "Fox", "Hill"]
    teasers = [teaser.format(name, number) for number, name in enumerate(names, 1)]
    body = f"<h1>Headphones</h1>{''.join(teasers)}"
    page = joeira.parse(f"<body>{body}</body>")
    for kind in ("listing", "collection"):
        found = Metadata(page, pagetype=(kind, 0.9))
        assert (found.author, found.date) == (None, None)
    assert Metadata(page, pagetype=("article", 0.9)).author == "Ann Lee"
    stated = meta("author", "Bart Breij")
    listing = joeira.parse(f"<head>{stated}</head><body>{body}</body>")
    assert Metadata(listing, pagetype=("listing", 0.9)).author == "Bart Breij"


def test_a_comment_is_not_by_the_author() -> None:
    words = "<p>" + "The river left its bed and nobody had seen the like before. " * 30
    comment = (
        "<div class=comment><span class=comment-author>Who Who</span><p>So true, so true!</div>"
    )
    body = f"<h1>Rain</h1>{words}<div class=comments>{comment * 3}</div>"
    assert read("", body).author is None


def test_visible_byline_and_date() -> None:
    body = """<h1>Ice house</h1><p class=byline>By <a>Ann Lee</a> and <a>Bo Ek</a></p>
      <p>Published 6 May 2024</p><p>Ice, it was said in 2020-01-01, is cold.</p>"""
    found = read(body=body)
    assert found.authors == ("Ann Lee", "Bo Ek")
    assert found.date == "2024-05-06"


def test_bylines_and_dates_are_read_across_elements() -> None:
    found = read(body="<h1>Ice</h1><p><b> B</b>y <i>Ann</i> Lee<p>3<b>/4/</b>20<p>text")
    assert found.author == "Ann Lee"
    assert found.date == "2020-03-04"


def test_a_date_in_a_long_text_is_the_last_resort() -> None:
    long = f"<h1>Ice</h1><p>{'So it went on. ' * 20}It was 6 May 2024 by then."
    assert read(body=long.replace("<p>", "<p>On 6 May 2024: ")).date == "2024-05-06"
    assert read(body=f"{long}<p>Posted 8 May 2024").date == "2024-05-08"


def test_words_after_by_are_authors_only_if_they_look_like_a_name() -> None:
    for text, expected in {
        "By Ann Lee": ("Ann Lee",),
        "By Price": (),
        "by the end of this program": (),
        "\u4f5c\u8005\uff1a\u738b\u656c\u7167": ("\u738b\u656c\u7167",),
    }.items():
        assert read(body=f"<h1>Ice</h1><p>{text}</p><p>Ice is cold.</p>").authors == expected, text


def test_a_live_blog_is_as_old_as_itself_not_as_its_entries() -> None:
    entry = {"@type": "BlogPosting", "headline": "More", "datePublished": "2024-05-07"}
    live = {
        "@type": "LiveBlogPosting",
        "headline": "Ice, live",
        "datePublished": "2024-05-06",
        "liveBlogUpdate": [entry, entry],
    }
    body = "<h1>Ice, live</h1><p class=date><time datetime=2024-05-07>7 May 2024</time></p><p>More"
    stated = meta("article:published_time", "2024-05-07")
    assert read(stated + json_ld(live), body).date == "2024-05-06"
    assert read(json_ld({**live, "@type": "BlogPosting"}), body).date == "2024-05-07"
    del live["datePublished"]
    assert read(json_ld(live), body).date == "2024-05-07"


def test_date_in_the_address() -> None:
    found = read(url=URL)
    assert found.date == "2024-05-06"
    assert found.candidates("date")[0] == Candidate(
        "2024-05-06", "address", "url", None, found.candidates("date")[0].confidence
    )


def test_what_a_method_found_goes_first() -> None:
    page = joeira.parse("<title>Other</title><h1>Other</h1><p>x")
    found = Metadata(page, title="Mine", pagetype=("forum", 0.5))
    assert (found.title, found.pagetype) == ("Mine", "forum")


def test_every_field_has_a_value_of_its_type() -> None:
    for page in (read(json_ld(ARTICLE), url=URL), read(body=""), Metadata(joeira.parse(b""))):
        values = page.to_dict()
        assert tuple(values) == FIELDS
        assert json.loads(json.dumps(values)) == values


def test_unknown_field_is_misuse() -> None:
    with pytest.raises(UsageError, match="title"):
        read().candidates("colour")


def test_candidates_say_where_they_are() -> None:
    found = read("<title>Seeds</title>", "<h1>Seeds</h1>")
    places = {(c.source, c.xpath) for c in found.candidates("title")}
    assert places == {("title", "/html/head/title"), ("heading", "/html/body/h1")}


def test_nobody_pays_for_what_nobody_asks() -> None:
    content = joeira.extract("<h1>T</h1><p>x", "all_text")
    content.text()
    assert "metadata" not in vars(content)


@pytest.mark.parametrize(
    "head",
    [
        "<meta name=author content=x>" * 20_000,
        "<script type=application/ld+json>" + '{"author":' * 5_000 + "</script>",
        "<script type=application/ld+json>" + "[" * 100_000 + "</script>",
        "<script type=application/ld+json>"
        + json.dumps({"@graph": [ARTICLE] * 20_000})
        + "</script>",
        '<script type=application/ld+json>{"@type":{},"author":[[[[{"name":[{}]}]]]]}</script>',
        r'<script type=application/ld+json>{"@type":"Article","headline":"\ud800"}</script>',
        '<script type=application/ld+json>{"@id":"a","author":{"@id":"a"}}</script>',
        "<div itemscope itemtype=http://schema.org/Article><p itemprop=author>" * 2_000,
        "<link rel=canonical href='http://[broken'><link rel=license href>",
        "<title>" + " - | - " * 10_000 + "</title>",
    ],
    ids=range(10),
)
def test_hostile_statements(head: str) -> None:
    found = read(head, "<p>text", "http://[broken")
    json.dumps(found.to_dict(), ensure_ascii=False).encode()
    for name in ("title", "author", "date", "language", "url"):
        assert len(found.candidates(name)) <= 200


SENTENCES = {
    "en": "Harbour volunteers opened an old stone warehouse yesterday evening.",
    "de": "Freiwillige öffneten gestern abend eine alte Lagerhalle am Hafen.",
    "fi": "Vapaaehtoiset avasivat eilen illalla vanhan kivisen varaston satamassa.",
}


def test_short_texts_are_told_by_py3langid_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    for code, sentence in SENTENCES.items():
        assert read("", f"<p>{sentence}").language == code
    language._classifier.cache_clear()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "py3langid", None)  # as if it were not installed
        assert language.detect(SENTENCES["fi"]) is None
    language._classifier.cache_clear()


def test_blanks_in_broken_data_take_no_time() -> None:
    blanks = " " * 100_000
    html = f'<title>T</title><script type="application/ld+json">{{"name": x{blanks}"}}</script><p>x'
    began = time.process_time()
    assert joeira.extract(html, "all_text").metadata.title == "T"
    assert time.process_time() - began < 2


def test_western_letters_are_counted_as_all_others_are() -> None:
    for code in range(256):
        codes = language.codes_of(bytes([code]).decode("cp1252", "ignore"))
        western = language._western_votes(codes)
        assert western is not None
        assert western[0] == language.scripts(codes)["latin"]


def test_symbols_among_western_words_hide_no_language() -> None:
    text = "The house that was built on the hill is one of the oldest in the town."
    assert language.detect(f"\u2192 {text} \U0001f600 \u212a") == language.detect(text)
    latin, more, polish = (
        language.scripts(language.codes_of(start + text))["latin"]
        for start in ("", "\u2192", "\u0142")
    )
    assert latin == more == polish - 1
