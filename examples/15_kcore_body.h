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
    weir_rows_part rows;                 /* the device's part of the graph */
    uint32_t *degree;                    /* by row: arcs to vertices that are not peeled yet */
    uint32_t *core[WEIR_DEVICES_MAX];    /* of each device: core numbers, by number */
    struct weir_steps_frontier frontier; /* rows, as they are peeled; numbers that lost an arc */
};

/* Words that the threads of a block share. */
struct kcore_shared {
    struct weir_steps_frontier_block frontier;
};

/* Where the device is. */
struct kcore_walk {
    struct weir_steps_front front;
    uint64_t since_ns; /* when the superstep began, for thread 0 of block 0 */
};

/* A vertex is peeled: its core number is k, and its arcs go in the next superstep. */
WEIR_DEV void kcore_put(const struct kcore_args *a, uint32_t row, uint32_t k,
                        struct weir_steps_front *front)
{
    for (uint32_t d = 0; d < a->member.count; d++)
        a->core[d][a->rows.begin + row] = k;
    weir_steps_frontier_put(front, row);
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
                         struct weir_steps_front *front)
{
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b))
        if (a->degree[row] == k) /* those that were peeled have fewer */
            kcore_put(a, (uint32_t)row, k, front);
}

/* A vertex of this device loses an arc. Degrees fall one by one, so one thread alone takes a vertex to k. */
WEIR_DEV void kcore_lower(const struct kcore_args *a, uint32_t number, uint32_t k,
                          struct weir_steps_front *front)
{
    const uint32_t row = number - a->rows.begin;
    if (weir_atomic_add_relaxed_dev_u32(&a->degree[row], UINT32_MAX) == k + 1)
        kcore_put(a, row, k, front);
}

/* The rows of the frontier: a worker each, and a lane for each of its arcs. */
WEIR_DEV void kcore_peel(const struct kcore_args *a, const struct weir_steps_block *b, uint32_t k,
                         struct weir_steps_front *front)
{
    const uint64_t workers = weir_steps_threads(b) / WEIR_LANES;
    for (uint64_t i = front->begin + weir_steps_warp(b); i < front->end; i += workers) {
        const uint32_t row = a->frontier.queue[i];
        const uint64_t first = a->rows.out.offsets[row], last = a->rows.out.offsets[row + 1];
        for (uint64_t base = first; base < last; base += WEIR_LANES) {
            uint32_t number;
            const uint32_t owner = weir_rows_far_end(&a->rows, base + weir_lane(), last, &number);
            if (owner == a->member.index)
                kcore_lower(a, number, k, front);
            weir_steps_frontier_tell(front, owner, number);
        }
    }
}

/* The end of a superstep. */
WEIR_DEV uint32_t kcore_barrier(const struct kcore_args *a, const struct weir_steps_block *b,
                                enum kcore_phase phase, struct kcore_walk *w)
{
    const uint32_t stop = weir_steps_frontier_sync(&w->front);
    if (b->block == 0 && b->thread == 0)
        weir_steps_book(&a->member, &w->since_ns, KCORE_NS + phase, KCORE_STEPS + phase);
    return stop;
}

/* A frontier: its rows are peeled, and what that does to other rows makes the next one. */
WEIR_DEV uint32_t kcore_round(const struct kcore_args *a, const struct weir_steps_block *b,
                              uint32_t k, struct kcore_walk *w)
{
    uint32_t number;
    weir_steps_frontier_next(&w->front);
    kcore_peel(a, b, k, &w->front);
    const uint32_t stop = kcore_barrier(a, b, KCORE_PEEL, w);
    if (stop || !w->front.told)
        return stop;
    weir_steps_frontier_open(&w->front);
    while (weir_steps_frontier_heard(&w->front, &number))
        kcore_lower(a, number, k, &w->front);
    return kcore_barrier(a, b, KCORE_ABSORB, w);
}

WEIR_DEV void kcore_body(const struct kcore_args *a, struct kcore_shared *shared,
                         struct weir_steps_block *b)
{
    struct kcore_walk w;
    uint32_t k = 0, stop = WEIR_STEPS_GOES_ON;
    weir_steps_frontier_begin(&w.front, &a->member, b, &a->frontier, &shared->frontier);
    w.since_ns = weir_clock_ns();
    kcore_begin(a, b);
    for (; !stop && w.front.all < a->rows.vertices; k++) {
        kcore_scan(a, b, k, &w.front);
        stop = kcore_barrier(a, b, KCORE_SCAN, &w);
        while (!stop && w.front.found)
            stop = kcore_round(a, b, k, &w);
    }
    if (!stop && b->block == 0 && b->thread == 0)
        weir_steps_mine(&a->member)->result[KCORE_LARGEST] = k ? k - 1 : 0;
}

/* Behind the body: what the innermost core is. It reads core numbers of all vertices, from the device's own copy. */
WEIR_DEV void kcore_epilogue(const struct kcore_args *a, const struct weir_steps_block *b)
{
    const uint64_t largest = weir_steps_mine(&a->member)->result[KCORE_LARGEST];
    const uint32_t *core = a->core[a->member.index];
    const weir_arcs *out = &a->rows.out;
    uint64_t found[2] = {0, 0}; /* KCORE_VERTICES, KCORE_ARCS */
    for (uint64_t row = weir_steps_thread(b); row < a->rows.owned; row += weir_steps_threads(b)) {
        if (core[a->rows.begin + row] != largest)
            continue;
        found[0]++;
        for (uint64_t arc = out->offsets[row]; arc < out->offsets[row + 1]; arc++)
            found[1] += core[out->targets[arc]] == largest;
    }
    weir_steps_count(&a->member, b, KCORE_VERTICES, found, 2);
}

#endif
