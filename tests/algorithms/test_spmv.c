/** @file test_spmv.c  Products of sparse matrices on every set of devices, by every schedule, against the serial one in double. */
#include "algorithms/matrix.h"
#include "runtime/support.h"
#include "tests/algorithms/cc_fixture.h"
#include "tests/lib/share.h"

#include <math.h>
#include <string.h>

/* ThreadSanitizer is slow: it sees every schedule with each shape in one kind of values, and a third of the shapes with each number of columns. */
#ifdef __SANITIZE_THREAD__
enum { SLOW = 1 };
#define STRIDE (3 * test_stride())
#else
enum { SLOW = 0 };
#define STRIDE test_stride()
#endif

/* ---- matrices ------------------------------------------------------------------------------------- */

static weir_matrix *matrix_of(const char *text, weir_value_kind kind)
{
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    weir_matrix *matrix;
    options.kind = kind;
    OK(weir_matrix_open(text, &options, &matrix));
    return matrix;
}

/* Shapes at which something may go wrong: nothing at all, no rows, no columns, a row of all columns that is cut into pieces, rows around the bounds
 * of a chunk, many empty rows, wide and high. */
static const char *const matrices[] = {"random:0x0",
                                       "random:0x9",
                                       "random:9x0",
                                       "random:1x1,1",
                                       "random:300x7,3",
                                       "random:7x3000,2900",
                                       "random:40x600,254",
                                       "random:40x600,255",
                                       "random:40x600,256",
                                       "random:9x5000,1024",
                                       "random:9x5000,1025",
                                       "denserow:5000",
                                       "emptyrows:3000,100",
                                       "banded:700,3",
                                       "powerlaw:2000,20",
                                       "blocks:500,32",
                                       "rmat:9",
                                       "star:3000"};
enum { MATRICES = sizeof matrices / sizeof *matrices };

struct vectors {
    uint64_t x_count, y_count;
    void *x, *y, *result;
};

static void *drawn_values(weir_value_kind kind, uint64_t count, uint64_t seed)
{
    void *values = malloc((count + 1) * sizeof(double));
    assert_non_null(values);
    weir_dense_draw(kind, count, seed, values);
    return values;
}

static struct vectors vectors_for(const weir_matrix *matrix, const weir_product_config *config)
{
    const uint64_t k = config->columns ? config->columns : 1;
    struct vectors v;
    v.x_count = k * (config->transpose ? matrix->rows : matrix->columns);
    v.y_count = k * (config->transpose ? matrix->columns : matrix->rows);
    v.x = drawn_values(matrix->kind, v.x_count, 5);
    v.y = drawn_values(matrix->kind, v.y_count, 6);
    v.result = malloc((v.y_count + 1) * sizeof(double));
    assert_non_null(v.result);
    return v;
}

static void vectors_free(struct vectors *v)
{
    free(v->x);
    free(v->y);
    free(v->result);
}

/* Where no lane shares a row, a second run gives the same bits. */
static int repeats(weir_product_schedule schedule)
{
    return schedule == WEIR_PRODUCT_ROWS || schedule == WEIR_PRODUCT_THREAD;
}

static void check_run(weir_product *product, const weir_product_case *of, struct vectors *v)
{
    weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
    const size_t bytes = v->y_count * (of->matrix->kind == WEIR_VALUE_F64 ? 8 : 4);
    OK(weir_product_set_y(product, v->y));
    OK(weir_product_run(product, of->alpha, of->beta, &stats));
    OK(weir_product_get_y(product, v->result));
    OK(weir_product_check(of, v->result));
    assert_int_equal(stats.flops, 2 * of->matrix->nonzeros * (of->columns ? of->columns : 1));
    assert_true(stats.ms >= 0 && stats.kernel_ms >= 0);
    if (repeats(stats.schedule)) {
        void *again = malloc(bytes + 1);
        assert_non_null(again);
        OK(weir_product_set_y(product, v->y));
        OK(weir_product_run(product, of->alpha, of->beta, NULL));
        OK(weir_product_get_y(product, again));
        assert_memory_equal(again, v->result, bytes);
        free(again);
    }
}

