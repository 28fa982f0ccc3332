/** @file advise.c  On how many devices an algorithm is fastest. */
#include "algorithms/common/advise.h"
#include "algorithms/graph/sketch.h"
#include "runtime/support.h"

#include <math.h>

/* All figures were measured on one, two and four H200s joined by NVSwitch (docs/benchmarks.md) and rounded, since the
 * orders of magnitude decide. */

/* A level on one GPU takes as long as a chain of dependent reads and a barrier of the grid. On several GPUs the chain
 * crosses links, and the barrier is one over all of them, which takes 8 to 20 us. To follow an arc takes a random access or
 * two. */
#define LEVEL_ALONE_US    2.3
#define LEVEL_TOGETHER_US 8.0
#define LEVEL_ARCS_A_US   30e3
#define LEVEL_ITEM_BYTES  8
/* A search in step of few and wide levels looks at every vertex, but not at most of the arcs. */
#define SEARCH_VERTEX_US 26e-6
#define SEARCH_START_US  60.0
/* Components: where levels are wide, hubs join nearly all vertices at once; where they are narrow, a vertex is looked at
 * several times, since chains are long. In the end the results of the GPUs are put together one after the other. */
#define WIDE_VERTEX_US      28e-6
#define NARROW_VERTEX_US    115e-6
#define MERGE_VERTEX_US     27e-6
#define COMPONENTS_START_US 50.0
/* PageRank: on several GPUs a sweep waits for the values that the other GPUs made. A value has 4 bytes, and half of the
 * values cross the links while arcs are still being read. */
#define SWEEP_ALONE_US    3.5
#define SWEEP_TOGETHER_US 13.5
#define SWEEP_ARCS_A_US   140e3
#define SWEEP_ITEM_BYTES  2

#define LINK_BYTES_A_US 228e3

/* 2^19 arcs of a random graph of 6 arcs a vertex are 8 levels, of a mesh in three dimensions 40, of one in two 150. Where each
 * level has twice as many vertices as the one before, n of them are log2(n) levels, and a few more at the end. */
#define DEEP_LEVELS    24.0
#define DEEP_DOUBLINGS 2.0
/* What a placed graph takes: for an arc its two entries, among in-arcs and out-arcs, or an entry and a weight; for a
 * vertex its numbers, its values, its places in queues and the map back to its id. The array in which the first GPU puts
 * values in order is not counted, since the host does that where the GPU has no room. */
#define ARC_BYTES    8
#define VERTEX_BYTES 36
#define SMALL_GAIN   1.05

/* Host devices, measured on two cores of a server. On one device a level through the worklist takes as long as an item. On
 * several devices it takes a few looks at the words of the other devices; and where there are more threads than cores, a
 * thread that waits is in the way of a thread that works. The program asked for several devices, so one device is taken
 * only if it is faster by far. */
#define HOST_LEVEL_ALONE_US    0.025
#define HOST_LEVEL_TOGETHER_US 1.0
#define HOST_LEVEL_CROWDED_US  5.0
#define HOST_ARCS_A_US         60.0 /* that one core follows */
#define HOST_GAIN              2.0

/* The next number of devices to look at. The numbers are powers of two, since those were measured, and that of all devices. */
static uint32_t next_count(const struct weir__advise *facts, uint32_t devices)
{
    return devices > facts->devices / 2 ? facts->devices : devices * 2;
}

/* Each GPU sends every other GPU the vertices of that GPU which it found. */
static double level_us(const struct weir__advise *facts, uint32_t devices)
{
    double us = facts->arcs_a_level / devices / LEVEL_ARCS_A_US;
    double bytes = facts->found_a_level * LEVEL_ITEM_BYTES * (devices - 1) / devices / devices;
    return us + (devices > 1 ? LEVEL_TOGETHER_US + bytes / LINK_BYTES_A_US : LEVEL_ALONE_US);
}

