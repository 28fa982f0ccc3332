/** @file verb_gen.c  weir gen: write a graph into a file. */
#include "algorithms/cli/cli.h"
#include "algorithms/graph/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_writable(const char *path)
{
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int error = 0;
    if (!folder)
        return weir__cli_fail(EXIT_RUN, "--output %s: out of memory", path);
    if (access(folder, W_OK | X_OK) || (access(path, F_OK) == 0 && access(path, W_OK)))
        error = errno;
    else if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        error = EISDIR;
    free(folder);
    if (error)
        return weir__cli_fail(weir__cli_exit_of(WEIR_ERR_IO), "--output %s: cannot be written: %s",
                              path, strerror(error));
    return EXIT_DONE;
}

static int check(const weir__cli_request *request)
{
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "gen: GRAPH is missing; see weir help gen");
    if (!request->output)
        return weir__cli_fail(EXIT_USAGE, "gen: -o FILE is missing; see weir help gen");
    /* The library refuses both too, but only once there is a graph to write. */
    if (weir__write_check(request->output))
        return weir__cli_fail(EXIT_USAGE, "--output %s", weir_error_detail());
    return check_writable(request->output);
}

int weir__cli_gen(const weir__cli_request *request)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = NULL;
    int code = check(request);
    if (code || (code = weir__cli_signals_start()))
        return code;
    options.undirected = request->undirected;
    weir__cli_progress("making %s ...", request->graph);
    weir_status status = weir_graph_open(request->graph, &options, &graph);
    if (!status) {
        weir__cli_progress("writing %s ...", request->output);
        status = weir_graph_write(graph, request->output);
    }
    weir__cli_progress(NULL);
    if (status) /* what can be known of the output was checked: a write fails with the run */
        code = graph && status == WEIR_ERR_IO ? weir__cli_fail(EXIT_RUN, "%s", weir_error_detail())
                                              : weir__cli_fail_status(status);
    else
        printf("%s: %s, %" PRIu64 " vertices, %" PRIu64 " arcs\n", request->output, graph->name,
               graph->vertices, graph->arcs);
    weir_graph_destroy(graph);
    return code;
}
