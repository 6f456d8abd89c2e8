"""What a person does in the viewer, without one: marks on blocks that hold some words."""

from joeira.page import Page
from joeira.viewer.marked_records import Mark


def marked(page: Page, words: str, decision: str, name: str = "") -> Mark:
    """A mark on the first block with these words."""
    bounds = page.blocks.first.tolist()
    number = next(n for n, text in enumerate(page.blocks.texts) if words in text)
    return Mark(bounds[number], bounds[number + 1], decision, name)
