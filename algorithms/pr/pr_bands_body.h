/** @file pr_bands_body.h  The body of pr_pull.h for several bands, a kernel of its own: one that could do both would have
 * fewer registers for the reads that one band is about. */
#ifndef WEIR_ALGORITHMS_PR_PR_BANDS_BODY_H
#define WEIR_ALGORITHMS_PR_PR_BANDS_BODY_H

#define PR_BANDED 1
#include "algorithms/pr/pr_pull.h"

#define pr_bands_args   pr_pull_args
#define pr_bands_shared pr_pull_shared
#define pr_bands_body   pr_pull_body

#define WEIR_STEPS pr_bands
#define WEIR_STEPS_NO_RESET

#endif
