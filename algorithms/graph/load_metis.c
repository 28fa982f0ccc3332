/** @file load_metis.c  METIS text: "N M [FORM [NCON]]", then a line for each vertex with its neighbours, from 1.
 *
 * A line has the size of the vertex and its weights where FORM says so, which are read and passed over, then the
 * neighbours, each with the weight of the edge where FORM says so. Lines that begin with '%' are comments; a blank line is
 * a vertex without neighbours. Each edge stands in both lines and is counted once. */
#include "algorithms/graph/arcs.h"
#include "algorithms/graph/load.h"
#include "algorithms/graph/metis_text.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ROW 32u

struct metis {
    weir__metis_header header;
    uint64_t rows, balance;
    uint32_t *sorted; /* neighbours of a row, to find those that come twice */
    uint64_t room;
};

/* The first line that is no comment; more than one part is not expected of it. @param[in] blanks  are passed over. */
static weir_status next_line(weir__reader *reader, int blanks, const char **line_out, int *more_out)
{
    weir_status status;
    while (!(status = weir__reader_part(reader, line_out, more_out))) {
        const char *rest;
        *line_out = weir__skip(*line_out);
        while (!**line_out && *more_out) { /* blanks alone fill a part */
            if ((status = weir__reader_part(reader, line_out, more_out)))
                return status;
            *line_out = weir__skip(*line_out);
        }
        if (**line_out != '%') {
            if (**line_out || !blanks)
                return WEIR_OK;
            continue;
        }
        while (*more_out && !status)
            status = weir__reader_part(reader, &rest, more_out);
        if (status)
            return status;
    }
    return status;
}

static weir_status take_form(weir__reader *reader, const char **at, weir__metis_header *header)
{
    uint64_t form, weights = 1;
    weir_status status;
    const char *begin = weir__skip(*at);
    char word[WEIR__WORD_MAX];
    if ((status = weir__take_whole(reader, at, "form", 0, UINT64_MAX, &form)))
        return status;
    const int counted = *weir__skip(*at) != '\0';
    if (counted &&
        (status = weir__take_whole(reader, at, "number of weights", 0, UINT32_MAX, &weights)))
        return status;
    if (!weights)
        weights = 1;
    if (!weir__metis_form(form, weights, header))
        return weir__line_fail(
            reader,
            "the form '%s' with %llu weights is none: three digits of 0 or 1 say "
            "whether there are sizes and weights of vertices and weights of edges",
            weir__word(begin, word), (unsigned long long)weights);
    if (weights > 1 && form / 10 % 10 == 0)
        return weir__line_fail(
            reader, "%llu weights for each vertex, but the form '%s' says there are none",
            (unsigned long long)weights, weir__word(begin, word));
    return WEIR_OK;
}

