/** @file key_sort_tmpl.h  Quicksort of numbers in registers of 64 bytes (AVX-512). Include with KEYS(name), KEY_TYPE, LANES_OF (numbers in a register), LANE_MASK (a type
 * of as many bits), and as KEYS(name) of registers: least(), most(), most_where(), up_to(), load(), store(), pressed(), all_as(), and what puts their numbers into another
 * order: swap_1() to swap_8(), which swap neighbours so far apart, turn_4() to turn_all(), which turn each group of so many round.
 *
 * A pass parts numbers by a pivot, from one array into another, a register at a time: those up to the pivot from the front on, the others from the
 * end. What fits into eight registers is sorted in each by itself, and merged, without a branch. */

/* Each pair of neighbours that @p other swaps in order: the larger one where @p high has a bit. */
WITHIN __m512i KEYS(pairs)(__m512i keys, __m512i other, LANE_MASK high)
{
    return KEYS(most_where)(KEYS(least)(keys, other), high, keys, other);
}

/* In order, what ascends and then descends, or the other way round. */
WITHIN __m512i KEYS(merged)(__m512i keys)
{
#if LANES_OF == 16
    keys = KEYS(pairs)(keys, KEYS(swap_8)(keys), 0xFF00);
    keys = KEYS(pairs)(keys, KEYS(swap_4)(keys), 0xF0F0);
    keys = KEYS(pairs)(keys, KEYS(swap_2)(keys), 0xCCCC);
    return KEYS(pairs)(keys, KEYS(swap_1)(keys), 0xAAAA);
#else
    keys = KEYS(pairs)(keys, KEYS(swap_4)(keys), 0xF0);
    keys = KEYS(pairs)(keys, KEYS(swap_2)(keys), 0xCC);
    return KEYS(pairs)(keys, KEYS(swap_1)(keys), 0xAA);
#endif
}

WITHIN __m512i KEYS(sorted)(__m512i keys)
{
    keys = KEYS(pairs)(keys, KEYS(swap_1)(keys), (LANE_MASK)0xAAAA);
    keys = KEYS(pairs)(keys, KEYS(turn_4)(keys), (LANE_MASK)0xCCCC);
    keys = KEYS(pairs)(keys, KEYS(swap_1)(keys), (LANE_MASK)0xAAAA);
#if LANES_OF == 16
    keys = KEYS(pairs)(keys, KEYS(turn_8)(keys), 0xF0F0);
    keys = KEYS(pairs)(keys, KEYS(swap_2)(keys), 0xCCCC);
    keys = KEYS(pairs)(keys, KEYS(swap_1)(keys), 0xAAAA);
    keys = KEYS(pairs)(keys, KEYS(turn_all)(keys), 0xFF00);
    keys = KEYS(pairs)(keys, KEYS(swap_4)(keys), 0xF0F0);
#else
    keys = KEYS(pairs)(keys, KEYS(turn_all)(keys), 0xF0);
#endif
    keys = KEYS(pairs)(keys, KEYS(swap_2)(keys), (LANE_MASK)0xCCCC);
    return KEYS(pairs)(keys, KEYS(swap_1)(keys), (LANE_MASK)0xAAAA);
}

/* Two runs of @p half registers each, which follow each other, into one. @param[in] half  a constant. */
WITHIN void KEYS(merge)(__m512i *keys, int half)
{
    for (int i = 0; i < (half + 1) / 2; i++) { /* the second run, turned round */
        const __m512i first = KEYS(turn_all)(keys[half + i]),
                      last = KEYS(turn_all)(keys[2 * half - 1 - i]);
        keys[half + i] = last;
        keys[2 * half - 1 - i] = first;
    }
    for (int apart = half; apart >= 1; apart /= 2)
        for (int i = 0; i < 2 * half; i++)
            if (!(i & apart)) {
                const __m512i one = keys[i], other = keys[i + apart];
                keys[i] = KEYS(least)(one, other);
                keys[i + apart] = KEYS(most)(one, other);
            }
    for (int i = 0; i < 2 * half; i++)
        keys[i] = KEYS(merged)(keys[i]);
}

/* Lanes of register @p i that have keys, of @p count. */
WITHIN LANE_MASK KEYS(lanes_of)(uint32_t count, int i)
{
    const int left = (int)count - i * LANES_OF;
    return (LANE_MASK)_bzhi_u32(0xFFFF, left < 0 ? 0 : left > LANES_OF ? LANES_OF : (uint32_t)left);
}

/* So many keys that @p registers have room for. @param[in] registers  a constant: 1, 2, 4 or 8. */
WITHIN void KEYS(sort_in)(int registers, const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    __m512i keys[8];
    for (int i = 0; i < registers; i++)
        keys[i] = KEYS(sorted)(KEYS(load)(KEYS(lanes_of)(count, i), from + i * LANES_OF));
    for (int i = 0; registers >= 2 && i < registers; i += 2)
        KEYS(merge)(keys + i, 1);
    for (int i = 0; registers >= 4 && i < registers; i += 4)
        KEYS(merge)(keys + i, 2);
    if (registers == 8)
        KEYS(merge)(keys, 4);
    for (int i = 0; i < registers; i++)
        KEYS(store)(to + i * LANES_OF, KEYS(lanes_of)(count, i), keys[i]);
}

APART void KEYS(sort_one)(const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    KEYS(sort_in)(1, from, count, to);
}

APART void KEYS(sort_two)(const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    KEYS(sort_in)(2, from, count, to);
}

