"""The models that ship with the package: their features and weights.

What a model sees are features, each declared once as a `Feature`. Weights are plain arrays with a
card for each model, never pickles.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from math import exp, expm1
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Scale = Literal["flag", "share", "rate", "log1p", "log", "distance", "odds", "plain"]
"""The scale of a number: ``flag``, 0 or 1; ``share``, from 0 to 1; ``rate``, so many for each of
something else; ``log1p``, logarithm of one more than a number; ``log``, logarithm of a number;
``distance``, logarithm of one more than a distance, negative before and positive after;
``odds``, log-odds from a learned table; ``plain``, the number itself, perhaps scaled or capped."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that a model sees of each block, element or list."""

    name: str
    about: str
    """What is counted, measured or asked; the scale says how it becomes a number."""
    family: str
    """What it belongs to: features of one family are explained, silenced or left out together."""
    scale: Scale = "plain"

    def of(self, prefix: str, about: str) -> Feature:
        """Return the same feature of something else, whose name begins with a prefix.

        In `about`, braces stand for what the feature is about.
        """
        return replace(self, name=prefix + self.name, about=about.format(self.about))

    def quantity(self, value: float) -> float:
        """Return what is behind a value of the feature: of a logarithm the number itself."""
        if self.scale == "log1p":
            return expm1(value)
        return exp(value) if self.scale == "log" else value


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
