/** @file cc_op.h  Connected components in step: what the kernels of all devices share (worklist/steps.h).
 *
 * Each device holds the rows of its vertices and a parent for every vertex of the graph. It takes
 *
 *   first    every vertex points at its smallest neighbour if that is smaller than itself, which makes a forest. No atomics are
 *            needed: on each device one thread writes each word. Each device has the first neighbours of all rows, in an array that was
 *            made when the graph was placed. (Where it is the nearest neighbour, not the first, and trees are not separate, the
 *            owner tells all devices.) Meanwhile one block finds the root that most of a sample of vertices have, by walks over rows.
 *            Where rows are numbered by degree nearly all are a few steps below number 0, and are settled: first neighbours show which.
 *   flatten  only if no root has, or none was looked for, and there are few trees, which are deep then: rows point at their roots,
 *            and a sample is taken again. All rows jump to the parent of their parent at the same time, so that a path
 *            is half as long each time (pointer jumping: Shiloach and Vishkin, J. Algorithms 1982); each device does it for the
 *            rows of the devices before it too, to which its own paths lead.
 *   link     only while no root has half of the sample, twice at most: the next arc of each row is linked (and merged);
 *            where the first step kept these arcs, first those of every second group of rows, then those of the others.
 *            Where rows are long the first time roots alone look along their arcs, for one whose parent is smaller than they are,
 *            which leaves a thirtieth of them; these link arcs of two neighbours, which lead away from what hangs under them. Then the rows of one
 *            group in CC_SPARSE link their last arcs. If one tree is left, all that has arcs has the smallest id that has, and the run is over;
 *   sample   then a block takes a sample of roots.
 *   rest     vertices outside the largest tree link their remaining arcs, of both directions; the others point at its
 *            root. No other arc is needed: one between the tree and such a vertex is a row of the vertex, and one
 *            inside the tree joins nothing. Where the first step *settled* rows, those that it did not are looked at alone.
 *   direct   instead of all these, where rows have few arcs and ids ascend with numbers: all rows link their arcs that
 *            lead to smaller numbers, but for the one that the first step took. Finding out which arcs may be left out would
 *            cost more. With fewer still the first step takes the nearest smaller neighbour: where ids have locality it is
 *            often a row of the same warp, whose lanes shorten their paths among themselves. Where hardly an arc is missing,
 *            as in a whole grid, such paths would be as long as its lines, and all lanes of a warp would go up the same one. Deep trees are flattened
 *            before, and, but for such rows, if one is the largest then there is a rest after all.
 *   merge    what a device has linked is a list of hooks, each a root and the number it was hung under. Lists
 *            go up the reduction tree: a device that takes a list links its hooks as if they were
 *            arcs, and adds those that joined two of its trees to its own list. In the end all devices link
 *            the list of the device at the top, and have the same trees again. Two devices link each other's list at
 *            the same time, and several do so with all lists where these are short.
 *   label    the smallest id of each tree. Rows inside the largest tree have got a *guess* already, in the step `rest` or when they were settled; if it was
 *            right, the others, of which there is a list, are labelled alone.
 *
 * Where arcs are linked directly and few lead from device to device, these are enough to put the devices' trees together (`cut`):
 * a device asks for nobody else's first neighbours and keeps no list of hooks. In the trees that it makes of its own rows'
 * arcs the rows of others are roots. Then each end of an arc between devices is told with the root that it has there, as
 * if that were a hook, and lists are merged as above. Who takes them knows which trees of others its own are part of. Then it is
 * enough that ids ascend with numbers within each part (cc_parts.h).
 *
 * Rows behind the last that has an arc (weir_rows_part.busy) take no part: their labels are there from the beginning.
 *
 * Where rows are numbered by degree the smallest neighbour is a hub, and after the first step nearly all that
 * is connected is one tree whose paths have a length of two or three. */
#ifndef WEIR_ALGORITHMS_CC_OP_H
#define WEIR_ALGORITHMS_CC_OP_H

#include "algorithms/cc/cc_forest.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

/* Whether the kernel that is being compiled is that of cc_near.h, for rows of few arcs. */
#ifndef CC_NEAREST
#define CC_NEAREST 0
#endif

/* Whether that kernel is for a device that is alone: what several do is not in it, and takes no registers. */
#ifndef CC_ONE_DEVICE
#define CC_ONE_DEVICE 0
#endif

