"""The kernels in C and the numpy code beside them decide the same and write the same bytes.

Both run on the same pages, each in an interpreter of its own, since which of them is used is
settled when it starts. Where the kernels were not compiled there is nothing to compare.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.arrays.groups import Grouping
from joeira.arrays.inference import ObliviousTrees

if native_available:
    from joeira._native import blocks, characters, declarations, page_types
    from joeira._native import tables as table_kernels
    from joeira._native.columns import BlockColumns, Learned, Tags, hash_text, name_parts
    from joeira._native.inference import Calibration, TreeSums

_PARTS_OF_TABLES = st.sampled_from(
    (
        "<table>", "</table>", "<tr>", "<td>", "<th>", "</td>", "word", f"{'long ' * 120}", "<p>",
        "<pre>line</pre>", "<pre>two\nlines</pre>", "<h2>title</h2>", "<img>", "<div>", "</div>",
        " " * 1001, "<table><tr><td>a<td>b</table>",
    )
)  # fmt: skip

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BENCH = Path(os.environ.get("JOEIRA_BENCH", ROOT.parent / "shared" / "bench"))
STEP = 25
"""Of the pages of a data set every so many are read, unless all are asked for."""

REPORT = """
import json, sys
import numpy as np
import joeira
from joeira.blockmodel import model

def columns(page):
    matrix = model.load().features(page)
    return np.asarray(matrix.values).tolist() if matrix.view.size <= 400 else []

for line in sys.stdin:
    html = json.loads(line)
    page = joeira.parse(html)
    content = joeira.extract(page)
    tables, segments = joeira.find_records(page), joeira.segment(page)
    found = {
        "native": joeira.native_available,
        "keep": content.keep.tolist(),
        "text": content.text(),
        "all_text": joeira.extract(page, "all_text").text(),
        "types": content.pagetype,
        "note": content.note,
        "owners": page.block_bounds[0].tolist(),
        "firsts": page.block_bounds[1].tolist(),
        "spaces": page.space_before.tolist(),
        "words": page.text_words.tolist(),
        "chars": page.text_chars.tolist(),
        "roles": [page.roles[1][number] for number in page.roles[0].tolist()],
        "markdown": content.markdown(),
        "scores": np.asarray(content.scores).tolist(),
        "columns": columns(page),
        "records": [(table.to_csv(), table.reason) for table in tables],
        "table scores": [(table.score, table.presence) for table in tables],
        "segments": [(part.xpath, part.label) for part in segments],
        "segment scores": [part.score for part in segments],
    }
    print(json.dumps(found), flush=True)
