"""Formulas: TeX where the page has it, else the characters of the formula on one line.

MathML carries its TeX in an ``annotation`` or in ``alttext`` (MediaWiki, LaTeXML, KaTeX, MathJax
3), MathJax 2 in a ``script``. What else shows the same formula (spans of KaTeX, preview texts,
fallback images) is left out, or it would be said twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.arrays.trees import inside
from joeira.page import Page

MAX_TEX_CHARS = 5000
_CARRIER = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax|MathJax_CHTML)(?=\s|$)")
_DISPLAYED = re.compile(r"(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block)(?=\s|$)")
_RENDERED = ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_CHTML"
_DRAWN = "script[src*=mathjax i],script[src*=katex i],script[type^='text/x-mathjax']"
_WRITTEN = re.compile(
    r"\\\((.{1,2000}?)\\\)|\\\[(.{1,2000}?)\\\]|\$\$([^$]{1,2000})\$\$"
    r"|(?<![\\$\w])\$(?![\s$])([^$]{1,500})(?<![\s\\])\$(?![\d$])"
)
_LEVELS = 4
_BREAKING = str.maketrans({"<": r"\lt ", ">": r"\gt ", "$": "", "`": "'"})


@dataclass(frozen=True)
class Formula:
    """One formula of the page."""

    tex: str
    """'' when the page does not have it."""
    displayed: bool
    """Does it stand on a line of its own?"""


class Formulas:
    """The formulas to write, by the row of the outermost element that is about them alone."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], *, with_tex: bool = True) -> None:
        """Find the formulas of which a text, or the texts around them, are kept.

        Without TeX a formula is the characters that it is drawn with, once.
        """
        self.page = page
        self.found: dict[int, Formula] = {}
        self.covered = np.zeros(len(page), bool)
        if not keep.any():
            return
        maths = page.rows_of("math").tolist()
        scripts = page.attributes.select("script[type^='math/tex']") if with_tex else []
        if not (maths or scripts):
            return
        padded = np.concatenate((keep, [False]))
        for row in maths:
            carrier, displayed = self._carrier(row)
            tex = self._tex(row) if with_tex else ""
            if self._is_kept(carrier, padded, known=bool(tex)):
                self.found[carrier] = Formula(tex, displayed)
        for row in scripts:
            kind = page.attributes.get(row, "type") or ""
            tex = safe_tex(page.attributes.inner_text(row))
            if tex and self._is_kept(row, padded, known=True):
                self.found[row] = Formula(tex, "display" in kind)
        self.covered[list(self.found)] = True
        if scripts:
            self.covered[page.attributes.select(_RENDERED)] = True
        self.covered = inside(self.covered, page.end)

    def _carrier(self, row: int) -> tuple[int, bool]:
        """Return the outermost element that holds nothing but a formula, and if it is displayed."""
        page = self.page
        displayed = page.attributes.get(row, "display") == "block"
        carrier = above = row
        for _ in range(_LEVELS):
            above = int(page.parent[above])
            if above <= 0:
                break
            name = page.attributes.get(above, "class") or ""
            if _CARRIER.search(name) or page.tag_name(above) == "mjx-container":
                carrier = above
                displayed |= page.attributes.get(above, "display") == "true"
            displayed |= _DISPLAYED.search(name) is not None
        return carrier, displayed

    def _tex(self, row: int) -> str:
        page = self.page
        said = ""
        rows, texts = self._annotations
        first = bisect_left(rows, row)
        if first < len(rows) and rows[first] < page.end[row]:
            said = texts[first]
        return safe_tex(said or page.attributes.get(row, "alttext") or "")

    @cached_property
    def _annotations(self) -> tuple[list[int], list[str]]:
        """Rows and texts of what is written in TeX: formulas may be nested without end."""
        read = self.page.attributes
        rows = [
            row
            for row in self.page.rows_of("annotation").tolist()
            if "tex" in (read.get(row, "encoding") or "").lower()
        ]
        return rows, [read.inner_text(row) for row in rows]

    def _is_kept(self, row: int, kept: NDArray[np.bool_], *, known: bool) -> bool:
        """Return whether a text in it is kept or, of a formula with TeX, those around it."""
        index, page = self.page.text_index, self.page
        first, stop = int(index[row]), int(index[page.end[row]])
        return bool(kept[first:stop].any() or (known and kept[first - 1] and kept[stop]))


def draws_tex(page: Page) -> bool:
    """Return whether the page has scripts draw the TeX that stands in its text."""
    return bool(page.attributes.matching(_DRAWN))


def split_tex(text: str) -> Iterator[str | Formula]:
    """Yield the parts of a text: formulas written in it as TeX, and what stands between them."""
    done = 0
    for match in _WRITTEN.finditer(text):
        tex = safe_tex(match[match.lastindex or 0])
        if tex:
            yield text[done : match.start()]
            yield Formula(tex, displayed=match.lastindex in (2, 3))
            done = match.end()
    yield text[done:]


def safe_tex(tex: str) -> str:
    """Return TeX on one line that ends no formula, tag, link or code span around it."""
    if len(tex) > MAX_TEX_CHARS:
        return ""
    tex = collapse(tex).translate(_BREAKING).replace("](", "] (").replace("%", r"\%")
    tex = tex.replace("\\\\%", r"\%")
    while tex.startswith(r"{\displaystyle ") and tex.endswith("}"):
        tex = tex[15:-1].strip()
    return tex.strip()
