/* The innermost loops of kernels, for which what a compiler makes of them matters. */

#ifndef JOEIRA_LOOPS_H
#define JOEIRA_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Unused: not every kernel that reads this file has all of the loops. */
#if defined(__GNUC__)
#define JOEIRA_UNUSED __attribute__((unused))
#else
#define JOEIRA_UNUSED
#endif
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
#include <immintrin.h>
#define JOEIRA_HAS_CLONES
#define JOEIRA_CLONES \
    __attribute__((unused, optimize("O3"), target_clones("avx512f", "avx2", "default")))
#elif defined(__GNUC__)
#define JOEIRA_CLONES __attribute__((unused))
#else
#define JOEIRA_CLONES
#endif

/* Have something read from memory that will be needed soon. */
#if defined(__GNUC__)
#define JOEIRA_FETCH(address) __builtin_prefetch(address)
#else
#define JOEIRA_FETCH(address) ((void)(address))
#endif

/* Rows that the trees look at together: their answers stay in the nearest caches. The answers about 32
places are the bytes of eight numbers: those about each eighth place are one number, so that comparisons
of eight places make eight bytes without moving any. */
enum { JOEIRA_PLACES = 64 };
#define JOEIRA_BYTE(place) (((place) & ~31) + 4 * ((place) & 7) + (((place) >> 3) & 3))
#if defined(__GNUC__)
typedef uint8_t joeira_half __attribute__((vector_size(32), aligned(1), may_alias));
#define JOEIRA_DESCEND(number, said) ((number) += (number) + *(const joeira_half *)(said))
typedef float joeira_numbers __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t joeira_masks __attribute__((vector_size(32), aligned(1), may_alias));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define JOEIRA_ONE(byte) (1 << (24 - 8 * (byte)))
#else
#define JOEIRA_ONE(byte) (1 << (8 * (byte)))
#endif
#define JOEIRA_ABOVE(value, least, byte) \
    ((*(const joeira_numbers *)((value) + 8 * (byte)) > (least)) & JOEIRA_ONE(byte))
#define JOEIRA_COMPARE(value, least, said)                                               \
    (*(joeira_masks *)(said) = JOEIRA_ABOVE(value, least, 0) | JOEIRA_ABOVE(value, least, 1) \
                               | JOEIRA_ABOVE(value, least, 2) | JOEIRA_ABOVE(value, least, 3))
#else
typedef struct {
    uint8_t at[32];
} joeira_half;
#define JOEIRA_DESCEND(number, said)                                             \
    do {                                                                         \
        for (int one = 0; one < 32; one++)                                       \
            (number).at[one] = (uint8_t)(2 * (number).at[one] + (said)[one]);    \
    } while (0)
#define JOEIRA_COMPARE(value, least, said)                                       \
    do {                                                                         \
        for (int one = 0; one < 32; one++)                                       \
            (said)[JOEIRA_BYTE(one)] = (value)[one] > (least);                   \
    } while (0)
#endif

/* Answer some questions about JOEIRA_PLACES places: is a number above a border? The numbers of a column
stand side by side, columns `step` numbers apart; those from `columns` on are in `more`. */
JOEIRA_CLONES static void
joeira_answer(const float *values, ptrdiff_t step, ptrdiff_t columns, const float *more,
              ptrdiff_t more_step, const int32_t *column, const float *border,
              const int32_t *asked, ptrdiff_t questions, uint8_t *said)
{
    for (ptrdiff_t i = 0; i < questions; i++) {
        const ptrdiff_t question = asked[i], about = column[question];
        const float *value = about < columns ? values + about * step
                                             : more + (about - columns) * more_step;
        const float least = border[question];
        uint8_t *to = said + question * JOEIRA_PLACES;
        JOEIRA_COMPARE(value, least, to);
        JOEIRA_COMPARE(value + 32, least, to + 32);
    }
}

/* Whether some numbers are not all the same. */
JOEIRA_CLONES static int
joeira_varies(const float *values, ptrdiff_t count)
{
    const float first = values[0];
    for (; count >= 64; count -= 64, values += 64) {
        int32_t other = 0;
        for (int i = 0; i < 64; i++)
            other |= values[i] != first;
        if (other)
            return 1;
    }
    for (ptrdiff_t i = 0; i < count; i++)
        if (values[i] != first)
            return 1;
    return 0;
}

