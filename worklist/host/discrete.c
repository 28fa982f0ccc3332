/** @file discrete.c  Runs with a kernel a round: a host thread for each worker, a router between them.
 *
 * For devices that cannot wait for each other inside kernels (of different kinds, or simulated), and for
 * comparison. The host threads detect termination by the same words and rules as resident kernels do
 * (termination.h). Any of them coordinates, one at a time. */
#include "worklist/host/internal.h"
#include "runtime/trace.h"
#include "runtime/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A worker that has items to send and no free buffer looks again after this time. Arrivals wake its thread; the end of a send
 * does not, since that is an event of the device. */
#define SEND_POLL_US 50

/* A device needs events for all that its own queues receive and for all that it sends to the others: copies
 * between GPUs run in the source's queue, all other copies in the receiver's. */
static weir_status check_events(const struct weir_worklist *list)
{
    uint64_t events = weir__config_get(weir_context_config(list->context), WEIR__EVENTS);
    uint64_t need = 16 + (uint64_t)2 * list->buffers * (list->count + 1);
    if (need > events)
        return weir__fail(WEIR_ERR_INVALID,
                          "%u workers with %u buffers a link need %llu events a device, and there "
                          "are %llu (WEIR_EVENTS)",
                          list->count, list->buffers, (unsigned long long)need,
                          (unsigned long long)events);
    return WEIR_OK;
}

static weir_status create_links(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_endpoint *router = weir_router_endpoint(list->router);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_status status;
    config.packet_bytes = (size_t)list->packet_items * list->op->wire_bytes;
    config.buffers = list->buffers;
    config.arrived = weir__wakeup_signal;
    config.arrived_user = &worker->wakeup;
    if (list->routes.kind == WEIR_ROUTE_STAGED)
        config.transport = WEIR_TRANSPORT_STAGED;
    if ((status = weir_link_create(router, worker->endpoint, &config, &worker->in)))
        return status;
    return weir_link_create(worker->endpoint, router, NULL, &worker->out);
}

static weir_status create_worker(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_device *home = weir_context_home(list->context);
    void *memory;
    weir_status status;
    if ((status = weir__calloc(list->buffers, sizeof *worker->held, "worker", &worker->held)) ||
        (status = weir__calloc(worker->hop_count + 1, sizeof *worker->hop, "hops", &worker->hop)) ||
        (status = weir__device_alloc_as(home, "words of a worker", 2, sizeof *worker->published,
                                        &memory)))
        return status;
    worker->published = memory;
    for (uint32_t h = 0; h < worker->hop_count; h++)
        if ((status = weir__calloc(list->buffers, sizeof *worker->hop[h].sends, "sends",
                                   &worker->hop[h].sends)))
            return status;
    return create_links(worker);
}

weir_status weir__discrete_create(struct weir_worklist *list)
{
    weir_policy policy = weir_policy_direct(); /* `meta` is the next hop, which the plan names */
    weir_status status;
    if ((status = check_events(list)) ||
        (status = weir_router_create(list->context, list->op->name, &policy, &list->router)) ||
        (status = weir_link_create(list->source, weir_router_endpoint(list->router), NULL,
                                   &list->seed_link)))
        return status;
    for (uint32_t i = 0; i < list->count; i++)
        if ((status = create_worker(&list->workers[i])))
            return status;
    return WEIR_OK;
}

static void destroy_worker(struct worker *worker)
{
    if (worker->in)
        weir__round_release_held(worker);
    weir__sends_finish(worker);
    weir_link_destroy(worker->out);
    weir_link_destroy(worker->in);
    for (uint32_t h = 0; worker->hop && h < worker->hop_count; h++)
        free(worker->hop[h].sends);
    weir_device_free(weir_context_home(worker->list->context), worker->published);
    free(worker->hop);
    free(worker->held);
}

