"""What a block's own text looks like, and where on the page it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import SENTENCE_END, SPACE
from joeira.features.lexicon import Words
from joeira.features.view import BlockView, Floats, log, signed_distance

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
