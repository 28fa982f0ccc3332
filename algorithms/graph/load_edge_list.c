/** @file load_edge_list.c  Edge lists: two or three columns a line, ids as written.
 *
 * Lines that begin with '#' or '%' are comments (SNAP, KONECT). Columns are separated by blanks,
 * tabs, or one comma. The third column, on every line or on none, is the weight. */
#include "algorithms/graph/load.h"
#include "runtime/internal.h"

#include <string.h>

/* The highest id: one less than the most vertices a graph may have. */
#define ID_MAX (WEIR_VERTICES_MAX - 1)

static const char *separator(const char *at)
{
    at = weir__skip(at);
    return *at == ',' ? weir__skip(at + 1) : at;
}

static uint32_t columns_of(const char *at)
{
    uint32_t columns = 0;
    for (at = weir__skip(at); *at; at = separator(at)) {
        columns++;
        while (!weir__ends_number(*at))
            at++;
    }
    return columns;
}

static weir_status refuse_columns(const weir__reader *reader, const char *line, uint32_t expected)
{
    uint32_t columns = columns_of(line);
    const char *plural = columns == 1 ? "" : "s";
    if (columns < 2 || columns > 3)
        return weir__line_fail(reader,
                               "%u column%s; an edge list has 2 or 3 (METIS files are not read)",
                               columns, plural);
    if (columns == expected)
        return weir__line_fail(reader, "something is left over at the end of the line");
    return weir__line_fail(reader,
                           "%u column%s where the lines before have %u (METIS files are not read)",
                           columns, plural, expected);
}

/* One line that is no comment; `columns` is 0 before the first of them. */
static weir_status take_line(weir__reader *reader, weir__arcs *arcs, const char *line,
                             uint32_t *columns)
{
    const char *at = line;
    uint64_t source, target;
    double weight = 0;
    weir_status status;
    if ((status = weir__take_whole(reader, &at, "vertex id", 0, ID_MAX, &source)))
        return status;
    at = separator(at);
    if (!*at)
        return refuse_columns(reader, line, *columns);
    if ((status = weir__take_whole(reader, &at, "vertex id", 0, ID_MAX, &target)))
        return status;
    const char *third = separator(at);
    if (*columns == 0) {
        *columns = *third ? 3 : 2;
        arcs->weighted = *columns == 3;
    }
    if ((*third != '\0') != arcs->weighted || (!*third && *weir__skip(at)))
        return refuse_columns(reader, line, *columns);
    if (arcs->weighted) {
        if ((status = weir__take_real(reader, &third, &weight)))
            return status;
        if (*weir__skip(third))
            return refuse_columns(reader, line, *columns);
    }
    uint64_t larger = source > target ? source : target;
    if (larger >= arcs->vertices)
        arcs->vertices = larger + 1;
    return weir__arcs_add(arcs, (uint32_t)source, (uint32_t)target, weight);
}

/* SNAP's header says how many lines follow: "# Nodes: N Edges: M". 0 if this comment is none. */
static uint64_t promised_by(const char *comment)
{
    const char *at = strstr(comment, "Nodes:") ? strstr(comment, "Edges:") : NULL;
    uint64_t edges = 0;
    if (!at)
        return 0;
    for (at = weir__skip(at + strlen("Edges:")); *at >= '0' && *at <= '9'; at++) {
        if (edges > UINT64_MAX / 10 - 1)
            return UINT64_MAX;
        edges = edges * 10 + (uint64_t)(*at - '0');
    }
    return edges;
}

weir_status weir__load_edge_list(weir__reader *reader, weir__arcs *arcs)
{
    const char *line;
    uint32_t columns = 0;
    uint64_t promised = 0, lines = 0;
    weir_status status;
    while (!(status = weir__reader_line(reader, &line))) {
        line = weir__skip(line);
        if (*line == '#' && !promised)
            promised = promised_by(line);
        if (!*line || *line == '#' || *line == '%')
            continue;
        lines++;
        if ((status = take_line(reader, arcs, line, &columns)))
            return status;
    }
    if (status != WEIR_CLOSED)
        return status;
    if (columns == 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: holds no arcs", weir__reader_path(reader));
    if (lines < promised)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu edges but holds %llu",
                          weir__reader_path(reader), (unsigned long long)promised,
                          (unsigned long long)lines);
    return WEIR_OK;
}
