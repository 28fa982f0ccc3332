/** @file sssp_step.h  Shortest paths in step: what the kernel of a device has, and what its steps are.
 *
 * Delta stepping (Meyer and Sanders) with the refinements of Chakaravarthy et al., "Scalable single source
 * shortest path algorithms for massively parallel systems" (IPDPS 2014), over rows whose arcs ascend by
 * weight. Distances are *tentative* until no arc can lower them. All devices go through the same steps:
 *
 * - *light push*. Distances below a limit are being settled: a vertex at distance d relaxes its arcs of a
 *   weight below limit - d, the first ones of its row, and remembers where it stopped (its *cursor*). When
 *   nothing below the limit changes any more, all that is there is settled, the limit rises, and every
 *   settled vertex goes on from its cursor. An arc is relaxed no sooner than its sum could be the least one:
 *   most heavy arcs never are.
 * - *heavy pull*. As soon as the vertices that are not settled have fewer arcs than the settled ones have
 *   left, they look for themselves: along the arcs that come to them, in the order of weights, until the
 *   weight alone makes the sum too large. In a skewed graph the hubs are settled first and hold nearly all
 *   arcs, and those that are left find what they need behind one or two of their own.
 * - *heavy push*. What a pull changed goes on to its neighbours, by another pull or, when few vertices
 *   changed, by pushing all their arcs, without limits (Bellman and Ford), until nothing changes.
 * - *exchange*. Before the first pull devices tell each other the distances of their vertices.
 * - *tree*. If parents are wanted, every vertex looks for one when all distances are known, behind another exchange: along the arcs that
 *   come to it, in the order of weights, for the first that leads to it by just its distance (sssp_step_tree.h).
 *
 * Arcs are *pairs* (weir_rows_pairs), so that what a look needs of one lies in one place. Where they lie in host memory the first two that
 * come to each row are kept on the device, and pulls begin with these.
 *
 * An *iteration* is a step, and the absorbing behind it if there is one. Workers come from all blocks. Phases are
 * not called but copied to where they are used: a kernel's arguments lie in constant memory, and a function that is called gets them
 * by address, so that it loads each one again, behind all loads that are under way. Nothing of the kernel that shares nothing out
 * lies in local memory: every barrier empties the cache that holds it.
 *
 * Each device has the distances of all vertices, by number. Those of its own rows are the true ones. What it
 * has of others are upper bounds: what it told the owner itself, which spares it saying the same or worse
 * again, or what the owner told all. In a push an owner is told by *items*, a number and a distance, which a
 * worker collects and stores into an *inbox* in the owner's memory, one for each sender: stores that lie side by
 * side are many times as fast as atomics on a peer's memory. Behind the push, if anything was sent, owners
 * *absorb*: they apply what came by atomic minima of their own. An inbox is empty again before the next push. What
 * does not fit in it goes as an atomic minimum into the owner's memory, so nothing is ever lost. Few items all go so, *directly*:
 * behind a step that lowered few distances, atomics on a peer's memory are under way beside the rest of the push, and the step that
 * absorbs, which mostly is a barrier over the link, is saved.
 *
 * Not done: a row that is pulled is looked at by one warp, however long it is; limits do not rise during the
 * heavy push, so graphs with long paths of many arcs belong to the worklist (sssp_op.h). */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_H

#include "algorithms/common/steal_step.h"
#include "algorithms/rows.h"
#include "algorithms/sssp/sssp.h"
#include "worklist/steps.h"

#include <assert.h>

/* A kernel of its own shares out pieces (sssp_steal_body.h), so that the other one need not pay for it in registers. */
#ifndef SSSP_STEALS
#define SSSP_STEALS 0
#endif

#define SSSP_STEP_NONE SSSP_U32_UNREACHED /* no distance */

#define SSSP_STEP_THREADS 640 /* of a block on GPUs */

