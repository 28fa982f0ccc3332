/** @file plan.c  What an algorithm would take of each device's memory. */
#include "algorithms/common/plan.h"
#include "algorithms/common/gather.h"
#include "algorithms/common/rows_build.h"
#include "algorithms/common/traversal.h"
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/resident.h"
#include "algorithms/graph/sketch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE UINT64_C(256) /* bytes: what pools hand out is a multiple of it */

/* ---- reading off ------------------------------------------------------------------------------- */

static void add(void *user, const char *what, uint64_t elements, uint64_t bytes)
{
    struct weir__plan_use *use = user;
    uint32_t i = 0;
    use->used += bytes;
    use->taken += (bytes + PIECE - 1) / PIECE * PIECE;
    if (!strcmp(what, WEIR__GATHER_ORDER) || !strcmp(what, WEIR__GATHER_STAGE) ||
        !strcmp(what, WEIR__PADDED_ROWS_NAME) || !strcmp(what, WEIR__PAIR_FIRSTS_NAME))
        use->optional += bytes;
    while (i < use->arrays && strcmp(use->array[i].what, what) != 0)
        i++;
    if (i == use->arrays && use->arrays < WEIR__PLAN_ARRAYS)
        use->array[use->arrays++] = (struct weir__plan_array){.what = what};
    if (i == WEIR__PLAN_ARRAYS)
        use->array[--i].what = "others";
    use->array[i].pieces++;
    use->array[i].elements += elements;
    use->array[i].bytes += bytes;
}

static int larger_first(const void *a, const void *b)
{
    const struct weir__plan_array *x = a, *y = b;
    return x->bytes == y->bytes ? strcmp(x->what, y->what) : x->bytes < y->bytes ? 1 : -1;
}

static void read_off(weir_device *device, struct weir__plan_use *use)
{
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    (void)weir_device_info_get(device, &use->info);
    (void)weir_device_pool_stats(device, &stats);
    use->shared = stats.sharing > 1;
    use->bound = stats.bound_bytes < UINT64_C(1) << 50 ? stats.bound_bytes : 0;
    weir__pool_uses(device, add, use);
    use->placing = stats.peak_bytes > use->used ? stats.peak_bytes - use->used : 0;
    qsort(use->array, use->arrays, sizeof *use->array, larger_first);
}

/* @param[in] noted  host memory is noted, and not looked at: there may be less here. */
static weir_status make(const struct weir__maker *maker, weir_context *planned,
                        const weir_graph *graph, const weir_partition *partition, int noted,
                        struct weir__plan *plan_out)
{
    void *object = NULL;
    memset(plan_out, 0, sizeof *plan_out);
    plan_out->devices = weir_context_device_count(planned);
    plan_out->columns = partition ? partition->columns : 0;
    for (uint32_t d = 0; d < plan_out->devices; d++)
        plan_out->device[d].info = (weir_device_info)WEIR_DEVICE_INFO_INIT;
    plan_out->home.info = (weir_device_info)WEIR_DEVICE_INFO_INIT;
    weir__need_note_in(noted ? &plan_out->host : NULL);
    weir_status status = maker->create(maker->user, planned, graph, partition, &object);
    weir__need_note_in(NULL);
    if (status)
        return status;
    for (uint32_t d = 0; d < plan_out->devices; d++)
        read_off(weir_context_device(planned, d), &plan_out->device[d]);
    if (weir__zero_copy_device(planned))
        read_off(weir__zero_copy_device(planned), &plan_out->home);
    read_off(weir_context_home(planned), &plan_out->home);
    maker->destroy(object);
    return WEIR_OK;
}

weir_status weir__plan_make(const struct weir__maker *maker, weir_context *planned,
                            const weir_graph *graph, const weir_partition *partition,
                            struct weir__plan *plan_out)
{
    return make(maker, planned, graph, partition, 1, plan_out);
}

/* ---- what fits --------------------------------------------------------------------------------- */

uint32_t weir__plan_lacks(const struct weir__plan *plan)
{
    uint64_t shared = plan->home.taken; /* from the same memory as the pools that share it */
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct weir__plan_use *use = &plan->device[d];
        const uint64_t needed = use->taken - use->optional;
        shared += use->shared ? needed : 0;
        if (use->bound && (use->shared ? shared : needed) > use->bound)
            return d;
    }
    return UINT32_MAX;
}