void weir__discrete_destroy(struct weir_worklist *list)
{
    /* Sends that are under way after a failure end here; after a good run there are none. */
    if (list->router && list->status)
        weir_router_cancel(list->router, list->status);
    if (list->seed_link)
        (void)weir_link_shutdown(list->seed_link);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->workers[i].out)
            (void)weir_link_shutdown(list->workers[i].out);
    weir_link_destroy(list->seed_link);
    for (uint32_t i = 0; i < list->count; i++)
        destroy_worker(&list->workers[i]);
    weir_router_destroy(list->router);
}

void weir__discrete_wake_all(struct weir_worklist *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        weir__wakeup_signal(&list->workers[i].wakeup);
}

/* ---- termination detection --------------------------------------------------------------------- */

/* Report idle, with the counters that the worker's last kernel left. */
static void report_idle(struct worker *worker)
{
    struct weir_engine_args args = *(const struct weir_engine_args *)(const void *)worker->args;
    if (!(worker->turn & 1u))
        return; /* it has reported already, and has not worked since */
    args.statuses = worker->list->statuses;
    worker->image->ledger.turn = worker->turn;
    weir_report_idle(&args, &worker->image->ledger);
    worker->turn = worker->image->ledger.turn;
}

static void send_command(struct weir_worklist *list, const struct weir_command_words *command)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct weir_command_words *to = &list->workers[i].mail->command;
        weir_store_relaxed_sys_u32(&to->kind, command->kind);
        weir_store_relaxed_sys_u32(&to->buckets, command->buckets);
        weir_store_relaxed_sys_u32(&to->threshold, command->threshold);
        weir_store_relaxed_sys_u32(&to->delta, command->delta);
        weir_store_release_sys_u32(&to->epoch, command->epoch);
    }
    /* No worker acts on the command before all have it: see weir__round(). */
    atomic_store(&list->told, command->epoch);
}

/* Apply a command to the coordinator's copy of the order, as workers do, so that the next command starts from it. */
static void apply(struct weir_worklist *list, const struct weir_command_words *command)
{
    struct weir_work_order *order = &list->order;
    list->epoch = command->epoch;
    list->raises++;
    if (command->kind == WEIR_COMMAND_REBASE) {
        *order = (struct weir_work_order){.threshold = command->threshold, .delta = command->delta};
        list->width_sum = list->width_count = 0;
    } else {
        uint64_t threshold = order->threshold + (uint64_t)command->buckets * order->delta;
        order->threshold = threshold < UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
        order->bucket = (order->bucket + command->buckets) % WEIR_BUCKETS;
        list->width_sum += command->buckets;
        list->width_count++;
    }
}

/* @return whether the run is over, or a command was given. */
static int coordinate(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    const struct weir_engine_args *args =
        (const struct weir_engine_args *)(const void *)worker->args;
    struct weir_status_sums sums;
    struct weir_command_words command = {0};
    pthread_mutex_lock(&list->order_lock);
    int quiet = !atomic_load(&list->done) &&
                weir_termination_look(list->statuses, list->count, list->epoch, &sums) &&
                weir_termination_look_again(list->statuses, list->count, &sums);
    if (quiet) {
        weir_termination_command(&sums, &list->order, list->config.order == WEIR_ORDER_BULK,
                                 (int)args->delta_fixed, args->target,
                                 weir_raise_most((int)args->gradual, list->raises), list->width_sum,
                                 list->width_count, &command);
        command.epoch = list->epoch + 1;
        if (command.kind == WEIR_COMMAND_DONE) {
            list->end_ns = weir_context_time_ns(list->context);
            atomic_store(&list->done, 1);
        } else {
            apply(list, &command);
            send_command(list, &command);
        }
    }
    pthread_mutex_unlock(&list->order_lock);
    if (quiet)
        weir__discrete_wake_all(list);
    return quiet;
}

/* ---- threads ----------------------------------------------------------------------------------- */

static int stopped(struct weir_worklist *list)
{
    return atomic_load(&list->stop) || atomic_load(&list->done);
}