static weir_status take_header(weir__reader *reader, weir__metis_header *header)
{
    const char *at;
    int more;
    weir_status status = next_line(reader, 1, &at, &more);
    const uint64_t size = weir__reader_size(reader);
    if (status == WEIR_CLOSED)
        return weir__fail(WEIR_ERR_FORMAT, "%s: ends before METIS's header (N M [FORM [NCON]])",
                          weir__reader_path(reader));
    header->step = 1;
    if (status ||
        (status = weir__take_whole(reader, &at, "number of vertices", 0, WEIR_VERTICES_MAX,
                                   &header->vertices)) ||
        (status = weir__take_whole(reader, &at, "number of edges", 0, UINT64_MAX / 64,
                                   &header->edges)) ||
        (*weir__skip(at) && (status = take_form(reader, &at, header))) ||
        (status = weir__take_end(reader, at)))
        return status;
    if (more)
        return weir__line_fail(reader, "METIS's header is longer than %u bytes", WEIR__LINE_MAX);
    if (!weir__metis_fits(header, size))
        return weir__line_fail(
            reader, "promises %llu vertices and %llu edges but the file has only %llu bytes",
            (unsigned long long)header->vertices, (unsigned long long)header->edges,
            (unsigned long long)size);
    return WEIR_OK;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static weir_status refuse_twice(const weir__reader *reader, uint32_t neighbour)
{
    return weir__line_fail(reader, "vertex %llu is named twice", (unsigned long long)neighbour + 1);
}

/* No neighbour may come twice: short rows are looked through, long ones sorted, unless they ascend. */
static weir_status check_row(const weir__reader *reader, struct metis *metis, const uint32_t *row,
                             uint64_t count)
{
    uint64_t i = 1;
    while (i < count && row[i - 1] < row[i])
        i++;
    if (i >= count)
        return WEIR_OK;
    if (count <= SHORT_ROW) {
        for (; i < count; i++)
            for (uint64_t j = 0; j < i; j++)
                if (row[j] == row[i])
                    return refuse_twice(reader, row[i]);
        return WEIR_OK;
    }
    if (count > metis->room) {
        free(metis->sorted);
        metis->room = 0;
        weir_status status =
            weir__alloc(2 * count, sizeof *metis->sorted, "row of a graph", &metis->sorted);
        if (status)
            return status;
        metis->room = 2 * count;
    }
    memcpy(metis->sorted, row, count * sizeof *row);
    qsort(metis->sorted, count, sizeof *row, compare);
    for (i = 1; i < count; i++)
        if (metis->sorted[i - 1] == metis->sorted[i])
            return refuse_twice(reader, metis->sorted[i]);
    return WEIR_OK;
}

/* The next number of a line, from whichever part. @param[out] text_out  NULL: the line has no more. */
static weir_status next_number(weir__reader *reader, const char **at, int *more,
                               const char **text_out)
{
    weir_status status;
    *text_out = NULL;
    while (!*(*at = weir__skip(*at))) {
        if (!*more)
            return WEIR_OK;
        if ((status = weir__reader_part(reader, at, more)))
            return status;
    }
    *text_out = *at;
    return WEIR_OK;
}

static weir_status take_number(weir__reader *reader, const char **at, int *more, const char *what,
                               uint64_t low, uint64_t high, uint64_t *value_out)
{
    const char *text;
    weir_status status = next_number(reader, at, more, &text);
    return status ? status : weir__take_whole(reader, at, what, low, high, value_out);
}

static weir_status take_row(weir__reader *reader, const char *at, int more, struct metis *metis,
                            weir__arcs *arcs)
{
    const weir__metis_header *header = &metis->header;
    const uint64_t vertex = ++metis->rows, first = arcs->count;
    uint64_t neighbour, weight = 0;
    weir_status status;
    for (uint32_t i = 0; i < header->first; i++)
        if ((status = take_number(reader, &at, &more, "size or weight of the vertex", 0, UINT64_MAX,
                                  &weight)))
            return status;
    for (weight = 0;;) {
        const char *text;
        if ((status = next_number(reader, &at, &more, &text)))
            return status;
        if (!text)
            return arcs->count > first
                       ? check_row(reader, metis, arcs->targets + first, arcs->count - first)
                       : WEIR_OK;
        if ((status =
                 weir__take_whole(reader, &at, "neighbour", 1, header->vertices, &neighbour)) ||
            (header->step == 2 && (status = take_number(reader, &at, &more, "weight of the edge", 0,
                                                        WEIR__METIS_WEIGHT_MAX, &weight))))
            return status;
        if (neighbour == vertex)
            return weir__line_fail(reader, "vertex %llu is its own neighbour",
                                   (unsigned long long)vertex);
        metis->balance += weir__metis_balance(vertex, neighbour, weight);
        if ((status = weir__arcs_add(arcs, (uint32_t)(vertex - 1), (uint32_t)(neighbour - 1),
                                     (double)weight)))
            return status;
    }
}

static double weight_of(const weir_graph *graph, uint64_t arc)
{
    return graph->weights_u32   ? graph->weights_u32[arc]
           : graph->weights_f64 ? graph->weights_f64[arc]
                                : 0;
}

/* Which arc has no reverse is looked for once it is known that one has none. */
static weir_status refuse_one_way(const weir__reader *reader, weir__arcs *arcs)
{
    const char *path = weir__reader_path(reader);
    weir_graph *graph;
    weir_status status = weir__arcs_spread(arcs);
    if (status)
        return status;
    weir__arcs list = *arcs;
    list.borrowed = 1;
    status = weir__build(&list, 0, &graph);
    for (uint64_t i = 0; i < arcs->count && !status; i++) {
        const uint32_t v = arcs->sources[i] + 1, t = arcs->targets[i] + 1;
        const uint64_t back = weir__arc_find(graph, t - 1, v - 1);
        const double weight = arcs->weighted ? arcs->weights[i] : 0;
        if (back == UINT64_MAX)
            status = weir__fail(WEIR_ERR_FORMAT,
                                "%s: vertex %u names %u as its neighbour, but %u does not name %u",
                                path, v, t, t, v);
        else if (weight != weight_of(graph, back))
            status = weir__fail(WEIR_ERR_FORMAT,
                                "%s: the edge of vertices %u and %u weighs %.17g in one line and "
                                "%.17g in the other",
                                path, v, t, weight, weight_of(graph, back));
    }
    weir_graph_destroy(graph);
    return status;
}

static weir_status check_end(const weir__reader *reader, const struct metis *metis,
                             weir__arcs *arcs)
{
    const weir__metis_header *header = &metis->header;
    const char *path = weir__reader_path(reader);
    if (metis->rows < header->vertices)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu vertices but has lines for %llu",
                          path, (unsigned long long)header->vertices,
                          (unsigned long long)metis->rows);
    if (metis->balance != 0)
        return refuse_one_way(reader, arcs);
    if (arcs->count != 2 * header->edges)
        return weir__fail(
            WEIR_ERR_FORMAT,
            "%s: promises %llu edges but holds %llu, each in the lines of both of its "
            "vertices",
            path, (unsigned long long)header->edges, (unsigned long long)arcs->count / 2);
    return WEIR_OK;
}

