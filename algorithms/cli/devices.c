/** @file devices.c  A command's devices begin beside the opening of its graph. */
#include "algorithms/cli/devices.h"

#include "algorithms/graph/load.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Host devices take less, and so do refusals. LOOK_MS: how often who waits for GPUs looks whether the call is to end. */
enum { MOMENT_MS = 20, LOOK_MS = 50 };

struct weir__cli_devices {
    const char *spec;
    weir_observer *observer; /* of the main thread */
    pthread_t thread;
    int threaded;
    uint64_t waited_ns; /* by the main thread */
    pthread_mutex_t lock;
    pthread_cond_t begun;
    /* `lock` guards what follows. */
    int done;
    weir_context *context;
    weir_status status;
    double ms;                 /* that they took */
    struct weir__sentence why; /* of a failure; the thread's own sentence ends with it */
};

static void *begin(void *user)
{
    weir__cli_devices *devices = user;
    const uint64_t begin_ns = weir__now_ns();
    weir_context *context = NULL;
    const weir_status status = weir_context_create(devices->spec, NULL, &context);
    pthread_mutex_lock(&devices->lock);
    devices->ms = weir__elapsed_ms(begin_ns);
    devices->context = context;
    devices->status = status;
    if (status)
        devices->why = weir__fail_keep();
    devices->done = 1;
    pthread_cond_signal(&devices->begun);
    pthread_mutex_unlock(&devices->lock);
    if (status) /* nobody needs the graph */
        weir_observer_stop(devices->observer);
    return NULL;
}

/* Wait until the devices have begun, so long at the most. @return whether they have. */
static int wait_ms(weir__cli_devices *devices, int64_t ms)
{
    const uint64_t begin_ns = weir__now_ns();
    const struct timespec at = weir__deadline(ms);
    int error = 0;
    pthread_mutex_lock(&devices->lock);
    while (!devices->done && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&devices->begun, &devices->lock, &at);
    const int done = devices->done;
    pthread_mutex_unlock(&devices->lock);
    devices->waited_ns += weir__now_ns() - begin_ns;
    return done;
}

/* weir_graph_options.context_of. */
static weir_status context_of(void *user, weir_context **context_out)
{
    weir__cli_devices *devices = user;
    weir_status status = WEIR_OK;
    while (!status && !wait_ms(devices, LOOK_MS))
        status = weir__activity_went(0);
    if (!status && !(status = devices->status))
        *context_out = devices->context;
    return status;
}

weir_status weir__cli_devices_begin(const char *spec, weir__cli_devices **devices_out)
{
    weir_context *context;
    weir__cli_devices *devices;
    weir_status status = weir__calloc(1, sizeof *devices, "devices", &devices);
    *devices_out = NULL;
    if (status)
        return status;
    *devices = (weir__cli_devices){
        .spec = spec, .observer = weir__activity_observer(), .lock = PTHREAD_MUTEX_INITIALIZER};
    weir__cond_init(&devices->begun);
    devices->threaded = pthread_create(&devices->thread, NULL, begin, devices) == 0;
    if (!devices->threaded)
        (void)begin(devices);
    if (wait_ms(devices, MOMENT_MS) && devices->status)
        return weir__cli_devices_end(devices, WEIR_OK, &context, NULL);
    *devices_out = devices;
    return WEIR_OK;
}

void weir__cli_devices_give(weir__cli_devices *devices, const weir__cli_request *request,
                            weir_graph_options *options)
{
    const int first = request->time_limit_ms || weir__generator_known(request->graph);
    while (first && !wait_ms(devices, LOOK_MS))
        ;
    if (wait_ms(devices, 0)) {
        options->context = devices->context;
    } else {
        options->context_of = context_of;
        options->user = devices;
    }
}

weir_status weir__cli_devices_end(weir__cli_devices *devices, weir_status status,
                                  weir_context **context_out, weir__cli_begun *begun_out)
{
    const uint64_t begin_ns = weir__now_ns();
    if (devices->threaded)
        (void)pthread_join(devices->thread, NULL);
    devices->waited_ns += weir__now_ns() - begin_ns;
    *context_out = devices->context;
    if (begun_out)
        *begun_out = (weir__cli_begun){devices->ms, (double)devices->waited_ns / 1e6};
    if (devices->status) {
        status = devices->status;
        weir__fail_restore(&devices->why);
    }
    pthread_cond_destroy(&devices->begun);
    pthread_mutex_destroy(&devices->lock);
    free(devices);
    return status;
}
