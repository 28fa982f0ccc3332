/** @file pr_steal.c  PageRank by residuals in step on the host's side: its arrays, what runs begin with, runs. */
#include "algorithms/pr/pr_steal.h"
#include "algorithms/common/steal_host.h"
#include "algorithms/pr/pr.h"
#include "runtime/support.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)PR_STEAL_RESULTS <= (int)WEIR_STEPS_RESULTS, "a device's results");
static_assert(WEIR_ROWS_ALIGN % PR_STEAL_TILE == 0, "a tile is of one device");

extern const weir_steps_body weir__pr_steal_steps;

/* What comes over the link for an arc of another device: its target. */
#define FAR_ARC_BYTES 4

static const struct weir__steal_results stolen = {.looked = PR_STEAL_RESULT_ARCS,
                                                  .without = WEIR_STEPS_RESULTS,
                                                  .owner = PR_STEAL_RESULT_FOR,
                                                  .entries = PR_STEAL_RESULT_STOLEN,
                                                  .steps = PR_STEAL_RESULT_STEPS + PR_STEAL_COUNT,
                                                  .most_owned = PR_STEAL_RESULT_MOST_OWNED,
                                                  .most_done = PR_STEAL_RESULT_MOST_DONE,
                                                  .copied = WEIR_STEPS_RESULTS,
                                                  .arc_bytes = FAR_ARC_BYTES,
                                                  .entry_bytes = sizeof(struct pr_steal_piece)};

/* ---- memory ------------------------------------------------------------------------------------ */

/* What is counted, as far as it is written to: a piece for each vertex that has arcs, and more for long rows. */
static void need(const struct weir__sizes *sizes, const void *user, struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    const uint64_t rows = sizes->vertices < sizes->arcs ? sizes->vertices : sizes->arcs;
    (void)user;
    weir__need_take_on(need, device, rows + sizes->arcs / PR_STEAL_PIECE,
                       sizeof(struct pr_steal_piece));
    weir__need_take_on(need, device, sizes->numbers / PR_STEAL_TILE * sizes->parts, 4);
}

/* Most pieces of an epoch: every row is handed on. */
static uint64_t most_pieces(const weir_rows *rows, const weir_rows_part *part)
{
    const uint32_t *degree = weir_rows_degrees(rows);
    uint64_t pieces = 0;
    if (!degree) /* of a sketch */
        return (part->owned < part->arcs_out ? part->owned : part->arcs_out) +
               part->arcs_out / PR_STEAL_PIECE;
    degree += part->begin;
    for (uint32_t r = 0; r < part->owned; r++)
        pieces += (degree[r] + (uint64_t)PR_STEAL_PIECE - 1) / PR_STEAL_PIECE;
    return pieces;
}

static weir_status placed(struct weir__row_steps *on, void *user)
{
    struct weir__pr_steal *steal = user;
    for (uint32_t p = 0; p < on->parts; p++) {
        steal->pieces[p] = most_pieces(on->rows, weir__row_steps_part(on, p));
        if (steal->pieces[p] > UINT32_MAX)
            return weir__fail(
                WEIR_ERR_UNSUPPORTED,
                "part %u has too many arcs for PageRank pushed in step: leave balance "
                "out, or more devices",
                p);
    }
    return WEIR_OK;
}

#define COUNT(name, elements)                                                \
    static uint64_t name(const void *user, uint32_t device, uint32_t sender) \
    {                                                                        \
        const struct weir__pr_steal *steal = user;                           \
        (void)steal;                                                         \
        (void)device;                                                        \
        (void)sender;                                                        \
        return elements;                                                     \
    }
COUNT(piece_count, steal->pieces[device])
COUNT(tile_count, weir__row_steps_part(&steal->on, 0)->numbers / PR_STEAL_TILE)
COUNT(peer_count, STEAL_DEVICES)
COUNT(chunk_count, STEAL_CHUNKS)
COUNT(pair_count, STEAL_DEVICES *STEAL_DEVICES)

