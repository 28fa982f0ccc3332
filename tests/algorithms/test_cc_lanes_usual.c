/** @file test_cc_lanes_usual.c  The usual kernel of components (cc_body.h) as GPUs run it, from end to end, by the lanes of four warps a device on a
 * host, one to three devices at a time: random graphs, what is there behind each barrier, and labels beside those of a union-find.
 * test_cc_lanes_interleaved.c has the kernel with interleaved names. */
#include "tests/lib/lanes.h"

#define CC_LOOKS(count)       lanes_look()
#define WEIR_STEPS_FLAGS_KEPT 0
#ifdef CC_LANES_INTERLEAVED
#define CC_INTERLEAVED 1
#endif
#include "algorithms/cc/cc_op.h"

/* All barriers of the body: what is there behind them is looked at. */
static uint32_t stepped(const struct cc_run *run, uint32_t at, uint64_t *total_out);
#define cc_step(run, at, total) stepped(run, at, total)
#ifdef CC_LANES_INTERLEAVED
#include "algorithms/cc/cc_interleaved_body.h"
#else
#include "algorithms/cc/cc_body.h"
#endif
#undef cc_step
#include "algorithms/cc/cc_firsts_op.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3, WARPS = 4, THREADS = WARPS * 32, BLOCKS = WARPS };
enum {
    MOST = 10000,
    EDGES = 12 * MOST,
    NUMBERS = MOST + 300, /* with the gaps between parts */
    PIECES = 64
};
#define MARK   0xFFFFFFF0u /* a label that nobody is to write over */
#define CANARY 0xFFFFFFF1u /* behind what a device has */

/* What rows are like, and so what a run does; see cc_resident.c for which of them there are. */
enum shape {
    BY_DEGREE, /* rows are dealt to devices in turn, and settled in the first step where first neighbours are known */
    KEPT,      /* by id, and the first step keeps the next arc */
    ROOTS,     /* by id, and roots look along their arcs first */
    DIRECT,    /* by id, in order, all arcs are linked */
    SEPARATE   /* the same, and devices make trees of their own */
};

struct config {
    enum shape shape;
    uint32_t kind, vertices, devices, blocks;
    uint32_t both;   /* arcs have a direction */
    uint32_t mixed;  /* ids do not ascend with numbers */
    uint32_t firsts; /* a device that is alone has them */
};

/* Vertices are numbered as graphs are made; they have ids and numbers. */
static struct {
    struct config config;
    uint32_t tail[EDGES], head[EDGES], edges;
    uint32_t degree[MOST], id[MOST], number[MOST], root[MOST];
    uint32_t vertex[NUMBERS]; /* CC_NONE: a gap */
    uint32_t name[NUMBERS], near[NUMBERS], least_name[MOST], least_id[MOST];
    uint32_t pinned; /* the vertex that gets the smallest id; CC_NONE: any */
    uint64_t seed;
} graph;

static struct device {
    uint64_t out_offsets[MOST + 1], in_offsets[MOST + 1];
    uint32_t out_targets[2 * EDGES], in_targets[EDGES];
    uint32_t parent[NUMBERS], firsts[NUMBERS];
    uint32_t ids[MOST], label[MOST + 1], outside[MOST + 1], next[MOST], least[MOST], cut[NUMBERS];
    struct cc_hook hooks[NUMBERS];
    struct cc_piece pieces[PIECES];
    struct cc_words words;
    struct weir_steps_page page;
    struct cc_args args;
    struct cc_firsts_args first;
    struct cc_shared shared[BLOCKS];
    uint64_t share[BLOCKS][WEIR_STEPS_SHARE];
    uint64_t trees; /* roots behind the last barrier */
    uint32_t listed[MOST], lists;
} devices[DEVICES];

static struct {
    struct weir_steps_block block[DEVICES * THREADS];
    struct cc_run run[DEVICES * THREADS];
    uint32_t giant[DEVICES * THREADS], one[DEVICES * THREADS];
    uint32_t phase, hooks[DEVICES]; /* of the list that is being written: entries */
    uint32_t rounds;                /* of links so far */
    int wrong;                      /* the line of the first check that failed */
    int stops; /* one had failed at the last barrier: all lanes are told alike */
} of;

/* How often there was what this is to test. */
static struct {
    uint32_t settled, deep, undecided, right, wrong, listed, roots, kept, flat, pieces, hooks,
        spared, unguessed, compared, gathered, again, other, unknown, twice, one;
} met;

/* Fibers do not jump to where cmocka waits. */
#define CHECK(what)               \
    do {                          \
        if (!(what) && !of.wrong) \
            of.wrong = __LINE__;  \
    } while (0)

static uint32_t draw(uint32_t below)
{
    graph.seed = graph.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((graph.seed >> 33) % below);
}

/* ---- graphs ----------------------------------------------------------------------------------- */

static void put(uint32_t v, uint32_t to)
{
    if (graph.edges == EDGES)
        return;
    graph.degree[v]++;
    graph.degree[to]++;
    graph.tail[graph.edges] = v;
    graph.head[graph.edges++] = to;
}

