/** @file rehearse.h  What routers plan with: a machine on which work is tried out before it is done. Not installed. */
#ifndef WEIR_TOPOLOGY_REHEARSE_H
#define WEIR_TOPOLOGY_REHEARSE_H

#include "topology/topology.h"

/** As weir_machine_simulate(), but no bytes move and no kernel runs: only their time passes. Memory of its devices is
 *  addresses that nobody may read or write.
 *  @param[in] overheads  instead of the machine's; NULL: the machine's. */
weir_status weir__machine_rehearse(const weir_machine *machine, const weir_overheads *overheads,
                                   const weir_config *config, weir_context **context_out);

/** The machine of some devices of another, in this order, with all hosts and switches, as if there were no others.
 *  @param[in] devices  @p count of them, 1 to all, none twice. */
weir_status weir__machine_select(const weir_machine *machine, const uint32_t *devices,
                                 uint32_t count, weir_machine **selected_out);

#endif
