/** @file steal_step.h  Sharing out the list of a step, in kernels: what a device has of it is added up in chunks (COUNT), block 0 of each
 * device finds the shares of steal.h, cuts its own device's list and tells all devices (CUT), and behind that each takes its entries of
 * every device's list. Searches do it with the entries of a level (algorithms/bfs/bfs_steal.h), shortest paths with the pieces of long
 * rows (algorithms/sssp/sssp_steal.h). Whose entries are read by which algorithm, and what is found in them, is theirs. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_STEAL_STEP_H
#define WEIR_ALGORITHMS_COMMON_STEAL_STEP_H

#include "algorithms/common/steal.h"

/* Where devices have to agree they reckon in whole numbers, of which 64 bits hold the largest lists: what an entry or a find takes is counted in
 * this part of an arc, up to 128 arcs, and how many finds an arc is expected to make in this part of one. */
#define STEAL_OF_ARC  16u
#define STEAL_MOST    2047u
#define STEAL_OF_FIND 1024u

/** What work of a device takes another one, or itself, nanoseconds. */
struct steal_cost {
    double arc;
    double entry; /* beside its arcs */
    double find;  /* a vertex that the step is expected to find, beside the arcs to it */
    /* Of the worker with its own work, in whole numbers: how fast it is, up to STEAL_FASTEST, and what an entry and a find weigh, up to
     * STEAL_MOST. */
    uint32_t speed, entry_weight, find_weight;
};

/** Of a kernel's arguments: filled by weir__steal_bind(); all 0 where nothing is shared out. */
struct steal_args {
    struct steal_cut *tell[STEAL_DEVICES]; /* `cuts` of each device, as this one reaches them */
    struct steal_cut *cuts; /* [owner][worker], of STEAL_DEVICES each; written by each owner */
    uint64_t *chunks;       /* STEAL_CHUNKS: arcs of equal stretches of the device's list */
    const struct steal_cost *cost; /* [owner][worker], of STEAL_DEVICES each */
    uint64_t least;                /* lists of fewer arcs are not shared out */
    /* Nor those for which the device that takes longest takes less than this of what all would together. */
    uint32_t percent;
    uint32_t devices;
};

/** Words that the threads of a block share. */
struct steal_shared {
    uint64_t load[STEAL_DEVICES];   /* by device: arcs of its list; known to all blocks alike */
    uint64_t list[STEAL_DEVICES];   /* and entries, as far as they are known: likewise */
    uint64_t most_owned, most_done; /* of block 0: summed over steps, of the device that has most */
    uint64_t entries;               /* of block 0: entries read of other devices' lists */
    uint64_t chunk[STEAL_CHUNKS];   /* of block 0 */
    uint64_t share[STEAL_DEVICES];  /* of what its device's list comes to, by worker */
    struct steal steal;
};

