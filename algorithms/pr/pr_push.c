/** @file pr_push.c  PageRank by residuals: the operator of pr_push_op.h over a placed graph.
 *
 * The operator solves y = t + d P y, t = (1 - d) / n for each vertex, in which rank that comes to a vertex
 * without out-arcs is lost: it would have to go to all vertices at once. If it is to be spread, ranks are
 * y / sum(y): the solution x of x = t + d P x + d D(x) / n, where D(x) is the rank of vertices without
 * out-arcs, is (1 + d D(x) / (1 - d)) y, since t and the spread are the same for all vertices; and x sums
 * to 1.
 *
 * When all residuals r are below the threshold, y = p + (1 + dP + (dP)^2 + ...) r, with p the ranks so far.
 * Handed out is y' = p + r, with a residual of d P r; what a device has not told others (h) stays in the bound.
 * So T(y') - y' has an L1 norm of at most d sum|r| + sum|h|, and after the division at most twice that over
 * sum(y'): the division lowers each vertex's residual by an even part of their sum. Besides, y_v is off by at
 * most the sum over m of ((dP)^m |r|)_v <= threshold * n / (1 - d) * y_v: the same part of every vertex. */
#include "algorithms/pr/pr_push_end.h"
#include "algorithms/common/need.h"
#include "algorithms/common/placement.h"
#include "algorithms/common/traversal.h"
#include "algorithms/pr/pr.h"
#include "runtime/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

extern const weir_operator weir__pr_push_operator;

#define TRIES 20 /* with a lower threshold each: the bound falls with it */

struct weir__pr_push {
    weir_placement *placement;
    weir_traversal *traversal;
    weir_pr_config config;
    uint64_t vertices;
    uint32_t parts;
    double threshold;
    double start;                    /* rank of a vertex */
    double *first[WEIR_DEVICES_MAX]; /* device memory: residuals of a part */
    double *ranks[WEIR_DEVICES_MAX]; /* device memory: room for those of a part */
    double *sums[WEIR_DEVICES_MAX];  /* device memory: PR_PUSH_SUMS */
    double *summed;                  /* the same of each part; page-locked */
    double scale;                    /* a rank is that times rank and residual */
    int ranked;                      /* ranks are those of the last run */
};

static weir_device *device(const struct weir__pr_push *push, uint32_t p)
{
    return weir_context_device(weir_placement_context(push->placement), p);
}

static weir_status bind(struct weir__pr_push *push)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        pr_push_state state = {*weir_placement_part(push->placement, p),
                               weir_traversal_values(push->traversal, p),
                               push->config.damping,
                               push->threshold,
                               push->start,
                               push->first[p]};
        status = weir_traversal_bind(push->traversal, p, &state);
    }
    return status;
}

/* Such that residuals of both signs are equally many: their sum is 0. */
static double first_rank(const struct weir__pr_task *task)
{
    const double n = (double)task->vertices, d = task->config.damping;
    return (1 - d) / (1 - d + d * (double)task->dangling / n) / n;
}

/* ---- what it begins with ------------------------------------------------------------------------ */

struct first {
    const weir_graph *graph;
    double part;      /* of a vertex's start, what its arcs carry together */
    double *residual; /* by vertex */
};

static void hand_on(void *user, uint64_t begin, uint64_t end)
{
    const struct first *first = user;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t row = first->graph->offsets[v], last = first->graph->offsets[v + 1];
        for (uint64_t arc = row; arc < last; arc++)
            (void)weir_atomic_add_relaxed_dev_f64(&first->residual[first->graph->targets[arc]],
                                                  first->part / (double)(last - row));
    }
}

/* Residuals of a part's vertices, in their order, to its device. @p room is for as many as there are. */
static weir_status place_first(struct weir__pr_push *push, const struct weir__pr_task *task,
                               uint32_t p, const double *residual, double *room)
{
    weir_device *device = weir_context_device(task->context, p);
    uint64_t count = 0;
    void *memory;
    weir_status status;
    for (uint64_t v = 0; v < push->vertices; v++)
        if (task->partition->owner[v] == p)
            room[count++] = residual[v];
    if ((status = weir_device_alloc(device, (count ? count : 1) * sizeof *room, &memory)))
        return status;
    push->first[p] = memory;
    return count ? weir__upload(device, memory, room, count * sizeof *room) : WEIR_OK;
}

