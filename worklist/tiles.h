/** @file tiles.h  Tile sets of matrices in coordinate form (COO): each nonzero says its row; rows ascend.
 *
 * With schedule.h's sets for compressed rows and columns (CSR, CSC), of 32 and 64 bits, these are the usual formats of sparse
 * matrices. An atom is a nonzero's number in the arrays of the matrix: whether there is an array of weights beside that of columns,
 * and of what type, is between a program and its loop. Sorted by column, `tile_of` is the array of columns, and tiles are columns.
 *
 * Where a row begins is searched for: from where the lane is already, which is near, once a lane and tile. Schedules that go
 * by atoms, group and merge, ask little; thread and team search for every tile of theirs. */
#ifndef WEIR_WORKLIST_TILES_H
#define WEIR_WORKLIST_TILES_H

#include "worklist/schedule.h"

/** Atom a is of tile tile_of[a], which never falls as a goes up and is below `tiles`. Fewer than 2^32 tiles and atoms
 *  together. A plain value; the array is the caller's. */
typedef struct weir_coo_tile_set {
    const uint32_t *tile_of;
    uint32_t tiles, atoms;
} weir_coo_tile_set;

/** The same with more atoms: fewer than 2^64 - 2^32. Tiles have numbers of 32 bits in the array. */
typedef struct weir_wide_coo_tile_set {
    const uint32_t *tile_of;
    uint64_t tiles, atoms;
} weir_wide_coo_tile_set;

/** The tile of an atom. */
WEIR_DEV uint32_t weir_coo_tile_set_tile(weir_coo_tile_set set, uint32_t atom)
{
    return set.tile_of[atom];
}

/** The tile of an atom. */
WEIR_DEV uint64_t weir_wide_coo_tile_set_tile(weir_wide_coo_tile_set set, uint64_t atom)
{
    return set.tile_of[atom];
}

/** @cond internal */
#define WEIR_TILES weir_coo
#define WEIR_TILES_BY_TILE
#include "worklist/schedule_tmpl.h"

#define WEIR_TILES      weir_wide_coo
#define WEIR_TILES_BITS 64
#define WEIR_TILES_BY_TILE
#include "worklist/schedule_tmpl.h"
/** @endcond */

#endif
