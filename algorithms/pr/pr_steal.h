/** @file pr_steal.h  PageRank by residuals in step (`balance frontier`): what the kernel of a device has, and what its steps are.
 *
 * An epoch is that of pr_push.c: residuals that are as large as its threshold are handed on, once each, and what comes to a vertex meanwhile waits for
 * the next one. Here all devices take it in steps, so that the arcs of an epoch lie on lists and can be shared out (GUM's frontier stealing;
 * algorithms/common/steal.h says who does how much, steal_step.h how):
 *
 * - *scan*. Each device takes residuals of its own rows and puts their arcs on its list, in *pieces* of up to PR_STEAL_PIECE, each with what every
 *   one of its arcs carries.
 * - *sharing out*, COUNT and CUT, where the lists are long and uneven enough.
 * - *hand on*. A device goes along its pieces of every device's list, reads those and their arcs over links, and adds what they carry to its
 *   own *incoming* sums. It has one for each number of all devices: whoever takes a piece may meet any vertex, and merges what it has for it.
 * - *absorb*. The owner of a vertex adds up what has come in for it, of its own sums and of those of all other devices, as far as they are
 *   *touched*: a word for each PR_STEAL_TILE numbers says whether a device has anything for them. So there are neither inboxes
 *   nor items, and nothing that could be too small.
 *
 * Sums are *integers*, so that it does not matter who adds first, nor who adds at all: ranks are the same bit by bit whoever did the work, on
 * however many devices, as often as it is done. Their unit is made for each epoch: 2^-60 of twice what residuals are together, so that no sum can be too
 * large. It costs no accuracy. What an arc carries is a whole number q of units, and the vertex gives q * degree / damping, which differs from its
 * residual by a part of a unit an arc; that part it keeps. So what is given is what comes, but for the rounding of doubles.
 *
 * What a run begins with is made by a run of the same kernel: in its first epoch each arc carries 1, which tells what arcs lead to, in the second the
 * first ranks, from ranks of 0. */
#ifndef WEIR_ALGORITHMS_PR_PR_STEAL_H
#define WEIR_ALGORITHMS_PR_PR_STEAL_H

#include "algorithms/common/steal_step.h"
#include "algorithms/pr/pr_epoch.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

enum {
    PR_STEAL_THREADS = 512, /* of a block on GPUs */
    PR_STEAL_PIECE = 512,   /* arcs of a piece, at most */
    PR_STEAL_TILE =
        64, /* numbers that a word of `touched` is for, and rows that a worker takes at a time */
    PR_STEAL_BITS = 60 /* of sums of an epoch */
};

/** What a step is. */
enum pr_steal_kind {
    PR_STEAL_SCAN = 0,
    PR_STEAL_HAND,
    PR_STEAL_ABSORB,
    PR_STEAL_COUNT,
    PR_STEAL_KINDS,
    PR_STEAL_CUT = PR_STEAL_KINDS, /* behind COUNT, and its time is that one's */
    PR_STEAL_END                   /* ranks are written, behind the last barrier */
};

/** What a run is for. */
enum pr_steal_making {
    PR_STEAL_RANKS = 0,
    PR_STEAL_LOOKS, /* to find out which vertices arcs lead to: the first epoch of two */
    PR_STEAL_FIRST  /* to hand on first ranks: the second */
};

/** Arcs that carry the same. */
struct pr_steal_piece {
    uint64_t first; /* arc of the owner */
    uint64_t share; /* what each carries, in units of the epoch; negative ones modulo 2^64 */
    uint32_t count; /* at most PR_STEAL_PIECE */
    uint32_t pad;
};

/** Where lists and arcs of a device lie, as peers reach them. */
struct pr_steal_peer {
    const struct pr_steal_piece *list;
    const uint32_t *targets;
};