/* How far T of equal ranks is from them. As much work as an iteration; done where the graph is at hand. */
static weir_status make_first(struct weir__pr_push *push, const struct weir__pr_task *task)
{
    const double d = push->config.damping, n = (double)push->vertices;
    struct first first = {task->graph, d * push->start, NULL};
    double *room = NULL;
    weir_status status;
    if ((status = weir__alloc(push->vertices, sizeof *room, "residuals", &first.residual)) ||
        (status = weir__alloc(push->vertices, sizeof *room, "residuals", &room)))
        goto out;
    for (uint64_t v = 0; v < push->vertices; v++)
        first.residual[v] = (1 - d) / n - push->start;
    weir__parallel_for(push->vertices, UINT64_C(1) << 14, 0, hand_on, &first);
    for (uint32_t p = 0; p < push->parts && !status; p++)
        status = place_first(push, task, p, first.residual, room);
out:
    free(first.residual);
    free(room);
    return status;
}

static weir_status take(weir_device *device_of, uint64_t count, double **doubles_out)
{
    void *memory = NULL;
    weir_status status = weir_device_alloc(device_of, (size_t)count * sizeof(double), &memory);
    *doubles_out = memory;
    return status;
}

/* What runs end with: sums, and ranks that are handed out. */
static weir_status make_ends(struct weir__pr_push *push)
{
    weir_device *home = weir_context_home(weir_placement_context(push->placement));
    weir_status status = take(home, push->parts * (uint64_t)PR_PUSH_SUMS, &push->summed);
    for (uint32_t p = 0; p < push->parts && !status; p++)
        if (!(status = take(device(push, p), PR_PUSH_SUMS, &push->sums[p])))
            status = take(device(push, p), weir_placement_part(push->placement, p)->owned,
                          &push->ranks[p]);
    return status;
}

/* Residuals all at the threshold are within the tolerance. The sum that ranks are divided by is 1 without
 * dangling vertices; else it is what comes over ways of one arc, at least. */
static double first_threshold(const struct weir__pr_task *task, uint64_t halo)
{
    const double n = (double)task->vertices, d = task->config.damping;
    const double sum = task->dangling ? (1 - d) * (1 + d * (1 - (double)task->dangling / n)) : 1;
    const double part = task->config.dangling == WEIR_DANGLING_SPREAD ? sum / 2 : 1;
    return fmax(0.99 * part * task->config.tolerance / (n + (double)halo), DBL_MIN); /* above 0 */
}

static weir_traversal_config traversal_config(const struct weir__pr_task *task)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = sizeof(pr_push_value);
    config.fill = 0;
    config.halo_items = 1; /* an own vertex may be HELD or SPLIT and have GROWN since */
    /* Soft order, steps of a power of two, halves the work of one device. Several have to agree on each step,
     * and had done as well without. */
    config.delta_hint = task->partition->parts == 1 ? 8 : 0;
    return config;
}

/* Every vertex has an item from the beginning on. */
static weir_status fits(const struct weir__pr_task *task)
{
    const weir_traversal_config config = traversal_config(task);
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(task->context, task->graph, task->partition, &sizes);
    if (status)
        return status;
    sizes.touched = sizes.vertices;
    weir__placement_need(&sizes, WEIR_PART_WEIGHTS_NONE, &need);
    weir__traversal_need(&sizes, &weir__pr_push_operator, &task->options, &config, &need);
    for (uint32_t p = 0; p < sizes.parts; p++)
        weir__need_take_on(&need, weir_context_device(task->context, p), sizes.owned[p],
                           2 * sizeof(double));                 /* first residuals, ranks */
    weir__need_pass(&need, sizes.vertices, 2 * sizeof(double)); /* residuals */
    weir__need_take(&need, task->options.reserved_bytes, 1);
    return weir__need_fits(&need, "PageRank of %s", task->graph->name);
}

weir_status weir__pr_push_create(const struct weir__pr_task *task, struct weir__pr_push **push_out)
{
    const weir_traversal_config config = traversal_config(task);
    struct weir__pr_push *push;
    uint64_t halo = 0;
    weir_status status;
    *push_out = NULL;
    if ((status = fits(task)) || (status = weir__calloc(1, sizeof *push, "PageRank", &push)))
        return status;
    push->config = task->config;
    push->vertices = task->vertices;
    push->parts = task->partition->parts;
    if ((status = weir_placement_create(task->context, task->graph, task->partition,
                                        WEIR_PART_WEIGHTS_NONE, &push->placement)) ||
        (status = weir_traversal_create(push->placement, &weir__pr_push_operator, &task->options,
                                        &config, &push->traversal)))
        goto err;
    for (uint32_t p = 0; p < push->parts; p++)
        halo += weir_placement_part(push->placement, p)->halo_count;
    push->threshold = first_threshold(task, halo);
    push->start = first_rank(task);
    if ((status = make_first(push, task)) || (status = make_ends(push)))
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
        pr_push_wire seed = {(uint32_t)first, PR_PUSH_START, 0};
        if (part->owned)
            status = weir_traversal_seed(push->traversal, p, &seed, 1);
    }
    return status;
}

