"""The shape of the source tree, read with nothing but `ast`.

The layers come from the import contract in pyproject.toml, so that they are written once; this
test needs no third party and also holds the limits that import-linter cannot see.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "joeira"
MODULES = sorted(SOURCE.rglob("*.py"))

MAX_LINES = 300
MAX_PARAMETERS = 6
METHOD_PACKAGES = {"content", "segments", "records", "sites"}

# Third party -> where it may be imported: files, or folders with everything in them.
DOORS = {
    "turbohtml": (
        "page/parse.py",
        "page/attributes.py",
        "page/naming.py",
        "page/spans.py",
        "output",
        "evaluation/peers.py",
    ),
    "catboost": ("training",),
    "lightgbm": ("training",),
    "sklearn": ("training",),
    "torch": ("training",),
    "pyspark": ("spark",),
}
APPLICATIONS_AND_TOOLS = (
    "cli", "service", "viewer", "spark", "integrations", "compat", "batch",
    "evaluation", "training", "fetching",
)  # fmt: skip
NETWORK = ("socket", "http.client", "urllib.request", "ssl", "ftplib")


def layers() -> list[list[set[str]]]:
    """Top line first; a line is a list of groups, and only members of one group know each other."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (lines,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    lines = [re.sub(r"[()\s]", "", line) for line in lines]
    return [[set(group.split(":")) for group in line.split("|")] for line in lines]


LAYERS = layers()
LINE = {name: number for number, line in enumerate(LAYERS) for group in line for name in group}
GROUP = {name: group for line in LAYERS for group in line for name in group}
APPLICATIONS = {name for name, line in LINE.items() if line < LINE["training"]}


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def component(path: Path) -> str:
    """The part of joeira that a file belongs to: `page` for page/model.py, `api` for api.py."""
    first, *rest = path.relative_to(SOURCE).parts
    return first if rest else path.stem


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything imported, also inside functions."""
    package = ["joeira", *path.relative_to(SOURCE).parent.parts]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def is_within(path: Path, places: tuple[str, ...]) -> bool:
    name = relative(path)
    return any(name == place or name.startswith(f"{place}/") for place in places)


def is_under(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


each_module = pytest.mark.parametrize("path", MODULES, ids=relative)


def test_every_component_has_a_layer() -> None:
    components = {component(path) for path in MODULES} - {"__init__", "__main__"}
    assert components <= set(LINE), "name it in the layers contract of pyproject.toml"


@each_module
def test_imports_point_downwards(path: Path) -> None:
    here = component(path)
    if here not in LINE:
        return  # joeira/__init__.py shows public names of every layer
    wrong = []
    for number, name in imports(path):
        if not is_under(name, "joeira"):
            continue
        there = name.split(".")[1] if "." in name else ""
        if there not in LINE:
            allowed = (
                here in APPLICATIONS
            )  # the package itself: public names, for applications only
        else:
            allowed = there == here or LINE[there] > LINE[here] or there in GROUP[here]
        if not allowed:
            wrong.append(f"{relative(path)}:{number} imports {name}")
    assert not wrong


@each_module
def test_one_method_never_imports_another(path: Path) -> None:
    here = component(path)
    if here not in METHOD_PACKAGES or path.name == "__init__.py":
        return
    package, own = f"joeira.{here}", f"joeira.{here}.{path.stem}"
    wrong = [
        f"{relative(path)}:{number} imports {name}"
        for number, name in imports(path)
        if is_under(name, package) and not is_under(name, own)
    ]
    assert not wrong, "a shared step is a function in kernels/ or page/"


@each_module
def test_third_parties_come_in_by_their_door(path: Path) -> None:
    wrong = [
        f"{relative(path)}:{number} imports {name}"
        for number, name in imports(path)
        for party, places in DOORS.items()
        if is_under(name, party) and not is_within(path, places)
    ]
    assert not wrong


@each_module
def test_only_applications_and_tools_use_the_network(path: Path) -> None:
    wrong = [
        f"{relative(path)}:{number} imports {name}"
        for number, name in imports(path)
        if any(is_under(name, module) for module in NETWORK)
        and not is_within(path, APPLICATIONS_AND_TOOLS)
    ]
    assert not wrong


@each_module
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MAX_LINES


def is_command(path: Path, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A command, whose parameters are its options: the function named as its module."""
    return component(path) == "cli" and function.name == path.stem


@each_module
def test_functions_take_few_parameters(path: Path) -> None:
    wrong = []
    for node in ast.walk(tree(path)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if is_command(path, node) or component(path) == "compat":  # others' signatures
            continue
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        if len(set(names) - {"self", "cls"}) > MAX_PARAMETERS:
            wrong.append(f"{relative(path)}:{node.lineno} {node.name}")
    assert not wrong


@each_module
def test_only_the_command_line_prints(path: Path) -> None:
    calls = [
        f"{relative(path)}:{node.lineno}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not calls or component(path) == "cli"


def test_no_file_names_a_folder_of_one_machine() -> None:
    folders = "|".join(["home", "root", "tmp", "work", "Users"])
    machine_path = re.compile(rf"(?<![\w.~-])/({folders})/\w")
    places = ["src", "tests", "docs", "scripts", "benchmarks", "examples", ".ci"]
    files = [ROOT / "pyproject.toml", *ROOT.glob("*.md")]
    files += [path for place in places for path in (ROOT / place).rglob("*") if path.is_file()]
    suffixes = {"", ".py", ".md", ".sh", ".toml", ".json", ".html", ".cff"}
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        if path.suffix in suffixes and "_build" not in path.parts
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if machine_path.search(line)
    ]
    assert not wrong
