/** @file alarm.c  Devices that failed, and who is told.
 *
 * Two steps, since a failure is found wherever a device is asked, often with locks held: the finder
 * *marks* the device, and the alarms are *raised* by the next thread that comes to a point where it holds
 * no lock, which every wait on the host is. */
#include "runtime/context.h"
#include "runtime/held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weir__alarm {
    weir__alarm *next;
    weir_context *context;
    void (*fn)(void *user, weir_status status);
    void *user;
    uint32_t told;       /* how many devices had failed when it was called last */
    int running, orphan; /* an orphan was destroyed by its own call */
    pthread_t caller;    /* valid while running */
};

static weir_device *nth(const weir_context *context, uint32_t index)
{
    return index == context->count ? context->home : context->devices[index];
}

static int health(const weir_device *device)
{
    return atomic_load_explicit(&device->fault.health, memory_order_acquire);
}

void weir__device_mark(weir_device *device, const char *why)
{
    weir_context *context = device->context;
    int works = WEIR__WORKS;
    if (!atomic_compare_exchange_strong_explicit(&device->fault.health, &works, WEIR__FAILING,
                                                 memory_order_relaxed, memory_order_relaxed))
        return;
    snprintf(device->fault.why, sizeof device->fault.why, "%s", why);
    atomic_store_explicit(&device->fault.health, WEIR__FAILED, memory_order_release);
    weir__context_rescue_later(context);
    atomic_store_explicit(&context->alarms.due, 1, memory_order_release);
}

void weir__context_rescue_later(weir_context *context)
{
    atomic_store_explicit(&context->rescue_due, 1, memory_order_release);
}

static void rescue(weir_context *context)
{
    if (!atomic_load_explicit(&context->rescue_due, memory_order_acquire) ||
        !atomic_exchange_explicit(&context->rescue_due, 0, memory_order_acq_rel))
        return;
    for (uint32_t i = 0; i <= context->count; i++) {
        weir_device *device = nth(context, i);
        if (device && device->ops->holds)
            weir__held_rescue(device);
    }
}

weir_status weir__device_failed(const weir_device *device)
{
    if (health(device) != WEIR__FAILED)
        return WEIR_OK;
    weir__fail_adopt(WEIR_ERR_DEVICE, device->fault.why);
    return WEIR_ERR_DEVICE;
}

static const weir_device *failed_device(const weir_context *context)
{
    for (uint32_t i = 0; i <= context->count; i++) {
        const weir_device *device = nth(context, i);
        if (device && health(device) == WEIR__FAILED)
            return device;
    }
    return NULL;
}

static uint32_t failed_devices(const weir_context *context)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i <= context->count; i++)
        failed += nth(context, i) && health(nth(context, i)) == WEIR__FAILED;
    return failed;
}

/* One that is running is called again by the thread that is in it. */
static weir__alarm *next_uncalled(const weir_context *context)
{
    weir__alarm *alarm = context->alarms.list;
    uint32_t failed = failed_devices(context);
    while (alarm && (alarm->told >= failed || alarm->running))
        alarm = alarm->next;
    return alarm;
}

/* The list is locked, and unlocked during the call. */
static void call(weir_context *context, weir__alarm *alarm)
{
    alarm->told = failed_devices(context);
    alarm->running = 1;
    alarm->caller = pthread_self();
    pthread_mutex_unlock(&context->alarms.lock);
    (void)weir__device_failed(failed_device(context)); /* its sentence for the callee */
    alarm->fn(alarm->user, WEIR_ERR_DEVICE);
    pthread_mutex_lock(&context->alarms.lock);
    alarm->running = 0;
    if (alarm->orphan)
        free(alarm);
    pthread_cond_broadcast(&context->alarms.called);
}

static void raise_alarms(weir_context *context)
{
    weir__alarm *alarm;
    if (!atomic_load_explicit(&context->alarms.due, memory_order_acquire) ||
        !atomic_exchange_explicit(&context->alarms.due, 0, memory_order_acq_rel))
        return;
    struct weir__sentence before = weir__fail_keep(); /* of what this thread does */
    pthread_mutex_lock(&context->alarms.lock);
    int any = next_uncalled(context) != NULL;
    if (any)
        weir__context_retain(context); /* a call may give up all others */
    while ((alarm = next_uncalled(context)))
        call(context, alarm);
    pthread_mutex_unlock(&context->alarms.lock);
    if (any)
        weir__context_release(context);
    weir__fail_restore(&before);
}

void weir__alarms_raise(weir_context *context)
{
    rescue(context);
    raise_alarms(context);
    weir__context_call_due(context);
}

weir_status weir__alarm_create(weir_context *context, void (*fn)(void *user, weir_status status),
                               void *user, weir__alarm **alarm_out)
{
    weir__alarm *alarm;
    weir_status status = weir__calloc(1, sizeof *alarm, "alarm", &alarm);
    *alarm_out = alarm;
    if (status)
        return status;
    alarm->context = context;
    alarm->fn = fn;
    alarm->user = user;
    pthread_mutex_lock(&context->alarms.lock);
    alarm->next = context->alarms.list;
    context->alarms.list = alarm;
    pthread_mutex_unlock(&context->alarms.lock);
    if (failed_device(context)) /* told with the next wait, as the others were */
        atomic_store_explicit(&context->alarms.due, 1, memory_order_release);
    return WEIR_OK;
}

void weir__alarm_destroy(weir__alarm *alarm)
{
    if (!alarm)
        return;
    weir_context *context = alarm->context;
    pthread_mutex_lock(&context->alarms.lock);
    weir__alarm **at = &context->alarms.list;
    while (*at != alarm)
        at = &(*at)->next;
    *at = alarm->next;
    alarm->orphan = alarm->running && pthread_equal(alarm->caller, pthread_self());
    while (alarm->running && !alarm->orphan)
        pthread_cond_wait(&context->alarms.called, &context->alarms.lock);
    int ours = !alarm->orphan;
    pthread_mutex_unlock(&context->alarms.lock);
    if (ours)
        free(alarm);
}

/* Whether it is this thread that asks: one of all that wait does, once a slice. A little less than a slice counts,
 * or a thread that waits alone would skip every other one. */
static int is_turn(weir_context *context)
{
    uint64_t now = weir__now_ns();
    uint64_t last = atomic_load_explicit(&context->probed_ns, memory_order_relaxed);
    return now - last >= WEIR__SLICE_MS * UINT64_C(900000) &&
           atomic_compare_exchange_strong_explicit(&context->probed_ns, &last, now,
                                                   memory_order_relaxed, memory_order_relaxed);
}

void weir__context_probe(weir_context *context)
{
    rescue(context);
    if (!is_turn(context))
        return;
    for (uint32_t i = 0; i <= context->count; i++) {
        weir_device *device = nth(context, i);
        if (device && device->ops->status && health(device) == WEIR__WORKS)
            (void)device->ops->status(device);
    }
}

weir_status weir_device_status(weir_device *device)
{
    if (!device)
        return weir__missing("weir_device_status", "device");
    if (device->ops->status && health(device) == WEIR__WORKS)
        (void)device->ops->status(device);
    weir__alarms_raise(device->context);
    return weir__device_failed(device);
}
