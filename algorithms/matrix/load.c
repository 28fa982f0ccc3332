/** @file load.c  MatrixMarket coordinate files as matrices. */
#include "algorithms/graph/format.h"
#include "algorithms/graph/matrix_market.h"
#include "algorithms/matrix/build.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

enum field { PATTERN, INTEGER, REAL };
enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct banner {
    enum field field;
    enum symmetry symmetry;
    uint64_t rows, columns, entries;
};

/* Entries as they come; the arrays grow with what is there, whatever a header promised. */
struct list {
    uint64_t count, room;
    uint32_t *row, *column;
    double *values; /* NULL where all are 1 */
    int valued;
};

/* ---- the head of the file ------------------------------------------------------------------- */

static weir_status take_banner(weir__reader *reader, struct banner *banner)
{
    static const char *const object[] = {"%%MatrixMarket", NULL},
                             *const matrices[] = {"matrix", NULL},
                             *const layout[] = {"coordinate", NULL},
                             *const field[] = {"pattern", "integer", "real", NULL},
                             *const symmetry[] = {"general", "symmetric", "skew-symmetric", NULL};
    const char *at;
    char word[WEIR__WORD_MAX];
    int found;
    weir_status status = weir__reader_line(reader, &at);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_FORMAT, "%s: the file is empty", weir__reader_path(reader));
    if (status)
        return status;
    if (weir__banner_word(&at, object) < 0 || weir__banner_word(&at, matrices) < 0)
        return weir__line_fail(reader, "the banner's '%s' is no matrix", weir__word(at, word));
    if (weir__banner_word(&at, layout) < 0)
        return weir__line_fail(reader, "the layout is '%s'; a sparse matrix is coordinate",
                               weir__word(at, word));
    if ((found = weir__banner_word(&at, field)) < 0)
        return weir__line_fail(reader, "the field is '%s'; pattern, integer and real are read",
                               weir__word(at, word));
    banner->field = (enum field)found;
    if ((found = weir__banner_word(&at, symmetry)) < 0)
        return weir__line_fail(
            reader, "the symmetry is '%s'; general, symmetric and skew-symmetric are read",
            weir__word(at, word));
    banner->symmetry = (enum symmetry)found;
    if (banner->symmetry == SKEW && banner->field == PATTERN)
        return weir__line_fail(reader, "a pattern has no signs, so it is not skew-symmetric");
    return weir__take_end(reader, at);
}

static weir_status take_sizes(weir__reader *reader, struct banner *banner)
{
    const uint64_t size = weir__reader_size(reader);
    const char *at;
    weir_status status = weir__matrix_line(reader, &at);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_FORMAT, "%s: ends before the line of sizes",
                          weir__reader_path(reader));
    if (status ||
        (status = weir__take_whole(reader, &at, "number of rows", 0, WEIR_VERTICES_MAX,
                                   &banner->rows)) ||
        (status = weir__take_whole(reader, &at, "number of columns", 0, WEIR_VERTICES_MAX,
                                   &banner->columns)) ||
        (status = weir__take_whole(reader, &at, "number of entries", 0, UINT64_MAX / 64,
                                   &banner->entries)) ||
        (status = weir__take_end(reader, at)))
        return status;
    if (banner->symmetry != GENERAL && banner->rows != banner->columns)
        return weir__line_fail(reader, "a matrix of %llu rows and %llu columns is not symmetric",
                               (unsigned long long)banner->rows,
                               (unsigned long long)banner->columns);
    if (banner->entries > size / WEIR__ENTRY_BYTES_MIN)
        return weir__line_fail(reader, "promises %llu entries but the file has only %llu bytes",
                               (unsigned long long)banner->entries, (unsigned long long)size);
    return WEIR_OK;
}

/* ---- entries ---------------------------------------------------------------------------------- */

static void list_free(struct list *list)
{
    free(list->row);
    free(list->column);
    free(list->values);
}

