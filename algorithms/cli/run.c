/** @file run.c  How runs of algorithms end, the same for every algorithm. */
#include "algorithms/cli/cli.h"

int weir__cli_run_end(weir_status status)
{
    int code = weir__cli_signals_unwatch();
    return !code && status ? weir__cli_fail_status(status) : code;
}

int weir__cli_run_commit(weir__cli_output *outputs, size_t count, const char *difference)
{
    int code = weir__cli_output_commit(outputs, count);
    if (!code && difference)
        code = weir__cli_fail(weir__cli_exit_of(WEIR_ERR_VERIFY), "verification failed: %s",
                              difference);
    return code;
}
