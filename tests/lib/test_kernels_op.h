/** @file test_kernels_op.h  What a worker of each test kernel does, in the common dialect. */
#ifndef WEIR_TESTS_LIB_TEST_KERNELS_OP_H
#define WEIR_TESTS_LIB_TEST_KERNELS_OP_H

#include "runtime/dialect.h"
#include "tests/lib/test_kernels.h"

/** Numbers without an order, of 31 bits. */
WEIR_BOTH uint32_t test_atomics_mixed(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return (i ^ i >> 16) >> 1;
}
WEIR_BOTH uint64_t test_atomics_wide(uint32_t i)
{
    return (uint64_t)test_atomics_mixed(i) << 33 | i;
}
/** Multiples of 1/8 between -4100 and 4100, so that sums are exact. */
WEIR_BOTH float test_atomics_float(uint32_t cell, uint32_t i)
{
    const float some = (float)(test_atomics_mixed(i) % 32768u) / 8 + 1;
    const float zero = i % 2u ? 0.0f : -0.0f;
    return cell == 0 ? some : cell == 1 ? -some : cell == 2 ? some - 2048 : zero;
}

WEIR_DEV void test_calls_op(const struct test_calls_args *a, uint32_t worker, uint32_t workers)
{
    if (worker < a->room && weir_lane() == 0) {
        a->calls[worker] += 1;
        a->totals[worker] = workers;
    }
}

WEIR_DEV void test_payload_op(const struct test_payload_args *a, uint32_t worker, uint32_t workers)
{
    (void)workers;
    for (uint32_t i = weir_lane(); worker == 0 && i < TEST_PAYLOAD_BYTES; i += WEIR_LANES)
        a->out[i] = a->payload[i];
}

WEIR_DEV void test_affine_op(const struct test_affine_args *a, uint32_t worker, uint32_t workers)
{
    for (uint32_t i = worker * WEIR_LANES + weir_lane(); i < a->count; i += workers * WEIR_LANES)
        a->data[i] = a->data[i] * a->factor + a->add;
}

WEIR_DEV void test_atomics_integers(const struct test_atomics_args *a, uint32_t i)
{
    struct test_atomics_words *w = a->words;
    const uint64_t wide = test_atomics_wide(i);
    uint64_t was64 = weir_load_relaxed_dev_u64(&w->cas_u64), saw64;
    uint32_t was32 = weir_load_relaxed_dev_u32(&w->cas_u32), saw32;
    while ((saw32 = weir_atomic_compare_swap_relaxed_dev_u32(&w->cas_u32, was32, was32 + 3)) !=
           was32)
        was32 = saw32;
    while ((saw64 = weir_atomic_compare_swap_relaxed_dev_u64(
                &w->cas_u64, was64, was64 + ((uint64_t)1 << 32) + 1)) != was64)
        was64 = saw64;
    (void)weir_atomic_add_relaxed_dev_u32(&w->add_u32, i);
    (void)weir_atomic_add_relaxed_dev_u64(&w->add_u64, wide);
    (void)weir_atomic_or_relaxed_dev_u32(&w->or_u32, 1u << i % 31u);
    (void)weir_atomic_or_relaxed_dev_u64(&w->or_u64, (uint64_t)1 << i % 63u);
    if (weir_atomic_and_relaxed_dev_u32(&w->and_u32, ~(1u << i % 31u)) >> i % 31u & 1u)
        (void)weir_atomic_add_relaxed_dev_u64(&w->cleared, 1);
    if (weir_atomic_and_relaxed_dev_u64(&w->and_u64, ~((uint64_t)1 << i % 63u)) >> i % 63u & 1u)
        (void)weir_atomic_add_relaxed_dev_u64(&w->cleared, 1);
    (void)weir_atomic_min_relaxed_dev_u32(&w->min_u32, test_atomics_mixed(i));
    (void)weir_atomic_max_relaxed_dev_u32(&w->max_u32, test_atomics_mixed(i));
    was64 = weir_atomic_min_relaxed_dev_u64(&w->min_u64, wide);
    if (wide < was64)
        (void)weir_atomic_add_relaxed_dev_u64(&w->fell_u64, was64 - wide);
    was64 = weir_atomic_max_relaxed_dev_u64(&w->max_u64, wide);
    if (wide > was64)
        (void)weir_atomic_add_relaxed_dev_u64(&w->rose_u64, wide - was64);
}

