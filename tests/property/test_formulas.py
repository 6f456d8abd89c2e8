"""Whatever the tree of a formula: converting it never raises, and its length has a bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.render.formulas import Formulas
from joeira.render.mathml import MAX_CHARS, tex_of

NAMES = (
    "mi mo mn mtext mrow msup msub msubsup munder mover munderover mfrac msqrt mroot mtable mtr "
    "mlabeledtr mtd mfenced menclose mmultiscripts mprescripts none mspace mstyle mphantom "
    "semantics annotation maction mjx-mi mjx-c mjx-msup mjx-script mjx-base mjx-over mjx-box "
    "mjx-munderover mjx-mfrac mjx-num mjx-den mjx-mroot mjx-root mjx-sqrt mjx-surd mjx-row b"
).split()
ATTRIBUTES = (
    "", "", " open='' close='}'", " separators=';,'", " mathvariant=bold", " width=1.5em",
    " width=..em", " columnalign='right left'", " linethickness=0", " notation='box x'",
    " stretchy=false", " class=mjx-c1D465", " class=mjx-cD800", " class=mjx-cFFFFFF",
)  # fmt: skip
TEXTS = st.sampled_from(
    ["x", "12", "(", ")", "{", "∑", "→", "^", "\\", "$", "%", "𝔸", "é", "&lt;", " ", "sin", "²"]
)


@st.composite
def elements(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(NAMES))
    return f"<{name}{draw(st.sampled_from(ATTRIBUTES))}>{draw(inner)}</{name}>"


trees = st.recursive(
    TEXTS,
    lambda inner: st.lists(elements(inner) | inner, max_size=4).map("".join),
    max_leaves=20,
)


@given(trees, st.sampled_from(["math", "mjx-container"]))
def test_every_tree_becomes_bounded_tex(tree: str, name: str) -> None:
    page = joeira.parse(f"<p>a <{name}>{tree}</{name}> b</p>")
    for row in page.rows_of(name).tolist():
        assert len(tex_of(page, row)) <= MAX_CHARS
    for formula in Formulas(page, "").found.values():
        assert "$" not in formula.tex
        assert "\n" not in formula.tex
    content = joeira.extract(page, "all_text")
    content.markdown()
    content.html()
    content.text()
