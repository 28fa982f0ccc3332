/** @file names.c  What algorithms, collectives, types and operations are called. */
#include "router/collective.h"

#define NAME_OF(names, number) \
    ((size_t)(number) < sizeof(names) / sizeof *(names) ? (names)[number] : "unknown")

const char *weir_algorithm_name(weir_algorithm algorithm)
{
    static const char *const names[WEIR_ALGORITHM_COUNT] = {"auto", "ring",   "tree",
                                                            "nccl", "direct", "channels"};
    return NAME_OF(names, algorithm);
}

const char *weir_collective_name(weir_collective collective)
{
    static const char *const names[WEIR_COLLECTIVE_COUNT] = {
        "broadcast",  "all-gather", "reduce",  "all-reduce",  "reduce-scatter",
        "all-to-all", "gather",     "scatter", "all-to-all-v"};
    return NAME_OF(names, collective);
}

size_t weir_type_bytes(weir_type type)
{
    static const size_t bytes[WEIR_TYPE_COUNT] = {4, 4, 8, 8, 4, 8, 2, 2};
    return (size_t)type < WEIR_TYPE_COUNT ? bytes[type] : 0;
}

const char *weir_type_name(weir_type type)
{
    static const char *const names[WEIR_TYPE_COUNT] = {"i32", "u32", "i64", "u64",
                                                       "f32", "f64", "f16", "bf16"};
    return NAME_OF(names, type);
}

const char *weir_op_name(weir_op op)
{
    static const char *const names[WEIR_OP_COUNT] = {"sum", "prod", "min", "max"};
    return NAME_OF(names, op);
}
