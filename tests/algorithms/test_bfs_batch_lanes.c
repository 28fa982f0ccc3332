/** @file test_bfs_batch_lanes.c  Breadth-first search from a batch of sources (bfs_batch_body.h) as GPUs run it, from end to end, by the lanes of
 * four warps a device on a host, one to three devices at a time: random graphs, what is there behind each barrier, and levels and counts
 * beside those of a serial search. Rows are long and hubs large from far fewer arcs on than elsewhere. */
#include "tests/lib/lanes.h"

#define BATCH_PIECE 140u /* more arcs than all lanes have under way together */
#define BATCH_LONG  90u
#define BATCH_HUB   610u /* no multiple of what a lane loads at a time */
#include "algorithms/bfs/bfs_batch_step.h"

/* In front of a look at a word that lanes share others go on; for long now and then where the word is a hub's, so that pieces of it are begun
 * when others are done. */
static void others_first(const void *place);
#define weir_load_relaxed_dev_u64(place) (others_first(place), weir_load_relaxed_dev_u64(place))
#define weir_or_relaxed_dev_u64(place, bits) \
    (others_first(place), weir_or_relaxed_dev_u64(place, bits))
#define weir_add_acq_rel_dev_u64(place, more) \
    (others_first(place), weir_add_acq_rel_dev_u64(place, more))
#define weir_atomic_or_relaxed_dev_u64(place, bits) \
    (others_first(place), weir_atomic_or_relaxed_dev_u64(place, bits))
#include "algorithms/bfs/bfs_batch_down.h"
#include "algorithms/bfs/bfs_batch_up.h"

/* All phases of the body, which tell where the search is, and its barriers: what is there behind them is looked at. */
static const struct batch_walk *noted(const struct bfs_batch_args *a, const struct batch_walk *w);
static uint32_t stepped(const struct weir_steps_member *m, struct weir_steps_block *b,
                        uint32_t blocks, uint64_t *first, int more, uint64_t *total_out);
#define batch_start(a, shared, b, w)                      batch_start(a, shared, b, noted(a, w))
#define batch_down(a, shared, b, w)                       batch_down(a, shared, b, *noted(a, &(w)))
#define batch_send(a, shared, b, w)                       batch_send(a, shared, b, *noted(a, &(w)))
#define batch_absorb(a, shared, b, w)                     batch_absorb(a, shared, b, *noted(a, &(w)))
#define batch_settle(a, shared, b, w)                     batch_settle(a, shared, b, *noted(a, &(w)))
#define batch_settle_all(a, shared, b, w)                 batch_settle_all(a, shared, b, *noted(a, &(w)))
#define batch_share(a, b, w)                              batch_share(a, b, *noted(a, &(w)))
#define batch_up(a, shared, b, w)                         batch_up(a, shared, b, *noted(a, &(w)))
#define batch_list(a, shared, b, w)                       batch_list(a, shared, b, *noted(a, &(w)))
#define weir_steps_meet(m, b, blocks, first, more, total) stepped(m, b, blocks, first, more, total)
#include "algorithms/bfs/bfs_batch_body.h"
#undef weir_steps_meet
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3, WARPS = 4, THREADS = WARPS * 32, BLOCKS = WARPS };
enum {
    MOST = 2400,
    EDGES = 24000,
    NUMBERS = MOST + DEVICES * 160, /* with the gaps between parts */
    GUARD = 64,                     /* bytes in front of an array and behind it */
    ARRAYS = DEVICES * 32
};

enum kind { UNIFORM, SKEWED, LATTICE, GRID, PATH, TREE, STAR, LEAVES, SPARSE, EMPTY, DENSE, SINKS };

struct config {
    uint32_t kind, vertices, devices, blocks, sources;
    uint32_t both; /* arcs have a direction */
    uint32_t pull;
    uint32_t bound; /* of leaves: rows have about so many arcs; 0: some have */
};

static struct {
    struct config config;
    uint32_t tail[EDGES], head[EDGES], edges;
    uint32_t number[MOST], vertex[NUMBERS]; /* WEIR_ROWS_NONE: a gap */
    uint32_t degree[MOST], degree_in[MOST];
    uint32_t source[BATCH_SOURCES];     /* vertices */
    int32_t level[BATCH_SOURCES][MOST]; /* as they are to be */
    uint64_t seed;
} graph;

static struct device {
    struct bfs_batch_args args;
    struct weir_steps_page page;
    struct bfs_batch_shared shared[BLOCKS];
    uint64_t share[BLOCKS][WEIR_STEPS_SHARE];
    struct batch_walk walk; /* of the phase that ends */
    uint64_t *offsets[2], entries, arcs, rows_most, looks_least, looks_most;
    uint32_t *targets[2];
    uint64_t hubs, parts;
} devices[DEVICES];

