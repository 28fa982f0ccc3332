/** @file algorithm.h  What the command knows of an algorithm over graphs: one row, which algorithm_NAME.c holds. The
 *  verbs, the options, the help and the reports read the rows and name no algorithm. */
#ifndef WEIR_ALGORITHMS_CLI_ALGORITHM_H
#define WEIR_ALGORITHMS_CLI_ALGORITHM_H

#include "algorithms/cli/cli.h"
#include "algorithms/common/forms.h"
#include "runtime/room.h"

#include <stddef.h>

/* ---- trials ----------------------------------------------------------------------------------- */

/** Rates, 10^9 a second of `ms`; 0 when nothing was reached or timed. */
typedef struct weir__cli_rates {
    double arcs;  /**< out-arcs of vertices reached */
    double seen;  /**< arcs looked at */
    double edges; /**< edges reached (Graph500's); negative: the rate is not defined */
} weir__cli_rates;

enum { FIGURES = 2, OWN_FIGURES = 4 };

/** One run and what was found out about it. */
typedef struct weir__cli_trial {
    uint64_t source;
    weir_run_stats stats;
    int warmed_up; /**< the same run came right before it, not counted */
    weir__cli_rates rates;
    double step_ms;              /**< milliseconds of the kernels for a step; negative: no steps */
    long double figure[FIGURES]; /**< what algorithm->figure names */
    double own[OWN_FIGURES];     /**< what the algorithm's verification found; negative: unknown */
    uint64_t batch,
        batch_sources; /**< number of the batch that the run was of, and its sources; 0: alone */
    const char *
        verified_by; /**< "reference", "iteration", "certificate"; NULL: nothing judged the values */
    double
        verify_ms; /**< that judging took, with the reference where that was made for this trial; negative: unknown */
    /** Position of its first link in weir__cli_trials.links; links are sorted by from and to. */
    uint64_t first_link;
    uint32_t link_count;
    uint64_t first_stolen; /**< the same of weir__cli_trials.stolen */
    uint32_t stolen_count;
    uint64_t first_level, level_count; /**< the same of weir__cli_trials.levels; 0: none */
} weir__cli_trial;

/* ---- what reports show ------------------------------------------------------------------------ */

/** A column of the table of trials. */
typedef struct weir__cli_column {
    const char *head;
    int width;
    weir__cli_kind kind;
    size_t offset;      /**< of the value in the trial */
    const char *format; /**< for printf(), of a column of doubles */
} weir__cli_column;

/** A member of the document of a trial. */
typedef struct weir__cli_member {
    const char *name;
    weir__cli_kind kind;
    size_t offset; /**< of the value in the trial */
} weir__cli_member;

/** The end of every list below: a row without a name. */
#define END_OF_LIST \
    {               \
        0           \
    }

/* Columns that several algorithms have. */
#define TRIAL(member) offsetof(weir__cli_trial, member)
#define COLUMN(head, width, kind, member, format) \
    {                                             \
        head, width, kind, TRIAL(member), format  \
    }
#define COLUMN_SOURCE COLUMN("source", 10, KIND_COUNT, source, NULL)
/** What a search that shares out levels, or steps, counts: members of a trial in documents. */
#define STOLEN_MEMBERS                                                                       \
    {.name = "stolen_levels", .kind = KIND_COUNT, .offset = TRIAL(stats.stolen_levels)},     \
        {.name = "stolen_arcs", .kind = KIND_COUNT, .offset = TRIAL(stats.stolen_arcs)},     \
        {.name = "stolen_bytes", .kind = KIND_COUNT, .offset = TRIAL(stats.stolen_bytes)},   \
        {.name = "stolen_copied", .kind = KIND_COUNT, .offset = TRIAL(stats.stolen_copied)}, \
        {.name = "stall_before", .kind = KIND_REAL, .offset = TRIAL(stats.stall_before)},    \
    {                                                                                        \
        .name = "stall_after", .kind = KIND_REAL, .offset = TRIAL(stats.stall_after)         \
    }

#define LONE_MEMBERS                                                                   \
    {.name = "lone_moves", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_moves)},     \
        {.name = "lone_arcs", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_arcs)},   \
        {.name = "lone_bytes", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_bytes)}, \
    {                                                                                  \
        .name = "lone_device", .kind = KIND_COUNT, .offset = TRIAL(stats.lone_device)  \
    }

