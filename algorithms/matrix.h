/** @file matrix.h  Sparse matrices in host memory, vectors and dense matrices in files, and products on devices.
 *
 * A *matrix* is sparse, of rows x columns, in compressed sparse row form (CSR), with values of 32 or 64 bits. Other than in a graph
 * (algorithms.h) the diagonal is kept, entries of one place are added up, and values that are 0 stay. A *product* is a matrix on the devices
 * of a context, ready to be multiplied with vectors (SpMV) or with dense matrices (SpMM):
 *
 *     y = alpha A x + beta y
 *
 * Dense matrices lie row by row: element (i, c) of one with k columns is number i k + c. A vector has one column.
 *
 * Threads: matrices are read-only after they are made and may be shared; a product is used by one thread at a time.
 * Long calls: an observer of the calling thread (weir_observer) sees how far they are and may end them: weir_matrix_open(),
 * weir_matrix_from_entries(), weir_matrix_from_graph(), weir_matrix_transposed(), weir_dense_read(), weir_product_create(),
 * weir_product_reference(), weir_product_check(). docs/spmv.md is a tutorial. */
#ifndef WEIR_ALGORITHMS_MATRIX_H
#define WEIR_ALGORITHMS_MATRIX_H

#include "algorithms/algorithms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- matrices ----------------------------------------------------------------------------- */

/** A sparse matrix in CSR form: row i has the columns indices[offsets[i]] to indices[offsets[i + 1] - 1], ascending, each
 *  once. Read-only for users; freed by weir_matrix_destroy(). */
typedef struct weir_matrix {
    uint64_t rows, columns;  /**< at most WEIR_VERTICES_MAX each */
    uint64_t nonzeros;       /**< that are stored; some may be 0 */
    const uint64_t *offsets; /**< rows + 1 values, from 0 to nonzeros */
    const uint32_t *indices; /**< columns, counted from 0 */
    weir_value_kind kind;    /**< WEIR_VALUE_F32 or WEIR_VALUE_F64 */
    const float *f32;        /**< nonzeros values if that is the kind, else NULL */
    const double *f64;       /**< the same */
    const char *name;        /**< file name without folder, or the generator's text */
    const char
        *format; /**< "MatrixMarket", "generator", "memory", or that of the graph it was made of */
    uint64_t added;    /**< entries that were added to another one of the same place */
    double prepare_ms; /**< what making it took */
    int borrowed;      /**< the arrays are the caller's (weir_matrix_wrap()) */
} weir_matrix;

/** How a matrix is read or generated. */
typedef struct weir_matrix_options {
    size_t size;          /**< sizeof(weir_matrix_options), set by WEIR_MATRIX_OPTIONS_INIT */
    weir_value_kind kind; /**< WEIR_VALUE_F32 or WEIR_VALUE_F64 */
    uint32_t threads; /**< for reading and generating; 0: one per core. Never changes a result */
    int undirected;   /**< of graphs: add every reverse arc. What is no graph refuses it */
    const weir_weights *
        weights; /**< of graphs: the values; NULL: the weights it has, else all 1. What is no graph refuses it */
    weir_context *
        context; /**< of graphs: whose GPUs make large ones; NULL: the host does. Never changes a result */
    /** Of graphs: NULL, or in place of `context` what gives it, as weir_graph_options.context_of. Other matrices never ask. */
    weir_status (*context_of)(void *user, weir_context **context_out);
    void *user; /**< for context_of */
} weir_matrix_options;
/** Defaults of weir_matrix_options: 32 bits. */
#define WEIR_MATRIX_OPTIONS_INIT                                                  \
    {                                                                             \
        sizeof(weir_matrix_options), WEIR_VALUE_F32, 0, 0, NULL, NULL, NULL, NULL \
    }

/** Read or generate a matrix.
 *
 *  @param[in] text  a MatrixMarket file, told by its first word (`coordinate`; real, integer, pattern, whose values are 1; general, symmetric,
 *     skew-symmetric), packed or not, `-` for standard input, or with `mtx:` in front; or
 *     `banded:N,BAND[,SEED]`: N x N, all entries up to BAND off the diagonal; or
 *     `random:RxC[,DEGREE[,SEED]]`: DEGREE (8) entries a row, spread over the columns; or
 *     `powerlaw:N[,DEGREE[,SEED]]`: rows of about DEGREE (16) entries on the average, few of them very long; or
 *     `blocks:N[,SIZE[,SEED]]`: dense blocks of SIZE x SIZE (32), that of the diagonal and one more in each row of blocks; or
 *     `denserow:N[,DEGREE[,SEED]]`: one row with all columns, DEGREE (4) entries in the others; or
 *     `emptyrows:N[,EACH[,SEED]]`: 8 entries in every EACH-th (16) row, none in the others; values of these are drawn from -1 to 1, by SEED (1); or
 *     any text that weir_graph_open() takes: an arc (i, j) is the entry of row i and column j, and its weight the value.
 *  @param[in] options  NULL for defaults.
 *  @retval WEIR_ERR_IO, WEIR_ERR_FORMAT, WEIR_ERR_NOMEM  as weir_graph_open().
 *  @retval WEIR_ERR_INVALID  malformed text, or an option that does not go with it.
 *  @par Blocks  yes. */