enum {
    CC_SAMPLES = 512, /* vertices looked at to find the largest tree */
    CC_ROUNDS = 2, /* further arcs linked before the rest, while no tree has half of the sample */
    CC_WALK = 16,  /* parents that a walk over rows goes up at most */
    CC_ALONE = 16, /* arcs of a row that a lane links alone in the step `direct` */
    CC_FEW =
        5, /* arcs of a row on average, of both directions: with fewer the step `direct` is taken */
    CC_FEWER = 3, /* with fewer GPUs have a kernel that takes the nearest neighbour (cc_near.h) */
    CC_SCAN = 8,  /* arcs of a row that a lane scans there */
    /* Lanes without a join that take the next arcs together there. */
    CC_IDLE = WEIR_LANES > 1 ? 8 : 1,
    CC_AT_ONCE = 4, /* first arcs of a row that are looked at together there */
    CC_MANY =
        16, /* with fewer the first round takes every second group of rows, else roots go first */
    CC_GROUP = 32,   /* rows that follow one another, of which a round takes all or none */
    CC_DEEP = 64,    /* rows of a tree on average, from which on paths are taken to be long */
    CC_CUTS = 8,     /* ends of cut arcs are few if each device has so many numbers for each */
    CC_SOON = 4,     /* parents in which a walk has to halve its number, or it is given up */
    CC_PIECE = 4096, /* arcs of a row that a block takes at a time; longer rows are cut */
    CC_BATCH = 4,    /* rows a thread reads at a time */
    CC_TRIED = 4,    /* arcs of a root that are looked at together */
    CC_TRIES = 16,   /* times that, at most */
    CC_AROUND = 2,   /* arcs around a root that found none, each of another neighbour */
    CC_SPARSE = 128, /* 1 of so many groups of rows is linked behind roots */
    CC_WORKERS = CC_NEAREST && !CC_ONE_DEVICE ? 32 : 20, /* of a block, at most */
    /* Arcs of a worker that wait to be linked, or hooks: fewer than twice as many as it has lanes, or all that the first step kept. */
    CC_WAITING = !CC_NEAREST     ? 64
                 : CC_ONE_DEVICE ? 256
                                 : 320,
    CC_SCANNED = 32, /* rows that a lane looks through for roots before it looks along their arcs */
    CC_SWAPPED = 1 << 15, /* hooks of all devices up to which each takes all lists of others */
    CC_ALONE_CUTS =
        1024, /* ends told by all devices up to which one block takes them (cc_parts.h) */
    /* Looks that the searches for their roots take side by side. */
    CC_ABREAST = CC_NEAREST ? 6 : 4
};

/* Where the kernel of a device leaves numbers for the host: weir_steps_page.result. First the times of the phases in
 * nanoseconds, then how many supersteps each took. */
enum {
    CC_AT_FIRST = 0,
    CC_AT_FLATTEN,
    CC_AT_SAMPLE,
    CC_AT_LINK,
    CC_AT_REST,
    CC_AT_DIRECT,
    CC_AT_MERGE,
    CC_AT_LABEL,
    CC_TIMES,
    CC_STEPS_OF = CC_TIMES, /* that of CC_AT_x lies at CC_STEPS_OF + CC_AT_x */
    CC_ARCS = CC_STEPS_OF + CC_TIMES,
    CC_SENT,       /* bytes that this device wrote to others or read from them */
    CC_ROOTS,      /* of all devices: roots that looked along their arcs; by block 0 */
    CC_REST_ROWS,  /* as weir_run_stats.rest_rows */
    CC_LABEL_ROWS, /* as weir_run_stats.label_rows */
    CC_GATHERED /* arcs that waited in lists of workers, as far as weir_run_stats.gathered says */
};

/** A part of a long row; one block links it. */
struct cc_piece {
    uint64_t first; /* arc */
    uint32_t row;   /* its number */
    uint32_t count; /* arcs; the highest bit: of the in-arcs */
};
#define CC_PIECE_IN 0x80000000u

/** Words of a device, in its memory; 0 behind the first barrier of a run. Rows of docs/memory-model.md. */
struct cc_words {
    uint32_t hooks[CC_ROUNDS + 1]; /* lengths of the lists of hooks, one a merge; relaxed, add */
    uint32_t pieces;               /* relaxed, add */
    uint32_t outside;              /* length of that list; relaxed, add */
    uint32_t
        least_not; /* ~ of the smallest id in the largest tree; relaxed, max; 0: of no id yet */
};

