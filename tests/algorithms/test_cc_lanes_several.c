/** @file test_cc_lanes_several.c  test_cc_lanes.c of the kernel for several devices, whose hooks are listed. */
#define CC_LANES_SEVERAL 1
#include "tests/algorithms/test_cc_lanes.c"
