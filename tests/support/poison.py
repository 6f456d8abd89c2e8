"""Poison for workers: imported by them alone, through JOEIRA_TEST_WORKER_HOOK."""

import ctypes
import os
import time
from typing import Any

from joeira.batch.sites import Site, readable

HOOK = {"JOEIRA_TEST_WORKER_HOOK": "support.poison"}
STATUS = {"segfault": "crash", "exit": "crash", "loop": "timeout", "bomb": "oom"}
"""What becomes of a page with each poison."""


def page(kind: str) -> str:
    return f"<p>This page carries poison:{kind}; and would otherwise be read.</p>"


def touch(question: Any) -> None:
    """Act by the page of a batch's record or of a service's call, or by all pages of a site."""
    if isinstance(question, Site):
        for _, record in readable(question):
            _touch(record)
    else:
        _touch(question if hasattr(question, "html") else question.arguments[0])


def _touch(record: Any) -> None:
    html = record.html if isinstance(record.html, bytes) else record.html.encode()
    start = html.find(b"poison:")
    kind = html[start + 7 : html.find(b";", start)].decode() if start >= 0 else ""
    if kind == "segfault":
        ctypes.string_at(0)
    elif kind == "exit":
        os._exit(7)
    elif kind == "loop":
        while True:
            pass
    elif kind == "bomb":
        bytearray(4 << 30)
    elif kind == "sleep":
        time.sleep(1000)
    elif kind == "slow":
        time.sleep(0.2)
