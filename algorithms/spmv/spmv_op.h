/** @file spmv_op.h  y = alpha A x + beta y on one device: what kernels are given, and what their lanes do. Not installed.
 *
 * A *chunk* is what a warp takes: up to 255 nonzeros of up to 256 whole rows, a row of up to 1024, or a *piece* of a longer row, whose sum the warp that
 * ends last of that row adds to those of the other pieces. Who has what is fixed, and so is the order of adding: a run repeats itself bit by bit.
 * The nonzeros of a chunk are a *record*: their columns, in two bytes each behind the least of them where they lie that near to each other, else in four;
 * and their values; each in fours, of which a lane loads one at once. Under the schedules of worklist/schedule.h nonzeros lie in rows (CSR), which are
 * tiles; where lanes share a row they add to y by atomics. */
#ifndef WEIR_ALGORITHMS_SPMV_SPMV_OP_H
#define WEIR_ALGORITHMS_SPMV_SPMV_OP_H

#include "runtime/runtime.h"
#include "runtime/sync.h"
#include "worklist/schedule.h"

enum {
    SPMV_SHORT = 255,    /* nonzeros of a chunk of several rows: ends of rows are bytes */
    SPMV_ROWS = 256,     /* its rows */
    SPMV_PIECE = 1024,   /* nonzeros of a chunk of one row */
    SPMV_UNIT = 16,      /* bytes, of which records are whole numbers */
    SPMV_FOUR = 4,       /* nonzeros of a lane that lie side by side */
    SPMV_ABREAST = 2,    /* fours of a lane that are under way together */
    SPMV_NEAR = 65536,   /* columns that two bytes tell apart */
    SPMV_GPU_LANES = 32, /* WEIR_LANES of a GPU, where the host writes for its kernels */
    SPMV_ROUNDS = 4,     /* of rows that lanes add up, whose ends are under way together */
    SPMV_ROOM =
        256 +
        8, /* values that a warp keeps: one place in 33 stays free, so that equal rows meet no bank twice */
    SPMV_SHARING_BLOCK = 4 /* warps that are a block to the schedule of that name */
};

/** What a warp takes. */
struct spmv_chunk {
    uint32_t at;  /* its record, in units */
    uint32_t row; /* its first row; of a piece: its number among the pieces */
    uint32_t
        base; /* the least of its columns, from which they count in two bytes; SPMV_FAR: they have four, and count from 0 */
    uint16_t count; /* nonzeros */
    uint16_t rows;  /* 0: a piece of a row; 1: a row by itself; else so many, of spmv_args.ends */
};
#define SPMV_FAR UINT32_MAX

/** Bytes of the columns of a record, behind which its values lie. Nonzeros are filled up to whole fours, by values of 0. */
WEIR_DEV uint32_t weir__spmv_columns_bytes(uint32_t fours, int near)
{
    return near ? (fours + 1) / 2 * SPMV_UNIT : fours * SPMV_UNIT;
}

#ifdef __CUDACC__
/** A pointer that stays whole: a compiler that takes it apart again adds 64 bits for each place behind it. */
WEIR_DEV const void *weir__spmv_whole(const void *place)
{
    asm("" : "+l"(place));
    return place;
}

/** The same of a word: else halves of it are taken out, for which the load is waited for, where it is asked for. */
WEIR_DEV void weir__spmv_whole_u32(uint32_t *word)
{
    asm("" : "+r"(*word));
}
#endif

/** A row in pieces. */
struct spmv_long {
    uint32_t row, pieces;
    uint32_t first; /* its first piece */
    uint32_t ended; /* pieces whose sums are there in this run; 0 between runs */
};

/** Schedules of worklist/schedule.h: a name, and how many warps share a set of rows; 0: all of them. */
#define SPMV_SCHEDULES(X)             \
    X(weir_thread, 0)                 \
    X(weir_warp, 1)                   \
    X(weir_block, SPMV_SHARING_BLOCK) \
    X(weir_group, 1)                  \
    X(weir_merge, 0)
