"""`joeira methods`, and the table in the docs that it writes.

``python tests/cli/test_methods.py`` rewrites that table.
"""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as pytest does, for the line above

from support.command_line import ROOT, joeira

PAGE = ROOT / "docs" / "methods.md"
START, END = "<!-- methods:start -->\n", "<!-- methods:end -->"


def listed(*arguments: str) -> list[dict]:
    done = joeira("methods", *arguments, "--to", "json")
    assert done.returncode == 0
    return json.loads(done.stdout)


def page_parts() -> tuple[str, str, str]:
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    table, _, after = rest.partition(END)
    return before, table, after


def test_the_table_in_the_docs_is_what_the_command_writes() -> None:
    assert page_parts()[1] == joeira("methods", "--to", "markdown").stdout, (
        "run: python tests/cli/test_methods.py"
    )


def test_every_method_has_a_paper_or_says_what_it_is() -> None:
    methods = listed()
    assert {"all_text", "nce", "bte", "cetr", "density", "gupta"} <= {m["name"] for m in methods}
    for method in methods:
        assert method["summary"]
        ours = ("all_text", "learned", "tables", "template", "headings")
        assert method["paper"] or method["name"] in ours


def test_parameters_are_those_of_the_dataclass() -> None:
    import dataclasses

    from joeira.content.nce import NCE

    (method,) = listed("nce")
    told = {one["name"]: one["default"] for one in method["parameters"]}
    assert told == {field.name: getattr(NCE(), field.name) for field in dataclasses.fields(NCE)}


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_one_method(form: str) -> None:
    done = joeira("methods", "nce", "--to", form)
    assert done.returncode == 0
    for word in ("nce", "content", "leaf_min_chars", "a whole number"):
        assert word in done.stdout


def test_the_table_names_every_method() -> None:
    done = joeira("methods")
    assert done.returncode == 0
    assert {m["name"] for m in listed()} <= set(done.stdout.split())


def test_methods_of_one_task() -> None:
    assert {method["task"] for method in listed("--task", "content")} == {"content"}


@pytest.mark.parametrize(
    "arguments, word", [(("densty",), "'density'"), (("--task", "cooking"), "tasks: content")]
)
def test_wrong_usage(arguments: tuple[str, ...], word: str) -> None:
    done = joeira("methods", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert word in done.stderr


if __name__ == "__main__":
    before, _, after = page_parts()
    table = joeira("methods", "--to", "markdown").stdout
    PAGE.write_text(f"{before}{START}{table}{END}{after}", "utf-8")
