"""What importing costs, and that it works where nothing is installed and no sources are."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import turbohtml

import joeira

PACKAGE = Path(joeira.__file__).parent
EXAMPLES = PACKAGE.parents[1] / "examples"
MAX_MODULES = 50


def output_of(code: str, *options: str, path: Path | None = None) -> str:
    """What a new interpreter prints; `path` is the only place that it imports from."""
    isolated = {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"} if path else {}
    done = subprocess.run(
        [sys.executable, "-W", "error", *options, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **isolated},
        cwd=path,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Cost --------------------------------------------------------------------------------------------

OWN_MODULES = "import sys; print(sum(name.partition('.')[0] == 'joeira' for name in sys.modules))"


@pytest.mark.parametrize("code", ["import joeira", "from joeira import extract, parse"])
def test_importing_loads_few_modules(code: str) -> None:
    assert int(output_of(f"{code}; {OWN_MODULES}")) <= MAX_MODULES


def test_importing_the_package_loads_no_third_party() -> None:
    loaded = output_of("import joeira, sys; print(*sys.modules)").split()
    assert not {"numpy", "turbohtml", "typer", "importlib.metadata"} & set(loaded)


def test_content_needs_neither_records_nor_sites() -> None:
    page = str(EXAMPLES / "article.html")
    code = f"import joeira, sys; joeira.extract(open({page!r}, 'rb').read()).text()"
    loaded = output_of(f"{code}; print(*sys.modules)").split()
    heavy = ("metadata.", "records.", "segments.", "sites.", "batch", "render.markdown")
    names = tuple(f"joeira.{name}" for name in heavy)
    assert not [name for name in loaded if name.startswith(names)]


@pytest.mark.parametrize(
    "name", ["records.Auto", "content.BTE", "segments.TreeCut", "sites.Template", "batch.run"]
)
def test_rooms_are_there_after_one_import(name: str) -> None:
    assert output_of(f"import joeira; print(joeira.{name}.__name__)").strip() in name


def test_the_program_looks_for_garbage_once_it_is_loaded() -> None:
    code = "import gc; from joeira import cli; from joeira.cli import app; "
    code += "app.main = lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000); cli.main()"
    assert output_of(code).split() == ["True", "True"]


def test_no_bar_is_loaded_where_nobody_sees_it() -> None:
    code = "import sys; from joeira.cli.batch import _progress\nwith _progress():\n"
    assert output_of(f"{code} print('rich.progress' in sys.modules)").strip() == "False"


# Places ------------------------------------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with what is needed and nothing that says what is installed."""
    for module in (numpy, turbohtml):
        place = Path(module.__file__).parent
        (tmp_path / place.name).symlink_to(place)
    libraries = Path(numpy.__file__).parents[1] / "numpy.libs"  # where wheels keep some of theirs
    if libraries.is_dir():
        (tmp_path / libraries.name).symlink_to(libraries)
    return tmp_path


USE = f"""
import joeira
from importlib.metadata import distributions
assert not list(distributions())
article = open({str(EXAMPLES / "article.html")!r}, "rb").read()
listing = open({str(EXAMPLES / "listing.html")!r}, "rb").read()
content = joeira.extract(article, url="https://example.org/")
print(content.text(), content.markdown(), content.to_dict(), content.explain().to_dict())
print(joeira.find_records(listing)[0].to_csv())
print(joeira.segment(article).to_dict())
print(joeira.__version__, joeira.__file__)
"""


def test_the_sources_work_where_nothing_is_installed(bare: Path) -> None:
    (bare / "joeira").symlink_to(PACKAGE)
    said = output_of(USE, "-S", path=bare)
    assert f"{joeira.__version__} {bare / 'joeira' / '__init__.py'}" in said


def test_bytecode_works_without_sources(bare: Path) -> None:
    shutil.copytree(PACKAGE, bare / "joeira", ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(bare / "joeira", quiet=2, legacy=True)
    for source in (bare / "joeira").rglob("*.py"):
        source.unlink()
    said = output_of(USE, "-S", path=bare)
    assert f"{joeira.__version__} {bare / 'joeira' / '__init__.pyc'}" in said
    with_sources = output_of(USE.replace("assert not list(distributions())", ""))
    assert said.splitlines()[:-1] == with_sources.splitlines()[:-1]
