"""For LlamaIndex: a reader of pages, also for the files of a `SimpleDirectoryReader`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from joeira.integrations import missing
from joeira.integrations.documents import Reading, Source

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.readers.base import BasePydanticReader
    from llama_index.core.schema import Document
except ImportError as error:
    raise missing(error, "llama-index") from None


class JoeiraReader(BasePydanticReader):
    """Reads the main content of files and web addresses, one document for each page."""

    is_remote: bool = True
    _reading: Reading = PrivateAttr()

    def __init__(self, reading: Reading | None = None, **data: Any) -> None:
        """Keep how pages are read."""
        super().__init__(**data)
        self._reading = reading or Reading()

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which the reader is known."""
        return "JoeiraReader"

    def lazy_load_data(
        self,
        sources: Source | Iterable[Source],
        extra_info: dict[str, Any] | None = None,
        **_: Any,
    ) -> Iterable[Document]:
        """Yield a document for each page with content, its address or path as identifier."""
        given = [sources] if isinstance(sources, Source) else sources
        for page in self._reading.read_all(given):
            metadata = page.metadata | (extra_info or {})
            yield Document(text=page.text, id_=page.metadata["source"], metadata=metadata)
