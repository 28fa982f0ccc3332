/** @file schedule_own.h  A schedule of a program's own: equal, consecutive runs of whole tiles.
 *
 * What such a header needs is here: NAME_walk, NAME_start, NAME_next, for cc and for nvcc. This one is
 * made of pieces of worklist/schedule.h. */
#ifndef WEIR_TESTS_LIB_SCHEDULE_OWN_H
#define WEIR_TESTS_LIB_SCHEDULE_OWN_H

#include "worklist/schedule.h"

typedef struct runs_walk {
    weir_tile_set part; /* this lane's tiles */
    uint32_t before;    /* tiles of the lanes before it */
    weir_thread_walk tiles;
} runs_walk;

WEIR_DEV void runs_start(runs_walk *walk, weir_tile_set set, uint32_t lane, uint32_t lanes)
{
    walk->part = weir_tile_set_part(set, lane, lanes);
    walk->before = weir_share_begin(set.tiles, lane, lanes);
    weir_thread_start(&walk->tiles, walk->part, 0, 1);
}

WEIR_DEV int runs_next(runs_walk *walk, weir_tile_set set, uint32_t *tile, uint32_t *atom)
{
    (void)set;
    if (!weir_thread_next(&walk->tiles, walk->part, tile, atom))
        return 0;
    *tile += walk->before;
    return 1;
}

#endif
