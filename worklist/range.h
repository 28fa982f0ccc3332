/** @file range.h  Ranges of numbers for kernels of one's own (Loops, section 5.1): in steps, over a grid, without an end.
 *
 *     weir_range range = weir_grid_range(0, count, worker, workers);
 *     uint32_t i;
 *     while (weir_range_next(&range, &i))
 *         ...
 *
 * Numbers have 32 bits, those of `weir_wide_range` and the like 64. What a range is made of schedules are, too: tiles may be
 * dealt out by a range, and their atoms by another. Pure functions in the dialect; nothing waits for other lanes. */
#ifndef WEIR_WORKLIST_RANGE_H
#define WEIR_WORKLIST_RANGE_H

#include "worklist/schedule.h"

/** @cond internal */
#define WEIR_RANGES        weir
#define WEIR_RANGES_NUMBER uint32_t
#include "worklist/range_tmpl.h"

#define WEIR_RANGES        weir_wide
#define WEIR_RANGES_NUMBER uint64_t
#include "worklist/range_tmpl.h"
/** @endcond */

#endif
