/** @file write.c  weir_graph_write(): the formats, by suffix. What is written reads back equal. */
#include "algorithms/graph/pack.h"
#include "runtime/support.h"

#include "algorithms/algorithms.h"

#include <locale.h>
#include <string.h>
#include <sys/stat.h>

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
    for (uint64_t v = 0; v < graph->vertices; v++) {
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
    for (uint64_t v = 0; v < graph->vertices; v++) {
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
    for (uint64_t v = 0; v < graph->vertices; v++) {
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

struct form {
    const char *suffix;
    void (*write)(weir__pack *pack, const weir_graph *graph);
};

static const struct form forms[] = {{".mtx", write_matrix_market}, {".gr", write_galois},
                                    {".dimacs", write_dimacs},     {".el", write_edge_list},
                                    {".txt", write_edge_list},     {NULL, NULL}};

/* Cut a suffix off; `length` is what counts of the path. */
static int cut(const char *path, size_t *length, const char *suffix)
{
    size_t tail = strlen(suffix);
    if (*length <= tail || memcmp(path + *length - tail, suffix, tail) != 0)
        return 0;
    *length -= tail;
    return 1;
}

/* A device or pipe has no suffix to speak of: it gets an edge list. */
static int is_stream(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

static weir_status find(const char *path, const struct form **form_out, weir__packing *packing_out)
{
    size_t length = strlen(path);
    const struct form *form = forms;
    *packing_out = cut(path, &length, ".gz")    ? WEIR__GZIP
                   : cut(path, &length, ".xz")  ? WEIR__XZ
                   : cut(path, &length, ".zst") ? WEIR__ZSTD
                                                : WEIR__PLAIN;
    while (form->suffix && !cut(path, &length, form->suffix))
        form++;
    if (!form->suffix && is_stream(path))
        form = &forms[3];
    *form_out = form;
    if (form->suffix)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "%s: unknown suffix; choose one of: .mtx, .gr, .dimacs, .el, .txt, with .gz, "
                      ".xz or .zst behind it to pack",
                      path);
}

weir_status weir__write_check(const char *path)
{
    const struct form *form;
    weir__packing packing;
    return find(path, &form, &packing);
}

static weir_status choose(const weir_graph *graph, const char *path, const struct form **form_out,
                          weir__packing *packing_out)
{
    weir_status status = find(path, form_out, packing_out);
    const struct form *form = *form_out;
    if (status)
        return status;
    if (graph->weight_kind == WEIR_WEIGHT_F64 &&
        (form->write == write_galois || form->write == write_dimacs))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: %s holds whole weights of 32 bits, this graph has others", path,
                          form->suffix);
    if (graph->vertices == 0 && form->write == write_edge_list)
        return weir__fail(WEIR_ERR_INVALID, "%s: an edge list cannot hold a graph of no vertices",
                          path);
    return WEIR_OK;
}

weir_status weir_graph_write(const weir_graph *graph, const char *path)
{
    return weir__graph_write(graph, path, NULL, NULL);
}

weir_status weir__graph_write(const weir_graph *graph, const char *path, int (*last)(void *user),
                              void *user)
{
    const struct form *form = NULL;
    weir__packing packing;
    weir__pack *pack;
    weir_status status;
    if (!graph || !path)
        return weir__fail(WEIR_ERR_INVALID, "weir_graph_write: no graph or no path");
    if ((status = choose(graph, path, &form, &packing)) ||
        (status = weir__pack_open(path, packing, &pack)))
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