enum {
    SSSP_STEP_SLOTS = 4,    /* iterations whose words exist at a time */
    SSSP_STEP_FLAGGED = 32, /* rows of a stamp */
    SSSP_STEP_SECTOR = 8,   /* stamps of a parity that lie together */
    SSSP_STEP_BATCH = 4,    /* arcs of a lane that are under way together */
    SSSP_STEP_ABREAST = 4,  /* tasks that a worker looks through together for rows that changed */
    SSSP_STEP_SQUAD = 8,    /* lanes that help with a row of a push */
    SSSP_STEP_ROUNDS = 2,   /* batches of theirs */
    SSSP_STEP_ALONE = 8,    /* arcs that a lane looks at alone; then others help */
    SSSP_STEP_BESIDE = 64,  /* arcs that lanes look at alone after these, while many do */
    SSSP_STEP_PIECE = 128,  /* arcs of a piece of what is left even then */
    SSSP_STEP_LINE = WEIR_LANES < 16 ? WEIR_LANES : 16, /* arcs of 128 bytes, or a lane's */
    SSSP_STEP_SUMS = 3, /* made at each barrier, beside the items sent */
    SSSP_STEP_HUB_ARCS =
        128 /* rows with so many that come first are taken a few at a time by a warp */
};

/** Items for each lane that a worker collects before it sends them, since all workers reserve places at one word. */
#define SSSP_STEP_SENDS 6
/** Room for these, and for what a batch adds to them. */
#define SSSP_STEP_STAGE (WEIR_LANES * (SSSP_STEP_BATCH + SSSP_STEP_SENDS))
/** Lanes that are many: so many rows wait less side by side than one after the other. One lane alone never has neighbours. */
#define SSSP_STEP_MANY (WEIR_LANES == 1 ? 2u : 3u)
/** Rows that a worker collects before it takes one with each lane, or hands all of them on. */
#define SSSP_STEP_LIST (WEIR_LANES == 1 ? 512 : WEIR_LANES * (SSSP_STEP_ABREAST + 1))
/** From so many of them on it takes some. A thread of a host device has asked for what it needs of each by then. */
#define SSSP_STEP_FULL (WEIR_LANES == 1 ? 64u : WEIR_LANES)
static_assert(SSSP_STEP_FULL - 1 + WEIR_LANES * SSSP_STEP_ABREAST <= SSSP_STEP_LIST,
              "a list has room for the rows of some more tasks");
static_assert(SSSP_STEP_FLAGGED == 32, "rows of a stamp are bits of a word");
/** The first iteration. Stamps of 0 are of none. */
#define SSSP_STEP_FIRST 1u
/** The first mark of distance 0 (sssp_step_args.zero): above it there is room for every distance that is passed on. */
#define SSSP_STEP_ZERO 2u
/** Distances that marks have room for in a run with another one. */
#define SSSP_STEP_ROOM (UINT32_C(1) << 24)
/** Workers of a block. */
#define SSSP_STEP_WORKERS (WEIR_LANES == 1 ? 1 : SSSP_STEP_THREADS / 32)

/** Which rows a push looks at: those that have changed, in groups that are stamped, or all, or, with the number of the iteration before,
 *  which was a pull, in groups that are stamped also those that it lowered: their cursors are that number. */
#define SSSP_STEP_CHANGED 0u
#define SSSP_STEP_ALL     1u
#define SSSP_STEP_PULLED  0x80000000u

/** Arcs that a row has relaxed in a step before any of it goes on the list, at the least: those of squads of one lane. */
#define SSSP_STEP_BEFORE (SSSP_STEP_ALONE + SSSP_STEP_ROUNDS * SSSP_STEP_BATCH)