/* Each GPU gets the values that the other GPUs made. */
static double sweep_us(const struct weir__advise *facts, uint32_t devices)
{
    double us = facts->arcs / devices / SWEEP_ARCS_A_US;
    double bytes = facts->vertices * SWEEP_ITEM_BYTES * (devices - 1) / devices;
    return us + (devices > 1 ? SWEEP_TOGETHER_US + bytes / LINK_BYTES_A_US : SWEEP_ALONE_US);
}

static double search_us(const struct weir__advise *facts, uint32_t devices)
{
    return SEARCH_VERTEX_US * facts->vertices / devices + SEARCH_START_US * (devices - 1);
}

static double components_us(const struct weir__advise *facts, uint32_t devices)
{
    double vertex_us = weir__advise_narrow(facts) ? NARROW_VERTEX_US : WIDE_VERTEX_US;
    return vertex_us * facts->vertices / devices +
           (devices > 1 ? MERGE_VERTEX_US * facts->vertices : 0) +
           COMPONENTS_START_US * (devices - 1);
}

int weir__advise_narrow(const struct weir__advise *facts)
{
    for (uint32_t d = 1; d < facts->devices;) {
        d = next_count(facts, d);
        if (level_us(facts, 1) > SMALL_GAIN * level_us(facts, d))
            return 0;
    }
    return 1;
}

double weir__advise_us(const struct weir__advise *facts, uint32_t devices)
{
    switch (facts->shape) {
    case WEIR_SHAPE_SWEEPS:
        return sweep_us(facts, devices);
    case WEIR_SHAPE_COMPONENTS:
        return components_us(facts, devices);
    default:
        return weir__advise_narrow(facts) ? level_us(facts, devices) : search_us(facts, devices);
    }
}

uint32_t weir__advise_least(const struct weir__advise *facts)
{
    double bytes = facts->arcs * ARC_BYTES + facts->vertices * VERTEX_BYTES;
    uint32_t least = 1;
    while (facts->bytes_a_device > 0 && least < facts->devices &&
           bytes / least > facts->bytes_a_device)
        least++;
    return least;
}

int weir__advise_deep(const struct weir__advise *facts)
{
    const double found = facts->found_a_level * facts->levels;
    return facts->levels >= DEEP_LEVELS && facts->levels >= DEEP_DOUBLINGS * log2(found + 1);
}

static const char *why_narrow(const struct weir__advise *facts)
{
    static const struct {
        double below;
        const char *text;
    } levels[] = {
        {1e3, "a level of this graph has less than a thousand arcs: too few to pay for a barrier "
              "over several devices"},
        {1e4, "a level of this graph has a few thousand arcs: too few to pay for a barrier over "
              "several devices"},
        {1e5, "a level of this graph has some ten thousand arcs: too few to pay for a barrier over "
              "several devices"},
        {1e300,
         "a level of this graph has some hundred thousand arcs: too few to pay for a barrier "
         "over several devices"},
    };
    size_t i = 0;
    while (facts->arcs_a_level >= levels[i].below)
        i++;
    return levels[i].text;
}

static const char *why(const struct weir__advise *facts, uint32_t devices)
{
    int components = facts->shape == WEIR_SHAPE_COMPONENTS;
    if (devices == facts->devices)
        return NULL;
    if (devices > 1)
        return "with more GPUs a run would spend as much on starts, links and barriers as it saves";
    if (facts->shape == WEIR_SHAPE_SWEEPS)
        return "this graph is too small for a sweep over it to pay for an exchange between GPUs";
    if (!components && weir__advise_narrow(facts))
        return why_narrow(facts);
    if (weir__advise_us(facts, 1) <= (components ? COMPONENTS_START_US : SEARCH_START_US))
        return "the whole graph is done before more GPUs have started";
    if (components && !weir__advise_narrow(facts))
        return "one GPU joins the vertices of this graph about as fast as the results of several "
               "are put together";
    return "more GPUs would save less of so short a run than it takes to start them";
}

