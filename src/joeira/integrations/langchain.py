"""For LangChain: a loader of pages, and a transformer for documents that hold HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from joeira.integrations import missing
from joeira.integrations.documents import PageDocument, Reading, Source

try:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import BaseDocumentTransformer, Document
except ImportError as error:
    raise missing(error, "langchain") from None


class JoeiraLoader(BaseLoader):
    """Loads the main content of files and web addresses, one document for each page."""

    def __init__(self, sources: Source | Iterable[Source], reading: Reading | None = None) -> None:
        """Keep what to load; nothing is read yet."""
        self.sources = [sources] if isinstance(sources, Source) else list(sources)
        self.reading = reading or Reading()

    def lazy_load(self) -> Iterator[Document]:
        """Yield a document for each page with content."""
        return map(_document, self.reading.read_all(self.sources))


class JoeiraTransformer(BaseDocumentTransformer):
    """Replaces the HTML of documents with its main content, and adds metadata."""

    def __init__(self, reading: Reading | None = None) -> None:
        """Keep how pages are read."""
        self.reading = reading or Reading()

    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Return the documents with content, each with the metadata it had and the page's own."""
        transformed = []
        for document in documents:
            source = document.metadata.get("source")
            url = source if isinstance(source, str) else None
            page = self.reading.convert(document.page_content, url)
            if self.reading.is_wanted(page):
                metadata = page.metadata | document.metadata
                transformed.append(_document(page._replace(metadata=metadata), document.id))
        return transformed


def _document(page: PageDocument, identifier: str | None = None) -> Document:
    return Document(page_content=page.text, metadata=page.metadata, id=identifier)
