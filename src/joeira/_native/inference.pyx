"""Kernels of `joeira.arrays.inference`: boosted oblivious trees, and a small network.

Both come as a class that is made once from the learned weights and called for each page. What is
summed is summed in one fixed order, entry by entry: vector instructions work on neighbouring
places, never on parts of one sum, so that the bits do not depend on the machine. The trees add up in
the order of their reference, with the same bits; the network agrees with its reference to 1e-4 of a
logit, since BLAS keeps to no order.
"""

import numpy as np

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

cdef extern from "loops.h" nogil:
    enum:
        OUTPUTS "JOEIRA_OUTPUTS"
        PLACES "JOEIRA_PLACES"
        TILE "JOEIRA_TILE"
    Py_ssize_t byte_of "JOEIRA_BYTE"(Py_ssize_t place) noexcept
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
        Py_ssize_t count,
    ) noexcept
    void joeira_standardise(
        const float* values,
        Py_ssize_t step,
        Py_ssize_t columns,
        const float* center,
        const float* scale,
        float clip,
        float* tile,
        Py_ssize_t held,
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
    void joeira_add_positive(float* to, const float* values, Py_ssize_t count) noexcept
    void joeira_group_means(
        const float* lines,
        Py_ssize_t count,
        Py_ssize_t width,
        const int32_t* group,
        Py_ssize_t groups,
        float* means,
        int32_t* sizes,
    ) noexcept
    void joeira_add_of_group(
        float* to, const float* of_group, const int32_t* group, Py_ssize_t count, Py_ssize_t width
    ) noexcept
    void joeira_add_lines(
        const float* lines,
        Py_ssize_t count,
        Py_ssize_t width,
        const float* mass,
        float* plain,
        float* weighted,
    ) noexcept
    void joeira_output(
        const float* lines,
        Py_ssize_t count,
        Py_ssize_t width,
        const float* context,
        const float* weight,
        float bias,
        float* to,
    ) noexcept


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
        self.check(first, more)
        cdef Py_ssize_t rows = first.shape[1]
        sums = np.empty(rows, np.float32)
        cdef float[::1] to = sums
        if rows:
            self.add_up(first, more, &to[0])
        return sums

    cdef int check(self, const float[:, :] first, const float[:, :] more) except -1:
        if more.shape[1] != first.shape[1] or first.shape[0] + more.shape[0] < self.least_columns:
            raise ValueError("columns that the trees do not fit")
        return 0

    cdef int add_up(self, const float[:, :] first, const float[:, :] more, float* to) except -1:
        """Write the sum of all trees for each row."""
        cdef Py_ssize_t rows = first.shape[1], trees = self.leaf.shape[0]
        cdef Py_ssize_t questions = self.question_column.shape[0], start = 0, places, place
        # Answers to each question, and leaves of each tree; none is asked about where rows are few.
        cdef uint8_t* said = <uint8_t*> PyMem_RawCalloc(questions + trees + 1, PLACES)
        cdef uint8_t* number = said + questions * PLACES
        cdef float total[PLACES]
        if said == NULL:
            raise MemoryError
        with nogil:
            while start < rows:
                # The last rows with those before them, as many as ever: that is the quicker way.
                if start + PLACES > rows:
                    start = max(rows - PLACES, 0)
                places = min(PLACES, rows - start)
                self.answer(first, more, start, places, said)
                if trees:
                    joeira_descend(
                        said, &self.question[0, 0], trees, self.question.shape[1], number
                    )
                joeira_add_leaves(
                    number,
                    &self.leaf[0, 0] if trees else NULL,
                    trees,
                    self.leaf.shape[1],
                    total,
                    min(PLACES, (places + 31) & ~31),  # answers come in halves
                )
                for place in range(places):
                    to[start + place] = total[byte_of(place)] + self.bias
                start += PLACES
        PyMem_RawFree(said)
        return 0

    cdef void answer(
        self,
        const float[:, :] first,
        const float[:, :] more,
        Py_ssize_t start,
        Py_ssize_t places,
        uint8_t* said,
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
                said,
                places,
            )
            return
        for question in range(self.question_column.shape[0]):
            column = self.question_column[question]
            for place in range(places):
                said[question * PLACES + byte_of(place)] = (
                    first[column, start + place]
                    if column < columns
                    else more[column - columns, start + place]
                ) > self.question_border[question]


cdef padded(array, Py_ssize_t parts):
    """Return a layer with as many zeros after its outputs as make them a multiple of `OUTPUTS`.

    A layer over other layers has inputs padded in the same way: `parts` of them, side by side.
    """
    inputs, outputs = array.shape
    if not inputs or (parts and inputs % parts):
        raise ValueError("a layer whose parts do not fit each other")
    by_part = np.asarray(array, np.float32).reshape(parts or 1, -1, outputs)
    more = -by_part.shape[1] % OUTPUTS if parts else 0
    wider = np.pad(by_part, ((0, 0), (0, more), (0, -outputs % OUTPUTS)))
    return wider.reshape(-1, wider.shape[2])


cdef class Layer:
    """One dense layer, or several of one size: a matrix of weights and a bias for each."""

    cdef float[:, :, ::1] weight
    cdef float[:, ::1] bias
    cdef readonly tuple shape

    def __init__(self, layers, parts=0):
        """Take the weights and the biases of one or several layers."""
        weights = [padded(weight, parts) for weight, _ in layers]
        biases = [padded(bias[None], 0)[0] for _, bias in layers]
        if [weight.shape[1:] for weight in weights] != [bias.shape for bias in biases]:
            raise ValueError("a layer whose parts do not fit each other")
        self.weight, self.bias = np.stack(weights), np.stack(biases)
        self.shape = self.weight.shape[1], self.weight.shape[2]


cdef void multiply(
    const float* lines, Py_ssize_t count, Py_ssize_t inputs, Layer layer, Py_ssize_t number, float* to
) noexcept nogil:
    """Write one of some layers of lines that stand side by side, each with so many inputs."""
    joeira_product(
        lines,
        inputs,
        1,
        count,
        &layer.weight[number, 0, 0],
        inputs,
        layer.weight.shape[2],
        &layer.bias[number, 0],
        to,
    )


cdef class NetworkLogits:
    """A network over a sequence: see `joeira.arrays.inference.Network`, whose layers it has."""

    cdef Layer inp, in2, pool, g1, fuse, out, convolutions, groups
    cdef Py_ssize_t[::1] dilations, group_after
    cdef const float[::1] center, scale
    cdef float[::1] out_weight
    cdef float clip
    cdef Py_ssize_t width, reach

    def __init__(self, weights, dilations, group_after, center, scale, float clip):
        """Check the layers; inputs are standardised by `center` and `scale`, and cut at `clip`."""
        def layer(parts, *names):
            return Layer([(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names], parts)

        outputs = weights["inp.weight"].shape[1]
        groupings = weights["grp.0.weight"].shape[0] // outputs
        self.inp, self.in2, self.fuse = layer(0, "inp"), layer(1, "in2"), layer(1, "fuse")
        self.pool, self.g1, self.out = layer(2, "pool"), layer(1, "g1"), layer(1, "out")
        self.convolutions = layer(3, *(f"conv.{number}" for number in range(len(dilations))))
        self.groups = layer(groupings, *(f"grp.{number}" for number in range(len(group_after))))
        self.dilations = np.array(dilations, np.intp)
        self.group_after = np.array(group_after, np.intp)
        self.center, self.scale, self.clip = center, scale, clip
        self.width, self.reach = self.inp.weight.shape[2], max(dilations)
        self.out_weight = np.asarray(self.out.weight)[0, :, 0].copy()
        width = self.width
        fits = min(dilations) >= 1 and list(group_after) == sorted({*group_after})
        fits &= self.center.shape[0] == self.scale.shape[0]
        fits &= self.inp.shape == (self.center.shape[0], width)
        fits &= self.in2.shape == self.g1.shape == self.fuse.shape == (width, width)
        fits &= self.pool.shape == (2 * width, width) and self.out.shape[0] == width
        fits &= self.convolutions.shape == (3 * width, width)
        fits &= self.groups.shape == (groupings * width, width)
        if not fits:
            raise ValueError("a network whose layers do not fit each other")

    cdef int add_to(
        self,
        const float[:, ::1] values,
        const float[::1] mass,
        const int32_t[:, ::1] groups,
        float* to,
    ) except -1:
        """Add a logit for each place, of which there is at least one (see `BlendedLogits`)."""
        cdef Py_ssize_t places = values.shape[1], columns = values.shape[0], width = self.width
        cdef Py_ssize_t size = places * width, around = self.reach * width, grouping, place
        cdef int32_t most = 0
        cdef bint fits = columns == self.center.shape[0] and mass.shape[0] == places
        fits &= (groups.shape[0] + 1) * width == self.groups.weight.shape[1]
        fits &= groups.shape[1] == places
        if fits:
            for grouping in range(groups.shape[0]):
                for place in range(places):
                    fits &= 0 <= groups[grouping, place] < places
                    most = max(most, groups[grouping, place] + 1)
        if not fits:
            raise ValueError("columns or groups that the network does not fit")
        # Room for what is hidden, with zeros around it, where the convolutions look beyond the first
        # and the last place; for what all places share; for a fresh layer; for the columns of a few
        # places; for means of groups, a layer of them, and how many places each group has.
        cdef Py_ssize_t zeros = size + 2 * around + 4 * width, tile_size = columns * TILE
        cdef Py_ssize_t of_groups = most * (2 * width + 1)
        cdef float* room = <float*> PyMem_RawMalloc(
            (zeros + size + tile_size + of_groups) * sizeof(float)
        )
        if room == NULL:
            raise MemoryError
        cdef float* hidden = room + around
        cdef float* context = hidden + size + around
        cdef float* fresh = room + zeros
        cdef float* tile = fresh + size
        with nogil:
            memset(room, 0, zeros * sizeof(float))
            self.first_layer(values, tile, fresh)
            joeira_add_positive(hidden, fresh, size)
            multiply(hidden, places, width, self.in2, 0, fresh)
            joeira_add_positive(hidden, fresh, size)
            self.convolve(hidden, places, groups, fresh, tile + tile_size)
            self.share(hidden, places, &mass[0], context)
            multiply(hidden, places, width, self.fuse, 0, fresh)
            joeira_output(
                fresh, places, width, context, &self.out_weight[0], self.out.bias[0, 0], to
            )
        PyMem_RawFree(room)
        return 0

    cdef void first_layer(self, const float[:, ::1] values, float* tile, float* to) noexcept nogil:
        """Standardise the columns, a few places at a time, and write the first layer of them."""
        cdef Py_ssize_t places = values.shape[1], columns = values.shape[0], start = 0, held
        while start < places:
            held = min(TILE, places - start)
            joeira_standardise(
                &values[0, start],
                places,
                columns,
                &self.center[0],
                &self.scale[0],
                self.clip,
                tile,
                held,
            )
            joeira_product(
                tile,
                1,
                TILE,
                held,
                &self.inp.weight[0, 0, 0],
                columns,
                self.width,
                &self.inp.bias[0, 0],
                to + start * self.width,
            )
            start += TILE

    cdef void convolve(
        self,
        float* hidden,
        Py_ssize_t places,
        const int32_t[:, ::1] groups,
        float* fresh,
        float* of_groups,
    ) noexcept nogil:
        """Add layer after layer over each place and those so far before and after it."""
        cdef Py_ssize_t number, part, mixed = 0, width = self.width
        for number in range(self.dilations.shape[0]):
            for part in range(3):
                joeira_product(
                    hidden + (part - 1) * self.dilations[number] * width,
                    width,
                    1,
                    places,
                    &self.convolutions.weight[number, part * width, 0],
                    width,
                    width,
                    &self.convolutions.bias[number, 0] if part == 0 else NULL,
                    fresh,
                )
            joeira_add_positive(hidden, fresh, places * width)
            if mixed < self.group_after.shape[0] and self.group_after[mixed] == number:
                self.mix_groups(mixed, hidden, places, groups, fresh, of_groups)
                mixed += 1

    cdef void mix_groups(
        self,
        Py_ssize_t number,
        float* hidden,
        Py_ssize_t places,
        const int32_t[:, ::1] groups,
        float* fresh,
        float* means,
    ) noexcept nogil:
        """Add a layer over each place and the means of its groups."""
        cdef Py_ssize_t grouping, place, width = self.width
        cdef float* products
        cdef int32_t count
        multiply(hidden, places, width, self.groups, number, fresh)
        for grouping in range(groups.shape[0]):
            count = 0
            for place in range(places):
                count = max(count, groups[grouping, place] + 1)
            products = means + count * width
            joeira_group_means(
                hidden,
                places,
                width,
                &groups[grouping, 0],
                count,
                means,
                <int32_t*> (products + count * width),
            )
            memset(products, 0, count * width * sizeof(float))
            joeira_product(
                means,
                width,
                1,
                count,
                &self.groups.weight[number, (grouping + 1) * width, 0],
                width,
                width,
                NULL,
                products,
            )
            joeira_add_of_group(fresh, products, &groups[grouping, 0], places, width)
        joeira_add_positive(hidden, fresh, places * width)

    cdef void share(
        self, const float* hidden, Py_ssize_t places, const float* mass, float* context
    ) noexcept nogil:
        """Write what the page as a whole adds to each place: two layers over two means.

        After the context itself, as wide as a layer, comes room for what is between.
        """
        cdef Py_ssize_t width = self.width, place, k
        cdef float* between = context + width
        cdef float* pooled = context + 2 * width
        cdef float weight = 0
        joeira_add_lines(hidden, places, width, mass, pooled, pooled + width)
        for place in range(places):
            weight += mass[place]
        weight = max(weight, <float> 1e-6)
        for k in range(width):
            pooled[k] /= <float> places
            pooled[width + k] /= weight
        multiply(pooled, 1, 2 * width, self.pool, 0, between)
        for k in range(width):
            between[k] = max(between[k], <float> 0)
        multiply(between, 1, width, self.g1, 0, context)


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

    def __call__(
        self, const float[:, ::1] values, const float[::1] mass, const int32_t[:, ::1] groups
    ):
        """Return a logit for each place, of double precision.

        Args:
            values: One line per column, with a number for each place.
            mass: The weight of each place where the networks look at all of them together.
            groups: Per grouping, the number of the group of each place, less than the places.
        """
        cdef Py_ssize_t places = values.shape[1], columns = self.near.shape[0], column, place
        cdef Py_ssize_t lines = self.shifts.shape[0] * columns
        cdef NetworkLogits network
        logits = np.empty(places)
        cdef double[::1] to = logits
        for column in range(columns):
            if not 0 <= self.near[column] < values.shape[0]:
                raise ValueError("neighbours have a column that there is not")
        if not places:
            return logits
        scratch = np.zeros((lines + 2, places), np.float32)
        cdef float[:, ::1] room = scratch
        cdef float* tree = &room[lines, 0]
        cdef float* net = &room[lines + 1, 0]
        self.write_neighbours(values, room)
        self.trees.check(values, room[:lines])
        self.trees.add_up(values, room[:lines], tree)
        for network in self.networks:
            network.add_to(values, mass, groups, net)
        cdef float count = len(self.networks), blend
        with nogil:
            for place in range(places):
                blend = self.of_trees * tree[place] + self.of_networks * (net[place] / count)
                to[place] = min(max(<double> blend, -self.cap), self.cap)
        return logits

    cdef void write_neighbours(self, const float[:, ::1] values, float[:, ::1] to) noexcept nogil:
        """Write some columns of the places before and after each place, where there are such."""
        cdef Py_ssize_t places = values.shape[1], line = 0, number, column, shift, place
        for number in range(self.shifts.shape[0]):
            shift = self.shifts[number]
            for column in range(self.near.shape[0]):
                for place in range(max(shift, 0), places + min(shift, 0)):
                    to[line, place] = values[self.near[column], place - shift]
                line += 1