weir_status weir_matrix_open(const char *text, const weir_matrix_options *options,
                             weir_matrix **matrix_out);
/** Build one from entries in any order; those of one place are added up, in the order in which they stand.
 *  @param[in] row, column  @p entries values each, below @p rows and @p columns.
 *  @param[in] values       @p entries finite values; NULL: all are 1.
 *  @retval WEIR_ERR_INVALID  an entry lies outside, or a value, or a sum, is not finite in that kind. */
weir_status weir_matrix_from_entries(uint64_t rows, uint64_t columns, uint64_t entries,
                                     const uint32_t *row, const uint32_t *column,
                                     const double *values, weir_value_kind kind,
                                     weir_matrix **matrix_out);
/** The matrix of a graph; values are weights, 1 where it has none. */
weir_status weir_matrix_from_graph(const weir_graph *graph, weir_value_kind kind,
                                   weir_matrix **matrix_out);

/** Arrays that a program has already, under the rules of weir_matrix. */
typedef struct weir_matrix_arrays {
    size_t size; /**< sizeof(weir_matrix_arrays), set by WEIR_MATRIX_ARRAYS_INIT */
    uint64_t rows, columns, nonzeros;
    const uint64_t *offsets;
    const uint32_t *indices;
    const float *f32;  /**< one of the two is given */
    const double *f64; /**< the other is NULL */
} weir_matrix_arrays;
/** Defaults of weir_matrix_arrays. */
#define WEIR_MATRIX_ARRAYS_INIT                                     \
    {                                                               \
        sizeof(weir_matrix_arrays), 0, 0, 0, NULL, NULL, NULL, NULL \
    }
/** A matrix over arrays in host memory, without copying them: they stay the caller's, unchanged, until weir_matrix_destroy(), which leaves them
 *  there. All of it is looked at once.
 *  @retval WEIR_ERR_INVALID  offsets do not ascend, a row does not, a column or a value cannot be, or arrays are missing. */
weir_status weir_matrix_wrap(const weir_matrix_arrays *arrays, weir_matrix **matrix_out);
/** Its transpose, of which nothing is shared. @retval WEIR_ERR_NOMEM */
weir_status weir_matrix_transposed(const weir_matrix *matrix, weir_matrix **matrix_out);
/** NULL is fine. */
void weir_matrix_destroy(weir_matrix *matrix);

/* ---- vectors and dense matrices ------------------------------------------------------------ */

/** Read a dense matrix of a known size: a MatrixMarket file (`array`, which stands column by column; real or integer, general), told by its first
 *  word; of any other file each line is a row, numbers with blanks or tabs between them. Packed or not; `-` is standard input.
 *  @param[out] values_out  rows * columns values of that kind, row by row; the caller's.
 *  @retval WEIR_ERR_FORMAT  malformed, another size, or a value that the kind cannot hold: the sentence has the line.
 *  @retval WEIR_ERR_IO */
weir_status weir_dense_read(const char *path, weir_value_kind kind, uint64_t rows, uint64_t columns,
                            void *values_out);
/** Write one, with as many digits as bring every bit back.
 *  @param[in] matrix_market  0: a line a row.
 *  @param[in] write  called with pieces of the text, in order; @return 0, or an errno that ends the writing.
 *  @retval WEIR_ERR_IO  @p write said so. */
weir_status weir_dense_write(weir_value_kind kind, uint64_t rows, uint64_t columns,
                             const void *values, int matrix_market,
                             int (*write)(void *user, const char *text, size_t bytes), void *user);
/** Values from -1 to 1, drawn by the seed and each one's number: what a program may multiply with. */
void weir_dense_draw(weir_value_kind kind, uint64_t count, uint64_t seed, void *values_out);

/* ---- products ------------------------------------------------------------------------------ */