static struct {
    struct {
        uint8_t *bytes;
        size_t count;
    } array[ARRAYS];
    uint32_t arrays;
    struct weir_steps_block block[DEVICES * THREADS];
    uint32_t came, barriers, before; /* threads at the barrier; barriers passed; the phase before */
    int wrong;                       /* the line of the first check that failed */
    int stops; /* one had failed at the last barrier: all lanes are told alike */
} of;

/* How often there was what this is to test. */
static struct {
    uint32_t listed, dense, dense_far, far, from_dense, from_up, shared, up_again, hubs, wholes,
        few, many, again;
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

static void others_first(const void *place)
{
    uint32_t looks = 1;
    for (uint32_t d = 0; d < graph.config.devices; d++) {
        const struct batch_hub *hubs = devices[d].args.hubs;
        const uintptr_t from = (uintptr_t)place - (uintptr_t)hubs;
        if (from < devices[d].hubs * sizeof *hubs && draw(8) == 0)
            looks += draw(2500);
    }
    for (uint32_t i = 0; i < looks; i++)
        lanes_look();
}

/* ---- graphs ----------------------------------------------------------------------------------- */

static void put(uint32_t v, uint32_t to)
{
    if (graph.edges == EDGES)
        return;
    graph.tail[graph.edges] = v;
    graph.head[graph.edges++] = to;
}

static void put_random(uint32_t n, uint32_t edges, int skewed)
{
    for (uint32_t i = 0; i < edges; i++) {
        const uint32_t v = skewed ? draw(draw(draw(n) + 1) + 1) : draw(n);
        if (draw(2))
            put(v, draw(n));
        else
            put(draw(n), v);
    }
}

static void put_grid(uint32_t n)
{
    uint32_t side = 1;
    while (side * side < n)
        side++;
    for (uint32_t v = 0; v < n; v++) {
        if ((v + 1) % side && v + 1 < n)
            put(v, v + 1);
        if (v + side < n)
            put(v, v + side);
    }
}

/* Each vertex but the first few has one arc that leads to it, from one of a few or from any. */
static void put_tree(uint32_t n)
{
    const uint32_t roots = 1 + draw(3), wide = draw(2);
    for (uint32_t v = roots; v < n; v++)
        put(wide ? draw(draw(draw(v) + 1) + 1) : draw(v), v);
}

/* Where something else begins: numbers of arcs. */
static const uint32_t bounds[] = {BATCH_LONELY,
                                  BATCH_LONELY + BATCH_SQUAD *BATCH_ABREAST,
                                  BATCH_LONELY + BATCH_SOME,
                                  BATCH_LONG,
                                  BATCH_HUB,
                                  BATCH_HUB + BATCH_LONELY + BATCH_SOME,
                                  2 * BATCH_HUB,
                                  BATCH_PIECE,
                                  BATCH_PIECES *BATCH_PIECE,
                                  BATCH_ABREAST *WEIR_LANES};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static uint32_t draw_arcs(void)
{
    const uint32_t at = graph.config.bound ? graph.config.bound : bounds[draw(BOUNDS)];
    return draw(4) ? at + draw(9) - 4 : 1 + draw(at);
}

/* Which of the arcs of a row. */
static uint32_t draw_place(uint32_t arcs)
{
    static const uint32_t some[] = {0, 15, 16, 17, 31, 271, 272, 273, 609, 610};
    const uint32_t which = draw(20);
    return which < 6                           ? arcs - 1
           : which < 10 && !graph.config.bound ? draw(arcs)
                                               : some[which % 10] % arcs;
}

/* Rows whose in-arcs lead from vertices that nothing reaches, but for one or a few: whoever passes over an arc finds less. */
static void put_leaves(uint32_t n)
{
    const uint32_t live = n / 8 + 1, dead = n / 4 + 1, rare = graph.config.bound ? 2 : 5;
    for (uint32_t v = 1; v < live; v++)
        put(draw(v), v);
    for (uint32_t v = live + dead; v < n; v++) {
        const uint32_t arcs = draw(rare) ? draw(7) : draw_arcs(), first = graph.edges;
        for (uint32_t i = 0; i < arcs; i++)
            put(live + draw(dead), v);
        for (uint32_t i = draw(2) * draw(4) + 1; i && first < graph.edges; i--)
            graph.tail[first + draw_place(graph.edges - first)] = draw(live);
    }
}

/* A row of two pieces, then a level of more arcs than there are vertices, behind which none goes on; most arcs are elsewhere, so both go top-down. */
static void put_sinks(uint32_t n)
{
    for (uint32_t v = 1; v < n * 3 / 4; v += v == n / 10 - 1 ? n / 2 + 1 : 1)
        put(0, v);
    for (uint32_t i = 0; i < 2 * n; i++)
        put(1 + draw(n / 10 - 1), n / 10 + draw(n / 2));
    for (uint32_t i = 0; i < 20 * n; i++)
        put(n - 1 - draw(n / 4), n - 1 - draw(n / 4));
}

static void put_lattice(uint32_t n)
{
    const uint32_t radius = 2 + n / 40 + draw(5);
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = 1; i <= radius; i++)
            put(v, (v + i) % n);
}