#define FIELD(name) offsetof(struct pr_steal_args, name)
static const weir_steps_array arrays[] = {
    {.name = "incoming",
     .extent = WEIR_STEPS_NUMBERS,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED_ONCE, /* a run leaves none */
     .bytes = 8,
     .field = FIELD(incoming)},
    {.name = "touched",
     .extent = WEIR_STEPS_COUNTED,
     .count = tile_count,
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .bytes = 4,
     .field = FIELD(touched)},
    {.name = "sums",
     .holding = WEIR_STEPS_SHARED,
     .first = WEIR_STEPS_FILLED,
     .bytes = 8,
     .more = 2 * PR_PUSH_SUMS - 1,
     .field = FIELD(sums)},
    {.name = "peers",
     .extent = WEIR_STEPS_COUNTED,
     .count = peer_count,
     .bytes = sizeof(struct pr_steal_peer),
     .field = FIELD(peer)},
    {.name = "first ranks",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_FILLED_ONCE,
     .bytes = sizeof(pr_push_value),
     .field = FIELD(first)},
    {.name = "values",
     .extent = WEIR_STEPS_OWNED,
     .first = WEIR_STEPS_COPIED,
     .from = "first ranks",
     .bytes = sizeof(pr_push_value),
     .field = FIELD(value)},
    {.name = "ranks", .extent = WEIR_STEPS_OWNED, .bytes = 8, .field = FIELD(ranks)},
    {.name = "pieces",
     .extent = WEIR_STEPS_COUNTED,
     .count = piece_count,
     .bytes = sizeof(struct pr_steal_piece),
     .more = 1,
     .field = FIELD(list)},
    {.name = "count of pieces", .first = WEIR_STEPS_FILLED, .bytes = 4, .field = FIELD(listed)},
    STEAL_ARRAYS(pr_steal_args, chunk_count, pair_count),
};

#define PHASE(title, kind)                                  \
    {                                                       \
        .name = (title), .ns = PR_STEAL_RESULT_NS + (kind), \
        .steps = PR_STEAL_RESULT_STEPS + (kind)             \
    }
static const weir_steps_phase phases[PR_STEAL_KINDS] = {
    PHASE("scan", PR_STEAL_SCAN), PHASE("hand on", PR_STEAL_HAND), PHASE("absorb", PR_STEAL_ABSORB),
    PHASE("sharing out", PR_STEAL_COUNT)};

static const weir_steps_program program = {.what = "PageRank pushed in step",
                                           .body = &weir__pr_steal_steps,
                                           .arrays = arrays,
                                           .array_count = sizeof arrays / sizeof *arrays,
                                           .phases = phases,
                                           .phase_count = PR_STEAL_KINDS};

static const struct weir__row_form form = {.program = &program,
                                           .rows = FIELD(rows),
                                           .values = "ranks",
                                           .kind = WEIR_VALUE_F64,
                                           .need = need,
                                           .placed = placed};

/* ---- the object -------------------------------------------------------------------------------- */

static struct pr_steal_args *args_of(const struct weir__pr_steal *steal, uint32_t p)
{
    return weir_steps_args(steal->on.steps, p);
}

static void bind(const struct weir__pr_steal *steal, const struct weir__pr_task *task)
{
    struct pr_bounds bounds;
    weir__pr_bounds(&task->config, 0, &bounds);
    for (uint32_t p = 0; p < steal->on.parts; p++) {
        struct pr_steal_args *args = args_of(steal, p);
        args->course = weir__pr_course(&task->config, task->vertices, &bounds);
        args->restless = bounds.restless;
        args->epochs = bounds.iterations;
    }
}

/* Tell devices of each other's lists and arcs. */
static weir_status bind_peers(const struct weir__pr_steal *steal)
{
    const struct weir__row_steps *on = &steal->on;
    struct pr_steal_peer peer[STEAL_DEVICES] = {{NULL, NULL}};
    weir_status status = WEIR_OK;
    for (uint32_t q = 0; q < on->parts; q++) {
        peer[q].list = weir_steps_data(on->steps, "pieces", q);
        peer[q].targets = weir__row_steps_part(on, q)->out.targets;
    }
    for (uint32_t p = 0; p < on->parts && !status; p++)
        status = weir__upload(weir_context_device(on->context, p),
                              weir_steps_data(on->steps, "peers", p), peer, sizeof peer);
    return status ? status : weir__steal_bind(on, FIELD(steal), FAR_ARC_BYTES);
}

/* Have the kernels make what runs begin with. A time limit is one of runs that somebody asked for. */
static weir_status make_first(const struct weir__pr_steal *steal, const struct weir__pr_task *task)
{
    weir_steps *steps = steal->on.steps;
    for (uint32_t p = 0; p < steal->on.parts; p++)
        args_of(steal, p)->making = PR_STEAL_LOOKS;
    weir_steps_limit(steps, 0);
    const weir_status status = weir_steps_run(steps, NULL);
    weir_steps_limit(steps, task->options.time_limit_ms);
    const uint64_t *result = weir_steps_results(steps, 0);
    for (uint32_t p = 0; p < steal->on.parts && !status; p++) {
        struct pr_steal_args *args = args_of(steal, p);
        args->making = PR_STEAL_RANKS;
        args->net = (double)(int64_t)result[PR_STEAL_RESULT_NET] * PR_STEAL_FIRST_UNIT;
        args->all = (double)result[PR_STEAL_RESULT_ALL] * PR_STEAL_FIRST_UNIT;
    }
    return status;
}

