/** @file bfs_in_step.c  Breadth-first search in step on the host's side: its arrays, runs, and what they found. */
#include "algorithms/bfs/bfs_in_step.h"
#include "algorithms/bfs/bfs_step.h"
#include "algorithms/common/steal_host.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

extern const weir_steps_body weir__bfs_step_steps, weir__bfs_steal_steps, weir__bfs_hubs_steps,
    weir__bfs_wire_steps;

/* ---- memory --------------------------------------------------------------------------------- */

/* A row takes an entry of the queue, and one more for each piece behind its first. */
static uint64_t queue_room(const weir_rows_part *part)
{
    return part->owned + part->arcs_out / BFS_PIECE + 1;
}

/* That of a device; one that does narrow levels alone has those of all in its queue, beside its own (bfs_lone_move.h). */
static uint64_t queue_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    uint64_t entries = queue_room(weir__row_steps_part(&in_step->on, p));
    (void)sender;
    for (uint32_t d = 0; d < in_step->on.parts && p == in_step->lone; d++)
        entries += queue_room(weir__row_steps_part(&in_step->on, d));
    return entries;
}

/* Places in a queue are 32 bits, and so is the number of entries that all devices find in a level. Workers count
 * on from the last entry by as many as all of them take at a time, which must not go round. */
static weir_status entries_fit(struct weir__row_steps *on, void *user)
{
    const struct bfs_in_step *in_step = user;
    uint64_t entries = 0;
    for (uint32_t p = 0; p < on->parts; p++)
        entries += queue_room(weir__row_steps_part(on, p));
    if (in_step->lone < on->parts)
        entries = queue_count(in_step, in_step->lone, 0);
    return entries <= UINT32_MAX - (UINT32_C(1) << 24)
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED,
                            "the graph has too many vertices and arcs for a search in step: %llu "
                            "entries of a queue (direction push has no such limit)",
                            (unsigned long long)entries);
}

/* Each device sends a vertex once, along some arc: inboxes are written to as far as there are arcs, and queues
 * as far as these lead. The host makes the bitmap of the graph. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const struct bfs_in_step *in_step = user;
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t sent = sizes->vertices * (sizes->parts - 1);
    const uint64_t entries = sizes->touched + sizes->arcs / BFS_PIECE;
    weir__need_take_on(need, device, in_step->lone == BFS_NONE ? entries : 2 * entries,
                       sizeof(struct bfs_piece));
    if (in_step->wire == WEIR_WIRE_LIST)
        weir__need_take_on(need, device, sizes->arcs < sent ? sizes->arcs : sent,
                           in_step->parents ? 8 : 4);
    else /* an inbox for each other device, and what is kept for it; parents of what is found of others */
        weir__need_take_on(need, device,
                           sizes->numbers / 32 * (sizes->parts - UINT64_C(1) + sizes->parts) +
                               (in_step->parents ? sizes->numbers * (sizes->parts - 1) : 0),
                           4);
    if (in_step->lone != BFS_NONE) {
        weir__need_take_on(need, device, sizes->numbers, in_step->parents ? 8 + 8 : 8 + 4);
        weir__need_take_on(need, device, sizes->arcs, 4);
        weir__need_pass(need, sizes->numbers, 8);
    }
    if (in_step->hubs.rows)
        weir__bfs_hubs_need(sizes, &in_step->hubs, need);
    weir__need_pass(need, sizes->numbers / 32, 4);
}

static uint64_t parent_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_in_step *)user)->parents != 0;
}

/* Each device sends a vertex once; or, level by level, no more than a bitmap has words, and then keeps the parents of what it found of the sender. */
static uint64_t inbox_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    const uint32_t *first = weir__row_steps_part(&in_step->on, p)->first;
    if (in_step->wire != WEIR_WIRE_LIST)
        return (first[p + 1] - first[p]) / 32 +
               (in_step->parents ? first[sender + 1] - first[sender] : 0);
    return weir__row_steps_part(&in_step->on, p)->owned * (in_step->parents ? UINT64_C(2) : 1);
}

