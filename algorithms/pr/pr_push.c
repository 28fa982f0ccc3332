/** @file pr_push.c  PageRank by residuals: the operator of pr_push_op.h over a placed graph.
 *
 * The operator solves y = t + d P y, t = (1 - d) / n for each vertex, in which rank that comes to a vertex
 * without out-arcs is lost: it would have to go to all vertices at once. If it is to be spread, ranks are
 * y / sum(y): the solution x of x = t + d P x + d D(x) / n, where D(x) is the rank of vertices without
 * out-arcs, is (1 + d D(x) / (1 - d)) y, since t and the spread are the same for all vertices; and x sums
 * to 1.
 *
 * A run is a series of epochs. Each hands on the residuals that are as large as its threshold, once each
 * (pr_push_op.h); after it residuals are added up where they lie, and the sums say how the next one goes on:
 *
 * - Its threshold (pr_epoch.h) is a quarter of what residuals are on average, without their signs, or less. So an epoch leaves out at
 *   most a quarter of them, and of those without out-arcs, which cost nothing, none. Less, where all falls faster than by
 *   the damping: there may be parts of a graph that do not, and what is left out of those is what a run waits for in the end.
 * - It begins with residuals that sum to 0. What is handed on falls by the damping alone as far as it is of one sign,
 *   and much faster as far as both signs meet: on graphs of R-MAT by two thirds an epoch. To get there, solve
 *   y = s t + d P y for another s: each residual is higher by (1 - d) / n for each 1 that s is. Ranks that are handed
 *   out are divided by their sum, or by s. Without it the arcs of an R-MAT graph are looked at five times as often.
 *
 * With L the sum of |r| when it begins, of which U is left out, an epoch and what it adds to each residual leave
 * d L + 2 (1 - d) U at most: a sum of 0 means that what comes to vertices without out-arcs, and is lost, is at most half of
 * what is handed on. So L falls in each, and to at most d + (1 - d) / 2 of itself.
 *
 * When it ends, y = p + (1 + dP + (dP)^2 + ...) (r + h), with p the ranks so far, r the residuals of owned vertices and h what
 * devices have not told others. Handed out is y' = p + r, whose residual is e = d P r + h. Divided by their sum, ranks
 * are within (sum|e| + |sum e|) / sum(y') of T of them: to divide moves each vertex by an even part of the sum of e. With
 * tolerances below those of floats, as of pull, no residual may be more than half the tolerance of its rank either.
 */
#include "algorithms/pr/pr_push_pass.h"
#include "algorithms/common/algorithm.h"
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "algorithms/common/timing.h"
#include "algorithms/pr/pr.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const weir_operator weir__pr_push_operator;

/* What a vertex has to tell its owner is a part of what comes to it, from one device of several, and costs an item, not a
 * row: its threshold is lower by that. With 1, `uniform:14 --undirected` on eight devices takes 30 epochs, with 4 11, with
 * 32 9, as on one. */
#define UNTOLD 32

struct weir__pr_push {
    weir_placement *placement;
    weir_traversal *traversal;
    weir_pr_config config;
    struct pr_bounds bounds;
    uint64_t vertices;
    uint32_t parts, time_limit_ms;
    double net,
        residual; /* sums of the residuals that it begins with: as they are, without signs */
    pr_push_value *value[WEIR_DEVICES_MAX]; /* device memory: owned, then halo */
    pr_push_value *first[WEIR_DEVICES_MAX]; /* device memory: what owned ones begin with */
    double *ranks[WEIR_DEVICES_MAX];        /* device memory: room for those of a part */
    double *sums[WEIR_DEVICES_MAX];         /* device memory: PR_PUSH_SUMS */
    double *summed;                         /* the same of each part; page-locked */
    uint64_t sent[WEIR_DEVICES_MAX][WEIR_DEVICES_MAX]; /* items of the last run */
    struct pr_course course;                           /* of the last run */
    int ranked;                                        /* ranks are those of the last run */
};

static weir_device *device(const struct weir__pr_push *push, uint32_t p)
{
    return weir_context_device(weir_placement_context(push->placement), p);
}

static weir_status bind(struct weir__pr_push *push, const struct pr_epoch *epoch)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        pr_push_state state = {.part = *weir_placement_part(push->placement, p),
                               .value = push->value[p],
                               .damping = push->config.damping,
                               .threshold = epoch->threshold,
                               .tell = fmax(epoch->threshold / UNTOLD, DBL_MIN),
                               .shift = epoch->shift};
        status = weir_traversal_bind(push->traversal, p, &state);
    }
    return status;
}

