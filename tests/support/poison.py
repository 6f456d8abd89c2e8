"""Poison for workers: imported by them alone, through JOEIRA_TEST_WORKER_HOOK."""

import ctypes
import os
import time
from typing import Any

HOOK = {"JOEIRA_TEST_WORKER_HOOK": "support.poison"}
STATUS = {"segfault": "crash", "exit": "crash", "loop": "timeout", "bomb": "oom"}
"""What becomes of a page with each poison."""


def page(kind: str) -> str:
    return f"<p>This page carries poison:{kind}; and would otherwise be read.</p>"


def touch(question: Any) -> None:
    """Act by the page of a batch's record, or of a service's call."""
    page = question if hasattr(question, "html") else question.arguments[0]
    html = page.html if isinstance(page.html, bytes) else page.html.encode()
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
    elif kind == "slow":
        time.sleep(0.2)
