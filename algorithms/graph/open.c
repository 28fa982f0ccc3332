/** @file open.c  weir_graph_open(): a generator's text, or a file whose content says its format. */
#include "algorithms/graph/csr.h"
#include "algorithms/graph/format.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* A file that is opened. */
struct source {
    const char *text, *path; /* as they were given */
    const weir__format *format;
    int given; /* the format was, by who named the file */
    int whole; /* all of it was looked at to find the format out */
    weir__reader *reader;
};

/* Past the mark, which no binary format begins with; a format that was given stays. */
static weir_status detect(struct source *source)
{
    const char *data;
    size_t have;
    weir_status status = WEIR_OK;
    if ((!source->given || source->format->text) &&
        (status = weir__reader_skip_mark(source->reader)))
        return status;
    if ((status = weir__reader_peek(source->reader, WEIR__FORMAT_PEEK, &data, &have)))
        return status;
    if (have == 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the file is empty",
                          weir__reader_path(source->reader));
    source->whole = have < WEIR__FORMAT_PEEK;
    if (!source->given)
        source->format =
            weir__format_of(data, have, source->whole ? have : weir__reader_size(source->reader));
    return WEIR_OK;
}

/* Nothing marks METIS text: who has a broken edge list has to learn why it is held against other rules. */
static weir_status say_what_was_guessed(const struct source *source, weir_status status)
{
    if (status != WEIR_ERR_FORMAT)
        return status;
    struct weir__sentence kept = weir__fail_keep();
    status = weir__fail(status, "%s (taken for METIS text; edges:%s reads an edge list)",
                        kept.text ? kept.text : "", source->path);
    free(kept.text);
    return status;
}

/* A colon may be part of a name, too. */
static weir_status say_what_was_named(const struct source *source, weir_status status)
{
    struct weir__sentence kept = weir__fail_keep();
    status = weir__fail(status, "%s (to be read as %s; a file of the whole name is ./%s)",
                        kept.text ? kept.text : "", source->format->name, source->text);
    free(kept.text);
    return status;
}

/* What was read as an edge list to its end is METIS text: read it again as that. */
static weir_status again_as_metis(const struct source *source, int ascends, weir__arcs *arcs)
{
    weir_status status;
    if (!weir__reader_may_rewind(source->reader))
        return weir__fail(
            WEIR_ERR_FORMAT,
            "%s: began as an edge list may, but is METIS text, and cannot be read twice: say "
            "metis:%s, or edges:%s if it is a list",
            weir__reader_path(source->reader), source->path, source->path);
    weir__arcs_free(arcs);
    *arcs = (weir__arcs){.format_given = 1, .threads = arcs->threads, .ascends = ascends};
    if ((status = weir__reader_rewind(source->reader)) ||
        (status = weir__reader_skip_mark(source->reader)))
        return status;
    return say_what_was_guessed(source, weir__load_metis(source->reader, arcs));
}

static weir_status load_list(struct source *source, const weir_graph_options *options,
                             weir__arcs *arcs)
{
    if (source->format == weir__format_metis()) { /* has both directions, whatever is asked for */
        arcs->mirror = 0;
        arcs->may_deal = 0;
    }
    weir_status status = source->format->load(source->reader, arcs);
    if (!status && arcs->is_metis) {
        source->format = weir__format_metis();
        status = again_as_metis(source, !options->undirected, arcs);
    } else if (source->format == weir__format_metis() && !source->given) {
        status = say_what_was_guessed(source, status);
    }
    arcs->mirror |= options->undirected;
    return status;
}

/* Closes the reader on the way: its buffers need not be there while the graph is built. Arcs are dealt out while they are read where no GPU
 * will put them in order, which is not known of a context that is asked for later. */
static weir_status load_any(struct source *source, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    weir__rows rows = {0};
    weir_device *devices[WEIR_DEVICES_MAX];
    weir_status status = detect(source);
    weir__arcs arcs = {.threads = options->threads,
                       .format_given = source->given,
                       .seen_all = source->whole,
                       .mirror = options->undirected,
                       .may_deal = !options->context_of &&
                                   !weir__csr_devices(options->context, UINT64_MAX, devices),
                       .ascends = !options->undirected};
    if (status)
        return status;
    if (source->format->load_rows) {
        if (!(status = source->format->load_rows(source->reader, &rows)))
            status = weir__rows_build(source->reader, &rows, options, graph_out);
        weir__rows_free(&rows);
        return status;
    }
    if (!(status = load_list(source, options, &arcs))) {
        weir__reader_close(source->reader);
        source->reader = NULL;
        status = weir__build_with(&arcs, options, graph_out);
    }
    weir__arcs_free(&arcs);
    return status;
}

static weir_status load(const char *text, const weir_graph_options *options, weir_graph **graph_out)
{
    struct source source = {.text = text};
    source.format = weir__format_named(text, &source.path);
    source.given = source.format != NULL;
    const char *path = source.path, *slash = strrchr(path, '/'),
               *name = strcmp(path, "-") == 0 ? "standard input"
                       : slash                ? slash + 1
                                              : path;
    if (!*path)
        return weir__fail(WEIR_ERR_INVALID, "%s: no file is named behind it", text);
    weir_status status = weir__reader_open(path, &source.reader);
    if (status == WEIR_ERR_IO && source.given)
        status = say_what_was_named(&source, status);
    if (!status)
        status = load_any(&source, options, graph_out);
    if (!status)
        status = weir__graph_name(graph_out, name, source.format->name);
    weir__reader_close(source.reader);
    return weir__reader_names(status, path);
}

static weir_status open_any(const char *text, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    const int made = weir__generator_known(text);
    struct weir__activity outer;
    weir__activity_begin(&outer, made ? "generating" : "reading", made ? NULL : "bytes", 0);
    return weir__activity_end(&outer, made ? weir__generate(text, options, graph_out)
                                           : load(text, options, graph_out));
}

weir_status weir_graph_open(const char *text, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    const uint64_t begin_ns = weir__now_ns();
    weir_graph_options chosen = WEIR_GRAPH_OPTIONS_INIT;
    weir_status status;
    *graph_out = NULL;
    if ((status = weir__graph_options_in(&chosen, options)))
        return status;
    if (!text || !*text)
        return weir__fail(WEIR_ERR_INVALID, "no graph was named");
    if (!(status = open_any(text, &chosen, graph_out)))
        (*graph_out)->prepare_ms = weir__elapsed_ms(begin_ns);
    return status;
}
