import time

from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays.strings import common_subsequence_length
from joeira.content.nce import similar_groups
from support.examples import EXAMPLES


def test_headers_of_comments_hang_together() -> None:
    texts = ["Posted by Ana, 12 May", "A remark on the rain", "Posted by Rui, 12 May"]
    assert list(similar_groups(texts, 5, 0.8)) == [[0, 2], [1]]
    assert list(similar_groups(texts, 1, 0.8)) == [[0], [1], [2]]
    assert common_subsequence_length(texts[0], texts[2]) == 18


def test_nothing_to_compare() -> None:
    assert list(similar_groups([], 5, 0.8)) == []
    assert list(similar_groups(["alone"], 5, 0.8)) == [[0]]


@EXAMPLES
@given(
    st.lists(st.text("abcé", min_size=1, max_size=6), max_size=12),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.5, 0.8, 1.0]),
)
def test_groups_are_connected_components(texts: list[str], window: int, ratio: float) -> None:
    groups = [{place} for place in range(len(texts))]
    for second in range(len(texts)):
        for first in range(max(0, second - window), second):
            common = common_subsequence_length(texts[first], texts[second])
            if common >= ratio * min(len(texts[first]), len(texts[second])):
                merged = groups[first] | groups[second]
                for member in merged:
                    groups[member] = merged
    expected = [sorted(group) for place, group in enumerate(groups) if min(group) == place]
    assert list(similar_groups(texts, window, ratio)) == expected


def test_a_long_chain_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        texts = [f"Posted by user {number % 10}, 12 May" for number in range(count)]
        return min(once(texts) for _ in range(3))  # the least disturbed one

    def once(texts: list[str]) -> float:
        started = time.process_time()
        assert len(next(similar_groups(texts, 5, 0.8))) == len(texts)
        return time.process_time() - started

    seconds(1000)
    assert seconds(20_000) < 60 * max(seconds(1000), 0.002)
