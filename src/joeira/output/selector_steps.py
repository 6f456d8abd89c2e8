"""Selectors as steps, written in CSS and in XPath."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from joeira.page import Page

_TAG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_WORD = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Step:
    """One element on the way: its tag, one attribute, its place among siblings of its tag."""

    tag: str
    attribute: str = ""
    """``class``, ``id``, ``itemprop`` or nothing."""
    value: str = ""
    place: int = 0
    """From 1; 0 for any; below 0 from the last one."""
    below: bool = False
    """Anywhere below the step before, not right below it."""

    @property
    def css(self) -> str:
        """The step without what joins it to the one before."""
        test = {"class": f".{self.value}", "id": f"#{self.value}"}.get(self.attribute, "")
        if self.attribute == "itemprop":
            test = f'[itemprop="{self.value}"]'
        place = f":nth-{'last-' * (self.place < 0)}of-type({abs(self.place)})"
        return f"{self.tag}{test}{place if self.place else ''}"

    @property
    def xpath(self) -> str:
        """The step without what joins it to the one before."""
        test = f'[@{self.attribute}="{self.value}"]' if self.attribute else ""
        if self.attribute == "class":
            test = f'[contains(concat(" ", normalize-space(@class), " "), " {self.value} ")]'
        from_last = f"last(){f' - {-1 - self.place}' if self.place < -1 else ''}"
        place = f"[{self.place if self.place > 0 else from_last}]"
        return f"{self.tag}{place if self.place else ''}{test}"

    def anywhere(self) -> Step:
        """Return the step joined to the one before by any number of others."""
        return replace(self, below=True)


def css_of(steps: Sequence[Step]) -> str:
    """Return steps as CSS."""
    joined = "".join(f"{' ' if step.below else ' > '}{step.css}" for step in steps)
    return joined.removeprefix(" ").removeprefix("> ")


def xpath_of(steps: Sequence[Step]) -> str:
    """Return steps as XPath, each with the slashes before it."""
    return "".join(f"{'//' if step.below else '/'}{step.xpath}" for step in steps)


def is_word(value: str) -> bool:
    """Return whether a class or id can stand in a selector as it is."""
    return _WORD.fullmatch(value) is not None


def tag_of(page: Page, row: int) -> str | None:
    """Return the tag name of an element; None where selectors would not agree about it."""
    name = page.tag_name(row)
    return name if _TAG.fullmatch(name) and page.attributes.is_html(row) else None


def steps_of(page: Page, row: int) -> list[Step]:
    """Return ways to say an element: by id, by class, by tag alone; none for odd names."""
    tag = tag_of(page, row)
    if tag is None:
        return []
    attributes = page.attributes.of(row)
    found = [Step(tag, "id", attributes["id"])] if is_word(attributes.get("id", "")) else []
    classes = filter(is_word, attributes.get("class", "").split()[:8])
    return [*found, *(Step(tag, "class", word) for word in classes), Step(tag)]
