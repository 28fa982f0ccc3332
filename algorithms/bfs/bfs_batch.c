/** @file bfs_batch.c  Breadth-first search from a batch of sources: the host's side of bfs_batch_step.h. */
#include "algorithms/algorithms.h"
#include "algorithms/bfs/bfs_batch_step.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const weir_steps_body weir__bfs_batch_steps;
static_assert(WEIR_BFS_BATCH_MAX == BATCH_SOURCES, "a source is a bit of a word");

struct weir_bfs_batch {
    struct weir__algorithm head; /* first */
    struct weir__row_steps on;
    weir_direction direction;
    uint32_t most; /* sources of a run */
    int levels;
    int ran_before;                               /* the hubs are listed */
    uint32_t sources;                             /* of the last run */
    struct batch_found found[WEIR_BFS_BATCH_MAX]; /* of it, over all devices */
};

/* ---- memory --------------------------------------------------------------------------------- */

/* A row takes an entry of the queue, and one more for each piece behind its first. */
static uint64_t queue_room(const weir_rows_part *part)
{
    return part->owned + part->arcs_out / BATCH_PIECE + 1;
}

/* Places in a queue are 32 bits. All workers of a device count on from the last one, which must not go round. */
static weir_status entries_fit(struct weir__row_steps *on, void *user)
{
    (void)user;
    for (uint32_t p = 0; p < on->parts; p++) {
        const uint64_t entries = queue_room(weir__row_steps_part(on, p));
        if (entries > UINT32_MAX - (UINT32_C(1) << 24))
            return weir__fail(WEIR_ERR_UNSUPPORTED,
                              "a part has too many vertices and arcs for a batch of sources: %llu "
                              "entries of a queue",
                              (unsigned long long)entries);
    }
    return WEIR_OK;
}

