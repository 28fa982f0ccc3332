/** @file build.c  From a list of arcs to a CSR graph, in parallel.
 *
 * Arcs are dealt out to stretches of vertices (deal.h). Each stretch is a counting sort by source, in a core's cache and
 * into the place where its rows will be if nothing is dropped; the order of a row then depends on the threads, and sorting it by
 * target and collapsing equal targets to the smallest weight makes the result depend on the set of arcs alone. So does the
 * kind of weights: that of the arcs that remain. Mirrored arcs are never stored in the list: every pass handles both
 * directions of an arc as it meets it. At its peak, memory is the list, or all arcs dealt out, or the graph.
 */
#include "algorithms/graph/build.h"
#include "algorithms/graph/csr.h"
#include "algorithms/graph/deal.h"
#include "algorithms/graph/key_rows.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define ARC_CHUNK (UINT64_C(1) << 16)

/* One in so many arcs begins before the one in front of it: the list is in no order. */
#define MIXED 16
/* What stretches are sorted with has room for more arcs than most have, within these bounds; one with a hub has rows that
 * are sorted each by itself. */
#define SCRATCH_LEAST (UINT64_C(1) << 16)
#define SCRATCH_MOST  (UINT64_C(1) << 19)

#define NUDGES \
    4u /* arcs that one is moved past, on average, before a row is sorted in another way */

#define SUM_CHUNKS 64
#define SUM_LEAST  (UINT64_C(1) << 17) /* fewer values are added up before threads are there */

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
    weir_weight_kind form; /* of arcs, some of which will be dropped */
    weir_weight_kind kind; /* of the graph, which the arcs that remain decide */
    uint32_t shift;        /* of the highest byte of an id, for the radix sort */
    int fractions; /* some weight is no 32-bit integer; relaxed atomic, set only; of all arcs, then of
                      those that remain */
    int lacking;   /* there was no memory to sort a row; relaxed atomic, set only */
    weir__dealt dealt;
    uint64_t kept[WEIR__STRETCHES_MAX];  /* arcs of each stretch that remain */
    uint64_t moved[WEIR__STRETCHES_MAX]; /* by how many its rows move in the end */
    uint64_t vertices;
    struct weir__scratch scratch;
    uint64_t *offsets;
    uint32_t *targets;
    uint32_t *weights_u32;
    double *weights_f64;
};

static void look_at_weights(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    int fractions = 0;
    for (uint64_t i = begin; i < end; i++)
        if (b->arcs->sources[i] != b->arcs->targets[i])
            fractions |= weir__is_fraction(b->arcs->weights[i]);
    if (fractions)
        __atomic_store_n(&b->fractions, 1, __ATOMIC_RELAXED);
}

/* A row that does not ascend. @param[in] room  memory for its arcs as they were dealt out. */
static void sort_row(struct build *b, uint64_t from, uint64_t count, void *room)
{
    uint32_t *row = b->targets + from;
    uint64_t *packed = room;
    struct pair *pairs = room;
    switch (b->form) {
    case WEIR_WEIGHT_NONE:
        sort_plain(row, count, b->shift);
        break;
    case WEIR_WEIGHT_U32:
        for (uint64_t i = 0; i < count; i++)
            packed[i] = (uint64_t)row[i] << 32 | b->weights_u32[from + i];
        sort_packed(packed, count, b->shift);
        for (uint64_t i = 0; i < count; i++) {
            row[i] = (uint32_t)(packed[i] >> 32);
            b->weights_u32[from + i] = (uint32_t)packed[i];
        }
        break;
    case WEIR_WEIGHT_F64:
        for (uint64_t i = 0; i < count; i++)
            pairs[i] = (struct pair){b->weights_f64[from + i], row[i]};
        sort_pairs(pairs, count, b->shift);
        for (uint64_t i = 0; i < count; i++) {
            row[i] = pairs[i].target;
            b->weights_f64[from + i] = pairs[i].weight;
        }
        break;
    }
}