APART void KEYS(sort_four)(const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    KEYS(sort_in)(4, from, count, to);
}

APART void KEYS(sort_eight)(const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    KEYS(sort_in)(8, from, count, to);
}

WITHIN void KEYS(sort_few)(const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    if (count <= LANES_OF)
        KEYS(sort_one)(from, count, to);
    else if (count <= 2 * LANES_OF)
        KEYS(sort_two)(from, count, to);
    else if (count <= 4 * LANES_OF)
        KEYS(sort_four)(from, count, to);
    else
        KEYS(sort_eight)(from, count, to);
}

/* Some keys of one register, those up to the pivot to @p low and the others in front of @p high. @return how many are up to it. */
WITHIN uint32_t KEYS(part_some)(__m512i keys, LANE_MASK some, __m512i pivot, KEY_TYPE *low,
                                KEY_TYPE *high)
{
    const LANE_MASK up_to = KEYS(up_to)(some, keys, pivot);
    const uint32_t lows = (uint32_t)__builtin_popcount(up_to),
                   highs = (uint32_t)__builtin_popcount(some) - lows;
    KEYS(store)(low, (LANE_MASK)_bzhi_u32(0xFFFF, lows), KEYS(pressed)(up_to, keys));
    KEYS(store)
    (high - highs, (LANE_MASK)_bzhi_u32(0xFFFF, highs),
     KEYS(pressed)((LANE_MASK)(some & ~up_to), keys));
    return lows;
}

/* Part keys by a pivot. @return how many are up to it: they are in front. */
APART uint32_t KEYS(part_by)(KEY_TYPE pivot, const KEY_TYPE *from, uint32_t count, KEY_TYPE *to)
{
    const __m512i pivots = KEYS(all_as)(pivot);
    const uint32_t odd = count % LANES_OF;
    KEY_TYPE *low = to, *high = to + count;
    uint32_t i = odd;
    if (odd > 0) { /* first, so that what is free between the two is whole registers */
        const LANE_MASK some = KEYS(lanes_of)(odd, 0);
        low += KEYS(part_some)(KEYS(load)(some, from), some, pivots, low, high);
        high -= odd - (uint32_t)(low - to);
    }
    for (; i < count; i += LANES_OF) {
        const __m512i keys = _mm512_loadu_si512(from + i);
        const LANE_MASK up_to = KEYS(up_to)((LANE_MASK)0xFFFF, keys, pivots);
        const uint32_t lows = (uint32_t)__builtin_popcount(up_to);
        /* What the first store has behind its keys is free, or the second one's. */
        _mm512_storeu_si512(low, KEYS(pressed)(up_to, keys));
        low += lows;
        high -= LANES_OF - lows;
        KEYS(store)
        (high, (LANE_MASK)_bzhi_u32(0xFFFF, LANES_OF - lows),
         KEYS(pressed)((LANE_MASK)~up_to, keys));
    }
    return (uint32_t)(low - to);
}

/* The middle of some keys. */
WITHIN KEY_TYPE KEYS(pivot)(const KEY_TYPE *keys, uint32_t count)
{
    KEY_TYPE some[LANES_OF];
    const uint32_t step = count / LANES_OF;
    for (uint32_t i = 0; i < LANES_OF; i++)
        some[i] = keys[i * step];
    _mm512_storeu_si512(some, KEYS(sorted)(_mm512_loadu_si512(some)));
    return some[LANES_OF / 2 - 1];
}

/* By a heap, in place: for what pivots were unlucky with. */
static void KEYS(sort_slowly)(KEY_TYPE *keys, uint32_t count)
{
    for (uint32_t begin = count / 2, end = count; end > 1;) {
        if (begin > 0) {
            begin--;
        } else {
            const KEY_TYPE last = keys[--end];
            keys[end] = keys[0];
            keys[0] = last;
        }
        const KEY_TYPE moved = keys[begin];
        uint32_t at = begin;
        for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
            child += child + 1 < end && keys[child + 1] > keys[child];
            if (keys[child] <= moved)
                break;
            keys[at] = keys[child];
        }
        keys[at] = moved;
    }
}

/* Sort keys into @p to, which is one of @p keys and @p spare, as much memory each. @param[in] passes  at the most, before a heap does the rest. */
static WIDEST void KEYS(quick)(KEY_TYPE *keys, KEY_TYPE *spare, uint32_t count, KEY_TYPE *to,
                               uint32_t passes)
{
    while (count > 8 * LANES_OF) {
        const KEY_TYPE pivot = KEYS(pivot)(keys, count);
        uint32_t lows;
        if (passes-- == 0) {
            KEYS(sort_slowly)(keys, count);
            if (keys != to)
                memcpy(to, keys, count * sizeof *to);
            return;
        }
        lows = KEYS(part_by)(pivot, keys, count, spare);
        if (lows < count) {
            KEYS(quick)(spare + lows, keys + lows, count - lows, to + lows, passes);
        } else { /* it is the highest of all, and may be most of them */
            lows = pivot ? KEYS(part_by)(pivot - 1, keys, count, spare) : 0;
            for (uint32_t i = lows; i < count; i++)
                to[i] = pivot;
        }
        KEY_TYPE *parted = spare;
        spare = keys;
        keys = parted;
        count = lows;
    }
    KEYS(sort_few)(keys, count, to);
}

#undef KEYS
#undef KEY_TYPE
#undef LANES_OF
#undef LANE_MASK
