/** @file pr_making.h  What there is while an object of the pull form is made, and the choice between its kernels. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_MAKING_H
#define WEIR_ALGORITHMS_PR_PR_MAKING_H

#include "algorithms/pr/pr.h"

/* What there is while an object is made. */
struct weir__pr_making {
    struct weir__pr_pull *pull;
    const struct weir__pr_task *task;
    struct weir__pr_parts parts;
    uint64_t *offsets[WEIR_DEVICES_MAX]; /* of in-arcs */
    struct weir__pr_bands bands;         /* one: there are none */
    struct pr_hubs hubs;                 /* each 0: none are kept */
    struct weir__pr_bins bins;           /* rows 0: there are none */
    struct weir__pr_lists lists[WEIR_DEVICES_MAX];
    uint8_t *readers; /* by number, of several devices; else NULL */
};

/** The rows of a part. */
static inline const weir_rows_part *weir__pr_part_of(const struct weir__pr_making *making,
                                                     uint32_t p)
{
    return weir__row_steps_part(&making->pull->on, p);
}

/** Find out whether shares are spread into bins, read band by band, or read with those of hubs kept near, or none of these; what
 *  was asked for goes first. Rows are placed, and `parts` is filled in.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__pr_choose(struct weir__pr_making *making);

#endif