/* Lead all places down each tree: write the number of the leaf that each of them comes to. `said` has,
per question, one answer for each place; `question` the questions of tree after tree. */
JOEIRA_CLONES static void
joeira_descend(const uint8_t *said, const int32_t *question, ptrdiff_t trees, ptrdiff_t levels,
               uint8_t *number)
{
    for (ptrdiff_t tree = 0; tree < trees; tree++, question += levels, number += JOEIRA_PLACES) {
        const uint8_t *of_level = said + (ptrdiff_t)question[0] * JOEIRA_PLACES;
        joeira_half first = *(const joeira_half *)of_level;
        joeira_half second = *(const joeira_half *)(of_level + 32);
        for (ptrdiff_t level = 1; level < levels; level++) {
            of_level = said + (ptrdiff_t)question[level] * JOEIRA_PLACES;
            JOEIRA_DESCEND(first, of_level);
            JOEIRA_DESCEND(second, of_level + 32);
        }
        *(joeira_half *)number = first;
        *(joeira_half *)(number + 32) = second;
    }
}

/* Sum, for every answer, its leaves of all trees, in the order of the trees. Eight sums at a time, which
stay in registers. Vectors do not help where places are looked up: GCC would gather them one by one. */
JOEIRA_SCALAR static void
joeira_add_leaves(const uint8_t *number, const float *leaf, ptrdiff_t trees, ptrdiff_t leaves,
                  float *sum, ptrdiff_t count)
{
    for (ptrdiff_t first = 0; first < count; first += 8) {
        const uint8_t *at = number + first;
        const float *of_tree = leaf;
        float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        for (ptrdiff_t tree = 0; tree < trees; tree++, at += JOEIRA_PLACES, of_tree += leaves) {
            a += of_tree[at[0]];
            b += of_tree[at[1]];
            c += of_tree[at[2]];
            d += of_tree[at[3]];
            e += of_tree[at[4]];
            f += of_tree[at[5]];
            g += of_tree[at[6]];
            h += of_tree[at[7]];
        }
        float *to = sum + first;
        to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
    }
}

/* The same for trees of 64 leaves, whose values fill four vectors, on machines that look up sixteen
numbers at once in two of them. */
enum { JOEIRA_MANY_LEAVES = 64 };
#if defined(JOEIRA_HAS_CLONES)
__attribute__((unused, target("avx512f"))) static void
joeira_add_many_leaves(const uint8_t *number, const float *leaf, ptrdiff_t trees, float *sum)
{
    __m512 total[4];
    for (int i = 0; i < 4; i++)
        total[i] = _mm512_setzero_ps();
    for (ptrdiff_t tree = 0; tree < trees;
         tree++, number += JOEIRA_PLACES, leaf += JOEIRA_MANY_LEAVES) {
        const __m512 first = _mm512_loadu_ps(leaf), second = _mm512_loadu_ps(leaf + 16);
        const __m512 third = _mm512_loadu_ps(leaf + 32), fourth = _mm512_loadu_ps(leaf + 48);
        for (int i = 0; i < 4; i++) {
            const __m512i at =
                _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(number + 16 * i)));
            const __m512 low = _mm512_permutex2var_ps(first, at, second);
            const __mmask16 is_high = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
            const __m512 high = _mm512_permutex2var_ps(third, at, fourth);
            total[i] = _mm512_add_ps(total[i], _mm512_mask_blend_ps(is_high, low, high));
        }
    }
    for (int i = 0; i < 4; i++)
        _mm512_storeu_ps(sum + 16 * i, total[i]);
}
#define JOEIRA_ADDS_MANY_LEAVES() __builtin_cpu_supports("avx512f")
#else
#define joeira_add_many_leaves(number, leaf, trees, sum) ((void)0)
#define JOEIRA_ADDS_MANY_LEAVES() 0
#endif

/* Standardise the columns of `held` places, up to JOEIRA_TILE, and cut them. The numbers of a column stand
side by side, columns `step` numbers apart; in the tile as many as it has places. */
enum { JOEIRA_TILE = 20 }; /* few enough for the nearest cache */
JOEIRA_CLONES static void
joeira_standardise(const float *__restrict values, ptrdiff_t step, ptrdiff_t columns,
                   const float *__restrict center, const float *__restrict scale, float clip,
                   float *__restrict tile, ptrdiff_t held)
{
    for (ptrdiff_t column = 0; column < columns; column++, values += step, tile += JOEIRA_TILE) {
        /* A number of places that the compiler knows: what is beyond those held is read by nobody. */
        float near[JOEIRA_TILE] = {0};
        const float *value = values;
        if (held < JOEIRA_TILE) {
            memcpy(near, value, held * sizeof(float));
            value = near;
        }
        for (int i = 0; i < JOEIRA_TILE; i++) {
            float standard = (value[i] - center[column]) * scale[column];
            standard = standard > -clip ? standard : -clip;
            tile[i] = standard < clip ? standard : clip;
        }
    }
}

