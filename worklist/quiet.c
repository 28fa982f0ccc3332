/** @file quiet.c  When is a run over, and when may the threshold rise? (Groute 4.3, 4.4)
 *
 * Four counters a worker, which only grow:
 *
 *     produced  items that came into being       consumed  items processed or merged
 *     parked    items put into a deferred queue  released  items that left one
 *
 * Published entry side first (produced, released), exit side after (consumed, parked), and an item
 * is published as produced before it is sent. So at every instant exits <= entries, and if the
 * exits read first equal the entries read after, nothing was near or on its way at the moment
 * between: the run is *quiet*. It is collected twice in a row all the same, as the design says,
 * because a device side that publishes out of order must fail a test here and not an answer there.
 *
 * Quiet with nothing deferred: the run is over. Quiet with something deferred: the threshold rises
 * just above the most urgent deferred item, for all workers (the consensus of Groute 4.4).
 *
 * All these accesses are sequentially consistent: two workers that publish and then look must not
 * both miss what the other published, or both would go to sleep. */
#include "worklist/internal.h"

void weir__quiet_publish(struct worker *worker)
{
    struct shared *shared = &worker->shared;
    atomic_store(&shared->far_min, worker->far_min);
    atomic_store(&shared->produced, worker->stats.produced);
    atomic_store(&shared->released, worker->released);
    atomic_store(&shared->consumed, worker->stats.consumed);
    atomic_store(&shared->parked, worker->stats.deferred);
    if (worker->release_left == 0)
        atomic_store(&shared->epoch, worker->epoch);
}

struct sums {
    uint64_t exits, entries, deferred;
};

/* @return 0 if some worker has not taken notice of the present threshold. */
static int collect(struct weir_worklist *list, struct sums *sums)
{
    uint32_t epoch = atomic_load(&list->epoch);
    uint64_t parked = 0, released = 0;
    *sums = (struct sums){0, 0, 0};
    for (uint32_t i = 0; i < list->count; i++) {
        struct shared *shared = &list->workers[i].shared;
        if (atomic_load(&shared->epoch) != epoch)
            return 0;
        parked += atomic_load(&shared->parked);
        sums->exits += atomic_load(&shared->consumed);
    }
    sums->exits += parked;
    for (uint32_t i = 0; i < list->count; i++) {
        struct shared *shared = &list->workers[i].shared;
        released += atomic_load(&shared->released);
        sums->entries += atomic_load(&shared->produced);
    }
    sums->entries += released + atomic_load(&list->seeded);
    sums->deferred = parked - released;
    return 1;
}

static int is_quiet(struct weir_worklist *list, uint64_t *deferred_out)
{
    struct sums first, second;
    if (!collect(list, &first) || first.exits != first.entries)
        return 0;
    if (!collect(list, &second) || second.exits != second.entries || second.exits != first.exits)
        return 0;
    *deferred_out = second.deferred;
    return 1;
}

/* Finds DELTA while running: a step that gave the devices little to do was too narrow, one that
 * gave them far more than they need was too wide (work of later levels is likelier to be wasted).
 */
static void adapt(struct weir_worklist *list)
{
    const uint64_t enough = UINT64_C(2048) * list->count;
    uint64_t processed = 0;
    if (list->config.delta)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        processed += atomic_load(&list->workers[i].shared.consumed);
    uint64_t step = processed - list->processed_before;
    list->processed_before = processed;
    if (step < enough && list->delta < UINT32_MAX / 4)
        list->delta *= 2;
    else if (step > 16 * enough && list->delta > 1)
        list->delta /= 2;
}

static void raise_threshold(struct weir_worklist *list)
{
    uint32_t lowest = NO_PRIORITY, threshold = atomic_load(&list->threshold);
    adapt(list);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t far_min = atomic_load(&list->workers[i].shared.far_min);
        if (lowest > far_min)
            lowest = far_min;
    }
    if (lowest < threshold)
        lowest = threshold; /* a bound that was not exact: a step further finds the item */
    threshold = lowest < UINT32_MAX - list->delta ? lowest + list->delta : UINT32_MAX;
    list->raises++;
    atomic_store(&list->threshold, threshold);
    atomic_fetch_add(&list->epoch, 1);
}

int weir__quiet_check(struct weir_worklist *list)
{
    uint64_t deferred;
    if (!is_quiet(list, &deferred))
        return 0;
    pthread_mutex_lock(&list->order_lock);
    int changed = !atomic_load(&list->done) && is_quiet(list, &deferred);
    if (changed && deferred == 0) {
        list->end_ns = weir_context_time_ns(list->context);
        atomic_store(&list->done, 1);
    } else if (changed) {
        raise_threshold(list);
    }
    pthread_mutex_unlock(&list->order_lock);
    if (changed)
        weir__worklist_ring_all(list);
    return changed;
}
