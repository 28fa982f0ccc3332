/** @file test_cc_forest.c  Joining trees of connected components: what it leaves, and how often it looked at a parent. */
#include <stdint.h>

static uint64_t looked;

#define CC_LOOKS(count) (looked += (count))
#include "algorithms/cc/cc_body.h"
#include "tests/lib/support.h"

#include <string.h>

/* Two trees of children that point at their roots are joined by a look at each child and one at the root that is hung. */
static void a_join_looks_at_no_parent_twice(void **state)
{
    uint32_t parent[] = {0, 1, 2, 1, 2};
    struct cc_hook hook = {0, 0};
    (void)state;
    looked = 0;
    assert_true(cc_join(parent, 4, 3, 1, &hook));
    assert_int_equal(hook.root, 2);
    assert_int_equal(hook.under, 1);
    assert_int_equal(looked, 3);
}

/* Children of one root are known to be joined by a look at each of them. */
static void a_common_parent_ends_a_join(void **state)
{
    uint32_t parent[] = {0, 1, 1, 1};
    struct cc_hook hook = {0, 0};
    (void)state;
    looked = 0;
    assert_false(cc_join(parent, 2, 3, 1, &hook));
    assert_int_equal(looked, 2);
    assert_false(cc_join(parent, 1, 3, 1, &hook));
    assert_int_equal(looked, 4);
}

/* Every second vertex of a path that a join climbs points further up than before. */
static void a_join_halves_paths(void **state)
{
    uint32_t parent[] = {0, 1, 1, 2, 3, 4, 5};
    struct cc_hook hook = {0, 0};
    (void)state;
    looked = 0;
    assert_true(cc_join(parent, 6, 0, 1, &hook));
    assert_int_equal(hook.root, 1);
    assert_int_equal(hook.under, 0);
    assert_int_equal(parent[6], 4);
    assert_int_equal(parent[5], 4);
    assert_int_equal(parent[4], 2);
    assert_int_equal(parent[3], 2);
    assert_int_equal(parent[2], 1);
    assert_int_equal(parent[1], 0);
    assert_int_equal(looked, 7); /* every vertex once */
}

/* Rows of the columns of a grid are joined side by side, as the lanes of a warp do it, after their roots were hung under each other: the path
 * of the roots is as long as a row then, and gets short while nobody climbs it. */
static void joins_side_by_side_shorten_a_path(void **state)
{
    enum { COLUMNS = 1000, ROWS = 200, TOP = 1, BELOW = TOP + COLUMNS };
    static uint32_t parent[BELOW + COLUMNS * (ROWS + 1)];
    struct cc_hook hook = {0, 0};
    (void)state;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        parent[TOP + c] = c ? TOP + c - 1 : TOP;
        for (uint32_t r = 0; r <= ROWS; r++)
            parent[BELOW + r * COLUMNS + c] = TOP + c;
    }
    looked = 0;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = COLUMNS - 1; c > 0; c--) {
            const uint32_t v = BELOW + r * COLUMNS + c;
            assert_false(cc_join(parent, v, v - 1, 1, &hook));
        }
    /* three looks a join where the roots are in line; one more or two on the ways that cross */
    assert_in_range(looked, 3 * ROWS * (COLUMNS - 1), 5 * ROWS * (COLUMNS - 1));
    looked = 0;
    assert_false(
        cc_join(parent, BELOW + ROWS * COLUMNS + COLUMNS - 1, BELOW + ROWS * COLUMNS, 1, &hook));
    assert_in_range(looked, 2, COLUMNS / 20);
}

/* The same by the kernel's step `direct`: each row below has an arc up, which the first step took, and one to its left. Batches of a line go
 * from right to left, so that each first row of one meets a neighbour that was not joined yet, as lanes side by side do. */
