"""The small network over a page's blocks, fitted by PyTorch and taken apart into arrays.

Loss: half the soft F1 of the page, half cross-entropy on soft labels, a little page type. The
layers mirror `joeira.arrays.inference`, which runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from joeira.arrays.inference import CLIP
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.model import GROUP_LEVELS, groupings
from training.pages import LabelledPage

WIDTH = 32
DILATIONS = (1, 2, 4, 8, 16)
GROUP_AFTER = (1, 4)
GROUPINGS = 1 + len(GROUP_LEVELS)
EPOCHS = 8
BATCH = 12
MAX_BLOCKS = 500
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 0.02
DROPOUT = 0.15
COLUMN_DROPOUT = 0.05
TYPE_WEIGHT = 0.05
"""Guessing the page type beside teaches the layers below; the guess itself is not kept."""
TYPE_LAYER = "typ."
AVERAGE_FROM = 0.6
"""Share of the epochs after which weights are averaged."""
NO_TYPE = -100


class Net(nn.Module):
    """Dilated convolutions, group means and a page context over blocks."""

    def __init__(self, columns: int) -> None:
        """Make the layers for a number of input columns."""
        super().__init__()
        self.inp = nn.Linear(columns, WIDTH)
        self.in2 = nn.Linear(WIDTH, WIDTH)
        self.conv = nn.ModuleList([nn.Linear(3 * WIDTH, WIDTH) for _ in DILATIONS])
        self.grp = nn.ModuleList([nn.Linear((1 + GROUPINGS) * WIDTH, WIDTH) for _ in GROUP_AFTER])
        self.pool = nn.Linear(2 * WIDTH, WIDTH)
        self.typ = nn.Linear(WIDTH, len(PAGE_TYPES))
        self.g1 = nn.Linear(WIDTH, WIDTH)
        self.fuse = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the logit of every block and the logits of the page types."""
        mask = batch.mask[..., None]
        hidden = self.drop(torch.relu(self.inp(batch.inputs)))
        hidden = (hidden + torch.relu(self.in2(hidden))) * mask
        length = hidden.shape[1]
        for number, dilation in enumerate(DILATIONS):
            padded = functional.pad(hidden, (0, 0, dilation, dilation))
            near = torch.cat([padded[:, :length], hidden, padded[:, 2 * dilation :]], 2)
            hidden = (hidden + self.drop(torch.relu(self.conv[number](near)))) * mask
            if number in GROUP_AFTER:
                layer = self.grp[GROUP_AFTER.index(number)]
                means = _group_means(hidden, batch.groups)
                hidden = hidden + self.drop(torch.relu(layer(torch.cat([hidden, *means], 2))))
                hidden = hidden * mask
        mass = batch.mass / batch.mass.sum(1, keepdim=True).clamp(min=1e-6)
        mean = hidden.sum(1) / batch.mask.sum(1, keepdim=True).clamp(min=1)
        pooled = torch.cat([mean, (hidden * mass[..., None]).sum(1)], 1)
        context = self.drop(torch.relu(self.pool(pooled)))
        fused = self.fuse(hidden) + self.g1(context)[:, None, :]
        return self.out(self.drop(torch.relu(fused)))[..., 0], self.typ(context)


@dataclass(frozen=True)
class Batch:
    """Pages side by side, padded to one length."""

    inputs: Tensor
    mask: Tensor
    mass: Tensor
    size: Tensor
    matched: Tensor
    gold: Tensor
    trust: Tensor
    kind: Tensor
    groups: Tensor


@dataclass(frozen=True)
class Item:
    """One page as the network sees it."""

    inputs: NDArray[np.float32]
    groups: NDArray[np.int64]
    example: LabelledPage


def item(one: LabelledPage, values: NDArray[np.float32], center: Any, scale: Any) -> Item:
    """Return an example with standardised features and group numbers."""
    groups = np.stack([grouping.number for grouping in groupings(one.matrix)])
    return Item(np.clip((values - center) * scale, -CLIP, CLIP), groups, one)


