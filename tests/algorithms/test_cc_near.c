/** @file test_cc_near.c  Components of rows of few arcs as GPUs take them (cc_near.h), by one lane of a host: which arcs the first step keeps, and that all
 * are linked. */
#include <stdint.h>

static uint64_t looked;

#define CC_LOOKS(count) (looked += (count))
#include "algorithms/cc/cc_near_body.h"
#include "tests/lib/support.h"

#include <string.h>

enum { ROWS_MOST = 4096, ARCS_MOST = 16 * ROWS_MOST };

/* A worker of one lane, and the rows that it has. */
struct fixture {
    uint64_t offsets[ROWS_MOST + 1];
    uint32_t targets[ARCS_MOST], parent[ROWS_MOST], label[ROWS_MOST];
    struct cc_words words;
    struct cc_shared shared;
    struct cc_args args;
    struct weir_steps_block block;
    struct cc_run run;
};
static struct fixture fixture;

/* The worker of @p rows rows, whose offsets and targets are there. */
static struct cc_run *worker_of(uint32_t rows)
{
    struct fixture *f = &fixture;
    memset(&f->shared, 0, sizeof f->shared);
    memset(&f->words, 0, sizeof f->words);
    memset(f->parent, 0xFF, sizeof f->parent);
    f->args = (struct cc_args){.direct = 1, .in_order = 1};
    f->block = (struct weir_steps_block){.blocks = 1, .threads = 1};
    f->args.part.out.offsets = f->offsets;
    f->args.part.out.targets = f->targets;
    f->args.part.busy = f->args.part.owned = rows;
    f->args.part.parts = 1;
    f->args.words[0] = &f->words;
    f->args.parent[0] = f->parent;
    f->args.label = f->label;
    f->run = (struct cc_run){.args = &f->args,
                             .shared = &f->shared,
                             .block = &f->block,
                             .parent = f->parent,
                             .stride = 1,
                             .direct = 1};
    return &f->run;
}

/* Of row 5 the neighbours 1, 3 and 4 are smaller. It points at 4, and the arcs to 1 and 3 are kept: the step direct scans no row. */
static void the_first_step_takes_the_nearest(void **state)
{
    static const uint64_t offsets[] = {0, 0, 1, 1, 2, 3, 7, 8};
    static const uint32_t targets[] = {5, 5, 5, 1, 3, 4, 6, 5};
    enum { ROWS = 7 };
    struct cc_run *run = worker_of(ROWS);
    (void)state;
    memcpy(fixture.offsets, offsets, sizeof offsets);
    memcpy(fixture.targets, targets, sizeof targets);
    cc_first_near(run, 0, 1);
    assert_int_equal(fixture.parent[5], 4);
    assert_int_equal(fixture.parent[6], 5);
    assert_int_equal(run->waiting, 2);
    assert_int_equal(fixture.shared.waiting[0][0].to, 1);
    assert_int_equal(fixture.shared.waiting[0][1].to, 3);
    assert_int_equal(fixture.shared.hooks, 5); /* roots */
    assert_in_range(fixture.shared.scanned[0], ROWS, UINT32_MAX);
    const cc_tally arcs = run->arcs;
    assert_false(cc_direct_near(run));
    assert_int_equal(run->arcs, arcs);
    assert_int_equal(fixture.shared.gathered, 2);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(cc_root(run->parent, v, CC_NONE), v == 0 || v == 2 ? v : 1);
}

/* Rows of 4, 8 and 9 arcs, all of them to smaller numbers, the list not nearly full: of the last one the first arc is taken, it ends what is kept, and it is
 * left to others. */