/* What is counted is what runs may write to. A row that is listed has more than BATCH_LONG arcs, a hub more than BATCH_HUB, and so two
 * pieces or more. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need_out)
{
    const weir_bfs_batch *batch = user;
    const weir_device *device = weir_context_device(sizes->context, 0);
    weir__need_take_on(need_out, device, 2 * sizes->numbers * sizes->parts, sizeof(uint64_t));
    weir__need_take_on(need_out, device, sizes->touched + sizes->arcs / BATCH_PIECE,
                       sizeof(struct batch_entry));
    weir__need_take_on(need_out, device, sizes->arcs / BATCH_HUB, sizeof(struct batch_hub));
    weir__need_take_on(need_out, device, sizes->arcs / BATCH_LONG, sizeof(struct batch_long));
    weir__need_take_on(need_out, device, sizes->vertices * (sizes->parts - 1), 16);
    weir__need_take_on(need_out, device, batch->levels ? sizes->vertices * batch->most : 0, 4);
}

#define COUNT(name, elements)                                             \
    static uint64_t name(const void *user, uint32_t p, uint32_t sender)   \
    {                                                                     \
        const weir_bfs_batch *batch = user;                               \
        const weir_rows_part *part = weir__row_steps_part(&batch->on, p); \
        (void)sender;                                                     \
        return elements;                                                  \
    }
COUNT(front_count, UINT64_C(2) * part->numbers)
COUNT(queue_count, queue_room(part))
COUNT(hub_count, part->arcs_in / BATCH_HUB)
COUNT(part_count, part->arcs_in / BATCH_LONG)
COUNT(inbox_count, UINT64_C(2) * part->owned)
COUNT(level_count, batch->levels ? (uint64_t)part->owned * batch->most : 0)

#define CONSTANT(name, elements)                                        \
    static uint64_t name(const void *user, uint32_t p, uint32_t sender) \
    {                                                                   \
        (void)user;                                                     \
        (void)p;                                                        \
        (void)sender;                                                   \
        return elements;                                                \
    }
CONSTANT(alive_count, BATCH_TURNS)
CONSTANT(tail_count, BATCH_TAILS)
CONSTANT(listed_count, 2)
CONSTANT(found_count, BATCH_SOURCES)

#define FIELD(name) offsetof(struct bfs_batch_args, name)
static const weir_steps_array arrays[] = {
    {.name = "seen",
     .extent = WEIR_STEPS_NUMBERS,
     .first = WEIR_STEPS_FILLED,
     .bytes = 8,
     .field = FIELD(seen)},
    {.name = "frontiers",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .count = front_count,
     .bytes = 8,
     .field = FIELD(front)},
    {.name = "alive",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .count = alive_count,
     .bytes = 8,
     .field = FIELD(alive)},
    {.name = "touched", .extent = WEIR_STEPS_NUMBERS, .bytes = 4, .field = FIELD(touched)},
    {.name = "queue",
     .extent = WEIR_STEPS_COUNTED,
     .count = queue_count,
     .bytes = sizeof(struct batch_entry),
     .field = FIELD(queue)},
    {.name = "tails",
     .extent = WEIR_STEPS_COUNTED,
     .first = WEIR_STEPS_FILLED,
     .count = tail_count,
     .bytes = 4,
     .field = FIELD(tail)},
    {.name = "hubs",
     .extent = WEIR_STEPS_COUNTED,
     .count = hub_count,
     .bytes = sizeof(struct batch_hub),
     .field = FIELD(hubs)},
    {.name = "long rows",
     .extent = WEIR_STEPS_COUNTED,
     .count = part_count,
     .bytes = sizeof(struct batch_long),
     .field = FIELD(longs)},
    {.name = "listed rows",
     .extent = WEIR_STEPS_COUNTED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .count = listed_count,
     .bytes = 8,
     .field = FIELD(listed)},
    {.name = "found",
     .extent = WEIR_STEPS_COUNTED,
     .first = WEIR_STEPS_FILLED,
     .count = found_count,
     .bytes = sizeof(struct batch_found),
     .field = FIELD(found)},
    {.name = "level",
     .extent = WEIR_STEPS_COUNTED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .count = level_count,
     .bytes = 4,
     .field = FIELD(level)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = 8,
     .more = 1,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
};

static const weir_steps_phase phases[BATCH_KINDS] = {
    {.name = "top-down", .ns = BATCH_RESULT_NS, .steps = BATCH_RESULT_STEPS},
    {.name = "bottom-up", .ns = BATCH_RESULT_NS + 1, .steps = BATCH_RESULT_STEPS + 1},
    {.name = "switching", .ns = BATCH_RESULT_NS + 2, .steps = BATCH_RESULT_STEPS + 2},
    {.name = "settling all rows", .ns = BATCH_RESULT_NS + 3, .steps = BATCH_RESULT_STEPS + 3}};

static const weir_steps_program program = {.what = "breadth-first search of a batch of sources",
                                           .body = &weir__bfs_batch_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = sizeof phases / sizeof *phases};

static const struct weir__row_form form = {.program = &program,
                                           .rows = FIELD(rows),
                                           .values = "level",
                                           .kind = WEIR_VALUE_I32,
                                           .need = need,
                                           .placed = entries_fit};

/* ---- building ------------------------------------------------------------------------------- */

static weir_status possible(const void *user)
{
    const weir_bfs_batch *batch = user;
    return weir_steps_possible(batch->head.context, batch->head.parts);
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_bfs_batch *batch = (weir_bfs_batch *)head;
    const struct weir__asked asked = {.options = making->options};
    const struct weir__form_case what = {
        .usual = WEIR__FORM_STEP, .possible = possible, .user = batch};
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    int picked;
    weir_status status = weir__form_choose(&weir__bfs_batch_forms, &asked, &what, &picked,
                                           &batch->direction, head->why_form);
    if (status)
        return status;
    *head->why_form = '\0'; /* there is no other */
    config.in_arcs = 1;
    if ((status = weir__row_steps_create(&batch->on, &form, making->context, making->graph,
                                         making->partition, making->options, &config, batch)))
        return status;
    head->on = &batch->on;
    for (uint32_t p = 0; p < batch->on.parts; p++)
        ((struct bfs_batch_args *)weir_steps_args(batch->on.steps, p))->pull =
            batch->direction == WEIR_DIRECTION_PULL;
    return WEIR_OK;
}

/* For plans: the same again, elsewhere. */
struct again {
    const weir_run_options *options;
    const weir_bfs_batch_config *config;
};

static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    const struct again *again = user;
    weir_bfs_batch *batch;
    weir_status status =
        weir_bfs_batch_create(context, graph, partition, again->options, again->config, &batch);
    *object_out = batch;
    return status;
}

static void destroy_again(void *object)
{
    weir_bfs_batch_destroy(object);
}

