/** @file report_pbf.c  What weir pbf found, for people and as a JSON document (schema 1). */
#include "algorithms/cli/cli.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static double gbs(const weir__cli_filtered *report, double ms)
{
    return ms > 0 ? (double)report->request->elements * sizeof(uint32_t) / ms / 1e6 : 0;
}

/* Per cent of a whole that may be nothing. */
static double part(uint64_t of, uint64_t whole)
{
    return whole ? 100 * (double)of / (double)whole : 0;
}

/* ---- summary ---- */

struct timed {
    double ms;
    size_t trial;
};

static int by_ms(const void *a, const void *b)
{
    double x = ((const struct timed *)a)->ms, y = ((const struct timed *)b)->ms;
    return (x > y) - (x < y);
}

int weir__cli_filtered_summarize(weir__cli_filtered *report)
{
    size_t count = report->trial_count;
    struct timed *times = calloc(count, sizeof *times);
    if (!times)
        return weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    for (size_t i = 0; i < count; i++)
        times[i] = (struct timed){report->trials[i].ms, i};
    qsort(times, count, sizeof *times, by_ms);
    report->min_ms = times[0].ms;
    report->max_ms = times[count - 1].ms;
    report->median_ms = (times[(count - 1) / 2].ms + times[count / 2].ms) / 2;
    report->median = times[(count - 1) / 2].trial;
    free(times);
    return EXIT_DONE;
}

/* ---- for people ---- */

enum { SIZE_ROOM = 32 };

/* In the largest unit of which there is one, so that nothing is rounded away. @return room. */
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
    uint64_t kept = report->trials[0].kept;
    char room[SIZE_ROOM];
    printf("array    %" PRIu64 " elements, %s; %" PRIu64 " stay, %.4g%%\n", request->elements,
           size_text(request->elements * sizeof(uint32_t), room), kept,
           part(kept, request->elements));
    printf("choices  schedule %s, selectivity %g, work %" PRIu64 ", packets of %s, seed %" PRIu64
           "\n",
           weir__cli_schedules.built[request->schedule], request->selectivity, request->rounds,
           size_text(report->trials[0].packet_bytes, room), request->seed);
}

static void print_devices(const weir__cli_filtered *report)
{
    const weir_pbf_stats *trial = &report->trials[report->median];
    printf("\n%-10s %14s %8s %9s %12s %12s\n", "device", "elements", "share", "packets", "busy ms",
           "done ms");
    for (uint32_t i = 0; i < trial->devices; i++) {
        const weir_pbf_share *share = &trial->device[i];
        weir_device_info info;
        weir_device_info_get(weir_context_device(report->context, i), &info);
        printf("%-10s %14" PRIu64 " %7.2f%% %9" PRIu64 " %12.3f %12.3f\n", info.label,
               share->elements, part(share->elements, report->request->elements), share->packets,
               share->busy_ms, share->ms);
    }
}

static void print_trials(const weir__cli_filtered *report)
{
    printf("\n%5s %12s %10s\n", "trial", "ms", "GB/s");
    for (size_t i = 0; i < report->trial_count; i++)
        printf("%5zu %12.3f %10.3f\n", i + 1, report->trials[i].ms,
               gbs(report, report->trials[i].ms));
    if (report->trial_count > 1)
        printf("\nsummary  %zu runs: %.3f ms min, %.3f ms median, %.3f ms max; %.3f GB/s at the "
               "median; devices as in trial %zu\n",
               report->trial_count, report->min_ms, report->median_ms, report->max_ms,
               gbs(report, report->median_ms), report->median + 1);
}

void weir__cli_filtered_text(const weir__cli_filtered *report)
{
    print_head(report);
    print_devices(report);
    print_trials(report);
    if (report->verified >= 0)
        printf("verified: %s\n", report->verified ? "ok" : report->difference);
}

/* ---- for scripts ---- */

static json_t *shares_json(const weir__cli_filtered *report, const weir_pbf_stats *trial)
{
    json_t *shares = json_array();
    for (uint32_t i = 0; i < trial->devices; i++) {
        const weir_pbf_share *share = &trial->device[i];
        weir_device_info info;
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

static json_t *trials_json(const weir__cli_filtered *report)
{
    json_t *trials = json_array();
    for (size_t i = 0; i < report->trial_count; i++) {
        const weir_pbf_stats *trial = &report->trials[i];
        json_t *row = json_pack("{s:f, s:f, s:o, s:o}", "ms", trial->ms, "gbs",
                                gbs(report, trial->ms), "kept", weir__cli_json_integer(trial->kept),
                                "devices", shares_json(report, trial));
        if (json_array_append_new(trials, row)) {
            json_decref(trials);
            return NULL;
        }
    }
    return trials;
}

static json_t *choices_json(const weir__cli_filtered *report)
{
    const weir__cli_request *request = report->request;
    return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o}", "schedule",
                     weir__cli_schedules.built[request->schedule], "selectivity",
                     request->selectivity, "work", weir__cli_json_integer(request->rounds),
                     "packet_bytes", weir__cli_json_integer(report->trials[0].packet_bytes), "seed",
                     weir__cli_json_integer(request->seed), "trials",
                     weir__cli_json_integer(request->trials), "time_limit_ms",
                     weir__cli_json_integer(request->time_limit_ms));
}

int weir__cli_filtered_json(const weir__cli_filtered *report, weir__cli_output *output)
{
    json_t *verified = report->verified < 0 ? json_null() : json_boolean(report->verified);
    json_t *document = json_pack(
        "{s:i, s:s, s:{s:o}, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f}, s:o}", "schema", 1, "command",
        "pbf", "array", "elements", weir__cli_json_integer(report->request->elements), "devices",
        weir__cli_json_devices(report->context), "choices", choices_json(report), "trials",
        trials_json(report), "summary", "min_ms", report->min_ms, "median_ms", report->median_ms,
        "max_ms", report->max_ms, "gbs_median", gbs(report, report->median_ms), "verified",
        verified);
    return weir__cli_json_write(document, output, 17);
}
