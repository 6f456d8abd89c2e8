"""Contenders by name: our methods, other libraries, and any function.

- ``name`` or ``name[key=value;key=value]``: a method of the catalog, with settings;
- ``metadata``, ``product``: our readers of title, author and date, and of the facts of a product;
- ``peer:name``: another library, called as its documentation says, with its defaults;
- ``module:function``: anybody's function from the source of a page to what the task measures: its
  text, or the texts of its records table by table.

The peers come with the ``bench`` extra. Nothing here guards against one that crashes or never ends:
`joeira.isolation` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from joeira import catalog
from joeira.catalog import Extractor
from joeira.errors import UnknownMethod, UsageError
from joeira.evaluation.datasets import Example
from joeira.evaluation.tasks import CONTENT, METADATA, PRODUCT, Task
from joeira.metadata import Metadata
from joeira.page import parse

PREFIX = "peer:"

# Stop lists of jusText by language code; pages in other languages get the English one.
_JUSTEXT_LANGUAGES = {
    "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "it": "Italian", "nl": "Dutch", "no": "Norwegian_Bokmal",
    "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "tr": "Turkish",
}  # fmt: skip


def find_peer(name: str, task: str = "content") -> Callable[[], Callable[[Example], Any]]:
    """Return what imports a peer, or raise `UsageError` when it is unknown or not installed."""
    known = PEERS.get(task, {})
    if name not in known:
        message = f"no peer {name!r} for {task}. Known peers: {', '.join(known) or 'none'}"
        raise UnknownMethod(message)
    module, make = known[name]
    if find_spec(module) is None:
        message = f"{name} is not installed; pip install 'joeira[bench]' installs every peer"
        raise UsageError(message)
    return make


def _trafilatura() -> Callable[[Example], str]:
    import trafilatura

    return lambda row: trafilatura.extract(row.html) or ""


def _resiliparse() -> Callable[[Example], str]:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda row: extract_plain_text(row.html, main_content=True) or ""


def _readability() -> Callable[[Example], str]:
    import lxml.html
    import readability

    def run(row: Example) -> str:
        summary = lxml.html.fromstring(readability.Document(row.html).summary())
        return " ".join(summary.itertext())

    return run


def _justext() -> Callable[[Example], str]:
    import justext

    stop_lists: dict[str, frozenset[str]] = {}

    def run(row: Example) -> str:
        language = _JUSTEXT_LANGUAGES.get(row.lang or "en", "English")
        if language not in stop_lists:
            stop_lists[language] = justext.get_stoplist(language)
        paragraphs = justext.justext(row.html, stop_lists[language])
        return "\n".join(part.text for part in paragraphs if not part.is_boilerplate)

    return run


def _newspaper() -> Callable[[Example], str]:
    import newspaper

    def run(row: Example) -> str:
        # The address has to exist and is never fetched: the page is given.
        article = newspaper.Article(row.url or "http://localhost/", fetch_images=False)
        article.download(input_html=row.html)
        article.parse()
        return article.text or ""

    return run


def _turbohtml() -> Callable[[Example], str]:
    import turbohtml

    return lambda row: turbohtml.parse(row.html).main_text()


def _trafilatura_facts() -> Callable[[Example], dict[str, Any]]:
    import trafilatura

    def run(row: Example) -> dict[str, Any]:
        facts = trafilatura.extract_metadata(row.html, default_url=row.url)
        return {"title": facts.title, "author": facts.author, "date": facts.date} if facts else {}

    return run


def _newspaper_facts() -> Callable[[Example], dict[str, Any]]:
    import newspaper

    def run(row: Example) -> dict[str, Any]:
        article = newspaper.Article(row.url or "http://localhost/", fetch_images=False)
        article.download(input_html=row.html)
        article.parse()
        authors = "; ".join(article.authors or ())
        return {"title": article.title, "author": authors, "date": str(article.publish_date or "")}

    return run


def _readability_facts() -> Callable[[Example], dict[str, Any]]:
    import readability

    return lambda row: {"title": readability.Document(row.html).short_title()}


def _turbohtml_facts() -> Callable[[Example], dict[str, Any]]:
    import turbohtml

    def run(row: Example) -> dict[str, Any]:
        article = turbohtml.parse(row.html).article()
        return {"title": article.title, "author": article.byline, "date": article.date}

    return run


_Peers = dict[str, tuple[str, Callable[[], Callable[[Example], Any]]]]
_CONTENT: _Peers = {
    "peer:trafilatura": ("trafilatura", _trafilatura),
    "peer:resiliparse": ("resiliparse", _resiliparse),
    "peer:readability": ("readability", _readability),
    "peer:justext": ("justext", _justext),
    "peer:newspaper4k": ("newspaper", _newspaper),
    "peer:turbohtml": ("turbohtml", _turbohtml),
}
_METADATA: _Peers = {
    "peer:trafilatura": ("trafilatura", _trafilatura_facts),
    "peer:newspaper4k": ("newspaper", _newspaper_facts),
    "peer:readability": ("readability", _readability_facts),
    "peer:turbohtml": ("turbohtml", _turbohtml_facts),
}
PEERS: dict[str, _Peers] = {"content": _CONTENT, "metadata": _METADATA}
"""By task and name: the module that has to be installed, and what makes the contender."""


Contender = Callable[[Example], Any]
"""Takes a page from its source to what is measured, parsing included."""

_NAME = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<settings>[^\[\]]*)\])?")
_COMMA = re.compile(r",(?![^\[]*\])")


def split_names(names: str) -> list[str]:
    """Split ``a,b[key=1,2;other=3]`` at the commas outside brackets."""
    parts = [name.strip() for name in _COMMA.split(names)]
    return list(dict.fromkeys(name for name in parts if name))


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
            message = f"{name!r}: only methods of the catalog accept settings"
            raise UsageError(message)
        if not match["name"].startswith(PREFIX):
            return _made(_Function.named(match["name"], task))
        return find_peer(match["name"], task.name)
    if task in (METADATA, PRODUCT):
        if name.strip() != task.name:
            message = f"{name!r}: for this task, only {task.name!r} and peers can be measured"
            raise UsageError(message)
        return _made(_own_metadata if task is METADATA else _own_product)
    return _made(_Method(configured(name, task.methods or task.name), task))


def configured(name: str, task: str) -> Any:
    """Return a method of the catalog written as name or name[key=value;key=value]."""
    match = _NAME.fullmatch(name.strip())
    if match is None:
        message = f"{name!r}: write a method as name or name[key=value;key=value]"
        raise UsageError(message)
    settings = dict(_setting(part) for part in (match["settings"] or "").split(";") if part.strip())
    return catalog.build(match["name"], settings, task)


def _own_metadata(row: Example) -> Any:
    """Return the facts of a page as `joeira.metadata` reads them, without a content method."""
    return METADATA.output_of(Metadata(parse(row.html, row.url)))


def _own_product(row: Example) -> Any:
    """Return the facts of a page's product, without a content method."""
    return PRODUCT.output_of(Metadata(parse(row.html, row.url)))


def _made(contender: Contender) -> Callable[[], Contender]:
    return lambda: contender


@dataclass(frozen=True)
class _Method:
    method: Extractor[Any]
    task: Task

    def __call__(self, row: Example) -> Any:
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

    def __call__(self, row: Example) -> Any:
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
        message = f"a setting must be key=value, not {part!r}"
        raise UsageError(message)
    return key.strip(), value.strip()
