/** @file pr_pull.c  PageRank in step on the host's side: its arrays, runs, and what is said of them. */
#include "algorithms/graph/sketch.h"
#include "algorithms/pr/pr_making.h"
#include "runtime/config.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FINE "shares in doubles" /* the array that is taken when it turns out to be needed */

extern const weir_steps_body weir__pr_pull_steps, weir__pr_bands_steps, weir__pr_hubs_steps,
    weir__pr_lines_steps, weir__pr_bins_steps;

/* ---- memory ------------------------------------------------------------------------------------ */

/* Where in-arcs lie is known when rows are placed, so lists are counted by what all rows and arcs take at most. What
 * bands and bins take beyond that is not here: where it is not there, runs do without (pr_choose.c). */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t rows = sizes->vertices, arcs = sizes->arcs;
    const uint64_t chunks = rows / PR_CHUNK_ROWS + 2 * (arcs / PR_CHUNK_ARCS) + 2;
    const uint64_t pieces = 2 * (arcs / PR_PIECE_ARCS), longs = arcs / PR_PIECE_ARCS;
    const uint64_t lists = chunks * sizeof(struct pr_chunk) + pieces * sizeof(struct pr_piece) +
                           longs * sizeof(struct pr_long);
    const uint64_t on_host = lists + rows + (sizes->parts > 1 ? sizes->numbers : 0);
    (void)user;
    weir__need_take(need, on_host, 1);
    weir__need_pass(need, sizes->parts > 1 ? sizes->numbers / 8 : 0, sizes->parts);
    weir__need_pass(need, rows + 1, sizeof(uint64_t));
    weir__need_take_on(need, device, lists + pieces * sizeof(double), 1);
    weir__need_give(need, on_host, 1);
}

/* What the table below asks while an object is made. */
#define COUNT(name, elements)                                                \
    static uint64_t name(const void *user, uint32_t device, uint32_t sender) \
    {                                                                        \
        const struct weir__pr_making *making = user;                         \
        (void)device;                                                        \
        (void)sender;                                                        \
        return elements;                                                     \
    }
COUNT(chunk_count, making->lists[device].chunks)
COUNT(piece_count, making->lists[device].pieces)
COUNT(long_count, making->lists[device].longs)
COUNT(end_count, weir__pr_ends(&making->lists[device], weir__pr_part_of(making, device)->owned) + 1)
COUNT(first_count, making->lists[device].first
                       ? (uint64_t)making->lists[device].bands * making->lists[device].strips + 1
                       : 0)
COUNT(sum_count, making->lists[device].bands > 1 ? weir__pr_part_of(making, device)->owned : 0)
#define IN_BINS(elements) (making->bins.rows ? (elements) : 0)
COUNT(spread_count, making->bins.part[device].spread.count)
COUNT(collect_count, making->bins.part[device].collect.count)
COUNT(common_count, making->bins.part[device].collect.commons)
COUNT(stretch_count, IN_BINS(making->bins.stretches + UINT64_C(1)))
COUNT(bin_count, IN_BINS(making->bins.part[device].bins + UINT64_C(1)))
COUNT(octet_count, making->bins.part[device].octets)
COUNT(slot_count, making->bins.part[device].octets *PR_OCTET)
COUNT(share_count, weir__pr_bins_shares(&making->bins, device))
COUNT(common_row_count, (uint64_t)making->bins.part[device].collect.commons * making->bins.rows)
COUNT(reader_count, making->task->partition->parts > 1)
COUNT(fine_count, making->pull->fine != 0)

/* Threads of a host device, which have turns; of a GPU none. */
static uint64_t turn_count(const void *user, uint32_t device, uint32_t sender)
{
    const struct weir__pr_making *making = user;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(making->task->context, device), &info);
    (void)sender;
    return info.lanes > 1 ? 0 : info.workers;
}

#define FIELD(name) offsetof(struct pr_pull_args, name)
#define LIST(what, entries, pointer)                                               \
    {                                                                              \
        .name = what, .extent = WEIR_STEPS_COUNTED,                                \
        .bytes = sizeof *((struct pr_pull_args *)NULL)->pointer, .count = entries, \
        .field = FIELD(pointer)                                                    \
    }
