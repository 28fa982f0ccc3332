/** @file write.c  weir_graph_write(): the formats, by suffix. What is written reads back equal. */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/format.h"
#include "algorithms/graph/replace.h"
#include "algorithms/graph/write.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <locale.h>
#include <string.h>

/* The weight of an arc and the end of its line. */
static void put_weight(weir__pack *pack, const weir_graph *graph, uint64_t arc)
{
    if (graph->weight_kind == WEIR_WEIGHT_U32)
        weir__pack_number(pack, graph->weights_u32[arc], '\n');
    else
        weir__pack_real(pack, graph->weights_f64[arc], '\n');
}

static void write_matrix_market(weir__pack *pack, const weir_graph *graph)
{
    static const char *const field[] = {"pattern", "integer", "real"};
    weir__pack_text(pack, "%%%%MatrixMarket matrix coordinate %s general\n%llu %llu %llu\n",
                    field[graph->weight_kind], (unsigned long long)graph->vertices,
                    (unsigned long long)graph->vertices, (unsigned long long)graph->arcs);
    for (uint64_t v = 0; v < graph->vertices && !pack->failed; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            int plain = graph->weight_kind == WEIR_WEIGHT_NONE;
            weir__pack_number(pack, v + 1, ' ');
            weir__pack_number(pack, graph->targets[i] + UINT64_C(1), plain ? '\n' : ' ');
            if (!plain)
                put_weight(pack, graph, i);
        }
    }
}

/* DIMACS knows no arcs without a weight: they get 1. */
static void write_dimacs(weir__pack *pack, const weir_graph *graph)
{
    weir__pack_text(pack, "p sp %llu %llu\n", (unsigned long long)graph->vertices,
                    (unsigned long long)graph->arcs);
    for (uint64_t v = 0; v < graph->vertices && !pack->failed; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            weir__pack_bytes(pack, "a ", 2);
            weir__pack_number(pack, v + 1, ' ');
            weir__pack_number(pack, graph->targets[i] + UINT64_C(1), ' ');
            weir__pack_number(pack, graph->weights_u32 ? graph->weights_u32[i] : 1, '\n');
        }
    }
}

static void write_galois(weir__pack *pack, const weir_graph *graph)
{
    const uint64_t header[] = {1, graph->weights_u32 ? 4 : 0, graph->vertices, graph->arcs};
    const uint32_t padding = 0;
    weir__pack_bytes(pack, header, sizeof header);
    weir__pack_bytes(pack, graph->offsets + 1, graph->vertices * sizeof *graph->offsets);
    weir__pack_bytes(pack, graph->targets, graph->arcs * sizeof *graph->targets);
    if (graph->arcs % 2)
        weir__pack_bytes(pack, &padding, sizeof padding);
    if (graph->weights_u32)
        weir__pack_bytes(pack, graph->weights_u32, graph->arcs * sizeof *graph->weights_u32);
}

/* Readers take the largest id for the last vertex. A loop at the last vertex, which they drop,
 * keeps a graph whole that ends in isolated vertices. */
static void write_edge_list(weir__pack *pack, const weir_graph *graph)
{
    int plain = graph->weight_kind == WEIR_WEIGHT_NONE;
    uint64_t largest = 0;
    weir__pack_text(pack, "# Nodes: %llu Edges: %llu\n", (unsigned long long)graph->vertices,
                    (unsigned long long)graph->arcs);
    for (uint64_t v = 0; v < graph->vertices && !pack->failed; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            weir__pack_number(pack, v, ' ');
            weir__pack_number(pack, graph->targets[i], plain ? '\n' : ' ');
            if (!plain)
                put_weight(pack, graph, i);
            largest = v > largest ? v : largest;
            largest = graph->targets[i] > largest ? graph->targets[i] : largest;
        }
    }
    if (graph->arcs > 0 && largest + 1 == graph->vertices)
        return;
    weir__pack_number(pack, graph->vertices - 1, ' ');
    weir__pack_number(pack, graph->vertices - 1, plain ? '\n' : ' ');
    if (!plain)
        weir__pack_bytes(pack, "1\n", 2);
}

