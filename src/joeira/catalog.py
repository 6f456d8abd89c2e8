"""Every method by name: one literal table, imported only when a method is used.

Other packages add methods through the entry point group ``joeira.methods``: the name of the entry
point is the method's name, its object the method's class.
"""

from __future__ import annotations

import dataclasses
import hashlib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from joeira import models
from joeira.errors import BadParameter, UnknownMethod
from joeira.params import Parameter, parameters

if TYPE_CHECKING:
    from joeira.page import Page
    from joeira.papers import Paper

LEARNED = "learned"
"""Name of the default method of every task.

That of sites is called ``template`` all the same: beside it, ``learned`` is the default of single
pages, with which sites are compared.
"""
DEFAULT_CONTENT = LEARNED
DEFAULT_RECORDS = LEARNED
DEFAULT_SEGMENTS = LEARNED
DEFAULT_SITE = "template"
DEFAULT_SITE_SEGMENTS = "som"
PRESET = "preset"
"""Setting that stands for the values of a preset of a method."""
SITE_TASKS = ("site", "site_segments")
"""What is learned from many pages of one site: their content, or their segments."""


Result = TypeVar("Result", covariant=True)


class Extractor(Protocol[Result]):
    """A method for one page: a frozen dataclass whose fields are its parameters."""

    def extract(self, page: Page, /) -> Result:
        """Return the method's result for a page. Never raises because of what the page contains."""
        ...


class SiteLearner(Protocol[Result]):
    """A method that learns from many pages of one site."""

    def fit(self, pages: Iterable[Page], /) -> Extractor[Result]:
        """Return a new, fully fitted extractor."""
        ...


@dataclass(frozen=True)
class Entry:
    """One row of the catalog."""

    name: str
    task: str
    """``content``, ``segments``, ``records``, ``site`` or ``site_segments``."""
    location: str
    """``module:Class``."""
    needs: str = ""
    """Extra that must be installed."""
    aliases: tuple[str, ...] = ()
    """Aliases."""

    def answers_to(self, name: str) -> bool:
        """Return whether a name is the method's own or an alias."""
        return name == self.name or name in self.aliases

    def load(self) -> type[Any]:
        """Import the method's class."""
        module, _, name = self.location.partition(":")
        method: type[Any] = getattr(import_module(module), name)
        return method


METHODS = (
    Entry(LEARNED, "content", "joeira.content.learned:Learned"),
    Entry("all_text", "content", "joeira.content.all_text:AllText"),
    Entry("nce", "content", "joeira.content.nce:NCE"),
    Entry("bte", "content", "joeira.content.bte:BTE"),
    Entry("bte_multi", "content", "joeira.content.bte:MultiBTE"),
    Entry("cetr", "content", "joeira.content.cetr:CETR"),
    Entry("density", "content", "joeira.content.density:BlockFusion"),
    Entry("gupta", "content", "joeira.content.gupta:Gupta"),
    Entry("feature_extractor", "content", "joeira.content.feature_extractor:FeatureExtractor"),
    Entry("k_feature_extractor", "content", "joeira.content.feature_extractor:KFeatureExtractor"),
    Entry("tps", "content", "joeira.content.tps:TPS"),
    Entry(LEARNED, "segments", "joeira.segments.learned:TreeCut", aliases=("blocks",)),
    Entry("tps", "segments", "joeira.segments.tps:TPS"),
    Entry("density", "segments", "joeira.segments.density:BlockFusion"),
    Entry("headings", "segments", "joeira.segments.headings:Headings"),
    Entry("vips", "segments", "joeira.segments.vips:VIPS", needs="browser"),
    Entry(LEARNED, "records", "joeira.records.learned:Auto", aliases=("auto",)),
    Entry("tables", "records", "joeira.records.html_tables:HTMLTables"),
    Entry("mdr", "records", "joeira.records.mdr:MDR"),
    Entry("subtree_classes", "records", "joeira.records.subtree_classes:SubtreeClasses"),
    Entry("template", "site", "joeira.sites.template:Template", aliases=(LEARNED,)),
    Entry("xcex", "site", "joeira.sites.xcex:XCEX"),
    Entry("content_extractor", "site", "joeira.sites.content_extractor:ContentExtractor"),
    Entry("infodiscoverer", "site", "joeira.sites.infodiscoverer:InfoDiscoverer"),
    Entry("style_tree", "site", "joeira.sites.style_tree:StyleTree"),
    Entry("pagelets", "site", "joeira.sites.pagelets:Pagelets"),
    Entry("som", "site_segments", "joeira.sites.som:SOM"),
)