"""


class Reporter:
    """An interpreter that says what it finds on pages."""

    def __init__(self, native: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", REPORT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "JOEIRA_NATIVE": native},
        )

    def __call__(self, html: str) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(html) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def both() -> Any:
    reporters = Reporter("1"), Reporter("0")
    yield reporters
    for reporter in reporters:
        reporter.close()


def check(both: tuple[Reporter, Reporter], html: str) -> None:
    fast, slow = (reporter(html) for reporter in both)
    assert (fast.pop("native"), slow.pop("native")) == (True, False)
    tolerances = {"columns": 1e-5, "scores": 1e-4, "table scores": 1e-6, "segment scores": 1e-6}
    for name, tolerance in tolerances.items():
        one, other = (np.array(found.pop(name), float) for found in (fast, slow))
        assert one.shape == other.shape
        assert np.allclose(one, other, rtol=tolerance, atol=tolerance), name
    assert fast == slow


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.html")), ids=lambda path: path.stem)
def test_examples(both: tuple[Reporter, Reporter], path: Path) -> None:
    check(both, path.read_text("utf-8", "replace"))


@pytest.mark.quality
@pytest.mark.slow
@pytest.mark.parametrize("name", ["wcxb-dev", "fundus-dev"])
def test_real_pages(both: tuple[Reporter, Reporter], name: str) -> None:
    import gzip

    path = BENCH / "content" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} under {BENCH}; set JOEIRA_BENCH to its folder")
    step = 1 if os.environ.get("JOEIRA_FULL") else STEP
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % step == 0:
                check(both, json.loads(line)["html"])


TAGS = (
    "div p li ul ol h1 h2 h3 span a b nav article table tr td th caption pre code br hr sub sup "
    "dl dt dd blockquote figure figcaption x-thing option template"
).split()
WORDS = [
    *("", " ", "grain", "chaff.", "12", "€ 5,00", "読む", "naïve", "Ünï", "a, b; c!", "\u2028x"),
    *("st", "2", "(", ")", "#", "𝒳y", "<input type=checkbox checked>", "<img alt=x>", "\n  two\n"),
]
trees = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.builds(
        lambda tag, name, parts: f"<{tag} class='{name}'>{' '.join(parts)}</{tag}>",
        st.sampled_from(TAGS),
        st.sampled_from(["", "post-bodyText", "comments", "card card", "nav_item"]),
        st.lists(inner, max_size=6),
    ),
    max_leaves=60,
)


@settings(max_examples=60, deadline=None)
@given(trees)
def test_random_trees(both: tuple[Reporter, Reporter], html: str) -> None:
    check(both, f"<title>grain</title><body>{html}")


cells = st.lists(
    st.tuples(st.sampled_from(["td", "th", "td colspan=2", "td rowspan=2"]), trees), max_size=3
)
tables = st.lists(cells, min_size=1, max_size=4).map(
    lambda rows: "".join(
        "<tr>" + "".join(f"<{tag}>{inner}</{tag[:2]}>" for tag, inner in row) for row in rows
    )
)


@settings(max_examples=60, deadline=None)
@given(trees, tables, st.sampled_from(["", "<ol start=7><li>", "<ul><li>", "<dl><dd>", "<td>"]))
def test_random_tables(
    both: tuple[Reporter, Reporter], before: str, rows: str, around: str
) -> None:
    check(both, f"<body>{before}{around}<table><caption>Yield</caption>{rows}</table>after")


@pytest.mark.parametrize("html", ["", "<p>", "<p>one", "no tags at all", "<div>" * 600 + "deep"])
def test_hardly_any_page(both: tuple[Reporter, Reporter], html: str) -> None:
    check(both, html)


# What does not fit is refused ---------------------------------------------------------------------


def ints(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


ROWS = (
    ints(3, 1, 2), ints(3, 1, 2), ints(-1, 0, 1), ints(3, 3, 3), ints(0, 1, 2), ints(0, 0, 0),
    ints(0, 0, 0), np.zeros(3, bool),
)  # fmt: skip
TEXTS = (
    np.array([97, 98, 10], np.uint32),
    np.array([1, 1, 2], np.uint16),
    np.array([0], np.int64),
    np.zeros(1, bool),
)


def changed(given: tuple[Any, ...], number: int, value: Any) -> tuple[Any, ...]:
    return (*given[:number], value, *given[number + 1 :])


def block_columns(**changes: Any) -> BlockColumns:
    """The columns of ``<html><p>ab``, with something changed."""
    given = {
        "rows": ROWS,
        "block_bounds": (ints(1), ints(0, 1)),
        "texts": TEXTS,
        "lower": np.arange(0x10000, dtype=np.uint32),
        "limits": (100, 100),
    }
    return BlockColumns(**given | changes)


def tags_of(known: int, **changes: Any) -> Tags:
    """What is known of so many tags, with something changed."""
    given = {
        "own_column": np.full(known, -1, np.int32),
        "landmark": np.zeros(known, np.uint32),
        "is_heading": np.zeros(known, bool),
        "kind": np.full(known, -1, np.int32),
        "numbers": (1, 2),
        "sizes": (1, 1),
    }
    return Tags(**given | changes)


def test_what_fits_is_read() -> None:
    found = block_columns()
    assert (found.words.tolist(), found.found, found.chosen.tolist()) == ([1], 1, [0])
    assert [bound.tolist() for bound in (found.owner, *found.text_bounds)] == [[1], [0], [1]]


def test_blocks_of_the_head_and_beyond_the_limit() -> None:
    in_head = block_columns(rows=changed(ROWS, 7, np.ones(3, bool)))
    too_many = block_columns(limits=(100, 0))
    assert (in_head.blocks, in_head.found) == (0, 0)
    assert (too_many.blocks, too_many.found) == (0, 1)
    assert too_many.groups((2,)).shape == (2, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"block_bounds": (ints(3), ints(0, 1))},
        {"block_bounds": (ints(-1), ints(0, 1))},
        {"block_bounds": (ints(1), ints(0, 2))},
        {"block_bounds": (ints(1), ints(0))},
        {"texts": changed(TEXTS, 0, np.array([97, 98], np.uint32))},
        {"texts": changed(TEXTS, 2, np.array([3], np.int64))},
        {"texts": changed(TEXTS, 3, np.zeros(2, bool))},
        {"lower": np.zeros(9, np.uint32)},
        {"rows": changed(ROWS, 2, ints(-1, 2, 1))},
        {"rows": changed(ROWS, 2, ints(0, 0, 1))},
        {"rows": changed(ROWS, 2, ints(-1, 0))},
        {"rows": changed(ROWS, 3, ints(3, 9, 3))},
        {"rows": changed(ROWS, 3, ints(3, 1, 3))},
        {"rows": changed(ROWS, 7, np.zeros(2, bool))},
    ],
)
def test_pages_that_do_not_fit(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        block_columns(**changes)


def plain_columns(lines: int, known: int, roles: Any, bits: list[int]) -> Any:
    to = np.zeros((lines, 1), np.float32)
    told = np.zeros(0, np.uint64)
    block_columns().plain_columns(tags_of(known), told, roles, bits, to)
    return to


def test_plain_columns_where_something_is_not_there() -> None:
    assert plain_columns(94, 4, ints(0, 0, 0), [0])[0].tolist() == [np.log1p(np.float32(1))]
    with pytest.raises(ValueError, match="no room"):
        plain_columns(93, 4, ints(0, 0, 0), [0])
    with pytest.raises(ValueError, match="a tag"):
        plain_columns(94, 3, ints(0, 0, 0), [0])
    for roles in (ints(0, 1, 0), ints(0, -1, 0), ints(0, 0)):
        with pytest.raises(ValueError, match="roles"):
            plain_columns(94, 4, roles, [0])


def test_learned_columns_where_something_is_not_there() -> None:
    table, types = np.zeros(4, np.int8), np.ones(2, np.float32)
    parts = np.zeros(1, np.uint64), np.zeros(1, np.int64)

    def learned(lines: int, names: tuple[Any, ...], of_names: Any = table) -> Any:
        to = np.zeros((lines, 1), np.float32)
        tables = [table, table, of_names, table]
        block_columns().learned_columns(tags_of(4), tables, 0.0, names, types, to)
        return to.ravel().tolist()

    assert learned(11, (*parts, 1, 1)) == [0] * 9 + [1] * 2
    with pytest.raises(ValueError, match="no room"):
        learned(10, (*parts, 1, 1))
    for names in ((*parts, 0, 1), (*parts, 1, 0), (parts[0], parts[1] + 2, 1, 1)):
        with pytest.raises(ValueError, match="names"):
            learned(11, names)
    with pytest.raises(ValueError, match="names"):
        learned(11, (*parts, 1, 1), np.zeros(8, np.int8))


def learned(**changes: Any) -> Learned:
    """What has to be learned for four tags and two types of pages, with something changed."""
    table = np.zeros(4, np.int8)
    weights = [np.zeros(shape, np.float32) for shape in (188, 188, (188, 2), (4, 2), 2)]
    given = {
        "tags": tags_of(4),
        "chances": page_types.Chances(*weights, (4.0, 0.01)),
        "tables": [table] * 4,
        "lists": (1,),
    }
    return Learned(**given | changes)


def test_all_columns_where_something_is_not_there() -> None:
    def columns(**changes: Any) -> Any:
        given = {
            "learned": learned(),
            "told": "",
            "roles": (ints(0, 0, 0), [0]),
            "declared": [],
            "names": (("",), ("",)),
        }
        return block_columns().all_columns(**given | changes)

    values, types = columns()
    assert (values.shape, types.tolist()) == ((105, 1), [0.5, 0.5])
    assert values[-2:].tolist() == [[0.5], [0.5]]
    for roles in ((ints(0, 1, 0), [0]), (ints(0, 0), [0])):
        with pytest.raises(ValueError, match="roles"):
            columns(roles=roles)
    for names in (((), ("",)), (("",), ())):
        with pytest.raises(ValueError, match="names"):
            columns(names=names)
    with pytest.raises(ValueError, match="a tag"):
        columns(learned=learned(tags=tags_of(3)))
    with pytest.raises(ValueError, match="fit"):
        columns(declared=[True])


def test_what_was_learned_for_something_else() -> None:
    table = np.zeros(4, np.int8)
    with pytest.raises(ValueError, match="type of page"):
        learned(lists=(2,))
    with pytest.raises(ValueError, match="do not fit"):
        learned(tables=[table, table, table, np.zeros(8, np.int8)])
    with pytest.raises(ValueError, match="power of two"):
        learned(tables=[table, table[:3], table, table])


def test_columns_of_other_blocks() -> None:
    from joeira.blockmodel import model

    known, one = model.load(), block_columns()
    steps = known._kernel, known._calibration
    assert len(one.probabilities(*steps, np.zeros((131, 1), np.float32), (2, 4))) == 1
    for wrong in (np.zeros((131, 2), np.float32), np.zeros(131, np.float32), np.zeros((131, 1))):
        with pytest.raises(ValueError, match="other"):
            one.probabilities(*steps, wrong, (2, 4))
    with pytest.raises(ValueError, match="not fit"):
        one.probabilities(*steps, np.zeros((130, 1), np.float32), (2, 4))
    with pytest.raises(ValueError, match="does not fit"):
        one.probabilities(*steps, np.zeros((131, 1), np.float32), (2,))


def test_a_calibration_without_two_rows() -> None:
    for calibration in (np.zeros((2, 0)), np.zeros((3, 4))):
        with pytest.raises(ValueError, match="calibration"):
            Calibration(calibration)


@pytest.mark.parametrize(
    "changes",
    [
        {"landmark": np.zeros(3, np.uint32)},
        {"own_column": ints(0, 1, 0, 0)},
        {"kind": ints(0, 8, 0, 0)},
        {"sizes": (16, 17)},
    ],
)
def test_tags_that_do_not_fit(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        tags_of(4, **changes)


def test_trees_that_ask_for_what_is_not_there() -> None:
    column, border, leaf = ints(0), np.zeros(1, np.float32), np.zeros((1, 2), np.float32)
    with pytest.raises(ValueError, match="question"):
        TreeSums(column, border, ints(1).reshape(1, 1), leaf, 0.0)
    sums = TreeSums(column, border, ints(0).reshape(1, 1), leaf, 0.0)
    with pytest.raises(ValueError, match="do not fit"):
        sums(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))


@given(st.integers(2, 200), st.booleans(), st.integers(0, 1000))
@settings(max_examples=60)
def test_sums_of_trees(rows: int, is_close: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    column, border = random.integers(0, 5, (9, 3)), random.integers(-2, 3, (9, 3))
    leaf = random.normal(size=(9, 8)).astype(np.float32)
    trees = ObliviousTrees(column.astype(np.int32), border.astype(np.float32), leaf, 0.5)
    values = random.integers(-3, 4, (5, rows)).astype(np.float32)
    pieces = values[:3], values[3:]
    given = pieces if is_close else tuple(np.asfortranarray(piece) for piece in pieces)
    assert trees(*given).tolist() == trees._score(pieces).tolist()


def test_groups_that_are_not_there() -> None:
    from joeira.blockmodel import model

    found = model.load().features(joeira.parse("<p>Some words.<p>And more of them."))
    kernel = model.load()._kernel
    values, mass = found.values.T, np.ascontiguousarray(found.values[:, 0])
    assert len(kernel(values, mass, np.zeros((3, 2), np.int32))) == 2
    wrong = [(3, 2, 2), (3, 2, -1), (2, 2, 0), (3, 3, 0)]
    for groupings, places, number in wrong:
        with pytest.raises(ValueError, match="does not fit"):
            kernel(values, mass, np.full((groupings, places), number, np.int32))
    with pytest.raises(ValueError, match="does not fit"):
        kernel(values, mass[:1], np.zeros((3, 2), np.int32))


@given(st.integers(1, 150), st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_logits_where_columns_do_not_vary(places: int, seed: int) -> None:
    """Such columns are counted once; what comes of them is what all columns would give."""
    from joeira.blockmodel import model

    known, random = model.load(), np.random.default_rng(seed)
    values = random.normal(known.center, 1, (places, len(known.center))).astype(np.float32)
    same = random.random(values.shape[1]) < random.random()
    values[:, same] = values[0, same]
    mass = random.random(places).astype(np.float32)
    groups = random.integers(0, (places + 1) // 2, (3, places)).astype(np.int32)
    numbered = np.stack([np.unique(group, return_inverse=True)[1] for group in groups])
    found = known._kernel(np.ascontiguousarray(values.T), mass, numbered.astype(np.int32))
    layer = known._first_layers(values)[0]
    net = known.networks[0](layer, mass, [Grouping.of(group) for group in numbered])
    blend = known.tree_weight * known._tree_logits(values) + (1 - known.tree_weight) * net
    assert np.allclose(found, np.clip(blend, -12, 12), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "inline, parent, text_rows",
    [
        ([1, 1], [-1, 0], [1]),  # a root that is in a line
        ([0, 1], [-1, 1], [1]),
        ([0, 1], [-1, 0, 0], [1]),
        ([0, 1], [-1, 0], [2]),
        ([0, 1, 1], [-1, 0, 0], [2, 1]),
    ],
)
def test_bounds_of_no_page(inline: list[int], parent: list[int], text_rows: list[int]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        blocks.bounds(np.array(inline, np.uint8), ints(*parent), ints(*text_rows))


def test_bounds_by_tags() -> None:
    inline, parent, rows = np.array([0, 1], np.uint8), ints(-1, 0, 1), ints(2)
    by_tag = blocks.bounds(inline, parent, rows, ints(0, 0, 1))
    by_row = blocks.bounds(np.array([0, 0, 1], np.uint8), parent, rows)
    assert [part.tolist() for part in by_tag] == [part.tolist() for part in by_row] == [[1], [0, 1]]
    for tag in (ints(0, 2, 1), ints(0, -1, 1), ints(1, 0, 1), ints(0, 0)):
        with pytest.raises(ValueError, match=r"a tag|do not fit"):
            blocks.bounds(inline, parent, rows, tag)
    with pytest.raises(ValueError, match="other entries"):
        blocks.bounds(inline, parent.astype(np.int64), rows)


def test_rows_in_a_line_of_no_page() -> None:
    given = ints(0, 9, 0), ints(0, 1, 0), ints(3, 3, 3), ints(0, 0, 0, 1)
    inline, asked = blocks.inline_rows(given, np.array([0, 0], np.uint8), 9)
    assert (inline.tolist(), asked.tolist()) == ([False, False, False], [])
    for number, wrong in (
        (1, ints(0, 2, 0)),
        (2, ints(3, 4, 3)),
        (2, ints(3, 1, 3)),
        (3, given[0]),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            blocks.inline_rows(changed(given, number, wrong), np.array([0, 0], np.uint8), 9)


@given(st.lists(st.integers(0, 5), max_size=40))
def test_rows_of_tags(numbers: list[int]) -> None:
    tag = ints(*numbers)
    assert blocks.tag_counts(tag, 6) == [numbers.count(number) for number in range(6)]
    for number in range(-1, 7):
        assert blocks.rows_of(tag, number).tolist() == (tag == number).nonzero()[0].tolist()


@pytest.mark.parametrize("number", [-1, 3])
def test_rows_of_tags_that_are_not_known(number: int) -> None:
    with pytest.raises(ValueError, match="a tag"):
        blocks.tag_counts(ints(0, number), 3)


def spaces(**changes: Any) -> Any:
    """The spaces of ``<html>a<b>b``, with something changed."""
    given = {
        "rows": (ints(1, 0, 1, 0), ints(-1, 0, 0, 2), ints(4, 2, 4, 4)),
        "kind_of_tag": np.zeros(2, np.uint8),
        "texts": (ints(1, 3), np.zeros(2, np.uint8), ints(0, 2)),
        "characters": (
            np.array([97, 10, 98, 10], np.uint32),
            np.array([1, 2, 1, 2], np.uint16),
            np.array([0, 2], np.int64),
        ),
        "marks": np.zeros(0x10000, np.uint8),
    }
    return blocks.spaces(**given | changes)


def test_spaces_of_a_page() -> None:
    before, asked, links = spaces()
    assert (list(before), asked, links) == ([True, False], [1], [])


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": (ints(1, 0, 2, 0), ints(-1, 0, 0, 2), ints(4, 2, 4, 4))},
        {"rows": (ints(1, 0, 1, 0), ints(-1, 0, 0, 3), ints(4, 2, 4, 4))},
        {"rows": (ints(1, 0, 1, 0), ints(-1, 0, 0, 2), ints(4, 2, 4, 5))},
        {"texts": (ints(1, 4), np.zeros(2, np.uint8), ints(0, 2))},
        {"texts": (ints(1, 3), np.zeros(1, np.uint8), ints(0, 2))},
        {"marks": np.zeros(9, np.uint8)},
        {
            "characters": (
                np.array([97, 98, 10], np.uint32),
                np.array([1, 1, 2], np.uint16),
                np.array([0, 0], np.int64),
            )
        },
    ],
)
def test_spaces_of_no_page(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        spaces(**changes)


@pytest.mark.parametrize(
    "rows",
    [
        (ints(), ints(), ints(), ints(0)),
        (ints(0, 9), ints(-1, 0), ints(2, 2), ints(0, 0, 1)),
        (ints(0, 1), ints(-1, 1), ints(2, 2), ints(0, 0, 1)),
        (ints(0, 1), ints(-1, 0), ints(2, 3), ints(0, 0, 1)),
        (ints(0, 1), ints(-1, 0), ints(2, 2), ints(0, 0)),
    ],
)
def test_boxes_of_no_page(rows: Any) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        blocks.boxes(rows, np.ones(3, np.uint8), None)


def test_weights_for_other_columns() -> None:
    def weights(*shape: int) -> np.ndarray[Any, Any]:
        return np.zeros(shape, np.float32)

    given = (weights(3), weights(3), weights(3, 2), weights(4, 2), weights(2))
    chances = page_types.Chances(*given, (4.0, 0.01))
    told, parts = [True], np.zeros(1, np.uint64)
    for columns in (1, 2):  # there may be more than the weights are of
        assert chances(weights(columns, 5), np.ones(5), told, parts).tolist() == [0.5, 0.5]
    for columns, words, said in ((0, 5, told), (1, 4, told), (1, 5, []), (1, 5, 5 * told)):
        with pytest.raises(ValueError, match="do not fit"):
            chances(weights(columns, 5), np.ones(words), said, parts)
    for number, wrong in enumerate(
        (weights(2), weights(2), weights(3, 1), weights(3, 2), weights(1))
    ):
        with pytest.raises(ValueError, match="do not fit"):
            page_types.Chances(*changed(given, number, wrong), (4.0, 0.01))


def test_strings_that_do_not_begin_in_order() -> None:
    with pytest.raises(ValueError, match="in order"):
        characters.sizes(np.zeros(3, np.uint16), np.array([2, 1], np.int64))


def test_tables_of_no_page() -> None:
    def layouts(**changes: Any) -> Any:
        given: dict[str, Any] = {
            "rows": (np.ones(1, np.int32), np.ones(1, np.int32), np.zeros(2, np.int32)),
            "kinds": np.array([0, 1], np.uint8),
            "lines": np.zeros(0, np.int64),
            "texts": (np.zeros(0, np.int64), 0, np.zeros(1, np.int32)),
            "most_chars": 9,
        }
        return table_kernels.layouts(**given | changes)

    assert [part.tolist() for part in layouts()[:3]] == [[0], [True], [0]]
    one, none = np.ones(1, np.int32), np.zeros(2, np.int32)
    for rows in (
        (one + 1, one, none),
        (one, one + 1, none),
        (one, one, none[:1]),
        (one, one, 1 + none),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            layouts(rows=rows)


@given(st.lists(_PARTS_OF_TABLES, max_size=30).map("".join))
def test_which_tables_lay_out_the_page(html: str) -> None:
    from joeira.page.tables import _layouts, _quick_layouts

    page = joeira.parse(f"<p>{html}")
    for quick, plain in zip(_quick_layouts(page), _layouts(page), strict=True):
        assert quick.tolist() == plain.tolist()


# Parts of the kernels -----------------------------------------------------------------------------


@given(st.lists(st.text("abcXYZ-_1é ", max_size=20), max_size=8))
def test_parts_of_names(names: list[str]) -> None:
    from joeira.arrays.strings import hash_of

    hashes, numbers = name_parts(tuple(names), ())
    import re

    expected = [
        (hash_of(part.lower()), number)
        for number, name in enumerate(names)
        for part in re.findall(r"[A-Z]+[a-z]*|[a-z]+", name)
        if 3 <= len(part) <= 15
    ]
    assert list(zip(hashes.tolist(), numbers.tolist(), strict=True)) == expected


@given(st.text("abÄß読む 1,._²ªก𝒳𠀀\u0300", max_size=40) | st.text(max_size=40))
def test_hashes_of_words(text: str) -> None:
    from joeira.arrays import strings

    characters = strings.Characters.of([text])
    hashes = hash_text(text, strings.lower_table())
    lowered = characters.lowered(len(characters.codes))
    expected = strings.slice_hashes(lowered, *characters.word_slices())
    assert hashes.tolist() == sorted(set(expected.tolist()))


_FACTS = st.sampled_from(
    (
        '"@type"', '"@type":"', ":", " ", "\n", "[", '"', '"Article"', '"Ab1"', "a" * 41, "é", "読",
        "𝒳", "@",
    )
)  # fmt: skip


@given(st.lists(st.lists(_FACTS, max_size=20).map("".join), max_size=3), st.integers(0, 60))
def test_types_of_things(facts: list[str], limit: int) -> None:
    from joeira.blockmodel.columns import _TYPE

    found = {kind for text in facts for kind in _TYPE.findall(text[:limit])}
    assert declarations.said((), facts, limit) == ("", "", found)


def test_what_metas_say() -> None:
    metas = [
        ("description", "", "short"), ("", "og:description", "longer"),
        ("description", "", "equal!"), ("x", "description", "the longest of all"),
        ("", "og:type", "Article"), ("og:type", "", "b"),
    ]  # fmt: skip
    assert declarations.said(metas, (), 9) == ("longer", "Article", set())


@given(
    st.lists(
        st.lists(
            st.sampled_from(("canonical", "CanonicaL", "og:url", " ", "\n", "\x1c", "x", "é", "İ"))
        ).map("".join),
        max_size=5,
    ),
    st.integers(0, 3),
)
def test_addresses_that_a_page_declares(relations: list[str], most: int) -> None:
    links = [(relation, str(number)) for number, relation in enumerate(relations)]
    metas = [("canonical", *link) for link in links]
    canonical = [number for name, number in links if "canonical" in name.lower().split()]
    urls = [number for name, number in links if "og:url" in name.lower().split()]
    assert declarations.addresses(links, metas, most) == canonical[:most] + urls[:most]


@given(st.text(st.sampled_from(["a", "é", "読", "\ud800", "\udfff", "\ue000", "𝒳"]), max_size=9))
def test_surrogates(text: str) -> None:
    assert characters.has_surrogates(text) == any("\ud800" <= letter <= "\udfff" for letter in text)


@given(
    st.lists(st.text("ab-é読𝒳", min_size=3, max_size=7), min_size=1, max_size=6),
    st.text("ab-é読𝒳", max_size=60),
)
def test_words_in_a_text(words: list[str], text: str) -> None:
    assert characters.Words(words).are_in(text) == any(word in text for word in words)
    assert characters.Words(words).are_in(f"{text}{words[-1]}{text}")


letters = st.text("acehmnost OMENTSİıKſÉß-\n\U0001f600", max_size=12)


@given(st.lists(letters | st.sampled_from(("comments", "Postcomment", "COMMENTS", "x" * 500))))
def test_words_in_names(names: list[str]) -> None:
    for words in (["omment"], ["omment", "oment", "sts"], ["tes", "é-n"], ["a" * 80, "ent"]):
        lowered = [name.lower() for name in names]
        with_word = [n for n, name in enumerate(lowered) if any(word in name for word in words)]
        assert characters.Words(words).are_in_names(names) == with_word


@pytest.mark.parametrize("words", [[], ["long", "ab"], ["abcdefgh"] * 20_000])
def test_words_that_cannot_be_looked_for(words: list[str]) -> None:
    with pytest.raises(ValueError, match="words"):
        characters.Words(words)


_OF_TEXTS = st.sampled_from(
    ("the", "The", "OF", "and", "de", "la", "que", "und", "ein", "est", "une", " ", "\n", "_", "7",
     "unnecessarily", "é", "ŒUVRE", "\u2019", "\u2192", "\x81", "\ud800", "ł", "я", "日", "𝒳", "😀")
)  # fmt: skip


@given(st.lists(st.lists(_OF_TEXTS | st.characters(), max_size=4), max_size=60))
@example([["the house of the hill "] * 9, [*map(chr, range(0x2190, 0x2190 + 20))]])
@example([["the house of the hill "] * 9, [*map(chr, range(0x2190, 0x2190 + 21))]])
@example([["the house of the hill "] * 9, [*map(chr, range(0x1F600, 0x1F600 + 21))]])
@example([["the house of the hill "] * 9, ["𝒳"]])
def test_languages_of_texts(parts: list[list[str]]) -> None:
    from joeira.metadata import language

    codes = language.codes_of(" ".join(map("".join, parts)))
    found = [language._western_votes(codes), language._by_letters_and_words(codes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "native_available", False)
        slow = [language._western_votes(codes), language._by_letters_and_words(codes)]
    assert found == slow


def test_words_that_cannot_vote() -> None:
    kinds = np.full(0x10000, ord(" "), np.uint16)
    for word in (b"", b"a\0", b"ninechars"):
        with pytest.raises(ValueError, match="letters"):
            characters.Votes({word: (("en",), 1.0)}, kinds, 9)
    with pytest.raises(ValueError, match="characters"):
        characters.Votes({}, kinds[1:], 9)


@given(st.lists(st.text("ab\né日𝒳", max_size=9), max_size=9), st.data())
def test_joined_strings(texts: list[str], data: st.DataObject) -> None:
    from joeira.arrays.strings import Characters

    strings = Characters.of(texts)._strings
    numbers = data.draw(st.lists(st.sampled_from(range(len(texts))))) if texts else []
    most = data.draw(st.integers(0, 30))
    joined = strings.joined(np.array(numbers, np.intp), most)
    assert joined.dtype == np.uint32
    assert "".join(map(chr, joined)) == "\n".join(texts[n] for n in numbers)[:most]
    for number in (-1, len(texts)):
        with pytest.raises(IndexError):
            strings.joined(np.array([number], np.intp), 9)


@given(st.lists(st.text("aB1 \n\u2028読む𝒳.,", max_size=12), max_size=6))
def test_characters_of_strings(texts: list[str]) -> None:
    from joeira.arrays.strings import Characters, collapse, words

    found = Characters.of(texts)
    assert "".join(map(chr, found.codes.tolist())) == "".join(text + "\n" for text in texts)
    assert found.lengths().tolist() == [len(collapse(text)) for text in texts]
    assert found.words().tolist() == [len(words(text)) for text in texts]


@pytest.mark.parametrize("count", [3, 500])
def test_characters_beyond_the_basic_plane(count: int) -> None:
    from joeira.arrays.strings import Characters, _flags

    text = "a. " + "".join(map(chr, range(0x1F600 - count // 2, 0x1F600 + count))) + "𝒳1𠀀"
    assert Characters.of([text, text]).classes.tolist() == 2 * _flags(f"{text}\n").tolist()


@given(st.lists(st.text(st.characters() | st.sampled_from("a\0\1\n\x1f\x7fé日𝒳"), max_size=40)))
def test_strings_of_characters(texts: list[str]) -> None:
    from joeira.arrays.strings import Characters

    strings = Characters.of(texts)._strings
    assert len(strings) == len(texts)
    assert strings.some(0, len(texts)) == tuple(texts)
    assert strings.some(1, len(texts) + 5) == tuple(texts[1:])
    assert [strings.one(number) for number in range(-len(texts), 0)] == texts
    with pytest.raises(IndexError):
        strings.one(len(texts))
    for count, limit in ((9, 99), (3, 5)):
        sample = "".join(texts[:count])[:limit]
        unwritten = len(re.findall("[\x01-\x08\x0e-\x1f\x7f]", sample))
        assert strings.unwritten(count, limit) == (unwritten, len(sample))


_PARTS_OF_DATES = st.sampled_from(
    ("20", "19", "1", "5", "12", "03", "2021", "1234567890", " ", "\n", "\u3000", ".", "/", "-",
     "May", "de", "年", "月", "T", "٢", "a", ", ", "Sept", "ember", "del", "th", "um 10:30", "CEST")
)  # fmt: skip


@settings(max_examples=2000)
@given(
    st.lists(st.lists(st.lists(_PARTS_OF_DATES, min_size=1, max_size=8), max_size=3), max_size=3)
)
def test_no_date_is_in_other_runs_of_strings(parts: list[list[list[str]]]) -> None:
    from joeira.arrays.strings import Characters
    from joeira.metadata.dates import first_day

    runs = [["".join(pieces) for pieces in run] for run in parts]
    found = Characters.of([text for run in runs for text in run])
    first = np.cumsum([0, *map(len, runs)]).astype(np.int32)
    dated = found._strings.dated(found.classes, first, 0, len(runs) + 5)
    assert found._strings.dated(found.classes, first, 1, 2) == [run for run in dated if run == 1]
    for number, run in enumerate(runs):
        lines = {" ".join(between.join(run).split()) for between in ("", " ")}
        if any(map(first_day, lines)):
            assert number in dated
        if len(re.findall(r"\d", "".join(run))) < 4:
            assert number not in dated


def test_words_apart_from_a_date_are_no_part_of_one() -> None:
    from joeira.arrays.strings import Characters
    from joeira.metadata.dates import first_day

    runs = [
        ["3th", "um 10:30 CEST 2020, March 3thum 10:30pmCESTA 2020"],
        ["5 Sept", "ember", " 2021"],
        ["5 de enero del del del 2021"],
        ["The 8 Best Stock Photo Agencies for 2021"],
        ["5\nTrends\tfrom Nutrition 2025"],
    ]
    found = Characters.of([text for run in runs for text in run])
    first = np.cumsum([0, *map(len, runs)]).astype(np.int32)
    assert found._strings.dated(found.classes, first, 0, 9) == [0, 1, 2]
    assert [first_day(" ".join(run)) for run in runs[3:]] == [None, None]


_PARTS_OF_BYLINES = st.sampled_from(
    ("by", "By", "B", "y", "von", "Vo", "n", "dİ", "DI", "d", "ı", "作", "者", "文", "：", ":", "/",
     " ", "\n", "\u3000", "_", "2", "Ann", "-", "ä")
)  # fmt: skip


@settings(max_examples=1000)
@given(
    st.lists(st.lists(st.lists(_PARTS_OF_BYLINES, min_size=1, max_size=5), max_size=3), max_size=4),
    st.integers(-1, 5),
)
def test_runs_that_begin_with_words(parts: list[list[list[str]]], stop: int) -> None:
    from joeira.arrays.strings import Characters
    from joeira.metadata import authors

    runs = [["".join(pieces) for pieces in run] for run in parts]
    found = Characters.of([text for run in runs for text in run])
    first = np.cumsum([0, *map(len, runs)]).astype(np.int32)
    words = authors._BY_WORDS
    spelled = "|".join(r"\s*".join(word) for word in words.split())
    begins = re.compile(rf"\s*(?:{spelled})(?!\w)")
    expected = []
    for number, run in enumerate(runs[: max(stop, 0)]):
        # Only capitals of the Latin alphabet are like small letters.
        text = re.sub("[A-Z]+", lambda match: match[0].lower(), "".join(f"{t}\n" for t in run))
        if begins.match(text):
            expected.append(number)
    begun = found._strings.begun(found.classes, first, stop, words)
    assert begun == expected
    for number, run in enumerate(runs[: max(stop, 0)]):
        lines = (" ".join(between.join(run).split()) for between in ("", " "))
        if any(map(authors._BY.match, lines)):
            assert number in begun
            assert authors._BY_BEGINNING.match(run[0])


def test_runs_of_strings_that_there_are_not() -> None:
    from joeira.arrays.strings import Characters

    found = Characters.of(["5 May 2021", "a"])
    strings = found._strings
    assert strings.dated(found.classes, np.array([0, 1, 2], np.int32), -3, 9) == [0]
    with pytest.raises(ValueError, match="of different pages"):
        strings.dated(found.classes[:2], np.array([0, 1], np.int32), 0, 1)
    for wrong in ([0, 3], [-1, 1], [1, 0]):
        with pytest.raises(ValueError, match="in order"):
            strings.dated(found.classes, np.array(wrong, np.int32), 0, 1)
        with pytest.raises(ValueError, match="in order"):
            strings.begun(found.classes, np.array(wrong, np.int32), 1, "by")
    only = np.array([1, 2], np.int32)
    begun = [strings.begun(found.classes, only, 9, words) for words in ("", " ", "5", "5  a")]
    assert begun == [[], [], [], [0]]


def test_strings_that_there_are_not() -> None:
    codes, starts = np.array([97, 10, 98, 10], np.uint32), np.array([0, 2])
    assert characters.Strings(codes, starts).some(0, 2) == ("a", "b")
    for wrong in ((codes[:2], starts), (codes, starts - 1), (codes, starts[::-1].copy())):
        with pytest.raises(ValueError, match="in order"):
            characters.Strings(*wrong)
    with pytest.raises(ValueError, match="no character"):
        characters.Strings(codes + np.uint32(0x110000), starts).one(0)


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match="text"):
        characters.classify(["a", None], np.zeros(0x10000, np.uint16))


def test_the_switch_is_told() -> None:
    program = "import joeira; print(joeira.native_available)"
    for wish, said in (("0", "False\n"), ("1", "True\n")):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "JOEIRA_NATIVE": wish},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == said
    assert joeira.native_available is True