def fit(
    items: Sequence[Item], seed: int, after_epoch: Callable[[], None] = lambda: None
) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a network fitted to pages, ready for `joeira.arrays.inference`."""
    torch.set_num_threads(1)  # small matrices: more threads only wait for each other
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    net = Net(items[0].inputs.shape[1])
    optimizer = torch.optim.AdamW(net.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = -(-len(items) // BATCH) * EPOCHS
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=steps, pct_start=0.2
    )
    lengths = np.array([len(one.inputs) for one in items])
    average: dict[str, Tensor] = {}
    for epoch in range(EPOCHS):
        net.train()
        # Pages of like length go together, shuffled a little differently each time.
        order = np.argsort(lengths * np.exp(random.normal(size=len(items)) * 0.3))
        batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
        random.shuffle(batches)
        for numbers in batches:
            loss = _loss(net, _batch([items[number] for number in numbers], random))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        if epoch >= EPOCHS * AVERAGE_FROM:
            for name, weight in net.state_dict().items():
                kept = average.get(name, weight)
                average[name] = 0.6 * kept + 0.4 * weight
        after_epoch()
    return {
        name: (weight.T if weight.ndim == 2 else weight).numpy().copy()
        for name, weight in average.items()
        if not name.startswith(TYPE_LAYER)
    }


def _loss(net: Net, batch: Batch) -> Tensor:
    keep = torch.rand(len(batch.inputs), 1, batch.inputs.shape[2]) > COLUMN_DROPOUT
    logit, kind = net(Batch(batch.inputs * keep, *list(vars(batch).values())[1:]))
    probability = torch.sigmoid(logit) * batch.mask
    hit = (probability * batch.matched).sum(1)
    f1 = 2 * hit / ((probability * batch.size).sum(1) + batch.gold + 1e-6)
    label = (batch.matched / batch.size.clamp(min=1)).clamp(0, 1)
    weight = batch.size / (batch.size.sum(1, keepdim=True) + batch.gold[:, None]) * batch.mask
    entropy = functional.binary_cross_entropy_with_logits(logit, label, reduction="none")
    loss: Tensor = (batch.trust * (1 - f1 + (entropy * weight).sum(1))).mean() / 2
    if (batch.kind != NO_TYPE).any():
        loss = loss + TYPE_WEIGHT * functional.cross_entropy(kind, batch.kind, ignore_index=NO_TYPE)
    return loss


def _group_means(hidden: Tensor, groups: Tensor) -> list[Tensor]:
    means = []
    flat = hidden.reshape(-1, hidden.shape[2])
    for level in range(groups.shape[1]):
        number = groups[:, level].reshape(-1)
        size = int(number.max()) + 1
        total = torch.zeros(size, flat.shape[1]).index_add_(0, number, flat)
        count = torch.zeros(size).index_add_(0, number, torch.ones(len(number)))
        means.append((total / count[:, None])[number].reshape(hidden.shape))
    return means


def _batch(items: Sequence[Item], random: np.random.Generator) -> Batch:
    length = min(MAX_BLOCKS, max(len(one.inputs) for one in items))
    shape = (len(items), length)
    inputs = np.zeros((*shape, items[0].inputs.shape[1]), np.float32)
    mask, mass, size, matched = (np.zeros(shape, np.float32) for _ in range(4))
    gold, trust = np.zeros((2, len(items)), np.float32)
    kind = np.full(len(items), NO_TYPE)
    groups = np.zeros((len(items), GROUPINGS, length), np.int64)
    used = np.zeros(GROUPINGS, np.int64)
    for number, one in enumerate(items):
        page = one.example
        total = len(one.inputs)
        start = int(random.integers(total - length + 1)) if total > length else 0
        part, here = slice(start, start + length), slice(0, min(length, total))
        inputs[number, here] = one.inputs[part]
        mask[number, here] = 1
        size[number, here] = page.size[part]
        mass[number, here] = np.log1p(page.matrix.view.words[part])
        matched[number, here] = page.matched[part]
        trust[number] = page.trust * page.times
        gold[number] = page.gold_size if total <= length else page.matched[part].sum() + 1
        if page.kind:
            kind[number] = PAGE_TYPES.index(page.kind)
        # Numbers of different pages must differ; the padding is a group of its own.
        groups[number] = used[:, None]
        groups[number, :, here] = one.groups[:, part] + used[:, None] + 1
        used = groups[number].max(axis=1) + 1
    tensors = (inputs, mask, mass, size, matched, gold, trust, kind, groups)
    return Batch(*(torch.from_numpy(array) for array in tensors))
