/** @file ebb.h  Memory of an array that goes back to the system part by part, while the rest is still read. Not installed.
 *
 * In parts of 512 KiB, which go when the last byte of them is done with. */
#ifndef WEIR_ALGORITHMS_GRAPH_EBB_H
#define WEIR_ALGORITHMS_GRAPH_EBB_H

#include "runtime/runtime.h"

/** An array, whose owner frees it as ever; zero is none. */
struct weir__ebb {
    char *data;
    uint64_t bytes;
    uint32_t *left; /* by part: bytes that are still wanted; atomic */
};

/** @retval WEIR_ERR_NOMEM */
weir_status weir__ebb_open(struct weir__ebb *ebb, void *data, uint64_t bytes);
/** Nobody reads the bytes from @p from to @p to any more; each byte once. Any thread. */
void weir__ebb_take(struct weir__ebb *ebb, uint64_t from, uint64_t to);
/** The array stays. */
void weir__ebb_close(struct weir__ebb *ebb);

#endif
