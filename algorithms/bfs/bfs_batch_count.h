/** @file bfs_batch_count.h  How many vertices each source finds in a level: 64 counters, of which a word of sources adds
 * to any. What they come to is all that closeness needs, so that no level of a vertex has to be kept. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_COUNT_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_COUNT_H

#include "algorithms/bfs/bfs_batch_step.h"

WEIR_DEV struct batch_tally batch_nothing(void)
{
    const struct batch_tally t = {0, 0, 0, 0, 0, {0, 0}};
    return t;
}

/** The end of a phase: what its threads did. All lanes of a worker.
 *  @param[in] result  of the run, to which it adds its items and looks: BATCH_RESULT_ENTRIES or BATCH_RESULT_UP_ROWS. */
WEIR_DEV void batch_tell(struct bfs_batch_shared *shared, const struct batch_tally *t,
                         uint32_t result)
{
    const uint64_t put = weir_sum_u64(t->put), far = weir_sum_u64(t->far),
                   arcs = weir_sum_u64(t->arcs), looked = weir_sum_u64(t->looked),
                   items = weir_sum_u64(t->items);
    if (weir_lane())
        return;
    const uint64_t sums[3] = {far, arcs, looked};
    for (uint32_t i = 0; i < 3; i++)
        if (sums[i])
            weir_atomic_add_block_u64(&shared->sum[i], sums[i]);
    if (put)
        weir_atomic_add_block_u64(&shared->put, put);
    if (items)
        weir_atomic_add_block_u64(&shared->did[result - BATCH_RESULT_ENTRIES], items);
    if (looked)
        weir_atomic_add_block_u64(&shared->did[result - BATCH_RESULT_ENTRIES + 1], looked);
}

/* The words of 32 lanes are rows of a square of bits, which is turned: bit i of the result is the lane's bit of what lane i passed.
 * Halves change places, then quarters, and so on (Warren, Hacker's Delight, 7-3). */
WEIR_DEV uint32_t batch_turn(uint32_t word)
{
    uint32_t low = 0x0000FFFFu;
    for (uint32_t step = 16; step; step >>= 1, low ^= low << step) {
        const uint32_t other = weir_exchange_u32(word, step);
        word = weir_lane() & step ? (word & ~low) | (other >> step & low)
                                  : (word & low) | (other << step & ~low);
    }
    return word;
}

/** Each lane has the sources that found a vertex; 0: none. All lanes of a worker. A warp turns the words of its lanes, so that each has
 *  those of two sources. A thread of a host device adds the word to counters that stand upright: bit k of all of them is one plane, so
 *  that one addition takes about two steps, whatever the number of sources. */
WEIR_DEV void batch_count(struct bfs_batch_shared *shared, struct batch_tally *t, uint64_t found)
{
    if (WEIR_LANES == 1u) {
        for (uint32_t k = 0; found; k++) {
            const uint64_t carry = shared->plane[k % BATCH_PLANES] & found;
            shared->plane[k % BATCH_PLANES] ^= found;
            found = carry;
        }
        return;
    }
    if (!weir_ballot(found != 0))
        return;
    t->mine[0] += weir_popcount_u32(batch_turn((uint32_t)found));
    t->mine[1] += weir_popcount_u32(batch_turn((uint32_t)(found >> 32)));
}

/* The thread's planes become numbers. */
WEIR_DEV void batch_planes_read(struct bfs_batch_shared *shared)
{
    uint32_t planes = BATCH_PLANES;
    while (planes && !shared->plane[planes - 1])
        planes--;
    for (uint32_t k = 0; k < planes; k++) {
        for (uint32_t s = 0; s < BATCH_SOURCES; s++)
            shared->count[s] += (uint32_t)(shared->plane[k] >> s & 1u) << k;
        shared->plane[k] = 0;
    }
}

/** The end of a phase that found vertices of a level: the block adds its counts to those of its run, and tells which
 *  sources have a frontier now. All threads of the block. */
