"""Write a model: its arrays, and a card that says what they were learned from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_model(
    folder: Path, name: str, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, Any]
) -> None:
    """Write ``NAME.npz`` and ``NAME.json`` into a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.npz").open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
    (folder / f"{name}.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