/* The comment keeps it from being read as an edge list, which it may be as well. */
static void write_metis(weir__pack *pack, const weir_graph *graph)
{
    weir__pack_text(pack, "%% METIS graph\n%llu %llu%s\n", (unsigned long long)graph->vertices,
                    (unsigned long long)(graph->arcs / 2), graph->weights_u32 ? " 001" : "");
    for (uint64_t v = 0; v < graph->vertices && !pack->failed; v++) {
        const uint64_t end = graph->offsets[v + 1];
        for (uint64_t i = graph->offsets[v]; i < end; i++) {
            const char behind = i + 1 < end ? ' ' : '\n';
            weir__pack_number(pack, graph->targets[i] + UINT64_C(1),
                              graph->weights_u32 ? ' ' : behind);
            if (graph->weights_u32)
                weir__pack_number(pack, graph->weights_u32[i], behind);
        }
        if (graph->offsets[v] == end)
            weir__pack_bytes(pack, "\n", 1);
    }
}

/* ---- what a format can hold: a sentence where it cannot hold a graph ---------------------- */

static weir_status fits_any(const weir_graph *graph, const char *path)
{
    (void)graph, (void)path;
    return WEIR_OK;
}

static weir_status fits_whole(const weir_graph *graph, const char *path)
{
    if (graph->weight_kind == WEIR_WEIGHT_F64)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: this format holds whole weights of 32 bits, this graph has others",
                          path);
    return WEIR_OK;
}

static weir_status fits_edge_list(const weir_graph *graph, const char *path)
{
    if (graph->vertices == 0)
        return weir__fail(WEIR_ERR_INVALID, "%s: an edge list cannot hold a graph of no vertices",
                          path);
    return WEIR_OK;
}

static weir_status fits_metis(const weir_graph *graph, const char *path)
{
    weir_status status = fits_whole(graph, path);
    for (uint64_t i = 0; graph->weights_u32 && i < graph->arcs && !status; i++)
        if (graph->weights_u32[i] == 0)
            status = weir__fail(WEIR_ERR_INVALID,
                                "%s: METIS text holds weights from 1, this graph has 0", path);
    if (!status && !weir__graph_symmetric(graph, graph->weights_u32) &&
        !(status = weir__activity_went(0)))
        status =
            weir__fail(WEIR_ERR_INVALID,
                       "%s: METIS text holds graphs in which every arc has its reverse, of equal "
                       "weight, this graph has not (--undirected adds them)",
                       path);
    return status;
}

static weir_status fits_gap(const weir_graph *graph, const char *path)
{
    if (graph->vertices > INT32_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%s: a GAP graph has at most %d vertices", path,
                          INT32_MAX);
    return WEIR_OK;
}

static weir_status fits_sg(const weir_graph *graph, const char *path)
{
    if (graph->weight_kind != WEIR_WEIGHT_NONE)
        return weir__fail(
            WEIR_ERR_INVALID,
            "%s: a GAP graph without weights (.sg), this graph has some: .wsg holds them", path);
    return fits_gap(graph, path);
}

static weir_status fits_wsg(const weir_graph *graph, const char *path)
{
    weir_status status = fits_whole(graph, path);
    for (uint64_t i = 0; graph->weights_u32 && i < graph->arcs && !status; i++)
        if (graph->weights_u32[i] > INT32_MAX)
            status = weir__fail(WEIR_ERR_INVALID, "%s: a GAP graph holds weights up to %d", path,
                                INT32_MAX);
    if (!status && graph->arcs == 0)
        status = weir__fail(WEIR_ERR_INVALID,
                            "%s: a GAP graph without arcs has no weights: .sg holds it", path);
    return status ? status : fits_gap(graph, path);
}

