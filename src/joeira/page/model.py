"""The page table: row *i* of every column is node *i* of the document in preorder.

Rows are elements and non-blank text nodes. Row 0 is ``<html>``. The subtree of row *i* is the slice
``i:end[i]``. Comments, and the contents of script, style, template, noscript and the other elements
of `joeira.page.tags.NOT_TEXT`, have no rows of text. Columns beyond the structure are computed on
first access and cached; every array is read-only. A region is a view of consecutive rows; an XPath
selects the node of a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira.arrays import Bools, Hashes, trees
from joeira.arrays.strings import Characters, Texts, collapse
from joeira.page import blocks, comments, tags
from joeira.page.blocks import Blocks

if TYPE_CHECKING:
    from joeira.page.attributes import Attributes
    from joeira.page.visibility import Look

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Page(Texts):
    """One document as a flat, read-only table; made by `joeira.parse`."""

    url: str | None
    tag: Ints
    """Number of the tag name (`joeira.page.tags`); 0 for text."""
    parent: Ints
    """Row of the parent; -1 for the root."""
    depth: Ints
    """Number of ancestors."""
    texts: tuple[str, ...] = field()  # of most pages made when somebody asks: see `Texts`
    """The characters of each text row, as written; `text_rows` says which rows they are."""
    gap_before: Bools
    """Per text: whether a blank text node separates it from the previous text."""
    classes: tuple[Ints, tuple[str, ...]]
    """Number of each row's class attribute, and the distinct attributes (0 and '': none)."""
    ids: tuple[Ints, tuple[str, ...]]
    """Number of each row's id attribute, and the distinct ones (0 and '': none)."""
    roles: tuple[Ints, tuple[str, ...]]
    """Number of each row's role (`joeira.page.attributes`), and the distinct roles."""
    attributes: Attributes
    """Attributes of element rows."""
    foreign_names: tuple[str, ...]
    """Names of the tags numbered from `joeira.page.tags.FIRST_FOREIGN`."""
    encoding: str | None
    """Encoding with which the bytes were decoded; None if the input was text."""
    notes: tuple[str, ...]
    """What was cut or went wrong during parsing; empty for nearly every page."""
    scripting: bool
    """False if the page was read as without scripts because its text is in ``<noscript>``."""
    again: partial[Page] = field(repr=False)
    """Function that parses the same input again; used for pickling."""
    is_plain_text: bool = False
    """Whether the input was text without tags; its paragraphs and lines are elements here."""

    def __post_init__(self) -> None:
        """Freeze the columns."""
        numbers = (self.classes[0], self.ids[0], self.roles[0])
        for column in (self.tag, self.parent, self.depth, self.gap_before, *numbers):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.tag)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Page {self.url or '(no url)'}: {len(self)} rows, {self.text_count} texts>"

    def __reduce__(self) -> tuple[Callable[[], Page], tuple[()]]:
        """Pickle the input and its limits: parsing again is faster than storing columns."""
        return self.again, ()

    # Structure ----------------------------------------------------------------------------------

    @Lazy
    def end(self) -> Ints:
        """One past the last row of each subtree."""
        return _frozen(trees.ends(self.parent, self.depth))

    @Lazy
    def ladder(self) -> tuple[Ints, ...]:
        """Pointers to the 1st, 2nd, 4th, 8th ... ancestor of each row (`joeira.arrays.trees`)."""
        return tuple(map(_frozen, trees.ladder(self.parent)))

    @Lazy
    def is_text(self) -> Bools:
        """Which rows are text nodes."""
        return _frozen(self.tag == tags.TEXT)

    @Lazy
    def text_rows(self) -> Ints:
        """Rows of the text nodes, in order."""
        return _frozen(self.is_text.nonzero()[0].astype(np.int32))

    @Lazy
    def known_tag(self) -> Ints:
        """Tag numbers with all foreign tags as one: an index into the tables of `page.tags`."""
        return _frozen(tags.known(self.tag))

    def rows_of(self, name: str) -> Ints:
        """Return the rows of the elements with a tag name."""
        number = tags.NUMBER.get(name, -1)
        if name in self.foreign_names:
            number = tags.FIRST_FOREIGN + self.foreign_names.index(name)
        if number < tags.FIRST_FOREIGN and not self.tag_counts[number]:
            return _NO_ROWS
        return tags.rows_of(self.tag, number)

    @Lazy
    def tag_counts(self) -> list[int]:
        """Number of rows of each known tag; the last for all that are not known."""
        return tags.counts(self.known_tag)

    def tag_name(self, row: int) -> str:
        """Return the tag name of a row, '#text' for text."""
        foreign = int(self.tag[row]) - tags.FIRST_FOREIGN
        return self.foreign_names[foreign] if foreign >= 0 else tags.NAMES[self.tag[row]]

    @Lazy
    def body(self) -> int:
        """Row of the body (or frameset), or of the root if there is none."""
        rows = self.rows_of("body")
        return int(rows[0]) if len(rows) else 0

    @Lazy
    def in_head(self) -> Bools:
        """Which rows belong to the head or to a stray title: document data, not page text."""
        return _frozen(trees.inside(tags.HEAD.take(self.known_tag), self.end))

    # Text -------------------------------------------------------------------------------------

    @Lazy
    def characters(self) -> Characters:
        """All characters of the texts with their classes."""
        return Characters.of(self.texts)

    @Lazy
    def text_chars(self) -> Ints:
        """Characters of each text, white space collapsed and stripped."""
        return _frozen(self.characters.lengths())

    @Lazy
    def text_words(self) -> Ints:
        """Words of each text; in scripts without spaces every character is one."""
        return _frozen(self.characters.words())

    @Lazy
    def text_linked(self) -> Bools:
        """Which texts are inside a link."""
        link = trees.inside(self.tag == tags.NUMBER["a"], self.end)
        return _frozen(link.take(self.text_rows))

    @Lazy
    def chars(self) -> Ints:
        """Characters of the text at each row itself: 0 for elements."""
        return self.spread(self.text_chars)

    @Lazy
    def words(self) -> Ints:
        """Words of the text at each row itself."""
        return self.spread(self.text_words)

    @Lazy
    def linked_chars(self) -> Ints:
        """Characters of linked text at each row itself."""
        return self.spread(self.text_chars * self.text_linked)

    @Lazy
    def linked_words(self) -> Ints:
        """Words of linked text at each row itself."""
        return self.spread(self.text_words * self.text_linked)

    def spread(self, per_text: NDArray[Any]) -> NDArray[Any]:
        """Return a column with one value per text placed at the text's row, 0 elsewhere."""
        column = np.zeros(len(self), per_text.dtype)
        column[self.text_rows] = per_text
        return _frozen(column)

    @Lazy
    def text_index(self) -> Ints:
        """Number of texts before each row, with one more entry for the end of the page."""
        return _frozen(np.concatenate(([0], np.cumsum(self.is_text))).astype(np.int32))

    def text_of(self, row: int) -> str:
        """Return the text of a subtree: its texts, collapsed, joined by one space."""
        first, last = self.text_index[row], self.text_index[self.end[row]]
        return " ".join(map(collapse, self.some_texts(first, last)))

    def joined(self, start: int, stop: int) -> str:
        """Return texts ``start:stop`` as one line, spaced as the page shows them."""
        parts = (self.text(start),) if stop - start == 1 else self.some_texts(start, stop)
        return blocks.joined(self, start, parts)

    @Lazy
    def tags_before(self) -> Ints:
        """Tags between the row before and this row's content: end tags, then its own start tag."""
        element = ~self.is_text
        closing = element & ~tags.VOID[self.known_tag]
        ended = np.bincount(self.end[closing], minlength=len(self) + 1)[: len(self)]
        return _frozen((ended + element).astype(np.int32))

    # Symbols ----------------------------------------------------------------------------------

    @Lazy
    def path(self) -> Hashes:
        """Symbol of the tag path from the root to each row."""
        return _frozen(trees.path_hashes(self.tag_symbol, self.parent, self.ladder))

    @Lazy
    def styled_path(self) -> Hashes:
        """Symbol of the tag path in which tags differ also by class and style."""
        symbols = tags.styled_symbols(self)
        return _frozen(trees.path_hashes(symbols, self.parent, self.ladder))

    @Lazy
    def class_path(self) -> Hashes:
        """Symbol of the tag path in which tags differ also by class, valid within this page."""
        by_class = self.classes[0].astype(np.uint64) * tags.CLASS_STEP
        symbols = self.tag_symbol + by_class
        return _frozen(trees.path_hashes(symbols, self.parent, self.ladder))

    @Lazy
    def shape(self) -> Hashes:
        """Symbol of the subtree's structure: tags and order of its nodes, all leaves alike."""
        leaf = self.end == np.arange(len(self)) + 1
        symbol = np.where(leaf, tags.LEAF_SYMBOL, self.tag_symbol)
        return _frozen(trees.shape_hashes(symbol, self.depth, self.end))

    @Lazy
    def tag_symbol(self) -> Hashes:
        """Symbol of each row's tag name."""
        return _frozen(tags.tag_symbols(self))

    @Lazy
    def class_text(self) -> str:
        """All distinct class attributes in lower case, for fast lookup of words."""
        return "\n".join(self.classes[1]).lower()

    @Lazy
    def id_text(self) -> str:
        """All distinct id attributes in lower case."""
        return "\n".join(self.ids[1]).lower()

    @Lazy
    def hidden(self) -> NDArray[np.int8]:
        """Per row: how it is hidden, a `joeira.page.visibility.Hidden`, or 0 if it is not."""
        return _frozen(self._look.hidden)

    @property
    def hidden_notes(self) -> tuple[str, ...]:
        """The limits that may have let hidden text pass as visible; nearly always none."""
        return self._look.notes

    @Lazy
    def _look(self) -> Look:
        from joeira.page import visibility  # reads style sheets, which few ask for

        return visibility.look(self)

    @Lazy
    def in_comments(self) -> Bools:
        """Which texts are comments below an article (`joeira.page.comments`)."""
        return _frozen(comments.comments(self))

    @Lazy
    def _data_tables(self) -> Any:
        """The tables whose rows and columns mean something; only of a page that has tables."""
        from joeira.page.tables import Found

        return Found.of(self)

    @property
    def blocks(self) -> Blocks:
        """The page's paragraph-like runs of text."""
        return Blocks(self)

    @Lazy
    def is_inline(self) -> Bools:
        """Which rows flow inside a line, as texts do, or show nothing; others start a block."""
        return _frozen(blocks.is_inline(self))

    @Lazy
    def block_bounds(self) -> tuple[Ints, Ints]:
        """Owner of each block, and the number of its first text (one more entry at the end)."""
        owner, first = blocks.bounds(self)
        return _frozen(owner), _frozen(first)

    @Lazy
    def block_texts(self) -> tuple[str, ...]:
        """Text of each block, white space collapsed."""
        return blocks.texts(self)

    @Lazy
    def space_before(self) -> Bools:
        """Per text: whether a space separates it from the previous text in its block."""
        return _frozen(blocks.space_before(self))

    @Lazy
    def plain_spaces(self) -> tuple[bytes, list[int]]:
        """The same without styles, and the texts that these may set apart."""
        return blocks.plain_spaces(self)

    @Lazy
    def tag_places(self) -> tuple[Ints, Ints]:
        """Position of each row among its siblings of the same tag, from 1, and their number."""
        place, count = trees.sibling_places(self.parent, self.tag)
        return _frozen(place), _frozen(count)

    @Lazy
    def element_places(self) -> Ints:
        """Position of each element row among its sibling elements, from 1."""
        return _frozen(trees.sibling_places(self.parent, self.is_text)[0])

    def hidden_reason(self, row: int) -> str:
        """Return why a browser would not show a row; '' if it would."""
        from joeira.page.visibility import Hidden

        return Hidden(self.hidden[row]).sentence

    def region(self, row: int) -> Region:
        """Return the subtree of a row as a region."""
        return Region(self, row, int(self.end[row]))

    def xpath(self, row: int) -> str:
        """Return an XPath that selects the node of a row."""
        return xpath_of(self, row)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


