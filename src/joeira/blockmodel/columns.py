"""The features of the blocks of a page: one column each, one row for each block.

They come in groups: what a block's own text looks like and where on the page it stands; where in
the tree it hangs (`structure`); where most of the prose is; what the page is as a whole, the same
for each of its blocks; and learned log-odds of words and class names (`lexicon`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from math import log1p
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays import Bools, Floats
from joeira.arrays.strings import SENTENCE_END, SPACE
from joeira.blockmodel import lexicon, structure
from joeira.blockmodel.lexicon import NameParts, Words
from joeira.blockmodel.view import BlockView, log, signed_distance
from joeira.models import Feature
from joeira.page import Page, tags

if native_available:
    from joeira._native import columns as kernels
    from joeira._native import declarations
    from joeira._native import page_types as kernels_of_types

TEXT_FEATURES: Final = (
    Feature("words", "number of words", "length", "log1p"),
    Feature("link_density", "share of the words that are links", "links", "share"),
    Feature("sentences", "number of sentence ends", "length", "log1p"),
    Feature("commas", "number of commas", "length", "log1p"),
    # Explanations have always weighed it with the container.
    Feature("separators", "share of characters that part menu items", "container", "share"),
    Feature("ends_sentence", "its last character ends a sentence", "length", "flag"),
    Feature("word_position", "place among the words", "place", "share"),
    Feature("from_end", "number of blocks after", "place", "log1p"),
    Feature("copies", "number of blocks with the same words", "copies", "log1p"),
    Feature("title_cover", "share of the title's words that it has", "title", "share"),
    Feature("from_title", "distance to the block most like the title", "title", "distance"),
    Feature("told_share", "share of its words in the page's description", "title", "share"),
    Feature("told_cover", "share of the description's words that it has", "title", "share"),
)

_TITLE_MAX_WORDS = 40
_TITLE_MIN_COVER = 0.4


def text_columns(view: BlockView, words: Words) -> list[NDArray[Any]]:
    """Return the columns of `TEXT_FEATURES`."""
    count, n = view.counts, view.words
    log_sentences, log_commas, log_copies = log(
        np.array([count["sentences"], count["commas"], words.copies])
    )
    return [
        view.log_words,
        view.link_density,
        log_sentences,
        log_commas,
        count["separators"] / np.maximum(count["solid"], 1),
        _ends_sentence(view),
        (n.cumsum() - n / 2) / view.total_words,
        view.log_places[view.size : 0 : -1],
        log_copies,
        *_title(view, words),
        *words.description_overlap(),
    ]


def _ends_sentence(view: BlockView) -> Bools:
    """Return per block whether its last solid character ends a sentence."""
    characters = view.page.characters
    _, stop = view.text_bounds
    classes = characters.classes
    ends = np.concatenate((characters.starts, [len(classes)])).take(stop)
    solid = ((classes & SPACE) == 0).nonzero()[0]
    last = classes.take(solid.take(solid.searchsorted(ends) - 1))
    ends_sentence: Bools = (last & SENTENCE_END) != 0
    return ends_sentence


def _title(view: BlockView, words: Words) -> list[Floats]:
    cover = words.title_cover(_TITLE_MAX_WORDS)
    away = np.zeros(view.size)
    if view.size and cover.max() > _TITLE_MIN_COVER:
        best = int((cover - 0.001 * view.number / view.size).argmax())
        away = signed_distance(view, best)
    return [cover, away]


DOCUMENT_FEATURES: Final = (
    Feature("page_blocks", "number of blocks", "page", "log1p"),
    Feature("page_words", "number of words", "page", "log1p"),
    Feature("page_link_density", "share of linked words of the page", "page", "share"),
    Feature("page_punctuation", "punctuation marks per word of the page", "page", "rate"),
    Feature("page_good", "words of prose", "page", "log1p"),
    Feature("page_good_share", "share of the words that are prose", "page", "share"),
    Feature("page_rows", "number of nodes", "page", "log1p"),
    Feature("page_mean_words", "words per block", "page", "log1p"),
    Feature("page_currency", "number of currency signs", "page", "log1p"),
    Feature("page_articles", "number of <article>", "page", "log1p"),
    Feature("page_items", "share of <li> among the nodes", "page", "share"),
    Feature("page_paragraphs", "share of <p> among the nodes", "page", "share"),
    Feature("page_times", "number of <time>", "page", "log1p"),
    Feature("page_images", "share of <img> among the nodes", "page", "share"),
    Feature("page_code", "share of <pre> and <code> among the nodes", "page", "share"),
    Feature("page_forms", "number of forms", "page"),
    Feature("page_headings", "number of headings", "page", "log1p"),
)


_COUNTED_TAGS: Final = (
    "article",
    "li",
    "p",
    "time",
    "img",
    "pre code",
    "form",
    "h1 h2 h3 h4 h5 h6",
)
_KIND_OF_TAG = np.full(tags.FIRST_FOREIGN + 1, -1, np.int32)
for _kind, _names in enumerate(_COUNTED_TAGS):
    _KIND_OF_TAG[[tags.NUMBER[name] for name in _names.split()]] = _kind


def document_columns(view: BlockView) -> list[float]:
    """Return the values of `DOCUMENT_FEATURES`: one for all blocks."""
    page = view.page
    count = np.bincount(page.known_tag, minlength=tags.FIRST_FOREIGN + 1).tolist()
    rows, words, blocks = max(len(page), 1), view.total_words, max(view.size, 1)

    def tagged(*names: str) -> float:
        return float(sum(count[tags.NUMBER[name]] for name in names))

    values = [
        log1p(blocks),
        log1p(words),
        view.linked.sum() / words,
        view.punctuation.sum() / words,
        log1p(view.total_good),
        view.total_good / words,
        log1p(rows),
        log1p(words / blocks),
        log1p(view.counts["currency"].sum()),
        log1p(tagged("article")),
        tagged("li") / rows,
        tagged("p") / rows,
        log1p(tagged("time")),
        tagged("img") / rows,
        tagged("pre", "code") / rows,
        min(tagged("form"), 10),
        log1p(tagged("h1", "h2", "h3", "h4", "h5", "h6")),
    ]
    return [float(value) for value in values]


SCHEMA_TYPES = (
    ("article", "Article NewsArticle BlogPosting TechArticle Report"),
    ("product", "Product Offer AggregateOffer ProductGroup"),
    ("collection", "CollectionPage ItemList ProductCollection OfferCatalog"),
    ("forum", "DiscussionForumPosting QAPage Question Comment"),
    ("questions", "FAQPage"),
)
DECLARED: Final = (
    *(f"og_{name}" for name in ("article", "product", "website", "none")),
    *(f"schema_{name}" for name, _ in SCHEMA_TYPES),
    "schema_any",
)
"""What a page may say in its head that it is. Page types are guessed by it; blocks do not see it,
because pages of other times and languages say nothing."""
_SCHEMA_NAMES = [names.split() for _, names in SCHEMA_TYPES]
_TYPE = re.compile(r'"@type"\s{0,8}:\s{0,8}\[?\s{0,8}"([A-Za-z]{1,40})"')
_LINKED_DATA_LIMIT = 200_000


def declared(page: Page) -> list[bool]:
    """Return which of `DECLARED` hold of a page."""
    said = page.attributes
    if native_available:
        return _declared(*declarations.said(said.metas, said.facts, _LINKED_DATA_LIMIT)[1:])
    kinds = (content for *names, content in said.metas if "og:type" in names)
    types: set[str] = set()
    for text in said.facts:
        types.update(_TYPE.findall(text[:_LINKED_DATA_LIMIT]))
    return _declared(next(kinds, ""), types)


def _declared(kind: str, types: set[str]) -> list[bool]:
    """Return which of `DECLARED` hold of a page of some kind with things of some types."""
    if not (kind or types):
        return [*_NOTHING_DECLARED]
    kind = kind.lower()
    return [
        "article" in kind,
        "product" in kind,
        "website" in kind,
        not kind,
        *[not types.isdisjoint(names) for names in _SCHEMA_NAMES],
        bool(types),
    ]


_NOTHING_DECLARED: Final = [name == "og_none" for name in DECLARED]


CORE_SHARES = (0.4, 0.6)
GOOD_LEVELS = (1, 2, 3, 4, 6)
WINDOW = 5

_OF_CORE: Final = (
    Feature("in", "is in the deepest node", "container", "flag"),
    Feature("share", "share of the page's words in the deepest node", "container", "share"),
    Feature("link_density", "link density of the deepest node", "container", "share"),
)
_OF_WINDOW: Final = (
    Feature("link_density", "link density", "links", "share"),
    Feature("words", "mean logarithm of the words", "container"),
)
REGION_FEATURES: Final = (
    *(
        feature.of(f"core{int(100 * share)}_", f"{{}} with {share:.0%} of the prose")
        for share in CORE_SHARES
        for feature in _OF_CORE
    ),
    *(
        Feature(f"good{level}", f"share of the prose below ancestor {level}", "container", "share")
        for level in GOOD_LEVELS
    ),
    *(feature.of(f"window{WINDOW}_", f"{{}}, {WINDOW} blocks around") for feature in _OF_WINDOW),
)


def region_columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `REGION_FEATURES`, some of them several together."""
    share = view.below["good"] / view.total_good
    return [
        *_cores(view),
        share.take(view.holders.above_block[list(GOOD_LEVELS)]),
        *_around(view),
    ]