/* A sorted row, to where it will stay: there or before. @return arcs that are left. */
static uint64_t collapse_row(struct build *b, uint64_t from, uint64_t count, uint64_t to)
{
    uint64_t at = to;
    for (uint64_t i = from; i < from + count; i++) {
        const int more = at > to && b->targets[at - 1] == b->targets[i];
        if (!more)
            b->targets[at] = b->targets[i];
        if (b->weights_u32 && (!more || b->weights_u32[i] < b->weights_u32[at - 1]))
            b->weights_u32[at - more] = b->weights_u32[i];
        if (b->weights_f64 && (!more || b->weights_f64[i] < b->weights_f64[at - 1]))
            b->weights_f64[at - more] = b->weights_f64[i];
        at += !more;
    }
    return at - to;
}

static void move(struct build *b, uint64_t to, uint64_t from, uint64_t count)
{
    if (to == from)
        return;
    memmove(b->targets + to, b->targets + from, count * sizeof *b->targets);
    if (b->weights_u32)
        memmove(b->weights_u32 + to, b->weights_u32 + from, count * sizeof *b->weights_u32);
    if (b->weights_f64)
        memmove(b->weights_f64 + to, b->weights_f64 + from, count * sizeof *b->weights_f64);
}

/* Arcs that have to be moved past few others: into order, in which those before @p i are. @param[in] form  a constant.
 * @param[in,out] equal  set if a target comes twice. @return 0: it gave up half-way. */
static inline __attribute__((always_inline)) int nudge(struct build *b, weir_weight_kind form,
                                                       uint64_t from, uint64_t count, uint64_t i,
                                                       int *equal)
{
    uint32_t *row = b->targets + from,
             *integers = form == WEIR_WEIGHT_U32 ? b->weights_u32 + from : NULL;
    double *weights = form == WEIR_WEIGHT_F64 ? b->weights_f64 + from : NULL;
    uint64_t left = count * NUDGES;
    for (; i < count; i++) {
        const uint32_t target = row[i], integer = form == WEIR_WEIGHT_U32 ? integers[i] : 0;
        const double weight = form == WEIR_WEIGHT_F64 ? weights[i] : 0;
        uint64_t j = i;
        for (; j > 0 && row[j - 1] > target; j--) {
            row[j] = row[j - 1];
            if (form == WEIR_WEIGHT_U32)
                integers[j] = integers[j - 1];
            if (form == WEIR_WEIGHT_F64)
                weights[j] = weights[j - 1];
        }
        row[j] = target;
        *equal |= j > 0 && row[j - 1] == target;
        if (form == WEIR_WEIGHT_U32)
            integers[j] = integer;
        if (form == WEIR_WEIGHT_F64)
            weights[j] = weight;
        if (i - j > left)
            return 0;
        left -= i - j;
    }
    return 1;
}

static int nudge_row(struct build *b, uint64_t from, uint64_t count, uint64_t i, int *equal)
{
    return b->form == WEIR_WEIGHT_NONE  ? nudge(b, WEIR_WEIGHT_NONE, from, count, i, equal)
           : b->form == WEIR_WEIGHT_U32 ? nudge(b, WEIR_WEIGHT_U32, from, count, i, equal)
                                        : nudge(b, WEIR_WEIGHT_F64, from, count, i, equal);
}

static uint64_t finish_row(struct build *b, uint64_t from, uint64_t count, uint64_t to, void *room)
{
    const uint32_t *row = b->targets + from;
    uint64_t i = 1;
    int equal = 0;
    for (; i < count && row[i - 1] <= row[i]; i++)
        equal |= row[i - 1] == row[i];
    if (i < count && !nudge_row(b, from, count, i, &equal)) {
        sort_row(b, from, count, room);
        equal = 1; /* or not: nobody looked */
    }
    if (equal)
        return collapse_row(b, from, count, to);
    move(b, to, from, count);
    return count;
}

