/** @file test_steps_table.c  Supersteps: the arrays that a table asks for, and tables that cannot be. */
#include "runtime/internal.h"
#include "tests/lib/arrays.h"
#include "tests/topology/sim_fixture.h"

#include <stddef.h>

#define ON_EACH_SPEC(f)                                                                \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:2"), ON_BACKEND(f, "host:5"),         \
        ON_BACKEND(f, "host:2x3"), ON_BACKEND(f, "host:1x4"), ON_BACKEND(f, "cuda:0"), \
        ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0-3")

#define FIELD(name) offsetof(struct arrays_args, name)

static uint64_t items(const void *user, uint32_t device, uint32_t sender)
{
    (void)user;
    return arrays_items(device, sender);
}

static uint64_t no_elements(const void *user, uint32_t device, uint32_t sender)
{
    (void)user, (void)device, (void)sender;
    return 0;
}

static uint64_t some_elements(const void *user, uint32_t device)
{
    (void)user, (void)device;
    return ARRAYS_SOME;
}

static const weir_steps_array arrays[] = {
    {.name = "one",
     .first = WEIR_STEPS_FILLED,
     .fill = 0x5A,
     .bytes = 4,
     .more = 3,
     .field = FIELD(one)},
    {.name = "origin", .extent = WEIR_STEPS_OWNED, .bytes = 4, .field = FIELD(origin)},
    {.name = "own",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_COPIED,
     .from = "origin",
     .bytes = 4,
     .field = FIELD(own)},
    {.name = "once",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 0x11,
     .bytes = 4,
     .field = FIELD(once)},
    {.name = "some",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0x22,
     .bytes = 4,
     .written = some_elements,
     .field = FIELD(some)},
    {.name = "devices",
     .extent = WEIR_STEPS_DEVICES,
     .first = WEIR_STEPS_FILLED,
     .bytes = 8,
     .field = FIELD(devices)},
    {.name = "all",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(all)},
    {.name = "words",
     .extent = WEIR_STEPS_WORDS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     .field = FIELD(words)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = items,
     .bytes = 4,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
    {.name = "none",
     .extent = WEIR_STEPS_COUNTED,
     .count = no_elements,
     .bytes = 4,
     .field = FIELD(none)},
    {.name = "left out",
     .extent = WEIR_STEPS_NUMBERS,
     .count = no_elements,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .more = 9,
     .field = FIELD(left_out)},
};

static const weir_steps_program program = {.what = "arrays",
                                           .body = &weir__arrays_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays};

/* Each device owns some of its numbers, and some devices none. */
static weir_steps_domain domain_of(uint32_t devices)
{
    weir_steps_domain domain = {devices, {0}, {0}};
    for (uint32_t d = 0; d < devices; d++) {
        domain.first[d + 1] = domain.first[d] + ARRAYS_EACH;
        domain.owned[d] = d % 3 == 1 ? 0 : ARRAYS_EACH - d;
    }
    return domain;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void bind(weir_context *context, weir_steps *steps, uint32_t d)
{
    struct arrays_args *args = weir_steps_args(steps, d);
    const weir_steps_domain *domain = weir_steps_domain_of(steps);
    uint32_t origin[ARRAYS_EACH];
    memcpy(args->first, domain->first, sizeof args->first);
    args->owned = domain->owned[d];
    for (uint32_t i = 0; i < ARRAYS_EACH; i++)
        origin[i] = 3 * (domain->first[d] + i);
    OK(weir__upload(weir_context_device(context, d), weir_steps_data(steps, "origin", d), origin,
                    args->owned * sizeof *origin));
}

/* All of it, in three runs: what is reset was overwritten by the run before. */
static void arrays_are_as_the_table_says(void **state)
{
    weir_context *context = open_or_skip(state);
    const uint32_t devices = weir_context_device_count(context);
    const weir_steps_domain domain = domain_of(devices);
    weir_steps *steps;
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    uint64_t owned = 0;
    OK(weir_steps_create(context, &program, &domain, NULL, LONG_MS, &steps));
    assert_ptr_equal(weir_steps_context(steps), context);
    for (uint32_t d = 0; d < devices; d++) {
        bind(context, steps, d);
        owned += domain.owned[d];
    }
    for (uint32_t run = 0; run < 3; run++) {
        for (uint32_t d = 0; d < devices; d++)
            ((struct arrays_args *)weir_steps_args(steps, d))->run = run;
        OK(weir_steps_run(steps, &times));
        assert_true(times.reset_ms > 0);
        assert_int_equal(weir_steps_total(steps, ARRAYS_WRONG), 0);
        assert_true(weir_steps_total(steps, ARRAYS_SEEN) > owned * 3);
        assert_int_equal(weir_steps_total(steps, ARRAYS_AFTER), owned);
    }
    weir_steps_destroy(steps);
    weir_context_destroy(context);
}

static void arrays_are_found_by_name(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:3", NULL);
    const weir_steps_domain domain = domain_of(3);
    weir_steps *steps;
    OK(weir_steps_create(context, &program, &domain, NULL, 0, &steps));
    for (uint32_t d = 0; d < 3; d++) {
        const struct arrays_args *args = weir_steps_args(steps, d);
        assert_ptr_equal(weir_steps_data(steps, "one", d), args->one);
        assert_ptr_equal(weir_steps_data(steps, "all", d), args->all[d]);
        assert_non_null(args->all[d]);
        assert_null(weir_steps_data(steps, "none", d));
        assert_null(weir_steps_data(steps, "left out", d));
        /* A device that owns nothing has no array of what it owns. */
        assert_int_equal(weir_steps_data(steps, "own", d) == NULL, d == 1);
        for (uint32_t e = 0; e < 3; e++)
            assert_ptr_equal(args->all[e],
                             ((struct arrays_args *)weir_steps_args(steps, e))->all[e]);
    }
    assert_null(weir_steps_data(steps, "two", 0));
    assert_null(weir_steps_data(steps, NULL, 0));
    assert_null(weir_steps_data(steps, "one", 3));
    assert_null(weir_steps_data(steps, "one", UINT32_MAX));
    weir_steps_destroy(steps);
    weir_context_destroy(context);
}

/* A table of two arrays, the second of which cannot be, and what is said of it. */
struct wrong {
    const char *sentence; /* behind "arrays: " */
    weir_steps_array array;
};

#define OWN .name = "own", .bytes = 4, .field = FIELD(own)
static const struct wrong wrongs[] = {
    {"array 1 of the table has no name", {.bytes = 4, .field = FIELD(own)}},
    {"array 1 of the table has no name", {.name = "", .bytes = 4, .field = FIELD(own)}},
    {"two arrays have the name origin", {.name = "origin", .bytes = 4, .field = FIELD(own)}},
    {"arrays origin and own have the same field",
     {.name = "own", .bytes = 4, .field = FIELD(origin)}},
    {"array own has elements of 0 bytes", {.name = "own", .field = FIELD(own)}},
    {"array own has an extent, a holding or a beginning that does not exist",
     {OWN, .extent = (weir_steps_extent)(WEIR_STEPS_COUNTED + 1)}},
    {"array own has an extent, a holding or a beginning that does not exist",
     {OWN, .holding = (weir_steps_holding)(WEIR_STEPS_INBOXES + 1)}},
    {"array own has an extent, a holding or a beginning that does not exist",
     {OWN, .first = (weir_steps_first)(WEIR_STEPS_COPIED + 1)}},
    {"array own is a bitmap, and its elements do not have 4 bytes",
     {.name = "own", .bytes = 8, .extent = WEIR_STEPS_WORDS, .field = FIELD(own)}},
    {"array own is counted, and has no function that counts", {OWN, .extent = WEIR_STEPS_COUNTED}},
    {"array own is a copy, and does not say of which array", {OWN, .first = WEIR_STEPS_COPIED}},
    {"array own is a copy of origins, which is not an array before it",
     {OWN, .extent = WEIR_STEPS_OWNED, .first = WEIR_STEPS_COPIED, .from = "origins"}},
    {"array own is a copy of own, which is not an array before it",
     {OWN, .extent = WEIR_STEPS_OWNED, .first = WEIR_STEPS_COPIED, .from = "own"}},
    {"array own is a copy of origin, which is of another size",
     {OWN, .extent = WEIR_STEPS_NUMBERS, .first = WEIR_STEPS_COPIED, .from = "origin"}},
    {"array own is a copy of origin, which is of another size",
     {OWN, .extent = WEIR_STEPS_OWNED, .first = WEIR_STEPS_COPIED, .from = "origin", .more = 1}},
    {"array own says what it is a copy of, and is not copied", {OWN, .from = "origin"}},
    {"array own says what it is filled with, and is not filled", {OWN, .fill = 1}},
    {"array own says how much of it a run writes to, and is not filled before one",
     {OWN, .written = some_elements}},
    {"array inbox has inboxes, which cannot be copied",
     {.name = "inbox",
      .bytes = 4,
      .holding = WEIR_STEPS_INBOXES,
      .first = WEIR_STEPS_COPIED,
      .field = FIELD(inbox),
      .outbox = FIELD(outbox)}},
    {"array inbox has inboxes, and no field for the outboxes",
     {.name = "inbox", .bytes = 4, .holding = WEIR_STEPS_INBOXES, .field = FIELD(inbox)}},
    {"array inbox has its inboxes and outboxes in one field",
     {.name = "inbox",
      .bytes = 4,
      .holding = WEIR_STEPS_INBOXES,
      .field = FIELD(inbox),
      .outbox = FIELD(inbox[1])}},
    {"array own has a field for outboxes, and no inboxes", {OWN, .outbox = FIELD(outbox)}},
};

static void assert_refused(weir_context *context, const weir_steps_program *table,
                           const weir_steps_domain *domain, weir_status status,
                           const char *sentence)
{
    char text[512];
    weir_steps *steps;
    STATUS(weir_steps_create(context, table, domain, NULL, 0, &steps), status);
    snprintf(text, sizeof text, "arrays: %s", sentence);
    assert_detail_has(text);
    assert_null(steps);
}

static void tables_that_cannot_be(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_steps_domain domain = domain_of(2);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const weir_steps_array pair[] = {arrays[1], wrongs[i].array};
        const weir_steps_program table = {
            .what = "arrays", .body = &weir__arrays_steps, .arrays = pair, .array_count = 2};
        assert_refused(context, &table, &domain, WEIR_ERR_INVALID, wrongs[i].sentence);
    }
    weir_context_destroy(context);
}

/* Fields that are not in the arguments: in the member, behind the end, across it, between two pointers. */
static void fields_that_are_not_there(void **state)
{
    static const size_t fields[] = {0,
                                    sizeof(struct weir_steps_member) - sizeof(void *),
                                    sizeof(struct arrays_args),
                                    sizeof(struct arrays_args) - sizeof(void *) / 2,
                                    FIELD(own) + 1,
                                    SIZE_MAX,
                                    SIZE_MAX - 7};
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_steps_domain domain = domain_of(2);
    weir_steps_array array = {.name = "own", .bytes = 4};
    const weir_steps_program table = {
        .what = "arrays", .body = &weir__arrays_steps, .arrays = &array, .array_count = 1};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        array.field = fields[i];
        assert_refused(context, &table, &domain, WEIR_ERR_INVALID,
                       "array own has its field at byte");
    }
    array.field = FIELD(none); /* room for one pointer, and not for one of each device */
    array.holding = WEIR_STEPS_SHARED;
    assert_refused(context, &table, &domain, WEIR_ERR_INVALID, "array own has its field at byte");
    array.field = FIELD(inbox);
    array.holding = WEIR_STEPS_INBOXES;
    array.outbox = SIZE_MAX;
    assert_refused(context, &table, &domain, WEIR_ERR_INVALID, "array own has its outbox at byte");
    weir_context_destroy(context);
}

