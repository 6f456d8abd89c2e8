"""A page with its segments outlined: safe, and complete."""

import joeira
from joeira.render.html import outlined

HOSTILE = """<html><head><style>p { color: red }</style><script>evil()</script></head>
<body onload="evil()" class=c><nav><a href="javascript:evil()">Home</a></nav>
<main><h1>A title</h1>
<p style="color:blue">One &lt;b&gt; two<img src=http://x/y.png onerror=evil()></p>
<iframe src=http://x></iframe><x-own>three</x-own></main></body></html>"""


def shown(html: str) -> str:
    page = joeira.parse(html)
    return outlined(page, joeira.segment(page))


def test_nothing_runs_and_nothing_is_loaded() -> None:
    html = shown(HOSTILE)
    for forbidden in ("<script", "onload", "onerror", "<img", "<iframe", "href", "src=", "x-own"):
        assert forbidden not in html
    assert "default-src 'none'" in html


def test_text_and_own_style_are_kept() -> None:
    html = shown(HOSTILE)
    assert joeira.parse(html).text_of(joeira.parse(html).body) == "Home A title One <b> two three"
    assert "p { color: red }" in html
    assert 'style="color:blue"' in html


def test_every_segment_is_marked_with_its_label() -> None:
    page = joeira.parse(HOSTILE)
    found = joeira.segment(page)
    html = outlined(page, found)
    for number, part in enumerate(found, 1):
        assert f'data-segment="{number} {part.label} {part.score:.0%}"' in html


def test_a_page_without_text() -> None:
    assert shown("").endswith("</html>\n")
