/** @file key_rows_tmpl.h  Rows of keys, without weights or with them. Include with KEYS(name), KEY_TYPE, KEY_OF(x), and KEYS_WEIGHED: whether x has a
 * weight, in its low 32 bits. */

/* Those of a stretch side by side, the first row as 0. @return what they are like. */
static struct facts KEYS(gather)(const weir__dealt *dealt, uint32_t stretch, KEY_TYPE *to)
{
    const KEY_TYPE first = (KEY_TYPE)((uint32_t)dealt->first[stretch] << dealt->bits)
                           << (KEYS_WEIGHED ? 32 : 0);
    KEY_TYPE any = 0, before = 0;
    uint32_t descents = 0;
    struct weir__piece piece = weir__dealt_first(dealt, stretch);
    for (; piece.arcs; piece = weir__dealt_next(piece)) {
        const KEY_TYPE *from = (const void *)piece.arcs;
        for (uint32_t i = 0; piece.chunk && i < AHEAD; i++) /* they are in no cache */
            __builtin_prefetch((const char *)piece.chunk + i * 64);
        for (uint64_t i = 0; i < piece.count; i++) {
            const KEY_TYPE key = from[i] - first;
            to[i] = key;
            any |= key;
            descents |= key < before;
            before = key;
        }
        to += piece.count;
    }
    return (struct facts){KEY_OF(any), descents != 0};
}

/* How many keys have each value of some digits that follow each other. @param[in] digits  a constant. */
static inline __attribute__((always_inline)) void KEYS(count)(const KEY_TYPE *keys, uint32_t count,
                                                              const struct digit *digit,
                                                              uint32_t digits,
                                                              uint32_t (*restrict place)[DIGITS])
{
    struct digit own[DIGITS_MOST];
    for (uint32_t d = 0; d < digits; d++)
        own[d] = digit[d];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = KEY_OF(keys[i]);
        for (uint32_t d = 0; d < digits; d++)
            place[d][key >> own[d].shift & own[d].mask]++;
    }
}

static inline __attribute__((always_inline)) void KEYS(move)(const KEY_TYPE *restrict from,
                                                             uint32_t count, struct digit digit,
                                                             uint32_t *restrict place,
                                                             KEY_TYPE *restrict to)
{
    for (uint32_t i = 0; i < count; i++)
        to[place[KEY_OF(from[i]) >> digit.shift & digit.mask]++] = from[i];
}

/* Ascending, by one digit after the other from the lowest on. @param[in] spare  as much memory. @return where they are then: there or in @p spare. */
static KEY_TYPE *KEYS(sort)(KEY_TYPE *keys, KEY_TYPE *spare, uint32_t count,
                            const struct digit *digit, uint32_t digits)
{
    uint32_t place[DIGITS_MOST][DIGITS];
    for (uint32_t d = 0; d < digits; d++)
        memset(place[d], 0, (digit[d].mask + 1) * sizeof *place[d]);
    if (digits == 3)
        KEYS(count)(keys, count, digit, 3, place);
    else
        for (uint32_t d = 0; d < digits; d++)
            KEYS(count)(keys, count, digit + d, 1, place + d);
    for (uint32_t d = 0; d < digits; d++) {
        for (uint32_t value = 0, sum = 0; value <= digit[d].mask; value++) {
            const uint32_t here = place[d][value];
            place[d][value] = sum;
            sum += here;
        }
        KEYS(move)(keys, count, digit[d], place[d], spare);
        KEY_TYPE *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Rows of keys that ascend, of equal ones the smallest weight. @param[in] row  receives where each of @p rows begins, counted on from @p begin.
 *  @param[in] targets  may be where the keys are. @return arcs that are left. */
static uint64_t KEYS(part)(const KEY_TYPE *keys, uint32_t count, uint32_t bits, uint64_t begin,
                           uint64_t *row, uint64_t rows, uint32_t *targets, uint32_t *weights)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint64_t at = 0, next = 0; /* the first row of which the begin is not known */
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = KEY_OF(keys[i]), more = at > 0 && key == before;
        for (; next <= key >> bits; next++)
            row[next] = begin + at;
        targets[at - more] = key & mask;
        if (KEYS_WEIGHED) {
            const uint32_t weight = (uint32_t)keys[i];
            if (!more || weight < weights[at - 1])
                weights[at - more] = weight;
        }
        at += !more;
        before = key;
    }
    for (; next < rows; next++)
        row[next] = begin + at;
    return at;
}

#undef KEYS
#undef KEY_TYPE
#undef KEY_OF
#undef KEYS_WEIGHED
