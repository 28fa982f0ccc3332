/** @file own_machine.h  What steal.h and own.h need to know of a machine: what an arc takes that is looked along for another, and in which
 * order devices leave. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_OWN_MACHINE_H
#define WEIR_ALGORITHMS_COMMON_OWN_MACHINE_H

#include "algorithms/common/own.h"
#include "topology/topology.h"

/** What comes over the link for an arc of another device in a breadth-first search: its target, and its part of an entry of the queue. */
#define WEIR__OWN_BFS_BYTES 5.0

/** What an arc takes more where it is another device's. Host devices have one memory: nothing, unless somebody measured the pair.
 *  @param[in] gpu  whether devices are GPUs. @param[in] own  what an arc takes the worker of its own memory, nanoseconds.
 *  @param[in] bytes  that come over the link for it. */
weir_status weir__own_far_ns(const weir_machine *machine, uint32_t owner, uint32_t worker, int gpu,
                             double own, double bytes, double *ns_out);

/** Fill count, cost (nanoseconds), leaves and taker of @p own from a machine.
 *  @param[in] arc_ns  what an arc takes a device of which the machine does not say it.
 *  @retval WEIR_ERR_UNSUPPORTED  the machine has fewer than 2 devices or more than STEAL_DEVICES. */
weir_status weir__own_of_machine(const weir_machine *machine, double arc_ns, struct own *own);

#endif
