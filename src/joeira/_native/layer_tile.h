/* A layer, written tile by tile, for vectors of one length: `layers.h` reads this once for each.

JOEIRA_VECTOR holds JOEIRA_LANES numbers and JOEIRA_MASKS as many masks; JOEIRA_ALL repeats one number. A
tile has up to JOEIRA_LINES lines. JOEIRA_TILE_OF and JOEIRA_LAYER_OF are the names of the two functions,
JOEIRA_FOR and JOEIRA_FOR_ALL say for which processors they are. */

/* Write the sums of some lines for so many vectors of outputs, a number that the compiler knows. */
JOEIRA_FOR static inline void
JOEIRA_TILE_OF(const joeira_lines *from, const joeira_layer *layer, ptrdiff_t first, ptrdiff_t held,
               ptrdiff_t output, float *to, const int vectors)
{
    const ptrdiff_t width = layer->width, apart = from->apart, inputs = from->inputs;
    const float *weight = layer->weight + output;
    const float *line[JOEIRA_LINES];
    JOEIRA_VECTOR sum[JOEIRA_LINES][2], of_input[2];
    for (int i = 0; i < JOEIRA_LINES; i++) { /* the last one again where there are fewer */
        line[i] = from->first + (first + (i < held ? i : held - 1)) * from->step;
        for (int j = 0; j < vectors; j++)
            sum[i][j] = JOEIRA_LOAD(layer->bias + output + JOEIRA_LANES * j);
    }
    for (ptrdiff_t part = 0; part < from->parts; part++) {
        for (ptrdiff_t k = 0; k < inputs; k++, weight += width) {
            for (int j = 0; j < vectors; j++)
                of_input[j] = JOEIRA_LOAD(weight + JOEIRA_LANES * j);
            for (int i = 0; i < JOEIRA_LINES; i++) {
                const float value = line[i][k * apart];
                for (int j = 0; j < vectors; j++)
                    JOEIRA_ADD_PRODUCT(sum[i][j], value, of_input[j]);
            }
        }
        for (int i = 0; i < JOEIRA_LINES; i++)
            line[i] += from->between;
    }
    for (int i = 0; i < JOEIRA_LINES; i++) /* a number that the compiler knows, too */
        for (int j = 0; j < vectors && i < held; j++) {
            const ptrdiff_t at = output + JOEIRA_LANES * j, here = (first + i) * width + at;
            for (ptrdiff_t share = 0; share < layer->shares; share++) {
                const joeira_shared *shared = layer->shared + share;
                JOEIRA_ADD(sum[i][j], JOEIRA_LOAD(shared->added + shared->number[first + i] * width + at));
            }
            if (layer->base) {
                JOEIRA_VECTOR base = JOEIRA_LOAD(layer->base + here);
                JOEIRA_ADD(base, JOEIRA_POSITIVE(sum[i][j]));
                JOEIRA_STORE(to + here, base);
            } else
                JOEIRA_STORE(to + here, sum[i][j]);
        }
}

/* Write a layer of `count` lines. Its width is a multiple of JOEIRA_LANES. */
JOEIRA_FOR_ALL static void
JOEIRA_LAYER_OF(const joeira_lines *from, ptrdiff_t count, const joeira_layer *layer, float *to)
{
    for (ptrdiff_t first = 0; first < count; first += JOEIRA_LINES) {
        const ptrdiff_t held = count - first < JOEIRA_LINES ? count - first : JOEIRA_LINES;
        ptrdiff_t output = 0;
        for (; layer->width - output >= 2 * JOEIRA_LANES; output += 2 * JOEIRA_LANES)
            JOEIRA_TILE_OF(from, layer, first, held, output, to, 2);
        for (; output < layer->width; output += JOEIRA_LANES)
            JOEIRA_TILE_OF(from, layer, first, held, output, to, 1);
    }
}

#undef JOEIRA_VECTOR
#undef JOEIRA_MASKS
#undef JOEIRA_LANES
#undef JOEIRA_ALL
#undef JOEIRA_LINES
#undef JOEIRA_TILE_OF
#undef JOEIRA_LAYER_OF
#undef JOEIRA_FOR
#undef JOEIRA_FOR_ALL
