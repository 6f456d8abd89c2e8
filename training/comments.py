"""Articles with made-up comment threads: what readers add to a page is not its content.

Few training pages show an article with a long discussion below it, while many are forum threads,
whose posts are the content. To tell the two apart, articles are shown once more with a thread
behind their text, in the ways that blog programs write them; the posts come from forum pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np

from joeira.evaluation.datasets import Example
from training.insertion import behind_content, is_article
from training.pages import LabelledPage, example

SHARE = 0.35
"""Share of the articles that are shown once more."""
MIN_POSTS, MAX_POSTS = 3, 40
MIN_WORDS, MAX_WORDS = 4, 150

_TITLES = (
    "{n} Comments|Comments ({n})|{n} responses|{n} thoughts on this|Leave a comment|Discussion|"
    "Comentários ({n})|{n} comentarios|{n} Kommentare|Commentaires|Комментарии ({n})|评论 {n}|"
    "Komentarze|Σχόλια ({n})|Reacties"
).split("|")
_DATES = (
    "March 4, 2012 at 9:15 am|2014-06-02 11:40|3 days ago|12.05.2019|Jan 7|vor 2 Stunden".split("|")
)
_FRAMES = (
    '<div id="comments" class="comments-area"><h2 class="comments-title">{title}</h2>'
    '<ol class="comment-list">{posts}</ol></div>',
    '<div id="comments"><h4>{title}</h4><dl id="comments-block">{posts}</dl></div>',
    "<section><h3>{title}</h3>{posts}</section>",
    '<div class="{hash}"><div>{title}</div>{posts}</div>',
    '<a name="comments"></a><p><b>{title}</b></p><table width="100%">{posts}</table>',
    '<div class="hfeed"><h2>{title}</h2><dl class="comment_list">{posts}</dl></div>',
)
_POSTS = (
    '<li class="comment even depth-1" id="comment-{id}"><div class="comment-body">'
    '<div class="comment-author vcard"><cite class="fn">{name}</cite> says:</div>'
    '<div class="comment-meta"><a href="#comment-{id}">{date}</a></div>{text}'
    '<div class="reply"><a href="?reply={id}">Reply</a></div></div></li>',
    '<dt class="comment-author"><a href="/u/{id}">{name}</a> said...</dt>'
    '<dd class="comment-body">{text}</dd><dd class="comment-footer">{date}</dd>',
    "<article><header>{name} <time>{date}</time></header>{text}</article>",
    '<div class="{hash}"><span>{name}</span><span>{date}</span><div>{text}</div>'
    "<button>Like</button><button>Reply</button></div>",
    "<tr><td><b>{name}</b><br>{date}</td><td>{text}</td></tr>",
    '<dt class="comment"><span class="comment_author">{name}</span> {date}</dt>'
    '<dd class="comment"><div class="format_text">{text}</div></dd>',
)


def posts_of(rows: Sequence[Example]) -> list[str]:
    """Return the paragraphs of forum pages that could be posts."""
    lines = [line.strip() for row in rows for line in (row.text or "").splitlines()]
    return [line for line in lines if MIN_WORDS <= len(line.split()) <= MAX_WORDS]


def commented(pairs: Sequence[tuple[Example, LabelledPage]]) -> list[LabelledPage]:
    """Return some of the articles once more, with a thread behind their content.

    The answers stay the same, so that every word of a thread counts as wrong.
    """
    random = np.random.default_rng(0)
    posts = posts_of([row for row, one in pairs if one.kind == "forum"])
    found = []
    for row, one in pairs:
        chosen = is_article(one) and bool(posts) and random.random() < SHARE
        place = behind_content(row.html, one) if chosen else None
        if place is not None:
            html = f"{row.html[:place]}{_thread(posts, random)}{row.html[place:]}"
            made = example(replace(row, html=html), one.dataset)
            found += [replace(made, made_up=True)] if made else []
    return found


def _thread(posts: Sequence[str], random: np.random.Generator) -> str:
    count = int(np.exp(random.uniform(np.log(MIN_POSTS), np.log(MAX_POSTS + 1))))
    kind = int(random.integers(len(_FRAMES)))
    hashes = [f"c{random.integers(16**6):06x}" for _ in range(2)]
    written = "".join(_post(kind, posts, hashes[0], random) for _ in range(count))
    title = _TITLES[random.integers(len(_TITLES))].format(n=count)
    return _FRAMES[kind].format(title=escape(title), posts=written, hash=hashes[1])


def _post(kind: int, posts: Sequence[str], name: str, random: np.random.Generator) -> str:
    chosen = [posts[number] for number in random.integers(len(posts), size=random.integers(1, 4))]
    who = [word for word in chosen[0].split() if word.isalpha()][:1] or ["Guest"]
    return _POSTS[kind].format(
        id=random.integers(10**6),
        name=escape(who[0].title()),
        date=_DATES[random.integers(len(_DATES))],
        text="".join(f"<p>{escape(text)}</p>" for text in chosen),
        hash=name,
    )
