/** @file measure.c  What the verbs that measure share: a context of real or simulated devices, and
 *  limits on a measurement that a signal can stop. */
#include "algorithms/cli/result.h"

/* The signals' thread sets this and the measuring thread reads it. It is a hint to stop and orders no other
 * memory, so relaxed accesses do. */
static volatile int stop;

int weir__cli_context_open(const weir__cli_request *request, weir_context **context_out)
{
    weir_machine *machine;
    weir_status status;
    if (!request->machine) {
        status = weir_context_create(request->devices, NULL, context_out);
        return status ? weir__cli_fail_status(status) : EXIT_DONE;
    }
    if (!(status = weir_machine_open(request->machine, &machine))) {
        status = weir_machine_simulate(machine, NULL, context_out);
        weir_machine_destroy(machine);
    }
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static void cancel(void *user)
{
    (void)user;
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static void show(void *user, const char *what)
{
    (void)user;
    weir__cli_progress("%s", what);
}

void weir__cli_measure_begin(weir_bench_config *config)
{
    config->cancel = &stop;
    config->progress = show;
    weir__cli_signals_watch(cancel, NULL);
}

int weir__cli_measure_end(weir_status status)
{
    weir__cli_progress(NULL);
    return weir__cli_run_end(status);
}

int weir__cli_measure_end_of_many(weir_status status, int *failed_out)
{
    int code = weir__cli_measure_end(status == WEIR_ERR_INVALID ? status : WEIR_OK);
    *failed_out = !code && status && status != WEIR_ERR_INVALID;
    return code;
}
