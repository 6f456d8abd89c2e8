"""Results as plain data, ready for ``json.dumps``, in our names or in those of other programs.

Our own names follow trafilatura's objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final, Protocol

from joeira.arrays import strings


class _Content(Protocol):
    """What is read of `joeira.content.result.Content`, which lies in a higher room."""

    @property
    def method(self) -> str: ...

    @property
    def page_confidence(self) -> float | None: ...

    @property
    def metadata(self) -> Any: ...

    @property
    def status(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def visible_only(self) -> bool: ...

    @property
    def hidden_words(self) -> dict[str, int]: ...

    @property
    def invisible_characters(self) -> dict[str, int]: ...

    @property
    def comments(self) -> Any: ...

    @property
    def posts(self) -> Any: ...

    def text(self) -> str: ...

    def explain(self) -> Any: ...


def content_to_dict(content: _Content) -> dict[str, Any]:
    """Return a result as a dictionary of plain values, always in the same order."""
    fields: dict[str, Any] = content.metadata.to_dict()
    if content.visible_only:
        fields = {name: _cleaned(value) for name, value in fields.items()}
    fields["text"] = content.text()
    fields["comments"] = content.comments.text() or None
    posts = content.posts or content.comments.posts
    fields["posts"] = [post.to_dict() for post in posts] or None
    fields |= content.explain().to_dict()
    fields["confidence"] = (
        None if content.page_confidence is None else float(content.page_confidence)
    )
    fields["hidden_words"] = content.hidden_words
    fields["invisible_characters"] = content.invisible_characters
    return fields


def _cleaned(value: Any) -> Any:
    """Return a value without invisible characters."""
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return strings.without_invisible(value) if isinstance(value, str) else value


Fields = dict[str, Any]

_TYPES: Final = {"article": "Article", "forum": "DiscussionForumPosting", "product": "Product"}


def trafilatura(fields: Fields) -> Fields:
    """Return the names of trafilatura's JSON with metadata."""
    return {
        "title": fields["title"],
        "author": fields["author"],
        "hostname": fields["hostname"],
        "date": fields["date"],
        "fingerprint": fingerprint(fields["text"]),
        "id": None,
        "license": fields.get("license"),
        "comments": fields["comments"] or "",
        "raw_text": " ".join(fields["text"].split()),
        "text": fields["text"],
        "language": fields["language"],
        "image": fields["image"],
        "pagetype": fields["pagetype"],
        "filedate": None,
        "source": fields["url"],
        "source-hostname": fields["sitename"],
        "excerpt": fields["description"],
        "categories": ";".join(fields.get("categories") or ()),
        "tags": ";".join(fields.get("tags") or ()),
    }


def fineweb(fields: Fields) -> Fields:
    """Return a row of FineWeb; what only a crawl or a tokenizer knows is None."""
    return {
        "text": fields["text"],
        "id": f"sha256:{hashlib.sha256(fields['text'].encode()).hexdigest()}",
        "dump": None,
        "url": fields["url"],
        "date": None,
        "file_path": None,
        "language": fields["language"],
        "language_score": None,
        "token_count": None,
    }


def schemaorg(fields: Fields) -> Fields:
    """Return JSON-LD in the words of schema.org, without what is not known."""
    site = fields["sitename"]
    names = [name.strip() for name in (fields["author"] or "").split(";") if name.strip()]
    described = {
        "@context": "https://schema.org",
        "@type": _TYPES.get(fields["pagetype"] or "", "WebPage"),
        "headline": fields["title"],
        "author": [{"@type": "Person", "name": name} for name in names],
        "datePublished": fields["date"],
        "dateModified": fields.get("modified"),
        "inLanguage": fields["language"],
        "publisher": {"@type": "Organization", "name": site} if site else None,
        "description": fields["description"],
        "image": fields["image"],
        "url": fields["url"],
        "license": fields.get("license"),
        "articleSection": fields.get("categories"),
        "keywords": fields.get("tags"),
        "articleBody": fields["text"],
    }
    return {name: value for name, value in described.items() if value}


def fingerprint(text: str) -> str:
    """Return a short hash by which equal texts are known."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


SCHEMAS: Final[dict[str, Callable[[Fields], Fields]]] = {
    "trafilatura": trafilatura,
    "fineweb": fineweb,
    "schemaorg": schemaorg,
}


def front_matter(fields: Fields) -> str:
    """Return metadata as YAML between lines of dashes; JSON's quotes are YAML's too."""
    lines = [f"{name}: {json.dumps(fields[name], ensure_ascii=False)}" for name in fields]
    given = [line for line, value in zip(lines, fields.values(), strict=True) if value]
    return "\n".join(("---", *given, "---", "", ""))