weir_status weir__pr_steal_create(const struct weir__pr_task *task,
                                  struct weir__pr_steal **steal_out)
{
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    struct weir__pr_steal *steal;
    weir_status status;
    *steal_out = NULL;
    if ((status = weir__calloc(1, sizeof *steal, "PageRank", &steal)))
        return status;
    if (!(status = weir__row_steps_create(&steal->on, &form, task->context, task->graph,
                                          task->partition, &task->options, &config, steal)))
        bind(steal, task);
    if (!status && !weir__context_planned(task->context) && !(status = bind_peers(steal)))
        status = make_first(steal, task);
    if (status)
        weir__pr_steal_destroy(steal);
    else
        *steal_out = steal;
    return status;
}

void weir__pr_steal_destroy(struct weir__pr_steal *steal)
{
    if (!steal)
        return;
    weir__row_steps_destroy(&steal->on);
    free(steal);
}

/* ---- runs -------------------------------------------------------------------------------------- */

void weir__pr_steal_picked(weir_run_stats *stats)
{
    stats->direction = WEIR_DIRECTION_PUSH;
    stats->balance = WEIR_BALANCE_FRONTIER;
    stats->work.order = WEIR_ORDER_AUTO; /* an epoch takes all rows: there is none to report */
}

static void report(const struct weir__pr_steal *steal, weir_run_stats *stats)
{
    const weir_steps *steps = steal->on.steps;
    const uint64_t *first = weir_steps_results(steps, 0);
    const uint64_t tiles = weir__row_steps_part(&steal->on, 0)->numbers / PR_STEAL_TILE;
    weir_worklist_stats *work = &stats->work;
    weir__pr_steal_picked(stats);
    work->rounds = stats->steps * steal->on.parts;
    stats->steps = stats->epochs = first[PR_STEAL_RESULT_EPOCHS]; /* an epoch looks at arcs once */
    memcpy(&stats->residual, &first[PR_STEAL_RESULT_BOUND], sizeof stats->residual);
    stats->reached = stats->least_items = steal->on.vertices;
    work->processed = weir_steps_total(steps, PR_STEAL_RESULT_ROWS);
    work->atoms = weir_steps_total(steps, PR_STEAL_RESULT_ARCS);
    /* Of an arc its target, and that one's sum twice; of a piece itself twice; of a row in an epoch its values and its offsets twice, and its sum. */
    stats->bytes =
        work->atoms * (4 + 2 * 8) +
        weir_steps_total(steps, PR_STEAL_RESULT_PIECES) * 2 * sizeof(struct pr_steal_piece) +
        stats->epochs * steal->on.vertices * (4 * sizeof(pr_push_value) + 2 * 16 + 8);
    stats->bytes_sent =
        weir_steps_total(steps, PR_STEAL_RESULT_TILES) * PR_STEAL_TILE * sizeof(uint64_t) +
        stats->epochs * tiles * (steal->on.parts - 1) * sizeof(uint32_t);
    weir__steal_report(&steal->on, &stolen, stats);
}

weir_status weir__pr_steal_run(struct weir__pr_steal *steal, weir_run_stats *stats_out)
{
    weir_status status = weir__row_steps_run(&steal->on, stats_out);
    if (!status)
        report(steal, stats_out);
    return status;
}

weir_status weir__pr_steal_ranks(const struct weir__pr_steal *steal, double *ranks_out)
{
    return weir__row_steps_gather(&steal->on, "ranks", ranks_out);
}

weir_status weir__pr_steal_values(const struct weir__pr_steal *steal, uint32_t device,
                                  weir_values *values_out)
{
    return weir__row_steps_values(&steal->on, device, values_out);
}

weir_status weir__pr_steal_stolen(const struct weir__pr_steal *steal, uint32_t owner,
                                  uint32_t worker, uint64_t *arcs_out)
{
    return weir__steal_stolen(&steal->on, WEIR_BALANCE_FRONTIER, &stolen, owner, worker, arcs_out);
}
