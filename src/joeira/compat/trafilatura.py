"""``extract`` and ``bare_extraction`` with the interface of trafilatura 2.

Replace ``import trafilatura`` with ``from joeira.compat import trafilatura``: the arguments and the
names in the results are the same, and the result is None if nothing was extracted.

Departures: ``body`` and ``commentsbody`` are None, because nothing is copied out of the page; for
those of XML see `joeira.render.xml`; fingerprints differ from trafilatura's. Arguments that cannot
be honoured cause one warning. `fast` and `no_fallback` have no effect.
"""

from __future__ import annotations

import csv
import io
import json
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from html import escape
from typing import Any, TypedDict

from joeira import api, catalog
from joeira.content.result import Content
from joeira.errors import UsageError
from joeira.render import xml
from joeira.render.schemas import fingerprint, trafilatura
from joeira.render.selection import Show


def source_of(filecontent: Any) -> str | bytes | None:
    """Return the source of a page: text, bytes, a response, or a tree of lxml."""
    if filecontent is None or isinstance(filecontent, str | bytes):
        return filecontent
    data = getattr(filecontent, "data", None)
    if isinstance(data, bytes):
        return data
    if type(filecontent).__module__.startswith("lxml"):
        from lxml import etree

        source: str = etree.tostring(filecontent, encoding="unicode", method="html")
        return source
    message = f"cannot read a page from {type(filecontent).__name__}"
    raise UsageError(message)


FORMATS = ("csv", "html", "json", "markdown", "python", "txt", "xml", "xmltei")
_IGNORED = {
    "deduplicate": "each page is processed by itself, so that the same page always gives the same "
    "text",
    "date_extraction_params": "dates follow Joeira's own rules",
    "max_tree_size": "joeira.parse has its own limits",
    "settingsfile": "settings are parameters of Joeira's methods",
    "config": "settings are parameters of Joeira's methods",
    "options": "settings are parameters of Joeira's methods",
    "prune_xpath": "parts of a page cannot be left out by XPath",
    "tei_validation": "documents are valid by construction and are not checked",
}
_CSV = "url id fingerprint hostname title image date text comments license pagetype".split()


class _Shown(TypedDict):
    links: bool
    images: bool
    formatting: bool


