/** @file sssp.c  Shortest paths over a traversal: set-up, runs, results.
 *
 * Integer weights begin with the narrow operator, whose distances have 32 bits, even where the longest
 * path that one can think of would not fit: real ones are far shorter. If a run does find a distance
 * that does not fit, it is done again with the wide operator, which the object keeps from then on. */
#include "algorithms/sssp/sssp.h"
#include "runtime/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const weir_operator weir__sssp_u32_operator, weir__sssp_f64_operator;

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

struct weir_sssp {
    weir_placement *placement;
    weir_run_options options;
    struct weir__sssp_plan plan;
    int integers;         /* weights lie on the devices as uint32_t */
    pthread_mutex_t lock; /* guards the two below for weir_sssp_cancel(), and the change to wide */
    weir_traversal *traversal;
    int cancelled;
    int wide; /* what the traversal is */
};

int weir__sssp_wide(const weir_sssp *sssp)
{
    return sssp->wide;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static weir_status bind(const weir_sssp *sssp, int wide, weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    uint32_t parts = weir_context_device_count(weir_placement_context(sssp->placement));
    for (uint32_t p = 0; p < parts && !status; p++) {
        const weir_part *part = weir_placement_part(sssp->placement, p);
        void *distance = weir_traversal_values(traversal, p);
        sssp_u32_state narrow = {*part, distance};
        sssp_f64_state broad = {*part, distance, sssp->plan.scale, sssp->integers};
        status = weir_traversal_bind(traversal, p, wide ? (void *)&broad : (void *)&narrow);
    }
    return status;
}

static weir_status create_traversal(const weir_sssp *sssp, int wide, weir_traversal **traversal_out)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    weir_status status;
    config.value_bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    config.delta_hint = wide ? sssp->plan.delta_f64 : sssp->plan.delta_u32;
    status = weir_traversal_create(sssp->placement,
                                   wide ? &weir__sssp_f64_operator : &weir__sssp_u32_operator,
                                   &sssp->options, &config, traversal_out);
    if (status || !(status = bind(sssp, wide, *traversal_out)))
        return status;
    weir_traversal_destroy(*traversal_out);
    *traversal_out = NULL;
    return status;
}

