/** @file metis_text.h  What text of METIS has in its lines, and whether a text is one. Not installed.
 *
 * METIS text is "N M [FORM [NCON]]", then a line for each of N vertices that names its neighbours, from 1. FORM is
 * three digits: whether vertices have sizes, vertices have weights (NCON of them), edges have weights.
 *
 * Nothing marks such a text, and one whose lines have two or three numbers each is an edge list as well, of another
 * graph. It is taken for METIS where
 *  - a comment above the header begins with the word METIS, as in what weir writes; or
 *  - the header, or a row among those that are looked at beforehand, has another number of columns than an edge
 *    list could have there, and up to it all is as METIS has it; or
 *  - all lines have two or three numbers, and the whole text is one of METIS: N lines follow, blank ones counted; no
 *    vertex is its own neighbour or names one twice; each is a neighbour of its neighbours, with the same weight. An
 *    edge list in which each line follows from the others in that way is none that anybody has.
 * Comments with '#' and commas, which METIS does not know, make it an edge list. */
#ifndef WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H
#define WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** What a header says. */
typedef struct weir__metis_header {
    uint64_t vertices, edges;
    uint32_t first; /* numbers in front of the first neighbour */
    uint32_t step;  /* numbers from one neighbour to the next: 2 with weights of edges */
} weir__metis_header;

/** What follows from FORM and NCON. @param[in] weights  NCON, 1 where it is left out.
 *  @return 0: FORM is none. */
int weir__metis_form(uint64_t form, uint64_t weights, weir__metis_header *header_out);

/** An arc there adds what the arc back takes away: all add up to 0 where each has its reverse, of equal weight. */
uint64_t weir__metis_balance(uint64_t from, uint64_t to, uint64_t weight);

/** What was seen of a text in which each line has as many numbers, 2 or 3; zero before its first line. */
typedef struct weir__metis_text {
    int possible;  /* nothing speaks against it so far */
    uint64_t line; /* number of the line of the header */
    weir__metis_header header;
    uint32_t columns;
    uint64_t rows, neighbours;
    uint64_t balance;
} weir__metis_text;

/** The numbers of the first line that is no comment, of which there are @p columns. */
void weir__metis_text_begin(weir__metis_text *text, uint64_t line, const double *number,
                            uint32_t columns);
/** The numbers of a later line, as many; NULL: a blank one. */
void weir__metis_text_add(weir__metis_text *text, const double *number);
/** Whether it was METIS text; the number of edges may be wrong. Graphs of two vertices or without edges cannot be
 *  told. */
int weir__metis_text_found(const weir__metis_text *text);

/** Whether the beginning of a text, @p have bytes, is one of METIS by the first two rules.
 *  @param[in] ended  these bytes are all. */
int weir__metis_text_begins(const char *data, size_t have, int ended);

#endif
