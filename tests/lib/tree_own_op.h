/** @file tree_own_op.h  The tree operator under another name, to be compiled with a schedule of its own. */
#ifndef WEIR_TESTS_LIB_TREE_OWN_OP_H
#define WEIR_TESTS_LIB_TREE_OWN_OP_H

#include "tests/lib/schedule_own.h"
#include "tests/lib/tree_op.h"

typedef tree_item tree_own_item;
typedef tree_wire tree_own_wire;
typedef tree_state tree_own_state;

#define tree_own_tile       tree_tile
#define tree_own_atom       tree_atom
#define tree_own_on_send    tree_on_send
#define tree_own_pack       tree_pack
#define tree_own_on_receive tree_on_receive
#define tree_own_owner      tree_owner
#define tree_own_unpack     tree_unpack
#define tree_own_priority   tree_priority

#ifndef __CUDACC__
#define tree_own_fetches 1

/* Defined by tree_own_host.c: how often an operator was told of an item that is about to be taken, and of the atoms of a tile. */
extern uint64_t tree_own_tiles_fetched, tree_own_atoms_fetched;

static inline void tree_own_fetch_tile(const tree_own_state *s, const tree_own_item *item)
{
    (void)s, (void)item;
    weir_atomic_add_relaxed_dev_u64(&tree_own_tiles_fetched, 1);
}

static inline void tree_own_fetch_atoms(const tree_own_state *s, uint64_t first)
{
    (void)s, (void)first;
    weir_atomic_add_relaxed_dev_u64(&tree_own_atoms_fetched, 1);
}
#endif

#endif