/* @param[in] begin, count  the vertices. */
static void put_random(uint32_t begin, uint32_t count, uint32_t edges)
{
    for (uint32_t i = 0; i < edges && count; i++)
        put(begin + draw(count), begin + draw(count));
}

/* Some have far more than others. */
static void put_hubs(uint32_t begin, uint32_t count, uint32_t edges)
{
    for (uint32_t i = 0; i < edges && count; i++)
        put(begin + draw(draw(draw(count) + 1) + 1), begin + draw(count));
}

static void put_small(uint32_t begin, uint32_t count)
{
    const uint32_t end = begin + count;
    for (uint32_t v = begin; v < end;) {
        uint32_t size = 1 + draw(9);
        size = size < end - v ? size : end - v;
        for (uint32_t i = 1; i < size; i++)
            put(v + i, v + draw(i));
        v += size;
    }
}

static void put_star(uint32_t begin, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        put(begin, begin + i);
}

static void put_path(uint32_t begin, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        put(begin + i - 1, begin + i);
}

static void put_grid(uint32_t count)
{
    uint32_t side = 1;
    while (side * side < count)
        side++;
    for (uint32_t v = 0; v < count; v++) {
        if ((v + 1) % side && v + 1 < count && draw(100) < 70)
            put(v, v + 1);
        if (v + side < count && draw(100) < 70)
            put(v, v + side);
    }
}

/* Stars beside a large tree, each tied to it by an arc from a leaf to a row of more arcs than the leaf has and fewer than the middle: its arc to
 * the middle is the smaller by name, and by number either may be first. */
static void put_bridges(uint32_t begin, uint32_t end)
{
    for (uint32_t v = begin; begin > 8 && v + 14 <= end; v += 14) {
        uint32_t to = draw(begin);
        put_star(v, 14);
        for (uint32_t i = 0; i < 50 && (graph.degree[to] < 3 || graph.degree[to] > 12); i++)
            to = draw(begin);
        put(v + 1, to);
    }
}

enum { UNIFORM, HUBS, SMALL, STAR, FEW, STARS, GRID, PATH, BUNCHES, BRIDGES, CLIQUES, EMPTY };

static void put_edges(uint32_t kind, uint32_t n)
{
    switch (kind) {
    case UNIFORM: /* 16 to 20 arcs a row */
        put_random(0, n, 8 * n + draw(2 * n));
        break;
    case HUBS:
        put_hubs(0, n, 4 * n);
        break;
    case SMALL:
        put_hubs(0, n - n / 3, 2 * n);
        put_small(n - n / 3, n / 3);
        break;
    case STAR: /* the largest degree is outside the largest tree, or nearly so, which the first step finds or does not */
        put_star(0, n / 4 + 1);
        if (draw(2))
            put_hubs(n / 4 + 1, n - n / 4 - 1, 3 * n);
        else
            put_random(n / 4 + 1, n - n / 4 - 1, 3 * n);
        if (draw(2) && n > 2)
            put(n / 4, n - 1);
        break;
    case FEW:
        put_random(0, n, n - n / 8);
        break;
    case STARS: /* a row of more than one piece outside the largest tree */
        put_star(0, n * 43 / 100);
        put_random(n * 43 / 100, n - n * 43 / 100, 3 * n);
        break;
    case GRID:
        put_grid(n);
        break;
    case PATH: /* rows far below a hub */
        put_star(0, n / 2 + 1);
        put_path(n / 2, n - n / 2 - n / 8);
        put_small(n - n / 8, n / 8);
        break;
    case BUNCHES: /* rows of more arcs than a lane takes alone */
        for (uint32_t v = 24; v < n; v++)
            for (uint32_t i = draw(24) * (v % 4 == 0); i > 0; i--)
                put(v, v - i);
        break;
    case BRIDGES:
        put_hubs(0, n - n / 4, 3 * n);
        put_bridges(n - n / 4, n);
        break;
    case CLIQUES: /* of five, whose roots find none: more of them than a worker has lanes */
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t i = v % 5; i > 0; i--)
                put(v, v - i);
        break;
    default: /* rows without arcs */
        break;
    }
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int by_degree(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (graph.degree[x] != graph.degree[y])
        return graph.degree[x] < graph.degree[y] ? 1 : -1;
    return ascending(a, b);
}

static uint32_t root_of(uint32_t *up, uint32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

static void shuffle(uint32_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = draw(i), last = list[i - 1];
        list[i - 1] = list[other];
        list[other] = last;
    }
}

