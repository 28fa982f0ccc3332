/** @file spmv.h  What the files of a product share. Not installed. */
#ifndef WEIR_ALGORITHMS_SPMV_SPMV_H
#define WEIR_ALGORITHMS_SPMV_SPMV_H

#include "algorithms/matrix.h"
#include "algorithms/spmv/spmv_op.h"
#include "runtime/room.h"

enum {
    SPMV_HOST_BIN = 2048
}; /* most rows of a bin of a host device, whose sums lie on a thread's stack */

/** Rows of a device with some of their nonzeros, in host memory. */
struct spmv_rows {
    uint64_t rows;
    const uint64_t *offsets; /* rows + 1 values; nonzero i lies at i - offsets[0] */
    const uint32_t *indices;
    const void *values;
    int sparse; /* rows without nonzeros need no visit: y has its beta already */
    uint64_t
        sketched; /* nonzeros, where there are no offsets: sizes of a plan are guessed from it */
};

/** How many nonzeros rows have. */
static inline uint64_t weir__spmv_count(const struct spmv_rows *rows)
{
    return rows->offsets ? rows->offsets[rows->rows] - rows->offsets[0] : rows->sketched;
}

/** Whether only sizes of a matrix are known, for a plan: then rows are equal, and their columns spread evenly. */
static inline int weir__spmv_sketched(const weir_matrix *matrix)
{
    return !matrix->offsets;
}

/** The same on the device. */
struct spmv_half {
    struct spmv_args args; /* y, alpha, beta and x are set for each run */
    int there;             /* has something to do */
    uint64_t near;         /* nonzeros whose columns take two bytes */
};

/** Bins on a device (spmv_bins.c). */
struct spmv_bins {
    struct spmv_bins_args args;
    const struct spmv_unit *spread, *collect; /* on the device */
    uint32_t own_count; /* of spread, the first ones: their x is the device's own */
    uint32_t spread_count, collect_count;
};

/** What comes from another device, of x or of sums. */
struct spmv_want {
    uint64_t begin,
        end;        /* of x: from the first row that is wanted; of the sender's sums: a stretch */
    uint64_t count; /* rows that come: all of these, or fewer, */
    int listed;     /* which the sender packs by a list */
    uint64_t packed_at; /* where in what it packs they begin */
    uint64_t at;        /* of x: row of the receiver's memory that they go to */
    void *stage;        /* in home's memory, where the two devices do not reach each other */
    weir_event *staged;
    void *place; /* of sums: where they come to */
};

/** Which columns of x a device keeps, where x is cut. */
struct spmv_keep {
    uint64_t *bits;   /* a bit for each column of x; NULL: it keeps all */
    uint32_t *before; /* by word: how many columns are kept before its first one */
};

/** Rows of x that others want and that do not lie side by side. */
struct spmv_packing {
    uint64_t count;       /* of all lists together */
    const uint32_t *list; /* on the device: rows of its memory of x */
    void *room;           /* where they are packed, in the order of the list */
    weir_event *done;
};

/** Nonzeros of a row: from begin to own with columns before the device's own, to rest with those, to end with columns behind. */
struct spmv_span {
    uint64_t begin, own, rest, end;
};

/** A product on one device. */
struct spmv_part {
    weir_device *device;
    weir_queue *queue, *fetch; /* fetch: NULL where nothing comes from others */
    weir_stamp *start, *stop;
    weir_event *here;                    /* x has come */
    weir_event *done;                    /* in two dimensions: its sums are there, */
    weir_event *whole;                   /* and those of others that it adds to its own have come */
    uint64_t first, rows;                /* that it multiplies, */
    uint64_t column_first, column_count; /* with these columns */
    uint64_t nonzeros;                   /* of both */
    uint64_t x_first, x_rows, y_first, y_rows; /* that it owns */
    uint64_t x_held, x_at; /* rows of x that it has room for; where among them its own begin */
    void *x, *y;
    void *sums; /* what kernels write: y, or in two dimensions sums over its own columns */
    struct spmv_half
        half[2]; /* what needs the device's own x alone, and the rest; or all, and none */
    struct spmv_bins bins;
    struct spmv_keep keep; /* while it is placed */
    struct spmv_packing packing;
    struct spmv_want want[WEIR_DEVICES_MAX]; /* of x, by sender */
    struct spmv_want back[WEIR_DEVICES_MAX]; /* of sums, by sender */
    void *taken[32 + WEIR_DEVICES_MAX];      /* of the device's memory, all that is to be freed */
    uint32_t taken_count;
};

