/** @file test_steps_inbox.c  Supersteps: items that travel through inboxes arrive once, in the step that they are due. */
#include "runtime/support.h"
#include "tests/lib/letters.h"
#include "tests/topology/sim_fixture.h"

#include <stddef.h>

#define ROUNDS 50u

static uint64_t sent_in_all(uint32_t from, uint32_t to)
{
    uint64_t sent = 0;
    for (uint32_t r = 0; r < ROUNDS; r++)
        sent += letters_count(from, to, r);
    return sent;
}

/* The most of a round where inboxes are used again. */
static uint64_t inbox_count(const void *user, uint32_t device, uint32_t sender)
{
    const uint32_t again = *(const uint32_t *)user;
    uint64_t most = 0;
    for (uint32_t r = 0; r < ROUNDS; r++)
        if (most < letters_count(sender, device, r))
            most = letters_count(sender, device, r);
    return again ? most : sent_in_all(sender, device);
}

static const weir_steps_array arrays[] = {{.name = "inbox",
                                           .extent = WEIR_STEPS_COUNTED,
                                           .holding = WEIR_STEPS_INBOXES,
                                           .bytes = 8,
                                           .field = offsetof(struct letters_args, inbox),
                                           .outbox = offsetof(struct letters_args, outbox),
                                           .count = inbox_count}};
static const weir_steps_phase phases[] = {
    {.name = "rounds", .ns = LETTERS_NS, .steps = LETTERS_STEPS}};
static const weir_steps_program program = {.what = "letters",
                                           .body = &weir__letters_steps,
                                           .arrays = arrays,
                                           .array_count = 1,
                                           .phases = phases,
                                           .phase_count = 1};

static void assert_arrived(const weir_steps *steps, uint32_t devices)
{
    uint64_t all = 0;
    for (uint32_t to = 0; to < devices; to++) {
        const uint64_t *result = weir_steps_results(steps, to);
        uint64_t came = 0, sum = 0;
        for (uint32_t from = 0; from < devices; from++) {
            assert_int_equal(weir_steps_tells(steps, from, to),
                             from == to ? 0 : sent_in_all(from, to));
            for (uint32_t r = 0; r < ROUNDS && from != to; r++) {
                const uint64_t count = letters_count(from, to, r);
                came += count;
                sum += count * (count - 1) / 2;
            }
        }
        assert_int_equal(result[LETTERS_WRONG], 0);
        assert_int_equal(result[LETTERS_CAME], came);
        assert_int_equal(result[LETTERS_SUM], sum);
        all += came;
    }
    for (uint32_t d = 0; d < devices; d++)
        assert_int_equal(weir_steps_results(steps, d)[LETTERS_ALL], all);
}

static void letters_arrive(void **state, uint32_t again, uint32_t mixed)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    weir_steps_domain domain = {.devices = devices};
    weir_steps *steps;
    double ms;
    uint64_t rounds;
    OK(weir_steps_create(context, &program, &domain, &again, 0, &steps));
    for (uint32_t d = 0; d < devices; d++) {
        struct letters_args *args = weir_steps_args(steps, d);
        args->rounds = ROUNDS;
        args->again = again;
        args->mixed = mixed;
    }
    for (int i = 0; i < 3; i++) { /* counts begin anew in each run */
        OK(weir_steps_run(steps, NULL));
        assert_arrived(steps, devices);
    }
    assert_string_equal(weir_steps_phase_of(steps, 0, &ms, &rounds), "rounds");
    assert_int_equal(rounds, ROUNDS);
    assert_true(ms > 0);
    assert_null(weir_steps_phase_of(steps, 1, &ms, &rounds));
    weir_steps_destroy(steps);
    weir_context_destroy(context);
}

static void inboxes_for_a_whole_run(void **state)
{
    letters_arrive(state, 0, 0);
}

static void inboxes_that_are_used_again(void **state)
{
    letters_arrive(state, 1, 0);
}

static void workers_that_send_to_many(void **state)
{
    letters_arrive(state, 0, 1);
}

static void workers_that_send_to_many_again(void **state)
{
    letters_arrive(state, 1, 1);
}

/* Of every inbox all bytes, before a run that sends nothing; those of a device that is alone are none. */
static void inboxes_are_filled(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context), again = 1;
    const weir_steps_domain domain = {.devices = devices};
    weir_steps_array filled = arrays[0];
    filled.first = WEIR_STEPS_FILLED;
    filled.fill = 0x5A;
    const weir_steps_program fills = {
        .what = "letters", .body = &weir__letters_steps, .arrays = &filled, .array_count = 1};
    weir_steps *steps;
    OK(weir_steps_create(context, &fills, &domain, &again, 0, &steps));
    for (int run = 0; run < 2; run++) {
        OK(weir_steps_run(steps, NULL)); /* of no rounds */
        for (uint32_t to = 0; to < devices; to++)
            for (uint32_t from = 0; from < devices; from++) {
                const struct letters_args *args = weir_steps_args(steps, to);
                uint64_t count = from == to ? 0 : inbox_count(&again, to, from), word;
                while (count--) {
                    OK(weir__download(weir_context_device(context, to), &word,
                                      args->inbox[from] + count, sizeof word));
                    assert_int_equal(word, UINT64_C(0x5A5A5A5A5A5A5A5A));
                    word = run; /* as a run leaves it */
                    OK(weir__upload(weir_context_device(context, to), args->inbox[from] + count,
                                    &word, sizeof word));
                }
            }
    }
    weir_steps_destroy(steps);
    weir_context_destroy(context);
}

#define ON_EACH_SPEC(f)                                                              \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:3"),       \
        ON_BACKEND(f, "host:8"), ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(inboxes_for_a_whole_run), ON_EACH_SPEC(inboxes_that_are_used_again),
        ON_EACH_SPEC(workers_that_send_to_many), ON_EACH_SPEC(workers_that_send_to_many_again),
        ON_EACH_SPEC(inboxes_are_filled)};
    return cmocka_run_group_tests_name("steps inbox", tests, NULL, NULL);
}