/* With beta 0 what y was is not looked at, not even where it is no number. */
static void check_product(weir_context *context, const weir_matrix *matrix,
                          const weir_product_config *config)
{
    struct vectors v = vectors_for(matrix, config);
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    weir_product *product;
    OK(weir_product_create(context, matrix, config, &product));
    OK(weir_product_set_x(product, v.x));
    of.matrix = matrix;
    of.transpose = config->transpose;
    of.columns = config->columns;
    of.x = v.x;
    of.y = v.y;
    of.alpha = -1.5;
    of.beta = 0.25;
    check_run(product, &of, &v);
    of.alpha = 1;
    of.beta = 0;
    memset(v.y, 0xFF, v.y_count * sizeof(float)); /* NaN */
    check_run(product, &of, &v);
    weir_product_destroy(product);
    vectors_free(&v);
}

/* One device exchanges nothing, and refuses to do it meanwhile. */
static weir_product_overlap overlap_of(const weir_context *context, int off)
{
    return off                                       ? WEIR_OVERLAP_OFF
           : weir_context_device_count(context) == 1 ? WEIR_OVERLAP_AUTO
                                                     : WEIR_OVERLAP_ON;
}

/* One device has all of x, and refuses to cut it. */
static weir_product_vector vector_of(const weir_context *context, int whole)
{
    return whole                                     ? WEIR_VECTOR_WHOLE
           : weir_context_device_count(context) == 1 ? WEIR_VECTOR_AUTO
                                                     : WEIR_VECTOR_CUT;
}

