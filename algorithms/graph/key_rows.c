/** @file key_rows.c  Keys ascend as the arcs of a graph do, so that rows are made by sorting numbers of 32 bits, or of 64 with weights: by the digits
 * of the target and then those of the row, each of which has its counts in a core's first cache. */
#include "algorithms/graph/key_rows.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS  11u
#define DIGITS      (1u << DIGIT_BITS)
#define DIGITS_MOST 4u
#define AHEAD       6u /* lines of the next chunk that are asked for */

/* What keys are like. */
struct facts {
    uint32_t any; /* bits that some have */
    int mixed;    /* one is below the one before */
};

struct digit {
    uint32_t shift, mask;
};

#define KEYS(name)   plain_##name
#define KEY_TYPE     uint32_t
#define KEY_OF(x)    (x)
#define KEYS_WEIGHED 0
#include "algorithms/graph/key_rows_tmpl.h"

#define KEYS(name)   weighed_##name
#define KEY_TYPE     uint64_t
#define KEY_OF(x)    ((uint32_t)((x) >> 32))
#define KEYS_WEIGHED 1
#include "algorithms/graph/key_rows_tmpl.h"

static uint32_t length_of(uint32_t bits)
{
    return bits ? 32 - (uint32_t)__builtin_clz(bits) : 0;
}

/* As few digits of equal length as bits from @p shift on need. @return how many. */
static uint32_t part_digits(uint32_t shift, uint32_t length, struct digit *digit)
{
    const uint32_t digits = (length + DIGIT_BITS - 1) / DIGIT_BITS;
    for (uint32_t d = 0; d < digits; d++) {
        const uint32_t from = length * d / digits, to = length * (d + 1) / digits;
        digit[d] = (struct digit){shift + from, (1u << (to - from)) - 1};
    }
    return digits;
}

/* Those of target and row, without bits that no key has. */
static uint32_t make_digits(uint32_t any, uint32_t bits, struct digit *digit)
{
    const uint32_t low = part_digits(0, length_of(any & ((1u << bits) - 1)), digit);
    return low + part_digits(bits, length_of(any >> bits), digit + low);
}

size_t weir__key_rows_scratch(weir_weight_kind kind, uint64_t count)
{
    /* Targets are sorted by way of their own place. */
    return kind == WEIR_WEIGHT_NONE ? count * sizeof(uint32_t) : 2 * count * sizeof(uint64_t);
}

/* The memory is that of weir__key_rows_scratch(). */
static uint64_t make_rows(const weir__dealt *dealt, uint32_t stretch, void *memory,
                          uint64_t *offsets, uint32_t *targets, uint32_t *weights)
{
    const uint64_t begin = dealt->begin[stretch], first = dealt->first[stretch],
                   rows = dealt->first[stretch + 1] - first;
    const uint32_t count = (uint32_t)(dealt->begin[stretch + 1] - begin);
    uint32_t digits = 0;
    struct digit digit[DIGITS_MOST];
    if (dealt->kind == WEIR_WEIGHT_NONE) {
        uint32_t *keys = memory;
        const struct facts facts = plain_gather(dealt, stretch, keys);
        if (facts.mixed && weir__plain_ways() == 3)
            return weir__key_rows_plain(keys, count, weir__key_passes(count), dealt->bits, begin,
                                        offsets + first, rows, targets + begin);
        if (facts.mixed)
            digits = make_digits(facts.any, dealt->bits, digit);
        keys = plain_sort(keys, targets + begin, count, digit, digits);
        return plain_part(keys, count, dealt->bits, begin, offsets + first, rows, targets + begin,
                          NULL);
    }
    uint64_t *keys = memory;
    const struct facts facts = weighed_gather(dealt, stretch, keys);
    if (facts.mixed && weir__plain_ways() == 3)
        return weir__key_rows_weighed(keys, count, weir__key_passes(count), dealt->bits, begin,
                                      offsets + first, rows, targets + begin, weights + begin);
    if (facts.mixed)
        digits = make_digits(facts.any, dealt->bits, digit);
    keys = weighed_sort(keys, keys + count, count, digit, digits);
    return weighed_part(keys, count, dealt->bits, begin, offsets + first, rows, targets + begin,
                        weights + begin);
}

int weir__key_rows_make(const weir__dealt *dealt, uint32_t stretch, struct weir__scratch *scratch,
                        uint64_t *offsets, uint32_t *targets, uint32_t *weights, uint64_t *kept_out)
{
    const uint64_t count = dealt->begin[stretch + 1] - dealt->begin[stretch];
    const size_t bytes = weir__key_rows_scratch(dealt->kind, count);
    const int fits = bytes <= scratch->bytes;
    void *memory = NULL;
    if (fits)
        memory = weir__scratch_take(scratch);
    else if (count > UINT32_MAX || weir__alloc(1, bytes, "sorting arcs", &memory))
        memory = NULL;
    if (!memory)
        return 0;
    *kept_out = make_rows(dealt, stretch, memory, offsets, targets, weights);
    if (fits)
        weir__scratch_put(scratch, memory);
    else
        free(memory);
    return 1;
}
