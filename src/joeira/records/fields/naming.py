"""The names of columns.

A column has a name that the page itself gives the value: a label, an itemprop, a class, a tag; else
one by the kind of its values. `joeira.records.fields.common_names` makes of them those that people
would have given.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from joeira.page import tags
from joeira.records.fields.kinds import are_words, kind_of
from joeira.records.fields.leaves import IMAGE, LINK, RecordNodes
from joeira.records.fields.values import Values

MAX_CHARS = 40

_LABEL = re.compile(r"([^\W\d_][^:：]{1,38}?)\s*[:：](?!//)\s*")
_LABEL_SHARE = 0.9
_SHARED_BY = 3
_SHORT_WORD = 4
"""Shorter words are often abbreviations, in which all pairs of letters occur."""
_SHORT_HASH = 7
"""Classes of so few letters, some of them capital, are often made by style sheet tools."""
_USUAL_SHARE = 2 / 3
"""Pairs of letters of a word that are usual; of random letters it is less than half."""
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_LAYOUT = re.compile(
    r"(?:col|row|grid|[mp][tblrxy]?|w|h|fs|fw|lh|gap|flex|text|font|bg|border|rounded|d|align"
    r"|justify|float|ng|css|sc|js|jss|svelte|Mui\w*|elementor|wp|is|has|hidden|visible|u|l|o|a"
    r"|tw|sm|md|lg|xl|xs|hover|focus|fa|fas|far|icon|btn|media|pull|vc|et|uk|chakra|ant|el)"
    r"(?:[-_:].*)?"
)
_LAYOUT_WORDS = frozenset(
    (
        "col row item items clearfix clear left right text txt inner outer wrapper wrap container "
        "content contents box block list cell first last odd even active hidden visible small "
        "large big bold normal center middle link links lazy lazyload lazyloaded loaded fl fr cf "
        "flex body top bottom main sub line lines field value values data info details label "
        "labels span div table ellipsis truncate notranslate black white red blue green grey gray "
        "wide narrow full half group section part holder inline default primary secondary style "
        "class external internal nowrap sr only visually screen reader offscreen hide hid mask "
        "aok module btn img component"
    ).split()
)
_VOWEL = re.compile("[aeiouyáàâãéêíóôõúäöü]", re.IGNORECASE)
_HOLDERS = frozenset("inner outer wrapper wrap container holder box".split())
"""Last words of names that tell of boxes around a value and not of the value."""
_USUAL_AFTER = dict(
    zip(
        string.ascii_lowercase,
        (
            "bcdfgiklmnprstuvwxyz aeilorsuy acehiklorstuy adegilorsuvy abcdefghiklmnopqrstuvwxy "
            "aefilortuy aeghilnorstuy aeilnortuy abcdefgklmnopqrstvxz aeou aeilns "
            "acdefiklmopstuvy abeimopsuy abcdefgiklmnostuvy abcdefgiklmnoprstuvwxy "
            "adehilmoprstuy u abcdefgiklmnoprstuvwy acefhiklmnopstuwy acefhilmnoprstuwy "
            "abcdegilmnoprst aeio aehinors aceipt aeilmnopst aei"
        ).split(),
        strict=True,
    )
)
"""Letters that follow a letter at least twice in ten thousand pairs, in the words of 500 pages."""


def label_of(text: str) -> str | None:
    """Return the label that a text is, such as "Price:"; None when it is none."""
    match = _LABEL.fullmatch(text)
    return match[1] if match else None


def common_label(values: Iterable[str | None]) -> tuple[str, int] | None:
    """Return the label before nearly all values, and the values that have it; None for none."""
    texts = [value for value in values if value]
    matches = [match for match in map(_LABEL.match, texts) if match and match.end() > 0]
    if len(matches) < 2:
        return None
    label, count = Counter(match[1] for match in matches).most_common(1)[0]
    return (label, count) if count >= _LABEL_SHARE * len(texts) else None


def without_label(value: str, label: str) -> str:
    """Return a value without its label."""
    match = _LABEL.match(value)
    return value[match.end() :] if match and match[1] == label else value


def slug(text: str) -> str:
    """Return a label or a class as a column name: lower case, words joined by underscores."""
    words = _WORD.findall(_CAMEL.sub(" ", unicodedata.normalize("NFC", text)))
    return "_".join(words).lower()[:MAX_CHARS].strip("_")


@lru_cache(1 << 12)  # the records of a list, and the pages of a site, have the same classes
def name_in_class(token: str) -> str | None:
    """Return the name that a class says, None where it is about layout or made by a machine."""
    block, _, element = token.rpartition("__")  # block__element--modifier
    if not block and "--" in element:
        return None
    words = _name_in(element)
    if not words and block and not _is_layout(element.partition("--")[0]):
        words = _name_in(block.partition("_")[2] or block)  # File_element__b4Sx1
    while len(words) > 1 and words[-1] in _HOLDERS:
        words.pop()
    name = "_".join(words)[:MAX_CHARS].strip("_")
    return name if len(name) > 2 and not _LAYOUT_WORDS.issuperset(words) else None


def _name_in(element: str) -> list[str]:
    """Return the words of an element and of its modifier, such as ``price--old``."""
    name, _, modifier = element.partition("--")
    words = _words_of(name)
    more = _words_of(modifier) if words and modifier else []
    return words + [word for word in more if word not in _LAYOUT_WORDS]


def _is_layout(token: str) -> bool:
    return bool(_LAYOUT.fullmatch(token)) or _LAYOUT_WORDS.issuperset(slug(token).split("_"))


def _words_of(token: str) -> list[str]:
    """Return the words that an author wrote into a part of a class; none for other classes."""
    if _LAYOUT.fullmatch(token):
        return []
    bare = token.rstrip("0123456789-_")
    if re.search(r"\d", bare) or (not _VOWEL.search(bare) and bare.isascii()):
        return []
    if len(re.findall(r"[A-Z]", bare)) > len(bare) / 4 and not bare.isupper():
        return []  # bdVaJa
    words = slug(bare).split("_")
    if not bare.islower() and bare.isalpha() and len(bare) <= _SHORT_HASH:
        whole = len(words[0]) >= _SHORT_WORD - 1
        return words if whole and all(is_written(word, 1) for word in words) else []  # haBorv
    counted = bare != token and token[len(bare)].isdigit()  # eulusyj0
    return [word for word in words if is_written(word, 1 if counted else _USUAL_SHARE)]


def is_written(word: str, least_share: float = _USUAL_SHARE) -> bool:
    """Return whether a lower-case word may be one: most of its pairs of letters are usual ones."""
    if len(word) < _SHORT_WORD or not word.isascii():
        return bool(word)
    usual = sum(after in _USUAL_AFTER.get(letter, "") for letter, after in pairwise(word))
    return usual >= least_share * (len(word) - 1)


def without_shared_start(names: Sequence[str]) -> list[str]:
    """Return names without the words that three or more different ones begin with.

    Classes often repeat the name of the list: search_result_title, search_result_date ...
    """
    words = [name.split("_") for name in names]
    starts = Counter(
        tuple(own[:count]) for own in {tuple(own) for own in words} for count in range(1, len(own))
    )
    shortened = []
    for own in words:
        cut = max((n for n in range(len(own)) if starts[tuple(own[:n])] >= _SHARED_BY), default=0)
        shortened.append("_".join(own[cut:]))
    return shortened


def unique(names: Sequence[str]) -> list[str]:
    """Return the names, with a number where one was given before."""
    taken: set[str] = set()
    reserved = set(names)
    names_so_far = []
    for name in names:
        wanted, number = name, 2
        while wanted in taken or (number > 2 and wanted in reserved):
            wanted = f"{name}_{number}"
            number += 1
        taken.add(wanted)
        names_so_far.append(wanted)
    return names_so_far


_FEW_VALUES = 4
"""An element with so many values lends its name to them."""
_LOOKED_AT = 5
"""Records that are asked for the name of a column."""
_TITLES = frozenset("title titles name headline heading titulo título titre titel".split())


def name_columns(nodes: RecordNodes, values: list[Values]) -> None:
    """Name the columns, each as its values are called in most of a few records."""
    columns = [column for column in values if column.source != "link"]
    for column in columns:
        said = [_said(nodes, node) for node in _sample(column)]
        column.name, column.source = _said_of(column, said) or ("", "")
        column.also_said = _by_most(said)
    title = None if any(_is_title(column.name) for column in columns) else _title(columns)
    for column in columns:
        if column is title:
            column.name, column.source = "title", "kind"
        elif not column.name:
            column.name, column.source = _kind_of(nodes, column)
    from_class = [column for column in values if column.source == "class"]
    shorter = without_shared_start([column.name for column in from_class])
    for column, name in zip(from_class, shorter, strict=True):
        column.name = name
    before = None
    for column in values:
        if column.source == "link" and before is not None:
            stem = before.name if not before.drop else slug(min(before.distinct, default=""))
            column.name = f"{stem}_url" if stem else "url"
            continue
        if column.kind == LINK and column.source != "kind":
            column.name = f"{column.name}_url"
        before = column


Said = tuple[str, str]
"""What the page calls a value, and how: ``label``, ``itemprop``, ``class`` or ``tag``."""


def _said_of(column: Values, said: list[list[Said]]) -> Said | None:
    """Return what the page calls the values of a column, and how it says so."""
    if column.label and slug(column.label):
        return slug(column.label), "label"
    first = Counter(own[0] for own in said if own)
    if column.kind == IMAGE:
        first = Counter({name: count for name, count in first.items() if name[1] != "tag"})
    return first.most_common(1)[0][0] if first else None


def names_around(nodes: RecordNodes, column: Values) -> tuple[Said, ...]:
    """Return what the elements that hold nothing but a value call it, in most of a few records."""
    return _by_most([_said(nodes, node) for node in _sample(column)])


def lent_name(nodes: RecordNodes, column: Values) -> str | None:
    """Return what the nearest element with a name and few values is called, in most records."""
    lent = Counter(filter(None, (_lent(nodes, node) for node in _sample(column))))
    return lent.most_common(1)[0][0] if lent else None


def _by_most(said: list[list[Said]]) -> tuple[Said, ...]:
    """Return the names that most of the values have, in the order of the first that has them."""
    count = Counter(name for own in said for name in dict.fromkeys(own))
    return tuple(name for name, times in count.items() if 2 * times > len(said))


def _kind_of(nodes: RecordNodes, column: Values) -> tuple[str, str]:
    """Return a name for what the page has no name for."""
    if column.kind in (IMAGE, LINK):
        return ("image", "kind") if column.kind == IMAGE else ("link", "kind")
    kind = kind_of(column.texts)
    if kind != "text":
        return kind, "kind"
    lent = lent_name(nodes, column)
    return (lent, "class") if lent else ("text", "kind")


def _sample(column: Values) -> list[int]:
    nodes: list[int] = column.nodes[column.nodes >= 0][:_LOOKED_AT].tolist()
    return nodes


def _is_title(name: str) -> bool:
    return name.rpartition("_")[2] in _TITLES


def _title(columns: list[Values]) -> Values | None:
    """Return the column of links that names the records: words, another text in most of them."""
    titles = [
        column
        for column in columns
        if not column.name and column.kind not in (IMAGE, LINK) and not column.drop
        if 2 * sum(url is not None for url in column.urls) > column.filled
        if 2 * len(column.distinct) > column.filled and are_words(column.texts)
    ]
    return max(titles, key=lambda column: column.filled, default=None)


def _said(nodes: RecordNodes, node: int) -> list[Said]:
    """Return what the elements that hold nothing but a value call it, the inner ones first.

    Names of tags come last, since classes tell more.
    """
    table = nodes.table
    called, names = table.called
    above = node if _is_element(nodes, node) else int(nodes.parent[node])
    said: list[Said] = []
    heading: list[Said] = []
    while above >= 0 and nodes.parent[above] >= 0 and nodes.leaf_counts[above] == 1:
        place = int(nodes.place[above])
        name = names[called[place]]
        if name.startswith("@"):
            said.append((_property(nodes, place, slug(name)) or "text", "itemprop"))
            break
        said.extend((word, "class") for word in map(name_in_class, table.words_of(place)) if word)
        tag = table.tag[place]
        if tags.HEADINGS[tag]:
            heading = [("title", "tag")]
        elif tag == tags.NUMBER["time"] and not heading:
            heading = [("date", "tag")]
        above = int(nodes.parent[above])
    return said + heading


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
            thing = slug(outer)
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
        name = name_in_class(names[called[nodes.place[above]]])
        if name:
            return name
        above = int(nodes.parent[above])
    return None
