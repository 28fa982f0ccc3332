/** @file 15_kcore_body.h  The k-core decomposition of a graph as a step program (docs/steps.md).
 *
 * The k-core of a graph is what is left when vertices of fewer than k arcs are taken away, again and again, until
 * there are none (Seidman 1983). The *core number* of a vertex is the largest k whose core it is in. Vertices are
 * peeled in the order of their core numbers (Matula, Beck, JACM 1983), all that can be at a time (Kabir, Madduri:
 * "Parallel k-core decomposition on multicore platforms", 2017). */
#ifndef WEIR_EXAMPLES_15_KCORE_BODY_H
#define WEIR_EXAMPLES_15_KCORE_BODY_H

#include <weir/algorithms/rows.h>
#include <weir/worklist/steps.h>

/* Kinds of supersteps. */
enum kcore_phase { KCORE_SCAN = 0, KCORE_PEEL, KCORE_ABSORB, KCORE_PHASES };

/* What lies in weir_steps_page.result after a run. */
enum kcore_result {
    KCORE_LARGEST = 0, /* core number */
    KCORE_VERTICES,    /* of the innermost core that the device owns; by the epilogue */
    KCORE_ARCS,        /* from these to others of that core; by the epilogue */
    KCORE_NS,          /* of each phase, */
    KCORE_STEPS = KCORE_NS + KCORE_PHASES /* and its supersteps */
};

struct kcore_args {
    struct weir_steps_member member;
    weir_rows_part rows;                /* the device's part of the graph */
    uint32_t *degree;                   /* by row: arcs to vertices that are not peeled yet */
    uint32_t *core[WEIR_DEVICES_MAX];   /* of each device: core numbers, by number */
    uint32_t *queue;                    /* rows, in the order in which they are peeled */
    uint32_t *tail;                     /* how many there are */
    uint32_t *inbox[WEIR_DEVICES_MAX];  /* by sender: numbers of own vertices that lost an arc */
    uint32_t *outbox[WEIR_DEVICES_MAX]; /* by receiver: its inbox for this device */
};

/* Words that the threads of a block share. */
struct kcore_shared {
    uint64_t put; /* rows put into the queue since the last barrier */
    struct weir_steps_inboxes inboxes;
};

/* What a thread did since the last barrier. */
struct kcore_tally {
    uint64_t put, sent;
};

/* Where the device is; the same in all threads of all its blocks. */
struct kcore_walk {
    uint64_t left;       /* vertices of all devices that are not peeled */
    uint64_t found;      /* rows of the frontiers of all devices */
    uint64_t sent;       /* items that all devices sent in the last superstep */
    uint64_t since_ns;   /* when it began, for thread 0 of block 0 */
    uint32_t begin, end; /* the frontier of this device: a stretch of its queue */
};

/* A vertex is peeled: its core number is k, and its arcs go in the next superstep. */
WEIR_DEV void kcore_put(const struct kcore_args *a, uint32_t row, uint32_t k,
                        struct kcore_tally *did)
{
    const struct weir_steps_member *m = &a->member;
    for (uint32_t d = 0; d < m->count; d++)
        a->core[d][a->rows.begin + row] = k;
    a->queue[weir_atomic_add_relaxed_dev_u32(a->tail, 1)] = row;
    did->put++;
}

/* Before the first superstep all arcs are there. A thread sets the degrees that it scans itself: no barrier is needed
 * between the two. */
WEIR_DEV void kcore_begin(const struct kcore_args *a, const struct weir_steps_block *b)
{
    const uint64_t *offsets = a->rows.out.offsets;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b))
        a->degree[row] = (uint32_t)(offsets[row + 1] - offsets[row]);
}

/* Find the vertices that have k arcs left. */
WEIR_DEV void kcore_scan(const struct kcore_args *a, const struct weir_steps_block *b, uint32_t k,
                         struct kcore_tally *did)
{
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b))
        if (a->degree[row] == k) /* those that were peeled have fewer */
            kcore_put(a, (uint32_t)row, k, did);
}

/* A vertex of this device loses an arc. Degrees fall one by one, so one thread alone takes a vertex to k. */
WEIR_DEV void kcore_lower(const struct kcore_args *a, uint32_t number, uint32_t k,
                          struct kcore_tally *did)
{
    const uint32_t row = number - a->rows.begin;
    if (weir_atomic_add_relaxed_dev_u32(&a->degree[row], UINT32_MAX) == k + 1)
        kcore_put(a, row, k, did);
}

/* The same for vertices of other devices: a lane whose vertex has another owner tells it. All lanes of a worker. */
WEIR_DEV void kcore_send(const struct kcore_args *a, uint32_t owner, uint32_t number,
                         struct kcore_tally *did)
{
    const uint32_t to = owner == a->member.index ? UINT32_MAX : owner; /* UINT32_MAX: no item */
    const uint64_t at = weir_steps_send_to(&a->member, to);
    if (to == UINT32_MAX)
        return;
    a->outbox[to][at] = number;
    did->sent++;
}

