"""What Markdown says, read by another program: the structure of the page comes back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import turbohtml
from markdown_it import MarkdownIt

import joeira

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read(source: str, url: str | None = "https://e.org/d/page.html") -> turbohtml.Document:
    return turbohtml.parse(READER.render(joeira.extract(source, "all_text", url=url).markdown()))


def outline(document: turbohtml.Document, selector: str) -> list[tuple[str, str]]:
    return [(node.tag, " ".join(node.text.split())) for node in document.select(selector)]


def test_headings() -> None:
    source = "".join(
        f"<h{level}>Level <i>{level}</i></h{level}><p>text</p>" for level in range(1, 7)
    )
    expected = [(f"h{level}", f"Level {level}") for level in range(1, 7)]
    assert outline(read(source), "h1,h2,h3,h4,h5,h6") == expected


def test_nested_lists() -> None:
    source = """<ol start=4><li>four<ul><li>dot<ol><li>inner</li></ol></li><li>dot two</li>
        </ul></li>
        <li><p>five</p><p>more of five</p></li></ol>"""
    document = read(source)
    assert [node.attr("start") for node in document.select("body > ol")] == ["4"]
    assert outline(document, "ol > li > ul > li > ol > li") == [("li", "inner")]
    assert len(document.select("body > ol > li > ul > li")) == 2
    assert outline(document, "body > ol > li:last-child > p")[1] == ("p", "more of five")


def test_tables_with_spans_keep_their_columns() -> None:
    source = """<table><thead><tr><th>City<th colspan=2>Rain | snow</thead><tbody>
        <tr><td rowspan=2>Faro<td>1<td>2<tr><td>3<td><b>4</b> <code>a|b</code></table>"""
    rows = [
        [cell.text.strip() for cell in row.select("td,th")] for row in read(source).select("tr")
    ]
    assert rows == [["City", "Rain | snow", ""], ["Faro", "1", "2"], ["", "3", "4 a|b"]]


@pytest.mark.parametrize(
    "markup, language",
    [
        ('<pre><code class="language-python">{}</code></pre>', "python"),
        (
            '<div class="highlight-python x"><div class="highlight"><pre>{}</pre></div></div>',
            "python",
        ),
        ('<pre class="lang-python">{}</pre>', "python"),
        ("<pre>{}</pre>", ""),
        ('<div class="highlight-default notranslate"><pre>{}</pre></div>', ""),
        ('<div class="highlight-python"><pre class="lang-none">{}</pre></div>', ""),
        ('<pre><code class="language-Plaintext">{}</code></pre>', ""),
        ('<pre><code class="language-textile">{}</code></pre>', "textile"),
    ],
)
def test_code_keeps_indentation_and_language(markup: str, language: str) -> None:
    code = "def f(a):\n    if a &lt; 1:\n\n        return '`*_#'\n\treturn ```"
    (found,) = read(markup.format(code)).select("pre > code")
    assert found.text.rstrip("\n") == code.replace("&lt;", "<")
    assert found.attr("class") == (f"language-{language}" if language else None)


TEX = r"\frac{a_1}{b_2} * c"
FORMULAS = {
    "annotation": "<math><semantics><mi>a</mi><annotation encoding='application/x-tex'>{}"
    "</annotation></semantics></math>",
    "alttext": "<math alttext='{}'><mi>a</mi><mi>b</mi></math>",
    "KaTeX": "<span class=katex><span class=katex-mathml><math><semantics><mrow><mi>a</mi></mrow>"
    "<annotation encoding='application/x-tex'>{}</annotation></semantics></math></span>"
    "<span class=katex-html aria-hidden=true><span>a</span></span></span>",
    "MathJax 2": "<span class=MathJax_Preview>[math]</span><script type='math/tex'>{}</script>",
    "MathJax 3": "<mjx-container><mjx-assistive-mml><math alttext='{}'><mi>a</mi></math>"
    "</mjx-assistive-mml></mjx-container>",
    "MediaWiki": "<span class=mwe-math-element><span style='display:none'><math alttext='{}'>"
    "<mi>a</mi></math></span><img src=/x.svg class=mwe-math-fallback-image-inline></span>",
}


@pytest.mark.parametrize("markup", FORMULAS.values(), ids=FORMULAS)
def test_formulas_are_tex_in_their_sentence(markup: str) -> None:
    source = f"<p>It is {markup.format(TEX)}, as we know.</p>"
    content = joeira.extract(source, "all_text")
    assert content.markdown() == f"It is ${TEX}$, as we know."
    assert content.html() == f"<p>It is \\({TEX}\\), as we know.</p>"


def test_displayed_formulas_stand_apart() -> None:
    source = f"<p>So</p><math display=block alttext='{TEX}'><mi>a</mi></math><p>and</p>"
    assert joeira.extract(source, "all_text").markdown() == f"So\n\n$$\n{TEX}\n$$\n\nand"


def test_a_formula_without_tex_stays_in_its_sentence() -> None:
    source = "<p>It is <math><mi>a</mi><mo>+</mo><mi>b</mi></math>, so.</p>"
    content = joeira.extract(source, "all_text")
    assert content.html() == "<p>It is \\(a + b\\), so.</p>"
    assert content.text() == "It is a + b, so."
    assert "\n" not in content.text()


def test_a_formula_that_was_dropped_is_not_written() -> None:
    page = joeira.parse("<p>a</p><math alttext='x'><mi>x</mi></math><p>b</p>")
    content = joeira.extract(page, "all_text")
    dropped = replace(content, keep=np.array([True, False, False]))
    assert dropped.markdown() == "a"


@pytest.mark.parametrize(
    "tex", ["<img src=x onerror=alert(1)>", "$ [a](javascript:alert(1)) $", "`", "]()![x](//e.org)"]
)
def test_tex_cannot_break_out(tex: str) -> None:
    source = f"<p>a <math alttext='{tex.replace('<', '&lt;')}'><mi>x</mi></math> b</p>"
    assert not read(source).select("img,a,code,script")


def test_figures_keep_image_and_caption() -> None:
    caption = "<figcaption>On a <em>quay</em></figcaption>"
    source = f"<p>a</p><figure><img src=../i.png alt='A [gull]'>{caption}</figure>"
    document = read(source)
    (image,) = document.select("img")
    assert (image.attr("src"), image.attr("alt")) == ("https://e.org/i.png", "A [gull]")
    assert outline(document, "p:last-child") == [("p", "On a quay")]


def test_definitions_keep_terms_and_order() -> None:
    source = "<dl><dt>Term</dt><dd>One</dd><dd>Two</dd><dt><b>Next</b></dt><dd>Three</dd></dl>"
    document = read(source)
    texts = ["Term: One", "Two", "Next: Three"]
    assert [text for _, text in outline(document, "body > p")] == texts
    assert [text for _, text in outline(document, "p > strong")] == ["Term", "Next"]


def test_links_and_images_are_optional_and_absolute() -> None:
    source = "<p>See <a href='../x y'>the <b>page</b></a> and <img src=i.png alt=pic> this.</p>"
    content = joeira.extract(source, "all_text", url="https://e.org/d/page.html")
    assert content.markdown() == (
        "See [the **page**](https://e.org/x%20y) and ![pic](https://e.org/d/i.png) this."
    )
    assert content.markdown(links=False, images=False) == "See the **page** and this."
    assert content.markdown(formatting=False).startswith("See [the page]")
    assert (
        content.html(links=False, images=False, formatting=False) == "<p>See the page and this.</p>"
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        (r"so \(x_1 * y_2\) it", "so $x_1 * y_2$ it"),
        ("so $x_1 * y_2$, it", "so $x_1 * y_2$, it"),
        (r"so \[x_1\] it", "so $$x_1$$ it"),
        ("so $$x_1$$ it", "so $$x_1$$ it"),
        ("from $5 to $6 and $7*", r"from \$5 to \$6 and \$7\*"),
        ("open $x_1", r"open \$x_1"),
        ("<code>$x_1$</code>", "`$x_1$`"),
        ("$a<b>c</b>$", r"\$a**c**\$"),
        ("$a &lt;img src=x&gt; b$", r"$a \lt img src=x\gt  b$"),
    ],
)
def test_tex_in_the_text_where_the_page_draws_it(text: str, expected: str) -> None:
    script = "<script src=https://cdn.example/MathJax.js></script>"
    assert joeira.extract(f"{script}<p>{text}</p>", "all_text").markdown() == expected
    plain = joeira.extract("<p>so $x_1 * y_2$, it</p>", "all_text").markdown()
    assert plain == r"so $x_1 \* y_2$, it"
