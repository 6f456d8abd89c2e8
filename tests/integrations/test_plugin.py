"""The template of a plugin, installed into an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "examples" / "plugin"
PROGRAMS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the plugin, and what these tests run with."""
    folder = tmp_path_factory.mktemp("plugin")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / PROGRAMS / "python"
    source = shutil.copytree(PLUGIN, folder / "source")  # a build leaves nothing in the clone
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", source],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode and "hatchling" in done.stderr + done.stdout:
        pytest.skip("hatchling, which builds packages, cannot be downloaded")
    assert done.returncode == 0, done.stderr
    variables = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
    site = Path(sysconfig.get_path("purelib", vars=variables))
    (site / "more.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
    return python


def run(python: Path, *arguments: str | Path, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [python, "-W", "error", *arguments],
        cwd=folder, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERMINAL_WIDTH": "200"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_tests_of_the_template(python: Path, tmp_path: Path) -> None:
    shutil.copytree(PLUGIN / "tests", tmp_path / "tests")
    told = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", folder=tmp_path)
    assert "2 passed" in told


@pytest.mark.slow
def test_the_command_line_knows_method_and_format(python: Path) -> None:
    page = ROOT / "examples" / "article.html"
    text = run(python, "-m", "joeira", "extract", page, "-m", "longest", "--to", "org")
    assert text.startswith("* ")
    told = run(python, "-m", "joeira", "methods", "longest")
    assert "min_share" in told
    shown = "".join(run(python, "-m", "joeira", "extract", "--help").split())
    assert "|csv|org>" in shown


def test_formats_of_others_that_do_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    from joeira import formats

    points = [
        metadata.EntryPoint("gone", "no_such_module:FORMAT", "joeira.formats"),
        metadata.EntryPoint("text", "joeira.formats:FORMATS", "joeira.formats"),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    formats._plugged.cache_clear()
    try:
        with pytest.warns(UserWarning, match="of another package") as told:
            assert formats.all_formats() == formats.FORMATS
        assert len(told) == 2
    finally:
        formats._plugged.cache_clear()
