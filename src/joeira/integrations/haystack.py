"""For Haystack: an HTML converter that replaces `HTMLToDocument`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joeira.integrations import missing
from joeira.integrations.documents import Reading

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.components.converters.utils import get_bytestream_from_source, normalize_metadata
    from haystack.dataclasses import ByteStream
except ImportError as error:
    raise missing(error, "haystack") from None


@component
class JoeiraConverter:
    """Converts pages, given as files or streams, to documents of their main content."""

    def __init__(
        self,
        to: str = "markdown",
        method: str = "learned",
        visible_only: bool = False,
        keep_empty: bool = False,
    ) -> None:
        """Keep how pages are read; see `joeira.integrations.documents.Reading`."""
        self.reading = Reading(to, method, visible_only, keep_empty)

    def to_dict(self) -> dict[str, Any]:
        """Return what a pipeline writes down of the component."""
        names = ("to", "method", "visible_only", "keep_empty")
        settings = {name: getattr(self.reading, name) for name in names}
        plain: dict[str, Any] = default_to_dict(self, **settings)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JoeiraConverter:
        """Return the component that a pipeline wrote down."""
        made: JoeiraConverter = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Return the documents of pages with content; streams may name their ``url``."""
        documents = []
        for source, given in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            stream = get_bytestream_from_source(source)
            known = stream.meta | given
            page = self.reading.convert(stream.data, known.get("url"))
            if self.reading.is_wanted(page):
                documents.append(Document(content=page.text, meta=page.metadata | known))
        return {"documents": documents}
