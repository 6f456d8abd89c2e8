"""Entries with equal keys: as groups, and as tables by 64-bit key.

A table is sorted columns, merged and searched whole, without loops over keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira.arrays import Hashes


@dataclass(frozen=True, eq=False)
class Grouping:
    """A partition of a sequence, its groups numbered in the order of their keys."""

    number: NDArray[np.intp]
    """Group of each entry."""
    order: NDArray[np.intp]
    """All entries, group after group."""
    starts: NDArray[np.intp]
    """Where each group begins in `order`."""
    sizes: NDArray[np.intp]
    """Entries of each group."""

    @classmethod
    def of(cls, key: NDArray[Any]) -> Grouping:
        """Return the groups of entries with equal keys."""
        order = key.argsort(kind="stable")
        in_order = key.take(order)
        new = np.ones(len(key) + 1, bool)
        np.not_equal(in_order[1:], in_order[:-1], out=new[1:-1])
        bounds = new.nonzero()[0]
        sizes = bounds[1:] - bounds[:-1]
        number = np.empty(len(key), np.intp)
        number[order] = np.arange(len(sizes)).repeat(sizes)
        return cls(number, order, bounds[:-1], sizes)

    def means(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the mean over the lines of each group."""
        sums = np.add.reduceat(values.take(self.order, axis=0), self.starts, axis=0)
        return np.divide(sums, self._divisors, out=sums)

    @Lazy
    def _divisors(self) -> NDArray[np.float32]:
        return self.sizes[:, None].astype(np.float32)


@dataclass(frozen=True, eq=False)
class Keyed:
    """Columns of values by key. Only what `merged` returns is in order and can be searched."""

    keys: Hashes
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.keys)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self.columns[name]

    @classmethod
    def empty(cls, kinds: Mapping[str, type]) -> Keyed:
        """Return a table with columns of some kinds and no key."""
        columns: dict[str, NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in kinds.items()}
        return cls(np.zeros(0, np.uint64), columns)

    @classmethod
    def merged(cls, tables: Sequence[Keyed], sums: Sequence[str]) -> Keyed:
        """Return one table: some columns are summed over equal keys, of others the first counts.

        Sums are made in the order of the tables, so that they are the same in one go or in parts.
        """
        keys = np.concatenate([table.keys for table in tables])
        distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
        columns = {}
        for name in tables[0].columns:
            column = np.concatenate([table.columns[name] for table in tables])
            if name in sums:
                total = np.bincount(which, column, len(distinct))
                columns[name] = total.astype(column.dtype)
            else:
                columns[name] = column[first]
        return cls(distinct, columns)

    def find(self, keys: Hashes) -> NDArray[np.int64]:
        """Return the place of each key; one past the last for a key that is unknown."""
        at = np.searchsorted(self.keys, keys)
        known = at < len(self)
        known[known] = self.keys[at[known]] == keys[known]
        return np.where(known, at, len(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data, hashes in hexadecimal digits."""
        hashed = {"key": self.keys} | dict(self.columns)
        return {
            name: [f"{value:x}" for value in column.tolist()]
            if column.dtype == np.uint64
            else column.tolist()
            for name, column in hashed.items()
        }

    @classmethod
    def restore(cls, data: Mapping[str, Any], kinds: Mapping[str, type]) -> Keyed:
        """Return what `to_dict` described; raises `ValueError` for columns of several lengths."""
        read = {
            name: np.array(
                [int(value, 16) for value in data[name]] if kind is np.uint64 else data[name], kind
            )
            for name, kind in ({"key": np.uint64} | dict(kinds)).items()
        }
        if len({len(column) for column in read.values()}) > 1:
            message = "columns of several lengths"
            raise ValueError(message)
        return cls.merged([cls(read.pop("key"), read)], ())