/* Have every device sum up, or write ranks. */
static weir_status end_on_devices(const struct weir__pr_push *push, int sums)
{
    weir_device *home = weir_context_home(weir_placement_context(push->placement));
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < push->parts && !status; p++) {
        const weir_part *part = weir_placement_part(push->placement, p);
        weir_queue *queue = weir_traversal_queue(push->traversal, p);
        const pr_push_end_args args = {.value = weir_traversal_values(push->traversal, p),
                                       .sums = sums ? push->sums[p] : NULL,
                                       .ranks = push->ranks[p],
                                       .scale = push->scale,
                                       .owned = part->owned,
                                       .halo = part->halo_count};
        const size_t bytes = sums ? PR_PUSH_SUMS * sizeof(double) : 0;
        status = sums ? weir_queue_fill(queue, push->sums[p], 0, bytes) : WEIR_OK;
        if (!status)
            status = weir_queue_launch(queue, &weir__pr_push_end_kernel, &args, sizeof args);
        if (!status && sums)
            status = weir_queue_copy(queue, home, push->summed + p * (size_t)PR_PUSH_SUMS,
                                     device(push, p), push->sums[p], bytes);
    }
    for (uint32_t p = 0; p < push->parts; p++) {
        weir_status synced = weir_queue_sync(weir_traversal_queue(push->traversal, p));
        status = status ? status : synced;
    }
    return status;
}

static double sum_of(const struct weir__pr_push *push, enum pr_push_sums which)
{
    double sum = 0;
    for (uint32_t p = 0; p < push->parts; p++)
        sum += push->summed[p * (size_t)PR_PUSH_SUMS + which];
    return sum;
}

/* Find the scale. @param[out] bound_out  of the L1 norm of what is left. */
static weir_status finish(struct weir__pr_push *push, double *bound_out)
{
    weir_status status = end_on_devices(push, 1);
    if (status)
        return status;
    *bound_out =
        push->config.damping * sum_of(push, PR_PUSH_RESIDUAL) + sum_of(push, PR_PUSH_HIDDEN);
    push->scale = 1;
    push->ranked = 0;
    if (push->config.dangling == WEIR_DANGLING_SPREAD) {
        push->scale = 1 / sum_of(push, PR_PUSH_RANK);
        *bound_out *= 2 * push->scale;
    }
    return WEIR_OK;
}

static weir_status run_once(struct weir__pr_push *push, weir_run_stats *stats)
{
    weir_run_stats run = WEIR_RUN_STATS_INIT;
    weir_status status;
    if ((status = bind(push)) || (status = seed_parts(push)) ||
        (status = weir_traversal_run(push->traversal, &run)) ||
        (status = finish(push, &run.residual)))
        return status;
    run.kernel_ms += stats->kernel_ms;
    *stats = run;
    return WEIR_OK;
}

weir_status weir__pr_push_run(struct weir__pr_push *push, weir_run_stats *stats_out)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = run_once(push, &stats);
    /* The threshold was for a sum of ranks that is nearly there already: wide tolerances are not. */
    for (int i = 0; i < TRIES && !status && stats.residual >= push->config.tolerance; i++) {
        push->threshold /= 4;
        status = run_once(push, &stats);
    }
    if (status)
        return status;
    stats.reached = stats.least_items = push->vertices;
    stats.direction = WEIR_DIRECTION_PUSH;
    *stats_out = stats;
    return WEIR_OK;
}

/* Ranks are written when somebody asks for them. */
static weir_status rank(struct weir__pr_push *push)
{
    weir_status status = push->ranked ? WEIR_OK : end_on_devices(push, 0);
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
    return weir_traversal_link_items(push->traversal, from, to, items_out);
}

void weir__pr_push_cancel(struct weir__pr_push *push)
{
    weir_traversal_cancel(push->traversal);
}
