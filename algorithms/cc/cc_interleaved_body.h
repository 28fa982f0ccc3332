/** @file cc_interleaved_body.h  The body of cc_body.h for several devices whose rows are numbered by degree, or so long that roots go first, a kernel of its own.
 *
 * Numbers of a part come behind all of the part before, so that a row with few arcs to hubs of a later part would have no smaller
 * neighbour, and be a tree of its own after the first step; and of long rows by id nearly all roots are the first part's. So vertices have *names* by which they are compared: the first rows of
 * all parts, then the second ones, and so on. Parents lie by number all the same, so that rows are read side by side. */
#ifndef WEIR_ALGORITHMS_CC_INTERLEAVED_BODY_H
#define WEIR_ALGORITHMS_CC_INTERLEAVED_BODY_H

#define CC_INTERLEAVED 1
#include "algorithms/cc/cc_body.h"

#define cc_interleaved_args   cc_args
#define cc_interleaved_shared cc_shared
#define cc_interleaved_body   cc_body

#define WEIR_STEPS          cc_interleaved
#define WEIR_STEPS_NO_RESET /* the body clears its few words */

#endif
