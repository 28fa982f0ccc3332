/** @file build.c  From a list of arcs to a CSR graph, in parallel.
 *
 * A counting sort by source (count, sum, scatter with atomic cursors) leaves each row in an order
 * that depends on the threads; sorting each row by target and collapsing equal targets to the
 * smallest weight makes the result depend on the set of arcs alone. So does the kind of weights: that
 * of the arcs that remain. Mirrored arcs are never stored:
 * every pass handles both directions of an arc as it meets it. Peak memory is arcs plus rows, then
 * rows plus graph.
 */
#include "algorithms/graph/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ARC_CHUNK (UINT64_C(1) << 16)
#define ROW_CHUNK (UINT64_C(1) << 10)

struct pair {
    double weight;
    uint32_t target;
};

#define SORT_NAME   sort_plain
#define SORT_TYPE   uint32_t
#define SORT_KEY(x) (x)
#include "algorithms/graph/sort_tmpl.h"

/* Target above, 32-bit weight below. */
#define SORT_NAME   sort_packed
#define SORT_TYPE   uint64_t
#define SORT_KEY(x) ((uint32_t)((x) >> 32))
#include "algorithms/graph/sort_tmpl.h"

#define SORT_NAME   sort_pairs
#define SORT_TYPE   struct pair
#define SORT_KEY(x) ((x).target)
#include "algorithms/graph/sort_tmpl.h"

struct build {
    const weir__arcs *arcs;
    weir_weight_kind form; /* of rows, which hold arcs that will be dropped */
    weir_weight_kind kind; /* of the graph, which the arcs that remain decide */
    uint32_t shift;        /* of the highest byte of an id, for the radix sort */
    int fractions; /* some weight is no 32-bit integer; relaxed atomic, set only; of all arcs, then of
                      those that remain */
    uint64_t *ends; /* counts, then cursors; after the scatter the end of each row */
    union {
        uint32_t *plain;
        uint64_t *packed;
        struct pair *pairs;
        void *any;
    } rows;
    uint64_t *offsets; /* kept arcs of each row, then the graph's offsets */
    uint32_t *targets;
    uint32_t *weights_u32;
    double *weights_f64;
};

static inline int is_fraction(double weight)
{
    return !(weight >= 0 && weight <= UINT32_MAX && weight == (double)(uint32_t)weight);
}

static void look_at_weights(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    int fractions = 0;
    for (uint64_t i = begin; i < end; i++)
        if (b->arcs->sources[i] != b->arcs->targets[i])
            fractions |= is_fraction(b->arcs->weights[i]);
    if (fractions)
        __atomic_store_n(&b->fractions, 1, __ATOMIC_RELAXED);
}

static void count_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    const weir__arcs *arcs = b->arcs;
    for (uint64_t i = begin; i < end; i++) {
        if (arcs->sources[i] == arcs->targets[i])
            continue;
        __atomic_fetch_add(&b->ends[arcs->sources[i]], 1, __ATOMIC_RELAXED);
        if (arcs->mirror)
            __atomic_fetch_add(&b->ends[arcs->targets[i]], 1, __ATOMIC_RELAXED);
    }
}

static inline void put(struct build *b, uint32_t source, uint32_t target, uint64_t arc)
{
    uint64_t at = __atomic_fetch_add(&b->ends[source], 1, __ATOMIC_RELAXED);
    if (b->form == WEIR_WEIGHT_NONE)
        b->rows.plain[at] = target;
    else if (b->form == WEIR_WEIGHT_U32)
        b->rows.packed[at] = (uint64_t)target << 32 | (uint32_t)b->arcs->weights[arc];
    else /* adding 0 turns -0 into 0, so that equal weights have equal bits */
        b->rows.pairs[at] = (struct pair){b->arcs->weights[arc] + 0.0, target};
}

static void scatter_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    const weir__arcs *arcs = b->arcs;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t source = arcs->sources[i], target = arcs->targets[i];
        if (source == target)
            continue;
        put(b, source, target, i);
        if (arcs->mirror)
            put(b, target, source, i);
    }
}

static uint64_t collapse_plain(uint32_t *row, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || row[kept - 1] != row[i])
            row[kept++] = row[i];
    return kept;
}