static const weir_steps_array arrays[] = {
    {.name = "shares",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .bytes = 2 * sizeof(float),
     .field = FIELD(single)},
    {.name = FINE,
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .count = fine_count,
     .bytes = 2 * sizeof(double),
     .field = FIELD(fine)},
    {.name = "ranks", .extent = WEIR_STEPS_OWNED, .bytes = 8, .more = 1, .field = FIELD(ranks)},
    LIST("chunks", chunk_count, lists.chunk),
    LIST("pieces", piece_count, lists.piece),
    LIST("long rows", long_count, lists.row),
    LIST("sums of pieces", piece_count, partial),
    LIST("ends", end_count, lists.end),
    LIST("strips", first_count, lists.first),
    LIST("sums over bands", sum_count, sums),
    {.name = "readers",
     .extent = WEIR_STEPS_OWNED,
     .count = reader_count,
     .bytes = 1,
     .more = 1,
     .field = FIELD(lists.readers)},
    {.name = "pieces done", .bytes = 8, .field = FIELD(pieces_done)},
    LIST("turns taken", turn_count, turns),
    LIST("units that spread", spread_count, bins.spread),
    LIST("units that collect", collect_count, bins.collect),
    LIST("bins in common", common_count, bins.common),
    LIST("octets by stretch", stretch_count, bins.by_stretch),
    LIST("octets by bin", bin_count, bins.by_bin),
    LIST("numbers of arcs", slot_count, bins.number),
    LIST("places of octets", octet_count, bins.place),
    LIST("rows of arcs", slot_count, bins.row),
    LIST("shares of arcs", share_count, bins.share),
    {.name = "sums in common",
     .extent = WEIR_STEPS_COUNTED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .count = common_row_count,
     .bytes = sizeof(uint64_t),
     .field = FIELD(bins.sum)},
    {.name = "bins done", .bytes = 8, .field = FIELD(bins.done)},
    {.name = "units taken", .bytes = 8, .more = 1, .field = FIELD(bins.next)},
};

#define PHASE(what, result)                                 \
    {                                                       \
        .name = what, .ns = (result), .steps = (result) + 1 \
    }
#define PHASES PHASE("exchange", PR_RESULT_EXCHANGE), PHASE("begin", PR_RESULT_BEGIN)
static const weir_steps_phase phases[] = {PHASE("gather", PR_RESULT_GATHER), PHASES},
                              phases_in_bins[] = {PHASE("spread", PR_RESULT_SPREAD),
                                                  PHASE("collect", PR_RESULT_GATHER), PHASES};
static_assert(sizeof phases_in_bins / sizeof *phases_in_bins <= WEIR_RUN_PHASES,
              "statistics have room for all phases");

#define PROGRAM(kernel, its_phases)                                          \
    {                                                                        \
        .what = "PageRank", .body = &(kernel), .arrays = arrays,             \
        .array_count = sizeof arrays / sizeof *arrays, .phases = its_phases, \
        .phase_count = sizeof its_phases / sizeof *its_phases                \
    }
static const weir_steps_program program = PROGRAM(weir__pr_pull_steps, phases),
                                in_bands = PROGRAM(weir__pr_bands_steps, phases),
                                with_hubs = PROGRAM(weir__pr_hubs_steps, phases),
                                in_lines = PROGRAM(weir__pr_lines_steps, phases),
                                in_bins = PROGRAM(weir__pr_bins_steps, phases_in_bins);

/* ---- building ---------------------------------------------------------------------------------- */

/* Rows of in-arcs as long as those of out-arcs. */
static void offsets_by_degree(const struct weir__pr_making *making, uint32_t p)
{
    const weir_rows_part *part = weir__pr_part_of(making, p);
    const uint32_t *degree = weir_rows_degrees(making->pull->on.rows) + part->begin;
    uint64_t *offsets = making->offsets[p];
    offsets[0] = 0;
    for (uint32_t row = 0; row < part->owned; row++)
        offsets[row + UINT64_C(1)] = offsets[row] + degree[row];
}

/* The rows are this object's alone, and nobody else looks at their arcs: so these may be put in another order. */
static weir_status look_at_rows(struct weir__pr_making *making, uint32_t p)
{
    const weir_rows_part *part = weir__pr_part_of(making, p);
    const uint64_t bytes = (part->owned + UINT64_C(1)) * sizeof(uint64_t);
    struct weir__pr_rows *rows = &making->parts.part[p];
    weir_status status = weir__alloc(1, bytes, "offsets", &making->offsets[p]);
    if (status)
        return status;
    rows->device = weir_context_device(making->task->context, p);
    rows->count = part->owned;
    rows->begin = part->begin;
    rows->offsets = making->offsets[p];
    if (weir__context_planned(making->task->context)) {
        offsets_by_degree(making, p);
        return WEIR_OK;
    }
    memcpy(&rows->targets, &part->in.targets, sizeof rows->targets);
    return weir__download(rows->device, making->offsets[p], part->in.offsets, bytes);
}

