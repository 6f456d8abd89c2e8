"""Code blocks: what is code in them, where their lines end, and the language they declare."""

import pytest

import joeira


def markdown(source: str) -> str:
    return joeira.extract(source, "all_text").markdown().strip()


@pytest.mark.parametrize(
    "source, code",
    [
        ("<pre><code>a\n\tb</code></pre>", "a\n\tb"),
        ("<code><pre>a\nb</pre></code>", "a\nb"),
        ("<pre>a<br>b</pre>", "a\nb"),
        ("<pre><div>a</div><div>  b</div></pre>", "a\n  b"),
        ("<pre><div>a</div><div></div><div>b</div></pre>", "a\n\nb"),
        ("<pre><div>a</div><div>\n</div><div>b</div></pre>", "a\n\nb"),
        ("<pre><span class=line>a</span><span class=line>b</span></pre>", "a\nb"),
        ("<pre><span class=line>a\n</span><span class=line>b\n</span></pre>", "a\nb"),
        ("<pre><ol><li>a</li><li>b</li></ol></pre>", "a\nb"),
        # The numbers of lines.
        ("<pre><i class=lineno>1</i>a\n<i class=lineno>2</i>b</pre>", "a\nb"),
        ("<pre><span class=x>1</span>a\n<span class=x>2</span>b</pre>", "a\nb"),
        (
            "<pre><div><span>1</span><div>a</div></div><div><span>2</span><div>b</div></div></pre>",
            "a\nb",
        ),
        (
            "<pre><table><tr><td class=hljs-ln-numbers>1</td><td class=hljs-ln-code>a</td></tr>"
            "<tr><td class=hljs-ln-numbers>2</td><td class=hljs-ln-code>b</td></tr></table></pre>",
            "a\nb",
        ),
        (
            "<table><tr><td><pre>1\n2\n</pre></td><td><pre>a\nb\n</pre></td></tr></table>",
            "a\nb",
        ),
        ("<pre>1 a\n2 b</pre>", "1 a\n2 b"),
        ("<pre>[<b class=n>1</b>, <b class=n>2</b>]</pre>", "[1, 2]"),
        ("<pre><b class=n>7</b>\n<b class=n>9</b></pre>", "7\n9"),
        ("<pre class=line-numbers><code class=line-numbers>a</code></pre>", "a"),
        # What stands among the code without being code.
        ("<pre><button>Copy</button>a</pre>", "a"),
        ("<pre><div class=code-header><b>bash</b></div>a</pre>", "a"),
        ("<pre>a <span class=hljs-title>b</span></pre>", "a b"),
        ("<pre><a class=tok><span class=hover-info>x : y</span>x</a></pre>", "x"),
        # Blocks of code without `pre`.
        ('<p>t</p><div class="code-block" data-lang=x>a\n  b</div>', "a\n  b"),
        ('<p>t</p><code class="block hljs">a\nb</code>', "a\nb"),
        ("<div><code class=block>a</code><pre>b</pre></div>", "a\nb"),
        ("<p><code>a<br>  b</code></p>", "a\n  b"),
        (
            "<table class=js-file-line-container><tr><td class=blob-num data-line-number=1></td>"
            "<td>a</td></tr><tr><td class=blob-num data-line-number=2></td><td>b</td></tr></table>",
            "a\nb",
        ),
    ],
)
def test_code(source: str, code: str) -> None:
    parts = markdown(source).split("```")
    assert len(parts) == 3
    assert parts[1].partition("\n")[2].removesuffix("\n") == code


@pytest.mark.parametrize(
    "source",
    [
        "<p>a <code class=language-js>b</code> c</p>",
        "<p><code>b\nc</code> d</p>",
        "<div class=code-block><h2>a</h2><p>b</p></div>",
    ],
)
def test_what_is_no_block_of_code(source: str) -> None:
    assert "```" not in markdown(source)


@pytest.mark.parametrize(
    "source, language",
    [
        ("<pre><code class=language-go>a</code></pre>", "go"),
        ("<pre class='brush: php; toolbar: false'>a</pre>", "php"),
        ("<pre class='prettyprint lang-js'>a</pre>", "js"),
        ("<div class='highlight highlight-source-rust'><pre>a</pre></div>", "rust"),
        ("<pre data-language=kotlin><code>a</code></pre>", "kotlin"),
        ("<pre language=tsx>a</pre>", "tsx"),
        ("<pre><code class='hljs bash'>a</code></pre>", "bash"),
        ("<pre class='sourceCode haskell'>a</pre>", "haskell"),
        ("<div class='code-block' data-lang=http><pre>a</pre></div>", "http"),
        ("<div><div><span>Java</span><button>Copy</button></div><pre>a</pre></div>", "java"),
        (
            "<table><tr><td><pre>1\n2</pre></td><td><pre><code class=language-go>a\nb</code></pre>"
            "</td></tr></table>",
            "go",
        ),
        ("<pre class='code-block hm'>a</pre>", ""),
        ("<pre class=language-text>a</pre>", ""),
        ("<div class='python intro'><p>t</p><pre>a</pre></div>", ""),
    ],
)
def test_languages(source: str, language: str) -> None:
    assert markdown(f"<p>t</p>{source}").partition("```")[2].partition("\n")[0] == language


def test_one_line_of_code_stands_in_the_cell_of_a_table() -> None:
    source = "<table><tr><td><pre>a | b</pre></td><td>c</td></tr></table>"
    assert markdown(source) == "| `a \\| b` | c |\n| --- | --- |"
    assert joeira.extract(source, "all_text").text() == "a | b\tc"


def test_a_table_with_one_cell_that_shows_something_lays_out() -> None:
    spacer = "<td><img src=s.gif width=0 height=1></td>"
    assert "|" not in markdown(f"<table><tr>{spacer}<td>a</td></tr></table>")
    assert "|" in markdown("<table><tr><td><img src=s.png></td><td>a</td></tr></table>")
