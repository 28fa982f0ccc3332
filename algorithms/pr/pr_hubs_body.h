/** @file pr_hubs_body.h  The body of pr_pull.h that keeps shares of hubs in the memory of each block, a kernel of its own: what
 * that memory takes is missing in the first cache, which graphs without hubs live on. */
#ifndef WEIR_ALGORITHMS_PR_PR_HUBS_BODY_H
#define WEIR_ALGORITHMS_PR_PR_HUBS_BODY_H

#define PR_HUBS (WEIR_LANES > 1u ? PR_HUBS_GPU : PR_HUBS_HOST)
#include "algorithms/pr/pr_pull.h"

#define pr_hubs_args   pr_pull_args
#define pr_hubs_shared pr_pull_shared
#define pr_hubs_body   pr_pull_body

#define WEIR_STEPS pr_hubs
#define WEIR_STEPS_NO_RESET

#endif
