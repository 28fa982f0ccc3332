/** @file test_steps_arrays.c  Supersteps: arrays of a program that are taken after it was created, and tables that are
 * refused. */
#include "runtime/internal.h"
#include "tests/lib/beats.h"
#include "tests/lib/support.h"

#include <stddef.h>

static uint64_t left_out(const void *user, uint32_t device, uint32_t sender)
{
    (void)user;
    (void)device;
    (void)sender;
    return 0;
}

static const weir_steps_array late_arrays[] = {
    {.name = "cells",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 7,
     .bytes = 8,
     .count = left_out,
     .field = offsetof(struct beats_args, cell)},
    {.name = "counted",
     .extent = WEIR_STEPS_COUNTED,
     .bytes = 8,
     .count = left_out,
     .field = offsetof(struct beats_args, spare[0])},
    {.name = "filled",
     .first = WEIR_STEPS_FILLED,
     .bytes = 8,
     .count = left_out,
     .field = offsetof(struct beats_args, spare[1])},
};

/* A context and the body of beats.h, without its cells. */
struct beats {
    weir_context *context;
    weir_steps *steps;
    uint32_t devices;
};

static void late_open(struct beats *beats, weir_context *context, uint32_t arrays)
{
    const weir_steps_program late = {.what = "late beats",
                                     .body = &weir__beats_steps,
                                     .arrays = late_arrays,
                                     .array_count = arrays};
    static weir_steps_program program; /* the object refers to it */
    weir_steps_domain domain = {weir_context_device_count(context), {0}, {0}};
    program = late;
    beats->context = context;
    beats->devices = domain.devices;
    for (uint32_t d = 0; d < domain.devices; d++)
        domain.first[d + 1] = domain.first[d] + BEATS_CELLS;
    OK(weir_steps_create(context, &program, &domain, NULL, LONG_MS, &beats->steps));
}

/* What a device's kernel is told of the array of a device. */
static uint64_t *late_cell(const struct beats *beats, uint32_t told, uint32_t of)
{
    return ((struct beats_args *)weir_steps_args(beats->steps, told))->cell[of];
}

static void assert_late(const struct beats *beats, int there)
{
    for (uint32_t d = 0; d < beats->devices; d++)
        for (uint32_t e = 0; e < beats->devices; e++) {
            assert_int_equal(late_cell(beats, d, e) != NULL, there);
            assert_ptr_equal(late_cell(beats, d, e), weir_steps_data(beats->steps, "cells", e));
        }
}

/* Barriers whose cells of all devices are looked at. */
static void assert_late_run(const struct beats *beats)
{
    for (uint32_t d = 0; d < beats->devices; d++) {
        struct beats_args *args = weir_steps_args(beats->steps, d);
        args->mode = BEATS_COUNT;
        args->steps = 100;
        args->seed = 3;
    }
    OK(weir_steps_run(beats->steps, NULL));
    for (uint32_t d = 0; d < beats->devices; d++) {
        assert_int_equal(weir_steps_results(beats->steps, d)[BEATS_WRONG], 0);
        assert_int_equal(weir_steps_results(beats->steps, d)[BEATS_STEP], 101);
    }
}

/* All devices have it or none, and after a failure it can be tried again. */
static void an_array_may_be_taken_later(void **state)
{
    weir_context *context = open_or_skip(state);
    struct beats beats;
    uint64_t first[2], *cell[WEIR_DEVICES_MAX];
    late_open(&beats, context, 1);
    assert_late(&beats, 0);
    for (uint64_t nth = 1; nth <= beats.devices; nth++) {
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        STATUS(weir_steps_take(beats.steps, "cells"), WEIR_ERR_NOMEM);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_late(&beats, 0);
    }
    OK(weir_steps_take(beats.steps, "cells"));
    assert_late(&beats, 1);
    for (uint32_t d = 0; d < beats.devices; d++) {
        weir_device *device = weir_context_device(context, d);
        cell[d] = late_cell(&beats, 0, d);
        OK(weir__download(device, first, cell[d], sizeof first));
        assert_true(first[0] == UINT64_C(0x0707070707070707) && first[1] == first[0]);
    }
    OK(weir_steps_take(beats.steps, "cells"));
    for (uint32_t d = 0; d < beats.devices; d++)
        assert_ptr_equal(late_cell(&beats, 0, d), cell[d]);
    assert_late_run(&beats);
    weir_steps_destroy(beats.steps);
    weir_context_destroy(context);
}

