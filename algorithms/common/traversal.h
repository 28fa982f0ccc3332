/** @file traversal.h  What algorithms of the library know of a traversal beside its public interface. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_TRAVERSAL_H
#define WEIR_ALGORITHMS_COMMON_TRAVERSAL_H

#include "algorithms/algorithms.h"

/** What the memory of padded rows is called. It is taken where there is room. */
#define WEIR__PADDED_ROWS_NAME "padded rows"

/** Whether what a traversal takes is there: WEIR_ERR_NOMEM with what is missing, before any of it is taken. */
weir_status weir__traversal_check_room(const weir_placement *placement, const weir_operator *op,
                                       const weir_run_options *options,
                                       const weir_traversal_config *config);
/** Let runs count the values that are @p far or more, as unsigned numbers of 4 or 8 bytes, and not the fill.
 *  @param[in] far  0: none. */
void weir__traversal_watch(weir_traversal *traversal, uint64_t far);
/** How many there were after the last run. */
uint64_t weir__traversal_far(const weir_traversal *traversal);

/** weir_bfs_values() and its like over a traversal whose values are of that kind.
 *  @retval WEIR_ERR_INVALID  no such device.  @retval WEIR_ERR_NOMEM  no memory for the map. */
weir_status weir__traversal_values(const weir_traversal *traversal, uint32_t device,
                                   weir_value_kind kind, weir_values *values_out);

#endif
