"""Memory that a worker's processes share."""

from __future__ import annotations

import os
import pickle

import pytest

from joeira.isolation import work
from joeira.isolation.work import Shared


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_what_is_written_last_is_read(
    monkeypatch: pytest.MonkeyPatch, has_memory_files: bool
) -> None:
    if not has_memory_files:
        monkeypatch.delattr("os.memfd_create", raising=False)
    ours = Shared()
    theirs = Shared(os.dup(ours.number))
    for data in (b"first", b"", "é" * 100_000, b"longer than most before", b"x" * 200_000, "short"):
        told = ours.put((data, 1))
        assert len(told) < 20
        assert pickle.loads(theirs.read(told)) == (data, 1)
    ours.close()
    assert pickle.loads(theirs.read(told)) == ("short", 1)
    theirs.close()


def test_what_there_is_no_room_for_is_told_as_a_whole() -> None:
    number = os.open(os.devnull, os.O_RDONLY)
    data = b"x" * 100_000
    full = Shared(number)
    assert pickle.loads(full.read(full.put(data))) == data
    full.close()


def test_what_a_large_question_took_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Shared()
    least = len(pickle.dumps(b""))
    monkeypatch.setattr(work, "KEPT_BYTES", least + 10)
    for size, kept in ((8, 8), (3, 8), (50, 50), (20, 20), (5, 5), (9, 9), (2, 9)):
        ours.put(b"x" * size)
        assert os.fstat(ours.number).st_size == least + kept
    ours.close()
