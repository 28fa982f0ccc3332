/** @file report_spmv.c  What weir spmv and spmm found, for people and as a JSON document (schema 1). */
#include "algorithms/cli/cli.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static double rate(uint64_t count, double ms)
{
    return ms > 0 ? (double)count / ms / 1e6 : 0;
}

/* ---- summary ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

int weir__cli_multiplied_summarize(weir__cli_multiplied *report)
{
    const size_t count = (size_t)report->trials.count;
    double *ms = calloc(2 * count, sizeof *ms), *kernel_ms = ms + count;
    int code = EXIT_DONE;
    if (!ms)
        return weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    for (size_t i = 0; i < count && !code; i++) {
        weir_product_stats trial = WEIR_PRODUCT_STATS_INIT;
        code = weir__cli_records_get(&report->trials, i, &trial);
        ms[i] = trial.ms;
        kernel_ms[i] = trial.kernel_ms;
    }
    if (!code) {
        report->median_ms = median_of(ms, count);
        report->min_ms = ms[0];
        report->max_ms = ms[count - 1];
        report->kernel_ms = median_of(kernel_ms, count);
        code = weir__cli_records_get(&report->trials, 0, &report->first);
    }
    free(ms);
    return code;
}

/* ---- for people ---- */

static void print_head(const weir__cli_multiplied *report)
{
    const weir__cli_request *request = report->request;
    const weir_matrix *matrix = report->matrix;
    const weir_product_stats *first = &report->first;
    char room[256];
    printf("matrix   %s, %s: %" PRIu64 " rows, %" PRIu64 " columns, %" PRIu64 " nonzeros of %s",
           weir__cli_cleaned(matrix->name, room, sizeof room), matrix->format, matrix->rows,
           matrix->columns, matrix->nonzeros, weir__cli_values.built[request->values]);
    if (matrix->added)
        printf("; %" PRIu64 " entries added to others", matrix->added);
    printf("\nproduct  y = %g %s x", request->alpha, request->transpose ? "A^T" : "A");
    if (request->beta != 0)
        printf(" + %g y", request->beta);
    printf(", %" PRIu64 " column%s; schedule %s, %" PRIu32 " device%s", request->columns,
           request->columns == 1 ? "" : "s", weir_product_schedule_text(first->schedule),
           first->devices, first->devices == 1 ? "" : "s");
    if (request->grid_columns)
        printf(" in a grid of %" PRIu32 " x %" PRIu32, request->grid_rows, request->grid_columns);
    if (first->devices > 1 && request->grid_columns > 1)
        printf(", %" PRIu64 " bytes of x and of sums exchanged", first->bytes_exchanged);
    else if (first->devices > 1)
        printf(", %" PRIu64 " bytes exchanged %s", first->bytes_exchanged,
               first->overlap ? "meanwhile" : "before");
    if (first->devices > 1)
        printf("; x %s, %" PRIu64 " rows of it are others'",
               weir_product_vector_text(first->vector), first->halo);
    printf("\nprepared in %.3f ms: matrix %.3f, placing %.3f; devices %.3f, waited for %.3f\n",
           report->opening_ms + report->placing_ms, report->opening_ms, report->placing_ms,
           report->begun.ms, report->begun.waited_ms);
}

static int print_trials(const weir__cli_multiplied *report)
{
    int code = EXIT_DONE;
    printf("\n%5s %12s %12s %10s %10s\n", "trial", "ms", "kernel ms", "GB/s", "GFLOP/s");
    for (uint64_t i = 0; i < report->trials.count && !code; i++) {
        weir_product_stats trial = WEIR_PRODUCT_STATS_INIT;
        if (!(code = weir__cli_records_get(&report->trials, i, &trial)))
            printf("%5" PRIu64 " %12.4f %12.4f %10.3f %10.3f\n", i + 1, trial.ms, trial.kernel_ms,
                   rate(trial.bytes, trial.kernel_ms), rate(trial.flops, trial.kernel_ms));
    }
    return code;
}

int weir__cli_multiplied_text(const weir__cli_multiplied *report)
{
    const weir_product_stats *first = &report->first;
    print_head(report);
    int code = print_trials(report);
    if (code)
        return code;
    if (report->trials.count > 1)
        printf("\nsummary  %" PRIu64 " runs: %.4f ms min, %.4f ms median, %.4f ms max; kernels "
               "%.4f ms, %.3f GB/s, %.3f GFLOP/s at the median\n",
               report->trials.count, report->min_ms, report->median_ms, report->max_ms,
               report->kernel_ms, rate(first->bytes, report->kernel_ms),
               rate(first->flops, report->kernel_ms));
    for (size_t i = 0; i < report->rival_count; i++) {
        const weir__cli_rival *rival = &report->rivals[i];
        if (rival->why_not)
            printf("%-14s not compared: %s\n", rival->name, rival->why_not);
        else
            printf("%-14s %.4f ms min, %.4f ms median; kernels here take %.3f of it%s\n",
                   rival->name, rival->min_ms, rival->median_ms,
                   rival->median_ms > 0 ? report->kernel_ms / rival->median_ms : 0,
                   rival->agrees == 0 ? "; its result is wrong" : "");
    }
    if (report->verified >= 0)
        printf("verified: %s\n", report->verified ? "ok" : report->difference);
    return EXIT_DONE;
}

