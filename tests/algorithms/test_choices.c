/** @file test_choices.c  Every choice works with every other: results in full, and what was picked.
 *
 * One test for each graph and set of devices. WEIR_CHECK says how many combinations each runs: `pairs`
 * (any two values of two choices meet; the default), `triples`, or `full`, the whole product.
 * WEIR_CHECK_PART=I/N runs every N-th of them, from the I-th on (1 to N), so that N processes share
 * them. WEIR_CHECK_ONLY=TEXT runs those whose command line has TEXT in it. WEIR_CHECK_DEVICES replaces
 * the sets of devices by the specs it names, separated by blanks; all of them must be there. */
#include "tests/lib/choices.h"
#include "tests/lib/skip.h"
#include "tests/lib/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A graph with more wrong combinations than this is given up. */
#define WRONG_MAX 10

static struct choice_devices sets[] = {
    {.name = "host", .spec = {"host:1", "host:2", "host:3", "host:8", "host:2x3"}, .specs = 5},
    {.name = "sim", .spec = {"sim:2*nvswitch"}, .specs = 1},
    {.name = "cuda", .spec = {"cuda:0", "cuda:0-1", "cuda:0-3"}, .specs = 3},
    {.name = "mixed", .spec = {"cuda:0,host:1"}, .specs = 1},
};
static uint32_t set_count = sizeof sets / sizeof *sets;

static uint32_t strength = 2; /* 0: the whole product */
static unsigned part_index = 1, part_count = 1;
static const char *only = "";

struct test_case {
    struct choice_devices *set;
    enum choice_shape shape;
    char name[80];
};

/* ---- tests -------------------------------------------------------------------------------------- */

struct counts {
    uint64_t right, refused, wrong, left_out;
};

static void try_one(const struct test_case *test, struct choice_graph *graph, const uint8_t *row,
                    struct counts *counts)
{
    const char *why;
    char text[400];
    snprintf(text, sizeof text, "%s ",
             choice_text(test->set, row)); /* so that words can be ended */
    if (!strstr(text, only)) {
        counts->left_out++;
        return;
    }
    switch (choice_try(test->set, graph, row, &why)) {
    case CHOICE_RIGHT:
        counts->right++;
        break;
    case CHOICE_REFUSED:
        counts->refused++;
        break;
    default:
        counts->wrong++;
        print_error("%s: %s: %s\n", graph->name, text, why);
    }
}

/* A mapping that has no effect with the worker is refused, and an order that goes by rounds with kernel live; the rest of the
 * row is run without. */
static void try_row(const struct test_case *test, struct choice_graph *graph, const uint8_t *row,
                    struct counts *counts)
{
    const weir_run_options options = choice_options(row);
    const uint64_t before = counts->right;
    uint8_t without[CHOICE_FACTORS];
    const int maps = choice_has_effect(options.worker, options.mapping, options.group);
    const int orders = options.kernel != WEIR_KERNEL_LIVE ||
                       (options.order != WEIR_ORDER_SOFT && options.order != WEIR_ORDER_BULK);
    try_one(test, graph, row, counts);
    if (maps && orders)
        return;
    if (counts->right != before) {
        counts->wrong++;
        print_error("%s: %s: what has no effect was taken\n", graph->name,
                    choice_text(test->set, row));
    }
    memcpy(without, row, sizeof without);
    if (!maps)
        without[CHOICE_MAPPING] = CHOICE_OPEN;
    if (!orders)
        without[CHOICE_ORDER] = CHOICE_OPEN;
    try_one(test, graph, without, counts);
}

/* Rows in order; the product is not held in memory. */
static void try_all(const struct test_case *test, struct choice_graph *graph, struct counts *counts)
{
    struct cover_shape shape;
    uint8_t *rows = NULL, row[CHOICE_FACTORS];
    choice_shape_of(test->set, &shape);
    uint64_t count = strength ? cover_make(&shape, strength, (uint64_t)test->shape + 1, &rows)
                              : cover_product(&shape);
    for (uint64_t i = part_index - 1; i < count && counts->wrong < WRONG_MAX; i += part_count) {
        if (rows)
            memcpy(row, rows + i * CHOICE_FACTORS, CHOICE_FACTORS);
        else
            cover_product_row(&shape, i, row);
        try_row(test, graph, row, counts);
    }
    free(rows);
}

static struct choice_graph *ready(const struct test_case *test)
{
    OK(choice_devices_open(test->set));
    struct choice_graph *graph = choice_graph_make(test->shape);
    assert_non_null(graph);
    return graph;
}

