/** @file load_matrix_market.c  MatrixMarket coordinate matrices: an entry (i, j) is an arc i to j.
 */
#include "algorithms/graph/load.h"
#include "algorithms/graph/matrix_market.h"
#include "runtime/support.h"

struct matrix {
    int weighted, integers, symmetric;
    uint64_t rows, entries;
};

/* What a matrix that the format has and a graph has not would need. */
static const char *why(const char *at)
{
    static const char *const word[] = {"array", "complex", "skew-symmetric", "hermitian", NULL},
                             *const reason[] = {", which has every entry and names no arcs",
                                                ", but a weight is one number",
                                                ", which gives an arc back the opposite weight",
                                                ", which is of complex numbers"};
    const int known = weir__banner_word(&at, word);
    return known < 0 ? "" : reason[known];
}

static weir_status take_banner(weir__reader *reader, struct matrix *matrix)
{
    static const char *const object[] = {"%%MatrixMarket", NULL},
                             *const matrices[] = {"matrix", NULL},
                             *const layout[] = {"coordinate", NULL},
                             *const field[] = {"pattern", "integer", "real", NULL},
                             *const symmetry[] = {"general", "symmetric", NULL};
    const char *at;
    char word[WEIR__WORD_MAX];
    int fields, symmetries;
    weir_status status = weir__reader_line(reader, &at);
    if (status)
        return status;
    if (weir__banner_word(&at, object) < 0 || weir__banner_word(&at, matrices) < 0)
        return weir__line_fail(reader, "the banner's '%s' is no matrix", weir__word(at, word));
    if (weir__banner_word(&at, layout) < 0)
        return weir__line_fail(reader, "the layout is '%s'%s; only coordinate is read",
                               weir__word(at, word), why(at));
    if ((fields = weir__banner_word(&at, field)) < 0)
        return weir__line_fail(reader, "the field is '%s'%s; pattern, integer and real are read",
                               weir__word(at, word), why(at));
    if ((symmetries = weir__banner_word(&at, symmetry)) < 0)
        return weir__line_fail(reader, "the symmetry is '%s'%s; general and symmetric are read",
                               weir__word(at, word), why(at));
    matrix->weighted = fields != 0;
    matrix->integers = fields == 1;
    matrix->symmetric = symmetries;
    return weir__take_end(reader, at);
}

static weir_status take_sizes(weir__reader *reader, struct matrix *matrix)
{
    const char *at;
    uint64_t columns, size = weir__reader_size(reader);
    weir_status status = weir__matrix_line(reader, &at);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_FORMAT, "%s: ends before the line of sizes",
                          weir__reader_path(reader));
    if (status ||
        (status = weir__take_whole(reader, &at, "number of rows", 0, WEIR_VERTICES_MAX,
                                   &matrix->rows)) ||
        (status =
             weir__take_whole(reader, &at, "number of columns", 0, WEIR_VERTICES_MAX, &columns)) ||
        (status = weir__take_whole(reader, &at, "number of entries", 0, UINT64_MAX / 64,
                                   &matrix->entries)) ||
        (status = weir__take_end(reader, at)))
        return status;
    if (matrix->rows != columns)
        return weir__line_fail(reader, "a matrix of %llu rows and %llu columns is no graph",
                               (unsigned long long)matrix->rows, (unsigned long long)columns);
    if (matrix->entries > size / WEIR__ENTRY_BYTES_MIN)
        return weir__line_fail(reader, "promises %llu entries but the file has only %llu bytes",
                               (unsigned long long)matrix->entries, (unsigned long long)size);
    return WEIR_OK;
}

static weir_status take_value(weir__reader *reader, const char **at, const struct matrix *matrix,
                              double *value_out)
{
    if (!matrix->weighted)
        return WEIR_OK;
    return matrix->integers ? weir__take_integer(reader, at, value_out)
                            : weir__take_real(reader, at, value_out);
}

static weir_status take_entry(weir__reader *reader, const char *at, const struct matrix *matrix,
                              weir__arcs *arcs)
{
    uint64_t row, column;
    double value = 0;
    weir_status status;
    if (weir__arcs_entries(arcs) == matrix->entries)
        return weir__line_fail(reader, "promises %llu entries but holds more",
                               (unsigned long long)matrix->entries);
    if ((status = weir__take_whole(reader, &at, "row", 1, matrix->rows, &row)) ||
        (status = weir__take_whole(reader, &at, "column", 1, matrix->rows, &column)) ||
        (status = take_value(reader, &at, matrix, &value)) || (status = weir__take_end(reader, at)))
        return status;
    return weir__arcs_add_line(arcs, reader, (uint32_t)(row - 1), (uint32_t)(column - 1), value);
}

weir_status weir__load_matrix_market(weir__reader *reader, weir__arcs *arcs)
{
    struct matrix matrix = {0};
    weir_status status;
    if ((status = take_banner(reader, &matrix)) || (status = take_sizes(reader, &matrix)))
        return status;
    const weir__plain_form form = {
        .weighted = matrix.weighted, .integers = matrix.integers, .low = 1, .high = matrix.rows};
    arcs->vertices = matrix.rows;
    arcs->weighted = matrix.weighted;
    arcs->mirror |= matrix.symmetric;
    arcs->ascends &= !matrix.symmetric;
    if (matrix.rows > 0 && (status = weir__reader_ahead(reader, &form, arcs->threads)))
        return status;
    do {
        status = weir__arcs_add_plain(arcs, reader, matrix.entries, NULL);
        const char *line;
        if (!status && !(status = weir__matrix_line(reader, &line)))
            status = take_entry(reader, line, &matrix, arcs);
    } while (!status);
    if (status != WEIR_CLOSED)
        return status;
    if (weir__arcs_entries(arcs) < matrix.entries)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu entries but holds %llu",
                          weir__reader_path(reader), (unsigned long long)matrix.entries,
                          (unsigned long long)weir__arcs_entries(arcs));
    return WEIR_OK;
}
