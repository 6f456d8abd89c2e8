"""The table of formats is what the command line, the service and the docs offer."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from joeira import formats
from joeira.errors import UsageError
from joeira.formats import FORMATS, Choices, PageTables
from support.command_line import ROOT, environment, joeira

COMMANDS = {
    "content": ("extract", "extract-site"),
    "records": ("records",),
    "segments": ("segment",),
    "metadata": ("metadata",),
    "explanation": ("why",),
}
ROUTES = {
    "content": ("extract", "sites/{site_id}/extract"),
    "records": ("records",),
    "segments": ("segments",),
    "explanation": ("explain",),
}
PAGE = "<title>Tea</title><p>All kinds of tea.<ul>{}</ul>".format(
    "".join(f"<li><b>Tea {number}</b> <i>{number}.00</i>" for number in range(6))
)


def test_names_are_different() -> None:
    names = [form.name for form in FORMATS]
    assert len(set(names)) == len(names)
    assert all(form.suffix.startswith(".") for form in FORMATS)
    assert all(set(form.tasks) <= set(COMMANDS) for form in FORMATS)


@pytest.mark.parametrize("task", COMMANDS)
def test_the_command_line_offers_the_table(task: str) -> None:
    for command in COMMANDS[task]:
        shown = "".join(joeira(command, "--help").stdout.split())
        assert f"<{'|'.join(formats.names(task))}>" in shown


@pytest.mark.parametrize("task", ROUTES)
def test_the_service_offers_what_it_can_write(task: str) -> None:
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    from joeira.service.app import create_app
    from joeira.service.settings import Settings

    description = create_app(Settings()).openapi()
    names = formats.portable_names(task)
    for route in ROUTES[task]:
        post = description["paths"][f"/v1/{route}"]["post"]
        (query,) = (each for each in post["parameters"] if each["name"] == "format")
        assert query["schema"]["enum"] == names
        body = post["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = description["components"]["schemas"][body.rpartition("/")[2]]
        assert schema["properties"]["format"]["enum"] == names
        types = {formats.find(name).media_type.partition(";")[0] for name in names}
        assert set(post["responses"]["200"]["content"]) == types


def test_the_docs_list_the_table() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    section = text.partition("### Formats\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.+)` \| (.+) \| `(.+)` \| `(.+)` \| (.+) \|$", section, re.MULTILINE)
    first_commands = {task: commands[0] for task, commands in COMMANDS.items()}
    assert rows == [
        (
            form.name,
            ", ".join(f"`{name}`" for task, name in first_commands.items() if task in form.tasks),
            form.suffix,
            form.media_type.partition(";")[0],
            form.about,
        )
        for form in FORMATS
    ]


def test_the_docs_of_the_service_name_its_formats() -> None:
    text = (ROOT / "docs" / "service.md").read_text("utf-8")
    known = {form.name for form in FORMATS}
    for task, routes in ROUTES.items():
        (line,) = re.findall(rf"^\| `POST /v1/{routes[0]}` \| (.+) \|$", text, re.MULTILINE)
        named = [name for name in re.findall(r"`(\w+)`", line) if name in known]
        assert sorted(named) == sorted(formats.portable_names(task))


def test_unknown_formats() -> None:
    with pytest.raises(UsageError, match="no format 'pdf'; known: text, markdown"):
        formats.find("pdf")
    with pytest.raises(
        UsageError, match="segments cannot be written as csv; known: text, html, json"
    ):
        formats.write("segments", "csv", None)


def test_records_of_several_pages_are_joined_with_the_columns_of_all() -> None:
    import joeira

    table = joeira.find_records(PAGE)[0]
    pages = [PageTables([table], "one"), PageTables([table], "two", is_numbered=True)]
    rows = formats.write("records", "jsonl", pages)
    assert [row["source"] for row in rows] == ["one"] * 6 + ["two"] * 6
    assert "table" not in rows[0]
    assert rows[6]["table"] == "1"
    table = formats.write("records", "csv", pages, Choices(safe=True))
    assert table.splitlines()[0] == ",".join([*rows[0], "table"])


SHOUT = """
import sys
from joeira import formats

def words(content, choices):
    return content.text().upper()

def rows(pages, choices):
    return "".join("!".join(row.values()) + chr(10) for page in pages for row in page.rows())

formats.FORMATS += (
    formats.Format(
        "shout", "text/x-shout; charset=utf-8", ".shout", "capitals",
        {"content": words, "records": rows}, joins_pages=True,
    ),
)
"""


def with_a_new_format(then: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SHOUT + then, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
    )


def test_a_new_format_is_one_entry_for_the_command_line(tmp_path: Path) -> None:
    run = "from joeira.cli import main\nmain()"
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(PAGE, "utf-8")
    arguments = (tmp_path, "--to", "shout", "-m", "all_text", "-o", tmp_path / "out")
    done = with_a_new_format(run, "extract", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.shout", "b.shout"]
    assert "ALL KINDS OF TEA." in (tmp_path / "out" / "a.shout").read_text("utf-8")
    records = with_a_new_format(run, "records", tmp_path, "--to", "shout")
    assert records.returncode == 0
    assert f"{tmp_path / 'b.html'}!Tea 3" in records.stdout
    help_text = "".join(with_a_new_format(run, "extract", "--help").stdout.split())
    assert "|json|csv|shout>" in help_text


def test_a_new_format_is_one_entry_for_the_service() -> None:
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    then = """
import json
from joeira.service import openapi, requests, routes, tasks

print(json.dumps(requests.ExtractQuestion.model_json_schema()["properties"]["format"]["enum"]))
question = requests.ExtractQuestion(html=sys.argv[1], method="all_text", format="shout")
asked = tasks.Asked(question.html, method=question.method, format=question.format)
answer = routes.sent(tasks.extract(asked))
print(answer.headers["content-type"], answer.body.decode())
"""
    done = with_a_new_format(then, PAGE)
    assert done.returncode == 0, done.stderr
    names, answer = done.stdout.split("\n", 1)
    assert json.loads(names) == [*formats.portable_names("content"), "shout"]
    assert answer.startswith("text/x-shout; charset=utf-8")
    assert "ALL KINDS OF TEA." in answer


def test_pages_are_the_rows_of_one_table(tmp_path: Path) -> None:
    names = [tmp_path / f"{name}.html" for name in ("a", "b")]
    for path in names:
        path.write_text(PAGE, "utf-8")
    joined = joeira("extract", *names, "--to", "csv", "-m", "all_text", "-o", tmp_path / "all.csv")
    assert (joined.returncode, joined.stderr) == (0, "")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["source"] for row in rows] == [str(path) for path in names]
    assert all("All kinds of tea." in row["text"] for row in rows)
