/** @file bfs_batch_step.h  Breadth-first search from up to 64 sources at once: what the kernel of every device is
 * given, and what its parts share.
 *
 * A source is a bit of a word (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014).
 * Of each vertex there is a word of the sources that have reached it, and one of those that reached it in the last
 * level: the *frontier*. A look at an arc then serves all sources together. Levels go one after the other, in the
 * kernels of all devices (worklist/steps.h), as those of a single search do (bfs_step.h): *top-down*, vertices of the
 * frontier put their words into those of their out-neighbours; or *bottom-up*, a vertex puts together the words of its
 * in-neighbours, until it has all sources that may come.
 *
 * Every device has words for all numbers (algorithms/rows.h). Top-down those of other devices' vertices gather what is
 * to be sent to their owners, so that a vertex is one item however many arcs lead to it. Bottom-up they are copies of
 * their owners' frontiers, which the owners write. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_BATCH_STEP_H
#define WEIR_ALGORITHMS_BFS_BFS_BATCH_STEP_H

#include "algorithms/rows.h"
#include "worklist/steps.h"

#define BATCH_SOURCES 64u /* bits of a word */
#ifndef BATCH_PIECE       /* tests have smaller ones of these three */
#define BATCH_PIECE 256u  /* arcs of an entry of the queue */
#endif
/* Bottom-up a worker has several rows at a time. Those of more arcs than this are listed, so that each worker has as many of them; and of hubs,
 * which have more than that, pieces. A piece does not end when another has met all that it wants, so pieces are long. */
#ifndef BATCH_LONG
#define BATCH_LONG 512u
#endif
#ifndef BATCH_HUB
#define BATCH_HUB 16384u
#endif
/* Of `alive`: the level that is found reads one, writes the next, and block 0 clears the third. */
#define BATCH_TURNS 3u
/* Where the tails of the two lists stand in `tail`, on lines of their own. */
#define BATCH_TOUCHED 0u
#define BATCH_QUEUE   32u
#define BATCH_TAILS   64u
#define BATCH_ABREAST 4u /* looks that a lane has under way: 16 bytes of arcs */
#define BATCH_KINDS   4u /* of phases, for the report */
#define BATCH_DID     4u /* results that are counted in each block until a run ends */

/* Of a host device: numbers that a thread keeps before it puts them into the list, and planes of its counters. */
#define BATCH_KEPT   (WEIR_LANES == 1u ? 64u : 1u)
#define BATCH_PLANES (WEIR_LANES == 1u ? 32u : 1u)

/** Entry of the queue: arcs of a row of the frontier, BATCH_PIECE of them from that piece on. */
struct batch_entry {
    uint64_t mask; /* the sources whose frontier has the row */
    uint32_t row, piece;
};

/** A hub's row. Whoever does the last piece of it in a level takes what all have found. */
struct batch_hub {
    uint64_t gain, done; /* sources found, and pieces done, in this level; 0 between levels */
    uint32_t row, pieces;
};

/** A row of many in-arcs, or a piece of a hub's: BATCH_HUB of them. */
struct batch_long {
    uint32_t of;    /* the row, or which hub */
    uint32_t piece; /* BATCH_WHOLE: it is no hub */
};
#define BATCH_WHOLE UINT32_MAX

/** What a source has found, on one device or, until a run ends, by one block of it. */
struct batch_found {
    uint64_t reached, sum, arcs,
        deepest; /* vertices, their levels, their out-arcs; the last level */
};

/** What weir_steps_page.result holds behind a run. */
enum batch_result {
    BATCH_RESULT_LEVELS = 0, /* that found something, and the one that did not */
    BATCH_RESULT_ENTRIES,    /* taken from the queue, */
    BATCH_RESULT_DOWN_ARCS,  /* and their arcs */
    BATCH_RESULT_UP_ROWS,    /* that looked, */
    BATCH_RESULT_UP_ARCS,    /* and their looks */
    BATCH_RESULT_HUBS,       /* in the list of hubs, */
    BATCH_RESULT_LONGS,      /* and in that of long rows and pieces; */
    BATCH_RESULT_SHARES,     /* frontiers that were copied to all devices */
    BATCH_RESULT_NS,         /* of BATCH_KINDS phases, by the clock of block 0, */
    BATCH_RESULT_STEPS = BATCH_RESULT_NS + BATCH_KINDS /* and their supersteps */
};

