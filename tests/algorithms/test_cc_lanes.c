/** @file test_cc_lanes.c  Components of rows of few arcs as GPUs take them (cc_near.h), by the lanes of four warps on a host, which look at parents in an order
 * that is drawn (tests/lib/lanes.h): random graphs, and labels beside those of a union-find. test_cc_lanes_several.c has the
 * kernel of several devices. */
#include "tests/lib/lanes.h"

#define CC_LOOKS(count) lanes_look()
#ifdef CC_LANES_SEVERAL
#include "algorithms/cc/cc_near_several_body.h"
#else
#include "algorithms/cc/cc_near_body.h"
#endif
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, WARPS = 4, THREADS = WARPS * 32, PER_BLOCK = THREADS / BLOCKS };
enum { ROWS_MOST = 19000, ROW_MOST = 18, EDGES_MOST = 8 * ROWS_MOST };

static struct {
    uint64_t offsets[ROWS_MOST + 1];
    uint32_t targets[2 * EDGES_MOST], tail[EDGES_MOST], head[EDGES_MOST];
    uint32_t parent[ROWS_MOST], label[ROWS_MOST], root[ROWS_MOST], degree[ROWS_MOST];
    struct cc_hook hooks[ROWS_MOST];
    struct cc_words words;
    struct cc_shared shared[BLOCKS];
    struct cc_args args;
    struct weir_steps_block block[THREADS];
    struct cc_run run[THREADS];
    uint32_t rows, edges, longer;
    uint64_t seed;
} of;

static uint32_t draw(uint32_t below)
{
    of.seed = of.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((of.seed >> 33) % below);
}

/* ---- graphs ----------------------------------------------------------------------------------- */

static void put(uint32_t v, uint32_t to)
{
    if (v == to || of.degree[v] == ROW_MOST || of.degree[to] == ROW_MOST || of.edges == EDGES_MOST)
        return;
    of.degree[v]++;
    of.degree[to]++;
    of.tail[of.edges] = v;
    of.head[of.edges++] = to;
}

static void put_grid(int shuffled)
{
    uint32_t *name = calloc(of.rows, sizeof *name), side = 1;
    assert_non_null(name);
    while (side * side < of.rows)
        side++;
    for (uint32_t v = 0; v < of.rows; v++)
        name[v] = v;
    for (uint32_t v = of.rows - 1; v && shuffled; v--) {
        const uint32_t other = draw(v + 1), mine = name[v];
        name[v] = name[other];
        name[other] = mine;
    }
    for (uint32_t v = 0; v < of.rows; v++) {
        if ((v + 1) % side && v + 1 < of.rows && draw(100) < 65)
            put(name[v], name[v + 1]);
        if (v + side < of.rows && draw(100) < 65)
            put(name[v], name[v + side]);
    }
    free(name);
}

static void put_random(void)
{
    for (uint32_t i = 0; i < 2 * of.rows; i++)
        put(draw(of.rows), draw(of.rows));
}

static void put_tree(void)
{
    for (uint32_t v = 1; v < of.rows; v++)
        put(v, v - 1 - draw(v < 40 ? v : 40));
}

/* Rows of up to nine smaller neighbours: lists overflow, and rows are long. */
static void put_bunches(void)
{
    for (uint32_t v = 9; v < of.rows; v++)
        for (uint32_t i = draw(10); i > 0; i--)
            put(v, v - i);
}

/* Stars of eight rows, and a row of seven to nine arcs here and there. */
static void put_stars(void)
{
    for (uint32_t v = 0; v + 8 < of.rows; v += 8) {
        for (uint32_t i = 1; i < 8; i++)
            put(v + i, v);
        for (uint32_t i = v % 64 ? 0 : 7 + draw(3); i > 0; i--)
            put(of.rows - 1 - v, draw(of.rows - v));
    }
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t root_of(uint32_t *up, uint32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

static void hang(uint32_t *up, uint32_t v, uint32_t to)
{
    const uint32_t x = root_of(up, v), y = root_of(up, to);
    if (x < y)
        up[y] = x;
    else
        up[x] = y;
}

/* The rows of the edges, and the roots that there are to be. */
static void make_rows(void)
{
    uint64_t *next = calloc(of.rows + 1, sizeof *next);
    assert_non_null(next);
    for (uint32_t v = 0; v < of.rows; v++) {
        of.root[v] = v;
        next[v] = of.offsets[v];
        next[v + 1] = of.offsets[v + 1] = of.offsets[v] + of.degree[v];
    }
    for (uint32_t i = 0; i < of.edges; i++) {
        of.targets[next[of.tail[i]]++] = of.head[i];
        of.targets[next[of.head[i]]++] = of.tail[i];
        hang(of.root, of.tail[i], of.head[i]);
    }
    for (uint32_t v = 0; v < of.rows; v++)
        qsort(of.targets + of.offsets[v], of.degree[v], sizeof *of.targets, ascending);
    free(next);
}

static void make_graph(uint32_t kind, uint32_t rows)
{
    of.rows = rows;
    of.edges = 0;
    memset(of.degree, 0, sizeof of.degree);
    switch (kind) {
    case 0:
    case 1:
        put_grid((int)kind);
        break;
    case 2:
        put_random();
        break;
    case 3:
        put_tree();
        break;
    case 4:
        put_bunches();
        break;
    case 5:
        put_stars();
        break;
    default: /* rows without arcs */
        break;
    }
    make_rows();
}

/* ---- the kernel, step by step ------------------------------------------------------------------- */

static void make_run(void)
{
    memset(&of.shared, 0, sizeof of.shared);
    memset(&of.words, 0, sizeof of.words);
    memset(&of.args, 0, sizeof of.args);
    memset(of.parent, 0xFF, sizeof of.parent);
    memset(of.label, 0xFF, sizeof of.label);
    of.args.direct = of.args.in_order = 1;
    of.args.part.out.offsets = of.offsets;
    of.args.part.out.targets = of.targets;
    of.args.part.busy = of.args.part.owned = of.rows;
    of.args.part.parts = 1;
    of.args.words[0] = &of.words;
    of.args.parent[0] = of.parent;
    of.args.hooks[0] = of.hooks;
    of.args.label = of.label;
    for (uint32_t d = 1; d < sizeof of.args.part.first / sizeof *of.args.part.first; d++)
        of.args.part.first[d] = of.rows;
#ifdef CC_LANES_SEVERAL
    of.args.notes = 1;
#endif
    for (uint32_t i = 0; i < THREADS; i++) {
        of.block[i] = (struct weir_steps_block){.block = i / PER_BLOCK,
                                                .blocks = BLOCKS,
                                                .thread = i % PER_BLOCK,
                                                .threads = PER_BLOCK};
        of.run[i] = (struct cc_run){.args = &of.args,
                                    .shared = &of.shared[i / PER_BLOCK],
                                    .block = &of.block[i],
                                    .parent = of.parent,
                                    .id = i,
                                    .stride = THREADS,
                                    .direct = 1};
    }
}

static void first(void *data, uint32_t thread)
{
    (void)data;
    cc_first_near(&of.run[thread], of.run[thread].id, of.run[thread].stride);
}

static void direct(void *data, uint32_t thread)
{
    (void)data;
    of.longer |= (uint32_t)cc_direct_near(&of.run[thread]);
}

static void label(void *data, uint32_t thread)
{
    (void)data;
    cc_label_near(&of.run[thread]);
}

static uint64_t roots(void)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < of.rows; v++)
        count += of.parent[v] == v;
    return count;
}

