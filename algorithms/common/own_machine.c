/** @file own_machine.c  Costs and the order of leaving, read off a machine. */
#include "algorithms/common/own_machine.h"
#include "runtime/support.h"

/* Without a figure of the link it takes this part of an arc more. */
#define FAR_UNKNOWN 0.5

weir_status weir__own_far_ns(const weir_machine *machine, uint32_t owner, uint32_t worker, int gpu,
                             double own, double bytes, double *ns_out)
{
    weir_cost link;
    weir_status status = weir_machine_cost(machine, owner, worker, &link);
    if (!gpu && !(weir_machine_pair(machine, owner, worker)->bandwidth_gbs > 0))
        *ns_out = 0;
    else
        *ns_out =
            !status && link.bandwidth_gbs > 0 ? bytes / link.bandwidth_gbs : own * FAR_UNKNOWN;
    return status;
}

/* Host devices lie in a host's memory; GPUs have one of their own. */
static int is_gpu(const weir_machine *machine, uint32_t device)
{
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++) {
        const weir_hop *hop = weir_machine_hop(machine, h);
        if (hop->kind == WEIR_HOP_MEMORY && (hop->a == device || hop->b == device))
            return 0;
    }
    return 1;
}

static weir_status find_costs(const weir_machine *machine, double arc_ns, struct own *own)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < own->count && !status; i++)
        for (uint32_t j = 0; j < own->count && !status; j++) {
            const double measured = weir_machine_node(machine, j)->arc_ns;
            const double its = measured > 0 ? measured : arc_ns;
            double more = 0;
            if (i != j)
                status = weir__own_far_ns(machine, i, j, is_gpu(machine, i), its,
                                          WEIR__OWN_BFS_BYTES, &more);
            own->cost[i][j] = its + more;
        }
    return status;
}

weir_status weir__own_of_machine(const weir_machine *machine, double arc_ns, struct own *own)
{
    weir_reduction reduction;
    weir_status status;
    own->count = weir_machine_device_count(machine);
    if (own->count < 2 || own->count > STEAL_DEVICES)
        return weir__fail(WEIR_ERR_UNSUPPORTED,
                          "levels are reckoned of 2 to %u devices, and the machine has %u",
                          STEAL_DEVICES, own->count);
    if ((status = weir_reduction_make(machine, &reduction)))
        return status;
    for (uint32_t i = 0; i < own->count; i++) {
        own->leaves[i] = reduction.leaves[i];
        own->taker[i] = reduction.taker[i];
    }
    return find_costs(machine, arc_ns, own);
}
