"""What other kernels use of `joeira._native.inference`."""

from libc.stdint cimport int32_t


cdef class BlendedLogits:
    cdef object trees
    cdef list networks
    cdef float of_trees, of_networks
    cdef double cap
    cdef const Py_ssize_t[::1] near, shifts

    cdef int write(
        self,
        const float* values,
        Py_ssize_t columns,
        Py_ssize_t places,
        const float* mass,
        const int32_t* groups,
        Py_ssize_t groupings,
        double* to,
    ) except -1
    cdef void write_neighbours(
        self, const float* values, Py_ssize_t places, float* to
    ) noexcept nogil


cdef class Calibration:
    cdef const double[:, ::1] logits

    cdef write(self, const double* logits, Py_ssize_t count, array, double* to)
    cdef void write_logits(self, const double* logits, Py_ssize_t count, double* to) noexcept nogil