/* Which row each vertex is: in turn by degree, else stretches of them. */
static void deal(weir_rows_part *part, const uint32_t *rank)
{
    const struct config *c = &graph.config;
    uint32_t owned[DEVICES] = {0}, number = 0, stretch[DEVICES + 1] = {0};
    for (uint32_t d = 1; d < c->devices; d++)
        stretch[d] = c->vertices * d / c->devices + draw(c->vertices / 8 + 1);
    stretch[c->devices] = c->vertices;
    memset(graph.vertex, 0xFF, sizeof graph.vertex);
    part->parts = c->devices;
    part->vertices = c->vertices;
    for (uint32_t d = 0; d < c->devices; d++) {
        part->first[d] = number;
        for (uint32_t r = 0; r < c->vertices; r++)
            if (c->shape == BY_DEGREE ? r % c->devices == d
                                      : r >= stretch[d] && r < stretch[d + 1]) {
                graph.vertex[number] = rank[r];
                graph.number[rank[r]] = number++;
                owned[d]++;
            }
        number += draw(90);
    }
    for (uint32_t d = c->devices; d < WEIR_DEVICES_MAX + 1; d++)
        part->first[d] = number;
    part->numbers = number;
    for (uint32_t d = 0; d < c->devices; d++) {
        part->part = d;
        part->begin = part->first[d];
        part->owned = part->busy = owned[d];
        while (part->busy && !graph.degree[graph.vertex[part->begin + part->busy - 1]])
            part->busy--;
        devices[d].args.part = *part;
    }
}

static uint32_t part_of(uint32_t number)
{
    return weir_steps_owner(devices[0].args.part.first, number);
}

/* Rows of a device, one direction. @param[in] directions  1: of tails, 2: of heads, 3: of both. */
static void make_rows(const weir_rows_part *part, uint32_t directions, uint64_t *offsets,
                      uint32_t *targets)
{
    uint64_t *next = calloc(part->owned + 1, sizeof *next);
    assert_non_null(next);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < graph.edges; i++)
            for (uint32_t in = 0; in < 2; in++) {
                const uint32_t row = graph.number[in ? graph.head[i] : graph.tail[i]] - part->begin;
                if (!(directions >> in & 1u) || row >= part->owned)
                    continue;
                if (turn)
                    targets[next[row]] = graph.number[in ? graph.tail[i] : graph.head[i]];
                next[row]++;
            }
        offsets[0] = turn ? offsets[0] : 0;
        for (uint32_t r = 0; r < part->owned && !turn; r++) {
            offsets[r + 1] = offsets[r] + next[r];
            next[r] = offsets[r];
        }
    }
    for (uint32_t r = 0; r < part->owned; r++)
        qsort(targets + offsets[r], offsets[r + 1] - offsets[r], sizeof *targets, ascending);
    free(next);
}

/* Names, the smallest ones of neighbours, and roots, names and labels that there are to be. */
static void make_truth(uint32_t bits)
{
    const uint32_t n = graph.config.vertices;
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t number = graph.number[v], part = part_of(number);
        graph.name[number] =
            CC_INTERLEAVED ? (number - devices[part].args.part.begin) << bits | part : number;
        graph.near[number] = CC_NONE;
        graph.root[v] = v;
        graph.least_name[v] = graph.least_id[v] = CC_NONE;
    }
    for (uint32_t i = 0; i < graph.edges; i++) {
        const uint32_t x = graph.number[graph.tail[i]], y = graph.number[graph.head[i]];
        graph.near[x] = graph.name[y] < graph.near[x] ? graph.name[y] : graph.near[x];
        graph.near[y] = graph.name[x] < graph.near[y] ? graph.name[x] : graph.near[y];
        graph.root[root_of(graph.root, graph.tail[i])] = root_of(graph.root, graph.head[i]);
    }
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t root = root_of(graph.root, v), name = graph.name[graph.number[v]];
        if (name < graph.least_name[root])
            graph.least_name[root] = name;
        if (graph.id[v] < graph.least_id[root])
            graph.least_id[root] = graph.id[v];
    }
}

static uint32_t label_of(uint32_t v)
{
    return graph.least_id[root_of(graph.root, v)];
}

static void make_graph(weir_rows_part *part)
{
    const struct config *c = &graph.config;
    uint32_t *rank = calloc(c->vertices, sizeof *rank);
    assert_non_null(rank);
    graph.edges = 0;
    memset(graph.degree, 0, sizeof graph.degree);
    put_edges(c->kind, c->vertices);
    for (uint32_t v = 0; v < c->vertices; v++)
        rank[v] = v;
    if (c->shape == BY_DEGREE)
        qsort(rank, c->vertices, sizeof *rank, by_degree);
    else if (c->mixed)
        shuffle(rank, c->vertices);
    deal(part, rank);
    for (uint32_t number = 0, id = 0; number < part->numbers; number++)
        if (graph.vertex[number] != CC_NONE)
            rank[id++] = graph.vertex[number];
    if (c->mixed)
        shuffle(rank, c->vertices);
    for (uint32_t i = 0; i < c->vertices; i++)
        graph.id[rank[i]] = i;
    if (graph.pinned != CC_NONE) {
        graph.id[rank[0]] = graph.id[graph.pinned];
        graph.id[graph.pinned] = 0;
    }
    free(rank);
}

/* ---- a run ------------------------------------------------------------------------------------ */

