/** @file test_choices_limits.c  The smallest queues, packets and link buffers, with every order, kernel
 *  and route: the same answers, or the bound of the spill and a sentence. */
#include "tests/algorithms/choices_fixture.h"

static void open_set_or_skip(struct choice_devices *set)
{
    const char *spec = set->spec[0];
    skip_if_left_out(spec);
    weir_status status = choice_devices_open(set);
    if (status == WEIR_ERR_NODEV)
        skip_without(spec);
    OK(status);
}

static void try_variants(struct choice_devices *set, enum choice_shape shape, uint32_t first,
                         uint32_t step)
{
    struct choice_graph *graph = choice_graph_make(shape);
    uint8_t row[CHOICE_FACTORS];
    const char *why;
    uint32_t wrong = 0;
    assert_non_null(graph);
    for (uint32_t i = first; i < variant_count(set->spec[0]) && wrong < 3; i += step) {
        variant_row(i, row);
        if (choice_try(set, graph, row, &why) != CHOICE_RIGHT) {
            print_error("%s: %s, %s: %s\n", graph->name, choice_text(set, row), set->settings[0],
                        why);
            wrong++;
        }
    }
    choice_graph_free(graph);
    if (wrong)
        fail_msg("%u combinations are wrong", wrong);
}

/* R-MAT with everything, the others with a third each time; the star's middle has more arcs than all
 * queues and packets have room for. */
static void the_smallest_queues_give_the_same_answers(void **state)
{
    static const char *const one[] = {"link_buffers=1", "queue_items=16", "packet_bytes=16", NULL};
    static const char *const two[] = {"link_buffers=2", "queue_items=16", "packet_bytes=64", NULL};
    for (uint32_t i = 0; i < 2; i++) {
        struct choice_devices set = {.name = "small", .spec = {*state}, .specs = 1};
        set.settings = i ? two : one;
        open_set_or_skip(&set);
        try_variants(&set, CHOICE_RMAT, i, (1 + i) * variant_step(*state));
        try_variants(&set, CHOICE_STAR, i, 3 * variant_step(*state));
        try_variants(&set, CHOICE_BIPARTITE, 1 + i, 3 * variant_step(*state));
        choice_devices_close(&set);
    }
}

/* Items that double for ever come to the bound of the spill, whatever takes them. */
static void a_spill_bound_that_is_too_small_ends_the_run(void **state)
{
    static const char *const bounds[] = {"0", "64KiB"};
    skip_if_left_out(*state);
    for (uint32_t i = 0; i < variant_count(*state);
         i += 3 * variant_step(*state)) { /* each order with each kernel */
        struct tree_setup setup = variant_tree(*state, i);
        struct tree_world world;
        setup.tree.fan = 2;
        setup.spill_bytes = bounds[i / 5 % 2];
        setup.config.queue_items = 64;
        setup.config.time_limit_ms = 20000; /* a hang says so with its counters */
        choice_watch(variant_text(*state, i), 40);
        weir_status status = tree_world_open(&world, &setup);
        if (status == WEIR_ERR_NODEV)
            skip_without(setup.spec);
        if (status || (status = tree_world_seed(&world, 1, 10)))
            fail_msg("%s: %s", variant_text(*state, i), weir_error_detail());
        status = weir_worklist_run(world.list, NULL);
        assert_ended(variant_text(*state, i), status, WEIR_ERR_NOMEM, "WEIR_SPILL_BYTES",
                     world.devices);
        tree_world_close(&world);
        choice_watch_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(the_smallest_queues_give_the_same_answers),
        ON_EACH_SPEC(a_spill_bound_that_is_too_small_ends_the_run),
    };
    return cmocka_run_group_tests_name("choices and limits", tests, NULL, NULL);
}
