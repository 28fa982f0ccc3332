/** @file progress.c  How a context goes on while its threads wait.
 *
 * Devices of hosts and GPUs work by themselves, so a thread that waits for them sleeps. It does so in slices: between
 * two of them it asks the devices whether they still work, and calls the alarms, since who was to decide what it waits
 * for may have failed. A simulation has a row of its own (sim/context.c): its time goes on only in calls. */
#include "runtime/context.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How long the next slice of a wait is that began at `start_ns`. */
static int64_t slice_of(uint64_t start_ns, int64_t timeout_ms)
{
    int64_t spent = (int64_t)((weir__now_ns() - start_ns) / 1000000u);
    if (timeout_ms < 0)
        return WEIR__SLICE_MS;
    return least(spent < timeout_ms ? timeout_ms - spent : 0, WEIR__SLICE_MS);
}

static weir_status wait_in_slices(weir_context *context, const struct weir__wait *wait,
                                  int64_t timeout_ms)
{
    uint64_t start = weir__now_ns();
    for (;;) {
        int64_t slice = slice_of(start, timeout_ms);
        if (wait->sleep(wait->user, slice))
            return WEIR_OK;
        if (slice < WEIR__SLICE_MS)
            return WEIR_ERR_TIMEOUT;
        weir__context_probe(context);
        if (!wait->quiet)
            weir__alarms_raise(context);
    }
}

const weir__progress weir__progress_slices = {.wait = wait_in_slices};

weir_status weir__context_wait(weir_context *context, const struct weir__wait *wait,
                               int64_t timeout_ms)
{
    return context->progress->wait(context, wait, timeout_ms);
}

void weir__context_poll(weir_context *context, int (*is)(void *user), void *user)
{
    if (context->progress->poll)
        context->progress->poll(context, is, user);
}

int weir__context_step(weir_context *context)
{
    return context->progress->step && context->progress->step(context);
}

const weir__progress *weir__context_progress(const weir_context *context)
{
    return context->progress;
}

void *weir__context_engine(const weir_context *context)
{
    return context->engine;
}