WEIR_DEV void batch_count_flush(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                                const struct weir_steps_block *b, const struct batch_walk *w,
                                struct batch_tally *t)
{
    uint64_t alive = 0;
    for (uint32_t k = 0; k < 2 && WEIR_LANES > 1u; k++) {
        if (t->mine[k])
            weir_atomic_add_block_u32(&shared->count[k * 32 + weir_lane()], t->mine[k]);
        t->mine[k] = 0;
    }
    if (WEIR_LANES == 1u)
        batch_planes_read(shared);
    weir_block_sync();
    for (uint32_t s = b->thread; s < BATCH_SOURCES; s += b->threads) {
        struct batch_found *found = &shared->found[s];
        const uint32_t count = shared->count[s];
        if (!count)
            continue;
        shared->count[s] = 0;
        alive |= UINT64_C(1) << s;
        found->reached += count;
        found->sum += (uint64_t)count * w->level;
        found->deepest = w->level;
    }
    alive = weir_or_u64(alive);
    if (weir_lane() == 0 && alive)
        weir_or_relaxed_dev_u64(&a->alive[a->member.index][(w->level + 1) % BATCH_TURNS], alive);
}

/** Write the level into those of the sources that found a row. */
WEIR_DEV void batch_keep_levels(const struct bfs_batch_args *a, const struct batch_walk *w,
                                uint32_t row, uint64_t found)
{
    if (!a->level)
        return;
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t bits = (uint32_t)(found >> 32 * half); bits; bits &= bits - 1) {
            const uint32_t s = 32 * half + weir_first_bit_u32(bits);
            a->level[(uint64_t)s * a->rows.owned + row] = (int32_t)w->level;
        }
}

/* Sources that all have the same vertices in common: their out-arcs are added up once for all of them. */
struct batch_same {
    uint64_t mask, arcs;                     /* the latter of this lane */
    uint64_t of[BATCH_SOURCES / WEIR_LANES]; /* of the sources lane, lane + WEIR_LANES, ... */
};

WEIR_DEV void batch_same_end(struct batch_same *same)
{
    const uint64_t arcs = weir_sum_u64(same->arcs);
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        same->of[k] += same->mask >> (k * WEIR_LANES + weir_lane()) & 1u ? arcs : 0;
    same->arcs = 0;
}

/* Each lane has a vertex of so many arcs and the sources that reached it. In most graphs few words are there: of the
 * largest component all sources in it, or those whose arcs lead there. */
WEIR_DEV void batch_same_add(struct batch_same *same, uint64_t mask, uint64_t arcs)
{
    WEIR_ROLLED
    for (;;) {
        const int is = mask == same->mask;
        same->arcs += is ? arcs : 0;
        arcs = is ? 0 : arcs;
        const uint32_t left = weir_ballot(mask && arcs);
        if (!left)
            return;
        batch_same_end(same);
        same->mask = weir_broadcast_u64(mask, weir_first_bit_u32(left));
    }
}

/** The end of a run: the out-arcs of what each source reached are counted, and what the block has counted goes to the device's counts. All
 *  threads of a device. */
WEIR_COLD void batch_count_end(const struct bfs_batch_args *a, struct bfs_batch_shared *shared,
                               struct weir_steps_block b)
{
    struct batch_same same;
    const uint64_t *offsets = a->rows.out.offsets, *seen = a->seen + a->rows.begin;
    same.mask = same.arcs = 0;
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        same.of[k] = 0;
    for (uint64_t base = (uint64_t)weir_steps_warp(&b) * WEIR_LANES; base < a->rows.busy;
         base += weir_steps_threads(&b)) {
        const uint64_t row = base + weir_lane();
        const int is = row < a->rows.busy;
        const uint64_t at = is ? row : 0, arcs = offsets[at + 1] - offsets[at];
        batch_same_add(&same, is ? seen[at] : 0, arcs);
    }
    batch_same_end(&same);
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        if (same.of[k])
            weir_atomic_add_block_u64(&shared->found[k * WEIR_LANES + weir_lane()].arcs,
                                      same.of[k]);
    weir_block_sync();
    for (uint32_t s = b.thread; s < BATCH_SOURCES; s += b.threads) {
        const struct batch_found *its = &shared->found[s];
        struct batch_found *all = &a->found[s];
        if (its->arcs)
            weir_add_relaxed_dev_u64(&all->arcs, its->arcs);
        if (!its->reached)
            continue;
        weir_add_relaxed_dev_u64(&all->reached, its->reached);
        weir_add_relaxed_dev_u64(&all->sum, its->sum);
        (void)weir_atomic_max_relaxed_dev_u64(&all->deepest, its->deepest);
    }
}

#endif
