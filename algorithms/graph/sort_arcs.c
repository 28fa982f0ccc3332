/** @file sort_arcs.c  A radix sort from the lowest digit up, which moves each arc once a digit, between the stretch and a
 * buffer of its size; both stay in a core's cache. A row of some dozens of arcs, sorted by itself, takes four times as long. */
#include "algorithms/graph/sort_arcs.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

void weir__scratch_open(struct weir__scratch *scratch, size_t bytes)
{
    *scratch = (struct weir__scratch){.bytes = bytes < sizeof(void *) ? sizeof(void *) : bytes};
    pthread_mutex_init(&scratch->lock, NULL);
}

void weir__scratch_close(struct weir__scratch *scratch)
{
    while (scratch->free) {
        void *buffer = scratch->free;
        memcpy(&scratch->free, buffer, sizeof buffer);
        free(buffer);
    }
    pthread_mutex_destroy(&scratch->lock);
}

void *weir__scratch_take(struct weir__scratch *scratch)
{
    pthread_mutex_lock(&scratch->lock);
    void *buffer = scratch->free;
    if (buffer)
        memcpy(&scratch->free, buffer, sizeof buffer);
    pthread_mutex_unlock(&scratch->lock);
    return buffer ? buffer : malloc(scratch->bytes);
}

void weir__scratch_put(struct weir__scratch *scratch, void *buffer)
{
    pthread_mutex_lock(&scratch->lock);
    memcpy(buffer, &scratch->free, sizeof buffer);
    scratch->free = buffer;
    pthread_mutex_unlock(&scratch->lock);
}

/* One digit; `bytes` of an arc is constant where this is called. */
static inline void pass(const char *from, char *to, uint64_t count, size_t bytes, uint32_t shift,
                        uint32_t mask)
{
    uint32_t place[DIGITS] = {0}, target;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&target, from + i * bytes + sizeof target, sizeof target);
        place[target >> shift & mask]++;
    }
    for (uint32_t digit = 0, sum = 0; digit <= mask; digit++) {
        const uint32_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&target, from + i * bytes + sizeof target, sizeof target);
        memcpy(to + place[target >> shift & mask]++ * bytes, from + i * bytes, bytes);
    }
}

int weir__sort_arcs(struct weir__scratch *scratch, void *arcs, uint64_t count,
                    weir_weight_kind kind, uint64_t vertices)
{
    const uint32_t bits = vertices > 1 ? 64 - (uint32_t)__builtin_clzll(vertices - 1) : 1;
    const uint32_t passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS,
                   each = (bits + passes - 1) / passes;
    const size_t bytes = weir__dealt_bytes(kind);
    void *buffer = count * bytes <= scratch->bytes ? weir__scratch_take(scratch) : NULL;
    char *from = arcs, *to = buffer;
    if (!buffer)
        return 0;
    for (uint32_t p = 0; p < passes; p++) {
        char *other = from;
        if (kind == WEIR_WEIGHT_NONE)
            pass(from, to, count, sizeof(struct weir__arc_plain), p * each, (1u << each) - 1);
        else if (kind == WEIR_WEIGHT_U32)
            pass(from, to, count, sizeof(struct weir__arc_u32), p * each, (1u << each) - 1);
        else
            pass(from, to, count, sizeof(struct weir__arc_f64), p * each, (1u << each) - 1);
        from = to;
        to = other;
    }
    if (from != arcs)
        memcpy(arcs, from, count * bytes);
    weir__scratch_put(scratch, buffer);
    return 1;
}