@dataclass(kw_only=True)
class Document:
    """The content and metadata of a page, with trafilatura's names."""

    title: str | None = None
    author: str | None = None
    url: str | None = None
    hostname: str | None = None
    description: str | None = None
    sitename: str | None = None
    date: str | None = None
    categories: list[str] | None = None
    tags: list[str] | None = None
    fingerprint: str | None = None
    id: str | None = None
    license: str | None = None
    body: None = None
    comments: str = ""
    commentsbody: None = None
    raw_text: str = ""
    text: str = ""
    language: str | None = None
    image: str | None = None
    pagetype: str | None = None
    filedate: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name."""
        return asdict(self)


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """Return the content of a page in the wanted format; None when nothing was extracted."""
    request = _Request(**locals())
    if output_format == "python":
        message = "output_format='python' works only with bare_extraction"
        raise UsageError(message)
    answered = request.answered()
    return None if answered is None else request.written(*answered)


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> Document | dict[str, Any] | None:
    """Return the content of a page with its metadata; None when nothing was extracted."""
    arguments = locals()
    del arguments["as_dict"]
    answered = _Request(**arguments).answered()
    if answered is None:
        return None
    return answered[0].as_dict() if as_dict else answered[0]


@dataclass(frozen=True)
class _Request:
    """The arguments of a call."""

    filecontent: Any
    url: str | None
    fast: bool
    no_fallback: bool
    favor_precision: bool
    favor_recall: bool
    include_comments: bool
    output_format: str
    target_language: str | None
    include_tables: bool
    include_images: bool
    include_formatting: bool | None
    include_links: bool
    deduplicate: Any
    date_extraction_params: dict[str, Any] | None
    with_metadata: bool
    only_with_metadata: bool
    max_tree_size: int | None
    url_blacklist: set[str] | None
    author_blacklist: set[str] | None
    prune_xpath: str | list[str] | None
    config: Any
    options: Any
    record_id: str | None = None
    settingsfile: str | None = None
    tei_validation: bool = False

    def __post_init__(self) -> None:
        """Refuse unknown formats, and warn of what cannot be done."""
        if self.output_format not in FORMATS:
            message = f"no output_format {self.output_format!r}; known: {', '.join(FORMATS)}"
            raise UsageError(message)
        for name, reason in _IGNORED.items():
            if getattr(self, name):
                _warn(f"{name} has no effect: {reason}")

    def answered(self) -> tuple[Document, Content] | None:
        """Return the document and its content, or None."""
        source = source_of(self.filecontent)
        if source is None or (self.url and self.url in (self.url_blacklist or ())):
            return None
        preset = "precision" if self.favor_precision else "recall" if self.favor_recall else ""
        kind = catalog.find(catalog.DEFAULT_CONTENT).load()
        method = getattr(kind, preset)() if preset else kind()
        content = api.extract(source, method, url=self.url)
        comments = content.comments.text() if self.include_comments else ""
        content = content.without_comments()
        content = content if self.include_tables else content.without_tables()
        document = self._document(content, comments)
        return (document, content) if content and self._is_wanted(document) else None

    def _document(self, content: Content, comments: str) -> Document:
        said = content.metadata
        text = content.text()
        author = said.author
        return Document(
            title=said.title,
            author=None if author in (self.author_blacklist or ()) else author,
            url=said.url,
            hostname=said.hostname,
            description=said.description,
            sitename=said.sitename,
            date=said.date,
            categories=list(said.categories),
            tags=list(said.tags),
            fingerprint=fingerprint(text),
            id=self.record_id,
            license=said.license,
            comments=comments,
            raw_text=" ".join(text.split()),
            text=self._markdown(content) if self.output_format == "markdown" else text,
            language=said.language,
            image=said.image,
            pagetype=said.pagetype,
        )

    def _markdown(self, content: Content) -> str:
        return content.markdown(**self._show, title=False)

    @property
    def _show(self) -> _Shown:
        return {
            "links": self.include_links,
            "images": self.include_images,
            "formatting": self.include_formatting is not False,
        }

    def _is_wanted(self, found: Document) -> bool:
        if self.only_with_metadata and not (found.title and found.url and found.date):
            return False
        language = (found.language or "").split("-")[0]
        return not (self.target_language and language and language != self.target_language)

    def written(self, document: Document, content: Content) -> str:
        """Return a document in the wanted format."""
        if self.output_format == "json":
            return self._json(document, content)
        if self.output_format == "csv":
            line = io.StringIO()
            row = [getattr(document, name) or "null" for name in _CSV]
            csv.writer(line, delimiter="\t", lineterminator="\n").writerow(row)
            return line.getvalue().removesuffix("\n")
        if self.output_format in ("html", "xml", "xmltei"):
            return self._markup(document, content)
        text = "\n".join(filter(None, (document.text, document.comments)))
        return f"{_front_matter(document)}{text}" if self.with_metadata else text

    def _json(self, document: Document, content: Content) -> str:
        fields = trafilatura(content.to_dict() | {"comments": document.comments})
        fields |= {"id": document.id, "author": document.author}
        if not self.with_metadata:
            fields = {name: fields[name] for name in ("text", "comments")}
        return json.dumps(fields, ensure_ascii=False)

    def _markup(self, document: Document, content: Content) -> str:
        if self.output_format == "html":
            body = content.html(**self._show)
            comments = "".join(f"<p>{escape(line)}</p>" for line in document.comments.splitlines())
            return f"<html><body>{body}{comments}</body></html>"
        fields = document.as_dict() if self.with_metadata or self.output_format != "xml" else {}
        render = xml.render if self.output_format == "xml" else xml.render_tei
        shown = Show(**self._show)
        page, theirs = content.page, content.comments.keep
        comments_kept = theirs if self.include_comments else theirs & False
        return render(page, content.keep & ~theirs, comments_kept, fields, shown).strip()


def _front_matter(document: Document) -> str:
    names = "title author url hostname description sitename date categories tags".split()
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name in names
        if (value := getattr(document, name))
    ]
    return "\n".join(("---", *lines, "---", ""))


@lru_cache(maxsize=64)  # once for each message, of which there are fewer
def _warn(message: str) -> None:
    warnings.warn(f"joeira.compat.trafilatura: {message}", stacklevel=5)
