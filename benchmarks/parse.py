"""CPU time of parsing: the bare parser, the page table with its columns, and lxml with a walk.

python benchmarks/parse.py [DATASET] [--pages N] [--rounds N]
"""

import timing  # isort: skip (before numpy)

import lxml.html
import turbohtml

import joeira

COLUMNS = (
    "end",
    "text_rows",
    "text_chars",
    "text_words",
    "linked_chars",
    "linked_words",
    "tags_before",
    "in_head",
    "block_bounds",
)
"""What the content methods read."""


def bare(html: str) -> object:
    """Parse only."""
    return turbohtml.parse(html)


def table(html: str) -> object:
    """Parse and read every column."""
    page = joeira.parse(html)
    for name in COLUMNS:
        getattr(page, name)
    return page


def lxml_walk(html: str) -> object:
    """What most extractors do: build a tree of Python objects and visit each node."""
    root = lxml.html.document_fromstring(html.encode("utf-8", "replace"))
    chars = tags = 0
    for element in root.iter():
        tags += isinstance(element.tag, str)
        chars += len(element.text or "") + len(element.tail or "")
    return tags, chars


def main() -> None:
    """Print the tables."""
    options = timing.arguments("CPU time of parsing", rounds=5)
    pages = timing.read_pages(options)
    tasks = {"turbohtml.parse": bare, "joeira.parse + columns": table, "lxml + walk": lxml_walk}
    found = timing.race(tasks, pages, options.rounds)
    del found[timing.PREPARE]
    base = found["turbohtml.parse"]
    rows = [[name, f"{ms:.2f}", f"{ms / base:.2f}"] for name, ms in found.items()]
    timing.show(f"{len(pages)} pages", ["", "ms/page", "of the bare parse"], rows)


if __name__ == "__main__":
    main()
