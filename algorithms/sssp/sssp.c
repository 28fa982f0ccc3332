/** @file sssp.c  Shortest paths: picks the form, in step (sssp_step.h) or a traversal through the worklist
 * (sssp_op.h), and does set-up, runs and results of the latter.
 *
 * In step there are 32-bit distances alone. Through the worklist integer weights begin with the narrow
 * operator, whose distances have 32 bits, even where the longest path that one can think of would not fit:
 * real ones are far shorter. If a run of either form does find a distance that does not fit, it is done again
 * with the wide operator, which the object keeps from then on. */
#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"
#include "algorithms/common/gather.h"
#include "algorithms/common/traversal.h"
#include "algorithms/sssp/sssp.h"
#include "algorithms/sssp/sssp_in_step.h"
#include "runtime/observe.h"
#include "runtime/support.h"
#include "worklist/steps.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const weir_operator weir__sssp_u32_operator, weir__sssp_f64_operator;

#define EXACT_MAX 9007199254740992.0  /* 2^53 */
#define CHUNK     (UINT64_C(1) << 14) /* distances that a thread takes at a time */

struct weir_sssp {
    struct weir__algorithm head; /* first */
    weir_run_options options;
    struct weir__sssp_estimate estimate;
    int integers; /* weights lie on the devices as uint32_t */
    /* For weir_sssp_cancel() and the change to wide: guards the forms in head, and the two below. */
    pthread_mutex_t lock;
    struct sssp_in_step *in_step; /* NULL: through the worklist */
    int cancelled;
    int wide;      /* what the traversal is */
    double unit;   /* of weights and distances on the devices (sssp_units.c) */
    double degree; /* arcs of a vertex, on average */
    char why_delta[WEIR__WHY_ROOM];
    const char *why_balance; /* of balance auto that became something; else NULL */
};

/* What one device that does everything has for a vertex and an arc: a row, a distance, items of queues, of which near ones and far ones have
 * several places; a target and a weight. */
#define COPY_VERTEX_BYTES 128
#define COPY_ARC_BYTES    12

int weir__sssp_wide(const weir_sssp *sssp)
{
    return sssp->wide;
}

uint64_t weir__sssp_spilled(const weir_sssp *sssp)
{
    return sssp->in_step ? weir__sssp_in_step_spilled(sssp->in_step) : 0;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static weir_status bind(const weir_sssp *sssp, int wide, weir_traversal *traversal)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < (sssp->head.lone ? 1 : sssp->head.parts) && !status; p++) {
        const weir_part *part = weir_placement_part(sssp->head.placement, p);
        void *distance = weir_traversal_values(traversal, p);
        sssp_u32_state narrow = {.part = *part, .distance = distance};
        narrow.rows = weir_traversal_padded_rows(traversal, p, &narrow.row_log);
        sssp_f64_state broad = {*part, distance, sssp->estimate.scale, sssp->integers};
        status = weir_traversal_bind(traversal, p, wide ? (void *)&broad : (void *)&narrow);
    }
    return status;
}

static const weir_operator *operator_of(int wide)
{
    return wide ? &weir__sssp_f64_operator : &weir__sssp_u32_operator;
}

static uint32_t gpus_of(const weir_context *context)
{
    const uint32_t count = weir_context_device_count(context);
    for (uint32_t d = 0; d < count; d++)
        if (!weir__device_is_gpu(weir_context_device(context, d)))
            return 0;
    return count;
}

static weir_traversal_config config_of(const weir_sssp *sssp, int wide)
{
    weir_traversal_config config = WEIR_TRAVERSAL_CONFIG_INIT;
    config.value_bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    config.entry_bytes = wide || !sssp->integers || sssp->options.memory == WEIR_MEMORY_HOST
                             ? 0
                             : sizeof(sssp_u32_entry);
    config.delta_hint = weir__sssp_width(&sssp->estimate, wide, gpus_of(sssp->head.context));
    return config;
}

