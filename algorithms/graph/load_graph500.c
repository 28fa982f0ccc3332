/** @file load_graph500.c  Edges as the Graph500 reference code packs them: three u32, little endian, for each.
 *
 *  u32 low half of one end, u32 low half of the other, u32 high parts of both: 16 bits of the one below, 16 of the
 *  other above. Nothing else is in the file: it begins with an edge, so nothing tells it but its user (graph500:PATH).
 *  Edges have no direction and become two arcs each. There are 2^k vertices, for the smallest k that all ids are below. */
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#define BLOCK  4096u
#define PARTS  3u
#define ID_MAX UINT64_C(0x7FFFFFFF) /* 2^32 vertices are over the limit */

static weir_status take_edge(const weir__reader *reader, const uint32_t *edge, weir__arcs *arcs,
                             uint64_t *ids)
{
    const uint64_t end[] = {edge[0] | (uint64_t)(edge[2] & 0xFFFF) << 32,
                            edge[1] | (uint64_t)(edge[2] >> 16) << 32};
    for (int i = 0; i < 2; i++)
        if (end[i] > ID_MAX)
            return weir__fail(WEIR_ERR_FORMAT,
                              "%s: edge %llu: the vertex id %llu is not within 0 .. %llu",
                              weir__reader_path(reader), (unsigned long long)arcs->count,
                              (unsigned long long)end[i], (unsigned long long)ID_MAX);
    *ids |= end[0] | end[1];
    return weir__arcs_add(arcs, (uint32_t)end[0], (uint32_t)end[1], 0);
}

weir_status weir__load_graph500(weir__reader *reader, weir__arcs *arcs)
{
    uint32_t block[BLOCK * PARTS];
    uint64_t ids = 0; /* bits that are set in any id */
    size_t got = sizeof block;
    weir_status status;
    arcs->mirror = 1;
    arcs->ascends = 0;
    while (got == sizeof block) {
        if ((status = weir__reader_bytes(reader, block, sizeof block, &got)))
            return status;
        for (size_t i = 0; i < got / sizeof *block / PARTS; i++)
            if ((status = take_edge(reader, block + i * PARTS, arcs, &ids)))
                return status;
        if (got % (sizeof *block * PARTS) != 0)
            return weir__fail(WEIR_ERR_FORMAT,
                              "%s: %llu edges of 12 bytes, and %llu bytes more; packed edges of "
                              "Graph500 have nothing else",
                              weir__reader_path(reader), (unsigned long long)arcs->count,
                              (unsigned long long)(got % (sizeof *block * PARTS)));
    }
    arcs->vertices = 1;
    while (arcs->vertices <= ids)
        arcs->vertices *= 2;
    return WEIR_OK;
}