/** Which lane of a device multiplies what. */
typedef enum weir_product_schedule {
    WEIR_PRODUCT_AUTO = 0, /**< ROWS; BINS where those pay */
    WEIR_PRODUCT_ROWS, /**< a warp has a chunk of short rows, or a piece of a long one; results repeat themselves bit by bit */
    WEIR_PRODUCT_BINS, /**< in two passes over blocks of columns and of rows that fit into a multiprocessor: for one column, on GPUs and on host devices */
    WEIR_PRODUCT_THREAD, /**< of worklist/schedule.h, as the next four; rows and nonzeros of a device are fewer than 2^32 together */
    WEIR_PRODUCT_WARP,
    WEIR_PRODUCT_BLOCK,
    WEIR_PRODUCT_GROUP, /**< rows are shared by lanes: sums in any order, as under BINS, BLOCK, WARP and MERGE */
    WEIR_PRODUCT_MERGE
} weir_product_schedule;
/** "auto", "rows", "bins", "thread", "warp", "block", "group", "merge"; NULL for anything else. Static storage. */
const char *weir_product_schedule_text(weir_product_schedule schedule);

/** Whether x is exchanged while devices multiply what they have. */
typedef enum weir_product_overlap {
    WEIR_OVERLAP_AUTO = 0, /**< ON where there are several devices */
    WEIR_OVERLAP_ON, /**< columns of a device's own are multiplied first, in a pass of their own; one device refuses it */
    WEIR_OVERLAP_OFF /**< x first, then one pass */
} weir_product_overlap;
/** "auto", "on", "off"; NULL for anything else. Static storage. */
const char *weir_product_overlap_text(weir_product_overlap overlap);

/** What each device has of x. */
typedef enum weir_product_vector {
    WEIR_VECTOR_AUTO =
        0, /**< CUT where there are several devices and all that they want of others' x is at most half of x, or a device has no room for x */
    WEIR_VECTOR_WHOLE, /**< room for all of it */
    WEIR_VECTOR_CUT /**< its own rows, and those others that its part of the matrix names; one device refuses it */
} weir_product_vector;
/** "auto", "whole", "cut"; NULL for anything else. Static storage. */
const char *weir_product_vector_text(weir_product_vector vector);

/** How a product is made; zero means "choose for me". */
typedef struct weir_product_config {
    size_t size; /**< sizeof(weir_product_config), set by WEIR_PRODUCT_CONFIG_INIT */
    weir_product_schedule schedule;
    weir_product_overlap overlap;
    uint32_t columns; /**< of x and y, up to 4096; 0: one */
    int transpose;    /**< non-zero: with the transpose, which is made on the host */
    uint32_t devices; /**< so many of the context, the first ones; 0: all */
    /** In two dimensions: devices stand row by row in a grid; those of a row of it share rows of the matrix, those of a column its columns.
     *  A device then has blocks of both, sums over its own columns, and adds up those of its row for a stretch of y. 0 and 0: rows alone. */
    uint32_t grid_rows, grid_columns;
    weir_product_vector vector;
} weir_product_config;
/** Defaults of weir_product_config. */
#define WEIR_PRODUCT_CONFIG_INIT                                                          \
    {                                                                                     \
        sizeof(weir_product_config), WEIR_PRODUCT_AUTO, WEIR_OVERLAP_AUTO, 0, 0, 0, 0, 0, \
            WEIR_VECTOR_AUTO                                                              \
    }

/** A matrix on devices, with room for x and y. Long-lived. */
typedef struct weir_product weir_product;

/** What a run took. */
typedef struct weir_product_stats {
    size_t size; /**< sizeof(weir_product_stats), set by WEIR_PRODUCT_STATS_INIT */
    double ms;   /**< from the call to its return, with y complete on the devices */
    double
        kernel_ms; /**< from the first kernel or copy to the end of the last one, by the clock of the device that took longest */
    uint64_t bytes; /**< that have to be read and written at least: the matrix once, x and y */
    uint64_t flops; /**< a multiplication and an addition for each nonzero and column */
    uint64_t bytes_exchanged;       /**< of x, and of sums in two dimensions, between devices */
    weir_product_schedule schedule; /**< what ran */
    int overlap;                    /**< non-zero: x was exchanged meanwhile; 0 where none is */
    uint32_t devices;
    weir_product_vector vector; /**< what x is: WHOLE or CUT */
    uint64_t halo;              /**< rows of x that come from other devices, all together */
    uint64_t halo_bytes;        /**< the same in bytes, which are among bytes_exchanged */
    uint64_t
        near; /**< by rows: nonzeros whose columns take two bytes, since those of the same warp lie within 65536 */
} weir_product_stats;
/** weir_product_stats: nothing filled in yet. */
#define WEIR_PRODUCT_STATS_INIT                                                                  \
    {                                                                                            \
        sizeof(weir_product_stats), 0, 0, 0, 0, 0, WEIR_PRODUCT_AUTO, 0, 0, WEIR_VECTOR_AUTO, 0, \
            0, 0                                                                                 \
    }

