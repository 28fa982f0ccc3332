/** @file test_simulate_limits.c  What simulated copies share, and times at the end of the clock. */
#include "tests/topology/sim_fixture.h"

#include "tests/lib/test_kernels.h"

/* ---- memories and hops ----------------------------------------------------------------------- */

/* Two copies and a fill of a device share what its memory copies, 100 GB/s; another device's do not
 * notice, nor does a copy between the two. */
static void local_copies_share_their_memory(void **state)
{
    weir_queue *second, *third;
    struct star s;
    (void)state;
    star_open(&s);
    second = new_queue(s.device[0]);
    third = new_queue(s.device[0]);
    unsigned char *to = new_memory(s.device[0], 3 * BYTES);
    put_copy(&s, 2, 0, 1, BYTES);
    OK(weir_queue_copy(s.queue[0], s.device[0], to, s.device[0], s.data[0], BYTES));
    OK(weir_queue_copy(second, s.device[0], to + BYTES, s.device[0], s.data[0], BYTES));
    OK(weir_queue_fill(third, to + 2 * BYTES, 5, BYTES));
    OK(weir_queue_fill(s.queue[1], s.data[2], 6, BYTES));
    OK(weir_queue_sync(s.queue[1]));
    assert_time_us(s.context, 2 + 10);
    OK(weir_queue_sync(s.queue[0]));
    assert_time_us(s.context, 2 + 30);
    OK(weir_queue_sync(second));
    OK(weir_queue_sync(third));
    assert_time_us(s.context, 2 + 30);
    OK(weir_queue_sync(s.queue[2]));
    assert_time_us(s.context, COPY_US);
    assert_bytes(to + BYTES, BYTES, 1);
    assert_bytes(to + 2 * BYTES, BYTES, 5);
    weir_queue_destroy(second);
    weir_queue_destroy(third);
    weir_device_free(s.device[0], to);
    star_close(&s);
}

static void home_is_a_memory_too(void **state)
{
    struct star s;
    (void)state;
    star_open(&s);
    weir_queue *second = new_queue(s.device[STAR_DEVICES]);
    OK(weir_queue_fill(s.queue[STAR_DEVICES], s.data[STAR_DEVICES], 5, BYTES / 2));
    OK(weir_queue_fill(second, s.data[STAR_DEVICES] + BYTES / 2, 6, BYTES / 2));
    OK(weir_queue_sync(second));
    assert_time_us(s.context, 2 + 10);
    weir_queue_destroy(second);
    star_close(&s);
}

