/** @file test_null.c  Every public call of worklists and supersteps that returns a status refuses NULL by the argument's name, but where
 * its header says what NULL means, and those that cancel ignore it; numbers of devices and results that there are not give nothing. scripts/check_lists.sh holds the calls of this file
 * against the headers. */
#include "tests/lib/arrays.h"
#include "tests/lib/support.h"
#include "tests/worklist/worklist_fixture.h"
#include "worklist/steps.h"

static void worklists(void **state)
{
    struct tree_setup setup = tree_plain("host:2");
    struct tree_world world;
    weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
    weir_worklist *list = NULL;
    uint64_t items;
    (void)state;
    tree_open(&world, &setup);
    list = world.list;
    MAKES_NONE(weir_worklist_create(world.source, NULL, 2, &weir__tree_operator, NULL, &list),
               "workers", list);
    assert_null(list);
    MAKES_NONE(weir_worklist_create(world.source, world.worker, 2, NULL, NULL, &list), "op", list);
    MISSING(weir_worklist_create(world.source, world.worker, 2, &weir__tree_operator, NULL, NULL),
            "worklist_out");
    MISSING(weir_worklist_bind(NULL, 0, &world.tree[0]), "worklist");
    MISSING(weir_worklist_bind(world.list, 0, NULL), "state");
    MISSING(weir_worklist_seed(NULL, 0, NULL, 0), "worklist");
    MISSING(weir_worklist_seed(world.list, 0, NULL, 1), "wires");
    MISSING(weir_worklist_seed_numbers(NULL, 0, 1), "worklist");
    MISSING(weir_worklist_explain(NULL, &stats, NULL), "worklist");
    MISSING(weir_worklist_link_items(NULL, 0, 0, &items), "worklist");
    MISSING(weir_worklist_link_items(world.list, 0, 0, NULL), "items_out");
    MISSING(weir_worklist_run(NULL, NULL), "worklist");
    weir_worklist_cancel(NULL);
    tree_run(&world, &setup, 1, 5); /* what was refused left nothing behind */
    tree_world_close(&world);
}

static void supersteps(void **state)
{
    const weir_steps_program program = {.what = "arrays", .body = &weir__arrays_steps};
    const weir_steps_domain domain = {.devices = 1, .first = {0, 32}, .owned = {32}};
    weir_steps_program wrong = program;
    weir_steps *steps = NULL;
    weir_context *context;
    (void)state;
    OK(weir_context_create("host:1", NULL, &context));
    MISSING(weir_steps_possible(NULL, 1), "context");
    MAKES_NONE(weir_steps_create(NULL, &program, &domain, NULL, 0, &steps), "context", steps);
    MAKES_NONE(weir_steps_create(context, NULL, &domain, NULL, 0, &steps), "program", steps);
    MAKES_NONE(weir_steps_create(context, &program, NULL, NULL, 0, &steps), "domain", steps);
    MISSING(weir_steps_create(context, &program, &domain, NULL, 0, NULL), "steps_out");
    wrong.what = NULL;
    MAKES_NONE(weir_steps_create(context, &wrong, &domain, NULL, 0, &steps), "what", steps);
    wrong = program;
    wrong.body = NULL;
    MAKES_NONE(weir_steps_create(context, &wrong, &domain, NULL, 0, &steps), "body", steps);
    wrong = program;
    wrong.array_count = 1;
    MAKES_NONE(weir_steps_create(context, &wrong, &domain, NULL, 0, &steps), "arrays", steps);
    wrong = program;
    wrong.phase_count = 1;
    MAKES_NONE(weir_steps_create(context, &wrong, &domain, NULL, 0, &steps), "phases", steps);
    assert_null(steps);
    MISSING(weir_steps_take(NULL, "one"), "steps");
    MISSING(weir_steps_run(NULL, NULL), "steps");
    weir_steps_cancel(NULL);
    OK(weir_steps_create(context, &program, &domain, NULL, 0, &steps));
    MISSING(weir_steps_take(steps, NULL), "name");
    assert_null(weir_steps_args(steps, 1));
    assert_null(weir_steps_data(steps, NULL, 0));
    assert_null(weir_steps_results(steps, 1));
    assert_null(weir_steps_queue(steps, 1));
    assert_int_equal(weir_steps_total(steps, WEIR_STEPS_RESULTS), 0);
    assert_int_equal(weir_steps_tells(steps, 0, 1) + weir_steps_tells(steps, 1, 0), 0);
    weir_steps_destroy(steps);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worklists),
        cmocka_unit_test(supersteps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
