/** @file tree_world.h  A context with a worklist of the tree operators, and what must come out.
 *
 * Nothing here asserts: a failure is a status, with its sentence in weir_error_detail(), or a text
 * that says what is wrong; the test decides. */
#ifndef WEIR_TESTS_LIB_TREE_WORLD_H
#define WEIR_TESTS_LIB_TREE_WORLD_H

#include "tests/lib/tree_min_op.h"
#include "tests/lib/tree_op.h"
#include "worklist/worklist.h"

extern const weir_operator weir__tree_operator;
extern const weir_operator weir__tree_min_operator;
/** The tree operator with a schedule of its own (schedule_own.h). */
extern const weir_operator weir__tree_own_operator;
/** How often that schedule was started on host devices; relaxed atomics. */
extern uint64_t tree_own_walks;
/** How often that operator was asked on host devices to fetch what an item's tile is, and what its atoms are. */
extern uint64_t tree_own_tiles_fetched, tree_own_atoms_fetched;

struct tree_setup {
    const char *spec;         /* devices */
    const char *link_buffers; /* tunables as text; NULL: the default */
    const char *spill_bytes;
    const char *pool_bytes;
    int merging;      /* the merging operator instead of the tree */
    int own_schedule; /* the tree operator that has a schedule of its own */
    int fills;        /* runs fill the state's memory by themselves; it is never clear before one */
    tree_state tree;  /* shape and rules; devices and memory are filled in */
    tree_min_state min; /* the same */
    weir_worklist_config config;
};

struct tree_world {
    weir_context *context;
    weir_endpoint *source;
    weir_endpoint *worker[WEIR_DEVICES_MAX];
    weir_worklist *list;
    uint32_t devices;
    int merging, fills;
    void *memory[WEIR_DEVICES_MAX]; /* of the operator's state */
    size_t memory_bytes;
    tree_state tree[WEIR_DEVICES_MAX];
    tree_min_state min[WEIR_DEVICES_MAX];
    tree_record expected[WEIR_DEVICES_MAX]; /* what was seeded since the last check */
    uint64_t expected_items;
};

/** On a failure everything is closed again. */
weir_status tree_world_open(struct tree_world *world, const struct tree_setup *setup);
void tree_world_close(struct tree_world *world);

/** Seed @p count roots; the items that follow from them are expected from now on (of endless trees
 *  nothing can be expected). */
weir_status tree_world_seed(struct tree_world *world, uint64_t first_seed, uint32_t count);
/** Seed key 0 .. @p count - 1 with distance 0. */
weir_status tree_world_seed_keys(struct tree_world *world, uint32_t count);

/** Whether the devices consumed what was expected, each item once and where it belongs; then both
 *  are cleared for the next run. @return NULL, or what is wrong. Static storage. */
const char *tree_world_check(struct tree_world *world, const weir_worklist_stats *stats);
/** Whether the owners hold the shortest distances from keys 0 .. @p seeds - 1; cleared too. */
const char *tree_world_check_keys(struct tree_world *world, uint32_t seeds,
                                  const weir_worklist_stats *stats);

#endif
