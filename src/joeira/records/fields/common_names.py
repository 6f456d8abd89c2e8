"""The names that people give to columns: a small vocabulary, mostly schema.org's words.

A column gets such a name by what the page calls it, where its values agree, or by its values alone.
Labels must be one of these names in all their words, since they are often names themselves: a
"place of origin" is no location. Of classes one telling word is enough: ``search_result_excerpt``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any, Final

import numpy as np

from joeira.page import tags
from joeira.records.fields.kinds import SHORT_WORDS, Shown, typed
from joeira.records.fields.leaves import IMAGE, LINK, LIST, RecordNodes
from joeira.records.fields.naming import lent_name, names_around, slug
from joeira.records.fields.values import Values


@dataclass(frozen=True)
class _Role:
    name: str
    agrees: Callable[[Shown], bool]
    words: str

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(self.words.split())


def _are_text(shown: Shown) -> bool:
    return shown.are_words or shown.words > SHORT_WORDS


# The first that agrees is taken: what is said of something else comes before what it says.
_ROLES: Final = (
    _Role("currency", lambda shown: shown.words <= 1 and not shown.are_counts,
          "currency pricecurrency moeda währung devise valuta"),
    _Role("discount", lambda shown: shown.are_counts and shown.kind != "price",
          "discount saving savings save rabatt desconto descuento remise off percentoff sconto"),
    _Role("price", lambda shown: shown.are_prices or shown.are_counts,
          "price prices cost preco preço precio prix preis prezzo cena pris hinta fiyat цена amount"
          " fare pricestring priceblock preisangabe"),
    _Role("reviews", lambda shown: shown.are_counts,
          "reviews reviewcount ratingcount ratings opinions bewertungen avaliações avaliacoes"
          " opiniones avis recensioni numreviews"),
    _Role("position", lambda shown: shown.are_counts, "position rank ordinal postnumber"),
    _Role("rating", lambda shown: shown.are_low and (shown.kind == "number" or shown.are_counts),
          "rating ratingvalue stars star score bewertung nota avaliacao valoracion note"),
    _Role("comments", lambda shown: shown.are_counts, "comments comment commentcount kommentare"
          " comentarios comentários commentaires"),
    _Role("replies", lambda shown: shown.are_counts, "replies replycount antworten respuestas"),
    _Role("answers", lambda shown: shown.are_counts, "answers answercount"),
    _Role("views", lambda shown: shown.are_counts,
          "views viewcount hits plays reads playcount visualizações visualizaciones vues aufrufe"),
    _Role("votes", lambda shown: shown.are_counts, "votes votecount points upvotes karma"),
    _Role("likes", lambda shown: shown.are_counts, "likes kudos favorites hearts kudo"),
    _Role("downloads", lambda shown: shown.are_counts, "downloads downloadcount"),
    _Role("duration", lambda shown: shown.are_durations,
          "duration runtime length time dauer duração duracion durée"),
    _Role("date", lambda shown: shown.are_dates or shown.hold_dates or shown.are_years,
          "date dates time datetime timestamp published pubdate posted updated created modified"
          " when timeago relativetime released release day data fecha datum дата publicado publié"
          " datepublished datecreated datemodified startdate uploaddate year"),
    _Role("author", lambda shown: shown.are_short,
          "author authors byline writer user username poster creator instructor artist autor autora"
          " auteur autore verfasser contributor member nick nickname von por автор"),
    _Role("brand", lambda shown: shown.are_short, "brand manufacturer marke marca marque"),
    _Role("seller", lambda shown: shown.are_short, "seller vendor merchant supplier verkäufer"
          " agency agencia agência vendedor anunciante"),
    _Role("company", lambda shown: shown.are_short, "company employer organization organisation"
          " empresa firma entreprise"),
    _Role("publisher", lambda shown: shown.are_short, "publisher verlag editora editorial"),
    _Role("location", _are_text,
          "location address city locality region venue neighborhood neighbourhood ort adresse"
          " endereco endereço ubicacion ubicación localidade lugar addresslocality lieu local"
          " localização localizacao standort"),
    _Role("category", lambda shown: shown.words <= SHORT_WORDS and shown.are_words,
          "category categories section genre genres topic department kategorie categoria categoría"
          " catégorie rubrik rubrique subreddit kicker eyebrow articlesection tipo"),
    _Role("tags", _are_text, "tags keywords hashtags"),
    _Role("availability", lambda shown: shown.words <= 2 * SHORT_WORDS and _are_text(shown),
          "availability available stock instock verfügbarkeit disponibilidade disponibilidad"),
    _Role("shipping", lambda shown: shown.words <= 2 * SHORT_WORDS, "shipping delivery versand"),
    _Role("sku", lambda shown: shown.words <= 2,
          "sku identifier model part partnumber mpn modelnumber artikelnummer"),
    _Role("label", lambda shown: shown.words <= SHORT_WORDS,
          "badge label flag ribbon sticker promo flair selo etiqueta"),
    _Role("subtitle", _are_text, "subtitle subhead subheading subheadline untertitel"),
    _Role("site", lambda shown: shown.are_sites, "url uri durl cite domain site website link"),
    _Role("description", lambda shown: shown.words >= SHORT_WORDS / 2 and _are_text(shown),
          "description desc snippet excerpt summary abstract teaser dek intro blurb synopsis lead"
          " standfirst lede preview overview resumo resumen descricao descrição descripcion"
          " descripción beschreibung résumé body deck message"),
    _Role("title", _are_text,
          "title titles name headline heading titulo título titre titel titolo nombre nome ttl"
          " subject заголовок название productname"),
)  # fmt: skip
_BY_NAME: Final = {role.name: role for role in _ROLES}
NAMES: Final = frozenset(_BY_NAME) | {"old_price", "url", "image", "position", "other"}
"""All canonical names."""
_NEVER_CONSTANT: Final = frozenset({"title", "subtitle", "description", "position", "site"})
"""Names of what differs from record to record, or is a text of a button."""
_OWN_PAGES: Final = frozenset("author brand category company location publisher seller".split())
"""What has a page of its own, which is not that of the record."""
_FORMER: Final = frozenset(
    "old was original regular before rrp msrp strike strikethrough crossed retail former"
    " previous compare uvp statt antigo anterior".split()
)
_LAYOUT_TOKENS: Final = frozenset("section part body".split())
"""Words that tell of layout where they are not the whole class."""
_SUB: Final = frozenset("sub under secondary second".split())
_WEAK: Final = frozenset(
    "of the by on in de da do la le der die das a an at to no num count".split()
)
_COUNTED: Final = {
    "review": "reviews",
    "rating": "reviews",
    "vote": "votes",
    "view": "views",
    "comment": "comments",
    "reply": "replies",
    "answer": "answers",
    "like": "likes",
}
_UNITS: Final = {
    **_COUNTED,
    **{word: role.name for role in _ROLES for word in role.tokens if role.name in (
        "reviews", "comments", "replies", "answers", "views", "votes", "likes", "downloads")},
}  # fmt: skip
_AUTHOR_LABELS: Final = frozenset("by von por par de di da door av af".split())
_NO_UNITS: Final = frozenset("ago am pm".split())


def _name_said(said: str, how: str, shown: Shown) -> str | None:
    """Return the canonical name for what the page calls some values, if they agree.

    Args:
        said: Words joined by underscores, as ``search_result_excerpt``.
        how: Where the page says so: ``label``, ``itemprop``, ``class`` or ``tag``.
        shown: The values.
    """
    tokens = [token for token in said.split("_") if token]
    if how == "label" and len(tokens) > 1:
        tokens = [token for token in tokens if token not in _WEAK]
        if not any(role.tokens.issuperset(tokens) for role in _ROLES):
            return None
    if "count" in tokens or "num" in tokens:
        counted = next((_COUNTED[token] for token in tokens if token in _COUNTED), None)
        if counted and shown.are_counts:
            return counted
    if how == "class" and len(tokens) > 1:
        tokens = [token for token in tokens if token not in _LAYOUT_TOKENS]
    for role in _ROLES:
        if role.tokens.isdisjoint(tokens) or not role.agrees(shown):
            continue
        if role.name == "label" and tokens[-1] in _BY_NAME["title"].tokens:
            continue  # badge-item-title
        former = not _FORMER.isdisjoint(tokens) or "list_price" in said
        if role.name == "price" and former:
            return "old_price"
        if role.name == "title" and not _SUB.isdisjoint(tokens):
            return "subtitle"
        return role.name
    return None


def _name_shown(shown: Shown) -> str | None:
    """Return the canonical name that values have by themselves."""
    if shown.are_prices:
        return "price" if shown.words <= SHORT_WORDS else None
    if shown.kind == "rating" or shown.are_marks:
        return "rating"
    if shown.are_durations:
        return "duration"
    if shown.are_dates:
        return "date"
    if shown.are_sites:
        return "site"
    return _name_counted(shown.unit) if shown.unit else None


def _name_counted(unit: str) -> str | None:
    """Return the name of numbers by the word that stands beside them."""
    word = unit.casefold().strip(" .,:()")
    if word in _NO_UNITS or not word.isalpha() or len(word) < 3:
        return None
    return _UNITS.get(word, _UNITS.get(word.removesuffix("s"), word))


# Names that people would have given ---------------------------------------------------------------

UNNAMED: Final = "details"
"""Name of texts of which nobody says or shows what they are."""
_PARAGRAPH = tags.NUMBER["p"]
_STRUCK = tags.table("del s strike")
_GENERIC: Final = frozenset("text number link image".split())
_STYLE: Final = frozenset(
    "uppercase lowercase capitalize smallcaps absolute relative fixed space transition color colors"
    " base internal hover hovercard g x y shadow opacity underline semibold medium italic truncate"
    " cursor pointer overflow leading tracking z wb break word fg muted".split()
)
"""Words of classes that tell how a value looks."""
_BELIEVED: Final = ("label", "itemprop", "class", "tag")
_BUTTON_WORDS = 3
_TITLE_WORDS = 30
"""A title has fewer words."""
_HALF = 0.5
_FEW_RECORDS = 4


def name_commonly(nodes: RecordNodes, values: list[Values]) -> None:
    """Give columns, which have the names of the page's markup, those that people would give."""
    texts = [c for c in values if c.kind not in (IMAGE, LINK) and c.source != "link"]
    for column in texts:
        column.said = column.name if column.source in _BELIEVED else ""
        if column.source == "kind" and column.name == "number":
            column.said = lent_name(nodes, column) or ""
            column.name = column.said or column.name
            column.source = "class" if column.said else "kind"
        if column.source == "class" and _STYLE.issuperset(column.said.split("_")):
            column.said = ""
    shown = {id(column): Shown.of(column.texts) for column in texts}
    role_of = {id(c): _role(c, shown[id(c)]) for c in texts if not c.drop}
    own = [column for column in texts if not column.drop]
    title = _most_titled(nodes, own, role_of, shown)
    if title is not None:
        role_of = {k: r if r != "title" else None for k, r in role_of.items()} | {
            id(title): "title"
        }
    _tell_prices_apart(nodes, own, role_of)
    if "description" not in role_of.values():
        untold = [c for c in own if role_of[id(c)] is None and c.kind != LIST]
        prose = [c for c in untold if _is_prose(nodes, c, shown[id(c)])]
        longest = max(prose, key=lambda c: c.filled * shown[id(c)].words, default=None)
        role_of |= {} if longest is None else {id(longest): "description"}
    fullest: dict[str, Values] = {}
    for column in sorted(own, key=lambda column: -column.filled):
        fullest.setdefault(role_of[id(column)] or "", column)
    for column in own:
        role = role_of[id(column)]
        told = column.said and column.said not in _GENERIC
        if role is None and column.said in NAMES:
            told = False  # its values are not what it is called
        main = fullest[role or ""]
        if role and (
            main is column or not told or column.said == role or _never_together(column, main)
        ):
            column.name = role
        elif not told:
            column.name = UNNAMED
    _name_addresses(values, title)
    for column in texts:
        if column.said and column.source != "kind":
            column.source = f"{column.source} {column.said}"


