/** @file traversal.c  What follows from the values, links and times of traversals. */
#include "algorithms/cli/traversal.h"
#include "runtime/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rate in 10^9 a second; 0 when there is no time to divide by. */
static double giga_rate(double count, double ms)
{
    return ms > 0 ? count / (ms * 1e-3) / 1e9 : 0;
}

void weir__cli_trial_rate(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                          const weir__cli_request *request)
{
    const weir_run_stats *stats = &trial->stats;
    trial->rates.arcs = giga_rate((double)stats->arcs_reached, stats->ms);
    trial->rates.seen = giga_rate((double)stats->work.atoms, stats->ms);
    /* Every arc has its reverse, so an edge is two arcs. Graph500 also counts the second copies and loops that
     * were removed when the graph was opened; they are not counted here. */
    trial->rates.edges = algorithm->edges && request->undirected
                             ? giga_rate((double)stats->arcs_reached / 2, stats->ms)
                             : -1;
    trial->step_ms = weir__cli_step_ms(stats);
    trial->verify_ms = -1;
    for (int i = 0; i < OWN_FIGURES; i++)
        trial->own[i] = -1;
}

int weir__cli_trial_finish(weir__cli_trial *trial, const weir__cli_algorithm *algorithm,
                           const weir__cli_request *request, const void *values, uint64_t vertices)
{
    weir__cli_trial_rate(trial, algorithm, request);
    return algorithm->sum(algorithm, values, vertices, trial);
}

/* ---- all trials ---- */

weir__cli_trials weir__cli_trials_none(void)
{
    return (weir__cli_trials){.rows = weir__cli_records_of(sizeof(weir__cli_trial), "result"),
                              .links = weir__cli_records_of(sizeof(weir__cli_link), "link figure"),
                              .stolen = weir__cli_records_of(sizeof(weir__cli_link), "share"),
                              .levels = weir__cli_records_of(sizeof(weir__cli_level), "level"),
                              .pairs = weir__cli_records_of(sizeof(weir__cli_pair), "pair figure")};
}

void weir__cli_trials_free(weir__cli_trials *trials)
{
    weir__cli_records_free(&trials->rows);
    weir__cli_records_free(&trials->links);
    weir__cli_records_free(&trials->stolen);
    weir__cli_records_free(&trials->levels);
    weir__cli_records_free(&trials->pairs);
}

/* Most pairs of many devices carry nothing. Those are not kept. @param[in] figure  NULL: there is none. */
static int keep_pairs(weir__cli_records *records, weir__cli_pair_figure *figure, void *object,
                      uint32_t devices)
{
    int code = EXIT_DONE;
    for (uint32_t pair = 0; figure && pair < devices * devices && !code; pair++) {
        weir__cli_link link = {pair / devices, pair % devices, 0};
        weir_status status = figure(object, link.from, link.to, &link.items);
        if (status)
            return weir__cli_fail_status(status);
        if (link.items)
            code = weir__cli_records_add(records, &link);
    }
    return code;
}

int weir__cli_trials_links(weir__cli_trials *trials, weir__cli_trial *trial,
                           const weir__cli_algorithm *algorithm, void *object)
{
    const weir_run_stats *stats = &trial->stats;
    trial->first_link = trials->links.count;
    trial->first_stolen = trials->stolen.count;
    int code = keep_pairs(&trials->links, algorithm->link_items, object, stats->devices);
    if (!code && stats->balance != WEIR_BALANCE_OFF)
        code = keep_pairs(&trials->stolen, algorithm->stolen, object, stats->devices);
    trial->link_count = (uint32_t)(trials->links.count - trial->first_link);
    trial->stolen_count = (uint32_t)(trials->stolen.count - trial->first_stolen);
    return code;
}

int weir__cli_trials_add(weir__cli_trials *trials, const weir__cli_trial *trial)
{
    return weir__cli_records_add(&trials->rows, trial);
}

