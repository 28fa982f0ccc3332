/** @file generate_rows.c  Graphs of which every row is known by itself, written straight into CSR form. */
#include "algorithms/graph/build.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK      (UINT64_C(1) << 14)
#define CHUNK_ARCS (UINT64_C(1) << 19) /* between two looks whether the call is to end */

struct writer {
    const struct weir__regular *of;
    uint32_t *label; /* by place; NULL: the place itself */
    uint64_t *offsets;
    uint32_t *targets;
};

static uint64_t number(const struct writer *w, uint64_t place)
{
    return w->label ? w->label[place] : place;
}

static void label_places(void *user, uint64_t begin, uint64_t end)
{
    const struct writer *w = user;
    const struct weir__relabeling relabeling = weir__relabeling_of(w->of->vertices, w->of->seed);
    for (uint64_t place = begin; place < end; place++)
        w->label[place] = weir__relabel(&relabeling, place);
}

static void count_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct writer *w = user;
    for (uint64_t place = begin; place < end; place++)
        w->offsets[number(w, place)] = w->of->length(w->of->user, place);
}

static void write_rows(void *user, uint64_t begin, uint64_t end)
{
    const struct writer *w = user;
    for (uint64_t place = begin; place < end; place++)
        w->of->write(w->of->user, w->label, place, w->targets + w->offsets[number(w, place)]);
}

/* Rows that a thread writes at a time: few where they are long. */
static uint64_t rows_at_once(const struct weir__regular *of)
{
    const uint64_t mean = of->arcs / of->vertices + 1, rows = CHUNK_ARCS / mean + 1;
    return rows < CHUNK ? rows : CHUNK;
}

static weir_status write_all(struct writer *w, uint32_t threads, weir_graph **graph_out)
{
    const uint64_t n = w->of->vertices;
    weir_graph *graph = NULL;
    weir_status status =
        weir__activity_for("counting arcs", "vertices", n, CHUNK, threads, count_rows, w);
    if (status)
        return status;
    weir__prefix_sum(w->offsets, n);
    if ((status = weir__alloc(w->offsets[n], sizeof *w->targets, "graph targets", &w->targets)) ||
        (status = weir__activity_for("writing rows", "vertices", n, rows_at_once(w->of), threads,
                                     write_rows, w)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)))
        return status;
    *graph = (weir_graph){.vertices = n,
                          .arcs = w->offsets[n],
                          .offsets = w->offsets,
                          .targets = w->targets,
                          .mirrored = 1};
    *graph_out = graph;
    return WEIR_OK;
}

weir_status weir__generate_regular(const struct weir__regular *of,
                                   const weir_graph_options *options, weir_graph **graph_out)
{
    struct writer w = {.of = of};
    struct weir__need need = {0, 0};
    weir_status status;
    weir__need_take(&need, of->vertices + 1, sizeof *w.offsets);
    weir__need_take(&need, of->shuffle ? of->vertices : 0, sizeof *w.label);
    weir__need_take(&need, of->arcs, sizeof *w.targets);
    if ((status = weir__need_fits(&need, "%s of %llu vertices", of->what,
                                  (unsigned long long)of->vertices)) ||
        (status = weir__alloc(of->vertices + 1, sizeof *w.offsets, "graph offsets", &w.offsets)))
        return status;
    if (of->shuffle &&
        !(status = weir__alloc(of->vertices, sizeof *w.label, "graph labels", &w.label)))
        status = weir__activity_for("shuffling", "vertices", of->vertices, CHUNK, options->threads,
                                    label_places, &w);
    if (!status)
        status = write_all(&w, options->threads, graph_out);
    free(w.label);
    if (status) {
        free(w.targets);
        free(w.offsets);
    }
    return status;
}
