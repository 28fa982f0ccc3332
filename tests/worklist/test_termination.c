/** @file test_termination.c  Invariant 2: workers agree that a run is over when, and only when, all is consumed.
 *
 * The rules of worklist/engine/termination.h alone, on reports made by hand; then threads that pass tokens around and
 * report as workers do. */
#include "tests/lib/support.h"
#include "worklist/engine/termination.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define WORKERS 3
#define NONE    0xFFFFFFFFu

/* Reports of idle workers in epoch 4 that add up. */
static void make_reports(struct weir_status_words *reports)
{
    memset(reports, 0, WORKERS * sizeof *reports);
    for (uint32_t i = 0; i < WORKERS; i++)
        reports[i] = (struct weir_status_words){
            .turn = 2 * i + 2, .epoch = 4, .produced = 10 + i, .consumed = 7 + i, .deferred = 3};
}

static int looks_quiet(const struct weir_status_words *reports)
{
    struct weir_status_sums sums;
    return weir_termination_look(reports, WORKERS, 4, &sums) &&
           weir_termination_look_again(reports, WORKERS, &sums);
}

/* ---- the two looks ------------------------------------------------------------------------------ */

static void invariant_2_reports_that_add_up_are_agreed_on(void **state)
{
    struct weir_status_words reports[WORKERS];
    struct weir_status_sums sums;
    (void)state;
    make_reports(reports);
    for (uint32_t i = 0; i < WORKERS; i++) {
        reports[i].urgency = 100 * i;
        reports[i].bucket[5] = 0x70000000u;
        reports[i].bucket[6] = i;
    }
    assert_true(weir_termination_look(reports, WORKERS, 4, &sums));
    assert_true(weir_termination_look_again(reports, WORKERS, &sums));
    assert_int_equal(sums.open, 0);
    assert_int_equal(sums.deferred, 3 * WORKERS);
    assert_int_equal(sums.urgency, 200);
    assert_int_equal(sums.bucket[4], 0);
    assert_int_equal(sums.bucket[5], UINT32_MAX); /* saturates */
    assert_int_equal(sums.bucket[6], 3);
    for (uint32_t i = 0; i < WORKERS; i++)
        assert_int_equal(sums.turn[i], reports[i].turn);
}

static void invariant_2_no_end_while_a_turn_is_odd(void **state)
{
    (void)state;
    for (uint32_t busy = 0; busy < WORKERS; busy++) {
        struct weir_status_words reports[WORKERS];
        make_reports(reports);
        assert_true(looks_quiet(reports));
        reports[busy].turn++;
        assert_false(looks_quiet(reports));
        reports[busy].turn++;
        assert_true(looks_quiet(reports));
    }
}

static void invariant_2_no_end_before_a_command_was_noticed(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < WORKERS; late++) {
        struct weir_status_words reports[WORKERS];
        make_reports(reports);
        reports[late].epoch = 3;
        assert_false(looks_quiet(reports));
        reports[late].epoch = 5;
        assert_false(looks_quiet(reports));
        reports[late].epoch = 4;
        assert_true(looks_quiet(reports));
    }
}

static void invariant_2_no_end_while_an_item_is_under_way(void **state)
{
    struct weir_status_words reports[WORKERS];
    (void)state;
    make_reports(reports);
    reports[0].produced++; /* handed on, and nobody has it */
    assert_false(looks_quiet(reports));
    reports[2].produced += 5; /* another worker's children hide nothing */
    reports[2].consumed += 5;
    assert_false(looks_quiet(reports));
    reports[1].consumed++; /* consumed elsewhere */
    assert_true(looks_quiet(reports));
    reports[1].deferred++; /* of an item that was not produced: the sums differ the other way */
    assert_false(looks_quiet(reports));
    reports[0].produced++;
    assert_true(looks_quiet(reports));
}

static void invariant_2_counters_wrap(void **state)
{
    struct weir_status_words reports[WORKERS];
    (void)state;
    make_reports(reports);
    reports[0].produced = 0; /* all of it came from others */
    reports[0].consumed = 10;
    reports[0].deferred = 0;
    reports[1].produced += 10;
    assert_true(looks_quiet(reports));
}

static void invariant_2_a_turn_that_changes_between_the_looks(void **state)
{
    (void)state;
    for (uint32_t wakes = 0; wakes < WORKERS; wakes++)
        for (uint32_t by = 1; by <= 2; by++) { /* at work, or idle again */
            struct weir_status_words reports[WORKERS];
            struct weir_status_sums sums;
            make_reports(reports);
            assert_true(weir_termination_look(reports, WORKERS, 4, &sums));
            reports[wakes].turn += by;
            assert_false(weir_termination_look_again(reports, WORKERS, &sums));
            reports[wakes].turn -= by;
            assert_true(weir_termination_look_again(reports, WORKERS, &sums));
        }
}