struct weir_product {
    weir_context *context;
    weir_product_config config; /* as it was chosen */
    weir_value_kind kind;
    size_t value_bytes;
    int wide; /* position of the kernels: doubles */
    int overlap;
    int failed;
    uint32_t parts;
    uint32_t grid_rows, grid_columns; /* parts stand row by row */
    uint64_t y_rows, x_rows, nonzeros;
    uint64_t halo;      /* rows of x that a run moves between devices */
    uint64_t exchanged; /* bytes that it moves between them */
    struct weir__need
        placing; /* host memory held over several steps while it is placed; who plans counts it */
    struct spmv_part part[WEIR_DEVICES_MAX];
};

/** Bytes of a row of x or of y. */
static inline uint64_t weir__spmv_row_bytes(const weir_product *product)
{
    return product->config.columns * product->value_bytes;
}

/** Where a column that is kept lies among those that are. */
static inline uint64_t weir__spmv_kept_at(const struct spmv_keep *keep, uint64_t column)
{
    const uint64_t below = (UINT64_C(1) << column % 64) - 1;
    return keep->before[column / 64] +
           (uint64_t)__builtin_popcountll(keep->bits[column / 64] & below);
}

/** About what devices would need, from counts alone: without what fills up records, sums of pieces and long rows, and with columns of four bytes (spmv.c). @param[in] wants  what they want of others is known. @return the first that has no room for it; UINT32_MAX: all have. */
uint32_t weir__spmv_lacks(const weir_product *product, int wants, uint64_t bytes[WEIR_DEVICES_MAX]);
/** The nonzeros of a row of a part, among those of its columns (spmv_halo.c). */
struct spmv_span weir__spmv_span(const weir_matrix *matrix, const struct spmv_part *part,
                                 uint64_t row);
/** Find what each device wants of others' x, and whether x is cut; config.vector says so behind it. */
weir_status weir__spmv_want(weir_product *product, const weir_matrix *matrix);
/** Tell owners what they pack. Behind the parts, before weir__spmv_keep_free(). */
weir_status weir__spmv_lists(weir_product *product, const weir_matrix *matrix);
void weir__spmv_keep_free(weir_product *product);

/** Take memory of a part's device, which goes with the part. */
weir_status weir__spmv_take(struct spmv_part *part, const char *what, uint64_t elements,
                            size_t bytes, void *data_out);
/** The same, with a copy of @p data. */
weir_status weir__spmv_bring(struct spmv_part *part, const char *what, const void *data,
                             uint64_t elements, size_t bytes, void *data_out);

/** Note for a plan the host memory that is in use: pools of host devices, what is held while it is placed, and @p beside. Who runs
 *  finds less left by that, and nothing is noted. */
void weir__spmv_note(const weir_product *product, const struct weir__need *beside);

/** Bring nonzeros to the device, as chunks or as tiles (spmv_place.c). */
weir_status weir__spmv_place(weir_product *product, struct spmv_part *part,
                             const struct spmv_rows *rows, struct spmv_half *half);

/** Bring the rows of a part to its device in two halves, or @p together (spmv_split.c); or what sizes say of them. */
weir_status weir__spmv_split(weir_product *product, const weir_matrix *matrix,
                             struct spmv_part *part, int together);
weir_status weir__spmv_split_sketch(weir_product *product, struct spmv_part *part,
                                    uint64_t nonzeros, int halves);

/** Whether bins pay for a part of a matrix, by a sample of its nonzeros (spmv_bins.c). */
/** How many places bins have for each nonzero, about: a tile has whole octets. @param[in] nonzeros  of the part, in its columns. */
double weir__spmv_bins_fill(const weir_product *product, const struct spmv_part *part,
                            double nonzeros);
int weir__spmv_bins_pay(const weir_product *product, const struct spmv_part *part,
                        const struct spmv_rows *rows);
/** Bring nonzeros to the device in bins. */
weir_status weir__spmv_bins_place(weir_product *product, struct spmv_part *part,
                                  const struct spmv_rows *rows);
/** Put a run of bins into the part's queue. */
weir_status weir__spmv_bins_run(weir_product *product, struct spmv_part *part, double alpha,
                                double beta);

#endif
