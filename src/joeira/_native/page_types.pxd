"""What other kernels use of `joeira._native.page_types`."""

from libc.stdint cimport uint64_t


cdef class Chances:
    cdef const float[::1] center, scale
    cdef const float[:, ::1] of_means, of_names
    cdef const double[::1] bias
    cdef double clip, least
    cdef int shift
    cdef Py_ssize_t types  # further columns of weights are 0

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
    ) except -1
    cdef void add(self, double mean, Py_ssize_t number, double* logit) noexcept nogil
