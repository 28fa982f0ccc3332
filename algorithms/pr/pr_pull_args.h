/** @file pr_pull_args.h  What the body of pr_pull.h gets from the host, leaves for it, and works in; and the lists by
 * which the rows of a part are dealt out to warps. In the dialect. */
#ifndef WEIR_ALGORITHMS_PR_PR_PULL_ARGS_H
#define WEIR_ALGORITHMS_PR_PR_PULL_ARGS_H

#include "algorithms/rows.h"
#include "worklist/steps.h"

/* ---- lists ----------------------------------------------------------------------------------- */

#define PR_CHUNK_ARCS 255u /* at most, so that a row's end in it is a byte */
#define PR_CHUNK_ROWS 128u
#define PR_PIECE_ARCS 1024u

#define PR_BANDS_MAX        64u
#define PR_STRIP_ROWS_LEAST 128u
#define PR_STRIP_ROWS_MOST  1024u

/** Rows `row` to row + rows - 1, whose arcs in a band are `arc` to arc + arcs - 1 of the part. */
struct pr_chunk {
    uint64_t arc;
    uint32_t row;
    uint16_t band;
    uint8_t rows, arcs;
};

/** Arcs of one row. */
struct pr_piece {
    uint64_t arc;
    uint32_t row;
    uint16_t arcs;
    uint16_t whole; /* 1: all arcs of the row; 0: of a long one */
};

/** A row of several pieces, one after another in the list of pieces. */
struct pr_long {
    uint32_t row, arcs;
    uint32_t first, pieces;
};

/** The lists of a part; every row is in one of them, or in a chunk of each band. Read-only while kernels run. */
struct pr_lists {
    const struct pr_chunk *chunk;
    const struct pr_piece *piece;
    const struct pr_long *row;
    /* By band and row: where it ends in its chunk, in arcs from the chunk's first. */
    const uint8_t *end;
    /* With several bands: strip s of band b has the chunks first[b * strips + s] up to the next one's. */
    const uint32_t *first;
    /* By row: bit d % 8 is set for each device d that has arcs from the row's vertex. NULL on a single device. */
    const uint8_t *readers;
    uint32_t chunks, pieces, longs;
    uint32_t bands; /* 1: the arcs of a row lie together */
    uint32_t strips;
};

/** Hubs that a block of a GPU, and a thread of a host device, has room for; parts that they may be of; and what that block's
 *  memory has to have. */
#define PR_HUBS_GPU    (47u << 10)
#define PR_HUBS_HOST   1024u
#define PR_HUB_PARTS   8u
#define PR_HUBS_MEMORY 231936u

/* ---- bins ------------------------------------------------------------------------------------- */

/** Most rows of a bin, whose sums a block keeps, and most numbers of a stretch, whose shares it keeps. */
#define PR_BIN_ROWS_GPU     12288u
#define PR_BIN_NUMBERS_GPU  24576u
#define PR_BIN_ROWS_HOST    2048u
#define PR_BIN_NUMBERS_HOST 4096u
#define PR_BIN_ROWS         (WEIR_LANES > 1u ? PR_BIN_ROWS_GPU : PR_BIN_ROWS_HOST)
#define PR_BIN_NUMBERS      (WEIR_LANES > 1u ? PR_BIN_NUMBERS_GPU : PR_BIN_NUMBERS_HOST)
/** What a block's memory has to have, so that there are two a multiprocessor. */
#define PR_BINS_MEMORY 102400u
/** Bins that may be asked for. */
#define PR_BINS_MAX 65535u
/** Arcs of the same stretch and bin lie in groups of so many, of which the last is filled up. */
#define PR_OCTET 8u

/** The part `part` of `parts` equal ones of the octets of a stretch or a bin. */
struct pr_bin_unit {
    uint32_t of;
    uint16_t part, parts;
    uint32_t common; /* of a bin of several parts: which of those it is; else undefined */
};

/** The arcs of a part once more, in octets that lie by stretch where shares are spread and by bin where they are collected
 *  (pr_bins_tmpl.h). Made by the kernel once; read-only after that, but for `share` and `sum`. */
