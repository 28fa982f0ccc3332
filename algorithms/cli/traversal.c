/** @file traversal.c  What follows from the levels and times of traversals. */
#include "algorithms/cli/cli.h"

#include <stdlib.h>

void weir__cli_trial_finish(weir__cli_trial *trial, const int32_t *levels, uint64_t vertices)
{
    trial->max_level = 0;
    trial->sum_levels = 0;
    for (uint64_t v = 0; v < vertices; v++) {
        if (levels[v] < 0)
            continue;
        trial->sum_levels += (uint64_t)levels[v];
        if (levels[v] > trial->max_level)
            trial->max_level = levels[v];
    }
    trial->gteps = trial->stats.ms > 0
                       ? (double)trial->stats.arcs_reached / (trial->stats.ms * 1e-3) / 1e9
                       : 0;
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

int weir__cli_compare(const int32_t *levels, const int32_t *expected, uint64_t vertices,
                      char **sentence_out)
{
    uint64_t first = 0, differing = 0;
    *sentence_out = NULL;
    for (uint64_t v = vertices; v-- > 0;)
        if (levels[v] != expected[v]) {
            first = v;
            differing++;
        }
    if (differing &&
        asprintf(sentence_out, "vertex %llu has level %d, the reference %d; %llu of %llu differ",
                 (unsigned long long)first, levels[first], expected[first],
                 (unsigned long long)differing, (unsigned long long)vertices) < 0) {
        *sentence_out = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name the first difference");
    }
    return EXIT_DONE;
}