/* ---- what it begins with ------------------------------------------------------------------------ */

struct first {
    const weir_graph *graph;
    double damping;
    const double *rank; /* by vertex, as the next */
    double *residual;
};

static void hand_on(void *user, uint64_t begin, uint64_t end)
{
    const struct first *first = user;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t row = first->graph->offsets[v], last = first->graph->offsets[v + 1];
        for (uint64_t arc = row; arc < last; arc++)
            (void)weir_atomic_add_relaxed_dev_f64(&first->residual[first->graph->targets[arc]],
                                                  first->damping * first->rank[v] /
                                                      (double)(last - row));
    }
}

static void lead_there(void *user, uint64_t begin, uint64_t end)
{
    const struct first *first = user;
    for (uint64_t arc = begin; arc < end; arc++)
        weir_store_relaxed_dev_f64(&first->residual[first->graph->targets[arc]], 1);
}

/* The values of a part's vertices, in their order, to its device. @p room is for as many as there are. */
static weir_status place_first(struct weir__pr_push *push, const struct weir__pr_task *task,
                               uint32_t p, const struct first *first, pr_push_value *room)
{
    weir_device *device = weir_context_device(task->context, p);
    uint64_t count = 0;
    void *memory;
    weir_status status;
    for (uint64_t v = 0; v < push->vertices; v++)
        if (task->partition->owner[v] == p)
            room[count++] = (pr_push_value){first->rank[v], first->residual[v]};
    if ((status = weir__device_alloc_as(device, "first ranks", count ? count : 1, sizeof *room,
                                        &memory)))
        return status;
    push->first[p] = memory;
    return count ? weir__upload(device, memory, room, count * sizeof *room) : WEIR_OK;
}

/* Ranks of vertices that no arc leads to are known, t = (1 - d) / n. All others begin with 1 / n, which is right in every
 * component whose vertices all have as many arcs, in and out: what is wrong in the sum of a component without ways out
 * falls by the damping alone, in whatever order residuals are handed on. */
static weir_status first_ranks(const struct weir__pr_push *push, struct first *first, double *rank)
{
    const double n = (double)push->vertices;
    weir_status status = weir__activity_for("looking for in-arcs", "arcs", first->graph->arcs,
                                            UINT64_C(1) << 16, 0, lead_there, first);
    if (status)
        return status;
    for (uint64_t v = 0; v < push->vertices; v++) {
        rank[v] = first->residual[v] == 0 ? (1 - first->damping) / n : 1 / n;
        first->residual[v] = (1 - first->damping) / n - rank[v];
    }
    return WEIR_OK;
}

/* How far T of the first ranks is from them. As much work as an iteration; done where the graph is at hand. */
static weir_status make_first(struct weir__pr_push *push, const struct weir__pr_task *task)
{
    struct first first = {task->graph, push->config.damping, NULL, NULL};
    pr_push_value *room = NULL;
    double *rank = NULL;
    weir_status status;
    if ((status = weir__calloc(push->vertices, sizeof *rank, "residuals", &first.residual)) ||
        (status = weir__alloc(push->vertices, sizeof *rank, "ranks", &rank)) ||
        (status = weir__alloc(push->vertices, sizeof *room, "residuals", &room)) ||
        (status = first_ranks(push, &first, rank)))
        goto out;
    first.rank = rank;
    if ((status = weir__activity_for("finding first ranks", "vertices", push->vertices,
                                     UINT64_C(1) << 14, 0, hand_on, &first)))
        goto out;
    for (uint64_t v = 0; v < push->vertices; v++) {
        push->net += first.residual[v];
        push->residual += fabs(first.residual[v]);
    }
    for (uint32_t p = 0; p < push->parts && !status; p++)
        status = place_first(push, task, p, &first, room);
out:
    free(first.residual);
    free(rank);
    free(room);
    return status;
}

static weir_status take(weir_device *device_of, const char *what, uint64_t count,
                        double **doubles_out)
{
    return weir__device_alloc_as(device_of, what, count, sizeof(double), doubles_out);
}

/* Ranks and residuals, their sums, and ranks that are handed out. */
static weir_status make_values(struct weir__pr_push *push)
{
    weir_device *home = weir_context_home(weir_placement_context(push->placement));
    weir_status status = take(home, "sums", push->parts * (uint64_t)PR_PUSH_SUMS, &push->summed);
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        const uint64_t count = (uint64_t)part->owned + part->halo_count;
        void *values = NULL;
        if (!(status = take(device(push, p), "sums", PR_PUSH_SUMS, &push->sums[p])) &&
            !(status = take(device(push, p), "ranks", part->owned, &push->ranks[p])))
            status = weir__device_alloc_as(device(push, p), "values", count, sizeof *push->value[p],
                                           &values);
        push->value[p] = values;
    }
    return status;
}

