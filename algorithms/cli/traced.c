/** @file traced.c  --trace and --dot of the verbs that run something. */
#include "algorithms/cli/cli.h"

#include <errno.h>
#include <inttypes.h>

int weir__cli_trace_open(const weir__cli_request *request, weir__cli_output *outputs)
{
    int code = EXIT_DONE;
    if (request->trace)
        code = weir__cli_output_open(&outputs[TRACE_FILE], "trace", request->trace, request);
    if (!code && request->dot)
        code = weir__cli_output_open(&outputs[DOT_FILE], "dot", request->dot, request);
    return code;
}

int weir__cli_trace_begin(const weir__cli_output *outputs, weir_context *context)
{
    if (!outputs[TRACE_FILE].file && !outputs[DOT_FILE].file)
        return EXIT_DONE;
    weir_status status = weir_context_trace(context, NULL);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int write(void *user, const char *text, size_t bytes)
{
    errno = 0;
    return fwrite(text, 1, bytes, user) == bytes ? 0 : errno ? errno : EIO;
}

static int write_one(weir_context *context, weir_trace_form form, const weir__cli_output *output)
{
    if (!output->file)
        return EXIT_DONE;
    weir_status status = weir_context_trace_write(context, form, write, output->file);
    if (status == WEIR_ERR_IO)
        return weir__cli_fail(EXIT_RUN, "--%s %s: %s", output->option, output->path,
                              weir_error_detail());
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

int weir__cli_trace_end(weir__cli_output *outputs, weir_context *context)
{
    weir_trace_stats stats = WEIR_TRACE_STATS_INIT;
    if (!outputs[TRACE_FILE].file && !outputs[DOT_FILE].file)
        return EXIT_DONE;
    weir_status status = weir_context_trace_stop(context, &stats);
    if (status)
        return weir__cli_fail_status(status);
    if (stats.dropped)
        fprintf(stderr,
                "weir: the trace lacks %" PRIu64 " of %" PRIu64
                " events: it has no room for more\n",
                stats.dropped, stats.dropped + stats.events);
    int code = write_one(context, WEIR_TRACE_JSON, &outputs[TRACE_FILE]);
    return code ? code : write_one(context, WEIR_TRACE_DOT, &outputs[DOT_FILE]);
}
