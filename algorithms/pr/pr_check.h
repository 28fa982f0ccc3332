/** @file pr_check.h  The judging of ranks by one exact iteration, whoever makes that. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_CHECK_H
#define WEIR_ALGORITHMS_PR_PR_CHECK_H

#include "algorithms/pr/pr.h"

/** A compensated sum. */
struct weir__pr_sum {
    double sum,
        rest; /* what the sum has too much, or too little: whoever adds up says so, and leaves `sum` as it is to count */
};

/** Add up what each vertex gets over its in-arcs: ranks in equal shares. Sums are right to 2 * 2^-53 of them.
 *  @param[out] received  by vertex, all zero on entry. */
typedef weir_status (*weir__pr_receive_fn)(void *user, const double *ranks,
                                           struct weir__pr_sum *received);

/** weir_pr_check(), with an iteration by @p receive, within one activity. @param[in] who  the public call.
 *  @param[in] need  what all of it takes of host memory. */
weir_status weir__pr_judge(const char *who, const weir_graph *graph, const weir_pr_config *config,
                           const double *ranks, const struct weir__need *need,
                           weir__pr_receive_fn receive, void *user, weir_pr_change *change_out);

#endif
