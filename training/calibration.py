"""Calibration: monotone tables from what was predicted to what was true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joeira.arrays import Floats

POINTS = 40


def isotonic(predicted: Floats, true: Floats, weight: Floats) -> Floats:
    """Return a monotone table (two rows) by pooling adjacent violators over quantile bins."""
    order = np.argsort(predicted, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    bins = np.minimum((share * POINTS).astype(int), POINTS - 1)
    mass = np.bincount(bins, weight[order], POINTS).astype(np.float64)
    filled = mass > 0
    x = (np.bincount(bins, (predicted * weight)[order], POINTS) / np.maximum(mass, 1e-12))[filled]
    y = (np.bincount(bins, (true * weight)[order], POINTS) / np.maximum(mass, 1e-12))[filled]
    return np.stack([x, _pooled(y, mass[filled])])


def _pooled(value: Floats, weight: Floats) -> Floats:
    """Return the closest non-decreasing values."""
    runs: list[tuple[float, float, int]] = []
    for one, mass in zip(value.tolist(), weight.tolist(), strict=True):
        run = (one, mass, 1)
        while runs and runs[-1][0] >= run[0]:
            mean, before, length = runs.pop()
            total = before + run[1]
            run = ((mean * before + run[0] * run[1]) / total, total, length + run[2])
        runs.append(run)
    return np.repeat([run[0] for run in runs], [run[2] for run in runs])


def logit_table(logits: Floats, label: Floats, weight: Floats) -> Floats:
    """Return a table from logits to calibrated logits, strictly usable by interpolation."""
    x, y = isotonic(logits, label, weight)
    y = np.clip(y, 0.002, 0.998)
    return np.stack([x, np.log(y / (1 - y))])


def reliability(predicted: Floats, true: Floats, weight: Floats) -> list[dict[str, float]]:
    """Return predicted and true shares in ten bins, for the model card."""
    rows = []
    bins = np.minimum((predicted * 10).astype(int), 9)
    for number in range(10):
        inside = bins == number
        mass = weight[inside].sum()
        if mass > 0:
            rows.append(
                {
                    "from": number / 10,
                    "predicted": round(float((predicted * weight)[inside].sum() / mass), 4),
                    "true": round(float((true * weight)[inside].sum() / mass), 4),
                    "share_of_words": round(float(mass / weight.sum()), 4),
                }
            )
    return rows


def means(values: Sequence[float]) -> float:
    """Return a mean rounded for a card."""
    return round(float(np.mean(values)), 4)