static weir_status resize(void *array, uint64_t count, size_t bytes)
{
    void *data;
    memcpy(&data, array, sizeof data);
    if (count > SIZE_MAX / bytes || !(data = realloc(data, count * bytes)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %llu entries", (unsigned long long)count);
    memcpy(array, &data, sizeof data);
    return WEIR_OK;
}

static weir_status make_room(struct list *list, uint64_t more)
{
    uint64_t room = list->room ? list->room : 4096;
    struct weir__need need = {0, 0};
    weir_status status;
    if (list->room - list->count >= more)
        return WEIR_OK;
    while (room - list->count < more)
        room *= 2;
    weir__need_take(&need, room - list->count,
                    2 * sizeof(uint32_t) + (list->valued ? sizeof(double) : 0));
    if ((status = weir__need_fits(&need, "%llu entries", (unsigned long long)room)) ||
        (status = resize(&list->row, room, sizeof *list->row)) ||
        (status = resize(&list->column, room, sizeof *list->column)) ||
        (list->valued && (status = resize(&list->values, room, sizeof *list->values))))
        return status;
    list->room = room;
    return WEIR_OK;
}

static void put(struct list *list, uint32_t row, uint32_t column, double value)
{
    list->row[list->count] = row;
    list->column[list->count] = column;
    if (list->valued)
        list->values[list->count] = value;
    list->count++;
}

/* An entry, and the one that its symmetry stands for; there is room. */
static void put_both(struct list *list, const struct banner *banner, uint32_t row, uint32_t column,
                     double value)
{
    put(list, row, column, value);
    if (banner->symmetry != GENERAL && row != column)
        put(list, column, row, banner->symmetry == SKEW ? -value : value);
}

/* What a symmetric file says of an entry is no more than its lower triangle may; the upper one is taken as well, as programs write it. A skew
 * diagonal is 0. */
static weir_status judge(const weir__reader *reader, const struct banner *banner, uint64_t row,
                         uint64_t column, double value)
{
    if (row >= banner->rows)
        return weir__line_fail(reader, "row %llu is not one of 1 to %llu",
                               (unsigned long long)row + 1, (unsigned long long)banner->rows);
    if (column >= banner->columns)
        return weir__line_fail(reader, "column %llu is not one of 1 to %llu",
                               (unsigned long long)column + 1, (unsigned long long)banner->columns);
    if (banner->symmetry == SKEW && row == column && value != 0)
        return weir__line_fail(reader, "a skew-symmetric matrix has no diagonal, but this is %g",
                               value);
    return WEIR_OK;
}

/* Lines that are nothing but numbers, many at a time. In such a block the reader's line is its last one: an entry that cannot be says its own
 * place by counting back. */
static weir_status take_plain(weir__reader *reader, const struct banner *banner, uint64_t taken,
                              struct list *list, uint64_t *taken_out)
{
    weir__plain *plain;
    weir_status status = weir__reader_plain(reader, banner->entries - taken, &plain);
    *taken_out = taken;
    if (status || !plain)
        return status;
    if ((status = make_room(list, 2 * plain->count)))
        return status;
    for (uint64_t i = 0; i < plain->count && !status; i++) {
        const uint32_t row = plain->sources[i], column = plain->targets[i];
        const double value = banner->field == PATTERN ? 1 : weir__plain_weight(plain, i);
        if (row >= banner->rows || column >= banner->columns ||
            (banner->symmetry == SKEW && row == column && value != 0))
            return weir__fail(
                WEIR_ERR_FORMAT,
                "%s: line %llu: row %u, column %u cannot be in a %smatrix of %llu x %llu",
                weir__reader_path(reader),
                (unsigned long long)(weir__reader_number(reader) - plain->lines + 1 + i), row + 1,
                column + 1, banner->symmetry == SKEW ? "skew-symmetric " : "",
                (unsigned long long)banner->rows, (unsigned long long)banner->columns);
        put_both(list, banner, row, column, value);
    }
    *taken_out = taken + plain->count;
    return WEIR_OK;
}

static weir_status take_line(weir__reader *reader, const struct banner *banner, const char *at,
                             struct list *list)
{
    uint64_t row, column;
    double value = 1;
    weir_status status;
    if ((status = weir__take_whole(reader, &at, "row", 1, WEIR_VERTICES_MAX, &row)) ||
        (status = weir__take_whole(reader, &at, "column", 1, WEIR_VERTICES_MAX, &column)))
        return status;
    if (banner->field != PATTERN &&
        (status = banner->field == INTEGER ? weir__take_integer(reader, &at, &value)
                                           : weir__take_real(reader, &at, &value)))
        return status;
    if ((status = weir__take_end(reader, at)) ||
        (status = judge(reader, banner, row - 1, column - 1, value)) ||
        (status = make_room(list, 2)))
        return status;
    put_both(list, banner, (uint32_t)row - 1, (uint32_t)column - 1, value);
    return WEIR_OK;
}

static weir_status take_entries(weir__reader *reader, const struct banner *banner,
                                struct list *list, uint32_t threads)
{
    const uint64_t high = banner->rows > banner->columns ? banner->rows : banner->columns;
    const weir__plain_form form = {.weighted = banner->field != PATTERN,
                                   .integers = banner->field == INTEGER,
                                   .low = 1,
                                   .high = high};
    uint64_t taken = 0, before;
    const char *line;
    weir_status status = high ? weir__reader_ahead(reader, &form, threads) : WEIR_OK;
    while (!status) {
        do {
            before = taken;
            status = high ? take_plain(reader, banner, taken, list, &taken) : WEIR_OK;
        } while (!status && taken > before);
        if (status || (status = weir__matrix_line(reader, &line)))
            break;
        if (taken == banner->entries)
            return weir__line_fail(reader, "promises %llu entries but holds more",
                                   (unsigned long long)banner->entries);
        status = take_line(reader, banner, line, list);
        taken++;
    }
    if (status != WEIR_CLOSED)
        return status;
    if (taken < banner->entries)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu entries but holds %llu",
                          weir__reader_path(reader), (unsigned long long)banner->entries,
                          (unsigned long long)taken);
    return WEIR_OK;
}

/* ---- a file ------------------------------------------------------------------------------------- */

weir_status weir__matrix_load(const char *path, const char *name,
                              const weir_matrix_options *options, weir_matrix **matrix_out)
{
    struct banner banner = {REAL, GENERAL, 0, 0, 0};
    struct list list = {0, 0, NULL, NULL, NULL, 0};
    weir__reader *reader = NULL;
    weir_status status = weir__reader_open(path, &reader);
    if (!status)
        weir__reader_call(reader, "value");
    if (!status && !(status = weir__reader_skip_mark(reader)) &&
        !(status = take_banner(reader, &banner)) && !(status = take_sizes(reader, &banner))) {
        list.valued = banner.field != PATTERN || banner.symmetry == SKEW;
        status = take_entries(reader, &banner, &list, options->threads);
    }
    weir__reader_close(reader);
    const struct weir__entries entries = {banner.rows, banner.columns, list.count,
                                          list.row,    list.column,    list.values};
    if (!status)
        status = weir__matrix_build(&entries, name, "MatrixMarket", options->kind, matrix_out);
    if (status == WEIR_ERR_INVALID ||
        status == WEIR_ERR_NOMEM) /* what is said of entries names no file */
        status = weir__fail(status == WEIR_ERR_INVALID ? WEIR_ERR_FORMAT : status, "%s: %s", path,
                            weir_error_detail());
    list_free(&list);
    return status;
}

weir_status weir__matrix_told(const char *path, int *told_out)
{
    static const char mark[] = "%%MatrixMarket";
    weir__reader *reader;
    const char *data;
    size_t have;
    weir_status status = weir__reader_open(path, &reader);
    *told_out = 0;
    if (status)
        return weir__reader_names(status, path);
    if (!weir__reader_may_rewind(reader)) /* what is read here is gone for who reads it then */
        status = weir__fail(WEIR_ERR_FORMAT,
                            "%s cannot be read twice: say mtx:%s, or a format of graphs before it",
                            path, path);
    else if (!(status = weir__reader_skip_mark(reader)) &&
             !(status = weir__reader_peek(reader, sizeof mark - 1, &data, &have)))
        *told_out = have == sizeof mark - 1 && strncasecmp(data, mark, have) == 0;
    weir__reader_close(reader);
    return weir__reader_names(status, path);
}
