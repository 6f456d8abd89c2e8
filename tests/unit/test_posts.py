"""Posts of threads, of questions and answers, and of comments, on small pages made up for it."""

from __future__ import annotations

import json
import re
import time
from dataclasses import FrozenInstanceError, replace

import pytest

import joeira

SAYINGS = (
    "Which sieve is best for winnowing rye on a windy day in autumn?",
    "Mine is made of horse hair and has lasted for thirty years now.",
    "Thank you, I will look for one of those at the market on Friday.",
    "A basket will do as well, so long as the weave is close enough.",
)
NAMES = ("Ann Lee", "Bruno", "Ann Lee", "Cato the Elder")
DAYS = ("2024-05-06", "2024-05-07", "2024-05-07", "2024-06-01")
MENU = "<nav><a href=/>Home</a> <a href=/new>New posts</a> <a href=/faq>Questions</a></nav>"


def thread(html: str, url: str | None = "https://e.org/t/1") -> joeira.Content:
    """Return all text of a page that is known to be a thread."""
    content = joeira.extract(f"{MENU}{html}", "all_text", url=url)
    return replace(content, pagetype=("forum", 0.9))


def said(content: joeira.Content) -> list[tuple[str | None, str | None, str]]:
    return [(post.author, post.date, post.text) for post in content.posts]


EXPECTED = list(zip(NAMES, DAYS, SAYINGS, strict=True))


def bulletin_board() -> str:
    """Return rows of a table: one with who and when, one with the text, one with buttons."""
    rows = (
        f"<tr class=head><td><b><a href=member.php?u={len(name)}>{name}</a></b></td>"
        f"<td>Posted: {day}, 10:2{number}</td></tr>"
        f"<tr><td>Joined: 12 Mar 2009<br>Posts: {number * 7}</td>"
        f"<td class=body>{text}</td></tr>"
        "<tr><td><a href=#top>Top</a></td><td><a href=quote.php>Quote</a></td></tr>"
        for number, (name, day, text) in enumerate(EXPECTED)
    )
    return f"<h1>Sieves</h1><table>{''.join(rows)}</table>"


def stream() -> str:
    """Return articles with an avatar, a time element and a button, odd and even."""
    posts = (
        f"<article id=post_{number} class='{'odd' if number % 2 else 'even'} topic-post'>"
        f"<img alt='{name}'><div class=names><a href=/u/{number}>{name}</a></div>"
        f"<a href=/t/1/{number}><time datetime='{day}T10:00:00Z'>{number} d</time></a>"
        f"<div class=cooked><p>{text}</p></div><div class=signature>Sent from {name}</div>"
        "<div class=controls><button>Like</button> <a href=#reply>Reply</a></div></article>"
        for number, (name, day, text) in enumerate(EXPECTED, 1)
    )
    return f"<h1>Sieves</h1><div class=stream>{''.join(posts)}</div>"


@pytest.mark.parametrize("make", [bulletin_board, stream])
def test_author_date_and_text_of_every_post(make: object) -> None:
    content = thread(make())
    assert said(content) == EXPECTED
    assert [post.position for post in content.posts] == [1, 2, 3, 4]
    assert {post.depth for post in content.posts} == {0}
    assert content.posts is content.posts


def test_links_of_authors_and_of_posts() -> None:
    first, second, *_ = thread(stream()).posts
    assert first.author_url == "https://e.org/u/1"
    assert first.permalink == "https://e.org/t/1/1"
    assert (second.date, second.date_text) == ("2024-05-07", "2 d")
    own_id = thread(stream().replace("<a href=/t/1/1>", "<a>")).posts[0]
    assert own_id.permalink == "https://e.org/t/1#post_1"
    assert thread(stream().replace("<a href=/t/1/1>", "<a>"), url=None).posts[0].permalink is None


def test_hours_belong_to_the_date_that_is_shown() -> None:
    assert thread(bulletin_board()).posts[0].date_text == "Posted: 2024-05-06, 10:20"
    apart = stream().replace("<time", "<i>3 May 2024,</i> <b>10:30</b><time hidden")
    assert thread(apart).posts[0].date_text == "3 May 2024, 10:30"