def _around(view: BlockView) -> list[Floats]:
    """Return means over some blocks on both sides; in a density long blocks count more."""
    weight = view.words + 0.1
    series = np.array([view.link_density * weight, view.log_words, weight, np.ones(view.size)])
    total = np.zeros((len(series), view.size + 2 * WINDOW + 1))
    series.cumsum(axis=1, out=total[:, WINDOW + 1 : WINDOW + 1 + view.size])
    total[:, WINDOW + 1 + view.size :] = total[:, WINDOW + view.size, None]
    links, words, weights, blocks = total[:, 2 * WINDOW + 1 :] - total[:, : view.size]
    return [links / weights, words / blocks]


def _cores(view: BlockView) -> list[NDArray[Any]]:
    below, depth = view.below, view.page.depth.take(view.holders.rows)
    of_cores: list[NDArray[Any]] = []
    for share in CORE_SHARES:
        core = int(np.where(below["good"] >= share * view.total_good, depth, 0).argmax())
        words = below["words"][core]
        of_page = [words / view.total_words, below["linked"][core] / max(words, 1)]
        of_cores += [view.inside(core), np.array(of_page).repeat(view.size)]
    return of_cores


PAGE_TYPES = ("article", "forum", "product", "collection", "listing", "documentation", "service")
LIST_TYPES = ("collection", "listing")
"""Types of pages of which the items of a list are the content."""
_LISTS = [PAGE_TYPES.index(kind) for kind in LIST_TYPES]
TYPE_FEATURES: Final = tuple(
    Feature(f"type_{kind}", f"chance that the page is of the type {kind}", "page", "share")
    for kind in PAGE_TYPES
)
"""Guessed from the plain columns: what is content on one page is noise on another."""

