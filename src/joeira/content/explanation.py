"""Explanations: why each block of a page was kept or dropped.

The report is one web page that shows every decision: on the left the page's own words in its own
structure, without its styles; on the right what was extracted. It has no scripts, and a content
security policy under which nothing is ever loaded. Reasons are shown for the block under the mouse
or the one that the keyboard has reached.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joeira._version import __version__
from joeira.arrays import Bools, strings
from joeira.blockmodel.reasons import Reason, sentence
from joeira.page import Page
from joeira.page.model import xpaths_of
from joeira.page.nodes import SourcePlaces

if TYPE_CHECKING:
    from joeira.content.result import Content


@dataclass(frozen=True)
class BlockDecision:
    """The decision about a block of the page, with its reason."""

    kept: bool
    score: float
    reason: str
    """The reason as an English sentence."""
    xpath: str
    text: str
    hidden: str
    """Why a browser would not show the block; '' if it would."""
    position: tuple[int, int] | None
    """Line (from 1) and column (from 0) of the block's element in the source.

    None where no tag made it, and on pages of more than 50,000 rows.
    """
    invisible: str = ""
    """Characters in the block that no reader sees, such as "5 tag characters"."""
    span: tuple[int, int] | None = None
    """Start and end of the block's element in the source; see `joeira.page.attributes`."""
    code: str = ""
    """The reason for programs: a stable name such as ``comment``."""
    parts: tuple[str, ...] = field(default=(), repr=False)
    """The phrases that form the reason."""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data."""
        line, column = self.position or (None, None)
        start, end = self.span or (None, None)
        return {
            "kept": self.kept,
            "score": self.score if math.isfinite(self.score) else None,
            "code": self.code,
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
    """The decisions about a page; iterate over it to get its blocks in page order.

    A block that was kept or is visible only in part is split: each word of the page is in exactly
    one kept or dropped decision. On a page with more than `MAX_EXPLAINED` blocks, one or two
    decisions at the end summarise all other kept and dropped blocks, with the code ``unexplained``
    and no score; the reason says how many there are.
    """

    content: Content = field(repr=False)
    method: str
    configuration: str
    """Short hash of the method and its parameters."""
    status: str
    reason: str

    @property
    def version(self) -> str:
        """Version of Joeira."""
        return __version__

    def __iter__(self) -> Iterator[BlockDecision]:
        """Yield every block of the page with its decision, score and reason."""
        bounds = self.bounds()
        yield from decisions(self.content, bounds[: MAX_EXPLAINED + 1])
        yield from _rest(self.content, bounds[MAX_EXPLAINED:])

    def bounds(self) -> list[int]:
        """Return the first text of each block, and the number of texts at the end."""
        keep = self.content.keep
        return [*run_starts(self.content.page, keep).tolist(), len(keep)]

    def about(self, words: str) -> tuple[str, list[BlockDecision]]:
        """Return how words were found, and the blocks that contain them.

        The search ignores markup and typography. It returns ``exact``; ``nearest``, with the block
        that shares most of the words; or ``none``.
        """
        blocks = list(self)
        texts = [block.text for block in blocks]
        for match, find in (("exact", holding), ("nearest", nearest)):
            if numbers := find(texts, words):
                return match, [blocks[number] for number in numbers]
        return "none", []

    def to_dict(self) -> dict[str, Any]:
        """Return what is said about the page as a whole."""
        names = ("method", "version", "configuration", "status", "reason")
        return {name: getattr(self, name) for name in names}


def decisions(content: Content, bounds: Sequence[int]) -> Iterator[BlockDecision]:
    """Yield the decisions about runs of texts within blocks; `bounds` says where they begin."""
    page = content.page
    owners = page.blocks.owner[page.blocks.of_text[bounds[:-1]]].tolist()
    places = SourcePlaces(page)
    first, last = places.spans()
    for (start, stop), owner, xpath in zip(
        pairwise(bounds), owners, xpaths_of(page, owners), strict=True
    ):
        text = page.joined(start, stop)
        parts = content.reasons.parts(start)
        yield BlockDecision(
            kept=bool(content.keep[start]),
            score=float(content.scores[start]),
            reason="; ".join(parts),
            xpath=xpath,
            text=text,
            hidden=page.hidden_reason(int(page.text_rows[start])),
            position=places.position(owner),
            invisible=", ".join(
                f"{n} {kind}" for kind, n in strings.invisible_characters(text).items()
            ),
            span=(int(first[owner]), int(last[owner])) if last[owner] >= 0 else None,
            code=content.reasons.case(start).code,
            parts=parts,
        )


def _rest(content: Content, bounds: Sequence[int]) -> Iterator[BlockDecision]:
    """Yield one decision about all runs that were kept, and one about those that were dropped."""
    page = content.page
    runs = list(pairwise(bounds))
    for kept in (True, False):
        alike = [(start, stop) for start, stop in runs if content.keep[start] == kept]
        if not alike:
            continue
        reason = sentence(Reason.UNEXPLAINED).format(blocks=len(alike))
        text = "\n".join(page.joined(start, stop) for start, stop in alike)
        owner = int(page.blocks.owner[page.blocks.of_text[alike[0][0]]])
        yield BlockDecision(
            kept=kept,
            score=math.nan,
            reason=reason,
            xpath=page.xpath(owner),
            text=text,
            hidden="",
            position=None,
            code=Reason.UNEXPLAINED.code,
            parts=(reason,),
        )


def run_starts(page: Page, *keeps: Bools) -> NDArray[np.intp]:
    """Return the first text of each longest run of texts within a block with the same decisions."""
    new = np.zeros(len(page.texts), bool)
    new[page.blocks.first[:-1]] = True
    for per_text in (*keeps, page.hidden[page.text_rows]):
        new[1:] |= per_text[1:] != per_text[:-1]
    return np.flatnonzero(new)


# What people type for what pages hold; soft hyphens and the like are not seen at all.
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"}
    | {"\N{SOFT HYPHEN}": "", "\N{ZERO WIDTH SPACE}": "", "\N{ZERO WIDTH NON-JOINER}": ""}
)


def folded(text: str) -> str:
    """Return text in which case, kinds of quotes and white space make no difference."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(plain.casefold().split())


