/** @file generate.c  Matrices that are made by rule: each row by itself, so that all cores make rows.
 *
 * A row says how many entries it has, and which column each of them has, ascending. Where columns are drawn, each entry has a stretch of its own
 * to be drawn from, so that none comes twice. */
#include "algorithms/graph/generate.h"
#include "algorithms/graph/random.h"
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <math.h>
#include <string.h>

#define ROWS_CHUNK (UINT64_C(1) << 10)

struct shape {
    uint64_t rows, columns;
    uint64_t size; /* the one parameter that a kind has: a width, a number of entries, a distance */
    uint64_t seed;
    uint64_t (*length)(const struct shape *, uint64_t row);
    uint64_t (*column)(const struct shape *, uint64_t row, uint64_t i, uint64_t length);
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- columns -------------------------------------------------------------------------------------- */

/* Entry i of `length` has its column in the i-th of as many equal stretches. */
static uint64_t spread_column(const struct shape *s, uint64_t row, uint64_t i, uint64_t length)
{
    const uint64_t begin = s->columns * i / length;
    const uint64_t end = s->columns * (i + 1) / length;
    return begin + weir__below(weir__random(s->seed, row << 32 ^ i), end - begin);
}

static uint64_t band_begin(const struct shape *s, uint64_t row)
{
    return row > s->size ? row - s->size : 0;
}

static uint64_t band_length(const struct shape *s, uint64_t row)
{
    return least(row + s->size + 1, s->columns) - band_begin(s, row);
}

static uint64_t band_column(const struct shape *s, uint64_t row, uint64_t i, uint64_t length)
{
    (void)length;
    return band_begin(s, row) + i;
}

/* The second block of a row of blocks; that of the diagonal where the draw says so, and then there is one. */
static uint64_t other_block(const struct shape *s, uint64_t block)
{
    const uint64_t blocks = (s->columns + s->size - 1) / s->size;
    return weir__below(weir__random(s->seed, block), blocks);
}

static uint64_t block_width(const struct shape *s, uint64_t block)
{
    return least((block + 1) * s->size, s->columns) - block * s->size;
}

static uint64_t block_length(const struct shape *s, uint64_t row)
{
    const uint64_t block = row / s->size, other = other_block(s, block);
    return block_width(s, block) + (other == block ? 0 : block_width(s, other));
}

static uint64_t block_column(const struct shape *s, uint64_t row, uint64_t i, uint64_t length)
{
    const uint64_t block = row / s->size, other = other_block(s, block);
    const uint64_t low = least(block, other), width = block_width(s, low);
    (void)length;
    return i < width ? low * s->size + i : (block + other - low) * s->size + i - width;
}

/* ---- lengths --------------------------------------------------------------------------------------- */

static uint64_t same_length(const struct shape *s, uint64_t row)
{
    (void)row;
    return least(s->size, s->columns);
}

/* Rows of more than l entries are (size / 2 l)^2 of all. */
static uint64_t power_length(const struct shape *s, uint64_t row)
{
    const double u = ((double)(weir__random(s->seed ^ WEIR__GOLDEN, row) >> 11) + 1) * 0x1p-53;
    const double length = (double)s->size / 2 / sqrt(u);
    return length < (double)s->columns ? (uint64_t)length : s->columns;
}

static uint64_t dense_length(const struct shape *s, uint64_t row)
{
    return row == s->rows / 2 ? s->columns : same_length(s, row);
}

static uint64_t empty_length(const struct shape *s, uint64_t row)
{
    return row % s->size ? 0 : least(8, s->columns);
}

/* ---- texts ------------------------------------------------------------------------------------------ */

#define NUMBER_MAX WEIR_VERTICES_MAX
static const struct {
    const char *name, *usage;
    uint64_t size; /* default of the second number; 0: it has to be given */
    uint64_t (*length)(const struct shape *, uint64_t);
    uint64_t (*column)(const struct shape *, uint64_t, uint64_t, uint64_t);
    int sides; /* ROWSxCOLUMNS */
} kinds[] = {
    {"banded:", "N,BAND[,SEED]", 0, band_length, band_column, 0},
    {"random:", "ROWSxCOLUMNS[,DEGREE[,SEED]]", 8, same_length, spread_column, 1},
    {"powerlaw:", "N[,DEGREE[,SEED]]", 16, power_length, spread_column, 0},
    {"blocks:", "N[,SIZE[,SEED]]", 32, block_length, block_column, 0},
    {"denserow:", "N[,DEGREE[,SEED]]", 4, dense_length, spread_column, 0},
    {"emptyrows:", "N[,EACH[,SEED]]", 16, empty_length, spread_column, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const char *text)
{
    for (int i = 0; i < KINDS; i++)
        if (strncmp(text, kinds[i].name, strlen(kinds[i].name)) == 0)
            return i;
    return -1;
}

int weir__matrix_generator_known(const char *text)
{
    return kind_of(text) >= 0;
}

static int comma(const char **at)
{
    return **at == ',' ? (++*at, 1) : 0;
}

static weir_status parse(const char *text, struct shape *shape)
{
    const int kind = kind_of(text);
    const char *at = text + strlen(kinds[kind].name);
    const uint64_t low = kinds[kind].column == band_column ? 0 : 1;
    int good = weir__take_parameter(&at, 0, NUMBER_MAX, &shape->rows);
    *shape = (struct shape){shape->rows, shape->rows,        kinds[kind].size,
                            1,           kinds[kind].length, kinds[kind].column};
    if (good && kinds[kind].sides)
        good = *at++ == 'x' && weir__take_parameter(&at, 0, NUMBER_MAX, &shape->columns);
    if (good && comma(&at)) {
        good = weir__take_parameter(&at, low, NUMBER_MAX, &shape->size) &&
               (!comma(&at) || weir__take_parameter(&at, 0, UINT64_MAX, &shape->seed));
    } else if (!kinds[kind].size) {
        good = 0;
    }
    if (good && !*at)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s: write %s%s, numbers up to %llu", text,
                      kinds[kind].name, kinds[kind].usage, (unsigned long long)NUMBER_MAX);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

struct making {
    const struct shape *shape;
    struct weir__matrix_made *made;
};

static void measure(void *user, uint64_t begin, uint64_t end)
{
    const struct making *m = user;
    for (uint64_t row = begin; row < end; row++)
        m->made->offsets[row + 1] = m->shape->length(m->shape, row);
}

/* 24 bits of a value, so that both kinds hold the same. */
static float value_of(const struct shape *s, uint64_t i)
{
    return (float)((int64_t)(weir__random(s->seed + 1, i) >> 39) - (INT64_C(1) << 24)) * 0x1p-24f;
}

static void fill(void *user, uint64_t begin, uint64_t end)
{
    const struct making *m = user;
    struct weir__matrix_made *made = m->made;
    for (uint64_t row = begin; row < end; row++) {
        const uint64_t first = made->offsets[row], length = made->offsets[row + 1] - first;
        for (uint64_t i = 0; i < length; i++) {
            made->indices[first + i] = (uint32_t)m->shape->column(m->shape, row, i, length);
            if (made->f64)
                made->f64[first + i] = value_of(m->shape, first + i);
            else
                made->f32[first + i] = value_of(m->shape, first + i);
        }
    }
}

static weir_status make(const struct shape *shape, const weir_matrix_options *options,
                        struct weir__matrix_made *made)
{
    struct making m = {shape, made};
    struct weir__need need = {0, 0};
    weir_status status = weir__activity_for("measuring rows", "rows", shape->rows, ROWS_CHUNK,
                                            options->threads, measure, &m);
    if (status)
        return status;
    for (uint64_t row = 0; row < shape->rows; row++)
        made->offsets[row + 1] += made->offsets[row];
    const uint64_t nonzeros = made->offsets[shape->rows];
    weir__need_take(&need, nonzeros, sizeof(uint32_t) + weir__value_bytes(options->kind));
    if ((status = weir__need_fits(&need, "%s: %llu nonzeros", made->matrix->name,
                                  (unsigned long long)nonzeros)) ||
        (status = weir__matrix_take(made, nonzeros)))
        return status;
    return weir__activity_for("making rows", "rows", shape->rows, ROWS_CHUNK, options->threads,
                              fill, &m);
}

weir_status weir__matrix_generate(const char *text, const weir_matrix_options *options,
                                  weir_matrix **matrix_out)
{
    struct shape shape = {0, 0, 0, 0, NULL, NULL};
    struct weir__matrix_made made;
    struct weir__need need = {0, 0};
    weir_status status = parse(text, &shape);
    if (status)
        return status;
    weir__need_take(&need, shape.rows + 1, sizeof(uint64_t));
    if ((status = weir__need_fits(&need, "%s", text)) ||
        (status = weir__matrix_begin(text, "generator", shape.rows, shape.columns, options->kind,
                                     &made)))
        return status;
    if ((status = make(&shape, options, &made))) {
        weir__matrix_drop(&made);
        return status;
    }
    *matrix_out = made.matrix;
    return WEIR_OK;
}