def _never_together(column: Values, other: Values) -> bool:
    """Return whether no record has a value in both columns: they are one field of two layouts."""
    return not ((column.nodes >= 0) & (other.nodes >= 0)).any()


def _is_prose(nodes: RecordNodes, column: Values, shown: Shown) -> bool:
    """Return whether the values are sentences; of paragraphs fewer words are enough."""
    place = nodes.place[column.nodes[column.nodes >= 0]]
    within = nodes.table.tag[np.stack((place, nodes.table.parent[place]))]
    paragraphs = bool((within == _PARAGRAPH).any(axis=0).all())
    return shown.are_prose or (paragraphs and shown.words >= SHORT_WORDS)


def has_own_name(nodes: RecordNodes, column: Values) -> bool:
    """Return whether the page calls a column something that people have a word for."""
    shown = Shown.of(column.texts)
    said = (_name_said(word, how, shown) for word, how in names_around(nodes, column))
    return any(role not in (None, "label", "title", "description") for role in said)


def constant_name(column: Values) -> str | None:
    """Return the canonical name of a column that says one thing, if it has one."""
    role = _role(column, Shown.of(column.texts))
    is_label = _is_authors(min(column.distinct, default=""))
    return role if role in NAMES and role not in _NEVER_CONSTANT and not is_label else None


