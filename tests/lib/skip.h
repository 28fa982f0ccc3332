/** @file skip.h  Skipping a test, with the reason in words: for want of devices (scripts/run_tests.sh reads that), or as asked. */
#ifndef WEIR_TESTS_LIB_SKIP_H
#define WEIR_TESTS_LIB_SKIP_H

/** Skip the test that calls, because this machine lacks devices of @p spec. Prints "skipped: needs NAME:N" for each kind
 *  of device, N the number of them that a machine must have to run the test: of cuda:2-3 four. WEIR_REQUIRE
 *  counts such a test as failed where the machine is said to have as many. */
void skip_without(const char *spec);

/** Skip the test that calls if WEIR_TEST_LEAVE_OUT names the spec of its case. The variable holds specs with blanks
 *  between, whose cases a slow build does without (.ci/run says which, and why). What a test opens beside its case's spec
 *  is not left out: it would end in the middle. */
void skip_if_left_out(const char *spec);

#endif