struct cc_args {
    struct weir_steps_member member;
    weir_rows_part part;
    uint32_t *ids;     /* of this device's rows; NULL where in_order */
    uint32_t *label;   /* of this device's rows: the result; at first their ids */
    uint32_t *outside; /* rows outside the largest tree; NULL where in_order and direct */
    const uint32_t *
        firsts; /* by number: the smallest name among the neighbours of each row of any device, in both directions; CC_NONE: it has none.
                   NULL where rows are few arcs long and the device is alone, where it has trees of its own, and where rows take the nearest neighbour (cc_near.h) */
    uint32_t *
        next; /* of this device's rows: where the arc behind the one that the first step took leads; NULL: not kept */
    struct cc_piece *pieces;            /* room for all there can be */
    uint32_t *parent[WEIR_DEVICES_MAX]; /* of each device, by number */
    struct cc_hook
        *hooks[WEIR_DEVICES_MAX]; /* of each device; room for a hook a number; by_part one an end */
    struct cc_words *words[WEIR_DEVICES_MAX];
    uint32_t *least
        [WEIR_DEVICES_MAX]; /* of each device's rows: the smallest id of its tree; NULL where in_order. Where by_part, by number:
                               the id of an own row; of another's the smallest id of the own rows below it in separate trees */
    uint32_t *
        told_least; /* where by_part, by number: the smallest id of a tree that was put together, at its root; CC_NONE: of none */
    uint32_t
        in_order; /* ids ascend with numbers: the smallest id of a tree is that of its root, but for by_part */
    uint32_t by_part;               /* separate, and in_order within each part alone (cc_parts.h) */
    uint32_t gap[WEIR_DEVICES_MAX]; /* where in_order: a number of the device less this is the id */
    uint32_t
        least_id; /* the smallest id that has an arc, on any device, most often in the largest tree; CC_NONE: not known */
    uint32_t least_name; /* and the name of that vertex */
    uint32_t
        share; /* 1 of so many groups of rows is linked by the first round, where next are kept, or roots go first */
    uint32_t
        roots; /* the first round is one of roots: rows are long, and no hub is first in most of them */
    uint64_t few_roots; /* with fewer trees behind the first step their paths are long */
    uint32_t
        settles; /* rows are settled in the first step, below hubs (cc_first_settled()): numbered by degree, so that least_id is known */
    uint32_t direct;     /* few arcs, and in_order: all are linked behind the first step */
    uint32_t lines;      /* arcs lie in host memory: warps and blocks read them in whole lines */
    uint32_t both;       /* in-arcs are others than out-arcs */
    uint32_t bits;       /* of the part in a name, where names are interleaved */
    uint32_t notes;      /* several, not separate: hooks are listed */
    uint32_t separate;   /* devices make trees of their own, put together at ends of cut arcs */
    uint32_t cuts;       /* length of the next */
    const uint32_t *cut; /* separate: ends of all cut arcs, ascending; the same on all devices */
    uint32_t busy[WEIR_DEVICES_MAX]; /* of each device: weir_rows_part.busy */
    uint32_t rounds;                 /* of the reduction */
    uint32_t top;                    /* the device at the top of the reduction tree */
    uint8_t from
        [WEIR_DEVICES_MAX]; /* by round: the device whose hooks this one takes; its own index: none */
};

/** An arc that waits to be linked, or a hook that waits for its place. */
struct cc_arc {
    uint32_t v, to;
};

/** Of a block. */
struct cc_shared {
    struct cc_arc waiting[WEIR_LANES > 1 ? CC_WORKERS : 1]
                         [CC_NEAREST || WEIR_LANES > 1 ? CC_WAITING : 1];
    /* By worker: the row of its first lane up to which all arcs were kept; the number of rows if all were (cc_near.h). */
    uint64_t scanned[WEIR_LANES > 1 ? CC_WORKERS : 1];
    uint32_t root[CC_SAMPLES];
    uint32_t most, choice; /* of the sample; by part `choice` is a root of another device's */
    uint32_t least;        /* smallest id of the largest tree; by part of own rows below `choice` */
    uint32_t guess;        /* what the label of the largest tree may be; CC_NONE: none is guessed */
    uint32_t is_right;     /* it is */
    uint32_t
        settled; /* the list of rows outside is that of the first step, which each block has for itself */
    uint32_t undecided; /* length of that of the block */
    uint32_t isolated;  /* rows without arcs among those that runs look at, of all devices */
    uint32_t looked,
        labelled; /* rows, of the block or, by block 0, of the device: CC_REST_ROWS, CC_LABEL_ROWS */
    uint32_t taken; /* length of the list that is being taken */
    uint64_t hooks; /* that the block made since the last barrier */
    uint64_t arcs, sent, gathered;
    uint64_t since_ns; /* of block 0: when the last barrier was passed */
};