def holding(texts: Sequence[str], words: str) -> list[int]:
    """Return the numbers of the texts that hold the words, also across several texts.

    Where that finds nothing, spaces are left out: where one word ends may be a matter of markup.
    """
    wanted = folded(words)
    if not wanted:
        return []
    plain = [folded(text) for text in texts]
    found = _overlapping(plain, wanted, " ")
    if not found:
        found = _overlapping([_tight(text) for text in plain], _tight(wanted), "")
    return found


def nearest(texts: Sequence[str], words: str) -> list[int]:
    """Return the number of the text that shares most words; of several, the shortest."""
    wanted = Counter(folded(words).split())
    best, best_rank = -1, (0, 0)
    for number, text in enumerate(texts):
        held = Counter(folded(text).split())
        rank = ((wanted & held).total(), -held.total())
        if rank[0] and rank > best_rank:
            best, best_rank = number, rank
    return [best] if best >= 0 else []


def _tight(text: str) -> str:
    return text.replace(" ", "")


def _overlapping(texts: Sequence[str], wanted: str, separator: str) -> list[int]:
    starts, place = [], 0
    for text in texts:
        starts.append(place)
        place += len(text) + len(separator)
    found: dict[int, None] = {}
    for start in _occurrences(separator.join(texts), wanted):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, start + len(wanted) - 1) - 1
        found |= dict.fromkeys(range(first, last + 1))
    return list(found)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted))


