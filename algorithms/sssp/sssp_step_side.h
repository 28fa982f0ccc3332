/** @file sssp_step_side.h  Shortest paths in step on the host's side: what there is of a run on each device. Not
 * installed. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEP_SIDE_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEP_SIDE_H

#include "algorithms/common/need.h"
#include "algorithms/sssp/sssp_step_run.h"
#include "algorithms/sssp/step.h"

/** Memory of a device. */
struct sssp_side {
    uint32_t *tent, *stamp, *done, *cursor;
    struct sssp_step_piece *piece[2];
    uint64_t *inbox[WEIR_DEVICES_MAX]; /* by sender; NULL for itself */
    uint32_t room;                     /* items of each */
    struct sssp_step_words *words;
    uint32_t busy;               /* of sssp_step_args, but for the source */
    struct sssp_step_words last; /* of the last run */
};

struct sssp_run {
    weir_context *context;
    weir__rows *rows;
    weir_steps *steps;
    uint32_t parts, delta;
    struct sssp_side side[WEIR_DEVICES_MAX];
    uint32_t *distances; /* of the last complete run, by vertex */
};

/** Take the memory of all devices and tell their kernels of it; rows, bsp and delta are there.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_UNSUPPORTED  what was taken is freed with the others below. */
weir_status weir__sssp_sides_take(struct sssp_run *run);
/** What that needs. */
void weir__sssp_sides_need(const struct weir__sizes *sizes, struct weir__need *need);
/** Before a run: all words as they are at first. Queued. @param[in] source  the source's number. */
weir_status weir__sssp_side_prepare(struct sssp_run *run, uint32_t p, uint32_t source);
void weir__sssp_sides_free(struct sssp_run *run);

#endif