/* How long lists are as a rule, where arcs are not there to be dealt out. */
static weir_status count_lists(struct weir__pr_making *making, uint32_t p)
{
    const uint64_t rows = weir__pr_part_of(making, p)->owned,
                   arcs = weir__pr_part_of(making, p)->arcs_in;
    struct weir__pr_lists *lists = &making->lists[p];
    lists->bands = making->bands.count;
    lists->chunks = lists->bands * (rows / PR_CHUNK_ROWS) + arcs / PR_CHUNK_ARCS;
    lists->pieces = arcs / PR_PIECE_ARCS;
    if (lists->bands == 1)
        return WEIR_OK;
    lists->strips = (uint32_t)(rows / weir__pr_strip_rows(rows) + 1);
    return weir__calloc(1, sizeof *lists->first, "strips", &lists->first);
}

static weir_status make_lists(struct weir__pr_making *making, uint32_t p)
{
    const struct weir__pr_rows *rows = &making->parts.part[p];
    const uint32_t bands = making->bands.count;
    uint8_t *end;
    weir_status status;
    if (weir__graph_is_sketch(making->task->graph) ||
        (bands > 1 && weir__context_planned(making->task->context)))
        return count_lists(making, p);
    if (bands == 1)
        return weir__pr_lists(rows->offsets, rows->count, &making->lists[p]);
    if ((status = weir__calloc(rows->count, bands, "ends of rows", &end)))
        return status;
    if ((status = weir__pr_order(rows, &making->bands, end))) {
        free(end);
        return status;
    }
    return weir__pr_band_lists(rows->offsets, rows->count, bands, end, &making->lists[p]);
}

#define FORM(of)                                                                          \
    {                                                                                     \
        .program = &(of), .rows = FIELD(rows), .values = "ranks", .kind = WEIR_VALUE_F64, \
        .need = need, .placed = placed                                                    \
    }
static weir_status placed(struct weir__row_steps *on, void *user);
static const struct weir__row_form form = FORM(program), form_in_bands = FORM(in_bands),
                                   form_with_hubs = FORM(with_hubs), form_in_lines = FORM(in_lines),
                                   form_in_bins = FORM(in_bins);

static weir_status placed(struct weir__row_steps *on, void *user)
{
    struct weir__pr_making *making = user;
    const int sketch = weir__graph_is_sketch(making->task->graph);
    weir_status status = WEIR_OK;
    making->parts.count = on->parts;
    making->parts.numbers = weir__pr_part_of(making, 0)->numbers;
    making->parts.degree = weir_rows_degrees(on->rows);
    making->parts.fine = making->pull->fine;
    if (weir__context_planned(making->task->context)) {
        making->parts.graph = making->task->graph;
        making->parts.rows = on->rows;
    }
    if (on->parts > 1 && !weir__context_planned(making->task->context))
        status = weir__pr_readers(on->rows, &making->readers);
    for (uint32_t p = 0; p < on->parts && !status && !sketch; p++)
        status = look_at_rows(making, p);
    if (!status)
        status = weir__pr_choose(making);
    if (!status && making->bins.rows)
        on->form = &form_in_bins;
    else if (!status && making->bands.count > 1)
        on->form = &form_in_bands;
    else if (!status && making->hubs.each)
        on->form = &form_with_hubs;
    else if (!status && weir_rows_memory(on->rows) == WEIR_MEMORY_HOST)
        on->form = &form_in_lines;
    for (uint32_t p = 0; p < on->parts && !status; p++)
        status = make_lists(making, p);
    return status;
}

