"""What the columns of records are called: by a label, an itemprop, a class, a tag, or by kind."""

from __future__ import annotations

from collections import Counter

from joeira.output import column_names
from joeira.output.column_kinds import kind_of
from joeira.output.record_leaves import IMAGE, LINK, RecordNodes
from joeira.output.record_values import Values
from joeira.page import tags

_FEW_VALUES = 4
"""An element with so many values lends its name to them."""
_LOOKED_AT = 5
"""Records that are asked for the name of a column."""


def name_columns(nodes: RecordNodes, values: list[Values]) -> None:
    """Name the columns, each as its values are called in most of a few records."""
    has_title = False
    for column in values:
        if column.source != "link":
            column.name, column.source = _name_of(nodes, column, has_title)
            has_title |= column.name == "title"
    from_class = [column for column in values if column.source == "class"]
    shorter = column_names.without_shared_start([column.name for column in from_class])
    for column, name in zip(from_class, shorter, strict=True):
        column.name = name
    before = None
    for column in values:
        if column.source == "link" and before is not None:
            stem = before.name if not before.drop else column_names.slug(min(before.distinct))
            column.name = f"{stem}_url" if stem else "url"
            continue
        if column.kind == LINK and column.source != "kind":
            column.name = f"{column.name}_url"
        before = column


def _name_of(nodes: RecordNodes, column: Values, has_title: bool) -> tuple[str, str]:
    if column.label and column_names.slug(column.label):
        return column_names.slug(column.label), "label"
    sample = column.nodes[column.nodes >= 0][:_LOOKED_AT].tolist()
    said = Counter(filter(None, (_said(nodes, node) for node in sample)))
    if said:
        return said.most_common(1)[0][0]
    if column.kind in (IMAGE, LINK):
        return ("image", "kind") if column.kind == IMAGE else ("link", "kind")
    kind = kind_of(column.texts)
    if kind != "text":
        return kind, "kind"
    if not has_title and sum(url is not None for url in column.urls) > column.filled / 2:
        return "title", "kind"
    lent = Counter(filter(None, (_lent(nodes, node) for node in sample)))
    return (lent.most_common(1)[0][0], "class") if lent else ("text", "kind")


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
            return column_names.slug(name) or "text", "itemprop"
        word = column_names.name_in_class(name) if name else None
        if word:
            return word, "class"
        tag = table.tag[place]
        if tags.HEADINGS[tag]:
            heading = "title", "tag"
        elif tag == tags.NUMBER["time"] and heading is None:
            heading = "date", "tag"
        above = int(nodes.parent[above])
    return heading


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
