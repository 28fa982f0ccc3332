/** @file run.c  Running a worklist: a thread for each worker, seeds, the end, and how it is
 * stopped. */
#include "worklist/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A worker that has items to send and no buffer looks again this soon; receivers ring, senders do
 * not, since a copy's end is an event of the device. */
#define SEND_POLL_US 50

void weir__worklist_ring_all(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        weir__bell_ring(&list->workers[i].bell);
}

void weir__worklist_fail(struct weir_worklist *list, weir_status status)
{
    int first = 0;
    pthread_mutex_lock(&list->state_lock);
    if (!list->status) {
        first = 1;
        list->status = status;
        list->detail = strdup(weir_error_detail());
        atomic_store(&list->stop, 1);
        pthread_cond_broadcast(&list->state_changed);
    }
    pthread_mutex_unlock(&list->state_lock);
    if (!first)
        return;
    weir_router_cancel(list->router, status);
    weir__worklist_ring_all(list);
}

void weir_worklist_cancel(weir_worklist *list)
{
    (void)weir__fail(WEIR_ERR_CANCELLED, "%s: the run was cancelled", list->op->name);
    weir__worklist_fail(list, WEIR_ERR_CANCELLED);
}

static int stopped(struct weir_worklist *list)
{
    return atomic_load(&list->stop) || atomic_load(&list->done);
}

static void *drive(void *data)
{
    struct worker *worker = data;
    struct weir_worklist *list = worker->list;
    weir_status status = WEIR_OK;
    while (!stopped(list)) {
        int worked;
        if ((status = weir__round(worker, &worked)))
            break;
        if (worked)
            continue;
        weir__quiet_publish(worker);
        if (weir__quiet_check(list))
            continue;
        weir__bell_wait(&worker->bell, weir__lanes_waiting(worker) ? SEND_POLL_US : -1);
    }
    if (status)
        weir__worklist_fail(list, status);
    pthread_mutex_lock(&list->state_lock);
    list->running--;
    pthread_cond_broadcast(&list->state_changed);
    pthread_mutex_unlock(&list->state_lock);
    return NULL;
}

static void reset(struct weir_worklist *list)
{
    atomic_store(&list->done, 0);
    atomic_store(&list->epoch, 0);
    atomic_store(&list->seeded, 0);
    list->delta = list->config.delta ? list->config.delta : 1;
    list->raises = list->processed_before = 0;
    atomic_store(&list->threshold, list->delta);
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        worker->stats = (weir_worklist_stats){.ms = 0};
        worker->epoch = 0;
        worker->release_left = 0;
        worker->released = 0;
        worker->far_min = worker->pass_min = NO_PRIORITY;
        weir__quiet_publish(worker);
    }
}

/* @return the number of threads started; fewer than workers means the run has failed. */
static uint32_t start_threads(struct weir_worklist *list)
{
    uint32_t started = 0;
    pthread_mutex_lock(&list->state_lock);
    list->running = list->count;
    pthread_mutex_unlock(&list->state_lock);
    while (started < list->count) {
        struct worker *worker = &list->workers[started];
        int error = pthread_create(&worker->thread, NULL, drive, worker);
        if (error) {
            (void)weir__fail(WEIR_ERR_NOMEM, "the thread of worker %u: %s", started,
                             strerror(error));
            weir__worklist_fail(list, WEIR_ERR_NOMEM);
            break;
        }
        started++;
    }
    pthread_mutex_lock(&list->state_lock);
    list->running -= list->count - started;
    pthread_mutex_unlock(&list->state_lock);
    return started;
}

/* Seeds are counted before any is sent, or the run might end between two of them. */
static weir_status send_seeds(struct weir_worklist *list, weir_future **done)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < list->count && !status; i++) {
        const struct seeds *seeds = &list->seeds[i];
        weir_segment segment = {.device = weir_context_home(list->context),
                                .data = seeds->wires,
                                .bytes = (size_t)seeds->count * list->op->wire_bytes,
                                .meta = i};
        if (seeds->count)
            status = weir_link_send(list->seed_link, &segment, NULL, &done[i]);
    }
    return status;
}

