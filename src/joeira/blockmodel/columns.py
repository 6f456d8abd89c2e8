"""The features of the blocks of a page: one column each, one row for each block.

They come in groups: what a block's own text looks like and where on the page it stands; where in
the tree it hangs (`structure`); where the published methods would look: the densest range, the
separator, the core container; what the page is as a whole, the same for each of its blocks; and
learned log-odds of words and class names (`lexicon`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import log1p
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Floats
from joeira.arrays.strings import SENTENCE_END, SPACE
from joeira.blockmodel import lexicon, structure
from joeira.blockmodel.lexicon import NameParts, Words
from joeira.blockmodel.view import BlockView, log, signed_distance
from joeira.models import Feature
from joeira.page import Page, tags

TEXT_FEATURES: Final = (
    Feature("words", "number of words", "length", "log1p"),
    Feature("chars", "number of characters", "length", "log1p"),
    Feature("link_density", "share of the words that are links", "links", "share"),
    Feature("word_length", "letters per word", "length", "rate"),
    Feature("sentence_density", "sentence ends per word", "length", "rate"),
    Feature("sentences", "number of sentence ends", "length", "log1p"),
    Feature("comma_density", "commas per word", "length", "rate"),
    Feature("commas", "number of commas", "length", "log1p"),
    Feature("digits", "share of digits", "length", "share"),
    Feature("capitals", "share of capital letters", "length", "share"),
    Feature("currency", "has a currency sign", "signs", "flag"),
    # Not with the signs: explanations have always weighed it with the container.
    Feature("separators", "share of characters that part menu items", "container", "share"),
    Feature("pieces", "number of text pieces", "signs", "log1p"),
    Feature("wordless", "has no word", "signs", "flag"),
    Feature("ends_sentence", "its last character ends a sentence", "length", "flag"),
    Feature("position", "place among the blocks, 0 first, 1 last", "place", "share"),
    Feature("word_position", "place among the words", "place", "share"),
    Feature("from_start", "number of blocks before", "place", "log1p"),
    Feature("from_end", "number of blocks after", "place", "log1p"),
    Feature("copies", "number of blocks with the same words", "copies", "log1p"),
    Feature("title_share", "share of its words that are in the title", "title", "share"),
    Feature("title_cover", "share of the title's words that it has", "title", "share"),
    Feature("from_title", "distance to the block most like the title", "title", "distance"),
    Feature("told_share", "share of its words in the page's description", "title", "share"),
    Feature("told_cover", "share of the description's words that it has", "title", "share"),
)

_TITLE_MAX_WORDS = 40
_TITLE_MIN_COVER = 0.4
_WORD_LENGTH_CAP = 20


def text_columns(view: BlockView, words: Words) -> list[NDArray[Any]]:
    """Return the columns of `TEXT_FEATURES`."""
    count = view.counts
    n, at_least_one = view.words, view.at_least_one_word
    solid = np.maximum(count["solid"], 1)
    first, stop = view.text_bounds
    sizes = [count["solid"], count["sentences"], count["commas"], stop - first, words.copies]
    log_chars, log_sentences, log_commas, log_pieces, log_copies = log(np.array(sizes))
    return [
        view.log_words,
        log_chars,
        view.link_density,
        np.minimum(count["letters"] / at_least_one, _WORD_LENGTH_CAP),
        count["sentences"] / at_least_one,
        log_sentences,
        count["commas"] / at_least_one,
        log_commas,
        count["digits"] / solid,
        count["upper"] / solid,
        count["currency"] > 0,
        count["separators"] / solid,
        log_pieces,
        n == 0,
        _ends_sentence(view),
        view.number / view.size,
        (n.cumsum() - n / 2) / view.total_words,
        view.log_places[: view.size],
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
    share, cover = words.title_overlap(_TITLE_MAX_WORDS)
    away = np.zeros(view.size)
    if view.size and cover.max() > _TITLE_MIN_COVER:
        best = int((cover - 0.001 * view.number / view.size).argmax())
        away = signed_distance(view, best)
    return [share, cover, away]


SCHEMA_TYPES = (
    ("article", "Article NewsArticle BlogPosting TechArticle Report"),
    ("product", "Product Offer AggregateOffer ProductGroup"),
    ("collection", "CollectionPage ItemList ProductCollection OfferCatalog"),
    ("forum", "DiscussionForumPosting QAPage Question Comment"),
    ("questions", "FAQPage"),
)
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
    Feature("page_main", "has a <main>", "page", "flag"),
    Feature("page_items", "share of <li> among the nodes", "page", "share"),
    Feature("page_paragraphs", "share of <p> among the nodes", "page", "share"),
    Feature("page_times", "number of <time>", "page", "log1p"),
    Feature("page_images", "share of <img> among the nodes", "page", "share"),
    Feature("page_code", "share of <pre> and <code> among the nodes", "page", "share"),
    Feature("page_forms", "number of forms", "page"),
    Feature("page_headings", "number of headings", "page", "log1p"),
    Feature("og_article", "og:type says article", "metadata", "flag"),
    Feature("og_product", "og:type says product", "metadata", "flag"),
    Feature("og_website", "og:type says website", "metadata", "flag"),
    Feature("og_none", "there is no og:type", "metadata", "flag"),
    *(
        Feature(f"schema_{name}", f"schema.org type of kind {name}", "metadata", "flag")
        for name, _ in SCHEMA_TYPES
    ),
    Feature("schema_any", "some schema.org type is given", "metadata", "flag"),
)

WITHOUT_METADATA: Final = {
    feature.name: float(feature.name == "og_none")
    for feature in DOCUMENT_FEATURES
    if feature.family == "metadata"
}
"""What the columns are on a page that says nothing about itself, as most old pages do."""

_SCHEMA_NAMES = [names.split() for _, names in SCHEMA_TYPES]
_TYPE = re.compile(r'"@type"\s{0,8}:\s{0,8}\[?\s{0,8}"([A-Za-z]{1,40})"')
_LINKED_DATA_LIMIT = 200_000


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
        min(tagged("main"), 1),
        tagged("li") / rows,
        tagged("p") / rows,
        log1p(tagged("time")),
        tagged("img") / rows,
        tagged("pre", "code") / rows,
        min(tagged("form"), 10),
        log1p(tagged("h1", "h2", "h3", "h4", "h5", "h6")),
        *_graph_type(page),
        *_schema_types(page),
    ]
    return [float(value) for value in values]


def _graph_type(page: Page) -> list[float]:
    said = page.attributes.values("meta[property='og:type'],meta[name='og:type']", "content")
    kind = said[0].lower() if said else ""
    return ["article" in kind, "product" in kind, "website" in kind, kind == ""]


def _schema_types(page: Page) -> list[float]:
    types: set[str] = set()
    for text in page.attributes.inner_texts("script[type='application/ld+json']"):
        types.update(_TYPE.findall(text[:_LINKED_DATA_LIMIT]))
    hits = [bool(types.intersection(names)) for names in _SCHEMA_NAMES]
    return [float(hit) for hit in (*hits, bool(types))]


CORE_SHARES = (0.4, 0.6, 0.8)
GOOD_LEVELS = (1, 2, 3, 4, 6)
WINDOWS = (2, 5)
RATIO_WINDOWS = (2, 6)

_OF_CORE: Final = (
    Feature("in", "is in the deepest node", "container", "flag"),
    Feature("share", "share of the page's words in the deepest node", "container", "share"),
    Feature("link_density", "link density of the deepest node", "container", "share"),
)
_OF_WINDOW: Final = (
    Feature("link_density", "link density", "links", "share"),
    Feature("words", "mean logarithm of the words", "surroundings"),
    Feature("punctuation", "punctuation marks per word", "surroundings", "rate"),
)
REGION_FEATURES: Final = (
    Feature("in_range", "is in the range with most words and fewest tags", "container", "flag"),
    Feature("range_depth", "blocks to the border of that range, negative outside", "container"),
    Feature("in_prose_range", "is in the range with most prose", "container", "flag"),
    Feature("prose_range_depth", "blocks to the border of the prose range", "container"),
    Feature("ratio_near", "smoothed words per tag, two blocks around", "container", "log1p"),
    Feature("ratio_wide", "smoothed words per tag, six blocks around", "container", "log1p"),
    Feature("in_separator", "is below the node between prose and links", "container", "flag"),
    Feature("separator_share", "share of the page's words below it", "container", "share"),
    *(
        feature.of(f"core{int(100 * share)}_", f"{{}} with {share:.0%} of the prose")
        for share in CORE_SHARES
        for feature in _OF_CORE
    ),
    *(
        Feature(f"good{level}", f"share of the prose below ancestor {level}", "container", "share")
        for level in GOOD_LEVELS
    ),
    *(
        feature.of(f"window{size}_", f"{{}}, {size} blocks around")
        for size in WINDOWS
        for feature in _OF_WINDOW
    ),
)
"""Ideas of BTE (ranges), CETR (ratios) and NCE (the separator) are among them."""

_TAG_COST = 3.0
_DEPTH_CAP = 100


def region_columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `REGION_FEATURES`, some of them several together."""
    long = (view.words >= 12) & (view.link_density < 0.4)
    ratios, windows = _around(view)
    share = view.below["good"] / view.total_good
    return [
        *_range(view, view.words - view.linked - _TAG_COST * view.tag_gap - _TAG_COST),
        *_range(view, np.where(long, view.words, -15.0)),
        *ratios,
        *structure.separator(view),
        *_cores(view),
        share.take(view.holders.above_block[list(GOOD_LEVELS)]),
        *windows,
    ]