GROUPS: Final = {
    "text": TEXT_FEATURES,
    "structure": structure.FEATURES,
    "regions": REGION_FEATURES,
    "document": DOCUMENT_FEATURES,
    "lexicon": lexicon.FEATURES,
    "types": TYPE_FEATURES,
}
FEATURES: Final = tuple(chain.from_iterable(GROUPS.values()))
"""All features of a block, in the order that models know them by."""
NAMES: Final = tuple(feature.name for feature in FEATURES)
LEARNED_GROUPS: Final = ("lexicon", "types")
PLAIN: Final = sum(len(group) for name, group in GROUPS.items() if name not in LEARNED_GROUPS)
"""Number of columns that need nothing learned: they come first."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """The features of a page: one row per block outside the head."""

    view: BlockView
    values: NDArray[np.float32]
    types: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(len(PAGE_TYPES), np.float32)
    )
    """The chance of each of `PAGE_TYPES`; all 0 where nobody has guessed, or there is no block."""

    @Lazy
    def words(self) -> Words:
        """The words of the blocks."""
        return Words(self.view)

    @Lazy
    def names(self) -> NameParts:
        """The class and id names of the page."""
        return NameParts(self.view.page)

    @property
    def listed(self) -> float:
        """The chance that the page is a list."""
        return float(sum((self.types[number] for number in _LISTS), np.float32(0)))


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What has to be learned before all columns of a page are known."""

    tables: Mapping[str, lexicon.Table]
    """Log-odds by hash, for each of `lexicon.SPACES`."""
    page_types: Callable[[Matrix], NDArray[np.float32]]
    """Guesses the chance of each of `PAGE_TYPES` from the plain columns."""
    chances: kernels_of_types.Chances | None = None
    """The same in C, where that was compiled."""

    @Lazy
    def kernel(self) -> kernels.Learned | None:
        """All that is known in C, where that was compiled."""
        if self.chances is None:
            return None
        return kernels.Learned(_tags(), self.chances, _by_space(self.tables), tuple(_LISTS))


