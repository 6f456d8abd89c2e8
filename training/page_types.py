"""The linear model of page types, fitted by logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.lexicon import SPACES
from joeira.blockmodel.model import MEANS_CLIP, means, name_buckets, name_weight
from training.pages import LabelledPage

MEANS_SCALE = 0.1
NAMES_SCALE = 3.0
"""How freely the weights of the two kinds of features may grow against each other."""
MAX_STEPS = 400
NEVER = -30.0
"""Log-odds of a type that no page has."""


def fit(examples: Sequence[LabelledPage]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model learned from the pages whose type is known.

    Made-up ones among them: an article between lists of old news is an article.
    """
    known = [one for one in examples if one.page_type and one.matrix.view.size]
    seen = np.stack([means(one.matrix) for one in known]).astype(np.float64)
    center, scale = seen.mean(axis=0), 1 / (seen.std(axis=0) + 1e-3)
    place = np.clip((seen - center) * scale, -MEANS_CLIP, MEANS_CLIP) * MEANS_SCALE
    inputs = hstack([csr_matrix(place), _names(known) * NAMES_SCALE]).tocsr()
    model = LogisticRegression(max_iter=MAX_STEPS)
    model.fit(inputs, [PAGE_TYPES.index(str(one.page_type)) for one in known])
    weights = np.zeros((inputs.shape[1], len(PAGE_TYPES)))
    bias = np.full(len(PAGE_TYPES), NEVER)
    weights[:, model.classes_] = model.coef_.T
    bias[model.classes_] = model.intercept_
    columns = place.shape[1]
    return {
        "types.center": center.astype(np.float32),
        "types.scale": scale.astype(np.float32),
        "types.of_means": (weights[:columns] * MEANS_SCALE).astype(np.float32),
        "types.of_names": (weights[columns:] * NAMES_SCALE).astype(np.float16),
        "types.bias": bias.astype(np.float32),
    }


def _names(examples: Sequence[LabelledPage]) -> Any:
    """Return the parts of names of each page as a sparse matrix."""
    found = [name_buckets(one.matrix) for one in examples]
    sizes = [len(buckets) for buckets in found]
    weights = np.repeat([name_weight(size) for size in sizes], sizes)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    shape = (len(examples), 1 << SPACES["name"])
    return csr_matrix((weights, np.concatenate(found), starts), shape=shape)