static void tell_firsts(void *data, uint32_t thread)
{
    (void)data;
    cc_firsts(&devices[thread / THREADS].first, thread % THREADS / 32, WARPS);
}

/* First neighbours are told by the lanes, too. */
static void make_firsts(uint64_t seed)
{
    const struct config *c = &graph.config;
    for (uint32_t d = 0; d < c->devices; d++) {
        struct cc_firsts_args *first = &devices[d].first;
        first->part = devices[d].args.part;
        first->bits = devices[0].args.bits;
        first->both = c->both;
        memset(devices[d].firsts, 0xA5, sizeof devices[d].firsts);
        for (uint32_t e = 0; e < c->devices; e++)
            first->firsts[e] = devices[e].firsts;
    }
    lanes_run(c->devices * WARPS, WARPS, seed, tell_firsts, NULL);
    for (uint32_t d = 0; d < c->devices; d++)
        for (uint32_t number = 0; number < devices[0].args.part.numbers; number++) {
            const weir_rows_part *part = &devices[part_of(number)].args.part;
            if (number - part->begin < part->busy)
                assert_int_equal(devices[d].firsts[number], graph.near[number]);
            else
                assert_int_equal(devices[d].firsts[number], 0xA5A5A5A5u);
        }
}

static void enter_least(struct cc_args *a)
{
    const struct config *c = &graph.config;
    a->least_id = a->least_name = CC_NONE;
    for (uint32_t v = 0; v < c->vertices && (!c->both || c->shape == BY_DEGREE); v++)
        if (graph.degree[v] && graph.id[v] < a->least_id) {
            a->least_id = graph.id[v];
            a->least_name = graph.name[graph.number[v]];
        }
}

/* Ends of arcs between devices. */
static void enter_cut(struct device *device)
{
    static uint8_t is_end[NUMBERS];
    struct cc_args *a = &device->args;
    memset(is_end, 0, sizeof is_end);
    for (uint32_t i = 0; i < graph.edges; i++) {
        const uint32_t x = graph.number[graph.tail[i]], y = graph.number[graph.head[i]];
        if (part_of(x) != part_of(y))
            is_end[x] = is_end[y] = 1;
    }
    a->cuts = 0;
    a->cut = device->cut;
    for (uint32_t number = 0; number < a->part.numbers; number++)
        if (is_end[number])
            device->cut[a->cuts++] = number;
}

static void make_args(uint32_t d, uint64_t *busy_all)
{
    const struct config *c = &graph.config;
    struct device *device = &devices[d];
    struct cc_args *a = &device->args;
    const int is_direct = c->shape == DIRECT || c->shape == SEPARATE;
    const uint32_t begin = a->part.begin;
    uint32_t before = 0;
    memset(&device->page, 0, sizeof device->page);
    memset(&device->shared, 0xA5, sizeof device->shared);
    memset(&device->words, 0xA5, sizeof device->words);
    memset(device->parent, 0xA5, sizeof device->parent);
    memset(device->least, 0, sizeof device->least);
    a->member.index = d;
    a->member.count = c->devices;
    a->ids = c->mixed ? device->ids : NULL;
    a->label = device->label;
    a->outside = is_direct ? NULL : device->outside;
    a->firsts = (c->devices > 1 && c->shape != SEPARATE) || c->firsts ? device->firsts : NULL;
    a->next = c->shape == KEPT && !c->both ? device->next : NULL;
    a->pieces = device->pieces;
    for (uint32_t e = 0; e < c->devices; e++) {
        a->member.page[e] = &devices[e].page;
        a->parent[e] = devices[e].parent;
        a->hooks[e] = devices[e].hooks;
        a->words[e] = &devices[e].words;
        a->least[e] = c->mixed ? devices[e].least : NULL;
        a->busy[e] = devices[e].args.part.busy;
        a->gap[e] = devices[e].args.part.begin - before;
        before += devices[e].args.part.owned;
    }
    for (uint32_t r = 0; r < MOST + 1; r++)
        device->outside[r] = device->label[r] = CANARY;
    for (uint32_t r = 0; r < a->part.owned; r++)
        device->ids[r] = device->label[r] = graph.id[graph.vertex[begin + r]];
    a->in_order = !c->mixed;
    a->roots = c->shape == ROOTS;
    a->share = a->roots ? CC_SPARSE : 2;
    a->settles = a->firsts && c->shape == BY_DEGREE;
    a->direct = (uint32_t)is_direct;
    a->lines = draw(2);
    a->both = c->both;
    a->separate = c->shape == SEPARATE;
    a->notes = c->devices > 1 && !a->separate;
    enter_least(a);
    enter_cut(device);
    *busy_all += a->part.busy;
    device->lists = 0;
}

