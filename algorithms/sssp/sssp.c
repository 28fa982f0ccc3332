/** @file sssp.c  Shortest paths: picks the form, in step (step.h) or a traversal through the worklist
 * (sssp_op.h), and does set-up, runs and results of the latter.
 *
 * In step there are 32-bit distances alone. Through the worklist integer weights begin with the narrow
 * operator, whose distances have 32 bits, even where the longest path that one can think of would not fit:
 * real ones are far shorter. If a run of either form does find a distance that does not fit, it is done again
 * with the wide operator, which the object keeps from then on. */
#include "algorithms/common/choose.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/timing.h"
#include "algorithms/common/traversal.h"
#include "algorithms/common/need.h"
#include "algorithms/sssp/sssp.h"
#include "algorithms/sssp/sssp_step_run.h"
#include "runtime/support.h"
#include "worklist/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const weir_operator weir__sssp_u32_operator, weir__sssp_f64_operator;

#define EXACT_MAX   9007199254740992.0  /* 2^53 */
#define WIDEN_CHUNK (UINT64_C(1) << 14) /* distances that a thread takes at a time */

struct weir_sssp {
    weir_context *context; /* kept by what was placed in it */
    weir_placement *placement;
    weir_run_options options;
    struct weir__sssp_plan plan;
    uint64_t vertices;
    uint32_t parts;
    const char *why_devices;
    int integers; /* weights lie on the devices as uint32_t */
    pthread_mutex_t
        lock; /* for weir_sssp_cancel() and the change to wide: guards the three below */
    struct sssp_run *run; /* in step; NULL: through the worklist, with a placement and the next */
    weir_traversal *traversal;
    int cancelled;
    int wide; /* what the traversal is */
    int ran;  /* the last run was complete */
    weir_prepare_stats prepared;
    int lost; /* the last run was not: there are no distances any more */
};

int weir__sssp_wide(const weir_sssp *sssp)
{
    return sssp->wide;
}

uint64_t weir__sssp_spilled(const weir_sssp *sssp)
{
    return sssp->run ? weir__sssp_run_spilled(sssp->run) : 0;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static weir_status bind(const weir_sssp *sssp, int wide, weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < sssp->parts && !status; p++) {
        const weir_part *part = weir_placement_part(sssp->placement, p);
        void *distance = weir_traversal_values(traversal, p);
        sssp_u32_state narrow = {*part, distance};
        sssp_f64_state broad = {*part, distance, sssp->plan.scale, sssp->integers};
        status = weir_traversal_bind(traversal, p, wide ? (void *)&broad : (void *)&narrow);
    }
    return status;
}

static const weir_operator *operator_of(int wide)
{
    return wide ? &weir__sssp_f64_operator : &weir__sssp_u32_operator;
}

static weir_traversal_config config_of(const weir_sssp *sssp, int wide)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    config.delta_hint = wide ? sssp->plan.delta_f64 : sssp->plan.delta_u32;
    return config;
}

static weir_part_weights weights_of(const weir_sssp *sssp)
{
    return sssp->integers ? WEIR_PART_WEIGHTS_U32 : WEIR_PART_WEIGHTS_F64;
}

static weir_status push_fits(const weir_sssp *sssp, const weir_graph *graph,
                             const weir_partition *partition)
{
    const weir_traversal_config config = config_of(sssp, sssp->wide);
    struct weir__sizes sizes;
    struct weir__need need = {0, 0};
    weir_status status = weir__sizes_of(sssp->context, graph, partition, &sizes);
    if (status)
        return status;
    weir__placement_need(&sizes, weights_of(sssp), &need);
    weir__traversal_need(&sizes, operator_of(sssp->wide), &sssp->options, &config, &need);
    weir__need_take(&need, sssp->options.reserved_bytes, 1);
    return weir__need_fits(&need, "shortest paths of %s", graph->name);
}

/* What counts as far, in the bits that distances have on devices. Doubles that are not negative are ordered as
 * their bits are. */
static uint64_t far_from(int wide)
{
    const double exact = EXACT_MAX;
    uint64_t bits;
    memcpy(&bits, &exact, sizeof bits);
    return wide ? bits : SSSP_U32_FAR;
}

