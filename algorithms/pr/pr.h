/** @file pr.h  The two forms of PageRank as pr.c sees them. Not installed. */
#ifndef WEIR_ALGORITHMS_PR_PR_H
#define WEIR_ALGORITHMS_PR_PR_H

#include "algorithms/algorithms.h"
#include "algorithms/common/row_steps.h"
#include "algorithms/pr/pr_epoch.h"
#include "algorithms/pr/pr_pull_args.h"

/** What both begin with. */
struct weir__pr_task {
    weir_context *context;
    const weir_graph *graph;         /* until the end of _create */
    const weir_partition *partition; /* the same */
    weir_run_options options;
    weir_pr_config config;
    uint64_t vertices; /* 1 or more */
    uint64_t dangling; /* vertices without out-arcs */
};

/* ---- pull ------------------------------------------------------------------------------------ */

/** The lists of a part in host memory. */
struct weir__pr_lists {
    struct pr_chunk *chunk;
    struct pr_piece *piece;
    struct pr_long *row;
    uint8_t *end;    /* `bands` for each row */
    uint32_t *first; /* bands * strips + 1; NULL with one band */
    uint64_t chunks, pieces, longs;
    uint32_t bands, strips;
};

/** Deal out @p rows rows, whose arcs lie together.
 *  @param[in] offsets  rows + 1: arcs of row r are offsets[r] to offsets[r + 1] - 1.
 *  @retval WEIR_ERR_UNSUPPORTED  2^32 chunks or pieces.  @retval WEIR_ERR_NOMEM */
weir_status weir__pr_lists(const uint64_t *offsets, uint64_t rows,
                           struct weir__pr_lists *lists_out);
/** The same of rows whose arcs lie as weir__pr_order() leaves them, with @p bands bands, 2 or more.
 *  @param[in] end  what it filled in; the lists' from now on, and freed in case of a failure. */
weir_status weir__pr_band_lists(const uint64_t *offsets, uint64_t rows, uint32_t bands,
                                uint8_t *end, struct weir__pr_lists *lists_out);
void weir__pr_lists_free(struct weir__pr_lists *lists);
/** Bytes of `end`, of so many rows. */
static inline uint64_t weir__pr_ends(const struct weir__pr_lists *lists, uint32_t rows)
{
    return (uint64_t)lists->bands * rows;
}

/** Arcs that are put in order together, or one strip's: in host memory twice. */
#define WEIR__PR_BATCH_BYTES (UINT64_C(64) << 20)

/** The rows of a part, as far as bands need them. */
struct weir__pr_rows {
    weir_device *device;
    uint64_t count;
    const uint64_t *offsets; /* host memory, count + 1 */
    uint32_t *targets;       /* the device's memory, ascending in each row */
    uint32_t begin;          /* number of the first one; read where devices only count */
};

/** All parts, and what is known by number. */
struct weir__pr_parts {
    struct weir__pr_rows part[WEIR_DEVICES_MAX];
    uint32_t count;
    uint32_t numbers;
    const uint32_t *degree; /* out-degrees by number */
    int fine;               /* shares are doubles from the start */
    const weir_graph *
        graph; /* of a context that only counts, whose devices have no arcs to look at; else NULL */
    const weir_rows *rows; /* the same */
};

/** Band b has the numbers begin[b] to begin[b + 1] - 1. */
struct weir__pr_bands {
    uint32_t count;
    const char *why; /* NULL: asked for */
    uint32_t begin[PR_BANDS_MAX + 1];
};

/** In how many bands shares are read (README.md, "Bands"), and where they begin.
 *  @param[in] asked        1 to PR_BANDS_MAX: so many; 0: as many as move less memory by a good margin, or 1.
 *  @param[in] cache_bytes  of the cache that all units of a device share; 0: unknown, and 1 band unless asked.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__pr_bands_choose(const struct weir__pr_parts *parts, uint32_t asked,
                                  uint64_t cache_bytes, struct weir__pr_bands *bands_out);
/** Rows of a strip, of a part of @p rows rows: a power of two. */
uint32_t weir__pr_strip_rows(uint64_t rows);
/** Put the arcs of each strip in order: those of rows of up to PR_CHUNK_ARCS arcs by band, then by row; behind them
 *  those of longer rows. In place, by way of the host.
 *  @param[in,out] end_out  count * rows bytes, 0 before: by band and row how many arcs a short row has in the band. */
