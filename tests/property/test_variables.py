"""What few elements are styled as does not change with the variables that nothing refers to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.page import hiding, rules
from joeira.page.hiding import are_hidden
from joeira.page.visibility import FADING_IN

NAMES = st.sampled_from(["--a", "--b", "--c", "--A", r"--\\61", "--é"])
VALUES = st.one_of(
    st.sampled_from(["none", "block", "0", "absolute", "-9999px", "", "'--a:none'", "1px 2px"]),
    NAMES.map("var({})".format),
    st.tuples(NAMES, st.sampled_from(["none", "block", "var(--b)", ""])).map(
        lambda pair: f"var({pair[0]}, {pair[1]})"
    ),
)
DECLARATIONS = st.tuples(
    st.one_of(NAMES, st.sampled_from(["display", "width", "position", "left", "DISPLAY"])),
    VALUES,
    st.sampled_from(["", "", "!important"]),
).map(lambda parts: f"{parts[0]}:{parts[1]}{parts[2]}")
BLOCKS = st.lists(DECLARATIONS, min_size=1, max_size=3).map(";".join)
SELECTORS = st.sampled_from(
    [":root", "*", "body", "div", ".o", "div > .h", "p + .h", ".h:last-child", "pre", ".o pre"]
)
RULES = st.tuples(SELECTORS, BLOCKS, st.sampled_from(["{}", "{}", "@layer l{{{}}}"])).map(
    lambda parts: parts[2].format(f"{parts[0]}{{{parts[1]}}}")
)


@pytest.mark.parametrize("rounds", [0, 2, hiding._ROUNDS])
@pytest.mark.parametrize("least", [rules._MIN_CHARS, 0])
@settings(max_examples=100, deadline=None)
@given(st.lists(RULES, max_size=8).map("".join), st.one_of(st.just(""), BLOCKS))
def test_variables(rounds: int, least: int, sheet: str, style: str) -> None:
    style = style.replace('"', "").replace("'", "")
    html = (
        f"<!doctype html><style>{sheet}</style><p>{'Seen. ' * 40}</p>"
        f"<div class=o style='{style}'><p>t</p><b class=h>u</b></div>"
    )
    page = joeira.parse(html)
    rows = page.rows_of("b").tolist()
    hidden = [bool(how) and how not in FADING_IN for how in page.hidden[rows].tolist()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "_MIN_CHARS", least)
        patch.setattr(hiding, "_ROUNDS", rounds)
        assert are_hidden(joeira.parse(html), rows) == hidden


def test_long_chains_of_variables_are_read_at_once() -> None:
    chain = "".join(f"--x{number}:var(--x{number + 1});" for number in range(5000))
    html = f"<!doctype html><style>:root{{{chain}--x5000:none}}h1{{display:var(--x0)}}</style>"
    page = joeira.parse(f"{html}<p>t<h1>u</h1>")
    assert are_hidden(page, page.rows_of("h1").tolist()) == [
        bool(how) for how in page.hidden[page.rows_of("h1")].tolist()
    ]
