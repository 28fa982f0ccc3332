/** @file bfs_step_run.c  Breadth-first search in step: memory, runs, results. */
#include "algorithms/bfs/bfs_step_run.h"
#include "algorithms/bfs/bfs_step.h"
#include "algorithms/graph/rows.h"
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

extern const weir_bsp_program weir__bfs_step_program;

struct device_side {
    uint32_t *base; /* the bitmap before a run: what nothing leads to counts as found */
    uint32_t *found[2];
    uint32_t *level, *parent, *tail, *absorbed;
    struct bfs_piece *queue;
    uint32_t *inbox[WEIR_DEVICES_MAX];
};

struct bfs_run {
    weir_context *context;
    weir__rows *rows;
    weir_bsp *bsp;
    weir_direction direction;
    int parents;
    uint32_t parts;
    uint64_t vertices, unfound;
    struct device_side side[WEIR_DEVICES_MAX];
    int32_t *levels; /* of the last run, by vertex */
};

static weir_device *device(const struct bfs_run *run, uint32_t p)
{
    return weir_context_device(run->context, p);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* `place` points to any pointer. */
static weir_status take(struct bfs_run *run, uint32_t p, uint64_t count, size_t bytes, void *place)
{
    void *data;
    weir_status status = count > SIZE_MAX / bytes
                             ? weir__fail(WEIR_ERR_NOMEM, "breadth-first search: %llu words",
                                          (unsigned long long)count)
                             : weir_device_alloc(device(run, p), (size_t)count * bytes, &data);
    if (!status)
        memcpy(place, &data, sizeof data);
    return status;
}

/* A row takes an entry of the queue, and one more for each piece behind its first. */
static uint64_t queue_room(const weir_rows_part *part)
{
    return part->owned + part->arcs_out / BFS_PIECE + 1;
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
    struct device_side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    const uint64_t words = part->numbers / 32;
    weir_status status;
    if (queue_room(part) > UINT32_MAX)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "part %u has too many arcs for a search in step: direction push, or more "
                          "devices",
                          p);
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
    return weir__upload(device(run, p), side->base, base, (size_t)words * 4);
}

/* ---- what nothing leads to ------------------------------------------------------------------ */

struct marks {
    const weir_graph *graph;
    const uint32_t *numbers;
    uint32_t *led;  /* a bit a number: an arc leads there */
    uint64_t count; /* relaxed additions; the join publishes them */
};

/* @return whether the bit was not set. */
static uint64_t set_bit(uint32_t *bitmap, uint32_t number)
{
    const uint32_t bit = UINT32_C(1) << (number % 32);
    uint32_t *word = &bitmap[number / 32];
    if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit) /* a store would move the line about */
        return 0;
    return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

static void mark_targets(void *user, uint64_t begin, uint64_t end)
{
    struct marks *marks = user;
    uint64_t count = 0;
    for (uint64_t arc = marks->graph->offsets[begin]; arc < marks->graph->offsets[end]; arc++)
        count += set_bit(marks->led, marks->numbers[marks->graph->targets[arc]]);
    __atomic_fetch_add(&marks->count, count, __ATOMIC_RELAXED);
}

static void mark_sources(void *user, uint64_t begin, uint64_t end)
{
    struct marks *marks = user;
    for (uint64_t v = begin; v < end; v++)
        if (marks->graph->offsets[v] < marks->graph->offsets[v + 1])
            (void)set_bit(marks->led, marks->numbers[v]);
}

/* Set bits stand for what a level bottom-up need not look at, and nobody finds: numbers without arcs. One that
 * has out-arcs alone cannot be found either, but must not seem to be: others look along those arcs. */
static weir_status make_base(struct bfs_run *run, const weir_graph *graph, uint32_t **base_out)
{
    const uint32_t words = weir__rows_part(run->rows, 0)->numbers / 32;
    struct marks marks = {.graph = graph, .numbers = weir__rows_numbers(run->rows)};
    weir_status status = weir__calloc(words, 4, "bitmap of the graph", &marks.led);
    if (status)
        return status;
    weir__parallel_for(graph->vertices, UINT64_C(1) << 14, 0, mark_targets, &marks);
    run->unfound = marks.count;
    weir__parallel_for(graph->vertices, UINT64_C(1) << 14, 0, mark_sources, &marks);
    for (uint32_t i = 0; i < words; i++)
        marks.led[i] = ~marks.led[i];
    *base_out = marks.led;
    return WEIR_OK;
}

/* ---- building ------------------------------------------------------------------------------- */

