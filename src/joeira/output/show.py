"""What the outputs show beside the words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Show:
    """What to write of links, images and emphasis; the words are always written."""

    links: bool = True
    images: bool = True
    formatting: bool = True
    """Bold, italic and the like; code stays code."""
    formulas: bool = True
    """As TeX where the page has it, not as the characters that it is drawn with."""
    alternatives: bool = True
    """The texts that stand for images, which readers do not see."""

    def has(self, tag: str) -> bool:
        """Return whether an inline element is shown."""
        return self.links if tag == "a" else self.formatting or tag in _MEANT


_MEANT = frozenset("code kbd samp sub sup".split())
"""Inline elements without which the words mean something else."""
ALL = Show()
