"""Feature Extractor against the pseudo-code, block by block and feature by feature."""

from __future__ import annotations

from hypothesis import given

import joeira
from joeira.content import FeatureExtractor, KFeatureExtractor
from joeira.page.pieces import Piece, pieces
from strategies import pages
from support.examples import EXAMPLES

KINDS = {
    "images": ("img", "picture", "svg"),
    "items": ("li", "dt", "dd"),
    "cells": ("td", "th"),
    "fields": ("input", "select", "textarea", "button"),
    "embedded": ("script", "object", "embed", "applet", "iframe", "video", "audio", "canvas"),
}


def features(block: Piece) -> dict[str, float]:
    page = block.page
    amounts = dict.fromkeys(("text", "linked_text", *KINDS), 0.0)
    for row in range(block.start, block.stop):
        if page.in_head[row]:
            continue
        if page.is_text[row]:
            linked = int(page.linked_chars[row])
            amounts["linked_text"] += linked
            amounts["text"] += int(page.chars[row]) - linked
        for kind, names in KINDS.items():
            amounts[kind] += page.tag_name(row) in names
    return amounts


def parts(blocks: list[Piece]) -> dict[int, float]:
    """The blocks in which text dominates, with their part of it."""
    amounts = [features(block) for block in blocks]
    totals = {kind: sum(each[kind] for each in amounts) for kind in ("text", "linked_text", *KINDS)}
    dominated = []
    for number, each in enumerate(amounts):
        shares = {kind: each[kind] / totals[kind] for kind in each if totals[kind]}
        whole = sum(shares.values())
        if whole and shares.get("text", 0) / whole > 0.5:
            dominated.append(number)
    text = sum(amounts[number]["text"] for number in dominated)
    return {number: amounts[number]["text"] / text for number in dominated}


def cluster(values: list[float], centres: list[float]) -> list[int]:
    """The members of the highest cluster."""
    while True:
        groups: dict[float, list[int]] = {}
        for member, value in enumerate(values):
            centre = min(centres, key=lambda centre: (abs(centre - value), centre))
            groups.setdefault(centre, []).append(member)
        means = [sum(values[i] for i in group) / len(group) for _, group in sorted(groups.items())]
        if means == centres:
            return max(groups.items())[1]
        centres = means


@EXAMPLES
@given(pages())
def test_the_winner_is_the_block_with_most_text(html: str) -> None:
    page = joeira.parse(html)
    blocks = pieces(page, FeatureExtractor().tags, "outermost", wordless=True)
    part = parts(blocks)
    content = FeatureExtractor().extract(page)
    winner = max(part, key=lambda number: (part[number], -number), default=None)
    expected = [] if winner is None else range(*blocks[winner].texts.indices(len(page.texts)))
    kept = [text for text in expected if not page.in_head[page.text_rows[text]]]
    assert content.keep.nonzero()[0].tolist() == kept


@EXAMPLES
@given(pages())
def test_one_cluster_keeps_all_blocks_of_text(html: str) -> None:
    page = joeira.parse(html)
    blocks = pieces(page, FeatureExtractor().tags, "outermost", wordless=True)
    part = parts(blocks)
    content = KFeatureExtractor(clusters=1).extract(page)
    members = list(part)
    chosen = [members[i] for i in cluster(list(part.values()), [0.5])] if members else []
    expected = {
        text
        for number in chosen
        for text in range(*blocks[number].texts.indices(len(page.texts)))
        if not page.in_head[page.text_rows[text]]
    }
    assert set(content.keep.nonzero()[0].tolist()) == expected
