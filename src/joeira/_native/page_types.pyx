"""Kernel of `joeira.blockmodel.model.PageTypes`: a linear model of a page as a whole.

All sums are made with double precision, here and in the reference, so that their order does not show
once they are rounded.
"""

import numpy as np

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.math cimport exp
from libc.stdint cimport uint8_t, uint64_t

cdef extern from "loops.h" nogil:
    void joeira_sums(
        const float* value, const double* weight, Py_ssize_t count, double* plain, double* weighted
    ) noexcept


cdef class Chances:
    """The chance of each type of page, by weights that are the same for all pages."""

    cdef const float[::1] center, scale, bias
    cdef const float[:, ::1] of_means, of_names
    cdef double clip, least
    cdef int shift

    def __init__(self, center, scale, of_means, of_names, bias, limits):
        """Check the weights.

        Args:
            center: Center of each mean.
            scale: Scale of each mean.
            of_means: Weights of means, one line each.
            of_names: Weights of names, one line for each bucket.
            bias: What each type has without anything.
            limits: By how much means are cut, and how many words a block without any counts for.
        """
        self.center, self.scale, self.bias = center, scale, bias
        self.of_means, self.of_names = of_means, of_names
        self.clip, self.least = limits
        cdef Py_ssize_t means = self.center.shape[0], types = self.bias.shape[0]
        cdef int bits = 0
        while (<Py_ssize_t> 1 << bits) < self.of_names.shape[0]:
            bits += 1
        if (
            not types
            or self.scale.shape[0] != means
            or self.of_means.shape[0] != means
            or self.of_means.shape[1] != types
            or self.of_names.shape[1] != types
            or bits < 1
            or <Py_ssize_t> 1 << bits != self.of_names.shape[0]
        ):
            raise ValueError("weights that do not fit each other")
        self.shift = 64 - bits

    def __call__(
        self,
        const float[:, ::1] plain,
        const double[::1] words,
        list declared,
        const uint64_t[::1] parts,
    ):
        """Return the chance of each type, as numbers of single precision.

        Args:
            plain: One line for each plain column, with a value for each block; there may be more.
            words: Per block: its words.
            declared: What the page says that it is.
            parts: Hashes of the parts of names, each as often as it occurs.
        """
        cdef Py_ssize_t blocks = plain.shape[1], types = self.bias.shape[0], told = len(declared)
        cdef Py_ssize_t columns = (self.center.shape[0] - told) // 2, column, block, kind, part
        cdef Py_ssize_t bucket, different = 0
        if (
            not blocks
            or words.shape[0] != blocks
            or 2 * columns + told != self.center.shape[0]
            or plain.shape[0] < columns
            or columns < 0
        ):
            raise ValueError("weights that do not fit the page")
        cdef Py_ssize_t buckets = self.of_names.shape[0]
        chances = np.empty(types, np.float32)
        cdef float[::1] to = chances
        # Weights of the blocks, logits and what names add to them; which buckets of names occur.
        cdef double* weight = <double*> PyMem_RawCalloc(
            (blocks + 2 * types) * sizeof(double) + buckets, 1
        )
        if weight == NULL:
            raise MemoryError
        cdef double* logit = weight + blocks
        cdef double* named = logit + types
        cdef uint8_t* occurs = <uint8_t*> (named + types)
        cdef double total = 0, of_blocks, of_words, most, all_weights = 0
        with nogil:
            for block in range(blocks):
                weight[block] = words[block] + self.least
                total += weight[block]
            for column in range(columns):
                joeira_sums(&plain[column, 0], weight, blocks, &of_blocks, &of_words)
                self.add(of_blocks / blocks, column, logit)
                self.add(of_words / total, columns + column, logit)
        for column in range(told):
            self.add(bool(declared[column]), 2 * columns + column, logit)
        with nogil:
            for part in range(parts.shape[0]):
                bucket = <Py_ssize_t> (parts[part] >> self.shift)
                if not occurs[bucket]:
                    occurs[bucket] = 1
                    different += 1
                    for kind in range(types):
                        named[kind] += self.of_names[bucket, kind]
            for kind in range(types):
                logit[kind] += named[kind] / <double> max(different, 1) ** 0.5 + self.bias[kind]
            most = logit[0]
            for kind in range(types):
                most = max(most, logit[kind])
            for kind in range(types):
                logit[kind] = exp(logit[kind] - most)
                all_weights += logit[kind]
            for kind in range(types):
                to[kind] = <float> (logit[kind] / all_weights)
        PyMem_RawFree(weight)
        return chances

    cdef void add(self, double mean, Py_ssize_t number, double* logit) noexcept nogil:
        """Add what a mean says to the logits of all types."""
        cdef Py_ssize_t kind
        cdef const float* weight = &self.of_means[number, 0]
        mean = (mean - self.center[number]) * self.scale[number]
        mean = min(max(mean, -self.clip), self.clip)
        for kind in range(self.bias.shape[0]):
            logit[kind] += mean * weight[kind]