struct form {
    const char *suffix;
    weir_status (*fits)(const weir_graph *graph, const char *path);
    void (*write)(weir__pack *pack, const weir_graph *graph);
};

enum { EDGE_LIST = 3 }; /* in the table: what devices and pipes get */
static const struct form forms[] = {{".mtx", fits_any, write_matrix_market},
                                    {".gr", fits_whole, write_galois},
                                    {".dimacs", fits_whole, write_dimacs},
                                    [EDGE_LIST] = {".el", fits_edge_list, write_edge_list},
                                    {".txt", fits_edge_list, write_edge_list},
                                    {".graph", fits_metis, write_metis},
                                    {".sg", fits_sg, weir__write_gap},
                                    {".wsg", fits_wsg, weir__write_gap_weighted},
                                    {NULL, NULL, NULL}};

/* Cut a suffix off; `length` is what counts of the path. */
static int cut(const char *path, size_t *length, const char *suffix)
{
    size_t tail = strlen(suffix);
    if (*length <= tail || memcmp(path + *length - tail, suffix, tail) != 0)
        return 0;
    *length -= tail;
    return 1;
}

static weir_status refuse_suffix(const char *path)
{
    char list[200] = "";
    for (const struct form *form = forms; form->suffix; form++) {
        strcat(list, form == forms ? "" : ", ");
        strcat(list, form->suffix);
    }
    return weir__fail(
        WEIR_ERR_INVALID,
        "%s: unknown suffix; choose one of: %s, with .gz, .xz or .zst behind it to pack", path,
        list);
}

static weir_status find(const char *path, const struct form **form_out, weir__packing *packing_out)
{
    size_t length = strlen(path);
    const struct form *form = forms;
    const char *behind;
    if (weir__format_named(path, &behind) || weir__generator_known(path))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: a graph of this name could not be read by it, as it begins like a "
                          "format or a generator: ./%s can; the suffix alone picks the format",
                          path, path);
    *packing_out = cut(path, &length, ".gz")    ? WEIR__GZIP
                   : cut(path, &length, ".xz")  ? WEIR__XZ
                   : cut(path, &length, ".zst") ? WEIR__ZSTD
                                                : WEIR__PLAIN;
    while (form->suffix && !cut(path, &length, form->suffix))
        form++;
    /* A device or pipe has no suffix to speak of. */
    if (!form->suffix && weir__replace_streams(path))
        form = &forms[EDGE_LIST];
    *form_out = form;
    return form->suffix ? WEIR_OK : refuse_suffix(path);
}

weir_status weir__write_check(const char *path)
{
    const struct form *form;
    weir__packing packing;
    return find(path, &form, &packing);
}

weir_status weir_graph_write(const weir_graph *graph, const char *path)
{
    return weir__graph_write(graph, path, NULL, NULL);
}

static weir_status write_graph(const weir_graph *graph, const char *path, int (*last)(void *user),
                               void *user)
{
    const struct form *form = NULL;
    weir__packing packing;
    weir__pack *pack;
    weir_status status;
    if (!graph || !path)
        return weir__fail(WEIR_ERR_INVALID, "weir_graph_write: no graph or no path");
    if ((status = find(path, &form, &packing)) || (status = weir_graph_fetch(graph)) ||
        (status = form->fits(graph, path)) || (status = weir__pack_open(path, packing, &pack)))
        return status;
    /* A decimal comma would not read back. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    form->write(pack, graph);
    uselocale(before);
    if (c_locale)
        freelocale(c_locale);
    weir__pack_finish(pack);
    if (!pack->failed && last && last(user))
        pack->failed = weir__fail(WEIR_ERR_CANCELLED, "%s: not wanted any more", path);
    return weir__pack_close(pack);
}

weir_status weir__graph_write(const weir_graph *graph, const char *path, int (*last)(void *user),
                              void *user)
{
    struct weir__activity outer;
    weir__activity_begin(&outer, "writing a graph", "bytes", 0);
    return weir__activity_end(&outer, write_graph(graph, path, last, user));
}
