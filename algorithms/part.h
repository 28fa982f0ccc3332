/** @file part.h  A part of a placed graph as an operator sees it, in the dialect.
 *
 * Part p of a partitioned graph lies on device p (weir_placement_create() of algorithms.h). A vertex
 * has three numbers:
 *
 * - its *id*, in the input;
 * - its *global* number: vertices counted part after part, so that part p owns first[p] to
 *   first[p + 1] - 1. Global numbers travel on links;
 * - a *local* number on each device that knows it: 0 to owned - 1 for the vertices the device owns, in
 *   the order of their ids, and behind them its *halo*, the vertices of others that its arcs lead to (and
 *   come from, where it has in-arcs).
 *   Arcs name vertices by local number, so that arrays of a device are indexed without a search.
 *
 * Everything here is read-only while a worklist runs. */
#ifndef WEIR_ALGORITHMS_PART_H
#define WEIR_ALGORITHMS_PART_H

#include "runtime/dialect.h"
#include "runtime/runtime.h"

/** In a padded row, of 4 or 8 entries with all arcs of a vertex in it, in the place of a target: no arc. */
#define WEIR_PADDED_ROW_NONE UINT32_MAX

/** One part; a plain value whose pointers are memory of the part's device. */
typedef struct weir_part {
    const uint64_t
        *offsets; /**< owned + 1: the arcs of local vertex v are offsets[v] to offsets[v+1]-1 */
    const uint32_t *targets; /**< local numbers */
    const void *weights; /**< of each arc, uint32_t or double as the placement says; NULL: none */
    /** owned + 1: the arcs that come to local vertex v are in_offsets[v] to in_offsets[v+1]-1. NULL unless the
     *  placement was made with in-arcs. Of a symmetric graph, its weights included, the three are those of its
     *  out-arcs. */
    const uint64_t *in_offsets;
    const uint32_t *in_sources; /**< local numbers, in the order of ids */
    const void *in_weights;     /**< as weights */
    const uint32_t *halo;       /**< global number of each vertex of the halo */
    const uint32_t *first;      /**< parts + 1 global numbers */
    uint32_t owned;             /**< vertices of this part */
    uint32_t halo_count;
    uint32_t part; /**< this part's number */
    uint32_t parts;
} weir_part;

/** The part turned around: its arcs are those that come in, so that an operator for out-arcs goes against them. Of a part
 *  without in-arcs, nothing that may be used. */
WEIR_DEV weir_part weir_part_turned(const weir_part *part)
{
    weir_part turned = *part;
    turned.offsets = part->in_offsets;
    turned.targets = part->in_sources;
    turned.weights = part->in_weights;
    turned.in_offsets = part->offsets;
    turned.in_sources = part->targets;
    turned.in_weights = part->weights;
    return turned;
}

/** Whether this part owns a local vertex. */
WEIR_DEV int weir_part_owns(const weir_part *part, uint32_t local)
{
    return local < part->owned;
}

/** The part that owns a global number. */
WEIR_DEV uint32_t weir_part_owner(const weir_part *part, uint32_t global)
{
    uint32_t low = 0, high = part->parts; /* first[low] <= global < first[high] */
    WEIR_ROLLED
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (global < part->first[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/** The global number of a vertex of the halo. */
WEIR_DEV uint32_t weir_part_global(const weir_part *part, uint32_t local)
{
    return part->halo[local - part->owned];
}

/** Whether a global number is of this part; then *local_out is its local number. */
WEIR_DEV int weir_part_local(const weir_part *part, uint32_t global, uint32_t *local_out)
{
    *local_out = global - part->first[part->part];
    return global >= part->first[part->part] && *local_out < part->owned;
}

#endif
