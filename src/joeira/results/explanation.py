"""Why a page's content is what it is: a receipt for the page, and one for every block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import strings
from joeira.page import Page
from joeira.page.attributes import source_spans
from joeira.page.region import xpaths_of

if TYPE_CHECKING:
    from joeira.results.content import Content


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
    invisible: str = ""
    """Characters in the block that no reader sees, such as "5 tag characters"."""
    span: tuple[int, int] | None = None
    """Where the block's element begins and ends in the source: `joeira.page.attributes`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data."""
        line, column = self.position or (None, None)
        start, end = self.span or (None, None)
        return {
            "kept": self.kept,
            "score": self.score if math.isfinite(self.score) else None,
            "reason": self.reason,
            "hidden": self.hidden,
            "invisible": self.invisible,
            "xpath": self.xpath,
            "line": line,
            "column": column,
            "start": start,
            "end": end,
            "text": self.text,
        }


@dataclass(frozen=True, eq=False)
class Explanation:
    """What was decided about a page: iterate over it for its blocks, in page order.

    A block of which only a part was kept, or of which only a part is shown, is given in parts: each
    word of the page is in exactly one of the kept and the dropped.
    """

    content: Content = field(repr=False)
    method: str
    configuration: str
    """Short hash of the method and its parameters: equal for equal ones of one version."""
    status: str
    reason: str

    @property
    def version(self) -> str:
        """Version of Joeira."""
        return installed_version()

    def __iter__(self) -> Iterator[BlockDecision]:
        """Yield every block of the page with its decision, score and reason."""
        return decided(self.content, self.bounds())

    def bounds(self) -> list[int]:
        """Return where the texts of each block begin, and the number of texts at the end."""
        return [*parts(self.content.page, self.content.keep).tolist(), len(self.content.keep)]

    def to_dict(self) -> dict[str, Any]:
        """Return what is said about the page as a whole."""
        names = ("method", "version", "configuration", "status", "reason")
        return {name: getattr(self, name) for name in names}


@cache
def installed_version() -> str:
    """Return the version of Joeira."""
    return version("joeira")


def decided(content: Content, bounds: Sequence[int]) -> Iterator[BlockDecision]:
    """Yield the decisions about runs of texts within blocks; `bounds` says where they begin."""
    page = content.page
    owners = page.blocks.owner[page.blocks.of_text[bounds[:-1]]].tolist()
    first, last = source_spans(page)
    for (start, stop), owner, xpath in zip(
        pairwise(bounds), owners, xpaths_of(page, owners), strict=True
    ):
        text = page.joined(start, stop)
        yield BlockDecision(
            kept=bool(content.keep[start]),
            score=float(content.scores[start]),
            reason=content.reasons.of(start),
            xpath=xpath,
            text=text,
            hidden=page.hidden_reason(int(page.text_rows[start])),
            position=page.attributes.position(owner),
            invisible=", ".join(
                f"{n} {kind}" for kind, n in strings.invisible_characters(text).items()
            ),
            span=(int(first[owner]), int(last[owner])) if last[owner] >= 0 else None,
        )


def parts(page: Page, *keeps: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return where the longest runs of texts within a block with the same decisions begin."""
    new = np.zeros(len(page.texts), bool)
    new[page.blocks.first[:-1]] = True
    for per_text in (*keeps, page.hidden[page.text_rows]):
        new[1:] |= per_text[1:] != per_text[:-1]
    return np.flatnonzero(new)
