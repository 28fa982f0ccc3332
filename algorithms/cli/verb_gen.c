/** @file verb_gen.c  weir gen: write a graph into a file. */
#include "algorithms/cli/cli.h"
#include "algorithms/graph/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_stream(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

/* Try to open the file as the library will. A pipe is left alone: to open and close it would tell its reader that
 * everything has been written. */
static int check_writable(const char *path)
{
    weir__replace file;
    int error = 0;
    if (is_stream(path)) {
        error = access(path, W_OK) ? errno : 0;
    } else if (!(error = weir__replace_open(&file, path))) {
        (void)close(file.descriptor);
        weir__replace_drop(&file);
    }
    if (error)
        return weir__cli_fail(weir__cli_exit_of(error == ENOMEM ? WEIR_ERR_NOMEM : WEIR_ERR_IO),
                              "--output %s: cannot be written: %s", path, strerror(error));
    return EXIT_DONE;
}

static int check(const weir__cli_request *request)
{
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "gen: GRAPH is missing; see weir help gen");
    if (!request->output)
        return weir__cli_fail(EXIT_USAGE, "gen: -o FILE is missing; see weir help gen");
    /* The library refuses both as well, but only after the graph has been made. */
    if (weir__write_check(request->output))
        return weir__cli_fail(EXIT_USAGE, "--output %s", weir_error_detail());
    return EXIT_DONE;
}

struct written {
    const weir__cli_request *request;
    const weir_graph *graph;
    int code;
};

/* The message on what was written is printed before the file gets its name, so that no file is left when the
 * message cannot be printed. */
static int report(void *user)
{
    struct written *written = user;
    printf("%s: %s, %" PRIu64 " vertices, %" PRIu64 " arcs\n", written->request->output,
           written->graph->name, written->graph->vertices, written->graph->arcs);
    return written->code = weir__cli_stdout_flush();
}

static int write_graph(const weir__cli_request *request, const weir_graph *graph)
{
    struct written written = {request, graph, EXIT_DONE};
    weir__cli_progress("writing %s ...", request->output);
    weir_status status = weir__graph_write(graph, request->output, report, &written);
    weir__cli_progress(NULL);
    if (written.code || !status)
        return written.code;
    /* The output was checked before the run, so a write that fails now is a failure of the run. */
    return status == WEIR_ERR_IO ? weir__cli_fail(EXIT_RUN, "%s", weir_error_detail())
                                 : weir__cli_fail_status(status);
}

int weir__cli_gen(const weir__cli_request *request)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = NULL;
    int code = check(request);
    if (!code)
        code = weir__cli_signals_start();
    if (!code)
        code = weir__cli_output_spares("output", request->output, request);
    if (!code)
        code = check_writable(request->output);
    if (code)
        return code;
    options.undirected = request->undirected;
    weir__cli_progress("making %s ...", request->graph);
    weir_status status = weir_graph_open(request->graph, &options, &graph);
    weir__cli_progress(NULL);
    code = status ? weir__cli_fail_status(status) : write_graph(request, graph);
    weir_graph_destroy(graph);
    return code;
}
