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

/** Sort arcs by target, equal ones in any order, in passes of the digits of ids below @p vertices.
 *  @return 0: nothing was done, since they do not fit into a buffer, or there is no memory for one. */
int weir__sort_arcs(struct weir__scratch *scratch, void *arcs, uint64_t count,
                    weir_weight_kind kind, uint64_t vertices);

#endif
