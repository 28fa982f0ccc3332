/** @file test_relay.c  Plans that lead over a third device, plans over some devices, and rehearsals. */
#include "tests/topology/machine_fixture.h"

#include "topology/machine.h"
#include "topology/plan.h"
#include "topology/rehearse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @return how many pairs are relayed; each over two that reach, and none that reaches. */
static uint32_t count_relays(const weir_machine *machine, const weir_route_plan *plan)
{
    uint32_t count = 0;
    assert_int_equal(plan->kind, WEIR_ROUTE_DIRECT);
    for (uint32_t from = 0; from < plan->devices; from++)
        for (uint32_t to = 0; to < plan->devices; to++) {
            uint32_t via = plan->next[from][to];
            if (via == to)
                continue;
            count++;
            assert_int_not_equal(via, from);
            assert_false(weir_machine_pair(machine, from, to)->reaches);
            assert_true(weir_machine_pair(machine, from, via)->reaches);
            assert_true(weir_machine_pair(machine, via, to)->reaches);
            assert_int_equal(plan->next[via][to], to);
        }
    return count;
}

static void relays_shorten_an_exchange(void **state)
{
    weir_machine *machine = open_machine("dgx1v");
    weir_route_plan plan, direct, tree;
    (void)state;
    OK(weir_route_plan_make_relayed(machine, &plan));
    OK(weir_route_plan_make(machine, WEIR_ROUTE_DIRECT, &direct));
    OK(weir_route_plan_make(machine, WEIR_ROUTE_TREE, &tree));
    assert_in_range(count_relays(machine, &plan), 16, 24);
    assert_true(plan.exchange_us < tree.exchange_us / 2);
    assert_true(plan.exchange_us < direct.exchange_us / 4);
    assert_non_null(
        strstr(plan.why, "pairs over a third device: an exchange of 1 MiB a pair takes"));
    weir_route_plan again;
    OK(weir_route_plan_make_relayed(machine, &again));
    assert_memory_equal(&again, &plan, sizeof plan);
    weir_machine_destroy(machine);
}

/* Where all reach each other there is nothing to relay, and where none does nobody is between. */
static void nobody_relays_without_need(void **state)
{
    static const char *const texts[] = {"nvswitch8",    "m60",      "hetero2",
                                        "pcie4-nopeer", "2x2*pcie", "1*nvswitch"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_machine *machine = open_machine(texts[i]);
        weir_route_plan plan, direct;
        OK(weir_route_plan_make_relayed(machine, &plan));
        OK(weir_route_plan_make(machine, WEIR_ROUTE_DIRECT, &direct));
        assert_int_equal(count_relays(machine, &plan), 0);
        assert_memory_equal(plan.next, direct.next, sizeof plan.next);
        assert_true(plan.exchange_us == direct.exchange_us);
        weir_machine_destroy(machine);
    }
}

/* A device that both reach, and a slow way through the home memory. */
static void the_one_between_is_taken(void **state)
{
    weir_machine *machine;
    weir_route_plan plan;
    (void)state;
    OK(weir__machine_create("bridge", "gpu", 3, 1, 0, &machine));
    for (uint32_t d = 0; d < 3; d++) {
        OK(weir__machine_add_hop(
            machine, (weir_hop){.kind = WEIR_HOP_PCIE, .a = d, .b = 3, .bandwidth_gbs = 5}));
        if (d != 1)
            OK(weir__machine_add_hop(
                machine, (weir_hop){.kind = WEIR_HOP_NVLINK, .a = d, .b = 1, .bandwidth_gbs = 50}));
    }
    weir__machine_connect(machine, 0, 1, 1);
    weir__machine_connect(machine, 1, 2, 1);
    OK(weir__machine_finish(machine));
    OK(weir_route_plan_make_relayed(machine, &plan));
    assert_int_equal(plan.next[0][2], 1);
    assert_int_equal(plan.next[2][0], 1);
    assert_int_equal(count_relays(machine, &plan), 2);
    weir_machine_destroy(machine);
}