def _role(column: Values, shown: Shown) -> str | None:
    """Return the canonical name of a column on its own, if it has one."""
    if _is_authors(column.label) and shown.are_short:
        return "brand" if _lead_to_brands(column) else "author"
    if shown.unit in _UNITS:
        return _UNITS[shown.unit]
    if column.unit and shown.unit == "":
        are_stars = column.unit.casefold().startswith("star") and shown.are_low
        return "rating" if are_stars else _name_counted(column.unit)
    role = _name_said(column.said, column.source, shown) if column.said else None
    said = (_name_said(word, how, shown) for word, how in column.also_said)
    role = role or next(filter(None, said), None)
    if role is None and shown.kind == "number" and _counts_up(column.texts):
        return "position"
    role = role or _name_shown(shown)
    # A class of the page is surer than a word that happens to stand behind every number.
    return None if role not in NAMES and column.said and column.said not in _GENERIC else role


def _lead_to_brands(column: Values) -> bool:
    """Return whether the addresses of most values name brands."""
    return 2 * sum("/brand" in (url or "") for url in column.urls) > column.filled


def _is_authors(label: str) -> bool:
    return label.casefold().rpartition(" ")[2] in _AUTHOR_LABELS


def _counts_up(texts: Sequence[str | None]) -> bool:
    """Return whether texts number the records: each is one more than the one before."""
    numbers = [typed(text or "", "number") for text in texts]
    return len(numbers) > _FEW_RECORDS and all(
        isinstance(a, int) and b == a + 1 for a, b in pairwise(numbers)
    )


