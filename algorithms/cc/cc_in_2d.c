/** @file cc_in_2d.c  Connected components in two dimensions on the host's side: arrays, runs, what they found. */
#include "algorithms/cc/cc.h"
#include "algorithms/cc/cc_cells.h"
#include "algorithms/graph/arcs.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>

extern const weir_steps_body weir__cc_cells_steps;

/* What there is while an object is made. */
struct making {
    const struct weir__row_steps *on;
    uint32_t rows, columns; /* of the grid */
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* A hook for a quarter of the numbers of a device. What finds no room comes again in the next round, and rounds of more hooks than that
 * are those of graphs whose trees are paths through many cells. */
static uint64_t room_of(uint64_t numbers, uint32_t parts)
{
    return numbers / parts / 4 + 1;
}

static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const struct making *making = user;
    const uint64_t numbers = sizes->numbers, rows = making->rows, columns = making->columns;
    const uint64_t room = room_of(numbers, sizes->parts) * sizes->parts;
    weir__need_take_on(need, device, 3 * numbers * rows, 4); /* trees twice, hooks that begin */
    weir__need_take_on(need, device, numbers * columns, 4);  /* representatives */
    weir__need_take_on(need, device, numbers * (columns - 1) + room, 4); /* links, hooks' places */
    weir__need_take_on(need, device, room * (rows + columns - 2), 8);
    weir__need_take_on(need, device, (uint64_t)CC_CELLS_FILTER * sizes->parts, 8);
    weir__need_take_on(need, device, (uint64_t)(1 + 2 * CC_CELLS_SAMPLES) * sizes->parts, 4);
}

#define COUNT(name, elements)                                                 \
    static uint64_t name(const void *user, uint32_t device, uint32_t sender)  \
    {                                                                         \
        const struct weir__row_steps *on = ((const struct making *)user)->on; \
        (void)on;                                                             \
        (void)device;                                                         \
        (void)sender;                                                         \
        return elements;                                                      \
    }
COUNT(tree_count, (uint64_t)weir__row_steps_cell(on, device).width * 2)
COUNT(next_count, weir__row_steps_cell(on, device).width + UINT64_C(2))
COUNT(local_count, weir__row_steps_cell(on, device).first[weir__row_steps_cell(on, device).columns])
COUNT(room_count, room_of(weir__row_steps_part(on, 0)->numbers, on->parts))
COUNT(filter_count, CC_CELLS_FILTER)
COUNT(sample_count, 1 + 2 * CC_CELLS_SAMPLES)

/* From one of the row a link for each own number and hooks, from one of the column hooks alone. */
static uint64_t inbox_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct weir__row_steps *on = ((const struct making *)user)->on;
    const struct weir__cell to = weir__row_steps_cell(on, device),
                            from = weir__row_steps_cell(on, sender);
    const uint64_t hooks = 2 + 2 * room_count(user, device, sender);
    return to.row == from.row         ? weir__row_steps_stretch(on, device) + hooks
           : to.column == from.column ? hooks
                                      : 0;
}

#define FIELD(name) offsetof(struct cc_cells_args, name)
#define COUNTED(what, entries, size, pointer)                                          \
    {                                                                                  \
        .name = what, .extent = WEIR_STEPS_COUNTED, .bytes = (size), .count = entries, \
        .field = FIELD(pointer)                                                        \
    }
