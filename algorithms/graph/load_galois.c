/** @file load_galois.c  Galois binary graphs, versions 1 and 2, little endian.
 *
 *  u64 version, bytes of an edge's data (0 or 4), vertices n, arcs m; u64 end of each row [n];
 *  targets [m], of 4 bytes in version 1 and of 8 in version 2; padding if m is odd, of 4 bytes and of 8; u32
 *  weights [m] if edges have data. Some writers leave the padding out where nothing follows it, and those of
 *  version 2 everywhere: its numbers lie straight without. The file's size tells. */
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <string.h>

#define BLOCK  4096u
#define HEADER 32u

struct header {
    uint64_t version, edge_bytes, vertices, arcs;
};

static weir_status check_header(const weir__reader *reader, const struct header *h)
{
    const char *path = weir__reader_path(reader);
    if (h->version != 1 && h->version != 2)
        return weir__fail(WEIR_ERR_FORMAT, "%s: Galois version %llu; versions 1 and 2 are read",
                          path, (unsigned long long)h->version);
    if (h->edge_bytes != 0 && h->edge_bytes != 4)
        return weir__fail(WEIR_ERR_FORMAT, "%s: edges of %llu bytes of data; 0 and 4 are read",
                          path, (unsigned long long)h->edge_bytes);
    if (h->vertices > WEIR_VERTICES_MAX)
        return weir__fail(WEIR_ERR_FORMAT, "%s: %llu vertices are over the limit of %llu", path,
                          (unsigned long long)h->vertices, (unsigned long long)WEIR_VERTICES_MAX);
    return WEIR_OK;
}

/* Hold the promises against the file. @param[out] padding_out  bytes between targets and weights, or at the end. */
static weir_status check_size(weir__reader *reader, const struct header *h, uint64_t *padding_out)
{
    const char *path = weir__reader_path(reader);
    const int absurd = h->arcs > UINT64_MAX / 64;
    const uint64_t base = HEADER + 8 * h->vertices + 4 * h->version * (absurd ? 0 : h->arcs),
                   data = absurd ? 0 : h->edge_bytes * h->arcs,
                   padding = h->arcs % 2 ? 4 * h->version : 0;
    const weir__rows rows = {.vertices = h->vertices, .arcs = h->arcs};
    weir_status status =
        absurd ? WEIR_OK : weir__rows_hold(reader, &rows, base + data, base + padding + data);
    const uint64_t size = weir__reader_size(reader);
    if (status)
        return status;
    if (absurd || size < base)
        return weir__fail(WEIR_ERR_FORMAT,
                          "%s: promises %llu vertices and %llu arcs but %s has only %llu bytes",
                          path, (unsigned long long)h->vertices, (unsigned long long)h->arcs,
                          size == UINT64_MAX ? "no file" : "the file", (unsigned long long)size);
    *padding_out = padding;
    if (size == base + data && (h->version == 2 || !data))
        *padding_out = 0;
    else if (size < base + padding + data)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the Galois graph is cut short", path);
    else if (size > base + padding + data)
        return weir__fail(WEIR_ERR_FORMAT, "%s: bytes are left over behind the Galois graph", path);
    return WEIR_OK;
}

/* Targets of 8 bytes, of which those of a graph that fits have 4. */
static weir_status take_wide(weir__reader *reader, weir__rows *rows)
{
    uint64_t block[BLOCK];
    weir_status status;
    for (uint64_t i = 0; i < rows->arcs; i += BLOCK) {
        uint64_t here = rows->arcs - i < BLOCK ? rows->arcs - i : BLOCK;
        if ((status = weir__rows_take(reader, block, here * sizeof *block)))
            return status;
        for (uint64_t j = 0; j < here; j++) {
            if (block[j] >= rows->vertices)
                return weir__rows_refuse(reader, rows, i + j, block[j]);
            rows->targets[i + j] = (uint32_t)block[j];
        }
    }
    return WEIR_OK;
}

weir_status weir__load_galois(weir__reader *reader, weir__rows *rows)
{
    struct header h;
    const char *data;
    uint64_t padding = 0, skipped;
    size_t have;
    weir_status status = weir__reader_peek(reader, HEADER, &data, &have);
    if (status)
        return status;
    if (have < HEADER)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the Galois graph is cut short",
                          weir__reader_path(reader));
    memcpy(&h, data, sizeof h);
    if ((status = check_header(reader, &h)) || (status = check_size(reader, &h, &padding)) ||
        (status = weir__rows_take(reader, &h, sizeof h)))
        return status;
    rows->vertices = h.vertices;
    rows->arcs = h.arcs;
    if ((status = weir__rows_reserve(rows, h.edge_bytes != 0)))
        return status;
    rows->offsets[0] = 0;
    if ((status = weir__rows_take(reader, rows->offsets + 1, h.vertices * 8)) ||
        (status = weir__rows_check(reader, rows)) ||
        (status = h.version == 2 ? take_wide(reader, rows)
                                 : weir__rows_take(reader, rows->targets, h.arcs * 4)) ||
        (status = weir__rows_take(reader, &skipped, padding)))
        return status;
    return rows->weights ? weir__rows_take(reader, rows->weights, h.arcs * 4) : WEIR_OK;
}
