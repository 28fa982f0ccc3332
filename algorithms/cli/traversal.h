/** @file traversal.h  What the verbs that run over a graph share: the trials that were run, and the reports on them. */
#ifndef WEIR_ALGORITHMS_CLI_TRAVERSAL_H
#define WEIR_ALGORITHMS_CLI_TRAVERSAL_H

#include "algorithms/cli/algorithm.h"
#include "algorithms/cli/devices.h"

/* ---- trials (traversal.c) ------------------------------------------------------------------- */

/** What went over one link in a run. */
typedef struct weir__cli_link {
    uint32_t from, to; /**< devices */
    uint64_t items;    /**< at least 1 */
} weir__cli_link;

/** What a device sent another one in a level of a run in two dimensions. */
typedef struct weir__cli_pair {
    uint32_t from, to; /**< devices */
    weir_run_pair told;
} weir__cli_pair;

/** Such a level. */
typedef struct weir__cli_level {
    weir_run_level told;
    uint64_t
        first_pair; /**< position of its first pair in weir__cli_trials.pairs, sorted by from and to */
    uint32_t pair_count;
} weir__cli_level;

/** The trials that were run, what their links carried, and what their levels told. */
typedef struct weir__cli_trials {
    weir__cli_records rows;  /**< weir__cli_trial */
    weir__cli_records links; /**< weir__cli_link */
    weir__cli_records
        stolen; /**< weir__cli_link: from the owner of arcs to who looked along them */
    weir__cli_records levels; /**< weir__cli_level */
    weir__cli_records pairs;  /**< weir__cli_pair */
} weir__cli_trials;

weir__cli_trials weir__cli_trials_none(void);
void weir__cli_trials_free(weir__cli_trials *trials);
/** What the links of a trial carried. @param[out] links_out  trial->link_count of them, freed with free(). */
int weir__cli_trial_links(const weir__cli_trials *trials, const weir__cli_trial *trial,
                          weir__cli_link **links_out);
/** Who looked along whose arcs in it: trial->stolen_count of them, the same way. */
int weir__cli_trial_stolen(const weir__cli_trials *trials, const weir__cli_trial *trial,
                           weir__cli_link **stolen_out);

/** Fill in what follows from the time of a run. */
void weir__cli_trial_rate(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                          const weir__cli_request *request);
/** The same, and what follows from its values. */
int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           const weir__cli_request *request, const void *values, uint64_t vertices);
/** Keep what the links carried in the last run of the object, and who did whose work, and note in the trial where that is. */
int weir__cli_trials_links(weir__cli_trials *trials, weir__cli_trial *trial,
                           const weir__cli_algorithm *algorithm, void *object);
/** The same of what its levels told (levels.c); where a report shows it, since that is up to 1024 levels a trial.
 *  @param[in] pairs  what each pair of devices sent as well, which documents alone show. */
int weir__cli_trials_levels(weir__cli_trials *trials, weir__cli_trial *trial,
                            const weir__cli_algorithm *algorithm, void *object, int pairs);
/** Bytes of all levels of a trial, and the most partners. */
int weir__cli_levels_sum(const weir__cli_trials *trials, const weir__cli_trial *trial,
                         weir_run_level *sum_out);
/** Levels of a trial for documents. @return NULL: no memory, or they cannot be read. */
struct json_t *weir__cli_levels_json(const weir__cli_trials *trials, const weir__cli_trial *trial);
/** Keep a trial, behind its links. */
int weir__cli_trials_add(weir__cli_trials *trials, const weir__cli_trial *trial);

/** What runs took that several sources shared (--batch). */
typedef struct weir__cli_shared {
    uint64_t batches; /**< 0: sources had runs of their own */
    uint64_t most;    /**< sources of a batch */
    double ms;        /**< of all runs, each counted once */
    double arcs;      /**< out-arcs that all sources reached in them */
    uint64_t trials;  /**< sources times runs of them */
} weir__cli_shared;

/** Times of all trials, and harmonic means of their rates. */
typedef struct weir__cli_summary {
    double min_ms, median_ms, max_ms; /**< of weir_run_stats.ms, the caller's time */
    double min_kernel_ms, median_kernel_ms, max_kernel_ms;
    /** Of warm runs, which are all but the first of the object: the median over the sources of the median of each;
     *  negative: there was one run alone, a cold one. */
    double warm_median_ms, warm_median_kernel_ms;
    uint64_t sources; /**< that were run; 1 where there are none to choose */
    weir__cli_rates rates;
} weir__cli_summary;
/** Summarize at least one trial. It fails when there is no memory to sort them. */
int weir__cli_summarize(const weir__cli_trials *trials, weir__cli_summary *summary_out);

