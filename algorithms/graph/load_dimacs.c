/** @file load_dimacs.c  DIMACS shortest-path text: "p sp N M", then M lines "a U V W", from 1. */
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <string.h>

/* "a 1 1 1" and an end: no arc takes fewer bytes. */
#define ARC_BYTES_MIN 7

struct problem {
    int seen;
    uint64_t vertices, arcs;
};

/* Whether the first word is a single c, p or a. */
static int begins_line(const char *line)
{
    return strchr("cpa", line[0]) && (!line[1] || line[1] == ' ' || line[1] == '\t');
}

static weir_status take_problem(weir__reader *reader, const weir__arcs *arcs, const char *at,
                                struct problem *p)
{
    char word[WEIR__WORD_MAX];
    weir_status status;
    if (p->seen)
        return weir__line_fail(reader, "a second problem line");
    at = weir__skip(at);
    if (strncmp(at, "sp", 2) != 0 || !weir__ends_number(at[2]))
        return weir__line_fail(reader, "the problem is '%s'; only sp (shortest paths) is read",
                               weir__word(at, word));
    at += 2;
    if ((status = weir__take_whole(reader, &at, "number of vertices", 0, WEIR_VERTICES_MAX,
                                   &p->vertices)) ||
        (status = weir__take_whole(reader, &at, "number of arcs", 0, UINT64_MAX / 64, &p->arcs)) ||
        (status = weir__take_end(reader, at)))
        return status;
    uint64_t size = weir__reader_size(reader);
    if (p->arcs > size / ARC_BYTES_MIN)
        return weir__line_fail(reader, "promises %llu arcs but the file has only %llu bytes",
                               (unsigned long long)p->arcs, (unsigned long long)size);
    p->seen = 1;
    const weir__plain_form form = {.letter = 'a', .weighted = 1, .low = 1, .high = p->vertices};
    return p->vertices ? weir__reader_ahead(reader, &form, arcs->threads) : WEIR_OK;
}

static weir_status take_arc(weir__reader *reader, const char *at, const struct problem *p,
                            weir__arcs *arcs)
{
    uint64_t source, target;
    double weight;
    weir_status status;
    if (!p->seen)
        return weir__line_fail(reader, "an arc before the problem line (p sp N M)");
    if (weir__arcs_entries(arcs) == p->arcs)
        return weir__line_fail(reader, "promises %llu arcs but holds more",
                               (unsigned long long)p->arcs);
    if ((status = weir__take_whole(reader, &at, "vertex id", 1, p->vertices, &source)) ||
        (status = weir__take_whole(reader, &at, "vertex id", 1, p->vertices, &target)) ||
        (status = weir__take_real(reader, &at, &weight)) || (status = weir__take_end(reader, at)))
        return status;
    return weir__arcs_add_line(arcs, reader, (uint32_t)(source - 1), (uint32_t)(target - 1),
                               weight);
}

weir_status weir__load_dimacs(weir__reader *reader, weir__arcs *arcs)
{
    struct problem problem = {0};
    const char *line;
    char word[WEIR__WORD_MAX];
    weir_status status;
    arcs->weighted = 1;
    weir__reader_remarks(reader, 'c');
    while (!(status = weir__arcs_add_plain(arcs, reader, problem.arcs, NULL)) &&
           !(status = weir__reader_line(reader, &line))) {
        line = weir__skip(line);
        if (!*line)
            continue;
        if (!begins_line(line))
            return weir__line_fail(reader, "'%s' begins no DIMACS line (c, p or a)",
                                   weir__word(line, word));
        if (*line == 'c')
            continue;
        status = *line == 'p' ? take_problem(reader, arcs, line + 1, &problem)
                              : take_arc(reader, line + 1, &problem, arcs);
        if (status)
            return status;
    }
    if (status != WEIR_CLOSED)
        return status;
    if (!problem.seen)
        return weir__fail(WEIR_ERR_FORMAT, "%s: holds no problem line (p sp N M)",
                          weir__reader_path(reader));
    if (weir__arcs_entries(arcs) < problem.arcs)
        return weir__fail(WEIR_ERR_FORMAT, "%s: promises %llu arcs but holds %llu",
                          weir__reader_path(reader), (unsigned long long)problem.arcs,
                          (unsigned long long)weir__arcs_entries(arcs));
    arcs->vertices = problem.vertices;
    return WEIR_OK;
}
