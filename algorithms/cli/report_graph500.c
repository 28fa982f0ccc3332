/** @file report_graph500.c  What weir graph500 found: the lines that the reference implementation prints, and a JSON document (schema 1). */
#include "algorithms/cli/graph500.h"
#include "algorithms/cli/spread.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static const char *const kernel_names[GRAPH500_KERNELS] = {"bfs", "sssp"};

/* ---- what is summed up ------------------------------------------------------------------------------- */

enum figure {
    FIGURE_TIME,
    FIGURE_DEVICE_TIME,
    FIGURE_VALIDATE,
    FIGURE_EDGES,
    FIGURE_TEPS,
    FIGURE_DEVICE_TEPS
};

/* A number of one run; of rates what they are one over. */
static double number_of(const weir__cli_rooted *run, int kernel, enum figure figure)
{
    const weir__cli_search *search = &run->search[kernel];
    switch (figure) {
    case FIGURE_TIME:
        return search->host;
    case FIGURE_DEVICE_TIME:
        return search->device;
    case FIGURE_VALIDATE:
        return search->validate;
    case FIGURE_EDGES:
        return (double)run->edges;
    case FIGURE_TEPS:
        return search->host / (double)run->edges;
    default:
        return search->device / (double)run->edges;
    }
}

/* @param[in] room  as many numbers as there are runs. */
static weir__cli_spread spread_of(const weir__cli_graph500_report *report, int kernel,
                                  enum figure figure, double *room)
{
    for (size_t i = 0; i < report->count; i++)
        room[i] = number_of(&report->runs[i], kernel, figure);
    return figure >= FIGURE_TEPS ? weir__cli_spread_of_rates(room, report->count)
                                 : weir__cli_spread_of(room, report->count);
}

static int take_room(const weir__cli_graph500_report *report, double **room_out)
{
    *room_out = calloc(report->count, sizeof **room_out);
    return *room_out
               ? EXIT_DONE
               : weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu runs", report->count);
}

/* ---- lines -------------------------------------------------------------------------------------------- */

enum { VALUE_COLUMN = 32 }; /* where values begin, as those of the reference implementation do */

static void print(const char *kernel, const char *statistic, const char *figure, const char *mark,
                  int digits, double value)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s%s_%s:", kernel, *kernel ? *(kernel + 3) ? " " : "  " : "",
             statistic, figure);
    if (*mark)
        printf("%-*s%s%.*g\n", VALUE_COLUMN - 3, key, mark, digits, value);
    else
        printf("%-*s %.*g\n", VALUE_COLUMN - 1, key, digits, value);
}

static void print_order(const char *kernel, const char *figure, int digits,
                        const weir__cli_spread *spread)
{
    print(kernel, "min", figure, "", digits, spread->min);
    print(kernel, "firstquartile", figure, "", digits, spread->firstquartile);
    print(kernel, "median", figure, "", digits, spread->median);
    print(kernel, "thirdquartile", figure, "", digits, spread->thirdquartile);
    print(kernel, "max", figure, "", digits, spread->max);
}

static void print_numbers(const char *kernel, const char *figure, int digits,
                          const weir__cli_spread *spread)
{
    print_order(kernel, figure, digits, spread);
    print(kernel, "mean", figure, "", digits, spread->mean);
    print(kernel, "stddev", figure, "", digits, spread->stddev);
}

/* The reference implementation marks the figure that lists are made by. */
static void print_rates(const char *kernel, const char *figure, const char *mark,
                        const weir__cli_spread *spread)
{
    print_order(kernel, figure, 6, spread);
    print(kernel, "harmonic_mean", figure, mark, 6, spread->mean);
    print(kernel, "harmonic_stddev", figure, "", 6, spread->stddev);
}

static void print_head(const weir__cli_graph500_report *report)
{
    const weir__cli_request *request = report->request;
    printf("%-*s%" PRIu64 "\n", VALUE_COLUMN, "SCALE:", request->scale);
    printf("%-*s%" PRIu64 "\n", VALUE_COLUMN, "edgefactor:", request->edge_factor);
    printf("%-*s%zu\n", VALUE_COLUMN, "NBFS:", report->count);
    printf("%-*s%g\n", VALUE_COLUMN, "graph_generation:", report->generation);
    printf("%-*s%" PRIu32 "\n", VALUE_COLUMN,
           "num_devices:", weir_context_device_count(report->context));
    printf("%-*s%g\n", VALUE_COLUMN, "construction_time:", report->construction);
}