/* Count how often a character comes, whatever its width. Counts are as wide as characters, so that a
vector has as many of both, and taken of so few that they cannot overflow. */
#define JOEIRA_COUNT(name, type)                                                             \
    JOEIRA_CLONES static ptrdiff_t name(const type *text, ptrdiff_t size, type wanted)       \
    {                                                                                        \
        ptrdiff_t total = 0;                                                                 \
        for (; size >= 128; size -= 128, text += 128) {                                      \
            type some = 0;                                                                   \
            for (int i = 0; i < 128; i++)                                                    \
                some += text[i] == wanted;                                                   \
            total += some;                                                                   \
        }                                                                                    \
        for (ptrdiff_t i = 0; i < size; i++)                                                 \
            total += text[i] == wanted;                                                      \
        return total;                                                                        \
    }
JOEIRA_COUNT(joeira_count1, uint8_t)
JOEIRA_COUNT(joeira_count2, uint16_t)
JOEIRA_COUNT(joeira_count4, uint32_t)

/* Write the code points of characters, whatever their width. */
#define JOEIRA_WIDEN(name, type)                                                             \
    JOEIRA_CLONES static void name(const type *text, ptrdiff_t size, uint32_t *to)           \
    {                                                                                        \
        for (ptrdiff_t i = 0; i < size; i++)                                                 \
            to[i] = text[i];                                                                 \
    }
JOEIRA_WIDEN(joeira_widen1, uint8_t)
JOEIRA_WIDEN(joeira_widen2, uint16_t)

/* Write code points as characters that are as wide as the widest of them. */
#define JOEIRA_NARROW(name, type)                                                            \
    JOEIRA_CLONES static void name(const uint32_t *codes, ptrdiff_t size, type *to)          \
    {                                                                                        \
        for (ptrdiff_t i = 0; i < size; i++)                                                 \
            to[i] = (type)codes[i];                                                          \
    }
JOEIRA_NARROW(joeira_narrow1, uint8_t)
JOEIRA_NARROW(joeira_narrow2, uint16_t)

/* Every bit that is set in one of some numbers. */
JOEIRA_CLONES static uint32_t
joeira_bits(const uint32_t *numbers, ptrdiff_t size)
{
    uint32_t bits = 0;
    for (ptrdiff_t i = 0; i < size; i++)
        bits |= numbers[i];
    return bits;
}

/* Write what a table of the basic plane says of characters, and their code points. Those beyond it get
0; tell whether there are any. Eight at a time, as counting them takes as long as looking them up. */
#define JOEIRA_LOOK_UP(i) (classes[i] = table[text[i]])
#define JOEIRA_CLASSIFY(name, type, widen)                                                   \
    JOEIRA_UNUSED static int name(const type *text, ptrdiff_t size, const uint16_t *table,   \
                                  uint32_t *codes, uint16_t *classes)                        \
    {                                                                                        \
        widen(text, size, codes);                                                            \
        for (; size >= 8; size -= 8, text += 8, classes += 8) {                              \
            JOEIRA_LOOK_UP(0), JOEIRA_LOOK_UP(1), JOEIRA_LOOK_UP(2), JOEIRA_LOOK_UP(3);      \
            JOEIRA_LOOK_UP(4), JOEIRA_LOOK_UP(5), JOEIRA_LOOK_UP(6), JOEIRA_LOOK_UP(7);      \
        }                                                                                    \
        for (ptrdiff_t i = 0; i < size; i++)                                                 \
            JOEIRA_LOOK_UP(i);                                                               \
        return 0;                                                                            \
    }
#define JOEIRA_COPY(text, size, codes) memcpy(codes, text, (size) * sizeof(uint32_t))
JOEIRA_CLASSIFY(joeira_classify1, uint8_t, joeira_widen1)
JOEIRA_CLASSIFY(joeira_classify2, uint16_t, joeira_widen2)
JOEIRA_CLASSIFY(joeira_classify_basic4, uint32_t, JOEIRA_COPY)

JOEIRA_UNUSED static int
joeira_classify4(const uint32_t *text, ptrdiff_t size, const uint16_t *table, uint32_t *codes,
                 uint16_t *classes)
{
    if (joeira_bits(text, size) < 0x10000)
        return joeira_classify_basic4(text, size, table, codes, classes);
    for (ptrdiff_t i = 0; i < size; i++) {
        codes[i] = text[i];
        classes[i] = text[i] < 0x10000 ? table[text[i]] : 0;
    }
    return 1;
}

