/** @file cc_op.h  Connected components in step: what the kernels of all devices share (worklist/steps.h).
 *
 * Each device holds the rows of its vertices and a parent for every vertex of the graph. It takes
 *
 *   first    every vertex points at its smallest neighbour if that is smaller than itself, which is a forest
 *            already. No atomics: a vertex has one owner, who tells all devices.
 *   sample   parents become roots; one block looks which root a sample of the vertices has. If it is that of
 *            less than half of them, the next arc of each row is linked (link, merge), and again.
 *   rest     vertices outside the largest tree link their remaining arcs, along both directions: an arc
 *            between it and them is seen by them, one within it needs no look.
 *   merge    what a device has linked is a list of hooks, each a root and what it was hung under. Lists go up
 *            the planned reduction tree: who takes one links it as if it were arcs, and adds what was new
 *            to it to his own. All devices link the list at the top, and have the same trees again.
 *   label    the smallest id of each tree.
 *
 * Where rows are numbered by degree the smallest neighbour is a hub, and after the first step nearly all that
 * is connected is one tree whose paths are two or three long. */
#ifndef WEIR_ALGORITHMS_CC_OP_H
#define WEIR_ALGORITHMS_CC_OP_H

#include "algorithms/cc/cc_forest.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

enum {
    CC_SAMPLES = 512, /* vertices looked at to find the largest tree */
    CC_ROUNDS = 2,   /* further arcs linked before the rest, while no tree has half of the sample */
    CC_PIECE = 4096, /* arcs of a row that a block takes at a time; longer rows are cut */
    CC_BATCH = 4     /* rows a thread reads at a time */
};

/* Where a device's kernel leaves numbers for the host: weir_steps_page.result. Times in ns, then steps. */
enum {
    CC_AT_FIRST = 0,
    CC_AT_SAMPLE,
    CC_AT_LINK,
    CC_AT_REST,
    CC_AT_MERGE,
    CC_AT_LABEL,
    CC_TIMES,
    CC_STEPS_OF = CC_TIMES, /* how often each of the above */
    CC_ARCS = CC_STEPS_OF + CC_TIMES,
    CC_SENT, /* bytes that this device wrote to others or read from them */
    CC_STEPS,
    CC_OUTSIDE, /* rows with arcs outside the largest tree */
    CC_NUMBERS
};

/** Part of a long row, for a block. */
struct cc_piece {
    uint64_t first; /* arc */
    uint32_t row;   /* its number */
    uint32_t count; /* arcs; the highest bit: of the in-arcs */
};
#define CC_PIECE_IN 0x80000000u

/** Words of a device, in its memory, set before a run by the host. Rows of docs/memory-model.md. */
struct cc_words {
    uint32_t hooks[CC_ROUNDS + 1]; /* lengths of the lists of hooks, one a phase; relaxed, add */
    uint32_t pieces;               /* relaxed, add */
    uint32_t outside;              /* length of that list; relaxed, add */
    uint32_t least;                /* smallest id in the largest tree; relaxed, min; CC_NONE */
};

struct cc_args {
    struct weir_steps_member member;
    weir_rows_part part;
    const uint32_t *ids;                     /* of this device's rows */
    uint32_t *label;                         /* of this device's rows: the result */
    uint32_t *outside;                       /* rows outside the largest tree */
    struct cc_piece *pieces;                 /* room for all there can be */
    uint32_t *parent[WEIR_DEVICES_MAX];      /* of each device, by number */
    struct cc_hook *hooks[WEIR_DEVICES_MAX]; /* of each device; room for a hook a number */
    struct cc_words *words[WEIR_DEVICES_MAX];
    uint32_t *least[WEIR_DEVICES_MAX]; /* of each device's rows: the smallest id of its tree */
    uint32_t in_order; /* ids ascend with numbers: `least` are the ids themselves, not written */
    uint32_t both;     /* in-arcs are others than out-arcs */
    uint32_t rounds;   /* of the reduction */
    uint32_t top;      /* who has it all in the end */
    uint8_t from
        [WEIR_DEVICES_MAX]; /* whose hooks this device takes, by round; its own index: nobody's */
};

/** Of a block. */
struct cc_shared {
    uint32_t root[CC_SAMPLES];
    uint32_t most, choice; /* of the sample */
    uint32_t least;        /* smallest id of the largest tree */
    uint64_t hooks;        /* that the block made since the last barrier */
    uint64_t arcs, sent;
    uint64_t since_ns; /* of block 0: when the last barrier was passed */
};

/** What a thread knows. */
struct cc_run {
    const struct cc_args *args;
    struct cc_shared *shared;
    struct weir_steps_block *block;
    uint32_t *parent;    /* of this device */
    uint32_t id, stride; /* this thread among all of the device */
    uint32_t phase;      /* which list of hooks is being written */
    uint64_t arcs, sent;
};

#ifdef __CUDACC__
#define CC_UNROLL _Pragma("unroll")
#else
#define CC_UNROLL
#endif

WEIR_DEV struct cc_words *cc_mine(const struct cc_run *run)
{
    return run->args->words[run->args->part.part];
}

/** How many arcs of a row are linked once @p which - 1 rounds have followed the first step. That linked the first
 *  arc of a row only if it leads to a smaller number; and if there are arcs of two directions, one of the
 *  two first ones: then it is not counted. @param[in] far  where the row's first arc leads. */
WEIR_DEV uint32_t cc_linked(const struct cc_run *run, uint32_t v, uint32_t far, uint32_t which)
{
    return run->args->both || far > v ? which - 1 : which;
}

/** Put aside what lanes have joined, for the other devices. All lanes come here. */
WEIR_DEV void cc_note(struct cc_run *run, int joined, const struct cc_hook *hook)
{
    const struct cc_args *a = run->args;
    if (a->part.parts == 1)
        return;
    const uint32_t who = weir_ballot(joined), lane = weir_lane();
    if (!who)
        return;
    const uint32_t first = weir_first_bit_u32(who), count = weir_popcount_u32(who);
    uint32_t at = 0;
    if (lane == first) {
        at = weir_atomic_add_relaxed_dev_u32(&cc_mine(run)->hooks[run->phase], count);
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->hooks, count);
    }
    at = weir_broadcast_u32(at, first);
    if (joined)
        a->hooks[a->part.part][at + weir_popcount_u32(who & ((1u << lane) - 1u))] = *hook;
}

/** A barrier over all devices, and the time since the last one.
 *  @param[in]  at         CC_AT_*: what the time was for.
 *  @param[out] total_out  sum 0 is the hooks that all devices made since the barrier before.
 *  @return as weir_steps_sync(). */
WEIR_COLD uint32_t cc_sync(const struct cc_args *args, struct cc_shared *shared,
                           struct weir_steps_block *b, uint32_t at, uint64_t *total_out)
{
    (void)weir_steps_late(weir_steps_mine(&args->member), b);
    const uint32_t stop =
        weir_steps_sync(&args->member, b, b->blocks, &shared->hooks, 1, total_out);
    if (b->thread == 0 && b->block == 0) {
        uint64_t *result = weir_steps_mine(&args->member)->result, now = weir_clock_ns();
        result[at] += now - shared->since_ns;
        result[CC_STEPS_OF + at]++;
        result[CC_STEPS]++;
        shared->since_ns = now;
    }
    return stop;
}

#endif