/** A stretch of x or y in the memory of a device. */
typedef struct weir_product_part {
    size_t size;    /**< sizeof(weir_product_part), set by WEIR_PRODUCT_PART_INIT */
    uint64_t first; /**< row of x or y that data begins with */
    uint64_t rows;
    void *data; /**< rows * columns values, row by row */
} weir_product_part;
/** weir_product_part: nothing filled in yet. */
#define WEIR_PRODUCT_PART_INIT                \
    {                                         \
        sizeof(weir_product_part), 0, 0, NULL \
    }

/** Bring a matrix to the devices of a context: rows are cut so that each device has about as many nonzeros, and x so that it
 *  has the columns of the same stretch, or an equal one where the matrix is not square. x and y are 0 at first.
 *  @param[in] config  NULL for defaults.
 *  @retval WEIR_ERR_INVALID      a value that there is not.
 *  @retval WEIR_ERR_UNSUPPORTED  bins for several columns, or a schedule of 32 bits for more; simulated devices.
 *  @retval WEIR_ERR_NOMEM        a device, or the host, has no room: known before any is taken.
 *  The product keeps the context; the matrix may be destroyed after the call.
 *  @par Blocks  yes. */
weir_status weir_product_create(weir_context *context, const weir_matrix *matrix,
                                const weir_product_config *config, weir_product **product_out);
/** Rows of x, which are the columns of the matrix unless it is transposed; those of y; and k. */
void weir_product_sizes(const weir_product *product, uint64_t *x_rows_out, uint64_t *y_rows_out,
                        uint32_t *columns_out);
/** Bring x, or y (which counts where beta is not 0), from the host. @param[in] values  all of it, of the matrix's kind.
 *  @par Blocks  yes. */
weir_status weir_product_set_x(weir_product *product, const void *values);
/** See weir_product_set_x(). */
weir_status weir_product_set_y(weir_product *product, const void *values);
/** Where a device has its stretch of x, for programs that make x there: no run may be on while it is written.
 *  @retval WEIR_ERR_INVALID  no such device. */
weir_status weir_product_x(const weir_product *product, uint32_t device,
                           weir_product_part *part_out);
/** The same of y. */
weir_status weir_product_y(const weir_product *product, uint32_t device,
                           weir_product_part *part_out);
/** y = alpha A x + beta y. With beta 0 what y was is not looked at.
 *  @param[in,out] stats_out  begins as WEIR_PRODUCT_STATS_INIT; may be NULL.
 *  @retval WEIR_ERR_DEVICE  the product may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_product_run(weir_product *product, double alpha, double beta,
                             weir_product_stats *stats_out);
/** Bring y to the host. @par Blocks  yes. */
weir_status weir_product_get_y(weir_product *product, void *values_out);
/** NULL is fine. */
void weir_product_destroy(weir_product *product);

/* ---- references ---------------------------------------------------------------------------- */

/** A product to be checked, in host memory; a plain value. */
typedef struct weir_product_case {
    size_t size; /**< sizeof(weir_product_case), set by WEIR_PRODUCT_CASE_INIT */
    const weir_matrix *matrix;
    int transpose;
    uint32_t columns; /**< 0: one */
    double alpha, beta;
    const void *x, *y; /**< of the matrix's kind; y as it was before, NULL where beta is 0 */
} weir_product_case;
/** weir_product_case: alpha is 1. */
#define WEIR_PRODUCT_CASE_INIT                                  \
    {                                                           \
        sizeof(weir_product_case), NULL, 0, 0, 1, 0, NULL, NULL \
    }
/** The serial product, in double, which shares nothing with the devices' form.
 *  @param[out] y_out      rows of y times columns.
 *  @param[out] bound_out  as many: by how much a product in the matrix's kind may differ, (n + 4) eps (|alpha| |A| |x| + |beta y|) with n the
 *                         nonzeros of the row; NULL: not wanted.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID  @par Blocks  yes. */
weir_status weir_product_reference(const weir_product_case *of, double *y_out, double *bound_out);
/** Compare a result with a reference that was made before, for who checks several results of one case.
 *  @param[in] y, bound  of weir_product_reference() for this case.
 *  @retval WEIR_ERR_VERIFY  as below  @retval WEIR_ERR_INVALID  @par Blocks  no. */
weir_status weir_product_compare(const weir_product_case *of, const double *y, const double *bound,
                                 const void *result);
/** Make the reference, and compare a result with it.
 *  @retval WEIR_ERR_VERIFY  an element differs by more than the bound: the sentence has the first.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID  @par Blocks  yes. */
weir_status weir_product_check(const weir_product_case *of, const void *result);

#ifdef __cplusplus
}
#endif
#endif
