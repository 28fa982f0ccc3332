/** @file metis_helper.h  What weir and weir-metis say to each other, native byte order. Not
 * installed.
 *
 *  weir to weir-metis:  a request; int32 rows[vertices + 1], targets[arcs], weights[vertices].
 *  weir-metis to weir:  a reply; if its code is METIS's success, uint8 owner[vertices]. */
#ifndef WEIR_ALGORITHMS_GRAPH_METIS_HELPER_H
#define WEIR_ALGORITHMS_GRAPH_METIS_HELPER_H

#include <stdint.h>

#define WEIR__METIS_MAGIC UINT64_C(0x31736974656D7277) /* "wrmetis1" */
#define WEIR__METIS_OK    1                            /* METIS_OK of metis.h */
#define WEIR__METIS_PARTS 256                          /* an owner is one byte */

struct weir__metis_request {
    uint64_t magic, vertices, arcs, parts, seed;
};

struct weir__metis_reply {
    uint64_t magic;
    int64_t code; /* what METIS returned */
    int64_t cut;  /* edges between parts */
};

#endif
