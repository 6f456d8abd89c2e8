"""Measured scores of the methods, as ``joeira methods`` and the docs show them.

They are shipped with the package and written by this command only::

    python -m joeira.evaluation.scores DATASET.jsonl.gz
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joeira import catalog
from joeira.blockmodel import model
from joeira.evaluation import datasets
from joeira.evaluation.compare import Options, evaluate
from joeira.evaluation.floors import f1_by_method

FILE = Path(__file__).resolve().parents[1] / "models" / "scores.json"


def measure(source: datasets.Source, options: Options | None = None) -> dict[str, Any]:
    """Return the F1 of every content method on a data set, with the fingerprint of its pages."""
    names = [entry.name for entry in catalog.entries("content")]
    evaluation = evaluate(source, names, options)
    f1 = f1_by_method(evaluation)
    # What a model was fitted on says nothing about it: there it is entered as measured out of fold.
    unseen = model.out_of_fold(source.name)
    if unseen is not None:
        f1["learned"] = unseen
    return {"fingerprint": evaluation.survey.fingerprint, "f1": f1}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every content method and store the scores; other data sets keep theirs."""
    parser = argparse.ArgumentParser(prog="python -m joeira.evaluation.scores")
    parser.add_argument("data_sets", nargs="+", type=Path, metavar="DATASET")
    parser.add_argument("--output", type=Path, default=FILE, help="default: the package's own file")
    options = parser.parse_args(arguments)
    stored: dict[str, Any] = {}
    if options.output.exists():
        stored = json.loads(options.output.read_text("utf-8"))
    for path in options.data_sets:
        source = datasets.find(path)
        stored.setdefault("content", {})[source.name] = measure(source)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
