/** @file bfs_in_2d.c  Breadth-first search in two dimensions on the host's side: its arrays, runs, and what they found. */
#include "algorithms/bfs/bfs_in_2d.h"
#include "algorithms/bfs/bfs_2d_step.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

extern const weir_steps_body weir__bfs_2d_steps;

/* ---- memory --------------------------------------------------------------------------------- */

/* Each row that is cut has a last piece that may be short, and more than BFS_2D_LONG arcs. */
static uint64_t piece_room(uint64_t arcs)
{
    return arcs / BFS_2D_PIECE + arcs / BFS_2D_LONG + 1;
}

/* Places of pieces are 32 bits. */
static weir_status pieces_fit(struct weir__row_steps *on, void *user)
{
    (void)user;
    for (uint32_t p = 0; p < on->parts; p++)
        if (piece_room(weir__row_steps_part(on, p)->arcs_out) > UINT32_MAX)
            return weir__fail(WEIR_ERR_UNSUPPORTED,
                              "device %u would have %llu arcs, too many for a search in two "
                              "dimensions",
                              p, (unsigned long long)weir__row_steps_part(on, p)->arcs_out);
    return WEIR_OK;
}

/* Words of an inbox for a stretch of so many numbers: in auto a list goes only where it is not longer than the bitmap. */
static uint64_t inbox_room(const struct bfs_in_2d *in_2d, uint64_t numbers)
{
    return in_2d->wire == WEIR_WIRE_LIST ? numbers : numbers / 32;
}

/* Local rows are the numbers over the rows of the grid, for each of its columns. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const struct bfs_in_2d *in_2d = user;
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t numbers = sizes->numbers, local = numbers * in_2d->columns;
    const uint64_t met = sizes->arcs < local ? sizes->arcs : local; /* as far as it is written to */
    weir__need_take_on(need, device, local / 32, 4);
    weir__need_take_on(need, device, met, in_2d->parents ? 8 : 4);
    weir__need_take_on(need, device,
                       inbox_room(in_2d, numbers) * (in_2d->rows + in_2d->columns - 2), 4);
    weir__need_take_on(need, device, piece_room(sizes->arcs), sizeof(struct bfs_2d_piece));
    weir__need_take_on(need, device, (uint64_t)BFS_2D_LEVELS * sizes->parts,
                       sizeof(struct bfs_2d_level));
}

static uint64_t local_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct weir__cell cell = weir__row_steps_cell(&((const struct bfs_in_2d *)user)->on, p);
    (void)sender;
    return cell.first[cell.columns];
}

static uint64_t seen_count(const void *user, uint32_t p, uint32_t sender)
{
    return local_count(user, p, sender) / 32;
}

static uint64_t parent_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_in_2d *)user)->parents != 0;
}

static uint64_t tail_count(const void *user, uint32_t p, uint32_t sender)
{
    return parent_count(user, p, sender) ? local_count(user, p, sender) : 0;
}

static uint64_t piece_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return piece_room(weir__row_steps_part(&((const struct bfs_in_2d *)user)->on, p)->arcs_out);
}

/* From a device of the column its own stretch, from one of the row this device's; others send nothing. */
static uint64_t inbox_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_2d *in_2d = user;
    if (p / in_2d->rows == sender / in_2d->rows)
        return inbox_room(in_2d, weir__row_steps_stretch(&in_2d->on, sender));
    return p % in_2d->rows == sender % in_2d->rows
               ? inbox_room(in_2d, weir__row_steps_stretch(&in_2d->on, p))
               : 0;
}

static uint64_t level_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)user;
    (void)p;
    (void)sender;
    return BFS_2D_LEVELS;
}