/* A device that lacks memory; that others would be like it is taken for granted. */
static const struct weir__plan_use *lacking(const struct weir__plan *plan)
{
    const uint32_t lacks = weir__plan_lacks(plan);
    return &plan->device[lacks == UINT32_MAX ? 0 : lacks];
}

/* @param[in] columns  0: in one dimension; it divides the parts. */
static weir_partition equal_parts(const weir_graph *sketch, uint32_t parts, uint32_t columns)
{
    return columns ? weir__partition_sketch_2d(sketch, parts / columns, columns)
                   : weir__partition_sketch(sketch, parts);
}

static weir_status plan_sketch(const struct weir__maker *maker, const weir_graph *sketch,
                               const struct weir__plan *plan, uint32_t count,
                               const weir_config *config, struct weir__plan *plan_out)
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    const struct weir__plan_use *like = lacking(plan);
    const weir_partition partition = equal_parts(sketch, count, plan->columns);
    weir_context *planned;
    weir_status status;
    for (uint32_t d = 0; d < count; d++)
        devices[d] = (struct weir__plan_device){like->info, like->bound, like->shared};
    if ((status = weir__context_plan(devices, count, config, NULL, &planned)))
        return status;
    status = weir__plan_make(maker, planned, sketch, &partition, plan_out);
    weir_context_destroy(planned);
    return status;
}

/* Whether it fits on so many devices like one that lacks memory; a failure to find out is no, and so is a number that is no grid
 * of as many columns. */
static int is_enough(const struct weir__maker *maker, const weir_graph *sketch,
                     const struct weir__plan *plan, uint32_t count, const weir_config *config,
                     struct weir__plan *room)
{
    return (!plan->columns || count % plan->columns == 0) &&
           !plan_sketch(maker, sketch, plan, count, config, room) &&
           weir__plan_lacks(room) == UINT32_MAX;
}

static weir_graph sketch_of(const weir_graph *graph, weir_weight_kind weights)
{
    const int undirected = weir__graph_symmetric(graph, NULL);
    return weir__graph_sketch(graph->vertices, graph->arcs, undirected, weights);
}

uint32_t weir__plan_enough(const struct weir__maker *maker, const weir_graph *graph,
                           const struct weir__plan *plan, const weir_config *config)
{
    const weir_graph sketch = sketch_of(graph, graph->weight_kind);
    const struct weir__plan_use *like = lacking(plan);
    struct weir__sentence before = weir__fail_keep();
    struct weir__plan *room;
    uint32_t enough = 0;
    if (like->shared || !like->bound || weir__calloc(1, sizeof *room, "plan", &room)) {
        weir__fail_restore(&before);
        return 0;
    }
    /* One after another: rooms for what comes from others grow with their number, so more may be too many again. */
    for (uint32_t count = plan->devices + 1; count <= WEIR_DEVICES_MAX && !enough; count++)
        if (is_enough(maker, &sketch, plan, count, config, room))
            enough = count;
    free(room);
    weir__fail_restore(&before);
    return enough;
}

/* Whether a device has weights: a breadth-first search brings none, whatever the graph has. */
static int has_weights(const struct weir__plan_use *use)
{
    for (uint32_t i = 0; i < use->arrays; i++)
        if (!strncmp(use->array[i].what, "weights of ", 11))
            return 1;
    return 0;
}

/* Whether 32-bit weights in place of 64-bit ones would help. */
static int smaller_weights_fit(const struct weir__maker *maker, const weir_graph *graph,
                               const struct weir__plan *plan, const weir_config *config)
{
    const weir_graph sketch = sketch_of(graph, WEIR_WEIGHT_U32);
    struct weir__sentence before = weir__fail_keep();
    struct weir__plan *room;
    int fits = 0;
    if (graph->weight_kind == WEIR_WEIGHT_F64 && has_weights(lacking(plan)) &&
        !weir__calloc(1, sizeof *room, "plan", &room)) {
        fits = is_enough(maker, &sketch, plan, plan->devices, config, room);
        free(room);
    }
    weir__fail_restore(&before);
    return fits;
}

static int in_host_memory(const struct weir__maker *maker)
{
    return maker->options && maker->options->memory == WEIR_MEMORY_HOST;
}

