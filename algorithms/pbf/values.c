/** @file values.c  Generated input, and the check of a result against it.
 *
 * A value is its index through a bijection, so a result says by itself which elements it holds: each
 * of its values goes back to one index. Nothing here is shared with the engine (pbf_op.h): the
 * bijection is written again, forwards and backwards. */
#include "algorithms/algorithms.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CHUNK (UINT64_C(1) << 20)

/* ---- the bijection ---- */

static const uint32_t factor_1 = 0x7FEB352D, factor_2 = 0x846CA68B; /* odd */

static uint32_t fold(uint32_t x, unsigned shift)
{
    return x ^ x >> shift;
}

/* x ^ x >> s ^ x >> 2s ... takes the fold back. */
static uint32_t unfold(uint32_t x, unsigned shift)
{
    uint32_t y = x;
    for (unsigned s = shift; s < 32; s += shift)
        y ^= x >> s;
    return y;
}

/* The inverse of an odd factor modulo 2^32: each step of Newton's doubles the bits that are right,
 * of which a factor by itself has three. */
static uint32_t inverse(uint32_t factor)
{
    uint32_t x = factor;
    for (int right = 3; right < 32; right *= 2)
        x *= 2 - factor * x;
    return x;
}

uint32_t weir_pbf_mix(uint32_t value)
{
    value = fold(value, 16) * factor_1;
    value = fold(value, 15) * factor_2;
    return fold(value, 16);
}

static uint32_t unmix(uint32_t value)
{
    value = unfold(value, 16) * inverse(factor_2);
    value = unfold(value, 15) * inverse(factor_1);
    return unfold(value, 16);
}

/* What a seed adds to every index. */
static uint32_t start_of(uint64_t seed)
{
    return weir_pbf_mix((uint32_t)seed ^ weir_pbf_mix((uint32_t)(seed >> 32)));
}

uint32_t weir_pbf_value(uint64_t seed, uint32_t index)
{
    return weir_pbf_mix(start_of(seed) + index);
}

/* ---- the input ---- */

struct input {
    uint32_t start;
    uint32_t *values;
};

static void generate(void *user, uint64_t begin, uint64_t end)
{
    const struct input *input = user;
    for (uint64_t i = begin; i < end; i++)
        input->values[i] = weir_pbf_mix(input->start + (uint32_t)i);
}

void weir_pbf_generate(uint64_t seed, uint64_t elements, uint32_t *values_out)
{
    struct input input = {start_of(seed), values_out};
    weir__parallel_for(elements, CHUNK, 0, generate, &input);
}

/* ---- the check ---- */

struct check {
    const weir_pbf_config *config;
    uint32_t start;
    uint64_t elements;
    const uint32_t *output;
    _Atomic uint64_t *seen; /* a bit for each index */
    _Atomic uint64_t stay;  /* by the reference */
    _Atomic uint64_t wrong; /* the first position in the output that is not right */
};

static int stays(const weir_pbf_config *config, uint32_t value)
{
    for (uint32_t i = 0; i < config->work; i++)
        value = weir_pbf_mix(value);
    return value < config->below;
}

static void count_reference(void *user, uint64_t begin, uint64_t end)
{
    struct check *check = user;
    uint64_t stay = 0;
    for (uint64_t i = begin; i < end; i++)
        stay += (uint64_t)stays(check->config, weir_pbf_mix(check->start + (uint32_t)i));
    atomic_fetch_add_explicit(&check->stay, stay, memory_order_relaxed);
}

/* Whether the value is in the input and satisfies the predicate. */
static int belongs(const struct check *check, uint32_t value)
{
    return unmix(value) - check->start < check->elements && stays(check->config, value);
}

static int seen_before(struct check *check, uint32_t index)
{
    uint64_t bit = UINT64_C(1) << index % 64;
    return (atomic_fetch_or_explicit(&check->seen[index / 64], bit, memory_order_relaxed) & bit) !=
           0;
}

static void check_output(void *user, uint64_t begin, uint64_t end)
{
    struct check *check = user;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t first = atomic_load_explicit(&check->wrong, memory_order_relaxed);
        uint32_t value = check->output[i];
        if (belongs(check, value) && !seen_before(check, unmix(value) - check->start))
            continue;
        while (i < first &&
               !atomic_compare_exchange_weak_explicit(&check->wrong, &first, i,
                                                      memory_order_relaxed, memory_order_relaxed))
            continue;
        return;
    }
}

static weir_status explain(const struct check *check, uint64_t position)
{
    uint32_t value = check->output[position], index = unmix(value) - check->start;
    if (index >= check->elements)
        return weir__fail(WEIR_ERR_VERIFY,
                          "element %" PRIu64 " of the result, %" PRIu32 ", is not in the input",
                          position, value);
    if (!stays(check->config, value))
        return weir__fail(WEIR_ERR_VERIFY,
                          "element %" PRIu64 " of the result, %" PRIu32 " from place %" PRIu32
                          ", does not satisfy the predicate",
                          position, value, index);
    return weir__fail(WEIR_ERR_VERIFY,
                      "element %" PRIu64 " of the result, %" PRIu32 " from place %" PRIu32
                      ", is there twice",
                      position, value, index);
}

weir_status weir_pbf_verify(const weir_pbf_config *config, uint64_t seed, uint64_t elements,
                            const uint32_t *output, uint64_t kept)
{
    weir_pbf_config known = WEIR_PBF_CONFIG_INIT;
    struct check check = {
        .config = &known, .start = start_of(seed), .elements = elements, .output = output};
    weir_status status = weir__sized_in(&known, sizeof known, config, "weir_pbf_config");
    if (status)
        return status;
    if (elements > WEIR_PBF_ELEMENTS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%" PRIu64 " elements: at most %" PRIu64, elements,
                          WEIR_PBF_ELEMENTS_MAX);
    if ((status = weir__calloc(elements / 64 + 1, sizeof *check.seen, "check", &check.seen)))
        return status;
    check.wrong = kept;
    weir__parallel_for(elements, CHUNK, 0, count_reference, &check);
    weir__parallel_for(kept, CHUNK, 0, check_output, &check);
    if (check.wrong < kept)
        status = explain(&check, check.wrong);
    else if (check.stay != kept)
        status = weir__fail(WEIR_ERR_VERIFY,
                            "the result has %" PRIu64 " elements, the reference keeps %" PRIu64,
                            kept, (uint64_t)check.stay);
    free(check.seen);
    return status;
}
