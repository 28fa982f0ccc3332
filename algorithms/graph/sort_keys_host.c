/** @file sort_keys_host.c  Sorting and adding up on host devices, by one thread: these have the passes of build.c for their own
 * graphs, so this is for what runs the kernels of GPUs there. */
#include "algorithms/graph/sort_keys.h"

#define DIGITS 256

/* One digit, from one pair of arrays to the other. */
static void move_by_digit(const sort_keys_args *a, uint32_t from, uint32_t shift)
{
    uint64_t next[DIGITS] = {0}, sum = 0;
    for (uint64_t i = 0; i < a->count; i++)
        next[a->keys[from][i] >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        const uint64_t here = next[digit];
        next[digit] = sum;
        sum += here;
    }
    for (uint64_t i = 0; i < a->count; i++) {
        const uint64_t key = a->keys[from][i], to = next[key >> shift & (DIGITS - 1)]++;
        a->keys[from ^ 1][to] = key;
        if (a->values[0])
            a->values[from ^ 1][to] = a->values[from][i];
    }
}

static void sort_keys(const sort_keys_args *a, uint32_t worker, uint32_t workers)
{
    uint32_t which = 0;
    (void)workers;
    if (worker)
        return;
    *a->temp_bytes_out = 1;
    if (!a->temp)
        return;
    for (uint32_t shift = 0; shift < a->bits; shift += 8, which ^= 1)
        move_by_digit(a, which, shift);
    *a->which_out = which;
}

static void sum_before(const sum_before_args *a, uint32_t worker, uint32_t workers)
{
    uint64_t sum = 0;
    (void)workers;
    if (worker)
        return;
    *a->temp_bytes_out = 1;
    for (uint64_t i = 0; a->temp && i < a->count; i++) {
        const uint64_t here = a->values[i];
        a->values[i] = sum;
        sum += here;
    }
}

#define WEIR_KERNEL sort_keys
#include "algorithms/kernel_host_tmpl.h"

#define WEIR_KERNEL sum_before
#include "algorithms/kernel_host_tmpl.h"
