/** @file partition_cut.c  Arcs between parts, counted on the devices where the arcs lie (resident.h): each looks at its own in place, and
 * nothing but counts, and bits of vertices where halos are asked for, comes back. */
#include "algorithms/graph/partition.h"
#include "algorithms/graph/partition_cut_op.h"
#include "algorithms/graph/resident.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <pthread.h>
#include <stdlib.h>

#define JOIN_WORDS (UINT64_C(1) << 20) /* of what devices have seen, on their way */

struct cutting {
    const weir_graph *graph;
    const struct weir__partition_cut *what;
    pthread_mutex_t lock; /* guards what follows, and what->seen and what->cut */
    uint64_t
        *room; /* JOIN_WORDS, or as many as there are vertices; NULL: halos are not asked for */
};

/** What one device holds meanwhile. */
struct cut_there {
    weir_device *device;
    weir_queue *queue;
    partition_cut_args args;
    void *placed[5];
    uint32_t count;
};

/* @param[in] data  NULL: zeros. */
static weir_status bring(struct cut_there *there, const char *name, const void *data,
                         uint64_t elements, size_t bytes, void *placed_out)
{
    void *placed;
    weir_status status = weir__activity_went(0);
    if (status || (status = weir__device_alloc_as(there->device, name, elements, bytes, &placed)))
        return status;
    there->placed[there->count++] = placed;
    *(void **)placed_out = placed;
    if (data)
        return weir__upload(there->device, placed, data, (size_t)elements * bytes);
    status = weir_queue_fill(there->queue, placed, 0, (size_t)elements * bytes);
    return status ? status : weir_queue_sync(there->queue);
}

static weir_status prepare(const struct cutting *cutting, const struct weir__resident_range *range,
                           struct cut_there *there)
{
    const weir_graph *graph = cutting->graph;
    const struct weir__partition_cut *what = cutting->what;
    const uint64_t *ends = graph->offsets + 1, n = graph->vertices;
    const uint64_t row = csr_find(ends, 0, n, range->begin);
    const uint64_t last = csr_find(ends, row, n, range->end - 1);
    void *placed;
    weir_status status;
    there->args = (partition_cut_args){.heads = range->targets,
                                       .begin = range->begin,
                                       .count = range->end - range->begin,
                                       .row = row,
                                       .rows = last + 1 - row,
                                       .parts = what->parts};
    if ((status = weir_queue_create(there->device, 0, &there->queue)) ||
        (status = bring(there, "ends of rows", ends + row, last + 1 - row, 8, &placed)))
        return status;
    there->args.ends = placed;
    if (what->first) {
        if ((status = bring(there, "parts", what->first, what->parts + UINT64_C(1), 8, &placed)))
            return status;
        there->args.first = placed;
    } else {
        if ((status = bring(there, "owners of vertices", what->owner, n, 1, &placed)))
            return status;
        there->args.owner = placed;
    }
    if ((status = bring(there, "arcs cut", NULL, (uint64_t)PARTITION_CUT_SLOTS * what->parts, 8,
                        &placed)))
        return status;
    there->args.cut = placed;
    if (what->seen && !(status = bring(there, "halos", NULL, n, 8, &placed)))
        there->args.seen = placed;
    return status;
}

/* What a device found, to what others did. The lock is held. */
static weir_status join(const struct cutting *cutting, const struct cut_there *there)
{
    const struct weir__partition_cut *what = cutting->what;
    const uint64_t n = what->seen ? cutting->graph->vertices : 0;
    uint64_t cut[PARTITION_CUT_SLOTS * WEIR_DEVICES_MAX];
    const uint32_t counters = PARTITION_CUT_SLOTS * what->parts;
    weir_status status =
        weir__download(there->device, cut, there->args.cut, counters * sizeof *cut);
    for (uint32_t i = 0; i < counters && !status; i++)
        what->cut[i % what->parts] += cut[i];
    for (uint64_t at = 0; at < n && !status; at += JOIN_WORDS) {
        const uint64_t words = n - at < JOIN_WORDS ? n - at : JOIN_WORDS;
        if ((status = weir__activity_went(0)) ||
            (status = weir__download(there->device, cutting->room, there->args.seen + at,
                                     (size_t)words * sizeof *cutting->room)))
            break;
        for (uint64_t i = 0; i < words; i++)
            what->seen[at + i] |= cutting->room[i];
    }
    return status;
}

static weir_status cut_range(void *user, uint32_t r)
{
    struct cutting *cutting = user;
    const struct weir__resident_range *range = &cutting->graph->resident->range[r];
    struct cut_there there = {.device = range->device};
    if (range->end == range->begin)
        return WEIR_OK;
    weir_status status = prepare(cutting, range, &there);
    if (!status && !(status = weir_queue_launch(there.queue, &weir__partition_cut_kernel,
                                                &there.args, sizeof there.args)))
        status = weir_queue_sync(there.queue);
    if (!status) {
        pthread_mutex_lock(&cutting->lock);
        status = join(cutting, &there);
        pthread_mutex_unlock(&cutting->lock);
    }
    if (!status)
        status = weir__activity_went(range->end - range->begin);
    weir_queue_destroy(there.queue); /* first: what is left in it uses memory */
    while (there.count > 0)
        weir_device_free(there.device, there.placed[--there.count]);
    return status;
}

int weir__partition_cut_possible(const weir_graph *graph)
{
    return graph->resident && graph->resident->ranges &&
           !__atomic_load_n(&graph->targets, __ATOMIC_ACQUIRE);
}

weir_status weir__partition_cut(const weir_graph *graph, const struct weir__partition_cut *what)
{
    struct cutting cutting = {.graph = graph, .what = what};
    struct weir__activity outer;
    weir_status status = WEIR_OK;
    const uint64_t words = graph->vertices < JOIN_WORDS ? graph->vertices : JOIN_WORDS;
    for (uint32_t p = 0; p < what->parts; p++)
        what->cut[p] = 0;
    if (what->seen && (status = weir__alloc(words, 8, "halos of a partition", &cutting.room)))
        return status;
    pthread_mutex_init(&cutting.lock, NULL);
    weir__activity_part(&outer, "counting arcs between parts", "arcs", graph->arcs);
    status = weir__activity_end(&outer,
                                weir__activity_each(graph->resident->ranges, cut_range, &cutting));
    pthread_mutex_destroy(&cutting.lock);
    free(cutting.room);
    return status;
}
