/** @file sssp_in_step.c  Shortest paths in step on the host's side: its arrays, runs, and what they found. */
#include "algorithms/common/steal_host.h"
#include "algorithms/sssp/sssp_in_step.h"
#include "algorithms/sssp/sssp_step.h"
#include "runtime/config.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 4096 /* items of an inbox, where nothing else is said */
/* There is room for one of so many rows as a candidate; where more are, the next pull looks at all rows. On R-MAT graphs one of 8 rows
 * that are pulled is one, on uniform ones one of 5. */
#define CANDIDATES_OF 4

static_assert((int)SSSP_STEP_RESULTS <= (int)WEIR_STEPS_RESULTS, "a device's results");

extern const weir_steps_body weir__sssp_step_steps, weir__sssp_steal_steps;

/* What comes over the link for an arc of another device: its target and its weight. */
#define FAR_ARC_BYTES 8
/* Where results of a run are that shares pieces out. */
static const struct weir__steal_results stolen = {.looked = SSSP_STEP_RESULT_PUSHED,
                                                  .without = WEIR_STEPS_RESULTS,
                                                  .owner = SSSP_STEP_RESULT_FOR,
                                                  .entries = SSSP_STEP_RESULT_STOLEN,
                                                  .steps = SSSP_STEP_RESULT_STEPS + SSSP_STEP_COUNT,
                                                  .most_owned = SSSP_STEP_RESULT_MOST_OWNED,
                                                  .most_done = SSSP_STEP_RESULT_MOST_DONE,
                                                  .copied = WEIR_STEPS_RESULTS,
                                                  .arc_bytes = FAR_ARC_BYTES,
                                                  .entry_bytes = sizeof(struct sssp_step_piece)};

/* ---- memory --------------------------------------------------------------------------------- */

/* As far as it is written to: pieces are of arcs, and so are items. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t n = sizes->vertices, room = n + sizes->parts * (uint64_t)ROOM_LEAST;
    (void)user;
    weir__need_take_on(need, device, n / SSSP_STEP_FLAGGED + sizes->parts, 2 * 4);
    weir__need_take_on(need, device, 2 * (n / CANDIDATES_OF + sizes->parts), 4);
    weir__need_take_on(need, device, sizes->arcs / SSSP_STEP_PIECE,
                       2 * sizeof(struct sssp_step_piece));
    if (sizes->parts > 1)
        weir__need_take_on(need, device, sizes->arcs < room ? sizes->arcs : room, 8);
}

/* Most pieces of a step: every row is cut at once. */
static uint64_t most_pieces(const struct sssp_in_step *in_step, const weir_rows_part *part)
{
    const uint32_t *degree = weir_rows_degrees(in_step->on.rows);
    const uint32_t before = SSSP_STEP_BEFORE;
    uint64_t pieces = 0;
    if (!degree) /* of a sketch */
        return part->arcs_out / SSSP_STEP_PIECE;
    degree += part->begin;
    for (uint32_t r = 0; r < part->owned; r++)
        if (degree[r] > before)
            pieces += (degree[r] - before + UINT64_C(0) + SSSP_STEP_PIECE - 1) / SSSP_STEP_PIECE;
    return pieces;
}

static weir_status look_at_rows(struct weir__row_steps *on, void *user)
{
    struct sssp_in_step *in_step = user;
    for (uint32_t p = 0; p < on->parts; p++) {
        in_step->pieces[p] = most_pieces(in_step, weir__row_steps_part(on, p));
        if (in_step->pieces[p] > UINT32_MAX)
            return weir__fail(WEIR_ERR_UNSUPPORTED,
                              "part %u has too many arcs for shortest paths in step: direction "
                              "push, or more devices",
                              p);
    }
    return WEIR_OK;
}

/* Rows at the end that have no arcs are written to only if the source is one, and set back by the next run. The
 * distances of several devices have such rows between others. */
static uint64_t distances_written(const void *user, uint32_t p)
{
    const struct sssp_in_step *in_step = user;
    const weir_rows_part *part = weir__row_steps_part(&in_step->on, p);
    return part->parts == 1 ? part->busy : part->numbers;
}

/* Stamps of so many rows, in whole sectors of both parities. Rows that fill their sectors get one more, so that no array is empty. */
static uint64_t stamps_of(uint64_t rows)
{
    return (rows / (SSSP_STEP_FLAGGED * SSSP_STEP_SECTOR) + 1) * 2 * SSSP_STEP_SECTOR;
}