def matrix(page: Page, known: Knowledge | None = None) -> Matrix:
    """Return the features of a page; the first `PLAIN` columns only where nothing is known."""
    view = BlockView(page)
    width = len(NAMES) if known else PLAIN
    if not view.size:
        return Matrix(view, np.zeros((0, width), np.float32))
    if known and known.kernel:
        return _by_kernel(view, known.kernel)
    # Column by column in memory, which is how they come; read as one row per block.
    values = np.empty((width, view.size), np.float32)
    write_plain = _write_by_kernel if native_available else _write_by_numpy
    plain = Matrix(view, values[:PLAIN].T)
    write_plain(view, plain.words, values)
    if known is None:
        return plain
    types = known.page_types(plain)
    complete = Matrix(view, values.T, types)
    vars(complete).update(words=plain.words, names=plain.names)  # not to find them twice
    _write_learned(complete, known.tables, values[PLAIN:])
    return complete


def _by_kernel(view: BlockView, known: kernels.Learned) -> Matrix:
    """Return the features of a page, made in C in one step."""
    page = view.page
    said = page.attributes
    description, kind, types = declarations.said(said.metas, said.facts, _LINKED_DATA_LIMIT)
    values, chances = view.kernel.all_columns(
        known,
        description[: lexicon.DESCRIPTION_CHARS],
        (page.roles[0], structure.role_bits(page)),
        _declared(kind, types),
        (page.classes[1], page.ids[1]),
    )
    return Matrix(view, values.T, chances)


def _write_by_numpy(view: BlockView, words: Words, values: NDArray[np.float32]) -> None:
    """Write the plain columns, group after group: many blocks must not have them all twice."""
    groups: list[Callable[[], list[NDArray[Any]]]] = [
        lambda: text_columns(view, words),
        lambda: structure.columns(view),
        lambda: region_columns(view),
        lambda: [np.array(document_columns(view)).repeat(view.size)],
    ]
    place = 0
    for group, features in zip(groups, GROUPS.values(), strict=False):
        stop = place + len(features)
        np.concatenate(group(), axis=None, out=values[place:stop].reshape(-1))
        place = stop


def _write_by_kernel(view: BlockView, words: Words, values: NDArray[np.float32]) -> None:
    """Write the plain columns in C, with the same values (see `joeira._native.columns`)."""
    page = view.page
    roles = page.roles[0], structure.role_bits(page)
    view.kernel.plain_columns(_tags(), words.told, *roles, values)


@cache
def _tags() -> kernels.Tags:
    """Return what the kernel has to know of tags."""
    return kernels.Tags(
        structure.OWN_COLUMN,
        structure.LANDMARK,
        tags.HEADINGS,
        _KIND_OF_TAG,
        (tags.NUMBER["h1"], tags.NUMBER["title"]),
        (len(structure.OWN_TAGS), len(structure.ANCESTOR_TAGS)),
    )


def _by_space(tables: Mapping[str, lexicon.Table]) -> list[lexicon.Table]:
    return [tables[space] for space in lexicon.SPACES]


def learned_columns(page: Matrix, tables: Mapping[str, lexicon.Table]) -> NDArray[np.float32]:
    """Return the columns after the plain ones, one line each, of a page whose types are guessed."""
    learned = np.empty((len(NAMES) - PLAIN, page.view.size), np.float32)
    _write_learned(page, tables, learned)
    return learned


def _write_learned(
    page: Matrix, tables: Mapping[str, lexicon.Table], to: NDArray[np.float32]
) -> None:
    if native_available:
        by_space = _by_space(tables)
        of_page = page.view.page
        names = (*page.names.parts, len(of_page.classes[1]), len(of_page.ids[1]))
        page.view.kernel.learned_columns(_tags(), by_space, page.listed, names, page.types, to)
        return
    of_lexicon = to[: len(lexicon.FEATURES)]
    of_words = lexicon.columns(page.words, page.names, tables, page.listed)
    np.concatenate(of_words, axis=None, out=of_lexicon.reshape(-1))
    to[len(lexicon.FEATURES) :] = page.types[:, None]
