"""A result as plain data, ready for ``json.dumps``; names follow trafilatura's objects."""

from __future__ import annotations

from typing import Any, Protocol

METADATA_NAMES = (
    "url title author date language sitename hostname description image pagetype"
).split()


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

    def text(self) -> str: ...


def content_to_dict(content: _Content) -> dict[str, Any]:
    """Return a result as a dictionary of strings, numbers and None, always in the same order."""
    said = content.metadata
    fields: dict[str, Any] = {name: _plain(getattr(said, name)) for name in METADATA_NAMES}
    fields["text"] = content.text()
    fields["method"] = content.method
    fields["status"] = content.status
    fields["reason"] = content.reason
    fields["confidence"] = (
        None if content.page_confidence is None else float(content.page_confidence)
    )
    return fields


def _plain(value: object) -> str | None:
    return None if value is None else str(value)
