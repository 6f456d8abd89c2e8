"""The OpenAPI description is true: Schemathesis tries what it says, and what it rules out."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import Service, service


@pytest.fixture
def patient() -> Iterator[Service]:
    """A service that gives no page up because the machine is busy: what it answers is tested."""
    with service("--workers", "1", "--timeout", "120", "--body-timeout", "120") as found:
        yield found


def test_schemathesis_finds_nothing(patient: Service, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{patient.url}/openapi.json"),
            *("--max-examples", "5", "--generation-deterministic", "--no-color"),
            *("--request-timeout", "120"),
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