/* ---- for scripts ---- */

static json_t *matrix_json(const weir__cli_multiplied *report)
{
    const weir_matrix *matrix = report->matrix;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:s}", "name", weir__cli_json_text(matrix->name), "format",
        matrix->format, "rows", weir__cli_json_integer(matrix->rows), "columns",
        weir__cli_json_integer(matrix->columns), "nonzeros",
        weir__cli_json_integer(matrix->nonzeros), "added", weir__cli_json_integer(matrix->added),
        "values", weir__cli_values.built[report->request->values]);
}

static json_t *choices_json(const weir__cli_multiplied *report)
{
    const weir__cli_request *request = report->request;
    const weir_product_stats *first = &report->first;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:b, s:b, s:s, s:f, s:f, s:o, s:o, s:o}", "schedule",
        weir_product_schedule_text(first->schedule), "grid_rows",
        weir__cli_json_integer(request->grid_rows ? request->grid_rows : first->devices),
        "grid_columns", weir__cli_json_integer(request->grid_columns ? request->grid_columns : 1),
        "columns", weir__cli_json_integer(request->columns), "transpose", request->transpose,
        "overlap", first->overlap, "vector", weir_product_vector_text(first->vector), "alpha",
        request->alpha, "beta", request->beta, "trials", weir__cli_json_integer(request->trials),
        "seed", weir__cli_json_integer(request->seed), "time_limit_ms",
        weir__cli_json_integer(request->time_limit_ms));
}

static json_t *trial_json(const weir_product_stats *trial)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "ms", trial->ms, "kernel_ms", trial->kernel_ms, "gbs",
                     rate(trial->bytes, trial->kernel_ms), "gflops",
                     rate(trial->flops, trial->kernel_ms));
}

static json_t *summary_json(const weir__cli_multiplied *report)
{
    const weir_product_stats *first = &report->first;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "min_ms", report->min_ms, "median_ms",
                     report->median_ms, "max_ms", report->max_ms, "kernel_ms", report->kernel_ms,
                     "gbs_median", rate(first->bytes, report->kernel_ms), "gflops_median",
                     rate(first->flops, report->kernel_ms));
}

static json_t *product_json(const weir__cli_multiplied *report)
{
    const weir_product_stats *first = &report->first;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:o}", "bytes",
        weir__cli_json_integer(first->bytes), "flops", weir__cli_json_integer(first->flops),
        "bytes_exchanged", weir__cli_json_integer(first->bytes_exchanged), "halo",
        weir__cli_json_integer(first->halo), "halo_bytes",
        weir__cli_json_integer(first->halo_bytes), "near", weir__cli_json_integer(first->near),
        "opening_ms", report->opening_ms, "placing_ms", report->placing_ms, "devices_ms",
        report->begun.ms, "waited_ms", report->begun.waited_ms, "warmed_up",
        weir__cli_json_integer(report->warmed_up));
}

static json_t *rival_json(const weir__cli_rival *rival)
{
    const int ran = !rival->why_not;
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", rival->name, "why_not",
                     ran ? json_null() : weir__cli_json_text(rival->why_not), "median_ms",
                     ran ? json_real(rival->median_ms) : json_null(), "min_ms",
                     ran ? json_real(rival->min_ms) : json_null(), "agrees",
                     rival->agrees < 0 ? json_null() : json_boolean(rival->agrees));
}

int weir__cli_multiplied_json(const weir__cli_multiplied *report, weir__cli_output *output)
{
    weir__cli_document document;
    int code = EXIT_DONE;
    weir__cli_document_begin(&document, output, 17);
    weir__cli_document_add(&document, "schema", json_integer(1));
    weir__cli_document_add(&document, "command", json_string(report->request->verb->name));
    weir__cli_document_add(&document, "matrix", matrix_json(report));
    weir__cli_document_add(&document, "devices", weir__cli_json_devices(report->context));
    weir__cli_document_add(&document, "choices", choices_json(report));
    weir__cli_document_add(&document, "product", product_json(report));
    weir__cli_document_rows(&document, "trials");
    for (uint64_t i = 0; i < report->trials.count && !code; i++) {
        weir_product_stats trial = WEIR_PRODUCT_STATS_INIT;
        if (!(code = weir__cli_records_get(&report->trials, i, &trial)))
            code = weir__cli_document_row(&document, trial_json(&trial));
    }
    weir__cli_document_rows_end(&document);
    weir__cli_document_add(&document, "summary", summary_json(report));
    weir__cli_document_rows(&document, "compared");
    for (size_t i = 0; i < report->rival_count && !code; i++)
        code = weir__cli_document_row(&document, rival_json(&report->rivals[i]));
    weir__cli_document_rows_end(&document);
    weir__cli_document_add(&document, "verified",
                           report->verified < 0 ? json_null() : json_boolean(report->verified));
    return code ? code : weir__cli_document_end(&document);
}
