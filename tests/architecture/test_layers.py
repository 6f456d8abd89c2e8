"""The shape of the source tree, read with nothing but `ast`.

The layers come from the import contract in pyproject.toml, so that they are written once; this
test needs no third party and also holds the limits that import-linter cannot see.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joeira import catalog

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "joeira"
MODULES = sorted(SOURCE.rglob("*.py"))

MAX_LINES = 450
MAX_PARAMETERS = 6
MAX_MODULES = 248
MAX_REPEATED_NAMES = 12
MAY_REPEAT = {"__init__", "__main__", "result", "model", "app"}
""""The result of content" and "the result of records": these names say the same in every room."""

# Third party -> where it may be imported: files, or folders with everything in them.
DOORS: dict[str, tuple[str, ...]] = {
    "turbohtml": (
        "page/parse.py",
        "page/nodes.py",
        "page/attributes.py",
        "render",
        "evaluation/contenders.py",
    ),
    "catboost": (),
    "lightgbm": (),
    "sklearn": (),
    "torch": (),
    "pyspark": ("spark",),
}
APPLICATIONS_AND_TOOLS = (
    "cli", "service", "viewer", "spark", "integrations", "compat", "batch",
    "evaluation", "fetch", "isolation",
)  # fmt: skip
UNSAFE = ("pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml")
NETWORK = ("socket", "http.client", "urllib.request", "ssl", "ftplib")


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def layers() -> list[list[set[str]]]:
    """Top line first; a line is a list of groups, and only members of one group know each other."""
    (lines,) = (contract["layers"] for contract in contracts() if contract["type"] == "layers")
    lines = [re.sub(r"[()\s]", "", line) for line in lines]
    return [[set(group.split(":")) for group in line.split("|")] for line in lines]


def methods() -> list[str]:
    """Modules of which each holds one method, or a folder with the parts of one."""
    (names,) = (each["modules"] for each in contracts() if each["type"] == "independence")
    return list(names)


LAYERS = layers()
LINE = {name: number for number, line in enumerate(LAYERS) for group in line for name in group}
GROUP = {name: group for line in LAYERS for group in line for name in group}
APPLICATIONS = {name for name, line in LINE.items() if line <= LINE["service"]}


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


def dotted(path: Path) -> str:
    return ".".join(["joeira", *path.relative_to(SOURCE).with_suffix("").parts])


@each_module
def test_one_method_never_imports_another(path: Path) -> None:
    own = next((method for method in methods() if is_under(dotted(path), method)), None)
    if own is None:
        return
    wrong = [
        f"{relative(path)}:{number} imports {name}"
        for number, name in imports(path)
        for method in methods()
        if is_under(name, method) and method != own
    ]
    assert not wrong, "a shared step is a function in arrays/ or page/, or of the room itself"


def test_every_method_of_the_catalog_is_held_apart() -> None:
    known = {entry.location.partition(":")[0] for entry in catalog.METHODS}
    assert known == set(methods()), "name it in the independence contract of pyproject.toml"


def test_the_tree_can_be_walked() -> None:
    names = Counter(path.stem for path in MODULES if path.stem not in MAY_REPEAT)
    repeated = sorted(name for name, count in names.items() if count > 1)
    assert len(repeated) <= MAX_REPEATED_NAMES, repeated
    assert len(MODULES) <= MAX_MODULES


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
def test_nothing_that_is_read_is_run(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    assert not names & {"eval", "exec", "compile", "__import__"}
    loads = [name for _, name in imports(path) if name.split(".")[0] in UNSAFE]
    assert not loads or is_within(path, ("isolation", "spark")), (
        "pickles pass between our own processes only"
    )


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
    places = ["src", "training", "tests", "docs", "scripts", "benchmarks", "examples", ".ci"]
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
