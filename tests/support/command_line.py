"""Runs the program as users do: a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COMMAND = (sys.executable, "-W", "error", "-m", "joeira")


def hear_interrupts() -> None:
    """Let a child hear Ctrl-C also where the tests run in the background, which do not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def environment(**more: str) -> dict[str, str]:
    """An environment in which output does not depend on who runs the tests, or where."""
    kept = {k: v for k, v in os.environ.items() if k not in ("JOEIRA_DEBUG", "FORCE_COLOR")}
    return {**kept, "COLUMNS": "200", "TERMINAL_WIDTH": "200", "NO_COLOR": "1", **more}


def joeira(
    *arguments: str | Path, stdin: bytes = b"", **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; the outputs are read as UTF-8."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        stdout=more.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
        env=environment(**more.pop("variables", {})),
        cwd=more.pop("folder", ROOT),
    )
    assert not more
    assert b"Traceback" not in done.stderr
    output = (done.stdout or b"").decode("utf-8")
    return subprocess.CompletedProcess(
        done.args, done.returncode, output, done.stderr.decode("utf-8")
    )