static weir_part_weights weights_of(const weir_sssp *sssp)
{
    return sssp->integers ? WEIR_PART_WEIGHTS_U32 : WEIR_PART_WEIGHTS_F64;
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
    options.memory = WEIR_MEMORY_AUTO; /* the placement has said where arcs lie */
    options.wire = WEIR_WIRE_AUTO;     /* items are lists */
    options.balance = WEIR_BALANCE_OFF;
    if (options.delta && !options.order)
        options.order = WEIR_ORDER_SOFT;
    weir_status status = weir_traversal_create(sssp->head.placement, operator_of(wide), &options,
                                               &config, traversal_out);
    if (status)
        return status;
    if (sssp->estimate.longest >= (wide ? EXACT_MAX : SSSP_U32_FAR))
        weir__traversal_watch(*traversal_out, far_from(wide));
    if (!(status = bind(sssp, wide, *traversal_out)))
        return WEIR_OK;
    weir_traversal_destroy(*traversal_out);
    *traversal_out = NULL;
    return status;
}

static weir_status place(weir_sssp *sssp, const weir_graph *graph, const weir_partition *partition)
{
    const struct weir__making making = {.context = sssp->head.context,
                                        .graph = graph,
                                        .partition = partition,
                                        .options = &sssp->options,
                                        .lone = sssp->head.lone};
    const weir_traversal_config config = config_of(sssp, sssp->wide);
    weir_status status = weir__algorithm_push_fits(
        &making, weights_of(sssp), operator_of(sssp->wide), &config, "shortest paths");
    return status ? status
                  : weir__algorithm_place(&making, weights_of(sssp), &sssp->head.placement);
}

/* In step there are 32-bit distances alone, and a vertex of another device is relaxed by atomics. */
static weir_status possible(const void *user)
{
    const weir_sssp *sssp = user;
    weir_status status;
    if (sssp->estimate.wide)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "%s needs weights whose sums fit 32 bits as integers or as multiples of "
                          "a power of two%s",
                          sssp->options.parents ? "that" : "direction switch",
                          sssp->options.parents ? "" : ": leave it out, or take push");
    status = weir_steps_possible(sssp->head.context, sssp->head.parts);
    return status ? status : weir__sssp_in_step_possible(sssp->head.context, sssp->head.parts);
}

static int usual(const struct weir__sssp_estimate *estimate, const char **why_out)
{
    const int step = !estimate->wide && estimate->skewed;
    *why_out = estimate->wide ? "the distances may need 64 bits, which the worklist alone has"
               : !step ? "there are neither hubs nor many arcs a vertex, so the way is long, and "
                         "steps of all devices together would have next to nothing to do"
               : estimate->hubs
                   ? "there are hubs, through which nearly all is reached in few steps"
                   : "vertices have many arcs, so that nearly all is reached in few steps";
    return step ? WEIR__FORM_STEP : WEIR__FORM_PUSH;
}

/* An arc of weight 0 leads to a vertex that is as near as its tail: a circle of them would be a tree that leads nowhere. */
static weir_status check_tree(const weir_sssp *sssp, const weir_graph *graph)
{
    if (!sssp->options.parents || sssp->estimate.nothing == UINT64_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_UNSUPPORTED,
                      "parents of shortest paths need weights above 0, and %s has one of 0 (arc "
                      "%llu): leave parents out",
                      graph->name, (unsigned long long)sssp->estimate.nothing);
}

static weir_status choose(weir_sssp *sssp, int *form_out)
{
    const struct weir__asked asked = {.options = &sssp->options};
    struct weir__form_case what = {.possible = possible, .user = sssp};
    what.usual = usual(&sssp->estimate, &what.why);
    return weir__form_choose(&weir__sssp_forms, &asked, &what, form_out, NULL, sssp->head.why_form);
}