static uint64_t told(void)
{
    const uint64_t hooks = of.shared[0].hooks + of.shared[1].hooks;
    of.shared[0].hooks = of.shared[1].hooks = 0;
    return hooks;
}

/* The nearest smaller neighbour, or what it leads to within the rows of a warp. */
static void check_first(void)
{
    for (uint32_t v = 0; v < of.rows; v++) {
        const uint32_t *targets = of.targets + of.offsets[v];
        uint32_t up = v;
        for (uint32_t i = 0; i < of.degree[v] && targets[i] < v; i++)
            up = i == 0 || of.degree[v] <= CC_SCAN ? targets[i] : up;
        if (up == v || up / 32 != v / 32) /* warps have rows of multiples of 32 */
            assert_int_equal(of.parent[v], up);
        else
            assert_int_equal(of.parent[v], of.parent[up]);
    }
    assert_int_equal(told(), roots());
}

/* Long rows, which others link. @return how many there are. */
static uint32_t link_long(void)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < of.rows; v++) {
        count += of.degree[v] > CC_SCAN;
        for (uint64_t i = of.offsets[v]; of.degree[v] > CC_SCAN && i < of.offsets[v + 1]; i++)
            hang(of.parent, v, of.targets[i]);
    }
    return count;
}

static void check_graph(uint64_t seed, uint32_t *kept)
{
    make_run();
    lanes_run(WARPS, WARPS / BLOCKS, seed, first, NULL);
    check_first();
    for (uint32_t w = 0; w < WARPS; w++)
        *kept += of.shared[w * 32 / PER_BLOCK].scanned[w % (PER_BLOCK / 32)] >= of.rows;
    const uint64_t before = roots();
    of.longer = 0;
    lanes_run(WARPS, WARPS / BLOCKS, seed + 1, direct, NULL);
#ifdef CC_LANES_SEVERAL
    const uint64_t joined = before - roots();
    assert_int_equal(of.words.hooks[0], joined);
    assert_int_equal(told(), joined);
    for (uint64_t i = 0; i < joined; i++) {
        const struct cc_hook hook = of.hooks[i];
        assert_true(hook.under < hook.root);
        assert_int_equal(root_of(of.root, hook.under), root_of(of.root, hook.root));
    }
#else
    assert_true(roots() <= before);
#endif
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(of.run[i].waiting, 0);
    assert_int_equal(of.longer != 0, link_long() != 0);
    lanes_run(WARPS, WARPS / BLOCKS, seed + 2, label, NULL);
    for (uint32_t v = 0; v < of.rows; v++)
        assert_int_equal(of.label[v], root_of(of.root, v));
    for (uint32_t v = of.rows; v < ROWS_MOST; v++)
        assert_int_equal(of.label[v], UINT32_MAX);
}

static void lanes_label_all_rows(void **state)
{
    uint32_t kept = 0, graphs = 0;
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not follow fibers */
#endif
    of.seed = 5;
    for (uint32_t kind = 0; kind < 7; kind++)
        for (uint32_t i = 0; i < 5; i++) {
            make_graph(kind, i < 3    ? 1 + draw(3000)
                             : i == 3 ? 128 * (1 + draw(8))
                                      : ROWS_MOST - draw(300));
            check_graph(1 + 3 * graphs++, &kept);
        }
    assert_in_range(kept, WARPS, (graphs - 1) * WARPS); /* lists have room in some, in others not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_label_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
