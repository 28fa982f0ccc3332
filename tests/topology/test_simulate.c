/** @file test_simulate.c  Virtual time of copies, kernels and pushes, worked out by hand. */
#include "tests/topology/sim_fixture.h"

#include "tests/lib/test_kernels.h"

static void devices_are_the_machine_s(void **state)
{
    weir_machine *machine = star_machine(1 << 0 | 1 << 2);
    const weir_machine *kept;
    weir_context *context;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    (void)state;
    OK(weir_machine_simulate(machine, NULL, &context));
    assert_int_equal(weir_context_device_count(context), STAR_DEVICES);
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        char label[16], name[64];
        weir_device_info_get(weir_context_device(context, i), &info);
        snprintf(label, sizeof label, "sim:%u", i);
        snprintf(name, sizeof name, "made-up GPU %u", i);
        assert_string_equal(info.label, label);
        assert_string_equal(info.name, name);
        assert_int_equal(info.kind, WEIR_DEVICE_HOST);
        assert_int_equal(info.index, i);
        assert_int_equal(info.memory_bytes, 1000 + i);
        assert_int_equal(info.units, 1);
    }
    weir_device_info_get(weir_context_home(context), &info);
    assert_string_equal(info.label, "home");
    OK(weir_machine_of(context, &kept));
    assert_ptr_not_equal(kept, machine);
    assert_string_equal(weir_machine_name(kept), "star");
    weir_machine_destroy(machine);
    weir_context_destroy(context);
}

static void reaching_is_the_machine_s(void **state)
{
    weir_context *context = simulate(star_machine(1 << 0 | 1 << 2), NULL);
    (void)state;
    for (uint32_t a = 0; a <= STAR_DEVICES; a++)
        for (uint32_t b = 0; b <= STAR_DEVICES; b++)
            assert_int_equal(weir_device_reaches(any_device(context, a), any_device(context, b)),
                             !((a == 0 && b == 2) || (a == 2 && b == 0)));
    weir_context_destroy(context);
}

static void no_device_reaches_another_with_peers_off(void **state)
{
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "peer", "off"));
    weir_context *context = simulate(star_machine(0), config);
    weir_config_destroy(config);
    for (uint32_t a = 0; a <= STAR_DEVICES; a++)
        for (uint32_t b = 0; b <= STAR_DEVICES; b++)
            assert_int_equal(weir_device_reaches(any_device(context, a), any_device(context, b)),
                             a == b || a == STAR_DEVICES || b == STAR_DEVICES);
    weir_context_destroy(context);
}

static void one_copy(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 1, 0, 1, BYTES);
    assert_time_us(s.context, 0);
    assert_bytes(s.data[1], BYTES, 2); /* it has not even begun */
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, COPY_US);
    assert_bytes(s.data[1], BYTES, 1);
    star_close(&s);
}

static void copies_of_a_queue_follow_each_other(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 0, 0, 1, BYTES);
    put_copy(&s, 0, 1, 2, BYTES);
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 2 * COPY_US);
    assert_bytes(s.data[2], BYTES, 1);
    star_close(&s);
}

static void copies_share_a_hop(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 1, 0, 1, BYTES);
    put_copy(&s, 2, 0, 2, BYTES);
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, 203);
    OK(weir_queue_sync(s.queue[2]));
    assert_time_us(s.context, 203);
    star_close(&s);
}

/* Both at 5 GB/s until the shorter one's 250 000 bytes are there; then the other one at 10. */
static void who_is_left_gets_the_whole_hop(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 1, 0, 1, BYTES);
    put_copy(&s, 2, 0, 2, BYTES / 4);
    OK(weir_queue_sync(s.queue[2]));
    assert_time_us(s.context, 3 + 50);
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, 3 + 50 + 75);
    star_close(&s);
}

