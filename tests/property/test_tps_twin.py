"""Tag path sequences against the published listing: sets, intersections and recursion."""

from collections import Counter
from typing import Literal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.arrays.sequences import SplitRule, main_region, parts
from joeira.content import TPS
from joeira.page import tags
from joeira.page.tag_paths import tag_path_sequence
from strategies import pages
from support.examples import EXAMPLES
from support.twin import Twin, names

UNSEEN = names(tags.NOT_TEXT | tags.HEAD)

symbols = st.integers(0, 5)
runs = st.lists(st.tuples(st.lists(symbols, min_size=1, max_size=4), st.integers(1, 4)), max_size=8)


@st.composite
def sequences(draw: st.DrawFn) -> list[int]:
    """Repeated groups of symbols, some groups with symbols of their own."""
    found = []
    for number, (group, times) in enumerate(draw(runs)):
        offset = draw(st.sampled_from((0, 10 * number)))
        found += [symbol + offset for symbol in group] * times
    return found


rules = st.builds(
    SplitRule,
    st.sampled_from((0.0, 0.2, 0.5)),
    st.sampled_from(("absolute", "printed")),
    st.sampled_from(("at_least", "above")),
    st.sampled_from(("first", "scan_on", "best")),
)


def border(sequence: list[int], rule: SplitRule) -> int:
    """Return the length of the left part; 0 for no border."""
    size = len(sequence)
    count = Counter(sequence)
    for threshold in sorted(set(count.values())):
        at_least = threshold if rule.frequent == "at_least" else threshold + 1
        current = {symbol for symbol in count if count[symbol] >= at_least}
        if len(current) < 2:
            break
        passing: dict[int, float] = {}
        region: set[int] = set()
        left = Counter(sequence)
        for place, symbol in enumerate(sequence, 1):
            if symbol not in current:
                continue
            region.add(symbol)
            left[symbol] -= 1
            if left[symbol]:
                continue
            current.discard(symbol)
            if current & region or not current:
                continue
            difference = (size - 2 * place) / size
            if rule.size_test == "absolute":
                difference = abs(difference)
            if difference > rule.min_imbalance:
                passing[place] = difference
            if rule.policy == "first":
                break
        if passing:
            best = max(passing, key=lambda place: (passing[place], -place))
            return best if rule.policy == "best" else min(passing)
    return 0


def search(sequence: list[int], rule: SplitRule, start: int = 0) -> tuple[int, int]:
    place = border(sequence, rule)
    if not place:
        return start, start + len(sequence)
    if place < len(sequence) / 2:
        return search(sequence[place:], rule, start + place)
    return search(sequence[:place], rule, start)


def partition(sequence: list[int], start: int = 0) -> list[int]:
    place = border(sequence, SplitRule())
    if not place:
        return [start]
    return partition(sequence[:place], start) + partition(sequence[place:], start + place)


@EXAMPLES
@given(sequences(), rules)
def test_main_region_is_the_listing(sequence: list[int], rule: SplitRule) -> None:
    assert main_region(np.array(sequence, np.int64), rule) == search(sequence, rule)


@EXAMPLES
@given(sequences())
def test_parts_are_the_listing_on_both_sides(sequence: list[int]) -> None:
    assert parts(np.array(sequence, np.int64)).tolist() == partition(sequence)


@EXAMPLES
@given(pages(), st.booleans(), st.sampled_from(("position", "code")))
def test_content_is_what_pruning_leaves(
    html: str, text_nodes: bool, membership: Literal["position", "code"]
) -> None:
    twin = Twin(html)
    body = next(number for number, row in enumerate(twin.rows) if row.name == "body")
    nodes = [
        number
        for number, row in enumerate(twin.rows)
        if number >= body
        and UNSEEN.isdisjoint(twin.names_to(row))
        and (text_nodes or row.text is None)
    ]
    paths = [twin.styled_path(twin.rows[number]) for number in nodes]
    numbers = {path: number for number, path in enumerate(dict.fromkeys(paths))}
    codes = [numbers[path] for path in paths]
    start, stop = search(codes, SplitRule())
    inside = set(nodes[start:stop])
    if membership == "code":
        inside = {
            node for node, code in zip(nodes, codes, strict=True) if code in codes[start:stop]
        }
    kept = [
        number in inside if text_nodes else row.ancestors[-1] in inside
        for number, row in enumerate(twin.rows)
        if row.text is not None
    ]

    page = joeira.parse(html)
    sequence = tag_path_sequence(page, text_nodes=text_nodes)
    assert sequence.rows.tolist() == nodes
    assert len(set(zip(codes, sequence.codes.tolist(), strict=True))) == len(numbers)
    found = TPS(text_nodes=text_nodes, membership=membership).extract(page)
    assert found.keep.tolist() == kept
