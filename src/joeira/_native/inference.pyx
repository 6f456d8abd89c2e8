"""Kernels of `joeira.arrays.inference`: boosted oblivious trees, and a small network.

Both come as a class that is made once from the learned weights and called for each page. What is
summed is summed in one fixed order, entry by entry: vector instructions work on neighbouring
places, never on parts of one sum, so that the bits do not depend on the machine. The trees add up in
the order of their reference, with the same bits; the network agrees with its reference to 1e-4 of a
logit, since BLAS keeps to no order.
"""

import numpy as np

cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

cdef extern from "loops.h" nogil:
    enum:
        PLACES "JOEIRA_PLACES"
        TILE "JOEIRA_TILE"
        MANY_LEAVES "JOEIRA_MANY_LEAVES"
    Py_ssize_t byte_of "JOEIRA_BYTE"(Py_ssize_t place) noexcept
    bint adds_many_leaves "JOEIRA_ADDS_MANY_LEAVES"() noexcept
    bint joeira_varies(const float* values, Py_ssize_t count) noexcept
    void joeira_answer(
        const float* values,
        Py_ssize_t step,
        Py_ssize_t columns,
        const float* more,
        Py_ssize_t more_step,
        const int32_t* column,
        const float* border,
        const int32_t* asked,
        Py_ssize_t questions,
        uint8_t* said,
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
    void joeira_add_many_leaves(
        const uint8_t* number, const float* leaf, Py_ssize_t trees, float* sum
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
    void joeira_group_means(
        const float* lines,
        Py_ssize_t count,
        Py_ssize_t width,
        const int32_t* group,
        Py_ssize_t groups,
        float* means,
        int32_t* sizes,
    ) noexcept
    uint32_t joeira_greatest(const int32_t* numbers, Py_ssize_t count) noexcept
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

cdef extern from "layers.h" nogil:
    enum:
        OUTPUTS "JOEIRA_OUTPUTS"
    ctypedef struct Lines "joeira_lines":
        const float* first
        Py_ssize_t step, apart, inputs, parts, between
    ctypedef struct Shared "joeira_shared":
        const float* added
        const int32_t* number
    ctypedef struct LayerOf "joeira_layer":
        const float* weight
        const float* bias
        Py_ssize_t width
        const Shared* shared
        Py_ssize_t shares
        const float* base
    void joeira_write_layer(
        const Lines* lines, Py_ssize_t count, const LayerOf* layer, float* to
    ) noexcept

cdef object EXP = np.exp


cdef struct Columns:
    # One line for each column, with a number for each place; the last columns may lie elsewhere.
    const float* first
    const float* more
    Py_ssize_t columns  # of the first ones
    Py_ssize_t all_columns
    Py_ssize_t places


cdef inline const float* line_of(const Columns* given, Py_ssize_t column) noexcept nogil:
    """Return the numbers of a column."""
    if column < given.columns:
        return given.first + column * given.places
    return given.more + (column - given.columns) * given.places


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

    @cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
    def __call__(self, first, more):
        """Return the sum of all trees for each row; `first` and `more` have one line per column."""
        cdef const float[:, ::1] lines = np.ascontiguousarray(first)
        cdef const float[:, ::1] other = np.ascontiguousarray(more)
        if lines.shape[1] != other.shape[1]:
            raise ValueError("columns that the trees do not fit")
        cdef Columns given = Columns(
            &lines[0, 0], &other[0, 0], lines.shape[0], lines.shape[0] + other.shape[0], lines.shape[1]
        )
        sums = np.empty(given.places, np.float32)
        cdef float[::1] to = sums
        self.add_up(&given, &to[0])
        return sums

    cdef int add_up(self, const Columns* given, float* to) except -1:
        """Write the sum of all trees for each row."""
        if given.all_columns < self.least_columns:
            raise ValueError("columns that the trees do not fit")
        if not given.places:
            return 0
        cdef Py_ssize_t rows = given.places, trees = self.leaf.shape[0], columns = given.all_columns
        cdef Py_ssize_t questions = self.question_column.shape[0], start = 0, places, place, asked
        cdef Py_ssize_t padding = columns * PLACES if rows < PLACES else 0
        # Answers to each question, and leaves of each tree; the questions that are asked about each
        # place; where there are few places, the numbers of each column with room after them.
        cdef uint8_t* said = <uint8_t*> PyMem_RawCalloc(
            (questions + trees + 1) * PLACES + (questions + padding) * sizeof(float), 1
        )
        if said == NULL:
            raise MemoryError
        cdef uint8_t* number = said + questions * PLACES
        cdef int32_t* question = <int32_t*> (number + (trees + 1) * PLACES)
        cdef float* wide = <float*> (question + questions)
        cdef Columns few = given[0]
        cdef float total[PLACES]
        cdef bint is_quick = self.leaf.shape[1] == MANY_LEAVES and adds_many_leaves()
        with nogil:
            asked = self.answer_once(given, question, said)
            if padding:
                for place in range(columns):
                    memcpy(wide + place * PLACES, line_of(given, place), rows * sizeof(float))
                few = Columns(wide, wide, columns, columns, PLACES)
            while start < rows:
                # The last rows with those before them, as many as ever: that is the quicker way.
                if start + PLACES > rows:
                    start = max(rows - PLACES, 0)
                places = min(PLACES, rows - start)
                if asked:
                    joeira_answer(
                        few.first + start,
                        few.places,
                        few.columns,
                        few.more + start,
                        few.places,
                        &self.question_column[0],
                        &self.question_border[0],
                        question,
                        asked,
                        said,
                    )
                if trees:
                    joeira_descend(
                        said, &self.question[0, 0], trees, self.question.shape[1], number
                    )
                if is_quick and trees:
                    joeira_add_many_leaves(number, &self.leaf[0, 0], trees, total)
                else:
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

    cdef Py_ssize_t answer_once(
        self, const Columns* given, int32_t* asked, uint8_t* said
    ) noexcept nogil:
        """Answer the questions about columns that are the same everywhere; return how many are left.

        Of those the numbers are written. Questions about one column stand side by side.
        """
        cdef Py_ssize_t question, column = -1, count = 0
        cdef const float* value = NULL
        cdef bint varies = False
        for question in range(self.question_column.shape[0]):
            if self.question_column[question] != column:
                column = self.question_column[question]
                value = line_of(given, column)
                varies = joeira_varies(value, given.places)
            if varies:
                asked[count] = <int32_t> question
                count += 1
            else:
                memset(
                    said + question * PLACES, value[0] > self.question_border[question], PLACES
                )
        return count


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


cdef inline LayerOf of_layer(Layer layer, Py_ssize_t number, Py_ssize_t first) noexcept nogil:
    """Return one of some layers, with the weights of its inputs from the first that is wanted on."""
    return LayerOf(
        &layer.weight[number, first, 0], &layer.bias[number, 0], layer.weight.shape[2], NULL, 0, NULL
    )


cdef class NetworkLogits:
    """A network over a sequence: see `joeira.arrays.inference.Network`, whose layers it has."""

    cdef Layer inp, in2, pool, g1, fuse, out, convolutions, groups
    cdef Py_ssize_t[::1] dilations, group_after
    cdef const float[::1] center, scale
    cdef float[::1] out_weight, zeros
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
        self.zeros = np.zeros(self.width, np.float32)
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
        const float* values,
        Py_ssize_t columns,
        Py_ssize_t places,
        const float* mass,
        const int32_t* groups,
        Py_ssize_t groupings,
        float* to,
    ) except -1:
        """Add a logit for each place, of which there is at least one (see `BlendedLogits`)."""
        cdef Py_ssize_t width = self.width, size = places * width, around = self.reach * width
        cdef bint fits = columns == self.center.shape[0]
        fits &= (groupings + 1) * width == self.groups.weight.shape[1]
        if not fits or (groupings and joeira_greatest(groups, groupings * places) >= places):
            raise ValueError("columns or groups that the network does not fit")
        cdef Py_ssize_t most = 1 + joeira_greatest(groups, groupings * places)
        # Room for what is hidden, with zeros around it, where the convolutions look beyond the first
        # and the last place; for what all places share; for the layer after it, with the same zeros;
        # for the columns of a few places; for means of groups, layers of them, and how many places
        # each group has; and for what is shared by groups.
        cdef Py_ssize_t zeros = size + 2 * around + 4 * width
        cdef Py_ssize_t of_columns = columns * TILE
        cdef Py_ssize_t of_groups = most * ((groupings + 1) * width + 1)
        cdef Shared* shared = <Shared*> PyMem_RawMalloc(
            (groupings + 1) * sizeof(Shared)
            + (2 * zeros + of_columns + of_groups) * sizeof(float)
        )
        if shared == NULL:
            raise MemoryError
        cdef float* room = <float*> (shared + groupings + 1)
        cdef float* hidden = room + around
        cdef float* context = hidden + size + around
        cdef float* other = hidden + zeros
        cdef float* scratch = room + 2 * zeros
        cdef Lines lines = Lines(hidden, width, 1, width, 1, 0)
        cdef LayerOf layer
        with nogil:
            memset(room, 0, (zeros + around) * sizeof(float))
            memset(other + size, 0, around * sizeof(float))
            self.first_layer(values, columns, places, scratch, hidden)
            layer = of_layer(self.in2, 0, 0)
            layer.base = hidden
            joeira_write_layer(&lines, places, &layer, other)
            hidden = self.convolve(
                other, hidden, places, groups, groupings, shared, scratch + of_columns
            )
            self.share(hidden, places, mass, context)
            other = room + around if hidden == other else other
            lines.first, layer = hidden, of_layer(self.fuse, 0, 0)
            joeira_write_layer(&lines, places, &layer, other)
            joeira_output(
                other, places, width, context, &self.out_weight[0], self.out.bias[0, 0], to
            )
        PyMem_RawFree(shared)
        return 0

    cdef void first_layer(
        self,
        const float* values,
        Py_ssize_t columns,
        Py_ssize_t places,
        float* tile,
        float* to,
    ) noexcept nogil:
        """Standardise the columns, a few places at a time, and add the first layer of them."""
        cdef Py_ssize_t start = 0, held, width = self.width
        cdef Lines lines = Lines(tile, 1, TILE, columns, 1, 0)
        cdef LayerOf layer = of_layer(self.inp, 0, 0)
        while start < places:
            held = min(TILE, places - start)
            joeira_standardise(
                values + start,
                places,
                columns,
                &self.center[0],
                &self.scale[0],
                self.clip,
                tile,
                held,
            )
            layer.base = to + start * width
            joeira_write_layer(&lines, held, &layer, to + start * width)
            start += TILE

    cdef float* convolve(
        self,
        float* hidden,
        float* other,
        Py_ssize_t places,
        const int32_t* groups,
        Py_ssize_t groupings,
        Shared* shared,
        float* of_groups,
    ) noexcept nogil:
        """Add layer after layer over each place and those so far before and after it.

        Return where the last one is: each is written beside the one before.
        """
        cdef Py_ssize_t number, mixed = 0, width = self.width, reach
        cdef Lines lines
        cdef LayerOf layer
        for number in range(self.dilations.shape[0]):
            reach = self.dilations[number] * width
            if self.dilations[number] < places:
                lines = Lines(hidden - reach, width, 1, width, 3, reach)
                layer = of_layer(self.convolutions, number, 0)
            else:  # around each place there is none
                lines = Lines(hidden, width, 1, width, 1, 0)
                layer = of_layer(self.convolutions, number, width)
            layer.base = hidden
            joeira_write_layer(&lines, places, &layer, other)
            hidden, other = other, hidden
            if mixed < self.group_after.shape[0] and self.group_after[mixed] == number:
                self.mix_groups(mixed, hidden, places, groups, groupings, shared, of_groups, other)
                hidden, other = other, hidden
                mixed += 1
        return hidden

    cdef void mix_groups(
        self,
        Py_ssize_t number,
        const float* hidden,
        Py_ssize_t places,
        const int32_t* groups,
        Py_ssize_t groupings,
        Shared* shared,
        float* means,
        float* to,
    ) noexcept nogil:
        """Write what is hidden, and a layer over each place and the means of its groups."""
        cdef Py_ssize_t grouping, count, width = self.width
        cdef Py_ssize_t most = 1 + joeira_greatest(groups, groupings * places)
        cdef float* products = means + most * width
        cdef int32_t* sizes = <int32_t*> (products + groupings * most * width)
        cdef const int32_t* group = groups
        cdef Lines lines = Lines(means, width, 1, width, 1, 0)
        cdef LayerOf layer
        for grouping in range(groupings):
            count = 1 + joeira_greatest(group, places)
            joeira_group_means(hidden, places, width, group, count, means, sizes)
            layer = of_layer(self.groups, number, (grouping + 1) * width)
            layer.bias = &self.zeros[0]
            joeira_write_layer(&lines, count, &layer, products)
            shared[grouping] = Shared(products, group)
            products += count * width
            group += places
        lines.first, layer = hidden, of_layer(self.groups, number, 0)
        layer.shared, layer.shares, layer.base = shared, groupings, hidden
        joeira_write_layer(&lines, places, &layer, to)

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
        cdef Lines lines = Lines(pooled, 2 * width, 1, 2 * width, 1, 0)
        cdef LayerOf layer = of_layer(self.pool, 0, 0)
        joeira_add_lines(hidden, places, width, mass, pooled, pooled + width)
        for place in range(places):
            weight += mass[place]
        weight = max(weight, <float> 1e-6)
        for k in range(width):
            pooled[k] /= <float> places
            pooled[width + k] /= weight
        layer.base = between  # of zeros
        joeira_write_layer(&lines, 1, &layer, between)
        lines = Lines(between, width, 1, width, 1, 0)
        layer = of_layer(self.g1, 0, 0)
        joeira_write_layer(&lines, 1, &layer, context)


cdef class BlendedLogits:
    """Trees and networks together: the same as `joeira.blockmodel.model` blends, in one call.

    The trees also look at some columns of the places before and after.
    """

    def __init__(self, TreeSums trees not None, list networks not None, double tree_weight, neighbours, double cap):
        """Take the models and the weight of the trees; `neighbours` are columns, and steps to them."""
        if not networks or not all(isinstance(network, NetworkLogits) for network in networks):
            raise ValueError("no network")
        self.trees, self.networks, self.cap = trees, networks, cap
        self.of_trees, self.of_networks = <float> tree_weight, <float> (1 - tree_weight)
        near, shifts = neighbours
        self.near, self.shifts = np.array(near, np.intp), np.array(shifts, np.intp)

    @cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
    def __call__(
        self, const float[:, ::1] values, const float[::1] mass, const int32_t[:, ::1] groups
    ):
        """Return a logit for each place, of double precision.

        Args:
            values: One line per column, with a number for each place.
            mass: The weight of each place where the networks look at all of them together.
            groups: Per grouping, the number of the group of each place, less than the places.
        """
        cdef Py_ssize_t places = values.shape[1]
        if mass.shape[0] != places or groups.shape[1] != places:
            raise ValueError("columns or groups that the network does not fit")
        logits = np.empty(places)
        cdef double[::1] to = logits
        self.write(
            &values[0, 0], values.shape[0], places, &mass[0], &groups[0, 0], groups.shape[0], &to[0]
        )
        return logits

    cdef int write(
        self,
        const float* values,
        Py_ssize_t columns,
        Py_ssize_t places,
        const float* mass,
        const int32_t* groups,
        Py_ssize_t groupings,
        double* to,
    ) except -1:
        """Write a logit for each place (see `__call__`)."""
        cdef Py_ssize_t near = self.near.shape[0], lines = self.shifts.shape[0] * near, number
        cdef NetworkLogits network
        for number in range(near):
            if not 0 <= self.near[number] < columns:
                raise ValueError("neighbours have a column that there is not")
        if not places:
            return 0
        cdef float* more = <float*> PyMem_RawCalloc((lines + 2) * places, sizeof(float))
        if more == NULL:
            raise MemoryError
        cdef float* tree = more + lines * places
        cdef float* net = tree + places
        cdef Columns given = Columns(values, more, columns, columns + lines, places)
        cdef float count = len(self.networks), blend
        try:
            self.write_neighbours(values, places, more)
            (<TreeSums> self.trees).add_up(&given, tree)
            for network in self.networks:
                network.add_to(values, columns, places, mass, groups, groupings, net)
            with nogil:
                for number in range(places):
                    blend = self.of_trees * tree[number] + self.of_networks * (net[number] / count)
                    to[number] = min(max(<double> blend, -self.cap), self.cap)
        finally:
            PyMem_RawFree(more)
        return 0

    cdef void write_neighbours(
        self, const float* values, Py_ssize_t places, float* to
    ) noexcept nogil:
        """Write some columns of the places before and after each place, where there are such."""
        cdef Py_ssize_t number, column, shift, size
        cdef const float* value
        for number in range(self.shifts.shape[0]):
            shift = self.shifts[number]
            size = places - max(shift, -shift)
            for column in range(self.near.shape[0]):
                value = values + self.near[column] * places
                if size > 0:
                    memcpy(to + max(shift, 0), value + max(-shift, 0), size * sizeof(float))
                to += places


cdef class Calibration:
    """Probabilities of logits, which become others on the way."""

    def __init__(self, logits):
        """Take some logits, in order, and what becomes of each; others become what is between."""
        self.logits = logits
        if self.logits.shape[0] != 2 or not self.logits.shape[1]:
            raise ValueError("a calibration that has not two rows")

    @cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
    def __call__(self, const double[::1] logits):
        """Return the probability of each logit."""
        probability = np.empty(logits.shape[0])
        cdef double[::1] to = probability
        self.write(&logits[0], logits.shape[0], probability, &to[0])
        return probability

    cdef write(self, const double* logits, Py_ssize_t count, array, double* to):
        """Write the probability of each logit into an array, which begins at a place."""
        cdef Py_ssize_t item
        with nogil:
            self.write_logits(logits, count, to)
        EXP(array, array)  # as the reference has it, to the last bit
        with nogil:
            for item in range(count):
                to[item] = 1 / (1 + to[item])

    cdef void write_logits(self, const double* logits, Py_ssize_t count, double* to) noexcept nogil:
        """Write what becomes of each logit, with the other sign."""
        cdef Py_ssize_t known = self.logits.shape[1], item, low, high, middle
        cdef const double* before = &self.logits[0, 0]
        cdef const double* after = &self.logits[1, 0]
        cdef double logit, slope
        for item in range(count):
            logit = logits[item]
            low, high = 0, known
            while low < high:
                middle = (low + high) // 2
                if before[middle] <= logit:
                    low = middle + 1
                else:
                    high = middle
            if low == 0 or low == known:
                to[item] = -after[max(low - 1, 0)]
            else:
                slope = (after[low] - after[low - 1]) / (before[low] - before[low - 1])
                to[item] = -(slope * (logit - before[low - 1]) + after[low - 1])
