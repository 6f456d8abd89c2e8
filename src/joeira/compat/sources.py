"""Pages as other libraries take them."""

from __future__ import annotations

from typing import Any

from joeira.errors import UsageError


def source_of(filecontent: Any) -> str | bytes | None:
    """Return the source of a page: text, bytes, a response, or a tree of lxml."""
    if filecontent is None or isinstance(filecontent, str | bytes):
        return filecontent
    data = getattr(filecontent, "data", None)
    if isinstance(data, bytes):
        return data
    if type(filecontent).__module__.startswith("lxml"):
        from lxml import etree

        source: str = etree.tostring(filecontent, encoding="unicode", method="html")
        return source
    message = f"cannot read a page from {type(filecontent).__name__}"
    raise UsageError(message)