/** What a step is. */
enum sssp_step_kind {
    SSSP_STEP_LIGHT = 0,
    SSSP_STEP_EXCHANGE,
    SSSP_STEP_PULL,
    SSSP_STEP_PUSH,
    SSSP_STEP_ABSORB, /* what others sent in the push before */
    SSSP_STEP_TREE,   /* the last step, where parents are wanted */
    SSSP_STEP_COUNT,  /* before a push: what chunks of the list of pieces come to (sssp_steal.h) */
    SSSP_STEP_KINDS,
    SSSP_STEP_START =
        SSSP_STEP_KINDS, /* sets the source, before all others; its time is the first's */
    SSSP_STEP_CUT        /* behind COUNT: who takes which pieces; its time is that one's */
};

/** Arcs that are relaxed in the next step, by whichever warp takes them. */
struct sssp_step_piece {
    uint64_t first;    /* arc */
    uint32_t count;    /* at most SSSP_STEP_PIECE */
    uint32_t distance; /* of their tail */
};

/** Numbers for the host in weir_steps_page.result. */
enum sssp_step_result {
    SSSP_STEP_RESULT_NS = 0, /* of each kind of step, by block 0 */
    SSSP_STEP_RESULT_STEPS = SSSP_STEP_RESULT_NS + SSSP_STEP_KINDS,   /* as many */
    SSSP_STEP_RESULT_ROWS = SSSP_STEP_RESULT_STEPS + SSSP_STEP_KINDS, /* processed */
    SSSP_STEP_RESULT_PUSHED,  /* arcs looked at by pushing */
    SSSP_STEP_RESULT_PULLED,  /* by pulling */
    SSSP_STEP_RESULT_VALUES,  /* sent in exchanges and pulls, to each other device as many */
    SSSP_STEP_RESULT_SPILLED, /* items that did not fit into an inbox */
    SSSP_STEP_RESULT_REACHED, /* vertices that have a distance; not counted in full if any is FAR */
    SSSP_STEP_RESULT_ARCS,    /* their out-arcs */
    SSSP_STEP_RESULT_FAR,   /* vertices whose distance does not fit, modulo 2^64 over all devices */
    SSSP_STEP_RESULT_LARGE, /* blocks that have marked a distance of SSSP_STEP_ROOM or more */
    SSSP_STEP_RESULT_FIRSTS,     /* rows that pulls were through with by their kept first arcs */
    SSSP_STEP_RESULT_DIRECT,     /* items that were to go to no inbox */
    SSSP_STEP_RESULT_CANDIDATES, /* of all pulls; by block 0 */
    SSSP_STEP_RESULT_STOLEN, /* pieces read of other devices' lists; by block 0, as what follows */
    /* Arcs of the device that has the most, summed over all pushes: as they lay, and as they were relaxed. */
    SSSP_STEP_RESULT_MOST_OWNED,
    SSSP_STEP_RESULT_MOST_DONE,
    SSSP_STEP_RESULT_FOR, /* by owner: arcs looked at for other devices, STEAL_DEVICES of them */
    SSSP_STEP_RESULTS = SSSP_STEP_RESULT_FOR + STEAL_DEVICES
};

/** What a run that shares out pieces knows of a device: where its arrays lie, as peers reach them. */
struct sssp_peer {
    const struct sssp_step_piece *piece[2];
    const uint64_t *pairs; /* its out-arcs */
};