static void the_step_direct_shortens_that_path(void **state)
{
    enum {
        COLUMNS = 500,
        ROWS = 800,
        TOP = 1,
        BELOW = TOP + COLUMNS,
        ALL = BELOW + COLUMNS * ROWS
    };
    static uint32_t parent[ALL], targets[2 * COLUMNS * ROWS];
    static uint64_t offsets[ALL + 1];
    struct cc_hook hook = {0, 0};
    struct cc_args args = {.direct = 1, .in_order = 1};
    struct cc_run run = {.args = &args, .parent = parent, .stride = 1, .direct = 1};
    uint64_t arcs = 0;
    (void)state;
    for (uint32_t v = BELOW; v < ALL; v++) {
        const uint32_t c = (v - BELOW) % COLUMNS;
        parent[v] = TOP + c;
        offsets[v] = arcs;
        targets[arcs++] = TOP + c;
        if (c)
            targets[arcs++] = v - 1;
    }
    offsets[ALL] = arcs;
    for (uint32_t c = 0; c < COLUMNS; c++)
        parent[TOP + c] = c ? TOP + c - 1 : TOP;
    args.part.busy = ALL;
    args.part.out = (weir_arcs){.offsets = offsets, .targets = targets};
    for (uint32_t line = BELOW; line < ALL; line += COLUMNS)
        for (uint32_t c = COLUMNS; c > 0; c -= CC_BATCH)
            assert_int_equal(cc_link_lower(&run, &args.part.out, line + c - CC_BATCH), 0);
    assert_int_equal(run.arcs, (COLUMNS - 1) * ROWS);
    looked = 0;
    assert_false(cc_join(parent, TOP + COLUMNS - 1, TOP, 0, &hook));
    assert_in_range(looked, 2, COLUMNS / 20);
}

/* The root of 5, 3 steps away, is found by one look a step and one that finds that it is a root. */
static void a_root_is_looked_at_once(void **state)
{
    uint32_t parent[] = {0, 1, 1, 2, 2, 3};
    (void)state;
    looked = 0;
    assert_int_equal(cc_root(parent, 5, CC_NONE), 1);
    assert_int_equal(looked, 4);
    assert_int_equal(parent[5], 2); /* halved */
    assert_int_equal(cc_root(parent, 5, 2), 2);
    assert_int_equal(looked, 5);
    assert_int_equal(cc_root(parent, 0, CC_NONE), 0);
    assert_int_equal(looked, 5);
}

/* Random arcs: roots are the smallest of their trees, parents never larger, as many joins as trees less. */
static void joins_make_a_forest(void **state)
{
    enum { N = 3000 };
    static uint32_t parent[N], label[N];
    uint64_t joined = 0, trees = 0, seed = 7;
    (void)state;
    for (uint32_t v = 0; v < N; v++)
        parent[v] = label[v] = v;
    for (uint32_t i = 0; i < N; i++) {
        struct cc_hook hook = {0, 0};
        uint32_t x, y, from, to;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x = (uint32_t)(seed >> 33) % N;
        y = (uint32_t)(seed >> 44) % N;
        from = label[x] < label[y] ? label[y] : label[x];
        to = label[x] < label[y] ? label[x] : label[y];
        assert_int_equal(cc_join(parent, x, y, 1, &hook), from != to);
        joined += from != to;
        if (from != to)
            assert_int_equal(hook.root, from);
        for (uint32_t v = 0; v < N && from != to; v++)
            label[v] = label[v] == from ? to : label[v];
    }
    for (uint32_t v = 0; v < N; v++) {
        assert_true(parent[v] <= v);
        trees += parent[v] == v;
        assert_int_equal(cc_root(parent, v, CC_NONE), label[v]);
    }
    assert_int_equal(trees + joined, N);
}

/* One device has these rows, and their parents. */
static void give_rows(struct cc_args *args, struct cc_run *run, const uint64_t *offsets,
                      const uint32_t *targets, uint32_t rows, uint32_t *parent)
{
    args->part.out.offsets = offsets;
    args->part.out.targets = targets;
    args->part.busy = args->part.owned = rows;
    args->part.parts = 1;
    run->parent = args->parent[0] = parent;
}

/* Of row 5 the neighbours 1, 3 and 4 are smaller. The first step takes the smallest, and then the other two are linked: by a look at
 * each, and at the arc that is not smaller. */
