/** @file traversal.c  What follows from the values, links and times of traversals. */
#include "algorithms/cli/traversal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int weir__cli_sum_values(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial)
{
    double largest = 0;
    long double total = 0; /* more digits than one value has */
    for (uint64_t v = 0; v < vertices; v++) {
        double value = algorithm->at(values, v);
        if (!isfinite(value))
            continue;
        total += value;
        largest = value > largest ? value : largest;
    }
    trial->figure[0] = largest;
    trial->figure[1] = total;
    return EXIT_DONE;
}

/* Labels may be wrong: those that are no vertex count for nothing here, and --verify names them. */
int weir__cli_sum_labels(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial)
{
    const uint32_t *labels = values;
    uint32_t *members = calloc(vertices ? (size_t)vertices : 1, sizeof *members);
    uint64_t components = 0, largest = 0;
    (void)algorithm;
    if (!members)
        return weir__cli_fail(EXIT_RUN, "no memory to count the components of %llu vertices",
                              (unsigned long long)vertices);
    for (uint64_t v = 0; v < vertices; v++) {
        components += labels[v] == v;
        if (labels[v] < vertices && ++members[labels[v]] > largest)
            largest = members[labels[v]];
    }
    free(members);
    trial->figure[0] = components;
    trial->figure[1] = largest;
    return EXIT_DONE;
}

/* Most pairs of many devices carry nothing, so the list grows as links are found. */
static int list_links(weir__cli_trial *trial, const weir__cli_algorithm *algorithm, void *object,
                      uint32_t devices)
{
    for (uint32_t pair = 0; algorithm->link_items && pair < devices * devices; pair++) {
        weir__cli_link link = {pair / devices, pair % devices, 0};
        weir_status status = algorithm->link_items(object, link.from, link.to, &link.items);
        if (status)
            return weir__cli_fail_status(status);
        if (!link.items)
            continue;
        size_t room = (trial->link_count + 1) * sizeof link;
        weir__cli_link *links = realloc(trial->links, room);
        if (!links)
            return weir__cli_fail(EXIT_RUN, "no memory for what %zu links carried",
                                  trial->link_count + 1);
        trial->links = links;
        trial->links[trial->link_count++] = link;
    }
    return EXIT_DONE;
}

/* 10^9 a second; 0 when there is nothing to divide. */
static double giga_rate(double count, double ms)
{
    return ms > 0 ? count / (ms * 1e-3) / 1e9 : 0;
}

int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           const weir__cli_request *request, void *object, uint32_t devices,
                           const void *values, uint64_t vertices)
{
    const weir_run_stats *stats = &trial->stats;
    trial->gteps = giga_rate((double)stats->arcs_reached, stats->ms);
    trial->gteps_seen = giga_rate((double)stats->work.atoms, stats->ms);
    /* With every arc comes its reverse, so an edge is two of them; what the graph was cleaned of (second
     * copies, loops) is not counted, where Graph500 does. */
    trial->gteps_edges = algorithm == &weir__cli_algorithm_bfs && request->undirected
                             ? giga_rate((double)stats->arcs_reached / 2, stats->ms)
                             : -1;
    trial->l1 = trial->relative = trial->change = trial->within = -1;
    int code = algorithm->sum(algorithm, values, vertices, trial);
    return code ? code : list_links(trial, algorithm, object, devices);
}

void weir__cli_trial_drop(weir__cli_trial *trial)
{
    free(trial->links);
    trial->links = NULL;
    trial->link_count = 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the rates at @p field of the trials: the rate of all of them together, each with the same work. 0 when
 * one of them is, negative when one is unknown. */
static double harmonic_mean(const weir__cli_trial *trials, size_t count, size_t field)
{
    double inverse = 0, least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double rate = *(const double *)((const char *)&trials[i] + field);
        least = rate < least ? rate : least;
        inverse += rate > 0 ? 1 / rate : 0;
    }
    return least > 0 ? (double)count / inverse : least;
}

int weir__cli_summarize(const weir__cli_trial *trials, size_t count, weir__cli_summary *summary_out)
{
    double *ms = calloc(count, sizeof *ms);
    if (!ms)
        return weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    for (size_t i = 0; i < count; i++)
        ms[i] = trials[i].stats.ms;
    qsort(ms, count, sizeof *ms, by_size);
    summary_out->min_ms = ms[0];
    summary_out->max_ms = ms[count - 1];
    summary_out->median_ms = (ms[(count - 1) / 2] + ms[count / 2]) / 2;
    summary_out->gteps = harmonic_mean(trials, count, offsetof(weir__cli_trial, gteps));
    summary_out->gteps_seen = harmonic_mean(trials, count, offsetof(weir__cli_trial, gteps_seen));
    summary_out->gteps_edges = harmonic_mean(trials, count, offsetof(weir__cli_trial, gteps_edges));
    free(ms);
    return EXIT_DONE;
}

/* ---- ratios of what a run did ---- */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : -1;
}

double weir__cli_overwork(const weir_run_stats *stats)
{
    return ratio((double)stats->work.processed, (double)stats->reached);
}

double weir__cli_over_least(const weir_run_stats *stats)
{
    return ratio((double)stats->work.processed, (double)stats->least_items);
}

double weir__cli_atoms_per_arc(const weir_run_stats *stats)
{
    return ratio((double)stats->work.atoms, (double)stats->arcs_reached);
}

double weir__cli_phase_percent(const weir_run_stats *stats, weir_phase phase)
{
    double sum = 0;
    for (int i = 0; i < WEIR_PHASES; i++)
        sum += stats->work.phase_ms[i];
    return ratio(100 * stats->work.phase_ms[phase], sum);
}

double weir__cli_bandwidth(const weir_run_stats *stats)
{
    return stats->bytes ? ratio((double)stats->bytes / 1e6, stats->ms) : -1;
}

double weir__cli_step_ms(const weir_run_stats *stats)
{
    return ratio(stats->ms, (double)stats->steps);
}

int weir__cli_in_step(const weir__cli_algorithm *algorithm, const weir_run_stats *stats)
{
    return !algorithm->worklist || stats->direction == WEIR_DIRECTION_PULL ||
           stats->direction == WEIR_DIRECTION_SWITCH;
}

/* A run that streams is timed as such. */
int weir__cli_streamed(const weir_run_stats *stats)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && strcmp(stats->phase[i].name, "stream") == 0)
            return 1;
    return 0;
}

const char *weir__cli_stream_picked(const weir_run_stats *stats)
{
    return weir__cli_streams.built[weir__cli_streamed(stats) ? WEIR_CC_STREAMED : WEIR_CC_RESIDENT];
}

const char *weir__cli_merge_route(const weir__cli_request *request)
{
    return request->route ? weir_route_kind_text((weir_route_kind)request->route) : NULL;
}

uint32_t weir__cli_devices_used(const weir__cli_report *report, const weir_run_stats *stats)
{
    return stats->devices ? stats->devices : weir_context_device_count(report->context);
}