static void domains_that_cannot_be(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:3", NULL);
    weir_steps_domain domain = domain_of(3);
    domain.first[0] = 1;
    assert_refused(context, &program, &domain, WEIR_ERR_INVALID,
                   "the numbers begin with 1 and not with 0");
    domain = domain_of(3);
    domain.owned[2] = ARRAYS_EACH + 1;
    assert_refused(context, &program, &domain, WEIR_ERR_INVALID,
                   "device 2 owns 65 numbers from 128 on, and the next device's begin with 192");
    domain = domain_of(3);
    domain.first[2] = 63;
    assert_refused(context, &program, &domain, WEIR_ERR_INVALID,
                   "device 1 owns 0 numbers from 64 on, and the next device's begin with 63");
    domain = domain_of(3);
    domain.first[2] = 100;
    assert_refused(context, &program, &domain, WEIR_ERR_INVALID,
                   "array words is a shared bitmap, and the numbers of device 2 begin with 100");
    weir_context_destroy(context);
}

static void phases_and_arguments_that_cannot_be(void **state)
{
    static const weir_steps_phase phases[] = {
        {.name = "late", .ns = 0, .steps = WEIR_STEPS_RESULTS},
        {.name = "late", .ns = WEIR_STEPS_RESULTS, .steps = 0},
        {.ns = 0, .steps = 0}};
    (void)state;
    weir_context *context = open_with_or_skip("host:1", NULL);
    const weir_steps_domain domain = domain_of(1);
    weir_steps_body body = weir__arrays_steps;
    weir_steps_program table = {.what = "arrays", .body = &body, .phase_count = 1};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        table.phases = &phases[i];
        assert_refused(context, &table, &domain, WEIR_ERR_INVALID,
                       "phase 0 of the table has no name, or a result above 47");
    }
    table.phase_count = 0;
    body.args_bytes = WEIR_STEPS_ARGS_MAX + 1;
    assert_refused(context, &table, &domain, WEIR_ERR_INVALID, "arguments of 4001 bytes");
    body.args_bytes = sizeof(struct weir_steps_member) - 1;
    assert_refused(context, &table, &domain, WEIR_ERR_INVALID, "arguments of");
    weir_context_destroy(context);
}

