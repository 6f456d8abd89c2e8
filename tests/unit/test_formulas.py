"""Formulas as TeX: where pages keep it, and what MathML and MathJax are turned into."""

import time

import pytest

import joeira
from joeira.render.mathml import tex_of


def markdown(source: str) -> str:
    return joeira.extract(source, "all_text").markdown().strip()


def tex(mathml: str) -> str:
    page = joeira.parse(f"<math>{mathml}</math>")
    return tex_of(page, int(page.rows_of("math")[0]))


@pytest.mark.parametrize(
    "mathml, expected",
    [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^{2}"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{a b}^{2}"),
        ("<msub><mi>σ</mi><mi>group</mi></msub>", r"\sigma_{group}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_{i}^{2}"),
        ("<mfrac><mn>1</mn><mi>n</mi></mfrac>", r"\frac{1}{n}"),
        (
            "<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>",
            r"\genfrac{}{}{0pt}{}{n}{k}",
        ),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", r"\sqrt{a + b}"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", r"\sqrt[3]{8}"),
        ("<mover><mi>x</mi><mo>˙</mo></mover>", r"\dot{x}"),
        ("<mover><mi>x</mi><mi>def</mi></mover>", r"\overset{def}{x}"),
        ("<munder><mi>lim</mi><mi>n</mi></munder>", r"\lim_{n}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
            r"\sum_{i = 1}^{n}",
        ),
        (
            "<mmultiscripts><mi>X</mi><mi>a</mi><none/><mprescripts/><none/><mn>1</mn>"
            "</mmultiscripts>",
            "{}^{1}X_{a}",
        ),
        ("<mo>(</mo><mi>x</mi><mo>)</mo>", r"\left( x \right)"),
        ("<mo stretchy='false'>(</mo><mi>x</mi><mo stretchy='false'>)</mo>", "( x )"),
        ("<mfenced open='[' close=')'><mi>a</mi><mi>b</mi></mfenced>", r"\left[a , b\right)"),
        ("<mtext>if </mtext><mi>n</mi>", r"\text{if } n"),
        ("<mi mathvariant='double-struck'>R</mi>", r"\mathbb{R}"),
        ("<mi>ℝ</mi><mo>⁢</mo><mi>𝑧</mi>", r"\mathbb{R} z"),
        ("<menclose notation='top'><mi>A</mi></menclose>", r"\overline{A}"),
        ("<mi>sin</mi><mi>x</mi>", r"\sin x"),
        ("<mi>a</mi><mspace width='2em'/><mi>b</mi>", r"a \qquad b"),
        ("<semantics><mi>a</mi><annotation-xml><ci>b</ci></annotation-xml></semantics>", "a"),
        (
            "<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo>",
            r"\begin{pmatrix}a & b \\ c & d\end{pmatrix}",
        ),
        (
            "<mi>f</mi><mo>=</mo><mrow><mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd></mtr></mtable>"
            "</mrow>",
            r"f = \begin{cases}1\end{cases}",
        ),
        ("one", ""),
        ("", ""),
    ],
)
def test_mathml_becomes_tex(mathml: str, expected: str) -> None:
    assert tex(mathml) == expected


def test_what_mathjax_draws_becomes_tex() -> None:
    drawn = (
        "<mjx-container><mjx-math><mjx-munderover><mjx-over><mjx-mi><mjx-c class=mjx-c1D45B>"
        "</mjx-c></mjx-mi></mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base><mjx-mo>"
        "<mjx-c class='mjx-c2211 TEX-S2'></mjx-c></mjx-mo></mjx-base></mjx-row><mjx-row>"
        "<mjx-under><mjx-mi><mjx-c class=mjx-c1D456></mjx-c></mjx-mi></mjx-under></mjx-row>"
        "</mjx-munder></mjx-box></mjx-munderover><mjx-msubsup><mjx-mi><mjx-c class=mjx-c1D465>"
        "</mjx-c></mjx-mi><mjx-script><mjx-mn><mjx-c class=mjx-c32></mjx-c></mjx-mn><mjx-spacer>"
        "</mjx-spacer><mjx-mi><mjx-c class=mjx-c1D456></mjx-c></mjx-mi></mjx-script></mjx-msubsup>"
        "</mjx-math></mjx-container>"
    )
    assert markdown(f"<p>a {drawn} b</p>") == r"a $\sum_{i}^{n} x_{i}^{2}$ b"


