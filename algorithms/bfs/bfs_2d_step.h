/** @file bfs_2d_step.h  Breadth-first search in two dimensions: what the kernel of every device is given, and what its phases
 * share.
 *
 * After Bisson, Bernaschi and Mastrostefano ("Parallel Distributed Breadth First Search on the Kepler Architecture"): devices stand in
 * a grid (algorithms/common/cell.h), and a level has four phases, with a barrier behind each.
 *
 *     EXPAND   the vertices that each device found in the last level go to the other devices of its column, each of which has
 *              some of their arcs
 *     LOOK     each device looks along those arcs. What it meets for the first time is its own, or that of a device of its row
 *     SHARE    the pieces of long rows, which LOOK has only listed, are looked at by all workers; left out where there are none
 *     FOLD     what belongs to others goes to them
 *     UPDATE   they take in what they did not know
 *
 * So a device tells R - 1 others and C - 1 others, in place of RC - 1. What it tells is a list of rows of 32 bits, or a bitmap of the
 * owner's stretch where the list would be longer: each pair, in each level, for itself. Both ends know the number of vertices, and so which of
 * the two it is.
 *
 * Unlike the paper's: EXPAND has no list of all columns to copy together, since kernels read inboxes where they are; arcs are shared out by the
 * prefix sums of a warp's rows and by pieces of long rows, in place of a scan over the frontier; a bitmap of FOLD has all that
 * the device ever met of the owner's, which costs as much as what is new, and whose owner knows the rest. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_2D_STEP_H
#define WEIR_ALGORITHMS_BFS_BFS_2D_STEP_H

#include "algorithms/bfs/bfs_wire.h"
#include "algorithms/common/cell.h"
#include "worklist/steps.h"

#define BFS_2D_NONE  0xFFFFFFFFu
#define BFS_2D_HERE  0xFFu /* bfs_2d_args.finder: the owner found it, or nobody did */
#define BFS_2D_LONG  2048u /* arcs of a row that is cut into pieces, more than this */
#define BFS_2D_PIECE 1024u /* arcs of a piece */
#define BFS_2D_LEVELS \
    1024u /* that are written down one by one; of more levels only the sums are kept */

/** Phases whose times are kept; SHARE counts as LOOK. */
enum bfs_2d_phase {
    BFS_2D_EXPAND = 0,
    BFS_2D_LOOK,
    BFS_2D_FOLD,
    BFS_2D_UPDATE,
    BFS_2D_OF_LEVEL, /* so many of them belong to a level */
    BFS_2D_PARENTS = BFS_2D_OF_LEVEL,
    BFS_2D_PHASES
};

/** What weir_steps_page.result holds behind a run. */
enum bfs_2d_result {
    BFS_2D_RESULT_LEVELS = 0,   /* that found something, and the one that did not; by block 0 */
    BFS_2D_RESULT_REACHED,      /* own vertices; by block 0 */
    BFS_2D_RESULT_ARCS,         /* looked at; sums over the blocks, as the next two */
    BFS_2D_RESULT_ROWS,         /* places of the column whose arcs were looked at */
    BFS_2D_RESULT_ASKED,        /* parents that others had kept */
    BFS_2D_RESULT_EXPAND_BYTES, /* sent; by block 0, as the next one */
    BFS_2D_RESULT_FOLD_BYTES,
    BFS_2D_RESULT_NS, /* of each phase */
    BFS_2D_RESULT_STEPS = BFS_2D_RESULT_NS + BFS_2D_PHASES,
    BFS_2D_RESULT_END = BFS_2D_RESULT_STEPS + BFS_2D_PHASES
};

/** Arcs first to first + count - 1 of the row at a place. */
struct bfs_2d_piece {
    uint64_t first;
    uint32_t place;
    uint32_t count;
};

/** A level, as one device has seen it: written by block 0. */
struct bfs_2d_level {
    uint64_t ns[BFS_2D_OF_LEVEL];
    uint32_t items
        [WEIR_DEVICES_MAX]; /* sent, by receiver: in EXPAND to one of the column, in FOLD to one of the row */
    uint32_t frontier; /* own vertices that the level began with */
    uint32_t pad;
};

/** The arguments of the kernel. Arrays "by row" have an element for each number that the device owns, arrays "by local row" one
 *  for each vertex of the row of devices. */
