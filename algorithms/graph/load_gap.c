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
#include "algorithms/graph/random.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK  4096u
#define HEADER 17u
#define PIECE  (UINT64_C(1) << 19) /* arcs that are looked at and not kept */

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

/* Rows of one direction. */
static weir_status take_rows(weir__reader *reader, const struct header *h, weir__rows *rows)
{
    uint32_t pairs[2 * BLOCK];
    weir_status status;
    rows->vertices = h->vertices;
    rows->arcs = h->arcs;
    if ((status = weir__rows_reserve(rows, h->weighted)) ||
        (status = weir__rows_take(reader, rows->offsets, 8 * (h->vertices + 1))) ||
        (status = weir__rows_check(reader, rows)))
        return status;
    if (!h->weighted)
        return weir__rows_take(reader, rows->targets, 4 * h->arcs);
    for (uint64_t i = 0; i < h->arcs; i += BLOCK) {
        uint64_t here = h->arcs - i < BLOCK ? h->arcs - i : BLOCK;
        if ((status = weir__rows_take(reader, pairs, 8 * here)))
            return status;
        for (uint64_t j = 0; j < here; j++) {
            rows->targets[i + j] = pairs[2 * j];
            rows->weights[i + j] = pairs[2 * j + 1];
            rows->negative |= pairs[2 * j + 1] > INT32_MAX;
        }
    }
    return WEIR_OK;
}

/* Arcs from `first` on, in memory one every `stride` numbers. */
struct sum {
    const weir__rows *rows; /* offsets and vertices */
    const uint32_t *targets, *weights;
    uint64_t first, stride;
    int turned;
    uint64_t sum; /* relaxed atomic, read after the join */
};

static void add_hashes(void *user, uint64_t begin, uint64_t end)
{
    struct sum *s = user;
    const weir_graph graph = {.vertices = s->rows->vertices, .offsets = s->rows->offsets};
    struct weir__arc_walk walk = weir__arc_walk_from(&graph, s->first + begin);
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = weir__arc_walk_to(&walk, s->first + i), t = s->targets[i * s->stride];
        const uint64_t hash = weir__mix(s->turned ? t << 32 | v : v << 32 | t);
        sum += s->weights ? weir__mix(hash + s->weights[i * s->stride]) : hash;
    }
    __atomic_fetch_add(&s->sum, sum, __ATOMIC_RELAXED);
}

/* Sums of hashes tell whether the arcs of one direction are those of the other turned round, wrong once in 2^64: to look every
 * arc up would take many times as long as to read it. */
static weir_status sum_of(const weir__rows *rows, int turned, uint64_t *sum_out)
{
    struct sum sum = {.rows = rows,
                      .targets = rows->targets,
                      .weights = rows->weights,
                      .stride = 1,
                      .turned = turned};
    const weir_status status = weir__activity_for("comparing arcs out and in", "arcs", rows->arcs,
                                                  WEIR__ARC_CHUNK, 0, add_hashes, &sum);
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
    const uint64_t stride = h->weighted ? 2 : 1;
    uint32_t *piece = NULL;
    struct sum sum = {.rows = in, .stride = stride, .turned = 1};
    weir_status status =
        weir__alloc(PIECE < h->arcs ? PIECE : h->arcs, 4 * stride, "arcs of a file", &piece);
    for (; !status && sum.first < h->arcs; sum.first += PIECE) {
        const uint64_t left = h->arcs - sum.first, here = left < PIECE ? left : PIECE;
        if ((status = weir__rows_take(reader, piece, 4 * stride * here)))
            break;
        sum.targets = piece;
        sum.weights = h->weighted ? piece + 1 : NULL;
        weir__parallel_for(here, WEIR__ARC_CHUNK, 0, add_hashes, &sum);
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