/* ---- some devices ------------------------------------------------------------------------------ */

/* Costs among them are those of the whole machine, in whatever order they are named. */
static void some_devices_keep_their_costs(void **state)
{
    static const uint32_t chosen[] = {6, 1, 4, 0};
    static const char *const texts[] = {"dgx1v", "m60", "nvswitch8"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        weir_machine *whole = open_machine(texts[t]), *part;
        OK(weir__machine_select(whole, chosen, 4, &part));
        assert_int_equal(weir_machine_device_count(part), 4);
        for (uint32_t a = 0; a <= 4; a++)
            for (uint32_t b = 0; b <= 4; b++) {
                uint32_t from = a < 4 ? chosen[a] : 8, to = b < 4 ? chosen[b] : 8;
                const weir_cost *is = weir__cost(part, a, b), *was = weir__cost(whole, from, to);
                assert_true(is->bandwidth_gbs == was->bandwidth_gbs);
                assert_true(is->latency_us == was->latency_us);
                assert_int_equal(is->staged, was->staged);
                assert_int_equal(is->hop_count, was->hop_count);
                uint32_t at = a, hops = is->staged ? 0 : is->hop_count;
                for (uint32_t h = 0; h < hops;
                     h++) { /* each hop goes on from where the last one ended */
                    const weir_hop *hop = weir_machine_hop(part, is->hops[h].hop);
                    assert_int_equal(is->hops[h].backward ? hop->b : hop->a, at == 4 ? 4 : at);
                    at = is->hops[h].backward ? hop->a : hop->b;
                }
                if (hops)
                    assert_int_equal(at, b);
            }
        weir_machine_destroy(part);
        weir_machine_destroy(whole);
    }
}

static void plans_over_some_devices(void **state)
{
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7}, turned[] = {7, 6, 5, 4, 3, 2, 1, 0};
    static const uint32_t twice[] = {1, 1}, none[] = {8};
    weir_machine *machine = open_machine("dgx1v");
    weir_route_plan plan, whole, first;
    (void)state;
    OK(weir_route_plan_make(machine, WEIR_ROUTE_RING, &whole));
    OK(weir_route_plan_make_over(machine, all, 8, WEIR_ROUTE_RING, &plan));
    assert_memory_equal(&plan, &whole, sizeof plan);
    OK(weir_route_plan_make_over(machine, turned, 8, WEIR_ROUTE_RING, &plan));
    assert_true(plan.exchange_us == whole.exchange_us);
    OK(weir_route_plan_make_first(machine, 5, WEIR_ROUTE_RING, &first));
    OK(weir_route_plan_make_over(machine, all, 5, WEIR_ROUTE_RING, &plan));
    assert_memory_equal(&plan, &first, sizeof plan);
    STATUS(weir_route_plan_make_over(machine, twice, 2, WEIR_ROUTE_RING, &plan), WEIR_ERR_INVALID);
    assert_detail("device 1 of a machine of 8 is named twice");
    STATUS(weir_route_plan_make_over(machine, none, 1, WEIR_ROUTE_RING, &plan), WEIR_ERR_INVALID);
    assert_detail("device 8 of a machine of 8 is none");
    STATUS(weir_route_plan_make_over(machine, all, 0, WEIR_ROUTE_RING, &plan), WEIR_ERR_INVALID);
    STATUS(weir_route_plan_make_over(machine, all, 8, (weir_route_kind)9, &plan), WEIR_ERR_INVALID);
    weir_machine_destroy(machine);
}

/* ---- rehearsals -------------------------------------------------------------------------------- */

static double copy_us(weir_context *context, size_t bytes)
{
    weir_device *from = weir_context_device(context, 0), *to = weir_context_device(context, 1);
    weir_queue *queue = new_queue(from);
    void *source, *target;
    OK(weir_device_alloc(from, bytes, &source));
    OK(weir_device_alloc(to, bytes, &target));
    uint64_t start = weir_context_time_ns(context);
    OK(weir_queue_copy(queue, to, target, from, source, bytes));
    OK(weir_queue_fill(queue, source, 1, bytes));
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    weir_device_free(from, source);
    weir_device_free(to, target);
    return (double)(weir_context_time_ns(context) - start) / 1e3;
}

