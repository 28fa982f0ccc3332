/** @file bfs_step_build.c  Breadth-first search in step: memory, building, taking down. */
#include "algorithms/bfs/bfs_step_object.h"
#include "algorithms/common/need.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

extern const weir_steps_program weir__bfs_step_program;

/* ---- memory --------------------------------------------------------------------------------- */

/* `place` points to any pointer. */
static weir_status take(struct bfs_run *run, uint32_t p, uint64_t count, size_t bytes, void *place)
{
    void *data;
    weir_status status =
        count > SIZE_MAX / bytes
            ? weir__fail(WEIR_ERR_NOMEM, "breadth-first search: %llu words",
                         (unsigned long long)count)
            : weir_device_alloc(weir__bfs_run_device(run, p), (size_t)count * bytes, &data);
    if (!status)
        memcpy(place, &data, sizeof data);
    return status;
}

/* A row takes an entry of the queue, and one more for each piece behind its first. */
static uint64_t queue_room(const weir_rows_part *part)
{
    return part->owned + part->arcs_out / BFS_PIECE + 1;
}

/* Places in a queue are 32 bits, and so is the number of entries that all devices find in a level. Workers count
 * on from the last entry by as many as all of them take at a time, which must not go round. */
static weir_status entries_fit(const struct bfs_run *run)
{
    uint64_t entries = 0;
    for (uint32_t p = 0; p < run->parts; p++)
        entries += queue_room(weir__rows_part(run->rows, p));
    return entries <= UINT32_MAX - (UINT32_C(1) << 24)
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED,
                            "the graph has too many vertices and arcs for a search in step: %llu "
                            "entries of a queue (direction push has no such limit)",
                            (unsigned long long)entries);
}

/* Each device sends a vertex once, along some arc: inboxes are written to as far as there are arcs, and queues
 * as far as these lead. */
static void sides_need(const struct bfs_run *run, const struct weir__sizes *sizes,
                       struct weir__need *need)
{
    const weir_device *device = weir_context_device(run->context, 0);
    const uint64_t sent = sizes->vertices * (run->parts - 1);
    weir__need_take_on(need, device, sizes->numbers / 32 * run->parts, 3 * 4);
    weir__need_take_on(need, device, sizes->vertices, run->parents ? 8 : 4);
    weir__need_take_on(need, device, sizes->touched + sizes->arcs / BFS_PIECE,
                       sizeof(struct bfs_piece));
    weir__need_take_on(need, device, sizes->arcs < sent ? sizes->arcs : sent, run->parents ? 8 : 4);
}

/* The graph's rows, levels, what lies on devices; after a run what is fetched from there. */
static weir_status fits(const struct bfs_run *run, const weir_graph *graph,
                        const weir_partition *partition, const weir_run_options *options,
                        const struct weir__rows_config *config)
{
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(run->context, graph, partition, &sizes);
    if (status)
        return status;
    weir__rows_need(&sizes, config, &need);
    weir__need_take(&need, sizes.vertices, 4);
    weir__need_take(&need, sizes.numbers / 32, 4);
    sides_need(run, &sizes, &need);
    weir__need_give(&need, sizes.numbers / 32, 4);
    weir__need_take(&need, options->reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, run->parents ? 8 : 4);
    return weir__need_fits(&need, "breadth-first search of %s", graph->name);
}

static weir_status take_inboxes(struct bfs_run *run, uint32_t p)
{
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    weir_status status = WEIR_OK;
    /* Each device sends a vertex once. */
    for (uint32_t from = 0; from < run->parts && !status; from++)
        if (from != p)
            status = take(run, p, (uint64_t)part->owned * (run->parents ? 2 : 1) + 1, 4,
                          &run->side[p].inbox[from]);
    return status;
}