static void put_edges(uint32_t kind, uint32_t n)
{
    switch (kind) {
    case UNIFORM:
        put_random(n, n * (1 + draw(8)), 0);
        break;
    case SKEWED:
        put_random(n, n * (1 + draw(8)), 1);
        break;
    case LATTICE:
        put_lattice(n);
        break;
    case GRID:
        put_grid(n);
        break;
    case PATH:
        for (uint32_t v = 1; v < n; v++)
            put(v - 1, v);
        break;
    case TREE:
        put_tree(n);
        break;
    case STAR: /* and some further on; all arcs are there twice */
        for (uint32_t v = 1; v < 2 * n; v++)
            put(v / 2 < n - n / 32 ? 0 : v / 2 - n / 32, v / 2);
        break;
    case LEAVES:
        put_leaves(n);
        break;
    case DENSE: /* more long rows than a device has lanes */
        put_random(n, EDGES, 0);
        break;
    case SINKS:
        put_sinks(n);
        break;
    case SPARSE:
        put_random(n, n * 2 / 3, 0);
        break;
    default: /* rows without arcs */
        break;
    }
}

static void shuffle(uint32_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = draw(i), last = list[i - 1];
        list[i - 1] = list[other];
        list[other] = last;
    }
}

/* Which row each vertex is: stretches of a list, the rows without arcs last, for the most part. */
static void deal(void)
{
    const struct config *c = &graph.config;
    uint32_t list[MOST], number = 0, end[DEVICES], first[DEVICES];
    for (uint32_t v = 0; v < c->vertices; v++)
        list[v] = v;
    if (draw(4))
        shuffle(list, c->vertices);
    memset(graph.vertex, 0xFF, sizeof graph.vertex);
    for (uint32_t d = 0; d < c->devices; d++)
        end[d] = c->vertices * (d + 1) / c->devices - (d + 1 < c->devices ? draw(9) : 0);
    for (uint32_t d = 0, begin = 0; d < c->devices; d++) {
        weir_rows_part *part = &devices[d].args.rows;
        end[d] = c->vertices > 30 ? end[d] : d ? c->vertices : draw(c->vertices + 1);
        end[d] = d + 1 == c->devices ? c->vertices : end[d];
        memset(part, 0, sizeof *part);
        part->begin = first[d] = number;
        for (uint32_t idle = 0; idle < 2; idle++) {
            for (uint32_t i = begin; i < end[d]; i++)
                if (idle != (graph.degree[list[i]] || graph.degree_in[list[i]])) {
                    graph.vertex[number] = list[i];
                    graph.number[list[i]] = number++;
                }
            part->busy = idle && draw(4) ? part->busy : number - part->begin;
        }
        part->owned = number - part->begin;
        number = (number + 31) / 32 * 32 + 32 * draw(3);
        begin = end[d];
    }
    for (uint32_t d = 0; d < c->devices; d++) {
        weir_rows_part *part = &devices[d].args.rows;
        part->numbers = number;
        part->part = d;
        part->parts = c->devices;
        part->vertices = c->vertices;
        part->arcs_all = c->both ? graph.edges : 2 * (uint64_t)graph.edges;
        for (uint32_t p = 0; p <= WEIR_DEVICES_MAX; p++)
            part->first[p] = p < c->devices ? first[p] : number;
    }
}

static void make_graph(void)
{
    const struct config *c = &graph.config;
    graph.edges = 0;
    memset(graph.degree, 0, sizeof graph.degree);
    memset(graph.degree_in, 0, sizeof graph.degree_in);
    put_edges(c->kind, c->vertices);
    for (uint32_t i = 0; i < graph.edges; i++) {
        graph.degree[graph.tail[i]]++;
        graph.degree_in[graph.head[i]]++;
        graph.degree[graph.head[i]] += !c->both;
        graph.degree_in[graph.tail[i]] += !c->both;
    }
    deal();
}

/* Levels of all sources, arc by arc until none lowers any. */
static void search(uint32_t s)
{
    const struct config *c = &graph.config;
    int32_t *level = graph.level[s], now = 0;
    int again = 1;
    for (uint32_t v = 0; v < c->vertices; v++)
        level[v] = v == graph.source[s] ? 0 : -1;
    for (; again; now++) {
        again = 0;
        for (uint32_t i = 0; i < graph.edges; i++) {
            const uint32_t v = graph.tail[i], to = graph.head[i];
            if (level[v] == now && level[to] < 0)
                again = level[to] = now + 1;
            if (!c->both && level[to] == now && level[v] < 0)
                again = level[v] = now + 1;
        }
    }
}

