/** @file near.h  Threads and page-locked memory near the GPU that they serve. Included in runtime only. */
#ifndef WEIR_RUNTIME_NEAR_H
#define WEIR_RUNTIME_NEAR_H

#include "runtime/backend.h"

/** The node of a device that was just opened, for its info; -1: unknown, or it has none.
 *  @retval WEIR_ERR_NOMEM  no memory to read the system. */
weir_status weir__near_find(weir_device *device);
/** Have the calling thread, which belongs to @p device, run on the cores of its node from now on: those of them
 *  that it might run on anyway. Nothing happens where the node is unknown or WEIR_NUMA is off. */
void weir__near_thread(const weir_device *device);

/** What the calling thread's memory policy was. */
struct weir__near {
    void *nodes; /* NULL: it was not changed */
    int policy;
};
/** Until weir__near_leave() the calling thread takes new pages from @p node where it has some left. @param[in]
 *  node  -1: from wherever the system takes them. */
void weir__near_enter(int32_t node, struct weir__near *before_out);
void weir__near_leave(struct weir__near *before);
/** Where memory for @p device should lie; -1: anywhere. */
int32_t weir__near_node(const weir_device *device);

#endif
