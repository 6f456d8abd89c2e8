"""What kernels share that are given many arrays: a typed view of each would cost more than it is worth."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer


cdef inline void* entries(object array, Py_ssize_t size, Py_ssize_t* count) except NULL:
    """Return where the entries of an array lie, each of so many bytes, and how many there are.

    They stay there as long as the array does, which the caller has to keep.
    """
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)  # refuses what does not lie side by side
    cdef void* first = buffer.buf
    cdef bint fits = buffer.itemsize == size
    count[0] = buffer.len // size
    PyBuffer_Release(&buffer)
    if not fits:
        raise ValueError("an array of other entries than are read")
    return first