#define COLUMN_MS              COLUMN("ms", 12, KIND_REAL, stats.ms, "%.3f")
#define COLUMN_KERNEL_MS       COLUMN("kernel ms", 12, KIND_REAL, stats.kernel_ms, "%.3f")
#define COLUMN_GTEPS           COLUMN("GTEPS", 10, KIND_RATE, rates.arcs, "%.4f")
#define COLUMN_GTEPS_SEEN      COLUMN("GTEPS seen", 10, KIND_RATE, rates.seen, "%.4f")
#define COLUMN_GTEPS_EDGES     COLUMN("GTEPS edges", 11, KIND_RATE, rates.edges, "%.4f")
#define COLUMN_STEPS           COLUMN("steps", 7, KIND_COUNT, stats.steps, NULL)
#define COLUMN_REACHED         COLUMN("reached", 10, KIND_COUNT, stats.reached, NULL)
#define COLUMN_FIGURE_0(head)  COLUMN(head, 12, KIND_VALUE, figure[0], NULL)
#define COLUMN_FIGURE_1(head)  COLUMN(head, 16, KIND_VALUE, figure[1], NULL)
#define COLUMN_ITEMS_PROCESSED COLUMN("items processed", 15, KIND_COUNT, stats.work.processed, NULL)
#define COLUMN_ITEMS_SENT      COLUMN("items sent", 12, KIND_COUNT, stats.work.sent, NULL)

/* ---- the row ---------------------------------------------------------------------------------- */

/** A row. An object is what `create` made; values are an array with value_bytes for each vertex. Where a function
 *  has a namesake in algorithms.h, that header says what it does. */
typedef struct weir__cli_algorithm weir__cli_algorithm;
/** A figure of two devices after a run, 0 of most pairs. */
typedef weir_status weir__cli_pair_figure(void *object, uint32_t from, uint32_t to,
                                          uint64_t *figure_out);
struct weir__cli_algorithm {
    weir__cli_verb verb;   /**< its name, its help */
    const char *value;     /**< what a vertex gets: "level", "distance", "rank", "label" */
    const char *unreached; /**< what files show for a vertex out of reach */
    size_t value_bytes;
    int weighted; /**< it needs weights of arcs */
    uint32_t
        resident; /**< weir_graph_options.resident of its graphs; 0 where arcs are wanted on the host in any case */
    int sourced;  /**< it starts at a vertex; other algorithms start everywhere */
    int worklist; /**< it can go through the worklist; other algorithms always go in step */
    int edges; /**< in an undirected graph two arcs count as one edge, which gives Graph500's rate */
    const struct weir__forms *forms; /**< its forms, and which options each of them reads */
    const struct weir__forms
        *forms_2d;     /**< the same over a partition in two dimensions; NULL: it takes none */
    const char *steps; /**< what weir_run_stats.steps counts: "levels", "iterations", "steps" */
    /* Each list below ends with END_OF_LIST. */
    /** Options that it alone has, and options that have another help here; NULL: there are none. */
    const weir__cli_option *options;
    weir__cli_own own[OWN_OPTIONS]; /**< the defaults of those that request->own holds */
    /** Fill in what those options say about the form that runs; NULL: they say nothing. */
    void (*ask)(const weir__cli_request *request, struct weir__asked *asked);
    /** For plans: ask for the form that a run takes by itself where its usual one does not fit.
     *  @return 0: what was asked for leaves no other. NULL: there is none. */
    int (*fall_back)(weir__cli_request *request);
    /* ---- what reports show ---- */
    const weir__cli_column *columns;
    const char *figure[FIGURES]; /**< names in documents of the figures that `sum` finds */
    /** What documents have of a trial beyond what they have for all algorithms; NULL: nothing. */
    const weir__cli_member *members;
    /** Print what the text report adds behind "verified: ok"; NULL: it adds nothing. */
    void (*print_verdict)(const weir__cli_trial *last);
    /* ---- running ---- */
    weir_status (*create)(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          const weir__cli_request *request, void **object_out);
    weir_status (*run)(void *object, uint64_t source, weir_run_stats *stats_out);
    weir_status (*values)(void *object, void *values_out);
    weir_status (*parents)(void *object, int64_t *parents_out); /**< NULL: there is no tree */
    /** Check that parents form a tree which agrees with the values; needed where there is `parents`.
     *  @retval WEIR_ERR_VERIFY  they do not, and the detail says why. */
    weir_status (*check_tree)(const weir_graph *graph, uint64_t source, const int64_t *parents,
                              const void *values);
    weir__cli_pair_figure *link_items; /**< NULL: there are no links that carry items */
    weir__cli_pair_figure *
        stolen; /**< arcs of one that the other looked along, with --balance; NULL: none is taken */
    /** Levels that are known one by one; NULL: there are none. */
    uint64_t (*levels_known)(const void *object);
    weir_status (*level)(void *object, uint64_t level, weir_run_level *level_out);
    weir_status (*level_pair)(void *object, uint64_t level, uint32_t from, uint32_t to,
                              weir_run_pair *pair_out);
    weir_status (*prepared)(const void *object, weir_prepare_stats *stats_out);
    weir_status (*explain)(const void *object, weir_run_stats *picked_out,
                           weir_run_reasons *reasons_out);
    void (*cancel)(void *object); /**< any thread */
    void (*destroy)(void *object);
    /* ---- runs from many sources at a time; NULL in rows of single runs ---- */
    const weir__cli_algorithm *batched; /**< the row that --batch takes in place of this one */
    uint32_t batch_most;                /**< sources of a run */
    /** One run from several sources. `run` and `values` are not called then. */
    weir_status (*run_batch)(void *object, const uint64_t *sources, uint32_t count,
                             weir_run_stats *stats_out);
    /** What one of them found: of trial->stats what is the source's, and trial->figure. */
    weir_status (*found)(void *object, uint32_t index, weir__cli_trial *trial);
    weir_status (*values_of)(void *object, uint32_t index, void *values_out);
    /* ---- judging ---- */
    weir_status (*reference)(const weir_graph *graph, const weir__cli_request *request,
                             uint64_t source, void *values_out);
    /** Count the memory that the reference needs while it runs. */
    void (*reference_need)(const weir_graph *graph, struct weir__need *need);
    /** The same for a check without the reference; NULL: it needs none. */
    void (*check_need)(const weir_graph *graph, struct weir__need *need);
    /** Count the memory that `certify` needs while it runs. @param[in] parents  whether there is a tree. */
    void (*certify_need)(const weir_context *context, const weir_graph *graph, int parents,
                         struct weir__need *need);
    /** Bytes of memory that `sum` takes for each vertex. */
    size_t sum_bytes;
    /** Whether compare wants the reference's values; NULL: always. */
    int (*needs_reference)(const weir__cli_request *request);
    /** The exact value of a vertex; INFINITY means that the vertex is out of reach. */
    double (*at)(const void *values, uint64_t vertex);
    /** Fill in trial->figure. */
    int (*sum)(const weir__cli_algorithm *algorithm, const void *values, uint64_t vertices,
               weir__cli_trial *trial);
    /** Judge whole results. @param[in] expected  the reference's, or NULL where it is not needed.
     *  @param[out] trial  its `own` and `verified_by` may be filled in.
     *  @param[out] sentence_out  NULL when they are right, else the caller's to free. */
    int (*compare)(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                   const weir_graph *graph, const void *values, const void *expected,
                   weir__cli_trial *trial, char **sentence_out);
    /** Judge whole results on the devices, without a reference (weir_NAME_certify()). The rest is as of compare.
     *  @param[in] parents  NULL: there is no tree. */
    int (*certify)(const weir__cli_algorithm *algorithm, const weir__cli_request *request,
                   weir_context *context, const weir_graph *graph, const void *values,
                   const int64_t *parents, weir__cli_trial *trial, char **sentence_out);
};