static weir_traversal_config traversal_config(void)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = 0; /* they outlive the epochs */
    config.halo_items = 1;
    return config;
}

/* Every vertex may have an item in an epoch. */
static weir_status fits(const struct weir__pr_task *task)
{
    const weir_traversal_config config = traversal_config();
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(task->context, task->graph, task->partition, &sizes);
    if (status)
        return status;
    sizes.touched = sizes.vertices;
    weir__placement_need(&sizes, WEIR_PART_WEIGHTS_NONE, task->options.memory, &need);
    weir__traversal_need(&sizes, &weir__pr_push_operator, &task->options, &config, &need);
    for (uint32_t p = 0; p < sizes.parts; p++) {
        weir_device *on = weir_context_device(task->context, p);
        weir__need_take_on(&need, on, sizes.owned[p], sizeof(pr_push_value) + sizeof(double));
        weir__need_take_on(&need, on, sizes.owned[p] + weir__halo_most(&sizes, p),
                           sizeof(pr_push_value));
    }
    weir__need_pass(&need, sizes.vertices, 4 * sizeof(double)); /* what it begins with */
    weir__need_take(&need, task->options.reserved_bytes, 1);
    return weir__need_fits(&need, "PageRank of %s", task->graph->name);
}

/* Where nothing is brought to devices it need not be found. */
static weir_status count_first(struct weir__pr_push *push, const struct weir__pr_task *task)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const uint32_t owned = weir_placement_part(push->placement, p)->owned;
        status = weir__device_alloc_as(weir_context_device(task->context, p), "first ranks",
                                       owned ? owned : 1, sizeof *push->first[p], &push->first[p]);
    }
    return status ? status : weir__placement_count_results(push->placement, sizeof(double));
}

weir_status weir__pr_push_create(const struct weir__pr_task *task, struct weir__pr_push **push_out)
{
    const weir_traversal_config config = traversal_config();
    struct weir__pr_push *push;
    weir_status status;
    *push_out = NULL;
    if ((status = fits(task)) || (status = weir_graph_fetch(task->graph)) ||
        (status = weir__calloc(1, sizeof *push, "PageRank", &push)))
        return status;
    push->config = task->config;
    push->vertices = task->vertices;
    push->parts = task->partition->parts;
    push->time_limit_ms = task->options.time_limit_ms;
    weir__pr_bounds(&push->config, 0, &push->bounds);
    const struct weir__making making = {.context = task->context,
                                        .graph = task->graph,
                                        .partition = task->partition,
                                        .options = &task->options};
    weir_run_options options = task->options;
    options.memory = WEIR_MEMORY_AUTO; /* the placement has said where arcs lie */
    if ((status = weir__algorithm_place(&making, WEIR_PART_WEIGHTS_NONE, &push->placement)) ||
        (status = weir_traversal_create(push->placement, &weir__pr_push_operator, &options, &config,
                                        &push->traversal)))
        goto err;
    status =
        weir__context_planned(task->context) ? count_first(push, task) : make_first(push, task);
    if (status || (status = make_values(push)))
        goto err;
    *push_out = push;
    return WEIR_OK;
err:
    weir__pr_push_destroy(push);
    return status;
}

void weir__pr_push_destroy(struct weir__pr_push *push)
{
    if (!push)
        return;
    weir_traversal_destroy(push->traversal);
    for (uint32_t p = 0; p < push->parts && push->placement; p++) {
        weir_device_free(device(push, p), push->value[p]);
        weir_device_free(device(push, p), push->first[p]);
        weir_device_free(device(push, p), push->ranks[p]);
        weir_device_free(device(push, p), push->sums[p]);
    }
    if (push->placement)
        weir_device_free(weir_context_home(weir_placement_context(push->placement)), push->summed);
    weir_placement_destroy(push->placement);
    free(push);
}

/* ---- runs -------------------------------------------------------------------------------------- */

static weir_status seed_parts(struct weir__pr_push *push)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        uint64_t first = 0;
        for (uint32_t q = 0; q < p; q++)
            first += weir_placement_part(push->placement, q)->owned;
        pr_push_wire seed = {(uint32_t)first, PR_PUSH_SCAN, 0};
        if (part->owned)
            status = weir_traversal_seed(push->traversal, p, &seed, 1);
    }
    return status;
}