static void draw_sources(void)
{
    const struct config *c = &graph.config;
    const uint32_t near = c->kind == SINKS ? 1 : draw(3) ? c->vertices : c->vertices / 8 + 1;
    for (uint32_t s = 0; s < c->sources; s++)
        graph.source[s] = s && draw(12) == 0 ? graph.source[draw(s)]
                          : draw(8) == 0     ? 0
                                             : draw(near);
    for (uint32_t s = 0; s < c->sources; s++)
        search(s);
}

/* The sources that find a vertex at a level, and at that one or before it. */
static uint64_t found_at(uint32_t v, uint32_t level, uint64_t *until_out)
{
    uint64_t at = 0;
    *until_out = 0;
    for (uint32_t s = 0; s < graph.config.sources; s++) {
        const int32_t its = graph.level[s][v];
        at |= (uint64_t)(its == (int32_t)level) << s;
        *until_out |= (uint64_t)(its >= 0 && its <= (int32_t)level) << s;
    }
    return at;
}

/* ---- memory of devices ------------------------------------------------------------------------ */

static void *take(size_t bytes, int fill)
{
    uint8_t *block = malloc(bytes + 2 * (size_t)GUARD);
    assert_non_null(block);
    assert_true(of.arrays < ARRAYS);
    memset(block, 0xC5, bytes + 2 * (size_t)GUARD);
    memset(block + GUARD, fill, bytes);
    of.array[of.arrays].bytes = block;
    of.array[of.arrays++].count = bytes;
    return block + GUARD;
}

static void check_guards(void)
{
    for (uint32_t i = 0; i < of.arrays; i++)
        for (uint32_t k = 0; k < GUARD; k++)
            CHECK(of.array[i].bytes[k] == 0xC5 &&
                  of.array[i].bytes[GUARD + of.array[i].count + k] == 0xC5);
}

static void free_all(void)
{
    for (uint32_t i = 0; i < of.arrays; i++)
        free(of.array[i].bytes);
    of.arrays = 0;
}

/* Rows of a device, one direction; what lies behind the last target is no number. */
static void make_rows(struct device *device, uint32_t in)
{
    const weir_rows_part *part = &device->args.rows;
    const uint32_t *degree = in ? graph.degree_in : graph.degree;
    uint64_t *offsets = take((part->owned + (size_t)1) * sizeof *offsets, 0), next[MOST];
    for (uint32_t r = 0; r < part->owned; r++) {
        next[r] = offsets[r];
        offsets[r + 1] = offsets[r] + degree[graph.vertex[part->begin + r]];
    }
    uint32_t *targets = take((offsets[part->owned] + 3) * sizeof *targets, 0xC5);
    for (uint32_t i = 0; i < graph.edges; i++)
        for (uint32_t turn = 0; turn < 2; turn++) {
            const uint32_t v = graph.number[turn == in ? graph.tail[i] : graph.head[i]];
            const uint32_t to = graph.number[turn == in ? graph.head[i] : graph.tail[i]];
            if (v - part->begin < part->owned && !(turn && graph.config.both))
                targets[next[v - part->begin]++] = to;
        }
    device->offsets[in] = offsets;
    device->targets[in] = targets;
}

static void count_long(struct device *device)
{
    const weir_rows_part *part = &device->args.rows;
    device->hubs = device->parts = 0;
    for (uint32_t r = 0; r < part->owned; r++) {
        const uint64_t arcs = part->in.offsets[r + 1] - part->in.offsets[r];
        device->hubs += arcs > BATCH_HUB;
        device->parts += arcs > BATCH_LONG ? (arcs + BATCH_HUB - 1) / BATCH_HUB : 0;
    }
}

