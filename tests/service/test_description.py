"""The OpenAPI description is true: Schemathesis tries what it says, and what it rules out."""

import re
import subprocess
import sys
from pathlib import Path

from support.service import Service


def test_schemathesis_finds_nothing(running: Service, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{running.url}/openapi.json"),
            *("--max-examples", "5", "--generation-deterministic", "--no-color"),
            *("--exclude-path", "/v1/explain"),  # it is asked as /v1/extract is, with its methods
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    failures = re.sub(r"(.)\1{50,}", r"\1...", done.stdout.rpartition("= FAILURES =")[2])
    assert done.returncode == 0, failures[:5000] + done.stderr[-2000:]
    tried = re.search(r"(\d+) generated", done.stdout)
    assert tried, done.stdout[-5000:]
    assert int(tried[1]) > 300
