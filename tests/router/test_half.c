/** @file test_half.c  Numbers of 16 bits: every one of them, and all that rounds to them, against arithmetic on
 *  doubles; and their reductions on every kind of device. */
#include "router/collective/reduction.h"
#include "runtime/internal.h"
#include "tests/lib/support.h"
#include "tests/router/half_reference.h"

#include <stdlib.h>
#include <string.h>

#define ALL 65536u

static float widen(weir_type type, uint16_t bits)
{
    return type == WEIR_TYPE_F16 ? weir__f32_of_f16(bits) : weir__f32_of_bf16(bits);
}

static uint16_t narrow(weir_type type, float value)
{
    return type == WEIR_TYPE_F16 ? weir__f16_of_f32(value) : weir__bf16_of_f32(value);
}

static void assert_narrow(weir_type type, float value)
{
    uint16_t got = narrow(type, value), wanted = half_encode(value, half_format_of(type));
    if (got == wanted)
        return;
    print_error("%s of %a: %04x instead of %04x\n", weir_type_name(type), value, got, wanted);
    fail();
}

static void every_value_goes_to_a_float_and_back(void **state)
{
    (void)state;
    for (int type = WEIR_TYPE_F16; type <= WEIR_TYPE_BF16; type++)
        for (uint32_t h = 0; h < ALL; h++) {
            double wanted = half_decode((uint16_t)h, half_format_of((weir_type)type));
            float got = widen((weir_type)type, (uint16_t)h);
            assert_int_equal(isnan(got) != 0, isnan(wanted) != 0);
            assert_true(isnan(got) || ((double)got == wanted && !signbit(got) == !signbit(wanted)));
            uint32_t back = narrow((weir_type)type, got);
            uint32_t nan = type == WEIR_TYPE_F16 ? WEIR__F16_NAN : WEIR__BF16_NAN;
            assert_int_equal(back, isnan(got) ? nan : h);
        }
}

/* The floats around the middle between each value and the next one, where rounding turns; of the largest
 * value the next one is a power of two that counts as infinity. */
static void what_lies_between_two_values_goes_to_the_nearest(void **state)
{
    (void)state;
    for (int type = WEIR_TYPE_F16; type <= WEIR_TYPE_BF16; type++) {
        struct half_format format = half_format_of((weir_type)type);
        for (uint32_t h = 0; h < ALL / 2; h++) {
            double low = half_decode((uint16_t)h, format);
            double high = half_decode((uint16_t)(h + 1), format);
            if (isnan(low) || isinf(low))
                continue;
            float middle = (float)((low + (isinf(high) ? ldexp(1, format.most + 1) : high)) / 2);
            const float around[] = {middle, nextafterf(middle, 0), nextafterf(middle, INFINITY),
                                    nextafterf((float)low, INFINITY), nextafterf((float)high, 0)};
            for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
                assert_narrow((weir_type)type, around[i]);
                assert_narrow((weir_type)type, -around[i]);
            }
        }
    }
}

static void any_float_goes_to_the_nearest(void **state)
{
    static const uint32_t special[] = {0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF,
                                       0x00000001, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000};
    uint64_t seed = 20261123;
    (void)state;
    for (int type = WEIR_TYPE_F16; type <= WEIR_TYPE_BF16; type++) {
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            assert_narrow((weir_type)type, weir__f32_of_bits(special[i]));
        for (uint32_t i = 0; i < 1u << 20; i++)
            assert_narrow((weir_type)type, weir__f32_of_bits((uint32_t)next_random(&seed)));
    }
}

#ifdef __FLT16_MAX__ /* the compiler has the type, and rounds by itself */
static void the_compiler_says_the_same(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (uint32_t i = 0; i < 1u << 20; i++) {
        float value = weir__f32_of_bits((uint32_t)next_random(&seed) & 0xC7FFFFFF);
        __extension__ _Float16 theirs = (__typeof__(theirs))value;
        uint16_t bits;
        memcpy(&bits, &theirs, sizeof bits);
        if (!isnan(value))
            assert_int_equal(weir__f16_of_f32(value), bits);
    }
}
#endif