/** Every algorithm, in the order of the help. */
#define WEIR__CLI_ALGORITHMS(X) X(bfs) X(sssp) X(pr) X(cc) X(color)
#define WEIR__CLI_ALGORITHM_DECLARE(name) \
    extern const weir__cli_algorithm weir__cli_algorithm_##name;
WEIR__CLI_ALGORITHMS(WEIR__CLI_ALGORITHM_DECLARE)

/* ---- what the rows are made of (algorithm.c) ------------------------------------------ */

/** For a row: the value of a vertex that is a double. */
double weir__cli_double_at(const void *values, uint64_t vertex);
/** For a row's `sum`: the largest value of a vertex reached, and the sum of those values. */
int weir__cli_sum_values(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial);
/** For a row's `compare`: every value has to be exactly the reference's. */
int weir__cli_compare_exactly(const weir__cli_algorithm *algorithm,
                              const weir__cli_request *request, const weir_graph *graph,
                              const void *values, const void *expected, weir__cli_trial *trial,
                              char **sentence_out);

/** What a check said that names what is wrong with a result: that is kept as the sentence, and no failure of the command. */
int weir__cli_checked(weir_status status, char **sentence_out);

enum { VALUE_ROOM = 32 };
/** A value as files and messages show it: whole numbers without a fraction, others with 17 digits.
 *  @return @p room. */
const char *weir__cli_value_text(const weir__cli_algorithm *algorithm, double value,
                                 char room[VALUE_ROOM]);

/* Calls with the types of algorithms.h behind calls with void: a function must not be called as if it had
 * other types than its own. */
#define ROW_FUNCTIONS(algorithm, values_of)                                                    \
    static weir_status algorithm##_values(void *object, void *values_out)                      \
    {                                                                                          \
        return weir_##algorithm##_##values_of(object, values_out);                             \
    }                                                                                          \
    static weir_status algorithm##_prepared(const void *object, weir_prepare_stats *stats_out) \
    {                                                                                          \
        return weir_##algorithm##_prepared(object, stats_out);                                 \
    }                                                                                          \
    static weir_status algorithm##_explain(const void *object, weir_run_stats *picked_out,     \
                                           weir_run_reasons *reasons_out)                      \
    {                                                                                          \
        return weir_##algorithm##_explain(object, picked_out, reasons_out);                    \
    }                                                                                          \
    static void algorithm##_cancel(void *object)                                               \
    {                                                                                          \
        weir_##algorithm##_cancel(object);                                                     \
    }                                                                                          \
    static void algorithm##_destroy(void *object)                                              \
    {                                                                                          \
        weir_##algorithm##_destroy(object);                                                    \
    }

