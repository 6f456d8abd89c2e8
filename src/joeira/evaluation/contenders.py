"""What can be measured, by name.

- ``name`` or ``name[key=value;key=value]``: a method of the catalog, with settings;
- ``metadata``: our reader of title, author and date;
- ``peer:name``: another library;
- ``module:function``: anybody's function from the source of a page to what the task measures: its
  text, or the texts of its records table by table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from joeira import catalog
from joeira.contracts import Extractor
from joeira.errors import UsageError
from joeira.evaluation import peers
from joeira.evaluation.datasets import Row
from joeira.evaluation.tasks import CONTENT, METADATA, Task
from joeira.metadata import Metadata
from joeira.page import parse

Contender = Callable[[Row], Any]
"""Takes a page from its source to what is measured, parsing included."""

_NAME = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<settings>[^\[\]]*)\])?")
_COMMA = re.compile(r",(?![^\[]*\])")


def split_names(names: str) -> list[str]:
    """Split ``a,b[key=1,2;other=3]`` at the commas outside brackets."""
    found = [name.strip() for name in _COMMA.split(names)]
    return list(dict.fromkeys(name for name in found if name))


def find(name: str, task: Task = CONTENT) -> Callable[[], Contender]:
    """Return what makes a contender, or raise `UsageError` when the name or a setting is wrong.

    Peers are imported when they are made, so that only worker processes load them.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None:
        message = f"{name!r}: write a method as name or name[key=value;key=value]"
        raise UsageError(message)
    if ":" in match["name"]:
        if match["settings"]:
            message = f"{name!r}: only methods of the catalog take settings"
            raise UsageError(message)
        if not match["name"].startswith(peers.PREFIX):
            return _made(_Function.named(match["name"], task))
        return peers.find_peer(match["name"], task.name)
    if task is METADATA:
        if name.strip() != METADATA.name:
            message = f"{name!r}: of our own there is only {METADATA.name!r} to be measured"
            raise UsageError(message)
        return _made(_own_metadata)
    return _made(_Method(configured(name, task.name), task))


def configured(name: str, task: str) -> Any:
    """Return a method of the catalog written as name or name[key=value;key=value]."""
    match = _NAME.fullmatch(name.strip())
    if match is None:
        message = f"{name!r}: write a method as name or name[key=value;key=value]"
        raise UsageError(message)
    settings = dict(_setting(part) for part in (match["settings"] or "").split(";") if part.strip())
    return catalog.build(match["name"], settings, task)


def _own_metadata(row: Row) -> Any:
    """Return the facts of a page as `joeira.metadata` reads them, without a content method."""
    return METADATA.output_of(Metadata(parse(row.html, row.url)))


def _made(contender: Contender) -> Callable[[], Contender]:
    return lambda: contender


@dataclass(frozen=True)
class _Method:
    method: Extractor[Any]
    task: Task

    def __call__(self, row: Row) -> Any:
        return self.task.output_of(self.method.extract(parse(row.html, row.url)))


@dataclass(frozen=True)
class _Function:
    function: Callable[[str], object]
    task: Task

    @classmethod
    def named(cls, name: str, task: Task) -> _Function:
        module, _, function = name.partition(":")
        try:
            return cls(getattr(import_module(module), function), task)
        except (ImportError, AttributeError, ValueError) as error:
            message = f"{name!r} is neither a peer nor a function: {error}"
            raise UsageError(message) from error

    def __call__(self, row: Row) -> Any:
        nothing = self.task.nothing
        output = self.function(row.html) or nothing
        if not isinstance(output, type(nothing)):
            expected = "text" if isinstance(nothing, str) else type(nothing).__name__
            message = f"returned {type(output).__name__}, not {expected}"
            raise TypeError(message)
        return output


def _setting(part: str) -> tuple[str, str]:
    key, sign, value = part.partition("=")
    if not sign:
        message = f"a setting is key=value, not {part!r}"
        raise UsageError(message)
    return key.strip(), value.strip()
