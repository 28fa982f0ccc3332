/** @file result.h  What the verbs topo and bench share: matrices for people, and the result of
 *  benchmarks, which is measured, written, read back, printed and compared. */
#ifndef WEIR_ALGORITHMS_CLI_RESULT_H
#define WEIR_ALGORITHMS_CLI_RESULT_H

#include "algorithms/cli/cli.h"
#include "topology/bench.h"

struct json_t;

/* ---- figures and matrices for people (matrix.c) -------------------------------------------- */

enum { FIGURE_ROOM = 32 };

/** Four significant digits without an exponent where that is short: "0.8123", "392.1", "14230". */
const char *weir__cli_figure(double value, char room[FIGURE_ROOM]);

/** A matrix of short texts, row = from, column = to. */
typedef struct weir__cli_matrix {
    uint32_t rows, columns;
    /** Label of a row or a column, or text of a cell ("" leaves it empty), in @p room or static. */
    const char *(*row)(void *user, uint32_t row);
    const char *(*column)(void *user, uint32_t column);
    const char *(*cell)(void *user, uint32_t row, uint32_t column, char room[FIGURE_ROOM]);
    void *user;
} weir__cli_matrix;

/** Print it with aligned columns; what is wider than a page continues below, rows repeated.
 *  @param[in] corner  over the row labels, say "from \ to". */
void weir__cli_matrix_print(FILE *file, const weir__cli_matrix *matrix, const char *corner);

/* ---- the benchmarks there are (bench_list.c) ------------------------------------------------- */

/** The i-th benchmark: those of the machine, then those of the router; NULL behind the last. */
const weir_bench_info *weir__cli_bench_at(size_t index);
/** The benchmark with this name, or NULL. */
const weir_bench_info *weir__cli_bench_find(const char *name);
/** Run the benchmark with this name, whichever layer it belongs to. */
weir_status weir__cli_bench_run(weir_context *context, const char *name,
                                const weir_bench_config *config, weir_bench_table **table_out);

/* ---- results (result.c) --------------------------------------------------------------------- */

/** Figures of one or several benchmarks, and how they came about. */
typedef struct weir__cli_result {
    const char *path;       /**< the file it was read from; NULL: measured just now */
    struct json_t *machine; /**< the document of weir_machine_json() */
    struct json_t *devices; /**< the devices, as every document has them */
    struct json_t *options; /**< what was asked for; null: the library's choice */
    char version[32];       /**< the version of the program that measured */
    int simulated;          /**< the figures are in virtual time */
    size_t count;
    weir_bench_table *tables;
    char **failed; /**< for each table the sentence that says why it has no figures, or NULL */
} weir__cli_result;

/** Round a number to so many significant digits. */
double weir__cli_rounded(double value, int digits);
/** Append a copy of a table, its figures cut to six digits, its texts fit to be shown. A table
 *  without a title takes the one of the benchmark with its name.
 *  @param[in] failed  why there are no figures; NULL: it did not fail. */
int weir__cli_result_add(weir__cli_result *result, const weir_bench_table *table,
                         const char *failed);
/** Drop all tables but the one with this name. @return how many stay, 0 or 1. */
size_t weir__cli_result_keep(weir__cli_result *result, const char *name);
void weir__cli_result_free(weir__cli_result *result);

/** The document (schema 1); NULL: out of memory. */
struct json_t *weir__cli_result_json(const weir__cli_result *result);
/** Read a document back (result_read.c). A file that is no result is refused with file, line and cause.
 *  @param[in] option  the option that names the file, for messages. */
int weir__cli_result_read(const char *option, const char *path, weir__cli_result *result_out);
/** The line on which a value of a JSON text begins, counted from 1 (json_line.c). @p text must be
 *  valid JSON; @p path leads to the value: member names and array positions, "tables/3/unit". The
 *  line of the innermost value that is there when the whole path is not. */
size_t weir__cli_json_line(const char *text, const char *path);

/** Print the figures for people (result_table.c), or one line for each figure below a header (result_csv.c). */
void weir__cli_result_table(const weir__cli_result *result, FILE *file);
void weir__cli_result_csv(const weir__cli_result *result, FILE *file);

/** A sentence on stderr for each benchmark that was skipped or failed: CSV has no place for it. */
void weir__cli_result_csv_gaps(const weir__cli_result *result);

/** What a comparison found. */
typedef struct weir__cli_outcome {
    int code;            /**< the exit status */
    char sentence[1024]; /**< the sentence that says why the status is not EXIT_DONE */
} weir__cli_outcome;
/** Print every figure of @p now beside that of @p old (compare.c): ratios above 1 are faster. The outcome is
 *  the caller's to tell, once the figures are kept.
 *  @param[in] factor  a figure this many times slower is a failure; more than 1, or 1 for any.
 *  @return EXIT_DONE, whatever the outcome, or the status of what could not be compared, which is told. */
int weir__cli_result_compare(const weir__cli_result *old, const weir__cli_result *now,
                             double factor, FILE *file, weir__cli_outcome *outcome_out);

/* ---- the two verbs --------------------------------------------------------------------------- */

/** Make the context that --devices or --machine ask for. A machine gets a simulated context. */
int weir__cli_context_open(const weir__cli_request *request, weir_context **context_out);
/** Fill in what a measurement shares: progress on a terminal, stopped by a signal. Pair it with
 *  weir__cli_measure_end(). */
void weir__cli_measure_begin(weir_bench_config *config);
/** End a measurement. @return the exit status of @p status; when a signal came meanwhile, the message names the
 *  signal instead. */
int weir__cli_measure_end(weir_status status);
/** The same, but a failure of the measurement itself, which is neither a signal nor bad usage, is left to the
 *  caller to tell. @param[out] failed_out  whether there is such a failure; weir_error_detail() then says why. */
int weir__cli_measure_end_of_many(weir_status status, int *failed_out);

/** Whether some pair of devices reaches each other only through the home memory. */
int weir__cli_any_staged(const weir_machine *machine);
/** The table of a machine (topo_table.c) and what routes over it would be (topo_routes.c).
 *  @param[in] plan  a weir_route_kind to show alone, or -1. */
void weir__cli_topo_table(const weir_machine *machine, FILE *file);
/** What the pools of a context's devices may take. */
void weir__cli_topo_pools(const weir_context *context, FILE *file);
int weir__cli_topo_routes(const weir_machine *machine, int plan, FILE *file);
/** What levels of several sizes would take 1 to all devices (topo_levels.c), by --levels. */
int weir__cli_topo_levels(const weir_machine *machine, const weir__cli_request *request,
                          FILE *file);

#endif