static void make_run(uint64_t seed)
{
    const struct config *c = &graph.config;
    const uint32_t per_block = THREADS / c->blocks;
    weir_rows_part part;
    uint64_t busy_all = 0;
    uint32_t bits = 0;
    memset(&part, 0, sizeof part);
    make_graph(&part);
    while (1u << bits < c->devices)
        bits++;
    make_truth(bits);
    for (uint32_t d = 0; d < c->devices; d++) {
        struct device *device = &devices[d];
        weir_rows_part *mine = &device->args.part;
        device->args.bits = CC_INTERLEAVED ? bits : 0;
        make_rows(mine, c->both ? 1 : 3, device->out_offsets, device->out_targets);
        mine->out.offsets = mine->in.offsets = device->out_offsets;
        mine->out.targets = mine->in.targets = device->out_targets;
        if (!c->both)
            continue;
        make_rows(mine, 2, device->in_offsets, device->in_targets);
        mine->in.offsets = device->in_offsets;
        mine->in.targets = device->in_targets;
    }
    make_firsts(seed);
    for (uint32_t d = 0; d < c->devices; d++)
        make_args(d, &busy_all);
    for (uint32_t d = 0; d < c->devices; d++)
        devices[d].args.few_roots = busy_all / CC_DEEP;
    for (uint32_t i = 0; i < c->devices * THREADS; i++) {
        const uint32_t block = i % THREADS / per_block;
        of.block[i] = (struct weir_steps_block){.block = block,
                                                .blocks = c->blocks,
                                                .thread = i % per_block,
                                                .threads = per_block,
                                                .share = devices[i / THREADS].share[block]};
    }
    of.wrong = of.stops = 0;
    of.rounds = 0;
    of.phase = 0;
    memset(of.hooks, 0, sizeof of.hooks);
}

/* ---- behind each barrier ---------------------------------------------------------------------- */

static uint32_t number_of(uint32_t name)
{
    const struct cc_args *a = &devices[0].args;
    return CC_INTERLEAVED ? a->part.first[name & ((1u << a->bits) - 1u)] + (name >> a->bits) : name;
}

static int is_busy(uint32_t number)
{
    const weir_rows_part *part = &devices[part_of(number)].args.part;
    return number - part->begin < part->busy;
}

/* The number of the root above one, as a device has it, and how far that is. Nothing is shortened. */
static uint32_t top_of(const struct device *device, uint32_t number, uint32_t *depth_out)
{
    *depth_out = 0;
    for (;;) {
        const uint32_t up = number_of(device->parent[number]);
        if (up == number || up >= device->args.part.numbers || *depth_out > MOST)
            return number;
        number = up;
        ++*depth_out;
    }
}

static uint64_t count_roots(const struct device *device, uint32_t begin, uint32_t end)
{
    uint64_t roots = 0;
    for (uint32_t number = begin; number < end; number++)
        roots += is_busy(number) && device->parent[number] == graph.name[number];
    return roots;
}

/* Which rows are in the lists of a device; places are of one block alone, and there are so many. */
static void read_lists(struct device *device)
{
    const struct config *c = &graph.config;
    const uint32_t d = device->args.part.part, settled = device->shared[0].settled;
    static uint8_t used[MOST];
    memset(used, 0, sizeof used);
    memset(device->listed, 0, sizeof device->listed);
    device->lists = 0;
    for (uint32_t b = 0; b < (settled ? c->blocks : 1); b++) {
        const struct cc_run *run = &of.run[d * THREADS + b * (THREADS / c->blocks)];
        const uint32_t count = settled ? device->shared[b].undecided : device->words.outside;
        CHECK(count <= device->args.part.owned);
        for (uint32_t i = 0; i < count && !of.wrong; i++) {
            const uint32_t at = settled ? cc_slot(run, i) : i;
            CHECK(at < device->args.part.owned && !used[at]);
            if (of.wrong)
                return;
            used[at] = 1;
            CHECK(device->outside[at] < device->args.part.busy &&
                  !device->listed[device->outside[at]]);
            if (of.wrong)
                return;
            device->listed[device->outside[at]] = 1;
            device->lists++;
        }
    }
    if (settled && cc_spares(&of.run[d * THREADS])) {
        CHECK(!device->shared[0].undecided);
        met.spared++;
    }
}

/* Rows below name 0 have the label that is guessed, unless they lie too far below it; all others are listed. */
static void check_settled(struct device *device)
{
    const weir_rows_part *part = &device->args.part;
    read_lists(device);
    for (uint32_t r = 0; r < part->busy && !of.wrong; r++) {
        uint32_t depth;
        const uint32_t top = top_of(device, part->begin + r, &depth);
        const int is_far = graph.name[top] || depth > CC_ABREAST + 1u;
        const int has_arcs = graph.near[part->begin + r] != CC_NONE;
        CHECK(device->listed[r] == (uint32_t)(is_far && has_arcs));
        CHECK(device->label[r] == (is_far || !has_arcs ? device->ids[r] : device->shared[0].guess));
        met.deep += !graph.name[top] && is_far;
        met.undecided += (uint32_t)is_far;
    }
    met.settled++;
}