/* Two words for each device. */
static uint64_t taken_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_in_step *)user)->on.parts > 1 ? 2 * WEIR_DEVICES_MAX : 0;
}

/* What is kept for others until a level is over. */
static uint64_t met_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    (void)sender;
    return in_step->wire != WEIR_WIRE_LIST
               ? weir__row_steps_part(&in_step->on, p)->numbers / UINT64_C(32)
               : 0;
}

static uint64_t met_of_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_in_step *)user)->wire != WEIR_WIRE_LIST ? WEIR_DEVICES_MAX : 0;
}

/* Parents stay with who found them only where items go without. */
static uint64_t finder_count(const void *user, uint32_t p, uint32_t sender)
{
    return parent_count(user, p, sender) && met_of_count(user, p, sender);
}

/* Only where levels are shared out. */
static uint64_t steals(const void *user, uint64_t count)
{
    return ((const struct bfs_in_step *)user)->balance != WEIR_BALANCE_OFF ? count : 0;
}

static uint64_t chunk_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return steals(user, STEAL_CHUNKS);
}

static uint64_t load_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return steals(user, 2 * STEAL_DEVICES +
                            3); /* arcs, entries, and what else blocks are told that are woken */
}

/* Of the device that does narrow levels alone: the rows of all, and what it finds, by number. */
static uint64_t lone_numbers(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    (void)sender;
    return p == in_step->lone ? weir__row_steps_part(&in_step->on, p)->numbers : 0;
}

static uint64_t lone_offsets(const void *user, uint32_t p, uint32_t sender)
{
    return p == ((const struct bfs_in_step *)user)->lone ? lone_numbers(user, p, sender) + 1 : 0;
}

static uint64_t lone_parents(const void *user, uint32_t p, uint32_t sender)
{
    return ((const struct bfs_in_step *)user)->parents ? lone_numbers(user, p, sender) : 0;
}

static uint64_t lone_targets(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    (void)sender;
    return p == in_step->lone ? weir__row_steps_part(&in_step->on, p)->arcs_all : 0;
}

static uint64_t stretch_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return p == ((const struct bfs_in_step *)user)->lone ? STEAL_DEVICES : 0;
}

/* Of copies of rows of hubs. */
static uint64_t hub_words(const void *user, uint32_t p, uint32_t sender)
{
    const struct bfs_in_step *in_step = user;
    (void)sender;
    return in_step->hubs.rows ? weir__row_steps_part(&in_step->on, p)->numbers / UINT64_C(32) : 0;
}

static uint64_t hub_targets(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return p < STEAL_DEVICES ? ((const struct bfs_in_step *)user)->hubs.arcs[p] : 0;
}

static uint64_t hub_rows(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct bfs_in_step *)user)->hubs.rows;
}

static uint64_t pair_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return steals(user, STEAL_DEVICES * STEAL_DEVICES);
}

