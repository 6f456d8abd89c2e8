"""What the training command promises; where torch and catboost are missing, what it can without."""

from __future__ import annotations

import dataclasses
import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import joeira
from joeira.blockmodel import model as scoring
from joeira.blockmodel.columns import NAMES, PAGE_TYPES, PLAIN
from joeira.blockmodel.model import BlockModel
from joeira.content.learned import Learned
from joeira.evaluation.datasets import Example
from support.learning import made_up_example, made_up_weights, row
from training.pages import TRAINING_SETS, example

PAGES_PER_SET = 3
TYPES = [np.zeros(len(PAGE_TYPES), np.float32)]
MISSING = [name for name in ("torch", "catboost") if importlib.util.find_spec(name) is None]
needs_learning_libraries = pytest.mark.skipif(
    bool(MISSING), reason=f"training needs the [train] extra: no {' and no '.join(MISSING)}"
)


# Without the learning libraries -----------------------------------------------------------------


def test_extraction_never_imports_what_only_training_needs() -> None:
    code = (
        "import sys, joeira, joeira.content.learned, joeira.blockmodel.explanations\n"
        "from training import alignment, calibration, odds, pages\n"
        "print(*sorted({'torch', 'catboost'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == ""


def test_examples_carry_only_columns_that_need_no_table() -> None:
    for dataset in TRAINING_SETS:
        one = made_up_example(1, dataset=dataset)
        assert one.dataset == dataset
        assert one.matrix.values.shape == (len(one.size), PLAIN)


def test_weights_are_plain_arrays(tmp_path: Path) -> None:
    path = tmp_path / "content.npz"
    with path.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **made_up_weights())
    with np.load(path, allow_pickle=False) as arrays:
        model = BlockModel.of({name: arrays[name] for name in arrays.files})
    check_model(model)


def check_model(model: BlockModel) -> None:
    """Score a page and an empty one."""
    for html in (row(1).html, ""):
        matrix = model.features(joeira.parse(html))
        probability = model.score(matrix).probability
        assert len(probability) == matrix.view.size
        assert ((probability > 0) & (probability < 1)).all()


# The whole command ------------------------------------------------------------------------------


def write_sets(folder: Path) -> None:
    folder.mkdir()
    for site, name in enumerate(TRAINING_SETS):
        lines = []
        for k in range(PAGES_PER_SET):
            page = row(site * PAGES_PER_SET + k, site * PAGES_PER_SET + k)
            lines.append({key: getattr(page, key) for key in ("id", "html", "url", "text")})
            lines[-1]["page_type"] = page.page_type
        lines.append({"id": "unmarked", "html": "<p>text</p>", "text": ""})
        data = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(data.encode()))


