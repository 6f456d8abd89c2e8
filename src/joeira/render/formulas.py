"""Formulas as TeX, from TeX or MathML in the page, otherwise as characters on one line.

MathML carries its TeX in an ``annotation`` or in ``alttext`` (MediaWiki, LaTeXML, KaTeX, MathJax
3), MathJax 2 in a ``script``, editors in an attribute such as ``data-math``, blogs in the
alternative text of an image. What else shows the same formula (spans of KaTeX, preview texts,
fallback images) is left out, or it would be said twice.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import parse_qs, unquote_plus, urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.arrays.trees import inside, outermost
from joeira.page import Page, tags

MAX_TEX_CHARS = 5000
_CARRIER = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax|MathJax_CHTML)(?=\s|$)")
_DISPLAYED = re.compile(
    r"(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block|tml-display"
    r"|(?:math|tex|latex|equation|formula)[-_](?:block|display)|(?:block|display)[-_]?(?:math|tex)"
    r"|disp-formula|math display|math-tex-block)(?=\s|$)",
    re.IGNORECASE,
)
_EQUATION = re.compile(r"(?:^|\s)(?:ltx_)?(?:equation|latex-rendered)(?=\s|$)")
_RENDERED = ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_CHTML"
_DRAWN = "script[src*=mathjax i],script[src*=katex i],script[type^='text/x-mathjax']"
_WRITTEN = re.compile(
    r"\\\((.{1,2000}?)\\\)|\\\[(.{1,2000}?)\\\]|\$\$([^$]{1,2000})\$\$"
    r"|(?<![\\$\w])\$(?![\s$])([^$]{1,500})(?<![\s\\])\$(?![\d$])"
)
_LEVELS = 4
_BREAKING = str.maketrans({"<": r"\lt ", ">": r"\gt ", "$": "", "`": "'"})

_NAMED = re.compile(r"math|katex|latex|mjx|equation|formula|(?<![a-z])tex(?![a-z])", re.IGNORECASE)
"""Names of classes that speak of formulas."""
_HINTS: Final = ("math", "katex", "mjx", "equation", "formula")
_TEX: Final = re.compile(r"tex(?![a-z])")
_ATTRIBUTES: Final = (
    "data-math", "data-tex", "data-latex", "data-entry", "data-formula", "data-expr", "data-katex",
    "data-equation", "data-original-tex", "data-mathml-tex", "data-value",
    "data-attrs",
)  # fmt: skip
_ELEMENTS_OF_TEX: Final = ("d-math", "math-renderer", "tex-math", "inline-math", "display-math")
_MARKED: Final = (
    "math", "arithmatex", "math-tex", "tex", "mathjax", "tex2jax_process", "math-inline",
    "math-display", "math-block", "katex-block", "katex-inline",
)  # fmt: skip
_DRAWINGS: Final = tags.table("math svg img")
_SIGNS: Final = ("\\", "^", "_{")
_IMAGE_NAMES: Final = re.compile(r"math|tex|equation|formula", re.IGNORECASE)
_SERVICES: Final = ("cht=tx", "equation?tex=")
_COMMAND: Final = re.compile(
    r"\\(?:[dt]?frac|sqrt|sum|prod|int|oint|lim|infty|partial|nabla|cdots?|ldots|times|begin|end"
    r"|left|right|[lr]angle|math\w{2,4}|text\w{0,2}|operatorname|over\w+|under\w+|bar|hat|tilde|vec"
    r"|d?dot|alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|lambda|mu|nu|xi|pi|rho|sigma"
    r"|tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega|[lg]eq?|neq?"
    r"|approx|equiv|sim|cong|in|notin|subset\w*|cup|cap|to|rightarrow|Rightarrow|mapsto|circ|forall"
    r"|exists|log|ln|exp|sin|cos|tan|max|min|binom|displaystyle|pm|oplus|otimes|ell)(?![a-z])"
    r"|[_^]\{|\\[{},;!]"
)
_PROSE: Final = re.compile(r"[^\W\d_]{3,}[,.;:]?\s+[^\W\d_]{2,}")
_SPEAKS_OF_TEX: Final = re.compile(
    r"(?:^|[\s_-])(?:latex|math|tex|equation|formula|eqn?)(?=$|[\s_-])", re.IGNORECASE
)
_EXPRESSION: Final = re.compile(
    r'"(?:persistentExpression|expression|latex|tex)"\s*:\s*("(?:[^"\\]|\\.)*")'
)
_IS_TEX: Final = re.compile(r"math/tex", re.IGNORECASE)
_ENCLOSED: Final = re.compile(r"(\\\[|\\\(|\$\$?)(.*?)(\\\]|\\\)|\$\$?)", re.DOTALL)


@dataclass(frozen=True)
class Formula:
    """One formula of the page."""

    tex: str
    """'' when the page does not have it."""
    displayed: bool
    """Does it stand on a line of its own?"""
    row: int = -1
    """The element with its characters, where others repeat them; -1 if there is none."""

    def characters(self, page: Page, carrier: int, keep: NDArray[np.bool_]) -> str:
        """Return the kept characters that it is drawn with, once."""
        for row in (self.row, carrier):
            first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
            kept = [page.texts[index] for index in range(first, stop) if keep[index]]
            if kept and row >= 0:
                return " ".join(map(collapse, kept))
        return ""


def has_formulas(page: Page) -> bool:
    """Return whether a page has elements that are formulas by themselves."""
    return page.tag_counts[tags.NUMBER["math"]] > 0 or "mjx-container" in page.foreign_names


class Formulas:
    """The formulas of a page, by the row of the outermost element that is about them alone."""

    def __init__(self, page: Page, names: str, *, with_tex: bool = True) -> None:
        """Find them; without TeX a formula is the characters that it is drawn with, once.

        Args:
            page: The page.
            names: All of its classes in lower case.
            with_tex: Whether to look for the TeX of formulas.
        """
        self.page = page
        self.names = names
        self.with_tex = with_tex
        self.found: dict[int, Formula] = {}
        self._rendered: list[int] = []
        self._find()

    def restrict(self, rows: list[int]) -> None:
        """Keep the formulas of some rows."""
        self.found = {row: self.found[row] for row in rows}

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which rows show what the formulas say."""
        covered = np.zeros(len(self.page), bool)
        covered[list(self.found)] = True
        covered[self._rendered] = True
        return inside(covered, self.page.end)

    def _find(self) -> None:
        page = self.page
        foreign = page.foreign_names
        if has_formulas(page):
            self._find_mathml(outermost(page.rows_of("math"), page.end).tolist())
        if self.with_tex:
            is_named = bool(self.found) or any(hint in self.names for hint in _HINTS)
            is_named = is_named or _TEX.search(self.names) is not None
            if is_named:
                self._find_attributes()
            if is_named or not set(_ELEMENTS_OF_TEX).isdisjoint(foreign):
                self._find_marked()
            self._find_scripts()
            if page.tag_counts[tags.NUMBER["img"]]:
                self._find_images()
        if len(self.found) > 1:
            alone = outermost(np.array(sorted(self.found)), page.end).tolist()
            self.found = {row: self.found[row] for row in alone}

    def _find_mathml(self, maths: list[int]) -> None:
        page = self.page
        drawn = outermost(page.rows_of("mjx-container"), page.end).tolist()
        for row in maths:
            carrier, displayed = self._carrier(row)
            self.found[carrier] = Formula(self._tex(row) if self.with_tex else "", displayed, row)
        for row in drawn:
            place = bisect_left(maths, row)
            if place < len(maths) and maths[place] < page.end[row]:
                continue  # it is about that one
            tex = self._converted(row) if self.with_tex else ""
            if tex or not self.with_tex:
                self.found[row] = Formula(tex, self._is_displayed(row))

    def _find_attributes(self) -> None:
        page = self.page
        known = sorted(self.found)
        for row, said in page.attributes.having(*_ATTRIBUTES):
            tex = next(filter(None, map(said.get, _ATTRIBUTES)), "")
            stop = int(page.end[row])
            if tex.startswith(('{"', "[{")):
                tex = _tex_of_data(tex)
            if not tex or stop - row > _MAX_DRAWN_ROWS:
                continue
            own = page.attributes.get(row, "class") or ""
            is_drawing = bool(_DRAWINGS[page.known_tag[row:stop]].any())
            if _NAMED.search(own) or (is_drawing and _COMMAND.search(tex)):
                place = bisect_left(known, row)
                inner = known[place] if place < len(known) and known[place] < stop else -1
                displayed = inner >= 0 and self.found[inner].displayed
                self._add(row, tex, displayed or self._is_displayed(row))

    def _find_marked(self) -> None:
        """Find TeX that stands as the text of an element which says what it is."""
        page = self.page
        rows = [(row, True) for name in _ELEMENTS_OF_TEX for row in page.rows_of(name).tolist()]
        if not set(_MARKED).isdisjoint(self.names.split()):
            marked = page.attributes.select(",".join(f".{name}" for name in _MARKED))
            rows += [(row, False) for row in marked]
        for row, is_tex in rows:
            first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
            if stop - first != 1:
                continue
            text = page.texts[first].strip()
            match = _ENCLOSED.fullmatch(text)
            if match:
                is_block = match[1] in ("\\[", "$$")
                self._add(row, match[2], is_block or self._is_displayed(row))
            elif is_tex or (_COMMAND.search(text) and page.end[row] == row + 2):
                is_block = page.attributes.get(row, "block") is not None
                self._add(row, text, is_block or self._is_displayed(row))

    def _find_scripts(self) -> None:
        page = self.page
        kinds = page.attributes.read("script[type]", ["type"])
        scripts = [(row, kind or "") for row, (kind,) in kinds if _IS_TEX.match(kind or "")]
        for row, kind in scripts:
            self._add(row, page.attributes.inner_text(row), "display" in kind)
        if scripts:
            self._rendered = page.attributes.select(_RENDERED)

    def _find_images(self) -> None:
        page = self.page
        names = ("alt", "class", "src", "title")
        for row, values in page.attributes.read("img", names):
            alt, name, source, title = (value or "" for value in values)
            if not _may_draw_tex(alt, name, source):
                continue
            said = _tex_of_image(alt.strip() or title.strip(), name, source)
            if said:
                self._add(row, said, self._is_alone(row) or self._is_displayed(row))

    def _add(self, row: int, tex: str, displayed: bool) -> None:
        tex = safe_tex(tex)
        if tex:
            self.found[row] = Formula(tex, displayed)

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
        return carrier, displayed or self._is_displayed(carrier)

    def _is_displayed(self, row: int) -> bool:
        """Return whether an element, or one around it and nothing else, says that it is a block."""
        page = self.page
        first, stop = page.text_index[row], page.text_index[page.end[row]]
        for _ in range(_LEVELS):
            if row <= 0 or page.text_index[row] < first or page.text_index[page.end[row]] > stop:
                return False
            name = page.attributes.get(row, "class") or ""
            display = (page.attributes.get(row, "display") or "").lower()
            if _DISPLAYED.search(name) or display in ("true", "block"):
                return True
            if _EQUATION.search(name) and not tags.INLINE[page.known_tag[row]]:
                return True
            row = int(page.parent[row])
        return False

    def _is_alone(self, row: int) -> bool:
        """Return whether an image is all that its paragraph holds."""
        page = self.page
        block = int(page.parent[row])
        for _ in range(_LEVELS):
            if block <= 0 or not tags.INLINE[page.known_tag[block]]:
                break
            block = int(page.parent[block])
        stop = int(page.end[block])
        if page.text_index[block] < page.text_index[stop] or stop - block > _LEVELS * 4:
            return False
        return bool((page.tag[block:stop] == tags.NUMBER["img"]).sum() == 1)

    def _tex(self, row: int) -> str:
        page = self.page
        said = ""
        rows, texts = self._annotations
        first = bisect_left(rows, row)
        if first < len(rows) and rows[first] < page.end[row]:
            said = texts[first]
        tex = safe_tex(said or page.attributes.get(row, "alttext") or "")
        return tex or self._converted(row)

    def _converted(self, row: int) -> str:
        """Return the TeX of a formula that the page does not have as TeX."""
        from joeira.render.mathml import tex_of  # few pages need it

        return safe_tex(tex_of(self.page, row))

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


