"""The package has kernels where a compiler is found, and works without them where none is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("Cython")
pytest.importorskip("hatchling")

pytestmark = pytest.mark.slow


def build(folder: Path, **variables: str) -> tuple[Path, str]:
    """The wheel of the clone, and what was said while it was built."""
    environment = {name: value for name, value in os.environ.items() if name != "JOEIRA_NATIVE"}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel, done.stdout + done.stderr


def kernels(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if name.endswith((".so", ".pyd"))]


def run(wheel: Path, folder: Path) -> str:
    """What an interpreter says of the package in a wheel, unpacked."""
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    article = ROOT / "examples" / "article.html"
    program = (
        f"import joeira; html = open({str(article)!r}, 'rb').read();"
        "print(joeira.native_available, joeira.__file__, joeira.extract(html).text())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=folder,
    )
    assert str(folder) in done.stdout
    return done.stdout.replace(str(folder), "")


def test_with_and_without_a_compiler(tmp_path: Path) -> None:
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("no C compiler")
    fast, _ = build(tmp_path / "fast")
    slow, said = build(tmp_path / "slow", CC="false")
    plain, quiet = build(tmp_path / "plain", JOEIRA_NATIVE="0")
    sources = list((ROOT / "src/joeira/_native").glob("*.pyx"))
    assert len(kernels(fast)) == len(sources) + 1  # and what they share
    assert not fast.name.endswith("-none-any.whl")
    for wheel in (slow, plain):
        assert kernels(wheel) == []
        assert wheel.name.endswith("-none-any.whl")
    assert said.count("without native kernels") == 1
    assert "without native kernels" not in quiet
    found = [run(wheel, wheel.parent / "installed") for wheel in (fast, slow)]
    assert found[0].startswith("True ")
    assert found[1] == found[0].replace("True ", "False ", 1)


def test_a_release_wants_the_kernels(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="C compiler"):
        build(tmp_path, CC="false", JOEIRA_NATIVE="1")
