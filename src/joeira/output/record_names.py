"""What the columns of records are called: by a label, an itemprop, a class, a tag, or by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from joeira.output import column_names
from joeira.output.column_kinds import kind_of
from joeira.output.record_leaves import IMAGE, LINK, RecordNodes
from joeira.output.record_values import Values
from joeira.page import tags

_FEW_VALUES = 4
"""An element with so many values lends its name to them."""
_LOOKED_AT = 5
"""Records that are asked for the name of a column."""
_TITLES = frozenset("title titles name headline heading titulo título titre titel".split())


def name_columns(nodes: RecordNodes, values: list[Values]) -> None:
    """Name the columns, each as its values are called in most of a few records."""
    columns = [column for column in values if column.source != "link"]
    for column in columns:
        column.name, column.source = _said_of(nodes, column) or ("", "")
    title = None if any(_is_title(column.name) for column in columns) else _title(columns)
    for column in columns:
        if column is title:
            column.name, column.source = "title", "kind"
        elif not column.name:
            column.name, column.source = _kind_of(nodes, column)
    from_class = [column for column in values if column.source == "class"]
    shorter = column_names.without_shared_start([column.name for column in from_class])
    for column, name in zip(from_class, shorter, strict=True):
        column.name = name
    before = None
    for column in values:
        if column.source == "link" and before is not None:
            stem = (
                before.name
                if not before.drop
                else column_names.slug(min(before.distinct, default=""))
            )
            column.name = f"{stem}_url" if stem else "url"
            continue
        if column.kind == LINK and column.source != "kind":
            column.name = f"{column.name}_url"
        before = column


def _said_of(nodes: RecordNodes, column: Values) -> tuple[str, str] | None:
    """Return what the page calls the values of a column, and how it says so."""
    if column.label and column_names.slug(column.label):
        return column_names.slug(column.label), "label"
    said = Counter(filter(None, (_said(nodes, node) for node in _sample(column))))
    if column.kind == IMAGE:
        said = Counter({name: count for name, count in said.items() if name[1] != "tag"})
    return said.most_common(1)[0][0] if said else None


def _kind_of(nodes: RecordNodes, column: Values) -> tuple[str, str]:
    """Return a name for what the page has no name for."""
    if column.kind in (IMAGE, LINK):
        return ("image", "kind") if column.kind == IMAGE else ("link", "kind")
    kind = kind_of(column.texts)
    if kind != "text":
        return kind, "kind"
    lent = Counter(filter(None, (_lent(nodes, node) for node in _sample(column))))
    return (lent.most_common(1)[0][0], "class") if lent else ("text", "kind")


def _sample(column: Values) -> list[int]:
    nodes: list[int] = column.nodes[column.nodes >= 0][:_LOOKED_AT].tolist()
    return nodes


def _is_title(name: str) -> bool:
    return name.rpartition("_")[2] in _TITLES


def _title(columns: list[Values]) -> Values | None:
    """Return the column of links that names the records: words, another text in most of them."""
    found = [
        column
        for column in columns
        if not column.name and column.kind not in (IMAGE, LINK) and not column.drop
        if 2 * sum(url is not None for url in column.urls) > column.filled
        if 2 * len(column.distinct) > column.filled and _are_words(column.texts)
    ]
    return max(found, key=lambda column: column.filled, default=None)


def _are_words(texts: Iterable[str | None]) -> bool:
    """Return whether most of what is written in texts are letters: not lengths, prices or dates."""
    written = "".join(filter(None, texts))
    return 2 * sum(map(str.isalpha, written)) > len(written) - written.count(" ")


def _said(nodes: RecordNodes, node: int) -> tuple[str, str] | None:
    """Return what the elements that hold nothing but a value call it."""
    table = nodes.table
    called, names = table.called
    above = node if _is_element(nodes, node) else int(nodes.parent[node])
    heading = None
    while above >= 0 and nodes.parent[above] >= 0 and nodes.leaf_counts[above] == 1:
        place = int(nodes.place[above])
        name = names[called[place]]
        if name.startswith("@"):
            return _property(nodes, place, column_names.slug(name)) or "text", "itemprop"
        word = next(filter(None, map(column_names.name_in_class, table.words_of(place))), None)
        if word:
            return word, "class"
        tag = table.tag[place]
        if tags.HEADINGS[tag]:
            heading = "title", "tag"
        elif tag == tags.NUMBER["time"] and heading is None:
            heading = "date", "tag"
        above = int(nodes.parent[above])
    return heading


def _property(nodes: RecordNodes, place: int, name: str) -> str:
    """Return the name of a property, with the name of the thing that it is a property of.

    The name of the author of a post is its author and not its name.
    """
    table = nodes.table
    called, names = table.called
    above = int(table.parent[place])
    while above >= 0 and table.parent[above] >= 0:
        outer = names[called[above]]
        row = int(table.rows[above])
        if outer.startswith("@") and "itemscope" in table.page.attributes.of(row):
            thing = column_names.slug(outer)
            return thing if name == "name" else f"{thing}_{name}"
        above = int(table.parent[above])
    return name


def _is_element(nodes: RecordNodes, node: int) -> bool:
    """Return whether a value is one whole element: an image, a link, or prose."""
    place = int(nodes.place[node])
    return not nodes.table.is_text[place] and bool(nodes.stop[node] == nodes.table.end[place])


def _lent(nodes: RecordNodes, node: int) -> str | None:
    """Return what the nearest element with few values is called."""
    called, names = nodes.table.called
    above = int(nodes.parent[node])
    while above >= 0 and nodes.parent[above] >= 0 and nodes.leaf_counts[above] <= _FEW_VALUES:
        name = column_names.name_in_class(names[called[nodes.place[above]]])
        if name:
            return name
        above = int(nodes.parent[above])
    return None
