"""The scripts: they can be run, they are documented, and their checks see what they are for."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if not path.suffix)


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run_and_is_documented(path: Path) -> None:
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)
    first, second, *_ = path.read_text("utf-8").splitlines()
    assert first == "#!/usr/bin/env bash"
    assert second.startswith(f"# scripts/{path.name}"), "the second line says how it is called"
    assert f"scripts/{path.name}" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_lowest_versions() -> None:
    given = ["turbohtml>=1.15", "typer >= 0.15.4", "rich[all]<16,>=13", "x>=1 ; os_name == 'nt'"]
    lowest = list(module("lowest_versions").lowest(given))
    assert lowest == ["turbohtml==1.15", "typer==0.15.4", "rich==13", "x==1"]
    with pytest.raises(ValueError, match="'numpy<3' has no lower bound"):
        list(module("lowest_versions").lowest(["numpy<3"]))


def test_every_core_dependency_has_a_lower_bound() -> None:
    command = [sys.executable, ROOT / "scripts" / "lowest_versions.py"]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    assert all("==" in line for line in done.stdout.splitlines())
    assert "turbohtml==" in done.stdout


def wheel(folder: Path, *, without: str = "", more: str = "") -> Path:
    path = folder / "joeira-1.2.3-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for name in module("wheel_contents").expected("joeira-1.2.3.dist-info"):
            if not without or without not in name:
                archive.writestr(name, b"")
        if more:
            archive.writestr(more, b"")
    return path


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone, so nothing is tracked")
def test_the_contents_of_a_wheel(tmp_path: Path) -> None:
    problems = module("wheel_contents").problems
    assert problems(wheel(tmp_path), None) == []
    assert problems(wheel(tmp_path), "v1.2.3") == []
    (wrong,) = problems(wheel(tmp_path), "v1.2.4")
    assert wrong == "it is version 1.2.3, but the tag is v1.2.4"
    assert problems(wheel(tmp_path, more="joeira/left_over.txt"), None) == [
        "unexpected: joeira/left_over.txt"
    ]
    assert problems(wheel(tmp_path, without="py.typed"), None) == [
        "missing: joeira/py.typed",
        "nothing like joeira/py.typed",
    ]


def test_every_extra_is_tried() -> None:
    tries, extras = module("extra_tries").TRIES, module("extras")
    assert set(tries) == set(extras.extras())
    assert set(extras.SLOW) < set(tries)