/* As many elements as bfs_batch.c has. */
static void make_arrays(uint32_t d)
{
    const struct config *c = &graph.config;
    struct device *device = &devices[d];
    struct bfs_batch_args *a = &device->args;
    weir_rows_part *part = &a->rows;
    make_rows(device, 0);
    if (c->both)
        make_rows(device, 1);
    part->out = (weir_arcs){.offsets = device->offsets[0], .targets = device->targets[0]};
    part->in =
        (weir_arcs){.offsets = device->offsets[c->both], .targets = device->targets[c->both]};
    part->arcs_out = part->out.offsets[part->owned];
    part->arcs_in = part->in.offsets[part->owned];
    count_long(device);
    a->seen = take(part->numbers * sizeof *a->seen, 0);
    a->front[d] = take(2 * (size_t)part->numbers * sizeof *a->front[d], 0);
    a->alive[d] = take(BATCH_TURNS * sizeof *a->alive[d], 0);
    a->touched = take(part->numbers * sizeof *a->touched, 0xA5);
    a->queue = take((part->owned + part->arcs_out / BATCH_PIECE + 1) * sizeof *a->queue, 0xA5);
    a->tail = take(BATCH_TAILS * sizeof *a->tail, 0);
    a->hubs = take(part->arcs_in / BATCH_HUB * sizeof *a->hubs, 0xA5);
    a->longs = take(part->arcs_in / BATCH_LONG * sizeof *a->longs, 0xA5);
    a->listed = take(2 * sizeof *a->listed, 0);
    a->found = take(BATCH_SOURCES * sizeof *a->found, 0);
    a->level = take((size_t)part->owned * BATCH_SOURCES * sizeof *a->level, 0xFF);
    for (uint32_t e = 0; e < c->devices; e++) {
        struct bfs_batch_args *from = &devices[e].args;
        const size_t places = 2 * (size_t)part->owned + 1;
        a->inbox[e] = from->outbox[d] = e == d ? NULL : take(places * sizeof *a->inbox[e], 0xA5);
    }
}

/* What each kernel is told of all devices. */
static void make_args(void)
{
    const struct config *c = &graph.config;
    for (uint32_t d = 0; d < c->devices; d++)
        make_arrays(d);
    for (uint32_t d = 0; d < c->devices; d++) {
        struct bfs_batch_args *a = &devices[d].args;
        a->member.index = d;
        a->member.count = c->devices;
        for (uint32_t e = 0; e < c->devices; e++) {
            a->member.page[e] = &devices[e].page;
            a->front[e] = devices[e].args.front[e];
            a->alive[e] = devices[e].args.alive[e];
        }
    }
}

/* What is filled anew before each run. */
static void begin_run(int first_run)
{
    const struct config *c = &graph.config;
    const uint32_t per_block = THREADS / c->blocks;
    for (uint32_t d = 0; d < c->devices; d++) {
        struct device *device = &devices[d];
        struct bfs_batch_args *a = &device->args;
        memset(&device->page, 0, sizeof device->page);
        memset(device->shared, 0xA5, sizeof device->shared);
        memset(a->seen, 0, a->rows.numbers * sizeof *a->seen);
        memset(a->front[d], 0, 2 * (size_t)a->rows.numbers * sizeof *a->front[d]);
        memset(a->alive[d], 0, BATCH_TURNS * sizeof *a->alive[d]);
        memset(a->tail, 0, BATCH_TAILS * sizeof *a->tail);
        memset(a->found, 0, BATCH_SOURCES * sizeof *a->found);
        memset(a->level, 0xFF, (size_t)a->rows.owned * BATCH_SOURCES * sizeof *a->level);
        a->sources = c->sources;
        for (uint32_t s = 0; s < BATCH_SOURCES; s++) /* behind them are those of other runs */
            a->source[s] = graph.number[s < c->sources ? graph.source[s] : draw(c->vertices)];
        a->pull = c->pull;
        a->first_run = (uint32_t)first_run;
        device->entries = device->arcs = 0;
        device->rows_most = device->looks_least = device->looks_most = 0;
    }
    for (uint32_t i = 0; i < c->devices * THREADS; i++) {
        const uint32_t block = i % THREADS / per_block;
        of.block[i] = (struct weir_steps_block){.block = block,
                                                .blocks = c->blocks,
                                                .thread = i % per_block,
                                                .threads = per_block,
                                                .share = devices[i / THREADS].share[block]};
    }
    of.came = of.barriers = 0;
    of.before = BATCH_END;
    of.wrong = of.stops = 0;
}

/* ---- behind each barrier ---------------------------------------------------------------------- */

static uint64_t pieces_of(uint64_t arcs)
{
    return (arcs + BATCH_PIECE - 1) / BATCH_PIECE;
}

/* Words of a frontier: of own vertices those that a level found, of others those too, or nothing. */
static void check_front(const struct device *device, uint32_t which, uint32_t level, int arcs_only,
                        int all)
{
    const struct bfs_batch_args *a = &device->args;
    const uint64_t *front = batch_front(a, a->member.index, which);
    for (uint32_t number = 0; number < a->rows.numbers; number++) {
        const uint32_t v = graph.vertex[number];
        uint64_t until;
        const int is = v != WEIR_ROWS_NONE && (all || batch_owns(a, number)) &&
                       (!arcs_only || graph.degree[v]);
        CHECK(front[number] == (is ? found_at(v, level, &until) : 0));
    }
}

static void check_empty(const struct device *device, uint32_t which)
{
    const struct bfs_batch_args *a = &device->args;
    const uint64_t *front = batch_front(a, a->member.index, which);
    for (uint32_t number = 0; number < a->rows.numbers; number++)
        CHECK(!front[number]);
}

