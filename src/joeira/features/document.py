"""What the page is as a whole: the same value for each of its blocks."""

from __future__ import annotations

import re
from math import log1p

import numpy as np

from joeira.features.view import BlockView
from joeira.page import Page, tags

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
