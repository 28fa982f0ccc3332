/** @file open.c  weir_graph_open(): a generator's text, or a file whose content says its format. */
#include "algorithms/graph/format.h"
#include "runtime/support.h"

#include <string.h>

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

/* Past the mark, which no binary format begins with; @p format stays where it is given. */
static weir_status detect(weir__reader *reader, const weir__format **format)
{
    const char *data;
    size_t have;
    weir_status status = WEIR_OK;
    if ((!*format || (*format)->text) && (status = skip_mark(reader)))
        return status;
    if ((status = weir__reader_peek(reader, WEIR__FORMAT_PEEK, &data, &have)))
        return status;
    if (have == 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the file is empty", weir__reader_path(reader));
    if (!*format)
        *format = weir__format_of(data, have, have < WEIR__FORMAT_PEEK);
    return WEIR_OK;
}

/* What was read as an edge list to its end is METIS text: read it again as that. */
static weir_status again_as_metis(weir__reader *reader, weir__arcs *arcs)
{
    weir_status status;
    if (!weir__reader_may_rewind(reader))
        return weir__fail(
            WEIR_ERR_FORMAT,
            "%s: began as an edge list may, but is METIS text, and cannot be read twice: say "
            "metis:-, or edges:- if it is a list",
            weir__reader_path(reader));
    weir__arcs_free(arcs);
    *arcs = (weir__arcs){.format_given = 1};
    if ((status = weir__reader_rewind(reader)) || (status = skip_mark(reader)))
        return status;
    return weir__load_metis(reader, arcs);
}

static weir_status load_list(weir__reader *reader, const weir__format **format,
                             const weir_graph_options *options, weir__arcs *arcs)
{
    weir_status status = (*format)->load(reader, arcs);
    if (!status && arcs->is_metis) {
        *format = weir__format_metis();
        status = again_as_metis(reader, arcs);
    }
    arcs->mirror |= options->undirected;
    return status;
}

/* Closes the reader on the way: its buffers need not be there while the graph is built. */
static weir_status load_any(weir__reader **reader, const weir__format **format,
                            const weir_graph_options *options, weir_graph **graph_out)
{
    weir__arcs arcs = {.format_given = *format != NULL};
    weir__rows rows = {0};
    weir_status status = detect(*reader, format);
    if (status)
        return status;
    if ((*format)->load_rows) {
        if (!(status = (*format)->load_rows(*reader, &rows)))
            status = weir__rows_build(*reader, &rows, options, graph_out);
        weir__rows_free(&rows);
        return status;
    }
    if (!(status = load_list(*reader, format, options, &arcs))) {
        weir__reader_close(*reader);
        *reader = NULL;
        status = weir__build(&arcs, options->threads, graph_out);
    }
    weir__arcs_free(&arcs);
    return status;
}

static weir_status load(const char *text, const weir_graph_options *options, weir_graph **graph_out)
{
    weir__reader *reader = NULL;
    const char *path;
    const weir__format *format = weir__format_named(text, &path);
    const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") == 0 ? "standard input"
                                                    : slash                ? slash + 1
                                                                           : path;
    if (!*path)
        return weir__fail(WEIR_ERR_INVALID, "%s: no file is named behind it", text);
    weir_status status = weir__reader_open(path, &reader);
    if (!status)
        status = load_any(&reader, &format, options, graph_out);
    if (!status)
        status = weir__graph_name(graph_out, name, format->name);
    if (status == WEIR_ERR_NOMEM)
        status = weir__fail(status, "%s: %s", path, weir_error_detail());
    weir__reader_close(reader);
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
