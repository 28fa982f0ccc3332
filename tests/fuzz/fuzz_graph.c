/** @file fuzz_graph.c  A file that is read as a graph: any format, plain or packed.
 *
 * What is accepted is a sound graph, and is the same after it was written and read again. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/algorithms.h"
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/deal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WRITTEN_MOST (1u << 14) /* vertices and arcs of a graph that is written */

static void check_weights(const weir_graph *graph)
{
    int whole = graph->weights_u32 != NULL, real = graph->weights_f64 != NULL, others = 0;
    weir_weight_kind kind = graph->weight_kind;
    FUZZ_CHECK(whole == (kind == WEIR_WEIGHT_U32) && real == (kind == WEIR_WEIGHT_F64),
               "weights of kind %d and their arrays do not agree", kind);
    for (uint64_t i = 0; real && i < graph->arcs; i++) {
        double w = graph->weights_f64[i];
        FUZZ_CHECK(isfinite(w), "the weight of arc %llu is not finite", (unsigned long long)i);
        others |= !(w >= 0 && w <= UINT32_MAX && w == floor(w));
    }
    FUZZ_CHECK(!real || others, "all weights are integers of 32 bits, the kind is numbers");
}

static void check_rows(const weir_graph *graph)
{
    const uint64_t *offsets = graph->offsets;
    FUZZ_CHECK(graph->vertices <= WEIR_VERTICES_MAX, "too many vertices");
    FUZZ_CHECK(offsets[0] == 0 && offsets[graph->vertices] == graph->arcs,
               "rows do not hold all arcs");
    for (uint64_t v = 0; v < graph->vertices; v++) {
        FUZZ_CHECK(offsets[v] <= offsets[v + 1], "row %llu ends before it begins",
                   (unsigned long long)v);
        for (uint64_t i = offsets[v]; i < offsets[v + 1]; i++) {
            FUZZ_CHECK(graph->targets[i] < graph->vertices, "an arc leads out of the graph");
            FUZZ_CHECK(graph->targets[i] != v, "a loop was kept");
            FUZZ_CHECK(i == offsets[v] || graph->targets[i - 1] < graph->targets[i],
                       "row %llu does not ascend", (unsigned long long)v);
        }
    }
}

static void check_same(const weir_graph *a, const weir_graph *b, const char *name)
{
    FUZZ_CHECK(a->vertices == b->vertices && a->arcs == b->arcs, "%s: another size", name);
    FUZZ_CHECK(memcmp(a->offsets, b->offsets, (a->vertices + 1) * sizeof *a->offsets) == 0,
               "%s: other rows", name);
    FUZZ_CHECK(!a->arcs || memcmp(a->targets, b->targets, a->arcs * sizeof *a->targets) == 0,
               "%s: other targets", name);
    if (a->weight_kind == WEIR_WEIGHT_NONE && (strstr(name, ".dimacs") || strstr(name, ".wsg")))
        return; /* which give them weight 1 */
    FUZZ_CHECK(a->weight_kind == b->weight_kind, "%s: weights of kind %d, before %d", name,
               b->weight_kind, a->weight_kind);
    FUZZ_CHECK(!a->weights_u32 || !a->arcs ||
                   memcmp(a->weights_u32, b->weights_u32, a->arcs * sizeof *a->weights_u32) == 0,
               "%s: other weights", name);
    FUZZ_CHECK(!a->weights_f64 || !a->arcs ||
                   memcmp(a->weights_f64, b->weights_f64, a->arcs * sizeof *a->weights_f64) == 0,
               "%s: other weights", name);
}

enum { MTX, GR, DIMACS, EL, GRAPH, SG, WSG, SUFFIXES };

/* Packing takes longer than all else: now and then is enough. */
static const char *name_of(uint64_t choice)
{
    static const char *const suffixes[] = {".mtx",   ".gr", ".dimacs", ".el",
                                           ".graph", ".sg", ".wsg"};
    static char name[20];
    uint64_t packing = choice / 8 % 32;
    snprintf(name, sizeof name, "back%s%s", suffixes[choice % SUFFIXES],
             packing == 0   ? ".xz"
             : packing <= 2 ? ".gz"
                            : "");
    return name;
}