/* Whether arcs in host memory would help that were to lie on the devices. */
static int host_memory_fits(const struct weir__maker *maker, const weir_graph *graph,
                            const struct weir__plan *plan, const weir_config *config)
{
    const weir_graph sketch = sketch_of(graph, graph->weight_kind);
    struct weir__sentence before = weir__fail_keep();
    struct weir__plan *room;
    int fits = 0;
    if (maker->options && !in_host_memory(maker) && !lacking(plan)->shared &&
        !weir__calloc(1, sizeof *room, "plan", &room)) {
        const weir_memory memory = maker->options->memory;
        maker->options->memory = WEIR_MEMORY_HOST;
        fits = is_enough(maker, &sketch, plan, plan->devices, config, room);
        maker->options->memory = memory;
        free(room);
    }
    weir__fail_restore(&before);
    return fits;
}

/* ---- the sentence ------------------------------------------------------------------------------ */

enum { TEXT_ROOM = 32, LARGEST = 3 };

static const char *amount(uint64_t bytes, char room[TEXT_ROOM])
{
    const double mib = (double)bytes / (1 << 20);
    if (mib < 1024)
        snprintf(room, TEXT_ROOM, "%.1f MiB", mib);
    else
        snprintf(room, TEXT_ROOM, "%.1f GiB", mib / 1024);
    return room;
}

/* "out-arcs 40.0 GiB, queue 3.1 GiB, level 0.9 GiB" */
static void list_largest(const struct weir__plan_use *use, char *room, size_t size)
{
    char bytes[TEXT_ROOM];
    size_t at = 0;
    room[0] = '\0';
    for (uint32_t i = 0; i < use->arrays && i < LARGEST && at < size; i++)
        at += (size_t)snprintf(room + at, size - at, "%s%s %s", i ? ", " : "", use->array[i].what,
                               amount(use->array[i].bytes, bytes));
}

weir_status weir__plan_refuse(const struct weir__maker *maker, const weir_graph *graph,
                              const struct weir__plan *plan, const weir_config *config)
{
    const uint32_t d = weir__plan_lacks(plan),
                   enough = weir__plan_enough(maker, graph, plan, config);
    const struct weir__plan_use *use = &plan->device[d];
    const int weights = smaller_weights_fit(maker, graph, plan, config);
    const int memory = !weights && host_memory_fits(maker, graph, plan, config);
    char needed[TEXT_ROOM], bound[TEXT_ROOM], largest[192], help[128];
    list_largest(use, largest, sizeof largest);
    if (weights)
        snprintf(help, sizeof help, "with 32-bit weights it would fit");
    else if (memory && enough)
        snprintf(help, sizeof help,
                 "with memory host it would fit, and %u such devices would hold it", enough);
    else if (memory)
        snprintf(help, sizeof help, "with memory host it would fit");
    else if (enough)
        snprintf(help, sizeof help, "%u such devices would hold it", enough);
    else if (use->shared)
        snprintf(help, sizeof help, "more host devices have no more");
    else
        snprintf(help, sizeof help, "no number of such devices up to %d would hold it",
                 WEIR_DEVICES_MAX);
    return weir__fail(
        WEIR_ERR_NOMEM, "%s of %s: %s needs %s (%s)%s, and %s %s (WEIR_POOL_BYTES): %s",
        maker->what, graph->name, use->info.label, amount(use->taken - use->optional, needed),
        largest, in_host_memory(maker) ? " beside arcs in host memory" : "",
        use->shared ? "the pools of all have" : "its pool has", amount(use->bound, bound), help);
}

/* ---- before a run ------------------------------------------------------------------------------ */

/* More than any form takes for a vertex, an arc and a device. Only a graph that might not fit by these is planned, since
 * that goes over its arcs. */
#define VERTEX_MOST 256.0
#define ARC_MOST    40.0
#define DEVICE_MOST ((double)(UINT64_C(1) << 30))

static int may_lack(const struct weir__plan_device *devices, uint32_t count,
                    const weir_graph *graph)
{
    const double most = (double)graph->vertices * VERTEX_MOST + (double)graph->arcs * ARC_MOST;
    for (uint32_t d = 0; d < count; d++)
        if (most + (count > 1 ? DEVICE_MOST : 0) > (double)devices[d].bound_bytes)
            return 1;
    return 0;
}

/* Plan for the context as it is. What cannot be planned is not refused here: whatever is wrong with it, the create itself will say.
 * @return whether there is a plan. */