static weir_status create_traversal(const weir_sssp *sssp, int wide, weir_traversal **traversal_out)
{
    const weir_traversal_config config = config_of(sssp, wide);
    weir_run_options options = sssp->options;
    /* A run in step that did not fit comes here too, with the options of a run in step. */
    options.direction = WEIR_DIRECTION_PUSH;
    if (options.delta && !options.order)
        options.order = WEIR_ORDER_SOFT;
    weir_status status =
        weir_traversal_create(sssp->placement, operator_of(wide), &options, &config, traversal_out);
    if (status)
        return status;
    if (sssp->plan.longest >= (wide ? EXACT_MAX : SSSP_U32_FAR))
        weir__traversal_watch(*traversal_out, far_from(wide));
    if (!(status = bind(sssp, wide, *traversal_out)))
        return WEIR_OK;
    weir_traversal_destroy(*traversal_out);
    *traversal_out = NULL;
    return status;
}

static weir_status place(weir_sssp *sssp, const weir_graph *graph, const weir_partition *partition)
{
    weir_status status = push_fits(sssp, graph, partition);
    return status ? status
                  : weir_placement_create(sssp->context, graph, partition, weights_of(sssp),
                                          &sssp->placement);
}

/* In step there are 32-bit distances alone, and a vertex of another device is relaxed by atomics. */
static weir_status possible(const void *user)
{
    const weir_sssp *sssp = user;
    weir_status status;
    if (sssp->plan.wide)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "shortest paths go in step with integer weights whose sums fit 32 bits");
    status = weir_steps_possible(sssp->context, sssp->parts);
    return status ? status : weir__sssp_run_possible(sssp->context, sssp->parts);
}

static weir_status choose(const weir_sssp *sssp, int *form_out)
{
    const struct weir__asked asked = {.options = &sssp->options};
    const struct weir__form_case what = {
        !sssp->plan.wide && sssp->plan.skewed ? WEIR__FORM_STEP : WEIR__FORM_PUSH, possible, sssp};
    return weir__form_choose(&weir__sssp_forms, &asked, &what, form_out, NULL);
}

static weir_status create(weir_sssp *sssp, const weir_graph *graph, const weir_partition *partition,
                          const struct weir__prepare *begin)
{
    weir_partition *own = NULL;
    int form = WEIR__FORM_PUSH;
    weir_status status = weir__partition_choose(sssp->context, graph, &partition, WEIR_SHAPE_LEVELS,
                                                &own, &sssp->why_devices);
    if (!status) {
        sssp->parts = partition->parts;
        status = choose(sssp, &form);
    }
    if (!status && form == WEIR__FORM_STEP)
        status = weir__sssp_run_create(
            sssp->context, graph, partition, &sssp->options,
            sssp->options.delta ? sssp->options.delta : sssp->plan.delta_step, &sssp->run);
    else if (!status && !(status = place(sssp, graph, partition)))
        status = create_traversal(sssp, sssp->wide, &sssp->traversal);
    if (!status)
        sssp->prepared = weir__prepare_end(begin, graph, partition, own);
    weir_partition_destroy(own);
    return status;
}

weir_status weir_sssp_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             weir_sssp **sssp_out)
{
    static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;
    const struct weir__prepare begin = weir__prepare_begin();
    struct weir__sssp_plan plan;
    weir_sssp *sssp;
    weir_status status;
    *sssp_out = NULL;
    if (options && options->size != sizeof *options)
        return weir__fail(WEIR_ERR_INVALID, "weir_run_options was not set by its initialiser");
    if ((status = weir__sssp_plan(graph, &plan)) ||
        (status = weir__calloc(1, sizeof *sssp, "sssp", &sssp)))
        return status;
    pthread_mutex_init(&sssp->lock, NULL);
    sssp->context = context;
    sssp->plan = plan;
    sssp->vertices = graph->vertices;
    sssp->wide = plan.wide;
    sssp->options = options ? *options : defaults;
    sssp->integers = graph->weight_kind == WEIR_WEIGHT_U32;
    if ((status = create(sssp, graph, partition, &begin))) {
        weir_sssp_destroy(sssp);
        return status;
    }
    *sssp_out = sssp;
    return WEIR_OK;
}

