"""Random well-formed documents: every parser makes the same tree of them."""

from __future__ import annotations

from hypothesis import strategies as st

AD = ' href="https://ads.example.com/x"'
HEADERS = ("Posted by Ana, 12 May", "Posted by Rui, 13 May", "Posted by Eva on 1 June")
TEXTS = (
    "Home",
    "Rain floods town",
    "the old town of rain",
    "İzmir, Straße 42",
    "中文字和漢字",
    "—",
    "|",
    "Heavy rain flooded the old town on Monday night.",
    "Rescue teams moved forty people to safety, the council said, and will go on until Friday.",
    "a line\n of text\n\n broken in the source after three words",
    "\n  short\n",
    "of the of the town",
)
"""Texts around the limits that the twins use: long and short, in words and in characters."""

texts = st.sampled_from((*TEXTS, *HEADERS))
_codes = st.sampled_from(("<script>var a = '<p>'</script>", "<style>p {}</style>", "<!-- x -->"))
_voids = st.sampled_from(("<br>", "<hr>", "<img src=x>"))


@st.composite
def _content(draw: st.DrawFn, depth: int, linked: bool, inline: bool) -> str:
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from("tttbbbilvc")) if depth < 4 else "t"
        if kind == "t":
            # Two texts in a row would be one: put a tag or nothing between them.
            is_after_text = parts and not parts[-1].endswith(">")
            parts.append(" " + draw(texts) if is_after_text else draw(texts))
        elif kind == "i" or (inline and kind in "bl"):
            name = draw(st.sampled_from(("span", "b", "label", "a")))
            name = "span" if name == "a" and linked else name
            inside = draw(_content(depth + 1, linked or name == "a", True))
            parts.append(f"<{name}>{inside}</{name}>")
        elif kind == "l" and not linked:
            parts.append(f"<a{draw(st.sampled_from(('', AD)))}>{draw(texts)}</a>")
        elif kind == "v":
            parts.append(draw(_voids if not inline else st.just("<br>")))
        elif kind == "c":
            parts.append(draw(_codes))
        else:
            parts.append(draw(_blocks(depth + 1, linked)))
    return "".join(parts)


@st.composite
def _blocks(draw: st.DrawFn, depth: int, linked: bool) -> str:
    name = draw(st.sampled_from(("div", "div", "section", "p", "h1", "ul", "table", "form")))
    if name in ("p", "h1"):
        return f"<{name}>{draw(_content(depth, linked, True))}</{name}>"
    if name == "form":
        # A form inside a form is dropped by parsers; `fieldset` has no such rule.
        name = "fieldset" if depth > 1 else "form"
    if name == "ul":
        items = draw(st.lists(_content(depth, linked, False), min_size=1, max_size=3))
        return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
    if name == "table":
        cells = draw(st.lists(_content(depth, linked, False), min_size=1, max_size=3))
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        return f"<table><tbody><tr>{row}</tr></tbody></table>"
    return f"<{name}>{draw(_content(depth, linked, False))}</{name}>"


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Documents with a head, navigation, lists, tables, headers of comments and code."""
    title = draw(st.one_of(st.just(""), texts))
    head = f"<title>{title}</title>" if title else ""
    body = "".join(draw(st.lists(_blocks(1, False) | _content(0, False, False), max_size=4)))
    return f"<html><head>{head}</head><body>{body}</body></html>"


_WORDS = ("alfa", "beta", "gama", "delta", "zeta", "the", "rain", "é", "漢", "3")
_ATTRIBUTES = ("", ' class="x"', ' class="x y"', ' id="a" class="y"', ' class="y" id="a"')


@st.composite
def _paragraph(draw: st.DrawFn) -> str:
    words = " ".join(draw(st.lists(st.sampled_from(_WORDS), max_size=5)))
    inner = draw(st.sampled_from(("{}", "<b>{}</b>", "{} <a>rain</a>", "<b>x</b> {}", "{}<br>")))
    name = draw(st.sampled_from(("p", "p", "div", "span", "ul", "h2")))
    return f"<{name}{draw(st.sampled_from(_ATTRIBUTES))}>{inner.format(words)}</{name}>"


@st.composite
def _part(draw: st.DrawFn, depth: int) -> str:
    if depth > 2 or draw(st.booleans()):
        return draw(_paragraph())
    name = draw(st.sampled_from(("div", "div", "article", "main", "section")))
    inside = draw(st.lists(_part(depth + 1) | _texts_beside, min_size=1, max_size=3))
    return f"<{name}>{''.join(inside)}</{name}>"


_texts_beside = st.sampled_from((" beside ", " alfa beta "))


@st.composite
def sites(draw: st.DrawFn) -> list[str]:
    """Well-formed pages that share paragraphs, markup and words with one another."""
    pool = draw(st.lists(_part(0), min_size=1, max_size=5))
    bodies = draw(
        st.lists(st.lists(st.sampled_from(pool) | _part(0), max_size=4), min_size=1, max_size=5)
    )
    language = draw(st.sampled_from(("", ' lang="en-GB"')))
    return [
        f"<html{language}><head><title>t</title></head><body>{''.join(body)}</body></html>"
        for body in bodies
    ]