static weir_status place_lists(const struct weir__pr_making *making, uint32_t p)
{
    const weir_steps *steps = making->pull->on.steps;
    const weir_rows_part *part = weir__row_steps_part(&making->pull->on, p);
    const struct weir__pr_lists *lists = &making->lists[p];
    const struct {
        const char *array;
        const void *values;
        uint64_t bytes;
    } list[] = {
        {"chunks", lists->chunk, lists->chunks * sizeof *lists->chunk},
        {"pieces", lists->piece, lists->pieces * sizeof *lists->piece},
        {"long rows", lists->row, lists->longs * sizeof *lists->row},
        {"ends", lists->end, weir__pr_ends(lists, part->owned)},
        {"strips", lists->first,
         lists->first ? ((uint64_t)lists->bands * lists->strips + 1) * sizeof(uint32_t) : 0},
        {"units that spread", making->bins.part[p].spread.unit,
         making->bins.part[p].spread.count * sizeof(struct pr_bin_unit)},
        {"units that collect", making->bins.part[p].collect.unit,
         making->bins.part[p].collect.count * sizeof(struct pr_bin_unit)},
        {"bins in common", making->bins.part[p].collect.common,
         making->bins.part[p].collect.commons * sizeof(uint32_t)},
        {"readers", making->readers ? making->readers + part->begin : NULL,
         making->readers ? part->owned : 0}};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        if (list[i].bytes && !weir__context_planned(making->task->context))
            status = weir__upload(weir_context_device(making->task->context, p),
                                  weir_steps_data(steps, list[i].array, p), list[i].values,
                                  list[i].bytes);
    return status;
}

/* How many rows have each value of their readers. */
struct reader_count {
    const uint8_t *readers;
    uint64_t rows[256]; /* relaxed, add; read when all threads are through */
};

static void count_readers(void *user, uint64_t begin, uint64_t end)
{
    struct reader_count *count = user;
    uint64_t rows[256] = {0};
    for (uint64_t row = begin; row < end; row++)
        rows[count->readers[row]]++;
    for (uint32_t value = 0; value < 256; value++)
        if (rows[value])
            (void)__atomic_fetch_add(&count->rows[value], rows[value], __ATOMIC_RELAXED);
}

/* A bit of readers stands for every eighth device. */
static void count_sends(const uint8_t *readers, struct pr_pull_args *args)
{
    struct reader_count count = {.readers = readers + args->rows.begin};
    uint64_t bit[8] = {0};
    weir__parallel_for(args->rows.owned, UINT64_C(1) << 18, 0, count_readers, &count);
    for (unsigned value = 0; value < 256; value++)
        for (unsigned b = 0; b < 8; b++)
            bit[b] += value >> b & 1 ? count.rows[value] : 0;
    for (uint32_t d = 0; d < args->member.count; d++)
        args->sends[d] = d == args->member.index ? 0 : bit[d % 8];
}

static void tell(const struct weir__pr_making *making, uint32_t p)
{
    const struct weir__pr_task *task = making->task;
    const double n = (double)task->vertices, damping = task->config.damping;
    struct pr_pull_args *args = weir_steps_args(making->pull->on.steps, p);
    args->lists.chunks = (uint32_t)making->lists[p].chunks;
    args->lists.pieces = (uint32_t)making->lists[p].pieces;
    args->lists.longs = (uint32_t)making->lists[p].longs;
    args->lists.bands = making->lists[p].bands;
    args->lists.strips = making->lists[p].strips;
    /* By bands a chunk knows a part of a row's length alone, and by bins nobody does. */
    args->symmetric = weir_rows_symmetric(making->pull->on.rows) != 0 &&
                      making->lists[p].bands == 1 && !making->bins.rows;
    args->start = 1 / n;
    args->damping = damping;
    args->teleport = (1 - damping) / n;
    args->spread = task->config.dangling == WEIR_DANGLING_SPREAD ? damping / n : 0;
    args->dangling = (double)task->dangling * (double)(float)args->start;
    args->hubs = making->hubs;
    if (making->bins.rows) {
        const struct weir__pr_part_bins *part = &making->bins.part[p];
        args->bins.rows = making->bins.rows;
        args->bins.bins = part->bins;
        args->bins.numbers = making->bins.numbers;
        args->bins.stretches = making->bins.stretches;
        args->bins.spreads = part->spread.count;
        args->bins.collects = part->collect.count;
        args->bins.commons = part->collect.commons;
        args->bins.common_units = part->collect.common_units;
    }
    if (making->readers)
        count_sends(making->readers, args);
    weir__pr_bounds(&task->config, 0, &args->bounds);
}

/* The devices put arcs into bins, in a run that does nothing else. The tables of cells lie where the shares of arcs will, and a time limit is
 * one of runs that somebody asked for. */