MAX_EXPLAINED = 50_000
"""Blocks with a reason of their own, and blocks of the page that a report shows."""
MAX_LISTED = 5000
"""Blocks in the list at the end of a report."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CHOICES = {
    "all": "everything",
    "kept-only": '<span class="swatch k">kept</span>',
    "dropped-only": '<span class="swatch d">dropped</span>',
    "hidden-only": '<span class="swatch h">hidden in a browser</span>',
}


def render(content: Content) -> str:
    """Return the report as HTML."""
    from joeira.render import html

    page = content.page
    explanation = content.explain()
    bounds = explanation.bounds()
    blocks = list(decisions(content, bounds[: MAX_EXPLAINED + 1]))
    shown = ~page.in_head[page.text_rows]
    shown[bounds[len(blocks)] :] = False
    name = content.metadata.title or page.url or "a page"
    choices = "".join(
        f'<input class="choice" type="radio" name="show" id="{choice}"'
        f"{' checked' if choice == 'all' else ''}>"
        for choice in _CHOICES
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Why: {escape(name)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        f"{choices}\n{_header(content, name, bounds)}\n<main>\n"
        '<section class="page" aria-label="The page" dir="auto"><p class="name">The page</p>\n'
        f"{html.render_marked(page, shown, _marks(blocks, bounds))}\n</section>\n"
        '<section class="result" aria-label="Extracted" tabindex="0" dir="auto">'
        '<p class="name">Extracted</p>\n'
        f"{content.html(links=False, images=False)}\n</section>\n</main>\n"
        f"{_list(blocks, len(bounds) - 1)}\n</body>\n</html>\n"
    )


def _style() -> str:
    from importlib.resources import files

    return files("joeira.content").joinpath("report.css").read_text("utf-8")


def _marks(blocks: Sequence[BlockDecision], bounds: Sequence[int]) -> list[str]:
    """Return the start tag of each text; the first of a block can be reached by keyboard."""
    marks = []
    anchor = ' id="first"'
    for decision, size in zip(blocks, np.diff(bounds[: len(blocks) + 1]).tolist(), strict=True):
        kind = ("k" if decision.kept else "d") + (" h" if _unseen(decision) else "")
        mark = f'<span class="{kind}" data-why="{escape(_why(decision))}"'
        first = anchor if decision.kept else ""
        anchor = "" if first else anchor
        marks += [f'{mark}{first} tabindex="0">'] + [f"{mark}>"] * (size - 1)
    return marks


def _unseen(decision: BlockDecision) -> str:
    return "; ".join(filter(None, (decision.hidden, decision.invisible)))


def _why(decision: BlockDecision) -> str:
    verdict = "Kept" if decision.kept else "Dropped"
    hidden = f"\nhidden in a browser: {_unseen(decision)}" if _unseen(decision) else ""
    return f"{verdict}, score {decision.score:.2f}\n{decision.reason}{hidden}"


def _header(content: Content, name: str, bounds: Sequence[int]) -> str:
    page = content.page
    body = ~page.in_head[page.text_rows]
    words = int(page.text_words[body].sum())
    kept = int(page.text_words[content.keep].sum())
    share = kept / words if words else 0.0
    said = content.explain().to_dict()
    reason = said.pop("reason")
    left = max(0, len(bounds) - 1 - MAX_EXPLAINED)
    facts = {
        **said,
        "kept": f"{kept} of {words} words, {content.keep[bounds[:-1]].sum()} blocks",
        "not shown": f"the last {left} blocks of the page" if left else "",
        "confidence": f"{content.page_confidence:.2f}" if content.page_confidence else "",
        "hidden but kept": ", ".join(f"{n} ({why})" for why, n in content.hidden_words.items()),
        "invisible": ", ".join(f"{n} {why}" for why, n in content.invisible_characters.items()),
    }
    told = "".join(
        f"<div><dt>{escape(key)}</dt><dd>{escape(str(value))}</dd></div>"
        for key, value in facts.items()
        if value
    )
    labels = "".join(f'<label for="{name}">{label}</label>' for name, label in _CHOICES.items())
    return (
        f"<header><h1>{escape(name)}</h1>"
        + (f"<p>{escape(page.url)}</p>" if page.url else "")
        + (f"<p>{escape(reason)}</p>" if reason else "")
        + f'<dl class="facts">{told}</dl><div class="bar"><i style="width:{share:.1%}"></i></div>'
        f"<fieldset><legend>Show</legend>{labels}"
        + ('<a href="#first">first kept block</a>' if content else "")
        + "</fieldset></header>"
    )


def _list(blocks: Sequence[BlockDecision], count: int) -> str:
    rows = "".join(map(_row, blocks[:MAX_LISTED]))
    left = count - MAX_LISTED
    more = f"<p>{left} more blocks are not listed.</p>" if left > 0 else ""
    titles = "".join(
        f"<th scope=col>{title}</th>" for title in ("", "score", "reason", "where", "line", "text")
    )
    return (
        f"<details><summary>All {count} blocks as a list</summary>"
        f"<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>{more}</details>"
    )


def _row(decision: BlockDecision) -> str:
    text = decision.text if len(decision.text) <= 160 else f"{decision.text[:159]}…"
    reason = "; ".join(filter(None, (decision.reason, _unseen(decision))))
    line = str(decision.position[0]) if decision.position else ""
    cells = (f"{decision.score:.2f}", reason, decision.xpath, line, text)
    told = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    kind = ("k", "kept") if decision.kept else ("d", "dropped")
    return f'<tr><td><span class="{kind[0]}">{kind[1]}</span></td>{told}</tr>'
