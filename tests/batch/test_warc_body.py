"""The page in a WARC record: chunks, content encodings, charsets, and errors in them."""

import gzip

import pytest

from joeira.batch import warc
from support import archives

pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")
HTML = "<p>Pão e café</p>"


def body(data: bytes, headers: str = "") -> tuple[bytes | str, str]:
    head = f"Content-Type: text/html\r\n{headers}".encode()
    return warc.body(archives.response(1, data, head))


def test_a_plain_body_stays_bytes() -> None:
    assert body(HTML.encode()) == (HTML.encode(), "")


def test_the_charset_of_the_server_is_used() -> None:
    record = archives.response(
        1, HTML.encode("latin-1"), b"Content-Type: text/html; charset=ISO-8859-1\r\n"
    )
    assert warc.body(record) == (HTML, "")


def test_content_encoding_and_chunks_are_undone() -> None:
    data = gzip.compress(HTML.encode())
    assert body(data, "Content-Encoding: gzip\r\n") == (HTML.encode(), "")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    headers = "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
    assert body(chunked, headers) == (HTML.encode(), "")


@pytest.mark.parametrize("header", ["Content-Encoding: gzip", "Transfer-Encoding: chunked"])
def test_a_body_that_is_not_encoded_as_it_says_is_read_as_it_is(header: str) -> None:
    found, problem = body(HTML.encode(), f"{header}\r\n")
    assert found == HTML.encode()
    assert "without its content encoding" in problem


def test_a_cut_body_is_kept_as_far_as_it_goes() -> None:
    data = gzip.compress(HTML.encode() * 500)[:-12]
    found, _ = body(data, "Content-Encoding: gzip\r\n")
    assert isinstance(found, bytes)
    assert found.startswith(HTML.encode())


def test_a_wrong_length_is_told() -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML.encode()
    found, problem = warc.body(archives.record(1, b"response", http, 3))
    assert found == HTML.encode()
    assert f"says it has 3 bytes, and has {len(http)}" in problem


@pytest.mark.parametrize(
    "head",
    [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/html;charset=iso-8859-1\r\nX: y\r\n\r\n",
        "HTTP/1.0 200\r\nX: y\r\nContent-Type: text/html; Charset=ISO-8859-1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8; q=iso-8859-1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=iso-8859-1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset='iso-8859-1'\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: a/b; charset=gbk\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: \r\nTransfer-Encoding:\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Crawler-Content-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nCONTENT-ENCODING: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Type: text/html\n\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\n\r\n",
        "\r\nContent-Type: text/html\r\n\r\n",
        "\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "no response\r\n\r\n",
        "",
    ],
)
@pytest.mark.parametrize("page", [HTML.encode("latin-1"), b"\r\n\r\n", b"", b"\xef\xbb\xbf<p>a"])
@pytest.mark.parametrize("length", [None, 3])
def test_a_page_that_is_not_encoded_is_what_fastwarc_reads(
    head: str, page: bytes, length: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = archives.record(1, b"response", head.encode() + page, length)
    quick = warc.body(record)
    monkeypatch.setattr(warc, "_stored_as_it_is", lambda _block: None)
    assert warc.body(record) == quick


@pytest.mark.parametrize("size", [20_000, 40_000, 60_000])
def test_a_page_below_a_long_head_is_read(size: int) -> None:
    http = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * size + b"\r\n\r\n" + HTML.encode()
    found, problem = warc.body(archives.record(1, b"response", http))
    assert found == HTML.encode()
    assert ("too long" in problem) == (size > 30_000)


def test_a_head_without_end_leaves_no_page_and_says_why() -> None:
    http = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\n\r\n" + HTML.encode()
    found, problem = warc.body(archives.record(1, b"response", http))
    assert found == b""
    assert "header" in problem


@pytest.mark.parametrize("kind", ["text/html", "a/b;charset=ISO-8859-1", "a/b; charset=gbk"])
def test_a_plain_head_is_what_fastwarc_reads(kind: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nServer: any (thing)\r\ncontent-type: {kind}\r\n\r\n".encode()
    found = warc._response(memoryview(head), "none")
    charset = warc._plain_charset(head)
    assert charset is not None
    assert charset.lower() == (found.http_charset or "")
