"""What the parser is not given, the long texts of scripts and styles, changes nothing of a page."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira import parse
from joeira._native import native_available
from joeira.page import embedded, left_out
from joeira.page.attributes import Attributes
from support.examples import EXAMPLES
from support.walks import check

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

TEXTS = (
    '<script =">"a>some x<y text that is longer</script>',
    "<style a=b/>some css that is a little longer</style>",
    "<script>a<!--bcd and whatever may come after it</script>",
    "<SCRIPT>some &lt; text that is long enough here</SCRIPT>",
    "<style>a > b <!-- c and also a few words more</style>",
    "<script>abcd --> efgh ijklmnopqrstuvwxyz</script>",
)
PIECES = (
    *TEXTS, *TEXTS, "<svg>", "</svg>", "<svg/>", "<math>", "</math>", "<mi>", "<foreignObject>",
    "</foreignObject>", "<desc>", "</desc>", "<title>", "</title>", "<style>", "</style>",
    "<STYLE a='b>c'>", "</Style >", "<script>", "</script>", "</script/>", "<script type=module>",
    "<script type='text/JavaScript'>", "<script type=a>", "<script/>", "<style/>", "<!--", "-->",
    "--!>", "<!-->", "<!--->", "<![CDATA[", "]]>", "<!x>", "<?x>", "</>", "</ x>", "<select>",
    "</select>", "<option>", "<template>", "</template>", "<textarea>", "</textarea>",
    "<noscript>", "</noscript>", "<iframe>", "</iframe>", "<xmp>", "</xmp>", "<noembed>",
    "</noembed>", "<noframes>", "</noframes>", "<plaintext>", "<frameset>", "<table>", "<tr>",
    "<td>", "</table>", "<p>", "</p>", '<div a="', '"', "'", "=", ">", "<", "/", " ", "\n", "a",
    "longer text ", "x<y ", "&lt;", "<annotation-xml encoding=text/html>", "<head>", "<body>",
    "</body>", "</html>", "<br/>", "<a b=c/>", "<caption>", "<colgroup>", "<script\t>", "<SCRIPT",
    "\0", "\r\n", "\u00e9\u00e9", "\u0142", "\U0001f600",
)  # fmt: skip
LONG = "var a = 'b';\n" * 40


def long_texts(source: str | bytes) -> left_out.LeftOut | None:
    return left_out.without_long_texts(source)[1]


@pytest.fixture(autouse=True)
def _short_texts_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(left_out, "_LEAST_CHARS", 1)


@EXAMPLES
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25))
def test_any_tags(pieces: list[str]) -> None:
    check("".join(pieces))


def test_many_tags_of_few_kinds() -> None:
    chance = random.Random(7)
    left = 0
    for _ in range(2000):
        known = (*TEXTS, *chance.sample(PIECES, 8))
        html = "".join(chance.choices(known, k=chance.randrange(3, 30)))
        left += long_texts(html) is not None
        check(html)
    assert left > 1000


def test_what_is_left_out_is_told_when_asked_for() -> None:
    html = f"<script>{LONG}\r\n\0</script>12<style>p {{}}{LONG}</style><p>a"
    page = parse(html)
    assert long_texts(html) is not None
    texts = page.attributes.inner_texts("script,style")
    assert texts == [f"{LONG}\n\ufffd", f"p {{}}{LONG}"]
    assert LONG in page.attributes.node_html(0)
    assert page.attributes.find("//script[contains(., 'var a')]")


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_that_ask_one_page_for_what_was_left_out() -> None:
    texts = [f"{LONG}//{number}" for number in range(100)]
    html = "".join(f"<script>{text}</script>" for text in texts)
    html += "<math></math>"  # which only the parser reads, of what is left then
    questions: list[Callable[[Attributes], object]] = [
        lambda asked: asked.inner_texts("script"),
        lambda asked: asked.inner_texts("html"),
        lambda asked: asked.find("//script"),
    ]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(20):
            asked = parse(html).attributes
            assert asked._left_out is not None
            told = list(pool.map(lambda question, asked=asked: question(asked), questions * 2))
            assert told[0] == told[3] == texts
            assert told[1] == told[4] == ["".join(texts)]
            assert told[2] == told[5]


@pytest.mark.parametrize(
    "html",
    [
        f"<script type=application/ld+json>{LONG}</script>",
        f"<script type=application/ld+&#106;son>{LONG}</script>",
        f"<script>{LONG}'</b>'</script>",
        f"<textarea>{LONG}</textarea><noscript>{LONG}</noscript>",
        f"<script>{LONG}",
        f"<script><!--{LONG}</script>",
        f"<!--<script>{LONG}</script>-->",
        f"<svg><style>{LONG}</style></svg>",
    ],
)
def test_what_stays(html: str) -> None:
    assert long_texts(html) is None
    check(html)


@pytest.mark.parametrize(
    "html",
    [
        f"<p title='<script>{LONG}</script>'>a",
        f"<textarea><script>{LONG}</script></textarea>a",
        f"<math><style>{LONG}<b></style></math>a",
        f"<script>{LONG}</script><plaintext>a",
        f"<script>{LONG}</script>" + "<div>" * 600,
    ],
)
def test_what_is_no_script_after_all_is_parsed_as_it_is(html: str) -> None:
    assert long_texts(html) is not None
    page = check(html)
    assert page.attributes._left_out is None


def test_bytes() -> None:
    page, text = "a" * 1024, f"<script>{LONG}</script>"
    for source in (text + page, page + text.replace("b", "\u00e9")):  # too early, not ASCII
        assert long_texts(source.encode()) is None
        assert long_texts(source) is not None
    for source in (page + text, f"{page}\u00e9{text}", f"<meta charset=gbk>{page}\u0142{text}"):
        assert long_texts(source.encode()) is not None
        check(source.encode())
    for data in (f"{page}\u00e9{text}".encode("latin-1"), f"{page}\x1b$B{text}".encode()):
        assert long_texts(data) is None
    assert long_texts(b"") is None


def test_a_page_with_the_marks_of_what_is_left_out() -> None:
    html = f"<script>\x010\x01</script><style>{LONG}</style>a\x010"
    assert long_texts(html) is None
    assert long_texts(html.encode()) is None
    check(html)
    page = check(f"<style>{LONG}</style><p>&#1;0&#1;<p>&#1;7&#1;<p>&#1;{'9' * 5000}&#1;")
    assert page.texts[:2] == ("\x010\x01", "\x017\x01")


_DATA = st.sampled_from(('"', "\\", ",", ":", " ", "\u2003", "[", "key", "é日𝒳", "\n"))


@EXAMPLES
@given(st.lists(_DATA, max_size=40).map("".join), st.integers(0, 5), st.integers(0, 4))
def test_strings_of_data(text: str, least: int, most: int) -> None:
    expected = list(embedded._literals(text, least, 100))[:most]
    assert embedded.kernels.literals(text, least, most) == expected
