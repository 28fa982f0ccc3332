/** @file 15_kcore_body.h  The k-core decomposition of a graph as a step program (docs/steps.md).
 *
 * The k-core of a graph is what is left when vertices of fewer than k arcs are taken away, again and again, until
 * there are none (Seidman 1983). The *core number* of a vertex is the largest k whose core it is in. Vertices are
 * peeled in the order of their core numbers (Matula, Beck, JACM 1983), all that can be at a time (Kabir, Madduri:
 * "Parallel k-core decomposition on multicore platforms", 2017). */
#ifndef WEIR_EXAMPLES_15_KCORE_BODY_H
#define WEIR_EXAMPLES_15_KCORE_BODY_H

#include "worklist/steps.h"

/* What lies in weir_steps_page.result after a run. */
enum kcore_result {
    KCORE_LARGEST = 0, /* core number */
    KCORE_SCAN_NS,
    KCORE_SCAN_STEPS,
    KCORE_PEEL_NS,
    KCORE_PEEL_STEPS,
    KCORE_VERTICES, /* of the innermost core that the device owns; by the epilogue */
    KCORE_ARCS      /* from these to others of that core; by the epilogue */
};

struct kcore_args {
    struct weir_steps_member member;
    const uint64_t *offsets;              /* by row: the device's own vertices, from 0 */
    const uint32_t *targets;              /* numbers of vertices: the same on all devices */
    const uint32_t *degrees;              /* by row: arcs */
    uint32_t *degree;                     /* by row: arcs to vertices that are not peeled yet */
    uint32_t *core[WEIR_DEVICES_MAX];     /* of each device: core numbers, by number */
    uint32_t *queue;                      /* rows, in the order in which they are peeled */
    uint32_t *tail;                       /* how many there are */
    uint32_t *inbox[WEIR_DEVICES_MAX];    /* by sender: numbers of own vertices that lost an arc */
    uint32_t *outbox[WEIR_DEVICES_MAX];   /* by receiver: its inbox for this device */
    uint32_t first[WEIR_DEVICES_MAX + 1]; /* number of each device's first row */
    uint32_t owned;                       /* rows */
};

/* Words that the threads of a block share. */
struct kcore_shared {
    uint64_t put;                     /* rows put into the queue since the last barrier */
    uint64_t taken[WEIR_DEVICES_MAX]; /* items read from each inbox */
};

/* What a thread did since the last barrier. */
struct kcore_tally {
    uint64_t put, sent;
};

/* A vertex is peeled: its core number is k, and its arcs go in the next superstep. */
WEIR_DEV void kcore_put(const struct kcore_args *a, uint32_t row, uint32_t k,
                        struct kcore_tally *did)
{
    const struct weir_steps_member *m = &a->member;
    for (uint32_t d = 0; d < m->count; d++)
        a->core[d][a->first[m->index] + row] = k;
    a->queue[weir_atomic_add_relaxed_dev_u32(a->tail, 1)] = row;
    did->put++;
}

/* Find the vertices that have k arcs left. */
WEIR_DEV void kcore_scan(const struct kcore_args *a, const struct weir_steps_block *b, uint32_t k,
                         struct kcore_tally *did)
{
    for (uint64_t row = weir_steps_thread(b); row < a->owned; row += weir_steps_threads(b))
        if (a->degree[row] == k) /* those that were peeled have fewer */
            kcore_put(a, (uint32_t)row, k, did);
}

/* A vertex of this device loses an arc. Degrees fall one by one, so one thread alone takes a vertex to k. */
WEIR_DEV void kcore_lower(const struct kcore_args *a, uint32_t number, uint32_t k,
                          struct kcore_tally *did)
{
    const uint32_t row = number - a->first[a->member.index];
    if (weir_atomic_add_relaxed_dev_u32(&a->degree[row], UINT32_MAX) == k + 1)
        kcore_put(a, row, k, did);
}

/* The same for a vertex of another device: its owner is told. */
WEIR_DEV void kcore_send(const struct kcore_args *a, uint32_t to, uint32_t number,
                         struct kcore_tally *did)
{
    uint64_t *tell = &weir_steps_mine(&a->member)->tell[to];
    a->outbox[to][weir_atomic_add_relaxed_dev_u64(tell, 1)] = number;
    did->sent++;
}

/* Rows begin to end - 1 of the queue: a worker each, and a lane for each of its arcs. */
WEIR_DEV void kcore_peel(const struct kcore_args *a, const struct weir_steps_block *b,
                         uint32_t begin, uint32_t end, uint32_t k, struct kcore_tally *did)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    for (uint64_t i = begin + weir_steps_warp(b); i < end; i += workers) {
        const uint64_t first = a->offsets[a->queue[i]], last = a->offsets[a->queue[i] + 1];
        for (uint64_t arc = first + weir_lane(); arc < last; arc += WEIR_LANES) {
            const uint32_t number = a->targets[arc], to = weir_steps_owner(a->first, number);
            if (to == a->member.index)
                kcore_lower(a, number, k, did);
            else
                kcore_send(a, to, number, did);
        }
    }
}

