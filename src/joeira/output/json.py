"""A result as plain data, ready for ``json.dumps``; names follow trafilatura's objects."""

from __future__ import annotations

from typing import Any, Protocol

from joeira.arrays import strings


class _Content(Protocol):
    """What is read of `joeira.results.Content`, which lies in a higher layer."""

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

    def text(self) -> str: ...

    def explain(self) -> Any: ...


def content_to_dict(content: _Content) -> dict[str, Any]:
    """Return a result as a dictionary of plain values, always in the same order."""
    fields: dict[str, Any] = content.metadata.to_dict()
    if content.visible_only:
        fields = {name: _cleaned(value) for name, value in fields.items()}
    fields["text"] = content.text()
    fields["comments"] = content.comments.text() or None
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
