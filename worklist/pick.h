/** @file pick.h  A schedule for a tile set by its shape: the heuristic of Loops (section 6.2), with limits of ours.
 *
 * The paper takes merge path unless the set is small, and then thread or group. Its text has no numbers for what small is; those
 * below are measured, and a program may have others. It names rows or columns; a tile set has tiles, and no columns. On GPUs even
 * tiles are a lane's own in sets of any size that was measured, and uneven ones are merged in all of them. */
#ifndef WEIR_WORKLIST_PICK_H
#define WEIR_WORKLIST_PICK_H

#include "runtime/dialect.h"

/** What is picked, by the names of schedule.h. */
enum { WEIR_PICK_THREAD, WEIR_PICK_GROUP, WEIR_PICK_MERGE };

/** What counts as small, and as even. A set with fewer than `tiles` tiles and fewer than `atoms` atoms is small. Tiles of a
 *  small one are even if the longest has at most `even` times as many atoms as the mean, and one more. Those that are not go to
 *  group in a set of fewer than `uneven` atoms. */
typedef struct weir_pick_limits {
    uint64_t tiles, atoms;
    double even;
    uint64_t uneven;
} weir_pick_limits;

/** For host devices: measured, see docs/schedules.md. */
#define WEIR_PICK_LIMITS_HOST \
    {                         \
        1024, 16384, 4, 16384 \
    }
/** For GPUs: measured up to four million atoms, see docs/schedules.md. */
#define WEIR_PICK_LIMITS_CUDA  \
    {                          \
        8388608, 8388608, 8, 0 \
    }

/** A schedule for a set of @p tiles tiles with @p atoms atoms, @p longest of them in one. @return one of WEIR_PICK_... */
WEIR_BOTH int weir_schedule_pick(uint64_t tiles, uint64_t atoms, uint64_t longest,
                                 const weir_pick_limits *limits)
{
    if (tiles >= limits->tiles || atoms >= limits->atoms)
        return WEIR_PICK_MERGE;
    if (tiles == 0 || (double)longest <= limits->even * (double)atoms / (double)tiles + 1)
        return WEIR_PICK_THREAD;
    return atoms < limits->uneven ? WEIR_PICK_GROUP : WEIR_PICK_MERGE;
}

#endif