struct pr_bins {
    uint32_t rows, bins;         /* of a bin; bins */
    uint32_t numbers, stretches; /* of a stretch; stretches */
    uint32_t building;           /* the run makes these arrays */
    uint32_t spreads, collects;  /* units; those of bins in common come first */
    uint32_t commons, common_units;
    const struct pr_bin_unit *spread, *collect;
    const uint32_t *common; /* bins that have several units */
    uint32_t *by_stretch;   /* first octet of each stretch, and behind the last */
    uint32_t *by_bin;       /* the same of bins */
    uint16_t *number; /* by stretch: in the stretch, of each arc; `numbers` where there is no arc */
    uint32_t *place;  /* by stretch: where the octet is by bin */
    uint16_t *row;    /* by bin: in the bin, of each arc */
    float *share;     /* by bin: what each arc carries */
    /* While arcs are put there, where `share` lies: of each cell, which is a bin and a stretch, bin by bin, the arcs that
     * are still to be put, the first octet by stretch, and the first by bin. */
    uint32_t *arcs, *from, *to;
    uint64_t *
        next; /* units that were taken, of those that spread and those that collect, over all iterations; relaxed dev */
    uint64_t *sum; /* of rows of bins in common, in units of PR_UNIT; 0 between iterations */
    uint64_t *
        done; /* units of bins in common that were done, over all iterations; release, acquire dev */
};

/* ---- from the host, and for it ------------------------------------------------------------------ */

/** Numbers for the host in weir_steps_page.result. */
enum pr_result {
    PR_RESULT_SINGLE = 0, /* iterations with floats */
    PR_RESULT_CHANGE,     /* of the last one, as the barrier's sum */
    PR_RESULT_RANKS,      /* the sum of this device's ranks, in units of PR_UNIT */
    /* Times of block 0, each with a count behind it. */
    PR_RESULT_GATHER, /* in iterations, up to the barrier; the count is that of iterations */
    PR_RESULT_EXCHANGE =
        PR_RESULT_GATHER + 2, /* at their barriers, for the work of others and the exchange */
    PR_RESULT_BEGIN = PR_RESULT_EXCHANGE + 2, /* setting shares, and making doubles of floats */
    PR_RESULT_SPREAD = PR_RESULT_BEGIN + 2    /* with bins: to the barrier behind it */
};
#ifndef __CUDACC__
/** Two more, of host devices: arcs whose shares were brought before they were added up (pr_short_host_tmpl.h), and turns that threads took from
 *  each other (pr_turns_host.h). */
enum { PR_RESULT_GATHERED = PR_RESULT_SPREAD + 2, PR_RESULT_STOLEN };
#endif

/** Sums of a barrier. */
enum { PR_SUM_CHANGE = 1, PR_SUM_DANGLING, PR_SUM_RESTLESS };

/** Changes, dangling rank and ranks are added up as integers of this unit: the sum is the same in every order. Each
 *  sum is below 2. */
#define PR_UNIT (1.0 / 1152921504606846976.0) /* 2^-60 */

/** When a run stops, and when it goes on with doubles (pr_lists.c). */
struct pr_bounds {
    uint32_t fine;              /* doubles are needed */
    uint32_t single_iterations; /* with floats at most, if there are doubles */
    uint32_t iterations;        /* at most */
    double single_below;        /* a change that ends the floats */
    double fine_below;          /* a change that ends all */
    /* With doubles: a vertex that changes by more than this part of itself keeps the run going. */
    double restless;
};

/** Hubs whose shares each block keeps in its own memory while an iteration lasts: the first `each` numbers of each part. */
struct pr_hubs {
    uint32_t each, parts;
    uint32_t begin[PR_HUB_PARTS]; /* a part's first number */
};

/** Of a worker of a host device: its turns that were taken, by whoever took them, over all iterations; relaxed dev. In a line of its own. */
struct pr_taken {
    uint64_t taken, unused[7];
};

struct pr_pull_args {
    struct weir_steps_member member;
    weir_rows_part rows; /* with in-arcs and out-degrees */
    struct pr_lists lists;
    double *partial;        /* sum of each piece of a long row */
    double *sums;           /* by row: over the bands before; NULL with one band */
    uint64_t *pieces_done;  /* warps that did theirs, over all iterations; release, acquire dev */
    struct pr_taken *turns; /* by worker (pr_turns_host.h); NULL on GPUs */
    double *ranks;          /* by row; to be divided by their sum where dangling rank is spread */
    /* Shares on each device: `numbers` that are read in even iterations, then `numbers` for odd ones. */
    float *single[WEIR_DEVICES_MAX];
    double *fine[WEIR_DEVICES_MAX];   /* the same; NULL: floats do */
    uint64_t sends[WEIR_DEVICES_MAX]; /* shares that an iteration stores on each other device */
    uint32_t symmetric;               /* a row is as long as its vertex's out-degree */
    struct pr_bounds bounds;
    struct pr_hubs hubs;
    struct pr_bins bins;
    double start; /* rank of all vertices */
    double damping, teleport;
    double spread;   /* of dangling rank, what each vertex gets; 0: it is lost */
    double dangling; /* rank of dangling vertices at the start */
};