_NO_ROWS: Final = _frozen(np.zeros(0, np.int32))


# Regions ------------------------------------------------------------------------------------------

_NAME: Final = re.compile(r"[a-z_][a-z0-9_.-]*(:[a-z_][a-z0-9_.-]*)?")
_XPATH_BLANK: Final = " \t\r\n"


@dataclass(frozen=True, eq=False)
class Region:
    """Rows ``start:stop`` of a page."""

    page: Page
    start: int
    stop: int
    label: str | None = None
    score: float | None = None

    @property
    def text(self) -> str:
        """The region's text: its texts, collapsed, joined by one space."""
        page = self.page
        first, last = page.text_index[self.start], page.text_index[self.stop]
        return " ".join(" ".join(text.split()) for text in page.some_texts(first, last))

    @property
    def xpath(self) -> str:
        """XPath of the region's first node, which is the whole region if it is one subtree."""
        return self.page.xpath(self.start)

    def roots(self) -> Iterator[int]:
        """Yield the rows whose subtrees, in sequence, form the region."""
        row = self.start
        while row < self.stop:
            yield row
            row = int(self.page.end[row])

    @property
    def html(self) -> str:
        """Raw HTML of the first node, including scripts; ``Content.html()`` is safe."""
        page = self.page
        if page.tag[self.start] == tags.TEXT:
            return escape(page.texts[page.text_index[self.start]], quote=False)
        return page.attributes.node_html(self.start)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Region {self.start}:{self.stop} {self.label or ''} {self.text[:40]!r}>"


