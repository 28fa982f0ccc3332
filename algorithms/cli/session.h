/** @file session.h  A verb of traversals at work: what it has opened, placed and found so far. */
#ifndef WEIR_ALGORITHMS_CLI_SESSION_H
#define WEIR_ALGORITHMS_CLI_SESSION_H

#include "algorithms/cli/traversal.h"

/** TRACES is the first of TRACE_FILES. */
enum { OUTPUT, JSON, PARENTS, TRACES, OUTPUTS = TRACES + TRACE_FILES };

struct weir__cli_session {
    const weir__cli_algorithm *algorithm;
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir__cli_begun begun; /**< the context's devices */
    weir_graph *graph;
    weir_partition *partition;
    char weights[WEIGHTS_ROOM]; /**< "": the algorithm has none */
    void *object; /**< what the algorithm's create made; NULL: nothing asks it any more */
    weir_prepare_stats prepared; /**< of the object */
    uint64_t *sources;
    size_t source_count;
    void *values;            /**< of the last run */
    void *expected;          /**< of the reference; NULL where none is wanted */
    int64_t *parents;        /**< of the last run; NULL where no tree is wanted */
    int certify;             /**< devices judge the values, and no reference is made */
    double reference_ms;     /**< of a reference that no trial counts yet */
    double last_ms;          /**< that the last run took */
    weir__cli_trial cold;    /**< the first run of the object: source and times count */
    weir__cli_trials trials; /**< done so far */
    weir__cli_shared shared; /**< what batches took; zero without --batch */
    int verified;
    char *difference;
};

/** Whether --verify compares with a reference, rather than judging the values by themselves. */
int weir__cli_wants_reference(const struct weir__cli_session *session);
/** Judge the values at hand; what is wrong with them is remembered and reported with the other results. */
int weir__cli_verify(struct weir__cli_session *session, weir__cli_trial *trial);
/** Run all sources in batches (batch.c). Of each source trial after trial is kept, as of single runs. */
int weir__cli_run_batches(struct weir__cli_session *session);

/** Report the trials that were run and write the files (session_report.c).
 *  @return the exit status, EXIT_RUN for a wrong result. */
int weir__cli_session_report(struct weir__cli_session *session);

#endif