static void check_seen(const struct device *device, uint32_t level)
{
    const struct bfs_batch_args *a = &device->args;
    for (uint32_t number = 0; number < a->rows.numbers; number++) {
        const uint32_t v = graph.vertex[number];
        uint64_t until = 0;
        if (v != WEIR_ROWS_NONE)
            (void)found_at(v, level, &until);
        CHECK(batch_owns(a, number) ? a->seen[number] == until : !(a->seen[number] & ~until));
    }
}

/* All pieces of the rows that a level found, each once. */
static void check_queue(const struct device *device, uint32_t level)
{
    const struct bfs_batch_args *a = &device->args;
    static uint8_t used[MOST + 2 * EDGES / BATCH_PIECE + 1];
    static uint32_t before[MOST + 1];
    uint32_t want = 0, there = a->tail[BATCH_QUEUE];
    for (uint32_t r = 0; r < a->rows.owned; r++) {
        const uint32_t v = graph.vertex[a->rows.begin + r];
        uint64_t until;
        before[r + 1] = before[r] + (uint32_t)pieces_of(graph.degree[v]);
        want += found_at(v, level, &until) ? before[r + 1] - before[r] : 0;
    }
    CHECK(there == want);
    memset(used, 0, sizeof used);
    for (uint32_t i = 0; i < there && !of.wrong; i++) {
        const struct batch_entry *e = &a->queue[i];
        uint64_t until;
        CHECK(e->row < a->rows.owned && e->piece < before[e->row + 1] - before[e->row]);
        if (of.wrong)
            return;
        CHECK(!used[before[e->row] + e->piece]++);
        CHECK(e->mask == found_at(graph.vertex[a->rows.begin + e->row], level, &until));
        met.many += e->piece >= WEIR_LANES;
    }
    met.few += there && there < WARPS * WEIR_LANES;
}

/* What a level top-down takes. */
static void count_down(struct device *device, uint32_t level)
{
    const weir_rows_part *part = &device->args.rows;
    for (uint32_t r = 0; r < part->owned; r++) {
        const uint32_t v = graph.vertex[part->begin + r];
        uint64_t until;
        if (!found_at(v, level - 1, &until))
            continue;
        device->entries += pieces_of(graph.degree[v]);
        device->arcs += graph.degree[v];
    }
}

/* What a level bottom-up looks at: a row that cannot have all that it lacks looks at all arcs. */
static void count_up(struct device *device, uint32_t level)
{
    const weir_rows_part *part = &device->args.rows;
    uint64_t alive = 0, until;
    for (uint32_t v = 0; v < graph.config.vertices; v++)
        alive |= found_at(v, level - 1, &until);
    for (uint32_t r = 0; r < part->owned; r++) {
        const uint32_t v = graph.vertex[part->begin + r], arcs = graph.degree_in[v];
        const uint64_t found = found_at(v, level, &until), lacks = alive & ~(until & ~found);
        device->rows_most += lacks ? 1 + arcs / BATCH_HUB : 0;
        device->looks_least += found != lacks ? arcs : lacks != 0;
        device->looks_most += lacks ? arcs : 0;
        met.hubs += found && arcs > BATCH_HUB;
        met.wholes += found && arcs > BATCH_LONG && arcs <= BATCH_HUB;
    }
    for (uint64_t h = 0; h < device->hubs; h++)
        CHECK(!device->args.hubs[h].gain && !device->args.hubs[h].done);
}

/* What goes to others is not touched any more, and is known to have been sent. */
static void check_sent(const struct device *device)
{
    const struct bfs_batch_args *a = &device->args;
    const uint64_t *next = batch_front(a, a->member.index, device->walk.current ^ 1);
    for (uint32_t d = 0; d < a->member.count; d++) {
        const uint64_t items = device->page.tell[d] - device->shared[0].inboxes.sent[d];
        CHECK(items <= (d == a->member.index ? 0 : devices[d].args.rows.owned));
        for (uint64_t i = 0; i < items && !of.wrong; i++) {
            const uint64_t number = a->outbox[d][2 * i], mask = a->outbox[d][2 * i + 1];
            CHECK(number - devices[d].args.rows.begin < devices[d].args.rows.owned);
            CHECK(of.wrong || (!next[number] && mask && !(mask & ~a->seen[number])));
        }
    }
}

