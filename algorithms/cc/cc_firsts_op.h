/** @file cc_firsts_op.h  The first neighbours of a device's rows, told to all devices when the graph is placed (cc_args.firsts); in the dialect.
 *
 * The first step of a run wants nothing else of the rows of other devices. First neighbours never change, so they cross links once and not in every
 * run: 4 bytes a vertex, on each device. The first neighbour is the one of the smallest name: a row's first by number, and where names are
 * interleaved whichever of its arcs leads there, which takes a look at all of them. */
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

/* The far end of a row's first arc, or CC_NONE. */
WEIR_DEV uint32_t cc_firsts_number(const weir_arcs *arcs, uint64_t row)
{
    const uint64_t first = arcs->offsets[row];
    return first == arcs->offsets[row + 1] ? CC_NONE : arcs->targets[first];
}

/* The smallest name at the far ends of the arcs of a row that this lane looks at, or CC_NONE. */
WEIR_DEV uint32_t cc_firsts_least(const cc_firsts_args *a, const weir_arcs *arcs, uint64_t row)
{
    const uint64_t last = arcs->offsets[row + 1];
    uint32_t least = CC_NONE;
    for (uint64_t i = arcs->offsets[row] + weir_lane(); i < last; i += WEIR_LANES) {
        const uint32_t number = arcs->targets[i], owner = weir_steps_owner(a->part.first, number);
        const uint32_t name = (number - a->part.first[owner]) << a->bits | owner;
        least = name < least ? name : least;
    }
    return least;
}

WEIR_DEV void cc_firsts_tell(const cc_firsts_args *a, uint64_t row, uint32_t name)
{
    for (uint32_t d = 0; d < a->part.parts; d++)
        weir_store_relaxed_sys_u32(&a->firsts[d][a->part.begin + row], name);
}

/* The lanes of a worker look along one row after the other. */
WEIR_DEV void cc_firsts_interleaved(const cc_firsts_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t row = worker; row < a->part.busy; row += workers) {
        const uint32_t out = cc_firsts_least(a, &a->part.out, row);
        const uint32_t in = a->both ? cc_firsts_least(a, &a->part.in, row) : CC_NONE;
        const uint32_t least = ~weir_max_u32(~(in < out ? in : out));
        if (weir_lane() == 0)
            cc_firsts_tell(a, row, least);
    }
}

WEIR_DEV void cc_firsts(const cc_firsts_args *a, uint32_t worker, uint32_t workers)
{
    if (a->bits) {
        cc_firsts_interleaved(a, worker, workers);
        return;
    }
    for (uint64_t row = (uint64_t)worker * WEIR_LANES + weir_lane(); row < a->part.busy;
         row += (uint64_t)workers * WEIR_LANES) {
        const uint32_t out = cc_firsts_number(&a->part.out, row);
        const uint32_t in = a->both ? cc_firsts_number(&a->part.in, row) : CC_NONE;
        cc_firsts_tell(a, row, in < out ? in : out);
    }
}

#endif