/* What the width of a step follows from. That of the wide operator counts priorities, not weights. */
static void say_width(weir_sssp *sssp)
{
    const struct weir__sssp_estimate *estimate = &sssp->estimate;
    char scaled[64] = "", units[64] = "";
    if (sssp->options.delta)
        return;
    if (sssp->unit != 1)
        snprintf(units, sizeof units, " times 2^%d", ilogb(sssp->unit));
    if (sssp->wide)
        snprintf(scaled, sizeof scaled, ", which the width counts as %.4g",
                 estimate->mean * estimate->scale);
    snprintf(sssp->why_delta, sizeof sssp->why_delta,
             "an arc weighs %.4g%s on average%s, and a vertex has %.3g arcs", estimate->mean, units,
             scaled, sssp->degree);
}

/* What balance auto becomes. Pushes in step that are shared out take longer where nothing comes to that (docs/stealing.md), so they are never
 * picked. Through the worklist one device does all where levels are narrow, unless choices of the worklist are to be seen at work. */
static void settle_balance(weir_sssp *sssp, const struct weir__making *making, int form)
{
    if (sssp->options.balance != WEIR_BALANCE_AUTO)
        return;
    sssp->options.balance = WEIR_BALANCE_OFF;
    if (form == WEIR__FORM_PUSH && !sssp->estimate.skewed && !weir__lone_asked(&sssp->options) &&
        weir__lone_pays(making->context, making->graph, making->partition->parts, COPY_VERTEX_BYTES,
                        COPY_ARC_BYTES, &sssp->why_balance))
        sssp->options.balance = WEIR_BALANCE_OWNERSHIP;
}

/* Through the worklist, on all devices, or on one for all. */
static weir_status create_push(weir_sssp *sssp, const struct weir__making *making)
{
    struct weir__algorithm *head = &sssp->head;
    const int alone = sssp->options.balance == WEIR_BALANCE_OWNERSHIP;
    struct weir__making whole;
    const struct weir__making all = {.context = making->context,
                                     .graph = making->graph,
                                     .partition = making->partition,
                                     .options = &sssp->options};
    weir_status status = alone ? weir__algorithm_alone(head, &all, &whole) : WEIR_OK;
    if (!status)
        status = place(sssp, making->graph, alone ? whole.partition : making->partition);
    if (!status)
        status = create_traversal(sssp, sssp->wide, &head->traversal);
    return status || !alone ? status : weir__lone_take(head->lone, sssp->wide ? 8 : 4);
}

static weir_status create(struct weir__algorithm *head, const struct weir__making *making)
{
    weir_sssp *sssp = (weir_sssp *)head;
    const uint32_t delta = sssp->options.delta ? sssp->options.delta : sssp->estimate.delta_step;
    int form;
    sssp->options.memory = making->options->memory; /* what it has become */
    weir_status status = choose(sssp, &form);
    if (status || (status = check_tree(sssp, making->graph)))
        return status;
    settle_balance(sssp, making, form);
    if (form == WEIR__FORM_PUSH)
        return create_push(sssp, making);
    if ((status = weir__sssp_in_step_create(making->context, making->graph, making->partition,
                                            &sssp->options, delta, &sssp->in_step)))
        return status;
    head->on = &sssp->in_step->on;
    return WEIR_OK;
}

/* Behind a run: what one device did for all goes to those that own it. */
static weir_status give(weir_sssp *sssp, weir_run_stats *stats)
{
    struct weir__algorithm *head = &sssp->head;
    if (!head->lone)
        return WEIR_OK;
    const weir_status status = weir__lone_take(head->lone, sssp->wide ? 8 : 4);
    return status ? status
                  : weir__lone_give(head->lone, weir_traversal_values(head->traversal, 0), stats);
}

/* For plans: the same again, elsewhere. */
static weir_status make_again(const void *user, weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, void **object_out)
{
    weir_sssp *sssp;
    weir_status status = weir_sssp_create(context, graph, partition, user, &sssp);
    *object_out = sssp;
    return status;
}

static void destroy_again(void *object)
{
    weir_sssp_destroy(object);
}

/* What the weights say, as they are placed: as multiples of a power of two only where these begin with 32 bits, which is
 * what they are for. */
