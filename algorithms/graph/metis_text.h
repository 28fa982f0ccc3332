/** @file metis_text.h  What text of METIS has in its lines, and whether a text is one. Not installed.
 *
 * METIS text is "N M [FORM [NCON]]", then a line for each of N vertices that names its neighbours, from 1. FORM is
 * three digits: whether vertices have sizes, vertices have weights (NCON of them), edges have weights.
 *
 * Nothing marks such a text, and one whose lines have two or three numbers each is an edge list as well, of another
 * graph. It is taken for METIS where
 *  - a comment above the header begins with the word METIS, as in what weir writes; or
 *  - the header, or a row, has another number of columns than an edge list could have there, and up to it, that row
 *    included, all is as METIS has it: neighbours that are there, no more of them than the header says, and a header that
 *    promises no more than the file has bytes for. The first row of an edge list that is cut short or has a column
 *    too many comes here as well, and is none of those as a rule; or
 *  - all lines have two or three numbers, and the whole text is one of METIS: N lines follow, blank ones counted; no
 *    vertex is its own neighbour or names one twice; each is a neighbour of its neighbours, with the same weight; there are
 *    M edges. An edge list in which each line follows from the others in that way is none that anybody has.
 * Comments with '#' and commas, which METIS does not know, make it an edge list, unless a line above them has told. */
#ifndef WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H
#define WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H

#include "algorithms/graph/reverse.h"

#include <stddef.h>

/** The largest weight: the last one that a double holds with all before it. */
#define WEIR__METIS_WEIGHT_MAX (UINT64_C(1) << 53)

/** What a header says. */
typedef struct weir__metis_header {
    uint64_t vertices, edges;
    uint32_t first; /* numbers in front of the first neighbour */
    uint32_t step;  /* numbers from one neighbour to the next: 2 with weights of edges */
} weir__metis_header;

/** Whether a file of @p size bytes, UINT64_MAX where that is hidden, has room for what a header promises: a line for each
 *  vertex, and for each edge two numbers and what parts them. */
int weir__metis_fits(const weir__metis_header *header, uint64_t size);

/** What follows from FORM and NCON. @param[in] weights  NCON, 1 where it is left out.
 *  @return 0: FORM is none. */
int weir__metis_form(uint64_t form, uint64_t weights, weir__metis_header *header_out);

/** An arc there adds what the arc back takes away: all add up to 0 where each has its reverse, of equal weight (reverse.h).
 *  @param[in] from, to  from 1. */
static inline uint64_t weir__metis_balance(uint64_t from, uint64_t to, uint64_t weight)
{
    const struct weir__reverse f = weir__reverse_of((uint32_t)from),
                               t = weir__reverse_of((uint32_t)to);
    return weir__reverse_weight(weight) * (f.first * t.second - f.second * t.first);
}

/** What was seen of a text in which each line has as many numbers, 2 or 3; zero before its first line. */
typedef struct weir__metis_text {
    int possible; /* nothing speaks against it so far */
    weir__metis_header header;
    uint32_t columns;
    uint64_t rows, neighbours;
    uint64_t balance;
} weir__metis_text;

/** The numbers of the first line that is no comment, of which there are @p columns. */
void weir__metis_text_begin(weir__metis_text *text, const double *number, uint32_t columns);
/** The numbers of a later line, as many; NULL: a blank one. */
void weir__metis_text_add(weir__metis_text *text, const double *number);
/** Whether a line of another number of columns, without its end, tells that it is METIS text.
 *  @param[in] size  of the file; UINT64_MAX: hidden. */
int weir__metis_text_tells(const weir__metis_text *text, const char *line, uint64_t size);
/** Whether it was METIS text to its end. Graphs of two vertices or without edges cannot be told. */
int weir__metis_text_found(const weir__metis_text *text);

/** Whether the beginning of a text, @p have bytes of @p size, is one of METIS by the first two rules. */
int weir__metis_text_begins(const char *data, size_t have, uint64_t size);

#endif
