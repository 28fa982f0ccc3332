/** @file cc_firsts_op.h  The first neighbours of a device's rows, told to all devices when the graph is placed (cc_args.firsts); in the dialect.
 *
 * The first step of a run wants nothing else of the rows of other devices. First neighbours never change, so they cross links once and not in every
 * run: 4 bytes a vertex, on each device. */
#ifndef WEIR_ALGORITHMS_CC_CC_FIRSTS_OP_H
#define WEIR_ALGORITHMS_CC_CC_FIRSTS_OP_H

#include "algorithms/cc/cc_forest.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

typedef struct cc_firsts_args {
    weir_rows_part part;
    uint32_t bits; /* of the part in a name (cc_args.bits); 0: names are numbers */
    uint32_t both; /* in-arcs are others than out-arcs */
    uint32_t
        *firsts[WEIR_DEVICES_MAX]; /* out: of each device, by number; the part's rows are written */
} cc_firsts_args;

extern const weir_kernel weir__cc_firsts_kernel;

/* The name of the first far end of a row, or CC_NONE. */
WEIR_DEV uint32_t cc_firsts_name(const cc_firsts_args *a, const weir_arcs *arcs, uint64_t row)
{
    const uint64_t first = arcs->offsets[row];
    if (first == arcs->offsets[row + 1])
        return CC_NONE;
    const uint32_t number = arcs->targets[first];
    const uint32_t owner = a->bits ? weir_steps_owner(a->part.first, number) : 0;
    return a->bits ? (number - a->part.first[owner]) << a->bits | owner : number;
}

WEIR_DEV void cc_firsts(const cc_firsts_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t row = (uint64_t)worker * WEIR_LANES + weir_lane(); row < a->part.busy;
         row += (uint64_t)workers * WEIR_LANES) {
        const uint32_t out = cc_firsts_name(a, &a->part.out, row);
        const uint32_t in = a->both ? cc_firsts_name(a, &a->part.in, row) : CC_NONE;
        for (uint32_t d = 0; d < a->part.parts; d++)
            weir_store_relaxed_sys_u32(&a->firsts[d][a->part.begin + row], in < out ? in : out);
    }
}

#endif
