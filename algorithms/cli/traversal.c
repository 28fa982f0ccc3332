/** @file traversal.c  What follows from the values, links and times of traversals. */
#include "algorithms/cli/traversal.h"

#include <math.h>
#include <stdlib.h>

static void sum_values(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                       const void *values, uint64_t vertices)
{
    trial->farthest = 0;
    trial->total = 0;
    for (uint64_t v = 0; v < vertices; v++) {
        double value = algorithm->at(values, v);
        if (!isfinite(value))
            continue;
        trial->total += value;
        if (value > trial->farthest)
            trial->farthest = value;
    }
}

/* Most pairs of many devices carry nothing, so the list grows as links are found. */
static int list_links(weir__cli_trial *trial, const weir__cli_algorithm *algorithm, void *object,
                      uint32_t devices)
{
    for (uint32_t pair = 0; pair < devices * devices; pair++) {
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

int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           void *object, uint32_t devices, const void *values, uint64_t vertices)
{
    const weir_run_stats *stats = &trial->stats;
    sum_values(trial, algorithm, values, vertices);
    trial->gteps = stats->ms > 0 ? (double)stats->arcs_reached / (stats->ms * 1e-3) / 1e9 : 0;
    return list_links(trial, algorithm, object, devices);
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

int weir__cli_summarize(const weir__cli_trial *trials, size_t count, weir__cli_summary *summary_out)
{
    double *ms = calloc(count, sizeof *ms), inverse = 0;
    int zero = 0;
    if (!ms)
        return weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    for (size_t i = 0; i < count; i++) {
        ms[i] = trials[i].stats.ms;
        zero |= !(trials[i].gteps > 0);
        inverse += trials[i].gteps > 0 ? 1 / trials[i].gteps : 0;
    }
    qsort(ms, count, sizeof *ms, by_size);
    summary_out->min_ms = ms[0];
    summary_out->max_ms = ms[count - 1];
    summary_out->median_ms = (ms[(count - 1) / 2] + ms[count / 2]) / 2;
    summary_out->gteps = zero ? 0 : (double)count / inverse;
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