static void bind(struct bfs_run *run, uint32_t p)
{
    struct bfs_step_args *args = weir_bsp_args(run->bsp, p);
    struct device_side *side = &run->side[p];
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

static weir_status no_parents(struct bfs_run *run, uint32_t p)
{
    return run->parents ? weir_queue_fill(weir_bsp_queue(run->bsp, p), run->side[p].parent, 0xFF,
                                          (size_t)weir__rows_part(run->rows, p)->owned * 4)
                        : WEIR_OK;
}

static weir_status build(struct bfs_run *run, const weir_graph *graph,
                         const weir_partition *partition, const weir_run_options *options)
{
    const struct weir__rows_config config = {.in = 1};
    uint32_t *base = NULL;
    weir_status status;
    if ((status = weir_bsp_create(run->context, run->parts, &weir__bfs_step_program,
                                  options->time_limit_ms, &run->bsp)) ||
        (status = weir__rows_create(run->context, graph, partition, &config, &run->rows)) ||
        (status = weir__alloc(graph->vertices, 4, "levels", &run->levels)) ||
        (status = make_base(run, graph, &base)))
        return status;
    memset(run->levels, 0xFF, graph->vertices * 4);
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = take_side(run, p, base);
    free(base);
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        bind(run, p);
        status = no_parents(run, p); /* who asks before a run finds none */
    }
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_bsp_queue(run->bsp, p));
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
    weir_bsp_destroy(run->bsp);
    for (uint32_t p = 0; p < run->parts; p++) {
        struct device_side *side = &run->side[p];
        void *all[] = {side->base,   side->found[0], side->found[1], side->level,
                       side->parent, side->tail,     side->absorbed, side->queue};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            weir_device_free(device(run, p), all[i]);
        for (uint32_t from = 0; from < run->parts; from++)
            weir_device_free(device(run, p), side->inbox[from]);
    }
    weir__rows_destroy(run->rows);
    free(run->levels);
    weir__context_release(run->context);
    free(run);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static weir_status prepare(struct bfs_run *run, uint32_t p)
{
    struct device_side *side = &run->side[p];
    const weir_rows_part *part = weir__rows_part(run->rows, p);
    weir_queue *queue = weir_bsp_queue(run->bsp, p);
    weir_status status;
    if ((status = weir_queue_copy(queue, device(run, p), side->found[0], device(run, p), side->base,
                                  part->numbers / 8)) ||
        (status = weir_queue_fill(queue, side->level, 0xFF, (size_t)part->owned * 4)) ||
        (status = weir_queue_fill(queue, side->tail, 0, 4)) ||
        (status = weir_queue_fill(queue, side->absorbed, 0, (size_t)run->parts * 4)))
        return status;
    return no_parents(run, p);
}

static weir_status gather(struct bfs_run *run, uint32_t *const *values, void *values_out)
{
    const void *all[WEIR_DEVICES_MAX];
    for (uint32_t p = 0; p < run->parts; p++)
        all[p] = values[p];
    return weir__rows_gather(run->rows, all, 4, values_out);
}

struct count {
    const int32_t *levels;
    const uint32_t *numbers, *degrees;
    uint64_t reached, arcs; /* relaxed additions; the join publishes them */
};

static void count_reached(void *user, uint64_t begin, uint64_t end)
{
    struct count *count = user;
    uint64_t reached = 0, arcs = 0;
    for (uint64_t v = begin; v < end; v++)
        if (count->levels[v] >= 0) {
            reached++;
            arcs += count->degrees[count->numbers[v]];
        }
    __atomic_fetch_add(&count->reached, reached, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->arcs, arcs, __ATOMIC_RELAXED);
}

static uint64_t sum_of(const struct bfs_run *run, enum bfs_result which)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < run->parts; p++)
        sum += weir_bsp_results(run->bsp, p)[which];
    return sum;
}

static weir_run_phase phase_of(const struct bfs_run *run, const char *name, enum bfs_result ns,
                               enum bfs_result steps)
{
    weir_run_phase phase = {name, 0, weir_bsp_results(run->bsp, 0)[steps]};
    for (uint32_t p = 0; p < run->parts; p++) {
        double ms = (double)weir_bsp_results(run->bsp, p)[ns] / 1e6;
        phase.ms = phase.ms < ms ? ms : phase.ms;
    }
    return phase;
}

static uint64_t items_sent(const struct bfs_run *run)
{
    uint64_t sent = 0;
    for (uint32_t from = 0; from < run->parts; from++)
        for (uint32_t to = 0; to < run->parts; to++)
            sent += weir_bsp_tells(run->bsp, from, to);
    return sent;
}