static uint64_t any_number(const void *user, uint32_t device, uint32_t sender)
{
    (void)device, (void)sender;
    return *(const uint64_t *)user;
}

/* Sizes go over 64 bits, over size_t, over what there is. The array is named. */
static void arrays_that_do_not_fit(void **state)
{
    static const struct {
        uint64_t elements;
        const char *sentence;
    } sizes[] = {{UINT64_MAX, "18446744073709551615 elements of own do not fit in memory"},
                 {UINT64_MAX / 4, "elements of own do not fit in memory"},
                 {UINT64_MAX / 8 - 1, "array own of device 0: "},
                 {UINT64_C(1) << 48, "array own of device 0: "}};
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_steps_domain domain = domain_of(2);
    const weir_steps_array array = {.name = "own",
                                    .extent = WEIR_STEPS_COUNTED,
                                    .count = any_number,
                                    .bytes = 4,
                                    .more = 1,
                                    .field = FIELD(own)};
    const weir_steps_program table = {
        .what = "arrays", .body = &weir__arrays_steps, .arrays = &array, .array_count = 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        weir_steps *steps;
        STATUS(weir_steps_create(context, &table, &domain, &sizes[i].elements, 0, &steps),
               WEIR_ERR_NOMEM);
        assert_detail_has(sizes[i].sentence);
        assert_null(steps);
    }
    weir_context_destroy(context);
}

/* Whichever allocation fails, nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    weir_context *context = open_with_or_skip("host:2", NULL);
    const weir_steps_domain domain = domain_of(2);
    uint32_t failures = 0, struck = 1;
    for (uint64_t nth = 1; struck; nth++) {
        weir_steps *steps;
        weir__fault_arm(WEIR__FAULT_ALLOC, nth);
        weir_status status = weir_steps_create(context, &program, &domain, NULL, 0, &steps);
        struck = (uint32_t)weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(steps != NULL, status == WEIR_OK);
        assert_true(status == WEIR_OK || status == WEIR_ERR_NOMEM);
        weir_steps_destroy(steps);
        assert_no_memory_is_left(context);
        failures += status != WEIR_OK;
    }
    assert_true(failures > sizeof arrays / sizeof *arrays);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(arrays_are_as_the_table_says),
        cmocka_unit_test(arrays_are_found_by_name),
        cmocka_unit_test(tables_that_cannot_be),
        cmocka_unit_test(fields_that_are_not_there),
        cmocka_unit_test(domains_that_cannot_be),
        cmocka_unit_test(phases_and_arguments_that_cannot_be),
        cmocka_unit_test(arrays_that_do_not_fit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("steps table", tests, NULL, NULL);
}
