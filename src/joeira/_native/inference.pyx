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
        const float* values,
        Py_ssize_t step,
        Py_ssize_t columns,
        const float* more,
        Py_ssize_t more_step,
        const int32_t* column,
        const float* border,
        Py_ssize_t questions,
        uint8_t* said,
        Py_ssize_t count,
    ) noexcept
    void joeira_descend(
        const uint8_t* said,
        const int32_t* question,
        Py_ssize_t trees,
        Py_ssize_t levels,
        uint8_t* number,
    ) noexcept
    void joeira_add_leaves(
        const uint8_t* number,
        const float* leaf,
        Py_ssize_t trees,
        Py_ssize_t leaves,
        float* sum,
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
cdef enum:
    TILE = 20  # places that are standardised together: few enough for the nearest cache


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
        cdef Py_ssize_t questions = self.question_column.shape[0], trees = self.leaf.shape[0]
        cdef uint8_t[:, ::1] said = np.zeros((max(questions, 1), <int> PLACES), np.uint8)
        cdef uint8_t[:, ::1] number = np.empty((max(trees, 1), <int> PLACES), np.uint8)
        cdef float[::1] to = sums
        cdef float total[PLACES]
        cdef Py_ssize_t start = 0, places, place
        with nogil:
            while start < rows:
                # The last rows with those before them, as many as ever: that is the quicker way.
                if start + PLACES > rows:
                    start = max(rows - PLACES, 0)
                places = min(PLACES, rows - start)
                self.answer(first, more, start, places, said)
                memset(total, 0, sizeof(total))
                if trees:
                    joeira_descend(
                        &said[0, 0], &self.question[0, 0], trees, self.question.shape[1], &number[0, 0]
                    )
                    joeira_add_leaves(
                        &number[0, 0], &self.leaf[0, 0], trees, self.leaf.shape[1], total
                    )
                for place in range(places):
                    to[start + place] = total[place] + self.bias
                start += PLACES
        return sums

    cdef void answer(
        self,
        const float[:, :] first,
        const float[:, :] more,
        Py_ssize_t start,
        Py_ssize_t places,
        uint8_t[:, ::1] said,
    ) noexcept nogil:
        """Answer all questions for some rows from `start` on: 1 for yes."""
        cdef Py_ssize_t question, place, column, columns = first.shape[0], wide = sizeof(float)
        cdef bint is_close = first.strides[1] == wide and not first.strides[0] % wide
        is_close &= not more.shape[0] or (more.strides[1] == wide and not more.strides[0] % wide)
        if is_close and self.question_column.shape[0]:  # the usual case
            joeira_answer(
                &first[0, start] if columns else NULL,
                first.strides[0] // wide,
                columns,
                &more[0, start] if more.shape[0] else NULL,
                more.strides[0] // wide,
                &self.question_column[0],
                &self.question_border[0],
                self.question_column.shape[0],
                &said[0, 0],
                places,
            )
            return
        for question in range(self.question_column.shape[0]):
            column = self.question_column[question]
            for place in range(places):
                said[question, place] = (
                    first[column, start + place]
                    if column < columns
                    else more[column - columns, start + place]
                ) > self.question_border[question]


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


cdef class BlendedLogits:
    """Trees and networks together: the same as `joeira.blockmodel.model` blends, in one call.

    The trees also look at some columns of the places before and after.
    """

    cdef TreeSums trees
    cdef list networks
    cdef float of_trees, of_networks
    cdef double cap
    cdef const Py_ssize_t[::1] near, shifts

    def __init__(self, TreeSums trees, list networks, double tree_weight, neighbours, double cap):
        """Take the models and the weight of the trees; `neighbours` are columns, and steps to them."""
        if not networks:
            raise ValueError("no network")
        self.trees, self.networks, self.cap = trees, networks, cap
        self.of_trees, self.of_networks = <float> tree_weight, <float> (1 - tree_weight)
        near, shifts = neighbours
        self.near, self.shifts = np.array(near, np.intp), np.array(shifts, np.intp)

    def __call__(self, const float[:, :] values, const float[::1] mass, groups):
        """Return a logit for each place, of double precision; the arguments are those of networks."""
        cdef Py_ssize_t places = values.shape[1], columns = self.near.shape[0], place, shift, column
        cdef NetworkLogits network
        around = np.zeros((self.shifts.shape[0] * columns, places), np.float32)
        cdef float[:, ::1] moved = around
        for column in range(columns):
            if not 0 <= self.near[column] < values.shape[0]:
                raise ValueError("neighbours have a column that there is not")
        with nogil:
            for shift in range(self.shifts.shape[0]):
                for column in range(columns):
                    for place in range(
                        max(self.shifts[shift], 0), places + min(self.shifts[shift], 0)
                    ):
                        moved[shift * columns + column, place] = values[
                            self.near[column], place - self.shifts[shift]
                        ]
        cdef float[::1] tree = self.trees(values, around)
        answers = [network(values, mass, groups) for network in self.networks]
        cdef float[::1] net = sum(answers[1:], answers[0])
        logits = np.empty(places)
        cdef double[::1] to = logits
        cdef float count = len(self.networks), blend
        with nogil:
            for place in range(places):
                blend = self.of_trees * tree[place] + self.of_networks * (net[place] / count)
                to[place] = min(max(<double> blend, -self.cap), self.cap)
        return logits


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
