/** @file bfs_op.h  Breadth-first search as an operator (Groute section 4.5, Figure 11).
 *
 * Label correcting: a work item says "this vertex has this level now"; its atoms are the vertex's
 * arcs; an arc whose far end can be given a smaller level makes a new item. Levels only fall, so
 * the end result does not depend on the order in which devices run.
 *
 * For a vertex of its halo (algorithms/part.h) a device keeps the smallest level it ever sent, and sends
 * only what improves on it; the owner decides. Differs from Groute, where every device holds all vertices:
 * here memory shrinks with the number of devices, and pack and unpack translate between local and global
 * numbers. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_OP_H
#define WEIR_ALGORITHMS_BFS_BFS_OP_H

#include "algorithms/part.h"
#include "worklist/operator.h"

#define BFS_UNREACHED 0xFFFFFFFFu

typedef struct bfs_item {
    uint32_t vertex; /* local: owned, or of the halo; global while it travels */
    uint32_t level;
} bfs_item;

typedef struct bfs_state {
    weir_part part;
    uint32_t *level;      /* of each vertex this device knows; of the halo the smallest it sent */
    const uint32_t *rows; /* padded rows (part.h) of 2^row_log targets; NULL: there are none */
    uint32_t row_log;
    uint32_t zero; /* no padding */
} bfs_state;

WEIR_DEV void bfs_bounds(const bfs_state *s, const bfs_item *item, uint64_t *first, uint64_t *last)
{
    /* A vertex of the halo has no arcs here; its owner looks at them. */
    const uint32_t most = s->part.owned - 1, vertex = item->vertex < most ? item->vertex : most;
    *first = s->part.offsets[vertex];
    *last = s->part.offsets[vertex + 1];
}

WEIR_DEV int bfs_tile(const bfs_state *s, const bfs_item *item, uint64_t *first, uint64_t *last)
{
    bfs_bounds(s, item, first, last); /* all three loads are under way together */
    /* If a smaller level came since, its own item is on the way. */
    return weir_load_relaxed_dev_u32(&s->level[item->vertex]) >= item->level;
}

#ifndef __CUDACC__
#define bfs_fetches 1 /* for threads of host devices, each of which walks tiles alone */

static inline void bfs_fetch_tile(const bfs_state *s, const bfs_item *item)
{
    weir_prefetch(s->part.offsets + item->vertex);
}

static inline void bfs_fetch_atoms(const bfs_state *s, uint64_t first)
{
    weir_prefetch(s->part.targets + first);
}
#endif

#define bfs_narrow 1 /* has what narrow rounds want */
WEIR_DEV void bfs_reach(const bfs_state *s, const bfs_item *item, uint64_t atom, bfs_item *next)
{
    next->vertex = s->part.targets[atom];
    next->level = item->level + 1;
}

WEIR_DEV void bfs_expect(const bfs_state *s, const bfs_item *item)
{
    weir_prefetch(&s->level[item->vertex]);
}

#define bfs_padded_rows 1 /* may have them */
typedef uint32_t bfs_entry;

WEIR_DEV uint32_t bfs_row_log(const bfs_state *s)
{
    return s->row_log;
}

WEIR_DEV const bfs_entry *bfs_padded_row(const bfs_state *s, const bfs_item *item)
{
    return s->rows + ((uint64_t)item->vertex << s->row_log);
}

WEIR_DEV int bfs_enter(const bfs_state *s, const bfs_item *item, const bfs_entry *entry,
                       bfs_item *next)
{
    (void)s;
    next->vertex = *entry;
    next->level = item->level + 1;
    return *entry != WEIR_PADDED_ROW_NONE;
}

WEIR_DEV int bfs_atom(const bfs_state *s, const bfs_item *item, uint64_t atom, bfs_item *next)
{
    bfs_reach(s, item, atom, next);
    /* A plain look first: most arcs lead to a vertex that has its level already. */
    return weir_load_relaxed_dev_u32(&s->level[next->vertex]) > next->level;
}

WEIR_DEV int bfs_improve(const bfs_state *s, const bfs_item *item)
{
    return weir_atomic_min_relaxed_dev_u32(&s->level[item->vertex], item->level) > item->level;
}

WEIR_DEV uint32_t bfs_priority(const bfs_state *s, const bfs_item *item)
{
    (void)s;
    return item->level;
}

#define WEIR_OPERATOR bfs
#include "algorithms/vertex_tmpl.h"

#endif