/* ---- what the body works in ---------------------------------------------------------------------- */

/** Hubs whose shares the kernel that is being compiled keeps (pr_hubs_body.h); 0: none. */
#ifndef PR_HUBS
#define PR_HUBS 0
#endif

/** Whether the kernel that is being compiled spreads shares into bins (pr_bins_body.h). */
#ifndef PR_BINS
#define PR_BINS 0
#endif

/** Warps of a block, and reads of a lane that are under way together. */
#ifndef __CUDACC__
#define PR_WARPS 1
#elif PR_HUBS
#define PR_WARPS 32 /* one block a multiprocessor, so that all of its memory is one */
#else
#define PR_WARPS 16
#endif
#define PR_SLOTS 256 /* arcs that a warp has under way, more than a chunk has */
#define PR_DEEP  ((int)(PR_SLOTS / WEIR_LANES))
#define PR_ROWS  ((int)(PR_CHUNK_ROWS / WEIR_LANES))
/** Sums that a lane alone has under way, since an addition takes several cycles and does not wait for the others. */
#define PR_CHAINS 4u
/** Arcs of a row up to which a lane alone asks for the shares of a whole chunk before it adds up the chunk before it: a core that
 *  takes the end of a short row for an arc, or an arc for the end, has no reads under way that were worth it. */
#define PR_SHORT 8u
/** Entries of a list that a worker takes one after the other at most, a sixteenth of its share of them. A thread of a host device reads them as
 *  one stretch of memory, which its core brings nearer by itself; lanes of a GPU read side by side with others. */
#define PR_RUN (WEIR_LANES == 1u ? 32u : 1u)

/** Whether the kernel that is being compiled reads shares in bands (pr_bands_body.h): what bands take would cost that
 *  for one band, which has to be spared of every register, 15 % on graphs of short rows. */
#ifndef PR_BANDED
#define PR_BANDED 0
#endif

/** Whether that kernel reads arcs in whole lines of memory (pr_lines_body.h). */
#ifndef PR_LINES
#define PR_LINES 0
#endif

/** Where a warp is in its chunks, with several bands. */
struct pr_cursor {
    uint64_t at;  /* a chunk */
    uint64_t end; /* behind the last one of the strip in this band */
    uint32_t pass, band;
};

/** What a warp works in. */
struct pr_warp {
#if PR_BANDED
    struct pr_cursor cursor; /* lane 0 writes it; it stands in registers nowhere, which are short */
#endif
#if !PR_HUBS
    union {
        float single[PR_SLOTS];
        double fine[PR_SLOTS];
    } share;
#else
    struct {
        float single[PR_SLOTS];
        double *fine; /* where hubs are, which are floats */
    } share;
#endif
    uint8_t end[PR_CHUNK_ROWS + 8]; /* of row r of the chunk at r + 1; 0 before */
};

/** What is added up over an iteration. */
struct pr_tally {
    double change;
    double rank; /* of dangling vertices; at the end of all */
    uint32_t restless;
};

/** Sums of the rows of a bin: halves of 64 bits, apart, so that lanes meet in fewer banks. */
struct pr_bin {
    uint32_t low[PR_BIN_ROWS], high[PR_BIN_ROWS];
};

struct pr_pull_shared {
#if PR_BINS
    union {
        struct pr_warp warp[PR_WARPS];
        struct pr_bin bin;
        float stretch[PR_BIN_NUMBERS + 4]; /* and a share of 0 behind the last */
    };
#else
    struct pr_warp warp[PR_WARPS];
#endif
    struct pr_tally tally[PR_WARPS];
    /* Thread 0's own; not in registers, which the sweeps are short of. */
#if PR_BINS
    uint32_t unit; /* that the block does next */
    uint64_t sum
        [2]; /* of units that were collected, in units of PR_UNIT: change, and rank of dangling vertices */
#endif
    uint64_t since_ns; /* up to when the time of block 0 is booked */
    uint32_t single;   /* iterations with floats */
    uint32_t stop;
#if PR_HUBS
    union {
        float hub[PR_HUBS];
        double fine[PR_WARPS][PR_SLOTS];
    } kept;
#endif
};

/** An iteration. */
struct pr_round {
    double base;     /* what every vertex gets */
    uint32_t number; /* iterations before */
    uint32_t copy;   /* which copy of the shares is read */
};

/** A warp among those of the device. */
struct pr_worker {
    struct pr_warp *warp;
    uint32_t index, count;
    const float *hub; /* shares of hubs, in the block's own memory; NULL: none are kept */
};

#endif
