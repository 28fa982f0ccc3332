/** @file csr_range.h  A range of a graph's rows, made on a device: what csr.c has each device do. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_CSR_RANGE_H
#define WEIR_ALGORITHMS_GRAPH_CSR_RANGE_H

#include "algorithms/graph/csr.h"

/** A device with the rows that it has at the moment. Belongs to one thread at a time. */
struct weir__csr_range {
    const struct weir__csr_input *input;
    const weir_context *context;
    weir_device *device;
    weir_queue *queue;
    uint64_t first, rows;  /* vertices */
    uint64_t before, arcs; /* without loops: of the rows before, and of these */
    uint64_t kept;         /* of these, without duplicates */
    /* On the device: */
    uint64_t *ends;    /* of the rows: counts, then cursors. rows + 1 where they are all rows */
    uint64_t *lengths; /* rows + 1: how long, then where they begin */
    uint32_t *targets, *weights, *dropped;
    void *temp; /* of sums */
    uint64_t temp_bytes;
    struct {
        uint32_t *sources, *targets, *weights;
        uint32_t *integers; /* on the host */
    } piece;                /* of a list */
    struct weir__csr_sorter sorter;
};

/** What a device takes to bring a list over. */
uint64_t weir__csr_piece_bytes(const struct weir__csr_input *input);
/** Count the arcs of all rows, which the range is to be. @param[out] offsets_out  vertices + 1, on the host: where each begins. */
weir_status weir__csr_range_count(struct weir__csr_range *range, uint64_t *offsets_out);
/** Make the rows, in order and without duplicates. @param[in] offsets  as they were counted. */
weir_status weir__csr_range_make(struct weir__csr_range *range, const uint64_t *offsets);
/** Bring them to the host, where they are a graph's from arc @p to on. Arrays of a graph as a whole; NULL: arcs, or weights, stay
 *  there. */
weir_status weir__csr_range_bring(struct weir__csr_range *range, uint64_t to, uint64_t *offsets,
                                  uint32_t *targets, uint32_t *weights);
/** Be ready for the next rows. */
void weir__csr_range_clear(struct weir__csr_range *range);
/** What has been taken is given back, after a failure too. */
void weir__csr_range_close(struct weir__csr_range *range);

#endif