/* Write the mean over the lines of each group, and how many lines it has. Sums are made in the order of
the lines. */
JOEIRA_CLONES static void
joeira_group_means(const float *__restrict lines, ptrdiff_t count, ptrdiff_t width,
                   const int32_t *__restrict group, ptrdiff_t groups, float *__restrict means,
                   int32_t *__restrict sizes)
{
    memset(means, 0, groups * width * sizeof(float));
    memset(sizes, 0, groups * sizeof(int32_t));
    for (ptrdiff_t line = 0; line < count; line++) {
        float *sum = means + group[line] * width;
        sizes[group[line]]++;
        for (ptrdiff_t k = 0; k < width; k++)
            sum[k] += lines[line * width + k];
    }
    for (ptrdiff_t number = 0; number < groups; number++) {
        const float size = sizes[number] > 1 ? (float)sizes[number] : 1;
        for (ptrdiff_t k = 0; k < width; k++)
            means[number * width + k] /= size;
    }
}

/* Add lines to a sum, and to one in which each line counts as much as its mass. */
JOEIRA_CLONES static void
joeira_add_lines(const float *__restrict lines, ptrdiff_t count, ptrdiff_t width,
                 const float *__restrict mass, float *__restrict plain, float *__restrict weighted)
{
    for (ptrdiff_t line = 0; line < count; line++)
        for (ptrdiff_t k = 0; k < width; k++) {
            plain[k] += lines[line * width + k];
            weighted[k] += mass[line] * lines[line * width + k];
        }
}

/* Add to one number for each line the sum of what is above zero, once the context is added, with
weights. Four lines at a time, none of which has to wait for the sum of another. */
JOEIRA_CLONES static void
joeira_output(const float *lines, ptrdiff_t count, ptrdiff_t width, const float *context,
              const float *weight, float bias, float *to)
{
    for (ptrdiff_t first = 0; first < count; first += 4) {
        const int held = count - first < 4 ? (int)(count - first) : 4;
        const float *line[4];
        float sum[4] = {bias, bias, bias, bias};
        for (int i = 0; i < 4; i++) /* the last one again where there are fewer */
            line[i] = lines + (first + (i < held ? i : held - 1)) * width;
        for (ptrdiff_t k = 0; k < width; k++)
            for (int i = 0; i < 4; i++) {
                const float value = line[i][k] + context[k];
                sum[i] += (value > 0 ? value : 0) * weight[k];
            }
        for (int i = 0; i < held; i++)
            to[first + i] += sum[i];
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

/* Add weights to as many sums, each so many times; their number is a multiple of eight. */
JOEIRA_INLINE static inline void
joeira_add_weights(double *sums, const float *weight, ptrdiff_t count, double times)
{
    for (ptrdiff_t first = 0; first < count; first += 8)
        for (int i = 0; i < 8; i++)
            sums[first + i] += times * weight[first + i];
}

/* Write one number everywhere. */
JOEIRA_CLONES static void
joeira_fill(float *to, ptrdiff_t count, float value)
{
    for (ptrdiff_t i = 0; i < count; i++)
        to[i] = value;
}

/* Write, bit after bit, a column of which bits are set. */
JOEIRA_CLONES static void
joeira_write_bits(const uint32_t *__restrict bits, ptrdiff_t count, ptrdiff_t columns,
                  float *__restrict to)
{
    for (ptrdiff_t column = 0; column < columns; column++, to += count)
        for (ptrdiff_t i = 0; i < count; i++)
            to[i] = (float)(int32_t)((bits[i] >> column) & 1);
}

/* The greatest of some numbers; those below zero are greater than all others. */
JOEIRA_CLONES static uint32_t
joeira_greatest(const int32_t *numbers, ptrdiff_t count)
{
    uint32_t greatest = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        greatest = (uint32_t)numbers[i] > greatest ? (uint32_t)numbers[i] : greatest;
    return greatest;
}

/* Whether rows are those of a tree in preorder, as far as indices go: each but the first has its parent
before it, and ends after itself. */
JOEIRA_CLONES static int
joeira_are_rows(const int32_t *parent, const int32_t *end, ptrdiff_t rows)
{
    int32_t wrong = rows > 0 && parent[0] != -1;
    if (rows > INT32_MAX)
        return 0;
    for (int32_t row = 1; row < (int32_t)rows; row++)
        wrong |= (parent[row] < 0) | (parent[row] >= row);
    for (int32_t row = 0; row < (int32_t)rows; row++)
        wrong |= (end[row] <= row) | (end[row] > (int32_t)rows);
    return !wrong;
}

#endif