static const weir_steps_array arrays[] = {
    {.name = "trees",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = tree_count,
     .bytes = 4,
     .field = FIELD(trees)},
    COUNTED("representatives", local_count, 4, representative),
    {.name = "next",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = next_count,
     .bytes = 4,
     .field = FIELD(next)},
    COUNTED("changed", room_count, 4, changed),
    {.name = "changes", .bytes = 4, .field = FIELD(changes)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = 4,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
    COUNTED("filter", filter_count, 8, filter),
    {.name = "sample",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .count = sample_count,
     .bytes = 4,
     .field = FIELD(sample)},
    {.name = "heads", .extent = WEIR_STEPS_DEVICES, .bytes = 4, .field = FIELD(heads)},
    {.name = "listed", .extent = WEIR_STEPS_DEVICES, .bytes = 4, .field = FIELD(listed)},
    {.name = "gaps", .extent = WEIR_STEPS_DEVICES, .bytes = 4, .field = FIELD(gaps)},
    {.name = "label", .extent = WEIR_STEPS_OWNED, .bytes = 4, .more = 1, .field = FIELD(label)},
};

#define PHASE(text, at)                                                                  \
    {                                                                                    \
        .name = text, .ns = CC_CELLS_RESULT_NS + at, .steps = CC_CELLS_RESULT_STEPS + at \
    }
static const weir_steps_phase phases[] = {
    PHASE("link", CC_CELLS_LINK),  PHASE("merge", CC_CELLS_MERGE),
    PHASE("fold", CC_CELLS_FOLD),  PHASE("propose", CC_CELLS_PROPOSE),
    PHASE("hook", CC_CELLS_HOOK),  PHASE("flatten", CC_CELLS_FLATTEN),
    PHASE("label", CC_CELLS_LABEL)};
static_assert(sizeof phases / sizeof *phases <= WEIR_RUN_PHASES,
              "statistics have room for all phases");
static_assert((int)CC_CELLS_RESULT_END <= (int)WEIR_STEPS_RESULTS,
              "a page has room for all results");

static const weir_steps_program program = {.what = "connected components in two dimensions",
                                           .body = &weir__cc_cells_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = sizeof phases / sizeof *phases};

/* The root of a tree is its smallest number, and a component's label its smallest id. */
static weir_status ids_ascend(struct weir__row_steps *on, void *user)
{
    (void)user;
    if (weir__context_planned(on->context) || weir__cc_in_order(on))
        return WEIR_OK;
    return weir__fail(WEIR_ERR_UNSUPPORTED,
                      "components in two dimensions take stretches of vertices that follow one "
                      "another, as weir_partition_create_2d() makes them");
}

static const struct weir__row_form form = {.program = &program,
                                           .rows = FIELD(rows),
                                           .values = "label",
                                           .kind = WEIR_VALUE_U32,
                                           .need = need,
                                           .placed = ids_ascend,
                                           .cells = 1};

/* ---- building -------------------------------------------------------------------------------- */

static weir_status enter_gaps(const struct weir__row_steps *on, uint32_t p)
{
    uint32_t gaps[WEIR_DEVICES_MAX];
    weir__cc_gaps(on, gaps);
    return weir__upload(weir_context_device(on->context, p), weir_steps_data(on->steps, "gaps", p),
                        gaps, on->parts * sizeof *gaps);
}

/* With fewer arcs a vertex a sample costs more than the arcs that it spares. */
#define FEW_ARCS 5

/* First arcs enough for one large tree in a cell: in graphs whose arcs lead anywhere, each head that a device has arcs to is met more than
 * once then. */
static uint32_t firsts_of(const weir_graph *graph, const weir_partition *partition)
{
    if (graph->arcs / FEW_ARCS < graph->vertices)
        return 0;
    return 1 + (partition->columns + partition->rows - 1) / partition->rows;
}

weir_status weir__cc_cells_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  struct weir__row_steps *on)
{
    struct making making = {on, partition->rows, partition->columns};
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    config.order = WEIR_ROWS_BY_ID;
    weir_status status =
        weir__row_steps_create(on, &form, context, graph, partition, options, &config, &making);
    const int symmetric =
        !status && !weir__context_planned(context) && weir__graph_symmetric(graph, NULL);
    for (uint32_t p = 0; p < partition->parts && !status; p++) {
        struct cc_cells_args *args = weir_steps_args(on->steps, p);
        args->cell = weir__row_steps_cell(on, p);
        args->room = (uint32_t)room_count(&making, p, p);
        args->symmetric = (uint32_t)symmetric;
        args->firsts = symmetric ? firsts_of(graph, partition) : 0;
        while (1u << args->merges < partition->rows)
            args->merges++;
        if (!weir__context_planned(context))
            status = enter_gaps(on, p);
    }
    if (status) {
        weir__row_steps_destroy(on);
        *on = (struct weir__row_steps){.form = NULL};
    }
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Every arc is looked at once at most, by the one device that has it. */
weir_status weir__cc_cells_run(struct weir__row_steps *on, weir_run_stats *stats)
{
    weir_status status = weir__row_steps_run(on, stats);
    if (status)
        return status;
    const weir_rows_part *part = weir__row_steps_part(on, 0);
    const uint64_t wide = (uint64_t)part->numbers * weir__row_steps_cell(on, 0).rows;
    stats->reached = stats->least_items = stats->work.processed = part->vertices;
    stats->arcs_reached = part->arcs_all;
    stats->work.atoms = weir_steps_total(on->steps, CC_CELLS_RESULT_ARCS);
    weir__cc_picked(on, stats);
    stats->work.rounds = weir_steps_results(on->steps, 0)[CC_CELLS_RESULT_ROUNDS];
    /* An arc, its head's representative and two parents; of a place its offsets, its parent thrice and its label. */
    stats->bytes = stats->work.atoms * 16 + wide * (8 + 4 * 4);
    stats->bytes_sent = weir_steps_total(on->steps, CC_CELLS_RESULT_EXPAND_BYTES) +
                        weir_steps_total(on->steps, CC_CELLS_RESULT_FOLD_BYTES);
    for (uint32_t i = 0; i < CC_CELLS_PHASES; i++) /* only those that took place are reported */
        if (!stats->phase[i].steps)
            stats->phase[i].name = NULL;
    return WEIR_OK;
}
