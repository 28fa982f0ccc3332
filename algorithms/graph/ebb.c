/** @file ebb.c  A part goes back with the last byte that somebody wanted of it: the whole pages of it. */
#include "algorithms/graph/ebb.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <sys/mman.h>

#define PART (UINT64_C(512) << 10) /* given back at once: a call stops all threads for a moment */
#define PAGE UINT64_C(4096)

static uint64_t part_of(const struct weir__ebb *ebb, uint64_t byte)
{
    return ((uintptr_t)ebb->data + byte) / PART - (uintptr_t)ebb->data / PART;
}

/* The first byte of a part, or of the array, that is in the array. */
static uint64_t begin_of(const struct weir__ebb *ebb, uint64_t part)
{
    const uint64_t begin = part * PART, before = (uintptr_t)ebb->data % PART;
    return begin > before ? begin - before : 0;
}

static uint64_t end_of(const struct weir__ebb *ebb, uint64_t part)
{
    const uint64_t end = begin_of(ebb, part + 1);
    return end < ebb->bytes ? end : ebb->bytes;
}

weir_status weir__ebb_open(struct weir__ebb *ebb, void *data, uint64_t bytes)
{
    *ebb = (struct weir__ebb){.data = data, .bytes = bytes};
    if (bytes == 0)
        return WEIR_OK;
    const uint64_t parts = part_of(ebb, bytes - 1) + 1;
    weir_status status = weir__alloc(parts, sizeof *ebb->left, "sorting arcs", &ebb->left);
    for (uint64_t p = 0; !status && p < parts; p++)
        ebb->left[p] = (uint32_t)(end_of(ebb, p) - begin_of(ebb, p));
    return status;
}

void weir__ebb_take(struct weir__ebb *ebb, uint64_t from, uint64_t to)
{
    while (ebb->left && from < to) {
        const uint64_t part = part_of(ebb, from), end = end_of(ebb, part),
                       stop = end < to ? end : to;
        const uint32_t taken = (uint32_t)(stop - from);
        /* Acquire and release: what others read there they read before the part goes. */
        if (__atomic_fetch_sub(&ebb->left[part], taken, __ATOMIC_ACQ_REL) == taken) {
            const uintptr_t first = (uintptr_t)ebb->data + begin_of(ebb, part) + PAGE - 1,
                            last = (uintptr_t)ebb->data + end;
            if (first / PAGE < last / PAGE)
                (void)madvise((void *)(first / PAGE * PAGE), (last / PAGE - first / PAGE) * PAGE,
                              MADV_DONTNEED);
        }
        from = stop;
    }
}

void weir__ebb_close(struct weir__ebb *ebb)
{
    free(ebb->left);
    *ebb = (struct weir__ebb){.left = NULL};
}