weir_status weir_bfs_batch_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  const weir_bfs_batch_config *config, weir_bfs_batch **batch_out)
{
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    weir_bfs_batch_config known = WEIR_BFS_BATCH_CONFIG_INIT;
    const struct again again = {&making.known, &known};
    const struct weir__maker maker = {.what = program.what,
                                      .user = &again,
                                      .create = make_again,
                                      .destroy = destroy_again,
                                      .options = &making.known};
    weir_bfs_batch *batch;
    weir_status status;
    *batch_out = NULL;
    if ((status = weir__making_begin(&making)) ||
        (status = weir__sized_in(&known, sizeof known, config, "weir_bfs_batch_config")))
        return status;
    if (known.sources > WEIR_BFS_BATCH_MAX)
        return weir__fail(WEIR_ERR_INVALID, "a batch of %u sources: it has %d at most",
                          known.sources, WEIR_BFS_BATCH_MAX);
    if ((status = weir__calloc(1, sizeof *batch, program.what, &batch)))
        return status;
    batch->most = known.sources ? known.sources : WEIR_BFS_BATCH_MAX;
    batch->levels = known.levels;
    making.maker = &maker;
    if ((status = weir__algorithm_create(&batch->head, &making, WEIR_SHAPE_LEVELS, create))) {
        weir_bfs_batch_destroy(batch);
        return status;
    }
    *batch_out = batch;
    return WEIR_OK;
}

