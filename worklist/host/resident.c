/** @file resident.c  Resident kernels: start them all, wait for all of them, stop them. */
#include "worklist/host/resident.h"
#include "runtime/backend.h"
#include "runtime/sync.h"
#include "worklist/host/admission.h"

#include <stdatomic.h>
#include <time.h>

#define SLICE_MS 20    /* between two looks at the clock and at a cancel */
#define TEND_MS  2     /* of each of the first looks at what kernels want of the host */
#define SPINS    10u   /* first looks; */
#define NAP_NS   50000 /* then the host sleeps so long between two */
#define PATIENCE 10u   /* s; a kernel that has not ended so long after a stop never will */
#define SLACK_NS UINT64_C(200000000) /* a kernel keeps the limit itself, if it can */
#define S_NS     UINT64_C(1000000000)

static _Atomic uint32_t patience_s = PATIENCE; /* relaxed: set by tests, before they run */

void weir__resident_patience(uint32_t seconds)
{
    atomic_store_explicit(&patience_s, seconds ? seconds : PATIENCE, memory_order_relaxed);
}

static weir_status start(const struct residents *all, struct resident *one)
{
    weir_status status = weir_queue_launch(one->queue, all->kernel, one->args, all->args_bytes);
    if (!status)
        one->state = RESIDENT_RUNS;
    return status;
}

/* All kernels first, since those that run wait for the others at their first barrier: a call of the host's between two launches
 * would make all of them later. The event of each that runs is recorded whatever fails, since it is waited for. */
static weir_status start_all(struct residents *all)
{
    weir_status status = WEIR_OK, recorded;
    for (uint32_t i = 0; i < all->count && !status; i++)
        status = start(all, &all->one[i]);
    for (uint32_t i = 0; i < all->count && all->one[i].state == RESIDENT_RUNS; i++)
        if ((recorded = weir_queue_record(all->one[i].queue, all->one[i].done)))
            status = status ? status : recorded;
    for (uint32_t i = 0; i < all->count && all->put_behind && !status; i++)
        status = all->put_behind(all->user, i);
    return status;
}

/* The host stores the stop word of a host device itself, also if that device has failed, since its kernel goes on. The memory
 * of a GPU is written by a copy, which runs beside the kernel. (A fill would be a kernel and wait for this one.) */
static void stop_one(const struct residents *all, struct resident *one)
{
    if (!one->stop_queue) {
        weir_store_relaxed_sys_u32(one->stop, all->stop_value);
        one->told = 1;
        return;
    }
    *one->image = all->stop_value; /* no copy of the image is under way */
    one->told = !weir_queue_copy(one->stop_queue, one->device, one->stop,
                                 weir_context_home(all->context), one->image, sizeof *one->stop);
}

/* Each kernel gets its stop word once, since the queue of a GPU that hangs takes only so many copies before the host hangs
 * too. It gets the word again only if the copy could not be put into the queue. */
static void stop_all(struct residents *all, uint64_t now)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->one[i].state == RESIDENT_RUNS && !all->one[i].told)
            stop_one(all, &all->one[i]);
    if (!all->stopped_ns)
        all->stopped_ns = now;
}

static void collect(struct residents *all, uint32_t i)
{
    struct resident *one = &all->one[i];
    one->state = RESIDENT_IDLE;
    if (one->stop_queue)
        (void)weir_queue_sync(one->stop_queue);
    weir_status status = all->collect(all->user, i);
    if (status)
        all->fail(all->user, status);
}

/* Whether a kernel has ended. A kernel of a GPU that failed has. A kernel of a host device that failed goes on until it sees
 * its stop word, but a wait for an event of that device returns before that. */
static int has_ended(const struct resident *one)
{
    return one->device->ops->event_query(one->done) != WEIR_PENDING;
}

/* If a kernel ends early the others wait for it, so a thread that waits for one kernel looks at all. Kernels keep the time
 * limit themselves; a run whose kernels cannot, because one of them is lost, is failed here. */
