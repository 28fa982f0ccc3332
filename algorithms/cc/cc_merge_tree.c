/** @file cc_merge_tree.c  Which device merges with which, and in which round. */
#include "algorithms/cc/cc.h"
#include "runtime/support.h"
#include "topology/topology.h"

#include <string.h>

/* The parent of each device in a tree over the whole machine; that of the root is itself. */
static weir_status ask(const weir_machine *machine, weir_route_kind route, uint8_t *parent)
{
    const uint32_t n = weir_machine_device_count(machine);
    weir_reduction reduction;
    weir_route_plan plan;
    weir_status status;
    if (route == WEIR_ROUTE_DIRECT) {
        memset(parent, 0, n);
        return WEIR_OK;
    }
    if (route == WEIR_ROUTE_AUTO || route == WEIR_ROUTE_STAGED) {
        if ((status = weir_reduction_make(machine, &reduction)))
            return status;
        memcpy(parent, reduction.taker, n);
        parent[reduction.leaves[n - 1]] = reduction.leaves[n - 1];
        return WEIR_OK;
    }
    if ((status = weir_route_plan_make(machine, route, &plan)))
        return status;
    memcpy(parent, plan.parent, n);
    for (uint32_t i = 0; i < n && route == WEIR_ROUTE_RING; i++)
        parent[plan.order[i]] = plan.order[i + 1 < n ? i + 1 : i];
    return WEIR_OK;
}

/* The tree of the first devices, made from that of the machine: the parent of a device is the next one above it that
 * takes part. If the root does not, the first device that has no parent then is the top. */
static void restrict_to(const uint8_t *above, weir__cc_merge_tree *tree)
{
    tree->top = tree->devices;
    for (uint32_t d = 0; d < tree->devices; d++) {
        uint8_t p = above[d];
        while (p >= tree->devices && above[p] != p)
            p = above[p];
        tree->parent[d] = p < tree->devices ? p : (uint8_t)d;
        if (tree->parent[d] == d && tree->top == tree->devices)
            tree->top = d;
    }
    for (uint32_t d = 0; d < tree->devices; d++) {
        if (tree->parent[d] == d)
            tree->parent[d] = (uint8_t)tree->top;
        tree->children[tree->parent[d]] += d != tree->top;
    }
}

/* Round after round: a device that has heard from all its children sends, if its parent is free. */
static void schedule(weir__cc_merge_tree *tree)
{
    uint32_t waiting[WEIR_DEVICES_MAX], left = tree->devices - 1;
    uint8_t sent[WEIR_DEVICES_MAX] = {0};
    memcpy(waiting, tree->children, sizeof waiting);
    for (; left > 0; tree->rounds++) {
        uint32_t before[WEIR_DEVICES_MAX];
        uint8_t busy[WEIR_DEVICES_MAX] = {0};
        memcpy(before, waiting, sizeof before);
        for (uint32_t d = 0; d < tree->devices; d++) {
            uint32_t p = tree->parent[d];
            if (d == tree->top || sent[d] || before[d] || busy[p])
                continue;
            sent[d] = busy[p] = 1;
            tree->round[d] = (uint8_t)tree->rounds;
            waiting[p]--;
            left--;
        }
    }
}

weir_status weir__cc_merge_tree_make(weir_context *context, uint32_t devices, weir_route_kind route,
                                     weir__cc_merge_tree *tree_out)
{
    const weir_machine *machine;
    uint8_t above[WEIR_DEVICES_MAX];
    weir_status status;
    *tree_out = (weir__cc_merge_tree){.devices = devices};
    if ((status = weir_machine_of(context, &machine)) || (status = ask(machine, route, above)))
        return status;
    restrict_to(above, tree_out);
    schedule(tree_out);
    return WEIR_OK;
}