static int plan_here(const struct weir__maker *maker, weir_context *context,
                     const weir_graph *graph, const weir_partition *partition,
                     struct weir__plan *plan)
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    struct weir__sentence before = weir__fail_keep();
    weir_context *planned;
    weir__plan_devices_of(context, devices);
    weir_status status = weir__context_plan(devices, weir_context_device_count(context),
                                            weir_context_config(context), context, &planned);
    if (!status) {
        status = make(maker, planned, graph, partition, 0, plan);
        weir_context_destroy(planned);
    }
    weir__fail_restore(&before);
    return !status;
}

/* Whether a graph of the same sizes takes less than half of what each GPU has, however its parts differ: then it is not gone over. */
#define ROOMY 2.0

static int is_roomy(const struct weir__maker *maker, weir_context *context, const weir_graph *graph,
                    const weir_partition *partition, struct weir__plan *plan)
{
    const uint32_t parts = partition ? partition->parts : weir_context_device_count(context);
    /* Unless it is known to be symmetric, it has in-arcs, too. */
    const weir_graph sketch =
        weir__graph_sketch(graph->vertices, graph->arcs, graph->mirrored, graph->weight_kind);
    const weir_partition equal = equal_parts(&sketch, parts, partition ? partition->columns : 0);
    double uneven = 1;
    if (partition) {
        uneven = partition->arc_balance > uneven ? partition->arc_balance : uneven;
        uneven = partition->vertex_balance > uneven ? partition->vertex_balance : uneven;
        /* That is by owners of tails. One cell may have all arcs of its column, which are those of as many owners as it has rows. */
        if (partition->kind == WEIR_PARTITION_2D)
            uneven *= partition->rows;
    }
    if (!plan_here(maker, context, &sketch, &equal, plan))
        return 0;
    for (uint32_t d = 0; d < plan->devices; d++) {
        const struct weir__plan_use *use = &plan->device[d];
        if (use->shared || (double)use->taken * uneven * ROOMY > (double)use->bound)
            return 0;
    }
    return 1;
}

/* Whether arcs on the devices fit; if not, and nobody has chosen, whether arcs in host memory do. */
static weir_status settle(const struct weir__maker *maker, weir_context *context,
                          const weir_graph *graph, const weir_partition *partition, int chosen,
                          struct weir__plan *plan, const char **why_out)
{
    const weir_config *config = weir_context_config(context);
    if (!plan_here(maker, context, graph, partition, plan) || weir__plan_lacks(plan) == UINT32_MAX)
        return WEIR_OK;
    /* Arcs that stayed on the devices are in the way. */
    if (weir__resident_at(graph, 0) &&
        (weir__resident_release(graph) || !plan_here(maker, context, graph, partition, plan) ||
         weir__plan_lacks(plan) == UINT32_MAX))
        return WEIR_OK;
    if (chosen)
        return weir__plan_refuse(maker, graph, plan, config);
    maker->options->memory = WEIR_MEMORY_HOST;
    if (!plan_here(maker, context, graph, partition, plan)) {
        /* What was asked for needs arcs on the devices: then that is what is refused. */
        maker->options->memory = WEIR_MEMORY_DEVICE;
        if (!plan_here(maker, context, graph, partition, plan))
            return WEIR_OK;
    }
    if (weir__plan_lacks(plan) != UINT32_MAX)
        return weir__plan_refuse(maker, graph, plan, config);
    *why_out = "all of it together does not fit on the devices";
    return WEIR_OK;
}

weir_status weir__plan_check(const struct weir__maker *maker, weir_context *context,
                             const weir_graph *graph, const weir_partition *partition,
                             const char **why_out)
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    const int chosen = !maker->options || maker->options->memory != WEIR_MEMORY_AUTO;
    struct weir__plan *plan;
    weir_status status;
    *why_out = NULL;
    if (!chosen)
        maker->options->memory = WEIR_MEMORY_DEVICE;
    if (weir_context_simulated(context) || weir__context_planned(context))
        return WEIR_OK;
    weir__plan_devices_of(context, devices);
    if (!may_lack(devices, weir_context_device_count(context), graph))
        return WEIR_OK;
    if ((status = weir__calloc(1, sizeof *plan, "plan", &plan)))
        return status;
    if (!is_roomy(maker, context, graph, partition, plan))
        status = settle(maker, context, graph, partition, chosen, plan, why_out);
    free(plan);
    return status;
}
