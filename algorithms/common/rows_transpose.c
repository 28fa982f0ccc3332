/** @file rows_transpose.c  In-arcs that are not the out-arcs: how many a vertex has, and where they go by number.
 *
 * To put each arc where it belongs at once would be two accesses to all of memory an arc, one of them
 * atomic. So arcs are first dealt out to buckets of consecutive rows, a batch at a time, and then each
 * bucket, by one thread, to its rows: those fit into a cache. Rows are sorted later (rows_part.c), so the
 * order in which arcs come does not matter. */
#include "algorithms/common/rows_build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define BATCH       (UINT64_C(1) << 14)
#define BUCKETS     512
#define BUCKET_ARCS (UINT64_C(1) << 16) /* smaller ones are not worth it */
#define GROUP_LOG   10                  /* a bucket is made of groups of 2^10 rows */

/* ---- how many a vertex has ---------------------------------------------------------------------- */

static void count_in(void *user, uint64_t begin, uint64_t end)
{
    const struct weir__rows_build *build = user;
    for (uint64_t i = begin; i < end; i++)
        __atomic_fetch_add(&build->in_degree[build->graph->targets[i]], 1, __ATOMIC_RELAXED);
}

weir_status weir__rows_count_in(struct weir__rows_build *build)
{
    const weir_graph *graph = build->graph;
    weir_status status;
    if (!build->config->in_arcs || build->rows->symmetric)
        return WEIR_OK;
    if ((status = weir__calloc(graph->vertices, 4, "in-degrees", &build->in_degree)))
        return status;
    status = weir__rows_count_in_there(build);
    if (status != WEIR_ERR_NOMEM || (status = weir_graph_fetch(graph)))
        return status;
    return weir__activity_for("counting in-arcs", "arcs", graph->arcs, WEIR__ARC_CHUNK, 0, count_in,
                              build);
}

/* ---- where they go ------------------------------------------------------------------------------ */

struct transpose {
    struct weir__rows_build *build;
    uint32_t *moved; /* of each arc the numbers of head and tail, and the weight if it counts */
    uint32_t words;  /* an arc */
    uint32_t buckets;
    uint16_t *bucket_of;         /* by group */
    uint64_t begin[BUCKETS + 1]; /* first arc of each bucket */
    uint64_t end[BUCKETS];       /* behind the last that was dealt; relaxed atomics */
};

static void deal_batch(struct transpose *t, struct weir__arc_walk *walk, uint64_t begin,
                       uint64_t count)
{
    const weir_graph *graph = t->build->graph;
    const uint32_t *number = t->build->rows->number;
    uint32_t head[BATCH], here[BUCKETS] = {0};
    uint64_t at[BUCKETS];
    for (uint64_t i = 0; i < count; i++) {
        head[i] = number[graph->targets[begin + i]];
        here[t->bucket_of[head[i] >> GROUP_LOG]]++;
    }
    for (uint32_t b = 0; b < t->buckets; b++)
        at[b] = here[b] ? __atomic_fetch_add(&t->end[b], here[b], __ATOMIC_RELAXED) : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *moved = t->moved + at[t->bucket_of[head[i] >> GROUP_LOG]]++ * t->words;
        moved[0] = head[i];
        moved[1] = number[weir__arc_walk_to(walk, begin + i)];
        if (t->words == 3)
            moved[2] = graph->weights_u32[begin + i];
    }
}

static void deal(void *user, uint64_t begin, uint64_t end)
{
    struct transpose *t = user;
    struct weir__arc_walk walk = weir__arc_walk_from(t->build->graph, begin);
    for (uint64_t at = begin; at < end; at += BATCH)
        deal_batch(t, &walk, at, end - at < BATCH ? end - at : BATCH);
}

/* Cursors begin where their rows do, and end where those end. */
static void fill(void *user, uint64_t begin, uint64_t end)
{
    const struct transpose *t = user;
    const struct weir__rows_build *build = t->build;
    for (uint64_t i = t->begin[begin]; i < t->begin[end]; i++) {
        const uint32_t *moved = t->moved + i * t->words;
        uint64_t at = build->in_ends[moved[0]]++;
        if (t->words == 3)
            ((uint64_t *)build->in_keys)[at] = weir__rows_key(build, moved[1], moved[2]);
        else
            ((uint32_t *)build->in_keys)[at] = moved[1];
    }
}

/* Where rows begin; and buckets of about as many arcs each, but of whole groups. */
static void set_buckets(struct transpose *t)
{
    const weir_rows *rows = t->build->rows;
    uint64_t arcs = t->build->graph->arcs, sum = 0, share = arcs / BUCKETS + 1;
    if (share < BUCKET_ARCS)
        share = BUCKET_ARCS;
    for (uint32_t i = 0; i < rows->numbers; i++) {
        if (i >> GROUP_LOG << GROUP_LOG == i) {
            if (t->buckets == 0 || sum - t->begin[t->buckets - 1] >= share)
                t->begin[t->buckets++] = sum;
            t->bucket_of[i >> GROUP_LOG] = (uint16_t)(t->buckets - 1);
        }
        t->build->in_ends[i] = sum;
        sum += rows->vertex[i] == UINT32_MAX ? 0 : t->build->in_degree[rows->vertex[i]];
    }
    for (uint32_t b = 0; b < t->buckets; b++)
        t->end[b] = t->begin[b];
    t->begin[t->buckets] = sum;
}

weir_status weir__rows_transpose(struct weir__rows_build *build)
{
    const weir_rows *rows = build->rows;
    struct transpose t = {.build = build, .words = build->config->weights ? 3 : 2};
    uint64_t arcs = build->graph->arcs;
    size_t bytes = t.words * sizeof(uint32_t);
    weir_status status;
    if (build->in_keys)
        return WEIR_OK;
    if (!(status = weir_graph_fetch(build->graph)) &&
        !(status = weir__alloc(rows->numbers, 8, "ends of in-arcs", &build->in_ends)) &&
        !(status = weir__alloc(arcs, weir__rows_key_bytes(build), "in-arcs", &build->in_keys)) &&
        !(status = weir__alloc((rows->numbers >> GROUP_LOG) + 1, 2, "buckets of in-arcs",
                               &t.bucket_of)) &&
        !(status = weir__alloc(arcs, bytes, "in-arcs on their way", &t.moved))) {
        set_buckets(&t);
        if (!(status = weir__activity_for("dealing out in-arcs", "arcs", arcs, WEIR__ARC_CHUNK, 0,
                                          deal, &t)))
            status = weir__activity_for("writing in-arcs", "buckets", t.buckets, 1, 0, fill, &t);
    }
    free(t.moved);
    free(t.bucket_of);
    return status;
}
