/** @file rows.c  From rows as a file has them to a graph.
 *
 * What a program stored as a graph has rows that ascend, without duplicates and loops: one look at the arcs, on all
 * cores, tells, and the arrays that were read are the graph's. Anything else goes the way of lists of arcs. */
#include "algorithms/graph/rows.h"
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/build.h"
#include "algorithms/graph/lanes.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ROW_CHUNK (UINT64_C(1) << 12)

/* The arrays, and @p before bytes that are there before them. */
static weir_status fits(const weir__rows *rows, int weighted, uint64_t before)
{
    const uint64_t n = rows->vertices, m = rows->arcs;
    struct weir__need need = {0, 0};
    weir__need_take(&need, before, 1);
    weir__need_take(&need, n + 1, sizeof *rows->offsets);
    weir__need_take(&need, m, sizeof *rows->targets);
    weir__need_take(&need, weighted ? m : 0, sizeof *rows->weights);
    return weir__need_fits(&need, "a graph of %llu vertices and %llu arcs", (unsigned long long)n,
                           (unsigned long long)m);
}

weir_status weir__rows_hold(weir__reader *reader, const weir__rows *rows, uint64_t least,
                            uint64_t most)
{
    const char *data;
    size_t have;
    if (weir__reader_size(reader) != UINT64_MAX)
        return WEIR_OK;
    /* Of a short file its size says more than a lack of memory would. */
    weir_status status = weir__reader_peek(reader, WEIR__LINE_MAX, &data, &have);
    if (!status && have == WEIR__LINE_MAX)
        status = fits(rows, 0, least);
    return status ? status : weir__reader_hold(reader, most);
}

weir_status weir__rows_reserve(weir__rows *rows, int weighted)
{
    const uint64_t n = rows->vertices, m = rows->arcs;
    weir_status status;
    if ((status = fits(rows, weighted, 0)) ||
        (status = weir__alloc(n + 1, sizeof *rows->offsets, "graph offsets", &rows->offsets)) ||
        (status = weir__alloc(m, sizeof *rows->targets, "graph targets", &rows->targets)))
        return status;
    return weighted ? weir__alloc(m, sizeof *rows->weights, "graph weights", &rows->weights)
                    : WEIR_OK;
}

void weir__rows_free(weir__rows *rows)
{
    free(rows->offsets);
    free(rows->targets);
    free(rows->weights);
    *rows = (weir__rows){0};
}

weir_status weir__rows_take(weir__reader *reader, void *data, uint64_t bytes)
{
    size_t got;
    weir_status status = weir__reader_bytes(reader, data, bytes, &got);
    if (!status && got < bytes)
        status =
            weir__fail(WEIR_ERR_FORMAT, "%s: the graph is cut short", weir__reader_path(reader));
    return status;
}

weir_status weir__rows_check(const weir__reader *reader, const weir__rows *rows)
{
    const char *path = weir__reader_path(reader);
    uint64_t last = rows->offsets[0];
    if (last != 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the first row begins at arc %llu", path,
                          (unsigned long long)last);
    for (uint64_t v = 0; v < rows->vertices; last = rows->offsets[++v])
        if (rows->offsets[v + 1] < last || rows->offsets[v + 1] > rows->arcs)
            return weir__fail(WEIR_ERR_FORMAT,
                              "%s: the row of vertex %llu ends at %llu, before it begins or behind "
                              "all arcs",
                              path, (unsigned long long)v,
                              (unsigned long long)rows->offsets[v + 1]);
    if (last != rows->arcs)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu arcs but the rows hold %llu", path,
                          (unsigned long long)rows->arcs, (unsigned long long)last);
    return WEIR_OK;
}

weir_status weir__rows_refuse(const weir__reader *reader, const weir__rows *rows, uint64_t arc,
                              uint64_t target)
{
    return weir__fail(WEIR_ERR_FORMAT, "%s: arc %llu leads to vertex %llu of %llu",
                      weir__reader_path(reader), (unsigned long long)arc,
                      (unsigned long long)target, (unsigned long long)rows->vertices);
}

struct look {
    const weir__rows *rows;
    uint64_t stray; /* the first arc that leads to no vertex; relaxed atomic, only ever smaller */
    int untidy;     /* a row does not ascend, or has a loop; relaxed atomic, set only */
};

/* Values that are not above the one before them. @param[in] begin  not 0. @param[in,out] beyond  some value is no vertex. */
static uint64_t count_descents(const uint32_t *targets, uint64_t begin, uint64_t end,
                               uint64_t vertices, int *beyond)
{
    const uint32_t last = (uint32_t)(vertices - 1);
    const lanes lasts = {last, last, last, last};
    lanes descents = {0}, strays = {0};
    uint64_t count = 0, i = begin;
    for (; i + LANES <= end; i += LANES) {
        const lanes before = load_lanes(targets + i - 1), here = load_lanes(targets + i);
        descents -= (lanes)(before >= here); /* all bits of a lane where it is so */
        strays |= (lanes)(here > lasts);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        count += descents[lane];
        *beyond |= strays[lane] != 0;
    }
    for (; i < end; i++) {
        count += targets[i - 1] >= targets[i];
        *beyond |= targets[i] > last;
    }
    return count;
}

/* Whether a row has an arc to its own vertex; anything if it does not ascend. */
static int has_loop(const uint32_t *row, uint64_t count, uint32_t v)
{
    while (count > 1) {
        const uint64_t half = count / 2;
        row += row[half] <= v ? half : 0;
        count -= half;
    }
    return count == 1 && *row == v;
}