#define FIELD(name) offsetof(struct bfs_step_args, name)
static const weir_steps_array arrays[] = {
    {.name = "base", .extent = WEIR_STEPS_WORDS, .bytes = 4, .field = FIELD(base)},
    {.name = "found last", .extent = WEIR_STEPS_WORDS, .bytes = 4, .field = FIELD(last)},
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
    {.name = "listed", .first = WEIR_STEPS_FILLED, .bytes = 8, .field = FIELD(listed)},
    {.name = "taken",
     .extent = WEIR_STEPS_COUNTED,
     .count = taken_count,
     .first = WEIR_STEPS_FILLED,
     .bytes = 8,
     .field = FIELD(taken)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_count,
     .bytes = 4,
     .more = 1,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
    {.name = "met",
     .extent = WEIR_STEPS_COUNTED,
     .count = met_count,
     .bytes = 4,
     .field = FIELD(met)},
    {.name = "met of",
     .extent = WEIR_STEPS_COUNTED,
     .count = met_of_count,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .field = FIELD(met_of)},
    {.name = "finder",
     .extent = WEIR_STEPS_OWNED,
     .count = finder_count,
     .first = WEIR_STEPS_FILLED,
     .fill = BFS_HERE,
     .bytes = 1,
     .more = 1,
     .field = FIELD(finder)},
    {.name = "loads",
     .extent = WEIR_STEPS_COUNTED,
     .count = load_count,
     .bytes = 8,
     .field = FIELD(loads)},
    STEAL_ARRAYS(bfs_step_args, chunk_count, pair_count),
    {.name = "hubs",
     .extent = WEIR_STEPS_COUNTED,
     .count = hub_words,
     .bytes = sizeof(struct bfs_hub_word),
     .field = FIELD(hub_words)},
    {.name = "targets of hubs",
     .extent = WEIR_STEPS_COUNTED,
     .count = hub_targets,
     .bytes = 4,
     .field = FIELD(hub_targets)},
    {.name = "places of hubs",
     .extent = WEIR_STEPS_COUNTED,
     .count = hub_rows,
     .bytes = 8,
     .field = FIELD(hub_shifts)},
    {.name = "stretches",
     .extent = WEIR_STEPS_COUNTED,
     .count = stretch_count,
     .bytes = sizeof(struct bfs_stretch),
     .field = FIELD(stretches)},
    {.name = "offsets of all",
     .extent = WEIR_STEPS_COUNTED,
     .count = lone_offsets,
     .bytes = 8,
     .field = FIELD(lone_offsets)},
    {.name = "targets of all",
     .extent = WEIR_STEPS_COUNTED,
     .count = lone_targets,
     .bytes = 4,
     .field = FIELD(lone_targets)},
    {.name = "level of all",
     .extent = WEIR_STEPS_COUNTED,
     .count = lone_numbers,
     .bytes = 4,
     .field = FIELD(lone_level)},
    {.name = "parent of all",
     .extent = WEIR_STEPS_COUNTED,
     .count = lone_parents,
     .bytes = 4,
     .field = FIELD(lone_parent)},
};

static const weir_steps_phase phases[] = {
    {.name = "top-down", .ns = BFS_RESULT_DOWN_NS, .steps = BFS_RESULT_DOWN_STEPS},
    {.name = "bottom-up", .ns = BFS_RESULT_UP_NS, .steps = BFS_RESULT_UP_STEPS},
    {.name = "switching", .ns = BFS_RESULT_SWITCH_NS, .steps = BFS_RESULT_SWITCH_STEPS},
    {.name = "sharing out", .ns = BFS_RESULT_STEAL_NS, .steps = BFS_RESULT_STEAL_STEPS},
    {.name = "by one device", .ns = BFS_RESULT_LONE_NS, .steps = BFS_RESULT_LONE_STEPS}};
/* The same, but for the last two. */
static const weir_steps_phase wire_phases[] = {
    {.name = "top-down", .ns = BFS_RESULT_DOWN_NS, .steps = BFS_RESULT_DOWN_STEPS},
    {.name = "bottom-up", .ns = BFS_RESULT_UP_NS, .steps = BFS_RESULT_UP_STEPS},
    {.name = "switching", .ns = BFS_RESULT_SWITCH_NS, .steps = BFS_RESULT_SWITCH_STEPS},
    {.name = "folding", .ns = BFS_RESULT_STEAL_NS, .steps = BFS_RESULT_STEAL_STEPS}};
static_assert(sizeof phases >= sizeof wire_phases &&
                  sizeof phases / sizeof *phases <= WEIR_RUN_PHASES,
              "statistics have room for all phases");

/* The last two phases are those of the second program and the third: of levels that are shared out, and of those that one device does. The fourth has
 * one of its own, of levels whose finds are folded. */
#define PROGRAM(steps, its, without)                                        \
    {                                                                       \
        .what = "breadth-first search", .body = &(steps), .arrays = arrays, \
        .array_count = sizeof arrays / sizeof *arrays, .phases = (its),     \
        .phase_count = sizeof(its) / sizeof *(its) - (without)              \
    }
static const weir_steps_program program = PROGRAM(weir__bfs_step_steps, phases, 2);
static const weir_steps_program stealing = PROGRAM(weir__bfs_steal_steps, phases, 0);
static const weir_steps_program copying = PROGRAM(weir__bfs_hubs_steps, phases, 0);
static const weir_steps_program wiring = PROGRAM(weir__bfs_wire_steps, wire_phases, 0);

#define FORM(its)                                                                          \
    {                                                                                      \
        .program = &(its), .rows = FIELD(rows), .values = "level", .kind = WEIR_VALUE_I32, \
        .tree = "parent", .need = need, .placed = entries_fit                              \
    }
static const struct weir__row_form form = FORM(program), form_that_steals = FORM(stealing),
                                   form_that_copies = FORM(copying), form_that_folds = FORM(wiring);

/* ---- lists and bitmaps ---------------------------------------------------------------------- */

static weir_status refuse_bitmap(const char *why)
{
    return weir__fail(WEIR_ERR_UNSUPPORTED, "wire bitmap %s: leave it out", why);
}

/* Bitmaps are of what goes top-down from one device to another. */
static weir_status bitmap_fits(uint32_t parts, const weir_run_options *options)
{
    if (parts < 2)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "wire bitmap is of what devices send each other, and this search runs on one: leave it "
            "out, or give a partition over several");
    if (options->direction == WEIR_DIRECTION_PULL)
        return refuse_bitmap("is of levels that go top-down, and with direction pull none does");
    if (options->balance != WEIR_BALANCE_OFF)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "wire bitmap does not go with balance %s, whose levels send lists: leave "
                          "one of them out",
                          weir_balance_text(options->balance));
    return WEIR_OK;
}

