/** @file metis_text.h  Whether what reads as an edge list is a METIS graph. Not installed.
 *
 * METIS text is "N M [FORM]", then a line for each of N vertices that names its neighbours, from 1. Where
 * all lines have two or three numbers it is an edge list as well, of another graph. It is METIS where all
 * of it is true of a METIS graph: N lines follow, blank ones counted; no vertex is its own neighbour or
 * names one twice; each is a neighbour of its neighbours, with the same weight; there are 2 M of them.
 * An edge list in which each line follows from the others in that way is none that anybody has; still,
 * one with a comment that begins with '#', which METIS does not know, is taken as one. */
#ifndef WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H
#define WEIR_ALGORITHMS_GRAPH_METIS_TEXT_H

#include <stdint.h>

/** What was seen of a file; zero before its first line. */
typedef struct weir__metis_text {
    int possible;             /* nothing speaks against it so far */
    uint64_t header;          /* number of the line of the header */
    uint64_t vertices, edges; /* promised by it */
    uint32_t columns;
    uint32_t first, step; /* columns in front of the first neighbour, and from one to the next */
    uint64_t lines, neighbours;
    uint64_t balance; /* 0 when arcs come in pairs, there and back */
} weir__metis_text;

/** The numbers of the first line that is no comment, of which there are @p columns, 2 or 3. */
void weir__metis_text_begin(weir__metis_text *text, uint64_t line, const double *number,
                            uint32_t columns);
/** The numbers of a later line, as many; NULL: a blank one. */
void weir__metis_text_add(weir__metis_text *text, const double *number);
/** Whether it was METIS text. Graphs of two vertices or without edges cannot be told. */
int weir__metis_text_found(const weir__metis_text *text);

#endif