weir_status weir__pr_order(const struct weir__pr_rows *rows, const struct weir__pr_bands *bands,
                           uint8_t *end_out);

/** Reads of shares that no cache near a block has had a moment before, for each arc: 0 to 1, from a sample of the arcs of all parts.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__pr_fresh_reads(const struct weir__pr_parts *parts, double *each_out);

/** What blocks take, one after the other; those of bins or stretches of several units before all others. */
struct weir__pr_units {
    struct pr_bin_unit *unit;
    uint32_t *common; /* bins or stretches of several units */
    uint32_t count, commons, common_units;
};
/** Bins of all parts, as planned; the devices put the arcs there. */
struct weir__pr_bins {
    uint32_t rows, numbers; /* of a bin, of a stretch; 0: there are none */
    uint32_t stretches;
    uint32_t blocks; /* of the device that has most */
    struct weir__pr_part_bins {
        uint32_t bins;   /* 0: the part has no rows */
        uint64_t octets; /* at most */
        struct weir__pr_units spread, collect;
    } part[WEIR_DEVICES_MAX];
};
/** Whether an iteration by way of bins is expected to be faster than one that reads shares at random, on GPUs.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__pr_bins_pay(const struct weir__pr_parts *parts, const struct weir__pr_bins *bins,
                              int *pay_out);
/** @param[in]  asked     bins of the largest part, and stretches, or a few more, but no more than leaves an arc for each cell on average;
 *                        0: as many as its blocks want.
 *  @param[out] bins_out  zero before; to be freed. @retval WEIR_ERR_NOMEM  @retval WEIR_ERR_UNSUPPORTED  2^32 of something. */
weir_status weir__pr_bins_make(const struct weir__pr_parts *parts, uint32_t asked,
                               struct weir__pr_bins *bins_out);
/** Elements of the array of arcs' shares of a part, where the tables of cells lie at first. */
uint64_t weir__pr_bins_shares(const struct weir__pr_bins *bins, uint32_t p);
/** What the arrays of a part take. */
uint64_t weir__pr_bins_bytes(const struct weir__pr_bins *bins, uint32_t p);
void weir__pr_bins_free(struct weir__pr_bins *bins);

/** For each number the devices that have arcs from its vertex and are not its own, as pr_lists.readers; they find out themselves.
 *  @param[out] readers_out  `numbers` of the rows; to be freed. @par Blocks  until all devices are through. */
weir_status weir__pr_readers(const weir_rows *rows, uint8_t **readers_out);

/** Where floats suffice, where a run goes over to doubles, and where it ends. @param[in] fine  doubles are wanted in
 *  any case. */
void weir__pr_bounds(const weir_pr_config *config, int fine, struct pr_bounds *bounds_out);

/** One thread at a time; a cancel from any. Items sent and cancelling are those of `on`. */
struct weir__pr_pull {
    struct weir__row_steps on; /* first */
    weir_pr_config config;
    int fine;              /* runs go on with doubles */
    const char *why_bands; /* NULL: asked for */
};
weir_status weir__pr_pull_create(const struct weir__pr_task *task, struct weir__pr_pull **pull_out);
/** What statistics of runs say was picked. */
void weir__pr_pull_picked(const struct weir__pr_pull *pull, weir_run_stats *stats);
weir_status weir__pr_pull_run(struct weir__pr_pull *pull, weir_run_stats *stats_out);
/** From now on runs go on with doubles. @retval WEIR_ERR_NOMEM  all is as before, and this may be tried again. */
weir_status weir__pr_pull_refine(struct weir__pr_pull *pull);
/** As weir_pr_ranks() and weir_pr_values(), after a complete run. */
weir_status weir__pr_pull_ranks(const struct weir__pr_pull *pull, double *ranks_out);
weir_status weir__pr_pull_values(const struct weir__pr_pull *pull, uint32_t device,
                                 weir_values *values_out);
