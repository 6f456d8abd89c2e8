"""Rendered Markdown is what the Markdown says: the browser shows what markdown-it makes of it."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt

import joeira
from support import injection
from support.command_line import EXAMPLES
from support.window import Watched

pytestmark = pytest.mark.browser

RENDER = """async (sources) => {
    const { markdown } = await import("/viewer/markdown.js");
    return sources.map((source) => {
        const holder = document.createElement("div");
        for (const node of markdown(source)) holder.append(node);
        return holder.innerHTML;
    });
}"""
SAYINGS = [
    "# One #\n\n## *Two* `a*b`\n\nThree\n===\n\nFour\n---\n",
    "a\nb  \nc\\\nd\n\n- - -\n\n***\n",
    "- a\n- b\n  - c\n    - d\n- e\n\n1. x\n2. y\n\n   z\n3. w\n\n7) q\n",
    "- a\n\n- b\n- c\n",
    "- a\n  ```\n  code\n\n  more\n  ```\n- b\n\n* other\n",
    "> a\n> b\n>\n> > c\n> - d\n\nafter\n",
    "````python\na ``` b\n  c <b>\n````\n\n    indented\n      code\n\n~~~\nx\n~~~\n",
    "| a | b | c |\n| --- | ---: | :-: |\n| 1 | `x\\|y` | **b** |\n| \\| |\n\nno | table\n",
    "**a** *b* ***c*** ~~d~~ a*b*c a_b_c _x_ __y__ **a*b*c** *a **b** c* 2 * 3 * 4 **open\n",
    "*a**b* **foo*bar** *foo**bar**baz* ** a** \\*no\\* \\_no\\_ \\~\\~no\\~\\~ snake_case_name\n",
    "`` co`de `` ` ` `a` ``open `x`\n",
    '[a *b*](http://a.example/b_%28c%29 "t") ![alt *x*](http://a/b.png) [no](x [y] ] [\n',
    "[![pic](http://a/b)](http://c.example/) <http://d.example/?a=b&c>\n",
    "&amp; &lt;b&gt; &#65; &#x42; &copy &nope; A\\&amp;B 1\\. x 1. y\n",
    "a <b>c</b> <em>d <strong>e</strong></em> f<br>g\n",
    "\\# no heading\n\n#hashtag\n\n\\- no item\n\n2019\\. A year\n",
    'word **bold**, _under_score. (*x*) "**y**"\n',
]
# The same in the parser that other people use; images are their words here, as nothing is loaded.
REFERENCE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SAME = {"s": "del"}


class Events(HTMLParser):
    """HTML as tags and words, without what may differ: space, most attributes, and wrappers."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[bool] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "img":
            self.handle_data(given["alt"] or "")
        elif tag == "a":  # only what leads to the web is a link
            leads = (given["href"] or "").startswith("http")
            self.links.append(leads)
            if leads:
                self.found.append(f"<a {given['href']}>")
        elif tag == "ol":
            self.found.append(f"<ol {given.get('start', 1)}>")
        elif tag not in ("div", "span"):
            self.found.append(f"<{SAME.get(tag, tag)}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and not self.links.pop():
            return
        if tag not in ("div", "span", "br", "hr", "img"):
            self.found.append(f"</{SAME.get(tag, tag)}>")

    def handle_data(self, data: str) -> None:
        if self.found and not self.found[-1].startswith("<"):
            data = self.found.pop() + data
        self.found.append(data)

    @property
    def told(self) -> list[str]:
        words = (" ".join(part.split()) for part in self.found)
        return [part for part in words if part]


@pytest.fixture
def rendered(seen: Watched) -> Iterator[Any]:
    seen.page.goto(seen.url)
    return lambda *sources: seen.page.evaluate(RENDER, list(sources))


def test_it_is_what_markdown_says(rendered: Any) -> None:
    sources = list(SAYINGS)
    for name in ("article", "documentation", "forum", "listing", "product", "service"):
        html = (EXAMPLES / f"{name}.html").read_bytes()
        sources += [joeira.extract(html, method).markdown() for method in ("learned", "all_text")]
    for source, html in zip(sources, rendered(*sources), strict=True):
        assert Events(html).told == Events(REFERENCE.render(source)).told, source


def test_nothing_in_markdown_is_run(rendered: Any, seen: Watched) -> None:
    """Vectors as they are, and where addresses and code stand; all of them as one document, too."""
    vectors = injection.vectors()
    sources = [*vectors, *(f"[x]({v})\n![{v}]({v}) <{v}> `{v}`\n\n| {v} |\n|-|\n" for v in vectors)]
    shown = rendered(*sources, "\n\n".join(sources))
    seen.page.evaluate(
        """async (sources) => {
            const { markdown } = await import("/viewer/markdown.js");
            document.body.replaceChildren(...markdown(sources.join("\\n\\n")));
        }""",
        sources,
    )
    page = seen.page
    forbidden = ("script", "iframe", "object", "embed", "img", "svg", "form", "style", "link")
    assert page.locator(", ".join(f"body {name}" for name in forbidden)).count() == 0
    for html in shown:
        assert "<img" not in html
        assert "<script" not in html
    names = "(e) => [...e.attributes].map((a) => a.name)"
    found = page.evaluate(f"[...document.querySelectorAll('body *')].flatMap({names})")
    assert set(found) <= {"href", "target", "rel", "title", "class", "align", "start"}
    hrefs = "[...document.querySelectorAll('body a')].map((a) => a.protocol)"
    assert set(page.evaluate(hrefs)) <= {"http:", "https:"}
    assert seen.ran() == []


UNITS = r"[ ![ *a␣ _a ` `a`` <b> </b> <b>x</i> >␣ -␣ [a]( [a](b) |␣ # & \\ a¶¶ -␣a¶¶ ␣␣-␣a¶".split()


def test_long_nonsense_ends(rendered: Any) -> None:
    """What is quadratic in the size of these would take minutes."""
    units = [unit.replace("␣", " ").replace("¶", "\n") for unit in UNITS]
    assert all(rendered(*(unit * (50_000 // len(unit)) for unit in units)))
