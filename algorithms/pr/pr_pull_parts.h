/** @file pr_pull_parts.h  PageRank in step on the host's side: what there is of it on each device. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_PULL_PARTS_H
#define WEIR_ALGORITHMS_PR_PR_PULL_PARTS_H

#include "algorithms/common/need.h"
#include "algorithms/pr/pr.h"
#include "worklist/steps.h"

enum { WEIR__PR_MEMORY_MAX = 10 }; /* arrays of a device */

struct weir__pr_pull_part {
    void *memory[WEIR__PR_MEMORY_MAX];
    uint32_t used;
    uint64_t chunks; /* of its plan */
    double *ranks;
    double *fine; /* shares that are doubles; NULL: there are none yet */
    void *done;   /* pieces_done */
};

struct weir__pr_pull {
    weir_context *context;
    weir_pr_config config;
    uint64_t vertices, dangling;
    uint32_t parts;
    int fine; /* shares can be doubles, too */
    weir__rows *rows;
    weir_steps *bsp;
    struct weir__pr_pull_part part[WEIR_DEVICES_MAX];
    uint64_t *sent; /* parts * parts: values of an iteration from one to another */
    uint64_t steps; /* of the last run */
};

/** What of placing comes after the rows, and what a run with doubles takes if it is to begin with them. */
void weir__pr_pull_need(const struct weir__pr_task *task, const struct weir__sizes *sizes,
                        struct weir__need *need);
/** Lists and shares of all parts, and what their kernels are told; the rest of @p pull is there.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_UNSUPPORTED  what was placed is freed with the others below. */
weir_status weir__pr_pull_place(struct weir__pr_pull *pull, const struct weir__pr_task *task);
/** When to stop, and the doubles if that takes some. @param[in] fine  doubles are wanted in any case.
 *  @retval WEIR_ERR_NOMEM  all is as before, and this may be tried again. */
weir_status weir__pr_pull_set_bounds(struct weir__pr_pull *pull, int fine);
/** Free what was placed. */
void weir__pr_pull_unplace(struct weir__pr_pull *pull);

#endif