def entries(task: str | None = None) -> list[Entry]:
    """Return every method, ours first, then those of other packages."""
    return [entry for entry in (*METHODS, *_plugged()) if task in (None, entry.task)]


def find_site(name: str) -> Entry:
    """Return the entry of a method that learns from many pages, whatever it learns."""
    learns_segments = any(entry.answers_to(name) for entry in entries("site_segments"))
    return find(name, "site_segments" if learns_segments else "site")


def find(name: str, task: str | None = None) -> Entry:
    """Return the entry of a method, or raise `UnknownMethod` with the names that exist."""
    # Ours are looked up first: no other package can replace or break them.
    for entry in METHODS:
        if entry.answers_to(name) and task in (None, entry.task):
            return entry
    known = {entry.name: entry for entry in entries(task)}
    if name in known:
        return known[name]
    close = get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    message = f"no method {name!r}{hint} Known methods: {', '.join(known) or 'none'}"
    raise UnknownMethod(message)


def find_all(name: str, task: str | None = None) -> list[Entry]:
    """Return every entry of that name, whatever the task, or raise `UnknownMethod`."""
    named = [entry for entry in entries(task) if entry.answers_to(name)]
    return named or [find(name, task)]


def name_of(kind: type[Any], *tasks: str) -> str:
    """Return the name of a method's class; of one that is not in the catalog its own."""
    location = f"{kind.__module__}:{kind.__qualname__}"
    known = (entry for entry in entries() if entry.task in tasks)
    return next((entry.name for entry in known if entry.location == location), kind.__name__)


def make(name: str, task: str, values: dict[str, Any]) -> Any:
    """Return a method by name, with the values of some of its parameters."""
    entry = find(name, task)
    if not values:
        return _make_default(entry.location)
    method = entry.load()
    before, own = _prefilter_apart(method, entry.task, values)
    check_names(name, method, own)
    made = method(**own)
    return _prefiltered()(made, **before) if before else made


@lru_cache(maxsize=64)  # methods are frozen: one that everybody uses need not be made for each page
def _make_default(location: str) -> Any:
    return Entry("", "", location).load()()


def settable(entry: Entry) -> list[Parameter]:
    """Return the parameters of a method; of one for records also the filter before it."""
    own = list(parameters(entry.load()))
    if entry.task != "records" or any(parameter.name == "prefilter" for parameter in own):
        return own
    before = parameters(_prefiltered())
    return own + [parameter for parameter in before if parameter.name == "prefilter"]


def read_texts(name: str, task: str, settings: dict[str, str]) -> dict[str, Any]:
    """Return parameters given as text, converted for `make`."""
    method = find(name, task).load()
    before, own = _prefilter_apart(method, task, settings)
    values = read_settings(name, method, own)
    return values | (read_settings(name, _prefiltered(), before) if before else {})


def build(name: str, settings: dict[str, str] | None = None, task: str | None = None) -> Any:
    """Return a method by name, with parameters given as text."""
    entry = find(name, task)
    method = entry.load()
    before, own = _prefilter_apart(method, entry.task, settings or {})
    made = method(**read_settings(name, method, own))
    if not before:
        return made
    return _prefiltered()(made, **read_settings(name, _prefiltered(), before))


