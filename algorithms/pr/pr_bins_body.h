/** @file pr_bins_body.h  The body of pr_pull.h that spreads shares into bins, a kernel of its own: a block has other things in its
 * memory. */
#ifndef WEIR_ALGORITHMS_PR_PR_BINS_BODY_H
#define WEIR_ALGORITHMS_PR_PR_BINS_BODY_H

#define PR_BINS 1
#include "algorithms/pr/pr_pull.h"

#define pr_bins_args   pr_pull_args
#define pr_bins_shared pr_pull_shared
#define pr_bins_body   pr_pull_body

#define WEIR_STEPS pr_bins
#define WEIR_STEPS_NO_RESET

#endif
