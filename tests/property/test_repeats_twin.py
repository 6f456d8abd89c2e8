"""Repeated runs against the rule as it is written."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from joeira.sites.som.tree import repeated_runs


def plain(
    symbols: list[int], groups: list[int], max_period: int, min_repeats: int
) -> list[tuple[int, int]]:
    runs, place = [], 0
    while place < len(symbols):
        best = 0
        for period in range(1, max_period + 1):
            pattern = symbols[place : place + period]
            stop = place + period
            while symbols[stop : stop + period] == pattern:
                stop += period
            while stop > place and groups[min(stop, len(groups)) - 1] != groups[place]:
                stop -= period
            if stop <= len(symbols) and (stop - place) // period >= min_repeats:
                best = max(best, stop - place)
        if best:
            runs.append((place, place + best))
        place += best or 1
    return runs


@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=30),
    st.integers(1, 4),
    st.integers(2, 3),
)
def test_runs_are_those_of_the_plain_rule(
    drawn: list[tuple[int, bool]], max_period: int, min_repeats: int
) -> None:
    symbols = [symbol for symbol, _ in drawn]
    groups = np.cumsum([new for _, new in drawn], dtype=np.int64)
    found = repeated_runs(np.array(symbols, np.int64), groups, max_period, min_repeats)
    assert found == plain(symbols, groups.tolist(), max_period, min_repeats)