static void directions_do_not_disturb_each_other(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 1, 0, 1, BYTES);
    put_copy(&s, 0, 1, 0, BYTES / 2);
    put_copy(&s, 2, 2, STAR_DEVICES, BYTES);
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 53);
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, COPY_US);
    OK(weir_queue_sync(s.queue[2]));
    assert_time_us(s.context, COPY_US);
    star_close(&s);
}

static void a_push_starts_as_fast_as_it_may(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    OK(weir_queue_push(s.queue[0], s.device[1], s.data[1], s.device[0], s.data[0], BYTES));
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 102);
    assert_bytes(s.data[1], BYTES, 1);
    star_close(&s);
}

static void local_copies_and_fills(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    OK(weir_queue_copy(s.queue[0], s.device[0], s.data[0] + BYTES / 2, s.device[0], s.data[0],
                       BYTES / 2));
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 2 + 5);
    OK(weir_queue_fill(s.queue[1], s.data[1], 9, BYTES));
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, 2 + 5 + 2 + 10);
    assert_bytes(s.data[1], BYTES, 9);
    star_close(&s);
}

static void a_kernel_costs_its_launch(void **state)
{
    uint32_t calls = 0, workers = 0;
    struct test_calls_args args = {&calls, &workers, 1};
    struct star s;
    (void)state;
    star_open(&s);
    OK(weir_queue_launch(s.queue[0], &test_calls_kernel, &args, sizeof args));
    OK(weir_queue_launch(s.queue[0], &test_calls_kernel, &args, sizeof args));
    assert_int_equal(calls, 0);
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 8);
    assert_int_equal(calls, 2);
    assert_int_equal(workers, 1);
    star_close(&s);
}

/* A reader that does not wait for the writer gets what was there before. */
static void missing_order_shows(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    put_copy(&s, 1, 0, 1, BYTES);
    put_copy(&s, 2, 1, 2, 1000);
    OK(weir_queue_sync(s.queue[1]));
    OK(weir_queue_sync(s.queue[2]));
    assert_bytes(s.data[1], BYTES, 1);
    assert_bytes(s.data[2], 1000, 2);
    star_close(&s);
}

static void stamps_are_exact(void **state)
{
    weir_stamp *start, *stop, *unused;
    struct star s;
    double ms = -1;
    (void)state;
    star_open(&s);
    OK(weir_stamp_create(s.device[1], &start));
    OK(weir_stamp_create(s.device[1], &stop));
    OK(weir_stamp_create(s.device[1], &unused));
    put_copy(&s, 1, 0, 1, 777);
    OK(weir_queue_stamp(s.queue[1], start));
    put_copy(&s, 1, 0, 1, BYTES);
    OK(weir_queue_stamp(s.queue[1], stop));
    STATUS(weir_stamp_elapsed(start, stop, &ms), WEIR_PENDING);
    OK(weir_queue_sync(s.queue[1]));
    OK(weir_stamp_elapsed(start, stop, &ms));
    assert_true(ms == 0.103);
    OK(weir_stamp_elapsed(stop, start, &ms));
    assert_true(ms == -0.103);
    STATUS(weir_stamp_elapsed(start, unused, &ms), WEIR_ERR_INVALID);
    assert_detail_has("never put into a queue");
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_stamp_destroy(unused);
    star_close(&s);
}

/* The older mark is in the slower queue: it comes last and does not count. */
static void a_stamp_is_its_last_mark(void **state)
{
    weir_stamp *start, *stop;
    struct star s;
    double ms = -1;
    (void)state;
    star_open(&s);
    weir_queue *fast = new_queue(s.device[1]);
    OK(weir_stamp_create(s.device[1], &start));
    OK(weir_stamp_create(s.device[1], &stop));
    OK(weir_queue_stamp(fast, start));
    put_copy(&s, 1, 0, 1, BYTES);
    OK(weir_queue_stamp(s.queue[1], stop));
    OK(weir_queue_fill(fast, s.data[2], 3, BYTES));
    OK(weir_queue_stamp(fast, stop));
    OK(weir_queue_sync(s.queue[1]));
    OK(weir_queue_sync(fast));
    OK(weir_stamp_elapsed(start, stop, &ms));
    assert_true(ms == 0.012);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(fast);
    star_close(&s);
}