def _around(view: BlockView) -> tuple[list[Floats], list[Floats]]:
    """Return means around each block: words per tag, then what the windows hold.

    Long blocks count more where the mean is a density.
    """
    weight = view.words + 0.1
    share = view.punctuation / view.at_least_one_word
    series = [
        view.words / view.tag_gap,
        view.link_density * weight,
        view.log_words,
        share * weight,
        weight,
        np.ones(view.size),
    ]
    window = _windows(np.array(series), {*RATIO_WINDOWS, *WINDOWS})
    ratios = [log(window[size][0] / window[size][5]) for size in RATIO_WINDOWS]
    of_windows: list[Floats] = []
    for size in WINDOWS:
        _, links, words, marks, total, blocks = window[size]
        of_windows += [links / total, words / blocks, marks / total]
    return ratios, of_windows


def _range(view: BlockView, gain: Floats) -> list[NDArray[Any]]:
    """Return membership in the range of largest gain, and the distance to its border."""
    total = gain.cumsum()
    before = total - gain
    last = int((total - np.minimum.accumulate(before)).argmax())
    first = int(before[: last + 1].argmin())
    depth = np.minimum(view.number - first, last - view.number)  # negative outside
    return [depth >= 0, np.maximum(np.minimum(depth, _DEPTH_CAP), -_DEPTH_CAP) / 20.0]


