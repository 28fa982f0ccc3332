/** @file bfs_step_build.c  Breadth-first search in step: memory, building, taking down. */
#include "algorithms/bfs/bfs_step_object.h"
#include "algorithms/common/need.h"
#include "runtime/support.h"

#include <stddef.h>
#include <stdlib.h>

extern const weir_steps_body weir__bfs_step_steps;

/* ---- memory --------------------------------------------------------------------------------- */

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
    weir__need_take(&need, sizes.numbers / 32, 4);
    sides_need(run, &sizes, &need);
    weir__need_give(&need, sizes.numbers / 32, 4);
    weir__need_take(&need, options->reserved_bytes, 1);
    weir__need_pass(&need, sizes.numbers, run->parents ? 8 : 4);
    return weir__need_fits(&need, "breadth-first search of %s", graph->name);
}

static uint64_t queue_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return queue_room(weir__rows_part(((const struct bfs_run *)user)->rows, p));
}

static uint64_t parent_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_run *)user)->parents != 0;
}

/* Each device sends a vertex once. */
static uint64_t inbox_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_run *run = user;
    (void)sender;
    return weir__rows_part(run->rows, p)->owned * (run->parents ? UINT64_C(2) : 1);
}

#define FIELD(name) offsetof(struct bfs_step_args, name)
static const weir_steps_array arrays[] = {
    {.name = "base", .extent = WEIR_STEPS_WORDS, .bytes = 4, .field = FIELD(base)},
    {.name = "found",
     .extent = WEIR_STEPS_WORDS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_COPIED,
     .from = "base",
     .bytes = 4,
     .field = FIELD(found[0])},
    {.name = "found next",
     .extent = WEIR_STEPS_WORDS,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 4,
     .field = FIELD(found[1])},
    {.name = "level",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 0xFF,
     .bytes = 4,
     .more = 1,
     .field = FIELD(level)},
    {.name = "parent",
     .extent = WEIR_STEPS_OWNED,
     .count = parent_count,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 0xFF,
     .bytes = 4,
     .more = 1,
     .field = FIELD(parent)},
    {.name = "queue",
     .extent = WEIR_STEPS_COUNTED,
     .count = queue_count,
     .bytes = sizeof(struct bfs_piece),
     .field = FIELD(queue)},
    {.name = "tail", .first = WEIR_STEPS_FILLED, .bytes = 4, .field = FIELD(tail)},
    {.name = "absorbed",
     .extent = WEIR_STEPS_DEVICES,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(absorbed)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = 4,
     .more = 1,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
};

static const weir_steps_phase phases[] = {
    {.name = "top-down", .ns = BFS_RESULT_DOWN_NS, .steps = BFS_RESULT_DOWN_STEPS},
    {.name = "bottom-up", .ns = BFS_RESULT_UP_NS, .steps = BFS_RESULT_UP_STEPS},
    {.name = "turning", .ns = BFS_RESULT_TURN_NS, .steps = BFS_RESULT_TURN_STEPS}};

static const weir_steps_program program = {.what = "breadth-first search",
                                           .body = &weir__bfs_step_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = sizeof phases / sizeof *phases};

/* ---- building ------------------------------------------------------------------------------- */

/* What is in no table. */
static void bind(struct bfs_run *run, uint32_t p)
{
    struct bfs_step_args *args = weir_steps_args(run->steps, p);
    args->rows = *weir__rows_part(run->rows, p);
    args->unfound = run->unfound;
    args->pull = run->direction == WEIR_DIRECTION_PULL;
}

static weir_status build(struct bfs_run *run, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    struct weir__rows_config config = {.in = 1};
    weir_steps_domain domain;
    uint32_t *base = NULL;
    weir_status status;
    weir__rows_look(graph, &config);
    if ((status = weir_steps_possible(run->context, run->parts)) ||
        (status = fits(run, graph, partition, options, &config)) ||
        (status = weir__rows_create(run->context, graph, partition, &config, &run->rows)) ||
        (status = entries_fit(run)))
        return status;
    weir__rows_domain(run->rows, &domain);
    if ((status = weir_steps_create(run->context, &program, &domain, run, options->time_limit_ms,
                                    &run->steps)) ||
        (status = weir__bfs_run_base(run, graph, &base)))
        return status;
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        bind(run, p);
        status = weir__upload(weir_context_device(run->context, p),
                              weir_steps_data(run->steps, "base", p), base,
                              (size_t)domain.first[domain.devices] / 8);
    }
    free(base);
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
    run->previous = BFS_NONE;
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
    weir_steps_destroy(run->steps);
    weir__rows_destroy(run->rows);
    weir__context_release(run->context);
    free(run);
}
