/* The product of a matrix with a small matrix of weights: a layer of a network.

Some lines by two vectors of outputs at a time, so that all sums stay in registers: five lines by sixteen
outputs in the sixteen registers that every processor of the last ten years has, eight by thirty-two where
there are thirty-two registers of sixteen numbers. Neighbouring outputs share a vector, and each sum is
made in the order of the inputs, so that vectors of any length give the same bits, as long as nothing is
fused (-ffp-contract=off). That is why the fastest version that a processor has may be chosen at run time. */

#ifndef JOEIRA_LAYERS_H
#define JOEIRA_LAYERS_H

#include "loops.h"

enum { JOEIRA_OUTPUTS = 8 };

/* Lines of numbers, `step` numbers apart, of one or several parts, `between` numbers apart. Of each part
there are so many inputs, which stand `apart` numbers from each other. */
typedef struct {
    const float *first;
    ptrdiff_t step, apart, inputs, parts, between;
} joeira_lines;

/* What several lines have in common: lines to be added, and per line the number of its own. */
typedef struct {
    const float *added;
    const int32_t *number;
} joeira_shared;

/* A layer: weights for each input of a line in turn, so many for each, and what each sum begins with.
What lines share is added in the end. With a base, what is above zero is added to that. */
typedef struct {
    const float *weight, *bias;
    ptrdiff_t width;
    const joeira_shared *shared;
    ptrdiff_t shares;
    const float *base;
} joeira_layer;

/* Numbers side by side: one vector, two halves of one, or single numbers, as a machine has it. A compiler
left to itself makes poor vectors of loops over arrays of sums. */
#if defined(__GNUC__)
typedef float joeira_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float joeira_sixteen __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t joeira_sixteen_masks __attribute__((vector_size(64), aligned(4), may_alias));
#define JOEIRA_LOAD(from) (*(const JOEIRA_VECTOR *)(from))
#define JOEIRA_STORE(to, vector) (*(JOEIRA_VECTOR *)(to) = (vector))
#define JOEIRA_ADD_PRODUCT(sum, value, vector) ((sum) += JOEIRA_ALL(value) * (vector))
#define JOEIRA_ADD(sum, vector) ((sum) += (vector))
#define JOEIRA_POSITIVE(vector) ((JOEIRA_VECTOR)(((vector) > 0) & (JOEIRA_MASKS)(vector)))
#else
typedef struct {
    float at[8];
} joeira_eight;
static joeira_eight
JOEIRA_LOAD(const float *from)
{
    joeira_eight eight;
    for (int i = 0; i < 8; i++)
        eight.at[i] = from[i];
    return eight;
}
#define JOEIRA_STORE(to, eight)              \
    do {                                     \
        for (int one = 0; one < 8; one++)    \
            (to)[one] = (eight).at[one];     \
    } while (0)
#define JOEIRA_ADD_PRODUCT(sum, value, eight)             \
    do {                                                  \
        for (int one = 0; one < 8; one++)                 \
            (sum).at[one] += (value) * (eight).at[one];   \
    } while (0)
static void
JOEIRA_ADD_EIGHT(joeira_eight *sum, joeira_eight eight)
{
    for (int i = 0; i < 8; i++)
        sum->at[i] += eight.at[i];
}
#define JOEIRA_ADD(sum, eight) JOEIRA_ADD_EIGHT(&(sum), (eight))
static joeira_eight
JOEIRA_POSITIVE(joeira_eight eight)
{
    for (int i = 0; i < 8; i++)
        eight.at[i] = eight.at[i] > 0 ? eight.at[i] : 0;
    return eight;
}
#endif

#define JOEIRA_VECTOR joeira_eight
#define JOEIRA_MASKS joeira_masks
#define JOEIRA_LANES 8
#define JOEIRA_ALL(value) \
    ((joeira_eight){(value), (value), (value), (value), (value), (value), (value), (value)})
#define JOEIRA_LINES 5
#define JOEIRA_TILE_OF joeira_tile_of_eights
#define JOEIRA_LAYER_OF joeira_write_layer_by_eights
#define JOEIRA_FOR JOEIRA_INLINE
#define JOEIRA_FOR_ALL JOEIRA_CLONES
#include "layer_tile.h"

/* Elsewhere GCC does not keep vectors of sixteen where they have to stand on the stack. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define JOEIRA_VECTOR joeira_sixteen
#define JOEIRA_MASKS joeira_sixteen_masks
#define JOEIRA_LANES 16
#define JOEIRA_ALL(value) ((value) - (joeira_sixteen){0})
#define JOEIRA_LINES 8
#define JOEIRA_TILE_OF joeira_tile_of_sixteens
#define JOEIRA_LAYER_OF joeira_write_layer_by_sixteens
#define JOEIRA_FOR __attribute__((always_inline, target("avx512f")))
#define JOEIRA_FOR_ALL __attribute__((unused, optimize("O3"), target("avx512f")))
#include "layer_tile.h"
#define JOEIRA_HAS_SIXTEENS() __builtin_cpu_supports("avx512f")
#else
#define joeira_write_layer_by_sixteens joeira_write_layer_by_eights
#define JOEIRA_HAS_SIXTEENS() 0
#endif

/* Write a layer of `count` lines, beside them. Its width is a multiple of JOEIRA_OUTPUTS. */
JOEIRA_UNUSED static void
joeira_write_layer(const joeira_lines *from, ptrdiff_t count, const joeira_layer *layer, float *to)
{
    if (layer->width % 16 == 0 && JOEIRA_HAS_SIXTEENS())
        joeira_write_layer_by_sixteens(from, count, layer, to);
    else
        joeira_write_layer_by_eights(from, count, layer, to);
}

#endif