/* ---- reductions ----------------------------------------------------------------------------- */

static uint16_t wanted(weir_type type, weir_op op, uint16_t x, uint16_t y)
{
    struct half_format format = half_format_of(type);
    double a = half_decode(x, format), b = half_decode(y, format);
    if (op == WEIR_OP_MIN)
        return a < b || isnan(b) ? x : y;
    if (op == WEIR_OP_MAX)
        return a > b || isnan(b) ? x : y;
    if (type == WEIR_TYPE_F16) /* exact in a double: rounded once */
        return half_encode(op == WEIR_OP_SUM ? a + b : a * b, format);
    float f = op == WEIR_OP_SUM ? (float)a + (float)b : (float)a * (float)b;
    return half_encode(f, format);
}

/* All values, each with this one. */
static void reduce_with(weir_device *device, weir_queue *queue, uint16_t *const *data,
                        weir_type type, weir_op op, uint16_t with)
{
    static uint16_t all[ALL], other[ALL], got[ALL];
    for (uint32_t h = 0; h < ALL; h++) {
        all[h] = (uint16_t)h;
        other[h] = with;
    }
    OK(weir__upload(device, data[0], all, sizeof all));
    OK(weir__upload(device, data[1], other, sizeof other));
    const struct weir__reduction_args args = {
        .out = data[2],
        .a = data[0],
        .b = data[1],
        .count = ALL - 3, /* the last ones are no whole 16 bytes */
        .element = sizeof(uint16_t),
        .number = (uint32_t)type * WEIR_OP_COUNT + (uint32_t)op};
    OK(weir_queue_launch(queue, &weir__reduction_kernel, &args, sizeof args));
    OK(weir_queue_sync(queue));
    OK(weir__download(device, got, data[2], sizeof got));
    for (uint32_t h = 0; h < ALL - 3; h++) {
        uint16_t right = wanted(type, op, (uint16_t)h, with);
        if (got[h] == right)
            continue;
        print_error("%s %s of %04x and %04x: %04x instead of %04x\n", weir_type_name(type),
                    weir_op_name(op), h, with, got[h], right);
        fail();
    }
}

/* Zeros, the least and the largest of all kinds, one, infinities, NaNs, and some at random. */
static void reductions_are_the_same_bits_on_every_device(void **state)
{
    static const uint16_t ends[] = {0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x7BFF,
                                    0xFBFF, 0x3C00, 0x7C00, 0xFC00, 0x7E00, 0xFC01,
                                    0x0080, 0x7F7F, 0x3F80, 0x7F80, 0xFF80, 0x7FC1};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    weir_queue *queue = new_queue(device);
    uint16_t *data[3];
    uint64_t seed = 1;
    for (int i = 0; i < 3; i++)
        data[i] = new_memory(device, ALL * sizeof(uint16_t));
    for (int type = WEIR_TYPE_F16; type <= WEIR_TYPE_BF16; type++)
        for (int op = 0; op < WEIR_OP_COUNT; op++) {
            for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
                reduce_with(device, queue, data, (weir_type)type, (weir_op)op, ends[i]);
            for (int i = 0; i < 6; i++)
                reduce_with(device, queue, data, (weir_type)type, (weir_op)op,
                            (uint16_t)next_random(&seed));
        }
    for (int i = 0; i < 3; i++)
        weir_device_free(device, data[i]);
    weir_queue_destroy(queue);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_goes_to_a_float_and_back),
        cmocka_unit_test(what_lies_between_two_values_goes_to_the_nearest),
        cmocka_unit_test(any_float_goes_to_the_nearest),
#ifdef __FLT16_MAX__
        cmocka_unit_test(the_compiler_says_the_same),
#endif
        ON_BACKEND(reductions_are_the_same_bits_on_every_device, "host:2"),
        ON_BACKEND(reductions_are_the_same_bits_on_every_device, "cuda:0"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