static void the_first_step_takes_the_smallest(void **state)
{
    static const uint64_t offsets[] = {0, 0, 1, 1, 2, 3, 7, 8};
    static const uint32_t targets[] = {5, 5, 5, 1, 3, 4, 6, 5};
    enum { ROWS = 7 };
    uint32_t parent[ROWS] = {0};
    struct weir_steps_block block = {.blocks = 1, .threads = 1};
    struct cc_shared shared = {.hooks = 0};
    struct cc_args args = {.direct = 1};
    struct cc_run run = {.args = &args, .shared = &shared, .block = &block, .stride = 1};
    (void)state;
    give_rows(&args, &run, offsets, targets, ROWS, parent);
    cc_first_rows(&run, 0, 1);
    assert_int_equal(parent[5], 1);
    assert_int_equal(parent[6], 5);
    run.arcs = 0;
    assert_int_equal(cc_link_lower(&run, &args.part.out, 4), 0); /* rows 4 to 6 */
    assert_int_equal(run.arcs, 3);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(cc_root(parent, v, CC_NONE), v == 0 || v == 2 ? v : 1);
}

/* Searches for the roots of a batch leave paths alone while they are short, and shorten what is longer. */
static void searches_go_side_by_side(void **state)
{
    uint32_t parent[] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 10};
    uint32_t up[CC_BATCH] = {0, 2, 10, 11}, far[CC_BATCH] = {9, 1, 10, 4};
    (void)state;
    looked = 0;
    assert_int_equal(cc_find(parent, CC_NONE, up), 0xA); /* 2 and 11 are no roots */
    assert_int_equal(up[0] + up[1], 0);
    assert_int_equal(up[2] + up[3], 20);
    assert_int_equal(looked, 2 + 1 + 2); /* nobody looks at the parent of 0 */
    assert_int_equal(parent[2], 1);
    assert_int_equal(cc_find(parent, 2, far), 0xB);
    assert_int_equal(far[0], 2);
    assert_int_equal(far[1], 0);
    assert_int_equal(far[3], 2);
    assert_int_equal(parent[9], 8); /* not looked at again after CC_ABREAST looks */
    assert_int_equal(parent[5], 3);
}

/* A thread of a host device that labels row after row leaves each of them below its root, so that the next one finds it there: four
 * looks a row, however long the path is. */
static void labels_leave_short_paths(void **state)
{
    enum { ROWS = 2000 };
    static uint32_t parent[ROWS], label[ROWS];
    struct weir_steps_block block = {.blocks = 1, .threads = 1};
    struct cc_shared shared = {.hooks = 0};
    struct cc_args args = {.in_order = 1};
    struct cc_run run = {.args = &args, .shared = &shared, .block = &block, .stride = 1};
    (void)state;
    for (uint32_t v = 0; v < ROWS; v++)
        parent[v] = v > 1 ? v - 1 : v;
    args.part.busy = args.part.owned = args.part.first[1] = ROWS;
    args.part.parts = 1;
    args.label = label;
    run.parent = args.parent[0] = parent;
    looked = 0;
    cc_label(&run, CC_NONE);
    for (uint32_t v = 0; v < ROWS; v++) {
        assert_int_equal(label[v], v > 1 ? 1 : v);
        assert_int_equal(parent[v], label[v]);
    }
    assert_in_range(looked, ROWS, 4 * ROWS);
}

/* Rows that jump to the parents of their parents leave no path, whoever the first of them belong to. */
static void jumps_lead_to_roots(void **state)
{
    enum { ROWS = 700, BEGIN = 300 };
    static uint32_t parent[ROWS];
    (void)state;
    for (uint32_t v = 0; v < ROWS; v++)
        parent[v] = v < 3 ? v : v - 3;
    cc_jump(parent, BEGIN, ROWS - BEGIN, 0, 1);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(parent[v], v < 3 ? v : v < BEGIN ? v - 3 : v % 3);
    cc_jump(parent, 0, BEGIN, 0, 1);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(parent[v], v % 3);
}

