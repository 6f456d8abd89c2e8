"""Plain words for the block model: what spoke most for or against a block.

Features come in families (links, wording, class names ...). A family's weight for a block is what
the model's logit loses when the family's features are set to their average; the two or three
families that carried the decision are put into words. Nothing is computed before somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from joeira.arrays import Bools, Case, Floats, Ints
from joeira.arrays.strings import collapse
from joeira.blockmodel import model as scoring
from joeira.blockmodel.columns import FEATURES, Matrix
from joeira.blockmodel.lexicon import SPACES, bucket, name_table
from joeira.blockmodel.reasons import Reason, Reasons, sentence
from joeira.blockmodel.structure import ANCESTOR_TAGS
from joeira.blockmodel.view import BlockView
from joeira.page import Page

MOST = 3
LEAST_WEIGHT = 0.15
"""Logits a family must move to be worth a mention."""

_COLUMN: Final = {feature.name: number for number, feature in enumerate(FEATURES)}
_LANDMARKS = [name for name in ANCESTOR_TAGS if name not in ("li", "tr")]
_LANDMARK_WORDS = {
    _LANDMARKS.index("dialog"): "a dialog",
    _LANDMARKS.index("nosnippet"): "what the page asks search engines not to show",
}
_LANDMARK_COLUMNS = [_COLUMN[f"in_{name}"] for name in _LANDMARKS]


@dataclass(frozen=True, eq=False)
class BlockExplanations(Reasons):
    """The reasons for decisions made by the block model."""

    page: Page
    probability: Floats
    """Per block: its probability."""
    keep: Bools
    """Per block: was it kept?"""

    def case(self, index: int) -> Case:
        """Return the case that decided about a text."""
        block = int(self._block_of_text[index])
        if block < 0:
            in_head = self.page.in_head[self.page.text_rows[index]]
            return Reason.HEAD if in_head else Reason.BEYOND
        return Reason.KEPT if self.keep[block] else Reason.DROPPED

    def parts(self, index: int) -> tuple[str, ...]:
        """Return the probability of a text, and what carried the decision."""
        block = int(self._block_of_text[index])
        if block < 0:
            return (sentence(self.case(index)),)
        probability = sentence(self.case(index)).format(score=self.probability[block])
        phrases = self._phrases(block)
        return (f"{probability}: {phrases[0]}", *phrases[1:]) if phrases else (probability,)

    def _phrases(self, block: int) -> list[str]:
        """Return what the families that carried the decision have to say, each thing once."""
        weights = self._features[1][:, block] * (1 if self.keep[block] else -1)
        best = [family for family in np.argsort(-weights) if weights[family] >= LEAST_WEIGHT]
        phrases = (_WRITERS[family](self, block) for family in best[:MOST])
        return list(dict.fromkeys(filter(None, phrases)))

    @property
    def matrix(self) -> Matrix:
        """The features of the page."""
        return self._features[0]

    @property
    def view(self) -> BlockView:
        """The blocks of the page."""
        return self.matrix.view

    @cached_property
    def _block_of_text(self) -> Ints:
        return BlockView(self.page).block_of_text  # known without any feature

    @cached_property
    def _features(self) -> tuple[Matrix, Floats]:
        """The features; per family with words and block, what the logit loses without it."""
        model = scoring.load()
        features = model.features(self.page)
        # Nobody else has the values yet, and a long page has too many for a copy.
        values = features.values
        full = model.logits(features, values)
        lost = []
        for columns in _COLUMNS_OF.values():
            own = values[:, columns]
            values[:, columns] = model.center[columns]
            lost.append(full - model.logits(features, values))
            values[:, columns] = own
        return features, np.stack(lost)

    def value(self, block: int, feature: str) -> float:
        """Return a feature of a block."""
        return float(self.matrix.values[block, _COLUMN[feature]])

    def count(self, block: int, feature: str) -> int:
        """Return the whole number behind a feature of a block."""
        return round(FEATURES[_COLUMN[feature]].quantity(self.value(block, feature)))

    @cached_property
    def name_odds(self) -> list[float]:
        """Per class attribute, then per id of the page: its log-odds."""
        hashes, name = self.matrix.names.parts
        table = name_table(scoring.load().tables, self.matrix.listed)
        size = len(self.matrix.names.names)
        odds: list[float] = np.bincount(name, table[bucket(hashes, SPACES["name"])], size).tolist()
        return odds


def _length(known: BlockExplanations, block: int) -> str:
    words = int(known.view.words[block])
    sentences = int(known.view.counts["sentences"][block])
    if words >= 15:
        return f"{words} words" + (f" with {sentences} sentence ends" if sentences else "")
    return f"only {words} word{'' if words == 1 else 's'}"


def _links(known: BlockExplanations, block: int) -> str:
    own = known.view.link_density[block]
    around = known.value(block, "level2_link_density")
    if abs(own - around) < 0.2:
        return f"link density {own:.2f}"
    return f"link density {own:.2f}, {around:.2f} around it"


def _place(known: BlockExplanations, block: int) -> str:
    return f"{known.value(block, 'word_position'):.0%} down the page's text"


def _landmark(known: BlockExplanations, block: int) -> str:
    inside = np.flatnonzero(known.matrix.values[block, _LANDMARK_COLUMNS])[:2].tolist()
    if inside:
        return "inside " + ", ".join(
            _LANDMARK_WORDS.get(number, f"<{_LANDMARKS[number]}>") for number in inside
        )
    return f"in a <{known.page.tag_name(int(known.view.owner[block]))}>"


def _names(known: BlockExplanations, block: int) -> str:
    """Name the class or id above the block that speaks loudest for the decision."""
    page, names, odds = known.page, known.matrix.names.names, known.name_odds
    sign = 1 if known.keep[block] else -1
    row = int(known.view.owner[block])
    best, loudest = "", 0.0
    while row >= 0:
        own = (page.classes[0][row], len(page.classes[1]) + page.ids[0][row])
        for number in own:
            if names[number] and sign * odds[number] > loudest:
                best, loudest = names[number], sign * odds[number]
        row = int(page.parent[row])
    verdict = "content" if sign > 0 else "noise"
    return f"class or id {_short(best)!r} usually means {verdict}" if best else ""


def _wording(known: BlockExplanations, block: int) -> str:
    return "worded like content" if known.keep[block] else "worded like boilerplate"


def _heading(known: BlockExplanations, block: int) -> str:
    above = int(known.view.heading_above[block])
    if above in (-1, block):
        return "no heading above" if above < 0 else "is a heading"
    text = known.page.block_texts[known.view.chosen[above]]
    return f"under the heading {_short(text)!r}"


def _container(known: BlockExplanations, block: int) -> str:
    if known.value(block, "core60_in"):
        return "in the part of the page with most of the prose"
    return "outside the part of the page with most of the prose"


def _repetition(known: BlockExplanations, block: int) -> str:
    if times := known.count(block, "repeated_most"):
        return f"in one of {times} similar elements"
    like = known.count(block, "class_path_count")
    return f"one of {like} blocks with this tag path" if like > 1 else "its tag path is unique"


def _copies(known: BlockExplanations, block: int) -> str:
    times = known.count(block, "copies")
    return f"the same words appear {times} times on the page" if times > 1 else ""


def _title(known: BlockExplanations, block: int) -> str:
    cover = known.value(block, "title_cover")
    if cover > 0.3:
        return f"contains {cover:.0%} of the words of the title"
    side = "after" if known.value(block, "from_title") >= 0 else "before"
    return f"{side} the title"


def _short(text: str, size: int = 40) -> str:
    text = collapse(text)
    return text if len(text) <= size else text[: size - 1] + "\u2026"


_WORDS_FOR: Final[Mapping[str, Callable[[BlockExplanations, int], str]]] = {
    "length": _length,
    "links": _links,
    "place": _place,
    "landmark": _landmark,
    "names": _names,
    "wording": _wording,
    "heading": _heading,
    "container": _container,
    "repetition": _repetition,
    "copies": _copies,
    "title": _title,
}
"""By family of features: what it says about a block. The other families have no words."""
_COLUMNS_OF: Final = {
    family: [number for number, feature in enumerate(FEATURES) if feature.family == family]
    for family in _WORDS_FOR
}
_WRITERS: Final = tuple(_WORDS_FOR.values())
