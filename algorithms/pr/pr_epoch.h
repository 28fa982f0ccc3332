/** @file pr_epoch.h  How PageRank by residuals goes on from one epoch to the next, and when it ends: the same for epochs through the worklist, where
 * the host decides (pr_push.c), and for epochs in step, where each block does (pr_steal.h). pr_push.c has the proof. In the dialect. */
#ifndef WEIR_ALGORITHMS_PR_PR_EPOCH_H
#define WEIR_ALGORITHMS_PR_PR_EPOCH_H

#include "runtime/dialect.h"

#include <float.h>
#include <math.h>

#define PR_EPOCH_LEFT_OUT 4 /* an epoch leaves out at most such a part of all residuals */

/** The values of a vertex. */
typedef struct pr_push_value {
    double rank; /* of the halo: not used */
    double residual;
} pr_push_value;

/** What is added up after an epoch, over all vertices. */
enum pr_push_sums {
    PR_PUSH_RANK = 0, /* ranks and residuals of what is owned */
    PR_PUSH_NET,      /* residuals, of the halo too */
    PR_PUSH_ALL,      /* the same without their signs */
    PR_PUSH_PASSED_NET, /* what arrives if all are handed on: damped, but for the halo's, and without those of vertices */
    PR_PUSH_PASSED_ALL, /* without out-arcs. The same without their signs */
    PR_PUSH_RESTLESS,   /* vertices whose residual is more than a part of their rank */
    PR_PUSH_SUMS
};

/** A run of epochs. */
struct pr_course {
    double vertices, damping, tolerance;
    uint32_t spread;  /* dangling rank is */
    uint32_t fine;    /* no vertex may be restless in the end */
    double before;    /* sum of residuals, without their signs, an epoch ago; 0: there was none */
    double teleports; /* s: so many times t */
    double scale;     /* a rank is that times rank and residual */
    double bound;     /* of how far ranks are from T of them, in L1 */
};

/** How an epoch goes. */
struct pr_epoch {
    double threshold; /* of residuals that are handed on, above 0 */
    double shift;     /* what each residual of an owned vertex is short of */
};

WEIR_DEV int pr_push_large(double threshold, double residual)
{
    return residual >= threshold || residual <= -threshold;
}

/* What an epoch may leave out of residuals of @p all together, so that the run does not end later for it. If what is left out falls
 * by the damping alone while all else goes on to fall as it did, both should come to the tolerance in the same epoch: it is that many
 * times the damping below. */
WEIR_DEV double pr_epoch_left_out(const struct pr_course *course, double all)
{
    const double tolerance = course->tolerance, damping = course->damping;
    const double fell = course->before > 0 ? all / course->before : sqrt(damping);
    const double part = fell < damping ? log(damping) / log(fell) : 1;
    return fmin(all / PR_EPOCH_LEFT_OUT, tolerance * pow(fmax(all / tolerance, 1.0), part));
}

/** How to go on where residuals sum to @p net, and to @p all without their signs. */
WEIR_DEV struct pr_epoch pr_epoch_next(struct pr_course *course, double net, double all)
{
    const double n = course->vertices, least = -course->teleports / 2;
    const double more = fmax(-net / (1 - course->damping), least); /* s stays above 0 */
    /* When their sum is 0, residuals are `all - |net|` at least, and unlikely to be much less than they were. */
    const double meant = fmax(all - fabs(net), all / 16);
    struct pr_epoch epoch;
    epoch.shift = more * (1 - course->damping) / n;
    epoch.threshold = fmax(pr_epoch_left_out(course, meant) / n, DBL_MIN);
    course->teleports += more;
    course->before = all;
    return epoch;
}

/** Find the bound of what is left, and the scale. @param[in] sum  PR_PUSH_SUMS of them. @return whether that is little enough. */
WEIR_DEV int pr_epoch_ended(struct pr_course *course, const double *sum)
{
    double bound = sum[PR_PUSH_PASSED_ALL];
    course->scale = 1 / course->teleports;
    if (course->spread) {
        course->scale = 1 / sum[PR_PUSH_RANK];
        bound += fabs(sum[PR_PUSH_PASSED_NET]);
    }
    course->bound = bound * course->scale;
    return course->bound < course->tolerance && (!course->fine || sum[PR_PUSH_RESTLESS] == 0);
}

#endif
