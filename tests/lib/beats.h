/** @file beats.h  A body for supersteps (worklist/steps.h) that checks the supersteps themselves. */
#ifndef WEIR_TESTS_LIB_BEATS_H
#define WEIR_TESTS_LIB_BEATS_H

#include "worklist/steps.h"

#define BEATS_BLOCKS_MAX 1024u /* of a device */
#define BEATS_SLOW_NS    10000000u
#define BEATS_LATE_NS    50000000u
#define BEATS_CELLS      (2 * BEATS_BLOCKS_MAX)

/** What a body does. */
enum beats_mode {
    BEATS_COUNT = 0, /* barriers of changing numbers of blocks, whose sums are known beforehand */
    BEATS_FOREVER,   /* barriers of all blocks until somebody stops it */
    BEATS_STUCK,     /* device 0 does not come to the barrier at `steps` */
    BEATS_ASLEEP,    /* all blocks sleep and nobody wakes them */
    BEATS_STOPS,     /* block 0 of each device tells the others to stop at `steps` */
    BEATS_LATE, /* device 0 stops at `steps`; the others arrive there BEATS_LATE_NS later, and stop too */
    BEATS_SLOW /* `steps` steps of BEATS_SLOW_NS each */
};

/** What lies in weir_steps_page.result. */
enum beats_result {
    BEATS_WRONG = 0, /* flags, sums, words and cells that were not as they had to be */
    BEATS_CAME,      /* blocks that came to the end */
    BEATS_BLOCKS,
    BEATS_STEP,  /* barriers that block 0 passed */
    BEATS_SLEPT, /* naps of blocks */
    BEATS_LAST = WEIR_STEPS_RESULTS - 1
};

struct beats_args {
    struct weir_steps_member member;
    /* Of each device, BEATS_CELLS: what a block writes before a step's barrier in [step % 2][block], plainly. */
    uint64_t *cell[WEIR_DEVICES_MAX];
    uint64_t *spare[2]; /* of tables; the body does not look at them */
    uint32_t mode, steps, seed;
    uint32_t before; /* steps that count as done before the first, modulo 2^32; even */
};

extern const weir_steps_body weir__beats_steps;

/** Any body with the arguments above on the first @p devices devices: a program without a table. */
static inline weir_status beats_create(weir_context *context, uint32_t devices,
                                       const weir_steps_program *program, uint32_t time_limit_ms,
                                       weir_steps **steps_out)
{
    const weir_steps_domain domain = {devices, {0}, {0}};
    return weir_steps_create(context, program, &domain, NULL, time_limit_ms, steps_out);
}

#endif
