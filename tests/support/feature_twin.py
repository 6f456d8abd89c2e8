"""The features by their sentences: plain loops over the rows of the page's twin."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from math import log1p
from typing import Any

from joeira.arrays import strings
from joeira.arrays.strings import hash_of
from joeira.blockmodel import columns, lexicon, structure
from joeira.blockmodel.lexicon import SPACES
from support.twin import Twin

Column = list[float]
Tables = Mapping[str, Any]
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
KINDS = {
    "solid": r"\S",
    "sentences": "[.!?…。！？؟۔।．\u037e]",
    "commas": "[,;，、；،؛]",
    "currency": "[$\u20a0-\u20bf¢£¤¥]",
    "separators": "[|/>›»•·→©]",
}
WORD = 1 << 64


class Block:
    """One block with what is counted about it."""

    def __init__(self, twin: Twin, number: int, owner: int, texts: list[int]) -> None:
        self.number = number
        self.owner = owner
        self.texts = [twin.texts[k].text or "" for k in texts]
        self.spelled = [lowered(w) for text in self.texts for w in strings.words(text)]
        self.words = len(self.spelled)
        self.linked = sum(twin.words(twin.texts[k]) for k in texts if twin.linked(twin.texts[k]))
        self.link_density = self.linked / max(self.words, 1)
        joined = "".join(self.texts)
        self.count = {kind: len(re.findall(pattern, joined)) for kind, pattern in KINDS.items()}
        self.punctuation = self.count["sentences"] + self.count["commas"]
        is_prose = self.words >= 10 and self.link_density < 0.5
        self.good = self.words - self.linked if is_prose else 0
        self.chain = [owner, *reversed(twin.rows[owner].ancestors)]

    def above(self, level: int) -> int:
        """The ancestor so many levels up; the root where there are fewer."""
        return self.chain[min(level, len(self.chain) - 1)]


class FeatureTwin:
    """All blocks of a page outside the head, and the columns."""

    def __init__(self, html: str) -> None:
        self.twin = Twin(html)
        self.rows = self.twin.rows
        found = [b for b in self.twin.blocks() if not self.twin.in_head(self.rows[b[0]])]
        self.blocks = [Block(self.twin, k, *block) for k, block in enumerate(found)]
        self.total_words = max(sum(b.words for b in self.blocks), 1)
        self.total_good = max(sum(b.good for b in self.blocks), 1)

    def columns(self) -> dict[str, Column]:
        """Return every column that needs no table and no attribute of the head."""
        return {
            **self.text(),
            **self.title(),
            **self.levels(),
            **self.repeated(),
            **self.groups("class_path", lambda b: tuple(map(self.kind, reversed(b.chain)))),
            **self.tags(),
            **self.headings(),
            **self.sections(),
            **self.marks(),
            **self.cards(),
            **self.cores(),
            **self.windows(),
            **self.document(),
        }

    # What is below a row ------------------------------------------------------------------------

    def below(self, row: int) -> list[Block]:
        return [b for b in self.blocks if row <= b.owner < self.rows[row].end]

    def words(self, row: int) -> int:
        return sum(b.words for b in self.below(row))

    def linked(self, row: int) -> int:
        return sum(b.linked for b in self.below(row))

    def good(self, row: int) -> int:
        return sum(b.good for b in self.below(row))

    def kind(self, number: int) -> tuple[str, str | None]:
        row = self.rows[number]
        return row.name, None if row.text is not None else row.node.attr("class")

    def siblings(self, number: int) -> list[int]:
        row = self.rows[number]
        return self.rows[row.ancestors[-1]].children if row.ancestors else [number]

    def alike(self, number: int) -> int:
        return sum(self.kind(other) == self.kind(number) for other in self.siblings(number))

    def each(self, value: Callable[[Block], float]) -> Column:
        return [float(value(block)) for block in self.blocks]

    # Groups of columns --------------------------------------------------------------------------

    def text(self) -> dict[str, Column]:
        size, each = len(self.blocks), self.each
        spelled = [tuple(map(without_numbers, b.spelled)) for b in self.blocks]
        before = [sum(b.words for b in self.blocks[:k]) for k in range(size)]

        def share(kind: str, of: str = "solid") -> Column:
            return each(lambda b: b.count[kind] / max(b.count[of], 1))

        return {
            "words": each(lambda b: log1p(b.words)),
            "link_density": each(lambda b: b.link_density),
            "sentences": each(lambda b: log1p(b.count["sentences"])),
            "commas": each(lambda b: log1p(b.count["commas"])),
            "separators": share("separators"),
            "ends_sentence": each(lambda b: ends_sentence(b.texts[-1])),
            "word_position": each(lambda b: (before[b.number] + b.words / 2) / self.total_words),
            "from_end": each(lambda b: log1p(size - b.number)),
            "copies": each(lambda b: log1p(spelled.count(spelled[b.number]))),
        }

    def title(self) -> dict[str, Column]:
        first = next((row for row in self.rows if row.name == "title"), None)
        texts = [self.rows[k].text or "" for k in first.children] if first else []
        text = " ".join(" ".join(t.split()) for t in texts).lower()
        wanted = {lowered(word) for word in strings.words(text)}
        # Numbers of a block stand for any number, those of the title for themselves.
        hits = [
            [w for w in b.spelled if w in wanted and not is_number(w)] if b.words <= 40 else []
            for b in self.blocks
        ]
        cover = [len(set(found)) / max(len(wanted), 1) for found in hits]
        near = [0.0] * len(self.blocks)
        if max(cover, default=0) > 0.4:
            size = len(cover)
            best = max(range(size), key=lambda k: (cover[k] - 0.001 * k / size, -k))
            near = [self.distance(k - best) for k in range(size)]
        return {"title_cover": cover, "from_title": near}

    @staticmethod
    def distance(difference: int) -> float:
        return log1p(difference) if difference >= 0 else -log1p(-difference)

    def levels(self) -> dict[str, Column]:
        found: dict[str, Column] = {}
        for level in structure.LEVELS:
            rows = [b.above(level) for b in self.blocks]
            for name, value in self.level_values().items():
                found[f"level{level}_{name}"] = [float(value(row)) for row in rows]
        found["depth"] = self.each(lambda b: len(self.rows[b.owner].ancestors) / 10)
        return found

    def level_values(self) -> dict[str, Callable[[int], float]]:
        def per_word(row: int, count: float) -> float:
            return count / max(self.words(row), 1)

        def size(row: int) -> int:
            return self.rows[row].end - row

        return {
            "link_density": lambda row: per_word(row, self.linked(row)),
            "words_per_node": lambda row: log1p(self.words(row) / size(row)),
            "alike": lambda row: log1p(self.alike(row)),
            "children": lambda row: log1p(len(self.rows[row].children)),
        }

    def repeated(self) -> dict[str, Column]:
        def repeats(row: int) -> bool:
            return self.alike(row) >= 3 and self.words(row) >= 3

        lines = []
        for block in self.blocks:
            rows = [row for row in block.chain if repeats(row)]
            if not rows:
                lines.append([0.0] * 3)
                continue
            row = rows[0]
            parent = self.rows[row].ancestors[-1]
            lines.append(
                [
                    self.linked(row) / self.words(row),
                    self.words(parent) / self.total_words,
                    log1p(max(map(self.alike, rows))),
                ]
            )
        names = ("_link_density", "_share", "_most")
        return {f"repeated{name}": [line[k] for line in lines] for k, name in enumerate(names)}

    def groups(self, prefix: str, key: Callable[[Block], Hashable]) -> dict[str, Column]:
        keys = [key(block) for block in self.blocks]
        lines = []
        for own in keys:
            members = [b for b, other in zip(self.blocks, keys, strict=True) if other == own]
            count = len(members)
            words = sum(b.words for b in members)
            span = members[-1].number - members[0].number
            lines.append(
                {
                    "count": log1p(count),
                    "words": log1p(words),
                    "share": words / self.total_words,
                    "link_density": sum(b.linked for b in members) / max(words, 1),
                    "mean_words": log1p(words / count),
                    "span": span / len(self.blocks),
                    "density": log1p(count / (1 + span)),
                }
            )
        names = lines[0] if lines else {}
        return {f"{prefix}_{name}": [line[name] for line in lines] for name in names}

    def tags(self) -> dict[str, Column]:
        names = [[self.rows[row].name for row in b.chain] for b in self.blocks]
        roles = [{self.role(row) for row in b.chain} for b in self.blocks]
        above = [{*own, *said} for own, said in zip(names, roles, strict=True)]
        return {
            **{f"is_{tag}": [float(own[0] == tag) for own in names] for tag in structure.OWN_TAGS},
            **{f"in_{t}": [float(t in own) for own in above] for t in structure.ANCESTOR_TAGS},
        }

    def role(self, number: int) -> str | None:
        """Return the element that a row is by what it says."""
        node = self.rows[number].node
        said = {name: node.attr(name) for name in ("data-nosnippet", "aria-modal", "role")}
        if said["data-nosnippet"] is not None or self.rows[number].name == "noindex":
            return "nosnippet"
        if said["aria-modal"] == "true":
            return "dialog"
        first = (said["role"] or "").lower().split()[:1]
        return structure.ROLES.get(first[0], first[0]) if first else None

    def headings(self) -> dict[str, Column]:
        size = len(self.blocks)
        places = [b.number for b in self.blocks if self.rows[b.owner].name in HEADINGS]
        first = [b.number for b in self.blocks if self.rows[b.owner].name == "h1"][:1]

        def since(b: Block) -> float:
            return b.number - max((k for k in places if k <= b.number), default=-1)

        def until(b: Block) -> float:
            return min((k for k in places if k >= b.number), default=size + 50) - b.number

        return {
            "from_h1": self.each(lambda b: self.distance(b.number - first[0]) if first else 0),
            "has_h1": self.each(lambda b: bool(first)),
            "after_heading": self.each(lambda b: log1p(since(b))),
            "before_heading": self.each(lambda b: log1p(until(b))),
        }

    def sections(self) -> dict[str, Column]:
        numbers = [
            sum(self.rows[b.owner].name in HEADINGS for b in self.blocks[: k + 1])
            for k in range(len(self.blocks))
        ]
        members = [
            [b for b, other in zip(self.blocks, numbers, strict=True) if other == own]
            for own in numbers
        ]
        words = [sum(b.words for b in section) for section in members]
        linked = [sum(b.linked for b in section) for section in members]
        return {
            "section_words": [log1p(count) for count in words],
            "section_link_density": [a / max(b, 1) for a, b in zip(linked, words, strict=True)],
            "headings_before": [log1p(number) for number in numbers],
        }

    def marks(self) -> dict[str, Column]:
        h1 = next((b for b in self.blocks if self.rows[b.owner].name == "h1"), None)
        prices = [b for b in self.blocks if b.count["currency"]]
        after = [b for b in prices if b.number >= (h1.number if h1 else 0)]
        price = next(iter(after or prices), None)
        near_price = self.joint("price", price)
        near_price.pop("joint_price_words")
        return {
            **self.joint("h1", h1),
            **near_price,
            "from_price": self.each(
                lambda b: self.distance(b.number - price.number) if price else 0
            ),
        }

    def joint(self, name: str, mark: Block | None) -> dict[str, Column]:
        rows = [
            next(row for row in b.chain if row in mark.chain) if mark else None for b in self.blocks
        ]
        found: dict[str, Column] = {"words": [], "share": [], "above_mark": [], "above_block": []}
        for block, row in zip(self.blocks, rows, strict=True):
            words = self.words(row) if row is not None else 0
            found["words"].append(log1p(words))
            found["share"].append(words / self.total_words)
            found["above_mark"].append(mark.chain.index(row) if mark and row is not None else 0)
            found["above_block"].append(block.chain.index(row) if row is not None else 0)
        return {f"joint_{name}_{key}": column for key, column in found.items()}

    def cards(self) -> dict[str, Column]:
        def like(row: int) -> list[int]:
            alike = (k for k in self.siblings(row) if self.kind(k) == self.kind(row))
            return [k for k in alike if self.below(k)]

        def is_card(row: int) -> bool:
            rows = like(row)
            priced = sum(any(b.count["currency"] for b in self.below(k)) for k in rows)
            linked = sum(self.linked(k) > 0 for k in rows)
            return len(rows) >= 3 and 2 * priced >= len(rows) and 2 * linked >= len(rows)

        cards = [next((row for row in b.chain if is_card(row)), None) for b in self.blocks]
        lists = [like(row) if row is not None else [] for row in cards]
        inside = sum(b.words for b, row in zip(self.blocks, cards, strict=True) if row is not None)
        return {
            "cards": [log1p(len(rows)) for rows in lists],
            "cards_share": [sum(map(self.words, rows)) / self.total_words for rows in lists],
            "page_cards": self.each(lambda b: inside / self.total_words),
        }

    def cores(self) -> dict[str, Column]:
        found: dict[str, Column] = {}
        for share in columns.CORE_SHARES:
            core = 0
            for number, row in enumerate(self.rows):
                holds = self.good(number) >= share * self.total_good
                if holds and len(row.ancestors) > len(self.rows[core].ancestors):
                    core = number
            inside = {b.number for b in self.below(core)}
            words, linked = self.words(core), self.linked(core)
            size, name = len(self.blocks), f"core{int(100 * share)}"
            found[f"{name}_in"] = [float(k in inside) for k in range(size)]
            found[f"{name}_share"] = [words / self.total_words] * size
            found[f"{name}_link_density"] = [linked / max(words, 1)] * size
        for level in columns.GOOD_LEVELS:
            shares = [self.good(b.above(level)) / self.total_good for b in self.blocks]
            found[f"good{level}"] = shares
        return found

    def windows(self) -> dict[str, Column]:
        size = columns.WINDOW
        near = [self.blocks[max(b.number - size, 0) : b.number + size + 1] for b in self.blocks]
        total = [sum(b.words + 0.1 for b in part) for part in near]
        return {
            f"window{size}_words": [sum(log1p(b.words) for b in part) / len(part) for part in near],
            f"window{size}_link_density": [
                sum(b.link_density * (b.words + 0.1) for b in part) / all_
                for part, all_ in zip(near, total, strict=True)
            ],
        }

    def document(self) -> dict[str, Column]:
        names = [row.name for row in self.rows]
        rows, words, size = len(names), self.total_words, len(self.blocks)
        good = self.total_good
        values = {
            "page_blocks": log1p(size),
            "page_words": log1p(words),
            "page_link_density": sum(b.linked for b in self.blocks) / words,
            "page_punctuation": sum(b.punctuation for b in self.blocks) / words,
            "page_good": log1p(good),
            "page_good_share": good / words,
            "page_rows": log1p(rows),
            "page_mean_words": log1p(words / max(size, 1)),
            "page_currency": log1p(sum(b.count["currency"] for b in self.blocks)),
            "page_articles": log1p(names.count("article")),
            "page_items": names.count("li") / rows,
            "page_paragraphs": names.count("p") / rows,
            "page_times": log1p(names.count("time")),
            "page_images": names.count("img") / rows,
            "page_code": (names.count("pre") + names.count("code")) / rows,
            "page_forms": min(names.count("form"), 10),
            "page_headings": log1p(sum(map(names.count, HEADINGS))),
        }
        return {name: [float(value)] * size for name, value in values.items()}

    # Words and names by tables ------------------------------------------------------------------

    def lexicon(self, tables: Tables, listed: float = 0.0) -> dict[str, Column]:
        """Return the columns of the tables of log-odds, for such a chance of a list."""
        of_names = {"name": (1 - listed) * tables["name"] + listed * tables["listed"]}
        found: dict[str, Column] = {}
        lines: list[dict[str, float]] = []
        heading = 0.0
        for block in self.blocks:
            hashes = [word_hash(word) for word in block.spelled]
            first = hashes[: lexicon.WORDS_PER_BLOCK]
            mean, least, _ = spread(look_up(tables, "word", first))
            if self.rows[block.owner].name in HEADINGS:
                heading = spread(look_up(tables, "heading", first))[0]
            line = {"word_mean": mean, "word_min": least, "heading_mean": heading}
            lines.append(line | self.names(block, of_names))
        for name in lines[0] if lines else ():
            found[name] = [line[name] for line in lines]
        return found

    def names(self, block: Block, tables: Tables) -> dict[str, float]:
        sums, least, greatest = [], [], []
        for row in block.chain:
            node = self.rows[row].node
            own = [
                look_up(tables, "name", [hash_of(part) for part in name_parts(node.attr(kind))])
                for kind in ("class", "id")
            ]
            sums.append(sum(map(sum, own)))
            least.append(min(spread(odds)[1] for odds in own))
            greatest.append(max(spread(odds)[2] for odds in own))
        up = [sums[min(level, len(sums) - 1)] for level in range(3)]
        return {
            "name_sum": sum(value * 0.9**level for level, value in enumerate(sums)),
            "name_min": min(least),
            "name_max": max(greatest),
            "name_own": up[0],
            "name_parent": up[1],
            "name_grandparent": up[2],
        }


def lowered(word: str) -> str:
    """Small letters where that is one character, in the basic plane."""
    return "".join(c.lower() if len(c.lower()) == 1 and ord(c) < 0x10000 else c for c in word)


def is_number(word: str) -> bool:
    return all(re.fullmatch(r"\d", word[k]) for k in (0, -1))


def without_numbers(word: str) -> str:
    return "0" if is_number(word) else word


def ends_sentence(text: str) -> bool:
    """Whether the last character that is no blank ends a sentence."""
    return re.fullmatch(KINDS["sentences"], text.rstrip()[-1]) is not None


def mix(value: int) -> int:
    value %= WORD
    value = (value ^ (value >> 31)) * 0xBF58476D1CE4E5B9 % WORD
    return value ^ (value >> 31)


def word_hash(word: str) -> int:
    return int.from_bytes(b"number") if is_number(word) else hash_of(word)


def name_parts(name: str | None) -> Iterator[str]:
    """Runs of letters, cut before a capital that follows a small one; too short or long are out."""
    for run in re.findall("[a-zA-Z]+", name or ""):
        for part in re.split("(?<=[a-z])(?=[A-Z])", run):
            if 3 <= len(part) <= 15:
                yield part.lower()


def look_up(tables: Tables, space: str, hashes: list[int]) -> list[float]:
    return [float(tables[space][value >> (64 - SPACES[space])]) for value in hashes]


def spread(odds: list[float]) -> tuple[float, float, float]:
    """Mean, least (not above 0) and greatest of the known log-odds."""
    known = [value for value in odds if value]
    if not known:
        return 0.0, 0.0, 0.0
    return sum(known) / len(known), min(*known, 0), max(known)