uint32_t weir__advise_devices(const struct weir__advise *facts, const char **why_out)
{
    uint32_t least = weir__advise_least(facts), devices = 1;
    while (devices < least)
        devices = next_count(facts, devices);
    double best = weir__advise_us(facts, devices);
    for (uint32_t d = devices; d < facts->devices;) {
        d = next_count(facts, d);
        if (weir__advise_us(facts, d) < best)
            best = weir__advise_us(facts, d);
    }
    while (weir__advise_us(facts, devices) > SMALL_GAIN * best)
        devices = next_count(facts, devices);
    *why_out = why(facts, devices);
    return devices;
}

static double host_level_us(const struct weir__advise *facts, uint32_t threads, uint32_t cores,
                            double wait_us)
{
    return facts->arcs_a_level / HOST_ARCS_A_US / (threads < cores ? threads : cores) + wait_us;
}

uint32_t weir__advise_hosts(const struct weir__advise *facts, uint32_t threads, uint32_t cores,
                            const char **why_out)
{
    const uint32_t all = threads * facts->devices;
    const double alone = host_level_us(facts, threads, cores, HOST_LEVEL_ALONE_US);
    const double together = host_level_us(
        facts, all, cores, all > cores ? HOST_LEVEL_CROWDED_US : HOST_LEVEL_TOGETHER_US);
    const int one = facts->devices > 1 && alone * HOST_GAIN < together;
    *why_out = one ? why_narrow(facts) : NULL;
    return one ? 1 : facts->devices;
}

/* The number of devices, if all of them are GPUs (or host devices, without @p gpus) and none is simulated; else 0.
 * @param[out] bytes_out, units_out  the smallest pool and the fewest units that one of them has. */
static uint32_t count_alike(weir_context *context, int gpus, double *bytes_out, uint32_t *units_out)
{
    uint32_t count = weir_context_device_count(context);
    *bytes_out = 0;
    *units_out = 0;
    if (weir_context_simulated(context))
        return 0;
    for (uint32_t d = 0; d < count; d++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir_device_info_get(weir_context_device(context, d), &info);
        weir_device_pool_stats(weir_context_device(context, d), &pool);
        if (weir__device_is_gpu(weir_context_device(context, d)) != gpus)
            return 0;
        if (d == 0 || (double)pool.bound_bytes < *bytes_out)
            *bytes_out = (double)pool.bound_bytes;
        if (d == 0 || info.units < *units_out)
            *units_out = info.units;
    }
    return count;
}

/* As weir_devices_advise() for host devices: they are all taken, but where levels of few arcs decide the time. */
static uint32_t advise_hosts(weir_context *context, const weir_graph *graph,
                             struct weir__advise *facts, const char **why_out)
{
    uint32_t threads, all = weir_context_device_count(context);
    facts->devices = count_alike(context, 0, &facts->bytes_a_device, &threads);
    if (facts->devices < 2 || facts->shape != WEIR_SHAPE_LEVELS ||
        weir__advise_levels(graph, WEIR__ADVISE_ARCS, facts) || weir__advise_least(facts) > 1)
        return all;
    return weir__advise_hosts(facts, threads, weir__cores(), why_out);
}

uint32_t weir_devices_advise(weir_context *context, const weir_graph *graph, weir_shape shape,
                             const char **why_out)
{
    struct weir__advise facts = {
        .shape = shape, .vertices = (double)graph->vertices, .arcs = (double)graph->arcs};
    uint32_t all = weir_context_device_count(context), units;
    const char *why = NULL;
    if (weir__graph_is_sketch(graph)) {
        *why_out = NULL;
        return all;
    }
    facts.devices = count_alike(context, 1, &facts.bytes_a_device, &units);
    /* If there is no memory for a search, nothing is known against taking all devices. */
    if (!facts.devices)
        all = advise_hosts(context, graph, &facts, &why);
    else if (facts.devices > 1 &&
             (shape == WEIR_SHAPE_SWEEPS || !weir__advise_levels(graph, WEIR__ADVISE_ARCS, &facts)))
        all = weir__advise_devices(&facts, &why);
    if (why_out)
        *why_out = why;
    return all;
}