/* Arcs one behind the other first, without rows: what is not above the one before has to be the first of a row. */
static void look_at_rows(void *user, uint64_t begin, uint64_t end)
{
    struct look *look = user;
    const weir__rows *rows = look->rows;
    const uint32_t *targets = rows->targets;
    int beyond = targets[begin] >= rows->vertices, loops = 0;
    uint64_t descents = count_descents(targets, begin + (begin == 0), end, rows->vertices, &beyond),
             v = weir__first_row_at(rows->offsets, rows->vertices, begin);
    for (; v < rows->vertices && rows->offsets[v] < end; v++) {
        const uint64_t from = rows->offsets[v], count = rows->offsets[v + 1] - from;
        descents -= count && from && targets[from - 1] >= targets[from];
        loops |= has_loop(targets + from, count, (uint32_t)v);
    }
    uint64_t stray = UINT64_MAX;
    for (uint64_t i = begin; beyond && stray == UINT64_MAX; i++)
        if (targets[i] >= rows->vertices)
            stray = i;
    if (descents || loops)
        __atomic_store_n(&look->untidy, 1, __ATOMIC_RELAXED);
    uint64_t known = __atomic_load_n(&look->stray, __ATOMIC_RELAXED);
    while (stray < known && !__atomic_compare_exchange_n(&look->stray, &known, stray, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

weir_status weir__rows_tidy(const weir__rows *rows, uint32_t threads, int *tidy_out,
                            uint64_t *stray_out)
{
    struct look look = {rows, UINT64_MAX, 0};
    const weir_status status = weir__activity_for("looking at rows", "arcs", rows->arcs,
                                                  WEIR__ARC_CHUNK, threads, look_at_rows, &look);
    *stray_out = look.stray;
    *tidy_out = !look.untidy;
    return status;
}

struct spread {
    const uint64_t *offsets;
    uint32_t *sources;
};

static void spread_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct spread *spread = user;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = spread->offsets[v]; i < spread->offsets[v + 1]; i++)
            spread->sources[i] = (uint32_t)v;
}

weir_status weir__rows_sources(const uint64_t *offsets, uint64_t vertices, uint32_t threads,
                               uint32_t *sources_out)
{
    struct spread spread = {offsets, sources_out};
    return weir__activity_for("writing rows as arcs", "vertices", vertices, ROW_CHUNK, threads,
                              spread_rows, &spread);
}

/* The way of lists, whose arrays these become. */
static weir_status build_list(weir__rows *rows, const weir_graph_options *options,
                              weir_graph **graph_out)
{
    const uint64_t m = rows->arcs;
    weir__arcs arcs = {.vertices = rows->vertices,
                       .weighted = rows->weights != NULL,
                       .mirror = options->undirected};
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, m, sizeof *arcs.sources);
    weir__need_take(&need, arcs.weighted ? m : 0, sizeof *arcs.weights);
    if ((status = weir__need_fits(&need, "sorting %llu arcs", (unsigned long long)m)) ||
        (status = weir__alloc(m, sizeof *arcs.sources, "arcs", &arcs.sources)) ||
        (arcs.weighted && (status = weir__alloc(m, sizeof *arcs.weights, "arcs", &arcs.weights)))) {
        free(arcs.sources);
        return status;
    }
    if ((status =
             weir__rows_sources(rows->offsets, rows->vertices, options->threads, arcs.sources))) {
        free(arcs.sources);
        free(arcs.weights);
        return status;
    }
    for (uint64_t i = 0; arcs.weighted && i < m; i++)
        arcs.weights[i] =
            rows->negative ? (double)(int32_t)rows->weights[i] : (double)rows->weights[i];
    arcs.targets = rows->targets;
    arcs.count = arcs.room = m;
    rows->targets = NULL;
    weir__rows_free(rows);
    status = weir__build_with(&arcs, options, graph_out);
    weir__arcs_free(&arcs);
    return status;
}

weir_status weir__rows_build(const weir__reader *reader, weir__rows *rows,
                             const weir_graph_options *options, weir_graph **graph_out)
{
    weir_graph *graph = NULL;
    uint64_t stray = UINT64_MAX;
    int tidy = 0;
    *graph_out = NULL;
    weir_status status = weir__rows_tidy(rows, options->threads, &tidy, &stray);
    tidy = tidy && !rows->negative;
    if (!status && stray != UINT64_MAX)
        status = weir__rows_refuse(reader, rows, stray, rows->targets[stray]);
    if (!status)
        status = weir__calloc(1, sizeof *graph, "graph", &graph);
    if (status)
        goto out;
    *graph = (weir_graph){.vertices = rows->vertices,
                          .arcs = rows->arcs,
                          .offsets = rows->offsets,
                          .targets = rows->targets,
                          .weight_kind = rows->weights ? WEIR_WEIGHT_U32 : WEIR_WEIGHT_NONE,
                          .weights_u32 = rows->weights};
    if (tidy && (!options->undirected || weir__graph_symmetric(graph, rows->weights))) {
        graph->mirrored = options->undirected;
        *rows = (weir__rows){0};
        *graph_out = graph;
        return WEIR_OK;
    }
    free(graph);
    status = build_list(rows, options, graph_out);
out:
    weir__rows_free(rows);
    return status;
}
