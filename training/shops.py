"""Product pages with more of a shop around them: other products, reviews, terms.

The cards of a category are its content; around one product the same cards are noise, and so are
what customers wrote and what the shop says to everyone. Few pages of products were read, so each is
shown again, with other products, reviews and terms behind or before what is said about the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np

from joeira.evaluation.datasets import Example
from training.comments import posts_of
from training.insertion import before_content, behind_content
from training.pages import LabelledPage, example

TIMES = 2
"""How often each product page is shown once more."""
BEFORE_CHANCE = 0.3
"""How often something is put before the content, too."""
MIN_CARDS, MAX_CARDS = 4, 24
MAX_REVIEWS = 12
MIN_WORDS, MAX_WORDS = 1, 14

_OTHERS = (
    "You may also like|Related products|Recently viewed|Customers also bought|Similar items|"
    "Complete the look|Best sellers|Das könnte Ihnen auch gefallen|Zuletzt angesehen|"
    "Ähnliche Produkte|Vous aimerez aussi|Produits similaires|También te puede interesar|"
    "Productos relacionados|Potrebbe interessarti|Produtos relacionados|Похожие товары|"
).split("|")
_REVIEWS = (
    "Customer reviews|Reviews ({n})|{n} ratings|Ratings & Reviews|Kundenbewertungen|"
    "Avis clients|Opiniones|Recensioni|Avaliações|Отзывы"
).split("|")
_TERMS = (
    ("Delivery", "Orders placed before 2 pm are shipped the same day. Free shipping over $50."),
    ("Shipping & Returns", "You can return any item within 30 days of delivery for a full refund."),
    (
        "Payment",
        "We accept all major credit cards, PayPal and bank transfer. All data is encrypted.",
    ),
    (
        "Our promise",
        "Our team is here to help seven days a week. Call us or write to us at any time.",
    ),
    ("Rewards", "Join our loyalty programme and earn points with every order that you place."),
    ("Newsletter", "Sign up and get 10% off your first order. You can unsubscribe at any time."),
    ("Versand", "Kostenloser Versand ab 40 €. Die Lieferung erfolgt in zwei bis vier Werktagen."),
    ("Rückgabe", "Sie können jeden Artikel innerhalb von 30 Tagen kostenlos zurücksenden."),
    ("Livraison", "Livraison offerte dès 49 € d'achat. Retours gratuits sous trente jours."),
    ("Envío", "Envío gratis a partir de 50 €. Devoluciones gratuitas durante treinta días."),
    ("Entrega", "Frete grátis para compras acima de R$ 199. Troca grátis em até trinta dias."),
)
_BUTTONS = "Add to cart|Add to basket|Quick view|In den Warenkorb|Ajouter au panier|".split("|")
_PRICES = ("${}", "£{}", "{} €", "€{}", "R$ {}", "¥{}", "USD {}")
_CARDS = (
    '<li class="{inner}"><a href="/{id}"><img src="/{id}.jpg" alt=""><span>{name}</span></a>'
    "<span>{price}</span><button>{button}</button></li>",
    '<div class="{inner}"><a href="/{id}"><img src="/{id}.jpg" alt=""></a><h3><a href="/{id}">'
    "{name}</a></h3><div>{stars}</div><p>{price}</p></div>",
    '<article class="{inner}"><a href="/{id}"><h4>{name}</h4><div>{price} <s>{old}</s></div></a>'
    "</article>",
    '<div class="{inner}"><div><a href="/{id}">{name}</a></div><div>{stars}</div><div>{price}</div>'
    "<div>{button}</div></div>",
)
_FRAMES = (
    '<div class="{outer}"><h2>{title}</h2><ul>{items}</ul></div>',
    '<section class="{outer}"><h3>{title}</h3><div>{items}</div></section>',
    '<div class="{outer}"><div>{title}</div>{items}</div>',
)


def stocked(pairs: Sequence[tuple[Example, LabelledPage]]) -> list[LabelledPage]:
    """Return the product pages again, with other products, reviews and terms around the product.

    The answers stay the same, so that every word of these counts as wrong.
    """
    random = np.random.default_rng(2)
    names = names_of([row for row, one in pairs if one.kind in ("listing", "collection")])
    posts = posts_of([row for row, one in pairs if one.kind == "forum"])
    products = [(row, one) for row, one in pairs if one.kind == "product"]
    pages = []
    for row, one in products * TIMES if names and posts else ():
        html = _in_a_shop(row.html, one, (names, posts), random)
        made = example(replace(row, html=html), one.dataset, one.gold) if html else None
        pages += [replace(made, made_up=True)] if made else []
    return pages


def names_of(rows: Sequence[Example]) -> list[str]:
    """Return the lines of pages of items that could be the name of a product."""
    lines = [line.strip() for row in rows for line in (row.text or "").splitlines()]
    return [line for line in lines if MIN_WORDS <= len(line.split()) <= MAX_WORDS]


def _in_a_shop(
    html: str,
    one: LabelledPage,
    words: tuple[Sequence[str], Sequence[str]],
    random: np.random.Generator,
) -> str | None:
    """Return the source with parts of a shop behind the content, sometimes before it, too."""
    places = [behind_content(html, one)]
    if random.random() < BEFORE_CHANCE:
        places.append(before_content(html, one))
    known = [place for place in places if place is not None]
    for place in known:  # the later place first: it must not move
        html = f"{html[:place]}{_parts(words, random)}{html[place:]}"
    return html if known else None


def _parts(words: tuple[Sequence[str], Sequence[str]], random: np.random.Generator) -> str:
    names, posts = words
    parts = [_cards(names, random)]
    if random.random() < 0.5:
        parts.append(_reviews(posts, random))
    if random.random() < 0.5:
        parts.append(_terms(random))
    if random.random() < 0.4:
        parts.append(_cards(names, random))
    random.shuffle(parts)
    return "".join(parts)


def _one(texts: Sequence[str], random: np.random.Generator) -> str:
    return texts[int(random.integers(len(texts)))]


def _name(random: np.random.Generator) -> str:
    return f"c{random.integers(16**6):06x}"


def _frame(title: str, items: str, random: np.random.Generator) -> str:
    frame = _one(_FRAMES, random)
    return frame.format(outer=_name(random), title=escape(title), items=items)


def _cards(names: Sequence[str], random: np.random.Generator) -> str:
    count = int(random.integers(MIN_CARDS, MAX_CARDS + 1))
    card, inner = _one(_CARDS, random), _name(random)
    price = _one(_PRICES, random)
    button = _one(_BUTTONS, random)
    items = "".join(
        card.format(
            inner=inner,
            id=random.integers(10**6),
            name=escape(_one(names, random)),
            price=price.format(f"{random.uniform(3, 400):.2f}"),
            old=price.format(f"{random.uniform(3, 400):.2f}"),
            stars=f"{random.uniform(3, 5):.1f} ({random.integers(1, 900)})",
            button=button,
        )
        for _ in range(count)
    )
    return _frame(_one(_OTHERS, random), items, random)


def _reviews(posts: Sequence[str], random: np.random.Generator) -> str:
    count = int(random.integers(1, MAX_REVIEWS + 1))
    shares = sorted(random.integers(1, 60, 5).tolist(), reverse=True)
    histogram = "".join(
        f"<div><span>{5 - number} stars</span><span>{share}%</span></div>"
        for number, share in enumerate(shares)
    )
    inner = _name(random)
    written = "".join(
        f'<div class="{inner}"><span>{random.integers(1, 6)}/5</span><p>'
        f"{escape(_one(posts, random))}</p><span>Verified buyer</span></div>"
        for _ in range(count)
    )
    title = _one(_REVIEWS, random).format(n=count)
    return _frame(title, histogram * int(random.integers(2)) + written, random)


def _terms(random: np.random.Generator) -> str:
    chosen = random.permutation(len(_TERMS))[: int(random.integers(1, 5))]
    inner = _name(random)
    return "".join(
        f'<div class="{inner}"><h4>{escape(title)}</h4><p>{escape(text)}</p></div>'
        for title, text in (_TERMS[number] for number in chosen)
    )