static void a_report_is_published_whole(void **state)
{
    struct weir_status_words from = {.turn = 8,
                                     .epoch = 4,
                                     .produced = UINT64_C(1) << 40,
                                     .consumed = 2,
                                     .deferred = 3,
                                     .urgency = 5};
    struct weir_status_words to;
    (void)state;
    for (uint32_t b = 0; b < WEIR_BUCKETS; b++)
        from.bucket[b] = 100 + b;
    memset(&to, 0, sizeof to);
    weir_status_publish(&to, &from);
    assert_memory_equal(&to, &from, sizeof to);
}

/* ---- commands ----------------------------------------------------------------------------------- */

static struct weir_work_order order_at(uint32_t threshold, uint32_t delta, uint32_t bucket)
{
    return (struct weir_work_order){.threshold = threshold, .delta = delta, .bucket = bucket};
}

static struct weir_command_words command_for(const struct weir_status_sums *sums,
                                             struct weir_work_order order, int fixed,
                                             uint64_t target, uint32_t width_sum,
                                             uint32_t width_count)
{
    struct weir_command_words command = {0, 0, 0, 0, 0, {0, 0, 0}};
    weir_termination_command(sums, &order, 0, fixed, target, WEIR_BUCKETS, width_sum, width_count,
                             &command);
    return command;
}

static void nothing_deferred_is_the_end(void **state)
{
    struct weir_status_sums sums = {.open = 0};
    struct weir_work_order order = order_at(10, 10, 0);
    struct weir_command_words command;
    (void)state;
    for (int bulk = 0; bulk <= 1; bulk++) {
        sums.deferred = 0;
        weir_termination_command(&sums, &order, bulk, 0, 100, WEIR_BUCKETS, 0, 0, &command);
        assert_int_equal(command.kind, WEIR_COMMAND_DONE);
        sums.deferred = 1;
        sums.bucket[0] = 1;
        weir_termination_command(&sums, &order, bulk, 0, 100, WEIR_BUCKETS, 0, 0, &command);
        assert_int_equal(command.kind, WEIR_COMMAND_RAISE);
        assert_int_equal(command.buckets, bulk ? 0 : WEIR_BUCKETS);
    }
}

/* Buckets 14, 15, 0 and 1 hold 0, 5, 6 and 7 items; 14 is the first. */
static void raises_release_enough(void **state)
{
    static const uint64_t targets[] = {1, 5, 6, 11, 12, 18, 19, UINT64_C(1) << 33};
    static const uint32_t steps[] = {2, 2, 3, 3, 4, 4, WEIR_BUCKETS, WEIR_BUCKETS};
    struct weir_status_sums sums = {.deferred = 18};
    (void)state;
    sums.bucket[15] = 5;
    sums.bucket[0] = 6;
    sums.bucket[1] = 7;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct weir_command_words command =
            command_for(&sums, order_at(100, 10, 14), 0, targets[i], 0, 0);
        assert_int_equal(command.kind, WEIR_COMMAND_RAISE);
        assert_int_equal(command.buckets, steps[i]);
        /* A width that the user asked for: to the first bucket that holds something, no further. */
        command = command_for(&sums, order_at(100, 10, 14), 1, targets[i], 0, 0);
        assert_int_equal(command.buckets, 2);
    }
}

/* Buckets 1, 3 and 9 hold an item each, which is far from enough; empty ones are passed over. Every second rise is twice the one before at most. */
static void raises_double_where_they_are_gradual(void **state)
{
    static const uint32_t steps[] = {2, 2, 4, 8, WEIR_BUCKETS};
    struct weir_work_order order = order_at(100, 10, 0);
    struct weir_status_sums sums = {.deferred = 3};
    (void)state;
    sums.bucket[1] = sums.bucket[3] = sums.bucket[9] = 1;
    for (uint32_t raises = 0; raises < 11; raises++) {
        const uint32_t most = weir_raise_most(1, raises);
        struct weir_command_words command;
        assert_int_equal(most, raises < 8 ? 1u << raises / 2 : WEIR_BUCKETS);
        assert_int_equal(weir_raise_most(0, raises), WEIR_BUCKETS);
        weir_termination_command(&sums, &order, 0, 0, 1000, most, 0, 0, &command);
        assert_int_equal(command.buckets, steps[raises < 8 ? raises / 2 : 4]);
    }
}