struct bfs_batch_args {
    struct weir_steps_member member;
    weir_rows_part rows;
    uint64_t
        *seen; /* by number: of own vertices the sources that reached them, of others those sent */
    /* Of each device, by number, twice: the frontier, and the one that is being found. Of own vertices before a level
     * top-down the first is set where the queue has the vertex; all else is 0 then. */
    uint64_t *front[WEIR_DEVICES_MAX];
    uint64_t *alive[WEIR_DEVICES_MAX]; /* [level % BATCH_TURNS]: sources that the frontier has */
    uint32_t *touched;                 /* numbers that got their first bits in this level */
    struct batch_entry *queue;
    uint32_t *tail; /* of both lists: BATCH_TOUCHED, BATCH_QUEUE */
    struct batch_hub *hubs;
    struct batch_long *longs;
    uint64_t *listed;                   /* hubs, and `longs`; kept from the first run on */
    struct batch_found *found;          /* by source */
    int32_t *level;                     /* by source, then by row; NULL: not wanted */
    uint64_t *inbox[WEIR_DEVICES_MAX];  /* [from]: a number, then its sources */
    uint64_t *outbox[WEIR_DEVICES_MAX]; /* [to] */
    uint32_t source[BATCH_SOURCES];     /* numbers */
    uint32_t sources;                   /* how many */
    uint32_t pull;                      /* every level goes bottom-up */
    uint32_t first_run;                 /* the hubs are not listed yet */
};

/** Words that the threads of a block share. */
struct bfs_batch_shared {
    uint64_t put;            /* sum 0 of the next barrier */
    uint64_t sum[3];         /* and the other ones */
    uint64_t did[BATCH_DID]; /* of the run: results from BATCH_RESULT_ENTRIES on */
    uint64_t since_ns;
    uint64_t alive;
    struct batch_found found[BATCH_SOURCES]; /* of the block's threads, in the run so far */
    uint32_t count[BATCH_SOURCES];           /* of vertices found in this phase, by source */
    uint32_t keeps;                          /* of `kept` */
    uint32_t kept[BATCH_KEPT];
    uint64_t plane[BATCH_PLANES]; /* bit s of plane k is bit k of the count of source s */
    struct weir_steps_inboxes inboxes;
};

/** What a device does until the next barrier. */
enum batch_phase {
    BATCH_START = 0, /* the sources are touched */
    BATCH_DOWN,      /* the arcs of the queue's rows; their far ends are touched */
    BATCH_SEND,      /* what was touched of other devices' */
    BATCH_ABSORB,    /* what others sent is touched */
    BATCH_SETTLE,    /* what was touched is found, and becomes the queue */
    BATCH_SHARE,     /* frontiers are copied to all, for bottom-up */
    BATCH_UP,
    BATCH_LIST, /* a frontier that is not listed becomes the queue */
    BATCH_END
};

/** Looks of a thread in a phase. A lane of a GPU does not come to 2^32 of them: it has one row in some 10^5 of its device, of BATCH_LONG arcs at the most,
 * and as few of the long ones. What a lane keeps is registers that its looks lack. */
#if WEIR_LANES > 1u
typedef uint32_t batch_sum;
#else
typedef uint64_t batch_sum;
#endif

/** Where the search is, the same in all threads of all blocks of a device. */
struct batch_walk {
    uint32_t phase;
    uint32_t level;   /* that is being found */
    uint32_t current; /* which of the two frontiers is that of the level before */
    uint32_t touched; /* numbers in this device's list, where there is one */
    uint32_t entries; /* of this device's queue */
    uint32_t dense;   /* what is touched is not listed but looked for in all words */
    uint32_t shares;  /* frontiers that were copied to all devices so far */
    uint64_t arcs;    /* that leave the frontier, of all devices */
    uint64_t
        looked; /* arcs that the last level bottom-up looked at, of all devices; at first a guess */
};

/** What a thread did in this phase. */
struct batch_tally {
    uint64_t arcs;    /* out-arcs found */
    batch_sum looked; /* arcs looked at */
    uint32_t put,
        far; /* entries or rows, and those of other devices; of a dense level: whether there are any of these */
    uint32_t items; /* entries taken, or rows that looked */
    uint32_t mine
        [2]; /* vertices found by the whole worker, of the sources lane and lane + 32; on GPUs */
};

WEIR_DEV int batch_owns(const struct bfs_batch_args *a, uint32_t number)
{
    return number - a->rows.begin < a->rows.owned;
}

/** One of the two frontiers of a device. */
WEIR_DEV uint64_t *batch_front(const struct bfs_batch_args *a, uint32_t device, uint32_t which)
{
    return a->front[device] + (uint64_t)which * a->rows.numbers;
}

/** That of the level before, or the one that is being found, of this device. */
WEIR_DEV uint64_t *batch_last(const struct bfs_batch_args *a, const struct batch_walk *w)
{
    return batch_front(a, a->member.index, w->current);
}

WEIR_DEV uint64_t *batch_next(const struct bfs_batch_args *a, const struct batch_walk *w)
{
    return batch_front(a, a->member.index, w->current ^ 1);
}

#endif
