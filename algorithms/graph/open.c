/** @file open.c  weir_graph_open(): a generator's text, or a file whose content says its format. */
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <string.h>
#include <strings.h>

#define PEEK_BYTES 4096

struct format {
    const char *name;
    weir_status (*load)(weir__reader *reader, weir__arcs *arcs);
};

/* DIMACS text begins with a line whose first word is a single c, p or a. */
static int is_dimacs(const char *data, size_t have)
{
    size_t at = 0;
    while (at < have && strchr(" \t\r\n", data[at]) && data[at])
        at++;
    return at + 1 < have && data[at] && strchr("cpa", data[at]) && data[at + 1] &&
           strchr(" \t\r\n", data[at + 1]);
}

/* Editors put a byte order mark before text in UTF-8. It stands for nothing. */
static weir_status skip_mark(weir__reader *reader)
{
    char mark[3];
    const char *data;
    size_t have, got;
    weir_status status = weir__reader_peek(reader, sizeof mark, &data, &have);
    if (status || have < sizeof mark || memcmp(data, "\xEF\xBB\xBF", sizeof mark) != 0)
        return status;
    return weir__reader_bytes(reader, mark, sizeof mark, &got);
}

static weir_status detect(weir__reader *reader, struct format *format_out)
{
    static const char banner[] = "%%MatrixMarket";
    const char *data, *path = weir__reader_path(reader);
    size_t have;
    weir_status status = weir__reader_peek(reader, PEEK_BYTES, &data, &have);
    if (status)
        return status;
    if (have == 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the file is empty", path);
    if (have >= sizeof banner - 1 && strncasecmp(data, banner, sizeof banner - 1) == 0)
        *format_out = (struct format){"MatrixMarket", weir__load_matrix_market};
    else if (have >= 8 && (data[0] == 1 || data[0] == 2) &&
             memcmp(data + 1, "\0\0\0\0\0\0", 7) == 0)
        *format_out = (struct format){"Galois", weir__load_galois};
    else if (is_dimacs(data, have))
        *format_out = (struct format){"DIMACS", weir__load_dimacs};
    else
        *format_out = (struct format){"edge list", weir__load_edge_list};
    return WEIR_OK;
}

static weir_status load(const char *path, const weir_graph_options *options, weir_graph **graph_out)
{
    weir__reader *reader = NULL;
    weir__arcs arcs = {0};
    struct format format = {0};
    const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") == 0 ? "standard input"
                                                    : slash                ? slash + 1
                                                                           : path;
    weir_status status;
    if ((status = weir__reader_open(path, &reader)) || (status = skip_mark(reader)) ||
        (status = detect(reader, &format)) || (status = format.load(reader, &arcs)))
        goto out;
    weir__reader_close(reader);
    reader = NULL;
    arcs.mirror |= options->undirected;
    if (!(status = weir__build(&arcs, options->threads, graph_out)))
        status = weir__graph_name(graph_out, name, format.name);
out:
    if (status == WEIR_ERR_NOMEM)
        status = weir__fail(status, "%s: %s", path, weir_error_detail());
    weir__reader_close(reader);
    weir__arcs_free(&arcs);
    return status;
}

static weir_status open_any(const char *text, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    if (weir__generator_known(text))
        return weir__generate(text, options, graph_out);
    return load(text, options, graph_out);
}

weir_status weir_graph_open(const char *text, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_graph_options chosen = WEIR_GRAPH_OPTIONS_INIT;
    weir_status status;
    *graph_out = NULL;
    if ((status = weir__sized_in(&chosen, sizeof chosen, options, "weir_graph_options")))
        return status;
    if (!text || !*text)
        return weir__fail(WEIR_ERR_INVALID, "no graph was named");
    if (!(status = open_any(text, &chosen, graph_out)))
        (*graph_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    return status;
}