/* Copies of odd sizes at odd times between all pairs. */
static void run_program(double *ms)
{
    enum { ROUNDS = 200 };
    weir_stamp *start[STAR_DEVICES], *stop[STAR_DEVICES];
    uint64_t seed = 11;
    struct star s;
    star_open(&s);
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        OK(weir_stamp_create(s.device[i], &start[i]));
        OK(weir_stamp_create(s.device[i], &stop[i]));
        OK(weir_queue_stamp(s.queue[i], start[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t to = next_random(&seed) % STAR_DEVICES, from = next_random(&seed) % STAR_DEVICES;
        put_copy(&s, to, from, to == from ? STAR_DEVICES : to, 1 + next_random(&seed) % BYTES);
        if (round % 16 == 0)
            OK(weir_queue_sync(s.queue[from]));
    }
    for (uint32_t i = 0; i < STAR_DEVICES; i++)
        OK(weir_queue_stamp(s.queue[i], stop[i]));
    for (uint32_t i = 0; i < STAR_DEVICES; i++) {
        while (weir_stamp_elapsed(start[i], stop[i], &ms[i]) == WEIR_PENDING)
            ;
        assert_true(ms[i] > 0);
        weir_stamp_destroy(start[i]);
        weir_stamp_destroy(stop[i]);
    }
    star_close(&s);
}

static void two_runs_take_the_same_time(void **state)
{
    double first[STAR_DEVICES], second[STAR_DEVICES];
    (void)state;
    run_program(first);
    run_program(second);
    assert_memory_equal(first, second, sizeof first);
}

static void a_model_that_cannot_be_is_refused(void **state)
{
    static const double none[2] = {10, 0};
    static const char names[1][64] = {"x"};
    static const uint64_t memory[1] = {0};
    weir__sim_path paths[4] = {{.count = 0}};
    weir__sim_model model = {.devices = 1,
                             .resources = 2,
                             .capacity_gbs = none,
                             .paths = paths,
                             .names = names,
                             .memory_bytes = memory};
    weir_context *context;
    (void)state;
    STATUS(weir__context_simulate(&model, NULL, &context), WEIR_ERR_INVALID);
    assert_detail_has("has no bandwidth");
    model.resources = 1;
    paths[1] = (weir__sim_path){.count = 1, .resource = {1}};
    STATUS(weir__context_simulate(&model, NULL, &context), WEIR_ERR_INVALID);
    assert_detail_has("from device 0 to 1");
    paths[1] = (weir__sim_path){.latency_us = -1};
    STATUS(weir__context_simulate(&model, NULL, &context), WEIR_ERR_INVALID);
    model.copy_us = -1;
    STATUS(weir__context_simulate(&model, NULL, &context), WEIR_ERR_INVALID);
    assert_detail_has("overhead");
    model.devices = 0;
    STATUS(weir__context_simulate(&model, NULL, &context), WEIR_ERR_INVALID);
    assert_null(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_the_machine_s),
        cmocka_unit_test(reaching_is_the_machine_s),
        cmocka_unit_test(no_device_reaches_another_with_peers_off),
        cmocka_unit_test(one_copy),
        cmocka_unit_test(copies_of_a_queue_follow_each_other),
        cmocka_unit_test(copies_share_a_hop),
        cmocka_unit_test(who_is_left_gets_the_whole_hop),
        cmocka_unit_test(directions_do_not_disturb_each_other),
        cmocka_unit_test(a_push_starts_as_fast_as_it_may),
        cmocka_unit_test(local_copies_and_fills),
        cmocka_unit_test(a_kernel_costs_its_launch),
        cmocka_unit_test(missing_order_shows),
        cmocka_unit_test(stamps_are_exact),
        cmocka_unit_test(a_stamp_is_its_last_mark),
        cmocka_unit_test(two_runs_take_the_same_time),
        cmocka_unit_test(a_model_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