struct bfs_2d_args {
    struct weir_steps_member member;
    weir_rows_part rows; /* out: the arcs of a place (cell.h) */
    struct weir__cell cell;
    uint32_t *seen;  /* a bit for each local row that was met; 0 before; relaxed dev */
    uint32_t *level; /* by row; BFS_2D_NONE before */
    uint32_t *
        parent; /* by row: a number; BFS_2D_NONE before; NULL: no tree is wanted, as the next two */
    uint8_t *
        finder; /* by row: the column of the device that found it for this one; BFS_2D_HERE before */
    uint32_t *tail
        [WEIR_DEVICES_MAX]; /* [device], by local row: the number of the vertex that it was met from */
    uint32_t *queue;        /* rows, in the order in which they are found */
    uint32_t *queued;       /* how many; 0 before; relaxed dev */
    uint32_t *
        met; /* by local row: of each column's stretch the rows that LOOK met first in this level */
    uint32_t *met_of; /* by column: how many; 0 before a level; relaxed dev */
    struct bfs_2d_piece *pieces;
    uint32_t *cut; /* pieces so far; 0 before; relaxed dev */
    uint32_t *inbox
        [WEIR_DEVICES_MAX]; /* [from]: rows of the sender (EXPAND) or own ones (FOLD), or a bitmap of them */
    uint32_t *outbox[WEIR_DEVICES_MAX]; /* [to]: the inbox of that device for this one */
    struct bfs_2d_level *log;           /* BFS_2D_LEVELS of them */
    uint32_t source;                    /* a number */
    uint32_t wire;                      /* a weir_wire */
};

/** What the threads of a block share. */
struct bfs_2d_shared {
    uint64_t put;                 /* rows that went into the queue since the last barrier */
    uint64_t sent;                /* rows of others that were met since then */
    uint64_t cut;                 /* pieces since then */
    uint64_t ns[BFS_2D_OF_LEVEL]; /* of block 0: of this level */
    uint64_t since_ns;            /* of block 0 */
    struct weir_steps_inboxes inboxes;
};

/** Where the search is; the same in all threads of a device. */
struct bfs_2d_walk {
    uint32_t begin,
        end; /* of the queue: what was found in the last level; `end` grows behind barriers */
    uint32_t from, to; /* the stretch that this level looks along */
    uint32_t level;    /* of the frontier */
    uint32_t pieces;   /* that were looked at */
    uint64_t frontier; /* vertices of all devices */
};

/** What a thread counts. */
struct bfs_2d_tally {
    uint64_t arcs, rows;
};

/* Rows that the device owns, with the gap behind them. */
WEIR_DEV uint32_t bfs_2d_stretch(const struct bfs_2d_args *a, uint32_t device)
{
    return a->rows.first[device + 1] - a->rows.first[device];
}

/* Set the bit of a local row. @return whether this thread is the one that did. A look is cheaper than an atomic. */
WEIR_DEV int bfs_2d_claim(uint32_t *seen, uint32_t local_row)
{
    const uint32_t bit = 1u << local_row % 32;
    uint32_t *word = &seen[local_row / 32];
    return !(weir_load_relaxed_dev_u32(word) & bit) &&
           !(weir_atomic_or_relaxed_dev_u32(word, bit) & bit);
}

/* How many of the lanes below this one have their bit set. */
WEIR_DEV uint32_t bfs_2d_rank(uint32_t lanes)
{
    return weir_popcount_u32(lanes & ((1u << weir_lane()) - 1));
}

/** Put rows into the queue, of the lanes for which @p is holds; all lanes of a worker. */
WEIR_DEV void bfs_2d_put(const struct bfs_2d_args *a, struct bfs_2d_shared *shared, int is,
                         uint32_t row)
{
    const uint32_t lanes = weir_ballot(is), count = weir_popcount_u32(lanes);
    uint32_t at = 0;
    if (!lanes)
        return;
    if (weir_lane() == 0) {
        at = weir_atomic_add_relaxed_dev_u32(a->queued, count);
        weir_atomic_add_block_u64(&shared->put, count);
    }
    at = weir_broadcast_u32(at, 0);
    if (is)
        a->queue[at + bfs_2d_rank(lanes)] = row;
}

#endif
