"""Kernels of `joeira.arrays.inference`: boosted oblivious trees, and a small network.

Both come as a class that is made once from the learned weights and called for each page. What is
summed is summed in one fixed order, entry by entry: vector instructions work on neighbouring
places, never on parts of one sum, so that the bits do not depend on the machine. The trees add up in
the order of their reference, with the same bits; the network agrees with its reference to 1e-4 of a
logit, since BLAS keeps to no order.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

cdef extern from "loops.h" nogil:
    enum:
        OUTPUTS "JOEIRA_OUTPUTS"
        PLACES "JOEIRA_PLACES"
    void joeira_answer(
        const float* value, float border, uint8_t* said, Py_ssize_t count
    ) noexcept
    void joeira_standardise(
        const float* value, float center, float scale, float clip, float* to, Py_ssize_t count
    ) noexcept
    void joeira_product(
        const float* lines,
        Py_ssize_t step,
        Py_ssize_t apart,
        Py_ssize_t count,
        const float* weight,
        Py_ssize_t inputs,
        Py_ssize_t width,
        const float* bias,
        float* to,
    ) noexcept
    void joeira_add_trees(
        const uint8_t* answers,
        const int32_t* question,
        Py_ssize_t trees,
        Py_ssize_t levels,
        const float* leaf,
        float* sum,
        Py_ssize_t count,
    ) noexcept

cdef enum:
    TILE = 24  # places that are standardised together: few enough for the nearest cache


cdef class TreeSums:
    """The sum of oblivious trees over rows, each question answered once for all trees."""

    cdef const int32_t[::1] question_column
    cdef const float[::1] question_border
    cdef const int32_t[:, ::1] question
    cdef const float[:, ::1] leaf
    cdef float bias
    cdef readonly Py_ssize_t least_columns

    def __init__(self, question_column, question_border, question, leaf, float bias):
        """Check the trees.

        `question` has, per tree and level, the deepest first, the number of a question; `leaf`,
        per tree, the values of its leaves.
        """
        self.question_column = question_column
        self.question_border = question_border
        self.question = question
        self.leaf = leaf
        self.bias = bias
        cdef Py_ssize_t questions = self.question_column.shape[0]
        if (
            self.question_border.shape[0] != questions
            or self.question.shape[0] != self.leaf.shape[0]
            or not 1 <= self.question.shape[1] <= 8
            or self.leaf.shape[1] != 1 << self.question.shape[1]
        ):
            raise ValueError("trees whose parts do not fit each other")
        numbers, columns = np.asarray(question), np.asarray(question_column)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < questions:
            raise ValueError("a tree asks a question that there is not")
        if questions and columns.min() < 0:
            raise ValueError("a question is about a column that there is not")
        self.least_columns = columns.max(initial=-1) + 1

    def __call__(self, const float[:, :] first, const float[:, :] more):
        """Return the sum of all trees for each row; `first` and `more` have one line per column."""
        cdef Py_ssize_t rows = first.shape[1]
        if more.shape[1] != rows or first.shape[0] + more.shape[0] < self.least_columns:
            raise ValueError("columns that the trees do not fit")
        sums = np.empty(rows, np.float32)
        answers = np.zeros((self.question_column.shape[0], PLACES), np.uint8)
        cdef float[::1] to = sums
        cdef uint8_t[:, ::1] scratch = answers
        cdef Py_ssize_t start
        with nogil:
            start = 0
            while start < rows:
                self.answer(first, more, start, scratch)
                self.add_up(scratch, start, to)
                start += PLACES
        return sums

    cdef void answer(
        self,
        const float[:, :] first,
        const float[:, :] more,
        Py_ssize_t start,
        uint8_t[:, ::1] answers,
    ) noexcept nogil:
        """Answer all questions for the rows from `start` on: 1 for yes."""
        cdef Py_ssize_t question, place, column, step
        cdef Py_ssize_t places = min(PLACES, first.shape[1] - start)
        cdef const char* line
        cdef float border
        cdef uint8_t* said
        for question in range(self.question_column.shape[0]):
            column = self.question_column[question]
            border = self.question_border[question]
            said = &answers[question, 0]
            if column < first.shape[0]:
                line, step = <const char*> &first[column, start], first.strides[1]
            else:
                line = <const char*> &more[column - first.shape[0], start]
                step = more.strides[1]
            if step == sizeof(float):  # the usual case
                joeira_answer(<const float*> line, border, said, places)
            else:
                for place in range(places):
                    said[place] = (<const float*> (line + place * step))[0] > border

    cdef void add_up(
        self, uint8_t[:, ::1] answers, Py_ssize_t start, float[::1] sums
    ) noexcept nogil:
        """Sum the leaves that the answers lead to, tree after tree."""
        cdef Py_ssize_t places = min(PLACES, sums.shape[0] - start)
        cdef Py_ssize_t trees = self.question.shape[0], place
        cdef float total[PLACES]
        memset(total, 0, sizeof(total))
        if trees:
            joeira_add_trees(
                &answers[0, 0],
                &self.question[0, 0],
                trees,
                self.question.shape[1],
                &self.leaf[0, 0],
                total,
                places,
            )
        for place in range(places):
            sums[start + place] = total[place] + self.bias


cdef class Layer:
    """One dense layer, its outputs padded with zeros to a multiple of `OUTPUTS`.

    A layer over other layers has inputs padded in the same way: `parts` of them, side by side.
    """

    cdef float[:, ::1] weight
    cdef float[::1] bias

    def __init__(self, weight, bias, parts=0):
        inputs, outputs = weight.shape
        if bias.shape != (outputs,) or not inputs or (parts and inputs % parts):
            raise ValueError("a layer whose parts do not fit each other")
        by_part = weight.reshape(parts or 1, -1, outputs)
        more = -by_part.shape[1] % OUTPUTS if parts else 0
        padding = ((0, 0), (0, more), (0, -outputs % OUTPUTS))
        padded = np.pad(np.asarray(by_part, np.float32), padding)
        self.weight = padded.reshape(-1, padded.shape[2])
        self.bias = np.pad(np.asarray(bias, np.float32), (0, -outputs % OUTPUTS))


cdef void multiply(
    const float* lines,
    Py_ssize_t step,
    Py_ssize_t count,
    const float[:, ::1] weight,
    const float* bias,
    float* to,
) noexcept nogil:
    """Write the layer of `count` lines, `step` numbers apart, as lines of the weight's width."""
    joeira_product(
        lines, step, 1, count, &weight[0, 0], weight.shape[0], weight.shape[1], bias, to
    )


