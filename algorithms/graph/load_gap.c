/** @file load_gap.c  Serialized graphs of the GAP Benchmark Suite, .sg and .wsg, little endian.
 *
 *  u8 directed (0 or 1); i64 arcs m, vertices n; i64 beginnings of rows and the end of the last [n + 1]; arcs [m]:
 *  i32 targets in .sg, pairs of i32 target and i32 weight in .wsg. A graph that is directed has the same once more for
 *  the arcs in: beginnings [n + 1] and arcs [m], which have to be the arcs out turned round. One that is not has
 *  each edge in both rows, with the same weight.
 *
 *  No number says that it is such a file, nor whether it has weights: the size does, which has to be what the counts
 *  give, to the byte. Without arcs the two are the same, and have no weights. */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/load.h"
#include "algorithms/graph/reverse.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define HEADER      17u
#define PIECE_BYTES (UINT64_C(8) << 20) /* of arcs that do not stay as they are read */

struct header {
    int directed, weighted;
    uint64_t vertices, arcs;
};

/* Bytes of a file, both numbers being below 2^58. */
static uint64_t size_of(const struct header *h, int weighted)
{
    return HEADER + (8 * (h->vertices + 1) + (weighted ? 8 : 4) * h->arcs) * (h->directed ? 2 : 1);
}

static weir_status take_header(weir__reader *reader, struct header *h)
{
    const char *data, *path = weir__reader_path(reader);
    char header[HEADER];
    size_t have;
    weir_status status = weir__reader_peek(reader, HEADER, &data, &have);
    if (status)
        return status;
    if (have < HEADER)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the GAP graph is cut short", path);
    h->directed = data[0];
    memcpy(&h->arcs, data + 1, 8);
    memcpy(&h->vertices, data + 9, 8);
    if (h->directed != 0 && h->directed != 1)
        return weir__fail(WEIR_ERR_FORMAT, "%s: a GAP graph begins with a byte of 0 or 1", path);
    if (h->vertices > WEIR_VERTICES_MAX || h->arcs > UINT64_MAX / 64)
        return weir__fail(
            WEIR_ERR_FORMAT,
            "%s: begins like a GAP graph, of %llu vertices and %llu arcs, which is over "
            "the limits",
            path, (unsigned long long)h->vertices, (unsigned long long)h->arcs);
    const weir__rows rows = {.vertices = h->vertices, .arcs = h->arcs};
    if ((status = weir__rows_hold(reader, &rows, size_of(h, 0), size_of(h, 1))))
        return status;
    const uint64_t size = weir__reader_size(reader), plain = size_of(h, 0), pairs = size_of(h, 1);
    h->weighted = size == pairs && h->arcs > 0;
    if (size != plain && size != pairs)
        return weir__fail(
            WEIR_ERR_FORMAT,
            "%s: begins like a GAP graph, of %llu vertices and %llu arcs, which takes "
            "%llu bytes (.sg) or %llu (.wsg), but the file has %s%llu",
            path, (unsigned long long)h->vertices, (unsigned long long)h->arcs,
            (unsigned long long)plain, (unsigned long long)pairs, size > pairs ? "more than " : "",
            (unsigned long long)(size > pairs ? pairs : size));
    return weir__rows_take(reader, header, HEADER);
}

/* Pairs of target and weight from arc `first` on. */
struct pairs {
    const uint32_t *pairs;
    weir__rows *rows;
    uint64_t first;
    int negative; /* relaxed atomic, set only */
};

static void split_pairs(void *user, uint64_t begin, uint64_t end)
{
    struct pairs *p = user;
    uint32_t *targets = p->rows->targets + p->first, *weights = p->rows->weights + p->first;
    uint32_t bits = 0;
    for (uint64_t i = begin; i < end; i++) {
        targets[i] = p->pairs[2 * i];
        weights[i] = p->pairs[2 * i + 1];
        bits |= p->pairs[2 * i + 1];
    }
    if (bits > INT32_MAX)
        __atomic_store_n(&p->negative, 1, __ATOMIC_RELAXED);
}

/* Take arcs of one direction piece by piece, each looked at by all cores. @param[in] at  its `first`, which the caller's @p look reads as well. */
static weir_status take_pieces(weir__reader *reader, const struct header *h, uint32_t *piece,
                               uint64_t *at, void (*look)(void *user, uint64_t begin, uint64_t end),
                               void *user)
{
    const uint64_t bytes = h->weighted ? 8 : 4, most = PIECE_BYTES / bytes;
    weir_status status = WEIR_OK;
    for (*at = 0; !status && *at < h->arcs; *at += most) {
        const uint64_t left = h->arcs - *at, here = left < most ? left : most;
        if (!(status = weir__rows_take(reader, piece, bytes * here)))
            weir__parallel_for(here, WEIR__ARC_CHUNK, 0, look, user);
    }
    return status;
}

static weir_status reserve_piece(const struct header *h, uint32_t **piece_out)
{
    const uint64_t bytes = h->weighted ? 8 : 4, most = PIECE_BYTES / bytes;
    return weir__alloc(most < h->arcs ? most : h->arcs, bytes, "arcs of a file", piece_out);
}

static weir_status take_pairs(weir__reader *reader, const struct header *h, weir__rows *rows)
{
    struct pairs pairs = {.rows = rows};
    uint32_t *piece;
    weir_status status = reserve_piece(h, &piece);
    pairs.pairs = piece;
    if (!status)
        status = take_pieces(reader, h, piece, &pairs.first, split_pairs, &pairs);
    rows->negative = pairs.negative;
    free(piece);
    return status;
}

