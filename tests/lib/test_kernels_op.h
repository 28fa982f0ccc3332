/** @file test_kernels_op.h  What a worker of each test kernel does, in the common dialect. */
#ifndef WEIR_TESTS_LIB_TEST_KERNELS_OP_H
#define WEIR_TESTS_LIB_TEST_KERNELS_OP_H

#include "runtime/dialect.h"
#include "tests/lib/test_kernels.h"

WEIR_DEV void test_calls_op(const struct test_calls_args *a, uint32_t worker, uint32_t workers)
{
    if (worker < a->room && weir_lane() == 0) {
        a->calls[worker] += 1;
        a->totals[worker] = workers;
    }
}

WEIR_DEV void test_payload_op(const struct test_payload_args *a, uint32_t worker, uint32_t workers)
{
    (void)workers;
    for (uint32_t i = weir_lane(); worker == 0 && i < TEST_PAYLOAD_BYTES; i += WEIR_LANES)
        a->out[i] = a->payload[i];
}

WEIR_DEV void test_affine_op(const struct test_affine_args *a, uint32_t worker, uint32_t workers)
{
    for (uint32_t i = worker * WEIR_LANES + weir_lane(); i < a->count; i += workers * WEIR_LANES)
        a->data[i] = a->data[i] * a->factor + a->add;
}

#endif
