/** @file pr_pull_args.h  What the body of pr_pull.h gets from the host, leaves for it, and works in. */
#ifndef WEIR_ALGORITHMS_PR_PR_PULL_ARGS_H
#define WEIR_ALGORITHMS_PR_PR_PULL_ARGS_H

#include "algorithms/pr/pr_plan.h"
#include "worklist/steps.h"

/** Warps of a block, and reads of a lane that are under way together. */
#ifdef __CUDACC__
#define PR_WARPS 16
#else
#define PR_WARPS 1
#endif
#define PR_SLOTS 256 /* arcs that a warp has under way, more than a chunk has */
#define PR_DEEP  ((int)(PR_SLOTS / WEIR_LANES))
#define PR_ROWS  ((int)(PR_CHUNK_ROWS / WEIR_LANES))

/** Numbers for the host in weir_steps_page.result. */
enum {
    PR_RESULT_SINGLE = 0, /* iterations with floats */
    PR_RESULT_FINE,       /* with doubles */
    PR_RESULT_CHANGE,     /* of the last one, as the barrier's sum */
    PR_RESULT_GATHER_NS,  /* block 0: its own work */
    PR_RESULT_WAIT_NS     /* at barriers: others' work, and the exchange */
};

/** Sums of a barrier. */
enum { PR_SUM_CHANGE = 1, PR_SUM_DANGLING, PR_SUM_RESTLESS };

/** Changes and dangling rank are added up as integers of this unit: the same sum in every order. They are
 *  below 2 each. */
#define PR_UNIT (1.0 / 1152921504606846976.0) /* 2^-60 */

typedef struct pr_pull_args {
    struct weir_steps_member member;
    struct pr_plan plan; /* of this device, in its memory */
    const uint32_t *targets;
    const uint32_t *degree; /* out-degrees by number */
    double *partial;        /* sum of each piece of a long row */
    uint64_t *pieces_done;  /* warps that did theirs, over all iterations; release, acquire dev */
    double *ranks;          /* by row */
    float *single
        [WEIR_DEVICES_MAX]; /* shares of each device: 2 * numbers, the turns one after another */
    double *fine[WEIR_DEVICES_MAX]; /* the same; NULL: floats do */
    uint32_t begin, owned, numbers;
    uint32_t symmetric;         /* a row is as long as its vertex's out-degree */
    uint32_t iterations;        /* at most */
    uint32_t single_iterations; /* with floats at most, if there are doubles */
    double start;               /* rank of all vertices */
    double damping, teleport;
    double spread;                   /* of dangling rank, what each vertex gets; 0: it is lost */
    double dangling;                 /* rank of dangling vertices at the start */
    double single_below, fine_below; /* a change that ends the floats, and all */
    double
        restless; /* with doubles: a vertex that changes by more than this part of itself goes on */
} pr_pull_args;

/** What a warp works in. */
struct pr_warp {
    union {
        float single[PR_SLOTS];
        double fine[PR_SLOTS];
    } share;
    uint8_t end[PR_CHUNK_ROWS + 8]; /* of row r of the chunk at r + 1; 0 before */
};

struct pr_tally {
    double change, dangling;
    uint32_t restless;
};

/** What thread 0 of a block keeps of the run; not in registers, which the sweeps are short of. */
struct pr_log {
    uint64_t begin_ns, gather_ns, wait_ns;
    uint32_t single;
};

struct pr_pull_shared {
    struct pr_warp warp[PR_WARPS];
    struct pr_tally tally[PR_WARPS];
    struct pr_log log;
    uint32_t stop;
};

/** An iteration. */
struct pr_round {
    double base;     /* what every vertex gets */
    uint32_t number; /* iterations before */
    uint32_t turn;   /* which copy of the shares is read */
};

/** Who is asked: a warp among those of the device. */
struct pr_place {
    struct pr_warp *own;
    uint32_t worker, workers;
};

#endif