/* Rows of one direction. */
static weir_status take_rows(weir__reader *reader, const struct header *h, weir__rows *rows)
{
    weir_status status;
    rows->vertices = h->vertices;
    rows->arcs = h->arcs;
    if ((status = weir__rows_reserve(rows, h->weighted)) ||
        (status = weir__rows_take(reader, rows->offsets, 8 * (h->vertices + 1))) ||
        (status = weir__rows_check(reader, rows)))
        return status;
    return h->weighted ? take_pairs(reader, h, rows)
                       : weir__rows_take(reader, rows->targets, 4 * h->arcs);
}

/* Arcs from `first` on. */
struct sum {
    const weir__rows *rows; /* offsets and vertices */
    const uint32_t *targets, *weights;
    uint64_t first;
    int turned;
    int pairs;    /* turned; targets and weights lie in turn, two numbers an arc */
    uint64_t sum; /* relaxed atomic, read after the join */
};

/* An arc adds a random number of where it begins times another of where it leads, and of its weight (reverse.h). */
static void add_arcs(void *user, uint64_t begin, uint64_t end)
{
    struct sum *s = user;
    const weir_graph graph = {.vertices = s->rows->vertices, .offsets = s->rows->offsets};
    struct weir__arc_walk walk = weir__arc_walk_from(&graph, s->first + begin);
    const unsigned stride = s->pairs ? 2 : 1;
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end;) {
        const uint64_t v = weir__arc_walk_to(&walk, s->first + i),
                       row_end = walk.row_end - s->first, stop = row_end < end ? row_end : end;
        const struct weir__reverse own = weir__reverse_of((uint32_t)v),
                                   row = weir__reverse_sums(
                                       s->turned ? WEIR__REVERSE_FIRST : WEIR__REVERSE_SECOND,
                                       s->targets + i * stride,
                                       s->weights ? s->weights + i * stride : NULL, stride, 0,
                                       stop - i);
        sum += s->turned ? own.second * row.first : own.first * row.second;
        i = stop;
    }
    __atomic_fetch_add(&s->sum, sum, __ATOMIC_RELAXED);
}

/* Such sums tell whether the arcs of one direction are those of the other turned round, wrong hardly more often than once in 2^60: to look every
 * arc up would take many times as long as to read it. */
static weir_status sum_of(const weir__rows *rows, int turned, uint64_t *sum_out)
{
    struct sum sum = {
        .rows = rows, .targets = rows->targets, .weights = rows->weights, .turned = turned};
    const weir_status status = weir__activity_for("comparing arcs out and in", "arcs", rows->arcs,
                                                  WEIR__ARC_CHUNK, 0, add_arcs, &sum);
    *sum_out = sum.sum;
    return status;
}

/* An arc to a vertex that is none has nothing that turns it round: it is the cause if there is one. */
static weir_status refuse_arcs(const weir__reader *reader, const weir__rows *rows, const char *why)
{
    for (uint64_t i = 0; i < rows->arcs; i++)
        if (rows->targets[i] >= rows->vertices)
            return weir__rows_refuse(reader, rows, i, rows->targets[i]);
    return weir__fail(WEIR_ERR_FORMAT, "%s: %s", weir__reader_path(reader), why);
}

/* The arcs in, which nobody keeps: each piece is summed up and forgotten. @param[in] in  its offsets were read. */
static weir_status sum_arcs_in(weir__reader *reader, const struct header *h, const weir__rows *in,
                               uint64_t *sum_out)
{
    struct sum sum = {.rows = in, .turned = 1, .pairs = h->weighted};
    uint32_t *piece;
    weir_status status = reserve_piece(h, &piece);
    if (!status) {
        sum.targets = piece;
        sum.weights = h->weighted ? piece + 1 : NULL;
        status = take_pieces(reader, h, piece, &sum.first, add_arcs, &sum);
    }
    free(piece);
    *sum_out = sum.sum;
    return status;
}

static weir_status check_in(weir__reader *reader, const struct header *h, const weir__rows *out)
{
    weir__rows in = {.vertices = h->vertices, .arcs = h->arcs};
    struct weir__need need = {0, 0};
    uint64_t sum, sum_out = 0;
    weir_status status;
    weir__need_take(&need, h->vertices + 1, sizeof *in.offsets);
    if ((status =
             weir__need_fits(&need, "rows in of %llu vertices", (unsigned long long)h->vertices)) ||
        (status = weir__alloc(h->vertices + 1, 8, "graph offsets", &in.offsets)) ||
        (status = weir__rows_take(reader, in.offsets, 8 * (h->vertices + 1))) ||
        (status = weir__rows_check(reader, &in)) || (status = sum_arcs_in(reader, h, &in, &sum)) ||
        (status = sum_of(out, 0, &sum_out)))
        goto out;
    if (sum != sum_out)
        status = refuse_arcs(reader, out,
                             "the arcs in of the GAP graph are not its arcs out turned round");
out:
    weir__rows_free(&in);
    return status;
}

weir_status weir__load_gap(weir__reader *reader, weir__rows *rows)
{
    struct header h;
    uint64_t out = 0, in = 0;
    weir_status status;
    if ((status = take_header(reader, &h)) || (status = take_rows(reader, &h, rows)))
        return status;
    if (h.directed)
        return check_in(reader, &h, rows);
    if ((status = sum_of(rows, 0, &out)) || (status = sum_of(rows, 1, &in)))
        return status;
    return out == in ? WEIR_OK
                     : refuse_arcs(reader, rows,
                                   "the GAP graph says that it is undirected, but an arc has no "
                                   "reverse of equal weight");
}
