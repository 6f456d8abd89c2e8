"""Everything a page knows, as one fingerprint."""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import joeira
from joeira.page import Page

STORED = ("tag", "parent", "depth", "gap_before", "classes", "ids")
DERIVED = tuple(name for name, member in vars(Page).items() if isinstance(member, cached_property))


def arrays(page: Page) -> dict[str, NDArray[np.generic]]:
    """Return every array of a page by name: the stored ones and all that are computed when read."""
    found = {}
    for name in (*STORED, *DERIVED):
        value = getattr(page, name)
        parts = value if isinstance(value, tuple) else (value,)
        for number, part in enumerate(parts):
            if isinstance(part, np.ndarray):
                found[f"{name}.{number}"] = part
    found["characters.classes"] = page.characters.classes
    found["characters.starts"] = page.characters.starts
    return found


def fingerprint(page: Page) -> str:
    """Return a hash of every column, text, note and of the result of a method."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays(page).items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    told = (page.texts, page.block_texts, page.foreign_names, page.encoding, page.notes, page.url)
    digest.update(repr(told).encode())
    content = joeira.extract(page, "all_text")
    digest.update(content.text().encode())
    # All are made, but of very many only some are written down: that would take most of the time.
    step = 1 + len(page.block_texts) // 5_000
    for number, decision in enumerate(content.explain()):
        if number % step == 0:
            digest.update(repr(decision).encode())
    return digest.hexdigest()