/* A walk over rows whose numbers fall by one at a time is given up, though its end is not far; where they fall by half it arrives. */
static void walks_along_lines_are_given_up(void **state)
{
    enum { ROWS = 400 };
    static uint64_t offsets[ROWS + 1];
    static uint32_t targets[ROWS];
    struct cc_args args = {.in_order = 1};
    struct cc_run run = {.args = &args};
    (void)state;
    for (uint32_t v = 0; v < ROWS; v++) {
        offsets[v + 1] = v + 1;
        targets[v] = v < 100 ? v - (v > 0) : v / 2;
    }
    args.part.out.offsets = offsets;
    args.part.out.targets = targets;
    args.part.parts = 1;
    assert_int_equal(cc_walk(&run, 12), CC_NONE);
    assert_int_equal(cc_walk(&run, 3), 0);
    for (uint32_t v = 0; v < ROWS; v++)
        targets[v] = v / 2;
    assert_int_equal(cc_walk(&run, 399), 0);
}

/* Each row is in one of the two rounds, whole groups in the first one. */
static void two_rounds_take_all_rows(void **state)
{
    enum { ROWS = CC_GROUP * 11 + 5 };
    (void)state;
    for (uint32_t share = 2; share <= 4; share += 2) {
        uint8_t taken[ROWS] = {0};
        struct cc_args args = {.share = share};
        struct cc_run run = {.args = &args};
        for (uint32_t which = 1; which <= 2; which++) {
            uint64_t last = 0;
            for (uint64_t i = 0, row; (row = cc_row_of_round(&run, i, which)) < ROWS; i++) {
                assert_true(i == 0 || row > last);
                assert_int_equal(row / CC_GROUP % share == 0, which == 1);
                taken[row]++;
                last = row;
            }
        }
        for (uint32_t row = 0; row < ROWS; row++)
            assert_int_equal(taken[row], 1);
    }
}

/* What the first step keeps is what the first round links: arcs are not looked at again. */
static void the_next_arcs_are_kept(void **state)
{
    static const uint64_t offsets[] = {0, 1, 3, 6, 8, 8};
    uint32_t targets[] = {2, 2, 3, 0, 1, 3, 1, 2};
    const uint32_t expected[] = {2, 2, 1, 2, CC_NONE};
    enum { ROWS = 5 };
    uint32_t parent[ROWS] = {0}, next[ROWS] = {0};
    struct weir_steps_block block = {.blocks = 1, .threads = 1};
    struct cc_shared shared = {.hooks = 0};
    struct cc_args args = {.next = next, .share = 2};
    struct cc_run run = {.args = &args, .shared = &shared, .block = &block, .stride = 1};
    (void)state;
    give_rows(&args, &run, offsets, targets, ROWS, parent);
    cc_first_rows(&run, 0, 1);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(next[v], expected[v]);
    memset(targets, 0xEE, sizeof targets);
    cc_link_kept(&run, 1);
    for (uint32_t v = 0; v < ROWS; v++)
        assert_int_equal(cc_root(parent, v, CC_NONE), v < 4 ? 0 : 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_looks_at_no_parent_twice),
        cmocka_unit_test(joins_side_by_side_shorten_a_path),
        cmocka_unit_test(the_step_direct_shortens_that_path),
        cmocka_unit_test(a_common_parent_ends_a_join),
        cmocka_unit_test(a_join_halves_paths),
        cmocka_unit_test(a_root_is_looked_at_once),
        cmocka_unit_test(joins_make_a_forest),
        cmocka_unit_test(the_first_step_takes_the_smallest),
        cmocka_unit_test(two_rounds_take_all_rows),
        cmocka_unit_test(the_next_arcs_are_kept),
        cmocka_unit_test(labels_leave_short_paths),
        cmocka_unit_test(jumps_lead_to_roots),
        cmocka_unit_test(walks_along_lines_are_given_up),
        cmocka_unit_test(searches_go_side_by_side),
    };
    return cmocka_run_group_tests_name("cc_forest", tests, NULL, NULL);
}
