/** @file test_worklist_quiet.c  Invariant 2: a run ends when, and only when, all is consumed.
 *
 * The protocol alone (worklist/quiet.c), on counters made by hand: no kernel, and of the device only its clock. */
#include "tests/worklist/worklist_fixture.h"
#include "worklist/internal.h"

#include <stdlib.h>

#define WORKERS 3

static struct weir_worklist *make_list(uint32_t count)
{
    struct weir_worklist *list = calloc(1, sizeof *list);
    assert_non_null(list);
    assert_int_equal(weir_context_create("host:1", NULL, &list->context), WEIR_OK);
    list->workers = calloc(count, sizeof *list->workers);
    assert_non_null(list->workers);
    list->count = count;
    list->delta = list->config.delta = 10;
    atomic_store(&list->threshold, 10);
    pthread_mutex_init(&list->order_lock, NULL);
    for (uint32_t i = 0; i < count; i++) {
        weir__bell_init(&list->workers[i].bell);
        atomic_store(&list->workers[i].shared.far_min, NO_PRIORITY);
    }
    return list;
}

static void free_list(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        weir__bell_destroy(&list->workers[i].bell);
    pthread_mutex_destroy(&list->order_lock);
    free(list->workers);
    weir_context_destroy(list->context);
    free(list);
}

static struct shared *of(struct weir_worklist *list, uint32_t worker)
{
    return &list->workers[worker].shared;
}

static void goes_on(struct weir_worklist *list)
{
    uint32_t epoch = atomic_load(&list->epoch);
    assert_int_equal(weir__quiet_check(list), 0);
    assert_int_equal(atomic_load(&list->done), 0);
    assert_int_equal(atomic_load(&list->epoch), epoch);
}

static void ends(struct weir_worklist *list)
{
    assert_int_not_equal(weir__quiet_check(list), 0);
    assert_int_equal(atomic_load(&list->done), 1);
    for (uint32_t i = 0; i < list->count; i++)
        assert_int_equal(list->workers[i].bell.rung, 1); /* all are told */
    assert_int_equal(weir__quiet_check(list), 0);        /* and only once */
}

static void invariant_2_nothing_to_do_ends_at_once(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= WORKERS; count++) {
        struct weir_worklist *list = make_list(count);
        ends(list);
        free_list(list);
    }
}

static void invariant_2_no_end_while_an_item_is_under_way(void **state)
{
    (void)state;
    struct weir_worklist *list = make_list(WORKERS);
    atomic_store(&list->seeded, 1);
    goes_on(list); /* the seed is on its way */
    atomic_store(&of(list, 0)->produced, 2);
    goes_on(list);
    atomic_store(&of(list, 0)->consumed, 1); /* the seed; its two children travel */
    goes_on(list);
    atomic_store(&of(list, 1)->consumed, 1);
    goes_on(list);
    atomic_store(&of(list, 2)->produced, 5); /* another worker's children hide nothing */
    atomic_store(&of(list, 2)->consumed, 5);
    goes_on(list);
    atomic_store(&of(list, 2)->consumed, 6);
    ends(list);
    free_list(list);
}

static void invariant_2_no_end_before_a_threshold_was_noticed(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < WORKERS; late++) {
        struct weir_worklist *list = make_list(WORKERS);
        atomic_store(&list->epoch, 4);
        for (uint32_t i = 0; i < WORKERS; i++)
            atomic_store(&of(list, i)->epoch, i == late ? 3 : 4);
        goes_on(list);
        atomic_store(&of(list, late)->epoch, 4);
        ends(list);
        free_list(list);
    }
}

static void deferred_items_raise_the_threshold(void **state)
{
    (void)state;
    struct weir_worklist *list = make_list(WORKERS);
    atomic_store(&list->seeded, 3);
    atomic_store(&of(list, 0)->consumed, 1);
    atomic_store(&of(list, 1)->parked, 1);
    atomic_store(&of(list, 1)->far_min, 70);
    goes_on(list); /* the third is under way */
    atomic_store(&of(list, 2)->parked, 1);
    atomic_store(&of(list, 2)->far_min, 50);
    assert_int_not_equal(weir__quiet_check(list), 0);
    assert_int_equal(atomic_load(&list->done), 0);
    assert_int_equal(atomic_load(&list->epoch), 1);
    assert_int_equal(atomic_load(&list->threshold), 60); /* above the most urgent, by delta */
    assert_int_equal(list->raises, 1);
    goes_on(list); /* nobody has noticed yet */
    for (uint32_t i = 0; i < WORKERS; i++)
        atomic_store(&of(list, i)->epoch, 1);
    atomic_store(&of(list, 2)->released, 1); /* near now */
    goes_on(list);
    atomic_store(&of(list, 2)->consumed, 1);
    atomic_store(&of(list, 2)->far_min, NO_PRIORITY);
    assert_int_not_equal(weir__quiet_check(list), 0);
    assert_int_equal(atomic_load(&list->threshold), 80);
    for (uint32_t i = 0; i < WORKERS; i++)
        atomic_store(&of(list, i)->epoch, 2);
    atomic_store(&of(list, 1)->released, 1);
    goes_on(list);
    atomic_store(&of(list, 1)->consumed, 1);
    ends(list);
    free_list(list);
}