static weir_status build_bins(const struct weir__pr_making *making)
{
    weir_steps *steps = making->pull->on.steps;
    for (uint32_t p = 0; p < making->parts.count; p++) {
        struct pr_bins *bins = &((struct pr_pull_args *)weir_steps_args(steps, p))->bins;
        const uint64_t cells = (uint64_t)bins->bins * bins->stretches;
        bins->building = 1;
        bins->arcs = (uint32_t *)bins->share;
        bins->from = bins->arcs ? bins->arcs + cells : NULL;
        bins->to = bins->arcs ? bins->from + cells : NULL;
    }
    weir_steps_limit(steps, 0);
    weir_status status = weir_steps_run(steps, NULL);
    weir_steps_limit(steps, making->task->options.time_limit_ms);
    for (uint32_t p = 0; p < making->parts.count; p++)
        ((struct pr_pull_args *)weir_steps_args(steps, p))->bins.building = 0;
    return status;
}

static weir_status build(struct weir__pr_making *making)
{
    const struct weir__pr_task *task = making->task;
    weir_rows_config rows = WEIR_ROWS_CONFIG_INIT;
    weir_status status;
    rows.in_arcs = rows.out_degrees = 1;
    status = weir__row_steps_create(&making->pull->on, &form, task->context, task->graph,
                                    task->partition, &task->options, &rows, making);
    for (uint32_t p = 0; p < task->partition->parts && !status; p++) {
        tell(making, p);
        status = place_lists(making, p);
    }
    if (!status && making->bins.rows && !weir__context_planned(task->context))
        status = build_bins(making);
    return status;
}

weir_status weir__pr_pull_create(const struct weir__pr_task *task, struct weir__pr_pull **pull_out)
{
    struct weir__pr_making making = {.task = task};
    struct pr_bounds bounds;
    weir_status status = weir__calloc(1, sizeof *making.pull, "PageRank", &making.pull);
    *pull_out = NULL;
    if (status)
        return status;
    weir__pr_bounds(&task->config, 0, &bounds);
    making.pull->config = task->config;
    making.pull->fine = (int)bounds.fine;
    status = build(&making);
    for (uint32_t p = 0; p < task->partition->parts; p++) {
        weir__pr_lists_free(&making.lists[p]);
        free(making.offsets[p]);
    }
    weir__pr_bins_free(&making.bins);
    free(making.readers);
    if (status)
        weir__pr_pull_destroy(making.pull);
    else
        *pull_out = making.pull;
    return status;
}

weir_status weir__pr_pull_refine(struct weir__pr_pull *pull)
{
    weir_status status = weir__row_steps_take(&pull->on, FINE);
    if (status)
        return status;
    pull->fine = 1;
    for (uint32_t p = 0; p < pull->on.parts; p++) {
        struct pr_pull_args *args = weir_steps_args(pull->on.steps, p);
        weir__pr_bounds(&pull->config, 1, &args->bounds);
    }
    return WEIR_OK;
}