def _most_titled(
    nodes: RecordNodes,
    columns: list[Values],
    role_of: dict[int, str | None],
    shown: dict[int, Shown],
) -> Values | None:
    """Return the column that names the records: called so, a heading, or a link of its own."""

    def worth(column: Values) -> float:
        of = shown[id(column)]
        role = role_of[id(column)]
        if role not in (None, "title", "description") or of.words > _TITLE_WORDS:
            return 0.0
        if not of.are_words or (role != "title" and _begin_alike(of.texts)):
            return 0.0
        fill = column.filled / len(column.texts)
        linked = 2 * sum(url is not None for url in column.urls) > column.filled
        called = role == "title"
        headed = column.source == "tag"
        distinct = len(column.distinct) / max(column.filled, 1)
        if fill < _HALF or not (linked or called or headed):
            return 0.0
        if role == "description":  # what a shop calls so may be the name of a thing
            return fill * distinct if linked else 0.0
        return fill * (2 * called + 2 * headed + linked + distinct + min(of.words, 4) / 8)

    best = max(columns, key=worth, default=None)
    return best if best is not None and worth(best) > 0 else None


def _begin_alike(texts: Sequence[str]) -> bool:
    """Return whether texts begin with the same words, as "Find more posts by Ann" does."""
    begins = {" ".join(text.split()[:_BUTTON_WORDS]) for text in texts}
    return len(texts) > _FEW_RECORDS and len(begins) == 1