/* Rows begin to end - 1 of the queue: a worker each, and a lane for each of its arcs. */
WEIR_DEV void kcore_peel(const struct kcore_args *a, const struct weir_steps_block *b,
                         uint32_t begin, uint32_t end, uint32_t k, struct kcore_tally *did)
{
    const uint32_t me = a->member.index;
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    for (uint64_t i = begin + weir_steps_warp(b); i < end; i += workers) {
        const uint32_t row = a->queue[i];
        const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
        for (uint64_t base = first; base < last; base += WEIR_LANES) {
            const uint64_t arc = base + weir_lane();
            const uint32_t number = arc < last ? a->rows.out.targets[arc] : 0;
            const uint32_t owner =
                arc < last ? weir_steps_owner(a->rows.first, number) : UINT32_MAX;
            if (owner == me)
                kcore_lower(a, number, k, did);
            kcore_send(a, owner, number, did);
        }
    }
}

/* What the other devices have sent. */
WEIR_DEV void kcore_absorb(const struct kcore_args *a, const struct kcore_shared *shared,
                           const struct weir_steps_block *b, uint32_t k, struct kcore_tally *did)
{
    const struct weir_steps_inboxes *inboxes = &shared->inboxes;
    for (uint32_t d = 0; d < a->member.count; d++)
        for (uint64_t i = inboxes->first[d] + weir_steps_thread(b); i < inboxes->end[d];
             i += weir_steps_threads(b))
            kcore_lower(a, a->inbox[d][i], k, did);
}

/* The end of a superstep: all devices know what all have done. */
WEIR_DEV uint32_t kcore_barrier(const struct kcore_args *a, struct kcore_shared *shared,
                                struct weir_steps_block *b, const struct kcore_tally *did,
                                enum kcore_phase phase, struct kcore_walk *w)
{
    const struct weir_steps_member *m = &a->member;
    uint64_t total[WEIR_STEPS_SUMS];
    if (did->put)
        weir_atomic_add_block_u64(&shared->put, did->put);
    if (did->sent)
        weir_steps_add(m, b, 1, did->sent);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, &shared->put, 1, total);
    if (stop)
        return stop;
    w->end += (uint32_t)(m->count > 1 ? weir_steps_own(m, b) : total[0]);
    w->found += total[0];
    w->left -= total[0];
    w->sent = total[1];
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(m, &w->since_ns, KCORE_NS + phase, KCORE_STEPS + phase);
    return WEIR_STEPS_GOES_ON;
}

/* A frontier: its rows are peeled, and what that does to other rows makes the next one. */
WEIR_DEV uint32_t kcore_round(const struct kcore_args *a, struct kcore_shared *shared,
                              struct weir_steps_block *b, uint32_t k, struct kcore_walk *w)
{
    const uint32_t begin = w->begin, end = w->end;
    struct kcore_tally peeled = {0, 0}, absorbed = {0, 0};
    w->begin = end;
    w->found = 0;
    kcore_peel(a, b, begin, end, k, &peeled);
    uint32_t stop = kcore_barrier(a, shared, b, &peeled, KCORE_PEEL, w);
    if (stop || !w->sent)
        return stop;
    weir_steps_open(&a->member, b, &shared->inboxes);
    kcore_absorb(a, shared, b, k, &absorbed);
    stop = kcore_barrier(a, shared, b, &absorbed, KCORE_ABSORB, w);
    if (b->block == 0)
        weir_steps_close(&a->member, b, &shared->inboxes);
    return stop;
}

WEIR_DEV void kcore_body(const struct kcore_args *a, struct kcore_shared *shared,
                         struct weir_steps_block *b)
{
    struct kcore_walk w = {0, 0, 0, 0, 0, 0};
    uint32_t k = 0, stop = WEIR_STEPS_GOES_ON;
    w.left = a->rows.vertices;
    w.since_ns = weir_clock_ns();
    if (b->thread == 0)
        shared->put = 0;
    weir_block_sync();
    kcore_begin(a, b);
    for (; !stop && w.left; k++) {
        struct kcore_tally found = {0, 0};
        kcore_scan(a, b, k, &found);
        stop = kcore_barrier(a, shared, b, &found, KCORE_SCAN, &w);
        while (!stop && w.found)
            stop = kcore_round(a, shared, b, k, &w);
    }
    if (!stop && b->block == 0 && b->thread == 0)
        weir_steps_mine(&a->member)->result[KCORE_LARGEST] = k ? k - 1 : 0;
}

/* Behind the body: what the innermost core is. It reads core numbers of all vertices, from the device's own copy. */
WEIR_DEV void kcore_epilogue(const struct kcore_args *a, const struct weir_steps_block *b)
{
    uint64_t *result = weir_steps_mine(&a->member)->result, vertices = 0, arcs = 0;
    const uint32_t *core = a->core[a->member.index];
    const weir_arcs *out = &a->rows.out;
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        if (core[a->rows.begin + row] != result[KCORE_LARGEST])
            continue;
        vertices++;
        for (uint64_t arc = out->offsets[row]; arc < out->offsets[row + 1]; arc++)
            arcs += core[out->targets[arc]] == result[KCORE_LARGEST];
    }
    vertices = weir_sum_u64(vertices);
    arcs = weir_sum_u64(arcs);
    if (weir_lane() || !vertices)
        return;
    weir_atomic_add_relaxed_dev_u64(&result[KCORE_VERTICES], vertices);
    weir_atomic_add_relaxed_dev_u64(&result[KCORE_ARCS], arcs);
}

#endif
