/** @file load.h  Loaders and generators behind weir_graph_open(). Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_LOAD_H
#define WEIR_ALGORITHMS_GRAPH_LOAD_H

#include "algorithms/graph/build.h"
#include "algorithms/graph/read.h"
#include "algorithms/graph/rows.h"

/** Fill an empty list, or empty rows, from a file whose format is known. The caller frees them, also on
 *  failure. @retval WEIR_ERR_FORMAT, WEIR_ERR_IO, WEIR_ERR_NOMEM */
weir_status weir__load_matrix_market(weir__reader *reader, weir__arcs *arcs);
weir_status weir__load_dimacs(weir__reader *reader, weir__arcs *arcs);
weir_status weir__load_metis(weir__reader *reader, weir__arcs *arcs);
weir_status weir__load_edge_list(weir__reader *reader, weir__arcs *arcs);
weir_status weir__load_graph500(weir__reader *reader, weir__arcs *arcs);
weir_status weir__load_galois(weir__reader *reader, weir__rows *rows);
weir_status weir__load_gap(weir__reader *reader, weir__rows *rows);

/** Add the arc of the line last taken. (A loop does not stay in the graph.) */
static inline weir_status weir__arcs_add_line(weir__arcs *arcs, const weir__reader *reader,
                                              uint32_t source, uint32_t target, double weight)
{
    if (weight < 0 && source != target && !arcs->negative_line)
        arcs->negative_line = weir__reader_number(reader);
    return weir__arcs_add(arcs, source, target, weight);
}

/** Take the lines that come next as long as many of them are plain (read.h), @p most arcs at most, and add their arcs.
 *  @param[in,out] sum  receives `highest`, `loops`, `count`, `rows` and `balance` of all that were taken so; NULL: nobody wants to know. */
weir_status weir__arcs_add_plain(weir__arcs *arcs, weir__reader *reader, uint64_t most,
                                 weir__plain *sum);

/** Whether @p text names a generator. */
int weir__generator_known(const char *text);
/** Make the graph a generator's text asks for. */
weir_status weir__generate(const char *text, const weir_graph_options *options,
                           weir_graph **graph_out);

#endif
