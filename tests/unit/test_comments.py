"""Comments under an article, and schemas for other programs."""

from __future__ import annotations

import json

import pytest

import joeira
from joeira.errors import UsageError

PROSE = "<p>" + "The article says a great deal about rain and seed. " * 8 + "</p>"
SAID = "<p>I agree with every word of this, said Jim.</p>"


@pytest.mark.parametrize(
    "markup",
    [
        "<div id=comments>{}</div>",
        "<ol class=commentlist><li>{}</ol>",
        "<section class='post-comments wide'>{}</section>",
        "<div class=comment-body>{}</div>",
        "<div id=comment-12>{}</div>",
        "<div itemscope itemtype='https://schema.org/Comment'>{}</div>",
        "<div id=disqus_thread>{}</div>",
    ],
)
def test_comments_are_told_apart(markup: str) -> None:
    form = "<form>Leave a reply to all of us here below</form>"
    content = joeira.extract(f"{PROSE}{markup.format(SAID + form)}", "all_text")
    assert (
        content.comments.text().removeprefix("- ") == "I agree with every word of this, said Jim."
    )
    assert "I agree" not in content.without_comments().text()
    assert "The article says" in content.without_comments().text()
    assert content.to_dict()["comments"] == content.comments.text()
    dropped = [block for block in content.without_comments().explain() if not block.kept]
    assert dropped[0].reason.startswith("a comment; before: ")


def test_an_article_keeps_its_comments_however_many() -> None:
    article = "<p>" + "The article says a great deal about rain and seed. " * 21 + "</p>"
    content = joeira.extract(f"{article}<div id=comments>{SAID * 300}</div>", "all_text")
    assert content.without_comments().text() == joeira.extract(article, "all_text").text()
    declared = f"<div itemscope itemtype='https://schema.org/Comment'>{SAID * 300}</div>"
    assert not joeira.extract(article + declared, "all_text").comments


@pytest.mark.parametrize(
    "html",
    [
        PROSE,
        f"{PROSE}<div id=comments>{SAID * 300}</div>",
        f"{PROSE}<a class=comments>3 comments</a>",
        f"<div id=comments>{SAID * 30}</div>",
        f"<body class='single comments-open'>{PROSE}",
        f"{PROSE}<div class=commentary>{SAID}</div>",
        f"{PROSE}<div class=comment-count>{SAID}</div>",
    ],
)
def test_pages_without_comments_beside_an_article(html: str) -> None:
    content = joeira.extract(html, "all_text")
    assert not content.comments
    assert content.to_dict()["comments"] is None
    assert content.without_comments().text() == content.text()


@pytest.mark.parametrize(
    "schema, names",
    [
        (
            "trafilatura",
            {"source", "source-hostname", "excerpt", "text", "raw_text", "fingerprint"},
        ),
        (
            "fineweb",
            {
                "text",
                "id",
                "dump",
                "url",
                "date",
                "file_path",
                "language",
                "language_score",
                "token_count",
            },
        ),
        ("schemaorg", {"@context", "@type", "articleBody", "headline", "url"}),
    ],
)
def test_schemas(schema: str, names: set[str]) -> None:
    content = joeira.extract(f"<title>T</title>{PROSE}", "all_text", url="https://e.org/x")
    fields = content.to_dict(schema)
    assert names <= set(fields)
    assert content.text() in fields.values()
    assert json.loads(json.dumps(fields)) == fields


def test_unknown_schema() -> None:
    with pytest.raises(UsageError, match="known: trafilatura, fineweb, schemaorg"):
        joeira.extract(PROSE, "all_text").to_dict("nosuch")
