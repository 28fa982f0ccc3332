/** @file load_galois.c  Galois binary graphs, version 1, little endian.
 *
 *  u64 version, bytes of an edge's data (0 or 4), vertices n, arcs m; u64 end of each row [n];
 *  u32 targets [m]; 4 bytes of padding if m is odd; u32 weights [m] if edges have data. */
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <stdlib.h>

#define BLOCK  4096u
#define HEADER 32u

struct header {
    uint64_t version, edge_bytes, vertices, arcs;
};

static weir_status take(weir__reader *reader, void *data, size_t bytes)
{
    size_t got;
    weir_status status = weir__reader_bytes(reader, data, bytes, &got);
    if (!status && got < bytes)
        status = weir__fail(WEIR_ERR_FORMAT, "%s: the Galois graph is cut short",
                            weir__reader_path(reader));
    return status;
}

static weir_status take_header(weir__reader *reader, struct header *h)
{
    const char *path = weir__reader_path(reader);
    uint64_t size = weir__reader_size(reader);
    weir_status status = take(reader, h, sizeof *h);
    if (status)
        return status;
    if (h->version != 1)
        return weir__fail(WEIR_ERR_FORMAT, "%s: Galois version %llu; only version 1 is read", path,
                          (unsigned long long)h->version);
    if (h->edge_bytes != 0 && h->edge_bytes != 4)
        return weir__fail(WEIR_ERR_FORMAT, "%s: edges of %llu bytes of data; 0 and 4 are read",
                          path, (unsigned long long)h->edge_bytes);
    if (h->vertices > WEIR_VERTICES_MAX)
        return weir__fail(WEIR_ERR_FORMAT, "%s: %llu vertices are over the limit of %llu", path,
                          (unsigned long long)h->vertices, (unsigned long long)WEIR_VERTICES_MAX);
    if (h->arcs > UINT64_MAX / 64 ||
        (size != UINT64_MAX &&
         (size < HEADER + 8 * h->vertices || size - HEADER - 8 * h->vertices < 4 * h->arcs)))
        return weir__fail(WEIR_ERR_FORMAT,
                          "%s: promises %llu vertices and %llu arcs but has only %llu bytes", path,
                          (unsigned long long)h->vertices, (unsigned long long)h->arcs,
                          (unsigned long long)size);
    return WEIR_OK;
}

static weir_status grow(uint64_t **ends, uint64_t *room)
{
    uint64_t more = *room ? *room * 2 : BLOCK;
    uint64_t *data = realloc(*ends, more * sizeof **ends);
    if (!data)
        return weir__fail(WEIR_ERR_NOMEM, "graph offsets: no memory for %llu of them",
                          (unsigned long long)more);
    *ends = data;
    *room = more;
    return WEIR_OK;
}

/* The ends of all rows, in an array that grows as they really come. */
static weir_status take_ends(weir__reader *reader, const struct header *h, uint64_t **ends)
{
    const char *path = weir__reader_path(reader);
    uint64_t room = 0, last = 0;
    weir_status status;
    for (uint64_t v = 0; v < h->vertices; v += BLOCK) {
        uint64_t here = h->vertices - v < BLOCK ? h->vertices - v : BLOCK;
        if (v + here > room && (status = grow(ends, &room)))
            return status;
        if ((status = take(reader, *ends + v, here * sizeof **ends)))
            return status;
        for (uint64_t i = v; i < v + here; last = (*ends)[i++])
            if ((*ends)[i] < last || (*ends)[i] > h->arcs)
                return weir__fail(WEIR_ERR_FORMAT,
                                  "%s: the row of vertex %llu ends at %llu, before it begins or "
                                  "behind all arcs",
                                  path, (unsigned long long)i, (unsigned long long)(*ends)[i]);
    }
    if (last != h->arcs)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu arcs but the rows hold %llu", path,
                          (unsigned long long)h->arcs, (unsigned long long)last);
    return WEIR_OK;
}

static weir_status take_targets(weir__reader *reader, const struct header *h, const uint64_t *ends,
                                weir__arcs *arcs)
{
    uint32_t block[BLOCK];
    uint64_t source = 0;
    weir_status status;
    for (uint64_t i = 0; i < h->arcs; i += BLOCK) {
        uint64_t here = h->arcs - i < BLOCK ? h->arcs - i : BLOCK;
        if ((status = take(reader, block, here * sizeof *block)))
            return status;
        for (uint64_t j = 0; j < here; j++) {
            while (ends[source] <= i + j)
                source++;
            if (block[j] >= h->vertices)
                return weir__fail(WEIR_ERR_FORMAT, "%s: arc %llu leads to vertex %u of %llu",
                                  weir__reader_path(reader), (unsigned long long)(i + j), block[j],
                                  (unsigned long long)h->vertices);
            if ((status = weir__arcs_add(arcs, (uint32_t)source, block[j], 0)))
                return status;
        }
    }
    return WEIR_OK;
}

/* Padding and weights; without weights some writers leave the padding out. */
static weir_status take_rest(weir__reader *reader, const struct header *h, weir__arcs *arcs)
{
    uint32_t block[BLOCK];
    size_t got = 0;
    char more;
    weir_status status = WEIR_OK;
    if (h->arcs % 2 != 0)
        status = weir__reader_bytes(reader, block, sizeof *block, &got);
    if (!status && h->arcs % 2 != 0 && got != sizeof *block && (got || h->edge_bytes))
        status = take(reader, block, sizeof *block); /* nothing is left: says so */
    for (uint64_t i = 0; h->edge_bytes && i < h->arcs && !status; i += BLOCK) {
        uint64_t here = h->arcs - i < BLOCK ? h->arcs - i : BLOCK;
        if ((status = take(reader, block, here * sizeof *block)))
            return status;
        for (uint64_t j = 0; j < here; j++)
            arcs->weights[i + j] = block[j];
    }
    if (!status && !(status = weir__reader_bytes(reader, &more, 1, &got)) && got)
        status = weir__fail(WEIR_ERR_FORMAT, "%s: bytes are left over behind the Galois graph",
                            weir__reader_path(reader));
    return status;
}

weir_status weir__load_galois(weir__reader *reader, weir__arcs *arcs)
{
    struct header header;
    uint64_t *ends = NULL;
    weir_status status;
    if ((status = take_header(reader, &header)))
        return status;
    arcs->vertices = header.vertices;
    arcs->weighted = header.edge_bytes != 0;
    if (!(status = take_ends(reader, &header, &ends)) &&
        !(status = take_targets(reader, &header, ends, arcs)))
        status = take_rest(reader, &header, arcs);
    free(ends);
    return status;
}
