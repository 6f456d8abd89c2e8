"""For NeMo Curator: an algorithm for its extractor of Common Crawl."""

from __future__ import annotations

from joeira import api, catalog
from joeira.integrations import missing

try:
    from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm
except ImportError as error:
    raise missing(error, "nemo-curator") from None


class JoeiraExtractor(HTMLExtractorAlgorithm):
    """Gives the main content of a page, block by block."""

    def __init__(self, method: str = catalog.DEFAULT_CONTENT, visible_only: bool = False) -> None:
        """Keep how content is found."""
        self.method = method
        self.visible_only = visible_only

    def extract_text(
        self, html: str, stop_words: frozenset[str], language: str
    ) -> list[str] | None:
        """Return the texts of the kept blocks; None when there are none.

        The words and the language are not needed: blocks are judged by more than common words.
        """
        content = api.extract(html, self.method, visible_only=self.visible_only)
        return content.blocks() or None
