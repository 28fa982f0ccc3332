/** @file report_pbf.c  What weir pbf found, for people and as a JSON document (schema 1). */
#include "algorithms/cli/cli.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static double gbs(const weir__cli_filtered *report, double ms)
{
    return ms > 0 ? (double)report->request->elements * sizeof(uint32_t) / ms / 1e6 : 0;
}

/* A part in per cent; of a whole that is 0 it is 0. */
static double part(uint64_t of, uint64_t whole)
{
    return whole ? 100 * (double)of / (double)whole : 0;
}

/* ---- summary ---- */

struct timed {
    double ms;
    uint64_t trial;
};

static int by_ms(const void *a, const void *b)
{
    double x = ((const struct timed *)a)->ms, y = ((const struct timed *)b)->ms;
    return (x > y) - (x < y);
}

static int gather(const weir__cli_filtered *report, struct timed *times)
{
    int code = EXIT_DONE;
    for (uint64_t i = 0; i < report->trials.count && !code; i++) {
        weir_pbf_stats trial = WEIR_PBF_STATS_INIT;
        if (!(code = weir__cli_records_get(&report->trials, i, &trial)))
            times[i] = (struct timed){trial.ms, i};
    }
    return code;
}

int weir__cli_filtered_summarize(weir__cli_filtered *report)
{
    size_t count = (size_t)report->trials.count;
    struct timed *times = calloc(count, sizeof *times);
    if (!times)
        return weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    int code = gather(report, times);
    if (!code) {
        qsort(times, count, sizeof *times, by_ms);
        report->min_ms = times[0].ms;
        report->max_ms = times[count - 1].ms;
        report->median_ms = (times[(count - 1) / 2].ms + times[count / 2].ms) / 2;
        report->median = times[(count - 1) / 2].trial;
    }
    free(times);
    return code ? code : weir__cli_records_get(&report->trials, 0, &report->first);
}

/* ---- for people ---- */

enum { SIZE_ROOM = 32 };

/* Show a size in the largest unit that is not larger than the size. @return room. */
static const char *size_text(uint64_t bytes, char room[SIZE_ROOM])
{
    if (bytes < 1024)
        snprintf(room, SIZE_ROOM, "%" PRIu64 " bytes", bytes);
    else if (bytes < 1024 * 1024)
        snprintf(room, SIZE_ROOM, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(room, SIZE_ROOM, "%.1f MiB", (double)bytes / 1048576);
    return room;
}

static void print_head(const weir__cli_filtered *report)
{
    const weir__cli_request *request = report->request;
    uint64_t kept = report->first.kept;
    char room[SIZE_ROOM];
    printf("array    %" PRIu64 " elements, %s; %" PRIu64 " stay, %.4g%%\n", request->elements,
           size_text(request->elements * sizeof(uint32_t), room), kept,
           part(kept, request->elements));
    printf("choices  schedule %s, selectivity %g, work %" PRIu64 ", packets of %s, seed %" PRIu64
           "\n",
           weir__cli_schedules.built[request->schedule], request->selectivity, request->rounds,
           size_text(report->first.packet_bytes, room), request->seed);
}

static void print_devices(const weir__cli_filtered *report, const weir_pbf_stats *trial)
{
    printf("\n%-10s %14s %8s %9s %12s %12s\n", "device", "elements", "share", "packets", "busy ms",
           "done ms");
    for (uint32_t i = 0; i < trial->devices; i++) {
        const weir_pbf_share *share = &trial->device[i];
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(report->context, i), &info);
        printf("%-10s %14" PRIu64 " %7.2f%% %9" PRIu64 " %12.3f %12.3f\n", info.label,
               share->elements, part(share->elements, report->request->elements), share->packets,
               share->busy_ms, share->ms);
    }
}

static int print_trials(const weir__cli_filtered *report)
{
    int code = EXIT_DONE;
    printf("\n%5s %12s %10s %12s\n", "trial", "ms", "GB/s", "prepare ms");
    for (uint64_t i = 0; i < report->trials.count && !code; i++) {
        weir_pbf_stats trial = WEIR_PBF_STATS_INIT;
        if (!(code = weir__cli_records_get(&report->trials, i, &trial)))
            printf("%5" PRIu64 " %12.3f %10.3f %12.2f\n", i + 1, trial.ms, gbs(report, trial.ms),
                   trial.prepare_ms);
    }
    return code;
}

