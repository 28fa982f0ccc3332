/** @file pr_push_pass.h  Passes over the ranks and residuals of a part between runs of the engine, when nobody else touches them,
 * written once for host devices and GPUs: sums after an epoch, and ranks that are handed out. */
#ifndef WEIR_ALGORITHMS_PR_PR_PUSH_PASS_H
#define WEIR_ALGORITHMS_PR_PR_PUSH_PASS_H

#include "algorithms/pr/pr_push_op.h"
#include "runtime/runtime.h"

/* Vertices that a worker takes at a time. */
#define PR_PUSH_TILE 256u

typedef struct pr_push_pass_args {
    pr_push_value *value;    /* owned, then halo */
    double *sums;            /* PR_PUSH_SUMS, added to; NULL: ranks are wanted */
    double *ranks;           /* of what is owned */
    const uint64_t *offsets; /* of the part */
    double damping;
    double shift;    /* what residuals are short of; sums are made with it, and it is added */
    double restless; /* the part */
    double scale;    /* a rank that is handed out is that times rank and residual */
    uint32_t owned, halo;
} pr_push_pass_args;

extern const weir_kernel weir__pr_push_pass_kernel;

WEIR_DEV double pr_push_without_sign(double x)
{
    return x < 0 ? -x : x;
}

WEIR_DEV void pr_push_add_up(const pr_push_pass_args *a, uint64_t v, double *sum)
{
    pr_push_value *value = &a->value[v];
    double passed = value->residual, residual = passed;
    if (v < a->owned) {
        residual += a->shift;
        value->residual = residual;
        passed = a->offsets[v] < a->offsets[v + 1] ? a->damping * residual : 0;
        const double rank = value->rank + residual;
        sum[PR_PUSH_RANK] += rank;
        sum[PR_PUSH_RESTLESS] += pr_push_without_sign(residual) > a->restless * rank;
    }
    sum[PR_PUSH_NET] += residual;
    sum[PR_PUSH_ALL] += pr_push_without_sign(residual);
    sum[PR_PUSH_PASSED_NET] += passed;
    sum[PR_PUSH_PASSED_ALL] += pr_push_without_sign(passed);
}

WEIR_DEV void pr_push_pass(const pr_push_pass_args *a, uint32_t worker, uint32_t workers)
{
    const uint64_t count = (uint64_t)a->owned + (a->sums ? a->halo : 0);
    double sum[PR_PUSH_SUMS] = {0, 0, 0, 0, 0, 0};
    for (uint64_t first = (uint64_t)worker * PR_PUSH_TILE; first < count;
         first += (uint64_t)workers * PR_PUSH_TILE)
        for (uint64_t v = first + weir_lane(); v < first + PR_PUSH_TILE && v < count;
             v += WEIR_LANES) {
            if (a->sums)
                pr_push_add_up(a, v, sum);
            else
                a->ranks[v] = a->scale * (a->value[v].rank + a->value[v].residual);
        }
    if (!a->sums)
        return;
    for (uint32_t i = 0; i < PR_PUSH_SUMS; i++) {
        const double all = weir_group_sum_f64(sum[i], WEIR_LANES);
        if (weir_lane() == 0)
            weir_add_relaxed_dev_f64(&a->sums[i], all);
    }
}

#endif