/* Add the time since *since_ns to a phase. */
static void clock_phase(struct worker *worker, weir_phase phase, uint64_t *since_ns,
                        uint64_t *phase_ns)
{
    const struct weir_ledger *ledger = &worker->image->ledger;
    struct weir__trace *trace = weir__tracing(worker->list->context);
    const uint64_t now = weir_context_time_ns(worker->list->context);
    const struct weir__trace_span span = {
        .name = weir_phase_text(phase),
        .begin_ns = *since_ns,
        .end_ns = now,
        .value = {ledger->rounds, ledger->processed, weir_word_count(worker->image->word)},
        .values = 3};
    if (trace)
        weir__trace_phases(trace, worker->device, WEIR__TRACE_ROUNDS, 0, &span, 1);
    phase_ns[phase] += now - *since_ns;
    *since_ns = now;
}

/* Which phase a round was: the one whose time the kernel counted. The first round of a run, which takes seeds in, has none. */
static weir_phase phase_since(const struct worker *worker, const uint64_t *before)
{
    for (int p = 0; p < WEIR_PHASE_WAIT; p++)
        if (worker->image->ledger.phase_ns[p] != before[p])
            return (weir_phase)p;
    return WEIR_PHASE_RECEIVE;
}

static weir_status work(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    uint64_t *counted = worker->image->ledger.phase_ns, phase_ns[WEIR_PHASES] = {0};
    uint64_t since = weir_context_time_ns(list->context);
    weir_status status = WEIR_OK;
    while (!stopped(list) && !status) {
        const uint64_t before[] = {counted[0], counted[1], counted[2]};
        int worked, holds;
        status = weir__round(worker, &worked);
        if (status || worked) {
            clock_phase(worker, phase_since(worker, before), &since, phase_ns);
            continue;
        }
        holds = weir__round_holds(worker);
        if (!holds) {
            report_idle(worker);
            if (coordinate(worker))
                continue;
        }
        weir__wakeup_wait(&worker->wakeup,
                          holds || weir__sends_waiting(worker) ? SEND_POLL_US : -1);
        clock_phase(worker, WEIR_PHASE_WAIT, &since, phase_ns);
    }
    /* Kernels count the time between their launches as if they had run meanwhile. The host has measured how long they ran. */
    memcpy(counted, phase_ns, sizeof phase_ns);
    return status;
}

static void *drive(void *data)
{
    struct worker *worker = data;
    struct weir_worklist *list = worker->list;
    weir_status status = work(worker);
    if (status)
        weir__worklist_fail(list, status);
    pthread_mutex_lock(&list->state_lock);
    list->running--;
    pthread_cond_broadcast(&list->state_changed);
    pthread_mutex_unlock(&list->state_lock);
    return NULL;
}

/* Seeds count as produced by their owner before any is sent, so that the run does not end between two of them. */
static void reset(struct weir_worklist *list)
{
    atomic_store(&list->done, 0);
    list->epoch = list->width_sum = list->width_count = list->raises = 0;
    atomic_store(&list->told, 0);
    list->order = list->workers[0].image->plan.order;
    for (uint32_t i = 0; i < list->count; i++) {
        struct worker *worker = &list->workers[i];
        worker->turn = 1;
        worker->came = 0;
        worker->numbers = list->seeds[i].numbers;
        worker->image->word = weir_word_make(0, WEIR_ACTION_IDLE, 0, 0, 0);
        for (uint32_t h = 0; h < worker->hop_count; h++)
            worker->hop[h].sent = worker->hop[h].credit = 0;
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
            status = weir_link_send_wait(list->seed_link, &segment, NULL, -1, &done[i]);
    }
    return status;
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

void weir__discrete_run(struct weir_worklist *list)
{
    weir_future *seeds[WEIR_DEVICES_MAX] = {NULL};
    weir_status status;
    reset(list);
    list->start_ns = list->end_ns = weir_context_time_ns(list->context);
    uint32_t started = start_threads(list);
    if (started == list->count && (status = send_seeds(list, seeds)))
        weir__worklist_fail(list, status);
    wait_threads(list);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(list->workers[i].thread, NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        weir__sends_finish(&list->workers[i]);
        if (seeds[i])
            (void)weir_future_wait(seeds[i], -1); /* a cancelled router ends it too */
        weir_future_release(seeds[i]);
    }
}
