/** @file open.c  weir_matrix_open(): a generator's text, a MatrixMarket file, or a graph. */
#include "algorithms/graph/format.h"
#include "algorithms/graph/load.h"
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <string.h>

/* What is no graph has values of its own, and is symmetric or not. */
static weir_status refuse_of_graphs(const char *text, const weir_matrix_options *options)
{
    if (options->undirected || options->weights)
        return weir__fail(WEIR_ERR_INVALID, "%s: %s of graphs, and this is a matrix", text,
                          options->weights ? "other weights are" : "reverse arcs are");
    return WEIR_OK;
}

static weir_status of_graph(const char *text, const weir_matrix_options *options,
                            weir_matrix **matrix_out)
{
    weir_graph_options how = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    weir_status status;
    how.undirected = options->undirected;
    how.threads = options->threads;
    how.context = options->context;
    how.context_of = options->context_of;
    how.user = options->user;
    if ((status = weir_graph_open(text, &how, &graph)))
        return status;
    if (!options->weights || !(status = weir_graph_weigh(graph, options->weights)))
        status = weir_matrix_from_graph(graph, options->kind, matrix_out);
    weir_graph_destroy(graph);
    return status;
}

static weir_status of_file(const char *text, const char *path, const weir_matrix_options *options,
                           weir_matrix **matrix_out)
{
    const char *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
    weir_status status = refuse_of_graphs(text, options);
    return status ? status : weir__matrix_load(path, name, options, matrix_out);
}

static weir_status open_any(const char *text, const weir_matrix_options *options,
                            weir_matrix **matrix_out)
{
    static const char prefix[] = "mtx:";
    const char *path;
    int told = 0;
    weir_status status;
    if (weir__matrix_generator_known(text))
        return (status = refuse_of_graphs(text, options))
                   ? status
                   : weir__matrix_generate(text, options, matrix_out);
    if (weir__generator_known(text))
        return of_graph(text, options, matrix_out);
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        return of_file(text, text + sizeof prefix - 1, options, matrix_out);
    /* Standard input cannot be looked at twice, so of the formats it is the one of matrices. */
    if (strcmp(text, "-") == 0)
        return of_file(text, text, options, matrix_out);
    /* What is no file, or names a format of graphs, is for who opens graphs to say. */
    if (!weir__format_named(text, &path) && (status = weir__matrix_told(text, &told)) &&
        status != WEIR_ERR_IO)
        return status;
    return told ? of_file(text, text, options, matrix_out) : of_graph(text, options, matrix_out);
}

weir_status weir_matrix_open(const char *text, const weir_matrix_options *options,
                             weir_matrix **matrix_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_matrix_options chosen = WEIR_MATRIX_OPTIONS_INIT;
    struct weir__activity outer;
    weir_status status;
    if (!matrix_out)
        return weir__missing("weir_matrix_open", "matrix_out");
    *matrix_out = NULL;
    if ((status = weir__sized_in(&chosen, sizeof chosen, options, "weir_matrix_options")) ||
        (status = weir__real_kind_check(chosen.kind)))
        return status;
    if (!text || !*text)
        return weir__fail(WEIR_ERR_INVALID, "no matrix was named");
    if (chosen.context && chosen.context_of)
        return weir__fail(WEIR_ERR_INVALID,
                          "weir_matrix_options: both context and context_of were given");
    weir__activity_begin(&outer, "making a matrix", NULL, 0);
    status = weir__activity_end(&outer, open_any(text, &chosen, matrix_out));
    if (!status)
        (*matrix_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    return status;
}
