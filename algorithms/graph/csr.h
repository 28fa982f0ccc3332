/** @file csr.h  Graphs made on a device: arcs to a CSR graph, and rows that lie there sorted. Not installed.
 *
 * What build.c does on the cores of the host, with the same outcome, bit for bit. It takes the memory of the arcs once, and of a
 * stretch of them at a time 16 bytes each, 24 with weights. */
#ifndef WEIR_ALGORITHMS_GRAPH_CSR_H
#define WEIR_ALGORITHMS_GRAPH_CSR_H

#include "algorithms/algorithms.h"
#include "algorithms/graph/edges.h"

/* ---- rows that lie on a device -------------------------------------------------------------------- */

/** What sorting works with: memory of the device for a stretch of rows. Zero is none. */
struct weir__csr_sorter {
    weir_device *device, *home;
    weir_queue *queue;
    uint64_t most; /* arcs of a stretch */
    uint64_t *keys[2];
    uint32_t *values[2]; /* if there are weights */
    uint64_t *tiles;
    void *temp;
    uint64_t temp_bytes;
    uint64_t *word; /* page-locked memory of the host, for what a device counted */
};

/** Rows on a device, one after the other. */
struct weir__csr_rows {
    const uint64_t
        *ends;       /* on the host: where each row ends, counted from an arc that is not here, */
    uint64_t before; /* so far before the first of these rows */
    const uint64_t
        *placed; /* on the device: where each ends, counted from the first of these rows */
    uint64_t rows;
    uint32_t *targets, *weights; /* on the device; weights may be NULL */
    uint64_t *
        pairs; /* in place of both: a weight above, a target below. NULL, but for weir__csr_sort() */
    uint32_t bits; /* of a target, at least 1 */
    uint32_t
        weight_bits; /* of a weight, if each row is to ascend by weight and then by target; 0: by target alone */
};

/** How many bits numbers below @p count have, at least 1. */
uint32_t weir__csr_bits(uint64_t count);
/** How many arcs a stretch should hold: enough for the longest row. @param[in] before  as in weir__csr_rows. @param[in] usual  about
 *  so many; 0: as is best. @par Blocks  yes; works on all cores. */
uint64_t weir__csr_stretch(const uint64_t *ends, uint64_t before, uint64_t rows, uint64_t usual);
/** The same of @p arcs arcs in rows that nobody knows, none of which is taken to be longer than that. */
uint64_t weir__csr_stretch_usual(uint64_t arcs, uint64_t usual);
/** Take the memory. @param[in] device  of @p context. @param[in] queue  of @p device, what everything is put into.
 *  @retval WEIR_ERR_NOMEM  the device has no room for it. @retval WEIR_ERR_UNSUPPORTED  a row of 2^31 arcs. */
weir_status weir__csr_sorter_open(const weir_context *context, weir_device *device,
                                  weir_queue *queue, uint64_t most, int weights,
                                  struct weir__csr_sorter *sorter_out);
/** Give it back; after a failure only when the queue was destroyed, since that may still work with it. */
void weir__csr_sorter_close(struct weir__csr_sorter *sorter);
/** Sort each row, in place. @par Blocks  until it is done. */
weir_status weir__csr_sort(struct weir__csr_sorter *sorter, const struct weir__csr_rows *rows);
/** Sort each row by target and keep one of equal targets, with the smallest weight; rows move together.
 *  @param[in,out] dropped  on the device, by row: how many are not kept is added.
 *  @param[out] kept_out  arcs that are left, from the first on. */
weir_status weir__csr_clean(struct weir__csr_sorter *sorter, const struct weir__csr_rows *rows,
                            uint32_t *dropped, uint64_t *kept_out);

/* ---- graphs ---------------------------------------------------------------------------------------- */

/** Arcs that a graph is made of. */
struct weir__csr_input {
    weir__edges edges; /* a list lies in host memory, its weights not in here */
    /* Of a list: integers of 32 bits, but anything for loops, which are dropped. NULL: none. */
    const double *weights;
    uint64_t vertices, count;
    int mirror;           /* every arc stands for both directions */
    weir_context *keeper; /* whose devices keep the arcs; NULL: they go to the host */
    uint32_t resident;    /* where they have room for so many times the arcs */
    /* For tests; 0: as is best. Arcs of a list that are brought over at a time, of rows that are sorted together, and of rows that a
     * device makes at a time. */
    uint64_t piece, stretch, range;
};

/** The devices of a context that make graphs of @p count arcs: its GPUs. @param[in] context  may be NULL.
 *  @param[out] devices_out  of WEIR_DEVICES_MAX. @return how many; 0: the host's cores do. */
uint32_t weir__csr_devices(const weir_context *context, uint64_t count, weir_device **devices_out);
/** Ask for the context of options that only say how to get it (weir_graph_options.context_of), if a graph of @p count arcs could be made by its
 *  GPUs; then they have it. Else nothing is done, and they have none. */
weir_status weir__csr_ask(weir_graph_options *options, uint64_t count);
/** From here on all devices of a context make graphs for this thread, however few arcs they have, and keep those that are to stay; for
 *  tests. 0: as ever. */
void weir__csr_pretend(int pretend);
/** Make a graph, whose arcs lie in host memory or stay on the devices (resident.h). It has no name yet. Several devices have rows each that are about equally many arcs; so do the passes
 *  that it takes when they have no room for all.
 *  @param[in] devices  of @p context, which have not to take part all.
 *  @retval WEIR_ERR_NOMEM  devices or host have no room for it: the host's cores may need less. */
weir_status weir__csr_make(const weir_context *context, weir_device *const *devices, uint32_t count,
                           const struct weir__csr_input *input, weir_graph **graph_out);
/** The same for generated arcs on the GPUs of the options' context, if it has some and they make such graphs.
 *  @return whether there is a graph, or a failure to be passed on, in @p status_out; 0: the host's cores are to make it. */
int weir__csr_made(const struct weir__csr_input *input, const weir_graph_options *options,
                   weir_graph **graph_out, weir_status *status_out);

#endif
