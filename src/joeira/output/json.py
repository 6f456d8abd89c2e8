"""Placeholder, written next."""

from __future__ import annotations

from typing import Any


def content_to_dict(content: Any) -> dict[str, Any]:
    """Return a result as plain data."""
    return {"text": content.text()}
