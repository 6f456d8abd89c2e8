"""Going over many inputs: progress for those who watch, and the exit code of it all."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from joeira.cli.ending import ExitCode, say

_FEW = 3
"""So many inputs are done before a progress bar could be read."""

Item = TypeVar("Item")


def exit_code(ends: Counter[str], *, strict: bool = False) -> ExitCode:
    """Return the exit code for how inputs ended (ok, empty or failed), and sum up many."""
    if ends.total() > 1 and ends["ok"] < ends.total():
        counts = ", ".join(f"{ends[end]} {end}" for end in ("ok", "empty", "failed"))
        say(f"{ends.total()} inputs: {counts}")
    if ends["failed"] or (strict and ends["empty"]):
        return ExitCode.SOME_FAILED
    return ExitCode.OK if ends["ok"] else ExitCode.NOTHING_FOUND


def with_progress(items: list[Item], doing: str, *, on_screen: bool) -> Iterable[Item]:
    """Show how far we are, where somebody watches and results do not go to the same screen."""
    if len(items) <= _FEW or sys.stderr is None or not sys.stderr.isatty() or on_screen:
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, doing, console=Console(stderr=True), transient=True)
