"""WARC files of our own making, whole and damaged."""

import gzip
from collections.abc import Sequence


def response(number: int, body: bytes, headers: bytes = b"Content-Type: text/html\r\n") -> bytes:
    http = b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n" + body
    return record(number, b"response", http)


def record(number: int, kind: bytes, block: bytes, length: int | None = None) -> bytes:
    head = (
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%04d>\r\n"
        b"WARC-Target-URI: http://example.org/%d\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
        b"Content-Type: application/http; msgtype=%s\r\nContent-Length: %d\r\n\r\n"
    )
    length = len(block) if length is None else length
    return head % (kind, number, number, kind, length) + block + b"\r\n\r\n"


def page(number: int) -> bytes:
    words = " ".join(f"word{number}x{k}" for k in range(40))
    return f"<html><body><p>Page {number} says: {words}.</p></body></html>".encode()


def pages(count: int) -> list[bytes]:
    return [response(number, page(number)) for number in range(count)]


def compressed(records: Sequence[bytes]) -> list[bytes]:
    return [gzip.compress(record, mtime=0) for record in records]