/* Those of rows that have arcs, in the same way. */
static uint64_t stamps_written(const void *user, uint32_t p)
{
    const struct sssp_in_step *in_step = user;
    return stamps_of(weir__row_steps_part(&in_step->on, p)->busy);
}

/* Of even and of odd iterations. */
static uint64_t pieces_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return 2 * ((const struct sssp_in_step *)user)->pieces[p];
}

/* As candidates of one iteration, of which there may be two lists. */
static uint64_t most_candidates(const struct sssp_in_step *in_step, uint32_t p)
{
    return weir__row_steps_part(&in_step->on, p)->owned / CANDIDATES_OF + UINT64_C(1);
}

static uint64_t candidates_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)sender;
    return 2 * most_candidates(user, p);
}

static uint64_t parent_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct sssp_in_step *)user)->parents != 0;
}

/* Only where pieces are shared out. */
static uint64_t chunk_count(const void *user, uint32_t p, uint32_t sender)
{
    (void)p;
    (void)sender;
    return ((const struct sssp_in_step *)user)->balance != WEIR_BALANCE_OFF ? STEAL_CHUNKS : 0;
}

static uint64_t pair_count(const void *user, uint32_t p, uint32_t sender)
{
    return chunk_count(user, p, sender) ? STEAL_DEVICES * STEAL_DEVICES : 0;
}

static uint64_t peer_count(const void *user, uint32_t p, uint32_t sender)
{
    return chunk_count(user, p, sender) ? STEAL_DEVICES : 0;
}

static uint64_t stamp_count(const void *user, uint32_t p, uint32_t sender)
{
    const struct sssp_in_step *in_step = user;
    (void)sender;
    return stamps_of(weir__row_steps_part(&in_step->on, p)->owned);
}

/* Items of each inbox of a device. In an iteration a sender tells of a vertex once, mostly, and rarely of many; all inboxes
 * together have an item for each own vertex, or a sender has as many as WEIR_QUEUE_ITEMS says. */
static uint64_t inbox_room(const void *user, uint32_t p, uint32_t sender)
{
    const struct sssp_in_step *in_step = user;
    const uint32_t owned = weir__row_steps_part(&in_step->on, p)->owned;
    uint64_t room = weir__config_get(weir_context_config(in_step->on.context), WEIR__QUEUE_ITEMS);
    (void)sender;
    if (!room)
        room = owned / (in_step->on.parts - UINT64_C(1)) + ROOM_LEAST;
    return room < UINT32_MAX ? room : UINT32_MAX;
}

#define FIELD(name) offsetof(struct sssp_step_args, name)
static const weir_steps_array arrays[] = {
    {.name = "distance",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     .written = distances_written,
     .field = FIELD(tent)},
    {.name = "stamp",
     .extent = WEIR_STEPS_COUNTED,
     .count = stamp_count,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .written = stamps_written,
     .field = FIELD(stamp)},
    {.name = "done",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .bytes = 4,
     .field = FIELD(done)},
    {.name = "cursor",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .bytes = 4,
     .field = FIELD(cursor)},
    {.name = "parent",
     .extent = WEIR_STEPS_OWNED,
     .count = parent_count,
     .first = WEIR_STEPS_FILLED_ONCE,
     .fill = 0xFF,
     .bytes = 4,
     .field = FIELD(parent)},
    {.name = "pieces",
     .extent = WEIR_STEPS_COUNTED,
     .count = pieces_count,
     .bytes = sizeof(struct sssp_step_piece),
     .more = 1,
     .field = FIELD(piece)},
    {.name = "candidates",
     .extent = WEIR_STEPS_COUNTED,
     .count = candidates_count,
     .bytes = 4,
     .field = FIELD(candidate)},
    {.name = "count of candidates",
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .more = SSSP_STEP_SLOTS - 1,
     .field = FIELD(candidates)},
    {.name = "count of pieces",
     .first = WEIR_STEPS_FILLED,
     .bytes = 4,
     .more = SSSP_STEP_SLOTS - 1,
     .field = FIELD(piece_count)},
    {.name = "least distance",
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .fill = 0xFF,
     .bytes = 4,
     .more = SSSP_STEP_SLOTS - 1,
     .field = FIELD(low)},
    {.name = "inbox",
     .extent = WEIR_STEPS_COUNTED,
     .holding = WEIR_STEPS_INBOXES,
     .count = inbox_room,
     .bytes = 8,
     .field = FIELD(inbox),
     .outbox = FIELD(outbox)},
    {.name = "peers",
     .extent = WEIR_STEPS_COUNTED,
     .count = peer_count,
     .bytes = sizeof(struct sssp_peer),
     .field = FIELD(peer)},
    STEAL_ARRAYS(sssp_step_args, chunk_count, pair_count),
};

