/** @file traversal.h  What the verbs of traversals (bfs, sssp) share: each algorithm as a row of
 *  functions, the trials that were run, and the reports on them. */
#ifndef WEIR_ALGORITHMS_CLI_TRAVERSAL_H
#define WEIR_ALGORITHMS_CLI_TRAVERSAL_H

#include "algorithms/cli/cli.h"

/* ---- algorithms (algorithm.c) --------------------------------------------------------------- */

/** A traversal as the verbs see it. An object is what its create gave; values are an array of
 *  value_bytes for each vertex. The functions are those of algorithms.h, which says what they do. */
typedef struct weir__cli_algorithm {
    const char *name;      /**< of the verb */
    const char *value;     /**< what a vertex gets: "level", "distance" */
    const char *unreached; /**< that of a vertex out of reach, in files */
    size_t value_bytes;
    int weighted; /**< needs weights of arcs */
    weir_status (*create)(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          void **object_out);
    weir_status (*run)(void *object, uint64_t source, weir_run_stats *stats_out);
    weir_status (*values)(void *object, void *values_out);
    weir_status (*link_items)(void *object, uint32_t from, uint32_t to, uint64_t *items_out);
    void (*cancel)(void *object); /**< any thread */
    void (*destroy)(void *object);
    weir_status (*reference)(const weir_graph *graph, uint64_t source, void *values_out);
    /** The value of a vertex, exact; INFINITY: out of reach. */
    double (*at)(const void *values, uint64_t vertex);
} weir__cli_algorithm;

extern const weir__cli_algorithm weir__cli_algorithm_bfs, weir__cli_algorithm_sssp;

enum { VALUE_ROOM = 32 };
/** A value as files and messages show it: whole numbers without a fraction, others with 17 digits.
 *  @return @p room. */
const char *weir__cli_value_text(const weir__cli_algorithm *algorithm, double value,
                                 char room[VALUE_ROOM]);
/** Compare whole results, each value exactly. @param[out] sentence_out  NULL when they are equal, else
 *  the caller's to free. */
int weir__cli_compare(const weir__cli_algorithm *algorithm, const void *values,
                      const void *expected, uint64_t vertices, char **sentence_out);

/* ---- trials (traversal.c) ------------------------------------------------------------------- */

/** What went over one link in a run. */
typedef struct weir__cli_link {
    uint32_t from, to; /**< devices */
    uint64_t items;    /**< at least 1 */
} weir__cli_link;

typedef struct weir__cli_trial {
    uint64_t source;
    weir_run_stats stats;
    double gteps;          /**< arcs reached / second / 1e9; 0 when nothing was reached or timed */
    double farthest;       /**< largest value of a vertex reached */
    long double total;     /**< sum of those values: more digits than one value has */
    weir__cli_link *links; /**< that carried items, by from and to; of weir__cli_trial_drop() */
    size_t link_count;
} weir__cli_trial;

/** Fill in what follows from the values and the time of a run, and what its links carried. */
int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           void *object, uint32_t devices, const void *values, uint64_t vertices);
/** Free what it holds. */
void weir__cli_trial_drop(weir__cli_trial *trial);

typedef struct weir__cli_summary {
    double min_ms, median_ms, max_ms, gteps; /**< gteps: harmonic mean */
} weir__cli_summary;
/** Summary of at least one trial; without memory to sort them the summary is refused. */
int weir__cli_summarize(const weir__cli_trial *trials, size_t count,
                        weir__cli_summary *summary_out);

/* ---- where they start (sources.c) ----------------------------------------------------------- */

/** The vertices to start from: --source, --sources by --seed, or the largest out-degree.
 *  @param[out] sources_out  the caller frees it. */
int weir__cli_sources(const weir__cli_request *request, const weir_graph *graph,
                      uint64_t **sources_out, size_t *count_out);

/* ---- what arcs weigh (weights.c) ------------------------------------------------------------ */

enum { WEIGHTS_ROOM = 64 };
/** Give the graph the weights of --weights, or what is picked without.
 *  @param[out] room  what that is, as --weights takes it. */
int weir__cli_weigh(const weir__cli_request *request, weir_graph *graph, char room[WEIGHTS_ROOM]);

/* ---- reports (report_json.c, report_text.c, report_work.c) ---------------------------------- */

typedef struct weir__cli_report {
    const weir__cli_algorithm *algorithm;
    const weir__cli_request *request;
    weir_context *context;
    const weir_graph *graph;
    const char *weights; /**< of the arcs, as --weights takes it; NULL: the algorithm has none */
    const weir_partition *partition;
    const weir__cli_trial *trials; /**< those of a source follow one another */
    size_t trial_count;            /**< at least 1 */
    int verified;                  /**< -1: not asked for */
    const char *difference;        /**< sentence on the first difference; NULL: there is none */
    weir__cli_summary summary;
} weir__cli_report;

/** The document of a traversal, written to @p output. */
int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output);
/** The report of a traversal for people, on standard output. */
void weir__cli_report_text(const weir__cli_report *report);
/** --stats: what the devices did, a table for each source (of its last trial). */
void weir__cli_report_work(const weir__cli_report *report, FILE *file);

/** Items processed for each vertex reached: 1 is no work too much. A negative value says that there
 *  is no such ratio, here and below. */
double weir__cli_overwork(const weir_run_stats *stats);
/** Atoms looked at for each arc of a vertex reached. */
double weir__cli_atoms_per_arc(const weir_run_stats *stats);
/** The part of the devices' time that a phase took, in percent. */
double weir__cli_phase_percent(const weir_run_stats *stats, weir_phase phase);

#endif
