"""The values of each column of a template: texts, addresses, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joeira.arrays import Ints, trees
from joeira.page import tags
from joeira.records.fields.align import Template
from joeira.records.fields.leaves import IMAGE, LINK, LIST, TEXT, RecordNodes
from joeira.records.result import LIST_SEPARATOR

LEFT_OVER = "left over"
"""Source of the column that holds what has no column."""
_PROSE = tags.table("p br #text blockquote h1 h2 h3 h4 h5 h6 pre div")
"""What follows each other as prose, where several of them are one value."""


@dataclass(eq=False)
class Values:
    """A column in the making: one entry per record in every list."""

    kind: int
    """Kind of node, as `record_leaves` numbers them."""
    nodes: Ints
    """Node of each value; -1 for none."""
    texts: list[str | None]
    urls: list[str | None]
    """Address of an image, or of the link around a text."""
    links: Ints
    """Place of the link that `urls` comes from; of the image for images; -1 for none."""
    name: str = ""
    source: str = ""
    label: str = ""
    """Label that was removed from the texts, or stands before them in all records."""
    unit: str = ""
    """Word that stands behind the values in all records."""
    said: str = ""
    """What the page calls the values, where people call them something else."""
    also_said: tuple[tuple[str, str], ...] = ()
    """What else the page calls them, from the inner element to the outer, and how it says so."""
    constant: bool = False
    """Whether nearly all values say one thing."""
    joined: bool = False
    """Whether it was made of several columns, so that no selector finds its values."""
    drop: bool = False

    @property
    def filled(self) -> int:
        """Number of records with a value."""
        return int((self.nodes >= 0).sum())

    @property
    def distinct(self) -> set[str]:
        """The different texts."""
        return {text for text in self.texts if text}

    def fill_with(self, other: Values) -> None:
        """Take over the values of another column where there is none."""
        empty = self.nodes < 0
        self.nodes = np.where(empty, other.nodes, self.nodes)
        self.links = np.where(empty, other.links, self.links)
        for record in np.flatnonzero(empty).tolist():
            self.texts[record] = other.texts[record]
            self.urls[record] = other.urls[record]


def read_values(template: Template) -> list[Values]:
    """Return the values of the columns of a template."""
    nodes = template.nodes
    read = Reader(nodes)
    columns = []
    for column in template.cells.T:
        filled = column[column >= 0]
        kind = int(np.bincount(nodes.kind[filled]).argmax())
        texts = [read.text(node) if node >= 0 else None for node in column.tolist()]
        links = read.links(column)
        address = nodes.table.images if kind == IMAGE else nodes.table.links
        urls = [address.get(place) for place in links.tolist()]
        columns.append(Values(kind, column, texts, urls, links))
        if kind == IMAGE:
            around = read.links_around(column)
            targets = [nodes.table.links.get(place) for place in around.tolist()]
            columns.append(Values(LINK, column, [None] * len(column), targets, around))
    return columns


class Reader:
    """Reads nodes: the text of one, and the link around it."""

    def __init__(self, nodes: RecordNodes) -> None:
        """Prepare for the nodes of a list of records."""
        table = nodes.table
        self.nodes = nodes
        is_link = np.zeros(len(table), bool)
        is_link[list(table.links)] = True
        self._nearest_link = trees.nearest(is_link, table.parent)
        self._link_places = np.flatnonzero(is_link)
        page = table.page
        rows = np.where(table.rows >= 0, table.rows, 0)
        self._first_text = page.text_index[rows[nodes.place]].tolist()
        self._last_text = page.text_index[rows[np.maximum(nodes.stop - 1, 0)] + 1].tolist()

    def text(self, node: int) -> str:
        """Return the text of a value, '' for images and empty links."""
        nodes = self.nodes
        page = nodes.table.page
        first, last = self._first_text[node], self._last_text[node]
        if nodes.kind[node] == TEXT:
            return page.joined(first, last) if last - first > 1 else _plain(page.texts[first])
        if nodes.kind[node] != LIST:
            return ""
        tag = nodes.table.tag[nodes.place[node]]
        separator = " " if _PROSE[tag] else LIST_SEPARATOR
        items = (page.joined(a, b) for a, b in self._items(node))
        return separator.join(filter(None, items))

    def links(self, column: Ints) -> Ints:
        """Return the place of the link of each value, or of the image itself; -1 for none."""
        nodes = self.nodes
        filled = column >= 0
        node = column[filled]
        place, stop = nodes.place[node], nodes.stop[node]
        kind = nodes.kind[node]
        several = stop > nodes.table.end[place]
        above = self._nearest_link[np.where(several, nodes.table.parent[place], place)]
        # A sentence that holds one link is about what the link leads to.
        first = np.searchsorted(self._link_places, place)
        count = np.searchsorted(self._link_places, stop) - first
        padded = np.append(self._link_places, -1)
        inner = np.where(count == 1, padded[np.minimum(first, len(padded) - 1)], -1)
        link = np.where(above >= 0, above, inner)
        link = np.where(kind == IMAGE, place, link)
        link_of = np.full(len(column), -1, np.int64)
        link_of[filled] = np.where(kind == LIST, np.where(several, above, -1), link)
        return link_of

    def links_around(self, column: Ints) -> Ints:
        """Return the place of the link around each value; -1 for none."""
        link_of = np.full(len(column), -1, np.int64)
        filled = column >= 0
        link_of[filled] = self._nearest_link[self.nodes.place[column[filled]]]
        return link_of

    def _items(self, node: int) -> list[tuple[int, int]]:
        """Return the texts of each item of a list."""
        table = self.nodes.table
        index = table.page.text_index
        place, stop = int(self.nodes.place[node]), int(self.nodes.stop[node])
        items = []
        while place < stop:
            after = int(table.end[place])
            items.append((int(index[table.rows[place]]), int(index[table.rows[after - 1] + 1])))
            place = after
        return items


def _plain(text: str) -> str:
    return " ".join(text.split())