static void rows_as_long_as_may_be(void **state)
{
    enum { ROWS = 23, FOUR = 20, EIGHT = 21, NINE = 22 };
    static const uint32_t counts[] = {4, 8, 9};
    struct cc_run *run = worker_of(ROWS);
    uint64_t arcs = 0;
    (void)state;
    for (uint32_t v = 0; v < ROWS; v++) {
        fixture.offsets[v] = arcs;
        for (uint32_t i = 0; v >= FOUR && i < counts[v - FOUR]; i++)
            fixture.targets[arcs++] = 2 * i + (v == EIGHT);
    }
    fixture.offsets[ROWS] = arcs;
    cc_first_near(run, 0, 1);
    assert_int_equal(fixture.parent[FOUR], 6);
    assert_int_equal(fixture.parent[EIGHT], 15);
    assert_int_equal(fixture.parent[NINE], 0);
    assert_int_equal(run->waiting, 3 + 7);
    assert_int_equal(run->arcs, 4 + 8 + 1);
    assert_int_equal(fixture.shared.scanned[0], NINE);
    assert_true(cc_direct_near(run));
    assert_int_equal(fixture.shared.gathered, 3 + 7);
    for (uint32_t v = 0; v < ROWS; v++) {
        const int in_first = v == FOUR || v == NINE || (v < 8 && v % 2 == 0);
        const int in_second = v == EIGHT || (v < 16 && v % 2 == 1);
        assert_int_equal(cc_root(run->parent, v, CC_NONE), in_first ? 0 : in_second ? 1 : v);
    }
}

/* Searches for roots: of a root, of number 0, of one right below its root, and of one that is further down than all look side by side. */
static void roots_are_found(void **state)
{
    enum { DEEP = CC_ABREAST + 6 };
    uint32_t parent[DEEP + 6], was[CC_BATCH] = {DEEP + 5, DEEP + 1, DEEP + 3, DEEP};
    (void)state;
    for (uint32_t v = 0; v < DEEP + 6; v++)
        parent[v] = v > 1 && v <= DEEP ? v - 1 : v;
    parent[DEEP + 1] = 0;
    parent[DEEP + 3] = DEEP + 2;
    uint32_t up[CC_BATCH];
    for (uint32_t k = 0; k < CC_BATCH; k++)
        up[k] = parent[was[k]];
    cc_find(parent, was, up);
    assert_int_equal(up[0], DEEP + 5);
    assert_int_equal(up[1], 0);
    assert_int_equal(up[2], DEEP + 2);
    assert_int_equal(up[3], 1);
    for (uint32_t v = 2; v <= DEEP; v++) /* what was long is shorter */
        assert_true(parent[v] < v);
}

/* The first climb of a join looks and changes nothing: 3 finds the parent of 1 in two looks beside the first two. */
static void the_first_climb_only_looks(void **state)
{
    uint32_t parent[] = {0, 0, 1, 2, 3};
    struct cc_hook hook = {0, 0};
    (void)state;
    looked = 0;
    assert_false(cc_join(parent, 3, 1, 0, &hook));
    assert_int_equal(looked, 4);
    assert_int_equal(parent[3], 2);
    assert_false(cc_join(parent, 4, 1, 0, &hook)); /* the second one halves the path */
    assert_int_equal(parent[4], 3);
    assert_int_equal(parent[2], 0);
}

/* Arcs of a random symmetric graph, ascending; row @p hub has an arc to every eighth other row. @return the roots that there are to be. */
static const uint32_t *random_rows(uint32_t rows, uint32_t edges, uint32_t hub, uint64_t seed)
{
    static uint32_t root[ROWS_MOST];
    static uint8_t are[ROWS_MOST][ROWS_MOST / 8];
    memset(are, 0, sizeof are);
    for (uint32_t i = 0; i < edges; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t x = (uint32_t)(seed >> 33) % rows, y = (uint32_t)(seed >> 44) % rows;
        are[x][y / 8] |= (uint8_t)(x == y ? 0 : 1u << y % 8);
        are[y][x / 8] |= (uint8_t)(x == y ? 0 : 1u << x % 8);
    }
    for (uint32_t x = 0; x < rows && hub < rows; x += 8)
        if (x != hub) {
            are[x][hub / 8] |= (uint8_t)(1u << hub % 8);
            are[hub][x / 8] |= (uint8_t)(1u << x % 8);
        }
    uint64_t arcs = 0;
    for (uint32_t x = 0; x < rows; x++) {
        fixture.offsets[x] = arcs;
        root[x] = x;
        for (uint32_t y = 0; y < rows; y++)
            if (are[x][y / 8] >> y % 8 & 1u)
                fixture.targets[arcs++] = y;
    }
    fixture.offsets[rows] = arcs;
    assert_in_range(arcs, 0, ARCS_MOST);
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t x = 0; x < rows; x++)
            for (uint64_t i = fixture.offsets[x]; i < fixture.offsets[x + 1]; i++)
                if (root[fixture.targets[i]] < root[x]) {
                    root[x] = root[fixture.targets[i]];
                    changed = 1;
                }
    }
    return root;
}

