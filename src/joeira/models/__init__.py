"""Weights that come with the package: plain arrays and a card of each model, never pickles."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_arrays(model: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a shipped model by name."""
    with (files("joeira.models") / f"{model}.npz").open("rb") as stream:
        arrays = np.load(stream, allow_pickle=False)
        return {key: arrays[key] for key in arrays.files}


def read_card(model: str) -> dict[str, Any]:
    """Return the card of a shipped model: data, scores, date."""
    card: dict[str, Any] = json.loads((files("joeira.models") / f"{model}.json").read_text("utf-8"))
    return card


@lru_cache(maxsize=1)
def read_scores() -> dict[str, dict[str, Any]]:
    """Return what was measured by task and data set; `joeira.evaluation.scores` writes it."""
    file = files("joeira.models") / "scores.json"
    scores: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return scores
