/** @file test_dialect.c  Every atomic of the dialect, by all lanes of a device at once.
 *
 * What a value becomes must not depend on the order in which lanes come, and neither must the sum of the changes that
 * they were told of: an update that is lost, done twice or told wrongly shows in one of the two. */
#include "tests/lib/support.h"

#include "runtime/support.h"
#include "tests/lib/test_kernels_op.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 16 }; /* of which all sums are exact, in floats too */

static const float begin[TEST_ATOMICS_CELLS] = {5000, 5000, 5000, 5000};

static struct test_atomics_words before(void)
{
    struct test_atomics_words words;
    memset(&words, 0, sizeof words);
    words.and_u32 = UINT32_MAX;
    words.and_u64 = UINT64_MAX;
    words.min_u32 = UINT32_MAX;
    words.min_u64 = UINT64_MAX;
    words.untold.min_u32 = UINT32_MAX;
    words.untold.min_u64 = UINT64_MAX;
    for (uint32_t c = 0; c < TEST_ATOMICS_CELLS; c++)
        words.min_f32[c] = begin[c], words.min_f64[c] = begin[c];
    return words;
}

/* One after the other. */
static struct test_atomics_words expected(void)
{
    struct test_atomics_words words = before();
    words.cas_u32 = 3 * (uint32_t)COUNT;
    words.cas_u64 = (((uint64_t)1 << 32) + 1) * COUNT;
    words.add_f32 = (float)COUNT / 2;
    words.add_f64 = (double)COUNT / 8;
    words.or_u32 = UINT32_MAX >> 1;
    words.or_u64 = UINT64_MAX >> 1;
    words.and_u32 = (uint32_t)1 << 31;
    words.and_u64 = (uint64_t)1 << 63;
    words.cleared = 31 + 63;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t mixed = test_atomics_mixed(i);
        const uint64_t wide = test_atomics_wide(i);
        words.add_u32 += i;
        words.add_u64 += wide;
        words.min_u32 = mixed < words.min_u32 ? mixed : words.min_u32;
        words.max_u32 = mixed > words.max_u32 ? mixed : words.max_u32;
        words.min_u64 = wide < words.min_u64 ? wide : words.min_u64;
        words.max_u64 = wide > words.max_u64 ? wide : words.max_u64;
        for (uint32_t c = 0; c < TEST_ATOMICS_CELLS; c++) {
            const float value = test_atomics_float(c, i);
            words.min_f32[c] = value < words.min_f32[c] ? value : words.min_f32[c];
        }
    }
    words.fell_u64 = UINT64_MAX - words.min_u64;
    words.rose_u64 = words.max_u64;
    return words;
}

static void check_words(const struct test_atomics_words *have)
{
    const struct test_atomics_words want = expected();
    assert_int_equal(have->cas_u32, want.cas_u32);
    assert_int_equal(have->cas_u64, want.cas_u64);
    assert_int_equal(have->add_u32, want.add_u32);
    assert_int_equal(have->add_u64, want.add_u64);
    assert_int_equal(have->or_u32, want.or_u32);
    assert_int_equal(have->or_u64, want.or_u64);
    assert_int_equal(have->and_u32, want.and_u32);
    assert_int_equal(have->and_u64, want.and_u64);
    assert_int_equal(have->cleared, want.cleared);
    assert_int_equal(have->min_u32, want.min_u32);
    assert_int_equal(have->max_u32, want.max_u32);
    assert_int_equal(have->min_u64, want.min_u64);
    assert_int_equal(have->max_u64, want.max_u64);
    assert_int_equal(have->fell_u64, want.fell_u64);
    assert_int_equal(have->rose_u64, want.rose_u64);
    assert_true(have->add_f32 == want.add_f32);
    assert_true(have->add_f64 == want.add_f64);
    for (uint32_t c = 0; c < TEST_ATOMICS_CELLS; c++) {
        assert_true(have->min_f32[c] == want.min_f32[c]);
        assert_true(have->min_f64[c] == want.min_f32[c]);
        assert_true(have->fell_f32[c] == begin[c] - want.min_f32[c]);
        assert_true(have->fell_f64[c] == begin[c] - want.min_f32[c]);
    }
    assert_true(want.min_f32[0] > 0 && want.min_f32[1] < -4000 && want.min_f32[2] < 0);
    assert_int_equal(have->untold.add_u32, want.add_u32);
    assert_int_equal(have->untold.add_u64, want.add_u64);
    assert_int_equal(have->untold.or_u32, want.or_u32);
    assert_int_equal(have->untold.or_u64, want.or_u64);
    assert_int_equal(have->untold.min_u32, want.min_u32);
    assert_int_equal(have->untold.min_u64, want.min_u64);
    assert_int_equal(have->untold.max_u32, want.max_u32);
    assert_int_equal(have->untold.max_u64, want.max_u64);
    assert_true(have->untold.add_f32 == want.add_f32);
    assert_true(have->untold.add_f64 == want.add_f64);
    assert_int_equal(have->wrong, 0);
}

