"""The main content of a page: a mask over its texts, with a score and a reason for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.metadata import Metadata, read
from joeira.output import html, json, markdown, text
from joeira.page import Page
from joeira.page.region import xpaths_of


class Reasons(Protocol):
    """Words for decisions; made only when somebody asks."""

    def of(self, index: int) -> str:
        """Return the reason for what was decided about a text."""
        ...


@dataclass(frozen=True, eq=False)
class ReasonTable:
    """One sentence per case; each text has the number of its case.

    ``{score}`` in a sentence is replaced by the text's score.
    """

    cases: NDArray[np.integer[Any]]
    sentences: Sequence[str]
    scores: NDArray[np.floating[Any]]

    def of(self, index: int) -> str:
        """Return the sentence of a text's case."""
        return self.sentences[int(self.cases[index])].format(score=float(self.scores[index]))


@dataclass(frozen=True)
class BlockDecision:
    """What was decided about a block of the page, and why."""

    kept: bool
    score: float
    reason: str
    xpath: str
    text: str
    hidden: str
    """Why a browser would not show the block; '' when it would."""
    position: tuple[int, int] | None
    """Line (from 1) and column (from 0) of the block's element in the source."""


@dataclass(frozen=True, eq=False)
class Content:
    """The main content of a page: which of its texts are kept, with scores and reasons."""

    page: Page = field(repr=False)
    keep: NDArray[np.bool_] = field(repr=False)
    """Per text of the page (``page.texts``): is it content?"""
    scores: NDArray[np.floating[Any]] = field(repr=False)
    """Per text: how strongly the method holds it to be content, on the method's own scale."""
    reasons: Reasons = field(repr=False)
    method: str
    title: str | None = None
    """Title that the method itself found, if it looks for one."""
    note: str = ""
    """What the method has to say about the page as a whole."""
    page_confidence: float | None = None
    """Calibrated estimate of the word F1 of this result, where the method has one."""
    pagetype: tuple[str, float] | None = None
    """Kind of page and its probability, where the method has a guess."""

    def __post_init__(self) -> None:
        """Freeze the columns."""
        if not len(self.keep) == len(self.scores) == len(self.page.texts):
            message = "keep and scores must have one value per text of the page"
            raise UsageError(message)
        for column in (self.keep, self.scores):
            column.flags.writeable = False

    def __bool__(self) -> bool:
        """Return whether anything was kept."""
        return bool(self.keep.any())

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Content by {self.method}: {int(self.keep.sum())} of {len(self.keep)} texts>"

    @property
    def status(self) -> str:
        """``ok``, ``empty`` (nothing kept) or ``cut`` (limits of the parser were reached)."""
        if self.page.notes:
            return "cut" if self else "empty"
        return "ok" if self else "empty"

    @property
    def reason(self) -> str:
        """Why the result is what it is, as far as it concerns the page as a whole."""
        notes = [*self.page.notes, *([self.note] if self.note else [])]
        if not self and not notes:
            notes = [
                "the page has no text" if not self.page.texts else "no text looked like content"
            ]
        return "; ".join(notes)

    def text(self) -> str:
        """Return plain text: paragraphs apart, list items on lines, table rows tab-separated."""
        return text.render(self.page, self.keep)

    def markdown(self) -> str:
        """Return Markdown (GFM) of the kept content."""
        return markdown.render(self.page, self.keep)

    def html(self) -> str:
        """Return clean, safe HTML of the kept content."""
        return html.render(self.page, self.keep)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return json.content_to_dict(self)

    @cached_property
    def metadata(self) -> Metadata:
        """Title, author, date and the like."""
        return read(self.page, self.title, self.pagetype[0] if self.pagetype else None)

    def blocks(self) -> list[str]:
        """Return the kept blocks as plain texts."""
        return [decision.text for decision in self.explain() if decision.kept]

    def explain(self) -> Iterator[BlockDecision]:
        """Yield every block of the page with its decision, score and reason, in page order.

        A block of which only a part was kept is given in parts, so that each word of the page is in
        exactly one of the kept and the dropped.
        """
        page = self.page
        starts = self._parts()
        owners = page.blocks.owner[page.blocks.of_text[starts]].tolist()
        bounds = pairwise([*starts.tolist(), len(self.keep)])
        for (start, stop), owner, xpath in zip(
            bounds, owners, xpaths_of(page, owners), strict=True
        ):
            yield BlockDecision(
                kept=bool(self.keep[start]),
                score=float(self.scores[start]),
                reason=self.reasons.of(start),
                xpath=xpath,
                text=page.joined(start, stop),
                hidden=page.hidden_reason(int(page.text_rows[start])),
                position=page.attributes.position(owner),
            )

    def _parts(self) -> NDArray[np.intp]:
        """Return where the longest runs of texts within a block with one decision begin."""
        new = np.zeros(len(self.keep), bool)
        new[self.page.blocks.first[:-1]] = True
        new[1:] |= self.keep[1:] != self.keep[:-1]
        return np.flatnonzero(new)
