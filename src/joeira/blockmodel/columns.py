"""What a block's own text looks like, and where on the page it stands.

What the page is as a whole: the same value for each of its blocks.

Where the published methods would look: the densest range, the separator, the core container.

The table of features: names, sentences, and the matrix of a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.arrays.strings import SENTENCE_END, SPACE
from joeira.blockmodel import lexicon, structure
from joeira.blockmodel.lexicon import NameParts, Words
from joeira.blockmodel.view import BlockView, log, signed_distance
from joeira.page import Page, tags

TEXT_NAMES = (
    ("words", "log of the number of words"),
    ("chars", "log of the number of characters"),
    ("link_density", "share of the words that are links"),
    ("word_length", "letters per word"),
    ("sentence_density", "sentence ends per word"),
    ("sentences", "log of the number of sentence ends"),
    ("comma_density", "commas per word"),
    ("commas", "log of the number of commas"),
    ("digits", "share of digits"),
    ("capitals", "share of capital letters"),
    ("currency", "has a currency sign"),
    ("separators", "share of characters that separate menu items"),
    ("pieces", "log of the number of text pieces"),
    ("wordless", "has no word"),
    ("ends_sentence", "its last character ends a sentence"),
    ("position", "place among the blocks, 0 first, 1 last"),
    ("word_position", "place among the words"),
    ("from_start", "log of the number of blocks before"),
    ("from_end", "log of the number of blocks after"),
    ("copies", "log of the number of blocks with the same words"),
    ("title_share", "share of its words that are in the title"),
    ("title_cover", "share of the title's words that it has"),
    ("from_title", "signed distance to the block most like the title"),
)

_TITLE_MAX_WORDS = 40
_TITLE_MIN_COVER = 0.4
_WORD_LENGTH_CAP = 20


def text_columns(view: BlockView, words: Words) -> list[NDArray[Any]]:
    """Return the columns of `NAMES`."""
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
    ]


def _ends_sentence(view: BlockView) -> NDArray[np.bool_]:
    """Return whether the last solid character of each block ends a sentence."""
    characters = view.page.characters
    _, stop = view.text_bounds
    classes = characters.classes
    ends = np.concatenate((characters.starts, [len(classes)])).take(stop)
    solid = ((classes & SPACE) == 0).nonzero()[0]
    last = classes.take(solid.take(solid.searchsorted(ends) - 1))
    found: NDArray[np.bool_] = (last & SENTENCE_END) != 0
    return found


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
DOCUMENT_NAMES = (
    ("page_blocks", "log of the number of blocks"),
    ("page_words", "log of the number of words"),
    ("page_link_density", "share of linked words of the page"),
    ("page_punctuation", "punctuation marks per word of the page"),
    ("page_good", "log of the words of prose"),
    ("page_good_share", "share of the words that are prose"),
    ("page_rows", "log of the number of nodes"),
    ("page_mean_words", "log of the words per block"),
    ("page_currency", "log of the number of currency signs"),
    ("page_articles", "log of the number of <article>"),
    ("page_main", "has a <main>"),
    ("page_items", "share of <li> among the nodes"),
    ("page_paragraphs", "share of <p> among the nodes"),
    ("page_times", "log of the number of <time>"),
    ("page_images", "share of <img> among the nodes"),
    ("page_code", "share of <pre> and <code> among the nodes"),
    ("page_forms", "number of forms"),
    ("page_headings", "log of the number of headings"),
    ("og_article", "og:type says article"),
    ("og_product", "og:type says product"),
    ("og_website", "og:type says website"),
    ("og_none", "there is no og:type"),
    *((f"schema_{name}", f"schema.org type of kind {name}") for name, _ in SCHEMA_TYPES),
    ("schema_any", "some schema.org type is given"),
)

WITHOUT_METADATA = {
    name: float(name == "og_none")
    for name, _ in DOCUMENT_NAMES
    if name.startswith(("og_", "schema_"))
}
"""What the columns are on a page that says nothing about itself, as most old pages do."""

_SCHEMA_NAMES = [names.split() for _, names in SCHEMA_TYPES]
_TYPE = re.compile(r'"@type"\s{0,8}:\s{0,8}\[?\s{0,8}"([A-Za-z]{1,40})"')
_LINKED_DATA_LIMIT = 200_000


def document_columns(view: BlockView) -> list[float]:
    """Return the values of `NAMES`: one for all blocks."""
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
    found: set[str] = set()
    for text in page.attributes.inner_texts("script[type='application/ld+json']"):
        found.update(_TYPE.findall(text[:_LINKED_DATA_LIMIT]))
    hits = [bool(found.intersection(names)) for names in _SCHEMA_NAMES]
    return [float(hit) for hit in (*hits, bool(found))]


CORE_SHARES = (0.4, 0.6, 0.8)
GOOD_LEVELS = (1, 2, 3, 4, 6)
WINDOWS = (2, 5)
RATIO_WINDOWS = (2, 6)

REGION_NAMES = (
    ("in_range", "is in the range with most words and fewest tags (BTE)"),
    ("range_depth", "distance to the border of that range, negative outside"),
    ("in_prose_range", "is in the range with most prose"),
    ("prose_range_depth", "distance to the border of the prose range"),
    ("ratio_near", "smoothed words per tag, two blocks around (CETR)"),
    ("ratio_wide", "smoothed words per tag, six blocks around"),
    ("in_separator", "is below the node that separates prose from links (NCE)"),
    ("separator_share", "share of the page's words below that node"),
    *(
        (f"core{int(100 * share)}_{name}", text)
        for share in CORE_SHARES
        for name, text in (
            ("in", f"is in the deepest node with {share:.0%} of the prose"),
            ("share", f"share of the page's words in the node with {share:.0%} of the prose"),
            ("link_density", f"link density of the node with {share:.0%} of the prose"),
        )
    ),
    *((f"good{level}", f"share of the prose below ancestor {level}") for level in GOOD_LEVELS),
    *(
        (f"window{size}_{name}", f"{text}, {size} blocks around")
        for size in WINDOWS
        for name, text in (
            ("link_density", "link density"),
            ("words", "mean log of words"),
            ("punctuation", "punctuation marks per word"),
        )
    ),
)

_SEPARATOR_MIN_WORDS = 120
_SEPARATOR_LINK_DENSITY = 0.5
_SEPARATOR_MIN_REMAINDER = 10
_SEPARATOR_LEAF_CHARS = 200
_TAG_COST = 3.0
_DEPTH_CAP = 100


def region_columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `NAMES`."""
    long = (view.words >= 12) & (view.link_density < 0.4)
    ratios, windows = _around(view)
    share = view.below["good"] / view.total_good
    return [
        *_range(view, view.words - view.linked - _TAG_COST * view.tag_gap - _TAG_COST),
        *_range(view, np.where(long, view.words, -15.0)),
        *ratios,
        *_separator(view),
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
    found: list[Floats] = []
    for size in WINDOWS:
        _, links, words, marks, total, blocks = window[size]
        found += [links / total, words / blocks, marks / total]
    return ratios, found


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


def _separator(view: BlockView) -> list[NDArray[Any]]:
    """Return membership below the first ancestor of long prose whose surroundings are links."""
    long = (view.counts["solid"] >= _SEPARATOR_LEAF_CHARS) & (view.link_density < 0.5)
    first = int(long.argmax())
    top = _climb(view, int(view.holders.of_block[first])) if long[first] else -1
    if top < 0:
        return [np.zeros(2 * view.size)]
    share = view.below["words"][top] / view.total_words
    return [view.inside(top), np.full(view.size, share)]


def _climb(view: BlockView, holder: int) -> int:
    parent = view.holders.parent
    words, linked = view.below["words"], view.below["linked"]
    largest = -1
    while holder >= 0:
        above = int(parent[holder])
        if words[holder] - linked[holder] >= _SEPARATOR_MIN_WORDS:
            if above < 0:
                return holder
            rest = words[above] - words[holder]
            rest_linked = linked[above] - linked[holder]
            if rest > _SEPARATOR_MIN_REMAINDER and rest_linked / rest > _SEPARATOR_LINK_DENSITY:
                return holder
            largest = holder
        holder = above
    return largest


def _cores(view: BlockView) -> list[NDArray[Any]]:
    below, depth = view.below, view.page.depth.take(view.holders.rows)
    found: list[NDArray[Any]] = []
    for share in CORE_SHARES:
        core = int(np.where(below["good"] >= share * view.total_good, depth, 0).argmax())
        words = below["words"][core]
        of_page = [words / view.total_words, below["linked"][core] / max(words, 1)]
        found += [view.inside(core), np.array(of_page).repeat(view.size)]
    return found


GROUPS = {
    "text": TEXT_NAMES,
    "structure": structure.NAMES,
    "regions": REGION_NAMES,
    "document": DOCUMENT_NAMES,
    "lexicon": lexicon.NAMES,
}
NAMES = tuple(name for group in GROUPS.values() for name, _ in group)
PLAIN = len(NAMES) - len(lexicon.NAMES)
"""Number of columns that need no learned table: they come first."""


def describe() -> dict[str, str]:
    """Return a sentence for every feature."""
    return {name: sentence for group in GROUPS.values() for name, sentence in group}


@dataclass(frozen=True, eq=False)
class Matrix:
    """The features of a page: one row per block outside the head."""

    view: BlockView
    words: Words
    names: NameParts
    values: NDArray[np.float32]


def matrix(page: Page, tables: Mapping[str, NDArray[np.float32]] | None = None) -> Matrix:
    """Return the features of a page; without tables only the first `PLAIN` columns."""
    view = BlockView(page)
    words, names = Words(view), NameParts(page)
    if not view.size:
        width = PLAIN if tables is None else len(NAMES)
        return Matrix(view, words, names, np.zeros((0, width), np.float32))
    groups: list[Callable[[], list[NDArray[Any]]]] = [
        lambda: text_columns(view, words),
        lambda: structure.columns(view),
        lambda: region_columns(view),
        lambda: [np.array(document_columns(view)).repeat(view.size)],
    ]
    if tables is not None:
        groups.append(lambda: lexicon.columns(view, words, names, tables))
    # Column by column in memory, which is how they come; read as one row per block. Group after
    # group: a page with very many blocks must not hold all columns twice.
    width = PLAIN if tables is None else len(NAMES)
    values = np.empty(width * view.size, np.float32)
    place = 0
    for group, names_of_group in zip(groups, GROUPS.values(), strict=False):
        stop = place + len(names_of_group) * view.size
        np.concatenate(group(), axis=None, out=values[place:stop])
        place = stop
    return Matrix(view, words, names, values.reshape(width, view.size).T)