static weir_status look_at_weights(const weir_graph *graph, struct weir__sssp_units *units,
                                   struct weir__sssp_estimate *estimate_out)
{
    weir_status status = weir__sssp_units_of(graph, units);
    if (status)
        return status;
    if (units->multiples) {
        status = weir__sssp_estimate(&units->graph, estimate_out);
        if (!status && !estimate_out->wide)
            return WEIR_OK;
        weir__sssp_units_end(units);
        units->unit = 1;
    }
    return status ? status : weir__sssp_estimate(graph, estimate_out);
}

static weir_status create_as(struct weir__making *making, const struct weir__sssp_estimate *known,
                             double unit, weir_sssp **sssp_out)
{
    const weir_graph *graph = making->graph;
    const struct weir__sssp_estimate estimate = *known;
    weir_sssp *sssp;
    weir_status status = weir__calloc(1, sizeof *sssp, "sssp", &sssp);
    if (status)
        return status;
    pthread_mutex_init(&sssp->lock, NULL);
    sssp->estimate = estimate;
    sssp->wide = estimate.wide;
    sssp->unit = unit;
    sssp->options = *making->options;
    sssp->integers = graph->weight_kind == WEIR_WEIGHT_U32;
    sssp->degree = graph->vertices ? (double)graph->arcs / (double)graph->vertices : 0;
    say_width(sssp);
    making->maker = &(struct weir__maker){"shortest paths", &making->known, make_again,
                                          destroy_again, &making->known};
    if ((status = weir__algorithm_create(&sssp->head, making, WEIR_SHAPE_LEVELS, create))) {
        weir_sssp_destroy(sssp);
        return status;
    }
    *sssp_out = sssp;
    return WEIR_OK;
}

static weir_status create_any(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, const weir_run_options *options,
                              weir_sssp **sssp_out)
{
    struct weir__making making = {
        .context = context, .graph = graph, .partition = partition, .options = options};
    struct weir__sssp_estimate estimate;
    struct weir__sssp_units units = {.unit = 1};
    weir_status status;
    *sssp_out = NULL;
    if ((status = weir__making_begin(&making)) ||
        (status = look_at_weights(graph, &units, &estimate))) {
        weir__sssp_units_end(&units);
        return status;
    }
    if (units.multiples)
        making.graph = &units.graph;
    status = create_as(&making, &estimate, units.unit, sssp_out);
    weir__sssp_units_end(&units);
    return status;
}

weir_status weir_sssp_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             weir_sssp **sssp_out)
{
    struct weir__activity outer;
    weir__activity_begin(&outer, "placing", NULL, 0);
    return weir__activity_end(&outer, create_any(context, graph, partition, options, sssp_out));
}