WEIR_DEV void test_atomics_untold(const struct test_atomics_args *a, uint32_t i)
{
    struct test_atomics_words *w = a->words;
    weir_add_relaxed_dev_u32(&w->untold.add_u32, i);
    weir_add_relaxed_dev_u64(&w->untold.add_u64, test_atomics_wide(i));
    weir_add_relaxed_dev_f32(&w->untold.add_f32, 0.5f);
    weir_add_relaxed_dev_f64(&w->untold.add_f64, 0.125);
    weir_or_relaxed_dev_u32(&w->untold.or_u32, 1u << i % 31u);
    weir_or_relaxed_dev_u64(&w->untold.or_u64, (uint64_t)1 << i % 63u);
    weir_min_relaxed_dev_u32(&w->untold.min_u32, test_atomics_mixed(i));
    weir_min_relaxed_dev_u64(&w->untold.min_u64, test_atomics_wide(i));
    weir_max_relaxed_dev_u32(&w->untold.max_u32, test_atomics_mixed(i));
    weir_max_relaxed_dev_u64(&w->untold.max_u64, test_atomics_wide(i));
}

WEIR_DEV void test_atomics_floats(const struct test_atomics_args *a, uint32_t i)
{
    struct test_atomics_words *w = a->words;
    (void)weir_atomic_add_relaxed_dev_f32(&w->add_f32, 0.5f);
    (void)weir_atomic_add_relaxed_dev_f64(&w->add_f64, 0.125);
    for (uint32_t cell = 0; cell < TEST_ATOMICS_CELLS; cell++) {
        const float value = test_atomics_float(cell, i);
        const float was32 = weir_atomic_min_relaxed_dev_f32(&w->min_f32[cell], value);
        const double was64 = weir_atomic_min_relaxed_dev_f64(&w->min_f64[cell], value);
        if (value < was32)
            (void)weir_atomic_add_relaxed_dev_f64(&w->fell_f32[cell], (double)was32 - value);
        if (value < was64)
            (void)weir_atomic_add_relaxed_dev_f64(&w->fell_f64[cell], was64 - value);
    }
}

/** Each brings its number, plus 1, and takes one that nobody else gets. */
WEIR_DEV void test_atomics_exchanges(const struct test_atomics_args *a, uint32_t i)
{
    struct test_atomics_words *w = a->words;
    const uint32_t row = a->count + 1, mine = i + 1;
    const uint64_t was =
        weir_atomic_exchange_relaxed_dev_u64(&w->exchange_u64, (uint64_t)mine << 32 | mine);
    a->seen[weir_atomic_exchange_relaxed_dev_u32(&w->exchange_u32, mine)]++;
    a->seen[row + (uint32_t)(was >> 32)] += (uint32_t)(was >> 32) == (uint32_t)was;
    a->seen[2 * row +
            (uint32_t)weir_atomic_exchange_relaxed_dev_f32(&w->exchange_f32, (float)mine)]++;
    a->seen[3 * row + (uint32_t)weir_atomic_exchange_relaxed_dev_f64(&w->exchange_f64, mine)]++;
}

WEIR_DEV void test_atomics_stores(const struct test_atomics_args *a, uint32_t i)
{
    weir_store_relaxed_dev_u32(&a->stored_u32[i], i);
    weir_store_relaxed_dev_u64(&a->stored_u64[i], test_atomics_wide(i));
    weir_store_relaxed_dev_f32(&a->stored_f32[i], -(float)i);
    weir_store_relaxed_dev_f64(&a->stored_f64[i], i + 0.5);
    if (weir_load_relaxed_dev_u32(&a->stored_u32[i]) != i ||
        weir_load_relaxed_dev_u64(&a->stored_u64[i]) != test_atomics_wide(i) ||
        weir_load_relaxed_dev_f32(&a->stored_f32[i]) != -(float)i ||
        weir_load_relaxed_dev_f64(&a->stored_f64[i]) != i + 0.5)
        (void)weir_atomic_add_relaxed_dev_u64(&a->words->wrong, 1);
}

WEIR_DEV void test_atomics_op(const struct test_atomics_args *a, uint32_t worker, uint32_t workers)
{
    for (uint32_t i = worker * WEIR_LANES + weir_lane(); i < a->count; i += workers * WEIR_LANES) {
        test_atomics_integers(a, i);
        test_atomics_untold(a, i);
        test_atomics_floats(a, i);
        test_atomics_exchanges(a, i);
        test_atomics_stores(a, i);
    }
}

#endif
