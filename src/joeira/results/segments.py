"""The segments of a page: a partition of its texts into regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.output.outlined import outlined
from joeira.page import Page, Region


@dataclass(frozen=True, eq=False)
class Segments(Sequence[Region]):
    """The segments of a page in page order; every text is in exactly one of them."""

    page: Page = field(repr=False)
    regions: tuple[Region, ...]
    labels: NDArray[np.integer[Any]] = field(repr=False)
    """Number of the segment of each text (``page.texts``)."""
    method: str
    note: str = ""
    """What the method has to say about the page as a whole."""

    def __post_init__(self) -> None:
        """Freeze the column."""
        if len(self.labels) != len(self.page.texts):
            message = "labels must have one value per text of the page"
            raise UsageError(message)
        self.labels.flags.writeable = False

    @overload
    def __getitem__(self, index: int) -> Region: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Region, ...]: ...

    def __getitem__(self, index: int | slice) -> Region | tuple[Region, ...]:
        """Return a segment, or some."""
        return self.regions[index]

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        """Yield the segments in page order."""
        return iter(self.regions)

    @property
    def reason(self) -> str:
        """Why the result is what it is, as far as it concerns the page as a whole."""
        notes = [*self.page.notes, *([self.note] if self.note else [])]
        if not self and not notes:
            notes = ["the page has no text"]
        return "; ".join(notes)

    def html(self) -> str:
        """Return the page with every segment outlined: one file, nothing in it runs or loads."""
        return outlined(self.page, self.regions)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "url": self.page.url,
            "method": self.method,
            "reason": self.reason,
            "segments": [
                {"label": part.label, "score": part.score, "xpath": part.xpath, "text": part.text}
                for part in self.regions
            ],
        }