def _windows(series: Floats, sizes: Collection[int]) -> dict[int, Floats]:
    """Return the sums of each series over so many blocks on both sides of each block."""
    n, reach = series.shape[1], max(sizes)
    total = np.zeros((len(series), n + 2 * reach + 1))
    series.cumsum(axis=1, out=total[:, reach + 1 : reach + 1 + n])
    total[:, reach + 1 + n :] = total[:, reach + n, None]
    return {
        size: total[:, reach + size + 1 :][:, :n] - total[:, reach - size :][:, :n]
        for size in sizes
    }


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
    words: Words
    names: NameParts
    values: NDArray[np.float32]
    types: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(len(PAGE_TYPES), np.float32)
    )
    """The chance of each of `PAGE_TYPES`; all 0 where nobody has guessed, or there is no block."""

    @property
    def listed(self) -> float:
        """The chance that the page is a list."""
        return float(self.types[[PAGE_TYPES.index(kind) for kind in LIST_TYPES]].sum())


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What has to be learned before all columns of a page are known."""

    tables: Mapping[str, NDArray[np.float32]]
    """Log-odds by hash, for each of `lexicon.SPACES`."""
    page_types: Callable[[Matrix], NDArray[np.float32]]
    """Guesses the chance of each of `PAGE_TYPES` from the plain columns."""


def matrix(page: Page, known: Knowledge | None = None) -> Matrix:
    """Return the features of a page; the first `PLAIN` columns only where nothing is known."""
    view = BlockView(page)
    words, names = Words(view), NameParts(page)
    width = len(NAMES) if known else PLAIN
    if not view.size:
        return Matrix(view, words, names, np.zeros((0, width), np.float32))
    groups: list[Callable[[], list[NDArray[Any]]]] = [
        lambda: text_columns(view, words),
        lambda: structure.columns(view),
        lambda: region_columns(view),
        lambda: [np.array(document_columns(view)).repeat(view.size)],
    ]
    # Column by column in memory, which is how they come; read as one row per block. Group after
    # group: a page with very many blocks must not hold all columns twice.
    values = np.empty((width, view.size), np.float32)
    place = 0
    for group, features in zip(groups, GROUPS.values(), strict=False):
        stop = place + len(features)
        np.concatenate(group(), axis=None, out=values[place:stop].reshape(-1))
        place = stop
    plain = Matrix(view, words, names, values[:PLAIN].T)
    if known is None:
        return plain
    types = known.page_types(plain)
    complete = Matrix(view, words, names, values.T, types)
    values[PLAIN:] = learned_columns(complete, known.tables)
    return complete


def learned_columns(page: Matrix, tables: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the columns after the plain ones, one line each, of a page whose types are guessed."""
    learned = np.empty((len(NAMES) - PLAIN, page.view.size), np.float32)
    of_words = lexicon.columns(page.words, page.names, tables, page.listed)
    np.concatenate(of_words, axis=None, out=learned[: len(lexicon.FEATURES)].reshape(-1))
    learned[len(lexicon.FEATURES) :] = page.types[:, None]
    return learned