/* Rows that are plain, and comments between them, by all cores; none of them is wrong. */
static weir_status take_plain(weir__reader *reader, struct metis *metis, weir__arcs *arcs)
{
    const weir__plain_form form = {.rows = 1,
                                   .first = metis->header.first,
                                   .weighted = metis->header.step == 2,
                                   .high = metis->header.vertices};
    weir__plain sum = {0};
    weir_status status = weir__reader_ahead(reader, &form, arcs->threads);
    if (!status)
        status = weir__arcs_add_plain(arcs, reader, UINT64_MAX, &sum);
    metis->rows += sum.rows;
    metis->balance += sum.balance;
    return status;
}

/* All rows, and blank lines behind them. */
static weir_status take_rows(weir__reader *reader, struct metis *metis, weir__arcs *arcs)
{
    const char *line;
    int more;
    weir_status status;
    while (!(status = take_plain(reader, metis, arcs)) &&
           !(status = next_line(reader, metis->rows == arcs->vertices, &line, &more))) {
        if (metis->rows == arcs->vertices)
            return weir__line_fail(reader, "promises %llu vertices but has a line for one more",
                                   (unsigned long long)arcs->vertices);
        if ((status = take_row(reader, line, more, metis, arcs)))
            return status;
    }
    return status == WEIR_CLOSED ? check_end(reader, metis, arcs) : status;
}

weir_status weir__load_metis(weir__reader *reader, weir__arcs *arcs)
{
    struct metis metis = {0};
    weir_status status = take_header(reader, &metis.header);
    arcs->vertices = metis.header.vertices;
    arcs->weighted = metis.header.step == 2;
    if (!status)
        status = take_rows(reader, &metis, arcs);
    free(metis.sorted);
    return status;
}
