/** @file tiles.h  Tile sets of the usual formats of sparse matrices: compressed rows or columns (CSR, CSC), and coordinates (COO).
 *
 * Schedules have the names of schedule.h behind the set's prefix: weir_csr_merge_run(), weir_wide_coo_group_start(), ....
 * Tiles are rows, or columns where the matrix is by columns. An atom is a nonzero's number in the arrays of the matrix: whether
 * there is an array of weights beside that of columns, and of what type, is between a program and its loop.
 *
 * In coordinate form each nonzero says its row, and rows ascend. Where a row begins is searched for: from where the lane is already, which is near, once a lane and tile. Schedules that go
 * by atoms, group and merge, ask little; thread and team search for every tile of theirs. */
#ifndef WEIR_WORKLIST_TILES_H
#define WEIR_WORKLIST_TILES_H

#include "worklist/schedule.h"

/** CSR, or CSC by columns, as its array of starts has it: tile t has the atoms from offsets[t] to offsets[t + 1] - 1. What
 *  weir_tile_set is for `ends`; a tile's first atom is looked up without asking whether it is the first tile. Fewer than 2^32
 *  tiles and atoms together. A plain value; the array, of tiles + 1, is the caller's. */
typedef struct weir_csr_tile_set {
    const uint32_t *offsets;
    uint32_t tiles;
} weir_csr_tile_set;

/** The same with numbers of 64 bits. */
typedef struct weir_wide_csr_tile_set {
    const uint64_t *offsets;
    uint64_t tiles;
} weir_wide_csr_tile_set;

/** Number of the first atom of a tile. */
WEIR_DEV uint32_t weir_csr_tile_set_first(weir_csr_tile_set set, uint32_t tile)
{
    return set.offsets[tile];
}

/** Number of the atom behind the last of a tile. */
WEIR_DEV uint32_t weir_csr_tile_set_end(weir_csr_tile_set set, uint32_t tile)
{
    return set.offsets[tile + 1];
}

/** Number of the first atom of a tile. */
WEIR_DEV uint64_t weir_wide_csr_tile_set_first(weir_wide_csr_tile_set set, uint64_t tile)
{
    return set.offsets[tile];
}

/** Number of the atom behind the last of a tile. */
WEIR_DEV uint64_t weir_wide_csr_tile_set_end(weir_wide_csr_tile_set set, uint64_t tile)
{
    return set.offsets[tile + 1];
}

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
#define WEIR_TILES weir_csr
#include "worklist/schedule_tmpl.h"

#define WEIR_TILES      weir_wide_csr
#define WEIR_TILES_BITS 64
#include "worklist/schedule_tmpl.h"

#define WEIR_TILES weir_coo
#define WEIR_TILES_BY_TILE
#include "worklist/schedule_tmpl.h"

#define WEIR_TILES      weir_wide_coo
#define WEIR_TILES_BITS 64
#define WEIR_TILES_BY_TILE
#include "worklist/schedule_tmpl.h"
/** @endcond */

/** Consecutive equal share of the tiles: see weir_tile_set_part(). */
WEIR_DEV weir_csr_tile_set weir_csr_tile_set_part(weir_csr_tile_set set, uint32_t index,
                                                  uint32_t of)
{
    const uint32_t begin = weir_share_begin(set.tiles, index, of);
    weir_csr_tile_set part = {set.offsets + begin,
                              weir_share_begin(set.tiles, index + 1, of) - begin};
    return part;
}

/** Consecutive equal share of the tiles: see weir_tile_set_part(). */
WEIR_DEV weir_wide_csr_tile_set weir_wide_csr_tile_set_part(weir_wide_csr_tile_set set,
                                                            uint64_t index, uint64_t of)
{
    const uint64_t begin = weir_wide_share_begin(set.tiles, index, of);
    weir_wide_csr_tile_set part = {set.offsets + begin,
                                   weir_wide_share_begin(set.tiles, index + 1, of) - begin};
    return part;
}

#endif