#define FIELD(name) offsetof(struct bfs_2d_args, name)
static const weir_steps_array arrays[] = {
    {.name = "seen",
     .extent = WEIR_STEPS_COUNTED,
     .count = seen_count,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(seen)},
    {.name = "level",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     .more = 1,
     .field = FIELD(level)},
    {.name = "parent",
     .extent = WEIR_STEPS_OWNED,
     .count = parent_count,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     .more = 1,
     .field = FIELD(parent)},
    {.name = "finder",
     .extent = WEIR_STEPS_OWNED,
     .count = parent_count,
     .first = WEIR_STEPS_FILLED,
     .fill = BFS_2D_HERE,
     .bytes = 1,
     .more = 1,
     .field = FIELD(finder)},
    {.name = "tail",
     .extent = WEIR_STEPS_COUNTED,
     .count = tail_count,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 4,
     .field = FIELD(tail)},
    {.name = "queue", .extent = WEIR_STEPS_OWNED, .bytes = 4, .more = 1, .field = FIELD(queue)},
    {.name = "queued", .first = WEIR_STEPS_FILLED, .bytes = 4, .field = FIELD(queued)},
    {.name = "met",
     .extent = WEIR_STEPS_COUNTED,
     .count = local_count,
     .bytes = 4,
     .field = FIELD(met)},
    {.name = "met of",
     .extent = WEIR_STEPS_DEVICES,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(met_of)},
    {.name = "pieces",
     .extent = WEIR_STEPS_COUNTED,
     .count = piece_count,
     .bytes = sizeof(struct bfs_2d_piece),
     .field = FIELD(pieces)},
    {.name = "cut", .first = WEIR_STEPS_FILLED, .bytes = 4, .field = FIELD(cut)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = 4,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
    {.name = "log",
     .extent = WEIR_STEPS_COUNTED,
     .count = level_count,
     .bytes = sizeof(struct bfs_2d_level),
     .field = FIELD(log)},
};

#define PHASE(text, which)                                                                     \
    {                                                                                          \
        .name = text, .ns = BFS_2D_RESULT_NS + (which), .steps = BFS_2D_RESULT_STEPS + (which) \
    }
static const weir_steps_phase phases[] = {
    PHASE("expand", BFS_2D_EXPAND), PHASE("compute", BFS_2D_LOOK), PHASE("fold", BFS_2D_FOLD),
    PHASE("update", BFS_2D_UPDATE), PHASE("parents", BFS_2D_PARENTS)};
static_assert(sizeof phases / sizeof *phases <= WEIR_RUN_PHASES,
              "statistics have room for all phases");
static_assert((int)BFS_2D_RESULT_END <= (int)WEIR_STEPS_RESULTS, "a page has room for all results");

static const weir_steps_program program = {.what = "breadth-first search in two dimensions",
                                           .body = &weir__bfs_2d_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = sizeof phases / sizeof *phases};

static const struct weir__row_form form = {.program = &program,
                                           .rows = FIELD(rows),
                                           .values = "level",
                                           .kind = WEIR_VALUE_I32,
                                           .tree = "parent",
                                           .need = need,
                                           .placed = pieces_fit,
                                           .cells = 1};

/* ---- building ------------------------------------------------------------------------------- */

weir_status weir__bfs_in_2d_create(weir_context *context, const weir_graph *graph,
                                   const weir_partition *partition, const weir_run_options *options,
                                   struct bfs_in_2d **in_2d_out)
{
    const weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    struct bfs_in_2d *in_2d;
    weir_status status;
    *in_2d_out = NULL;
    if ((status = weir__calloc(1, sizeof *in_2d, "breadth-first search", &in_2d)))
        return status;
    in_2d->rows = partition->rows;
    in_2d->columns = partition->columns;
    in_2d->wire = options->wire;
    in_2d->parents = options->parents;
    if ((status = weir__row_steps_create(&in_2d->on, &form, context, graph, partition, options,
                                         &config, in_2d))) {
        weir__bfs_in_2d_destroy(in_2d);
        return status;
    }
    for (uint32_t p = 0; p < in_2d->on.parts; p++) {
        struct bfs_2d_args *args = weir_steps_args(in_2d->on.steps, p);
        args->cell = weir__row_steps_cell(&in_2d->on, p);
        args->wire = (uint32_t)in_2d->wire;
    }
    *in_2d_out = in_2d;
    return WEIR_OK;
}

void weir__bfs_in_2d_destroy(struct bfs_in_2d *in_2d)
{
    if (!in_2d)
        return;
    weir__row_steps_destroy(&in_2d->on);
    free(in_2d->log);
    free(in_2d);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct bfs_in_2d *in_2d, enum bfs_2d_result which)
{
    return weir_steps_total(in_2d->on.steps, which);
}

/* Every arc of what was reached is looked at once, by the one device that has it. */
static void report(const struct bfs_in_2d *in_2d, weir_run_stats *stats)
{
    const uint64_t supersteps = stats->steps;
    stats->reached = sum_of(in_2d, BFS_2D_RESULT_REACHED);
    stats->arcs_reached = stats->work.atoms = sum_of(in_2d, BFS_2D_RESULT_ARCS);
    stats->work.processed = sum_of(in_2d, BFS_2D_RESULT_ROWS);
    stats->steps = in_2d->levels;
    stats->work.rounds = supersteps * in_2d->on.parts;
    /* An arc's target and its bit; a place's two offsets; a vertex's entries of the queue and of the levels. */
    stats->bytes = stats->work.atoms * 8 + stats->work.processed * 16 + stats->reached * 8;
    stats->bytes_sent = sum_of(in_2d, BFS_2D_RESULT_EXPAND_BYTES) +
                        sum_of(in_2d, BFS_2D_RESULT_FOLD_BYTES) +
                        sum_of(in_2d, BFS_2D_RESULT_ASKED) * 4;
}

weir_status weir__bfs_in_2d_run(struct bfs_in_2d *in_2d, uint64_t source, weir_run_stats *stats_out)
{
    uint32_t number;
    weir_status status = weir_rows_locate(in_2d->on.rows, source, NULL, &number);
    if (status)
        return status;
    for (uint32_t p = 0; p < in_2d->on.parts; p++)
        ((struct bfs_2d_args *)weir_steps_args(in_2d->on.steps, p))->source = number;
    free(in_2d->log);
    in_2d->log = NULL;
    in_2d->levels = 0;
    if ((status = weir__row_steps_run(&in_2d->on, stats_out)))
        return status;
    in_2d->levels = weir_steps_results(in_2d->on.steps, 0)[BFS_2D_RESULT_LEVELS];
    if (in_2d->levels > (uint64_t)INT32_MAX + 1)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
    report(in_2d, stats_out);
    return WEIR_OK;
}

/* Before the first run nothing is reached. Arrays are filled as a run begins. */
weir_status weir__bfs_in_2d_levels(const struct bfs_in_2d *in_2d, int32_t *levels_out)
{
    for (uint64_t v = 0; v < in_2d->on.vertices && !in_2d->levels; v++)
        levels_out[v] = -1;
    if (!in_2d->levels)
        return WEIR_OK;
    return weir__row_steps_gather(&in_2d->on, "level", levels_out);
}

weir_status weir__bfs_in_2d_parents(const struct bfs_in_2d *in_2d, int64_t *parents_out)
{
    for (uint64_t v = 0; v < in_2d->on.vertices && !in_2d->levels; v++)
        parents_out[v] = -1;
    if (!in_2d->levels)
        return WEIR_OK;
    return weir__row_steps_gather_wide(&in_2d->on, "parent", VALUES_AS_VERTICES, parents_out);
}
