"""Columns for learned methods: one row per block, one function per group, one table of names."""

from joeira.features.table import GROUPS, NAMES, Matrix, describe, matrix

__all__ = ["GROUPS", "NAMES", "Matrix", "describe", "matrix"]
