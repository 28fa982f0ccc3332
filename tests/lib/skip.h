/** @file skip.h  Skipping a test for want of devices, with the reason in words that scripts/run_tests.sh reads. */
#ifndef WEIR_TESTS_LIB_SKIP_H
#define WEIR_TESTS_LIB_SKIP_H

/** Skip the test that calls, because this machine lacks devices of @p spec. Prints "skipped: needs NAME:N" for each kind
 *  of device, N the number of them that a machine must have to run the test: of cuda:2-3 four. WEIR_REQUIRE
 *  counts such a test as failed where the machine is said to have as many. */
void skip_without(const char *spec);

#endif
