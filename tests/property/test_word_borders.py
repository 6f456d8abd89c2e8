"""The text of a paragraph of inline elements is what it says, white space collapsed."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

import joeira
from support.examples import EXAMPLES

INLINES = (
    *("span", "a", "b", "em", "label", "time", "code", "kbd", "font", "nobr", "cite"),
    *("kw", "my-icon", "x-1", "o:p"),
)
WORDS = ("a", "Word", "two words", " lead", "trail ", "5", "-Flug", "‘s", '"', "/path", ".", "日本")
BLANKS = (" ", "\n", "&nbsp;")

texts = st.sampled_from((*WORDS, *WORDS, *BLANKS))


def _element(name: str, inside: str) -> str:
    # The parser closes a link, or what marks up words, in another of its own kind.
    name = "span" if f"<{name}" in inside else name
    return f"<{name}>{inside}</{name}>"


def _line(parts: list[tuple[str, str]], first: str) -> str:
    return first + "".join(element + text for element, text in parts)


lines = st.recursive(
    texts,
    lambda inner: st.builds(
        _line,
        # Some text, if only a space, stands between any two elements.
        st.lists(
            st.tuples(st.builds(_element, st.sampled_from(INLINES), inner), texts), max_size=4
        ),
        st.sampled_from(("", *WORDS, *BLANKS)),
    ),
    max_leaves=20,
)


@EXAMPLES
@given(lines)
@example("un<span>believ</span>able")
@example("<a><span>x.org</span></a>/path")
@example('"<a>quoted</a>"')
def test_a_line_reads_as_written(line: str) -> None:
    page = joeira.parse(f"<p>{line}</p>")
    written = " ".join(re.sub("<[^>]*>", "", line).replace("&nbsp;", " ").split())
    assert " ".join(page.blocks.texts) == written
    assert len(page.blocks) == bool(written)
    assert joeira.extract(page, "all_text").text() == written