/* Arcs of a stretch to their rows, of which `offsets` has the beginnings on entry and the ends on return. */
static void scatter(struct build *b, const void *arcs, uint64_t count)
{
    const struct weir__arc_plain *plain = arcs;
    const struct weir__arc_u32 *u32 = arcs;
    const struct weir__arc_f64 *f64 = arcs;
    uint64_t at;
    switch (b->form) {
    case WEIR_WEIGHT_NONE:
        for (uint64_t i = 0; i < count; i++)
            b->targets[b->offsets[plain[i].source]++] = plain[i].target;
        break;
    case WEIR_WEIGHT_U32:
        for (uint64_t i = 0; i < count; i++) {
            b->targets[at = b->offsets[u32[i].source]++] = u32[i].target;
            b->weights_u32[at] = u32[i].weight;
        }
        break;
    case WEIR_WEIGHT_F64:
        for (uint64_t i = 0; i < count; i++) {
            b->targets[at = b->offsets[f64[i].source]++] = f64[i].target;
            b->weights_f64[at] = f64[i].weight;
        }
        break;
    }
}

/* What the arcs of a stretch are like. */
struct order {
    uint64_t descents;    /* how many begin before the one in front of them */
    uint32_t least, most; /* targets */
};

/* Add the arcs of a stretch to those of their rows, in `offsets`. @param[in] bytes  of an arc, a constant. */
static inline __attribute__((always_inline)) struct order count_arcs(struct build *b, uint32_t s,
                                                                     size_t bytes)
{
    struct order order = {0, UINT32_MAX, 0};
    uint32_t before = 0, end[2];
    struct weir__piece piece = weir__dealt_first(&b->dealt, s);
    for (; piece.arcs; piece = weir__dealt_next(piece))
        for (uint64_t i = 0; i < piece.count; i++) {
            memcpy(end, piece.arcs + i * bytes, sizeof end);
            b->offsets[end[0]]++;
            order.descents += end[0] < before;
            order.least = end[1] < order.least ? end[1] : order.least;
            order.most = end[1] > order.most ? end[1] : order.most;
            before = end[0];
        }
    return order;
}

static struct order look_at_arcs(struct build *b, uint32_t s)
{
    return b->form == WEIR_WEIGHT_NONE  ? count_arcs(b, s, sizeof(struct weir__arc_plain))
           : b->form == WEIR_WEIGHT_U32 ? count_arcs(b, s, sizeof(struct weir__arc_u32))
                                        : count_arcs(b, s, sizeof(struct weir__arc_f64));
}

/* The same to their rows, nearly by target if @p sorted and there is room. @param[in] buffer  of the scratch, or NULL. */
static void place_arcs(struct build *b, uint32_t s, struct order order, int sorted, void *buffer)
{
    if (sorted && buffer &&
        weir__sort_arcs(&b->scratch, &b->dealt, s, order.least, order.most, buffer)) {
        scatter(b, buffer, b->dealt.begin[s + 1] - b->dealt.begin[s]);
        return;
    }
    struct weir__piece piece = weir__dealt_first(&b->dealt, s);
    for (; piece.arcs; piece = weir__dealt_next(piece))
        scatter(b, piece.arcs, piece.count);
}

/* Memory for the longest row of a stretch, with weights: where the stretch was, of 12 or 16 bytes an arc, of which a row takes 8 or 16, or the
 * buffer. @param[out] taken_out  memory that the caller frees, where neither has room. @return NULL: there is none. */
static void *row_room(struct build *b, uint32_t s, void *buffer, void **taken_out)
{
    const uintptr_t arcs =
        (uintptr_t)b->dealt.arcs + b->dealt.begin[s] * weir__dealt_bytes(b->form, 0);
    uint64_t most = 0, from = b->dealt.begin[s];
    *taken_out = NULL;
    if (b->dealt.arcs)
        return (void *)((arcs + 7) & ~(uintptr_t)7);
    for (uint64_t v = b->dealt.first[s]; v < b->dealt.first[s + 1]; from = b->offsets[v++])
        most = b->offsets[v] - from > most ? b->offsets[v] - from : most;
    if (buffer && most * sizeof(uint64_t) <= b->scratch.bytes)
        return buffer;
    if (weir__alloc(most, sizeof(uint64_t), "sorting arcs", taken_out))
        *taken_out = NULL;
    return *taken_out;
}

