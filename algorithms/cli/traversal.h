/** @file traversal.h  What the verbs of traversals (bfs, sssp, pr, cc) share: each algorithm as a row of
 *  functions, the trials that were run, and the reports on them. */
#ifndef WEIR_ALGORITHMS_CLI_TRAVERSAL_H
#define WEIR_ALGORITHMS_CLI_TRAVERSAL_H

#include "algorithms/cli/cli.h"
#include "algorithms/common/forms.h"
#include "runtime/room.h"

/* ---- algorithms (algorithm.c) --------------------------------------------------------------- */

typedef struct weir__cli_trial weir__cli_trial;

/** A traversal as the verbs see it. An object is what its create gave; values are an array of
 *  value_bytes for each vertex. The functions are those of algorithms.h, which says what they do. */
typedef struct weir__cli_algorithm weir__cli_algorithm;
struct weir__cli_algorithm {
    const char *name;      /**< of the verb */
    const char *value;     /**< what a vertex gets: "level", "distance", "rank", "label" */
    const char *unreached; /**< that of a vertex out of reach, in files */
    size_t value_bytes;
    int weighted; /**< needs weights of arcs */
    int sourced;  /**< starts at a vertex; the others start everywhere */
    int worklist; /**< can go through the worklist; the others always go in step */
    const struct weir__forms *forms; /**< which options they read */
    const char *steps; /**< what weir_run_stats.steps counts: "levels", "iterations", "steps" */
    /** What a trial says of all values: names of the two figures that `sum` fills in, as members of
     *  documents and as heads of columns. */
    struct {
        const char *json, *text;
    } figure[2];
    weir_status (*create)(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          const weir__cli_request *request, void **object_out);
    weir_status (*run)(void *object, uint64_t source, weir_run_stats *stats_out);
    weir_status (*values)(void *object, void *values_out);
    weir_status (*parents)(void *object, int64_t *parents_out); /**< NULL: there is no tree */
    /** NULL: there are no links that carry items. */
    weir_status (*link_items)(void *object, uint32_t from, uint32_t to, uint64_t *items_out);
    void (*cancel)(void *object); /**< any thread */
    void (*destroy)(void *object);
    weir_status (*reference)(const weir_graph *graph, const weir__cli_request *request,
                             uint64_t source, void *values_out);
    /** What the reference, or else the check of what was found, needs while it runs. */
    void (*reference_need)(const weir_graph *graph, struct weir__need *need);
    void (*check_need)(const weir_graph *graph, struct weir__need *need); /**< NULL: nothing */
    /** Of the memory that `sum` takes for each vertex. */
    size_t sum_bytes;
    /** Whether compare wants the reference's values; NULL: always. */
    int (*needs_reference)(const weir__cli_request *request);
    /** The value of a vertex, exact; INFINITY: out of reach. */
    double (*at)(const void *values, uint64_t vertex);
    /** Fill in trial->figure. */
    int (*sum)(const weir__cli_algorithm *algorithm, const void *values, uint64_t vertices,
               weir__cli_trial *trial);
    /** Judge whole results. @param[in] expected  the reference's, or NULL where it is not needed.
     *  @param[out] sentence_out  NULL when they are right, else the caller's to free. */
    int (*compare)(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                   const weir_graph *graph, const void *values, const void *expected,
                   weir__cli_trial *trial, char **sentence_out);
};

extern const weir__cli_algorithm weir__cli_algorithm_bfs, weir__cli_algorithm_sssp,
    weir__cli_algorithm_pr, weir__cli_algorithm_cc;

/** What --tolerance and its like say. */
weir_pr_config weir__cli_pr_config(const weir__cli_request *request);

enum { VALUE_ROOM = 32 };
/** A value as files and messages show it: whole numbers without a fraction, others with 17 digits.
 *  @return @p room. */
const char *weir__cli_value_text(const weir__cli_algorithm *algorithm, double value,
                                 char room[VALUE_ROOM]);

/* ---- verification (verify.c, verify_ranks.c) ------------------------------------------------ */

/** Each value exactly; compare of the algorithms that are exact. */
int weir__cli_compare_exactly(const weir__cli_algorithm *algorithm,
                              const weir__cli_request *request, const weir_graph *graph,
                              const void *values, const void *expected, weir__cli_trial *trial,
                              char **sentence_out);
/** Ranks within what the tolerance allows: from the reference's, which fills in trial->l1 and trial->relative,
 *  or without, by an exact iteration, which fills in trial->change and trial->within. */
int weir__cli_compare_ranks(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                            const weir_graph *graph, const void *values, const void *expected,
                            weir__cli_trial *trial, char **sentence_out);
/** Whether that needs the reference: where tolerances are so small that only it is exact enough. */
int weir__cli_ranks_need_reference(const weir__cli_request *request);
/** A tree of the last run by weir_bfs_tree_check(). @param[out] sentence_out  as of compare. */
int weir__cli_verify_tree(const weir_graph *graph, uint64_t source, const int64_t *parents,
                          const int32_t *levels, char **sentence_out);