static void look_around(struct residents *all, uint64_t now)
{
    const uint64_t limit_ns = (uint64_t)all->time_limit_ms * 1000000u;
    for (uint32_t i = 0; i < all->count; i++) {
        weir_status status = weir_device_status(all->one[i].device);
        if (status)
            all->fail(all->user, status);
    }
    for (uint32_t i = 0; i < all->count; i++)
        if (all->one[i].state == RESIDENT_RUNS && has_ended(&all->one[i]))
            collect(all, i);
    if (limit_ns && now - all->start_ns > limit_ns + SLACK_NS && !all->failed(all->user)) {
        (void)weir__fail(WEIR_ERR_TIMEOUT, "%s: the time limit of %u ms is over", all->name,
                         all->time_limit_ms);
        all->fail(all->user, WEIR_ERR_TIMEOUT);
    }
}

/* A wait for an event of a GPU polls without a pause at first, which is right for a short run. A long run waits in many short
 * waits, which would all be polls, so after some of them the thread sleeps in between. */
static weir_status wait_a_while(const struct residents *all, const struct resident *one,
                                uint32_t looks)
{
    static const struct timespec nap = {0, NAP_NS};
    if (!all->tend)
        return weir_event_wait(one->done, SLICE_MS);
    if (looks < SPINS)
        return weir_event_wait(one->done, TEND_MS);
    nanosleep(&nap, NULL);
    return weir_event_wait(one->done, 0);
}

/* Wait for one kernel, while others may fail and the run may be cancelled. It is collected later, unless look_around() has
 * seen it end. */
static void wait_for(struct residents *all, uint32_t i)
{
    const uint32_t patience = atomic_load_explicit(&patience_s, memory_order_relaxed);
    struct resident *one = &all->one[i];
    for (uint32_t looks = 0; one->state == RESIDENT_RUNS; looks++) {
        weir_status status = wait_a_while(all, one, looks);
        if (status && status != WEIR_ERR_TIMEOUT)
            all->fail(all->user, status);
        if (!status || (status != WEIR_ERR_TIMEOUT && has_ended(one)))
            return;
        if (all->tend)
            all->tend(all->user);
        uint64_t now = weir_context_time_ns(all->context);
        look_around(all, now);
        if (!all->failed(all->user))
            continue;
        stop_all(all, now);
        if (now - all->stopped_ns > patience * S_NS && one->state == RESIDENT_RUNS) {
            one->state = RESIDENT_LOST;
            all->fail(all->user,
                      weir__fail(WEIR_ERR_DEVICE,
                                 "%s: the kernel of device %u did not end within %u s of a stop",
                                 all->name, i, patience));
        }
    }
}

/* Run; the devices were admitted. */
static void run(struct residents *all)
{
    weir_status status;
    all->start_ns = weir_context_time_ns(all->context);
    for (uint32_t i = 0; i < all->count; i++) {
        all->one[i].state = RESIDENT_IDLE;
        all->one[i].told = 0;
    }
    if ((status = start_all(all)))
        all->fail(all->user, status);
    if (all->failed(all->user)) /* cancelled before it began, perhaps */
        stop_all(all, all->start_ns);
    for (uint32_t i = 0; i < all->count; i++)
        wait_for(all, i);
    all->end_ns = weir_context_time_ns(all->context);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->one[i].state == RESIDENT_RUNS)
            collect(all, i);
}

void weir__resident_run(struct residents *all)
{
    struct admission admission = {.count = 0};
    all->stopped_ns = 0;
    all->start_ns = all->end_ns = weir_context_time_ns(all->context);
    for (uint32_t i = 0; i < all->count; i++)
        weir__admission_add(&admission, all->one[i].device);
    if (!weir__admission_take(&admission, all->failed, all->user))
        return; /* cancelled while it waited */
    run(all);
    weir__admission_give(&admission);
}

weir_status weir__engine_check(const char *what, const char *name, uint32_t engine)
{
    return engine == WEIR_ENGINE_VERSION
               ? WEIR_OK
               : weir__fail(
                     WEIR_ERR_UNSUPPORTED,
                     "%s %s was compiled with version %u of the engine's templates, and this "
                     "library has version %u: compile it again",
                     what, name, engine, WEIR_ENGINE_VERSION);
}
