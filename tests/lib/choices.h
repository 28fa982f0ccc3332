/** @file choices.h  Every choice of a run with every other: what there is to choose, and one run of it.
 *
 * A *row* holds one value for each factor of enum choice_factor, by its number. Rows come from
 * cover_make(): all pairs, all triples, or the whole product. Adding a value is a line in
 * choices_list.c, an operator a line in choices_operators.c, a graph a shape in choices_graphs.c.
 *
 * Nothing here asserts: a run gives a text that says what is wrong, and the test decides. */
#ifndef WEIR_TESTS_LIB_CHOICES_H
#define WEIR_TESTS_LIB_CHOICES_H

#include "algorithms/algorithms.h"
#include "tests/lib/cover.h"

/** What a row chooses. */
enum choice_factor {
    CHOICE_OPERATOR = 0,
    CHOICE_DEVICES,
    CHOICE_PARTITION,
    CHOICE_ROUTE,
    CHOICE_ORDER,
    CHOICE_KERNEL,
    CHOICE_WORKER,
    CHOICE_FETCH,
    CHOICE_MAPPING,
    CHOICE_FACTORS
};

/** In a row: nothing is asked for, and the engine picks. Not for the operator and the devices. */
#define CHOICE_OPEN 0xFF

/* ---- operators ---------------------------------------------------------------------------------- */

enum choice_weights {
    CHOICE_WEIGHTS_NONE = 0,
    CHOICE_WEIGHTS_U32,
    CHOICE_WEIGHTS_F64,
    CHOICE_WEIGHTS
};

/** An algorithm behind one face. Values are doubles, one a vertex, INFINITY for unreached. */
struct choice_operator {
    const char *name;
    enum choice_weights weights; /**< of the graph it runs on */
    weir_status (*create)(weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, const weir_run_options *options,
                          void **object_out);
    weir_status (*run)(void *object, uint64_t source, weir_run_stats *stats_out);
    weir_status (*values)(void *object, uint64_t vertices, double *values_out);
    weir_status (*reference)(const weir_graph *graph, uint64_t source, double *values_out);
    void (*cancel)(void *object);
    void (*destroy)(void *object);
    int levels; /**< values are numbers of arcs: bulk finds each vertex in its own generation */
};
extern const struct choice_operator choice_operators[];
extern const uint32_t choice_operator_count;
/** Most operators. */
#define CHOICE_OPERATORS_MAX 8

/* ---- graphs ------------------------------------------------------------------------------------- */

enum choice_shape {
    CHOICE_CHAIN = 0,
    CHOICE_STAR,
    CHOICE_GRID,
    CHOICE_RMAT,
    CHOICE_DISCONNECTED,
    CHOICE_ONE,
    CHOICE_NO_ARCS,
    CHOICE_BIPARTITE,
    CHOICE_HUB,
    CHOICE_SHAPES
};

/** Sources that a graph is run from. */
#define CHOICE_SOURCES 2

/** A graph with each kind of weights, what must come out, and how it was cut. */
struct choice_graph {
    const char *name;
    uint64_t cut_below; /**< a tile that is cut at all is cut in pieces shorter than this; 0: any */
    weir_graph *with[CHOICE_WEIGHTS]; /**< the same arcs */
    uint64_t source[CHOICE_SOURCES];
    double *expected[CHOICE_OPERATORS_MAX][CHOICE_SOURCES]; /**< made when first asked for */
    weir_partition *partition[WEIR_DEVICES_MAX + 1][WEIR_PARTITION_FILE + 1]; /**< the same */
};

/** "chain", ... */
const char *choice_shape_text(enum choice_shape shape);
/** @return  NULL without memory. */
struct choice_graph *choice_graph_make(enum choice_shape shape);
void choice_graph_free(struct choice_graph *graph);
/** The serial reference's values; NULL if it failed. */
const double *choice_graph_expected(struct choice_graph *graph, uint32_t op, uint32_t source);
/** A partition; the graph's. That of a file comes from one that was written for it. NULL if it failed. */
const weir_partition *choice_graph_cut(struct choice_graph *graph, uint32_t parts,
                                       weir_partition_kind kind);

/* ---- devices ------------------------------------------------------------------------------------ */

/** Most specs of a set. */
#define CHOICE_SPECS_MAX 12

/** Device specs that are tried together; contexts are opened once and kept. */
struct choice_devices {
    const char *name;
    const char *spec[CHOICE_SPECS_MAX];
    uint32_t specs;
    int required; /**< a spec whose devices are missing is a failure; else it is left out */
    const char *const *settings; /**< tunables, "name=value", the last one NULL; NULL: none */
    weir_context *context[CHOICE_SPECS_MAX];
};

/** Open what is not open yet. "sim:TEXT" simulates the machine TEXT (weir_machine_open()).
 *  @return WEIR_ERR_NODEV  nothing of the set is there, or what is required is not. */
weir_status choice_devices_open(struct choice_devices *set);
void choice_devices_close(struct choice_devices *set);
/** A context for one spec with tunables. */
weir_status choice_context(const char *spec, const char *const *settings,
                           weir_context **context_out);
/** Whether a fused kernel may be refused there: devices of several kinds, or simulated ones. */
int choice_may_refuse_fused(const weir_context *context);
/** The specs of the environment variable WEIR_CHECK_DEVICES, separated by blanks.
 *  @return  0 where it is not set. */
int choice_devices_asked(struct choice_devices *set);

/* ---- rows --------------------------------------------------------------------------------------- */

/** How many values each factor has with these devices, for cover_make(). METIS is among the
 *  partitions where its helper program is there. */
void choice_shape_of(const struct choice_devices *set, struct cover_shape *shape_out);
/** The number of a value of a factor by its text, as "group:4"; -1: there is none. */
int choice_value(enum choice_factor factor, const char *text);
/** Whether a mapping has an effect with that worker; if not, it is refused. */
int choice_has_effect(weir_worker_kind worker, weir_mapping_kind mapping, uint32_t group);
/** The run options of a row. */
weir_run_options choice_options(const uint8_t *row);
weir_partition_kind choice_partition(const uint8_t *row);
/** A row as the command's options: "bfs --devices host:2 --partition ...". Static storage. */
const char *choice_text(const struct choice_devices *set, const uint8_t *row);

/* ---- runs --------------------------------------------------------------------------------------- */

enum choice_outcome { CHOICE_RIGHT = 0, CHOICE_REFUSED, CHOICE_WRONG };

/** One object made with a row's choices, run from both sources and compared in full.
 *  @param[out] why_out  what is wrong, or the sentence of the refusal. Static storage. */
enum choice_outcome choice_try(struct choice_devices *set, struct choice_graph *graph,
                               const uint8_t *row, const char **why_out);
/** Whether statistics agree with themselves, with the result, and with what was asked for.
 *  @return NULL, or what is wrong. Static storage. */
const char *choice_stats_wrong(const struct choice_operator *op, const weir_graph *graph,
                               const double *values, const weir_run_options *asked,
                               const weir_run_stats *stats);

/** End the program with @p text on stderr if choice_watch_end() does not come within @p seconds (ten
 *  times as many with ThreadSanitizer): what hangs is to be named. One at a time. */
void choice_watch(const char *text, unsigned seconds);
void choice_watch_end(void);

#endif