/** Arcs that a thread looks at, but for those of long rows, which cc_put_pieces() counts: a thread of a GPU has too few rows of up
 *  to CC_PIECE arcs for more than 32 bits, and few registers. */
#ifdef __CUDACC__
typedef uint32_t cc_tally;
#else
typedef uint64_t cc_tally;
#endif

/** The state of a thread. */
struct cc_run {
    const struct cc_args *args;
    struct cc_shared *shared;
    struct weir_steps_block *block;
    cc_trees parent;     /* of this device */
    uint32_t id, stride; /* this thread among all of the device */
    uint32_t phase;      /* merges so far: which list of hooks is being written */
    uint32_t direct;     /* as args->direct, until a largest tree is found all the same */
    uint32_t waiting;    /* arcs of this worker that wait to be linked, or hooks */
    cc_tally arcs;
};

#ifdef __CUDACC__
#define CC_UNROLL _Pragma("unroll")
#else
#define CC_UNROLL
#endif

/** Whether hooks are listed. */
WEIR_DEV int cc_notes(const struct cc_args *args)
{
    return !CC_ONE_DEVICE && args->notes;
}

/** Whether devices make trees of their own. */
WEIR_DEV int cc_is_separate(const struct cc_args *args)
{
    return !CC_ONE_DEVICE && args->separate;
}

WEIR_DEV struct cc_words *cc_mine(const struct cc_run *run)
{
    return run->args->words[run->args->part.part];
}

/** Count bytes that the lanes of a worker sent or fetched: at once, since a sum that a thread keeps would take two of its few
 *  registers all the time. All lanes call it. */
WEIR_DEV void cc_sent(const struct cc_run *run, uint64_t bytes)
{
    if (CC_ONE_DEVICE || run->args->part.parts == 1)
        return;
    bytes = weir_sum_u64(bytes);
    if (weir_lane() == 0)
        (void)weir_atomic_add_relaxed_dev_u64(&run->shared->sent, bytes);
}

/* How rows are dealt out. Lanes of a GPU take rows side by side, and a thread its CC_BATCH rows a stride apart. A thread of a
 * host device has whole lines of its cache to itself, since a line that others write is fetched again for each row: it takes
 * CC_RUN rows that follow one another, then those CC_RUN times the number of threads further on. */
#define CC_RUN (WEIR_LANES == 1u ? 2048u : 1u)

/** The first row of thread @p id. */
WEIR_DEV uint64_t cc_begin(uint32_t id)
{
    return (uint64_t)id * CC_RUN;
}

/** From one row of a batch to the next one. */
WEIR_DEV uint32_t cc_apart(uint32_t stride)
{
    return WEIR_LANES == 1u ? 1u : stride;
}

/** The first row of the batch behind that of @p base. @param[in] rows  of a batch, which divides CC_RUN on host devices. */
WEIR_DEV uint64_t cc_next(uint64_t base, uint32_t stride, uint32_t rows)
{
    if (WEIR_LANES != 1u)
        return base + (uint64_t)rows * stride;
    base += rows;
    return base % CC_RUN ? base : base + (uint64_t)CC_RUN * (stride - 1);
}

/** Trees of this device. */
WEIR_DEV cc_trees cc_trees_of(const struct cc_args *args)
{
#if CC_INTERLEAVED
    const cc_trees trees = {args->parent[args->part.part], args->part.first, args->bits};
    return trees;
#else
    return args->parent[args->part.part];
#endif
}

/** The name of a row of a device. */
WEIR_DEV uint32_t cc_name_at(const struct cc_run *run, uint32_t device, uint32_t row)
{
#if CC_INTERLEAVED
    return row << run->args->bits | device;
#else
    return run->args->part.first[device] + row;
#endif
}

