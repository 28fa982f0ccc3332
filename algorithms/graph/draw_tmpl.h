/** @file draw_tmpl.h  R-MAT's arcs, DRAW_LANES at a time. Include with DRAW_LANES, DRAW_EACH (the numbers of the lanes), DRAW_TARGET (an
 * attribute for the processor that has registers of so many bytes) and DRAW_NAME(x).
 *
 * A register holds a stream of 64 random bits for each arc; its halves are the tosses of two levels. Both are compared at once,
 * as words, which collect the bits of every other level: those of even levels in the lower half, those of odd ones in the upper. */

#define LONGS DRAW_NAME(longs)
#define WORDS DRAW_NAME(words)
#define ENDS  DRAW_NAME(ends)

typedef uint64_t LONGS __attribute__((vector_size(DRAW_LANES * 8)));
typedef uint32_t WORDS __attribute__((vector_size(DRAW_LANES * 8)));
typedef uint32_t ENDS __attribute__((vector_size(DRAW_LANES * 4)));

DRAW_TARGET static inline LONGS DRAW_NAME(mix)(LONGS x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* What two levels add to rows and columns; comparing gives all bits, which is -1, or none. */
DRAW_TARGET static inline void DRAW_NAME(toss)(LONGS bits, WORDS *rows, WORDS *columns)
{
    const WORDS toss = (WORDS)bits;
    const WORDS down = (WORDS)(toss >= WEIR__RMAT_UP);
    const WORDS right =
        ((WORDS)(toss >= WEIR__RMAT_UP_LEFT) ^ down) | (WORDS)(toss >= WEIR__RMAT_NOT_LAST);
    *rows = (*rows << 2) - down;
    *columns = (*columns << 2) - right;
}

/* Bits of even and of odd levels put together; where the levels are odd in number, the last one has no other half. */
DRAW_TARGET static inline LONGS DRAW_NAME(weave)(WORDS collected, uint32_t scale)
{
    const LONGS even = (LONGS)collected & UINT32_MAX, odd = (LONGS)collected >> 32;
    return scale % 2 ? (odd >> 1) | even : even << 1 | odd;
}

/** Write the ends of arcs from number @p first on. @param[in] count  a multiple of DRAW_LANES. */
DRAW_TARGET static void DRAW_NAME(draw)(const weir__edges *edges, uint64_t first, uint64_t count,
                                        uint32_t *sources, uint32_t *targets)
{
    const struct weir__relabeling *label = &edges->label;
    const uint64_t seed = weir__mix(edges->seed + WEIR__GOLDEN);
    const LONGS lane = {DRAW_EACH};
    for (uint64_t i = 0; i < count; i += DRAW_LANES) {
        LONGS stream = DRAW_NAME(mix)(seed + (lane + (first + i + 1)) * WEIR__GOLDEN);
        WORDS rows = {0}, columns = {0};
        for (uint32_t level = 0; level < edges->scale; level += 2)
            DRAW_NAME(toss)(DRAW_NAME(mix)(stream += WEIR__GOLDEN), &rows, &columns);
        /* Rows in the lower halves, columns in the upper ones: all are numbered alike, as weir__relabel() does. */
        WORDS x = (WORDS)(DRAW_NAME(weave)(rows, edges->scale) |
                          DRAW_NAME(weave)(columns, edges->scale) << 32);
        for (uint32_t r = 0; r < WEIR__RELABELING_ROUNDS; r++) {
            x = ((x ^ (uint32_t)label->key[r]) * (uint32_t)label->odd[r]) & (uint32_t)label->mask;
            x ^= x >> label->half;
        }
        const LONGS both = (LONGS)x;
        const ENDS source = __builtin_convertvector(both, ENDS),
                   target = __builtin_convertvector(both >> 32, ENDS);
        memcpy(sources + i, &source, sizeof source);
        memcpy(targets + i, &target, sizeof target);
    }
}

#undef LONGS
#undef WORDS
#undef ENDS
#undef DRAW_LANES
#undef DRAW_EACH
#undef DRAW_TARGET
#undef DRAW_NAME
