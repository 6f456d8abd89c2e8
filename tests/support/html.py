"""Random HTML for property tests: well-formed trees, and soup that no author would write."""

from __future__ import annotations

from hypothesis import strategies as st

BLOCKS = ("div", "p", "section", "ul", "li", "h1", "table", "tr", "td", "dialog", "details")
INLINES = ("span", "a", "b", "em", "label", "code", "sup", "summary", "my-element", "o:p")
FOREIGN = ("svg", "math", "g", "mi", "foreignObject", "annotation")
UNSEEN = ("script", "style", "template", "noscript", "textarea", "iframe", "title")
VOID = ("br", "img", "hr", "wbr", "input")

WORDS = ("a", "Word", "two words", " lead", "trail ", "x\ny", "é", "日本語", "1.5", "&amp;", "&lt;")
BLANKS = (" ", "\n\t", "&nbsp;", "\u3000", "\f", "\u2003 ")
ATTRIBUTES = (
    'class="a"',
    'class="b  a"',
    'class="p"',
    'class="div"',
    'style="color: red"',
    'style="display:none"',
    'style="display:block"',
    'style="opacity: 0"',
    "hidden",
    "open",
    'aria-hidden="true"',
    'id="x"',
)

texts = st.sampled_from((*WORDS, *WORDS, *BLANKS, "<!-- comment -->"))
_attributes = st.lists(st.sampled_from(ATTRIBUTES), max_size=2, unique=True).map(
    lambda found: "".join(f" {attribute}" for attribute in found)
)


@st.composite
def _elements(draw: st.DrawFn, inner: st.SearchStrategy[list[str]]) -> str:
    name = draw(st.sampled_from((*BLOCKS, *BLOCKS, *INLINES, *INLINES, *FOREIGN, *UNSEEN)))
    return f"<{name}{draw(_attributes)}>{''.join(draw(inner))}</{name}>"


_voids = st.builds("<{}{}>".format, st.sampled_from(VOID), _attributes)

trees = st.recursive(
    st.lists(texts | _voids, max_size=4),
    lambda inner: st.lists(_elements(inner) | texts | _voids, max_size=4),
    max_leaves=25,
).map("".join)
"""Bodies of documents in which every element is closed."""

_tags = st.builds(
    "<{}{}{}>".format,
    st.sampled_from(("", "/")),
    st.sampled_from((*BLOCKS, *INLINES, *FOREIGN, *UNSEEN, *VOID, "body", "html", "head", "a'\"b")),
    _attributes,
)
soup = st.lists(_tags | texts | st.text(max_size=5), max_size=40).map("".join)
"""Start tags, end tags, texts and arbitrary characters in any order."""

documents = (trees | soup).map(lambda html: html if "<" in html else f"<p>{html}")
"""Any of them, with a tag at least: text without one is no HTML, and its lines are kept."""

_PLAIN_INLINES = ("span", "a", "b", "em", "my-element", "o:p", "sub")


@st.composite
def _plain_elements(draw: st.DrawFn, inner: st.SearchStrategy[list[str]]) -> str:
    name = draw(st.sampled_from(("div", "section", "ul", "blockquote", *_PLAIN_INLINES)))
    # Parsers move an element out of another of its own kind only for these.
    inside = "".join(draw(inner))
    if name in ("a", "b", "em") and f"<{name}" in inside:
        name = "span"
    return f"<{name}>{inside}</{name}>"


_icons = st.sampled_from(
    ("<svg><g></g><g></g></svg>", "<svg><foreignObject></foreignObject></svg>", "<math></math>")
)

agreed_trees = st.recursive(
    st.lists(texts, max_size=3),
    lambda inner: st.lists(_plain_elements(inner) | texts | _icons, max_size=4),
    max_leaves=20,
).map(lambda parts: f"<!DOCTYPE html><html><head></head><body>{''.join(parts)}</body></html>")
"""Whole documents of which every HTML parser makes the same tree."""
