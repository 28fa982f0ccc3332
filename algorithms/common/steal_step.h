/** @file steal_step.h  Sharing out the list of a step, in kernels: what a device has of it is added up in chunks (COUNT), block 0 of each
 * device finds the shares of steal.h, cuts its own device's list and tells all devices (CUT), and behind that each takes its entries of
 * every device's list. Searches do it with the entries of a level (algorithms/bfs/bfs_steal.h), shortest paths with the pieces of long
 * rows (algorithms/sssp/sssp_steal.h). Whose entries are read by which algorithm, and what is found in them, is theirs. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_STEAL_STEP_H
#define WEIR_ALGORITHMS_COMMON_STEAL_STEP_H

#include "algorithms/common/steal.h"

/** Of a kernel's arguments: filled by weir__steal_bind(); all 0 where nothing is shared out. */
struct steal_args {
    struct steal_cut *tell[STEAL_DEVICES]; /* `cuts` of each device, as this one reaches them */
    struct steal_cut *cuts; /* [owner][worker], of STEAL_DEVICES each; written by each owner */
    uint64_t *chunks;       /* STEAL_CHUNKS: arcs of equal stretches of the device's list */
    const double *cost;     /* [owner][worker]: what an arc takes, of STEAL_DEVICES each */
    uint64_t least;         /* lists of fewer arcs are not shared out */
    /* Nor those for which the device that takes longest takes less than this of what all would together. */
    uint64_t percent;
    uint32_t
        speed[STEAL_DEVICES]; /* of a device, up to STEAL_FASTEST: whole numbers, alike on all */
    uint32_t devices;
};

/** Words that the threads of a block share. */
struct steal_shared {
    uint64_t load[STEAL_DEVICES];   /* by device: arcs of its list; known to all blocks alike */
    uint64_t most_owned, most_done; /* of block 0: summed over steps, of the device that has most */
    uint64_t entries;               /* of block 0: entries read of other devices' lists */
    uint64_t chunk[STEAL_CHUNKS];   /* of block 0 */
    uint64_t share[STEAL_DEVICES];  /* of its device's arcs, by worker */
    struct steal steal;
};

/** Before the first step, by all threads; a weir_block_sync() is to follow. */
WEIR_DEV void steal_reset(struct steal_shared *s, uint32_t thread, uint32_t threads)
{
    for (uint32_t d = thread; d < STEAL_DEVICES; d += threads)
        s->load[d] = 0;
    if (thread == 0)
        s->most_owned = s->most_done = s->entries = 0;
}

/** Entries of a chunk, of a list of so many. */
WEIR_DEV uint32_t steal_each(uint32_t entries)
{
    return (entries + STEAL_CHUNKS - 1) / STEAL_CHUNKS;
}

/** COUNT: what the chunks of entries @p begin to @p end - 1 come to. Each worker takes whole chunks; all its lanes call it.
 *  @param[in] arcs    those of entry 0 of the list; those of the next are @p stride words behind.
 *  @return what the chunks of this worker come to. */
WEIR_DEV uint64_t steal_count(const struct steal_args *a, const uint32_t *arcs, uint32_t stride,
                              uint32_t begin, uint32_t end, uint32_t worker, uint32_t workers)
{
    const uint32_t each = steal_each(end - begin);
    uint64_t all = 0;
    WEIR_ROLLED
    for (uint32_t c = worker; c < STEAL_CHUNKS; c += workers) {
        const uint64_t from = begin + (uint64_t)c * each;
        const uint64_t to = from + each < end ? from + each : end;
        uint64_t its = 0;
        for (uint64_t i = from + weir_lane(); i < to; i += WEIR_LANES)
            its += arcs[i * stride];
        its = weir_sum_u64(its);
        if (weir_lane() == 0)
            a->chunks[c] = its;
        all += its;
    }
    return all;
}

/** CUT, by all threads of block 0 of a device: decide, and tell all devices who takes which of entries @p begin to @p end - 1 of the
 *  device's own list. Behind a barrier of all devices they know. */
WEIR_DEV void steal_out(const struct steal_args *a, struct steal_shared *s, uint32_t me,
                        uint32_t begin, uint32_t end, uint32_t thread, uint32_t threads)
{
    const uint32_t n = a->devices;
    struct steal *steal = &s->steal;
    for (uint32_t c = thread; c < STEAL_CHUNKS; c += threads)
        s->chunk[c] = a->chunks[c];
    for (uint32_t i = thread; i < n * n; i += threads)
        steal->cost[i / n][i % n] = a->cost[i / n * STEAL_DEVICES + i % n];
    for (uint32_t d = thread; d < n; d += threads)
        steal->work[d] = (double)s->load[d];
    if (thread == 0)
        steal->count = n;
    weir_block_sync();
    steal_solve(steal, thread, threads);
    if (thread == 0) {
        struct steal_cut cuts[STEAL_DEVICES];
        steal_round(steal, me, s->load[me], s->share);
        steal_cut_list(s->chunk, begin, end, steal_each(end - begin), s->share, me, n, cuts);
        WEIR_ROLLED
        for (uint32_t d = 0; d < n; d++)
            for (uint32_t j = 0; j < n; j++)
                a->tell[d][me * STEAL_DEVICES + j] = cuts[j];
    }
}

/** Arcs of the lists that device @p worker does. @param[in] shared_out  whether they were cut; else its own. */
WEIR_DEV uint64_t steal_done(const struct steal_args *a, const struct steal_shared *s,
                             uint32_t worker, int shared_out)
{
    uint64_t arcs = shared_out ? 0 : s->load[worker];
    for (uint32_t i = 0; i < a->devices && shared_out; i++)
        arcs += a->cuts[i * STEAL_DEVICES + worker].units;
    return arcs;
}

/** Keep count of what the device that has most arcs of a step has, and does; and of entries read of others. By one thread of block 0.
 *  @param[in] beside  by device: arcs that it looks along beside the lists; NULL: none. */
WEIR_DEV void steal_book(const struct steal_args *a, struct steal_shared *s, uint32_t me,
                         int shared_out, const uint64_t *beside)
{
    uint64_t owned = 0, done = 0;
    for (uint32_t j = 0; j < a->devices; j++) {
        const uint64_t more = beside ? beside[j] : 0;
        const uint64_t its = steal_done(a, s, j, shared_out) + more;
        done = its > done ? its : done;
        owned = s->load[j] + more > owned ? s->load[j] + more : owned;
    }
    s->most_owned += owned;
    s->most_done += done;
    for (uint32_t i = 0; i < a->devices && shared_out; i++) {
        const struct steal_cut *cut = &a->cuts[i * STEAL_DEVICES + me];
        s->entries += i != me ? cut->end - cut->begin : 0;
    }
}

/** Whether a list is to be shared out. Devices that decided differently would wait for each other for ever, so this is done in whole
 *  numbers: at most 2^40 arcs, 2^13 of speed and a percentage below 2^7 to each side, or 2^13 of that and 2^10 of speed. */
WEIR_DEV int steal_pays(const struct steal_args *a, const struct steal_shared *s)
{
    uint64_t all = 0, speed = 0;
    int late = 0;
    for (uint32_t d = 0; d < a->devices; d++) {
        all += s->load[d];
        speed += a->speed[d];
    }
    for (uint32_t d = 0; d < a->devices; d++)
        late |= s->load[d] * speed * 100 >= all * a->percent * a->speed[d];
    return all >= a->least && late;
}

#endif