static int has_arc(const weir_graph *graph, uint64_t from, uint64_t to, uint32_t weight)
{
    for (uint64_t i = graph->offsets[from]; i < graph->offsets[from + 1]; i++)
        if (graph->targets[i] == to)
            return !graph->weights_u32 || graph->weights_u32[i] == weight;
    return 0;
}

/* Whether METIS text can hold a graph of whole weights, looked at arc by arc. Graphs are small here. */
static int fits_metis(const weir_graph *graph)
{
    for (uint64_t v = 0; v < graph->vertices; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            uint32_t weight = graph->weights_u32 ? graph->weights_u32[i] : 1;
            if (weight == 0 || !has_arc(graph, graph->targets[i], v, weight))
                return 0;
        }
    }
    return 1;
}

static int fits(const weir_graph *graph, uint64_t suffix)
{
    if (suffix == MTX)
        return 1;
    if (suffix == EL)
        return graph->vertices > 0;
    if (suffix == SG)
        return graph->weight_kind == WEIR_WEIGHT_NONE;
    if (graph->weight_kind == WEIR_WEIGHT_F64)
        return 0;
    for (uint64_t i = 0; suffix == WSG && graph->weights_u32 && i < graph->arcs; i++)
        if (graph->weights_u32[i] > INT32_MAX)
            return 0;
    return suffix == WSG ? graph->arcs > 0 : suffix == GRAPH ? fits_metis(graph) : 1;
}

static void write_and_read(const weir_graph *graph, uint64_t choice)
{
    const char *name = name_of(choice), *path = weir__fuzz_path(name);
    int cannot = !fits(graph, choice % SUFFIXES);
    weir_graph *back = NULL;
    weir_status status = weir_graph_write(graph, path);
    if (status) {
        FUZZ_CHECK(status == WEIR_ERR_NOMEM || (cannot && status == WEIR_ERR_INVALID),
                   "writing %s: status %d", name, status);
        weir__fuzz_refused(status, "");
        return;
    }
    FUZZ_CHECK(!cannot, "%s cannot hold this graph, and was written", name);
    status = weir_graph_open(path, NULL, &back);
    unlink(path);
    FUZZ_CHECK(!status || status == WEIR_ERR_NOMEM, "reading what was written: %s",
               weir_error_detail());
    if (!status)
        check_same(graph, back, name);
    weir_graph_destroy(back);
}

/* The same whether arcs are dealt out while they are read, from the first few on, or made a list of. */
static void check_early(const char *named, const weir_graph_options *options, weir_status status,
                        const weir_graph *graph)
{
    weir_graph *other = NULL;
    weir__early_pretend(2);
    weir__ahead_pretend(16);
    const weir_status again = weir_graph_open(named, options, &other);
    weir__ahead_pretend(0);
    weir__early_pretend(0);
    FUZZ_CHECK(status == again, "status %d where arcs are dealt out early, else %d", again, status);
    if (!status) {
        check_same(graph, other, "early");
        FUZZ_CHECK(graph->loops_dropped == other->loops_dropped &&
                       graph->duplicates_dropped == other->duplicates_dropped,
                   "other arcs were dropped");
    }
    weir_graph_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Some are said to be of a format, whatever they look like. */
    static const char *const prefixes[] = {
        "graph500:", "metis:", "edges:", "gap:", "galois:", "mtx:", "dimacs:"};
    const char *path = weir__fuzz_file(data, size);
    char named[4096];
    uint64_t choice = weir__fuzz_hash(data, size);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = NULL;
    options.undirected = choice >> 20 & 1;
    options.threads = choice >> 21 & 31 ? 1 : 3;
    const uint64_t prefix = choice >> 26 & 31;
    snprintf(named, sizeof named, "%s%s", prefix < COUNT(prefixes) ? prefixes[prefix] : "", path);
    weir_status status = weir_graph_open(named, &options, &graph);
    if (choice >> 31 & 1)
        check_early(named, &options, status, graph);
    if (status) {
        FUZZ_CHECK(!graph, "a graph in spite of status %d", status);
        weir__fuzz_refused(status, path);
        return 0;
    }
    check_rows(graph);
    check_weights(graph);
    if (graph->vertices <= WRITTEN_MOST && graph->arcs <= WRITTEN_MOST)
        write_and_read(graph, choice);
    weir_graph_destroy(graph);
    return 0;
}
