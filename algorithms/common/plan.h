/** @file plan.h  What an algorithm would take of each device's memory, found without taking it. Not installed.
 *
 * A plan is no second list of sizes: the algorithm is made on devices that only count (weir__context_plan()), by the same
 * calls as on real ones, and what their pools were asked for is read off. Of a graph that is at hand all that is known
 * of it is used, but for what needs its arcs to be put in order; of a sketch (graph/sketch.h) sizes alone. */
#ifndef WEIR_ALGORITHMS_COMMON_PLAN_H
#define WEIR_ALGORITHMS_COMMON_PLAN_H

#include "algorithms/algorithms.h"
#include "runtime/room.h"
#include "runtime/support.h"

enum { WEIR__PLAN_ARRAYS = 40 };

/** Arrays of one name on a device. */
struct weir__plan_array {
    const char *what;
    uint64_t pieces; /**< arrays of that name: an inbox for each sender */
    uint64_t elements, bytes;
};

struct weir__plan_use {
    weir_device_info info;
    uint64_t bound;       /**< of its pool; 0: unknown */
    int shared;           /**< with the other devices that say so */
    uint64_t used, taken; /**< bytes of arrays, and what a pool makes of them */
    uint64_t
        optional; /**< of `used`: what is taken where there is room: for results on a shorter way, padded rows, first arcs as pairs */
    uint64_t
        placing; /**< beside `used`, at the most, while it is placed: where there is room, and then given back */
    uint32_t arrays; /**< the largest first; names beyond the last are summed up in it */
    struct weir__plan_array array[WEIR__PLAN_ARRAYS];
};

struct weir__plan {
    uint32_t devices;
    uint32_t columns; /**< of the grid that the parts are; 0: they have one dimension */
    struct weir__plan_use device[WEIR_DEVICES_MAX];
    struct weir__plan_use home;  /**< what the host keeps for them, arcs in its memory too */
    struct weir__need_note host; /**< the most of host memory, the pools of host devices in it */
};

/** How an algorithm is made. */
struct weir__maker {
    const char *what; /**< for sentences: "breadth-first search" */
    const void *user;
    weir_status (*create)(const void *user, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, void **object_out);
    void (*destroy)(void *object);
    weir_run_options *
        options; /**< that `create` reads, whose memory is changed to find out what would fit; NULL: it reads none */
};

/** Make it in a context that only counts, and read off what it took.
 *  @param[in] partition  NULL: one is chosen.  @par Blocks  yes: a graph is gone over some times. */
weir_status weir__plan_make(const struct weir__maker *maker, weir_context *planned,
                            const weir_graph *graph, const weir_partition *partition,
                            struct weir__plan *plan_out);
/** The first device whose pool could not hold it; UINT32_MAX: all could, as far as bounds are known. Host devices have one
 *  bound together. */
uint32_t weir__plan_lacks(const struct weir__plan *plan);
/** The smallest number of devices like the first one that would hold a graph of the same sizes in equal parts, of a grid in as
 *  many columns; 0: no number up to WEIR_DEVICES_MAX, or it is not known. */
uint32_t weir__plan_enough(const struct weir__maker *maker, const weir_graph *graph,
                           const struct weir__plan *plan, const weir_config *config);
/** Say that a plan does not fit: what is needed, what there is, and what would fit.
 *  @return WEIR_ERR_NOMEM, always. */
weir_status weir__plan_refuse(const struct weir__maker *maker, const weir_graph *graph,
                              const struct weir__plan *plan, const weir_config *config);

/** Refuse, before anything is taken, what the pools of a context cannot hold, and choose where arcs lie: maker->options->memory
 *  is never WEIR_MEMORY_AUTO afterwards. A graph that is small beside the pools is not looked at.
 *  @param[out] why_out  why arcs lie in host memory, where that was chosen here; else NULL.
 *  @retval WEIR_ERR_NOMEM  weir__plan_refuse(). */
weir_status weir__plan_check(const struct weir__maker *maker, weir_context *context,
                             const weir_graph *graph, const weir_partition *partition,
                             const char **why_out);

#endif
