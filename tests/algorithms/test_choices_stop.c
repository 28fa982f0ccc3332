/** @file test_choices_stop.c  Time limits and cancels with every order, kernel and route; a run after
 *  many. A stop takes well under a second; only a hang is looked for, by a watch of 20. */
#include "tests/algorithms/choices_fixture.h"

#include <stdlib.h>

#define WATCH_S 20

struct canceller {
    void (*cancel)(void *object);
    void *object;
    unsigned after_us;
    pthread_t thread;
};

static void *cancel_later(void *data)
{
    struct canceller *canceller = data;
    usleep(canceller->after_us);
    canceller->cancel(canceller->object);
    return NULL;
}

static void cancel_list(void *list)
{
    weir_worklist_cancel(list);
}

static void start(struct canceller *canceller)
{
    assert_int_equal(pthread_create(&canceller->thread, NULL, cancel_later, canceller), 0);
}

/* A worklist whose items reproduce for ever, seeded; only a stop ends its run. */
static void open_endless(struct tree_world *world, const struct tree_setup *setup, uint32_t i)
{
    skip_if_left_out(setup->spec);
    choice_watch(variant_text(setup->spec, i), WATCH_S);
    weir_status status = tree_world_open(world, setup);
    if (status == WEIR_ERR_NODEV) {
        choice_watch_end();
        skip_without(setup->spec);
    }
    if (status || (status = tree_world_seed(world, 1, 50)))
        fail_msg("%s: %s", variant_text(setup->spec, i), weir_error_detail());
}

static void close_endless(struct tree_world *world)
{
    tree_world_close(world);
    choice_watch_end();
}

/* ---- worklists ---------------------------------------------------------------------------------- */

static void a_time_limit_ends_every_kind_of_run(void **state)
{
    for (uint32_t i = 0; i < variant_count(*state); i += variant_step(*state)) {
        struct tree_setup setup = variant_tree(*state, i);
        struct tree_world world;
        setup.config.time_limit_ms = 20;
        open_endless(&world, &setup, i);
        weir_status status = weir_worklist_run(world.list, NULL);
        assert_ended(variant_text(*state, i), status, WEIR_ERR_TIMEOUT, "time limit of 20 ms",
                     world.devices);
        close_endless(&world);
    }
}

static void a_cancel_in_the_middle_ends_every_kind_of_run(void **state)
{
    static const unsigned after_us[] = {0, 1000, 20000};
    for (uint32_t i = 0; i < variant_count(*state); i += variant_step(*state)) {
        struct tree_setup setup = variant_tree(*state, i);
        struct tree_world world;
        open_endless(&world, &setup, i);
        struct canceller canceller = {cancel_list, world.list, after_us[i % 3], 0};
        start(&canceller);
        weir_status status = weir_worklist_run(world.list, NULL);
        pthread_join(canceller.thread, NULL);
        assert_ended(variant_text(*state, i), status, WEIR_ERR_CANCELLED, "was cancelled",
                     world.devices);
        close_endless(&world);
    }
}

/* ---- algorithms --------------------------------------------------------------------------------- */

/* A small graph on one set of devices, and objects made of a variant's choices. */
struct stage {
    struct choice_devices set;
    struct choice_graph *graph;
};

static void open_stage(struct stage *stage, const char *spec, enum choice_shape shape)
{
    skip_if_left_out(spec);
    *stage = (struct stage){.set = {.name = spec, .spec = {spec}, .specs = 1}};
    weir_status status = choice_devices_open(&stage->set);
    if (status == WEIR_ERR_NODEV)
        skip_without(spec);
    OK(status);
    assert_non_null(stage->graph = choice_graph_make(shape));
}

static void close_stage(struct stage *stage)
{
    choice_graph_free(stage->graph);
    choice_devices_close(&stage->set);
}

static const struct choice_operator *operator_of(uint32_t i)
{
    uint8_t row[CHOICE_FACTORS];
    variant_row(i, row);
    return &choice_operators[row[CHOICE_OPERATOR]];
}