/* A memory of which nothing is known has some figure, which is shared as well. */
static void an_unknown_memory_is_shared(void **state)
{
    weir_machine *machine = star_machine(0);
    uint64_t alone, both;
    (void)state;
    machine->node[0].memory_gbs = 0;
    OK(weir__machine_finish(machine));
    weir_context *context = simulate(machine, NULL);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue[2] = {new_queue(device), new_queue(device)};
    unsigned char *data = new_memory(device, 2 * BYTES);
    OK(weir_queue_fill(queue[0], data, 1, BYTES));
    OK(weir_queue_sync(queue[0]));
    alone = weir_context_time_ns(context) - 2000;
    assert_true(alone > 0);
    for (int i = 0; i < 2; i++)
        OK(weir_queue_fill(queue[i], data + i * BYTES, 2, BYTES));
    OK(weir_queue_sync(queue[0]));
    both = weir_context_time_ns(context) - 2 * 2000 - alone;
    assert_int_equal(both, 2 * alone);
    for (int i = 0; i < 2; i++)
        weir_queue_destroy(queue[i]);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* 50 GB/s were measured over hops of 10: by a link that the machine does not name. */
static void a_pair_that_is_too_fast_takes_no_hops(void **state)
{
    weir_machine *machine = star_machine(1 << 1 | 1 << 2);
    weir_queue *queue[3];
    unsigned char *data;
    (void)state;
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 50;
    weir__machine_pair(machine, 2, 1)->bandwidth_gbs = 1e5; /* staged: that raises nothing */
    OK(weir__machine_finish(machine));
    weir_context *context = simulate(machine, NULL);
    weir_device *device[4];
    for (uint32_t i = 0; i < 4; i++)
        device[i] = any_device(context, i);
    data = new_memory(device[0], BYTES);
    for (uint32_t i = 0; i < 3; i++)
        queue[i] = new_queue(device[i]);
    OK(weir_queue_copy(queue[0], device[1], data, device[0], data, BYTES));
    OK(weir_queue_copy(queue[1], device[2], data, device[0], data, BYTES));
    OK(weir_queue_copy(queue[2], device[3], data, device[2], data, BYTES / 2));
    OK(weir_queue_sync(queue[0]));
    assert_time_us(context, 3 + 20);
    OK(weir_queue_sync(queue[2]));
    assert_time_us(context, 3 + 50);
    OK(weir_queue_sync(queue[1]));
    assert_time_us(context, COPY_US);
    for (uint32_t i = 0; i < 3; i++)
        weir_queue_destroy(queue[i]);
    weir_device_free(device[0], data);
    weir_context_destroy(context);
}

/* ---- large times ----------------------------------------------------------------------------- */

/* All figures that a file may have at their worst: 16 hops of a second, 1000 bytes a second. */
static void the_slowest_machine(void **state)
{
    weir_machine *machine;
    (void)state;
    OK(weir__machine_create("slow", "gpu", 1, 1, WEIR_PATH_HOPS_MAX - 1, &machine));
    machine->overheads = (weir_overheads){.copy_us = 1e6, .push_us = 1e6, .launch_us = 1e6};
    for (uint32_t h = 0; h < WEIR_PATH_HOPS_MAX; h++) {
        weir_hop hop = {.a = h ? 1 + h : 0, .b = h + 1 < WEIR_PATH_HOPS_MAX ? 2 + h : 1};
        hop.bandwidth_gbs = 1e-6;
        hop.latency_us = 1e6;
        OK(weir__machine_add_hop(machine, hop));
    }
    OK(weir__machine_finish(machine));
    weir_context *context = simulate(machine, NULL);
    weir_device *device = weir_context_device(context, 0), *home = weir_context_home(context);
    weir_queue *queue = new_queue(device);
    unsigned char *data = new_memory(device, 4000), *back = new_memory(home, 4000);
    OK(weir_queue_copy(queue, home, back, device, data, 4000));
    OK(weir_queue_sync(queue));
    assert_time_us(context, 1e6 + 16e6 + 4e6);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_device_free(home, back);
    weir_context_destroy(context);
}

/* A copy takes 46 days, and the clock has room for seven months. */
static void time_ends_and_does_not_wrap(void **state)
{
    static const char names[1][64] = {"x"};
    static const uint64_t memory[1] = {0};
    static const double capacity[1] = {1e-12};
    weir__sim_path paths[4] = {{.latency_us = 1e9, .count = 1}};
    const weir__sim_model model = {.devices = 1,
                                   .resources = 1,
                                   .capacity_gbs = capacity,
                                   .paths = paths,
                                   .copy_us = 1e9,
                                   .launch_us = 1e9,
                                   .names = names,
                                   .memory_bytes = memory};
    uint32_t calls = 0, workers = 0;
    struct test_calls_args args = {&calls, &workers, 1};
    weir_context *context;
    weir_stamp *start, *stop;
    uint64_t before = 0;
    double ms;
    (void)state;
    OK(weir__context_simulate(&model, NULL, &context));
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    unsigned char *data = new_memory(device, BYTES);
    OK(weir_stamp_create(device, &start));
    OK(weir_stamp_create(device, &stop));
    OK(weir_queue_stamp(queue, start));
    for (int i = 0; i < 8; i++) {
        OK(weir_queue_fill(queue, data, i, BYTES));
        OK(weir_queue_sync(queue));
        assert_bytes(data, BYTES, (unsigned char)i);
        if (i < 4)
            assert_true(weir_context_time_ns(context) - before > UINT64_C(4000000000000000));
        assert_true(weir_context_time_ns(context) >= before);
        before = weir_context_time_ns(context);
    }
    OK(weir_queue_launch(queue, &test_calls_kernel, &args, sizeof args));
    OK(weir_queue_stamp(queue, stop));
    OK(weir_queue_sync(queue));
    assert_int_equal(calls, 1);
    assert_int_equal(weir_context_time_ns(context), before);
    OK(weir_stamp_elapsed(start, stop, &ms));
    assert_true(ms > 18e9);
    OK(weir_stamp_elapsed(stop, start, &ms));
    assert_true(ms < -18e9);
    weir_stamp_destroy(start);
    weir_stamp_destroy(stop);
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_copies_share_their_memory),
        cmocka_unit_test(home_is_a_memory_too),
        cmocka_unit_test(an_unknown_memory_is_shared),
        cmocka_unit_test(a_pair_that_is_too_fast_takes_no_hops),
        cmocka_unit_test(the_slowest_machine),
        cmocka_unit_test(time_ends_and_does_not_wrap),
    };
    return cmocka_run_group_tests_name("simulate_limits", tests, NULL, NULL);
}
