"""Run the installed program: the help of every command, and a few commands on the example pages.

PYTHON scripts/smoke.py

The program is the one that is installed beside the interpreter. It is run as users run it, from
another folder than the clone, so that nothing is found by accident.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ARTICLE, LISTING = str(EXAMPLES / "article.html"), str(EXAMPLES / "listing.html")

# What a command is given, and words that its output has to have.
CALLS = {
    ("extract", ARTICLE): "For sixty years the ice house",
    ("extract", ARTICLE, "--to", "markdown"): "# ",
    ("extract", ARTICLE, "--to", "json"): '"text": ',
    ("extract", ARTICLE, "--method", "nce"): "For sixty years the ice house",
    ("records", LISTING): "285.000 €",
    ("segment", ARTICLE): "For sixty years the ice house",
    ("metadata", ARTICLE): "title",
    ("why", ARTICLE, "For sixty years the ice house"): "kept",
    ("methods",): "nce",
}
# A row of the table of commands that help shows, whatever the table is drawn with.
_COMMAND_ROW = re.compile(r"^\W{1,3}([a-z][a-z-]*) {2,}\S", re.MULTILINE)


class Broken(Exception):
    """The program does not do what it should."""


def run(program: str, *arguments: str) -> str:
    """Return the output of the program."""
    variables = {**os.environ, "COLUMNS": "200", "TERMINAL_WIDTH": "200", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            encoding="utf-8",
            env=variables,
            cwd=elsewhere,
            timeout=120,
            check=False,
        )
    called = " ".join(("joeira", *arguments))
    if done.returncode:
        raise Broken(f"{called}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def commands(program: str, *group: str) -> Iterator[tuple[str, ...]]:
    """Yield every command and group of commands, each after its help was shown."""
    _, _, table = run(program, *group, "--help").partition(" Commands ")
    yield group
    for name in _COMMAND_ROW.findall(table):
        yield from commands(program, *group, name)


def check(program: str) -> str:
    """Try everything; return what was tried."""
    known = list(commands(program))
    if not {("extract",), ("site", "learn")} <= set(known):
        raise Broken(f"of the commands only these were found: {known}")
    for arguments, expected in CALLS.items():
        output = run(program, *arguments)
        if expected not in output:
            raise Broken(f"joeira {' '.join(arguments)}: no {expected!r} in\n{output}")
    return f"{len(known)} helps and {len(CALLS)} calls are as they should be"


def main() -> None:
    """Say how it went."""
    program = shutil.which("joeira", path=str(Path(sys.executable).parent))
    if program is None:
        sys.exit(f"joeira is not installed beside {sys.executable}")
    try:
        told = check(program)
    except Broken as problem:
        sys.exit(str(problem))
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main()