/* The sources that have a frontier, as found on this device: of a level, and of the one before it. The third word was cleared. */
static void check_alive(const struct device *device, uint32_t level)
{
    const struct bfs_batch_args *a = &device->args;
    const uint64_t *alive = a->alive[a->member.index];
    uint64_t now = 0, before = 0, until;
    for (uint32_t r = 0; r < a->rows.owned; r++) {
        now |= found_at(graph.vertex[a->rows.begin + r], level, &until);
        before |= level ? found_at(graph.vertex[a->rows.begin + r], level - 1, &until) : 0;
    }
    CHECK(alive[(level + 1) % BATCH_TURNS] == now);
    CHECK(alive[level % BATCH_TURNS] == before);
    CHECK(!alive[(level + 2) % BATCH_TURNS]);
}

/* The arcs that leave a frontier, by which it is chosen how to go on. */
static void check_arcs(const struct batch_walk *w)
{
    uint64_t arcs = 0, until;
    for (uint32_t v = 0; v < graph.config.vertices && w->level; v++)
        arcs += found_at(v, w->level - 1, &until) ? graph.degree[v] : 0;
    CHECK(w->arcs == arcs);
}

static void check_device(struct device *device)
{
    const struct batch_walk *w = &device->walk;
    switch (w->phase) {
    case BATCH_DOWN:
        count_down(device, w->level);
        break;
    case BATCH_SEND:
        check_sent(device);
        break;
    case BATCH_SETTLE:
        check_seen(device, w->level);
        check_alive(device, w->level);
        check_empty(device, w->current);
        check_front(device, w->current ^ 1, w->level, !w->dense, 0);
        if (!w->dense)
            check_queue(device, w->level);
        break;
    case BATCH_UP:
        check_seen(device, w->level);
        check_alive(device, w->level);
        check_front(device, w->current ^ 1, w->level, 0, 1);
        count_up(device, w->level);
        break;
    case BATCH_LIST:
        check_empty(device, w->current ^ 1);
        check_front(device, w->current, w->level - 1, 1, 0);
        check_queue(device, w->level - 1);
        break;
    default:
        break;
    }
}

static void check_phase(void)
{
    const struct batch_walk *w = &devices[0].walk;
    for (uint32_t d = 0; d < graph.config.devices && !of.wrong; d++) {
        CHECK(devices[d].walk.phase == w->phase && devices[d].walk.level == w->level &&
              devices[d].walk.dense == w->dense);
        check_arcs(&devices[d].walk);
        check_device(&devices[d]);
    }
    CHECK(w->phase != BATCH_SHARE || of.before == BATCH_SETTLE);
    met.listed += w->phase == BATCH_SETTLE && !w->dense;
    met.dense += w->phase == BATCH_SETTLE && w->dense;
    met.dense_far += w->phase == BATCH_SEND && w->dense;
    met.far += w->phase == BATCH_SEND && !w->dense;
    met.from_dense += w->phase == BATCH_LIST && of.before == BATCH_SETTLE;
    met.from_up += w->phase == BATCH_LIST && of.before == BATCH_UP;
    met.shared += w->phase == BATCH_SHARE;
    met.up_again += w->phase == BATCH_UP && of.before == BATCH_UP;
    of.before = w->phase;
    CHECK(++of.barriers < 8 * graph.config.vertices + 8);
}

static const struct batch_walk *noted(const struct bfs_batch_args *a, const struct batch_walk *w)
{
    devices[a->member.index].walk = *w;
    return w;
}