/** Numbers for the host in weir_steps_page.result. */
enum pr_steal_result {
    PR_STEAL_RESULT_NS = 0, /* of each kind of step, by block 0 */
    PR_STEAL_RESULT_STEPS = PR_STEAL_RESULT_NS + PR_STEAL_KINDS,   /* as many */
    PR_STEAL_RESULT_ROWS = PR_STEAL_RESULT_STEPS + PR_STEAL_KINDS, /* whose residual was taken */
    PR_STEAL_RESULT_ARCS,                                          /* looked along by this device */
    PR_STEAL_RESULT_PIECES,                                        /* put on its list */
    PR_STEAL_RESULT_TILES,  /* of its sums that others read */
    PR_STEAL_RESULT_EPOCHS, /* by block 0, as all that follows */
    PR_STEAL_RESULT_SCALE,  /* bits of doubles: of pr_course */
    PR_STEAL_RESULT_BOUND,
    PR_STEAL_RESULT_NET, /* of a run that makes what others begin with, in units of PR_STEAL_FIRST_UNIT */
    PR_STEAL_RESULT_ALL,
    PR_STEAL_RESULT_STOLEN, /* pieces read of other devices' lists */
    /* Arcs of the device that has the most, summed over all epochs: as they lay, and as they were handed on. */
    PR_STEAL_RESULT_MOST_OWNED,
    PR_STEAL_RESULT_MOST_DONE,
    PR_STEAL_RESULT_FOR, /* by owner: arcs looked along for other devices, STEAL_DEVICES of them */
    PR_STEAL_RESULTS = PR_STEAL_RESULT_FOR + STEAL_DEVICES
};

/** Of the epoch that hands on first ranks, which sum to 1 at most. */
#define PR_STEAL_FIRST_UNIT (4.0 / 1152921504606846976.0) /* 2^-58 */
/** What these and the residuals behind that epoch sum to, at most. */
#define PR_STEAL_FIRST_RANKS 4.0

struct pr_steal_args {
    struct weir_steps_member member; /* first, for steps.h */
    weir_rows_part rows;
    struct steal_args steal;
    /* Of each device, as this one reaches them. */
    uint64_t *incoming[WEIR_DEVICES_MAX]; /* by number: sums of an epoch, in its units; else 0 */
    uint32_t *touched[WEIR_DEVICES_MAX];  /* for each PR_STEAL_TILE numbers of other devices */
    uint64_t *sums[WEIR_DEVICES_MAX];     /* two slots of PR_PUSH_SUMS; of epoch e in slot e % 2 */
    const struct pr_steal_peer *peer;     /* by device */
    pr_push_value *value;                 /* of own rows */
    pr_push_value *first;                 /* what they are when a run begins */
    double *ranks;                        /* that are handed out */
    struct pr_steal_piece *list;
    uint32_t *listed;        /* pieces on it */
    struct pr_course course; /* as a run begins */
    double net, all;         /* sums of the residuals that it begins with */
    double restless;         /* a residual of more than that part of its rank is */
    uint32_t epochs;         /* at most */
    uint32_t making;         /* enum pr_steal_making, as a run begins */
};

/** What follows which; the same in all blocks. */
struct pr_steal_at {
    uint32_t kind, making, shared_out;
    uint32_t number; /* of the epoch */
    struct pr_epoch epoch;
    double unit, units;           /* of the epoch's sums, and how many 1 is */
    double rank_unit, rank_units; /* the same of the sum of ranks */
};

/** Memory that the threads of a block share. */
struct pr_steal_shared {
    struct pr_steal_at at;
    struct pr_course course;
    struct steal_shared steal;
    uint64_t total[PR_PUSH_SUMS]; /* of the block, then of all devices */
    uint64_t arcs, pieces;        /* that the block has put on the list in this epoch */
    uint64_t all_rows, all_arcs, all_pieces, all_tiles; /* of all epochs */
    uint64_t since_ns;
};

/** A worker among those of the device. */
struct pr_steal_worker {
    uint32_t index, count;
};

#endif