void weir_sssp_destroy(weir_sssp *sssp)
{
    if (!sssp)
        return;
    weir__sssp_in_step_destroy(sssp->in_step);
    weir__algorithm_destroy(&sssp->head);
    pthread_mutex_destroy(&sssp->lock);
    free(sssp);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static weir_status run_push(weir_sssp *sssp, uint64_t source, weir_run_stats *stats)
{
    uint32_t part, global;
    weir_status status = weir_placement_locate(sssp->head.placement, source, &part, &global, NULL);
    sssp_u32_item narrow = {global, 0};
    sssp_f64_item broad = {0, global, 0};
    if (!status)
        status = weir_traversal_seed(sssp->head.traversal, part,
                                     sssp->wide ? (void *)&broad : (void *)&narrow, 1);
    if (!status && !(status = weir_traversal_run(sssp->head.traversal, stats)))
        stats->direction = WEIR_DIRECTION_PUSH;
    return status;
}

/* Refuse the last run, a wide one over integers that came to where doubles leave some out: name a vertex. */
static weir_status refuse_inexact(weir_sssp *sssp, uint64_t source)
{
    uint64_t n = sssp->head.vertices, v = 0;
    double *distance;
    weir_status status = weir__alloc(n, sizeof *distance, "distances", &distance);
    if (status)
        return status;
    if (!(status = weir_sssp_distances(sssp, distance))) {
        while (v + 1 < n && !(isfinite(distance[v]) && distance[v] / sssp->unit >= EXACT_MAX))
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
    weir_status status = weir__sssp_back(sssp->in_step->on.rows, &graph, &partition);
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
    weir_traversal *wide, *narrow = sssp->head.traversal;
    struct sssp_in_step *in_step = sssp->in_step;
    weir_status status = sssp->head.placement ? WEIR_OK : place_again(sssp);
    if (status || (status = create_traversal(sssp, 1, &wide)))
        return status;
    pthread_mutex_lock(&sssp->lock);
    sssp->head.traversal = wide;
    sssp->head.on = NULL;
    sssp->in_step = NULL;
    if (sssp->cancelled)
        weir_traversal_cancel(wide);
    pthread_mutex_unlock(&sssp->lock);
    sssp->wide = 1;
    say_width(sssp);
    snprintf(sssp->head.why_form, sizeof sssp->head.why_form,
             "a run found distances that do not fit 32 bits, and the worklist alone has 64");
    weir_traversal_destroy(narrow);
    weir__sssp_in_step_destroy(in_step);
    return WEIR_OK;
}

/* A run with 32 bits and, if distances did not fit, with the wide operator. */
static weir_status run_fitting(weir_sssp *sssp, uint64_t source, weir_run_stats *stats)
{
    int again = 0;
    weir_status status = sssp->in_step
                             ? weir__sssp_in_step_run(sssp->in_step, source, stats, &again)
                             : run_push(sssp, source, stats);
    if (status || sssp->wide || (sssp->estimate.longest < SSSP_U32_FAR && !again))
        return status;
    if (!sssp->in_step)
        again = weir__traversal_far(sssp->head.traversal) != 0;
    if (!again)
        return WEIR_OK;
    if (sssp->options.parents)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a distance from source %llu does not fit 32 bits, and parents need that: "
            "leave parents out",
            (unsigned long long)source);
    double first_ms = stats->kernel_ms;
    if ((status = widen(sssp)) || (status = run_push(sssp, source, stats)))
        return status;
    stats->kernel_ms += first_ms;
    return WEIR_OK;
}

weir_status weir_sssp_run(weir_sssp *sssp, uint64_t source, weir_run_stats *stats_out)
{
    const uint64_t begin_ns = weir__algorithm_begin(&sssp->head);
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_status status = weir__sized_room(stats_out, sizeof stats, "weir_run_stats");
    if (status)
        return status;
    if (source >= sssp->head.vertices)
        return weir__fail(WEIR_ERR_INVALID, "source %llu is not a vertex: the graph has %llu",
                          (unsigned long long)source, (unsigned long long)sssp->head.vertices);
    if ((status = run_fitting(sssp, source, &stats)) || (status = give(sssp, &stats)))
        return weir__algorithm_failed(&sssp->head, status);
    sssp->head.stopped = 0;
    if (sssp->head.traversal && sssp->wide && sssp->estimate.whole &&
        weir__traversal_far(sssp->head.traversal))
        return weir__algorithm_failed(&sssp->head, refuse_inexact(sssp, source));
    stats.least_items = stats.reached;
    weir__algorithm_ran(&sssp->head, begin_ns, &stats, stats_out);
    return WEIR_OK;
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

/* Distances of the last run through the worklist as they lie on the devices, then as doubles. */
static weir_status gather(const weir_sssp *sssp, double *distances_out)
{
    const uint64_t n = sssp->head.vertices;
    weir_status status = weir_traversal_gather(sssp->head.traversal, distances_out);
    if (status)
        return status;
    if (sssp->wide)
        weir__parallel_for(n, CHUNK, 0, mark_unreached, distances_out);
    else
        weir__widen(NULL, n, VALUES_AS_DOUBLES, distances_out);
    return WEIR_OK;
}

struct scale {
    double *distances;
    double unit;
};

static void scale(void *user, uint64_t begin, uint64_t end)
{
    const struct scale *s = user;
    for (uint64_t v = begin; v < end; v++)
        s->distances[v] *= s->unit;
}

static void forget(void *user, uint64_t begin, uint64_t end)
{
    double *distances = user;
    for (uint64_t v = begin; v < end; v++)
        distances[v] = INFINITY;
}

weir_status weir_sssp_distances(weir_sssp *sssp, double *distances_out)
{
    weir_status status = weir__algorithm_complete(&sssp->head, "distances");
    if (status)
        return status;
    if (!sssp->in_step)
        status = gather(sssp, distances_out);
    else if (sssp->head.ran)
        status = weir__sssp_in_step_distances(sssp->in_step, distances_out);
    else
        weir__parallel_for(sssp->head.vertices, CHUNK, 0, forget, distances_out);
    if (!status && sssp->unit != 1)
        weir__parallel_for(sssp->head.vertices, CHUNK, 0, scale,
                           &(struct scale){distances_out, sssp->unit});
    return status;
}

weir_status weir_sssp_parents(weir_sssp *sssp, int64_t *parents_out)
{
    weir_status status = weir__algorithm_complete(&sssp->head, "distances");
    if (status)
        return status;
    if (!sssp->options.parents)
        return weir__fail(WEIR_ERR_INVALID, "no tree of parents was asked for");
    return weir__sssp_in_step_parents(sssp->in_step, parents_out);
}

weir_status weir_sssp_values(weir_sssp *sssp, uint32_t device, weir_values *values_out)
{
    const weir_status status = weir__algorithm_values(
        &sssp->head, "distances", device, sssp->wide ? WEIR_VALUE_F64 : WEIR_VALUE_U32, values_out);
    /* A caller's struct of an earlier version may end before the member. */
    if (!status && values_out->size >= offsetof(weir_values, scale) + sizeof values_out->scale)
        values_out->scale = sssp->unit;
    return status;
}

weir_status weir_sssp_link_items(const weir_sssp *sssp, uint32_t from, uint32_t to,
                                 uint64_t *items_out)
{
    return sssp->in_step ? weir__sssp_in_step_link_items(sssp->in_step, from, to, items_out)
                         : weir__algorithm_link_items(&sssp->head, from, to, items_out);
}

weir_status weir_sssp_stolen(const weir_sssp *sssp, uint32_t owner, uint32_t worker,
                             uint64_t *arcs_out)
{
    *arcs_out = 0;
    if (sssp->head.lone) /* what it did for all is not told by owners */
        return weir__lone_link_items(sssp->head.lone, owner, worker, arcs_out);
    if (!sssp->in_step)
        return weir__fail(WEIR_ERR_INVALID, "the search runs with balance off");
    const weir_status status = weir__sssp_in_step_stolen(sssp->in_step, owner, worker, arcs_out);
    if (!sssp->head.ran)
        *arcs_out = 0;
    return status;
}

weir_status weir_sssp_explain(const weir_sssp *sssp, weir_run_stats *picked_out,
                              weir_run_reasons *reasons_out)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const int form = sssp->in_step ? WEIR__FORM_STEP : WEIR__FORM_PUSH;
    weir_status status = WEIR_OK;
    if (sssp->in_step) {
        weir__row_steps_picked(&sssp->in_step->on, &picked);
        weir__sssp_in_step_picked(sssp->in_step, &picked);
    } else {
        status = weir_traversal_explain(sssp->head.traversal, &picked, &reasons);
    }
    if (sssp->head.lone)
        picked.balance = WEIR_BALANCE_OWNERSHIP;
    reasons.why_balance = sssp->why_balance;
    if (picked.work.delta && *sssp->why_delta)
        reasons.why_delta = sssp->why_delta;
    return status ? status
                  : weir__algorithm_explained(&sssp->head, &weir__sssp_forms.form[form], &picked,
                                              &reasons, picked_out, reasons_out);
}

weir_status weir_sssp_prepared(const weir_sssp *sssp, weir_prepare_stats *stats_out)
{
    return weir__algorithm_prepared(&sssp->head, stats_out);
}

void weir_sssp_cancel(weir_sssp *sssp)
{
    pthread_mutex_lock(&sssp->lock);
    sssp->cancelled = 1;
    weir__algorithm_cancel(&sssp->head);
    pthread_mutex_unlock(&sssp->lock);
}
