"""What methods return: frozen views of a page that can say why.

A result never copies or changes the page: it is a mask over its texts, or slices of its rows. Text,
Markdown, tables and explanations are derived from it when asked for.
"""

from joeira.records.result import Record, Records, RecordTable
from joeira.results.content import Content, Reasons, ReasonTable
from joeira.results.explanation import BlockDecision, Explanation
from joeira.results.segments import Segments
from joeira.results.site import Drift, SiteModel

__all__ = [
    "BlockDecision",
    "Content",
    "Drift",
    "Explanation",
    "ReasonTable",
    "Reasons",
    "Record",
    "RecordTable",
    "Records",
    "Segments",
    "SiteModel",
]