/* What is left came back from nobody, and everything else once. */
static void check_seen(const struct test_atomics_words *have, const uint32_t *seen)
{
    const uint32_t row = COUNT + 1;
    const uint32_t left[] = {have->exchange_u32, (uint32_t)have->exchange_u64,
                             (uint32_t)have->exchange_f32, (uint32_t)have->exchange_f64};
    uint64_t wrong = 0;
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t value = 0; value < row; value++)
            wrong += seen[kind * row + value] != (value != left[kind]);
    assert_int_equal(wrong, 0);
}

static void check_stored(weir_device *device, const struct test_atomics_args *args)
{
    uint32_t *u32 = malloc(COUNT * sizeof *u32);
    uint64_t *u64 = malloc(COUNT * sizeof *u64), wrong = 0;
    float *f32 = malloc(COUNT * sizeof *f32);
    double *f64 = malloc(COUNT * sizeof *f64);
    assert_true(u32 && u64 && f32 && f64);
    OK(weir__download(device, u32, args->stored_u32, COUNT * sizeof *u32));
    OK(weir__download(device, u64, args->stored_u64, COUNT * sizeof *u64));
    OK(weir__download(device, f32, args->stored_f32, COUNT * sizeof *f32));
    OK(weir__download(device, f64, args->stored_f64, COUNT * sizeof *f64));
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += u32[i] != i || u64[i] != test_atomics_wide(i) || f32[i] != -(float)i ||
                 f64[i] != i + 0.5;
    assert_int_equal(wrong, 0);
    free(u32);
    free(u64);
    free(f32);
    free(f64);
}

static void nothing_is_lost_and_all_are_told(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    const size_t seen_bytes = 4 * (COUNT + 1) * sizeof(uint32_t);
    uint32_t *seen = malloc(seen_bytes);
    struct test_atomics_args args = {.words = new_memory(device, sizeof *args.words),
                                     .seen = new_memory(device, seen_bytes),
                                     .stored_u32 = new_memory(device, COUNT * sizeof(uint32_t)),
                                     .stored_u64 = new_memory(device, COUNT * sizeof(uint64_t)),
                                     .stored_f32 = new_memory(device, COUNT * sizeof(float)),
                                     .stored_f64 = new_memory(device, COUNT * sizeof(double)),
                                     .count = COUNT};
    struct test_atomics_words words = before();
    assert_non_null(seen);
    OK(weir__upload(device, args.words, &words, sizeof words));
    OK(weir_queue_fill(queue, args.seen, 0, seen_bytes));
    OK(weir_queue_launch(queue, &test_atomics_kernel, &args, sizeof args));
    OK(weir_queue_sync(queue));
    OK(weir__download(device, &words, args.words, sizeof words));
    OK(weir__download(device, seen, args.seen, seen_bytes));
    check_words(&words);
    check_seen(&words, seen);
    check_stored(device, &args);
    free(seen);
    weir_queue_destroy(queue);
    weir_device_free(device, args.words);
    weir_device_free(device, args.seen);
    weir_device_free(device, args.stored_u32);
    weir_device_free(device, args.stored_u64);
    weir_device_free(device, args.stored_f32);
    weir_device_free(device, args.stored_f64);
    weir_context_destroy(context);
}

/* A look that fails answers with what is there, and changes nothing. */
static void a_swap_of_something_else_does_nothing(void **state)
{
    uint32_t word = 7;
    uint64_t wide = UINT64_C(7) << 40;
    (void)state;
    assert_int_equal(weir_atomic_compare_swap_relaxed_dev_u32(&word, 8, 9), 7);
    assert_int_equal(word, 7);
    assert_int_equal(weir_atomic_compare_swap_relaxed_dev_u32(&word, 7, 9), 7);
    assert_int_equal(word, 9);
    assert_int_equal(weir_atomic_compare_swap_relaxed_dev_u64(&wide, 0, 9), UINT64_C(7) << 40);
    assert_int_equal(wide, UINT64_C(7) << 40);
    assert_int_equal(weir_atomic_compare_swap_relaxed_dev_u64(&wide, wide, 9), UINT64_C(7) << 40);
    assert_int_equal(wide, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(nothing_is_lost_and_all_are_told, "host:1"),
        ON_BACKEND(nothing_is_lost_and_all_are_told, "host:1x4"),
        ON_BACKEND(nothing_is_lost_and_all_are_told, "cuda:0"),
        cmocka_unit_test(a_swap_of_something_else_does_nothing),
    };
    return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