static uint64_t left_out_but_on_the_first(const void *user, uint32_t device, uint32_t sender)
{
    (void)user;
    (void)sender;
    return device == 0;
}

/* The first device has the array from the beginning and keeps it, whatever becomes of the others. */
static void an_array_may_be_there_on_some_devices(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:3", NULL);
    weir_steps_array array = late_arrays[0];
    const weir_steps_program program = {
        .what = "late beats", .body = &weir__beats_steps, .arrays = &array, .array_count = 1};
    const weir_steps_domain domain = {3, {0, BEATS_CELLS, 2 * BEATS_CELLS, 3 * BEATS_CELLS}, {0}};
    struct beats beats = {.context = context, .devices = 3};
    array.count = left_out_but_on_the_first;
    OK(weir_steps_create(context, &program, &domain, NULL, LONG_MS, &beats.steps));
    uint64_t *first = late_cell(&beats, 0, 0);
    assert_non_null(first);
    assert_null(late_cell(&beats, 1, 1));
    weir__fault_arm(WEIR__FAULT_ALLOC, 2);
    STATUS(weir_steps_take(beats.steps, "cells"), WEIR_ERR_NOMEM);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    for (uint32_t d = 0; d < 3; d++)
        assert_ptr_equal(late_cell(&beats, d, d), d ? NULL : first);
    OK(weir_steps_take(beats.steps, "cells"));
    assert_ptr_equal(late_cell(&beats, 2, 0), first);
    assert_late(&beats, 1);
    assert_late_run(&beats);
    weir_steps_destroy(beats.steps);
    weir_context_destroy(context);
}

static void arrays_that_cannot_be_taken_later(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    struct beats beats;
    late_open(&beats, context, 3);
    STATUS(weir_steps_take(beats.steps, "counted"), WEIR_ERR_INVALID);
    STATUS(weir_steps_take(beats.steps, "filled"), WEIR_ERR_INVALID);
    STATUS(weir_steps_take(beats.steps, "nothing"), WEIR_ERR_INVALID);
    assert_detail("late beats has no array nothing that can be taken later");
    weir_steps_destroy(beats.steps);
    weir_context_destroy(context);
}

/* A body without the code for it resets nothing. */
static void a_body_that_cannot_reset_is_refused_such_arrays(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    weir_steps_body body = weir__beats_steps;
    const weir_steps_program program = {
        .what = "plain beats", .body = &body, .arrays = late_arrays, .array_count = 3};
    const weir_steps_domain domain = {2, {0}, {0}};
    weir_steps *steps;
    OK(weir_steps_create(context, &program, &domain, NULL, 0, &steps));
    weir_steps_destroy(steps);
    body.no_reset = 1;
    STATUS(weir_steps_create(context, &program, &domain, NULL, 0, &steps), WEIR_ERR_INVALID);
    assert_detail("plain beats: array filled is reset before a run, and the body was compiled with "
                  "WEIR_STEPS_NO_RESET");
    assert_null(steps);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(an_array_may_be_taken_later, "host:1"),
        ON_BACKEND(an_array_may_be_taken_later, "host:3"),
        ON_BACKEND(an_array_may_be_taken_later, "cuda:0"),
        ON_BACKEND(an_array_may_be_taken_later, "cuda:0-1"),
        cmocka_unit_test(an_array_may_be_there_on_some_devices),
        cmocka_unit_test(arrays_that_cannot_be_taken_later),
        cmocka_unit_test(a_body_that_cannot_reset_is_refused_such_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