static void finish_rows(struct build *b, uint32_t s, void *room)
{
    const uint64_t begin = b->dealt.begin[s];
    uint64_t from = begin, to = begin;
    int fractions = 0;
    for (uint64_t v = b->dealt.first[s]; v < b->dealt.first[s + 1]; v++) {
        const uint64_t stop = b->offsets[v];
        b->offsets[v] = to;
        to += finish_row(b, from, stop - from, to, room);
        from = stop;
    }
    b->kept[s] = to - begin;
    for (uint64_t i = begin; b->form == WEIR_WEIGHT_F64 && i < to; i++)
        fractions |= weir__is_fraction(b->weights_f64[i]);
    if (fractions)
        __atomic_store_n(&b->fractions, 1, __ATOMIC_RELAXED);
}

static void make_stretch(struct build *b, uint32_t s)
{
    const struct order order = look_at_arcs(b, s);
    /* Lists that were written from a graph have rows that ascend. */
    const int mixed = order.descents > (b->dealt.begin[s + 1] - b->dealt.begin[s]) / MIXED;
    void *taken = NULL, *room = NULL,
         *buffer = mixed || (b->dealt.early && b->form != WEIR_WEIGHT_NONE)
                       ? weir__scratch_take(&b->scratch)
                       : NULL;
    uint64_t sum = b->dealt.begin[s];
    for (uint64_t v = b->dealt.first[s]; v < b->dealt.first[s + 1]; v++) {
        const uint64_t here = b->offsets[v];
        b->offsets[v] = sum;
        sum += here;
    }
    place_arcs(b, s, order, mixed, buffer);
    if (b->form == WEIR_WEIGHT_NONE || (room = row_room(b, s, buffer, &taken)))
        finish_rows(b, s, room);
    else
        __atomic_store_n(&b->lacking, 1, __ATOMIC_RELAXED);
    free(taken);
    if (buffer)
        weir__scratch_put(&b->scratch, buffer);
    weir__dealt_drop(&b->dealt, s);
}

static void make_stretch_of_keys(struct build *b, uint32_t s)
{
    if (!weir__key_rows_make(&b->dealt, s, &b->scratch, b->offsets, b->targets, b->weights_u32,
                             &b->kept[s]))
        __atomic_store_n(&b->lacking, 1, __ATOMIC_RELAXED);
    weir__dealt_drop(&b->dealt, s);
}

static void make_stretches(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    for (uint64_t s = begin; s < end; s++)
        if (b->dealt.bits)
            make_stretch_of_keys(b, (uint32_t)s);
        else
            make_stretch(b, (uint32_t)s);
}

static void move_offsets(void *user, uint64_t begin, uint64_t end)
{
    struct build *b = user;
    for (uint64_t s = begin; s < end; s++)
        for (uint64_t v = b->dealt.first[s]; b->moved[s] && v < b->dealt.first[s + 1]; v++)
            b->offsets[v] -= b->moved[s];
}

/* Rows side by side, where arcs were dropped. */
static void join_stretches(struct build *b, uint32_t threads)
{
    const uint32_t stretches = b->dealt.stretches;
    uint64_t to = 0;
    for (uint32_t s = 0; s < stretches; s++) {
        b->moved[s] = b->dealt.begin[s] - to;
        move(b, to, b->dealt.begin[s], b->kept[s]);
        to += b->kept[s];
    }
    if (to < b->dealt.begin[stretches])
        weir__parallel_for(stretches, 1, threads, move_offsets, b);
    b->offsets[b->dealt.first[stretches]] = to;
}

void *weir__shorten(void *data, uint64_t count, size_t bytes)
{
    void *shorter = data ? realloc(data, count ? count * bytes : 1) : NULL;
    return shorter ? shorter : data;
}

/* Weights that are all integers of 32 bits now that the others were dropped: each moves to the front. */
static void take_integers(struct build *b, uint64_t count)
{
    char *to = (char *)b->weights_f64;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t weight = (uint32_t)b->weights_f64[i];
        memcpy(to + i * sizeof weight, &weight, sizeof weight);
    }
    b->weights_u32 = (void *)b->weights_f64;
    b->weights_f64 = NULL;
}