def _prefilter_apart(
    method: type[Any], task: str, values: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is set of the filter before a method that has none itself, and the rest."""
    if task != "records" or any(parameter.name == "prefilter" for parameter in parameters(method)):
        return {}, values
    before = {key: value for key, value in values.items() if key.partition(".")[0] == "prefilter"}
    return before, {key: value for key, value in values.items() if key not in before}


def _prefiltered() -> type[Any]:
    from joeira.content.tps import Prefiltered

    return Prefiltered


def fingerprint(method: object) -> str:
    """Return a short hash of a method and its parameters, the same in every run."""
    declared = getattr(method, "__dataclass_params__", None)
    if declared is None:
        return _fingerprint(method, "")
    # A frozen method keeps it, as it would a lazy value: it is asked for with every page.
    known = getattr(method, "__dict__", {}) if declared.frozen else {}
    if _FINGERPRINT not in known:
        known[_FINGERPRINT] = _fingerprint(method, repr(method))
    found: str = known[_FINGERPRINT]
    return found


_FINGERPRINT = "_fingerprint"


def _fingerprint(method: object, values: str) -> str:
    kind = type(method)
    said = f"{kind.__module__}.{kind.__qualname__} {values}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def read_settings(name: str, method: type[Any], settings: dict[str, str]) -> dict[str, Any]:
    """Turn ``name=value`` texts into typed parameters of a method.

    A parameter that is a group of others is given whole, or as its parts: ``group.part=value``.
    ``preset=NAME`` stands for the values of one of its presets, which other settings may change.
    """
    settings = dict(settings)
    preset = _preset_values(name, method, settings.pop(PRESET)) if PRESET in settings else {}
    parts: dict[str, dict[str, str]] = {}
    for key, text in settings.items():
        whole, dot, part = key.partition(".")
        if dot:
            parts.setdefault(whole, {})[part] = text
    plain = {key: text for key, text in settings.items() if "." not in key}
    check_names(name, method, [*plain, *parts])
    known = {parameter.name: parameter for parameter in parameters(method)}
    values = {key: known[key].read(text) for key, text in plain.items()}
    for key, texts in parts.items():
        if key in values or not known[key].group:
            why = "is also given as a whole" if key in values else "has no parts"
            raise BadParameter(f"{key}.{next(iter(texts))}: {key} {why}")
        values[key] = known[key].read_parts(texts)
    for key, value in values.items():
        known[key].check(value)
    return preset | values


def presets(method: type[Any]) -> tuple[str, ...]:
    """Return the presets of a method: class methods without arguments that return one of it."""
    return tuple(
        name
        for name, member in vars(method).items()
        if isinstance(member, classmethod)
        and not name.startswith("_")
        and member.__func__.__annotations__ == {"return": method.__name__}
    )


def _preset_values(name: str, method: type[Any], preset: str) -> dict[str, Any]:
    """Return the values of a preset that are not the defaults, or raise `BadParameter`."""
    if preset not in presets(method):
        names = ", ".join(presets(method)) or "none"
        message = f"method {name!r} has no preset {preset!r}; its presets: {names}"
        raise BadParameter(message)
    made, default = getattr(method, preset)(), method()
    values = {field.name: getattr(made, field.name) for field in dataclasses.fields(method)}
    return {key: value for key, value in values.items() if value != getattr(default, key)}


def check_names(name: str, method: type[Any], settings: Iterable[str]) -> None:
    """Raise `BadParameter` for a name that is not a parameter of the method."""
    known = [field.name for field in dataclasses.fields(method) if field.init]
    for key in settings:
        if key not in known:
            names = ", ".join(known) or "none"
            message = f"method {name!r} has no parameter {key!r}; its parameters: {names}"
            raise BadParameter(message)


@dataclass(frozen=True)
class Description:
    """The description of a method: its declarations and measured scores."""

    name: str
    task: str
    summary: str
    papers: tuple[Paper, ...]
    """Its publications; empty if it is our own."""
    origin: Paper | None
    """The Portuguese-language work through which it came to Joeira, if any."""
    parameters: tuple[Parameter, ...]
    f1: dict[str, float]
    """Measured F1 by data set."""
    aliases: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    """Named sets of values, chosen by the setting ``preset``."""

    @property
    def citation(self) -> str:
        """Its papers and its origin as one line; empty if it is our own."""
        works = dict.fromkeys((*self.papers, *([self.origin] if self.origin else ())))
        return " ".join(map(str, works))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for ``json.dumps``."""
        return {
            "name": self.name,
            "aliases": list(self.aliases),
            "task": self.task,
            "summary": self.summary,
            "paper": self.citation or None,
            "papers": [str(paper) for paper in self.papers],
            "origin": str(self.origin) if self.origin else None,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": parameter.default,
                    "values": parameter.values,
                    "about": parameter.about,
                    "source": parameter.source or None,
                    "schema": parameter.schema,
                }
                for parameter in self.parameters
            ],
            "presets": list(self.presets),
            "f1": self.f1,
        }


def describe(entry: Entry) -> Description:
    """Return the description of a method."""
    method = entry.load()
    paper = getattr(method, "paper", None)  # other packages may name a single one
    measured = models.read_scores().get(entry.task, {})
    return Description(
        name=entry.name,
        task=entry.task,
        summary=(method.__doc__ or "").strip().partition("\n")[0],
        papers=tuple(getattr(method, "papers", (paper,) if paper else ())),
        origin=getattr(method, "origin", None),
        parameters=parameters(method),
        f1={
            data: scores["f1"][entry.name]
            for data, scores in measured.items()
            if entry.name in scores["f1"]
        },
        aliases=entry.aliases,
        presets=presets(method),
    )


def _plugged() -> list[Entry]:
    from importlib.metadata import entry_points  # slow to import, and few have other packages

    plugged = []
    for point in entry_points(group="joeira.methods"):
        try:
            task = getattr(point.load(), "task", "content")
        except Exception as error:  # somebody else's code: our own methods must go on working
            warnings.warn(f"method {point.name!r} of another package: {error!r}", stacklevel=3)
        else:
            plugged.append(Entry(point.name, task, point.value))
    return plugged
