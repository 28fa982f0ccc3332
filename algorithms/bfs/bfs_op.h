/** @file bfs_op.h  Breadth-first search as an operator (Groute section 4.5, Figure 11).
 *
 * Label correcting: a work item says "this vertex has this level now"; its atoms are the vertex's
 * arcs; an arc whose far end can be given a smaller level makes a new item. Levels only fall, so
 * the end result does not depend on the order in which devices run.
 *
 * Each device holds the vertices it owns and, behind them, its *halo*: the vertices of others that
 * its arcs lead to. Arcs name both by local number. For a vertex of the halo the device keeps the
 * smallest level it ever sent, and sends only what improves on it; the owner decides. Differs from
 * Groute, where every device holds all vertices: here memory shrinks with the number of devices,
 * and pack and unpack translate between local and global numbers.
 *
 * Global numbers count the vertices part after part: those of part p are part_first[p] to
 * part_first[p + 1] - 1. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_OP_H
#define WEIR_ALGORITHMS_BFS_BFS_OP_H

#include "worklist/operator.h"

#define BFS_UNREACHED 0xFFFFFFFFu

typedef struct bfs_item {
    uint32_t vertex; /* local: owned, or of the halo */
    uint32_t level;
} bfs_item;

typedef struct bfs_wire {
    uint32_t vertex; /* global */
    uint32_t level;
} bfs_wire;

typedef struct bfs_state {
    const uint64_t *offsets; /* owned + 1 */
    const uint32_t *targets; /* local numbers */
    const uint32_t *halo;    /* global numbers of the halo */
    uint32_t *level;         /* owned, then the smallest level sent to each of the halo */
    uint32_t owned;          /* vertices of this part */
    uint32_t part;           /* this part's number */
    uint32_t parts;
    uint32_t part_first[WEIR_DEVICES_MAX + 1];
} bfs_state;

WEIR_DEV int bfs_tile(const bfs_state *s, const bfs_item *item, uint64_t *first, uint64_t *last)
{
    if (weir_load_relaxed_dev_u32(&s->level[item->vertex]) < item->level)
        return 0; /* a smaller level came since; its own item is on the way */
    *first = s->offsets[item->vertex];
    *last = s->offsets[item->vertex + 1];
    return 1;
}

WEIR_DEV int bfs_atom(const bfs_state *s, const bfs_item *item, uint64_t atom, bfs_item *next)
{
    next->vertex = s->targets[atom];
    next->level = item->level + 1;
    /* A plain look first: most arcs lead to a vertex that has its level already. */
    return weir_load_relaxed_dev_u32(&s->level[next->vertex]) > next->level;
}

WEIR_DEV enum weir_fate bfs_on_send(const bfs_state *s, const bfs_item *item)
{
    if (weir_atomic_min_relaxed_dev_u32(&s->level[item->vertex], item->level) <= item->level)
        return WEIR_FATE_DROP;
    return item->vertex < s->owned ? WEIR_FATE_KEEP : WEIR_FATE_PASS;
}

WEIR_DEV uint32_t bfs_owner(const bfs_state *s, const bfs_wire *wire)
{
    uint32_t low = 0, high = s->parts; /* part_first[low] <= vertex < part_first[high] */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (wire->vertex < s->part_first[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

WEIR_DEV uint32_t bfs_pack(const bfs_state *s, const bfs_item *item, bfs_wire *wire)
{
    wire->vertex = s->halo[item->vertex - s->owned];
    wire->level = item->level;
    return bfs_owner(s, wire);
}

WEIR_DEV enum weir_fate bfs_on_receive(const bfs_state *s, const bfs_wire *wire)
{
    uint32_t first = s->part_first[s->part];
    if (wire->vertex < first || wire->vertex - first >= s->owned)
        return WEIR_FATE_PASS;
    if (weir_atomic_min_relaxed_dev_u32(&s->level[wire->vertex - first], wire->level) <=
        wire->level)
        return WEIR_FATE_DROP;
    return WEIR_FATE_KEEP;
}

WEIR_DEV void bfs_unpack(const bfs_state *s, const bfs_wire *wire, bfs_item *item)
{
    item->vertex = wire->vertex - s->part_first[s->part];
    item->level = wire->level;
}

WEIR_DEV uint32_t bfs_priority(const bfs_state *s, const bfs_item *item)
{
    (void)s;
    return item->level;
}

#endif
