/* The innermost loops of inference, for which what a compiler makes of them matters. */

#ifndef JOEIRA_LOOPS_H
#define JOEIRA_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Unused: not every kernel that reads this file has all of the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#define JOEIRA_SCALAR \
    __attribute__((unused, optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#define JOEIRA_INLINE __attribute__((always_inline))
#elif defined(__clang__)
#define JOEIRA_SCALAR __attribute__((unused))
#define JOEIRA_INLINE
#else
#define JOEIRA_SCALAR
#define JOEIRA_INLINE
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) \
    && !defined(__SANITIZE_ADDRESS__)
#define JOEIRA_CLONES \
    __attribute__((unused, optimize("O3"), target_clones("avx512f", "avx2", "default")))
#elif defined(__GNUC__)
#define JOEIRA_CLONES __attribute__((unused))
#else
#define JOEIRA_CLONES
#endif

/* Add to each sum the leaf of that number. Vectors do not help where places are looked up: GCC would
gather them one by one, in three times the time. */
JOEIRA_SCALAR static void
joeira_add_leaves(float *sum, const float *leaf, const uint8_t *number, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++)
        sum[i] += leaf[number[i]];
}

/* Answer a question about each number: is it above a border? */
JOEIRA_CLONES static void
joeira_answer(const float *value, float border, uint8_t *said, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++)
        said[i] = value[i] > border;
}

/* Lead each number one level down a tree. */
JOEIRA_CLONES static void
joeira_descend(uint8_t *number, const uint8_t *said, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++)
        number[i] = (uint8_t)(2 * number[i] + said[i]);
}

/* Standardise numbers, and cut them. */
JOEIRA_CLONES static void
joeira_standardise(const float *value, float center, float scale, float clip, float *to,
                   ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        float standard = (value[i] - center) * scale;
        standard = standard > -clip ? standard : -clip;
        to[i] = standard < clip ? standard : clip;
    }
}

/* The product of a matrix with a small matrix of weights.

Four lines by up to 32 outputs at a time. Neighbouring outputs share a vector, and each sum is made in
the order of the inputs, so that vectors of any length give the same bits, as long as nothing is fused
(-ffp-contract=off). That is why the fastest version that a processor has may be chosen at run time. */
enum { JOEIRA_LINES = 4, JOEIRA_OUTPUTS = 8, JOEIRA_MOST_OUTPUTS = 32 };

/* Sum the inputs of some lines for so many outputs, a number that the compiler knows; each sum begins
with its bias or, without any, with what is there. */
JOEIRA_INLINE static inline void
joeira_tile(const float *const *line, ptrdiff_t apart, const float *weight, ptrdiff_t inputs,
            ptrdiff_t width, const float *bias, float *to, ptrdiff_t held, const int outputs)
{
    float sum[JOEIRA_LINES][JOEIRA_MOST_OUTPUTS];
    for (int i = 0; i < JOEIRA_LINES; i++)
        for (int j = 0; j < outputs; j++)
            sum[i][j] = bias ? bias[j] : to[(i < held ? i : held - 1) * width + j];
    for (ptrdiff_t k = 0; k < inputs; k++) {
        const float *of_input = weight + k * width;
        for (int i = 0; i < JOEIRA_LINES; i++) {
            const float value = line[i][k * apart];
            for (int j = 0; j < outputs; j++)
                sum[i][j] += value * of_input[j];
        }
    }
    for (ptrdiff_t i = 0; i < held; i++)
        for (int j = 0; j < outputs; j++)
            to[i * width + j] = sum[i][j];
}

/* Write, for each of `count` lines that stand `step` numbers apart, `width` sums of its `inputs`
numbers with weights, or add to what is there if there is no bias. The inputs of a line stand `apart`
numbers from each other. The width is a multiple of JOEIRA_OUTPUTS. */
JOEIRA_CLONES static void
joeira_product(const float *lines, ptrdiff_t step, ptrdiff_t apart, ptrdiff_t count,
               const float *weight, ptrdiff_t inputs, ptrdiff_t width, const float *bias, float *to)
{
    for (ptrdiff_t first = 0; first < count; first += JOEIRA_LINES) {
        const ptrdiff_t held = count - first < JOEIRA_LINES ? count - first : JOEIRA_LINES;
        const float *line[JOEIRA_LINES];
        for (int i = 0; i < JOEIRA_LINES; i++) /* the last one again where there are fewer */
            line[i] = lines + (first + (i < held ? i : held - 1)) * step;
        for (ptrdiff_t output = 0; output < width;) {
            const ptrdiff_t left = width - output;
            const float *own = weight + output;
            float *here = to + first * width + output;
            const float *begin = bias ? bias + output : NULL;
            if (left >= 32) {
                joeira_tile(line, apart, own, inputs, width, begin, here, held, 32);
                output += 32;
            } else if (left >= 24) {
                joeira_tile(line, apart, own, inputs, width, begin, here, held, 24);
                output += 24;
            } else if (left >= 16) {
                joeira_tile(line, apart, own, inputs, width, begin, here, held, 16);
                output += 16;
            } else {
                joeira_tile(line, apart, own, inputs, width, begin, here, held, 8);
                output += 8;
            }
        }
    }
}

/* The sum of some numbers, and their sum weighted. Eight sums side by side, added at the end: the same
order with vectors of any length. */
JOEIRA_CLONES static void
joeira_sums(const float *value, const double *weight, ptrdiff_t count, double *plain, double *weighted)
{
    double of_plain[8] = {0}, of_weighted[8] = {0};
    ptrdiff_t first = 0;
    for (; first + 8 <= count; first += 8)
        for (int i = 0; i < 8; i++) {
            of_plain[i] += value[first + i];
            of_weighted[i] += value[first + i] * weight[first + i];
        }
    *plain = *weighted = 0;
    for (; first < count; first++) {
        *plain += value[first];
        *weighted += value[first] * weight[first];
    }
    for (int i = 0; i < 8; i++) {
        *plain += of_plain[i];
        *weighted += of_weighted[i];
    }
}

#endif
