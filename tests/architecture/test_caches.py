"""No cache of a module grows without bound, read with nothing but `ast`.

A process may read millions of pages: what a module keeps between calls has a bound that does not
depend on them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "joeira"
MODULES = sorted(SOURCE.rglob("*.py"))
ADDING = {"add", "append", "appendleft", "extend", "insert", "setdefault", "update"}

each_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix()
)


def name_of(node: ast.expr) -> str:
    """``lru_cache`` for `lru_cache`, `functools.lru_cache` and a call of either."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_unbounded_cache(node: ast.expr) -> bool:
    if name_of(node) == "cache":
        return True
    if name_of(node) != "lru_cache" or not isinstance(node, ast.Call):
        return False  # as `@lru_cache`, it has 128 entries
    sizes = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "maxsize")]
    return any(isinstance(size, ast.Constant) and size.value is None for size in sizes)


def unbounded_caches(tree: ast.Module) -> Iterator[str]:
    """Caches without a bound; one of a function without parameters has a single entry."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            takes = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
            takes += [each for each in (arguments.vararg, arguments.kwarg) if each]
            if takes and any(map(is_unbounded_cache, node.decorator_list)):
                yield f"line {node.lineno}: the cache of {node.name}"
        elif isinstance(node, ast.Call) and node.args and is_unbounded_cache(node.func):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def module_names(tree: ast.Module) -> set[str]:
    targets = [
        target
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def local_names(function: ast.AST) -> set[str]:
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return stored | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def growing_state(tree: ast.Module) -> Iterator[str]:
    """Containers of the module that its functions add to, and names that they assign anew."""
    names = module_names(tree)
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        shared = names - local_names(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield f"line {node.lineno}: global {', '.join(node.names)}"
            held: ast.expr | None = None
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                held = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                held = node.func.value if node.func.attr in ADDING else None
            if isinstance(held, ast.Name) and held.id in shared:
                yield f"line {node.lineno}: {held.id} grows"


def problems(source: str) -> list[str]:
    tree = ast.parse(source)
    return [*unbounded_caches(tree), *growing_state(tree)]


@each_module
def test_no_cache_grows_without_bound(path: Path) -> None:
    assert not problems(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "@cache\ndef f(x): ...",
        "@functools.cache\ndef f(*x): ...",
        "@lru_cache(None)\ndef f(x): ...",
        "@lru_cache(maxsize=None)\ndef f(x): ...",
        "f = cache(g)",
        "f = lru_cache(maxsize=None)(g)",
        "_KNOWN = {}\ndef f(x):\n    _KNOWN[x] = 1",
        "_KNOWN: dict[str, int] = {}\ndef f(x):\n    return _KNOWN.setdefault(x, 1)",
        "_SEEN = set()\nclass A:\n    def f(self, x):\n        _SEEN.add(x)",
        "_LAST = None\ndef f(x):\n    global _LAST\n    _LAST = x",
    ],
)
def test_what_grows_is_noticed(source: str) -> None:
    assert problems(source)


@pytest.mark.parametrize(
    "source",
    [
        "@cache\ndef f(): ...",
        "@lru_cache\ndef f(x): ...",
        "@lru_cache(maxsize=8)\ndef f(x): ...",
        "@lru_cache(1 << 4)\ndef f(x): ...",
        "f = lru_cache(1 << 4)(g)",
        "TABLE = {}\ndef f(x):\n    TABLE = {}\n    TABLE[x] = 1",
        "TABLE = {1: 2}\ndef f(x):\n    return TABLE[x]",
    ],
)
def test_what_does_not_grow_is_fine(source: str) -> None:
    assert not problems(source)