static void a_threshold_rises_and_does_not_wrap(void **state)
{
    (void)state;
    static const uint32_t far_min[] = {0, 9, 10, UINT32_MAX - 11, UINT32_MAX - 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof far_min / sizeof *far_min; i++) {
        struct weir_worklist *list = make_list(1);
        atomic_store(&list->seeded, 1);
        atomic_store(&of(list, 0)->parked, 1);
        atomic_store(&of(list, 0)->far_min, far_min[i]);
        assert_int_not_equal(weir__quiet_check(list), 0);
        uint32_t threshold = atomic_load(&list->threshold);
        assert_true(threshold > 10);
        /* No priority is a bound that is not known: then a step is enough. */
        assert_true(threshold == UINT32_MAX || threshold > far_min[i] || far_min[i] == NO_PRIORITY);
        free_list(list);
    }
}

/* ---- workers that really run: tokens that are passed around, with no engine below -------------
 */

#define TOKENS 40
#define LIVES  400

struct model {
    struct weir_worklist *list;
    _Atomic uint64_t mail[WORKERS]; /* tokens under way to a worker, by count */
    _Atomic uint64_t lives;         /* steps that tokens have left in all */
    _Atomic uint64_t alive;         /* tokens that are not consumed */
    _Atomic int early;              /* the end was seen while a token was alive */
};

struct model_worker {
    struct model *model;
    uint32_t index;
    pthread_t thread;
};

static int take_life(struct model *model)
{
    uint64_t left = atomic_load(&model->lives);
    while (left > 0 && !atomic_compare_exchange_weak(&model->lives, &left, left - 1))
        ;
    return left > 0;
}

static void consume_one(struct model_worker *me, struct worker *worker)
{
    struct model *model = me->model;
    uint32_t to = (uint32_t)(tree_mix(worker->stats.consumed + me->index) % WORKERS);
    int again = take_life(model);
    if (again) {
        worker->stats.produced++;
        atomic_fetch_add(&model->alive, 1);
    }
    worker->stats.consumed++;
    atomic_fetch_sub(&model->alive, 1);
    weir__quiet_publish(worker); /* before the new token can be seen by others */
    if (again)
        atomic_fetch_add(&model->mail[to], 1);
}

static void *pass_tokens(void *data)
{
    struct model_worker *me = data;
    struct model *model = me->model;
    struct worker *worker = &model->list->workers[me->index];
    while (!atomic_load(&model->list->done)) {
        uint64_t tokens = atomic_exchange(&model->mail[me->index], 0);
        while (tokens-- > 0)
            consume_one(me, worker);
        if (weir__quiet_check(model->list) && atomic_load(&model->alive) > 0)
            atomic_store(&model->early, 1);
    }
    return NULL;
}

static void invariant_2_seen_from_many_threads(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < 20; repeat++) {
        struct model model = {.list = make_list(WORKERS)};
        struct model_worker workers[WORKERS];
        atomic_store(&model.list->seeded, TOKENS);
        atomic_store(&model.alive, TOKENS);
        atomic_store(&model.lives, LIVES);
        atomic_store(&model.mail[0], TOKENS);
        for (uint32_t i = 0; i < WORKERS; i++) {
            workers[i] = (struct model_worker){.model = &model, .index = i};
            model.list->workers[i].far_min = NO_PRIORITY;
            assert_int_equal(pthread_create(&workers[i].thread, NULL, pass_tokens, &workers[i]), 0);
        }
        for (uint32_t i = 0; i < WORKERS; i++)
            pthread_join(workers[i].thread, NULL);
        uint64_t consumed = 0;
        for (uint32_t i = 0; i < WORKERS; i++)
            consumed += model.list->workers[i].stats.consumed;
        assert_int_equal(model.early, 0);
        assert_int_equal(model.alive, 0);
        assert_int_equal(consumed, TOKENS + LIVES);
        free_list(model.list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariant_2_nothing_to_do_ends_at_once),
        cmocka_unit_test(invariant_2_no_end_while_an_item_is_under_way),
        cmocka_unit_test(invariant_2_no_end_before_a_threshold_was_noticed),
        cmocka_unit_test(deferred_items_raise_the_threshold),
        cmocka_unit_test(a_threshold_rises_and_does_not_wrap),
        cmocka_unit_test(invariant_2_seen_from_many_threads),
    };
    return cmocka_run_group_tests_name("worklist quiet", tests, NULL, NULL);
}
