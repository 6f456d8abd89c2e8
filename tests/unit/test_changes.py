"""Pairing the rows of two outputs, and measuring what differs."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.errors import InputError, UsageError
from joeira.evaluation import changes
from joeira.evaluation.changes import Options, Rows, compare, size_of_change, texts_of


@pytest.fixture
def write(tmp_path: Path):
    """Write rows to a file, packed if its name says so."""

    def to(name: str, *rows: dict[str, Any]) -> Rows:
        path = tmp_path / name
        data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return Rows((path,))

    return to


def test_the_size_of_a_change_is_a_share_of_words() -> None:
    assert size_of_change("one two", "one two") == 0
    assert size_of_change("one two", "two, ONE!") == 0  # order and case are no words
    assert size_of_change("one two", "three four") == 1
    assert size_of_change("one two three four", "one two three five") == pytest.approx(0.25)
    assert size_of_change("", "one") == size_of_change("one", "") == 1
    assert size_of_change("", "") == 0
    assert (
        size_of_change("今日は晴れ", "今日は雨だ") < 1
    )  # characters count where there are no spaces


@given(st.text(), st.text())
def test_sizes_are_symmetric_and_bounded(old: str, new: str) -> None:
    size = size_of_change(old, new)
    assert 0 <= size <= 1
    assert size == pytest.approx(size_of_change(new, old))
    assert size_of_change(old, old) == 0


def test_texts_within_lists_and_objects_count() -> None:
    assert texts_of([{"a": "one", "b": 2}, "two"], None) == ("one\ntwo", "")
    assert texts_of(1, 2.5) is None
    assert texts_of(None, True) is None
    assert texts_of("sha256:00", "sha256:01") is None


def test_every_field_of_every_pair_is_counted_once(write) -> None:
    old = write(
        "old.jsonl",
        {"id": "a", "text": "one two", "title": "T", "score": 1},
        {"id": "b", "text": "three", "title": None, "score": 1},
        {"id": "c", "text": "four"},
        {"id": 4, "text": "five"},
    )
    new = write(
        "new.jsonl",
        {"id": "4", "text": "five"},
        {"id": "b", "text": None, "title": "U", "score": 2},
        {"id": "a", "text": "one two", "title": "T", "score": 1},
        {"id": "z", "text": "?"},
    )
    found = compare(old, new, Options())
    assert (found.pages, found.equal_pages, found.changed_pages) == (3, 2, 1)
    assert (found.only_old, found.only_old_rows) == (["c"], 1)
    assert (found.only_new, found.only_new_rows) == (["z"], 1)
    counts = {
        name: (count.equal, count.changed, count.only_old, count.only_new)
        for name, count in found.fields.items()
    }
    # A field that no row of a pair has is not counted for it.
    assert counts == {"text": (2, 0, 1, 0), "title": (1, 0, 0, 1), "score": (1, 1, 0, 0)}
    assert found.fields["text"].mean_size == pytest.approx(1 / 3)
    assert found.fields["score"].mean_size is None
    (change,) = found.most_changed
    assert (change.id, change.field, change.size) == ("b", "text", 1)
    assert (change.lost, change.gained, change.also) == ("three", "", ("title", "score"))
    assert found.differs


def test_equal_outputs_in_another_order(write) -> None:
    rows = [{"id": str(number), "text": f"page {number}"} for number in range(700)]
    found = compare(write("a.jsonl.gz", *rows), write("b.jsonl", *reversed(rows)), Options())
    assert not found.differs
    assert found.equal_pages == 700
    assert found.most_changed == []


def test_rows_with_the_same_id_are_paired_in_order(write) -> None:
    old = write("old.jsonl", {"id": "a", "n": 1}, {"id": "a", "n": 2}, {"id": "a", "n": 3})
    new = write("new.jsonl", {"id": "a", "n": 1}, {"id": "a", "n": 2})
    found = compare(old, new, Options())
    assert (found.equal_pages, found.only_old, found.only_old_rows) == (2, ["a"], 1)


def test_the_most_changed_come_first_and_are_few(write) -> None:
    old = write(
        "old.jsonl",
        *({"id": str(number), "n": number, "text": "a b c d e f g h"} for number in range(9)),
    )
    new = write(
        "new.jsonl",
        *(
            {
                "id": str(number),
                "n": -number,
                "text": "x " * number + "a b c d e f g h"[2 * number :],
            }
            for number in range(9)
        ),
    )
    found = compare(old, new, Options(most=3, over=0.5))
    assert [change.id for change in found.most_changed] == ["8", "7", "6"]
    assert found.most_changed[0].lost == "a b c d e f g h"
    assert found.over_pages == found.fields["text"].over == 4
    assert compare(old, new, Options(most=0)).most_changed == []


def test_what_was_lost_and_gained_is_told_in_few_words() -> None:
    change = changes.describe_change("a", "text", "The old way " * 20, "The new way " * 20)
    assert (change.lost, change.gained) == ("old " * 8 + "…", "new " * 8 + "…")
    value = changes.describe_change("a", "score", 0.5, None)
    assert (value.size, value.lost, value.gained) == (None, "0.5", "")


def test_versions_are_not_compared_unless_named(write) -> None:
    old = write("old.jsonl", {"id": "a", "joeira_version": "1", "json": {"version": 1, "x": "y"}})
    new = write("new.jsonl", {"id": "a", "joeira_version": "2", "json": {"version": 2, "x": "y"}})
    found = compare(old, new, Options())
    assert not found.differs
    assert list(found.ignored) == ["joeira_version"]
    assert compare(old, new, Options(fields=("joeira_version",))).differs
    assert compare(old, new, Options(fields=("json",))).differs
    with pytest.raises(UsageError, match="the field 'txt'"):
        compare(old, new, Options(fields=("json", "txt")))


def test_several_files_are_one_output(write) -> None:
    parts = [write(f"{n}.jsonl.gz", {"id": str(n), "text": "same"}).files[0] for n in range(3)]
    whole = write("whole.jsonl", *({"id": str(n), "text": "same"} for n in range(3)))
    assert not compare(Rows(tuple(parts)), whole, Options()).differs


def test_parquet(tmp_path: Path, write) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
    import pyarrow

    rows = [{"id": str(number), "text": f"page {number}"} for number in range(200)]
    path = tmp_path / "part.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    assert not compare(Rows((path,)), write("b.jsonl", *rows), Options()).differs
    path.write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"part\.parquet, after line 0: cannot be read"):
        compare(Rows((path,)), write("b.jsonl", *rows), Options())


@pytest.mark.parametrize(
    "line, problem",
    [
        (b"{", "not JSON"),
        (b"[1]", "not list"),
        (b'{"text": "x"}', "no 'id'"),
        (b'{"id": null}', "no 'id'"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_damage_is_named_with_file_and_line(
    tmp_path: Path, line: bytes, problem: str, packed: bool
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(b'{"id": 1}\n\n')
    data = b'{"id": 1}\n\n' + line + b"\n"
    bad.write_bytes(gzip.compress(data) if packed else data)
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(InputError, match=rf"bad\.jsonl, line 3: .*{problem}"):
            compare(*(Rows((path,)) for path in pair), Options())


def test_a_torn_file_is_named(tmp_path: Path, write) -> None:
    rows = [{"id": number, "text": str(number) * 99} for number in range(999)]
    torn = write("torn.jsonl.gz", *rows)
    torn.files[0].write_bytes(torn.files[0].read_bytes()[:-50])
    whole = write("whole.jsonl", *rows)
    for pair in ((torn, whole), (whole, torn)):
        with pytest.raises(InputError, match=r"torn\.jsonl\.gz, after line \d+: cannot be read"):
            compare(*pair, Options())


def test_misuse() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        Options(over=1.5)
    with pytest.raises(UsageError, match="-1"):
        Options(most=-1)
