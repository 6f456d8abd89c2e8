"""Help with examples, the version, and completion in shells."""

import re

import pytest

from joeira import __version__, formats
from joeira.cli import (
    batch,
    collect,
    compare,
    doctor,
    evaluate,
    extract,
    mcp,
    metadata,
    methods,
    records,
    segment,
    serve,
    site,
    view,
    why,
)
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
    "compare",
    "doctor",
)
EPILOGS = {
    "extract": extract.EXAMPLES,
    "records": records.EXAMPLES,
    "records learn": records.LEARN_EXAMPLES,
    "pages": records.PAGES_EXAMPLES,
    "segment": segment.EXAMPLES,
    "metadata": metadata.EXAMPLES,
    "why": why.EXAMPLES,
    "methods": methods.EXAMPLES,
    "evaluate": evaluate.EXAMPLES,
    "compare": compare.EXAMPLES,
    "doctor": doctor.EXAMPLES,
    "site learn": site.LEARN_EXAMPLES,
    "site show": site.SHOW_EXAMPLES,
    "site check": site.CHECK_EXAMPLES,
    "site collect": collect.COLLECT_EXAMPLES,
    "site gold": collect.GOLD_EXAMPLES,
    "extract-site": site.EXTRACT_EXAMPLES,
    "batch": batch.EXAMPLES,
    "serve": serve.EXAMPLES,
    "view": view.EXAMPLES,
    "mcp": mcp.EXAMPLES,
}


def test_version() -> None:
    assert joeira("--version").stdout == f"joeira {__version__}\n"


def test_help_lists_the_commands() -> None:
    done = joeira("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^\W+{command} ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_shows_examples(command: str) -> None:
    done = joeira(command, "-h" if command == "why" else "--help")
    assert done.returncode == 0
    assert len(re.findall(rf"^ *\$ joeira {command} .+$", done.stdout, re.MULTILINE)) >= 2


@pytest.mark.parametrize("command", EPILOGS)
def test_help_shows_examples_unharmed(command: str) -> None:
    # Spaces aside: long lines are folded.
    shown = "".join(joeira(*command.split(), "--help").stdout.split())
    examples = EPILOGS[command].replace("\\[", "[").split("\n\n")
    assert len(examples) > 1
    for example in examples:
        assert "".join(example.split()) in shown


def test_paragraphs_are_as_wide_as_the_window() -> None:
    narrow = joeira("serve", "--help", variables={"COLUMNS": "80"}).stdout
    lines = [line.strip() for line in narrow.splitlines()]
    assert "does not affect other requests" in " ".join(lines)
    assert not any(line.endswith("Needs the") for line in lines)  # where a line of the source ends


def test_square_brackets_survive() -> None:
    shown = joeira("evaluate", "--help").stdout
    assert "--methods 'mdr,mdr[prefilter=tps]' --compare" in shown
    assert "name[key=value;key=value]" in shown
    assert "[default: local[*]]" in joeira("batch", "--help").stdout


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


@pytest.mark.parametrize(
    "command, task",
    [("extract", "content"), ("records", "records"), ("segment", "segments"),
     ("metadata", "metadata"), ("why", "explanation"), ("extract-site", "content")],
)  # fmt: skip
def test_help_names_every_format(command: str, task: str) -> None:
    shown = " ".join(re.sub(r"[│\s]+", " ", joeira(command, "--help").stdout).split())
    assert f"Output format: {', '.join(formats.names(task))}" in shown
