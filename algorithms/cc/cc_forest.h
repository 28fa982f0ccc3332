/** @file cc_forest.h  Trees over an array of parents, joined by many threads at a time; in the dialect.
 *
 * parent[v] <= v for every v, and parent[v] == v for a root. A tree is joined to another by hanging its root
 * under a smaller number, so that there are no circles and the root of a tree is its smallest number. A vertex
 * that has become a child never is a root again, and its parent only ever changes to an ancestor further up, a
 * smaller number. So a parent that was read late is still an ancestor, and only the store that makes a root a
 * child needs a compare-and-swap (Jayanti and Tarjan; Sutton et al., "Optimizing parallel graph connectivity computation
 * via subgraph sampling", for the order in which it is used here). */
#ifndef WEIR_ALGORITHMS_CC_FOREST_H
#define WEIR_ALGORITHMS_CC_FOREST_H

#include "runtime/dialect.h"
#include "runtime/sync.h"

#define CC_NONE 0xFFFFFFFFu

/** If *word is @p expected it becomes @p desired. @return what it was. Relaxed, of the device. */
WEIR_DEV uint32_t cc_swap(uint32_t *word, uint32_t expected, uint32_t desired)
{
#ifdef __CUDACC__
    return atomicCAS(word, expected, desired);
#else
    __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

/** *word = min(*word, value), visible to all devices; relaxed. */
WEIR_DEV void cc_min_sys(uint32_t *word, uint32_t value)
{
#ifdef __CUDACC__
    (void)atomicMin_system(word, value);
#else
    (void)weir_atomic_min_relaxed_dev_u32(word, value);
#endif
}

/** A hook: a root, and what it was hung under. */
struct cc_hook {
    uint32_t root, under;
};

/** Two steps up from x, which is no root and whose parent is @p up; x points there from now on. The word is changed by
 *  a minimum, since a store could bring back a parent that another thread has replaced by a root meanwhile. The
 *  parent of number 0 is known without a look: that spares most lookups, since it is the root of most vertices. */
WEIR_DEV uint32_t cc_climb(uint32_t *parent, uint32_t x, uint32_t up)
{
    uint32_t over = up ? weir_load_relaxed_dev_u32(&parent[up]) : 0;
    if (over != up)
        (void)weir_atomic_min_relaxed_dev_u32(&parent[x], over);
    return over;
}

/** Join the trees of x and y. It climbs from the larger of the two numbers, so that no root has to be found if a
 *  common ancestor comes first, and the root of the largest tree is hardly ever read.
 *  @param[out] hook_out  if they were two trees.  @return whether they were. */
WEIR_DEV int cc_join(uint32_t *parent, uint32_t x, uint32_t y, struct cc_hook *hook_out)
{
    WEIR_ROLLED
    while (x != y) {
        if (x < y) {
            uint32_t other = x;
            x = y;
            y = other;
        }
        uint32_t up = weir_load_relaxed_dev_u32(&parent[x]);
        if (up == x && (up = cc_swap(&parent[x], x, y)) == x) {
            hook_out->root = x;
            hook_out->under = y;
            return 1;
        }
        if (up == y)
            return 0;
        x = cc_climb(parent, x, up);
    }
    return 0;
}

/** The root above x, or @p stop if that comes first. Number 0 is always a root. */
WEIR_DEV uint32_t cc_root(uint32_t *parent, uint32_t x, uint32_t stop)
{
    WEIR_ROLLED
    while (x != stop && x != 0) {
        uint32_t up = weir_load_relaxed_dev_u32(&parent[x]);
        if (up == x)
            break;
        if (up == stop)
            return stop;
        x = cc_climb(parent, x, up);
    }
    return x;
}

#endif