/* ---- trials (traversal.c) ------------------------------------------------------------------- */

/** What went over one link in a run. */
typedef struct weir__cli_link {
    uint32_t from, to; /**< devices */
    uint64_t items;    /**< at least 1 */
} weir__cli_link;

struct weir__cli_trial {
    uint64_t source;
    weir_run_stats stats;
    double gteps; /**< arcs reached / second of `ms` / 1e9; 0 when nothing was reached or timed */
    double gteps_seen;  /**< arcs looked at / second / 1e9; as above */
    double gteps_edges; /**< edges reached / second / 1e9 (Graph500's); negative: not undirected */
    long double figure[2]; /**< what algorithm->figure names */
    double l1,
        relative; /**< of ranks from the reference's, in all and at most; negative: unknown */
    double change,
        within; /**< what an exact iteration changes ranks by in all, and how far at most they are
                                from the true ones; negative: unknown */
    uint64_t first_link; /**< that carried items, in weir__cli_trials.links, by from and to */
    uint32_t link_count;
};

/** The trials that were run, and what their links carried. */
typedef struct weir__cli_trials {
    weir__cli_records rows;  /**< weir__cli_trial */
    weir__cli_records links; /**< weir__cli_link */
} weir__cli_trials;

weir__cli_trials weir__cli_trials_none(void);
void weir__cli_trials_free(weir__cli_trials *trials);
/** What the links of a trial carried. @param[out] links_out  trial->link_count of them, freed with free(). */
int weir__cli_trial_links(const weir__cli_trials *trials, const weir__cli_trial *trial,
                          weir__cli_link **links_out);

/** Largest value of a vertex reached, and the sum of those values; and the number of components and the
 *  vertices of the largest one: functions for algorithm->sum. */
int weir__cli_sum_values(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial);
int weir__cli_sum_labels(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial);
/** Fill in what follows from the values and the time of a run. */
int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           const weir__cli_request *request, const void *values, uint64_t vertices);
/** Keep it, with what the links carried in the run that the object made last. */
int weir__cli_trials_add(weir__cli_trials *trials, weir__cli_trial *trial,
                         const weir__cli_algorithm *algorithm, void *object);

/** Times of trials, and harmonic means of what trials have under the same names. */
typedef struct weir__cli_summary {
    double min_ms, median_ms, max_ms; /**< of weir_run_stats.ms, the caller's time */
    double min_kernel_ms, median_kernel_ms, max_kernel_ms;
    double gteps, gteps_seen, gteps_edges;
} weir__cli_summary;
/** Summary of at least one trial; without memory to sort them the summary is refused. */
int weir__cli_summarize(const weir__cli_trials *trials, weir__cli_summary *summary_out);

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
    const weir_partition *partition; /**< NULL: the library's choice */
    const weir__cli_trials *trials;  /**< at least one; those of a source follow one another */
    weir__cli_trial first, last;     /**< of them */
    int verified;                    /**< -1: not asked for */
    const char *difference;          /**< sentence on the first difference; NULL: there is none */
    weir__cli_summary summary;
} weir__cli_report;

/** The document of a traversal, written to @p output. */
int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output);
/** The report of a traversal for people, on standard output. */
int weir__cli_report_text(const weir__cli_report *report);
/** --stats: what the devices did, a table for each source (of its last trial). */
int weir__cli_report_work(const weir__cli_report *report, FILE *file);

/** Items processed for each vertex reached. A negative value says that there is no such ratio, here and
 *  below. */
double weir__cli_overwork(const weir_run_stats *stats);
/** Items processed for each vertex reached that has to be taken up once at the least (weir_run_stats.least_items). */
double weir__cli_over_least(const weir_run_stats *stats);
/** Atoms looked at for each arc of a vertex reached. */
double weir__cli_atoms_per_arc(const weir_run_stats *stats);
/** The part of the devices' time that a phase took, in percent. */
double weir__cli_phase_percent(const weir_run_stats *stats, weir_phase phase);
/** GB/s that the kernels of a run moved in the memories of its devices, all together. */
double weir__cli_bandwidth(const weir_run_stats *stats);
/** Milliseconds of the kernels for an iteration or a level of a run in step. */
double weir__cli_step_ms(const weir_run_stats *stats);
/** Whether a run went in step rather than through the worklist. */
int weir__cli_in_step(const weir__cli_algorithm *algorithm, const weir_run_stats *stats);
/** Whether the arcs of cc came from host memory: rows, and so parts, there were none. */
int weir__cli_streamed(const weir_run_stats *stats);
/** The plan along which cc merged, as --route takes it; NULL: none was asked for, the reduction tree. */
const char *weir__cli_merge_route(const weir__cli_request *request);
/** Whether the arcs of cc came from host memory, as --stream takes it: "on", "off". */
const char *weir__cli_stream_picked(const weir_run_stats *stats);
/** How many devices took part. */
uint32_t weir__cli_devices_used(const weir__cli_report *report, const weir_run_stats *stats);

#endif
