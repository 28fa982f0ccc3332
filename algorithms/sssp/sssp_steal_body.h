/** @file sssp_steal_body.h  The body of sssp_step_body.h that shares pieces out (sssp_steal.h), a kernel of its own: what that takes of
 * registers and of a block's memory would be missing in the other one. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_STEAL_BODY_H
#define WEIR_ALGORITHMS_SSSP_SSSP_STEAL_BODY_H

#define SSSP_STEALS 1
#include "algorithms/sssp/sssp_step_body.h"

#define sssp_steal_args   sssp_step_args
#define sssp_steal_shared sssp_step_shared
#define sssp_steal_body   sssp_step_body

#define WEIR_STEPS sssp_steal

#endif