int weir__cli_graph500_text(const weir__cli_graph500_report *report)
{
    static const struct {
        enum figure figure;
        const char *name, *mark;
        int digits, shared, rates; /* shared: the same for all kernels */
    } parts[] = {{FIGURE_TIME, "time", "", 6, 0, 0},
                 {FIGURE_EDGES, "nedge", "", 11, 1, 0},
                 {FIGURE_TEPS, "TEPS", "!  ", 6, 0, 1},
                 {FIGURE_VALIDATE, "validate", "", 6, 0, 0},
                 {FIGURE_DEVICE_TIME, "device_time", "", 6, 0, 0},
                 {FIGURE_DEVICE_TEPS, "device_TEPS", "", 6, 0, 1}};
    double *room;
    const int code = take_room(report, &room);
    if (code)
        return code;
    print_head(report);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t kernel = 0; kernel < (parts[i].shared ? 1 : report->kernels); kernel++) {
            const char *name = parts[i].shared ? "" : kernel_names[kernel];
            const weir__cli_spread spread = spread_of(report, (int)kernel, parts[i].figure, room);
            if (parts[i].rates)
                print_rates(name, parts[i].name, parts[i].mark, &spread);
            else
                print_numbers(name, parts[i].name, parts[i].digits, &spread);
        }
    free(room);
    return EXIT_DONE;
}

/* ---- a document --------------------------------------------------------------------------------------- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *spread_json(const weir__cli_graph500_report *report, int kernel, enum figure figure,
                           double *room)
{
    const weir__cli_spread of = spread_of(report, kernel, figure, room);
    const int rates = figure >= FIGURE_TEPS;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "min", real(of.min), "firstquartile",
                     real(of.firstquartile), "median", real(of.median), "thirdquartile",
                     real(of.thirdquartile), "max", real(of.max), rates ? "harmonic_mean" : "mean",
                     real(of.mean), rates ? "harmonic_stddev" : "stddev", real(of.stddev));
}

static json_t *kernel_json(const weir__cli_graph500_report *report, int kernel, double *room)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "time",
                     spread_json(report, kernel, FIGURE_TIME, room), "TEPS",
                     spread_json(report, kernel, FIGURE_TEPS, room), "validate",
                     spread_json(report, kernel, FIGURE_VALIDATE, room), "device_time",
                     spread_json(report, kernel, FIGURE_DEVICE_TIME, room), "device_TEPS",
                     spread_json(report, kernel, FIGURE_DEVICE_TEPS, room));
}

static json_t *search_json(const weir__cli_search *search)
{
    return json_pack("{s:f, s:f, s:f}", "time", search->host, "device_time", search->device,
                     "validate", search->validate);
}

static json_t *run_json(const weir__cli_graph500_report *report, const weir__cli_rooted *run)
{
    json_t *row = json_pack("{s:o, s:o}", "root", weir__cli_json_integer(run->root), "nedge",
                            weir__cli_json_integer(run->edges));
    for (uint32_t kernel = 0; kernel < report->kernels; kernel++)
        if (json_object_set_new(row, kernel_names[kernel], search_json(&run->search[kernel]))) {
            json_decref(row);
            return NULL;
        }
    return row;
}

/* Of a run that failed a validation there are no figures. */
static int add_results(const weir__cli_graph500_report *report, weir__cli_document *document)
{
    double *room;
    int code = take_room(report, &room);
    weir__cli_document_rows(document, "runs");
    for (size_t i = 0; i < report->count && !code; i++)
        code = weir__cli_document_row(document, run_json(report, &report->runs[i]));
    weir__cli_document_rows_end(document);
    if (!code)
        weir__cli_document_add(document, "nedge", spread_json(report, 0, FIGURE_EDGES, room));
    for (uint32_t kernel = 0; kernel < report->kernels && !code; kernel++)
        weir__cli_document_add(document, kernel_names[kernel],
                               kernel_json(report, (int)kernel, room));
    free(room);
    return code;
}

int weir__cli_graph500_json(const weir__cli_graph500_report *report, weir__cli_output *output)
{
    const weir__cli_request *request = report->request;
    weir__cli_document document;
    int code = EXIT_DONE;
    weir__cli_document_begin(&document, output, 17);
    weir__cli_document_add(&document, "schema", json_integer(1));
    weir__cli_document_add(&document, "command", json_string("graph500"));
    weir__cli_document_add(&document, "devices", weir__cli_json_devices(report->context));
    weir__cli_document_add(&document, "graph",
                           json_pack("{s:s, s:o, s:o}", "name", report->graph, "vertices",
                                     weir__cli_json_integer(report->vertices), "edges",
                                     weir__cli_json_integer(report->edges)));
    weir__cli_document_add(&document, "SCALE", weir__cli_json_integer(request->scale));
    weir__cli_document_add(&document, "edgefactor", weir__cli_json_integer(request->edge_factor));
    weir__cli_document_add(&document, "seed", weir__cli_json_integer(request->seed));
    weir__cli_document_add(&document, "NBFS", weir__cli_json_integer(report->count));
    weir__cli_document_add(&document, "graph_generation", json_real(report->generation));
    weir__cli_document_add(&document, "construction_time", json_real(report->construction));
    weir__cli_document_add(&document, "verified", json_boolean(!*report->difference));
    if (!*report->difference)
        code = add_results(report, &document);
    return code ? code : weir__cli_document_end(&document);
}
