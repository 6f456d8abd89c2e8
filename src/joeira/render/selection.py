"""Which rows take part in an output: kept texts, what encloses them, images, breaks, the title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays.strings import Words, collapse
from joeira.arrays.trees import enclosing, inside, nearest, outermost
from joeira.page import Page, addresses, tags
from joeira.page.tables import TINY, needed_rows
from joeira.render.formulas import Formulas
from joeira.render.listings import listings

if native_available:
    from joeira._native import blocks as kernels


@dataclass(frozen=True)
class Show:
    """What to write of links, images and emphasis; the words are always written."""

    links: bool = True
    images: bool = True
    formatting: bool = True
    """Bold, italic and the like; code stays code."""
    formulas: bool = True
    """As TeX where the page has it, not as the characters that it is drawn with."""
    alternatives: bool = True
    """The texts that stand for images and formulas, which readers do not see."""
    code: bool = True
    """Code as something else than words."""
    all_notes: bool = True
    """All footnotes that kept texts refer to, not only those that are kept."""
    scripts: str = "html"
    """How Markdown writes sub and sup: ``html`` (``x<sup>2</sup>``) or ``caret`` (``x^2^``)."""

    @property
    def inline(self) -> NDArray[np.bool_]:
        """Look-up table of the inline elements that outputs mark; sub and sup always among them."""
        shown = _SCRIPTS | (_CODE & self.code) | (_LINK & self.links)
        return shown | (INLINE & ~_LINK & ~_CODE if self.formatting else False)


CONTAINERS = tags.table(
    "ul ol menu dir li dl dt dd table caption thead tbody tfoot tr td th blockquote figure "
    "figcaption"
)
INLINE = tags.table(
    "em strong b i u s strike del ins sub sup mark small q cite abbr time code kbd samp var tt "
    "dfn a"
)
_LINK = tags.table("a")
_CODE = tags.table("code kbd samp tt")
_SCRIPTS = tags.table("sub sup")
"""Without them the words mean something else: 10<sup>6</sup> is not 106."""
ALL = Show()
WORDS = Show(
    links=False, images=False, formatting=False, formulas=False, code=False, all_notes=False
)

CONTENT_OF_NO_HEADING = tags.table(
    "ul ol menu dir dl table blockquote figure pre listing xmp plaintext h1 h2 h3 h4 h5 h6"
)
_ANCHORS = re.compile(
    r"edit-?section|header-?link|heading-?(?:anchor|link)|anchor-?(?:link|js)|perma-?link",
    re.IGNORECASE,
)
ANCHOR_STEMS = Words(  # every name that the pattern finds contains one of them
    "editsection edit-section headerlink header-link headinganchor heading-anchor headinglink "
    "heading-link anchorlink anchor-link anchorjs anchor-js permalink perma-link".split()
)
_ITEM = tags.NUMBER["li"]
_AROUND_BOXES = tags.table("p label span")
_KINDS = tags.table("input") + np.uint8(2) * tags.table("li") + np.uint8(4) * _AROUND_BOXES
_ORNAMENT = re.compile(
    r"\.gif(?:$|[?#])|(?:^|[/_-])(?:spacer|pixel|blank|transparent|sprite|bullet|arrow|corner|"
    r"border|divider|icon|1x1)s?(?=[._/-]|$)",
    re.IGNORECASE,
)
"""Addresses of images that mean nothing unless they say what."""
_SMALL = re.compile(r"\s*(?:\d|[12]\d|3[0-2])(?:px)?\s*")
_SOURCE = re.compile(r"<img\s(?:[^>]{0,2000}\s)?src=[\"']([^\"'>]{1,2000})[\"']", re.IGNORECASE)
_MAX_SOURCES = 50
_MAX_FALLBACK_CHARS = 5000
_PASSED = tags.table("button figcaption")
_LEVELS = 6


class Selection:
    """The rows to write, in page order, and what is known about them."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show) -> None:
        """Choose the rows for the kept texts of a page."""
        self.page = page
        names = page.class_text
        with_tex = show.formulas and show.alternatives  # readers see neither TeX nor other texts
        self.formulas = Formulas(page, names, with_tex=with_tex)
        self.keep = keep = without_anchors(page, keep, names)
        self.listings = kept_listings(page, keep, names)
        self._choose_formulas()
        kind = page.known_tag
        texts = page.spread(keep)
        self.owner = nearest(~page.is_inline, page.parent)
        self.images = _images(page, keep, self.owner) if show.images else {}
        for row in self.formulas.found:
            self.images.pop(row, None)
        leaves = texts.copy()
        leaves[list(self.images)] = True
        needed = needed_rows(page, leaves)
        headings = self._headings(needed)
        written = needed & (CONTAINERS | show.inline)[kind]
        written |= leaves
        written[headings] = True
        written |= _between(page, keep, page.rows_of("hr"))
        breaks = page.rows_of("br")
        rows = np.flatnonzero(leaves)
        if len(rows):
            written[breaks[(breaks > rows[0]) & (breaks < rows[-1])]] = True
        formulas = list(self.formulas.found)
        if formulas:
            written &= ~self.formulas.covered
            written[formulas] = True
            self.owner[formulas] = self.owner[page.parent[formulas]]  # all stand in a line
        if self.listings:
            in_listing = np.zeros(len(page), bool)
            in_listing[[row for rows in self.listings.values() for row in rows]] = True
            written &= ~inside(in_listing, page.end)
            written[list(self.listings)] = True
        self.rows = np.flatnonzero(written)
        special = np.array([*self.listings, *formulas], np.int64)
        # A formula in a listing is characters of it.
        self.special = np.searchsorted(self.rows, special[written[special]])
        """Places in `rows` of what is written as something else than its element."""
        self.needed = needed
        self.tasks = tasks(page)

    def _choose_formulas(self) -> None:
        """Keep the formulas of which a text is kept or, of those with TeX, the texts around."""
        page = self.page
        rows = np.array(list(self.formulas.found), np.int64)
        if not len(rows):
            return
        total = np.concatenate(([0], np.cumsum(self.keep)))
        chosen = total[page.text_index[page.end[rows]]] > total[page.text_index[rows]]
        has_tex = np.array([bool(formula.tex) for formula in self.formulas.found.values()])
        if not chosen.all() and self.keep.any():
            chosen |= has_tex & Surroundings(page, self.keep, rows).hold(rows)
        self.formulas.restrict(rows[chosen].tolist())

    def _headings(self, needed: NDArray[np.bool_]) -> NDArray[np.integer]:
        """Return the headings that contain only text, not those around a list or a table."""
        page = self.page
        blocks = np.flatnonzero(CONTENT_OF_NO_HEADING[page.known_tag] & needed)
        headings = np.flatnonzero(tags.HEADINGS[page.known_tag] & needed)
        inner = blocks.searchsorted(page.end[headings]) - blocks.searchsorted(headings, "right")
        alone: NDArray[np.integer] = headings[inner == 0]
        return alone