/* What auto becomes. Where a search may go bottom-up, levels in which lists are long do, and tell each other by whole bitmaps anyway: then a
 * phase more in each level buys nothing. */
static weir_wire wire_of(uint32_t parts, const weir_run_options *options)
{
    const int longer = options->direction == WEIR_DIRECTION_DOWN && parts > 1 &&
                       options->balance == WEIR_BALANCE_OFF;
    return options->wire == WEIR_WIRE_AUTO && !longer ? WEIR_WIRE_LIST : options->wire;
}

/* Whether levels may be eager (bfs_step_eager.h): the rows are short, each of them, since whoever takes a row in looks at all its
 * arcs; there is something to take in; and no tree is wanted. */
static int may_be_eager(const struct bfs_in_step *in_step, uint32_t parts, const weir_graph *graph,
                        uint64_t longest)
{
    return parts > 1 && !in_step->parents && in_step->wire == WEIR_WIRE_LIST &&
           in_step->direction == WEIR_DIRECTION_SWITCH &&
           graph->arcs < BFS_SHORT * graph->vertices && longest <= BFS_PIECE;
}

/* Arcs of the longest row, before rows are placed. */
static uint64_t longest_of(const weir_graph *graph)
{
    uint64_t longest = graph->offsets ? 0 : graph->vertices; /* a sketch for a plan */
    for (uint64_t v = 0; v < graph->vertices && graph->offsets; v++) {
        const uint64_t arcs = graph->offsets[v + 1] - graph->offsets[v];
        longest = arcs > longest ? arcs : longest;
    }
    return longest;
}

/* How many looks bottom-up one top-down is worth. All devices have to decide the same, so one that is none lowers it for all. */
static uint32_t gain_of(weir_context *context, uint32_t parts)
{
    for (uint32_t p = 0; p < parts; p++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(context, p), &info);
        if (info.kind == WEIR_DEVICE_HOST)
            return BFS_UP_GAIN_HOST;
    }
    return BFS_UP_GAIN;
}

/* ---- building ------------------------------------------------------------------------------- */

