/** @file metis_text.c  Whether what reads as an edge list is a METIS graph. */
#include "algorithms/graph/metis_text.h"
#include "algorithms/graph/random.h"

#define VERTICES_MIN 3

/* FORM is three digits: whether vertices have sizes, vertices have weights, edges have weights. */
static int take_form(weir__metis_text *text, double form)
{
    uint32_t digits = form >= 0 && form <= 111 ? (uint32_t)form : 2;
    if (digits != form || digits % 10 > 1 || digits / 10 % 10 > 1)
        return 0;
    text->first = digits / 100 + digits / 10 % 10;
    text->step = 1 + digits % 10;
    return 1;
}

void weir__metis_text_begin(weir__metis_text *text, uint64_t line, const double *number,
                            uint32_t columns)
{
    text->header = line;
    text->columns = columns;
    text->vertices = (uint64_t)number[0];
    text->edges = (uint64_t)number[1];
    text->possible = text->vertices >= VERTICES_MIN &&
                     take_form(text, columns == 3 ? number[2] : 0) && text->first < columns &&
                     (columns - text->first) % text->step == 0;
}

/* An arc there adds what the arc back takes away. */
static uint64_t arc(uint64_t from, uint64_t to, uint64_t weight)
{
    return weir__random(weir__random(from, to), weight) -
           weir__random(weir__random(to, from), weight);
}

void weir__metis_text_add(weir__metis_text *text, const double *number)
{
    if (!text->possible)
        return;
    text->lines++;
    if (!number)
        return;
    text->possible = text->lines <= text->vertices;
    for (uint32_t i = text->first; i < text->columns && text->possible; i += text->step) {
        double weight = text->step == 2 ? number[i + 1] : 0;
        text->possible = number[i] >= 1 && number[i] <= (double)text->vertices &&
                         number[i] == (double)(uint64_t)number[i] &&
                         number[i] != (double)text->lines && weight >= 0 && weight <= UINT32_MAX;
        for (uint32_t j = text->first; j < i; j += text->step)
            text->possible &= number[j] != number[i];
        if (!text->possible)
            return;
        text->balance += arc(text->lines, (uint64_t)number[i], (uint64_t)weight);
        text->neighbours++;
    }
}

int weir__metis_text_found(const weir__metis_text *text)
{
    return text->possible && text->lines >= text->vertices && text->neighbours > 0 &&
           text->neighbours == 2 * text->edges && text->balance == 0;
}
