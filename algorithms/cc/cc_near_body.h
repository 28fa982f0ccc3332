/** @file cc_near_body.h  The body of cc_body.h for graphs whose rows have fewer than CC_FEWER arcs on average, in order of their ids: a kernel of its
 * own, since what cc_near.h does takes registers, and what all others do has no use for as many threads. It is picked for GPUs alone. This
 * is the one for a GPU that is alone; cc_near_several_body.h that for several. */
#ifndef WEIR_ALGORITHMS_CC_NEAR_BODY_H
#define WEIR_ALGORITHMS_CC_NEAR_BODY_H

#define CC_NEAREST    1
#define CC_ONE_DEVICE 1
#define CC_LOOKS_ONLY 1u
#include "algorithms/cc/cc_body.h"

#define cc_near_args   cc_args
#define cc_near_shared cc_shared
#define cc_near_body   cc_body

#define WEIR_STEPS          cc_near
#define WEIR_STEPS_NO_RESET /* the body clears its few words */

#endif
