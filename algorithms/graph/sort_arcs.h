/** @file sort_arcs.h  Arcs of a stretch by where they lead. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_SORT_ARCS_H
#define WEIR_ALGORITHMS_GRAPH_SORT_ARCS_H

#include "algorithms/graph/deal.h"

#include <pthread.h>

/** Memory that threads take turns with. Begins as zeros but for the lock. */
struct weir__scratch {
    pthread_mutex_t lock;
    void *free; /**< the first buffer that nobody has; each begins with the next one */
    size_t bytes;
};
/** @param[in] bytes  of each buffer. */
void weir__scratch_open(struct weir__scratch *scratch, size_t bytes);
void weir__scratch_close(struct weir__scratch *scratch);
/** A buffer, until it is put back. @return NULL: there is no memory. @par Threads  any, as weir__scratch_put(). */
void *weir__scratch_take(struct weir__scratch *scratch);
void weir__scratch_put(struct weir__scratch *scratch, void *buffer);

/** Arcs of a stretch by the highest bits in which their targets differ, which are from @p least to @p most; equal ones as they were.
 *  @param[in] buffer  of the scratch, which receives them. @return 0: they do not fit. */
int weir__sort_arcs(const struct weir__scratch *scratch, const weir__dealt *dealt, uint32_t stretch,
                    uint32_t least, uint32_t most, void *buffer);

#endif
