"""Kernel of `joeira.blockmodel.model.PageTypes`: a linear model of a page as a whole.

All sums are made with double precision, here and in the reference, so that their order does not show
once they are rounded.
"""

import numpy as np

cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.math cimport exp, sqrt
from libc.stdint cimport uint64_t

cdef extern from "loops.h" nogil:
    void joeira_sums(
        const float* value, const double* weight, Py_ssize_t count, double* plain, double* weighted
    ) noexcept
    void joeira_add_weights(
        double* sums, const float* weight, Py_ssize_t count, double times
    ) noexcept

cdef extern from "loops.h":
    void JOEIRA_FETCH(const void* address) nogil

cdef enum:
    LANES = 8  # weights of all types are padded to a multiple of so many
    AHEAD = 8


cdef padded(weights):
    """Return weights with as many zeros after each line as make it a multiple of `LANES`."""
    weights = np.asarray(weights)
    return np.pad(weights, ((0, 0), (0, -weights.shape[1] % LANES)))


cdef class Chances:
    """The chance of each type of page, by weights that are the same for all pages."""

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
        self.center, self.scale = center, scale
        self.of_means, self.of_names = padded(of_means), padded(of_names)
        self.bias = padded(np.asarray(bias, np.float64)[None])[0]
        self.clip, self.least = limits
        cdef Py_ssize_t means = self.center.shape[0]
        cdef int bits = 0
        self.types = len(bias)
        while (<Py_ssize_t> 1 << bits) < self.of_names.shape[0]:
            bits += 1
        if (
            not self.types
            or self.scale.shape[0] != means
            or self.of_means.shape[0] != means
            or of_means.shape[1] != self.types
            or of_names.shape[1] != self.types
            or bits < 1
            or <Py_ssize_t> 1 << bits != self.of_names.shape[0]
        ):
            raise ValueError("weights that do not fit each other")
        self.shift = 64 - bits

    @cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
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
        chances = np.empty(self.types, np.float32)
        cdef float[::1] to = chances
        cdef Py_ssize_t blocks = plain.shape[1]
        if words.shape[0] != blocks:
            raise ValueError("weights that do not fit the page")
        self.write(
            &plain[0, 0], plain.shape[0], blocks, &words[0], declared, &parts[0], parts.shape[0], &to[0]
        )
        return chances

    cdef int write(
        self,
        const float* plain,
        Py_ssize_t lines,
        Py_ssize_t blocks,
        const double* words,
        list declared,
        const uint64_t* parts,
        Py_ssize_t part_count,
        float* to,
    ) except -1:
        """Write the chance of each type (see `__call__`)."""
        cdef Py_ssize_t told = len(declared), means = self.center.shape[0], width = self.of_means.shape[1]
        cdef Py_ssize_t columns = (means - told) // 2, column, block, kind, part, bucket, different = 0
        if not blocks or told > means or 2 * columns + told != means or lines < columns:
            raise ValueError("weights that do not fit the page")
        # Weights of the blocks, logits and what names add to them; a bit for each bucket of names.
        cdef double* weight = <double*> PyMem_RawCalloc(
            blocks + 2 * width + (self.of_names.shape[0] + 63) // 64, sizeof(double)
        )
        if weight == NULL:
            raise MemoryError
        cdef double* logit = weight + blocks
        cdef double* named = logit + width
        cdef uint64_t* occurs = <uint64_t*> (named + width)
        cdef double total = 0, of_blocks, of_words, most, all_weights = 0
        for column in range(told):
            self.add(bool(declared[column]), 2 * columns + column, logit)
        with nogil:
            for block in range(blocks):
                weight[block] = words[block] + self.least
                total += weight[block]
            for column in range(columns):
                joeira_sums(plain + column * blocks, weight, blocks, &of_blocks, &of_words)
                self.add(of_blocks / blocks, column, logit)
                self.add(of_words / total, columns + column, logit)
            for part in range(part_count):
                # The weights of names do not all stay in near memory.
                if part + AHEAD < part_count:
                    JOEIRA_FETCH(&self.of_names[<Py_ssize_t> (parts[part + AHEAD] >> self.shift), 0])
                bucket = <Py_ssize_t> (parts[part] >> self.shift)
                if not occurs[bucket >> 6] >> (bucket & 63) & 1:
                    occurs[bucket >> 6] |= <uint64_t> 1 << (bucket & 63)
                    different += 1
                    joeira_add_weights(named, &self.of_names[bucket, 0], width, 1)
            most = -1e300
            for kind in range(self.types):
                logit[kind] += named[kind] / sqrt(<double> max(different, 1)) + self.bias[kind]
                most = max(most, logit[kind])
            for kind in range(self.types):
                logit[kind] = exp(logit[kind] - most)
                all_weights += logit[kind]
            for kind in range(self.types):
                to[kind] = <float> (logit[kind] / all_weights)
        PyMem_RawFree(weight)
        return 0

    cdef inline void add(self, double mean, Py_ssize_t number, double* logit) noexcept nogil:
        """Add what a mean says to the logits of all types."""
        mean = (mean - self.center[number]) * self.scale[number]
        mean = min(max(mean, -self.clip), self.clip)
        joeira_add_weights(logit, &self.of_means[number, 0], self.of_means.shape[1], mean)