void weir_sssp_destroy(weir_sssp *sssp)
{
    if (!sssp)
        return;
    weir__sssp_run_destroy(sssp->run);
    weir_traversal_destroy(sssp->traversal);
    weir_placement_destroy(sssp->placement);
    pthread_mutex_destroy(&sssp->lock);
    free(sssp);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static weir_status run_push(weir_sssp *sssp, uint64_t source, weir_run_stats *stats)
{
    uint32_t part, global;
    weir_status status = weir_placement_locate(sssp->placement, source, &part, &global, NULL);
    sssp_u32_item narrow = {global, 0};
    sssp_f64_item broad = {0, global, 0};
    if (!status)
        status = weir_traversal_seed(sssp->traversal, part,
                                     sssp->wide ? (void *)&broad : (void *)&narrow, 1);
    if (!status && !(status = weir_traversal_run(sssp->traversal, stats)))
        stats->direction = WEIR_DIRECTION_PUSH;
    return status;
}

/* Refuse the last run, a wide one over integers that came to where doubles leave some out: name a vertex. */
static weir_status refuse_inexact(weir_sssp *sssp, uint64_t source)
{
    uint64_t n = sssp->vertices, v = 0;
    double *distance;
    weir_status status = weir__alloc(n, sizeof *distance, "distances", &distance);
    if (status)
        return status;
    if (!(status = weir_sssp_distances(sssp, distance))) {
        while (v + 1 < n && !(isfinite(distance[v]) && distance[v] >= EXACT_MAX))
            v++;
        status = weir__fail(WEIR_ERR_UNSUPPORTED,
                            "vertex %llu is at a distance of 2^53 or more from source %llu, where "
                            "sums of integers are not exact",
                            (unsigned long long)v, (unsigned long long)source);
    }
    free(distance);
    return status;
}

/* Place for the worklist what was placed by rows. */
static weir_status place_again(weir_sssp *sssp)
{
    weir_graph *graph;
    weir_partition partition;
    weir_status status = weir__sssp_back(sssp->run->on.rows, &graph, &partition);
    if (status)
        return status;
    status = place(sssp, graph, &partition);
    weir_graph_destroy(graph);
    free((void *)(uintptr_t)partition.owner);
    return status;
}

/* The wide traversal is made before what was there ends, so that the object stays whole if there is no
 * memory for it. */
static weir_status widen(weir_sssp *sssp)
{
    weir_traversal *wide, *narrow = sssp->traversal;
    struct sssp_run *run = sssp->run;
    weir_status status = sssp->placement ? WEIR_OK : place_again(sssp);
    if (status || (status = create_traversal(sssp, 1, &wide)))
        return status;
    pthread_mutex_lock(&sssp->lock);
    sssp->traversal = wide;
    sssp->run = NULL;
    if (sssp->cancelled)
        weir_traversal_cancel(wide);
    pthread_mutex_unlock(&sssp->lock);
    sssp->wide = 1;
    weir_traversal_destroy(narrow);
    weir__sssp_run_destroy(run);
    return WEIR_OK;
}

/* A run with 32 bits and, if distances did not fit, with the wide operator. */
static weir_status run_fitting(weir_sssp *sssp, uint64_t source, weir_run_stats *stats)
{
    int again = 0;
    weir_status status = sssp->run ? weir__sssp_run(sssp->run, source, stats, &again)
                                   : run_push(sssp, source, stats);
    if (status || sssp->wide || (sssp->plan.longest < SSSP_U32_FAR && !again))
        return status;
    if (!sssp->run)
        again = weir__traversal_far(sssp->traversal) != 0;
    if (!again)
        return WEIR_OK;
    double first_ms = stats->kernel_ms;
    if ((status = widen(sssp)) || (status = run_push(sssp, source, stats)))
        return status;
    stats->kernel_ms += first_ms;
    return WEIR_OK;
}

weir_status weir_sssp_run(weir_sssp *sssp, uint64_t source, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir_context_time_ns(sssp->context);
    weir_run_stats stats = {0};
    weir_status status;
    if (source >= sssp->vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu is not a vertex: the graph has %llu",
                          (unsigned long long)source, (unsigned long long)sssp->vertices);
    sssp->ran = 0;
    status = run_fitting(sssp, source, &stats);
    sssp->lost = status != WEIR_OK;
    if (status)
        return status;
    if (sssp->traversal && sssp->wide && sssp->plan.whole && weir__traversal_far(sssp->traversal)) {
        status = refuse_inexact(sssp, source);
        sssp->lost = 1;
        return status;
    }
    sssp->ran = 1;
    stats.devices = sssp->parts;
    stats.why_devices = sssp->why_devices;
    stats.least_items = stats.reached;
    stats.ms = weir__ms_since(sssp->context, begin_ns);
    if (stats_out)
        *stats_out = stats;
    return WEIR_OK;
}

struct widening {
    double *distances;
    uint64_t base; /* the vertex that an interval counts from */
};

/* Makes doubles of an interval of the 32-bit distances that lie in the front half of the array. */
static void widen_some(void *user, uint64_t begin, uint64_t end)
{
    const struct widening *widening = user;
    const unsigned char *front = (const unsigned char *)widening->distances;
    uint32_t narrow;
    for (uint64_t v = widening->base + end; v-- > widening->base + begin;) {
        memcpy(&narrow, front + v * sizeof narrow, sizeof narrow);
        widening->distances[v] = narrow == SSSP_U32_UNREACHED ? (double)INFINITY : (double)narrow;
    }
}

/* The back half is made of the second quarter by all cores, then the second quarter of what lies before it, and so on;
 * the last ones by one core from the back. */
static void widen_distances(uint64_t n, double *distances)
{
    struct widening widening = {.distances = distances};
    while (n > WIDEN_CHUNK) {
        widening.base = (n + 1) / 2;
        weir__parallel_for(n - widening.base, WIDEN_CHUNK, 0, widen_some, &widening);
        n = widening.base;
    }
    widening.base = 0;
    widen_some(&widening, 0, n);
}

static void mark_unreached(void *user, uint64_t begin, uint64_t end)
{
    double *distances = user;
    uint64_t bits;
    for (uint64_t v = begin; v < end; v++) {
        memcpy(&bits, &distances[v], sizeof bits);
        if (bits == SSSP_F64_UNREACHED)
            distances[v] = INFINITY;
    }
}

/* Distances of the last run as they lie on the devices. */
static weir_status gather(const weir_sssp *sssp, void *distances_out)
{
    if (sssp->lost)
        return weir__fail(WEIR_ERR_INVALID,
                          "the last run was not complete: there are no distances");
    if (!sssp->run)
        return weir_traversal_gather(sssp->traversal, distances_out);
    if (sssp->ran)
        return weir__sssp_run_distances(sssp->run, distances_out);
    memset(distances_out, 0xFF, (size_t)sssp->vertices * sizeof(uint32_t)); /* before a run */
    return WEIR_OK;
}

weir_status weir_sssp_distances(weir_sssp *sssp, double *distances_out)
{
    weir_status status = gather(sssp, distances_out);
    if (status)
        return status;
    if (sssp->wide)
        weir__parallel_for(sssp->vertices, WIDEN_CHUNK, 0, mark_unreached, distances_out);
    else
        widen_distances(sssp->vertices, distances_out);
    return WEIR_OK;
}

weir_status weir_sssp_values(weir_sssp *sssp, uint32_t device, weir_values *values_out)
{
    if (!sssp->ran)
        return weir__fail(WEIR_ERR_INVALID, "there are no distances before a complete run");
    return sssp->run
               ? weir__row_steps_values(&sssp->run->on, device, values_out)
               : weir__traversal_values(sssp->traversal, device,
                                        sssp->wide ? WEIR_VALUE_F64 : WEIR_VALUE_U32, values_out);
}

weir_status weir_sssp_link_items(const weir_sssp *sssp, uint32_t from, uint32_t to,
                                 uint64_t *items_out)
{
    return sssp->run ? weir__sssp_run_link_items(sssp->run, from, to, items_out)
                     : weir_traversal_link_items(sssp->traversal, from, to, items_out);
}

void weir_sssp_prepared(const weir_sssp *sssp, weir_prepare_stats *stats_out)
{
    *stats_out = sssp->prepared;
}

void weir_sssp_cancel(weir_sssp *sssp)
{
    pthread_mutex_lock(&sssp->lock);
    sssp->cancelled = 1;
    if (sssp->run)
        weir_steps_cancel(sssp->run->on.steps);
    else
        weir_traversal_cancel(sssp->traversal);
    pthread_mutex_unlock(&sssp->lock);
}