/* Nobody knows how many items of the far bags belong under a threshold: none is skipped. */
static void raises_stop_where_far_items_belong(void **state)
{
    struct weir_status_sums sums = {.deferred = 8};
    (void)state;
    sums.bucket[3] = 5;
    for (uint32_t least = 90; least < 150; least++) {
        uint32_t into = least < 100 ? 1 : (least - 100) / 10 + 1;
        sums.urgency = ~least;
        struct weir_command_words command = command_for(&sums, order_at(100, 10, 0), 0, 1000, 0, 0);
        assert_int_equal(command.kind, WEIR_COMMAND_RAISE);
        assert_int_equal(command.buckets, into);
        command = command_for(&sums, order_at(100, 10, 0), 1, 1000, 0, 0);
        assert_int_equal(command.buckets, into < 4 ? into : 4);
    }
    sums.urgency = ~UINT32_C(0xFFFF0000); /* far beyond all buckets */
    assert_int_equal(command_for(&sums, order_at(100, 1, 0), 0, 1000, 0, 0).buckets, WEIR_BUCKETS);
}

/* With buckets empty the threshold jumps: at least one item is under it, whatever the numbers. */
static void a_rebase_begins_at_the_most_urgent(void **state)
{
    static const uint32_t least[] = {0, 1, 99, 100, 5000, NONE - 40, NONE - 3, NONE - 1};
    static const uint32_t delta[] = {1, 10, 0x10000000u, 0x20000000u};
    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        for (size_t d = 0; d < sizeof delta / sizeof *delta; d++)
            for (int fixed = 0; fixed <= 1; fixed++) {
                struct weir_status_sums sums = {.deferred = 2, .urgency = ~least[i]};
                struct weir_command_words command =
                    command_for(&sums, order_at(100, delta[d], 7), fixed, 10, 30, 10);
                assert_int_equal(command.kind, WEIR_COMMAND_REBASE);
                assert_true(command.delta > 0 && command.delta <= 0x10000000u);
                assert_true(command.threshold > least[i]);
                uint64_t above = (uint64_t)least[i] + (fixed ? 1u : 3u) * (uint64_t)command.delta;
                assert_int_equal(command.threshold, above < NONE ? above : NONE);
            }
}

/* An item of the largest priority says 1, as one before it does, and is released at the latest then. */
static void the_largest_priority_is_near_in_the_end(void **state)
{
    struct weir_status_sums sums = {.deferred = 1, .urgency = 1};
    (void)state;
    assert_int_equal(weir_far_least(0), NONE);
    assert_int_equal(weir_far_least(1), NONE - 1);
    assert_int_equal(weir_far_least(NONE), 0);
    assert_int_equal(command_for(&sums, order_at(100, 1, 0), 1, 1, 0, 0).threshold, NONE);
}