#define PHASE(title, kind)                                   \
    {                                                        \
        .name = (title), .ns = SSSP_STEP_RESULT_NS + (kind), \
        .steps = SSSP_STEP_RESULT_STEPS + (kind)             \
    }
static const weir_steps_phase phases[SSSP_STEP_KINDS] = {
    PHASE("light push", SSSP_STEP_LIGHT), PHASE("exchange", SSSP_STEP_EXCHANGE),
    PHASE("heavy pull", SSSP_STEP_PULL),  PHASE("heavy push", SSSP_STEP_PUSH),
    PHASE("absorb", SSSP_STEP_ABSORB),    PHASE("tree", SSSP_STEP_TREE),
    PHASE("sharing out", SSSP_STEP_COUNT)};
static_assert((int)SSSP_STEP_KINDS <= (int)WEIR_RUN_PHASES, "statistics have room for all phases");

/* The last phase is that of the second program. */
#define PROGRAM(steps, without)                                          \
    {                                                                    \
        .what = "shortest paths", .body = &(steps), .arrays = arrays,    \
        .array_count = sizeof arrays / sizeof *arrays, .phases = phases, \
        .phase_count = SSSP_STEP_KINDS - (without)                       \
    }
static const weir_steps_program program = PROGRAM(weir__sssp_step_steps, 1);
static const weir_steps_program stealing = PROGRAM(weir__sssp_steal_steps, 0);

#define FORM(its)                                                                             \
    {                                                                                         \
        .program = &(its), .rows = FIELD(part), .values = "distance", .kind = WEIR_VALUE_U32, \
        .gathered = VALUES_AS_DOUBLES, .tree = "parent", .need = need, .placed = look_at_rows \
    }
static const struct weir__row_form form = FORM(program), form_that_steals = FORM(stealing);

/* ---- building ------------------------------------------------------------------------------- */

weir_status weir__sssp_in_step_possible(const weir_context *context, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t j = 0; j < parts; j++)
            if (i != j && !weir_device_atomics(weir_context_device(context, i),
                                               weir_context_device(context, j)))
                return weir__fail(WEIR_ERR_UNSUPPORTED,
                                  "device %u has no atomics on the memory of device %u", i, j);
    return WEIR_OK;
}

/* What is in no table. */
static void bind(struct sssp_in_step *in_step, uint32_t p)
{
    struct sssp_step_args *args = weir_steps_args(in_step->on.steps, p);
    const uint32_t *degree = weir_rows_degrees(in_step->on.rows);
    uint32_t hubs = 0;
    while (degree && hubs < args->part.busy &&
           degree[args->part.begin + hubs] >= SSSP_STEP_HUB_ARCS)
        hubs++;
    for (uint32_t d = 0; d < in_step->on.parts && in_step->on.parts > 1; d++)
        args->room[d] = (uint32_t)inbox_room(in_step, d, p);
    args->pairs = *weir_rows_pairs_of(in_step->on.rows, p);
    args->delta = in_step->delta;
    args->tree = in_step->parents != 0;
    args->direct =
        (uint32_t)weir__config_get(weir_context_config(in_step->on.context), WEIR__DIRECT_ITEMS);
    args->candidates_most = (uint32_t)most_candidates(in_step, p);
    args->pieces_most = (uint32_t)in_step->pieces[p];
    args->lines = weir_rows_memory(in_step->on.rows) == WEIR_MEMORY_HOST;
    args->hubs = hubs / SSSP_STEP_FLAGGED * SSSP_STEP_FLAGGED;
}

/* Tell devices that share pieces out of each other's lists and arcs. */
static weir_status bind_peers(const struct sssp_in_step *in_step)
{
    const struct weir__row_steps *on = &in_step->on;
    struct sssp_peer peer[STEAL_DEVICES] = {{{NULL, NULL}, NULL}};
    weir_status status = WEIR_OK;
    for (uint32_t q = 0; q < on->parts; q++) {
        peer[q].piece[0] = weir_steps_data(on->steps, "pieces", q);
        peer[q].piece[1] = peer[q].piece[0] + in_step->pieces[q];
        peer[q].pairs = weir_rows_pairs_of(on->rows, q)->out;
    }
    for (uint32_t p = 0; p < on->parts && !status; p++)
        status = weir__upload(weir_context_device(on->context, p),
                              weir_steps_data(on->steps, "peers", p), peer, sizeof peer);
    return status ? status
                  : weir__steal_bind(on, offsetof(struct sssp_step_args, steal), FAR_ARC_BYTES);
}

