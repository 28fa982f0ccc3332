/** @file choices_run.c  One combination of choices: run, and compared in full. */
#include "tests/lib/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond what any of these runs needs; a run that never ends says so with its counters. */
#define LIMIT_MS 30000
#define WATCH_S  60

static char why[4096];

/* A choice that was asked for is the one that was picked; what was left open was picked too. */
static const char *pick_wrong(const char *name, int asked, int picked, int last)
{
    static char text[100];
    if (picked > 0 && picked <= last && (asked == 0 || picked == asked))
        return NULL;
    snprintf(text, sizeof text, "%s %d was asked for and %d picked", name, asked, picked);
    return text;
}

static const char *picks_wrong(const weir_run_options *asked, const weir_worklist_stats *work)
{
    const char *wrong;
    if ((wrong = pick_wrong("route", asked->route, work->route, WEIR_ROUTE_STAGED)) ||
        (wrong = pick_wrong("order", asked->order, work->order, WEIR_ORDER_BULK)) ||
        (wrong = pick_wrong("kernel", asked->kernel, work->kernel, WEIR_KERNEL_LIVE)) ||
        (wrong = pick_wrong("worker", asked->worker, work->worker, WEIR_WORKER_BLOCK)) ||
        (work->worker != WEIR_WORKER_THREAD &&
         (wrong = pick_wrong("mapping", asked->mapping, work->mapping, WEIR_MAPPING_OWN))))
        return wrong;
    if (work->worker == WEIR_WORKER_THREAD && (work->mapping || work->group))
        return "a mapping that no lane looked at";
    if (asked->fetch && work->fetch != asked->fetch)
        return "another fetch than was asked for";
    if (asked->delta && work->delta != asked->delta)
        return "another delta than was asked for";
    if (work->order != WEIR_ORDER_SOFT && work->delta)
        return "a delta without soft priority";
    /* A group wider than a block is as wide as the block. */
    if (work->mapping == WEIR_MAPPING_GROUP &&
        (work->group == 0 || (asked->group && work->group > asked->group)))
        return "another group than was asked for";
    return NULL;
}

#define UNLESS(condition)                              \
    do                                                 \
        if (!(condition))                              \
            return "statistics: " #condition " fails"; \
    while (0)

/* No item is produced or consumed in step, and of the picks only the direction says something. A level that
 * looks from the other end neither processes what it starts from nor looks at all its arcs. */
static const char *step_wrong(const struct choice_operator *op, const weir_run_options *asked,
                              const weir_run_stats *stats, double largest)
{
    const weir_worklist_stats *work = &stats->work;
    if (asked->route || asked->kernel || asked->worker || asked->fetch || asked->mapping)
        return "a choice of the worklist, and a run in step";
    if (asked->direction && stats->direction != asked->direction)
        return "another direction than was asked for";
    UNLESS(!op->levels || stats->steps >= largest);
    UNLESS(work->produced == 0 && work->consumed == 0);
    UNLESS(work->rounds >= stats->steps);
    UNLESS(stats->phase[0].name);
    return NULL;
}

const char *choice_stats_wrong(const struct choice_operator *op, const weir_graph *graph,
                               const double *values, const weir_run_options *asked,
                               const weir_run_stats *stats)
{
    const weir_worklist_stats *work = &stats->work;
    uint64_t reached = 0, arcs = 0;
    double largest = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (!isinf(values[v])) {
            reached++;
            arcs += graph->offsets[v + 1] - graph->offsets[v];
            largest = values[v] > largest ? values[v] : largest;
        }
    UNLESS(stats->reached == reached);
    UNLESS(stats->arcs_reached == arcs);
    UNLESS(stats->ms > 0 && stats->ms >= stats->kernel_ms);
    UNLESS(work->ms == stats->kernel_ms);
    UNLESS(stats->devices > 0);
    UNLESS(work->kernel == WEIR_KERNEL_LIVE ? work->rounds == 0 && work->queues > 0
                                            : work->rounds > 0);
    if (stats->direction != WEIR_DIRECTION_PUSH)
        return step_wrong(op, asked, stats, largest);
    UNLESS(work->produced == work->consumed);
    UNLESS(work->processed <= work->consumed);
    UNLESS(work->stale <= work->processed);
    UNLESS(work->processed - work->stale >= reached); /* each with its final value */
    UNLESS(work->atoms >= arcs);
    if (op->levels && work->order == WEIR_ORDER_BULK) {
        UNLESS(work->atoms == arcs); /* no vertex comes too early, so none comes twice */
        UNLESS(work->raises >= largest);
    }
    return picks_wrong(asked, work);
}