/* Arcs of a row that lead to smaller neighbours. */
static uint64_t smaller_of(uint32_t v)
{
    uint64_t smaller = 0;
    for (uint64_t i = fixture.offsets[v]; i < fixture.offsets[v + 1]; i++)
        smaller += fixture.targets[i] < v;
    return smaller;
}

/* How many arcs lead to smaller neighbours that are not the nearest; more than a list has room for where a row is long.
 * @param[out] looks_out  arcs that a scan looks at where no row is long: the first CC_AT_ONCE, and behind them those that are smaller and the one that
 * ends the row. */
static uint64_t arcs_to_keep(uint32_t rows, uint64_t *looks_out)
{
    uint64_t arcs = 0;
    *looks_out = 0;
    for (uint32_t v = 0; v < rows; v++) {
        const uint64_t smaller = smaller_of(v), count = fixture.offsets[v + 1] - fixture.offsets[v];
        const uint64_t first = count < CC_AT_ONCE ? count : CC_AT_ONCE;
        const uint64_t ended = smaller + (smaller < count);
        *looks_out += ended > first ? ended : first;
        arcs += smaller > 1 ? smaller - 1 : 0;
        if (count > CC_SCAN)
            arcs += CC_WAITING + 1;
    }
    return arcs;
}

/* All arcs are linked, and rows labelled, whether the list has room for them or not, and whether rows are long; the latter are told of and left to others,
 * and what stands before the first of them is not scanned again. */
static void all_arcs_are_linked(void **state)
{
    static const struct {
        uint32_t rows, edges, hub;
    } cases[] = {{1, 0, UINT32_MAX},      {100, 80, UINT32_MAX},    {300, 240, UINT32_MAX},
                 {1000, 900, UINT32_MAX}, {4096, 6000, UINT32_MAX}, {4096, 2000, 4095},
                 {4096, 5000, 100}};
    uint32_t kept = 0;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t rows = cases[c].rows, hub = cases[c].hub;
        uint32_t long_rows = 0;
        const uint32_t *root = random_rows(rows, cases[c].edges, hub, c + 5);
        struct cc_run *run = worker_of(rows);
        cc_first_near(run, 0, 1);
        for (uint32_t v = 0; v < rows; v++)
            assert_true(fixture.parent[v] <= v);
        uint64_t looks;
        const int is_kept = arcs_to_keep(rows, &looks) <= CC_WAITING;
        if (is_kept)
            assert_int_equal(run->arcs, looks);
        assert_int_equal(fixture.shared.scanned[0] >= rows, is_kept);
        kept += (uint32_t)is_kept;
        const int longer = cc_direct_near(run);
        assert_int_equal(run->waiting, 0);
        for (uint32_t v = 0; v < rows; v += CC_BATCH) {
            uint32_t bits = cc_longer(run, v);
            long_rows += bits != 0;
            for (; bits; bits &= bits - 1) {
                const uint32_t x = v + weir_first_bit_u32(bits);
                struct cc_hook hook;
                assert_in_range(fixture.offsets[x + 1] - fixture.offsets[x], CC_SCAN + 1, rows);
                for (uint64_t i = fixture.offsets[x]; i < fixture.offsets[x + 1]; i++)
                    (void)cc_join(run->parent, x, fixture.targets[i], 0, &hook);
            }
        }
        assert_int_equal(longer, long_rows != 0);
        memset(fixture.label, 0xFF, sizeof fixture.label);
        cc_label_near(run);
        for (uint32_t v = 0; v < rows; v++) {
            assert_int_equal(fixture.label[v], root[v]);
            assert_int_equal(cc_root(run->parent, v, CC_NONE), root[v]);
        }
        for (uint32_t v = rows; v < ROWS_MOST; v++)
            assert_int_equal(fixture.label[v], UINT32_MAX);
    }
    assert_in_range(kept, 2, sizeof cases / sizeof *cases - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_takes_the_nearest),
        cmocka_unit_test(rows_as_long_as_may_be),
        cmocka_unit_test(roots_are_found),
        cmocka_unit_test(the_first_climb_only_looks),
        cmocka_unit_test(all_arcs_are_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