/* Where arcs lie in host memory, first arcs of rows are kept where there is room for them: pulls go without them, too. */
static weir_status place(struct sssp_in_step *in_step, weir_context *context,
                         const weir_graph *graph, const weir_partition *partition,
                         const weir_run_options *options)
{
    const struct weir__row_form *its =
        in_step->balance == WEIR_BALANCE_OFF ? &form : &form_that_steals;
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    config.in_arcs = config.weights = config.by_weight = 1;
    config.pairs = config.firsts = 1;
    weir_status status = weir__row_steps_create(&in_step->on, its, context, graph, partition,
                                                options, &config, in_step);
    if (status != WEIR_ERR_NOMEM || options->memory != WEIR_MEMORY_HOST)
        return status;
    weir__row_steps_destroy(&in_step->on);
    memset(&in_step->on, 0, sizeof in_step->on);
    config.firsts = 0;
    return weir__row_steps_create(&in_step->on, its, context, graph, partition, options, &config,
                                  in_step);
}

weir_status weir__sssp_in_step_create(weir_context *context, const weir_graph *graph,
                                      const weir_partition *partition,
                                      const weir_run_options *options, uint32_t delta,
                                      struct sssp_in_step **in_step_out)
{
    struct sssp_in_step *in_step;
    weir_status status;
    *in_step_out = NULL;
    if ((status = weir__steal_fits(partition, options)) ||
        (status = weir__calloc(1, sizeof *in_step, "shortest paths", &in_step)))
        return status;
    in_step->balance = options->balance;
    in_step->delta = delta;
    in_step->parents = options->parents;
    in_step->previous = SSSP_STEP_NONE;
    in_step->zero = SSSP_STEP_ZERO; /* marks are filled when they are taken */
    status = place(in_step, context, graph, partition, options);
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++)
        bind(in_step, p);
    if (!status && in_step->balance != WEIR_BALANCE_OFF && !weir__context_planned(context))
        status = bind_peers(in_step);
    if (status) {
        weir__sssp_in_step_destroy(in_step);
        return status;
    }
    *in_step_out = in_step;
    return WEIR_OK;
}

void weir__sssp_in_step_destroy(struct sssp_in_step *in_step)
{
    if (!in_step)
        return;
    weir__row_steps_destroy(&in_step->on);
    free(in_step);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct sssp_in_step *in_step, enum sssp_step_result which)
{
    return weir_steps_total(in_step->on.steps, which);
}

void weir__sssp_in_step_picked(const struct sssp_in_step *in_step, weir_run_stats *stats)
{
    stats->direction = WEIR_DIRECTION_SWITCH;
    stats->work.delta = in_step->delta;
    stats->work.order = WEIR_ORDER_SOFT;
    stats->balance = in_step->balance;
}

static void report(const struct sssp_in_step *in_step, weir_run_stats *stats)
{
    const uint64_t items = stats->work.sent;
    const uint64_t values = sum_of(in_step, SSSP_STEP_RESULT_VALUES) * (in_step->on.parts - 1);
    stats->reached = sum_of(in_step, SSSP_STEP_RESULT_REACHED);
    stats->arcs_reached = sum_of(in_step, SSSP_STEP_RESULT_ARCS);
    weir__sssp_in_step_picked(in_step, stats);
    stats->work.rounds = stats->steps * in_step->on.parts;
    stats->work.processed = sum_of(in_step, SSSP_STEP_RESULT_ROWS);
    stats->work.atoms =
        sum_of(in_step, SSSP_STEP_RESULT_PUSHED) + sum_of(in_step, SSSP_STEP_RESULT_PULLED);
    stats->work.sent = items + values;
    /* Of an arc its weight, its target and that one's distance; of a row two offsets, its distance, what was
     * done of it and its cursor. */
    stats->bytes = stats->work.atoms * 12 + stats->work.processed * (16 + 4 + 4 + 4);
    stats->bytes_sent = items * 8 + values * 4;
    stats->direct = sum_of(in_step, SSSP_STEP_RESULT_DIRECT);
    stats->candidates = sum_of(in_step, SSSP_STEP_RESULT_CANDIDATES);
    stats->firsts = sum_of(in_step, SSSP_STEP_RESULT_FIRSTS);
    if (in_step->balance != WEIR_BALANCE_OFF)
        weir__steal_report(&in_step->on, &stolen, stats);
}