static const char *values_wrong(const double *have, const double *want, uint64_t vertices)
{
    static char text[120];
    for (uint64_t v = 0; v < vertices; v++)
        if (have[v] != want[v] && !(isinf(have[v]) && isinf(want[v]))) {
            snprintf(text, sizeof text, "vertex %llu has %.17g instead of %.17g",
                     (unsigned long long)v, have[v], want[v]);
            return text;
        }
    return NULL;
}

/* What is wrong with a run from one source; *status_out is that of the run. */
static const char *run_once(const struct choice_operator *op, void *object,
                            const struct choice_graph *of, uint32_t from, const double *want,
                            const weir_run_options *asked, weir_status *status_out)
{
    const weir_graph *graph = of->with[op->weights];
    const uint64_t source = of->source[from];
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    double *have = malloc((graph->vertices + 1) * sizeof *have);
    const char *wrong = have && want ? NULL : "no memory, or no reference";
    *status_out = WEIR_OK;
    if (!wrong && ((*status_out = op->run(object, source, &stats)) ||
                   (*status_out = op->values(object, graph->vertices, have)))) {
        snprintf(why, sizeof why, "%s: %s", weir_status_text(*status_out), weir_error_detail());
        wrong = why;
    }
    if (!wrong && !(wrong = values_wrong(have, want, graph->vertices)))
        wrong = choice_stats_wrong(op, graph, want, asked, &stats);
    if (!wrong && of->cut_below && stats.work.cut >= of->cut_below)
        wrong = "no tile is long enough to be cut: the graph must have a longer one";
    free(have);
    return wrong;
}

/* A refusal is one only of what may be refused, and says why. */
static enum choice_outcome judge(const weir_context *context, const weir_run_options *options,
                                 weir_status status)
{
    const weir_kernel_kind kernel = options->kernel;
    if (status == WEIR_ERR_UNSUPPORTED &&
        !choice_has_effect(options->worker, options->mapping, options->group) &&
        strstr(weir_error_detail(), "has no effect where a worker is a"))
        return CHOICE_REFUSED;
    if (status == WEIR_ERR_UNSUPPORTED && kernel == WEIR_KERNEL_LIVE &&
        (options->order == WEIR_ORDER_SOFT || options->order == WEIR_ORDER_BULK) &&
        strstr(weir_error_detail(), "goes by rounds"))
        return CHOICE_REFUSED;
    if (status == WEIR_ERR_UNSUPPORTED && kernel == WEIR_KERNEL_LIVE &&
        strstr(weir_error_detail(), "not several GPUs"))
        return CHOICE_REFUSED;
    if (status == WEIR_ERR_UNSUPPORTED && kernel && kernel != WEIR_KERNEL_DISCRETE &&
        choice_may_refuse_fused(context) && strlen(weir_error_detail()) > 10)
        return CHOICE_REFUSED;
    return CHOICE_WRONG;
}

enum choice_outcome choice_try(struct choice_devices *set, struct choice_graph *graph,
                               const uint8_t *row, const char **why_out)
{
    const struct choice_operator *op = &choice_operators[row[CHOICE_OPERATOR]];
    const weir_graph *with = graph->with[op->weights];
    weir_context *context = set->context[row[CHOICE_DEVICES]];
    const weir_partition *partition =
        choice_graph_cut(graph, weir_context_device_count(context), choice_partition(row));
    const weir_run_options options = choice_options(row);
    weir_run_options limited = options;
    enum choice_outcome outcome = CHOICE_RIGHT;
    void *object = NULL;
    const char *wrong = NULL;
    weir_status status = WEIR_OK;
    limited.time_limit_ms = LIMIT_MS;
    *why_out = why;
    choice_watch(choice_text(set, row), WATCH_S);
    if (!partition) {
        snprintf(why, sizeof why, "no partition: %s", weir_error_detail());
        outcome = CHOICE_WRONG;
    } else if ((status = op->create(context, with, partition, &limited, &object))) {
        snprintf(why, sizeof why, "%s: %s", weir_status_text(status), weir_error_detail());
        outcome = judge(context, &options, status);
    }
    for (uint32_t i = 0; i < CHOICE_SOURCES && !outcome; i++) {
        const double *want = choice_graph_expected(graph, row[CHOICE_OPERATOR], i);
        wrong = run_once(op, object, graph, i, want, &options, &status);
        if (wrong) {
            *why_out = wrong;
            outcome = judge(context, &options, status);
        }
    }
    op->destroy(object);
    choice_watch_end();
    return outcome;
}
