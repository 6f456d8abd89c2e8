"""Org: Markdown of the content with the headings of Org mode."""

from __future__ import annotations

import re

from joeira.content.result import Content
from joeira.formats import Choices, Format


def content_org(content: Content, choices: Choices) -> str:
    """Write headings with stars; without emphasis, the rest of plain Markdown is the same."""
    text = content.markdown(links=False, images=False, formatting=False)
    return re.sub(r"^(#{1,6}) ", lambda match: "*" * len(match[1]) + " ", text, flags=re.MULTILINE)


ORG = Format("org", "text/org; charset=utf-8", ".org", "outlines", {"content": content_org})