/* Take the marks of all runs back. It is done before a kernel starts, so that it is not in the time of kernels. */
static weir_status clear_marks(struct sssp_in_step *in_step)
{
    const weir_steps *steps = in_step->on.steps;
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++) {
        const struct sssp_step_args *args = weir_steps_args(steps, p);
        if (args->done) /* a part may have no rows */
            status = weir_queue_fill(weir_steps_queue(steps, p), args->done, 0,
                                     args->part.owned * sizeof *args->done);
    }
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++)
        status = weir_queue_sync(weir_steps_queue(steps, p));
    in_step->zero = status ? 0 : SSSP_STEP_ZERO;
    return status;
}

/* What a run with this zero leaves for the next one: a zero of its own with room above it, or 0. */
static uint32_t zero_behind(uint32_t zero)
{
    const uint64_t next = zero + UINT64_C(1) + SSSP_STEP_ROOM;
    return next + SSSP_STEP_ROOM <= UINT32_MAX ? (uint32_t)next : 0;
}

static void set_args(struct sssp_in_step *in_step, uint32_t number)
{
    for (uint32_t p = 0; p < in_step->on.parts; p++) {
        struct sssp_step_args *args = weir_steps_args(in_step->on.steps, p);
        const uint32_t row = number - args->part.begin; /* if it is the part's */
        args->source = number;
        args->previous = in_step->previous;
        args->zero = in_step->zero;
        args->busy = row < args->part.owned && row >= args->part.busy ? row + 1 : args->part.busy;
    }
}

/* Run the kernels once. @param[out] again_out  whether they met distances that marks had no room for. */
static weir_status run_once(struct sssp_in_step *in_step, uint32_t number,
                            weir_run_stats *stats_out, int *again_out)
{
    weir_status status = in_step->zero ? WEIR_OK : clear_marks(in_step);
    const uint32_t zero = in_step->zero;
    if (status)
        return status;
    set_args(in_step, number);
    in_step->zero = 0; /* what a run that fails has marked is not known */
    if ((status = weir__row_steps_run(&in_step->on, stats_out)))
        return status;
    in_step->previous = number;
    in_step->large |= sum_of(in_step, SSSP_STEP_RESULT_LARGE) != 0;
    in_step->zero = in_step->large ? 0 : zero_behind(zero);
    *again_out = in_step->large && zero != SSSP_STEP_ZERO;
    return WEIR_OK;
}

/* The first run after marks were cleared has room for all distances, other runs for those below SSSP_STEP_ROOM. A run that
 * meets a larger one is done again behind a clearing, and from then on they are cleared before each run of the object. */
weir_status weir__sssp_in_step_run(struct sssp_in_step *in_step, uint64_t source,
                                   weir_run_stats *stats_out, int *far_out)
{
    uint32_t number;
    int again = 0;
    weir_status status = weir_rows_locate(in_step->on.rows, source, NULL, &number);
    if (status || (status = run_once(in_step, number, stats_out, &again)))
        return status;
    if (again) {
        const double first_ms = stats_out->kernel_ms;
        if ((status = run_once(in_step, number, stats_out, &again)))
            return status;
        stats_out->kernel_ms += first_ms;
    }
    report(in_step, stats_out);
    *far_out = sum_of(in_step, SSSP_STEP_RESULT_FAR) != 0;
    return WEIR_OK;
}

weir_status weir__sssp_in_step_distances(const struct sssp_in_step *in_step, double *distances_out)
{
    return weir__row_steps_gather_wide(&in_step->on, "distance", VALUES_AS_DOUBLES, distances_out);
}

weir_status weir__sssp_in_step_parents(const struct sssp_in_step *in_step, int64_t *parents_out)
{
    return weir__row_steps_gather_wide(&in_step->on, "parent", VALUES_AS_VERTICES, parents_out);
}

weir_status weir__sssp_in_step_link_items(const struct sssp_in_step *in_step, uint32_t from,
                                          uint32_t to, uint64_t *items_out)
{
    weir_status status = weir__row_steps_link_items(&in_step->on, from, to, items_out);
    if (!status && from < in_step->on.parts && to < in_step->on.parts && from != to)
        *items_out += weir_steps_results(in_step->on.steps, from)[SSSP_STEP_RESULT_VALUES];
    return status;
}

weir_status weir__sssp_in_step_stolen(const struct sssp_in_step *in_step, uint32_t owner,
                                      uint32_t worker, uint64_t *arcs_out)
{
    return weir__steal_stolen(&in_step->on, in_step->balance, &stolen, owner, worker, arcs_out);
}

uint64_t weir__sssp_in_step_spilled(const struct sssp_in_step *in_step)
{
    return sum_of(in_step, SSSP_STEP_RESULT_SPILLED);
}