static int get_pairs(const weir__cli_records *records, uint64_t first, uint32_t count,
                     weir__cli_link **pairs_out)
{
    weir__cli_link *pairs = calloc(count ? count : 1, sizeof *pairs);
    int code = pairs
                   ? EXIT_DONE
                   : weir__cli_fail(EXIT_RUN, "no memory for what %u pairs of devices did", count);
    for (uint32_t i = 0; i < count && !code; i++)
        code = weir__cli_records_get(records, first + i, &pairs[i]);
    if (code) {
        free(pairs);
        pairs = NULL;
    }
    *pairs_out = pairs;
    return code;
}

int weir__cli_trial_links(const weir__cli_trials *trials, const weir__cli_trial *trial,
                          weir__cli_link **links_out)
{
    return get_pairs(&trials->links, trial->first_link, trial->link_count, links_out);
}

int weir__cli_trial_stolen(const weir__cli_trials *trials, const weir__cli_trial *trial,
                           weir__cli_link **stolen_out)
{
    return get_pairs(&trials->stolen, trial->first_stolen, trial->stolen_count, stolen_out);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The rate of all trials together, as if each had done the same work. */
struct mean {
    double inverse, least;
};

static void add_rate(struct mean *mean, double rate)
{
    mean->least = rate < mean->least ? rate : mean->least;
    mean->inverse += rate > 0 ? 1 / rate : 0;
}

/* @return the mean; 0 when one of the rates is 0, and negative when one is unknown. */
static double harmonic(const struct mean *mean, uint64_t count)
{
    return mean->least > 0 ? (double)count / mean->inverse : mean->least;
}

/* The times of all trials, and the medians of those of each source. */
struct times {
    double *ms, *kernel_ms;               /* by trial */
    double *source_ms, *source_kernel_ms; /* by source */
    uint64_t *first;                      /* trial of each source; one more: their number */
    uint64_t sources;
};

static int gather(const weir__cli_trials *trials, struct times *times, weir__cli_summary *summary)
{
    struct mean arcs = {0, INFINITY}, seen = arcs, edges = arcs;
    uint64_t count = trials->rows.count, source = 0;
    for (uint64_t i = 0; i < count; i++) {
        weir__cli_trial trial;
        int code = weir__cli_records_get(&trials->rows, i, &trial);
        if (code)
            return code;
        if (i == 0 || trial.source != source)
            times->first[times->sources++] = i;
        source = trial.source;
        times->ms[i] = trial.stats.ms;
        times->kernel_ms[i] = trial.stats.kernel_ms;
        add_rate(&arcs, trial.rates.arcs);
        add_rate(&seen, trial.rates.seen);
        add_rate(&edges, trial.rates.edges);
    }
    times->first[times->sources] = count;
    summary->rates = (weir__cli_rates){.arcs = harmonic(&arcs, count),
                                       .seen = harmonic(&seen, count),
                                       .edges = harmonic(&edges, count)};
    return EXIT_DONE;
}

/* Sorts. */
static double median(double *values, uint64_t count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* A single run is the object's first. With more there was a warm-up before, and all trials are warm. */
static void summarize_warm(struct times *times, weir__cli_summary *summary)
{
    summary->sources = times->sources;
    summary->warm_median_ms = summary->warm_median_kernel_ms = -1;
    if (times->first[times->sources] == 1)
        return;
    for (uint64_t s = 0; s < times->sources; s++) {
        const uint64_t first = times->first[s], count = times->first[s + 1] - first;
        times->source_ms[s] = median(times->ms + first, count);
        times->source_kernel_ms[s] = median(times->kernel_ms + first, count);
    }
    summary->warm_median_ms = median(times->source_ms, times->sources);
    summary->warm_median_kernel_ms = median(times->source_kernel_ms, times->sources);
}

static void summarize_all(struct times *times, uint64_t count, weir__cli_summary *summary)
{
    summary->median_ms = median(times->ms, count);
    summary->min_ms = times->ms[0];
    summary->max_ms = times->ms[count - 1];
    summary->median_kernel_ms = median(times->kernel_ms, count);
    summary->min_kernel_ms = times->kernel_ms[0];
    summary->max_kernel_ms = times->kernel_ms[count - 1];
}

int weir__cli_summarize(const weir__cli_trials *trials, weir__cli_summary *summary_out)
{
    const size_t count = (size_t)trials->rows.count;
    double *values = calloc(count, 4 * sizeof *values);
    struct times times = {.first = calloc(count + 1, sizeof *times.first)};
    int code = EXIT_DONE;
    if (values && times.first) {
        times.ms = values;
        times.kernel_ms = values + count;
        times.source_ms = values + 2 * count;
        times.source_kernel_ms = values + 3 * count;
        code = gather(trials, &times, summary_out);
    } else {
        code = weir__cli_fail(EXIT_RUN, "no memory for the summary of %zu trials", count);
    }
    if (!code) {
        summarize_warm(&times, summary_out); /* before all trials are sorted together */
        summarize_all(&times, count, summary_out);
    }
    free(values);
    free(times.first);
    return code;
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
    return stats->bytes ? ratio((double)stats->bytes / 1e6, stats->kernel_ms) : -1;
}

double weir__cli_step_ms(const weir_run_stats *stats)
{
    return ratio(stats->kernel_ms, (double)stats->steps);
}

weir_run_options weir__cli_run_options(const weir__cli_request *request)
{
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    options.route = (weir_route_kind)request->route;
    options.order = (weir_order_kind)request->order;
    options.delta = request->delta;
    options.kernel = (weir_kernel_kind)request->kernel;
    options.worker = (weir_worker_kind)request->worker;
    options.fetch = (uint32_t)request->fetch;
    options.queues = (uint32_t)request->queues;
    options.direction = (weir_direction)request->direction;
    options.memory = (weir_memory)request->memory;
    options.parents = request->parents;
    options.mapping = (weir_mapping_kind)request->mapping;
    options.group = request->group;
    options.wire = (weir_wire)request->wire;
    options.balance = (weir_balance)request->balance;
    return options;
}

weir_status weir__cli_forms_check(const weir__cli_algorithm *algorithm,
                                  const weir__cli_request *request, const struct weir__asked *asked)
{
    if (!request->partition_2d)
        return weir__forms_check(algorithm->forms, asked, NULL);
    if (algorithm->forms_2d)
        return weir__forms_check(algorithm->forms_2d, asked, NULL);
    return weir__fail(
        WEIR_ERR_UNSUPPORTED,
        "--partition %s is for breadth-first search, PageRank and components, not for %s",
        request->partition_2d, algorithm->forms->algorithm);
}

int weir__cli_in_step(const weir__cli_algorithm *algorithm, const weir_run_stats *stats)
{
    return !algorithm->worklist || stats->direction != WEIR_DIRECTION_PUSH ||
           stats->balance == WEIR_BALANCE_FRONTIER;
}

/* A run that streams has a phase of that name. */
int weir__cli_streamed(const weir_run_stats *stats)
{
    for (int i = 0; i < WEIR_RUN_PHASES; i++)
        if (stats->phase[i].name && strcmp(stats->phase[i].name, "stream") == 0)
            return 1;
    return 0;
}

const char *weir__cli_merge_route(const weir__cli_request *request)
{
    return request->route ? weir_route_kind_text((weir_route_kind)request->route) : NULL;
}

const char *weir__cli_own_text(const weir__cli_option *own, const weir__cli_report *report)
{
    const void *at = (const char *)report->request + own->field;
    return own->picked ? own->picked(&report->last.stats) : own->choices->built[*(const int *)at];
}

uint32_t weir__cli_devices_used(const weir__cli_report *report, const weir_run_stats *stats)
{
    return stats->devices ? stats->devices : weir_context_device_count(report->context);
}
