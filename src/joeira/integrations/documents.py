"""Pages as documents with text and metadata, for document indexes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from joeira import api, catalog, formats
from joeira.catalog import Extractor
from joeira.content.result import Content
from joeira.errors import InputError, JoeiraError, UsageError
from joeira.fetch.fetcher import Fetcher

_METADATA = (
    "title", "author", "date", "language", "sitename", "hostname", "description", "pagetype",
)  # fmt: skip
_log = logging.getLogger(__name__)

Page = str | bytes
Source = str | Path


class PageDocument(NamedTuple):
    """The text and metadata of a page."""

    text: str
    metadata: dict[str, Any]
    """What the page says about itself; ``source``, ``status`` and ``reason``. Nothing is None."""


def _fetcher() -> Fetcher:
    return Fetcher(timeout_seconds=30, max_bytes=20_000_000, allow_private=False)


@dataclass(frozen=True)
class Reading:
    """How pages become documents."""

    to: str = "markdown"
    """A format of text: ``markdown``, ``text``, ``html`` ..."""
    method: str | Extractor[Content] = catalog.DEFAULT_CONTENT
    visible_only: bool = False
    """Whether what readers of a page do not see is left out, as `joeira.extract` can do it."""
    keep_empty: bool = False
    """Whether pages without content, or that could not be read, become documents all the same.

    Else they are left out, and a warning of the logger says why."""
    fetcher: Fetcher = field(default_factory=_fetcher, repr=False, compare=False)

    def convert(self, html: Page, url: str | None = None) -> PageDocument:
        """Return the document of a page."""
        content = api.extract(html, self.method, url=url, visible_only=self.visible_only)
        written = formats.write("content", self.to, content)
        if not isinstance(written, str):
            raise UsageError(f"documents must be text, not {self.to}")
        said = {name: getattr(content.metadata, name) for name in _METADATA}
        said |= {"source": url, "status": content.status, "reason": content.reason or None}
        if content.page_confidence is not None:
            said["confidence"] = float(content.page_confidence)
        return PageDocument(
            written if content else "", {k: v for k, v in said.items() if v is not None}
        )

    def read(self, source: Source) -> PageDocument:
        """Return the document of a file or an address; of one that cannot be read, an empty one."""
        try:
            url, html = self._open(source)
        except JoeiraError as error:
            metadata = {"source": str(source), "status": "failed", "reason": str(error)}
            return PageDocument("", metadata)
        document = self.convert(html, url)
        return document._replace(metadata=document.metadata | {"source": url or str(source)})

    def read_all(self, sources: Iterable[Source]) -> Iterator[PageDocument]:
        """Yield the documents of files and addresses, one after the other."""
        return (document for source in sources if self.is_wanted(document := self.read(source)))

    def is_wanted(self, document: PageDocument) -> bool:
        """Return whether a document is to be kept; log why others are not."""
        if document.text or self.keep_empty:
            return True
        source, reason = document.metadata.get("source"), document.metadata.get("reason")
        _log.warning("no content in %s: %s", source or "a page", reason)
        return False

    def _open(self, source: Source) -> tuple[str | None, Page]:
        if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
            return self.fetcher.fetch(source)
        try:
            return None, Path(source).read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(getattr(error, "strerror", None) or str(error)) from error