static void every_shape_and_schedule(void **state)
{
    weir_context *context = context_or_skip(*state);
    int turn = 0;
    for (int i = 0; i < MATRICES; i++)
        for (int kind = SLOW ? i % 2 : 0; kind < (SLOW ? i % 2 + 1 : 2); kind++) {
            weir_matrix *matrix = matrix_of(matrices[i], kind ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
            for (int s = WEIR_PRODUCT_AUTO; s <= WEIR_PRODUCT_MERGE; s++) {
                if (turn++ % (SLOW ? test_stride() : STRIDE))
                    continue;
                weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
                config.schedule = (weir_product_schedule)s;
                config.overlap = overlap_of(context, s % 2);
                config.vector = vector_of(context, (i + s / 2) % 2);
                check_product(context, matrix, &config);
                config.transpose = 1;
                config.overlap = overlap_of(context, !(s % 2));
                config.vector = vector_of(context, (i + s / 2 + 1) % 2);
                check_product(context, matrix, &config);
            }
            weir_matrix_destroy(matrix);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void every_number_of_columns(void **state)
{
    static const uint32_t columns[] = {1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 130};
    weir_context *context = context_or_skip(*state);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (int i = (int)c % STRIDE; i < MATRICES; i += STRIDE) {
            weir_matrix *matrix =
                matrix_of(matrices[i], (c + (size_t)i) % 2 ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
            weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
            config.columns = columns[c];
            config.transpose = i % 2;
            config.vector = vector_of(context, (c + (size_t)i / 2) % 2);
            config.schedule = columns[c] == 7 ? (weir_product_schedule)(WEIR_PRODUCT_THREAD + i % 5)
                                              : WEIR_PRODUCT_AUTO;
            check_product(context, matrix, &config);
            weir_matrix_destroy(matrix);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static void fewer_devices_and_places(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_matrix *matrix = matrix_of("banded:1000,2", WEIR_VALUE_F32);
    for (uint32_t devices = 1; devices <= weir_context_device_count(context); devices++) {
        weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
        weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
        weir_product *product;
        uint64_t x_rows = 0, y_rows = 0;
        config.devices = devices;
        OK(weir_product_create(context, matrix, &config, &product));
        for (uint32_t d = 0; d < devices; d++) {
            weir_product_part part = WEIR_PRODUCT_PART_INIT;
            OK(weir_product_x(product, d, &part));
            assert_int_equal(part.first, x_rows);
            x_rows += part.rows;
            OK(weir_product_y(product, d, &part));
            assert_int_equal(part.first, y_rows);
            y_rows += part.rows;
        }
        assert_int_equal(x_rows, 1000);
        assert_int_equal(y_rows, 1000);
        weir_product_part part = WEIR_PRODUCT_PART_INIT;
        STATUS(weir_product_x(product, devices, &part), WEIR_ERR_INVALID);
        OK(weir_product_run(product, 1, 0, &stats));
        assert_int_equal(stats.devices, devices);
        /* A band of 2 wants two rows of x from each neighbour, and no more. */
        assert_int_equal(stats.bytes_exchanged, (devices - 1) * 2 * 2 * 4);
        weir_product_destroy(product);
    }
    weir_matrix_destroy(matrix);
    weir_context_destroy(context);
}

/* Bins and stretches with so many nonzeros that several blocks have parts of them: sums of a bin are then added to y by atomics. */
static void bins_are_cut(void **state)
{
    weir_context *context = context_or_skip(*state);
    for (int kind = 0; kind < 2; kind++) {
        weir_matrix *matrix =
            matrix_of("random:400x3000,600", kind ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
        weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
        config.schedule = WEIR_PRODUCT_BINS;
        check_product(context, matrix, &config);
        weir_matrix_destroy(matrix);
    }
    weir_context_destroy(context);
}

/* ---- in two dimensions ------------------------------------------------------------------------------- */

/* Every grid of as many devices as there are, also those of one row and of one column. */
static void every_grid(void **state)
{
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    int turn = 0;
    for (uint32_t rows = 1; rows <= devices; rows++)
        for (int i = 0; devices % rows == 0 && i < MATRICES; i++)
            for (int s = WEIR_PRODUCT_AUTO; s <= WEIR_PRODUCT_MERGE; s++) {
                if (turn++ % STRIDE)
                    continue;
                weir_matrix *matrix =
                    matrix_of(matrices[i], s % 2 ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
                weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
                config.grid_rows = rows;
                config.grid_columns = devices / rows;
                config.schedule = (weir_product_schedule)s;
                config.transpose = (i + s) % 2;
                config.overlap = overlap_of(context, (i + s) % 3 == 0);
                config.columns = s == WEIR_PRODUCT_ROWS ? 5 : 1;
                config.vector = vector_of(context, (i + s) / 2 % 2);
                check_product(context, matrix, &config);
                weir_matrix_destroy(matrix);
            }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* ---- x that is cut -------------------------------------------------------------------------------------- */

/* So wide that columns which rows name lie far from each other, and are packed: columns of all devices, and of x 16 columns. */
#define SCATTERED "random:400x100000,40"
enum { SCATTERED_COLUMNS = 16 };

/* Columns of other devices that a device's rows name, each once, from the matrix alone. */
static uint64_t named_by(const weir_product *product, const weir_matrix *matrix, uint32_t device)
{
    weir_product_part x = WEIR_PRODUCT_PART_INIT, y = WEIR_PRODUCT_PART_INIT;
    char *seen = calloc(matrix->columns + 1, 1);
    uint64_t count = 0;
    assert_non_null(seen);
    OK(weir_product_x(product, device, &x));
    OK(weir_product_y(product, device, &y));
    for (uint64_t i = matrix->offsets[y.first]; i < matrix->offsets[y.first + y.rows]; i++) {
        const uint32_t column = matrix->indices[i];
        if (column >= x.first && column < x.first + x.rows)
            continue;
        count += !seen[column];
        seen[column] = 1;
    }
    free(seen);
    return count;
}

/* y of one run, its bits; the caller's. */
static void *bits_of(weir_context *context, const weir_matrix *matrix,
                     const weir_product_config *config, const void *x, weir_product_stats *stats)
{
    weir_product *product;
    void *y = malloc(matrix->rows * (config->columns ? config->columns : 1) * sizeof(double) + 1);
    assert_non_null(y);
    OK(weir_product_create(context, matrix, config, &product));
    OK(weir_product_set_x(product, x));
    OK(weir_product_run(product, 1, 0, stats));
    OK(weir_product_get_y(product, y));
    if (stats->vector == WEIR_VECTOR_CUT && !strcmp(matrix->name, SCATTERED)) {
        uint64_t named = 0;
        for (uint32_t d = 0; d < weir_context_device_count(context); d++)
            named += named_by(product, matrix, d);
        assert_int_equal(stats->halo, named);
    }
    weir_product_destroy(product);
    return y;
}

/* Rows keep the order of their nonzeros, so whole and cut are the same bit by bit, and what is cut moves less. */
static void cut_is_whole_bit_by_bit(void **state)
{
    static const char *const texts[] = {SCATTERED, "banded:3000,5", "powerlaw:2000,20",
                                        "random:700x900,9"};
    weir_context *context = context_or_skip(*state);
    for (int i = 0; i < 4; i++)
        for (int off = 0; off < 2; off++) {
            weir_matrix *matrix = matrix_of(texts[i], off ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
            weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
            weir_product_stats stats[2] = {WEIR_PRODUCT_STATS_INIT, WEIR_PRODUCT_STATS_INIT};
            void *y[2];
            config.columns = i ? 1 : SCATTERED_COLUMNS;
            config.schedule = WEIR_PRODUCT_ROWS;
            config.overlap = overlap_of(context, off);
            void *x = drawn_values(matrix->kind, matrix->columns * config.columns, 5);
            const uint64_t bytes = (uint64_t)config.columns * (off ? 8 : 4);
            for (int cut = 0; cut < 2; cut++) {
                config.vector = vector_of(context, !cut);
                y[cut] = bits_of(context, matrix, &config, x, &stats[cut]);
                assert_int_equal(stats[cut].halo_bytes, stats[cut].halo * bytes);
                assert_int_equal(stats[cut].bytes_exchanged, stats[cut].halo_bytes);
            }
            assert_memory_equal(y[0], y[1], matrix->rows * bytes);
            assert_true(stats[1].halo <= stats[0].halo);
            if (weir_context_device_count(context) > 1 && !i)
                assert_true(stats[1].halo < stats[0].halo / 2);
            free(y[0]);
            free(y[1]);
            free(x);
            weir_matrix_destroy(matrix);
        }
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

static uint64_t bytes_used(weir_context *context)
{
    uint64_t used = 0;
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        OK(weir_device_pool_stats(weir_context_device(context, d), &stats));
        used += stats.used_bytes;
    }
    return used;
}

/* By itself x is cut where halos are small; then devices have no room for others' x. */
static void small_halos_are_taken(void **state)
{
    static const struct {
        const char *text;
        weir_product_vector taken;
    } cases[] = {{"banded:50000,2", WEIR_VECTOR_CUT}, {"random:3000x3000,20", WEIR_VECTOR_WHOLE}};
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    for (int i = 0; i < 2; i++) {
        weir_matrix *matrix = matrix_of(cases[i].text, WEIR_VALUE_F64);
        uint64_t used[3];
        for (int vector = WEIR_VECTOR_AUTO; vector <= WEIR_VECTOR_CUT - (devices == 1); vector++) {
            weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
            weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
            weir_product *product;
            config.vector = (weir_product_vector)vector;
            OK(weir_product_create(context, matrix, &config, &product));
            used[vector] = bytes_used(context);
            OK(weir_product_run(product, 1, 0, &stats));
            assert_int_equal(stats.vector, devices == 1 ? WEIR_VECTOR_WHOLE
                                           : vector     ? (weir_product_vector)vector
                                                        : cases[i].taken);
            weir_product_destroy(product);
        }
        if (!i && devices > 1) {
            assert_int_equal(used[WEIR_VECTOR_AUTO], used[WEIR_VECTOR_CUT]);
            assert_true(used[WEIR_VECTOR_CUT] + (devices - 1) * 400000 - 8192 * devices <
                        used[WEIR_VECTOR_WHOLE]);
        }
        weir_matrix_destroy(matrix);
    }
    weir_context_destroy(context);
}

/* Halos of four devices are three quarters of x and more together, so x is whole, unless pools have no room for it. */
static void what_has_no_room_is_cut(void **state)
{
    static const char *const pools[] = {"64MiB", "7MiB"};
    weir_matrix *matrix = NULL;
    for (int small = 0; small < 2; small++) {
        weir_context *context =
            context_with_pool(*state, pools[small]); /* or the test is skipped */
        matrix = matrix ? matrix : matrix_of("random:25000x400000,20", WEIR_VALUE_F32);
        weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
        weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
        weir_product *product;
        config.columns = 4;
        OK(weir_product_create(context, matrix, &config, &product));
        OK(weir_product_run(product, 1, 0, &stats));
        assert_int_equal(stats.vector, small ? WEIR_VECTOR_CUT : WEIR_VECTOR_WHOLE);
        weir_product_destroy(product);
        config.vector = WEIR_VECTOR_WHOLE;
        STATUS(weir_product_create(context, matrix, &config, &product),
               small ? WEIR_ERR_NOMEM : WEIR_OK);
        weir_product_destroy(product);
        weir_context_destroy(context);
    }
    weir_matrix_destroy(matrix);
}

/* ---- what goes by way of the host ------------------------------------------------------------------ */

/* GPUs without peer access; host devices always reach each other, so of them it is said that they do not. */
static void devices_that_do_not_reach_each_other(void **state)
{
    static const char *const settings[] = {"peer=off", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    weir_matrix *matrix = matrix_of("powerlaw:3000,30", WEIR_VALUE_F32);
    weir_matrix *scattered = matrix_of(SCATTERED, WEIR_VALUE_F32);
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    const uint32_t devices = weir_context_device_count(context);
    for (uint32_t i = 0; i < devices * devices; i++)
        if (i / devices != i % devices)
            weir__plan_part(context, i / devices, i % devices);
    assert_false(
        weir_device_reaches(weir_context_device(context, 0), weir_context_device(context, 1)));
    for (int overlap = WEIR_OVERLAP_ON; overlap <= WEIR_OVERLAP_OFF; overlap++)
        for (int s = WEIR_PRODUCT_ROWS; s <= WEIR_PRODUCT_THREAD; s++)
            for (uint32_t rows = 1; rows <= devices; rows += devices - 1) {
                config.overlap = (weir_product_overlap)overlap;
                config.schedule = (weir_product_schedule)s;
                config.grid_rows = rows;
                config.grid_columns = devices / rows;
                config.columns = 1;
                config.vector = s % 2 ? WEIR_VECTOR_WHOLE : WEIR_VECTOR_CUT;
                check_product(context, matrix, &config);
                if (s == WEIR_PRODUCT_BINS)
                    continue;
                config.columns = SCATTERED_COLUMNS;
                config.vector = WEIR_VECTOR_CUT;
                check_product(context, scattered, &config);
            }
    weir_matrix_destroy(scattered);
    weir_matrix_destroy(matrix);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* ---- making matrices ---------------------------------------------------------------------------------- */

static void entries_are_added(void **state)
{
    static const uint32_t row[] = {2, 0, 2, 1, 2, 0}, column[] = {1, 3, 1, 1, 0, 3};
    static const double values[] = {1, 2, 0.5, 0, -1, -2};
    weir_matrix *matrix, *turned;
    (void)state;
    OK(weir_matrix_from_entries(3, 4, 6, row, column, values, WEIR_VALUE_F64, &matrix));
    assert_int_equal(matrix->nonzeros, 4); /* what is 0, or adds up to 0, stays */
    assert_int_equal(matrix->added, 2);
    assert_memory_equal(matrix->offsets, ((uint64_t[]){0, 1, 2, 4}), 4 * sizeof(uint64_t));
    assert_memory_equal(matrix->indices, ((uint32_t[]){3, 1, 0, 1}), 4 * sizeof(uint32_t));
    assert_memory_equal(matrix->f64, ((double[]){0, 0, -1, 1.5}), 4 * sizeof(double));
    OK(weir_matrix_transposed(matrix, &turned));
    assert_int_equal(turned->rows, 4);
    assert_memory_equal(turned->offsets, ((uint64_t[]){0, 1, 3, 3, 4}), 5 * sizeof(uint64_t));
    assert_memory_equal(turned->indices, ((uint32_t[]){2, 1, 2, 0}), 4 * sizeof(uint32_t));
    assert_memory_equal(turned->f64, ((double[]){-1, 0, 1.5, 0}), 4 * sizeof(double));
    weir_matrix_destroy(turned);
    weir_matrix_destroy(matrix);
    STATUS(weir_matrix_from_entries(2, 4, 6, row, column, values, WEIR_VALUE_F64, &matrix),
           WEIR_ERR_INVALID);
    assert_detail_has("entry 0, row 2, column 1, lies outside of 2 x 4");
    STATUS(
        weir_matrix_from_entries(3, 4, 1, row, column, (double[]){1e300}, WEIR_VALUE_F32, &matrix),
        WEIR_ERR_INVALID);
    assert_detail_has("is not finite in 32 bits");
    STATUS(weir_matrix_from_entries(3, 4, 1, row, column, NULL, WEIR_VALUE_U32, &matrix),
           WEIR_ERR_INVALID);
}

static void arrays_are_wrapped(void **state)
{
    uint64_t offsets[] = {0, 2, 2, 3};
    uint32_t indices[] = {0, 4, 2};
    float values[] = {1, -2, 3};
    weir_matrix_arrays arrays = WEIR_MATRIX_ARRAYS_INIT;
    weir_matrix *matrix;
    weir_context *context = context_or_skip(*state);
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    arrays.rows = 3;
    arrays.columns = 5;
    arrays.nonzeros = 3;
    arrays.offsets = offsets;
    arrays.indices = indices;
    STATUS(weir_matrix_wrap(&arrays, &matrix), WEIR_ERR_INVALID);
    arrays.f32 = values;
    OK(weir_matrix_wrap(&arrays, &matrix));
    check_product(context, matrix, &config);
    weir_matrix_destroy(matrix);
    indices[1] = 5;
    STATUS(weir_matrix_wrap(&arrays, &matrix), WEIR_ERR_INVALID);
    assert_detail_has("row 0 has column 5 of 5");
    indices[1] = 0;
    STATUS(weir_matrix_wrap(&arrays, &matrix), WEIR_ERR_INVALID);
    assert_detail_has("does not ascend");
    indices[1] = 4;
    values[2] = NAN;
    STATUS(weir_matrix_wrap(&arrays, &matrix), WEIR_ERR_INVALID);
    values[2] = 3;
    offsets[1] = 4;
    STATUS(weir_matrix_wrap(&arrays, &matrix), WEIR_ERR_INVALID);
    weir_context_destroy(context);
}

/* What is wrong is told: each element of a result in turn. */
static void wrong_results_are_told(void **state)
{
    weir_matrix *matrix = matrix_of("random:20x30,4", WEIR_VALUE_F32);
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    double y[20], bound[20];
    float *x = drawn_values(WEIR_VALUE_F32, 30, 1), result[20];
    (void)state;
    of.matrix = matrix;
    of.x = x;
    OK(weir_product_reference(&of, y, bound));
    for (int i = 0; i < 20; i++)
        result[i] = (float)y[i];
    OK(weir_product_check(&of, result));
    OK(weir_product_compare(&of, y, bound, result));
    for (int i = 0; i < 20; i++) {
        const float right = result[i];
        assert_true(bound[i] > 0 && bound[i] < 1e-5);
        result[i] = right + 3e-5f;
        STATUS(weir_product_check(&of, result), WEIR_ERR_VERIFY);
        STATUS(weir_product_compare(&of, y, bound, result), WEIR_ERR_VERIFY);
        result[i] = NAN;
        STATUS(weir_product_check(&of, result), WEIR_ERR_VERIFY);
        result[i] = right;
    }
    STATUS(weir_product_compare(&of, y, NULL, result), WEIR_ERR_INVALID);
    of.x = NULL;
    STATUS(weir_product_check(&of, result), WEIR_ERR_INVALID);
    STATUS(weir_product_compare(&of, y, bound, result), WEIR_ERR_INVALID);
    free(x);
    weir_matrix_destroy(matrix);
}

static void what_cannot_be_is_refused(void **state)
{
    weir_context *context = context_or_skip(*state);
    weir_matrix *matrix = matrix_of("random:20x30,4", WEIR_VALUE_F32);
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    weir_product *product;
    config.schedule = WEIR_PRODUCT_BINS;
    config.columns = 2;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("bins is for one column");
    assert_null(product);
    config.schedule = (weir_product_schedule)99;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    config.schedule = WEIR_PRODUCT_AUTO;
    config.columns = 5000;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    config.columns = 1;
    config.devices = 65;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    config.devices = 0;
    config.grid_rows = 3;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    assert_detail("a grid of 3 x 0 devices, but the product has 2");
    config.grid_rows = 0;
    config.overlap = (weir_product_overlap)7;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    config.overlap = WEIR_OVERLAP_AUTO;
    config.vector = (weir_product_vector)9;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    assert_detail("9 is no way to keep x: auto, whole or cut");
    config.vector = WEIR_VECTOR_CUT;
    config.devices = 1;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_INVALID);
    assert_detail("vector cut: one device has all of x");
    MAKES_NONE(weir_product_create(NULL, matrix, NULL, &product), "context", product);
    MAKES_NONE(weir_product_create(context, NULL, NULL, &product), "matrix", product);
    STATUS(weir_product_run(NULL, 1, 0, NULL), WEIR_ERR_INVALID);
    weir_product_destroy(NULL);
    weir_matrix_destroy(NULL);
    weir_matrix_destroy(matrix);
    weir_context_destroy(context);
}

static void a_pool_that_is_too_small_is_told(void **state)
{
    weir_context *context = context_with_pool(*state, "1MiB");
    weir_matrix *matrix = matrix_of("banded:100000,2", WEIR_VALUE_F32);
    weir_product *product;
    STATUS(weir_product_create(context, matrix, NULL, &product), WEIR_ERR_NOMEM);
    assert_detail_has("has no room for its part of banded:100000,2");
    weir_matrix_destroy(matrix);
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
}

/* Columns of a warp's nonzeros that lie near to each other take two bytes, and others four; which of them do depends on nothing but the matrix and how
 * rows are cut. */
static void near_columns_are_told(void **state)
{
    static const struct {
        const char *text;
        uint32_t columns;
        int near; /* all, or none */
    } cases[] = {{"banded:9000,9", 1, 1},        {"banded:9000,9", 5, 1},
                 {"random:60x65536,700", 1, 1},  {"random:8x65536,9000", 1, 1},
                 {"random:60x900000,300", 1, 0}, {"random:60x900000,300", 3, 0}};
    weir_context *context = context_or_skip(*state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_matrix *matrix = matrix_of(cases[i].text, i % 2 ? WEIR_VALUE_F64 : WEIR_VALUE_F32);
        weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
        weir_product_stats stats = WEIR_PRODUCT_STATS_INIT;
        weir_product *product;
        config.schedule = WEIR_PRODUCT_ROWS;
        config.columns = cases[i].columns;
        config.vector =
            weir_context_device_count(context) == 1 ? WEIR_VECTOR_AUTO : WEIR_VECTOR_WHOLE;
        config.overlap = WEIR_OVERLAP_OFF;
        OK(weir_product_create(context, matrix, &config, &product));
        OK(weir_product_run(product, 1, 0, &stats));
        assert_int_equal(stats.near, cases[i].near ? matrix->nonzeros : 0);
        weir_product_destroy(product);
        weir_matrix_destroy(matrix);
    }
    weir_context_destroy(context);
}

/* Nonzeros are filled up to whole fours; what is filled in names a column too, of which nothing may come into a sum. */
static void what_fills_up_adds_nothing(void **state)
{
    static const char *const texts[] = {"random:40x600,253",    "random:40x600,254",
                                        "random:40x600,257",    "random:40x200000,253",
                                        "random:9x200000,1027", "random:300x200000,5"};
    weir_context *context = context_or_skip(*state);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        weir_matrix *matrix = matrix_of(texts[i], WEIR_VALUE_F32);
        weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
        float *x = calloc(matrix->columns, sizeof *x), *y = calloc(matrix->rows, sizeof *y);
        weir_product *product;
        assert_non_null(x);
        assert_non_null(y);
        config.schedule = WEIR_PRODUCT_ROWS;
        OK(weir_product_create(context, matrix, &config, &product));
        /* Every row by itself: infinity wherever it has no column. */
        for (uint64_t row = 0; row < matrix->rows; row += matrix->rows / 3) {
            for (uint64_t c = 0; c < matrix->columns; c++)
                x[c] = INFINITY;
            for (uint64_t n = matrix->offsets[row]; n < matrix->offsets[row + 1]; n++)
                x[matrix->indices[n]] = 1;
            OK(weir_product_set_x(product, x));
            OK(weir_product_run(product, 1, 0, NULL));
            OK(weir_product_get_y(product, y));
            assert_true(isfinite(y[row]));
        }
        weir_product_destroy(product);
        weir_matrix_destroy(matrix);
        free(x);
        free(y);
    }
    weir_context_destroy(context);
}

/* All tiles but those along the diagonal are empty, and an empty tile takes nothing. */
static void bins_of_a_band_fit(void **state)
{
    weir_matrix *matrix = matrix_of("banded:1500000,0", WEIR_VALUE_F32);
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    weir_product *product;
    config.schedule = WEIR_PRODUCT_BINS;
    weir_context *context = context_with_pool(*state, "36MiB");
    OK(weir_product_create(context, matrix, &config, &product));
    OK(weir_device_pool_stats(weir_context_device(context, 0), &stats));
    assert_true(stats.used_bytes > UINT64_C(29) << 20);
    weir_product_destroy(product);
    weir_context_destroy(context);
    context = context_with_pool(*state, "24MiB");
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_NOMEM);
    assert_detail_has("host:0 has no room for its part of banded:1500000,0, which is ");
    assert_no_memory_is_left(context);
    weir_context_destroy(context);
    weir_matrix_destroy(matrix);
}

/* The first column of the grid has all nonzeros, of which half would fit. */
static void what_one_cell_has_is_not_shared_out(void **state)
{
    enum { ROWS = 1000, COUNT = 1200000 };
    weir_context *context = context_with_pool(*state, "8MiB");
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    uint32_t *rows = malloc(COUNT * sizeof *rows), *columns = malloc(COUNT * sizeof *columns);
    weir_product *product;
    weir_matrix *matrix;
    assert_non_null(rows);
    assert_non_null(columns);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = i % ROWS;
        columns[i] = i / ROWS;
    }
    OK(weir_matrix_from_entries(ROWS, 4000, COUNT, rows, columns, NULL, WEIR_VALUE_F64, &matrix));
    config.grid_rows = 1;
    config.grid_columns = 2;
    STATUS(weir_product_create(context, matrix, &config, &product), WEIR_ERR_NOMEM);
    assert_detail_has("host:0 has no room for its part of ");
    assert_detail_has(", which is 11 MiB");
    assert_no_memory_is_left(context);
    weir_matrix_destroy(matrix);
    weir_context_destroy(context);
    free(rows);
    free(columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_SPEC(every_shape_and_schedule) ON_EACH_SPEC(every_number_of_columns) ON_EACH_SPEC(
            every_grid) ON_EACH_SPEC(bins_are_cut) ON_EACH_SPEC(cut_is_whole_bit_by_bit)
            ON_EACH_SPEC(near_columns_are_told) ON_EACH_SPEC(what_fills_up_adds_nothing)
                ON_EACH_SPEC(small_halos_are_taken) ON_EACH_SPEC(fewer_devices_and_places)
                    CC_TEST(devices_that_do_not_reach_each_other,
                            "host:3") CC_TEST(devices_that_do_not_reach_each_other,
                                              "cuda:0-1") ON_MIXED_DEVICES(every_number_of_columns)
                        CC_TEST(entries_are_added, "host:1") CC_TEST(arrays_are_wrapped, "host:2")
                            CC_TEST(wrong_results_are_told, "host:1")
                                CC_TEST(what_cannot_be_is_refused, "host:2")
                                    CC_TEST(a_pool_that_is_too_small_is_told, "host:1")
                                        CC_TEST(bins_of_a_band_fit, "host:1")
                                            CC_TEST(what_one_cell_has_is_not_shared_out, "host:2")
                                                CC_TEST(what_has_no_room_is_cut, "host:4")};
    return cmocka_run_group_tests_name("products", tests, NULL, NULL);
}