def train(data: Path, out: Path) -> dict[str, Any]:
    """Run the command and return the card and the arrays."""
    options = {"--data": data, "--out": out, "--networks": 1, "--threads": 1}
    given = [str(part) for option in options.items() for part in option]
    done = subprocess.run(
        [sys.executable, "-m", "training", *given],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "progress belongs to stderr"
    with np.load(out / "content.npz", allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return {"card": json.loads((out / "content.json").read_text("utf-8")), "arrays": arrays}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("training")
    write_sets(folder / "data")
    first, again = (train(folder / "data", folder / name) for name in ("first", "again"))
    return first | {"again": again}


@pytest.mark.slow
@needs_learning_libraries
class TestTrainingRun:
    def test_weights_have_the_layout_that_scoring_reads(self, trained: dict[str, Any]) -> None:
        arrays, expected = trained["arrays"], made_up_weights()
        assert set(arrays) == set(expected)
        for name, array in arrays.items():
            assert array.ndim == expected[name].ndim, name
            assert array.dtype.kind in "if", name
            assert np.isfinite(array).all() or name == "trees.border"
        assert arrays["center"].shape == arrays["scale"].shape == (len(NAMES),)
        assert (arrays["scale"] > 0).all()
        check_model(BlockModel.of(arrays))

    def test_the_card_tells_data_and_scores(self, trained: dict[str, Any]) -> None:
        card = trained["card"]
        assert card["features"] == len(NAMES)
        assert card["networks"] == 1
        assert set(card["data"]) == set(card["out_of_fold"]) == set(TRAINING_SETS)
        for name, licence in TRAINING_SETS.items():
            told = card["data"][name]
            assert (told["pages"], told["licence"]) == (PAGES_PER_SET, licence)
            assert told["fingerprint"]
        assert all(0 <= told["all"] <= 1 for told in card["out_of_fold"].values())
        assert {"article", "forum"} < set(card["out_of_fold"]["wcxb-dev"])
        assert set(card["page_types_right"]) == {"all", "article", "forum"}
        assert all(0 <= share <= 1 for share in card["page_types_right"].values())
        assert sum(line["share_of_words"] for line in card["reliability"]) == pytest.approx(
            1, abs=1e-3
        )

    def test_the_same_data_give_the_same_weights(self, trained: dict[str, Any]) -> None:
        again = trained["again"]
        for name, array in trained["arrays"].items():
            assert array.tobytes() == again["arrays"][name].tobytes(), name
        # The day may change between two runs, and nothing else.
        assert trained["card"] | {"made": ""} == again["card"] | {"made": ""}

    def test_the_lesson_is_learned(
        self, trained: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = BlockModel.of(trained["arrays"])
        monkeypatch.setattr(scoring, "load", lambda: model)
        content = Learned().extract(joeira.parse(row(77).html))
        assert "Heavy rain flooded" in content.text()
        assert "Imprint" not in content.text()

    def test_features_leave_out_their_own_domain(self) -> None:
        from training import recipe

        examples = [made_up_example(k, site=k // 2) for k in range(10)]
        flipped = [
            dataclasses.replace(one, matched=one.size - one.matched) if k < 2 else one
            for k, one in enumerate(examples)
        ]
        before, after = (
            recipe._features(pages, TYPES * len(pages))[1] for pages in (examples, flipped)
        )
        assert [value.tolist() for value in before[:2]] == [value.tolist() for value in after[:2]]
        assert before[2].tolist() != after[2].tolist()

    def test_the_fitted_network_is_the_one_that_runs(self) -> None:
        """Torch and numpy give the same logits for the same weights, pages side by side or not."""
        import torch

        from joeira.arrays.inference import Network
        from joeira.blockmodel.model import groupings
        from training import network, odds

        torch.manual_seed(0)
        tables = {
            name.removeprefix("table."): array
            for name, array in made_up_weights().items()
            if name.startswith("table.")
        }
        short = example(Example("1", "<p>Rain fell</p><p>again</p>", text="Rain fell"), "wcxb-dev")
        assert short is not None
        examples = [made_up_example(1), short]
        center, scale = np.zeros(len(NAMES), np.float32), np.ones(len(NAMES), np.float32)
        items = [
            network.item(one, odds.columns(one, tables, TYPES[0]), center, scale)
            for one in examples
        ]
        net = network.Net(len(NAMES)).eval()
        with torch.no_grad():
            logits, _ = net(network._batch(items, np.random.default_rng(0)))
        weights = {
            name: (weight.T if weight.ndim == 2 else weight).numpy()
            for name, weight in net.state_dict().items()
        }
        plain = Network(weights, network.DILATIONS, network.GROUP_AFTER)
        for number, item in enumerate(items):
            mass = np.log1p(item.example.matrix.view.words).astype(np.float32)
            own = plain(plain.first(item.inputs), mass, groupings(item.example.matrix))
            assert own == pytest.approx(logits[number, : len(own)].numpy(), abs=1e-4)

    def test_the_fitted_trees_are_the_ones_that_run(self) -> None:
        """CatBoost and numpy give the same sums for the same trees."""
        from catboost import CatBoostRegressor, Pool

        from training import trees

        random = np.random.default_rng(0)
        values = random.random((200, 5)).astype(np.float32)
        label = values[:, 1] + (values[:, 3] > 0.5)
        model = CatBoostRegressor(
            iterations=20, depth=trees.DEPTH, verbose=0, allow_writing_files=False, random_seed=0
        )
        model.fit(Pool(values, label))
        found = trees.arrays_of(model, trees.DEPTH)(np.ascontiguousarray(values.T))
        assert found == pytest.approx(model.predict(values), abs=1e-5)

    def test_what_was_measured_can_be_kept(self, tmp_path: Path) -> None:
        from training.__main__ import Unseen

        examples = [made_up_example(k) for k in range(3)]
        logits = [np.arange(one.matrix.view.size) + 0.5 for one in examples]
        unseen = Unseen(logits, np.full((3, len(PAGE_TYPES)), 1 / 7), np.array([0, 1, 0]))
        unseen.save(tmp_path / "unseen.npz")
        again = Unseen.load(tmp_path / "unseen.npz", examples)
        assert [one.tolist() for one in again.logits] == [one.tolist() for one in logits]
        assert again.types.tolist() == unseen.types.tolist()
        assert again.fold.tolist() == [0, 1, 0]
        with pytest.raises(SystemExit, match="other pages"):
            Unseen.load(tmp_path / "unseen.npz", examples[:2])
