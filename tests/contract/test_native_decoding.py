"""UTF-8 is decoded as Python does it, or left to Python."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira._native import native_available
from joeira.page.parse import as_served
from support.examples import EXAMPLES

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

if native_available:
    from joeira._native import decoding

PIECES = (
    b"a", b"plain text of more than thirty-two bytes", b"8 bytes.", b"\0", b"\x7f", "é".encode(),
    "\u07ff\u0800\ud7ff\ue000\uffff".encode(), "\U00010000\U0010ffff".encode(), "中文".encode(),
    b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc3(", b"\xe0\x9f\xbf", b"\xe4\xb8",
    b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xff\xfe",
)  # fmt: skip


def check(data: bytes) -> None:
    try:
        expected = data.decode("utf-8")
    except UnicodeDecodeError:
        assert decoding.utf8(data) is None
    else:
        for given_data in (data, memoryview(b"x" + data)[1:], bytearray(data)):
            text = decoding.utf8(given_data)
            assert text == expected
            # As narrow as can be: other code tells by that whether strings may be equal.
            assert sys.getsizeof(text) == sys.getsizeof("".join(list(expected)))
    assert as_served(data, "utf-8") in (data, data.decode("utf-8", "replace"))


@EXAMPLES
@given(st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join))
def test_any_bytes(data: bytes) -> None:
    check(data)


@EXAMPLES
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    check(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("size", range(70))
@pytest.mark.parametrize("character", "é中\U0001f600")
def test_one_character_at_any_place(size: int, character: str) -> None:
    check(("a" * size + character + "b" * (70 - size)).encode())
    check(("a" * size + character).encode()[:-1])


def test_what_has_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError):
        decoding.utf8("text")  # type: ignore[arg-type]  # that is the mistake