struct sssp_step_args {
    struct weir_steps_member member; /* first, for steps.h */
    weir_rows_part part;             /* arcs of a row by weight; with in-arcs */
    weir_rows_pairs pairs; /* the arcs: an arc is looked at for its weight and its target */
    /* Of each device, as this one reaches them. */
    uint32_t *tent[WEIR_DEVICES_MAX]; /* distances by number; before a run UNREACHED */
    /* Two for SSSP_STEP_FLAGGED own rows, by the parity of iterations (sssp_step_stamp()): the last one that has to look for
     * changed ones among them. Those of an iteration are read in it, and written in the one before. Before a run 0. */
    uint32_t *stamp[WEIR_DEVICES_MAX];
    uint64_t *inbox[WEIR_DEVICES_MAX];  /* [from]: of this device, items: number << 32 | distance */
    uint64_t *outbox[WEIR_DEVICES_MAX]; /* [to]: the inbox of that device for this one */
    uint32_t room[WEIR_DEVICES_MAX];    /* of each device: items of one of its inboxes */
    /* The least distance that an iteration leaves for later. That of iteration t is in slot t % SSSP_STEP_SLOTS of each
     * device: all devices lower it, and block 0 sets it back to NONE two iterations before. Before a run NONE. */
    uint32_t *low[WEIR_DEVICES_MAX];
    uint32_t
        *piece_count; /* of the list that an iteration reads, in slots as `low`; before a run 0 */
    /* Of the own rows; only the worker that has the row in an iteration touches them. */
    /* Marks: `zero` + the distance that was passed on. They are not reset before a run, since each run has a zero that
     * is above the marks of all runs before, by 2 at least. A mark of zero - 1 says that no distance was passed on, but
     * a pull has counted the row as reached; one below that nothing. */
    uint32_t *done;
    uint32_t *cursor; /* arcs that were relaxed at that distance, or SSSP_STEP_PULLED | iteration */
    uint32_t *
        parent; /* of the own rows, a number; NONE of what is unreached; NULL: not wanted, or no rows */
    struct sssp_step_piece *
        piece; /* of even iterations pieces_most, behind them of odd ones: read in those, written in the others */
    /* Own rows that the pull of an iteration of this parity may lower, and no others, if the last iteration was a pull and there are not
     * more than candidates_most; how many, in slots as `low`. Before a run 0. */
    uint32_t *candidate; /* of even iterations candidates_most, behind them of odd ones */
    uint32_t *candidates;
    uint32_t candidates_most, pieces_most;
    uint32_t source;   /* a number */
    uint32_t previous; /* the source before: left over where it has no arcs; NONE */
    uint32_t delta;    /* by which the limit rises, at least 1 */
    uint32_t zero;     /* the mark of distance 0 in this run */
    uint32_t busy; /* rows to be looked at: part.busy, or up to the source if that lies behind */
    uint32_t hubs; /* the first rows, which have many arcs; a multiple of SSSP_STEP_FLAGGED */
    /* Of 16 bits, since arguments have WEIR_STEPS_ARGS_MAX bytes. */
    uint16_t tree;   /* parents are wanted: the same on all devices, even those without rows */
    uint16_t lines;  /* arcs lie in host memory: warps read them in whole lines */
    uint32_t direct; /* WEIR_DIRECT_ITEMS */
    /* Of a run that shares out pieces (sssp_steal.h); else NULL and 0. */
    struct steal_args steal;
    const struct sssp_peer *peer; /* STEAL_DEVICES, in the device's memory */
};

/** Which stamp of a device says that an iteration has to look at an own row. Those of a parity lie side by side, a sector of eight. */
WEIR_DEV uint32_t sssp_step_stamp(uint32_t row, uint32_t iteration)
{
    const uint32_t group = row / SSSP_STEP_FLAGGED;
    return group / SSSP_STEP_SECTOR * 2 * SSSP_STEP_SECTOR + iteration % 2 * SSSP_STEP_SECTOR +
           group % SSSP_STEP_SECTOR;
}

