"""CETR, content extraction via tag ratios: lines with many characters per tag are content.

1. The tag ratio of a line of source is its characters of text over its tags (over 1 where it has
   none). Lines with neither vanish.
2. The ratios are smoothed by a Gaussian.
3. Threshold variant: lines whose smoothed ratio is at least `threshold_factor` standard deviations
   of the smoothed ratios are content.
   Clustering variant: a line is the point (smoothed ratio, size of its smoothed change over the
   next three lines); of three clusters, one with its centre fixed at the origin, the lines of that
   one are dropped.

Departures:

- Pages of today are often one long line, so the source is broken anew: before every start tag and
  after every end tag of a block-level element, after ``br``, and where a text itself holds a line
  break. Line breaks of the source between two tags are not used.
- Tags are those of the parsed document; script and style elements are dropped with their tags.
- A text on several lines is content when at least half of its characters are on content lines.
- Beyond the first and the last line the ratios go on as they are (the paper is silent).
- The two free centres start at the points farthest along each axis: no randomness.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case, markup
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.papers import WENINGER_2010, Paper
from joeira.params import check, param

MAX_ROUNDS = 50
"""Rounds of k-means after which the groups are taken as they are: keeps the time linear."""


def means_with_origin(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the cluster of each point of the plane: 3-means, the centre of cluster 0 fixed at 0.

    The other two centres start at the points farthest along each axis (the first of equal ones). A
    point as near to two centres belongs to the first of them; a centre without points stays.
    """
    if not len(points):
        return np.zeros(0, np.intp)
    centres = np.concatenate((np.zeros((1, 2)), points[np.argmax(points, axis=0)]))
    cluster = np.full(len(points), -1)
    for _ in range(MAX_ROUNDS):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = np.argmin(distance, axis=1)
        if np.array_equal(nearest, cluster):
            break
        cluster = nearest
        for number in (1, 2):
            members = points[cluster == number]
            if len(members):
                centres[number] = members.mean(axis=0)
    return cluster


_CODE = tags.table("script style")
_BREAK = tags.table("br")
_CHANGE_LINES = 3
"""Lines ahead that the change of a line's ratio is taken over (from the paper)."""


class RatioCase(Case):
    """What the line of a text is."""

    LOW_RATIO = 0, "smoothed tag ratio {score:.1f} characters per tag, less than {limit:.1f}"
    HIGH_RATIO = 1, "smoothed tag ratio {score:.1f} characters per tag, at least {limit:.1f}"
    NEAR_ZERO = 2, "smoothed tag ratio {score:.1f} characters per tag: in the cluster near zero"
    FAR_FROM_ZERO = (
        3,
        "smoothed tag ratio {score:.1f} characters per tag: outside the cluster near zero",
    )


@dataclass(frozen=True)
class CETR:
    """Keep the lines of the source with many characters per tag.

    The score of a text is its smoothed tag ratio in characters per tag, averaged over its lines and
    weighted by characters.
    """

    variant: Literal["threshold", "clustering"] = param(
        "threshold",
        "How to find content: by one threshold, or by clusters of ratio and change.",
    )
    radius: int = param(
        1,
        "Number of lines on each side that the Gaussian spans; 0: no smoothing.",
        source="paper",
        ge=0,
        le=1000,
    )
    threshold_factor: float = param(
        1,
        "Number of standard deviations that a line must reach in the threshold variant.",
        source="paper",
        ge=0,
    )

    papers: ClassVar[tuple[Paper, ...]] = (WENINGER_2010,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the texts on content lines."""
        pieces = _pieces(page)
        lines = _lines(page, *pieces)
        ratios = markup.smooth(markup.tag_ratios(lines.chars, lines.tags), self.radius)
        if self.variant == "threshold":
            limit = self.threshold_factor * float(np.std(ratios)) if len(ratios) else 0.0
            is_content = ratios >= limit
            kept_case, dropped_case = RatioCase.HIGH_RATIO, RatioCase.LOW_RATIO
        else:
            limit = 0.0
            is_content = self._clustered(ratios)
            kept_case, dropped_case = RatioCase.FAR_FROM_ZERO, RatioCase.NEAR_ZERO

        owner, _, chars = pieces
        weight = np.bincount(owner, chars, len(page.texts))
        kept = np.bincount(owner, chars * is_content[lines.of_piece], len(page.texts))
        scores = np.bincount(owner, chars * ratios[lines.of_piece], len(page.texts)) / weight
        keep = 2 * kept >= weight
        cases = np.where(keep, kept_case, dropped_case)
        reasons = ReasonTable(cases, RatioCase, scores, {"limit": limit})
        return Content(page, keep, scores, reasons, "cetr")

    def _clustered(self, ratios: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which lines are not in the cluster at the origin."""
        following = np.concatenate((ratios, np.repeat(ratios[-1:], _CHANGE_LINES)))
        total = np.concatenate(([0.0], np.cumsum(following)))
        window = _CHANGE_LINES + 1
        mean_ahead = (total[window:] - total[:-window]) / window
        change = np.abs(markup.smooth(mean_ahead - ratios, self.radius))
        cluster = means_with_origin(np.column_stack((ratios, change)))
        return np.not_equal(cluster, 0)


Pieces = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]


def _pieces(page: Page) -> Pieces:
    """Return the lines within texts: text, number within the text, characters."""
    characters = page.characters
    # Each text is followed by a line end, so texts and the lines within them end alike.
    starts = np.append(0, np.flatnonzero(characters.codes == ord("\n")) + 1)[:-1]
    owner = np.searchsorted(characters.starts, starts, side="right") - 1
    first = np.searchsorted(starts, characters.starts)
    chars = replace(characters, starts=starts).lengths()
    return owner, np.arange(len(starts)) - first[owner], chars


def _lines(
    page: Page, owner: NDArray[np.intp], number: NDArray[np.intp], chars: NDArray[np.int32]
) -> markup.Lines:
    counted = ~(page.is_text | _CODE[page.known_tag])
    block = ~tags.INLINE[page.known_tag]
    return markup.lines(
        page.depth,
        page.end,
        (counted, counted & ~tags.VOID[page.known_tag]),
        markup.Breaks(before=block, after=block | _BREAK[page.known_tag]),
        (page.text_rows[owner], number, chars),
    )