/** Before the first step, by all threads; a weir_block_sync() is to follow. */
WEIR_DEV void steal_reset(struct steal_shared *s, uint32_t thread, uint32_t threads)
{
    for (uint32_t d = thread; d < STEAL_DEVICES; d += threads)
        s->load[d] = s->list[d] = 0;
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

/** What an arc of device @p owner takes device @p worker in this step, with its part of what its entry takes and of what it finds: GUM's
 *  1/B + g(W), where W are the arcs and the entries that the owner has, and what is not found yet.
 *  @param[in] finds  that an arc is expected to make, in parts of STEAL_OF_FIND; the same of all owners' arcs. */
WEIR_DEV double steal_arc(const struct steal_args *a, const struct steal_shared *s, uint32_t finds,
                          uint32_t owner, uint32_t worker)
{
    const struct steal_cost *cost = &a->cost[owner * STEAL_DEVICES + worker];
    const double entries =
        s->load[owner] ? (double)s->list[owner] / (double)s->load[owner] : 0; /* of an arc */
    return cost->arc + cost->find * finds / STEAL_OF_FIND + cost->entry * entries;
}

WEIR_DEV const struct steal_cost *steal_own(const struct steal_args *a, uint32_t d)
{
    return &a->cost[d * STEAL_DEVICES + d];
}

/* What an arc weighs, and an entry beside its arcs, of device @p d's list. */
WEIR_DEV uint32_t steal_arc_weight(const struct steal_args *a, uint32_t finds, uint32_t d)
{
    return STEAL_OF_ARC * STEAL_OF_FIND + steal_own(a, d)->find_weight * finds;
}

WEIR_DEV uint32_t steal_entry_weight(const struct steal_args *a, uint32_t d)
{
    return steal_own(a, d)->entry_weight * STEAL_OF_FIND;
}

/** What a device's list weighs: at most 2^39 arcs of 2^14 + 2^21, and 2^32 entries of 2^21. */
WEIR_DEV uint64_t steal_weight(const struct steal_args *a, const struct steal_shared *s,
                               uint32_t finds, uint32_t d)
{
    return s->load[d] * steal_arc_weight(a, finds, d) + s->list[d] * steal_entry_weight(a, d);
}

/** CUT, by all threads of block 0 of a device: decide, and tell all devices who takes which of entries @p begin to @p end - 1 of the
 *  device's own list. Behind a barrier of all devices they know. @param[in] finds  of steal_arc(). */
WEIR_DEV void steal_out(const struct steal_args *a, struct steal_shared *s, uint32_t finds,
                        uint32_t me, uint32_t begin, uint32_t end, uint32_t thread,
                        uint32_t threads)
{
    const uint32_t n = a->devices;
    struct steal *steal = &s->steal;
    for (uint32_t c = thread; c < STEAL_CHUNKS; c += threads)
        s->chunk[c] = a->chunks[c];
    for (uint32_t i = thread; i < n * n; i += threads)
        steal->cost[i / n][i % n] = steal_arc(a, s, finds, i / n, i % n);
    for (uint32_t d = thread; d < n; d += threads)
        steal->work[d] = (double)s->load[d];
    if (thread == 0)
        steal->count = n;
    weir_block_sync();
    steal_solve(steal, thread, threads);
    if (thread == 0) {
        struct steal_cut cuts[STEAL_DEVICES];
        steal_round(steal, me, steal_weight(a, s, finds, me), s->share);
        steal_cut_list(s->chunk, begin, end, steal_each(end - begin),
                       steal_arc_weight(a, finds, me), steal_entry_weight(a, me), s->share, me, n,
                       cuts);
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

/** Whether a list is to be shared out. Devices that decided differently would wait for each other for ever, so this is done in whole numbers: what
 *  lists weigh is halved until all come to less than 2^41, with 2^13 of speed and a percentage below 2^7 to each side, or 2^13 of that and
 *  2^10 of speed. @param[in] finds  of steal_arc(). */
WEIR_DEV int steal_pays(const struct steal_args *a, const struct steal_shared *s, uint32_t finds)
{
    uint64_t arcs = 0, most = 0, all = 0, speed = 0;
    uint32_t halved = 0;
    int late = 0;
    for (uint32_t d = 0; d < a->devices; d++)
        arcs += s->load[d];
    if (arcs < a->least) /* nothing has to be known of devices then, which lies in memory */
        return 0;
    for (uint32_t d = 0; d < a->devices; d++) {
        const uint64_t its = steal_weight(a, s, finds, d);
        speed += steal_own(a, d)->speed;
        most = its > most ? its : most;
    }
    while (most >> halved >= UINT64_C(1) << 38)
        halved++;
    for (uint32_t d = 0; d < a->devices; d++)
        all += steal_weight(a, s, finds, d) >> halved;
    for (uint32_t d = 0; d < a->devices; d++)
        late |= (steal_weight(a, s, finds, d) >> halved) * speed * 100 >=
                all * a->percent * steal_own(a, d)->speed;
    return late;
}

#endif
