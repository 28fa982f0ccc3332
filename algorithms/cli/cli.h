/** @file cli.h  What the parts of the `weir` command share. Not installed.
 *
 * The command stands on the public headers alone: whatever it can do, a C program can do. Functions
 * that can fail print their one sentence and return an exit status: 0 done, 1 the run failed, 2 bad
 * usage or bad input.
 */
#ifndef WEIR_ALGORITHMS_CLI_H
#define WEIR_ALGORITHMS_CLI_H

#include "algorithms/algorithms.h"
#include "algorithms/graph/replace.h"

#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

/* ---- messages (message.c) ----------------------------------------------------------------- */

/** Print "weir: " and the sentence as one line on stderr. @return @p code. */
int weir__cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Report a failed weir call with weir_error_detail(). @return the exit status of @p status. */
int weir__cli_fail_status(weir_status status);
/** The exit status that stands for a weir status: the one place that knows. */
int weir__cli_exit_of(weir_status status);
/** Show a line of progress where stderr is a terminal; NULL erases it. */
void weir__cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- texts that others wrote (text.c) ------------------------------------------------------ */

/** Make a '?' of every control character and of every byte that is no UTF-8. */
void weir__cli_clean(char *text);
/** A clean copy, cut to what @p room holds; NULL: "?". @return @p room. */
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
    VERB_TREE = 4096      /**< those that can keep a tree */
};

/** The value of an option that one algorithm alone has. */
typedef union weir__cli_own {
    uint64_t count;
    double real;
    int choice; /**< position among named values */
} weir__cli_own;
enum { OWN_OPTIONS = 8 };

typedef struct weir__cli_verb weir__cli_verb;

/** What the command line asks for; every option sets one field. */
typedef struct weir__cli_request {
    const weir__cli_verb *verb;
    uint64_t given;    /**< a bit for each option of the verb: see weir__cli_given() */
    const char *graph; /**< the positional argument */
    const char *output, *json, *devices;
    const char *output_parents; /**< implies parents */
    const char *machine, *compare, *from;
    uint64_t bytes, bench_trials; /**< 0: the library's choice */
    uint64_t warmups;             /**< UINT64_MAX: the library's choice */
    double factor;                /**< 0: not given */
    uint64_t elements, packet;    /**< of pbf; the second 0: the library's choice */
    uint64_t rounds;              /**< of pbf: --work */
    double selectivity;
    int schedule; /**< a weir_pbf_schedule */
    uint64_t source, sources, trials, seed;
    uint64_t time_limit_ms; /**< 0: none */
    int undirected, verify, stats, config, help, measure;
    int format;    /**< position in the verb's list of formats */
    int plan;      /**< of topo: a weir_route_kind; -1: all of them */
    int partition; /**< a weir_partition_kind, or PARTITION_AUTO */
    int route;     /**< a weir_route_kind */
    int order;     /**< a weir_order_kind */
    uint32_t delta;
    int kernel, worker; /**< a weir_kernel_kind, a weir_worker_kind */
    uint64_t fetch;     /**< 0: the library's choice */
    int mapping;        /**< a weir_mapping_kind */
    uint32_t group;
    int balance, wire; /**< position in their lists of choices */
    weir_weights weights;
    int direction;                  /**< a weir_direction */
    int parents;                    /**< keep a tree */
    weir__cli_own own[OWN_OPTIONS]; /**< of the algorithm, whose file names the positions */
} weir__cli_request;

/** --partition auto: the library picks kind and number of devices. Behind the weir_partition_kinds. */
enum { PARTITION_AUTO = WEIR_PARTITION_METIS + 1 };

struct weir__cli_verb {
    const char *name;
    unsigned bit; /**< of options that it takes; 0: as the algorithm can */
    const struct weir__cli_algorithm *algorithm;  /**< NULL: none over graphs */
    int positional;                               /**< arguments without a dash it takes */
    int (*run)(const weir__cli_request *request); /**< NULL: named in the design, not built */
    const char *usage;                            /**< behind the name */
    const char *text;                             /**< one line */
    const char *more;                             /**< paragraphs before the options */
    const char *examples;                         /**< a command a line */
};

