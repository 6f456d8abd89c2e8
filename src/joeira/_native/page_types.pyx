"""Kernel of `joeira.blockmodel.model.PageTypes`: a linear model of a page as a whole.

All sums are made with double precision, here and in the reference, so that their order does not show
once they are rounded.
"""

import numpy as np

from libc.math cimport exp
from libc.stdint cimport uint8_t, uint64_t

cdef extern from "loops.h" nogil:
    void joeira_sums(
        const float* value, const double* weight, Py_ssize_t count, double* plain, double* weighted
    ) noexcept


def chances(
    const float[:, ::1] plain, const double[::1] words, declared, const uint64_t[::1] parts, weights
):
    """Return the chance of each type, as numbers of single precision.

    Args:
        plain: One line for each plain column, with a value for each block.
        words: Per block: its weight, above 0.
        declared: What the page says that it is, one number each.
        parts: Hashes of the parts of names, each as often as it occurs.
        weights: Center and scale of the means, by how much they are cut, weights of means, names and
            bias.
    """
    cdef const float[::1] told = declared, center = weights[0], scale = weights[1]
    cdef double clip = weights[2]
    cdef const float[:, ::1] of_means = weights[3], of_names = weights[4]
    cdef const float[::1] bias = weights[5]
    cdef Py_ssize_t columns = plain.shape[0], blocks = plain.shape[1], types = bias.shape[0]
    cdef Py_ssize_t means = 2 * columns + told.shape[0], column, block, kind, part, bucket
    cdef int bits = 0
    while (<Py_ssize_t> 1 << bits) < of_names.shape[0]:
        bits += 1
    if (
        not blocks
        or not types
        or words.shape[0] != blocks
        or center.shape[0] != means
        or scale.shape[0] != means
        or of_means.shape[0] != means
        or of_means.shape[1] != types
        or of_names.shape[1] != types
        or bits < 1
        or <Py_ssize_t> 1 << bits != of_names.shape[0]
    ):
        raise ValueError("weights that do not fit the page")
    cdef double[::1] logit = np.zeros(types), named = np.zeros(types)
    cdef uint8_t[::1] occurs = np.zeros(of_names.shape[0], np.uint8)
    chances_of_types = np.empty(types, np.float32)
    cdef float[::1] to = chances_of_types
    cdef double total = 0, sum_of_blocks, sum_of_words, most, all_weights = 0
    cdef Py_ssize_t different = 0
    with nogil:
        for block in range(blocks):
            total += words[block]
        for column in range(columns):
            joeira_sums(&plain[column, 0], &words[0], blocks, &sum_of_blocks, &sum_of_words)
            add(sum_of_blocks / blocks, column, center, scale, clip, of_means, logit)
            add(sum_of_words / total, columns + column, center, scale, clip, of_means, logit)
        for column in range(told.shape[0]):
            add(told[column], 2 * columns + column, center, scale, clip, of_means, logit)
        for part in range(parts.shape[0]):
            bucket = <Py_ssize_t> (parts[part] >> (64 - bits))
            if not occurs[bucket]:
                occurs[bucket] = 1
                different += 1
                for kind in range(types):
                    named[kind] += of_names[bucket, kind]
        for kind in range(types):
            logit[kind] += named[kind] / <double> max(different, 1) ** 0.5 + bias[kind]
        most = logit[0]
        for kind in range(types):
            most = max(most, logit[kind])
        for kind in range(types):
            logit[kind] = exp(logit[kind] - most)
            all_weights += logit[kind]
        for kind in range(types):
            to[kind] = <float> (logit[kind] / all_weights)
    return chances_of_types


cdef inline void add(
    double mean,
    Py_ssize_t number,
    const float[::1] center,
    const float[::1] scale,
    double clip,
    const float[:, ::1] of_means,
    double[::1] logit,
) noexcept nogil:
    """Add what a mean says to the logits of all types."""
    cdef Py_ssize_t kind
    mean = (mean - center[number]) * scale[number]
    mean = min(max(mean, -clip), clip)
    for kind in range(logit.shape[0]):
        logit[kind] += mean * of_means[number, kind]
