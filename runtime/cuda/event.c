/** @file event.c  Events of a GPU. Waiting polls: a blocking wait would cost tens of microseconds
 *  where a round of kernels takes ten. */
#include "runtime/cuda/cuda.h"

#include <sched.h>
#include <stdlib.h>

#define SPIN_NS  100000u  /* poll without a pause for as long as a short kernel takes */
#define YIELD_NS 2000000u /* then let others run; after that sleep between polls */
#define SLEEP_NS 20000

weir_status weir__cuda_event_create(weir_device *device, weir_event **event_out)
{
    struct cuda_event *event;
    weir_status status;
    *event_out = NULL;
    if ((status = weir__cuda_use(device)) ||
        (status = weir__calloc(1, sizeof *event, "event", &event)))
        return status;
    status = weir__cuda_check(device, "making an event",
                              cudaEventCreateWithFlags(&event->event, cudaEventDisableTiming));
    if (status) {
        free(event);
        return status;
    }
    *event_out = &event->base;
    return WEIR_OK;
}

void weir__cuda_event_destroy(weir_event *base)
{
    struct cuda_event *event = (struct cuda_event *)base;
    if (!weir__cuda_use(base->device))
        (void)weir__cuda_check(base->device, "ending an event", cudaEventDestroy(event->event));
    free(event);
}

weir_status weir__cuda_event_query(weir_event *event)
{
    cudaError_t error = cudaEventQuery(((struct cuda_event *)event)->event);
    if (error == cudaErrorNotReady)
        return WEIR_PENDING;
    return weir__cuda_check(event->device, "running what came before an event", error);
}

void weir__cuda_pause(uint64_t spent_ns)
{
    const struct timespec pause = {0, SLEEP_NS};
    if (spent_ns > YIELD_NS)
        nanosleep(&pause, NULL);
    else if (spent_ns > SPIN_NS)
        sched_yield();
}

weir_status weir__cuda_event_wait(weir_event *event, int64_t timeout_ms)
{
    uint64_t start = weir__now_ns();
    for (;;) {
        weir_status status = weir__cuda_event_query(event);
        if (status != WEIR_PENDING)
            return status;
        uint64_t spent = weir__now_ns() - start;
        if (timeout_ms >= 0 && spent >= (uint64_t)timeout_ms * 1000000u)
            return WEIR_ERR_TIMEOUT;
        weir__cuda_pause(spent);
    }
}

void *weir__cuda_event_native(weir_event *event)
{
    return ((struct cuda_event *)event)->event;
}