/* Chunks are added up each for itself, then the sums of chunks, and then all values get what is before them. */
struct sums {
    uint64_t *values;
    uint64_t chunk;              /* values of one */
    uint64_t before[SUM_CHUNKS]; /* by chunk: its sum, then that of those before */
};

static void add_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct sums *sums = user;
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += sums->values[i];
    sums->before[begin / sums->chunk] = sum;
}

static void sum_chunk(void *user, uint64_t begin, uint64_t end)
{
    const struct sums *sums = user;
    uint64_t sum = sums->before[begin / sums->chunk];
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t here = sums->values[i];
        sums->values[i] = sum;
        sum += here;
    }
}

void weir__prefix_sum(uint64_t *values, uint64_t count)
{
    struct sums sums = {.values = values, .chunk = count / SUM_CHUNKS + 1};
    uint64_t all = 0;
    const uint32_t threads = count < SUM_LEAST ? 1 : 0;
    weir__parallel_for(count, sums.chunk, threads, add_chunk, &sums);
    for (uint32_t c = 0; c < SUM_CHUNKS; c++) {
        const uint64_t here = sums.before[c];
        sums.before[c] = all;
        all += here;
    }
    weir__parallel_for(count, sums.chunk, threads, sum_chunk, &sums);
    values[count] = all;
}

/* Bytes of an arc in a graph. */
static const size_t kept_bytes[] = {sizeof(uint32_t), 2 * sizeof(uint32_t),
                                    sizeof(uint32_t) + sizeof(double)};

static uint64_t scratch_arcs(const struct build *b)
{
    const uint64_t twice = b->dealt.begin[b->dealt.stretches] / b->dealt.stretches * 2;
    return twice < SCRATCH_LEAST ? SCRATCH_LEAST : twice > SCRATCH_MOST ? SCRATCH_MOST : twice;
}

static weir_status make_rows(struct build *b, weir__arcs *arcs, uint32_t threads)
{
    const uint64_t n = arcs->vertices;
    weir_status status;
    while (b->shift < 24 && ((n - 1) >> b->shift) > 255)
        b->shift += 8;
    if ((status = weir__deal(arcs, b->form, threads, &b->dealt)))
        return status;
    const uint64_t all = b->dealt.begin[b->dealt.stretches];
    if ((status = weir__alloc(all, sizeof *b->targets, "graph targets", &b->targets)))
        return status;
    if (b->form == WEIR_WEIGHT_U32)
        status = weir__alloc(all, sizeof *b->weights_u32, "graph weights", &b->weights_u32);
    else if (b->form == WEIR_WEIGHT_F64)
        status = weir__alloc(all, sizeof *b->weights_f64, "graph weights", &b->weights_f64);
    if (status)
        return status;
    b->fractions = 0;
    b->vertices = n;
    weir__scratch_open(&b->scratch, b->dealt.bits
                                        ? weir__key_rows_scratch(b->form, scratch_arcs(b))
                                        : scratch_arcs(b) * weir__dealt_bytes(b->form, 0));
    status = weir__activity_for("sorting arcs", "stretches", b->dealt.stretches, 1, threads,
                                make_stretches, b);
    weir__scratch_close(&b->scratch);
    weir__dealt_free(&b->dealt);
    if (!status && b->lacking)
        status = weir__fail(WEIR_ERR_NOMEM, "sorting arcs: no memory for the longest row");
    if (status)
        return status;
    join_stretches(b, threads);
    b->kind = b->form;
    if (b->form == WEIR_WEIGHT_F64 && !b->fractions) {
        b->kind = WEIR_WEIGHT_U32;
        take_integers(b, b->offsets[n]);
    }
    if (b->kind != b->form || b->offsets[n] < all) {
        b->targets = weir__shorten(b->targets, b->offsets[n], sizeof *b->targets);
        b->weights_u32 = weir__shorten(b->weights_u32, b->offsets[n], sizeof *b->weights_u32);
        b->weights_f64 = weir__shorten(b->weights_f64, b->offsets[n], sizeof *b->weights_f64);
    }
    return WEIR_OK;
}