#define SPMV_NUMBER(schedule, sharing) SPMV_##schedule,
enum { SPMV_SCHEDULES(SPMV_NUMBER) SPMV_SCHEDULE_COUNT };
#undef SPMV_NUMBER

/** Arguments of all kernels over rows. Values, x and y are floats or doubles, as the kernel is. */
struct spmv_args {
    const void *x; /* what the device keeps of it, as columns count */
    void *y;       /* the device's rows */
    double alpha, beta;
    uint32_t rows, k; /* k: columns of x and y */
    /* chunks */
    const struct spmv_chunk *chunks;
    const char *records;
    const uint8_t
        *ends;      /* by row: where it ends in its chunk, counted from the chunk's first nonzero */
    void *partials; /* by piece and column */
    struct spmv_long *longs;
    const uint32_t *long_of; /* by piece: its row, among longs */
    uint32_t chunk_count;
    /* tiles */
    const uint32_t *indices; /* of nonzeros */
    const void *values;
    weir_tile_set tiles;
    uint32_t schedule, sharing;
};

/* ---- bins ------------------------------------------------------------------------------------------ */

/** Bins: nonzeros lie in tiles, where a *stretch* of columns meets a *bin* of rows, filled up to octets. Once by stretch, with columns and values;
 *  what is multiplied goes to where it lies by bin, with its rows. */
enum { SPMV_OCTET = 8, SPMV_FILLER = 0xFFFF };

/** Octets of a stretch, or of a bin, that a block takes. */
struct spmv_unit {
    uint32_t block; /* the stretch or the bin */
    uint32_t own;   /* of a bin: nobody else has octets of it */
    uint64_t begin, end;
};

struct spmv_bins_args {
    const uint16_t *columns; /* by stretch: column in it */
    const void *values;      /* by stretch */
    const uint32_t *to;      /* by stretch, of each octet: its number by bin */
    const uint16_t *places;  /* by bin: row in it; SPMV_FILLER: none */
    void *products;          /* by bin */
    const struct spmv_unit *units;
    uint32_t unit_count;
    uint32_t width, height; /* columns of a stretch, rows of a bin */
    const void *x;
    void *y;
    uint64_t x_rows;
    uint32_t rows;
    uint32_t add; /* y has its beta already, and bins are shared */
    double alpha, beta;
};

/** Rows of x that others want, side by side: row i of `packed` is row list[i] of x. */
struct spmv_pack_args {
    const void *x;
    const uint32_t *list;
    void *packed;
    uint64_t elements; /* rows times k */
    uint32_t k;
};

/** Sums of several devices over the same rows, added up in the order of their columns: y = all of them + beta y. */
struct spmv_join_args {
    const void *sums[WEIR_DEVICES_MAX];
    uint32_t count;
    uint64_t elements;
    void *y;
    double beta;
};

/** The kernels, by position: of floats, of doubles. */
extern const weir_kernel weir__spmv_rows[2], weir__spmv_tiles[2], weir__spmv_scale[2],
    weir__spmv_spread[2], weir__spmv_collect[2], weir__spmv_join[2], weir__spmv_pack[2];

#ifdef __cplusplus
extern "C" {
#endif
/** Their CUDA forms (spmv_cuda.cu). @return a cudaError_t. */
int weir__spmv_rows_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_rows_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_tiles_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_tiles_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_scale_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_scale_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_join_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_join_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_pack_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_pack_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_spread_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_spread_f64_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_collect_f32_cuda(void *stream, uint32_t workers, const void *args);
int weir__spmv_collect_f64_cuda(void *stream, uint32_t workers, const void *args);
#ifdef __cplusplus
}
#endif

#define REAL            float
#define SPMV_NAME(name) name##_f32
#define SPMV_VECTOR     4
#include "algorithms/spmv/spmv_op_tmpl.h"
#define REAL            double
#define SPMV_NAME(name) name##_f64
#define SPMV_VECTOR     2
#include "algorithms/spmv/spmv_op_tmpl.h"

#endif