/** The values of an option with named values. A value of @c later may end in ':' or be followed by
 *  a parameter: "file:" stands for "file:PATH". Both lists end with NULL. */
typedef struct weir__cli_choices {
    const char *built[8];
    const char *later[6];
} weir__cli_choices;

/** What lies at an offset. Documents show what is unknown as null. */
typedef enum weir__cli_kind {
    KIND_NONE,  /**< nothing that reports show */
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
    weir__cli_kind kind;              /**< of that field, where reports show it */
    uint64_t low, high;               /**< of numbers */
    const weir__cli_choices *choices; /**< of named values */
    const char *help;                 /**< NULL: the help leaves it out */
    const char *foreign; /**< why the other verbs refuse it; NULL: they have none such */
    /** Of an option that one algorithm alone has: the value among the choices, in the place of %s; NULL: reports do
     *  not show it. */
    const char *shown;
    /** What the run did with it; NULL: reports show what the field holds. */
    const char *(*picked)(const weir_run_stats *stats);
};

/** The verb with this name, or NULL. */
const weir__cli_verb *weir__cli_verb_find(const char *name);
/** All verbs from position 0 on: those of the algorithms, then the others. @return NULL behind the last. */
const weir__cli_verb *weir__cli_verb_at(size_t position);
enum { OPTIONS_MAX = 64 };
/** The options of a verb in the order of its help: those of the table, and those of its algorithm's row, which take
 *  the place of options of the table with their names. @return how many. */
size_t weir__cli_options(const weir__cli_verb *verb, const weir__cli_option *options[OPTIONS_MAX]);
/** The option of a list with this name or letter; NULL: there is none. @param[in] length  of the name. */
const weir__cli_option *weir__cli_option_named(const weir__cli_option *const *list, size_t count,
                                               const char *name, size_t length, int is_letter);
/** Likewise of all options of all verbs, to say why one is refused. */
const weir__cli_option *weir__cli_option_elsewhere(const char *name, size_t length, int is_letter);

/** Read the arguments behind the verb; stops at --help. */
int weir__cli_parse(const weir__cli_verb *verb, int count, char **arguments,
                    weir__cli_request *request);
/** Whether an option was on the command line, whatever its value. @param[in] name  without dashes. */
int weir__cli_given(const weir__cli_request *request, const char *name);
/** The first option that was, in the order of the table, or NULL. */
const char *weir__cli_first_given(const weir__cli_request *request);
/** The closest of the names that @p next gives one after another, or NULL when none is close: of the
 *  longer word at most a third of the letters may differ. */
const char *weir__cli_closest(const char *text, const char *(*next)(void *user), void *user);

/* ---- numbers (number.c) ------------------------------------------------------------------- */

/** A whole number without sign or blanks. @return 0 when it is one. */
int weir__cli_number(const char *text, uint64_t *value_out);
/** Seconds, perhaps with a fraction, to milliseconds rounded up. @return 0 when well formed. */
int weir__cli_seconds(const char *text, uint64_t *ms_out);
/** "64KiB", "100MB", "1.5G": a letter alone counts in powers of 1024, as the tunables do. @return 0
 *  when well formed and a whole number of bytes. */
int weir__cli_bytes(const char *text, uint64_t *bytes_out);

/* ---- choices (choices.c) ------------------------------------------------------------------ */

extern const weir__cli_choices weir__cli_partitions, weir__cli_routes, weir__cli_orders,
    weir__cli_kernels, weir__cli_workers, weir__cli_mappings, weir__cli_balances, weir__cli_wires,
    weir__cli_topo_formats, weir__cli_bench_formats, weir__cli_schedules;

/** Position of @p text among the built values; refuses the others by name. */
int weir__cli_choose(const weir__cli_choices *choices, const char *option, const char *text,
                     int *position_out);
