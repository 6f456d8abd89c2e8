"""Kernels in C, by Cython: the same answers as the numpy code beside them, in less time.

Each kernel is one ``.pyx`` with one subject, and has a reference in numpy, which runs where the
kernels were not compiled or the environment says ``JOEIRA_NATIVE=0``. A module with a kernel asks
`native_available` and nothing else:

    if native_available:
        from joeira._native import inference as kernels

Kernels know arrays, not pages. They check shapes and indices where they begin, release the global
lock while they count, and allocate nothing but numpy arrays and checked memory: never a buffer of
fixed size that a page could overrun.
"""

from __future__ import annotations

import os
from importlib import import_module


def _are_compiled() -> bool:
    if os.environ.get("JOEIRA_NATIVE") == "0":
        return False
    try:
        import_module("joeira._native.inference")  # any of them: all are built, or none
    except ImportError:
        return False
    return True


native_available: bool = _are_compiled()
"""Whether the kernels were compiled and are used."""