static void *made(struct stage *stage, uint32_t i)
{
    const struct choice_operator *op = operator_of(i);
    uint8_t row[CHOICE_FACTORS];
    variant_row(i, row);
    weir_run_options options = choice_options(row);
    const weir_partition *partition = choice_graph_cut(
        stage->graph, weir_context_device_count(stage->set.context[0]), choice_partition(row));
    void *object = NULL;
    choice_watch(choice_text(&stage->set, row), WATCH_S);
    assert_non_null(partition);
    if (op->create(stage->set.context[0], stage->graph->with[op->weights], partition, &options,
                   &object))
        fail_msg("%s: %s", choice_text(&stage->set, row), weir_error_detail());
    return object;
}

static void given_up(const struct choice_operator *op, void *object)
{
    op->destroy(object);
    choice_watch_end();
}

/* It stays cancelled, and another object of the same context is none the worse. */
static void a_cancel_before_the_run_ends_it(void **state)
{
    struct stage stage;
    open_stage(&stage, *state, CHOICE_RMAT);
    for (uint32_t i = 0; i < variant_count(*state); i += variant_step(*state)) {
        const struct choice_operator *op = operator_of(i);
        void *object = made(&stage, i);
        op->cancel(object);
        STATUS(op->run(object, 0, NULL), WEIR_ERR_CANCELLED);
        STATUS(op->run(object, 0, NULL), WEIR_ERR_CANCELLED);
        given_up(op, object);
        object = made(&stage, i);
        OK(op->run(object, 0, NULL));
        given_up(op, object);
    }
    close_stage(&stage);
}

/* Runs until the cancel comes, in the middle of one or between two. */
static void a_cancel_ends_a_row_of_runs(void **state)
{
    struct stage stage;
    open_stage(&stage, *state, CHOICE_RMAT);
    for (uint32_t i = 0; i < variant_count(*state); i += variant_step(*state)) {
        const struct choice_operator *op = operator_of(i);
        void *object = made(&stage, i);
        struct canceller canceller = {op->cancel, object, 500 * (i % 7), 0};
        weir_status status;
        start(&canceller);
        while ((status = op->run(object, 0, NULL)) == WEIR_OK)
            ;
        pthread_join(canceller.thread, NULL);
        assert_ended(variant_text(*state, i), status, WEIR_ERR_CANCELLED, "was cancelled", 0);
        given_up(op, object);
    }
    close_stage(&stage);
}

static void run_many(struct stage *stage, uint32_t i, uint32_t runs)
{
    const struct choice_operator *op = operator_of(i);
    const uint64_t vertices = stage->graph->with[op->weights]->vertices;
    const uint32_t number = (uint32_t)(op - choice_operators);
    double *values = malloc(vertices * sizeof *values);
    void *object = made(stage, i);
    assert_non_null(values);
    for (uint32_t run = 0; run < runs; run++) {
        uint32_t from = run % CHOICE_SOURCES;
        const double *want = choice_graph_expected(stage->graph, number, from);
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        assert_non_null(want);
        choice_watch(variant_text(stage->set.spec[0], i), WATCH_S);
        if (op->run(object, stage->graph->source[from], &stats) ||
            op->values(object, vertices, values))
            fail_msg("run %u of %s: %s", run, variant_text(stage->set.spec[0], i),
                     weir_error_detail());
        if (memcmp(values, want, vertices * sizeof *values) != 0)
            fail_msg("run %u of %s: another result", run, variant_text(stage->set.spec[0], i));
        assert_int_equal(stats.work.produced, stats.work.consumed);
    }
    given_up(op, object);
    free(values);
}

/* Nothing is left over from a run that the next one would trip over. */
static void the_last_of_many_runs_is_as_the_first(void **state)
{
    struct stage stage;
    open_stage(&stage, *state, CHOICE_GRID);
    for (uint32_t i = 0; i < 10; i++) { /* each order with each kernel, with one route each */
        uint32_t runs = i % 5 == 1 ? 300 : 40;
        run_many(&stage, i % 5 + i / 5 * 20 + i % 4 * 5, runs / variant_step(*state));
    }
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(a_time_limit_ends_every_kind_of_run),
        ON_EACH_SPEC(a_cancel_in_the_middle_ends_every_kind_of_run),
        ON_EACH_SPEC(a_cancel_before_the_run_ends_it),
        ON_EACH_SPEC(a_cancel_ends_a_row_of_runs),
        ON_EACH_SPEC(the_last_of_many_runs_is_as_the_first),
    };
    return cmocka_run_group_tests_name("choices and stops", tests, NULL, NULL);
}
