/** @file cc_near_several_body.h  The same as cc_near_body.h for several devices. What these do besides takes registers, and a block's arrival at a
 * barrier time: so this kernel has one block of more threads for each multiprocessor. */
#ifndef WEIR_ALGORITHMS_CC_NEAR_SEVERAL_BODY_H
#define WEIR_ALGORITHMS_CC_NEAR_SEVERAL_BODY_H

#define CC_NEAREST    1
#define CC_LOOKS_ONLY 1u
#include "algorithms/cc/cc_body.h"

#define cc_near_several_args   cc_args
#define cc_near_several_shared cc_shared
#define cc_near_several_body   cc_body

#define WEIR_STEPS          cc_near_several
#define WEIR_STEPS_NO_RESET /* the body clears its few words */

#endif