weir_status weir_sssp_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             weir_sssp **sssp_out)
{
    static const weir_run_options defaults = WEIR_RUN_OPTIONS_INIT;
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
    sssp->plan = plan;
    sssp->wide = plan.wide;
    sssp->options = options ? *options : defaults;
    sssp->integers = graph->weight_kind == WEIR_WEIGHT_U32;
    if ((status = weir_placement_create(
             context, graph, partition,
             sssp->integers ? WEIR_PART_WEIGHTS_U32 : WEIR_PART_WEIGHTS_F64, &sssp->placement)) ||
        (status = create_traversal(sssp, plan.wide, &sssp->traversal))) {
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
    weir_traversal_destroy(sssp->traversal);
    weir_placement_destroy(sssp->placement);
    pthread_mutex_destroy(&sssp->lock);
    free(sssp);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static weir_status run_once(weir_sssp *sssp, uint32_t part, uint32_t global, weir_run_stats *stats)
{
    sssp_u32_item narrow = {global, 0};
    sssp_f64_item broad = {0, global, 0};
    weir_status status = weir_traversal_seed(sssp->traversal, part,
                                             sssp->wide ? (void *)&broad : (void *)&narrow, 1);
    return status ? status : weir_traversal_run(sssp->traversal, stats);
}

/* Whether a vertex of the last run, a narrow one, is too far away for 32 bits. */
static weir_status overran(const weir_sssp *sssp, int *overran_out)
{
    uint64_t n = weir_placement_vertices(sssp->placement);
    uint32_t *distance;
    weir_status status = weir__alloc(n, sizeof *distance, "distances", &distance);
    if (status)
        return status;
    status = weir_traversal_gather(sssp->traversal, distance);
    *overran_out = 0;
    for (uint64_t v = 0; v < n && !status; v++)
        *overran_out |= distance[v] == SSSP_U32_FAR;
    free(distance);
    return status;
}

/* Refuse the last run, a wide one over integers, if they came to where doubles leave some out. */
static weir_status check_exact(weir_sssp *sssp, uint64_t source)
{
    uint64_t n = weir_placement_vertices(sssp->placement);
    double *distance;
    weir_status status = weir__alloc(n, sizeof *distance, "distances", &distance);
    if (status)
        return status;
    status = weir_sssp_distances(sssp, distance);
    for (uint64_t v = 0; v < n && !status; v++)
        if (isfinite(distance[v]) && distance[v] >= EXACT_MAX)
            status =
                weir__fail(WEIR_ERR_UNSUPPORTED,
                           "vertex %llu is at a distance of 2^53 or more from source %llu, where "
                           "sums of integers are not exact",
                           (unsigned long long)v, (unsigned long long)source);
    free(distance);
    return status;
}

/* The wide traversal is made before the narrow one ends, so that the object stays whole if there is no
 * memory for it. */
static weir_status widen(weir_sssp *sssp)
{
    weir_traversal *wide, *narrow = sssp->traversal;
    weir_status status = create_traversal(sssp, 1, &wide);
    if (status)
        return status;
    pthread_mutex_lock(&sssp->lock);
    sssp->traversal = wide;
    if (sssp->cancelled)
        weir_traversal_cancel(wide);
    pthread_mutex_unlock(&sssp->lock);
    sssp->wide = 1;
    weir_traversal_destroy(narrow);
    return WEIR_OK;
}

/* A run with the narrow operator and, if distances did not fit, with the wide one. */
static weir_status run_fitting(weir_sssp *sssp, uint32_t part, uint32_t global,
                               weir_run_stats *stats)
{
    int again = 0;
    weir_status status = run_once(sssp, part, global, stats);
    if (status || sssp->wide || sssp->plan.longest < SSSP_U32_FAR)
        return status;
    if ((status = overran(sssp, &again)) || !again)
        return status;
    double ms = stats->ms;
    if ((status = widen(sssp)) || (status = run_once(sssp, part, global, stats)))
        return status;
    stats->ms += ms;
    return WEIR_OK;
}

weir_status weir_sssp_run(weir_sssp *sssp, uint64_t source, weir_run_stats *stats_out)
{
    weir_run_stats stats = {0};
    uint32_t part, global;
    weir_status status;
    if (source >= weir_placement_vertices(sssp->placement))
        return weir__fail(WEIR_ERR_INVALID, "source %llu is not a vertex: the graph has %llu",
                          (unsigned long long)source,
                          (unsigned long long)weir_placement_vertices(sssp->placement));
    if ((status = weir_placement_locate(sssp->placement, source, &part, &global, NULL)) ||
        (status = run_fitting(sssp, part, global, &stats)))
        return status;
    if (sssp->wide && sssp->plan.whole && sssp->plan.longest >= EXACT_MAX &&
        (status = check_exact(sssp, source)))
        return status;
    if (stats_out)
        *stats_out = stats;
    return WEIR_OK;
}

weir_status weir_sssp_distances(weir_sssp *sssp, double *distances_out)
{
    uint64_t n = weir_placement_vertices(sssp->placement), bits;
    weir_status status;
    if (sssp->wide) {
        if ((status = weir_traversal_gather(sssp->traversal, distances_out)))
            return status;
        for (uint64_t v = 0; v < n; v++) {
            memcpy(&bits, &distances_out[v], sizeof bits);
            if (bits == SSSP_F64_UNREACHED)
                distances_out[v] = INFINITY;
        }
        return WEIR_OK;
    }
    /* Gathered into the front half of the caller's array, and widened from the back. */
    const unsigned char *front = (const unsigned char *)distances_out;
    uint32_t narrow;
    if ((status = weir_traversal_gather(sssp->traversal, distances_out)))
        return status;
    for (uint64_t v = n; v-- > 0;) {
        memcpy(&narrow, front + v * sizeof narrow, sizeof narrow);
        distances_out[v] = narrow == SSSP_U32_UNREACHED ? (double)INFINITY : (double)narrow;
    }
    return WEIR_OK;
}

weir_status weir_sssp_link_items(const weir_sssp *sssp, uint32_t from, uint32_t to,
                                 uint64_t *items_out)
{
    return weir_traversal_link_items(sssp->traversal, from, to, items_out);
}

void weir_sssp_cancel(weir_sssp *sssp)
{
    pthread_mutex_lock(&sssp->lock);
    sssp->cancelled = 1;
    weir_traversal_cancel(sssp->traversal);
    pthread_mutex_unlock(&sssp->lock);
}