static void report(const struct bfs_run *run, double ms, weir_run_stats *stats)
{
    const uint64_t *first = weir_bsp_results(run->bsp, 0);
    const uint64_t words = weir__rows_part(run->rows, 0)->numbers / 32;
    struct count count = {.levels = run->levels,
                          .numbers = weir__rows_numbers(run->rows),
                          .degrees = weir__rows_degrees(run->rows)};
    weir__parallel_for(run->vertices, UINT64_C(1) << 16, 0, count_reached, &count);
    *stats = (weir_run_stats){.ms = ms, .reached = count.reached, .arcs_reached = count.arcs};
    stats->direction = run->direction;
    stats->devices = run->parts;
    stats->steps = first[BFS_RESULT_LEVELS];
    stats->least_items = count.reached;
    stats->work.ms = ms;
    stats->work.kernel = WEIR_KERNEL_FUSED;
    stats->work.order = WEIR_ORDER_BULK;
    stats->work.processed = sum_of(run, BFS_RESULT_PIECES) + sum_of(run, BFS_RESULT_UP_ROWS);
    stats->work.atoms = sum_of(run, BFS_RESULT_DOWN_ARCS) + sum_of(run, BFS_RESULT_UP_ARCS);
    stats->work.sent = items_sent(run);
    stats->work.rounds =
        (first[BFS_RESULT_DOWN_STEPS] + first[BFS_RESULT_UP_STEPS] + first[BFS_RESULT_TURN_STEPS]) *
        run->parts;
    /* An arc's target and its bit; a row's two offsets, its level, and an entry of the queue. */
    stats->bytes = stats->work.atoms * 8 + stats->work.processed * (8 + 4 + 32) +
                   first[BFS_RESULT_UP_STEPS] * words * 8;
    stats->bytes_sent = stats->work.sent * (run->parents ? 8 : 4) +
                        first[BFS_RESULT_UP_STEPS] * words * 4 * (run->parts - 1);
    stats->phase[0] = phase_of(run, "top-down", BFS_RESULT_DOWN_NS, BFS_RESULT_DOWN_STEPS);
    stats->phase[1] = phase_of(run, "bottom-up", BFS_RESULT_UP_NS, BFS_RESULT_UP_STEPS);
    stats->phase[2] = phase_of(run, "turning", BFS_RESULT_TURN_NS, BFS_RESULT_TURN_STEPS);
}

weir_status weir__bfs_run(struct bfs_run *run, uint64_t source, weir_run_stats *stats_out)
{
    uint32_t *levels[WEIR_DEVICES_MAX], number;
    weir_status status = weir__rows_locate(run->rows, source, NULL, &number);
    double ms;
    for (uint32_t p = 0; p < run->parts && !status; p++) {
        ((struct bfs_step_args *)weir_bsp_args(run->bsp, p))->source = number;
        levels[p] = run->side[p].level;
        status = prepare(run, p);
    }
    for (uint32_t p = 0; p < run->parts && !status; p++)
        status = weir_queue_sync(weir_bsp_queue(run->bsp, p));
    if (status || (status = weir_bsp_run(run->bsp, &ms)) ||
        (status = gather(run, levels, run->levels)))
        return status;
    if (stats_out)
        report(run, ms, stats_out);
    return WEIR_OK;
}

weir_status weir__bfs_run_levels(const struct bfs_run *run, int32_t *levels_out)
{
    memcpy(levels_out, run->levels, run->vertices * 4);
    return WEIR_OK;
}

weir_status weir__bfs_run_parents(const struct bfs_run *run, int64_t *parents_out)
{
    const uint32_t *vertices = weir__rows_vertices(run->rows);
    const void *parents[WEIR_DEVICES_MAX];
    uint32_t *numbers;
    weir_status status = weir__alloc(run->vertices, 4, "parents", &numbers);
    if (status)
        return status;
    for (uint32_t p = 0; p < run->parts; p++)
        parents[p] = run->side[p].parent;
    if (!(status = weir__rows_gather(run->rows, parents, 4, numbers)))
        for (uint64_t v = 0; v < run->vertices; v++)
            parents_out[v] = numbers[v] == BFS_NONE ? -1 : (int64_t)vertices[numbers[v]];
    free(numbers);
    return status;
}

weir_status weir__bfs_run_link_items(const struct bfs_run *run, uint32_t from, uint32_t to,
                                     uint64_t *items_out)
{
    const uint32_t devices = weir_context_device_count(run->context);
    *items_out = 0;
    if (from >= devices || to >= devices)
        return weir__fail(WEIR_ERR_INVALID, "a link from device %u to %u of %u", from, to, devices);
    if (from < run->parts && to < run->parts)
        *items_out = weir_bsp_tells(run->bsp, from, to);
    return WEIR_OK;
}

void weir__bfs_run_cancel(struct bfs_run *run)
{
    weir_bsp_cancel(run->bsp);
}