static void check_first(struct device *device, uint64_t *roots)
{
    const struct cc_args *a = &device->args;
    const uint32_t begin = a->part.begin;
    for (uint32_t number = 0; number < a->part.numbers; number++) {
        const uint32_t name = graph.name[number], near = graph.near[number];
        const int is_own = number - begin < a->part.busy;
        if (graph.vertex[number] != CC_NONE && is_busy(number))
            CHECK(device->parent[number] ==
                  (near < name && (is_own || !a->separate) ? near : name));
        if (a->next && is_own) {
            const uint32_t *row = device->out_targets + device->out_offsets[number - begin];
            const uint64_t count =
                device->out_offsets[number - begin + 1] - device->out_offsets[number - begin];
            const uint32_t at = count && row[0] < number;
            CHECK(device->next[number - begin] == (at < count ? row[at] : CC_NONE));
        }
    }
    *roots += count_roots(device, begin, begin + a->part.busy);
    for (uint32_t r = 0; r < a->part.busy; r++) /* those without arcs count apart */
        *roots += graph.near[begin + r] == CC_NONE ? (UINT64_C(1) << 32) - 1 : 0;
    if (a->settles)
        check_settled(device);
    device->trees = count_roots(device, 0, a->part.numbers);
}

static void check_flat(struct device *device)
{
    const weir_rows_part *part = &device->args.part;
    for (uint32_t number = part->begin; number < part->begin + part->busy; number++) {
        const uint32_t up = number_of(device->parent[number]);
        CHECK(device->parent[up] == graph.name[up]);
    }
    met.flat++;
}

/* Each join that was made is in the list, once. @return how many since the last barrier. */
static uint64_t check_hooks(struct device *device, uint32_t phase, uint32_t *before)
{
    const uint64_t trees = count_roots(device, 0, device->args.part.numbers);
    const uint32_t count = device->words.hooks[phase], fresh = count - *before;
    CHECK(fresh == device->trees - trees);
    for (uint32_t i = *before; i < count && !of.wrong; i++) {
        const struct cc_hook hook = device->hooks[i];
        CHECK(hook.under < hook.root && number_of(hook.root) < device->args.part.numbers);
        if (of.wrong)
            break;
        const uint32_t root = number_of(hook.root), under = number_of(hook.under);
        CHECK(graph.vertex[root] != CC_NONE && graph.vertex[under] != CC_NONE);
        if (of.wrong)
            break;
        CHECK(root_of(graph.root, graph.vertex[root]) == root_of(graph.root, graph.vertex[under]));
        CHECK(device->parent[root] != hook.root);
        met.hooks++;
    }
    *before = count;
    return fresh;
}

/* Behind the step rest rows that are not listed have the label that is guessed. It is taken away: if the guess is right nobody looks at them again. */
static void mark_settled(struct device *device)
{
    const struct config *c = &graph.config;
    const weir_rows_part *part = &device->args.part;
    for (uint32_t b = 1; b < c->blocks; b++)
        CHECK(device->shared[b].guess == device->shared[0].guess &&
              device->shared[b].settled == device->shared[0].settled);
    read_lists(device);
    if (device->shared[0].guess == CC_NONE)
        return;
    for (uint32_t r = 0; r < part->busy; r++)
        if (graph.near[part->begin + r] != CC_NONE && !device->listed[r]) {
            CHECK(device->label[r] == device->shared[0].guess);
            device->label[r] = MARK;
        }
}

/* Both ends of the arcs that a round takes are in one tree: those that the first step kept, of every second group of rows, then of all; or behind roots
 * the last ones of a few. */
static void check_linked(const struct device *device, uint32_t round)
{
    const struct cc_args *a = &device->args;
    for (uint32_t r = 0; r < a->part.busy && (a->next || (a->roots && round == 1)); r++) {
        const uint64_t first = device->out_offsets[r], last = device->out_offsets[r + 1];
        uint32_t depth, to = a->next ? device->next[r] : CC_NONE;
        if (a->roots && first < last)
            to = device->out_targets[last - 1];
        if (to == CC_NONE || (round == 1 && r / CC_GROUP % a->share))
            continue;
        CHECK(top_of(device, a->part.begin + r, &depth) == top_of(device, to, &depth));
    }
}

static void check_step(const struct cc_run *run, uint32_t at, const uint64_t *total)
{
    const struct config *c = &graph.config;
    uint64_t roots = 0, hooks = 0;
    if (run->phase != of.phase)
        memset(of.hooks, 0, sizeof of.hooks);
    of.phase = run->phase;
    of.rounds += at == CC_AT_LINK;
    for (uint32_t d = 0; d < c->devices && !of.wrong; d++) {
        struct device *device = &devices[d];
        if (at == CC_AT_FIRST)
            check_first(device, &roots);
        if (at == CC_AT_FLATTEN)
            check_flat(device);
        if ((at == CC_AT_LINK || at == CC_AT_REST || at == CC_AT_DIRECT) && device->args.notes)
            hooks += check_hooks(device, run->phase, &of.hooks[d]);
        if (at == CC_AT_MERGE || (at == CC_AT_LINK && !device->args.notes))
            hooks += device->trees - count_roots(device, 0, device->args.part.numbers);
        if (at == CC_AT_LINK)
            check_linked(device, of.rounds);
        met.twice += at == CC_AT_LINK && device->args.next && of.rounds == 2;
        met.pieces += at == CC_AT_REST && total[1];
        met.kept += at == CC_AT_LINK && device->args.next;
        if (at == CC_AT_REST && !total[1])
            mark_settled(device);
        device->trees = count_roots(device, 0, device->args.part.numbers);
    }
    if (at == CC_AT_FIRST)
        CHECK(total[0] == roots);
    if (at == CC_AT_LINK || (at == CC_AT_MERGE && devices[0].args.notes) ||
        ((at == CC_AT_REST || at == CC_AT_DIRECT) && devices[0].args.notes))
        CHECK(total[0] == hooks);
}