static void finish(const struct test_case *test, struct choice_graph *graph,
                   const struct counts *counts)
{
    printf("%s: %" PRIu64 " right, %" PRIu64 " refused, %" PRIu64 " wrong\n", test->name,
           counts->right, counts->refused, counts->wrong);
    fflush(stdout);
    choice_graph_free(graph);
    if (counts->wrong)
        fail_msg("%s: %" PRIu64 " combinations are wrong%s", test->name, counts->wrong,
                 counts->wrong < WRONG_MAX ? "" : ", and the rest was not tried");
    if (counts->right == 0 && counts->left_out > 0)
        skip(); /* WEIR_CHECK_ONLY left nothing */
    assert_true(counts->right > 0);
}

static void every_choice(void **state)
{
    struct test_case *test = *state;
    struct choice_graph *graph = ready(test);
    struct counts counts = {0};
    try_all(test, graph, &counts);
    finish(test, graph, &counts);
}

/* Where nothing is asked for, everything is picked, and the statistics name it. */
static void no_choice(void **state)
{
    struct test_case *test = *state;
    struct choice_graph *graph = ready(test);
    struct counts counts = {0};
    uint8_t row[CHOICE_FACTORS];
    memset(row, CHOICE_OPEN, sizeof row);
    for (uint32_t d = 0; d < test->set->specs; d++)
        for (uint32_t op = 0; op < choice_operator_count; op++) {
            row[CHOICE_DEVICES] = (uint8_t)d;
            row[CHOICE_OPERATOR] = (uint8_t)op;
            try_row(test, graph, row, &counts);
        }
    finish(test, graph, &counts);
}

/* Specs that a set leaves out for want of devices are skipped here, and counted so. */
static void devices_are_there(void **state)
{
    weir_context *context;
    weir_status status = choice_context(*state, NULL, &context);
    if (status == WEIR_ERR_NODEV)
        skip_without(*state);
    OK(status);
    weir_context_destroy(context);
}

/* ---- the program -------------------------------------------------------------------------------- */

static int bad(const char *name, const char *wanted)
{
    fprintf(stderr, "%s=%s: %s\n", name, getenv(name), wanted);
    return 0;
}

static int read_environment(void)
{
    const char *check = getenv("WEIR_CHECK"), *part = getenv("WEIR_CHECK_PART");
    char rest;
#ifdef __SANITIZE_THREAD__
    strength = 1; /* every value, if not every pair: a run takes far longer */
#endif
    if (check && strcmp(check, "pairs") == 0)
        strength = 2;
    else if (check && strcmp(check, "triples") == 0)
        strength = 3;
    else if (check && strcmp(check, "full") == 0)
        strength = 0;
    else if (check && *check)
        return bad("WEIR_CHECK", "choose pairs, triples or full");
    if (part && (sscanf(part, "%u/%u%c", &part_index, &part_count, &rest) != 2 || part_index < 1 ||
                 part_index > part_count))
        return bad("WEIR_CHECK_PART", "not I/N with I from 1 to N");
    if (getenv("WEIR_CHECK_ONLY"))
        only = getenv("WEIR_CHECK_ONLY");
    if (choice_devices_asked(&sets[0]))
        set_count = 1;
    return 1;
}

#define SETS_MAX (sizeof sets / sizeof *sets)
static struct test_case cases[2 * SETS_MAX * CHOICE_SHAPES];
static struct CMUnitTest tests[2 * SETS_MAX * CHOICE_SHAPES + SETS_MAX * CHOICE_SPECS_MAX];
static size_t case_count, test_count;

static void add_case(struct choice_devices *set, enum choice_shape shape, CMUnitTestFunction body,
                     const char *name)
{
    struct test_case *test = &cases[case_count++];
    test->set = set;
    test->shape = shape;
    snprintf(test->name, sizeof test->name, "%s: %s [%s]", name, choice_shape_text(shape),
             set->name);
    tests[test_count++] = (struct CMUnitTest){test->name, body, NULL, NULL, test};
}

static void add_set(struct choice_devices *set)
{
    for (uint32_t i = 0; i < set->specs; i++)
        tests[test_count++] = (struct CMUnitTest){set->spec[i], devices_are_there, NULL, NULL,
                                                  (void *)(uintptr_t)set->spec[i]};
    if (choice_devices_open(set) == WEIR_ERR_NODEV && !set->required)
        return; /* its specs are skipped, which says enough */
    for (int shape = 0; shape < CHOICE_SHAPES; shape++) {
        add_case(set, (enum choice_shape)shape, every_choice, "every choice");
        add_case(set, (enum choice_shape)shape, no_choice, "no choice");
    }
}

static int close_sets(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < set_count; s++)
        choice_devices_close(&sets[s]);
    return 0;
}

int main(void)
{
    if (!read_environment())
        return 2;
    for (uint32_t s = 0; s < set_count; s++)
        add_set(&sets[s]);
    return _cmocka_run_group_tests("choices", tests, test_count, NULL, close_sets);
}
