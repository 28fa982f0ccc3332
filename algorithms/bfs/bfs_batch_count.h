/** @file bfs_batch_count.h  How many vertices each source finds in a level: 64 counters, of which a word of sources adds
 * to any. What they come to is all that closeness needs, so that no level of a vertex has to be kept. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_COUNT_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_COUNT_H

#include "algorithms/bfs/bfs_batch_step.h"

/** Each lane has the sources that found a vertex; 0: none. All lanes of a worker. A warp counts one bit of all lanes at a
 *  time. A thread of a host device adds the word to counters that stand upright: bit k of all of them is one plane, so
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
    for (uint32_t bit = 0; bit < 32; bit++) {
        const uint32_t low = weir_popcount_u32(weir_ballot((int)(found >> bit & 1u)));
        const uint32_t high = weir_popcount_u32(weir_ballot((int)(found >> (bit + 32) & 1u)));
        t->mine[0] += weir_lane() == bit ? low : 0;
        t->mine[1] += weir_lane() == bit ? high : 0;
    }
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

/** The end of a phase that found vertices of a level: the block adds its counts to those of the device, and tells which
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
        const uint32_t count = shared->count[s];
        if (!count)
            continue;
        shared->count[s] = 0;
        alive |= UINT64_C(1) << s;
        weir_add_relaxed_dev_u64(&a->found[s].reached, count);
        if (w->level) {
            weir_add_relaxed_dev_u64(&a->found[s].sum, (uint64_t)count * w->level);
            weir_store_relaxed_dev_u64(&a->found[s].deepest, w->level);
        }
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
struct batch_run {
    uint64_t mask, arcs;
    uint64_t of[BATCH_SOURCES / WEIR_LANES]; /* of the sources lane, lane + WEIR_LANES, ... */
};

WEIR_DEV void batch_run_end(struct batch_run *run)
{
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        run->of[k] += run->mask >> (k * WEIR_LANES + weir_lane()) & 1u ? run->arcs : 0;
    run->arcs = 0;
}

/* Each lane has a vertex of so many arcs and the sources that reached it. In most graphs few words are there: of the
 * largest component all sources in it, or those whose arcs lead there. */
WEIR_DEV void batch_run_add(struct batch_run *run, uint64_t mask, uint64_t arcs)
{
    WEIR_ROLLED
    for (uint32_t left = weir_ballot(mask && arcs); left;) {
        const uint64_t its = weir_broadcast_u64(mask, weir_first_bit_u32(left));
        const int same = mask == its && arcs;
        if (its != run->mask)
            batch_run_end(run);
        run->mask = its;
        run->arcs += weir_sum_u64(same ? arcs : 0);
        left &= ~weir_ballot(same);
    }
}

/** Behind the body: the out-arcs of what each source reached. */
WEIR_DEV void bfs_batch_epilogue(const struct bfs_batch_args *a, const struct weir_steps_block *b)
{
    struct batch_run run;
    const uint64_t *offsets = a->rows.out.offsets;
    const uint64_t threads = weir_steps_threads(b);
    run.mask = run.arcs = 0;
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        run.of[k] = 0;
    for (uint64_t base = (uint64_t)weir_steps_warp(b) * WEIR_LANES; base < a->rows.busy;
         base += threads) {
        const uint64_t row = base + weir_lane();
        const int is = row < a->rows.busy;
        const uint64_t mask = is ? a->seen[a->rows.begin + row] : 0;
        batch_run_add(&run, mask, mask ? offsets[row + 1] - offsets[row] : 0);
    }
    batch_run_end(&run);
    for (uint32_t k = 0; k < BATCH_SOURCES / WEIR_LANES; k++)
        if (run.of[k])
            weir_add_relaxed_dev_u64(&a->found[k * WEIR_LANES + weir_lane()].arcs, run.of[k]);
}

#endif
