/** @file build.h  Lists of arcs, and how they become a CSR graph. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_BUILD_H
#define WEIR_ALGORITHMS_GRAPH_BUILD_H

#include "algorithms/algorithms.h"
#include "algorithms/graph/plain.h"
#include "runtime/room.h"

/** Arcs as they come from a file, a generator or the caller; zero is an empty list. */
typedef struct weir__arcs {
    uint64_t vertices;
    uint64_t count;
    uint64_t room;     /* arcs there is memory for; unused when borrowed */
    uint32_t *sources; /* count values, as targets */
    uint32_t *targets;
    double *weights;        /* count values if weighted, else NULL */
    int weighted;           /* decided before the first arc is added */
    int borrowed;           /* the arrays are the caller's: read only, never freed */
    int mirror;             /* every arc stands for both directions */
    uint64_t negative_line; /* of text: line of the first weight below 0; 0: there is none */
    uint32_t threads;       /* that may read a text; 0: one per core */
    int format_given;       /* whoever named the file said what it is: nothing is guessed */
    int seen_all;           /* of a text all was looked at: its columns do not make it METIS text */
    int is_metis;           /* out: what was read as an edge list is METIS text */
    int may_deal;       /* arcs in no order may be dealt out as they come, where there are many */
    weir__early *early; /* they are, and are not in the arrays; loops are left out and counted */
    /* As long as `ascends` (ascend.c): */
    int ascends; /* arcs came as a graph has them, and are kept as rows, without sources and loops */
    uint64_t *offsets; /* of the rows up to that of the last source */
    uint64_t rows, rows_room;
    uint32_t *
        integers; /* count values if weighted and no weight is a fraction; else `weights` has them */
    uint64_t expected; /* about so many arcs will come at the most; 0: unknown */
    uint64_t loops;    /* that were dropped, and are not in `count` */
} weir__arcs;

/** Of each arc of a list, in memory. */
static inline uint64_t weir__arc_bytes(const weir__arcs *arcs)
{
    return 2 * sizeof(uint32_t) + (arcs->weighted ? sizeof(double) : 0);
}
/** Make room for one more arc. The arrays grow as arcs really come, whatever a header promised. */
weir_status weir__arcs_grow(weir__arcs *arcs);
/** Make room for exactly @p count arcs. */
weir_status weir__arcs_reserve(weir__arcs *arcs, uint64_t count);
void weir__arcs_free(weir__arcs *arcs);

/** weir__arcs_add() of a list that ascends so far, and may have to be spread, or that is dealt out. */
weir_status weir__arcs_add_to_row(weir__arcs *arcs, uint32_t source, uint32_t target,
                                  double weight);

static inline weir_status weir__arcs_add(weir__arcs *arcs, uint32_t source, uint32_t target,
                                         double weight)
{
    weir_status status;
    if (arcs->ascends || arcs->early)
        return weir__arcs_add_to_row(arcs, source, target, weight);
    if (arcs->count == arcs->room && (status = weir__arcs_grow(arcs)))
        return status;
    arcs->sources[arcs->count] = source;
    arcs->targets[arcs->count] = target;
    if (arcs->weighted)
        arcs->weights[arcs->count] = weight;
    arcs->count++;
    return WEIR_OK;
}

/** Add those of many lines, which lose their loops where the list ascends. */
weir_status weir__arcs_append(weir__arcs *arcs, weir__plain *plain);

/** The same of a list that is one. */
weir_status weir__arcs_append_list(weir__arcs *arcs, const weir__plain *plain);

/** The same of a list that ascends. @param[out] taken_out  0: with these it does not, or there is no room for rows, and it is as it was. */
weir_status weir__arcs_append_rows(weir__arcs *arcs, weir__plain *plain, int *taken_out);

/** From rows to a list in which every arc has its source; nothing to do if it is one. @retval WEIR_ERR_NOMEM */
weir_status weir__arcs_spread(weir__arcs *arcs);

/** Entries of a file that became arcs or loops. */
static inline uint64_t weir__arcs_entries(const weir__arcs *arcs)
{
    return arcs->count + arcs->loops;
}

/** Sort, drop loops, collapse duplicates. Every id is below arcs->vertices, every weight finite.
 *  The arrays of @p arcs are freed on the way, unless borrowed. The graph has no name yet. */
weir_status weir__build(weir__arcs *arcs, uint32_t threads, weir_graph **graph_out);

/** What a call was given becomes @p chosen, which begins as WEIR_GRAPH_OPTIONS_INIT; NULL: that stays. @retval WEIR_ERR_INVALID  their size, or both a context and how to get one. */
weir_status weir__graph_options_in(weir_graph_options *chosen, const weir_graph_options *given);
/** The same, on a GPU of the options' context where there is one (csr.h). */
weir_status weir__build_with(weir__arcs *arcs, const weir_graph_options *options,
                             weir_graph **graph_out);

/** The same of a list that ascends, whose rows are the graph's: nothing is sorted, and no GPU takes part. */
weir_status weir__build_rows(weir__arcs *arcs, weir_graph **graph_out);

/** Whether a weight is no integer of 32 bits. */
static inline int weir__is_fraction(double weight)
{
    return !(weight >= 0 && weight <= UINT32_MAX && weight == (double)(uint32_t)weight);
}

/** Give back what is behind the first @p count values. @return the array, which stays where it is if it cannot be made shorter;
 *  NULL of NULL. */
void *weir__shorten(void *data, uint64_t count, size_t bytes);

/** Name a graph; @p format is static. Destroys the graph and clears the pointer on failure. */
weir_status weir__graph_name(weir_graph **graph, const char *name, const char *format);

/** Without weights: those that are the graph's are freed. */
void weir__graph_drop_weights(weir_graph *graph);

/** What weir__build() needs beside the arcs, which it gives back on the way unless they are borrowed.
 *  @param[in] count  arcs of the list. @param[in] kind  of the weights. */
void weir__build_need(const weir__arcs *arcs, uint64_t count, weir_weight_kind kind,
                      struct weir__need *need);

/** What weir_graph_undirected() needs. */
void weir__undirected_need(const weir_graph *graph, struct weir__need *need);

/** Turn counts into the sums of those before each: values[count] receives the total. */
void weir__prefix_sum(uint64_t *values, uint64_t count);

#endif
