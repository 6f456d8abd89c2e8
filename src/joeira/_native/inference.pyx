"""Kernels of `joeira.arrays.inference`: boosted oblivious trees, and a small network."""