static weir_status sync_all(const struct weir__pr_push *push, weir_status status)
{
    for (uint32_t p = 0; p < push->parts; p++) {
        weir_status synced = weir_queue_sync(weir_traversal_queue(push->traversal, p));
        status = status ? status : synced;
    }
    return status;
}

/* Ranks and residuals as a run begins with them. */
static weir_status begin(const struct weir__pr_push *push)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        weir_queue *queue = weir_traversal_queue(push->traversal, p);
        weir_device *on = device(push, p);
        if (part->owned)
            status = weir_queue_copy(queue, on, push->value[p], on, push->first[p],
                                     part->owned * sizeof *push->value[p]);
        if (!status && part->halo_count)
            status = weir_queue_fill(queue, push->value[p] + part->owned, 0,
                                     part->halo_count * sizeof *push->value[p]);
    }
    return sync_all(push, status);
}

/* Have every device add what residuals are short of, and sum up; or write ranks. */
static weir_status pass(const struct weir__pr_push *push, int sums, double shift)
{
    weir_device *home = weir_context_home(weir_placement_context(push->placement));
    const size_t bytes = sums ? PR_PUSH_SUMS * sizeof(double) : 0;
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        weir_queue *queue = weir_traversal_queue(push->traversal, p);
        const pr_push_pass_args args = {.value = push->value[p],
                                        .sums = sums ? push->sums[p] : NULL,
                                        .ranks = push->ranks[p],
                                        .offsets = part->offsets,
                                        .damping = push->config.damping,
                                        .shift = shift,
                                        .restless = push->bounds.restless,
                                        .scale = push->course.scale,
                                        .owned = part->owned,
                                        .halo = part->halo_count};
        status = sums ? weir_queue_fill(queue, push->sums[p], 0, bytes) : WEIR_OK;
        if (!status)
            status = weir_queue_launch(queue, &weir__pr_push_pass_kernel, &args, sizeof args);
        if (!status && sums)
            status = weir_queue_copy(queue, home, push->summed + p * (size_t)PR_PUSH_SUMS,
                                     device(push, p), push->sums[p], bytes);
    }
    return sync_all(push, status);
}

static void add_up(const struct weir__pr_push *push, double *sum)
{
    for (uint32_t i = 0; i < PR_PUSH_SUMS; i++) {
        sum[i] = 0;
        for (uint32_t p = 0; p < push->parts; p++)
            sum[i] += push->summed[p * (size_t)PR_PUSH_SUMS + i];
    }
}

struct pr_course weir__pr_course(const weir_pr_config *config, uint64_t vertices,
                                 const struct pr_bounds *bounds)
{
    return (struct pr_course){.vertices = (double)vertices,
                              .damping = config->damping,
                              .tolerance = config->tolerance,
                              .spread = config->dangling == WEIR_DANGLING_SPREAD,
                              .fine = bounds->fine,
                              .teleports = 1};
}

/* Statistics of an epoch are those of a run that went on. */
static void add_epoch(struct weir__pr_push *push, const weir_run_stats *epoch,
                      weir_run_stats *stats)
{
    const weir_worklist_stats before = stats->work;
    weir_worklist_stats *work = &stats->work;
    *work = epoch->work; /* what was picked */
    for (uint32_t p = 0; p < push->parts; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        const uint64_t scanned = (uint64_t)part->owned + part->halo_count; /* no arcs */
        work->atoms -= scanned + (scanned + PR_PUSH_LOOKS - 1) / PR_PUSH_LOOKS;
    }
    work->produced += before.produced;
    work->consumed += before.consumed;
    work->processed += before.processed;
    work->stale += before.stale;
    work->atoms += before.atoms;
    work->sent += before.sent;
    work->spilled += before.spilled;
    work->deferred += before.deferred;
    work->rounds += before.rounds;
    work->narrow_rounds += before.narrow_rounds;
    work->raises += before.raises;
    work->reset_ms += before.reset_ms;
    work->woven += before.woven;
    work->paced += before.paced;
    work->pops += before.pops;
    work->empty_pops += before.empty_pops;
    work->steals += before.steals;
    work->fused += before.fused;
    work->flushes += before.flushes;
    work->queue_high = before.queue_high > work->queue_high ? before.queue_high : work->queue_high;
    for (int phase = 0; phase < WEIR_PHASES; phase++)
        work->phase_ms[phase] += before.phase_ms[phase];
    stats->bytes += epoch->bytes + epoch->work.atoms * sizeof(pr_push_value);
    stats->bytes_sent += epoch->bytes_sent;
    stats->epochs++;
    for (uint32_t i = 0; i < push->parts; i++)
        for (uint32_t j = 0; j < push->parts; j++) {
            uint64_t items = 0;
            if (i != j && !weir_traversal_link_items(push->traversal, i, j, &items))
                push->sent[i][j] += items;
        }
}