_MAX_DRAWN_ROWS: Final = 5000
"""Maximum number of rows of a single formula."""


def _may_draw_tex(alt: str, name: str, source: str) -> bool:
    """Return whether an image looks like one that draws TeX, as few do."""
    return (
        any(sign in alt for sign in _SIGNS)
        or _IMAGE_NAMES.search(name) is not None
        or "latex" in source.lower()
        or any(service in source for service in _SERVICES)
    )


def _tex_of_image(alt: str, name: str, source: str) -> str:
    """Return the TeX that an image draws, '' when it draws none."""
    match = _ENCLOSED.fullmatch(alt)
    if match:
        alt = match[2]
    is_named = bool(_SPEAKS_OF_TEX.search(name)) or "latex" in source.lower()
    if alt and len(alt) <= MAX_TEX_CHARS:
        has_command = _COMMAND.search(alt) is not None
        if has_command and (is_named or not re.match(r"[A-Za-z]:\\|https?:", alt)):
            return alt
        if is_named and not _PROSE.search(alt) and re.search(r"\w", alt):
            return alt if re.search(r"[=^_+\-<>(){}\\|]", alt) or len(alt) <= 8 else ""
        return ""
    return _tex_of_address(source) if not alt else ""


def _tex_of_address(source: str) -> str:
    """Return the TeX that an address asks a service to draw."""
    try:
        query = urlsplit(source).query
    except ValueError:
        return ""
    asked = parse_qs(query, max_num_fields=20) if query.count("&") < 20 else {}
    said = next((asked[key][0] for key in ("latex", "tex", "chl") if key in asked), "")
    if not said and "codecogs" in source:
        said = unquote_plus(query)
    return said if len(said) <= MAX_TEX_CHARS else ""


def _tex_of_data(data: str) -> str:
    """Return the TeX that an editor keeps among its own data."""
    match = _EXPRESSION.search(data[:MAX_TEX_CHARS])
    try:
        return str(json.loads(match[1])) if match else ""
    except ValueError:
        return ""


def stands_apart(page: Page, index: int) -> bool:
    """Return whether a space is before a formula that has no text and comes before a text."""
    before = page.texts[index - 1][-1:] if index else ""
    return not before or before not in "([{“‘«"


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
