/** @file share.h  How many of a test's combinations are tried. */
#ifndef WEIR_TESTS_LIB_SHARE_H
#define WEIR_TESTS_LIB_SHARE_H

/** How far a loop over combinations of choices goes from one to the next: 1, so that all are tried, or the number that the
 *  environment variable WEIR_TEST_STRIDE has, 1 to 99, where time is short (.ci/run says where). A prime that divides none of the numbers of values
 *  that a loop combines lets it still see each value of each choice. The first combination is always tried. */
int test_stride(void);

#endif