def _tell_prices_apart(
    nodes: RecordNodes, columns: list[Values], role_of: dict[int, str | None]
) -> None:
    """Tell former prices from those to pay: they are struck out, or always higher."""
    prices = [column for column in columns if role_of[id(column)] == "price"]
    for column in prices:
        if _STRUCK[_tags_above(nodes, column)].any(axis=1).mean() > _HALF:
            role_of[id(column)] = "old_price"
    prices = [column for column in prices if role_of[id(column)] == "price"]
    if len(prices) != 2 or "old_price" in role_of.values():
        return
    prices.sort(key=lambda column: column.filled)
    first, second = ([typed(text or "", "price") for text in c.texts] for c in prices)
    both = [
        (a, b) for a, b in zip(first, second, strict=True)
        if isinstance(a, float) and isinstance(b, float)
    ]  # fmt: skip
    if len(both) < 2 or max(median(a / b for a, b in both), median(b / a for a, b in both)) > 4:
        return
    if all(a > b for a, b in both):
        role_of[id(prices[0])] = "old_price"
    elif all(a < b for a, b in both) and prices[0].filled == prices[1].filled:
        role_of[id(prices[1])] = "old_price"  # what all have is what has to be paid


def _tags_above(nodes: RecordNodes, column: Values) -> Any:
    """Return the tags of the two elements around each value."""
    place = nodes.place[column.nodes[column.nodes >= 0]]
    table = nodes.table
    above = table.parent[place]
    return table.tag[[above, table.parent[above]]].T


def _name_addresses(values: list[Values], title: Values | None) -> None:
    """Name links after their texts, the one of the title ``url``; and images."""
    before = None
    alone = []
    titled = title is not None and any(title.urls)
    for column in values:
        if column.kind == LINK or column.source == "link":
            # One address for all says nothing; a button leads somewhere else than the title.
            column.drop |= column.filled > 2 and len(set(filter(None, column.urls))) == 1
        if column.kind == IMAGE:
            column.said, column.name = column.name, "image"
        elif column.source == "link" and before is not None:
            stem = before.name if not before.drop else slug(min(before.distinct, default=""))
            column.name = "url" if before is title else f"{stem}_url" if stem else "url"
            column.drop |= titled and before.constant
            continue
        elif column.kind == LINK:
            alone.append(column)
        before = column
    if not any(column.name == "url" and not column.drop for column in values):
        fullest = max(
            (
                c
                for c in values
                if (c.kind == LINK or c.source == "link") and not c.drop
                if c.name.removesuffix("_url") not in _OWN_PAGES
            ),
            key=lambda column: (column.filled, len(set(column.urls))),
            default=None,
        )
        if (
            fullest is not None
            and fullest.filled >= _HALF * len(fullest.texts)
            and len(set(fullest.urls)) >= _HALF * fullest.filled
        ):
            fullest.name = "url"
    for column in alone:
        if column.name != "url":
            column.name = f"{column.name.removesuffix('_url')}_url"
