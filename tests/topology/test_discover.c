/** @file test_discover.c  The machine of a context says what the context's devices say. */
#include "tests/lib/support.h"

#include "topology/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const weir_machine *machine_of(weir_context *context)
{
    const weir_machine *machine = NULL;
    OK(weir_machine_of(context, &machine));
    assert_non_null(machine);
    return machine;
}

static void devices_come_first_and_in_order(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    assert_int_equal(weir_machine_device_count(machine), weir_context_device_count(context));
    for (uint32_t d = 0; d < weir_machine_device_count(machine); d++) {
        const weir_node *node = weir_machine_node(machine, d);
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(context, d), &info);
        assert_int_equal(node->kind, WEIR_NODE_DEVICE);
        assert_string_equal(node->name, info.name);
        assert_int_equal(node->units, info.units);
        assert_int_equal(node->memory_bytes, info.memory_bytes);
    }
    weir_context_destroy(context);
}

static void hosts_have_cores_and_memory(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    uint32_t first = weir_machine_device_count(machine);
    assert_true(weir_machine_host_count(machine) >= 1);
    for (uint32_t h = 0; h < weir_machine_host_count(machine); h++) {
        const weir_node *node = weir_machine_node(machine, first + h);
        assert_int_equal(node->kind, WEIR_NODE_HOST);
        assert_true(node->units > 0);
    }
    assert_true(weir_machine_node(machine, first)->memory_bytes > 0);
    weir_context_destroy(context);
}

static void labels_are_unique(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    for (uint32_t a = 0; a < weir_machine_node_count(machine); a++) {
        assert_string_not_equal(weir_machine_node(machine, a)->label, "");
        for (uint32_t b = 0; b < a; b++)
            assert_string_not_equal(weir_machine_node(machine, a)->label,
                                    weir_machine_node(machine, b)->label);
    }
    weir_context_destroy(context);
}

static void pairs_reach_as_the_context_says(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    for (uint32_t s = 0; s < all_devices(context); s++)
        for (uint32_t d = 0; d < all_devices(context); d++) {
            weir_device *from = any_device(context, s), *to = any_device(context, d);
            const weir_pair *pair = weir_machine_pair(machine, s, d);
            assert_int_equal(pair->reaches, weir_device_reaches(from, to));
            assert_int_equal(pair->atomics, weir_device_atomics(from, to));
            assert_true(pair->bandwidth_gbs == 0); /* nothing was measured */
        }
    weir_context_destroy(context);
}

static void peers_may_be_switched_off(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    const weir_machine *machine = machine_of(context);
    weir_cost cost;
    assert_false(weir_machine_pair(machine, 0, 1)->reaches);
    OK(weir_machine_cost(machine, 0, 1, &cost));
    assert_true(cost.staged);
    weir_context_destroy(context);
}

static void every_device_has_a_way_home_and_back(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    uint32_t home = weir_machine_device_count(machine);
    for (uint32_t d = 0; d < home; d++)
        for (int back = 0; back < 2; back++) {
            weir_cost cost;
            OK(weir_machine_cost(machine, back ? home : d, back ? d : home, &cost));
            assert_true(cost.hop_count >= 1);
            assert_true(cost.bandwidth_gbs > 0);
            assert_true(cost.latency_us > 0);
            assert_false(cost.staged);
        }
    weir_context_destroy(context);
}

static void hops_are_whole(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++) {
        const weir_hop *hop = weir_machine_hop(machine, h);
        assert_true(hop->a < hop->b);
        assert_true(hop->b < weir_machine_node_count(machine));
        assert_true(hop->bandwidth_gbs > 0);
        assert_non_null(weir_hop_kind_text(hop->kind));
    }
    weir_context_destroy(context);
}

static void asking_again_gives_the_same(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    assert_ptr_equal(machine, machine_of(context));
    weir_context_destroy(context);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void gpus_are_described(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_node *node = weir_machine_node(machine_of(context), 0);
    unsigned domain, bus, device, function;
    assert_int_equal(sscanf(node->bus, "%x:%x:%x.%x", &domain, &bus, &device, &function), 4);
    assert_true(node->units > 0);
    assert_true(node->copy_engines > 0);
    assert_true(node->memory_bytes > 0);
    assert_true(node->memory_gbs > 0);
    assert_string_equal(node->label, "gpu0");
    weir_context_destroy(context);
}

/* Native atomics on a peer of these GPUs go over NVLink, so data does as well. */
static void close_peers_have_nvlink(void **state)
{
    weir_context *context = open_or_skip(state);
    const weir_machine *machine = machine_of(context);
    weir__device_facts facts;
    weir_cost cost;
    weir__device_facts_get(weir_context_device(context, 0), &facts);
    int close = facts.major >= 8 && weir_machine_pair(machine, 0, 1)->reaches &&
                weir_machine_pair(machine, 0, 1)->atomics;
    OK(weir_machine_cost(machine, 0, 1, &cost));
    weir_hop hop = cost.hop_count ? *weir_machine_hop(machine, cost.hops[0].hop) : (weir_hop){0};
    weir_context_destroy(context);
    if (!close)
        skip();
    assert_true(cost.hop_count >= 1);
    assert_false(cost.staged);
    assert_int_equal(hop.kind, WEIR_HOP_NVLINK);
}

/* ---- threads --------------------------------------------------------------------------------- */

#define ASKERS 4

struct asker {
    weir_context *context;
    pthread_barrier_t *start;
    const weir_machine *machine;
    weir_status status;
};

static void *ask(void *user)
{
    struct asker *asker = user;
    pthread_barrier_wait(asker->start);
    asker->status = weir_machine_of(asker->context, &asker->machine);
    return NULL;
}

static void ask_at_once(weir_context *context)
{
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, ASKERS), 0);
    for (uint32_t i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){context, &start, NULL, WEIR_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (uint32_t i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (uint32_t i = 0; i < ASKERS; i++) {
        assert_int_equal(askers[i].status, WEIR_OK);
        assert_non_null(askers[i].machine);
        assert_ptr_equal(askers[i].machine, askers[0].machine);
    }
    assert_ptr_equal(machine_of(context), askers[0].machine);
}

static void threads_get_one_machine(void **state)
{
    weir_context *context = open_or_skip(state);
    ask_at_once(context);
    weir_context_destroy(context);
}

/* Many devices take long to discover, so that threads meet in it. */
static void threads_that_meet_get_one_machine(void **state)
{
    (void)state;
    static const char *const settings[] = {"events=16", "host_threads=1", NULL};
    for (int round = 0; round < 20; round++) {
        weir_context *context = open_with_or_skip("host:48", settings);
        ask_at_once(context);
        weir_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(threads_get_one_machine), /* first: then nothing has been read yet */
        cmocka_unit_test(threads_that_meet_get_one_machine),
        ON_EACH_BACKEND(devices_come_first_and_in_order),
        ON_EACH_BACKEND(hosts_have_cores_and_memory),
        ON_EACH_BACKEND(labels_are_unique),
        ON_EACH_BACKEND(pairs_reach_as_the_context_says),
        ON_EACH_BACKEND(every_device_has_a_way_home_and_back),
        ON_EACH_BACKEND(hops_are_whole),
        ON_EACH_BACKEND(asking_again_gives_the_same),
        ON_BACKEND(peers_may_be_switched_off, "cuda:0-1"),
        ON_BACKEND(gpus_are_described, "cuda:0"),
        ON_BACKEND(gpus_are_described, "cuda:0,host:1"),
        ON_BACKEND(close_peers_have_nvlink, "cuda:0-1"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