static weir_status build(struct bfs_in_step *in_step, weir_context *context,
                         const weir_graph *graph, const weir_partition *partition,
                         const weir_run_options *options)
{
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    uint32_t *base = NULL;
    weir_status status;
    /* Of a graph that has the reverse of every arc in-arcs take nothing, and save a pass over the arcs. */
    config.in_arcs = in_step->direction != WEIR_DIRECTION_DOWN || graph->mirrored;
    config.out_bytes = 1;
    config.firsts = in_step->direction != WEIR_DIRECTION_DOWN;
    if ((options->wire == WEIR_WIRE_BITMAP && (status = bitmap_fits(partition->parts, options))) ||
        (status = weir__bfs_steal_fits(partition, options)))
        return status;
    in_step->wire = wire_of(partition->parts, options);
    /* Eager levels are worth more than what narrow levels have to share out. The longest row is looked for where it decides. */
    if (options->balance && (options->balance != WEIR_BALANCE_FRONTIER ||
                             !(may_be_eager(in_step, partition->parts, graph, 0) &&
                               may_be_eager(in_step, partition->parts, graph, longest_of(graph)))))
        in_step->balance = options->balance;
    if ((status = weir__bfs_lone_of(in_step->balance, context, partition->parts, &in_step->lone)))
        return status;
    if (in_step->balance == WEIR_BALANCE_FRONTIER || in_step->balance == WEIR_BALANCE_BOTH)
        weir__bfs_hubs_of(context, graph, partition, &in_step->hubs);
    status = weir__row_steps_create(&in_step->on,
                                    in_step->hubs.rows                ? &form_that_copies
                                    : in_step->balance                ? &form_that_steals
                                    : in_step->wire != WEIR_WIRE_LIST ? &form_that_folds
                                                                      : &form,
                                    context, graph, partition, options, &config, in_step);
    if (status || weir__context_planned(context) ||
        (status = weir__bfs_in_step_base(in_step, graph, &base)))
        return status;
    const uint32_t gain = gain_of(context, in_step->on.parts);
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++) {
        struct bfs_step_args *args = weir_steps_args(in_step->on.steps, p);
        args->unfound = in_step->unfound;
        args->pull = in_step->direction == WEIR_DIRECTION_PULL;
        args->down = in_step->direction == WEIR_DIRECTION_DOWN;
        args->gain = gain;
        args->eager =
            !in_step->balance && may_be_eager(in_step, in_step->on.parts, graph, in_step->longest);
        args->bytes = in_step->longest < WEIR_ROWS_BYTE;
        args->wire = (uint32_t)in_step->wire;
        args->lines = weir_rows_memory(in_step->on.rows) == WEIR_MEMORY_HOST;
        /* Levels bottom-up write words of rows that have arcs, and no others. */
        static const char *const marked[] = {"base", "found last", "found next"};
        for (uint32_t i = 0; i < 3 && !status; i++)
            status = weir__upload(weir_context_device(context, p),
                                  weir_steps_data(in_step->on.steps, marked[i], p), base,
                                  (size_t)args->rows.numbers / 8);
    }
    free(base);
    return status ? status : weir__bfs_steal_bind(in_step);
}

weir_status weir__bfs_in_step_create(weir_context *context, const weir_graph *graph,
                                     const weir_partition *partition,
                                     const weir_run_options *options,
                                     struct bfs_in_step **in_step_out)
{
    struct bfs_in_step *in_step;
    weir_status status;
    *in_step_out = NULL;
    if ((status = weir__calloc(1, sizeof *in_step, "breadth-first search", &in_step)))
        return status;
    in_step->direction = options->direction;
    in_step->parents = options->parents;
    in_step->previous = in_step->lone = BFS_NONE;
    if ((status = build(in_step, context, graph, partition, options))) {
        weir__bfs_in_step_destroy(in_step);
        return status;
    }
    *in_step_out = in_step;
    return WEIR_OK;
}

void weir__bfs_in_step_destroy(struct bfs_in_step *in_step)
{
    if (!in_step)
        return;
    weir__row_steps_destroy(&in_step->on);
    free(in_step);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct bfs_in_step *in_step, enum bfs_result which)
{
    return weir_steps_total(in_step->on.steps, which);
}

