/** @file metis_text.c  Whether a text is one of METIS. */
#include "algorithms/graph/metis_text.h"

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

int weir__metis_fits(const weir__metis_header *header, uint64_t size)
{
    return header->vertices <= size && header->edges <= size / 4;
}

/* What the first 2 to 4 numbers of a text are as a header. @return 0: METIS has none such. */
static int take_header(const double *number, uint32_t columns, weir__metis_header *header)
{
    const double form = columns > 2 ? number[2] : 0, weights = columns > 3 ? number[3] : 1;
    if (!(number[0] >= 1 && number[0] <= UINT32_MAX && number[1] >= 0 && number[1] < 1e18 &&
          form >= 0 && form <= 111 && form == (double)(uint64_t)form && weights >= 0 &&
          weights <= CONSTRAINTS_MAX))
        return 0;
    header->vertices = (uint64_t)number[0];
    header->edges = (uint64_t)number[1];
    return weir__metis_form((uint64_t)form, weights > 1 ? (uint64_t)weights : 1, header) &&
           (weights <= 1 || (uint64_t)form / 10 % 10 != 0);
}

/* Whether numbers may be the row of a vertex, from 1, as far as one row tells. @param[in] count  those that are there;
 * a weight that is not may be anything. */
static int is_row(const weir__metis_header *header, uint64_t vertex, const double *number,
                  uint32_t count)
{
    if (vertex > header->vertices)
        return 0;
    for (uint32_t i = header->first; i < count; i += header->step) {
        const double weight = header->step == 2 && i + 1 < count ? number[i + 1] : 0;
        if (!(number[i] >= 1 && number[i] <= (double)header->vertices &&
              number[i] == (double)(uint64_t)number[i] && number[i] != (double)vertex &&
              weight >= 0 && weight <= (double)WEIR__METIS_WEIGHT_MAX &&
              weight == (double)(uint64_t)weight))
            return 0;
        for (uint32_t j = header->first; j < i; j += header->step)
            if (number[j] == number[i])
                return 0;
    }
    return 1;
}

void weir__metis_text_begin(weir__metis_text *text, const double *number, uint32_t columns)
{
    weir__metis_header *header = &text->header;
    *text = (weir__metis_text){.columns = columns};
    text->possible = take_header(number, columns, header) && header->vertices >= VERTICES_MIN &&
                     header->first < columns && (columns - header->first) % header->step == 0;
}

void weir__metis_text_add(weir__metis_text *text, const double *number)
{
    const weir__metis_header *header = &text->header;
    text->rows++;
    if (!number || !text->possible)
        return;
    text->possible = is_row(header, text->rows, number, text->columns);
    for (uint32_t i = header->first; i < text->columns && text->possible; i += header->step) {
        const double weight = header->step == 2 ? number[i + 1] : 0;
        text->balance += weir__metis_balance(text->rows, (uint64_t)number[i], (uint64_t)weight);
        text->neighbours++;
    }
}

int weir__metis_text_found(const weir__metis_text *text)
{
    return text->possible && text->rows >= text->header.vertices && text->neighbours > 0 &&
           text->neighbours == 2 * text->header.edges && text->balance == 0;
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
    return line->count >= 2 && line->count <= NUMBERS_MOST && line->whole &&
           take_header(line->number, line->count, &header);
}

/* Whether a line that is part of no edge list is a row, of a graph that the file has room for. Of a line that is cut the
 * numbers that are there do. */
static int tells(const weir__metis_text *text, const struct line *line, uint64_t size)
{
    const weir__metis_header *header = &text->header;
    const uint64_t n = header->vertices,
                   more = line->count > header->first ? line->count - header->first : 0;
    if (line->whole && (line->count < header->first || more % header->step != 0))
        return 0;
    return weir__metis_fits(header, size) && header->edges <= n * (n - 1) / 2 &&
           text->neighbours + more / header->step <= 2 * header->edges &&
           is_row(header, text->rows + 1, line->number,
                  line->count < NUMBERS_MOST ? line->count : NUMBERS_MOST);
}

int weir__metis_text_tells(const weir__metis_text *text, const char *at, uint64_t size)
{
    struct line line = {.at = at, .end = at + strlen(at), .whole = 1};
    return take_numbers(&line) && tells(text, &line, size);
}

int weir__metis_text_begins(const char *data, size_t have, uint64_t size)
{
    const char *at = data, *end = data + have;
    const int ended = have == size;
    weir__metis_text text = {0};
    struct line line;
    while (next_line(&at, end, ended, &line)) {
        if (line.at < line.end && *line.at == '%') {
            if (!text.columns && names_metis(&line))
                return 1;
            continue;
        }
        if (!take_numbers(&line))
            return 0;
        if (!text.columns) {
            if (line.at == line.end)
                continue;
            if (!is_header(&line))
                return 0;
            /* A graph of two vertices has a row that tells, too: only what is equal all over cannot. */
            weir__metis_text_begin(&text, line.number, line.count);
        } else if (line.at == line.end) {
            weir__metis_text_add(&text, NULL);
        } else if (line.count != text.columns || text.columns == NUMBERS_MOST) {
            return (line.whole || line.count > text.columns) && tells(&text, &line, size);
        } else if (!line.whole) {
            return 0;
        } else {
            weir__metis_text_add(&text, line.number);
            if (!text.possible)
                return 0;
        }
    }
    /* A header that no edge list has, and vertices without neighbours. */
    return text.columns == NUMBERS_MOST && text.rows >= text.header.vertices;
}
