/** @file schedule.h  Load-balancing schedules: which lane does which atoms (Loops, sections 3 to 5).
 *
 * An *atom* is a unit of work, a *tile* a run of atoms, a *tile set* tiles that do not depend on each
 * other. A *schedule* deals the atoms of a set out to lanes. Schedule S has four names:
 *
 *     weir_S_walk walk;                                 a lane's place in the set
 *     weir_S_start(&walk, set, lane, lanes);            once; lane < lanes
 *     while (weir_S_next(&walk, set, &tile, &atom))     its tiles and atoms, until 0
 *         ...
 *
 * or, of the same walk, tile by tile, as a loop written by hand has it, and at its cost:
 *
 *     weir_tile_run run = WEIR_TILE_RUN_INIT;
 *     while (weir_S_run(&walk, set, &run))              its tiles
 *         for (; run.at < run.end; run.at += run.step)  its atoms of the tile, numbered through the set
 *             ...
 *
 * - `thread`   tiles lane, lane + lanes, ...; their atoms one by one.
 * - `team`     tiles by turns to teams of lanes, atoms by turns to the lanes of a team; start() takes the team's size, too.
 * - `strided`  each tile in turn, atoms lane, lane + lanes, ... of it; `warp` and `block` are this one.
 * - `group`    atoms lane, lane + lanes, ... of the whole set; the tile is searched for.
 * - `merge`    tiles and atoms together cut into equal, consecutive shares, one a lane (merge path).
 *
 * Every atom comes to one lane, once, for any number of lanes and tiles, empty tiles anywhere. `next`
 * counts atoms from 0 within their tile, and goes on returning 0 once it has. All are pure functions
 * for host code and kernels: they read the set, keep what they know in the walk, and wait for nobody,
 * so lanes may leave the loop at different times. The set must stay as it is while it is walked, and a walk is walked by
 * `next` or by `run`, not by both. A loop over a run adds `step` to numbers below `end`: with `run`, the number behind the last
 * atom and the lanes together stay below 2^32 (2^64 of wide sets).
 *
 * A run says whether it is the whole tile, complete, or a part whose rest other lanes do. By `thread`, `merge` and, as lane 0 of a
 * team of one, `team`, empty tiles come to one lane as complete runs without atoms; to lanes that share a tile by `team` and
 * `strided` every tile comes, if without atoms; by `group` none without. weir_merge_head(), weir_merge_complete() and
 * weir_merge_tail() give the partial and the complete tiles of a share of `merge` apart.
 *
 * What a lane adds up over the atoms of a tile it ends when it comes to another tile; weir_tile_visit says when, and
 * whether it had the tile for itself, for loops by `next`.
 *
 * The names above are of sets with numbers of 32 bits. `weir_wide_...` are the same for 64 bits; tiles.h has sets in coordinate
 * form; schedule_tmpl.h makes them all of a set that a program describes by functions of its own (docs/schedules.md).
 *
 * A schedule of one's own is a header that defines NAME_walk, NAME_start and NAME_next likewise. A
 * program calls them; the worklist engine takes it as mapping "own" from an operator compiled with
 * the header included and WEIR_SCHEDULE defined to NAME before the engine's template
 * (docs/schedules.md). */
#ifndef WEIR_WORKLIST_SCHEDULE_H
#define WEIR_WORKLIST_SCHEDULE_H

#include "runtime/dialect.h"
#include "runtime/sync.h"

/** Tiles and atoms, each numbered through: tile t has the atoms from (t ? ends[t - 1] : first) to
 *  ends[t] - 1. Of a matrix in CSR, `ends` is the array of row starts from its second entry on; in CSC, that of column starts. A set
 *  has fewer than 2^32 tiles and atoms together; users with more cut it, or take a wide one. A plain value: `ends` belongs to
 *  the caller, and may be NULL if there are no tiles. */
typedef struct weir_tile_set {
    const uint32_t *ends;
    uint32_t tiles;
    uint32_t first;
} weir_tile_set;

/** The same with numbers of 64 bits: fewer than 2^64 tiles and atoms together. */
typedef struct weir_wide_tile_set {
    const uint64_t *ends;
    uint64_t tiles;
    uint64_t first;
} weir_wide_tile_set;

/** Name @p verb (walk, start, next, run) of a schedule; expands macros that stand for the schedule. */
#define WEIR_SCHEDULE_NAME(schedule, verb) WEIR_SCHEDULE_PASTE(schedule, verb)
/** For WEIR_SCHEDULE_NAME(). */
#define WEIR_SCHEDULE_PASTE(schedule, verb) schedule##_##verb

/** A run before the first call. */
#define WEIR_TILE_RUN_INIT \
    {                      \
        0, 0, 0, 0, 0, 0   \
    }
/** A visit before the first atom. */
#define WEIR_TILE_VISIT_INIT \
    {                        \
        0, 0                 \
    }

/** Of weir_scratch_sums() and PREFIX_scratch_fill(): which lanes come together. */
enum { WEIR_SCRATCH_WARP, WEIR_SCRATCH_BLOCK };

/** @cond internal */
#ifndef WEIR__SCRATCH_SYNC /* a test has lanes that are threads of the host */
#define WEIR__SCRATCH_SYNC(scope) weir__scratch_sync(scope)
WEIR_DEV void weir__scratch_sync(int scope)
{
    if (scope == WEIR_SCRATCH_BLOCK)
        weir_block_sync();
    else
        weir_lanes_sync();
}
#endif
/** @endcond */

/** Number of the first atom of a tile; that of atom i of the tile is i more. @p tile may be set.tiles. */
WEIR_DEV uint32_t weir_tile_set_first(weir_tile_set set, uint32_t tile)
{
    return tile ? set.ends[tile - 1] : set.first;
}

/** Number of the atom behind the last of a tile. */
WEIR_DEV uint32_t weir_tile_set_end(weir_tile_set set, uint32_t tile)
{
    return set.ends[tile];
}

/** Number of the first atom of a tile; that of atom i of the tile is i more. @p tile may be set.tiles. */
WEIR_DEV uint64_t weir_wide_tile_set_first(weir_wide_tile_set set, uint64_t tile)
{
    return tile ? set.ends[tile - 1] : set.first;
}

/** Number of the atom behind the last of a tile. */
WEIR_DEV uint64_t weir_wide_tile_set_end(weir_wide_tile_set set, uint64_t tile)
{
    return set.ends[tile];
}

/** @cond internal */
#define WEIR_TILES weir
#define WEIR_TILES_BY_ENDS
#include "worklist/schedule_tmpl.h"

#define WEIR_TILES      weir_wide
#define WEIR_TILES_BITS 64
#define WEIR_TILES_BY_ENDS
#include "worklist/schedule_tmpl.h"
/** @endcond */

#endif
