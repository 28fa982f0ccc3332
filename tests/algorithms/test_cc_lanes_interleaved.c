/** @file test_cc_lanes_interleaved.c  test_cc_lanes_usual.c of the kernel with interleaved names. */
#define CC_LANES_INTERLEAVED 1
#include "tests/algorithms/test_cc_lanes_usual.c"
