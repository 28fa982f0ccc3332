/** @file metis_text.c  Whether a text is one of METIS. */
#include "algorithms/graph/metis_text.h"
#include "algorithms/graph/random.h"

#include <string.h>
#include <strings.h>

#define VERTICES_MIN    3
#define CONSTRAINTS_MAX (1u << 20)

int weir__metis_form(uint64_t form, uint64_t weights, weir__metis_header *header_out)
{
    if (form > 111 || form % 10 > 1 || form / 10 % 10 > 1 || weights > CONSTRAINTS_MAX)
        return 0;
    header_out->first = (uint32_t)(form / 100 + (form / 10 % 10 ? weights : 0));
    header_out->step = 1 + (uint32_t)(form % 10);
    return 1;
}

uint64_t weir__metis_balance(uint64_t from, uint64_t to, uint64_t weight)
{
    return weir__random(weir__random(from, to), weight) -
           weir__random(weir__random(to, from), weight);
}

void weir__metis_text_begin(weir__metis_text *text, uint64_t line, const double *number,
                            uint32_t columns)
{
    const double form = columns == 3 ? number[2] : 0;
    const uint64_t whole = form >= 0 && form <= 111 ? (uint64_t)form : 2;
    weir__metis_header *header = &text->header;
    text->line = line;
    text->columns = columns;
    header->vertices = (uint64_t)number[0];
    header->edges = (uint64_t)number[1];
    text->possible = header->vertices >= VERTICES_MIN && (double)whole == form &&
                     weir__metis_form(whole, 1, header) && header->first < columns &&
                     (columns - header->first) % header->step == 0;
}

void weir__metis_text_add(weir__metis_text *text, const double *number)
{
    const weir__metis_header *header = &text->header;
    if (!text->possible)
        return;
    text->rows++;
    if (!number)
        return;
    text->possible = text->rows <= header->vertices;
    for (uint32_t i = header->first; i < text->columns && text->possible; i += header->step) {
        double weight = header->step == 2 ? number[i + 1] : 0;
        text->possible = number[i] >= 1 && number[i] <= (double)header->vertices &&
                         number[i] == (double)(uint64_t)number[i] &&
                         number[i] != (double)text->rows && weight >= 0 && weight <= UINT32_MAX;
        for (uint32_t j = header->first; j < i; j += header->step)
            text->possible &= number[j] != number[i];
        if (!text->possible)
            return;
        text->balance += weir__metis_balance(text->rows, (uint64_t)number[i], (uint64_t)weight);
        text->neighbours++;
    }
}

int weir__metis_text_found(const weir__metis_text *text)
{
    return text->possible && text->rows >= text->header.vertices && text->neighbours > 0 &&
           text->balance == 0;
}

/* ---- the beginning of a text -------------------------------------------------------------- */

#define NUMBERS_MOST 4 /* that are kept of a line */

struct line {
    const char *at, *end;
    int whole; /* its end was seen */
    uint32_t count;
    double number[NUMBERS_MOST];
};

static const char *skip(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* Take the next line. @param[in] ended  the text ends with the bytes. @return 0: there is none. */
static int next_line(const char **at, const char *end, int ended, struct line *line)
{
    if (*at == end)
        return 0;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *line = (struct line){.at = skip(*at, stop ? stop : end),
                          .end = stop ? stop : end,
                          .whole = stop != NULL || ended};
    *at = stop ? stop + 1 : end;
    return 1;
}

/* Numbers of a line, -1 for one that is not whole; the last one of a line that is cut may be cut too, and does not
 * count. @return 0: it has anything else. */
static int take_numbers(struct line *line)
{
    for (const char *at = line->at; at < line->end; at = skip(at, line->end)) {
        double value = 0;
        for (; at < line->end && skip(at, at + 1) == at; at++) {
            if (!*at || !strchr("0123456789+-.eE", *at))
                return 0;
            value = *at < '0' || *at > '9' || value < 0 ? -1 : value * 10 + (*at - '0');
        }
        if (at == line->end && !line->whole)
            return 1;
        if (line->count < NUMBERS_MOST)
            line->number[line->count] = value;
        line->count++;
    }
    return 1;
}

static int names_metis(const struct line *line)
{
    const char *word = skip(line->at + 1, line->end);
    return line->end - word >= 5 && strncasecmp(word, "METIS", 5) == 0 &&
           (word + 5 == line->end || (word[5] && strchr(" \t\r:,.", word[5])));
}

/* A header that METIS could have; an edge list could where it has 2 or 3 numbers. */
static int is_header(const struct line *line)
{
    weir__metis_header header;
    return line->count >= 2 && line->count <= NUMBERS_MOST && line->whole && line->number[0] >= 1 &&
           line->number[0] <= UINT32_MAX && line->number[1] >= 0 && line->number[1] < 1e18 &&
           (line->count < 3 || (line->number[2] >= 0 && line->number[2] <= 111 &&
                                weir__metis_form((uint64_t)line->number[2], 1, &header)));
}

int weir__metis_text_begins(const char *data, size_t have, int ended)
{
    const char *at = data, *end = data + have;
    weir__metis_text text = {0};
    struct line line;
    uint32_t columns = 0;
    double rows = 0, most = 0;
    while (next_line(&at, end, ended, &line)) {
        if (line.at < line.end && *line.at == '%') {
            if (!columns && names_metis(&line))
                return 1;
            continue;
        }
        if (!take_numbers(&line))
            return 0;
        if (!columns) {
            if (line.at == line.end)
                continue;
            if (!is_header(&line))
                return 0;
            columns = line.count;
            most = line.number[0];
            if (columns == NUMBERS_MOST)
                return 1;
            /* A graph of two vertices has a row that tells, too: only what is equal all over cannot. */
            weir__metis_text_begin(&text, 0, line.number, columns);
        } else if (line.at == line.end) {
            rows++;
            weir__metis_text_add(&text, NULL);
        } else if (line.count != columns) {
            return (line.whole || line.count > columns) && ++rows <= most;
        } else if (!line.whole) {
            return 0;
        } else {
            rows++;
            weir__metis_text_add(&text, line.number);
            if (!text.possible)
                return 0;
        }
    }
    return 0;
}