void weir__pr_pull_destroy(struct weir__pr_pull *pull);

/* ---- pull in two dimensions ------------------------------------------------------------------- */

/** As weir__pr_pull, with a partition of kind WEIR_PARTITION_2D. */
struct weir__pr_cells {
    struct weir__row_steps on; /* first */
    int spread;                /* dangling rank is */
};
weir_status weir__pr_cells_create(const struct weir__pr_task *task,
                                  struct weir__pr_cells **cells_out);
void weir__pr_cells_picked(weir_run_stats *stats);
weir_status weir__pr_cells_run(struct weir__pr_cells *cells, weir_run_stats *stats_out);
weir_status weir__pr_cells_ranks(const struct weir__pr_cells *cells, double *ranks_out);
weir_status weir__pr_cells_values(const struct weir__pr_cells *cells, uint32_t device,
                                  weir_values *values_out);
void weir__pr_cells_destroy(struct weir__pr_cells *cells);

/* ---- for comparison -------------------------------------------------------------------------- */

/** What the reference and the check of ranks take. @param[in] config  NULL for defaults. @param[in,out] config_out  the defaults
 *  on entry.
 *  @retval WEIR_ERR_INVALID  and a sentence that begins with @p who. */
weir_status weir__pr_reference_config(const char *who, const weir_pr_config *config,
                                      weir_pr_config *config_out);

/* ---- push ------------------------------------------------------------------------------------ */

/** A run of epochs as it begins. */
struct pr_course weir__pr_course(const weir_pr_config *config, uint64_t vertices,
                                 const struct pr_bounds *bounds);

struct weir__pr_push;
weir_status weir__pr_push_create(const struct weir__pr_task *task, struct weir__pr_push **push_out);
weir_status weir__pr_push_run(struct weir__pr_push *push, weir_run_stats *stats_out);
weir_status weir__pr_push_ranks(struct weir__pr_push *push, double *ranks_out);
/** As weir_pr_values(), after a complete run. */
weir_status weir__pr_push_values(struct weir__pr_push *push, uint32_t device,
                                 weir_values *values_out);
weir_status weir__pr_push_link_items(const struct weir__pr_push *push, uint32_t from, uint32_t to,
                                     uint64_t *items_out);
/** As weir_traversal_explain(). */
weir_status weir__pr_push_explain(const struct weir__pr_push *push, weir_run_stats *picked_out,
                                  weir_run_reasons *reasons_out);
void weir__pr_push_cancel(struct weir__pr_push *push);
void weir__pr_push_destroy(struct weir__pr_push *push);

/* ---- push in step ------------------------------------------------------------------------------ */

/** Epochs in step, whose arcs are shared out (balance frontier). As weir__pr_pull. */
struct weir__pr_steal {
    struct weir__row_steps on;         /* first */
    uint64_t pieces[WEIR_DEVICES_MAX]; /* of an epoch, at most; by part */
};
weir_status weir__pr_steal_create(const struct weir__pr_task *task,
                                  struct weir__pr_steal **steal_out);
void weir__pr_steal_picked(weir_run_stats *stats);
weir_status weir__pr_steal_run(struct weir__pr_steal *steal, weir_run_stats *stats_out);
/** As weir_pr_ranks() and weir_pr_values(), after a complete run. */
weir_status weir__pr_steal_ranks(const struct weir__pr_steal *steal, double *ranks_out);
weir_status weir__pr_steal_values(const struct weir__pr_steal *steal, uint32_t device,
                                  weir_values *values_out);
/** As weir_pr_stolen(). */
weir_status weir__pr_steal_stolen(const struct weir__pr_steal *steal, uint32_t owner,
                                  uint32_t worker, uint64_t *arcs_out);
void weir__pr_steal_destroy(struct weir__pr_steal *steal);

#endif