/** "--direction", of those that a verb takes. @param[out] out  a weir_direction. */
int weir__cli_choose_direction(const weir__cli_choices *choices, const char *text, int *out);
/** "--order": fifo, soft, soft:DELTA, bulk. */
int weir__cli_choose_order(const char *text, int *order_out, uint32_t *delta_out);
/** "--mapping": auto, thread, warp, block, group:N, merge. */
int weir__cli_choose_mapping(const char *text, int *mapping_out, uint32_t *group_out);

/** What a run did with the choices left to it, in words. Strings behind pointers are static. Of a run
 *  in step all but partition and direction say nothing, and order does only where it is not NULL. There is
 *  no partition, NULL, where arcs are streamed. */
typedef struct weir__cli_picked {
    const char *partition, *direction, *route, *order, *kernel, *worker, *balance, *wire;
    char mapping[24]; /**< as --mapping takes it; "": none, where a worker is a thread */
    uint32_t delta;   /**< 0: without soft priority */
    uint32_t fetch;   /**< 0: by how many tiles there are */
    uint32_t cut;     /**< atoms of the longest piece of a tile; 0: tiles are not cut */
} weir__cli_picked;
weir__cli_picked weir__cli_pick(const weir__cli_request *request, const weir_run_stats *stats);

enum { WHY_ROOM = 256 };
/** "ring: " and why that is the plan, which may name the kind itself. @return @p room. */
const char *weir__cli_route_why(const weir_route_plan *plan, char *room, size_t size);

/* ---- output files (output.c) -------------------------------------------------------------- */

/** A result file: written beside its target under another name and renamed when complete. Pipes,
 *  terminals, devices and standard output are written directly. Zero is "not open". */
typedef struct weir__cli_output {
    const char *option; /**< for messages */
    const char *path;   /**< as the user wrote it */
    weir__replace target;
    FILE *file;
} weir__cli_output;

/** Open it, so that what cannot be written costs no run. "-" is standard output. */
int weir__cli_output_open(weir__cli_output *output, const char *option, const char *path);
/** Whether it goes to the program's standard output. */
int weir__cli_output_is_stdout(const weir__cli_output *output);
/** Refuse two outputs that are one file. */
int weir__cli_output_differ(const weir__cli_output *a, const weir__cli_output *b);
/** Write a whole text at once, so that the cause of a failure is the system's and not lost. */
int weir__cli_output_text(weir__cli_output *output, const char *text, size_t bytes);
/** Write out what was printed to standard output. @return EXIT_RUN, with a sentence, when that fails or
 *  failed before. */
int weir__cli_stdout_flush(void);
/** Write everything out, then let the files appear; both may be unopened. What cannot be written
 *  now is a failure of the run, status 1: all that could be checked before was. */
int weir__cli_output_commit(weir__cli_output *outputs, size_t count);
/** Forget it and remove its temporary; fine after commit or when it is not open. */
void weir__cli_output_drop(weir__cli_output *output);

/* ---- signals (signals.c) ------------------------------------------------------------------ */

/** Route SIGINT, SIGTERM and SIGHUP to a thread of their own. Call before any other thread is
 *  started, so that all inherit the blocked signals. */
int weir__cli_signals_start(void);
/** How a signal stops what runs now: @p cancel is called with @p user, once or several times, from
 *  the signals' thread. Unwatched, a signal removes temporaries and ends the program. */
void weir__cli_signals_watch(void (*cancel)(void *user), void *user);
/** End that. @return EXIT_RUN when a signal came meanwhile, which is then named, or EXIT_DONE. */
int weir__cli_signals_unwatch(void);

/* ---- runs (run.c) -------------------------------------------------------------------------- */

/** The end of what weir__cli_signals_watch() began: a signal or else a failed status is told.
 *  @return the exit status. */
int weir__cli_run_end(weir_status status);
/** The end of a report: its files appear, a wrong result's too, and then that it is wrong is told.
 *  @param[in] difference  the sentence on it; NULL: none was found.
 *  @return the exit status. */