static weir_status take_side(struct bfs_run *run, uint32_t p, const uint32_t *base)
{
    struct bfs_side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint64_t words = part->numbers / 32;
    weir_status status;
    if ((status = take(run, p, words, 4, &side->base)) ||
        (status = take(run, p, words, 4, &side->found[0])) ||
        (status = take(run, p, words, 4, &side->found[1])) ||
        (status = take(run, p, part->owned + UINT64_C(1), 4, &side->level)) ||
        (run->parents && (status = take(run, p, part->owned + UINT64_C(1), 4, &side->parent))) ||
        (status = take(run, p, 1, 4, &side->tail)) ||
        (status = take(run, p, run->parts, 4, &side->absorbed)) ||
        (status = take(run, p, queue_room(part), sizeof *side->queue, &side->queue)) ||
        (status = take_inboxes(run, p)))
        return status;
    return weir__upload(weir__bfs_run_device(run, p), side->base, base, (size_t)words * 4);
}

/* ---- building ------------------------------------------------------------------------------- */

static void bind(struct bfs_run *run, uint32_t p)
{
    struct bfs_step_args *args = weir_steps_args(run->bsp, p);
    struct bfs_side *side = &run->side[p];
    args->rows = *weir__rows_part(run->rows, p);
    for (uint32_t d = 0; d < run->parts; d++) {
        args->found[0][d] = run->side[d].found[0];
        args->found[1][d] = run->side[d].found[1];
        args->inbox[d] = side->inbox[d];
        args->outbox[d] = run->side[d].inbox[p];
    }
    args->level = side->level;
    args->parent = side->parent;
    args->queue = side->queue;
    args->tail = side->tail;
    args->absorbed = side->absorbed;
    args->unfound = run->unfound;
    args->pull = run->direction == WEIR_DIRECTION_PULL;
}

static weir_status build(struct bfs_run *run, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    struct weir__rows_config config = {.in = 1};
    uint32_t *base = NULL;
    weir_status status;
    weir__rows_look(graph, &config);
    if ((status = fits(run, graph, partition, options, &config)) ||
        (status = weir_steps_create(run->context, run->parts, &weir__bfs_step_program,
                                    options->time_limit_ms, &run->bsp)) ||
        (status = weir__rows_create(run->context, graph, partition, &config, &run->rows)) ||
        (status = entries_fit(run)) ||
        (status = weir__alloc(graph->vertices, 4, "levels", &run->levels)) ||
        (status = weir__bfs_run_base(run, graph, &base)))
        return status;
    memset(run->levels, 0xFF, graph->vertices * 4);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = take_side(run, p, base);
    free(base);
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        bind(run, p);
        status = weir__bfs_run_no_parents(run, p); /* who asks before a run finds none */
    }
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_steps_queue(run->bsp, p));
    return status;
}

weir_status weir__bfs_run_create(weir_context *context, const weir_graph *graph,
                                 const weir_partition *partition, const weir_run_options *options,
                                 struct bfs_run **run_out)
{
    struct bfs_run *run;
    weir_status status;
    *run_out = NULL;
    if ((status = weir__calloc(1, sizeof *run, "breadth-first search", &run)))
        return status;
    weir__context_retain(context);
    run->context = context;
    run->direction = options->direction;
    run->parents = options->parents;
    run->parts = partition->parts;
    run->vertices = graph->vertices;
    if ((status = build(run, graph, partition, options))) {
        weir__bfs_run_destroy(run);
        return status;
    }
    *run_out = run;
    return WEIR_OK;
}

void weir__bfs_run_destroy(struct bfs_run *run)
{
    if (!run)
        return;
    weir_steps_destroy(run->bsp);
    for (uint32_t p = 0; p < run->parts; p++) {
        struct bfs_side *side = &run->side[p];
        void *all[] = {side->base,   side->found[0], side->found[1], side->level,
                       side->parent, side->tail,     side->absorbed, side->queue};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            weir_device_free(weir__bfs_run_device(run, p), all[i]);
        for (uint32_t from = 0; from < run->parts; from++)
            weir_device_free(weir__bfs_run_device(run, p), side->inbox[from]);
    }
    weir__rows_destroy(run->rows);
    free(run->levels);
    weir__context_release(run->context);
    free(run);
}
