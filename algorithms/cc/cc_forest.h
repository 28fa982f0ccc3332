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

/* Trees have vertices by *name*, a number that says which of two is smaller, and so who may hang under whom. The name of a vertex
 * is its number, but where CC_INTERLEAVED is set (cc_interleaved_body.h). */
#ifndef CC_INTERLEAVED
#define CC_INTERLEAVED 0
#endif

#if CC_INTERLEAVED
/** The parents of all numbers, by number: names. The name of row i of part p is i, shifted by `bits`, and p in these bits. */
typedef struct cc_trees {
    uint32_t *word;
    const uint32_t *first; /* number of the first row of each part */
    uint32_t bits;
} cc_trees;

/** The part of a name, and the row there. */
WEIR_DEV uint32_t cc_part_of(cc_trees trees, uint32_t name)
{
    return name & ((1u << trees.bits) - 1u);
}

WEIR_DEV uint32_t *cc_words_of(cc_trees trees)
{
    return trees.word;
}

/** Where the parent of x is. */
WEIR_DEV uint32_t *cc_word(cc_trees trees, uint32_t x)
{
    return &trees.word[trees.first[cc_part_of(trees, x)] + (x >> trees.bits)];
}
#else
/** The parents of all numbers. */
typedef uint32_t *cc_trees;

WEIR_DEV uint32_t *cc_words_of(cc_trees trees)
{
    return trees;
}

WEIR_DEV uint32_t *cc_word(cc_trees trees, uint32_t x)
{
    return &trees[x];
}
#endif

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
    weir_min_relaxed_dev_u32(word, value);
#endif
}

/** A hook: a root, and what it was hung under. */
struct cc_hook {
    uint32_t root, under;
};

/* A look at a parent. A test that counts them defines it (tests/algorithms/test_cc_forest.c). */
#ifndef CC_LOOKS
#define CC_LOOKS(count)
#endif

/** This is the parent of x as it is now. */
WEIR_DEV uint32_t cc_up(cc_trees trees, uint32_t x)
{
    CC_LOOKS(1);
    return weir_load_relaxed_dev_u32(cc_word(trees, x));
}

/** This is the parent of x as the cache of the block's unit has it, for whoever climbs. It may be as old as the last barrier: an ancestor all the same, and
 *  who takes what has become a child since for a root is told by the swap. Many thousands of threads look at the few
 *  vertices at the top of a large tree, and a word for which all units go to the same memory is late. */
WEIR_DEV uint32_t cc_up_near(cc_trees trees, uint32_t x)
{
    CC_LOOKS(1);
    return weir_load_relaxed_block_u32(cc_word(trees, x));
}

/* So many climbs of a join only look, where joins are what a run takes: most end there, and a word that is changed costs the memory of a
 * GPU more than a look (cc_near.h). */
#ifndef CC_LOOKS_ONLY
#define CC_LOOKS_ONLY 0u
#endif

/* After so many steps a climb reads parents from memory, where others may have shortened the path since. */
#define CC_FAR 8u

/** A join that finds x and the other end in one tree may also let the parent of x point further up. This picks the joins that do: one of
 *  64, at random. Where roots side by side are joined at the same time, as those of a grid's columns are, each hangs
 *  under the next, and a join of the two ends of that path climbs over thousands of roots. Most joins meet it somewhere between and climb
 *  one step, so none of them would shorten it; each time that some of them lift a parent all along the path, its length is halved. */
WEIR_DEV int cc_lifts(uint32_t x)
{
    return x * 0x9E3779B9u >> 26 == 0;
}

/** What is above @p up, the parent of x; x points there from now on. x is no root. The word is changed by
 *  a minimum, since a store could bring back a parent that another thread has replaced by a root meanwhile. The
 *  parent of number 0 is known without a look: that spares most lookups, since it is the root of most vertices.
 *  @param[in] far  the parent is read from memory. */
WEIR_DEV uint32_t cc_climb(cc_trees trees, uint32_t x, uint32_t up, int far)
{
    const uint32_t over = !up ? 0 : far ? cc_up(trees, up) : cc_up_near(trees, up);
    if (over != up)
        weir_min_relaxed_dev_u32(cc_word(trees, x), over);
    return over;
}

/** Two vertices whose trees are being joined, and their parents as they were seen. */
struct cc_ends {
    uint32_t x, y, above_x, above_y;
    uint32_t steps; /* climbs */
};

/** A join begins: both ends are looked at, and neither look waits for the other. */
WEIR_DEV void cc_join_begin(cc_trees trees, uint32_t x, uint32_t y, struct cc_ends *ends)
{
    ends->x = x;
    ends->y = y;
    ends->above_x = cc_up_near(trees, x);
    ends->above_y = cc_up_near(trees, y);
    ends->steps = 0;
}

/** x is the end whose parent is larger, which climbs, or is hung under the other one's parent. */
WEIR_DEV void cc_join_order(struct cc_ends *ends)
{
    if (ends->above_x < ends->above_y) {
        uint32_t other = ends->x;
        ends->x = ends->y;
        ends->y = other;
        other = ends->above_x;
        ends->above_x = ends->above_y;
        ends->above_y = other;
    }
}

/** Join the trees of x and y, as in Rem's algorithm (Patwary, Blair and Manne; "RemCAS" of ConnectIt, arXiv 2008.11839): what is
 *  compared are the parents of both ends, whose first looks do not wait for each other, and the end whose parent is larger
 *  climbs, by two where it can: paths are halved, which changes half as many words as to split them. So no root has to be found if a common ancestor comes first, the root of the largest tree is hardly ever
 *  read, and a parent that was looked at is not looked at again.
 *  @param[in] lifts  whether some joins lift parents, see cc_lifts(): a constant, since those that have no long paths before them would
 *  pay for it.  @param[out] hook_out  if they were two trees.  @return whether they were. */
WEIR_DEV int cc_join(cc_trees trees, uint32_t x, uint32_t y, int lifts, struct cc_hook *hook_out)
{
    struct cc_ends ends;
    cc_join_begin(trees, x, y, &ends);
    WEIR_ROLLED
    while (ends.above_x != ends.above_y) {
        cc_join_order(&ends);
        const uint32_t at = ends.x, up = ends.above_x;
        if (up == at) { /* a root, as far as is known; above_y is an ancestor of y, and smaller */
            ends.above_x = cc_swap(cc_word(trees, at), at, ends.above_y);
            if (ends.above_x != at)
                continue;
            hook_out->root = at;
            hook_out->under = ends.above_y;
            return 1;
        }
        const int far = ends.steps++ >= CC_FAR;
        const uint32_t over =
            ends.steps <= CC_LOOKS_ONLY ? cc_up_near(trees, up) : cc_climb(trees, at, up, far);
        if (over == ends.above_y) {
            if (lifts && cc_lifts(at)) /* its parent may have been lifted since */
                (void)cc_climb(trees, up, cc_up(trees, up), 1);
            return 0;
        }
        ends.x = over;
        if (over != up)
            ends.above_x = far ? cc_up(trees, over) : cc_up_near(trees, over);
    }
    return 0;
}

/** The root above x, or @p stop if that comes first. Number 0 is always a root. */
WEIR_DEV uint32_t cc_root(cc_trees trees, uint32_t x, uint32_t stop)
{
    WEIR_ROLLED
    while (x != stop && x != 0) {
        const uint32_t up = cc_up_near(trees, x);
        if (up == x || up == stop)
            return up;
        x = cc_climb(trees, x, up, 0);
        if (x == up) /* a root was not looked at in vain */
            break;
    }
    return x;
}

#endif
