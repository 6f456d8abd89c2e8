"""The viewer as it is started from the command line."""

import json
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from support.command_line import COMMAND, environment, hear_interrupts, joeira

pytest.importorskip("fastapi", reason="the extra 'service' is not installed")


def test_a_folder_of_pages_is_shown(tmp_path: Path) -> None:
    for name in ("a.html", "b.htm"):
        (tmp_path / name).write_text(f"<p>The page {name}", "utf-8")
    process = subprocess.Popen(
        [*COMMAND, "view", str(tmp_path), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=hear_interrupts,  # noqa: PLW1509  # no threads here
    )
    try:
        address = process.stdout.readline().decode().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}v1/viewer/start", timeout=60) as answer:
            told = json.load(answer)
        assert [page["name"] for page in told["pages"]] == ["a.html", "b.htm"]
        assert len(told["examples"]) == 6
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said == b""
    finally:
        process.kill()
        process.communicate()


def test_a_page_that_is_not_there() -> None:
    done = joeira("view", "no-such-page.html", "--no-browser")
    assert done.returncode == 2
    assert "no such file" in done.stderr
