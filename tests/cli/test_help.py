"""Help with examples, the version, and completion in shells."""

import re

import pytest

from joeira import __version__
from support.command_line import joeira

COMMANDS = (
    "extract",
    "metadata",
    "records",
    "view",
    "why",
    "methods",
    "evaluate",
    "extract-site",
    "batch",
)


def test_version() -> None:
    assert joeira("--version").stdout == f"joeira {__version__}\n"


def test_help_lists_the_commands() -> None:
    done = joeira("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^\W+{command} ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_shows_two_examples(command: str) -> None:
    done = joeira(command, "-h" if command == "why" else "--help")
    assert done.returncode == 0
    assert len(re.findall(rf"^ *\$ joeira {command} .+$", done.stdout, re.MULTILINE)) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str) -> None:
    # Without this variable the shell that runs the tests would be asked for.
    variables = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = joeira("--show-completion", shell, variables=variables)
    assert done.returncode == 0
    assert "_JOEIRA_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    "line, expected",
    [
        ("joeira extract --method all", "all_text"),
        ("joeira why page.html -m bt", "bte"),
        ("joeira methods den", "density"),
        ("joeira extract --to mark", "markdown"),
        ("joeira ex", "extract"),
    ],
)
def test_completion(line: str, expected: str) -> None:
    words = len(line.split()) - 1
    variables = {"_JOEIRA_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(words)}
    done = joeira(variables=variables)
    assert expected in done.stdout.split()
    assert "gupta" not in done.stdout