/* Who comes last looks: no block arrives before all of its threads are here. */
static uint32_t stepped(const struct weir_steps_member *m, struct weir_steps_block *b,
                        uint32_t blocks, uint64_t *first, int more, uint64_t *total_out)
{
    if (++of.came == graph.config.devices * THREADS) {
        of.came = 0;
        if (!of.wrong)
            check_phase();
        of.stops = of.wrong != 0;
    }
    weir_block_sync();
    const uint32_t stop = weir_steps_meet(m, b, blocks, first, more, total_out);
    return of.stops ? WEIR_STEPS_STOPPED : stop;
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void check_source(uint32_t s)
{
    const struct config *c = &graph.config;
    struct batch_found want = {0, 0, 0, 0}, found = {0, 0, 0, 0};
    for (uint32_t v = 0; v < c->vertices && s < c->sources; v++) {
        const int32_t level = graph.level[s][v];
        want.reached += level >= 0;
        want.sum += level > 0 ? (uint64_t)level : 0;
        want.arcs += level >= 0 ? graph.degree[v] : 0;
        want.deepest = level > (int32_t)want.deepest ? (uint64_t)level : want.deepest;
    }
    for (uint32_t d = 0; d < c->devices; d++) {
        const struct bfs_batch_args *a = &devices[d].args;
        found.reached += a->found[s].reached;
        found.sum += a->found[s].sum;
        found.arcs += a->found[s].arcs;
        found.deepest = a->found[s].deepest > found.deepest ? a->found[s].deepest : found.deepest;
        for (uint32_t r = 0; r < a->rows.owned; r++)
            CHECK(a->level[(uint64_t)s * a->rows.owned + r] ==
                  (s < c->sources ? graph.level[s][graph.vertex[a->rows.begin + r]] : -1));
    }
    CHECK(found.reached == want.reached);
    CHECK(found.sum == want.sum);
    CHECK(found.arcs == want.arcs);
    CHECK(found.deepest == want.deepest);
}

static void check_results(const struct device *device)
{
    const uint64_t *result = device->page.result;
    int32_t last = -1;
    for (uint32_t v = 0; v < graph.config.vertices; v++)
        for (uint32_t s = 0; s < graph.config.sources && graph.degree[v]; s++)
            last = graph.level[s][v] > last ? graph.level[s][v] : last;
    CHECK(result[BATCH_RESULT_LEVELS] == (uint64_t)(last + 2));
    CHECK(result[BATCH_RESULT_HUBS] == device->hubs);
    CHECK(result[BATCH_RESULT_LONGS] == device->parts);
    CHECK(result[BATCH_RESULT_ENTRIES] == device->entries);
    CHECK(result[BATCH_RESULT_DOWN_ARCS] == device->arcs);
    CHECK(result[BATCH_RESULT_UP_ROWS] <= device->rows_most);
    CHECK(result[BATCH_RESULT_UP_ARCS] >= device->looks_least);
    CHECK(result[BATCH_RESULT_UP_ARCS] <= device->looks_most);
}

static void body(void *data, uint32_t thread)
{
    struct device *device = &devices[thread / THREADS];
    struct weir_steps_block *block = &of.block[thread];
    (void)data;
    weir_steps_begin(&device->args.member, block);
    bfs_batch_body(&device->args, &device->shared[block->block], block);
}

static void check_run(int first_run)
{
    static uint64_t runs;
    const struct config *c = &graph.config;
    draw_sources();
    begin_run(first_run);
    lanes_run(c->devices * WARPS, WARPS / c->blocks, 1 + 2 * runs++, body, NULL);
    for (uint32_t s = 0; s < BATCH_SOURCES; s++)
        check_source(s);
    for (uint32_t d = 0; d < c->devices; d++)
        check_results(&devices[d]);
    check_guards();
    if (of.wrong)
        fail_msg("line %d: run %u, kind %u, %u vertices, %u devices of %u blocks, %u sources, "
                 "both %u, pull %u, first %d; level %u, phase %u",
                 of.wrong, (uint32_t)runs, c->kind, c->vertices, c->devices, c->blocks, c->sources,
                 c->both, c->pull, first_run, devices[0].walk.level, devices[0].walk.phase);
    met.again += !first_run;
}

static uint32_t draw_count(void)
{
    static const uint32_t some[] = {1, 2, 4, 31, 32, 33, 63, 64};
    return draw(2) ? some[draw(8)] : 1 + draw(BATCH_SOURCES);
}

/* There are as many levels as time is for. */
static uint32_t draw_size(uint32_t kind)
{
    return kind == PATH || kind == GRID ? 1 + draw(kind == PATH ? 20 : 150)
           : draw(3)                    ? 60 + draw(240)
                                        : 1 + draw(600);
}

static void check_graph(uint32_t kind, uint32_t vertices, uint32_t bound)
{
    struct config *c = &graph.config;
    *c = (struct config){.kind = kind, .devices = 1 + draw(DEVICES), .blocks = 1u << draw(3)};
    c->devices = kind == DENSE ? 1 : c->devices;
    c->vertices = vertices;
    c->bound = bound;
    c->both = kind == LEAVES || kind == SINKS || draw(2);
    make_graph();
    make_args();
    for (uint32_t run = 0; run < 2; run++) {
        c->sources = draw_count();
        c->pull = kind == LEAVES ? draw(4) > 0 || (bound && !run) : kind != SINKS && draw(4) == 0;
        check_run(run == 0);
    }
    free_all();
}

static void lanes_find_all_levels(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not follow fibers */
#endif
    graph.seed = 11;
    for (uint32_t i = 0; i < 30; i++)
        check_graph(i % 20 == 19 ? EMPTY : i % 10 == 9 ? LEAVES : i % 10, draw_size(i % 10), 0);
    check_graph(STAR, MOST, 0);
    check_graph(DENSE, 150, 0);
    check_graph(SINKS, 1000, 0);
    for (uint32_t i = 0; i < BOUNDS; i++)
        check_graph(LEAVES, 160, bounds[i]);
    assert_true(met.listed && met.dense && met.dense_far && met.far);
    assert_true(met.from_dense && met.from_up && met.shared && met.up_again);
    assert_true(met.hubs && met.wholes && met.few && met.many && met.again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_find_all_levels)};
    return cmocka_run_group_tests_name("bfs_batch_lanes", tests, NULL, NULL);
}