def kept_listings(page: Page, keep: NDArray[np.bool_], names: str) -> dict[int, list[int]]:
    """Return the `listings` of which a text is kept."""
    found = listings(page, names)
    if not found:
        return found
    total = np.concatenate(([0], np.cumsum(keep)))
    index = page.text_index
    return {
        row: rows
        for row, rows in found.items()
        if total[index[page.end[rows[-1]]]] > total[index[row]]
    }


def without_anchors(page: Page, keep: NDArray[np.bool_], names: str) -> NDArray[np.bool_]:
    """Return what is kept without what headings offer: to edit them, to copy their address."""
    if not ANCHOR_STEMS.are_in(names):
        return keep
    numbers, classes = page.classes
    named = [n for n in ANCHOR_STEMS.are_in_names(classes) if _ANCHORS.search(classes[n])]
    if not named:
        return keep
    rows = tags.rows_with((numbers, len(classes), named))
    headings = outermost(tags.HEADINGS[page.known_tag].nonzero()[0], page.end)
    heading = enclosing(headings, page.end, rows)
    rows, heading = rows[heading >= 0], heading[heading >= 0]
    if not len(rows):
        return keep
    index, end = page.text_index, page.end
    first, stop = index[rows], index[end[rows]]
    is_part = stop - first < index[end[heading]] - index[heading]
    left = keep.copy()
    for start, after in zip(first[is_part].tolist(), stop[is_part].tolist(), strict=True):
        left[start:after] = False
    return left


def tasks(page: Page, keep: NDArray[np.bool_] | None = None) -> dict[int, bool]:
    """Return the items of lists of tasks, and whether each is done; perhaps only of kept ones."""
    tasks: dict[int, bool] = {}
    if not page.tag_counts[tags.NUMBER["input"]]:
        return tasks
    for row, item in _quick_boxes(page, keep) if native_available else _boxes(page):
        kind = "" if item in tasks else page.attributes.get(row, "type") or ""
        if kind.lower() == "checkbox":
            tasks[item] = page.attributes.get(row, "checked") is not None
    return tasks


def _boxes(page: Page) -> list[tuple[int, int]]:
    """Return the boxes that items begin with, and the items."""
    rows, parent, index = page.rows_of("input"), page.parent, page.text_index
    items = parent[rows]
    items = np.where(_AROUND_BOXES[page.known_tag[items]], parent[items], items)
    chosen = (page.tag[items] == _ITEM) & (index[items] == index[rows])
    return list(zip(rows[chosen].tolist(), items[chosen].tolist(), strict=True))


