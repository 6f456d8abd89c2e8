"""What can be measured, by name.

- ``name`` or ``name[key=value;key=value]``: a method of the catalog, with settings;
- ``peer:name``: another library;
- ``module:function``: anybody's function from the source of a page to its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from joeira import catalog
from joeira.contracts import Extractor
from joeira.errors import UsageError
from joeira.evaluation import peers
from joeira.evaluation.datasets import Row
from joeira.page import parse
from joeira.results import Content

Contender = Callable[[Row], str]
"""Takes a page from its source to its text, parsing included."""

_NAME = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<settings>[^\[\]]*)\])?")
_COMMA = re.compile(r",(?![^\[]*\])")


def split_names(names: str) -> list[str]:
    """Split ``a,b[key=1,2;other=3]`` at the commas outside brackets."""
    found = [name.strip() for name in _COMMA.split(names)]
    return list(dict.fromkeys(name for name in found if name))


def find(name: str) -> Callable[[], Contender]:
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
        is_peer = match["name"].startswith(peers.PREFIX)
        return peers.find(match["name"]) if is_peer else _made(_Function.named(match["name"]))
    settings = dict(_setting(part) for part in (match["settings"] or "").split(";") if part.strip())
    return _made(_Method(catalog.build(match["name"], settings, "content")))


def _made(contender: Contender) -> Callable[[], Contender]:
    return lambda: contender


@dataclass(frozen=True)
class _Method:
    method: Extractor[Content]

    def __call__(self, row: Row) -> str:
        return self.method.extract(parse(row.html, row.url)).text()


@dataclass(frozen=True)
class _Function:
    function: Callable[[str], object]

    @classmethod
    def named(cls, name: str) -> _Function:
        module, _, function = name.partition(":")
        try:
            return cls(getattr(import_module(module), function))
        except (ImportError, AttributeError, ValueError) as error:
            message = f"{name!r} is neither a peer nor a function: {error}"
            raise UsageError(message) from error

    def __call__(self, row: Row) -> str:
        text = self.function(row.html) or ""
        if not isinstance(text, str):
            message = f"returned {type(text).__name__}, not text"
            raise TypeError(message)
        return text


def _setting(part: str) -> tuple[str, str]:
    key, sign, value = part.partition("=")
    if not sign:
        message = f"a setting is key=value, not {part!r}"
        raise UsageError(message)
    return key.strip(), value.strip()
