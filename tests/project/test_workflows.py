"""What GitHub reads: workflows, forms and hooks say what the scripts do, and no more."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TOOLS = Path(sys.executable).parent

each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def steps(path: Path, key: str) -> list[str]:
    return re.findall(rf"^ +(?:- )?{key}: (.+)$", path.read_text("utf-8"), re.MULTILINE)


def test_the_linters_find_nothing() -> None:
    for tool in ("zizmor", "check-jsonschema"):
        if shutil.which(tool, path=str(TOOLS)) is None:
            pytest.skip(f"{tool} is not installed")
    done = subprocess.run(
        ["bash", ROOT / "scripts" / "lint-workflows"],
        env={**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@each_workflow
def test_every_step_that_runs_something_runs_one_script(path: Path) -> None:
    runs = steps(path, "run")
    assert runs
    for line in runs:
        command, _, _ = line.partition(" #")
        script, *_ = command.split()
        assert script.startswith("scripts/")
        assert os.access(ROOT / script, os.X_OK)
        assert not re.search(r"[;&|]|\$\{\{", command), "one command, with nothing pasted into it"


@each_workflow
def test_actions_are_pinned_to_a_commit_and_say_which_release(path: Path) -> None:
    for action in steps(path, "uses"):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_an_action_has_the_same_pin_everywhere() -> None:
    pins = {action for path in WORKFLOWS for action in steps(path, "uses")}
    assert len({action.partition("@")[0] for action in pins}) == len(pins)


def test_hooks_use_the_versions_of_the_tests() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    tools = re.findall(r"additional_dependencies: \[\"(.+)\"\]", hooks)
    assert tools
    assert set(tools) <= set(settings["project"]["optional-dependencies"]["test"])


def test_the_first_python_of_the_workflows_is_the_lowest_allowed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lowest = settings["project"]["requires-python"].removeprefix(">=")
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    versions = re.findall(r"^ +python: \[(.+)\]$", text, re.MULTILINE)
    assert versions
    assert all(line.startswith(f'"{lowest}"') for line in versions)