/* The same times without the bytes: here of more memory than there is. */
static void a_rehearsal_takes_the_same_time(void **state)
{
    weir_machine *machine = open_machine("nvswitch8");
    weir_context *real, *dry;
    weir_config *config;
    weir_overheads slow = {.copy_us = 100, .push_us = 100, .launch_us = 100};
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "64TiB"));
    OK(weir_machine_simulate(machine, NULL, &real));
    OK(weir__machine_rehearse(machine, NULL, config, &dry));
    assert_true(copy_us(real, 1 << 20) == copy_us(dry, 1 << 20));
    assert_true(copy_us(dry, (size_t)1 << 37) > 1e5);
    weir_context_destroy(dry);
    double usual = copy_us(real, 1 << 20);
    weir_context_destroy(real);
    OK(weir__machine_rehearse(machine, &slow, config, &dry));
    assert_true(copy_us(dry, 1 << 20) > usual + 2 * 98);
    weir_context_destroy(dry);
    weir_config_destroy(config);
    weir_machine_destroy(machine);
}

/* ---- a machine that is given -------------------------------------------------------------------- */

static char *write_machine(const weir_machine *machine, char *path)
{
    char *text = json_of(machine);
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    free(text);
    return path;
}

static weir_status machine_by(const char *path, const char *spec, weir_context **context_out,
                              const weir_machine **machine_out)
{
    weir_config *config;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "machine", path));
    OK(weir_context_create(spec, config, context_out));
    weir_config_destroy(config);
    return weir_machine_of(*context_out, machine_out);
}

static void a_measured_machine_is_believed(void **state)
{
    char path[] = "/tmp/weir-machine-XXXXXX", apart[] = "/tmp/weir-machine-XXXXXX";
    weir_machine *spec = open_machine("3*host,gbs:7"), *nopeer = open_machine("3*pcie,nopeer");
    const weir_machine *machine;
    weir_context *context;
    weir_cost cost;
    (void)state;
    (void)write_machine(spec, path);
    (void)write_machine(nopeer, apart);
    OK(machine_by(path, "host:3", &context, &machine));
    OK(weir_machine_cost(machine, 0, 2, &cost));
    assert_true(cost.bandwidth_gbs == 7);
    assert_int_equal(weir_machine_device_count(machine), 3);
    weir_context_destroy(context);
    OK(machine_by(path, "host:2", &context,
                  &machine)); /* its first devices: host devices have no buses */
    assert_int_equal(weir_machine_device_count(machine), 2);
    weir_context_destroy(context);
    STATUS(machine_by(path, "host:4", &context, &machine), WEIR_ERR_INVALID);
    assert_detail_has("it has 3 devices, and none of them is device 3 here");
    weir_context_destroy(context);
    STATUS(machine_by(apart, "host:3", &context, &machine), WEIR_ERR_INVALID);
    assert_detail_has("gpu0 does not reach gpu1 there, and does here: measure it again");
    weir_context_destroy(context);
    STATUS(machine_by("/nowhere/to/be/found.json", "host:2", &context, &machine), WEIR_ERR_IO);
    weir_context_destroy(context);
    (void)remove(path);
    (void)remove(apart);
    weir_machine_destroy(spec);
    weir_machine_destroy(nopeer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relays_shorten_an_exchange),
        cmocka_unit_test(nobody_relays_without_need),
        cmocka_unit_test(the_one_between_is_taken),
        cmocka_unit_test(some_devices_keep_their_costs),
        cmocka_unit_test(plans_over_some_devices),
        cmocka_unit_test(a_rehearsal_takes_the_same_time),
        cmocka_unit_test(a_measured_machine_is_believed),
    };
    return cmocka_run_group_tests_name("relays", tests, NULL, NULL);
}