void weir_bfs_batch_destroy(weir_bfs_batch *batch)
{
    if (!batch)
        return;
    weir__row_steps_destroy(&batch->on);
    free(batch);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Refuse what cannot be searched before anything changes. */
static weir_status locate(const weir_bfs_batch *batch, const uint64_t *sources, uint32_t count,
                          uint32_t *numbers_out)
{
    weir_status status = WEIR_OK;
    if (!sources || !count || count > batch->most)
        return weir__fail(WEIR_ERR_INVALID, "a run from %u sources: this batch has 1 to %u", count,
                          batch->most);
    for (uint32_t s = 0; s < count && !status; s++)
        status = weir_rows_locate(batch->on.rows, sources[s], NULL, &numbers_out[s]);
    return status;
}

/* Put together what the devices have found. */
static weir_status gather(weir_bfs_batch *batch)
{
    struct batch_found part[BATCH_SOURCES];
    weir_status status = WEIR_OK;
    memset(batch->found, 0, sizeof batch->found);
    for (uint32_t d = 0; d < batch->on.parts && !status; d++) {
        status = weir__download(weir_context_device(batch->head.context, d), part,
                                weir_steps_data(batch->on.steps, "found", d), sizeof part);
        for (uint32_t s = 0; s < batch->sources && !status; s++) {
            struct batch_found *found = &batch->found[s];
            found->reached += part[s].reached;
            found->sum += part[s].sum;
            found->arcs += part[s].arcs;
            if (part[s].deepest > found->deepest)
                found->deepest = part[s].deepest;
        }
    }
    return status;
}

static void report(const weir_bfs_batch *batch, weir_run_stats *stats)
{
    const weir_steps *steps = batch->on.steps;
    const weir_rows_part *part = weir__row_steps_part(&batch->on, 0);
    const uint64_t supersteps = stats->steps, up = stats->phase[1].steps;
    const uint64_t shares = weir_steps_results(steps, 0)[BATCH_RESULT_SHARES];
    uint64_t deepest = 0;
    for (uint32_t s = 0; s < batch->sources; s++) {
        stats->reached += batch->found[s].reached;
        stats->arcs_reached += batch->found[s].arcs;
        if (batch->found[s].deepest > deepest)
            deepest = batch->found[s].deepest;
    }
    stats->steps = deepest + 1;
    stats->least_items = stats->reached;
    stats->work.processed = weir_steps_total(steps, BATCH_RESULT_ENTRIES) +
                            weir_steps_total(steps, BATCH_RESULT_UP_ROWS);
    stats->work.atoms = weir_steps_total(steps, BATCH_RESULT_DOWN_ARCS) +
                        weir_steps_total(steps, BATCH_RESULT_UP_ARCS);
    stats->work.rounds = supersteps * batch->on.parts;
    /* An arc's target and its word; a row's two offsets, its two words, and an entry of the queue; rows that all bottom-up levels
     * go through, words of those that are settled or listed by going through all. */
    stats->bytes = stats->work.atoms * 12 + stats->work.processed * (16 + 16 + 32) +
                   (up * 16 + stats->phase[3].steps * 8 + (stats->phase[2].steps - shares) * 24) *
                       part->vertices;
    /* An item; and the frontier that all bring to all, at each level bottom-up and on the way there. */
    stats->bytes_sent =
        stats->work.sent * 16 + (up + shares) * part->vertices * 8 * (batch->on.parts - 1);
}

static weir_status run(weir_bfs_batch *batch, const uint64_t *sources, uint32_t count,
                       weir_run_stats *stats_out)
{
    uint32_t numbers[BATCH_SOURCES];
    weir_status status = locate(batch, sources, count, numbers);
    if (status)
        return status;
    for (uint32_t p = 0; p < batch->on.parts; p++) {
        struct bfs_batch_args *args = weir_steps_args(batch->on.steps, p);
        memcpy(args->source, numbers, count * sizeof *numbers);
        args->sources = count;
        args->first_run = !batch->ran_before;
    }
    if ((status = weir__row_steps_run(&batch->on, stats_out)))
        return status;
    batch->ran_before = 1;
    batch->sources = count;
    if ((status = gather(batch)))
        return status;
    if (weir_steps_results(batch->on.steps, 0)[BATCH_RESULT_LEVELS] > (uint64_t)INT32_MAX + 1)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
    report(batch, stats_out);
    return WEIR_OK;
}

weir_status weir_bfs_batch_run(weir_bfs_batch *batch, const uint64_t *sources, uint32_t count,
                               weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&batch->head);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    if ((status =
             run(batch, sources, count, &stats))) /* one that was refused leaves what is there */
        return status == WEIR_ERR_INVALID ? status : weir__algorithm_failed(&batch->head, status);
    stats.direction = batch->direction;
    weir__algorithm_ran(&batch->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

static weir_status has_source(const weir_bfs_batch *batch, uint32_t index)
{
    weir_status status = weir__algorithm_complete(&batch->head, "results");
    if (status)
        return status;
    if (!batch->head.ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no results before a complete run");
    return index < batch->sources
               ? WEIR_OK
               : weir__fail(WEIR_ERR_INVALID,
                            "source number %u: the last run had %u sources, from "
                            "number 0 on",
                            index, batch->sources);
}

weir_status weir_bfs_batch_found(const weir_bfs_batch *batch, uint32_t index,
                                 weir_bfs_found *found_out)
{
    weir_bfs_found found = WEIR_BFS_FOUND_INIT;
    weir_status status = has_source(batch, index);
    if (status)
        return status;
    found.reached = batch->found[index].reached;
    found.arcs_reached = batch->found[index].arcs;
    found.sum_levels = batch->found[index].sum;
    found.max_level = batch->found[index].deepest;
    return weir__sized_out(found_out, &found, sizeof found, "weir_bfs_found");
}

weir_status weir_bfs_batch_levels(const weir_bfs_batch *batch, uint32_t index, int32_t *levels_out)
{
    const void *level[WEIR_DEVICES_MAX] = {NULL};
    weir_status status = has_source(batch, index);
    if (status)
        return status;
    if (!batch->levels)
        return weir__fail(WEIR_ERR_INVALID,
                          "no levels were asked for (weir_bfs_batch_config.levels)");
    for (uint32_t p = 0; p < batch->on.parts; p++) {
        const uint64_t owned = weir__row_steps_part(&batch->on, p)->owned;
        if (owned)
            level[p] =
                (const int32_t *)weir_steps_data(batch->on.steps, "level", p) + index * owned;
    }
    return weir_rows_gather(batch->on.rows, level, sizeof *levels_out, levels_out);
}

weir_status weir_bfs_batch_link_items(const weir_bfs_batch *batch, uint32_t from, uint32_t to,
                                      uint64_t *items_out)
{
    return weir__algorithm_link_items(&batch->head, from, to, items_out);
}

weir_status weir_bfs_batch_explain(const weir_bfs_batch *batch, weir_run_stats *picked_out,
                                   weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir__row_steps_picked(&batch->on, &picked);
    picked.direction = batch->direction;
    return weir__algorithm_explained(&batch->head, &weir__bfs_batch_forms.form[WEIR__FORM_STEP],
                                     &picked, &reasons, picked_out, reasons_out);
}

weir_status weir_bfs_batch_prepared(const weir_bfs_batch *batch, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&batch->head, stats_out);
}

void weir_bfs_batch_cancel(weir_bfs_batch *batch)
{
    weir__algorithm_cancel(&batch->head);
}