cdef inline void add_positive(float* to, const float* values, Py_ssize_t count) noexcept nogil:
    """Add what is above zero."""
    cdef Py_ssize_t place
    for place in range(count):
        to[place] += values[place] if values[place] > 0 else 0


cdef class NetworkLogits:
    """A network over a sequence: see `joeira.arrays.inference.Network`, whose layers it has."""

    cdef Layer inp, in2, pool, g1, fuse, out
    cdef list convolutions, group_layers
    cdef tuple dilations, group_after
    cdef const float[::1] center, scale
    cdef float clip
    cdef Py_ssize_t width

    def __init__(self, weights, dilations, group_after, center, scale, float clip):
        """Check the layers; inputs are standardised by `center` and `scale`, and cut at `clip`."""
        def layer(name, parts=0):
            return Layer(weights[f"{name}.weight"], weights[f"{name}.bias"], parts)

        outputs = weights["inp.weight"].shape[1]
        self.inp, self.in2, self.fuse = layer("inp"), layer("in2", 1), layer("fuse", 1)
        self.pool, self.g1 = layer("pool", 2), layer("g1", 1)
        self.out = layer("out", 1)
        self.convolutions = [layer(f"conv.{number}", 3) for number in range(len(dilations))]
        self.group_layers = [
            layer(f"grp.{number}", weights[f"grp.{number}.weight"].shape[0] // outputs)
            for number in range(len(group_after))
        ]
        self.dilations, self.group_after = tuple(dilations), tuple(group_after)
        self.center, self.scale, self.clip = center, scale, clip
        self.width = self.inp.weight.shape[1]
        cdef Layer each
        fits = all(dilation >= 1 for dilation in self.dilations)
        inner = [(self.in2, 1), (self.pool, 2), (self.g1, 1), (self.fuse, 1), (self.out, 1)]
        for each, parts in [*inner, *((each, 3) for each in self.convolutions)]:
            fits &= each.weight.shape[0] == parts * self.width
        for each in [self.in2, self.g1, self.fuse, *self.convolutions, *self.group_layers]:
            fits &= each.weight.shape[1] == self.width
        fits &= self.pool.weight.shape[1] == self.width
        fits &= self.center.shape[0] == self.scale.shape[0] == self.inp.weight.shape[0]
        if not fits:
            raise ValueError("a network whose layers do not fit each other")

    def __call__(self, const float[:, :] values, const float[::1] mass, groups):
        """Return a logit for each place.

        `values` has one line per column; `mass` is the weight of each place in the context vector;
        `groups` has, per grouping, the number of the group of each place, less than the places.
        """
        cdef Py_ssize_t places = values.shape[1], width = self.width
        if values.shape[0] != self.center.shape[0] or mass.shape[0] != places:
            raise ValueError("columns that the network does not fit")
        logits = np.empty(places, np.float32)
        if not places:
            return logits
        cdef list numbers = [self.checked(each, places) for each in groups]
        cdef Layer layer
        for layer in self.group_layers:
            if layer.weight.shape[0] != (1 + len(numbers)) * width:
                raise ValueError("a network for another number of groupings")
        # Around the places stand zeros, where the convolutions look beyond the first and the last.
        cdef Py_ssize_t reach = max(self.dilations, default=0)
        cdef float[:, ::1] padded = np.zeros((places + 2 * reach, width), np.float32)
        cdef float[:, ::1] hidden = padded[reach:reach + places]
        cdef float[:, ::1] fresh = np.empty((places, width), np.float32)
        cdef float[:, ::1] tile = np.zeros((values.shape[0], TILE), np.float32)
        cdef Py_ssize_t number, dilation, size = places * width
        with nogil:
            self.first_layer(values, tile, fresh)
            add_positive(&hidden[0, 0], &fresh[0, 0], size)
            multiply(&hidden[0, 0], width, places, self.in2.weight, &self.in2.bias[0], &fresh[0, 0])
            add_positive(&hidden[0, 0], &fresh[0, 0], size)
        for number in range(len(self.convolutions)):
            layer, dilation = self.convolutions[number], self.dilations[number]
            with nogil:
                convolve(layer, padded, reach, dilation, fresh)
                add_positive(&hidden[0, 0], &fresh[0, 0], size)
            if number in self.group_after:
                layer = self.group_layers[self.group_after.index(number)]
                self.mix_groups(layer, hidden, numbers, fresh)
        cdef float[::1] to = logits
        cdef float[::1] context = self.context(hidden, mass)
        cdef Py_ssize_t place, k
        cdef float total, value
        with nogil:
            multiply(
                &hidden[0, 0], width, places, self.fuse.weight, &self.fuse.bias[0], &fresh[0, 0]
            )
            for place in range(places):
                total = self.out.bias[0]
                for k in range(width):
                    value = fresh[place, k] + context[k]
                    if value > 0:
                        total += value * self.out.weight[k, 0]
                to[place] = total
        return logits

    cdef const Py_ssize_t[::1] checked(self, number, Py_ssize_t places):
        """Return the groups of the places, all of them numbers below that of the places."""
        cdef const Py_ssize_t[::1] groups = number
        cdef Py_ssize_t place
        cdef bint fits = groups.shape[0] == places
        if fits:
            for place in range(places):
                fits &= 0 <= groups[place] < places
        if not fits:
            raise ValueError("groups that do not fit the places")
        return groups

    cdef void first_layer(
        self, const float[:, :] values, float[:, ::1] tile, float[:, ::1] to
    ) noexcept nogil:
        """Standardise the columns, a few places at a time, and write the first layer of them."""
        cdef Py_ssize_t places = values.shape[1], columns = values.shape[0]
        cdef Py_ssize_t start = 0, column, place, held
        cdef bint is_close = values.strides[1] == sizeof(float)
        while start < places:
            held = min(TILE, places - start)
            for column in range(columns):
                if not is_close:
                    for place in range(held):
                        tile[column, place] = values[column, start + place]
                joeira_standardise(
                    &values[column, start] if is_close else &tile[column, 0],
                    self.center[column],
                    self.scale[column],
                    self.clip,
                    &tile[column, 0],
                    held,
                )
            joeira_product(
                &tile[0, 0],
                1,
                TILE,
                held,
                &self.inp.weight[0, 0],
                columns,
                self.width,
                &self.inp.bias[0],
                &to[start, 0],
            )
            start += TILE

    cdef void mix_groups(self, Layer layer, float[:, ::1] hidden, list numbers, float[:, ::1] fresh):
        """Add a layer over each place and the means of its groups."""
        cdef Py_ssize_t places = hidden.shape[0], width = self.width
        cdef Py_ssize_t grouping, place, k, group, groups
        cdef const Py_ssize_t[::1] number
        cdef float[:, ::1] means = np.empty((places, width), np.float32)
        cdef float[:, ::1] products = np.empty((places, width), np.float32)
        cdef Py_ssize_t[::1] sizes = np.empty(places, np.intp)
        cdef float[::1] no_bias = np.zeros(width, np.float32)
        with nogil:
            multiply(
                &hidden[0, 0], width, places, layer.weight[:width], &layer.bias[0], &fresh[0, 0]
            )
        for grouping in range(len(numbers)):
            number = numbers[grouping]
            with nogil:
                groups = 0
                for place in range(places):
                    groups = max(groups, number[place] + 1)
                memset(&means[0, 0], 0, groups * width * sizeof(float))
                memset(&sizes[0], 0, groups * sizeof(Py_ssize_t))
                for place in range(places):
                    group = number[place]
                    sizes[group] += 1
                    for k in range(width):
                        means[group, k] += hidden[place, k]
                for group in range(groups):
                    for k in range(width):
                        means[group, k] /= <float> max(sizes[group], 1)
                multiply(
                    &means[0, 0],
                    width,
                    groups,
                    layer.weight[(grouping + 1) * width:(grouping + 2) * width],
                    &no_bias[0],
                    &products[0, 0],
                )
                for place in range(places):
                    group = number[place]
                    for k in range(width):
                        fresh[place, k] += products[group, k]
        add_positive(&hidden[0, 0], &fresh[0, 0], places * width)

    cdef float[::1] context(self, float[:, ::1] hidden, const float[::1] mass):
        """Return what the page as a whole adds to each place: two layers over two means."""
        cdef Py_ssize_t places = hidden.shape[0], width = self.width, place, k
        cdef float[::1] pooled = np.zeros(2 * width, np.float32)
        cdef float[::1] between = np.empty(width, np.float32)
        cdef float[::1] result = np.empty(width, np.float32)
        cdef float weight = 0
        with nogil:
            for place in range(places):
                weight += mass[place]
                for k in range(width):
                    pooled[k] += hidden[place, k]
                    pooled[width + k] += mass[place] * hidden[place, k]
            weight = max(weight, <float> 1e-6)
            for k in range(width):
                pooled[k] /= <float> places
                pooled[width + k] /= weight
            multiply(&pooled[0], 2 * width, 1, self.pool.weight, &self.pool.bias[0], &between[0])
            for k in range(width):
                between[k] = max(between[k], <float> 0)
            multiply(&between[0], width, 1, self.g1.weight, &self.g1.bias[0], &result[0])
        return result


cdef void convolve(
    Layer layer, float[:, ::1] padded, Py_ssize_t reach, Py_ssize_t dilation, float[:, ::1] to
) noexcept nogil:
    """Write a layer over each place and those so far before and after it."""
    cdef Py_ssize_t places = to.shape[0], width = to.shape[1], part
    for part in range(3):
        joeira_product(
            &padded[reach + (part - 1) * dilation, 0],
            width,
            1,
            places,
            &layer.weight[part * width, 0],
            width,
            width,
            &layer.bias[0] if part == 0 else NULL,
            &to[0, 0],
        )