static void report(const struct bfs_in_step *in_step, weir_run_stats *stats)
{
    const weir_rows_part *part = weir__row_steps_part(&in_step->on, 0);
    const uint64_t *first = weir_steps_results(in_step->on.steps, 0);
    const uint64_t words = part->numbers / 32, supersteps = stats->steps;
    stats->reached = in_step->reached + sum_of(in_step, BFS_RESULT_ALONE);
    stats->arcs_reached = in_step->arcs_reached;
    stats->steps = first[BFS_RESULT_LEVELS];
    stats->work.processed =
        sum_of(in_step, BFS_RESULT_PIECES) + sum_of(in_step, BFS_RESULT_UP_ROWS);
    stats->work.atoms = sum_of(in_step, BFS_RESULT_DOWN_ARCS) + sum_of(in_step, BFS_RESULT_UP_ARCS);
    stats->work.flushes = sum_of(in_step, BFS_RESULT_FLUSHES);
    stats->shared = sum_of(in_step, BFS_RESULT_SHARED);
    stats->unlisted = sum_of(in_step, BFS_RESULT_UNLISTED);
    stats->firsts = sum_of(in_step, BFS_RESULT_UP_FIRSTS);
    stats->eager = first[BFS_RESULT_EAGER];
    stats->work.rounds = supersteps * in_step->on.parts;
    /* An arc's target and its bit; a row's offset, its level, and an entry of the queue; bottom-up two offsets of rows that
     * their first arc did not settle, and a level and a degree of those that it did. */
    stats->bytes = stats->work.atoms * 8 + sum_of(in_step, BFS_RESULT_PIECES) * (8 + 4 + 32) +
                   (sum_of(in_step, BFS_RESULT_UP_ROWS) - stats->firsts) * 16 + stats->firsts * 5 +
                   first[BFS_RESULT_UP_STEPS] * words * 8;
    /* An item; and a bitmap that all bring to all, at each level bottom-up and on the way there. Of several
     * devices the steps between the ways are there, back, there, ... */
    stats->bytes_sent =
        (in_step->wire != WEIR_WIRE_LIST
             ? sum_of(in_step, BFS_RESULT_WIRE_BYTES) + sum_of(in_step, BFS_RESULT_ASKED) * 4
             : stats->work.sent * (in_step->parents ? 8 : 4)) +
        (first[BFS_RESULT_UP_STEPS] + (first[BFS_RESULT_SWITCH_STEPS] + 1) / 2) * words * 4 *
            (in_step->on.parts - 1);
    if (in_step->wire != WEIR_WIRE_LIST)
        stats->bitmaps = sum_of(in_step, BFS_RESULT_BITMAPS);
    weir__bfs_steal_report(in_step, stats);
}

/* On the device they are 32 bits without a sign. */
static weir_status levels_fit(const struct bfs_in_step *in_step)
{
    return weir_steps_results(in_step->on.steps, 0)[BFS_RESULT_LEVELS] <= (uint64_t)INT32_MAX + 1
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "levels above %d do not fit", INT32_MAX);
}

weir_status weir__bfs_in_step_run(struct bfs_in_step *in_step, uint64_t source,
                                  weir_run_stats *stats_out)
{
    uint32_t number;
    weir_status status = weir_rows_locate(in_step->on.rows, source, NULL, &number);
    if (status)
        return status;
    for (uint32_t p = 0; p < in_step->on.parts; p++) {
        struct bfs_step_args *args = weir_steps_args(in_step->on.steps, p);
        args->source = number;
        args->previous = in_step->previous;
    }
    if ((status = weir__row_steps_run(&in_step->on, stats_out)))
        return status;
    in_step->previous = number;
    in_step->reached += sum_of(in_step, BFS_RESULT_REACHED);
    in_step->arcs_reached += sum_of(in_step, BFS_RESULT_ARCS);
    if ((status = levels_fit(in_step)))
        return status;
    report(in_step, stats_out);
    return WEIR_OK;
}

weir_status weir__bfs_in_step_levels(const struct bfs_in_step *in_step, int32_t *levels_out)
{
    return weir__row_steps_gather(&in_step->on, "level", levels_out);
}

weir_status weir__bfs_in_step_parents(const struct bfs_in_step *in_step, int64_t *parents_out)
{
    return weir__row_steps_gather_wide(&in_step->on, "parent", VALUES_AS_VERTICES, parents_out);
}
