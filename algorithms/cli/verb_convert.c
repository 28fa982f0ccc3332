/** @file verb_convert.c  weir convert and weir gen: a graph, read or generated, is written into a file.
 *
 * The two are one: convert names the file as its second argument, gen by -o, which suits a generator. */
#include "algorithms/cli/traversal.h"
#include "algorithms/graph/pack.h"
#include "runtime/support.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct conversion {
    const weir__cli_request *request;
    const char *option;     /* that names the file; NULL: an argument does */
    const char *path;       /* to write to */
    weir__cli_output json;  /* zero: not asked for */
    int to_standard_output; /* the graph goes there, and the report to standard error */
    weir_graph *graph;
    char weights[WEIGHTS_ROOM]; /* "": as they were */
    uint64_t begin_ns;          /* of the writing */
    int code;
};

/* "--output g.el" or "g.el". */
static const char *named(const struct conversion *c, char *room, size_t size)
{
    snprintf(room, size, "%s%s%s%s", c->option ? "--" : "", c->option ? c->option : "",
             c->option ? " " : "", c->request->output);
    return room;
}

/* Try to open the file as the library will. A pipe is left alone: to open and close it would tell its reader that
 * everything has been written. */
static int check_writable(const struct conversion *c)
{
    char name[512];
    const char *path = c->path;
    weir__replace file;
    int error = 0, same = 0;
    if (weir__replace_streams(path)) {
        error = access(path, W_OK) ? errno : 0;
    } else if (!(error = weir__replace_open(&file, path))) {
        (void)close(file.descriptor);
        same = c->json.target.target && strcmp(c->json.target.target, file.target) == 0;
        weir__replace_drop(&file);
    }
    if (error)
        return weir__cli_fail(weir__cli_exit_of(error == ENOMEM ? WEIR_ERR_NOMEM : WEIR_ERR_IO),
                              "%s: cannot be written: %s", named(c, name, sizeof name),
                              strerror(error));
    return same ? weir__cli_fail(EXIT_USAGE, "%s and --json both write to %s",
                                 named(c, name, sizeof name), path)
                : EXIT_DONE;
}

static int check(const struct conversion *c)
{
    const weir__cli_request *request = c->request;
    const char *verb = request->verb->name;
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "%s: %s is missing; see weir help %s", verb,
                              c->option ? "GRAPH" : "IN", verb);
    if (!request->output)
        return weir__cli_fail(EXIT_USAGE, "%s: %s is missing; see weir help %s", verb,
                              c->option ? "-o FILE" : "OUT", verb);
    /* The library refuses it as well, but only after the graph has been made. */
    if (weir__write_check(c->path))
        return weir__cli_fail(EXIT_USAGE, "%s%s%s", c->option ? "--" : "",
                              c->option ? "output " : "", weir_error_detail());
    return EXIT_DONE;
}

static int open_outputs(struct conversion *c)
{
    const weir__cli_request *request = c->request;
    struct stat there, standard;
    int code = weir__cli_output_spares(c->option, c->path, request);
    if (!code && request->json)
        code = weir__cli_output_open(&c->json, "json", request->json, request);
    if (code)
        return code;
    c->to_standard_output = strcmp(c->path, "/dev/stdout") == 0 ||
                            (stat(c->path, &there) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
                             !S_ISCHR(there.st_mode) && there.st_dev == standard.st_dev &&
                             there.st_ino == standard.st_ino);
    if (c->to_standard_output && weir__cli_output_is_stdout(&c->json))
        return weir__cli_fail(EXIT_USAGE, "%s and --json both write to standard output",
                              request->output);
    return check_writable(c);
}

/* ---- reports ---- */

static json_t *document(const struct conversion *c, double ms)
{
    const weir__cli_request *request = c->request;
    json_t *graph = json_pack("{s:o, s:o, s:o}", "name", weir__cli_json_text(c->graph->name),
                              "vertices", weir__cli_json_integer(c->graph->vertices), "arcs",
                              weir__cli_json_integer(c->graph->arcs));
    json_t *choices = json_pack("{s:b, s:o}", "undirected", request->undirected, "weights",
                                *c->weights ? json_string(c->weights) : json_null());
    json_t *file = json_pack("{s:o, s:o}", "path", weir__cli_json_text(request->output), "bytes",
                             weir__cli_json_integer(weir__pack_finished_bytes()));
    return json_pack("{s:i, s:s, s:o, s:o, s:o, s:f, s:f}", "schema", 1, "command",
                     request->verb->name, "graph", graph, "choices", choices, "file", file,
                     "opening_ms", c->graph->prepare_ms, "writing_ms", ms);
}

static void print_text(const struct conversion *c, double ms)
{
    fprintf(c->to_standard_output ? stderr : stdout,
            "%s: %s, %" PRIu64 " vertices, %" PRIu64 " arcs, %" PRIu64
            " bytes, opened in %.3f s, written in %.3f s\n",
            c->request->output, c->graph->name, c->graph->vertices, c->graph->arcs,
            weir__pack_finished_bytes(), c->graph->prepare_ms / 1e3, ms / 1e3);
}

/* What was written is reported before the file gets its name, so that no file is left when the report cannot be. */
static int report(void *user)
{
    struct conversion *c = user;
    weir__cli_progress(NULL);
    const double ms = weir__elapsed_ms(c->begin_ns);
    if (c->json.file)
        c->code = weir__cli_json_write(document(c, ms), &c->json, 17);
    if (!c->code && !weir__cli_output_is_stdout(&c->json))
        print_text(c, ms);
    return c->code ? c->code : (c->code = weir__cli_output_commit(&c->json, 1));
}

static int write_graph(struct conversion *c)
{
    const char *path = c->path;
    c->begin_ns = weir__now_ns();
    if (!c->to_standard_output || !isatty(STDOUT_FILENO)) /* the graph would be mixed with it */
        weir__cli_progress("writing %s", path);
    weir_status status = weir__graph_write(c->graph, path, report, c);
    weir__cli_progress(NULL);
    if (c->code || !status)
        return c->code;
    /* The output was checked before the run, so a write that fails now is a failure of the run. */
    return status == WEIR_ERR_IO ? weir__cli_fail(EXIT_RUN, "%s", weir_error_detail())
                                 : weir__cli_fail_status(status);
}

static int convert(struct conversion *c)
{
    const weir__cli_request *request = c->request;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    int code = EXIT_DONE;
    options.undirected = request->undirected;
    weir__cli_progress("opening %s", request->graph);
    weir_status status = weir_graph_open(request->graph, &options, &c->graph);
    if (!status && weir__cli_given(request, "weights"))
        code = weir__cli_weigh(request, c->graph, c->weights);
    weir__cli_progress(NULL);
    return status ? weir__cli_fail_status(status) : code ? code : write_graph(c);
}

int weir__cli_convert(const weir__cli_request *request)
{
    struct conversion c = {.request = request,
                           .option = request->verb->positional == 1 ? "output" : NULL};
    c.path = request->output && strcmp(request->output, "-") == 0 ? "/dev/stdout" : request->output;
    int code = check(&c);
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&c);
    if (!code)
        code = convert(&c);
    weir__cli_output_drop(&c.json);
    weir_graph_destroy(c.graph);
    return code;
}
