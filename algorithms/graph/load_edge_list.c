/** @file load_edge_list.c  Edge lists: two or three columns a line, ids as written.
 *
 * Lines that begin with '#' or '%' are comments (SNAP, KONECT). Columns are separated by blanks,
 * tabs, or one comma. The third column, on every line or on none, is the weight. */
#include "algorithms/graph/load.h"
#include "algorithms/graph/metis_text.h"
#include "runtime/support.h"

#include <stdlib.h>
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

/* A file that is being read. */
struct list {
    uint32_t columns; /* 0 before the first line that is no comment */
    uint64_t lines, loops;
    double number[3]; /* of the line taken last; 0 in place of a weight */
    int promises;     /* a header said how many edges there are */
    uint64_t promised;
    int foreign; /* is no METIS text: has a comment or a comma that METIS does not have, or was said to be a list */
    int level; /* columns do not make it METIS text, which is known */
    int uneven; /* is METIS text: a line has another number of columns, and all are as METIS has them */
    weir__metis_text metis;
};

static weir_status refuse_columns(const weir__reader *reader, const char *line, struct list *list)
{
    uint32_t columns = columns_of(line), expected = list->columns;
    const char *plural = columns == 1 ? "" : "s";
    list->uneven = columns != expected && list->metis.possible && !list->foreign && !list->level &&
                   weir__metis_text_tells(&list->metis, line, weir__reader_size(reader));
    if (list->uneven)
        return WEIR_ERR_FORMAT; /* not for the user: the file is read again */
    if (!list->lines && (columns < 2 || columns > 3))
        return weir__line_fail(reader,
                               "%u column%s; an edge list has 2 or 3 (metis:PATH reads METIS text)",
                               columns, plural);
    if (columns == expected)
        return weir__line_fail(reader, "something is left over at the end of the line");
    return weir__line_fail(
        reader, "%u column%s where the lines before have %u (metis:PATH reads METIS text)", columns,
        plural, expected);
}

/* The line that was taken last may be one of METIS text. */
static void look_for_metis(const char *line, struct list *list)
{
    if (list->foreign || (list->lines > 1 && !list->metis.possible))
        return;
    if (strchr(line, ',')) {
        list->foreign = 1;
        return;
    }
    if (list->lines > 1)
        weir__metis_text_add(&list->metis, list->number);
    else
        weir__metis_text_begin(&list->metis, list->number, list->columns);
}

/* Lines that are plain need not be looked at one by one, once columns are known and none of them tells of METIS. */
static weir_status take_plain(weir__reader *reader, weir__arcs *arcs, struct list *list)
{
    const weir__plain_form form = {.commas = 1, .weighted = list->columns == 3, .high = ID_MAX};
    weir__plain sum = {0};
    weir_status status;
    if (!list->lines || (!list->foreign && list->metis.possible))
        return WEIR_OK;
    if ((status = weir__reader_ahead(reader, &form, arcs->threads)) ||
        (status = weir__arcs_add_plain(arcs, reader, UINT64_MAX, &sum)))
        return status;
    if (sum.count > 0 && sum.highest >= arcs->vertices)
        arcs->vertices = sum.highest + 1;
    list->lines += sum.count;
    list->loops += sum.loops;
    return WEIR_OK;
}

/* One line that is no comment. */
static weir_status take_line(weir__reader *reader, weir__arcs *arcs, const char *line,
                             struct list *list)
{
    const char *at = line;
    uint64_t source, target;
    double weight = 0;
    weir_status status;
    if ((status = weir__take_whole(reader, &at, "vertex id", 0, ID_MAX, &source)))
        return status;
    at = separator(at);
    if (!*at)
        return refuse_columns(reader, line, list);
    if ((status = weir__take_whole(reader, &at, "vertex id", 0, ID_MAX, &target)))
        return status;
    const char *third = separator(at);
    if (list->columns == 0) {
        list->columns = *third ? 3 : 2;
        arcs->weighted = list->columns == 3;
    }
    if ((*third != '\0') != arcs->weighted || (!*third && *weir__skip(at)))
        return refuse_columns(reader, line, list);
    if (arcs->weighted) {
        if ((status = weir__take_real(reader, &third, &weight)))
            return status;
        if (*weir__skip(third))
            return refuse_columns(reader, line, list);
    }
    uint64_t larger = source > target ? source : target;
    if (larger >= arcs->vertices)
        arcs->vertices = larger + 1;
    list->lines++;
    list->loops += source == target;
    list->number[0] = (double)source;
    list->number[1] = (double)target;
    list->number[2] = weight;
    return weir__arcs_add_line(arcs, reader, (uint32_t)source, (uint32_t)target, weight);
}

/* SNAP's header says how many edges follow: "# Nodes: N Edges: M". */
static void take_promise(const char *comment, struct list *list)
{
    const char *at = strstr(comment, "Nodes:") ? strstr(comment, "Edges:") : NULL;
    uint64_t edges = 0;
    if (!at || list->promises)
        return;
    const char *begin = at = weir__skip(at + strlen("Edges:"));
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(edges, 10, &edges) ||
            __builtin_add_overflow(edges, (uint64_t)(*at - '0'), &edges))
            edges = UINT64_MAX / 10; /* more than a file holds, whatever follows */
    list->promises = at > begin && (!*at || *at == ' ' || *at == '\t');
    list->promised = edges;
}

/* Self loops, which are dropped, need not be among the edges that are promised. */
static weir_status check_end(const weir__reader *reader, const struct list *list)
{
    const char *path = weir__reader_path(reader);
    if (list->columns == 0)
        return weir__fail(WEIR_ERR_FORMAT, "%s: holds no arcs", path);
    if (list->promises &&
        (list->lines < list->promised || list->lines - list->loops > list->promised))
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu edges but holds %llu", path,
                          (unsigned long long)list->promised,
                          (unsigned long long)(list->lines < list->promised
                                                   ? list->lines
                                                   : list->lines - list->loops));
    return WEIR_OK;
}

/* What nothing else was recognised in came here, whatever it is. */
static weir_status say_what_is_read(weir_status status)
{
    struct weir__sentence kept = weir__fail_keep();
    status = weir__fail(status,
                        "%s; files that do not begin as MatrixMarket, DIMACS, METIS, Galois or GAP "
                        "ones do are read as edge lists: two ids a line, or two and a weight",
                        kept.text ? kept.text : "");
    free(kept.text);
    return status;
}

weir_status weir__load_edge_list(weir__reader *reader, weir__arcs *arcs)
{
    const char *line;
    struct list list = {.foreign = arcs->format_given, .level = arcs->seen_all};
    weir_status status;
    while (!(status = take_plain(reader, arcs, &list)) &&
           !(status = weir__reader_line(reader, &line))) {
        line = weir__skip(line);
        if (*line == '#') {
            list.foreign = 1;
            take_promise(line, &list);
        } else if (!*line) {
            weir__metis_text_add(&list.metis, NULL);
        } else if (*line != '%') {
            status = take_line(reader, arcs, line, &list);
            if (list.uneven)
                break;
            if (status)
                return status == WEIR_ERR_FORMAT && !list.lines && !arcs->format_given
                           ? say_what_is_read(status)
                           : status;
            look_for_metis(line, &list);
        }
    }
    arcs->is_metis = list.uneven || (!list.foreign && weir__metis_text_found(&list.metis));
    if (arcs->is_metis)
        return WEIR_OK;
    return status == WEIR_CLOSED ? check_end(reader, &list) : status;
}
