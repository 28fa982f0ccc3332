/** @file cc_host.h  The step "direct" of connected components as a thread of a host device takes it: row after row.
 *
 * Lanes of a GPU take a batch of rows each, look at all rows of the batch at a time, and wait for the one with the longest path. A thread of a host
 * device has nobody to wait for: it goes along the arcs of one row, and then to the next row, and never looks at what other rows still
 * have to do. cc_rest.h includes this in place of what lanes do. */
#ifndef WEIR_ALGORITHMS_CC_HOST_H
#define WEIR_ALGORITHMS_CC_HOST_H

#include "algorithms/cc/cc_sample.h"

/** Link the arcs of a row that lead to smaller numbers, but for the one that the first step took. They ascend, so one that does
 *  not lead there is the last. */
WEIR_DEV void cc_link_lower_row(struct cc_run *run, const uint32_t *targets, uint32_t count,
                                uint32_t v)
{
    const uint32_t first = !run->args->both;
    uint32_t i = first;
    if (!count || targets[0] >= v)
        return;
    for (; i < count && targets[i] < v; i++) {
        struct cc_hook hook = {0, 0};
        const int joined = cc_join(run->parent, v, targets[i], 1, &hook);
        cc_note(run, joined, &hook);
    }
    run->arcs += i - first + (i < count); /* and the one that ended it */
}

/** As cc_link_lower() of GPUs. */
WEIR_DEV uint32_t cc_link_lower(struct cc_run *run, const weir_arcs *arcs, uint64_t base)
{
    const uint32_t busy = run->args->part.busy;
    uint32_t longer = 0;
    for (uint32_t k = 0; k < CC_BATCH && base + k < busy; k++) {
        const uint64_t first = arcs->offsets[base + k], count = arcs->offsets[base + k + 1] - first;
        if (count > CC_ALONE)
            longer |= 1u << k;
        else
            cc_link_lower_row(run, arcs->targets + first, (uint32_t)count,
                              cc_name_of_row(run, base + k));
    }
    return longer;
}

#endif