static void the_width_adapts_at_a_rebase(void **state)
{
    static const struct {
        uint32_t width_sum, width_count;
        uint64_t deferred;
        int fixed;
        uint32_t expected;
    } cases[] = {
        {0, 0, 1000000, 0, 64}, /* no raise yet: nothing is known */
        {50, 10, 1000000, 0, 64}, {99, 10, 100, 0, 64},
        {100, 10, 100, 0, 128}, /* ten buckets at a time: too narrow */
        {160, 10, 100, 1, 64},  /* asked for */
        {10, 10, 160, 0, 64},   /* one at a time, and no more than enough in each of 16 buckets */
        {10, 10, 161, 0, 32},   /* one at a time, far more than enough: too wide */
        {11, 10, 161, 0, 64},     {10, 10, 161, 1, 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_status_sums sums = {.deferred = cases[i].deferred, .urgency = ~UINT32_C(500)};
        struct weir_command_words command =
            command_for(&sums, order_at(100, 64, 0), cases[i].fixed, 10, cases[i].width_sum,
                        cases[i].width_count);
        assert_int_equal(command.kind, WEIR_COMMAND_REBASE);
        assert_int_equal(command.delta, cases[i].expected);
    }
    struct weir_status_sums sums = {.deferred = 1000000, .urgency = ~UINT32_C(500)};
    assert_int_equal(command_for(&sums, order_at(100, 1, 0), 0, 1, 1, 1).delta, 1); /* never 0 */
}

/* ---- workers that really run: tokens that are passed around, with no engine below ----------------- */

#define TOKENS 40
#if defined(__SANITIZE_THREAD__)
enum { LIVES = 300, REPEATS = 5 };
#else
enum { LIVES = 1000, REPEATS = 20 };
#endif

struct model {
    struct weir_status_words reports[WORKERS];
    _Atomic uint64_t mail[WORKERS]; /* tokens under way to a worker, by count */
    _Atomic uint64_t lives;         /* steps that tokens have left in all */
    _Atomic uint64_t alive;         /* tokens that are not consumed */
    _Atomic int done;
    _Atomic int early; /* the end was agreed on while a token was alive */
};

struct model_worker {
    struct model *model;
    uint32_t index;
    uint64_t random;
    struct weir_status_words report;
    pthread_t thread;
};

static int take_life(struct model *model)
{
    uint64_t left = atomic_load_explicit(&model->lives, memory_order_relaxed);
    while (left > 0 && !atomic_compare_exchange_weak(&model->lives, &left, left - 1))
        ;
    return left > 0;
}

static void report_busy(struct model_worker *me)
{
    if (me->report.turn & 1u)
        return;
    me->report.turn++;
    weir_store_relaxed_sys_u32(&me->model->reports[me->index].turn, me->report.turn);
}

static void report_idle(struct model_worker *me)
{
    if (!(me->report.turn & 1u))
        return;
    me->report.turn++;
    weir_status_publish(&me->model->reports[me->index], &me->report);
}

static void consume_one(struct model_worker *me)
{
    struct model *model = me->model;
    if (take_life(model)) {
        me->random = me->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        me->report.produced++;
        atomic_fetch_add(&model->alive, 1);
        /* A release: whoever takes the token sees that this worker is at work. */
        atomic_fetch_add_explicit(&model->mail[(me->random >> 33) % WORKERS], 1,
                                  memory_order_release);
    }
    me->report.consumed++;
    atomic_fetch_sub(&model->alive, 1);
}

static void coordinate(struct model *model)
{
    struct weir_status_sums sums;
    if (!weir_termination_look(model->reports, WORKERS, 0, &sums) ||
        !weir_termination_look_again(model->reports, WORKERS, &sums))
        return;
    if (atomic_load(&model->alive) > 0)
        atomic_store(&model->early, 1);
    atomic_store(&model->done, 1);
}

static void *pass_tokens(void *data)
{
    struct model_worker *me = data;
    struct model *model = me->model;
    while (!atomic_load(&model->done)) {
        if (atomic_load_explicit(&model->mail[me->index], memory_order_relaxed)) {
            report_busy(me); /* before anything is taken in */
            uint64_t tokens =
                atomic_exchange_explicit(&model->mail[me->index], 0, memory_order_acquire);
            while (tokens-- > 0)
                consume_one(me);
        } else {
            report_idle(me);
            if (me->index == 0)
                coordinate(model);
            sched_yield();
        }
    }
    return NULL;
}

static void invariant_2_seen_from_many_threads(void **state)
{
    (void)state;
    for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
        struct model model;
        struct model_worker workers[WORKERS];
        memset(&model, 0, sizeof model);
        memset(workers, 0, sizeof workers);
        atomic_store(&model.alive, TOKENS);
        atomic_store(&model.lives, LIVES);
        atomic_store(&model.mail[repeat % WORKERS], TOKENS);
        for (uint32_t i = 0; i < WORKERS; i++) {
            workers[i].model = &model;
            workers[i].index = i;
            workers[i].random = repeat * WORKERS + i;
            workers[i].report.turn = model.reports[i].turn = 1;
        }
        workers[repeat % WORKERS].report.produced = TOKENS; /* seeds, as of their owner */
        for (uint32_t i = 0; i < WORKERS; i++)
            assert_int_equal(pthread_create(&workers[i].thread, NULL, pass_tokens, &workers[i]), 0);
        for (uint32_t i = 0; i < WORKERS; i++)
            pthread_join(workers[i].thread, NULL);
        assert_int_equal(atomic_load(&model.early), 0);
        assert_int_equal(atomic_load(&model.alive), 0);
        assert_int_equal(workers[0].report.consumed + workers[1].report.consumed +
                             workers[2].report.consumed,
                         TOKENS + LIVES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariant_2_reports_that_add_up_are_agreed_on),
        cmocka_unit_test(invariant_2_no_end_while_a_turn_is_odd),
        cmocka_unit_test(invariant_2_no_end_before_a_command_was_noticed),
        cmocka_unit_test(invariant_2_no_end_while_an_item_is_under_way),
        cmocka_unit_test(invariant_2_counters_wrap),
        cmocka_unit_test(invariant_2_a_turn_that_changes_between_the_looks),
        cmocka_unit_test(a_report_is_published_whole),
        cmocka_unit_test(nothing_deferred_is_the_end),
        cmocka_unit_test(raises_release_enough),
        cmocka_unit_test(raises_double_where_they_are_gradual),
        cmocka_unit_test(raises_stop_where_far_items_belong),
        cmocka_unit_test(a_rebase_begins_at_the_most_urgent),
        cmocka_unit_test(the_largest_priority_is_near_in_the_end),
        cmocka_unit_test(the_width_adapts_at_a_rebase),
        cmocka_unit_test(invariant_2_seen_from_many_threads),
    };
    return cmocka_run_group_tests_name("agree", tests, NULL, NULL);
}
