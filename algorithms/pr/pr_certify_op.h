/** @file pr_certify_op.h  One exact iteration of PageRank along out-arcs; written once for host devices and GPUs. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_CERTIFY_OP_H
#define WEIR_ALGORITHMS_PR_PR_CERTIFY_OP_H

#include "algorithms/common/certify_op.h"

typedef struct pr_certify_args {
    arcs_piece here;
    certify_share share;
    double *shares; /* by vertex: its rank, then what goes over each of its out-arcs */
    double
        *sums; /* by vertex: a sum, and behind it what rounding took from that. Relaxed atomics */
} pr_certify_args;

extern const weir_kernel weir__pr_certify_shares_kernel, weir__pr_certify_arcs_kernel;

/** Ranks become shares, of all vertices on every device. */
WEIR_DEV void pr_certify_shares(const pr_certify_args *a, uint32_t worker, uint32_t workers)
{
    for (uint64_t v = (uint64_t)worker * WEIR_LANES + weir_lane(); v < a->here.vertices;
         v += (uint64_t)workers * WEIR_LANES) {
        const uint64_t arcs = a->here.offsets[v + 1] - a->here.offsets[v];
        if (arcs) /* of others nobody asks for a share */
            a->shares[v] /= (double)arcs;
    }
}

/** What the rounding of a + b, which came to @p sum, took from it: a double, exactly (Knuth's two-sum). */
WEIR_DEV double pr_certify_lost(double a, double b, double sum)
{
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/** Adds come one after the other to each sum, in any order: what each of them loses is added up beside it, so that both together are
 *  right to 2 * 2^-53 whatever the order and however many there are. */
WEIR_DEV void pr_certify_arc(const pr_certify_args *a, uint64_t tail, uint64_t i)
{
    double *sum = &a->sums[2 * (uint64_t)a->here.heads[i]];
    const double share = a->shares[tail];
    const double before = weir_atomic_add_relaxed_dev_f64(sum, share);
    const double lost = pr_certify_lost(before, share, before + share);
    if (lost != 0)
        weir_add_relaxed_dev_f64(sum + 1, lost);
}

ARCS_KERNEL(pr_certify_arcs, pr_certify_args, pr_certify_arc)

#endif