static uint64_t collapse_packed(uint64_t *row, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || row[kept - 1] >> 32 != row[i] >> 32)
            row[kept++] = row[i];
        else if (row[i] < row[kept - 1])
            row[kept - 1] = row[i];
    }
    return kept;
}

static uint64_t collapse_pairs(struct pair *row, uint64_t count, int *fractions)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || row[kept - 1].target != row[i].target)
            row[kept++] = row[i];
        else if (row[i].weight < row[kept - 1].weight)
            row[kept - 1] = row[i];
    }
    for (uint64_t i = 0; i < kept; i++)
        *fractions |= is_fraction(row[i].weight);
    return kept;
}

static void sort_rows(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    int fractions = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t first = v ? b->ends[v - 1] : 0, count = b->ends[v] - first;
        switch (b->form) {
        case WEIR_WEIGHT_NONE:
            sort_plain(b->rows.plain + first, count, b->shift);
            b->offsets[v] = collapse_plain(b->rows.plain + first, count);
            break;
        case WEIR_WEIGHT_U32:
            sort_packed(b->rows.packed + first, count, b->shift);
            b->offsets[v] = collapse_packed(b->rows.packed + first, count);
            break;
        case WEIR_WEIGHT_F64:
            sort_pairs(b->rows.pairs + first, count, b->shift);
            b->offsets[v] = collapse_pairs(b->rows.pairs + first, count, &fractions);
            break;
        }
    }
    if (fractions)
        __atomic_store_n(&b->fractions, 1, __ATOMIC_RELAXED);
}

static void copy_rows(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t from = v ? b->ends[v - 1] : 0, to = b->offsets[v];
        uint64_t count = b->offsets[v + 1] - to;
        if (b->form == WEIR_WEIGHT_NONE) {
            memcpy(b->targets + to, b->rows.plain + from, count * sizeof *b->targets);
        } else if (b->form == WEIR_WEIGHT_U32) {
            for (uint64_t i = 0; i < count; i++) {
                b->targets[to + i] = (uint32_t)(b->rows.packed[from + i] >> 32);
                b->weights_u32[to + i] = (uint32_t)b->rows.packed[from + i];
            }
        } else {
            for (uint64_t i = 0; i < count; i++) {
                b->targets[to + i] = b->rows.pairs[from + i].target;
                if (b->kind == WEIR_WEIGHT_U32)
                    b->weights_u32[to + i] = (uint32_t)b->rows.pairs[from + i].weight;
                else
                    b->weights_f64[to + i] = b->rows.pairs[from + i].weight;
            }
        }
    }
}

void weir__prefix_sum(uint64_t *values, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t here = values[i];
        values[i] = sum;
        sum += here;
    }
    values[count] = sum;
}

/* Rows sorted and collapsed, each still where the scatter put it; offsets are final. */
static const size_t row_bytes[] = {sizeof(uint32_t), sizeof(uint64_t), sizeof(struct pair)};

static weir_status make_rows(struct build *b, weir__arcs *arcs, uint32_t threads)
{
    uint64_t n = arcs->vertices;
    weir_status status;

    if ((status = weir__activity_for("counting arcs", "arcs", arcs->count, ARC_CHUNK, threads,
                                     count_arcs, b)))
        return status;
    while (b->shift < 24 && ((n - 1) >> b->shift) > 255)
        b->shift += 8;
    weir__prefix_sum(b->ends, n);
    if ((status = weir__alloc(b->ends[n], row_bytes[b->form], "sorting arcs", &b->rows.any)))
        return status;
    if ((status = weir__activity_for("dealing out arcs", "arcs", arcs->count, ARC_CHUNK, threads,
                                     scatter_arcs, b)))
        return status;
    weir__arcs_free(arcs);
    b->fractions = 0;
    if ((status =
             weir__activity_for("sorting rows", "vertices", n, ROW_CHUNK, threads, sort_rows, b)))
        return status;
    b->kind = b->form == WEIR_WEIGHT_F64 && !b->fractions ? WEIR_WEIGHT_U32 : b->form;
    weir__prefix_sum(b->offsets, n);
    return WEIR_OK;
}