@pytest.mark.parametrize(
    "source, expected",
    [
        (r'<p>a <span class="k" data-math="\alpha"><math><mi>α</mi></math></span>, b</p>',
         r"a $\alpha$, b"),
        ('<p>a</p><p class=tex-k data-math="E=mc^2"><math display=block><mi>E</mi></math></p>',
         "a\n\n$$\nE=mc^2\n$$"),
        (r'<p>a <span class="math-block" data-math="x"><i>x</i></span></p>', "a\n\n$$\nx\n$$"),
        ('<p>a <b data-formula="=SUM(A1)">3</b></p>', "a **3**"),
        ('<p>if <img class=tex alt="A, B" src=i> are, (<img class=tex alt="x^2" src=i>)</p>',
         "if $A, B$ are, ($x^2$)"),
        (r'<p>a</p><p><img src=i.svg alt="\frac{1}{2}"></p><p>b</p>',
         "a\n\n$$\n\\frac{1}{2}\n$$\n\nb"),
        ('<p>a <img src="https://l.org/latex.php?latex=%5Cpi+r" alt=""> b</p>', r"a $\pi r$ b"),
        (r'<p>a <img alt="C:\left\new.png" src=i> b</p>', r"a ![C:\left\new.png](i) b"),
        ('<p>a <img class=math-teacher alt="A man at a board" src=i> b</p>',
         "a ![A man at a board](i) b"),
        (r'<p>a <span class="math inline">\(x\)</span> b</p>', "a $x$ b"),
        (r'<p>a</p><div class="math">\[x\]</div><p>b</p>', "a\n\n$$\nx\n$$\n\nb"),
        ('<p>a</p><div class=latex-rendered data-attrs="{&quot;persistentExpression&quot;:'
         '&quot;\\\\pi&quot;,&quot;id&quot;:1}">x</div>', "a\n\n$$\n\\pi\n$$"),
        (r"<p>a <d-math>\beta</d-math></p>", r"a $\beta$"),
        ("<p>a <math><mi>x</mi></math></p>", "a $x$"),
        ("<p>a <span class=katex><span class=katex-mathml><math><semantics><mi>x</mi>"
         "<annotation encoding='application/x-tex'>y</annotation></semantics></math></span>"
         "<span class=katex-html>x</span></span> b</p>", "a $y$ b"),
    ],
)  # fmt: skip
def test_where_pages_keep_tex(source: str, expected: str) -> None:
    assert markdown(source) == expected


def test_plain_text_has_the_characters_of_a_formula_once() -> None:
    source = (
        "<p>a <span class=katex data-math='x'><span class=katex-mathml><math><mi>x</mi></math>"
        "</span><span class=katex-html>x</span></span> b</p>"
    )
    assert joeira.extract(source, "all_text").text() == "a x b"


def test_a_formula_drawn_without_texts_stands_where_the_texts_around_it_are_kept() -> None:
    image = r'<img alt="\pi" src=i>'
    assert markdown(f"<p>a</p><p>{image}</p>") == "a\n\n$$\n\\pi\n$$"
    assert markdown(f"<div>{image}</div>") == ""


@pytest.mark.parametrize(
    "source",
    [
        "<p>a</p><math>" + "<mrow>" * 5000 + "<mi>x</mi>",
        "<p>a</p>" + "<math><mi>x</mi>" * 3000,
        "<p>a</p><mjx-container><mjx-math><mjx-mi>" + "<mjx-c>x</mjx-c>" * 100_000,
        "<p>a</p><math>" + "<msup><mi>x</mi>" * 200,
        "<p>a</p>" + "<mjx-container>" * 400 + "<mjx-mi>x</mjx-mi>",
        "<p>a</p>" + "<p><img alt='\\pi' src=i></p>" * 5000,
    ],
)
def test_no_formula_takes_long(source: str) -> None:
    started = time.perf_counter()
    joeira.extract(source, "all_text").markdown()
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("after", ["", "</math></pre><b>bold</b>"])
def test_a_formula_in_a_listing_is_characters_of_it(after: str) -> None:
    content = joeira.extract(f"<pre>code <math>x{after}", "all_text")
    assert content.text().startswith("code x")
    assert content.html().startswith("<pre><code>code x</code></pre>")
    assert ("<b>bold</b>" in content.html()) is bool(after)
