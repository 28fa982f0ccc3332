/** @file sort_arcs.c  One pass of a radix sort, from the stretch into a buffer of its size; both stay in a core's cache. It leaves so little
 * out of order within a row of dozens or hundreds of arcs that they are moved one by one then, which a second pass over all arcs took longer
 * than; a row of some dozens of arcs, sorted by itself, took four times as long as two passes. */
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

static inline __attribute__((always_inline)) uint32_t target_of(const char *arc)
{
    uint32_t target;
    memcpy(&target, arc + sizeof target, sizeof target);
    return target;
}

/* `bytes` of an arc is a constant. */
static inline __attribute__((always_inline)) void sort(const weir__dealt *dealt, uint32_t stretch,
                                                       uint32_t least, uint32_t shift, size_t bytes,
                                                       char *to)
{
    uint32_t place[DIGITS] = {0}, sum = 0;
    struct weir__piece piece = weir__dealt_first(dealt, stretch);
    for (; piece.arcs; piece = weir__dealt_next(piece))
        for (uint64_t i = 0; i < piece.count; i++)
            place[(target_of(piece.arcs + i * bytes) - least) >> shift]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        const uint32_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (piece = weir__dealt_first(dealt, stretch); piece.arcs; piece = weir__dealt_next(piece))
        for (uint64_t i = 0; i < piece.count; i++) {
            const char *arc = piece.arcs + i * bytes;
            memcpy(to + (size_t)place[(target_of(arc) - least) >> shift]++ * bytes, arc, bytes);
        }
}

int weir__sort_arcs(const struct weir__scratch *scratch, const weir__dealt *dealt, uint32_t stretch,
                    uint32_t least, uint32_t most, void *buffer)
{
    const uint64_t count = dealt->begin[stretch + 1] - dealt->begin[stretch];
    uint32_t shift = 0;
    if (count * weir__dealt_bytes(dealt->kind, dealt->bits) > scratch->bytes || count > UINT32_MAX)
        return 0;
    while ((most - least) >> shift >= DIGITS)
        shift++;
    if (dealt->kind == WEIR_WEIGHT_NONE)
        sort(dealt, stretch, least, shift, sizeof(struct weir__arc_plain), buffer);
    else if (dealt->kind == WEIR_WEIGHT_U32)
        sort(dealt, stretch, least, shift, sizeof(struct weir__arc_u32), buffer);
    else
        sort(dealt, stretch, least, shift, sizeof(struct weir__arc_f64), buffer);
    return 1;
}