static weir_status make_arrays(struct build *b, uint64_t n, uint32_t threads)
{
    weir_status status;
    uint64_t m = b->offsets[n];
    if (b->kind == WEIR_WEIGHT_NONE && n > 0 && m == b->ends[n - 1]) {
        b->targets = b->rows.plain; /* nothing was dropped: the rows are the graph */
        b->rows.plain = NULL;
        return WEIR_OK;
    }
    if ((status = weir__alloc(m, sizeof *b->targets, "graph targets", &b->targets)))
        return status;
    if (b->kind == WEIR_WEIGHT_U32)
        status = weir__alloc(m, sizeof *b->weights_u32, "graph weights", &b->weights_u32);
    else if (b->kind == WEIR_WEIGHT_F64)
        status = weir__alloc(m, sizeof *b->weights_f64, "graph weights", &b->weights_f64);
    if (!status)
        status =
            weir__activity_for("writing rows", "vertices", n, ROW_CHUNK, threads, copy_rows, b);
    return status;
}

void weir__build_need(const weir__arcs *arcs, uint64_t count, weir_weight_kind kind,
                      struct weir__need *need)
{
    static const size_t kept[] = {sizeof(uint32_t), 2 * sizeof(uint32_t),
                                  sizeof(uint32_t) + sizeof(double)};
    const uint64_t n = arcs->vertices, most = count << (arcs->mirror != 0);
    weir__need_take(need, n + 1, 2 * sizeof(uint64_t)); /* ends and offsets */
    weir__need_take(need, most, row_bytes[kind]);
    if (!arcs->borrowed)
        weir__need_give(need, count, weir__arc_bytes(arcs));
    weir__need_take(need, most, kept[kind]);
    weir__need_give(need, most, row_bytes[kind]);
    weir__need_give(need, n + 1, sizeof(uint64_t));
}

weir_status weir__build(weir__arcs *arcs, uint32_t threads, weir_graph **graph_out)
{
    struct build b = {.arcs = arcs};
    struct weir__need need = {0, 0};
    const uint64_t n = arcs->vertices, count = arcs->count; /* which freeing arcs sets to 0 */
    weir_graph *graph = NULL;
    weir_status status = WEIR_OK;
    *graph_out = NULL;
    if (arcs->weighted) {
        status = weir__activity_for("looking at weights", "arcs", arcs->count, ARC_CHUNK, threads,
                                    look_at_weights, &b);
        b.form = b.fractions ? WEIR_WEIGHT_F64 : WEIR_WEIGHT_U32;
    }
    if (status)
        return status;
    weir__build_need(arcs, arcs->count, b.form, &need);
    if ((status = weir__need_fits(&need, "a graph of %llu vertices and up to %llu arcs",
                                  (unsigned long long)n,
                                  (unsigned long long)(arcs->count << (arcs->mirror != 0)))) ||
        (status = weir__calloc(n + 1, sizeof *b.ends, "graph offsets", &b.ends)) ||
        (status = weir__calloc(n + 1, sizeof *b.offsets, "graph offsets", &b.offsets)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)) ||
        (status = make_rows(&b, arcs, threads)) || (status = make_arrays(&b, n, threads)))
        goto err_free;
    const uint64_t kept = b.ends[n] >> (arcs->mirror != 0); /* entries that are no loops */
    *graph = (weir_graph){.vertices = n,
                          .arcs = b.offsets[n],
                          .offsets = b.offsets,
                          .targets = b.targets,
                          .weight_kind = b.kind,
                          .weights_u32 = b.weights_u32,
                          .weights_f64 = b.weights_f64,
                          .negative_line = arcs->negative_line,
                          .loops_dropped = count - kept,
                          .duplicates_dropped = b.ends[n] - b.offsets[n]};
    *graph_out = graph;
    free(b.rows.any);
    free(b.ends);
    return WEIR_OK;
err_free:
    free(b.weights_f64);
    free(b.weights_u32);
    free(b.targets);
    free(b.rows.any);
    free(graph);
    free(b.offsets);
    free(b.ends);
    return status;
}