def xpath_of(page: Page, row: int) -> str:
    """Return an absolute XPath for a row, as a browser's or lxml's tree of the page has it."""
    return next(xpaths_of(page, [row]))


def xpaths_of(page: Page, rows: Iterable[int]) -> Iterator[str]:
    """Yield the XPath of each row; steps that a row shares with the row before are made once."""
    path: list[tuple[int, str]] = [(-1, "")]
    for row in rows:
        while len(path) > 1 and not path[-1][0] <= row < page.end[path[-1][0]]:
            path.pop()
        missing = []
        above = row
        while above != path[-1][0]:
            missing.append(above)
            above = int(page.parent[above])
        for below in reversed(missing):
            path.append((below, f"{path[-1][1]}/{_step(page, below)}"))
        yield path[-1][1]


def _step(page: Page, row: int) -> str:
    if page.tag[row] == tags.TEXT:
        return _text_step(page, row)
    name = page.tag_name(row)
    if page.parent[row] < 0:
        return name
    place, count = (int(column[row]) for column in page.tag_places)
    if not _NAME.fullmatch(name):
        # Parsers disagree about the case of SVG names and about odd characters, not about places.
        return f"*[{int(page.element_places[row])}]"
    # A plain test would look for a namespace prefix before a colon, and for an HTML element.
    plain = ":" not in name and page.attributes.is_html(row)
    test = name if plain else f"*[name()='{name}']"
    return test if count == 1 else f"{test}[{place}]"


def _text_step(page: Page, row: int) -> str:
    """Return the step of a text node among the texts that XPath does not hold to be blank.

    Blank nodes differ between parsers, so they are not counted. What is blank differs too: to XPath
    a no-break space is not, so that texts without a row are counted with those that have one.
    """
    texts = page.attributes.direct_texts(int(page.parent[row]))
    if len(texts) == 1:
        return "text()"
    with_row = [number for number, text in enumerate(texts) if not text.isspace()]
    own = with_row[int(page.tag_places[0][row]) - 1]
    place = sum(1 for text in texts[: own + 1] if text.strip(_XPATH_BLANK))
    return f"text()[normalize-space()][{place}]"