static void finish_seeds(struct weir_worklist *list, weir_future **done)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (done[i])
            (void)weir_future_wait(done[i], -1); /* a cancelled router ends it too */
        weir_future_release(done[i]);
        list->seeds[i].count = 0;
    }
}

static void wait_threads(struct weir_worklist *list)
{
    uint32_t limit = list->config.time_limit_ms;
    struct timespec until = weir__deadline(limit);
    int expired = 0;
    pthread_mutex_lock(&list->state_lock);
    while (list->running > 0) {
        if (!limit || expired) {
            pthread_cond_wait(&list->state_changed, &list->state_lock);
            continue;
        }
        if (pthread_cond_timedwait(&list->state_changed, &list->state_lock, &until) != ETIMEDOUT)
            continue;
        expired = 1;
        pthread_mutex_unlock(&list->state_lock);
        (void)weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over", list->op->name,
                         limit);
        weir__worklist_fail(list, WEIR_ERR_TIMEOUT);
        pthread_mutex_lock(&list->state_lock);
    }
    pthread_mutex_unlock(&list->state_lock);
}

static void sum_stats(struct weir_worklist *list, uint64_t start_ns, weir_worklist_stats *out)
{
    *out = (weir_worklist_stats){
        .ms = list->end_ns > start_ns ? (double)(list->end_ns - start_ns) / 1e6 : 0,
        .produced = atomic_load(&list->seeded),
        .raises = list->raises,
        .route = list->plan.kind,
        .order = list->order,
        .delta = list->order == WEIR_ORDER_SOFT ? list->delta : 0};
    for (uint32_t i = 0; i < list->count; i++) {
        const weir_worklist_stats *stats = &list->workers[i].stats;
        out->produced += stats->produced;
        out->consumed += stats->consumed;
        out->processed += stats->processed;
        out->sent += stats->sent;
        out->spilled += stats->spilled;
        out->deferred += stats->deferred;
        out->rounds += stats->rounds;
    }
}

/* A cancel may come at any time. Once set, the status and its sentence stay as they are. */
static int failed(struct weir_worklist *list)
{
    pthread_mutex_lock(&list->state_lock);
    int is = list->status != WEIR_OK;
    pthread_mutex_unlock(&list->state_lock);
    return is;
}

static weir_status report_failure(struct weir_worklist *list)
{
    char dump[12000];
    weir__worklist_dump(list, dump, sizeof dump);
    return weir__fail(list->status, "%s; %s", list->detail ? list->detail : "out of memory", dump);
}

weir_status weir_worklist_run(weir_worklist *list, weir_worklist_stats *stats_out)
{
    weir_future *seeds[WEIR_DEVICES_MAX] = {NULL};
    weir_status status;
    uint64_t seeded = 0;
    if (failed(list))
        return report_failure(list);
    reset(list);
    for (uint32_t i = 0; i < list->count; i++)
        seeded += list->seeds[i].count;
    atomic_store(&list->seeded, seeded);
    uint32_t started = start_threads(list);
    /* The end may have been seen already if there is no seed. */
    uint64_t start_ns = weir_context_time_ns(list->context);
    if (started == list->count && (status = send_seeds(list, seeds)))
        weir__worklist_fail(list, status);
    wait_threads(list);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(list->workers[i].thread, NULL);
    finish_seeds(list, seeds);
    if (failed(list))
        return report_failure(list);
    if (stats_out)
        sum_stats(list, start_ns, stats_out);
    return WEIR_OK;
}

void weir__worklist_dump(const struct weir_worklist *list, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < list->count && used < room; i++) {
        const struct worker *w = &list->workers[i];
        uint64_t packed = 0;
        for (uint32_t l = 0; l < w->lane_count; l++)
            packed += w->lanes[l].used + w->lanes[l].spill.items;
        int wrote = snprintf(
            text + used, room - used,
            "%sworker %u: produced %llu consumed %llu sent %llu, near %u+%llu far %u+%llu packed "
            "%llu stranded %u",
            i ? "; " : "", i, (unsigned long long)w->stats.produced,
            (unsigned long long)w->stats.consumed, (unsigned long long)w->stats.sent,
            weir__ring_count(&w->near), (unsigned long long)w->near.spill.items,
            weir__ring_count(&w->far), (unsigned long long)w->far.spill.items,
            (unsigned long long)packed, w->stranded);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
