/** @file pr_push_end.h  What is made of ranks and residuals where they lie when a run has ended, written once for host
 * devices and GPUs: their sums, and the ranks that are handed out. */
#ifndef WEIR_ALGORITHMS_PR_PR_PUSH_END_H
#define WEIR_ALGORITHMS_PR_PR_PUSH_END_H

#include "algorithms/pr/pr_push_op.h"
#include "runtime/runtime.h"

/* Vertices that a worker takes at a time. */
#define PR_PUSH_TILE 256u

enum pr_push_sums {
    PR_PUSH_RANK = 0, /* ranks and residuals */
    PR_PUSH_RESIDUAL, /* without their signs */
    PR_PUSH_HIDDEN,   /* residuals of the halo without their signs: what owners were not told */
    PR_PUSH_SUMS
};

typedef struct pr_push_end_args {
    const pr_push_value *value; /* owned, then halo */
    double *sums;               /* PR_PUSH_SUMS, added to; NULL: ranks are wanted */
    double *ranks;              /* of what is owned */
    double scale;               /* a rank is that times rank and residual */
    uint32_t owned, halo;
} pr_push_end_args;

extern const weir_kernel weir__pr_push_end_kernel;

WEIR_DEV double pr_push_without_sign(double x)
{
    return x < 0 ? -x : x;
}

WEIR_DEV void pr_push_sum(const pr_push_end_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t count = (uint64_t)a->owned + a->halo;
    double sum[PR_PUSH_SUMS] = {0, 0, 0};
    for (uint64_t first = (uint64_t)worker * PR_PUSH_TILE; first < count;
         first += (uint64_t)workers * PR_PUSH_TILE)
        for (uint32_t r = weir_lane(); r < PR_PUSH_TILE && first + r < count; r += WEIR_LANES) {
            const pr_push_value *value = &a->value[first + r];
            const double residual = pr_push_without_sign(value->residual);
            if (first + r < a->owned) {
                sum[PR_PUSH_RANK] += value->rank + value->residual;
                sum[PR_PUSH_RESIDUAL] += residual;
            } else {
                sum[PR_PUSH_HIDDEN] += residual;
            }
        }
    for (uint32_t i = 0; i < PR_PUSH_SUMS; i++) {
        const double all = weir_group_sum_f64(sum[i], WEIR_LANES);
        if (weir_lane() == 0)
            (void)weir_atomic_add_relaxed_dev_f64(&a->sums[i], all);
    }
}

WEIR_DEV void pr_push_rank(const pr_push_end_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t first = (uint64_t)worker * PR_PUSH_TILE; first < a->owned;
         first += (uint64_t)workers * PR_PUSH_TILE)
        for (uint32_t r = weir_lane(); r < PR_PUSH_TILE && first + r < a->owned; r += WEIR_LANES) {
            const pr_push_value *value = &a->value[first + r];
            a->ranks[first + r] = a->scale * (value->rank + value->residual);
        }
}

WEIR_DEV void pr_push_end(const pr_push_end_args *a, uint32_t worker, uint32_t workers)
{
    if (a->sums)
        pr_push_sum(a, worker, workers);
    else
        pr_push_rank(a, worker, workers);
}

#endif