def _quick_boxes(page: Page, keep: NDArray[np.bool_] | None) -> list[tuple[int, int]]:
    rows = (page.known_tag, page.parent, page.end, page.text_index)
    return kernels.boxes(rows, _KINDS, None if keep is None else keep.view(np.uint8))


def _between(page: Page, keep: NDArray[np.bool_], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark the rows of which both the text before and the text after are kept."""
    padded = np.concatenate(([False], keep, [False]))
    index = page.text_index[rows]
    marked = np.zeros(len(page), bool)
    marked[rows] = padded[index] & padded[index + 1]
    return marked


class Surroundings:
    """The texts around elements that may stand between kept texts, as if those were not there."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], rows: NDArray[np.integer]) -> None:
        """Find for each place of a text the nearest ones that are of none of the elements."""
        self.page = page
        rows = np.concatenate((rows, np.flatnonzero(_PASSED[page.known_tag])))
        size = len(keep) + 1
        opened = np.bincount(page.text_index[rows], minlength=size)
        closed = np.bincount(page.text_index[page.end[rows]], minlength=size)
        passed = np.cumsum(opened - closed)[:-1] > 0
        solid = keep | ~passed
        numbers = np.arange(len(keep))
        self.before = np.concatenate(([-1], np.maximum.accumulate(np.where(solid, numbers, -1))))
        after = np.minimum.accumulate(np.where(solid, numbers, len(keep))[::-1])[::-1]
        self.after = np.concatenate((after, [len(keep)]))
        self.is_kept = np.concatenate((keep, [False]))  # for -1 and for the end of the page, too

    def hold(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return which of the elements belong to kept texts.

        They stand between two, or beside one, first or last in the nearest element with texts.
        """
        page = self.page
        before = self.before[page.text_index[rows]]
        after = self.after[page.text_index[page.end[rows]]]
        kept_before, kept_after = self.is_kept[before], self.is_kept[after]
        above = rows.copy()
        for _ in range(_LEVELS):
            alone = (page.text_index[above] > before) & (page.text_index[page.end[above]] <= after)
            if not alone.any():
                break
            above = np.where(alone, np.maximum(page.parent[above], 0), above)
        starts = page.text_index[above] > before
        ends = page.text_index[page.end[above]] <= after
        held: NDArray[np.bool_] = (
            (kept_before & kept_after)
            | (kept_before & ends & ~starts)
            | (kept_after & starts & ~ends)
        )
        return held


def _images(page: Page, keep: NDArray[np.bool_], owner: NDArray[np.int32]) -> dict[int, str]:
    """Return the images that stand inside the kept content, with their addresses.

    That is an image in a figure with kept text, one beside kept text in the same paragraph, or one
    of which the texts around it are kept; captions and buttons do not count. Counting pixels,
    placeholders and small pictures without a meaning are left out.
    """
    rows = page.rows_of("img")
    if not len(rows) or not keep.any():
        return {}
    kept = page.text_rows[keep]
    figures = page.rows_of("figure")
    figure = enclosing(figures, page.end, rows)
    in_figure = np.searchsorted(kept, page.end[figure]) > np.searchsorted(kept, figure)
    is_empty = np.searchsorted(kept, page.end[figures]) == np.searchsorted(kept, figures)
    chosen = in_figure & (figure >= 0)
    owners = np.concatenate(([-1], np.where(keep, owner[page.text_rows], -1), [-1]))
    index = page.text_index[rows]
    chosen |= (owners[index] == owner[rows]) | (owners[index + 1] == owner[rows])
    others = np.flatnonzero(~chosen)
    if len(others):
        outer = np.where(figure >= 0, figure, rows)[others]
        chosen[others] = Surroundings(page, keep, figures[is_empty]).hold(outer)
    return _addresses(page, rows[chosen].tolist(), figure[chosen].tolist())


def _addresses(page: Page, rows: list[int], figures: list[int]) -> dict[int, str]:
    """Return the addresses of the images that mean something."""
    base = addresses.base_of(page)
    pictures = page.rows_of("picture")
    fallbacks = page.rows_of("noscript")
    address_of: dict[int, str] = {}
    shown: set[int] = set()
    for row, figure in zip(rows, figures, strict=True):
        attributes = page.attributes.of(row)
        if _is_small(attributes):
            continue
        sources = _sources(page, int(page.parent[row])) if len(pictures) else []
        address = addresses.image_address(attributes, base, sources)
        if not address and figure not in shown and len(fallbacks):
            address = _fallback(page, row, fallbacks, base)
        if address and (attributes.get("alt", "").strip() or not _ORNAMENT.search(address)):
            address_of[row] = address
            if figure >= 0:
                shown.add(figure)
    return address_of


def _is_small(attributes: dict[str, str]) -> bool:
    """Return whether an image is a counting pixel, an icon, or small and without a meaning."""
    sizes = [attributes.get(name, "") for name in ("width", "height")]
    if not any(sizes):
        return False
    small = [_SMALL.fullmatch(size) is not None for size in sizes]
    if all(small) or any(TINY.fullmatch(size) for size in sizes):
        return True
    return not attributes.get("alt") and any(small)


def _sources(page: Page, picture: int) -> list[str]:
    """Return what else a picture may be shown from, first what does not depend on the screen."""
    if page.tag[picture] != tags.NUMBER["picture"]:
        return []
    rows = np.arange(picture, min(int(page.end[picture]), picture + _MAX_SOURCES))
    told = [
        page.attributes.of(row) for row in rows[page.tag[rows] == tags.NUMBER["source"]].tolist()
    ]
    told.sort(key=lambda source: bool(source.get("media")))
    return [source.get("data-srcset") or source.get("srcset", "") for source in told]


def _fallback(page: Page, row: int, fallbacks: NDArray[np.integer], base: str | None) -> str | None:
    """Return the address of the image for readers without scripts that follows an image."""
    place = int(fallbacks.searchsorted(row))
    if place == len(fallbacks) or page.parent[fallbacks[place]] != page.parent[row]:
        return None
    match = _SOURCE.search(page.attributes.inner_text(int(fallbacks[place]))[:_MAX_FALLBACK_CHARS])
    return addresses.image_address({"src": unescape(match[1])}, base) if match else None


MAX_HEADINGS: Final = 5
"""Headings of each level that are looked at."""
MAX_CHARS: Final = 300
_SHARES: Final = (("h1", 0.4), ("h2", 0.8))
"""Headings that may be titles, and how many of their words ``<title>`` must have."""
_LEVELS_TO_TEXT: Final = 2
_HOME: Final = re.compile(r"\s*(?:https?://[^/?#]+)?/?(?:index\.\w+)?\s*")
_WORD: Final = re.compile(r"\w+")


class Title(NamedTuple):
    """A title, and the texts that say it."""

    text: str
    first: int
    stop: int


def shown_title(page: Page, keep: NDArray[np.bool_]) -> Title | None:
    """Return the heading that is the title of a page; None when the page shows none.

    Of the headings that say what ``<title>`` says it is the one that says most of it, so that the
    name of the site above a page is not its title. Where none does, it is the only ``h1``, if it
    stands right above kept text.
    """
    declared = _words(" ".join(page.text_of(int(row)) for row in page.rows_of("title")[:1]))
    best, best_known = None, 0.5
    for name, share in _SHARES:
        rows = [row for row in page.rows_of(name)[:MAX_HEADINGS].tolist() if row > page.body]
        several = len(rows) > 1
        for row in rows:
            title = _title(page, row)
            words = _words(title.text)
            known = float(sum(word in declared for word in words))
            if name == "h1" and not several and _stands_above(page, keep, row):
                known = max(known, share * len(words))
            if known <= best_known or known < share * len(words) or _leads_home(page, row):
                continue
            # Whether an only heading is shown makes no difference, and styles take time to read.
            if not (several and page.hidden[row]):
                best, best_known = title, known
    return best


def _stands_above(page: Page, keep: NDArray[np.bool_], row: int) -> bool:
    """Return whether the element around a heading holds kept text after it."""
    around = row
    for _ in range(_LEVELS_TO_TEXT):
        around = int(page.parent[around])
        if around <= page.body:
            return not page.rows_of("title").size
        first, stop = page.text_index[[page.end[row], page.end[around]]]
        if keep[first:stop].any():
            return True
    return False


def _leads_home(page: Page, row: int) -> bool:
    """Return whether a heading links to the front page, as names of sites do."""
    above = int(page.parent[row])
    inner = row + np.flatnonzero(page.tag[row : page.end[row]] == tags.NUMBER["a"])
    links = inner.tolist() + ([above] if page.tag[above] == tags.NUMBER["a"] else [])
    return any(_HOME.fullmatch(page.attributes.get(link, "href") or "") for link in links)


def _title(page: Page, row: int) -> Title:
    first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
    return Title(collapse(page.joined(first, stop))[:MAX_CHARS], first, stop)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def without_title(page: Page, keep: NDArray[np.bool_], title: Title) -> NDArray[np.bool_]:
    """Return which texts are kept when the title stands above them: what repeats it is not."""
    left = keep.copy()
    left[title.first : title.stop] = False
    kept = left.nonzero()[0]
    if len(kept):
        starts = page.block_bounds[1]
        block = int(starts.searchsorted(kept[0], "right")) - 1
        if page.block_texts[block].casefold() == title.text.casefold():
            left[starts[block] : starts[block + 1]] = False
    return left