static weir_status run_epoch(struct weir__pr_push *push, const struct pr_epoch *epoch,
                             weir_run_stats *stats)
{
    weir_run_stats run = WEIR_RUN_STATS_INIT;
    weir_status status;
    if ((status = bind(push, epoch)) || (status = seed_parts(push)) ||
        (status = weir_traversal_run(push->traversal, &run)) ||
        (status = pass(push, 1, epoch->shift)))
        return status;
    add_epoch(push, &run, stats);
    return WEIR_OK;
}

/* An epoch has the whole time for itself: one that is stuck ends a run no later than twice the limit. */
static weir_status check_time(struct weir__pr_push *push, uint64_t begin_ns)
{
    const weir_context *context = weir_placement_context(push->placement);
    if (push->time_limit_ms && weir__ms_since(context, begin_ns) > push->time_limit_ms)
        return weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over",
                          weir__pr_push_operator.name, push->time_limit_ms);
    return WEIR_OK;
}

weir_status weir__pr_push_run(struct weir__pr_push *push, weir_run_stats *stats_out)
{
    const weir_context *context = weir_placement_context(push->placement);
    const uint64_t begin_ns = weir_context_time_ns(context);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    double sum[PR_PUSH_SUMS] = {[PR_PUSH_NET] = push->net, [PR_PUSH_ALL] = push->residual};
    int done = 0;
    weir_status status;
    push->course = weir__pr_course(&push->config, push->vertices, &push->bounds);
    push->ranked = 0;
    memset(push->sent, 0, sizeof push->sent);
    if ((status = begin(push)))
        return status;
    while (!done && stats.epochs < push->bounds.iterations) {
        const struct pr_epoch epoch =
            pr_epoch_next(&push->course, sum[PR_PUSH_NET], sum[PR_PUSH_ALL]);
        if ((status = check_time(push, begin_ns)) || (status = run_epoch(push, &epoch, &stats)))
            return status;
        add_up(push, sum);
        done = pr_epoch_ended(&push->course, sum);
    }
    stats.residual = push->course.bound;
    stats.kernel_ms = weir__ms_since(context, begin_ns);
    stats.reached = stats.least_items = push->vertices;
    stats.direction = WEIR_DIRECTION_PUSH;
    stats.memory = weir_placement_memory(push->placement);
    *stats_out = stats;
    return WEIR_OK;
}

/* Ranks are written when somebody asks for them. */
static weir_status rank(struct weir__pr_push *push)
{
    weir_status status = push->ranked ? WEIR_OK : pass(push, 0, 0);
    push->ranked = !status;
    return status;
}

weir_status weir__pr_push_ranks(struct weir__pr_push *push, double *ranks_out)
{
    const void *ranks[WEIR_DEVICES_MAX];
    weir_status status = rank(push);
    for (uint32_t p = 0; p < push->parts; p++)
        ranks[p] = push->ranks[p];
    return status ? status
                  : weir_placement_gather(push->placement, ranks, sizeof *ranks_out, ranks_out);
}

weir_status weir__pr_push_values(struct weir__pr_push *push, uint32_t device_index,
                                 weir_values *values_out)
{
    weir_status status = rank(push);
    return status ? status
                  : weir__numbering_values(push->placement->numbering, device_index,
                                           device_index < push->parts ? push->ranks[device_index]
                                                                      : NULL,
                                           WEIR_VALUE_F64, values_out);
}

weir_status weir__pr_push_link_items(const struct weir__pr_push *push, uint32_t from, uint32_t to,
                                     uint64_t *items_out)
{
    uint64_t last;
    weir_status status = weir_traversal_link_items(push->traversal, from, to, &last);
    *items_out = status ? 0 : push->sent[from][to];
    return status;
}

weir_status weir__pr_push_explain(const struct weir__pr_push *push, weir_run_stats *picked_out,
                                  weir_run_reasons *reasons_out)
{
    return weir_traversal_explain(push->traversal, picked_out, reasons_out);
}

void weir__pr_push_cancel(struct weir__pr_push *push)
{
    weir_traversal_cancel(push->traversal);
}