static uint32_t stepped(const struct cc_run *run, uint32_t at, uint64_t *total_out)
{
    uint64_t none[WEIR_STEPS_SUMS];
    CHECK(run->waiting == 0);
    uint32_t stop = cc_step(run, at, total_out);
    if (run == of.run) { /* all others wait for it at the next one */
        if (!of.wrong)
            check_step(run, at, total_out);
        of.stops = of.wrong != 0;
    }
    stop |= cc_step(run, at, none);
    return of.stops ? WEIR_STEPS_STOPPED : stop;
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* cc_body(), whose threads are looked at. */
static void body(void *data, uint32_t thread)
{
    struct device *device = &devices[thread / THREADS];
    struct weir_steps_block *block = &of.block[thread];
    struct cc_run *run = &of.run[thread];
    uint32_t which;
    (void)data;
    of.giant[thread] = CC_NONE;
    weir_steps_begin(&device->args.member, block);
    cc_start(run, &device->args, &device->shared[block->block], block);
    if (cc_grow(run, &of.giant[thread], &which) || cc_finish(run, of.giant[thread], which))
        return;
    of.one[thread] = !which;
    CHECK(run->waiting == 0);
    cc_count(run);
}

/* One tree was left behind roots: all rows that have arcs have its smallest id, and no others were looked at. */
static void check_one(const struct device *device)
{
    const struct cc_args *a = &device->args;
    for (uint32_t r = 0; r < a->part.owned && !of.wrong; r++)
        CHECK(device->label[r] == label_of(graph.vertex[a->part.begin + r]));
    CHECK(device->label[a->part.owned] == CANARY);
    CHECK(device->page.result[CC_LABEL_ROWS] == a->part.busy &&
          device->page.result[CC_REST_ROWS] == 0 && a->roots);
    met.one++;
}

/* The guess is known to be right where it is, and then the rows that are listed are labelled, else all. */
static void check_labels(struct device *device)
{
    const struct config *c = &graph.config;
    const struct cc_args *a = &device->args;
    const struct cc_shared *shared = device->shared;
    const uint32_t giant = of.giant[0];
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(of.one[a->part.part * THREADS + i] == of.one[0]);
    if (of.one[0]) {
        check_one(device);
        return;
    }
    const int is_guessed = giant != CC_NONE && shared->guess != CC_NONE;
    const int is_right = is_guessed && label_of(graph.vertex[number_of(giant)]) == shared->guess;
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(of.giant[a->part.part * THREADS + i] == giant);
    for (uint32_t b = 0; b < c->blocks; b++)
        CHECK(shared[b].is_right == (uint32_t)is_right);
    for (uint32_t r = 0; r < a->part.owned && !of.wrong; r++) {
        const uint32_t v = graph.vertex[a->part.begin + r];
        const int is_settled = is_right && graph.degree[v] && !device->listed[r];
        CHECK(device->label[r] == (is_settled ? MARK : label_of(v)));
        CHECK(!is_settled || label_of(v) == shared->guess);
    }
    CHECK(device->label[a->part.owned] == CANARY && device->outside[a->part.owned] == CANARY);
    CHECK(device->page.result[CC_LABEL_ROWS] == (is_right ? device->lists : a->part.busy));
    CHECK(of.run[0].direct ||
          device->page.result[CC_REST_ROWS] == (shared->settled ? device->lists : a->part.busy));
    met.right += (uint32_t)is_right;
    met.wrong += is_guessed && !is_right;
    met.compared += is_guessed && !is_right && c->mixed;
    met.other += a->settles && !shared->settled && giant != CC_NONE && giant;
    met.unguessed += giant == CC_NONE;
    met.listed += is_right && !shared->settled && device->lists;
    met.roots += device->page.result[CC_ROOTS] > 0;
    met.gathered += device->page.result[CC_GATHERED] > 0;
}

/* All devices have the same trees in the end, whose roots are their smallest names. */
static void check_trees(const struct device *device)
{
    for (uint32_t number = 0; number < device->args.part.numbers; number++) {
        uint32_t depth;
        if (graph.vertex[number] == CC_NONE || !is_busy(number))
            continue;
        CHECK(graph.name[top_of(device, number, &depth)] ==
              graph.least_name[root_of(graph.root, graph.vertex[number])]);
    }
}

static void check_graph(const struct config *config)
{
    static uint64_t graphs;
    const uint32_t before = (uint32_t)graphs++;
    graph.config = *config;
    make_run(1 + 2 * before);
    memset(of.run, 0xA5, sizeof of.run);
    lanes_run(config->devices * WARPS, WARPS / config->blocks, 2 + 2 * before, body, NULL);
    for (uint32_t d = 0; d < config->devices && !of.wrong; d++) {
        check_labels(&devices[d]);
        if (config->shape != SEPARATE)
            check_trees(&devices[d]);
    }
    if (of.wrong)
        fail_msg(
            "line %d: graph %u, kind %u, shape %u, %u vertices, %u devices of %u blocks, both %u, "
            "mixed %u, firsts %u",
            of.wrong, before, config->kind, config->shape, config->vertices, config->devices,
            config->blocks, config->both, config->mixed, config->firsts);
}

/* The same graph again, whose smallest id a row has that was outside the largest tree before the last arcs were linked. @return whether there was one. */
static int check_again(const struct config *config, uint64_t seed)
{
    const struct device *device = &devices[0];
    const uint32_t giant = of.giant[0];
    const uint32_t begin = device->args.part.begin;
    for (uint32_t r = 0; r < device->args.part.busy && giant != CC_NONE && !of.one[0]; r++) {
        const uint32_t v = graph.vertex[begin + r];
        if (!device->listed[r] || label_of(v) != label_of(graph.vertex[number_of(giant)]))
            continue;
        graph.pinned = v;
        graph.seed = seed;
        check_graph(config);
        graph.pinned = CC_NONE;
        return 1;
    }
    return 0;
}

/* Sizes that are no multiple of anything, and such that are. */
static uint32_t draw_size(uint32_t i)
{
    return i % 4 == 0   ? 1 + draw(200)
           : i % 4 == 1 ? 128 * (1 + draw(8))
           : i % 4 == 2 ? 900 + draw(1500)
                        : 32 * (1 + draw(40)) + draw(3);
}

static void check_shape(enum shape shape, const uint32_t *kinds, uint32_t count, uint32_t rounds)
{
    for (uint32_t i = 0; i < count * rounds; i++) {
        struct config c = {.shape = shape, .kind = kinds[i % count]};
        c.vertices = draw_size(i / count + i);
        c.devices = CC_INTERLEAVED ? 2 + draw(2) : shape == SEPARATE ? 2 + draw(2) : 1 + draw(3);
        c.blocks = 1u << draw(3);
        c.both = shape == KEPT ? draw(3) > 0 : shape == BY_DEGREE && draw(3) == 0;
        c.mixed =
            CC_INTERLEAVED || (shape == KEPT ? draw(3) > 0 : shape == BY_DEGREE && draw(4) > 0);
        if (shape == BY_DEGREE && c.devices > 1)
            c.mixed = 1;
        c.firsts = c.devices == 1 && (shape == ROOTS || (shape == BY_DEGREE && draw(3) > 0));
        const uint64_t seed = graph.seed;
        check_graph(&c);
        if (c.mixed && (i % 2 || c.shape == KEPT))
            if (check_again(&c, seed)) {
                met.again++;
                met.unknown += devices[0].args.least_id == CC_NONE;
            }
    }
}

static void lanes_label_all_rows(void **state)
{
    static const uint32_t all[] = {UNIFORM, HUBS, SMALL, STAR, FEW, GRID, PATH, BRIDGES},
                          with_hubs[] = {HUBS, SMALL, STAR, FEW, PATH, SMALL, BRIDGES, EMPTY},
                          of_many[] = {UNIFORM, UNIFORM, SMALL, STAR, CLIQUES};
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not follow fibers */
#endif
    graph.seed = 7;
    graph.pinned = CC_NONE;
    check_shape(BY_DEGREE, with_hubs, 8, 6);
    check_shape(ROOTS, of_many, 5, 5);
    struct config stars = {BY_DEGREE, STARS, MOST - draw(50), CC_INTERLEAVED ? 2 : 1, 2, 0, 1, 0};
    check_graph(&stars);
    assert_true(met.settled && met.deep && met.undecided && met.spared);
    assert_true(met.right && met.wrong && met.compared && met.again && met.other);
    assert_true(met.roots && met.one && met.pieces && met.hooks);
#if !CC_INTERLEAVED
    static const uint32_t of_few[] = {GRID, FEW, PATH, BUNCHES};
    check_shape(KEPT, all, 8, 4);
    check_shape(KEPT, of_few, 4, 6);
    check_shape(DIRECT, of_few, 4, 4);
    check_shape(SEPARATE, of_few, 4, 4);
    assert_true(met.flat && met.kept && met.listed && met.unguessed && met.gathered &&
                met.unknown && met.twice);
#else
    (void)all;
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_label_all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
