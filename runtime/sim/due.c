/** @file due.c  Queues with a time at which they go on: a heap, the earliest first, then the oldest. */
#include "runtime/sim/engine.h"

#include <stdlib.h>

static weir_status grow(void *table, size_t count, size_t bytes)
{
    void **at = table, *grown = realloc(*at, count * bytes);
    if (!grown)
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %zu queues of a simulation", count);
    *at = grown;
    return WEIR_OK;
}

weir_status weir__sim_reserve(struct weir__sim *sim)
{
    size_t room = sim->room ? 2 * (size_t)sim->room : 16;
    weir_status status;
    if (sim->queues < sim->room)
        return WEIR_OK;
    if ((status = grow(&sim->due, room, sizeof *sim->due)) ||
        (status = grow(&sim->flows, room, sizeof *sim->flows)) ||
        (status = grow(&sim->share.begin, room + 1, sizeof *sim->share.begin)) ||
        (status = grow(&sim->share.use, room * WEIR__SIM_PATH_MAX, sizeof *sim->share.use)) ||
        (status = grow(&sim->share.limit, room, sizeof *sim->share.limit)) ||
        (status = grow(&sim->share.rate, room, sizeof *sim->share.rate)))
        return status;
    sim->room = (uint32_t)room;
    return WEIR_OK;
}

static int before(const struct sim_queue *a, const struct sim_queue *b)
{
    return a->due_ps != b->due_ps ? a->due_ps < b->due_ps : a->number < b->number;
}

void weir__sim_due_push(struct weir__sim *sim, struct sim_queue *queue, uint64_t due_ps)
{
    uint32_t at = sim->due_count++;
    queue->due_ps = due_ps;
    while (at && before(queue, sim->due[(at - 1) / 2])) {
        sim->due[at] = sim->due[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sim->due[at] = queue;
}

struct sim_queue *weir__sim_due_pop(struct weir__sim *sim)
{
    struct sim_queue *first = sim->due[0], *moved = sim->due[--sim->due_count];
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < sim->due_count) {
        if (child + 1 < sim->due_count && before(sim->due[child + 1], sim->due[child]))
            child++;
        if (!before(sim->due[child], moved))
            break;
        sim->due[at] = sim->due[child];
        at = child;
    }
    sim->due[at] = moved;
    return first;
}
