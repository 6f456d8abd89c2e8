"""Every method by name: one literal table, imported only when a method is used.

Other packages add methods through the entry point group ``joeira.methods``: the name of the entry
point is the method's name, its object the method's class.
"""

from __future__ import annotations

import dataclasses
import hashlib
import types
import typing
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from joeira.errors import BadParameter, UnknownMethod

DEFAULT_CONTENT = "learned"
DEFAULT_RECORDS = "auto"
DEFAULT_SITE = "template"
DEFAULT_SITE_SEGMENTS = "som"
DEFAULT_SEGMENTS = "blocks"
SITE_TASKS = ("site", "site_segments")
"""What is learned from many pages of one site: their content, or their segments."""


@dataclass(frozen=True)
class Entry:
    """One row of the catalog."""

    name: str
    task: str
    """``content``, ``segments``, ``records``, ``site`` or ``site_segments``."""
    location: str
    """``module:Class``."""
    needs: str = ""
    """What has to be installed beside the package: the extra of that name."""

    def load(self) -> type[Any]:
        """Import the method's class."""
        module, _, name = self.location.partition(":")
        method: type[Any] = getattr(import_module(module), name)
        return method


METHODS = (
    Entry("learned", "content", "joeira.content.learned:Learned"),
    Entry("all_text", "content", "joeira.content.all_text:AllText"),
    Entry("nce", "content", "joeira.content.nce:NCE"),
    Entry("bte", "content", "joeira.content.bte:BTE"),
    Entry("bte_multi", "content", "joeira.content.bte:MultiBTE"),
    Entry("cetr", "content", "joeira.content.cetr:CETR"),
    Entry("density", "content", "joeira.content.density:BlockFusion"),
    Entry("gupta", "content", "joeira.content.gupta:Gupta"),
    Entry("tps", "content", "joeira.content.tps:TPS"),
    Entry("blocks", "segments", "joeira.segments.learned:TreeCut"),
    Entry("tps", "segments", "joeira.segments.tps:TPS"),
    Entry("density", "segments", "joeira.segments.density:BlockFusion"),
    Entry("headings", "segments", "joeira.segments.headings:Headings"),
    Entry("vips", "segments", "joeira.segments.vips:VIPS", needs="browser"),
    Entry("auto", "records", "joeira.records.learned:Auto"),
    Entry("tables", "records", "joeira.records.html_tables:HTMLTables"),
    Entry("mdr", "records", "joeira.records.mdr:MDR"),
    Entry("subtree_classes", "records", "joeira.records.subtree_classes:SubtreeClasses"),
    Entry("template", "site", "joeira.sites.template:Template"),
    Entry("xcex", "site", "joeira.sites.xcex:XCEX"),
    Entry("content_extractor", "site", "joeira.sites.content_extractor:ContentExtractor"),
    Entry("infodiscoverer", "site", "joeira.sites.infodiscoverer:InfoDiscoverer"),
    Entry("style_tree", "site", "joeira.sites.style_tree:StyleTree"),
    Entry("som", "site_segments", "joeira.sites.som:SOM"),
)


def entries(task: str | None = None) -> list[Entry]:
    """Return every method, ours first, then those of other packages."""
    return [entry for entry in (*METHODS, *_plugged()) if task in (None, entry.task)]


def find_site(name: str) -> Entry:
    """Return the entry of a method that learns from many pages, whatever it learns."""
    learns_segments = name in (entry.name for entry in entries("site_segments"))
    return find(name, "site_segments" if learns_segments else "site")


def find(name: str, task: str | None = None) -> Entry:
    """Return the entry of a method, or raise `UnknownMethod` with the names that exist."""
    # Ours are looked up first: no other package can replace or break them.
    for entry in METHODS:
        if entry.name == name and task in (None, entry.task):
            return entry
    known = {entry.name: entry for entry in entries(task)}
    if name in known:
        return known[name]
    close = get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    message = f"no method {name!r}{hint} Known methods: {', '.join(known) or 'none'}"
    raise UnknownMethod(message)


def name_of(kind: type[Any], *tasks: str) -> str:
    """Return the name of a method's class; of one that is not in the catalog its own."""
    location = f"{kind.__module__}:{kind.__qualname__}"
    known = (entry for entry in entries() if entry.task in tasks)
    return next((entry.name for entry in known if entry.location == location), kind.__name__)


def build(name: str, settings: dict[str, str] | None = None, task: str | None = None) -> Any:
    """Return a method by name, with parameters given as text."""
    method = find(name, task).load()
    return method(**read_settings(name, method, settings or {}))


def fingerprint(method: object) -> str:
    """Return a short hash of a method and its parameters, the same in every run."""
    kind = type(method)
    values = repr(method) if dataclasses.is_dataclass(method) else ""
    return _short_hash(f"{kind.__module__}.{kind.__qualname__} {values}")


@lru_cache(1 << 8)  # who extracts many pages asks for the same method again and again
def _short_hash(said: str) -> str:
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def read_settings(name: str, method: type[Any], settings: dict[str, str]) -> dict[str, Any]:
    """Turn ``name=value`` texts into typed parameters of a method."""
    check_names(name, method, settings)
    kinds = typing.get_type_hints(method)
    return {key: _read(key, text, kinds[key]) for key, text in settings.items()}


def check_names(name: str, method: type[Any], settings: Iterable[str]) -> None:
    """Raise `BadParameter` for a name that is no parameter of the method."""
    known = [field.name for field in dataclasses.fields(method) if field.init]
    for key in settings:
        if key not in known:
            names = ", ".join(known) or "none"
            message = f"method {name!r} has no parameter {key!r}; its parameters: {names}"
            raise BadParameter(message)


def _plugged() -> list[Entry]:
    found = []
    for point in entry_points(group="joeira.methods"):
        try:
            task = getattr(point.load(), "task", "content")
        except Exception as error:  # somebody else's code: our own methods must go on working
            warnings.warn(f"method {point.name!r} of another package: {error!r}", stacklevel=3)
        else:
            found.append(Entry(point.name, task, point.value))
    return found


def _read(key: str, text: str, kind: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        if text.lower() in ("none", ""):
            return None
        kind = next(option for option in typing.get_args(kind) if option is not type(None))
        return _read(key, text, kind)
    if origin is typing.Literal:
        options = {str(option): option for option in typing.get_args(kind)}
        if text in options:
            return options[text]
        message = f"{key} must be one of {', '.join(options)}, not {text!r}"
        raise BadParameter(message)
    if origin in (tuple, frozenset):
        item = next(iter(typing.get_args(kind)), str)
        return origin(_read(key, part.strip(), item) for part in text.split(",") if part.strip())
    if kind is bool:
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        message = f"{key} must be true or false, not {text!r}"
        raise BadParameter(message)
    try:
        return kind(text)
    except ValueError:
        message = f"{key} must be {kind.__name__}, not {text!r}"
        raise BadParameter(message) from None
