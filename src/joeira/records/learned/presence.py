"""Whether a page has a list of records at all, from its best list and its own declarations.

Articles have lists too: menus, related stories, comments. What tells a page of records from them
is where the prose is, in one body or all over the page, what the page is built of, and what it
declares. Addresses are not asked: pages often come without one.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.models import Feature
from joeira.page import Page, tags
from joeira.page.left_out import without_surrogates
from joeira.records.learned.features import FEATURES as OF_LISTS
from joeira.records.learned.features import PROSE_WORDS

GOOD_SCORE = 0.3
"""A list with such a score is a rival of the best one."""

_COUNTED: Final = {
    "h1": "first headings", "h2": "second headings", "time": "times", "p": "paragraphs",
    "article": "article elements", "li": "items", "a": "links", "img": "images",
    "input": "inputs", "select": "menus to choose from", "button": "buttons",
}  # fmt: skip
_CLASSES: Final = {
    "filters": ("filter", "facet", "sort"),
    "pager": ("paginat", "pager", "page-numbers"),
    "bylines": ("author", "byline"),
    "comments": ("comment",),
    "sharing": ("share",),
    "relatives": ("related",),
}
_BODY_CLASSES: Final = {
    "single": re.compile(
        r"single|singular|article|\bpost\b|post-template|detail|product-|story|entry"
    ),
    "archive": re.compile(
        r"archive|categor|search|listing|\blist\b|collection|\btag\b|forum|blog\b|home|catalog|index"
    ),
}
_THINGS: Final = {
    "thread": "DiscussionForumPosting", "product": '"Product"', "item_list": "ItemList",
}  # fmt: skip

PAGE_FEATURES: Final = (
    Feature("page_prose", "share of prose of the page", "prose", "share"),
    Feature("long_texts", "texts of prose on the page", "prose", "log1p"),
    Feature("body_words", "words of prose in the element with most of it", "prose", "log1p"),
    Feature("body_share", "share of the page's words that these are", "prose", "share"),
    Feature("body_texts", "most texts of prose in one element", "prose", "log1p"),
    *(Feature(f"count_{tag}", about, "made of", "log1p") for tag, about in _COUNTED.items()),
    Feature("declared_article", "the page calls itself an article", "declared", "flag"),
    Feature("declared_product", "the page calls itself a product", "declared", "flag"),
    Feature("published", "the page says when it was published", "declared", "flag"),
    Feature("next", "there is a next page", "declared", "flag"),
    *(Feature(f"thing_{name}", f"it describes a {name}", "declared", "flag") for name in _THINGS),
    *(Feature(f"class_{name}", f"classes tell of {name}", "names", "flag") for name in _CLASSES),
    *(
        Feature(f"body_{name}", f"words of a {name} page in names of the body", "names", "log1p")
        for name in _BODY_CLASSES
    ),
)
"""What is seen of a page."""
PRESENCE_FEATURES: Final = (
    *OF_LISTS,
    Feature("best_score", "score of the best list", "lists", "share"),
    Feature("second_score", "score of the second list", "lists", "share"),
    Feature("good_lists", "lists with a good score", "lists"),
    *PAGE_FEATURES,
)
"""What the decision sees: the best list, how it stands among the others, and the page."""


def presence_features(
    lists: NDArray[np.float32], score: Floats, of_page: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the features of a page with lists, as a matrix of one column.

    Args:
        lists: Per feature and list: its value.
        score: Of each list, of which there is one at least.
        of_page: Values of `PAGE_FEATURES`.
    """
    best = int(score.argmax())
    second = np.partition(score, -2)[-2] if len(score) > 1 else 0.0
    standing = np.array([score[best], second, (score > GOOD_SCORE).sum()], np.float32)
    return np.concatenate((lists[:, best], standing, of_page))[:, None]


def page_features(page: Page) -> NDArray[np.float32]:
    """Return the values of `PAGE_FEATURES`."""
    values = _prose(page) | _declared(page) | _names(page)
    counts = np.bincount(page.known_tag[page.known_tag >= 0], minlength=len(tags.NAMES))
    for tag in _COUNTED:
        values[f"count_{tag}"] = np.log1p(counts[tags.NUMBER[tag]])
    return np.array([values[feature.name] for feature in PAGE_FEATURES], np.float32)


def _prose(page: Page) -> dict[str, float]:
    """Return where long texts stand: in one element, two levels up, as an article has them?"""
    long = (page.text_words >= PROSE_WORDS) & ~page.text_linked
    words = np.where(long, page.text_words, 0)
    holder = np.maximum(page.parent[page.parent[page.text_rows]], 0)
    most = np.bincount(holder, words, 1).max()
    total = max(int(page.words[page.body :].sum()), 1)
    return {
        "page_prose": min(words.sum() / total, 1),
        "long_texts": np.log1p(long.sum()),
        "body_words": np.log1p(most),
        "body_share": min(most / total, 1),
        "body_texts": np.log1p(np.bincount(holder, long, 1).max()),
    }


def _declared(page: Page) -> dict[str, float]:
    metas = [(prop.lower(), content) for _, prop, content in page.attributes.metas]
    kinds = [content.strip().lower() for prop, content in metas if prop == "og:type"][:1]
    relations = page.attributes.column("rel")[1]
    facts = page.attributes.facts
    things: dict[str, float] = {
        f"thing_{name}": any(word in text for text in facts) for name, word in _THINGS.items()
    }
    return things | {
        "declared_article": kinds == ["article"],
        "declared_product": "product" in "".join(kinds),
        "published": any(prop.startswith("article:publish") for prop, _ in metas),
        "next": any("next" in relation.lower().split() for relation in relations),
    }


def _names(page: Page) -> dict[str, float]:
    every = page.class_text
    whole = [
        names[number[row]] for row in (0, page.body) for number, names in (page.classes, page.ids)
    ]
    own = without_surrogates(" ".join(whole if page.body else whole[:2])).lower()
    return {
        **{f"class_{name}": any(w in every for w in words) for name, words in _CLASSES.items()},
        **{
            f"body_{name}": float(np.log1p(len(pattern.findall(own))))
            for name, pattern in _BODY_CLASSES.items()
        },
    }