/** For algorithms that have items on links. */
#define LINK_FUNCTION(algorithm)                                                        \
    static weir_status algorithm##_link_items(void *object, uint32_t from, uint32_t to, \
                                              uint64_t *items_out)                      \
    {                                                                                   \
        return weir_##algorithm##_link_items(object, from, to, items_out);              \
    }

/** For algorithms that start at a vertex. */
#define SEARCH_FUNCTIONS(algorithm, value_type)                                                  \
    static weir_status algorithm##_create(                                                       \
        weir_context *context, const weir_graph *graph, const weir_partition *partition,         \
        const weir_run_options *options, const weir__cli_request *request, void **object_out)    \
    {                                                                                            \
        weir_##algorithm *object;                                                                \
        (void)request;                                                                           \
        weir_status status =                                                                     \
            weir_##algorithm##_create(context, graph, partition, options, &object);              \
        *object_out = object;                                                                    \
        return status;                                                                           \
    }                                                                                            \
    static weir_status algorithm##_run(void *object, uint64_t source, weir_run_stats *stats_out) \
    {                                                                                            \
        return weir_##algorithm##_run(object, source, stats_out);                                \
    }                                                                                            \
    static weir_status algorithm##_reference(const weir_graph *graph,                            \
                                             const weir__cli_request *request, uint64_t source,  \
                                             void *values_out)                                   \
    {                                                                                            \
        (void)request;                                                                           \
        return weir_##algorithm##_reference(graph, source, (value_type *)values_out);            \
    }

/** What `certify` returns where the devices have no room beside what they hold; weir_error_detail() says for what. */
#define CERTIFY_NO_ROOM (-1)

/** The certificate of an algorithm with exact values. @param[in] call  weir_NAME_certify() with what is named here. */
#define CERTIFY_FUNCTION(algorithm, call)                                                        \
    static int algorithm##_certify(                                                              \
        const weir__cli_algorithm *row, const weir__cli_request *request, weir_context *context, \
        const weir_graph *graph, const void *values, const int64_t *parents,                     \
        weir__cli_trial *trial, char **sentence_out)                                             \
    {                                                                                            \
        (void)row, (void)request;                                                                \
        (void)parents;                                                                           \
        trial->verified_by = "certificate";                                                      \
        const weir_status status = call;                                                         \
        return status == WEIR_ERR_NOMEM ? CERTIFY_NO_ROOM                                        \
                                        : weir__cli_checked(status, sentence_out);               \
    }

/** For algorithms that start everywhere. */
#define RUN_FUNCTION(algorithm)                                                                  \
    static weir_status algorithm##_run(void *object, uint64_t source, weir_run_stats *stats_out) \
    {                                                                                            \
        (void)source;                                                                            \
        return weir_##algorithm##_run(object, stats_out);                                        \
    }

/** For `about`: the times that a run prints. */
#define TIMES_TEXT                                                                                \
    "Times of a run: ms is what a caller waits, from the call until the result is complete on\n"  \
    "the devices; kernel ms is the part of it that kernels take. \"prepared in\" is what comes\n" \
    "before the first run: opening the graph, partition, placing, copying in. While a file\n"     \
    "is read the devices begin; waited for is how long nothing else was done meanwhile.\n"
/* A direction that does not look at every arc makes GTEPS larger than the work that was done. */
#define GTEPS_TEXT                                                    \
    "There are several kinds of TEPS, in 1e9 a second:\n"             \
    "  GTEPS        out-arcs of vertices reached, looked at or not\n" \
    "  GTEPS seen   arcs that were looked at, as often as they were\n"

/** What every row begins with. Its file defines what is named here. */
#define ROW(id)                                                                                  \
    .verb.name = #id, .verb.algorithm = &weir__cli_algorithm_##id, .verb.positional = 1,         \
    .verb.run = weir__cli_traverse, .verb.usage = "GRAPH [options]", .create = id##_create,      \
    .run = id##_run, .values = id##_values, .prepared = id##_prepared, .explain = id##_explain,  \
    .cancel = id##_cancel, .destroy = id##_destroy, .reference = id##_reference,                 \
    .reference_need = weir__##id##_reference_need, .certify = id##_certify,                      \
    .certify_need = weir__##id##_certify_need, .forms = &weir__##id##_forms, .columns = columns, \
    .options = options

#endif