/** The name of a row of this device. */
WEIR_DEV uint32_t cc_name_of_row(const struct cc_run *run, uint64_t row)
{
#if CC_INTERLEAVED
    return cc_name_at(run, run->args->part.part, (uint32_t)row);
#else
    return run->args->part.begin + (uint32_t)row;
#endif
}

/** The name of a number, or CC_NONE, which stays that. */
WEIR_DEV uint32_t cc_name_of(const struct cc_run *run, uint32_t number)
{
#if CC_INTERLEAVED
    if (number == CC_NONE)
        return CC_NONE;
    const uint32_t owner = weir_steps_owner(run->args->part.first, number);
    return (number - run->args->part.first[owner]) << run->args->bits | owner;
#else
    (void)run;
    return number;
#endif
}

/** The name of row @p k of a batch, whose rows are @p apart from each other. */
WEIR_DEV uint32_t cc_name(const struct cc_run *run, uint64_t base, uint32_t apart, uint32_t k)
{
    return cc_name_of_row(run, (uint32_t)base + k * apart);
}

/** How many arcs of a row are linked when the first step and @p which - 1 rounds are done. The first step linked the
 *  first arc of a row only if that leads to a smaller number. If there are arcs of two directions it linked one
 *  of two first arcs, and where names are interleaved any arc, and it is not known which: then it counts for nothing.
 *  @param[in] far  where the row's first arc leads. */
WEIR_DEV uint32_t cc_linked(const struct cc_run *run, uint32_t v, uint32_t far, uint32_t which)
{
    return run->args->both || CC_NEAREST || CC_INTERLEAVED || far > v ? which - 1 : which;
}

/** The parents of CC_BATCH rows, the one at @p base and those @p apart from each other; @p none where there is no row. */
WEIR_DEV void cc_read_parents(const struct cc_run *run, uint64_t base, uint32_t apart,
                              uint32_t none, uint32_t *up_out)
{
    const uint32_t *parent = cc_words_of(run->parent) + run->args->part.begin;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++) {
        const uint64_t row = base + (uint64_t)k * apart;
        up_out[k] = row < run->args->part.busy ? weir_load_relaxed_dev_u32(&parent[row]) : none;
    }
}

/** list[k], of CC_BATCH. An array in registers cannot be indexed by a variable: it would be put into memory. */
WEIR_DEV uint32_t cc_pick(const uint32_t *list, uint32_t k)
{
    uint32_t value = list[0];
    CC_UNROLL
    for (uint32_t i = 1; i < CC_BATCH; i++)
        value = k == i ? list[i] : value;
    return value;
}

#if CC_NEAREST
/** Which of CC_BATCH searches go on, a bit each: those of which @p up is not known to be a root. */
WEIR_DEV uint32_t cc_live(const uint32_t *was, const uint32_t *up)
{
    uint32_t live = 0;
    CC_UNROLL
    for (uint32_t k = 0; k < CC_BATCH; k++)
        live |= (uint32_t)(up[k] != was[k] && up[k]) << k;
    return live;
}

/** The roots above CC_BATCH vertices. The searches go side by side for CC_ABREAST looks, and change nothing: most are done then. What is longer goes on
 *  alone, and shortens the path. All lanes of a worker go on until the last is done, or the warp would fall apart and look at each
 *  batch in several parts from then on.
 *  @param[in,out] was  vertices right below those.  @param[in,out] up  the vertices, then their roots. */
WEIR_DEV void cc_find(cc_trees trees, uint32_t *was, uint32_t *up)
{
    WEIR_ROLLED
    for (uint32_t i = 0; i < CC_ABREAST && weir_ballot(cc_live(was, up) != 0); i++) {
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            const uint32_t over = up[k] != was[k] && up[k] ? cc_up_near(trees, up[k]) : up[k];
            was[k] = up[k];
            up[k] = over;
        }
    }
    uint32_t live = cc_live(was, up);
    WEIR_ROLLED
    while (weir_ballot(live != 0)) {
        const uint32_t one = live ? weir_first_bit_u32(live) : 0, below = cc_pick(up, one);
        const uint32_t root = live ? cc_root(trees, below, CC_NONE) : below;
        weir_lanes_sync();
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            up[k] = k == one ? root : up[k];
        live &= live - 1;
    }
}
#else
/** The roots above CC_BATCH vertices, or @p stop where that comes first. The searches go side by side for CC_ABREAST looks, and
 *  change nothing: most are done then. What is longer goes on alone, and shortens the path.
 *  @param[in,out] up  the vertices, then their roots.  @return which of them were not their own roots, a bit each. */