void weir__pr_pull_destroy(struct weir__pr_pull *pull)
{
    if (!pull)
        return;
    weir__row_steps_destroy(&pull->on);
    free(pull);
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Bytes that an iteration, or what comes before and after all, has to move in the memory of a device: each arc
 * and each row once; shares are written, and read once however often they are asked for. */
static uint64_t bytes_of(const struct pr_pull_args *args, uint64_t single, uint64_t fine)
{
    const uint64_t rows = args->rows.owned, numbers = args->rows.numbers;
    const uint64_t row = 1 + (args->symmetric ? 0 : 4) + (args->lists.readers != NULL);
    /* Of longer rows, which are few, bands move nothing more. */
    const uint64_t more = (args->lists.bands - UINT64_C(1)) * (1 + 2 * sizeof(double));
    const uint64_t each =
        args->rows.arcs_in * 4 + args->lists.chunks * sizeof(struct pr_chunk) + rows * (row + more);
    /* With bins: numbers, places, shares twice and rows of arcs in octets, as if all were full; shares of all stretches. */
    const uint64_t binned = args->rows.arcs_in * (4 + 2 * sizeof(float)) + args->rows.arcs_in / 2 +
                            numbers * sizeof(float) + rows * (4 + (args->lists.readers != NULL));
    return single * ((args->bins.bins ? binned : each) + rows * 2 * sizeof(float)) +
           fine * (each + rows * 2 * sizeof(double)) + numbers * (4 + sizeof(float)) +
           rows * (4 + sizeof(double) + (fine ? sizeof(double) : sizeof(float))) +
           (fine ? numbers * (sizeof(float) + sizeof(double)) : 0);
}

void weir__pr_pull_picked(const struct weir__pr_pull *pull, weir_run_stats *stats)
{
    const struct pr_pull_args *first = weir_steps_args(pull->on.steps, 0);
    stats->bands = first->lists.bands;
    stats->hubs = (uint64_t)first->hubs.each * first->hubs.parts;
    for (uint32_t p = 0; p < pull->on.parts; p++)
        stats->bins += ((const struct pr_pull_args *)weir_steps_args(pull->on.steps, p))->bins.bins;
    stats->direction = WEIR_DIRECTION_PULL;
    stats->work.order =
        WEIR_ORDER_AUTO; /* an iteration takes all rows: there is no order to report */
}

static void report(const struct weir__pr_pull *pull, weir_run_stats *stats)
{
    const uint64_t *result = weir_steps_results(pull->on.steps, 0);
    const uint64_t all = result[PR_RESULT_GATHER + 1], single = result[PR_RESULT_SINGLE];
    for (uint32_t p = 0; p < pull->on.parts; p++) {
        const struct pr_pull_args *args = weir_steps_args(pull->on.steps, p);
        stats->bytes += bytes_of(args, single, all - single);
        for (uint32_t d = 0; d < pull->on.parts; d++)
            stats->bytes_sent +=
                args->sends[d] * (single * sizeof(float) + (all - single) * sizeof(double));
    }
    weir__pr_pull_picked(pull, stats);
    stats->steps = all;
    stats->residual = (double)result[PR_RESULT_CHANGE] * PR_UNIT;
    stats->arcs_reached = weir__row_steps_part(&pull->on, 0)->arcs_all;
    stats->reached = stats->least_items = pull->on.vertices;
    stats->work.rounds = all;
    stats->work.processed = all * pull->on.vertices;
    stats->work.atoms = all * stats->arcs_reached;
    stats->gathered = weir_steps_total(pull->on.steps, PR_RESULT_GATHERED);
    stats->turns_stolen = weir_steps_total(pull->on.steps, PR_RESULT_STOLEN);
}

static weir_status run_once(struct weir__pr_pull *pull, weir_run_stats *stats_out)
{
    weir_status status = weir__row_steps_run(&pull->on, stats_out);
    if (!status)
        report(pull, stats_out);
    return status;
}

weir_status weir__pr_pull_run(struct weir__pr_pull *pull, weir_run_stats *stats_out)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = run_once(pull, &stats);
    if (status)
        return status;
    /* The bounds leave room for floats that do not come to rest: once more then, and on with doubles. What is said
     * of the run is of the second attempt, but for its time. */
    if (!pull->fine && !pull->config.iterations && stats.residual >= pull->config.tolerance) {
        const double first_ms = stats.kernel_ms;
        if ((status = weir__pr_pull_refine(pull)) || (status = run_once(pull, &stats)))
            return status;
        stats.kernel_ms += first_ms;
    }
    *stats_out = stats;
    return WEIR_OK;
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* Shares in single precision lose or gain some parts in 10^8 of all rank. Where none is lost by intention the
 * ranks are brought back to a sum of 1, which moves each towards the fixed point. */
static double scale_of(const struct weir__pr_pull *pull)
{
    return pull->config.dangling == WEIR_DANGLING_SPREAD
               ? 1 / ((double)weir_steps_total(pull->on.steps, PR_RESULT_RANKS) * PR_UNIT)
               : 1;
}

struct scaling {
    double *ranks, scale;
};

static void scale(void *user, uint64_t begin, uint64_t end)
{
    const struct scaling *scaling = user;
    for (uint64_t v = begin; v < end; v++)
        scaling->ranks[v] *= scaling->scale;
}

weir_status weir__pr_pull_ranks(const struct weir__pr_pull *pull, double *ranks_out)
{
    struct scaling scaling = {ranks_out, scale_of(pull)};
    weir_status status = weir__row_steps_gather(&pull->on, "ranks", ranks_out);
    if (!status && scaling.scale != 1)
        weir__parallel_for(pull->on.vertices, UINT64_C(1) << 16, 0, scale, &scaling);
    return status;
}

weir_status weir__pr_pull_values(const struct weir__pr_pull *pull, uint32_t device,
                                 weir_values *values_out)
{
    weir_status status = weir__row_steps_values(&pull->on, device, values_out);
    if (!status)
        values_out->scale = scale_of(pull);
    return status;
}