int weir__cli_run_commit(weir__cli_output *outputs, size_t count, const char *difference);

/* ---- documents (document.c) ---------------------------------------------------------------- */

struct json_t;
/** From now on a document that there is no memory for ends the program, with status 1 and a sentence.
 *  jansson goes on where it had none: with letters missing, with keys missing, or over memory that is
 *  somebody else's. Call before any other thread is started. */
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

/** A document under way. A failure sticks, is told once, and is what the end returns. */
typedef struct weir__cli_document {
    weir__cli_output *output;
    int digits, depth, code;
    int follows; /**< a member or row has been written where the next one goes */
    size_t used;
    char buffer[65536];
} weir__cli_document;

/** @p digits as of weir__cli_json_write(). */
void weir__cli_document_begin(weir__cli_document *document, weir__cli_output *output, int digits);
/** A member. Takes the value; NULL: there was no memory for it. */
void weir__cli_document_add(weir__cli_document *document, const char *name, struct json_t *value);
/** A member that is an array, whose rows come one by one until the end of rows. */
void weir__cli_document_rows(weir__cli_document *document, const char *name);
/** Takes the row, as above. @return EXIT_DONE, or what the document ends with: no more rows are wanted. */
int weir__cli_document_row(weir__cli_document *document, struct json_t *row);
void weir__cli_document_rows_end(weir__cli_document *document);
int weir__cli_document_end(weir__cli_document *document);

/* ---- results of any number of runs (records.c) ---------------------------------------------- */

/** Records of one size. Beyond a megabyte they wait in a file without a name. */
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
/** There will be @p count at most: what that needs and cannot be had fails now. */
int weir__cli_records_expect(weir__cli_records *records, uint64_t count);
int weir__cli_records_add(weir__cli_records *records, const void *record);
/** @param[in] index  less than the count. */
int weir__cli_records_get(const weir__cli_records *records, uint64_t index, void *record_out);
/** None are left; fine when there were none, or all is zero. */
void weir__cli_records_free(weir__cli_records *records);

/* ---- filtering (verb_pbf.c, report_pbf.c) -------------------------------------------------- */

/** What the trials of weir pbf found. */
typedef struct weir__cli_filtered {
    const weir__cli_request *request;
    weir_context *context;
    weir_pbf_config config;
    weir__cli_records trials; /**< weir_pbf_stats of as many devices as there are; at least 1 */
    weir_pbf_stats first;     /**< of them */
    int verified;             /**< -1: not asked for */
    const char *difference;
    double min_ms, median_ms, max_ms;
    uint64_t median; /**< the trial whose time is the median, or just below it */
} weir__cli_filtered;
/** Fill in what follows from the times of the trials. */
int weir__cli_filtered_summarize(weir__cli_filtered *report);
int weir__cli_filtered_text(const weir__cli_filtered *report);
int weir__cli_filtered_json(const weir__cli_filtered *report, weir__cli_output *output);

/* ---- verbs and help ----------------------------------------------------------------------- */

/** Of every algorithm over graphs. */
int weir__cli_traverse(const weir__cli_request *request);
int weir__cli_gen(const weir__cli_request *request);
int weir__cli_info(const weir__cli_request *request);
int weir__cli_info_config(const weir__cli_request *request);
int weir__cli_topo(const weir__cli_request *request);
int weir__cli_bench(const weir__cli_request *request);
int weir__cli_pbf(const weir__cli_request *request);
int weir__cli_version(const weir__cli_request *request);
int weir__cli_help(const weir__cli_request *request);

/** The usage in a few lines, as an answer to no arguments at all. */
void weir__cli_help_short(FILE *file);
/** All about the command, and all about one verb, on standard output. */
void weir__cli_help_all(void);
void weir__cli_help_verb(const weir__cli_verb *verb);
/** Names and titles of the benchmarks. */
void weir__cli_bench_names(FILE *file);
/** Refuse a verb that is not built or not known. */
int weir__cli_verb_refuse(const char *name);

#endif
