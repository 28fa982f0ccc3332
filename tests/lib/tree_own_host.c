/** @file tree_own_host.c  The tree operator with a schedule of its own, on host devices, where each walk
 *  is counted. */
#include "tests/lib/tree_own_op.h"
#include "tests/lib/tree_world.h"

uint64_t tree_own_walks;
uint64_t tree_own_tiles_fetched, tree_own_atoms_fetched;

typedef runs_walk counted_walk;

static void counted_start(counted_walk *walk, weir_tile_set set, uint32_t lane, uint32_t lanes)
{
    weir_atomic_add_relaxed_dev_u64(&tree_own_walks, 1);
    runs_start(walk, set, lane, lanes);
}

static int counted_next(counted_walk *walk, weir_tile_set set, uint32_t *tile, uint32_t *atom)
{
    return runs_next(walk, set, tile, atom);
}

#define WEIR_SCHEDULE counted
#define WEIR_OPERATOR tree_own
#include "worklist/engine_host_tmpl.h"