/* The list goes back while it is dealt out, and what was dealt out while rows are made of it. */
void weir__build_need(const weir__arcs *arcs, uint64_t count, weir_weight_kind kind,
                      struct weir__need *need)
{
    const uint64_t n = arcs->vertices, most = count << (arcs->mirror != 0);
    weir__need_take(need, n + 1, sizeof(uint64_t));
    if (arcs->early)
        weir__need_give(need, most, weir__dealt_bytes(kind, 0));
    else if (!arcs->borrowed)
        weir__need_give(need, count, weir__arc_bytes(arcs));
    weir__need_take(need, most, weir__dealt_bytes(kind, 0));
    weir__need_give(need, most, weir__dealt_bytes(kind, 0));
    weir__need_take(need, most, kept_bytes[kind]);
}

weir_status weir__build(weir__arcs *arcs, uint32_t threads, weir_graph **graph_out)
{
    struct build b = {.arcs = arcs};
    struct weir__need need = {0, 0};
    const uint64_t n = arcs->vertices, count = arcs->count; /* which freeing arcs sets to 0 */
    weir_graph *graph = NULL;
    weir_status status = WEIR_OK;
    *graph_out = NULL;
    if (arcs->early && !weir__early_is_even(arcs->early, n))
        status = weir__early_spread(arcs);
    if (arcs->early) {
        b.form = weir__early_kind(arcs->early);
    } else if (arcs->weighted && !status) {
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
        (status = weir__calloc(n + 1, sizeof *b.offsets, "graph offsets", &b.offsets)) ||
        (status = weir__calloc(1, sizeof *graph, "graph", &graph)) ||
        (status = make_rows(&b, arcs, threads)))
        goto err_free;
    const uint64_t all = b.dealt.begin[b.dealt.stretches];
    *graph = (weir_graph){.vertices = n,
                          .arcs = b.offsets[n],
                          .offsets = b.offsets,
                          .targets = b.targets,
                          .weight_kind = b.kind,
                          .weights_u32 = b.weights_u32,
                          .weights_f64 = b.weights_f64,
                          .negative_line = arcs->negative_line,
                          /* entries that are no loops */
                          .loops_dropped = arcs->loops + count - (all >> (arcs->mirror != 0)),
                          .duplicates_dropped = all - b.offsets[n],
                          .mirrored = arcs->mirror};
    *graph_out = graph;
    return WEIR_OK;
err_free:
    weir__dealt_free(&b.dealt);
    free(b.weights_f64);
    free(b.weights_u32);
    free(b.targets);
    free(graph);
    free(b.offsets);
    return status;
}

static weir_status all_integers(const weir__arcs *arcs, uint32_t threads, int *all_out)
{
    struct build b = {.arcs = arcs};
    const weir_status status =
        weir__activity_for("looking at weights", "arcs", arcs->weighted ? arcs->count : 0,
                           ARC_CHUNK, threads, look_at_weights, &b);
    *all_out = !b.fractions;
    return status;
}

weir_status weir__build_with(weir__arcs *arcs, const weir_graph_options *given,
                             weir_graph **graph_out)
{
    weir_graph_options options = *given;
    const struct weir__csr_input input = {
        .edges = {.kind = WEIR__EDGES_LIST, .sources = arcs->sources, .targets = arcs->targets},
        .weights = arcs->weighted ? arcs->weights : NULL,
        .vertices = arcs->vertices,
        .count = arcs->count,
        .mirror = arcs->mirror};
    weir_device *devices[WEIR_DEVICES_MAX];
    weir_status status;
    int integers;
    if (arcs->ascends)
        return weir__build_rows(arcs, graph_out);
    if (!arcs->early && (status = weir__csr_ask(&options, arcs->count)))
        return status;
    if (arcs->early || !weir__csr_devices(options.context, arcs->count, devices))
        return weir__build(arcs, options.threads, graph_out);
    if ((status = all_integers(arcs, options.threads, &integers)))
        return status;
    if (!integers || !weir__csr_made(&input, &options, graph_out, &status))
        return weir__build(arcs, options.threads, graph_out);
    if (!status) {
        (*graph_out)->negative_line = arcs->negative_line;
        (*graph_out)->loops_dropped += arcs->loops;
    }
    weir__arcs_free(arcs);
    return status;
}