def test_what_a_writer_needs() -> None:
    content = thread(stream())
    page = content.page
    for post in content.posts:
        start, stop = post.rows
        assert page.tag_name(start) == "article"
        assert all(start < row < stop for row in (*post.text_rows, *post.cell_rows))
        texts = [page.texts[page.text_index[row]] for row in post.text_rows]
        assert " ".join(texts) == post.text
        cells = {page.texts[page.text_index[row]] for row in post.cell_rows}
        assert cells == {post.author, post.date_text}
        assert post.heading == f"{post.author} · {post.date}"
    assert joeira.Post(1, None, None, None, "2 d", "").heading == "2 d"
    with pytest.raises(FrozenInstanceError):
        content.posts[0].text = ""


def test_questions_and_answers_that_a_page_declares() -> None:
    def item(kind: str, number: int, inner: str = "", prop: str = "") -> str:
        name, day, text = EXPECTED[number]
        return (
            f"<div {prop} itemscope itemtype='https://schema.org/{kind}' id={kind}-{number}>"
            f"<div itemprop=text><p>{text}</p></div>"
            f"<span>{kind}ed <time itemprop=dateCreated datetime={day}>{day}</time> by "
            f"<span itemprop=author><a href=/users/{number}>{name}</a></span></span>{inner}</div>"
        )

    answers = item("Answer", 1, item("Comment", 2)) + item("Answer", 3)
    content = thread(f"<h1>Sieves?</h1>{item('Question', 0, answers)}")
    assert said(content) == EXPECTED
    assert [post.is_question for post in content.posts] == [True, False, False, False]
    assert [post.is_answer for post in content.posts] == [False, True, False, True]
    assert [post.depth for post in content.posts] == [0, 0, 1, 0]


def nested(numbers: list[object]) -> str:
    """Return comments as lists within lists."""
    items = []
    for entry in numbers:
        number, replies = entry if isinstance(entry, tuple) else (entry, [])
        name, day, text = EXPECTED[number]
        below = nested(replies) if replies else ""
        items.append(
            f"<li class=comment><article><cite class=fn>{name}</cite> <time>{day}</time>"
            f"<p>{text}</p><a href=?reply={number}>Reply</a></article>{below}</li>"
        )
    return f"<ol class=children>{''.join(items)}</ol>"


def test_depth_of_nested_comments() -> None:
    content = thread(nested([(0, [(1, [2])]), 3]))
    assert said(content) == EXPECTED
    assert [post.depth for post in content.posts] == [0, 1, 2, 0]


def test_replies_within_the_element_of_a_comment() -> None:
    def comment(number: int, replies: str = "") -> str:
        name, day, text = EXPECTED[number]
        head = f"<div class=meta><b class=author>{name}</b> <i>{day}</i></div>"
        return f"<div class=comment>{head}<p>{text}</p><div class=replies>{replies}</div></div>"

    content = thread(f"<main>{comment(0, comment(1) + comment(2))}{comment(3)}</main>")
    assert said(content) == EXPECTED
    assert [post.depth for post in content.posts] == [0, 1, 1, 0]
    wrapped = thread(f"<main>{comment(0)}{comment(1)}<div>{comment(2)}</div>{comment(3)}</main>")
    assert said(wrapped) == EXPECTED
    assert {post.depth for post in wrapped.posts} == {0}


def test_comments_under_an_article() -> None:
    story = "<h1>On rain</h1>" + "<p>The article says a great deal about rain and seed.</p>" * 30
    html = f"<article>{story}</article><section id=comments>{nested([0, 1, 2, 3])}</section>"
    content = replace(joeira.extract(html, "all_text"), pagetype=("article", 0.9))
    assert content.posts == ()
    assert said(content.comments) == EXPECTED
    fields = content.to_dict()
    assert [post["author"] for post in fields["posts"]] == list(NAMES)
    assert "rain and seed" not in fields["comments"]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>Nothing but a sentence.",
        "<h1>Notes</h1>" + "<h2>Part</h2><p>Some words about a part of it.</p>" * 5,
        "<ul>" + "<li><a href=/x>A title of some page</a> <i>2024-05-06</i></li>" * 9 + "</ul>",
    ],
)
@pytest.mark.parametrize("pagetype", [None, ("forum", 0.9), ("listing", 0.9)])
def test_pages_without_posts(html: str, pagetype: tuple[str, float] | None) -> None:
    content = replace(joeira.extract(html, "all_text"), pagetype=pagetype)
    assert content.posts == ()
    assert content.to_dict()["posts"] is None


