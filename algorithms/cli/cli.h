/** @file cli.h  What the parts of the `weir` command share. Not installed.
 *
 * The command stands on the public headers alone: whatever it can do, a C program can do. Functions
 * that can fail print their one sentence and return an exit status: 0 done, 1 the run failed, 2 bad
 * usage or bad input.
 */
#ifndef WEIR_ALGORITHMS_CLI_H
#define WEIR_ALGORITHMS_CLI_H

#include "algorithms/algorithms.h"
#include "algorithms/matrix.h"
#include "algorithms/graph/replace.h"

#include <stdio.h>

struct weir__cli_output;

enum { EXIT_DONE = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

/* ---- messages (message.c) ----------------------------------------------------------------- */

/** Print "weir: " and the sentence as one line on stderr. @return @p code. */
int weir__cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Report a failed weir call with weir_error_detail(). @return the exit status of @p status. */
int weir__cli_fail_status(weir_status status);
/** The exit status that stands for a weir status. No other function knows this. */
int weir__cli_exit_of(weir_status status);

/* ---- progress (progress.c) ----------------------------------------------------------------- */

/** Say what the command is at from now on. Where stderr is a terminal, and the command is at it for longer than half a second, a line
 *  with it is shown there, and what the library is busy with (weir__cli_signals_start()); it is redrawn until the next call.
 *  Another number in the same @p format is the same stage. NULL erases the line; it comes before anything is printed. */
void weir__cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** The same of values that are written to a file; not where that is the terminal. */
void weir__cli_writing(const struct weir__cli_output *output);
/** Whether lines of progress are to be seen: where stderr is a terminal. */
int weir__cli_progress_wanted(void);
/** Draw the line anew, or not yet; for the thread of signals. @param[in] activity  name NULL: the library is not busy. */
void weir__cli_progress_draw(const weir_activity *activity);

/* ---- texts that others wrote (text.c) ------------------------------------------------------ */

/** Replace every control character and every byte that is not UTF-8 by '?'. */
void weir__cli_clean(char *text);
/** Copy a text, cleaned and cut to what @p room holds; NULL becomes "?". @return @p room. */
const char *weir__cli_cleaned(const char *text, char *room, size_t size);

/* ---- requests and options (options.c, option_table.c) ------------------------------------- */

/** Who takes an option: verbs by name, and algorithms over graphs by what they can. */
enum weir__cli_verb_bit {
    VERB_OWN = 0, /**< the algorithm alone whose row lists the option */
    VERB_GEN = 1,
    VERB_INFO = 2,
    VERB_VERSION = 4,
    VERB_HELP = 8,
    VERB_TOPO = 16,
    VERB_BENCH = 32,
    VERB_PBF = 64,
    VERB_TRAVERSAL = 128, /**< every algorithm over graphs */
    VERB_SEARCH = 256,    /**< those that start at a vertex */
    VERB_WHOLE = 512,     /**< those that start everywhere */
    VERB_WORKLIST = 1024, /**< those that can go through the worklist */
    VERB_WEIGHTED = 2048, /**< those that need weights */
    VERB_TREE = 4096,     /**< those that can keep a tree */
    VERB_CONVERT = 8192,
    VERB_PARTITION = 16384,
    VERB_PLAN = 32768,
    VERB_GRAPH500 = 65536,
    VERB_SPMV = 131072,
    VERB_SPMM = 262144,
    VERB_BALANCED = 524288, /**< algorithms that can share work out among devices */
    VERB_MULTIPLY = VERB_SPMV | VERB_SPMM
};

enum { SPMM_COLUMNS = 32 }; /* unless --columns says */

/** The value of an option that one algorithm alone has. */
typedef union weir__cli_own {
    uint64_t count;
    double real;
    int choice; /**< position among named values */
} weir__cli_own;
/** Positions in weir__cli_request.own of those that weir plan takes as well, of whichever verb; others of a verb stand behind them. */
enum {
    OWN_TOLERANCE,
    OWN_DAMPING,
    OWN_ITERATIONS,
    OWN_BANDS,
    OWN_HUBS,
    OWN_BINS,
    OWN_STREAM,
    OWN_PERMUTE,
    OWN_UNPLANNED,
    OWN_OPTIONS = OWN_UNPLANNED + 1
};

typedef struct weir__cli_verb weir__cli_verb;

/** What the command line asks for; every option sets one field. */
typedef struct weir__cli_request {
    const weir__cli_verb *verb;
    /** A bit for each option of the verb that was on the command line: see weir__cli_given(). */
    uint64_t given;
    const char
        *graph; /**< the positional argument; of convert the first, and output is the second */
    const char *only;        /**< the second one, of plan: a verb */
    uint64_t vertices, arcs; /**< options of plan */
    const char *output, *json, *devices;
    const char *output_parents; /**< implies parents */
    const char *machine, *compare, *from;
    const char *trace, *dot;
    uint64_t bytes, bench_trials; /**< 0: the library's choice */
    uint64_t warmups;             /**< UINT64_MAX: the library's choice */
    double factor;                /**< 0: not given */
    uint64_t elements, packet;    /**< options of pbf; packet 0: the library's choice */
    uint64_t rounds;              /**< --work of pbf */
    double selectivity;
    int schedule;      /**< a weir_pbf_schedule */
    const char *x, *y; /**< options of spmv and spmm, to `against` */
    uint64_t columns;
    double alpha, beta;
    int values;           /**< a position in weir__cli_values */
    int product_schedule; /**< a weir_product_schedule */
    int overlap;          /**< a weir_product_overlap */
    int vector;           /**< a weir_product_vector */
    int transpose, against;
    uint64_t scale, edge_factor; /**< options of graph500; scale 0: not given */
    uint64_t source, sources, trials, seed;
    uint64_t parts;         /**< 0: not given */
    uint64_t time_limit_ms; /**< 0: none */
    int undirected, verify, stats, sssp, config, help, measure, brief;
    int verify_by;                    /**< one of the VERIFY_BY below */
    int format;                       /**< --format, a position in the verb's list of formats */
    int plan;                         /**< --route of topo, a weir_route_kind; -1: all of them */
    double level_us, barrier_us;      /**< --levels of topo: z and p */
    double arc_ns;                    /**< of --levels; 0: not given */
    int partition;                    /**< a weir_partition_kind, or PARTITION_AUTO */
    const char *partition_file;       /**< of --partition file:PATH; NULL: another partition */
    const char *partition_2d;         /**< "2d:RxC" of that partition; NULL: another one */
    int partition_rows;               /**< plan: --partition rows, of products */
    uint32_t grid_rows, grid_columns; /**< of that one */
    int route;                        /**< a weir_route_kind */
    int order;                        /**< a weir_order_kind */
    uint32_t delta;
    int kernel, worker; /**< a weir_kernel_kind, a weir_worker_kind */
    uint64_t fetch;     /**< 0: the library's choice */
    uint64_t queues;    /**< 0: the library's choice */
    int mapping;        /**< a weir_mapping_kind */
    uint32_t group;
    int balance; /**< a position in its list of choices */
    int wire;    /**< a weir_wire */
    weir_weights weights;
    int direction; /**< a weir_direction */
    int memory;    /**< a weir_memory */
    int parents;   /**< keep a tree */
    int batch;     /**< sources share runs */
    /** Options that the algorithm alone has; its file names the positions. */
    weir__cli_own own[OWN_OPTIONS];
} weir__cli_request;

/** --partition auto: the library picks the kind and the number of devices. The value follows those of
 *  weir_partition_kind. */
enum { PARTITION_AUTO = WEIR_PARTITION_2D + 1 };

/** Who judges results: positions in weir__cli_judges. */
enum { VERIFY_BY_AUTO, VERIFY_BY_REFERENCE, VERIFY_BY_CERTIFICATE };

struct weir__cli_verb {
    const char *name;
    unsigned bit; /**< the bit of the options that it takes; 0: the algorithm decides */
    /** NULL: the verb runs no algorithm over graphs. */
    const struct weir__cli_algorithm *algorithm;
    int positional; /**< how many arguments without a dash it takes */
    int (*run)(const weir__cli_request *request);
    const char *usage;    /**< the text behind the name in its usage */
    const char *text;     /**< a title of one line */
    const char *more;     /**< paragraphs before the options */
    const char *examples; /**< one command on each line */
};

/** The values of an option with named values. A value of @c later may end in ':' or be followed by
 *  a parameter: "file:" stands for "file:PATH". Both lists end with NULL. */
typedef struct weir__cli_choices {
    const char *built[9];
    const char *later[6];
} weir__cli_choices;

/** The type of the value at an offset. Documents show an unknown value as null. */
typedef enum weir__cli_kind {
    KIND_NONE,  /**< reports do not show it */
    KIND_COUNT, /**< uint64_t; the text of the choices leaves 0 out */
    KIND_REAL,  /**< double; negative or infinite: unknown */
    KIND_RATE,  /**< one of weir__cli_rates, whose harmonic mean the summary shows */
    KIND_VALUE, /**< long double, shown as the value of a vertex is */
    KIND_TEXT,  /**< const char *; NULL: there is none */
    KIND_CHOICE /**< int, a position among named values */
} weir__cli_kind;

typedef struct weir__cli_option weir__cli_option;
struct weir__cli_option {
    const char *name;     /**< without dashes */
    char letter;          /**< short form, or 0 */
    const char *argument; /**< NULL: a flag */
    unsigned verbs;       /**< who takes it */
    int (*set)(weir__cli_request *request, const weir__cli_option *option, const char *text);
    size_t field;                     /**< offset of the field it sets */
    weir__cli_kind kind;              /**< the type of that field, where reports show it */
    uint64_t low, high;               /**< the range of a number */
    const weir__cli_choices *choices; /**< the values of an option that names them */
    const char *help;                 /**< NULL: the help leaves it out */
    const char *foreign; /**< why the other verbs refuse it; NULL: they have none such */
    /** For an option that one algorithm alone has: the text that reports show among the choices, with the value in
     *  the place of %s; NULL: reports do not show the option. */
    const char *shown;
    /** What the run did with it; NULL: reports show what the field holds. */
    const char *(*picked)(const weir_run_stats *stats);
};

/** The verb with this name, or NULL. */
const weir__cli_verb *weir__cli_verb_find(const char *name);
/** All verbs from position 0 on: those of the algorithms, then the others. @return NULL behind the last. */
const weir__cli_verb *weir__cli_verb_at(size_t position);
enum { OPTIONS_MAX = 64 };
/** List the options of a verb in the order of its help: those of the table, and those of its algorithm's row. An
 *  option of the row replaces the option of the table that has the same name. @return how many there are. */
size_t weir__cli_options(const weir__cli_verb *verb, const weir__cli_option *options[OPTIONS_MAX]);
/** The option of a list with this name or letter; NULL: there is none. @param[in] length  of the name. */
const weir__cli_option *weir__cli_option_named(const weir__cli_option *const *list, size_t count,
                                               const char *name, size_t length, int is_letter);
/** The same, among all options of all verbs; it serves to say why an option is refused. */
const weir__cli_option *weir__cli_option_elsewhere(const char *name, size_t length, int is_letter);

/** Read the arguments behind the verb; stops at --help. */
int weir__cli_parse(const weir__cli_verb *verb, int count, char **arguments,
                    weir__cli_request *request);
/** Whether an option was on the command line, whatever its value. @param[in] name  without dashes. */
int weir__cli_given(const weir__cli_request *request, const char *name);
/** The first option that was on the command line, in the order of the help, or NULL. */
const char *weir__cli_first_given(const weir__cli_request *request);
/** The name closest to @p text among those that @p next gives one after another; NULL when none is close. A name
 *  is close if at most a third of the letters of the longer word differ. */
const char *weir__cli_closest(const char *text, const char *(*next)(void *user), void *user);

/* ---- numbers (number.c) ------------------------------------------------------------------- */

/** Read a whole number without sign or blanks. @return 0 when the text is one. */
int weir__cli_number(const char *text, uint64_t *value_out);
/** Read seconds, perhaps with a fraction, as milliseconds rounded up. @return 0 when the text is well formed. */
int weir__cli_seconds(const char *text, uint64_t *ms_out);
/** Read a number of bytes such as "64KiB", "100MB" or "1.5G". A letter alone counts in powers of 1024, as it does
 *  in the tunables. @return 0 when the text is well formed and a whole number of bytes. */
int weir__cli_bytes(const char *text, uint64_t *bytes_out);

/* ---- choices (choices.c) ------------------------------------------------------------------ */

extern const weir__cli_choices weir__cli_partitions, weir__cli_routes, weir__cli_orders,
    weir__cli_kernels, weir__cli_directions, weir__cli_workers, weir__cli_mappings,
    weir__cli_balances, weir__cli_wires, weir__cli_topo_formats, weir__cli_bench_formats,
    weir__cli_partition_formats, weir__cli_schedules, weir__cli_memories, weir__cli_judges,
    weir__cli_values, weir__cli_product_schedules, weir__cli_overlaps, weir__cli_vectors,
    weir__cli_streams;

/** Find the position of @p text among the built values. Any other text is refused by name. */
int weir__cli_choose(const weir__cli_choices *choices, const char *option, const char *text,
                     int *position_out);
/** Read --direction, among those that a verb takes. @param[out] out  a weir_direction. */
int weir__cli_choose_direction(const weir__cli_choices *choices, const char *text, int *out);
/** Read --order: fifo, soft, soft:DELTA or bulk. */
int weir__cli_choose_order(const char *text, int *order_out, uint32_t *delta_out);
/** Read --partition: sets the fields of the request that begin with `partition` and `grid`. */
int weir__cli_choose_partition(const char *text, weir__cli_request *request);
/** Read --mapping: auto, thread, warp, block, group:N or merge. */
int weir__cli_choose_mapping(const char *text, int *mapping_out, uint32_t *group_out);

/** What a run did with the choices left to it, in words. Strings behind pointers are static. For a run in step
 *  only partition, direction and an order that is not NULL have a meaning. partition is NULL where arcs are
 *  streamed, as there is none then. */
typedef struct weir__cli_picked {
    const char *partition, *direction, *route, *order, *kernel, *worker, *balance, *wire;
    const char *memory; /**< where arcs lie; NULL: they are streamed */
    /** As --mapping takes it; "" where a worker is a thread, which needs no mapping. */
    char mapping[32];
    uint32_t delta;  /**< 0: without soft priority */
    uint32_t fetch;  /**< items at a time; 0: as many as the number of tiles suggests */
    uint32_t queues; /**< of each device; 0: the kernel is not live */
    uint32_t cut;    /**< atoms of the longest piece of a tile; 0: tiles are not cut */
} weir__cli_picked;
weir__cli_picked weir__cli_pick(const weir__cli_request *request, const weir_run_stats *stats);

enum { WHY_ROOM = 256 };
/** Write the kind of a plan and why it was chosen: "ring: ...". The kind is not repeated where the reason begins
 *  with it. @return @p room. */
const char *weir__cli_route_why(const weir_route_plan *plan, char *room, size_t size);

/* ---- partitions (partition.c) ----------------------------------------------------------------- */

/** Refuse what --partition and --seed cannot be, as far as that is known without the graph. */
int weir__cli_partition_check(const weir__cli_request *request);
/** Make or read the partition that was asked for; auto is one of equal arcs. @param[in] parts  of a file, at
 *  most, where --parts is not given. */
weir_status weir__cli_partition_make(const weir__cli_request *request, const weir_graph *graph,
                                     uint32_t parts, weir_partition **partition_out);

/* ---- output files (output.c) -------------------------------------------------------------- */

/** A result file. It is written beside its target under another name and renamed when it is complete. Pipes,
 *  terminals, devices and standard output are written directly. A structure of zeros stands for no file. */
typedef struct weir__cli_output {
    const char *option; /**< the option that names the file, for messages */
    const char *path;   /**< as the user wrote it */
    weir__replace target;
    FILE *file;
} weir__cli_output;

/** Refuse a result file that the command is to read. @param[in] option  that names it; NULL: an argument does. */
int weir__cli_output_spares(const char *option, const char *path, const weir__cli_request *request);
/** Open a result file before the run, so that no run is wasted when the file cannot be written. "-" is standard
 *  output. @param[in] request  a file that it has the command read is refused. */
int weir__cli_output_open(weir__cli_output *output, const char *option, const char *path,
                          const weir__cli_request *request);
/** Whether the file is the program's standard output. */
int weir__cli_output_is_stdout(const weir__cli_output *output);
/** Refuse two outputs that are one file. */
int weir__cli_output_differ(const weir__cli_output *a, const weir__cli_output *b);
/** The same for any two of @p count outputs; those that are not open are left out. */
int weir__cli_outputs_differ(const weir__cli_output *outputs, size_t count);
/** Write a whole text with one call, so that the cause of a failure is the one that the system gives. */
int weir__cli_output_text(weir__cli_output *output, const char *text, size_t bytes);
/** Write out what was printed to standard output. @return EXIT_RUN, with a sentence, when that fails or
 *  failed before. */
int weir__cli_stdout_flush(void);
/** Write all files out, then let them appear under their names; files that are not open are skipped. A failure to
 *  write is a failure of the run (status 1), since everything that could be checked before the run was checked. */
int weir__cli_output_commit(weir__cli_output *outputs, size_t count);
/** Close the file and remove its temporary. Nothing happens after a commit or when the file is not open. */
void weir__cli_output_drop(weir__cli_output *output);

/* ---- traces (traced.c) ---------------------------------------------------------------------- */

/** Where the files of --trace and --dot stand among the outputs of a verb that has both, one after the other. */
enum { TRACE_FILE = 0, DOT_FILE, TRACE_FILES };
/** Open the files that were asked for. @param[out] outputs  TRACE_FILES of them. */
int weir__cli_trace_open(const weir__cli_request *request, weir__cli_output *outputs);
/** Begin a trace if a file was asked for. */
int weir__cli_trace_begin(const weir__cli_output *outputs, weir_context *context);
/** End it and write the files, which appear with weir__cli_output_commit(). What was dropped is said on standard error.
 *  Nothing happens where none was asked for. */
int weir__cli_trace_end(weir__cli_output *outputs, weir_context *context);

/* ---- signals (signals.c) ------------------------------------------------------------------ */

/** Route SIGINT, SIGTERM and SIGHUP to a thread of their own, which also observes the calling thread: it shows progress, stops a
 *  long call of the library at a signal, and ends the program when such a call is far over --time-limit. Call before
 *  any other thread is started, so that all inherit the blocked signals. @param[in] request  time_limit_ms counts. */
int weir__cli_signals_start(const weir__cli_request *request);
/** Name the signal that came, unless that was done. @return EXIT_RUN; EXIT_DONE: none came. */
int weir__cli_signals_told(void);
/** Say how a signal stops what runs now: the signals' thread calls @p cancel with @p user, once or several times.
 *  While nothing is watched and no long call of the library is running, a signal removes temporaries and ends the program. */
void weir__cli_signals_watch(void (*cancel)(void *user), void *user);
/** End what weir__cli_signals_watch() began. @return EXIT_RUN when a signal came meanwhile, which is then named in
 *  a message, or EXIT_DONE. */
int weir__cli_signals_unwatch(void);

/* ---- runs (run.c) -------------------------------------------------------------------------- */

/** End what weir__cli_signals_watch() began, with a message if a signal came or else if @p status is a failure.
 *  @return the exit status. */
int weir__cli_run_end(weir_status status);
/** End a report: its files appear, even those of a wrong result, and then a message says that the result is wrong.
 *  @param[in] difference  the sentence on the first difference; NULL: none was found. @return the exit status. */
int weir__cli_run_commit(weir__cli_output *outputs, size_t count, const char *difference);

/* ---- documents (document.c) ---------------------------------------------------------------- */

struct json_t;
/** From now on the program ends with status 1 and a sentence when there is no memory for a document. jansson
 *  itself would go on: with letters or keys missing, or over memory that belongs to something else. Call this
 *  before any other thread is started. */
void weir__cli_json_start(void);
/** A count or a seed as a JSON number. */
struct json_t *weir__cli_json_integer(uint64_t value);
/** A JSON string; bytes that are not UTF-8 (file names may hold any) become '?'. */
struct json_t *weir__cli_json_text(const char *text);
/** What the devices of a context are, as an array; NULL: out of memory. */
struct json_t *weir__cli_json_devices(const weir_context *context);
/** Write a document and free it; NULL means that there was no memory for it. @p digits of a real
 *  number: 17 give every bit back, 15 every number that was written with up to 15. */
int weir__cli_json_write(struct json_t *document, weir__cli_output *output, int digits);

/* ---- documents of many rows (document_stream.c) -------------------------------------------- */

/** A document that is being written. After a failure nothing more is written; the failure is told once, and
 *  weir__cli_document_end() returns it. */
typedef struct weir__cli_document {
    weir__cli_output *output;
    int digits, depth, code;
    int follows; /**< a member or row has been written where the next one goes */
    size_t used;
    char buffer[65536];
} weir__cli_document;

/** @p digits as of weir__cli_json_write(). */
void weir__cli_document_begin(weir__cli_document *document, weir__cli_output *output, int digits);
/** Write a member and free its value; NULL means that there was no memory for it. */
void weir__cli_document_add(weir__cli_document *document, const char *name, struct json_t *value);
/** Begin a member that is an array. Its rows follow one by one until weir__cli_document_rows_end(). */
void weir__cli_document_rows(weir__cli_document *document, const char *name);
/** Write a row and free it, as a member. @return EXIT_DONE, or the status of a failure, after which no more rows
 *  are wanted. */
int weir__cli_document_row(weir__cli_document *document, struct json_t *row);
void weir__cli_document_rows_end(weir__cli_document *document);
int weir__cli_document_end(weir__cli_document *document);

/* ---- results of any number of runs (records.c) ---------------------------------------------- */

/** Records of one size. Those beyond the first megabyte are kept in a file without a name. */
typedef struct weir__cli_records {
    const char *what; /**< what one is, for messages: "result" */
    size_t bytes;     /**< of one */
    uint64_t count;
    char *memory;
    uint64_t room; /**< records that memory holds */
    int opened;    /**< the file is there */
    int descriptor;
} weir__cli_records;

/** No records yet. */
weir__cli_records weir__cli_records_of(size_t bytes, const char *what);
/** Prepare for @p count records at most, so that a lack of memory or of disk fails now. */
int weir__cli_records_expect(weir__cli_records *records, uint64_t count);
int weir__cli_records_add(weir__cli_records *records, const void *record);
/** @param[in] index  less than the count. */
int weir__cli_records_get(const weir__cli_records *records, uint64_t index, void *record_out);
/** Whether the runs of a request without sources begin with one that is not counted; whether there is another one, with @p trials behind it
 *  and no result that was wrong. Progress says so. */
int weir__cli_trials_warm_up(const weir__cli_request *request);
/** Behind a run of more milliseconds the next one has no warm-up of its own: what that would save is less than 1 in 200. */
#define WEIR__CLI_WARMED_MS 20.0
int weir__cli_trials_next(const weir__cli_request *request, const weir__cli_records *trials,
                          const char *difference);
/** Free all records. Nothing happens when there are none or when the structure is zero. */
void weir__cli_records_free(weir__cli_records *records);

/* ---- filtering (verb_pbf.c, report_pbf.c) -------------------------------------------------- */

/** What the trials of weir pbf found. */
typedef struct weir__cli_filtered {
    const weir__cli_request *request;
    weir_context *context;
    weir_pbf_config config;
    /** A weir_pbf_stats each, with as many devices as there are; at least one trial. */
    weir__cli_records trials;
    weir_pbf_stats first; /**< of them */
    int verified;         /**< -1: not asked for */
    const char *difference;
    double min_ms, median_ms, max_ms;
    uint64_t median; /**< the trial whose time is the median, or just below it */
} weir__cli_filtered;
/** Fill in what follows from the times of the trials. */
int weir__cli_filtered_summarize(weir__cli_filtered *report);
int weir__cli_filtered_text(const weir__cli_filtered *report);
int weir__cli_filtered_json(const weir__cli_filtered *report, weir__cli_output *output);

/* ---- products (verb_spmv.c, report_spmv.c) --------------------------------------------------- */

/** A product of another library, in the same run. */
typedef struct weir__cli_rival {
    const char *name;
    const char *why_not; /**< NULL: it ran, and the figures below count */
    double median_ms, min_ms;
    int agrees;     /**< -1: not looked at */
    char room[256]; /**< for why_not */
} weir__cli_rival;

/** What a command's devices took to begin, and how long the main thread waited for them (devices.h), what their own thread took to start included. */
typedef struct weir__cli_begun {
    double ms, waited_ms;
} weir__cli_begun;

/** What the trials of weir spmv or spmm found. */
typedef struct weir__cli_multiplied {
    const weir__cli_request *request;
    weir_context *context;
    const weir_matrix *matrix;
    double opening_ms, placing_ms;
    weir__cli_begun begun;
    weir__cli_records trials; /**< a weir_product_stats each; at least one */
    uint64_t warmed_up;       /**< trials that a run came right before that is not counted */
    weir_product_stats first; /**< of them */
    int verified;             /**< -1: not asked for */
    const char *difference;
    double min_ms, median_ms, max_ms, kernel_ms; /**< the last is a median */
    const weir__cli_rival *rivals;
    size_t rival_count;
} weir__cli_multiplied;
/** Fill in what follows from the times of the trials. */
/** What a request asks a product to be (verb_spmv.c); and whether that can be. @return an exit status; a failure was reported. */
weir_product_config weir__cli_product_config(const weir__cli_request *request);
int weir__cli_product_check(const weir__cli_request *request);
int weir__cli_multiplied_summarize(weir__cli_multiplied *report);
int weir__cli_multiplied_text(const weir__cli_multiplied *report);
int weir__cli_multiplied_json(const weir__cli_multiplied *report, weir__cli_output *output);

/* ---- verbs and help ----------------------------------------------------------------------- */

/** Run any algorithm over graphs: that of request->verb. */
int weir__cli_traverse(const weir__cli_request *request);
/** gen and convert. */
int weir__cli_convert(const weir__cli_request *request);
/** What that writes, for help: of either verb. */
#define WEIR__CLI_FORMATS_WRITTEN                                    \
    ".mtx MatrixMarket, .gr Galois, .dimacs, .graph METIS, .sg or\n" \
    ".wsg GAP, .el or .txt edge list; .gz, .xz or .zst behind it\n"  \
    "packs; - is standard output, an edge list"
int weir__cli_partition(const weir__cli_request *request);
int weir__cli_info(const weir__cli_request *request);
int weir__cli_plan(const weir__cli_request *request);
int weir__cli_info_config(const weir__cli_request *request);
int weir__cli_topo(const weir__cli_request *request);
int weir__cli_bench(const weir__cli_request *request);
int weir__cli_pbf(const weir__cli_request *request);
int weir__cli_graph500(const weir__cli_request *request);
/** spmv and spmm. */
int weir__cli_spmv(const weir__cli_request *request);
int weir__cli_version(const weir__cli_request *request);
int weir__cli_help(const weir__cli_request *request);

/** Print the usage in a few lines, for a command without arguments. */
void weir__cli_help_short(FILE *file);
/** Print all about the command, or all about one verb, on standard output. */
void weir__cli_help_all(void);
void weir__cli_help_verb(const weir__cli_verb *verb);
/** Names and titles of the benchmarks. */
void weir__cli_bench_names(FILE *file);
/** Refuse a verb that is not known. */
int weir__cli_verb_refuse(const char *name);

#endif