/* What the other devices had sent when the last barrier was passed. All threads of the block. */
WEIR_DEV void kcore_absorb(const struct kcore_args *a, struct kcore_shared *shared,
                           const struct weir_steps_block *b, uint32_t k, struct kcore_tally *did)
{
    const struct weir_steps_member *m = &a->member;
    for (uint32_t d = 0; d < m->count; d++) {
        const uint64_t end = d == m->index ? 0 : weir_steps_told(m, b, d);
        for (uint64_t i = shared->taken[d] + weir_steps_thread(b); i < end;
             i += weir_steps_threads(b))
            kcore_lower(a, a->inbox[d][i], k, did);
    }
    weir_block_sync();
    for (uint32_t d = b->thread; d < m->count; d += b->threads)
        if (d != m->index)
            shared->taken[d] = weir_steps_told(m, b, d);
}

/* The end of a superstep. Behind it total[0] is what all devices have put into their queues since the barrier
 * before, and total[1] what they have sent. */
WEIR_DEV uint32_t kcore_barrier(const struct kcore_args *a, struct kcore_shared *shared,
                                struct weir_steps_block *b, const struct kcore_tally *did,
                                uint64_t *total)
{
    if (did->put)
        weir_atomic_add_block_u64(&shared->put, did->put);
    if (did->sent)
        weir_steps_add(&a->member, b, 1, did->sent);
    return weir_steps_sync(&a->member, b, b->blocks, &shared->put, 1, total);
}

/* Block 0 books the time of a superstep under a phase. */
WEIR_DEV void kcore_book(const struct kcore_args *a, const struct weir_steps_block *b,
                         enum kcore_result ns, enum kcore_result steps, uint64_t *since)
{
    uint64_t *result = weir_steps_mine(&a->member)->result;
    if (b->block || b->thread)
        return;
    const uint64_t now = weir_clock_ns();
    result[ns] += now - *since;
    result[steps]++;
    *since = now;
}

WEIR_DEV void kcore_body(const struct kcore_args *a, struct kcore_shared *shared,
                         struct weir_steps_block *b)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t left = a->first[m->count], since = weir_clock_ns(), total[WEIR_STEPS_SUMS];
    uint32_t k = 0, end = 0, stop = WEIR_STEPS_GOES_ON;
    if (b->thread == 0)
        shared->put = 0;
    for (uint32_t d = b->thread; d < m->count; d += b->threads)
        shared->taken[d] = 0;
    weir_block_sync();
    for (; !stop && left; k++) {
        struct kcore_tally found = {0, 0};
        kcore_scan(a, b, k, &found);
        stop = kcore_barrier(a, shared, b, &found, total);
        kcore_book(a, b, KCORE_SCAN_NS, KCORE_SCAN_STEPS, &since);
        while (!stop && (total[0] || total[1])) {
            const uint32_t begin = end;
            struct kcore_tally did = {0, 0};
            end += (uint32_t)(m->count > 1 ? weir_steps_own(m, b) : total[0]);
            left -= total[0];
            kcore_absorb(a, shared, b, k, &did);
            kcore_peel(a, b, begin, end, k, &did);
            stop = kcore_barrier(a, shared, b, &did, total);
            kcore_book(a, b, KCORE_PEEL_NS, KCORE_PEEL_STEPS, &since);
        }
    }
    if (!stop && b->block == 0 && b->thread == 0)
        weir_steps_mine(m)->result[KCORE_LARGEST] = k ? k - 1 : 0;
}

/* Behind the body: what the innermost core is. It reads core numbers of all vertices, from the device's own copy. */
WEIR_DEV void kcore_epilogue(const struct kcore_args *a, const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result, vertices = 0, arcs = 0;
    const uint32_t *core = a->core[a->member.index];
    for (uint64_t row = weir_steps_thread(b); row < a->owned; row += weir_steps_threads(b)) {
        if (core[a->first[a->member.index] + row] != result[KCORE_LARGEST])
            continue;
        vertices++;
        for (uint64_t arc = a->offsets[row]; arc < a->offsets[row + 1]; arc++)
            arcs += core[a->targets[arc]] == result[KCORE_LARGEST];
    }
    vertices = weir_sum_u64(vertices);
    arcs = weir_sum_u64(arcs);
    if (weir_lane() || !vertices)
        return;
    weir_atomic_add_relaxed_dev_u64(&result[KCORE_VERTICES], vertices);
    weir_atomic_add_relaxed_dev_u64(&result[KCORE_ARCS], arcs);
}

#endif