/* ---- where they start (sources.c) ----------------------------------------------------------- */

/** The vertices to start from: --source, --sources by --seed, or the largest out-degree.
 *  @param[out] sources_out  the caller frees it. */
int weir__cli_sources(const weir__cli_request *request, const weir_graph *graph,
                      uint64_t **sources_out, size_t *count_out);

/* ---- what arcs weigh (weights.c) ------------------------------------------------------------ */

enum { WEIGHTS_ROOM = 64 };
/** Give the graph the weights of --weights, or those that are picked without the option.
 *  @param[out] room  which weights these are, as --weights takes them. */
int weir__cli_weigh(const weir__cli_request *request, weir_graph *graph, char room[WEIGHTS_ROOM]);

/* ---- reports (report_json.c, report_text.c, report_work.c) ---------------------------------- */

typedef struct weir__cli_report {
    const weir__cli_algorithm *algorithm;
    const weir__cli_request *request;
    weir_context *context;
    const weir_graph *graph;
    /** What the arcs weigh, as --weights takes it; NULL: the algorithm has no weights. */
    const char *weights;
    const weir_partition *partition; /**< NULL: the library's choice */
    const weir__cli_trials *trials;  /**< at least one; those of a source follow one another */
    weir__cli_trial first, last;     /**< of them */
    weir__cli_begun begun;           /**< what the devices took */
    weir_prepare_stats prepared;     /**< before the first run */
    weir__cli_trial cold;            /**< the first run of the object: source and times count */
    int verified;                    /**< -1: not asked for */
    weir__cli_shared shared;         /**< as of the session */
    const char *difference;          /**< sentence on the first difference; NULL: there is none */
    weir__cli_summary summary;
} weir__cli_report;

/** The document of a traversal, written to @p output. */
int weir__cli_report_json(const weir__cli_report *report, weir__cli_output *output);
/** The report of a traversal for people, on standard output. */
int weir__cli_report_text(const weir__cli_report *report);
/** Print the devices of a context, on one line. */
void weir__cli_print_devices(const weir_context *context);
/** Print ", order ..." and, unless it is of a run in step, all choices of the worklist. */
void weir__cli_print_picked(const weir__cli_picked *picked, int in_step);
/** Print what the devices did, for --stats: a table for each source, of its last trial. */
int weir__cli_report_work(const weir__cli_report *report, FILE *file);

/** Milliseconds of the batches' runs for each of their sources, and the rate of all sources together in 10^9 arcs a second; of
 *  at least one batch. */
double weir__cli_shared_ms(const weir__cli_shared *shared);
double weir__cli_shared_gteps(const weir__cli_shared *shared);
/** Items processed for each vertex reached. A negative value says that there is no such ratio, here and
 *  below. */
double weir__cli_overwork(const weir_run_stats *stats);
/** Items processed for each item that any run has to process (weir_run_stats.least_items). */
double weir__cli_over_least(const weir_run_stats *stats);
/** Atoms looked at for each arc of a vertex reached. */
double weir__cli_atoms_per_arc(const weir_run_stats *stats);
/** The part of the devices' time that a phase took, in percent. */
double weir__cli_phase_percent(const weir_run_stats *stats, weir_phase phase);
/** GB/s that the kernels of a run moved in the memories of its devices, all together. */
double weir__cli_bandwidth(const weir_run_stats *stats);
/** Milliseconds of the kernels for an iteration or a level of a run in step. */
double weir__cli_step_ms(const weir_run_stats *stats);
/** What a request asks of a run, but for a time limit; weir plan and the verbs, so that both mean the same. */
weir_run_options weir__cli_run_options(const weir__cli_request *request);
/** weir__forms_check() of the forms that the request's partition leaves.
 *  @retval WEIR_ERR_UNSUPPORTED  also: the algorithm takes no partition in two dimensions. */
weir_status weir__cli_forms_check(const weir__cli_algorithm *algorithm,
                                  const weir__cli_request *request,
                                  const struct weir__asked *asked);
/** Whether a run went in step rather than through the worklist. */
int weir__cli_in_step(const weir__cli_algorithm *algorithm, const weir_run_stats *stats);
/** Whether arcs were streamed from host memory, so that there were no rows on the devices, and so no parts. */
int weir__cli_streamed(const weir_run_stats *stats);
/** The route along which devices merged what they found, as --route takes it; NULL: none was asked for. */
const char *weir__cli_merge_route(const weir__cli_request *request);
/** The value of an option that one algorithm alone has, where it is a word: what was given, or what the run did. */
const char *weir__cli_own_text(const weir__cli_option *own, const weir__cli_report *report);
/** How many devices took part. */
uint32_t weir__cli_devices_used(const weir__cli_report *report, const weir_run_stats *stats);

#endif