def test_teasers_of_a_page_that_lists_articles_are_no_posts() -> None:
    content = thread(stream())
    assert content.posts
    assert replace(content, pagetype=("listing", 0.7)).posts == ()
    assert replace(content, pagetype=("article", 0.9)).posts == ()
    assert len(replace(content, pagetype=("article", 0.5)).posts) == 4
    assert len(replace(content, pagetype=None).posts) == 4


def test_the_post_that_opens_a_thread_may_look_unlike_the_replies() -> None:
    opening = (
        "<header><h1>Sieves</h1><a class=author href=/u/9>Dora</a> <span>1 May 2024</span></header>"
        "<div class=story><p>I have bought a field of rye, and have no idea how to go on.</p></div>"
    )
    first, *replies = thread(f"<main><section>{opening}</section>{stream()}</main>").posts
    assert (first.author, first.date) == ("Dora", "2024-05-01")
    assert first.text == "I have bought a field of rye, and have no idea how to go on."
    assert [post.text for post in replies] == list(SAYINGS)


def test_numbers_are_read_as_the_other_dates_of_the_thread() -> None:
    html = stream().replace("<time", "<i>04/05/2024</i><time hidden")
    assert thread(html).posts[0].date == "2024-04-05"
    later = html.replace("04/05/2024", "25/05/2024", 1)
    assert [post.date for post in thread(later).posts[:2]] == ["2024-05-25", "2024-05-04"]


def test_hidden_text_is_left_out_where_only_what_is_seen_counts() -> None:
    html = stream().replace(SAYINGS[1], f"{SAYINGS[1]} <span style='display:none'>psst</span>")
    content = thread(html)
    assert content.posts[1].text.endswith("psst")
    assert content.visible().posts[1].text == SAYINGS[1]


def test_plain_data() -> None:
    posts = thread(stream()).to_dict()["posts"]
    assert json.loads(json.dumps(posts)) == posts
    assert list(posts[0]) == [
        "position", "author", "author_url", "date", "date_text", "text", "depth", "is_question",
        "is_answer", "permalink",
    ]  # fmt: skip


def test_a_thread_without_end_takes_bounded_time() -> None:
    words = "one two three four five six seven eight nine ten".split()
    post = (
        "<div class=post><a class=user href=/user/{0}>u{0}</a><span class=date>2020-01-01</span>"
        "<p>This is what {1} says.</p></div>"
    )
    numbered = (
        post.format(number, " ".join(words[int(digit)] for digit in str(number)))
        for number in range(20_000)
    )
    content = thread("".join(numbered))
    begun = time.process_time()
    posts = content.posts
    assert time.process_time() - begun < 20
    assert len(posts) == 1_000
    assert posts[-1].text == "This is what ten ten ten says."


def test_markdown_and_text_name_the_author_and_the_date_of_each_post() -> None:
    content = thread(f"<main>{stream()}</main>")
    posts = content.posts
    written = content.markdown(posts=True)
    headings = [line for line in written.splitlines() if line.startswith("### ")]
    assert headings == [f"### {post.heading}" for post in posts]
    assert all(post.text.split("\n")[0] in written for post in posts)
    assert "### " not in content.markdown(posts=False)
    plain = content.text(posts=True)
    assert [plain.index(post.heading) for post in posts] == sorted(
        plain.index(post.heading) for post in posts
    )


def test_posts_that_are_listings_keep_their_headings_above_them() -> None:
    parts = [
        f"<div class=post><b class=author><a href=/u/{name}>{name}</a></b> <time>{day}</time>"
        f"<pre>{saying}</pre></div>"
        for name, day, saying in EXPECTED
    ]
    content = thread("".join(parts))
    assert said(content) == EXPECTED
    order = ".*".join(re.escape(name) + ".*" + re.escape(saying) for name, _, saying in EXPECTED)
    assert re.search(order, content.text(posts=True), re.DOTALL)
    assert re.search(order, content.markdown(posts=True), re.DOTALL)


def test_posts_within_one_listing_are_no_error() -> None:
    part = '<p class="x"><span class="agency">{}</span> <time>{}</time>{}'
    content = thread(f"<pre>{''.join(part.format(*post) for post in EXPECTED)}</pre>")
    assert len(content.posts) == len(EXPECTED)
    assert all(saying in content.text(posts=True) for saying in SAYINGS)