WEIR_DEV uint32_t cc_find(cc_trees trees, uint32_t stop, uint32_t *up)
{
    uint32_t live = (1u << CC_BATCH) - 1, deep = 0;
    WEIR_ROLLED
    for (uint32_t i = CC_ABREAST; i && live; i--) {
        uint32_t over[CC_BATCH];
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            over[k] = (live >> k & 1u) && up[k] && up[k] != stop ? cc_up_near(trees, up[k]) : up[k];
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++) {
            if (over[k] == up[k])
                live &= ~(1u << k);
            else
                deep |= 1u << k;
            up[k] = over[k];
        }
    }
    WEIR_ROLLED
    while (live) {
        const uint32_t one = weir_first_bit_u32(live), below = cc_pick(up, one);
        const uint32_t root = cc_root(trees, below, stop);
        deep |= (uint32_t)(root != below) << one;
        CC_UNROLL
        for (uint32_t k = 0; k < CC_BATCH; k++)
            up[k] = k == one ? root : up[k];
        live &= live - 1;
    }
    return deep;
}
#endif

/** Places in a list for lanes that have something to put there. All lanes of a worker call it; one asks for all.
 *  @param[in] tail  the length of the list.
 *  @param[in] sum   takes the same number, in memory of the block; NULL: none.
 *  @return the place of this lane; of no meaning where it has nothing. */
WEIR_DEV uint32_t cc_place(uint32_t *tail, uint64_t *sum, int has)
{
    const uint32_t who = weir_ballot(has), lane = weir_lane();
    uint32_t at = 0;
    if (!who)
        return 0;
    const uint32_t first = weir_first_bit_u32(who), count = weir_popcount_u32(who);
    if (lane == first)
        at = weir_atomic_add_relaxed_dev_u32(tail, count);
    if (lane == first && sum)
        (void)weir_atomic_add_relaxed_dev_u64(sum, count);
    return weir_broadcast_u32(at, first) + weir_popcount_u32(who & ((1u << lane) - 1u));
}

/** Put hooks into a list of this device's, for the other devices. All lanes call it. @param[in] phase  which list. */
WEIR_DEV void cc_put_hook(const struct cc_args *args, struct cc_shared *shared, uint32_t phase,
                          int has, const struct cc_hook *hook)
{
    const uint32_t me = args->part.part;
    const uint32_t at = cc_place(&args->words[me]->hooks[phase], &shared->hooks, has);
    if (has)
        args->hooks[me][at] = *hook;
}

/** Put what lanes have joined aside, where the other devices have to know of it. All lanes call it. */
WEIR_DEV void cc_note(struct cc_run *run, int joined, const struct cc_hook *hook)
{
    if (cc_notes(run->args))
        cc_put_hook(run->args, run->shared, run->phase, joined, hook);
}

/* What only devices with trees of their own do is copied into the kernel for rows of few arcs, where most such graphs go, so that it has its
 * arguments at hand; the others have no registers for it. */
#if CC_NEAREST
#define CC_SEPARATE WEIR_DEV
#else
#define CC_SEPARATE WEIR_COLD
#endif

/** A barrier over all devices, and the time since the last one.
 *  @param[in]  at         CC_AT_*: what the time was for.
 *  @param[out] total_out  sum 0 is the hooks that all devices made since the barrier before.
 *  @return as weir_steps_sync(). */
WEIR_DEV uint32_t cc_step(const struct cc_run *run, uint32_t at, uint64_t *total_out)
{
    const struct weir_steps_member *m = &run->args->member;
    struct weir_steps_block *b = run->block;
    /* A block that finds all barriers open never waits, and so never looks at the clock there. */
    (void)weir_steps_late(weir_steps_mine(m), b);
    const uint32_t stop = weir_steps_sync(m, b, b->blocks, &run->shared->hooks, 1, total_out);
    if (b->thread == 0 && b->block == 0)
        weir_steps_book(m, &run->shared->since_ns, at, CC_STEPS_OF + at);
    return stop;
}

#endif