/** Where a run is; the same in all blocks of all devices. */
struct sssp_step_at {
    enum sssp_step_kind kind;
    enum sssp_step_kind
        push; /* of an absorbing: the push before it; of COUNT and CUT: that behind */
    uint32_t iteration;
    uint32_t goes_on;
    uint32_t quiet;     /* nothing has changed in this iteration */
    uint32_t dense;     /* all rows are looked at, not only stamped groups */
    uint32_t pulled;    /* of a push: the step before was a pull */
    uint32_t known_all; /* distances are final: what is left is the tree */
    uint32_t
        limit; /* of a push: distances below it are passed on; FAR: all arcs, and sums saturate */
    uint32_t least;      /* of a pull: distances up to it are settled */
    uint32_t base;       /* of a pull: no distance below it has changed since the last look */
    uint32_t low;        /* least distance that comes at or after the limit */
    uint32_t direct;     /* of a push: distances of others are lowered where they lie */
    uint64_t moved;      /* distances that fell in the push before, and behind it */
    uint64_t known;      /* in-arcs of settled rows */
    uint64_t left;       /* out-arcs of settled rows that are not relaxed yet */
#if SSSP_STEALS          /* `left` is the sum of both, and `known` 0 */
    uint32_t shared_out; /* of a push: its pieces were */
    uint32_t was_out;    /* of the push that is booked next */
    uint32_t asks;       /* there are so many arcs on lists that they may be shared out */
    uint32_t
        owed; /* in block 0 alone: it has the push before to book while it does the next step */
#endif
};

/** Memory of a block. */
struct sssp_step_shared {
    struct sssp_step_at at; /* by thread 0, behind the barriers */
    uint64_t since_ns;      /* of block 0: when the step began; no register is free for it */
    uint64_t sent;          /* sum 0 of the next barrier: items for other devices */
    uint64_t sum[SSSP_STEP_SUMS];
    uint64_t rows, looks[SSSP_STEP_KINDS], values, spilled; /* of the whole run */
    uint64_t direct[WEIR_DEVICES_MAX]; /* so are these, by owner: items that went to no inbox */
    uint64_t reached, arcs;            /* so are these: rows, and their out-arcs */
    struct weir_steps_inboxes inboxes; /* used again from their beginning in each push */
#if SSSP_STEALS
    struct steal_shared steal; /* loads: arcs on the lists of the next push, or of this one */
    uint64_t
        beside[STEAL_DEVICES]; /* of one worker of block 0: arcs of a push that were on no list */
    uint64_t listed;           /* arcs of pieces that this block has cut in this push */
    uint64_t looked;           /* looks in pushes that other blocks know of */
#endif
    uint32_t low;
    uint32_t
        far[2]; /* rows of any device whose distance became FAR in this run, and whose left it */
    uint32_t large;  /* whether a distance of SSSP_STEP_ROOM or more was marked in this run */
    uint64_t firsts; /* of the whole run: rows that their kept first arcs were enough for */
    uint32_t list[SSSP_STEP_WORKERS][SSSP_STEP_LIST];   /* rows that push */
    uint64_t stage[SSSP_STEP_WORKERS][SSSP_STEP_STAGE]; /* items that are not sent yet */
};

/** Of arcs that a thread follows in a step. One of a host device may have all there are, more than 2^32; a lane has a
 *  32nd at most, and a GPU not so many. */
#ifdef __CUDACC__
typedef uint32_t sssp_step_count;
#else
typedef uint64_t sssp_step_count;
#endif

/** What a thread found in a step. */
struct sssp_step_found {
    sssp_step_count changed; /* distances of this device's rows lowered, spilled items, pieces */
    uint32_t rows;           /* processed */
    sssp_step_count looks;   /* arcs */
    uint32_t low;
    uint32_t values;  /* of a pull or an exchange, to each other device; by lane 0 */
    uint32_t reached; /* rows that have a distance for the first time in this run */
    uint32_t firsts;  /* of a pull: rows that their kept first arcs were enough for */
    uint64_t arcs;    /* their out-arcs */
    /* Light push: in-arcs of rows that are new; how many more arcs are left to relax than before, which may
     * be less than 0. Pull: out-arcs of what changed; rows that have in-arcs and were not settled. */
    uint64_t sum[2];
};

/** The worker that takes part in a phase: a warp, or a thread of a host device. */
struct sssp_step_worker {
    uint32_t index, count; /* this one, and all, of the device */
    uint32_t in_block;     /* this one, in its block */
    uint32_t iteration;
};

#endif