static void print_summary(const weir__cli_filtered *report)
{
    printf("\nsummary  %" PRIu64
           " runs: %.3f ms min, %.3f ms median, %.3f ms max; %.3f GB/s at the "
           "median; devices as in trial %" PRIu64 "\n",
           report->trials.count, report->min_ms, report->median_ms, report->max_ms,
           gbs(report, report->median_ms), report->median + 1);
}

int weir__cli_filtered_text(const weir__cli_filtered *report)
{
    weir_pbf_stats median = WEIR_PBF_STATS_INIT;
    int code = weir__cli_records_get(&report->trials, report->median, &median);
    if (code)
        return code;
    print_head(report);
    print_devices(report, &median);
    if ((code = print_trials(report)))
        return code;
    if (report->trials.count > 1)
        print_summary(report);
    if (report->verified >= 0)
        printf("verified: %s\n", report->verified ? "ok" : report->difference);
    return EXIT_DONE;
}

/* ---- for scripts ---- */

static json_t *shares_json(const weir__cli_filtered *report, const weir_pbf_stats *trial)
{
    json_t *shares = json_array();
    for (uint32_t i = 0; i < trial->devices; i++) {
        const weir_pbf_share *share = &trial->device[i];
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(report->context, i), &info);
        json_t *row = json_pack("{s:s, s:o, s:o, s:o, s:f, s:f}", "label", info.label, "elements",
                                weir__cli_json_integer(share->elements), "kept",
                                weir__cli_json_integer(share->kept), "packets",
                                weir__cli_json_integer(share->packets), "busy_ms", share->busy_ms,
                                "ms", share->ms);
        if (json_array_append_new(shares, row)) {
            json_decref(shares);
            return NULL;
        }
    }
    return shares;
}

static json_t *trial_json(const weir__cli_filtered *report, const weir_pbf_stats *trial)
{
    return json_pack("{s:f, s:f, s:f, s:o, s:o}", "ms", trial->ms, "prepare_ms", trial->prepare_ms,
                     "gbs", gbs(report, trial->ms), "kept", weir__cli_json_integer(trial->kept),
                     "devices", shares_json(report, trial));
}

static json_t *summary_json(const weir__cli_filtered *report)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "min_ms", report->min_ms, "median_ms",
                     report->median_ms, "max_ms", report->max_ms, "gbs_median",
                     gbs(report, report->median_ms));
}

static json_t *choices_json(const weir__cli_filtered *report)
{
    const weir__cli_request *request = report->request;
    return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o}", "schedule",
                     weir__cli_schedules.built[request->schedule], "selectivity",
                     request->selectivity, "work", weir__cli_json_integer(request->rounds),
                     "packet_bytes", weir__cli_json_integer(report->first.packet_bytes), "seed",
                     weir__cli_json_integer(request->seed), "trials",
                     weir__cli_json_integer(request->trials), "time_limit_ms",
                     weir__cli_json_integer(request->time_limit_ms));
}

int weir__cli_filtered_json(const weir__cli_filtered *report, weir__cli_output *output)
{
    weir__cli_document document;
    int code = EXIT_DONE;
    weir__cli_document_begin(&document, output, 17);
    weir__cli_document_add(&document, "schema", json_integer(1));
    weir__cli_document_add(&document, "command", json_string("pbf"));
    weir__cli_document_add(
        &document, "array",
        json_pack("{s:o}", "elements", weir__cli_json_integer(report->request->elements)));
    weir__cli_document_add(&document, "devices", weir__cli_json_devices(report->context));
    weir__cli_document_add(&document, "choices", choices_json(report));
    weir__cli_document_rows(&document, "trials");
    for (uint64_t i = 0; i < report->trials.count && !code; i++) {
        weir_pbf_stats trial = WEIR_PBF_STATS_INIT;
        if (!(code = weir__cli_records_get(&report->trials, i, &trial)))
            code = weir__cli_document_row(&document, trial_json(report, &trial));
    }
    weir__cli_document_rows_end(&document);
    weir__cli_document_add(&document, "summary", summary_json(report));
    weir__cli_document_add(&document, "verified",
                           report->verified < 0 ? json_null() : json_boolean(report->verified));
    return code ? code : weir__cli_document_end(&document);
}
