"""Scores over blocks and records: sets of things rather than words."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import dataclass

from joeira.errors import require


@dataclass(frozen=True)
class BlockScore:
    """How well blocks called content agree with the content blocks of the answer."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    """Blocks rightly called content or not, of all candidate blocks."""
    share_not_wrongly_kept: float
    """One less the share of false positives: the figure that X-CEX prints as accuracy."""


def block_score(
    candidates: Set[Hashable], predicted: Set[Hashable], truth: Set[Hashable]
) -> BlockScore:
    """Compare predicted with true blocks.

    Args:
        candidates: Every block that block extraction produced.
        predicted: Those called content.
        truth: Content blocks of the answer, also those that block extraction never produced.
    """
    require(predicted <= candidates, "only candidate blocks can be predicted")
    hits = len(predicted & truth)
    wrong = len(predicted - truth)
    rejected = len(candidates - predicted - truth)
    precision = hits / len(predicted) if predicted else 0.0
    recall = hits / len(truth) if truth else float(not predicted)
    both = precision + recall
    return BlockScore(
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / both if both else 0.0,
        accuracy=(hits + rejected) / len(candidates) if candidates else 1.0,
        share_not_wrongly_kept=1 - wrong / len(candidates) if candidates else 1.0,
    )


def noise_removed(
    records: int, target: int, records_filtered: int, target_filtered: int
) -> float | None:
    """Return the share of unwanted records that a filter took away (TPS, equation 4.1).

    None when there was no noise to remove.
    """
    noise = records - target
    if not noise:
        return None
    return 1 - (records_filtered - target_filtered) / noise


def tree_reduction(nodes: int, nodes_filtered: int) -> float:
    """Return the change in the number of nodes as a share of it: negative when nodes went away."""
    require(nodes > 0, "a page has nodes")
    return (nodes_filtered - nodes) / nodes
