/** @file batch.c  Runs from many sources at a time: groups of sources one after the other, and of each source a trial for
 * each run of its group, as if it had run alone. */
#include "algorithms/cli/session.h"
#include "runtime/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

double weir__cli_shared_ms(const weir__cli_shared *shared)
{
    return shared->ms / (double)shared->trials;
}

double weir__cli_shared_gteps(const weir__cli_shared *shared)
{
    return shared->ms > 0 ? shared->arcs / shared->ms / 1e6 : 0;
}

/* A stretch of the sources. */
struct group {
    uint64_t first, count, number;
    weir__cli_records trials; /* run after run, of each all sources */
};

static void cancel(void *user)
{
    struct weir__cli_session *session = user;
    session->algorithm->cancel(session->object);
}

static int run_once(struct weir__cli_session *session, const struct group *group,
                    weir_run_stats *stats_out)
{
    weir__cli_signals_watch(cancel, session);
    return weir__cli_run_end(session->algorithm->run_batch(
        session->object, session->sources + group->first, (uint32_t)group->count, stats_out));
}

/* What the devices counted is not made of the levels, so it is judged by them, once these are known to be right. */
static int verify_figures(struct weir__cli_session *session, const weir__cli_trial *trial)
{
    weir__cli_trial by_levels = *trial;
    uint64_t reached = 0, arcs = 0;
    int code = session->algorithm->sum(session->algorithm, session->values,
                                       session->graph->vertices, &by_levels);
    for (uint64_t v = 0; v < session->graph->vertices; v++)
        if (isfinite(session->algorithm->at(session->values, v))) {
            reached++;
            arcs += session->graph->offsets[v + 1] - session->graph->offsets[v];
        }
    if (code ||
        (reached == trial->stats.reached && arcs == trial->stats.arcs_reached &&
         by_levels.figure[0] == trial->figure[0] && by_levels.figure[1] == trial->figure[1]))
        return code;
    session->verified = 0;
    if (asprintf(&session->difference,
                 "from source %" PRIu64 " the devices counted %" PRIu64
                 " vertices reached, %" PRIu64
                 " arcs, largest %s %.0Lf, sum %.0Lf; by the %ss there are %" PRIu64 ", %" PRIu64
                 ", %.0Lf, %.0Lf",
                 trial->source, trial->stats.reached, trial->stats.arcs_reached,
                 session->algorithm->value, trial->figure[0], trial->figure[1],
                 session->algorithm->value, reached, arcs, by_levels.figure[0],
                 by_levels.figure[1]) < 0) {
        session->difference = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name what is wrong with the counts");
    }
    return EXIT_DONE;
}

static int verify(struct weir__cli_session *session, weir__cli_trial *trial)
{
    const uint64_t begin_ns = weir__now_ns();
    int code;
    if (weir__cli_wants_reference(session)) {
        weir_status status = session->algorithm->reference(session->graph, session->request,
                                                           trial->source, session->expected);
        if (status)
            return weir__cli_fail_status(status);
    }
    session->reference_ms = weir__elapsed_ms(begin_ns);
    code = weir__cli_verify(session, trial);
    return code || session->difference ? code : verify_figures(session, trial);
}

/* A source of the run: what it found, and whether that is right. */
static int finish_source(struct weir__cli_session *session, struct group *group, uint64_t index,
                         weir__cli_trial *trial)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    const weir__cli_request *request = session->request;
    weir_status status = algorithm->found(session->object, (uint32_t)index, trial);
    if (!status && (request->verify || request->output))
        status = algorithm->values_of(session->object, (uint32_t)index, session->values);
    if (status)
        return weir__cli_fail_status(status);
    trial->source = session->sources[group->first + index];
    weir__cli_trial_rate(trial, algorithm, request);
    session->shared.arcs += (double)trial->stats.arcs_reached;
    session->shared.trials++;
    int code = request->verify ? verify(session, trial) : EXIT_DONE;
    return code ? code : weir__cli_records_add(&group->trials, trial);
}

static int run_group_once(struct weir__cli_session *session, struct group *group)
{
    weir__cli_trial trial = {
        .stats = WEIR_RUN_STATS_INIT, .batch = group->number, .batch_sources = group->count};
    const uint64_t runs = session->request->trials * session->shared.batches;
    weir__cli_progress(
        "running batch %" PRIu64 "/%" PRIu64,
        group->number * session->request->trials + group->trials.count / group->count + 1, runs);
    int code = run_once(session, group, &trial.stats);
    session->shared.ms += trial.stats.ms;
    if (!code && runs == 1)
        session->cold = trial;
    if (!code)
        code =
            weir__cli_trials_links(&session->trials, &trial, session->algorithm, session->object);
    for (uint64_t i = 0; i < group->count && !code && !session->difference; i++) {
        weir__cli_trial its = trial;
        code = finish_source(session, group, i, &its);
    }
    return code;
}

/* From run after run to source after source. Of a run in which a source turned out to be wrong there are those up to that one. */
static int keep_trials(struct weir__cli_session *session, const struct group *group)
{
    int code = EXIT_DONE;
    for (uint64_t i = 0; i < group->count && !code; i++)
        for (uint64_t at = i; at < group->trials.count && !code; at += group->count) {
            weir__cli_trial trial;
            code = weir__cli_records_get(&group->trials, at, &trial);
            if (!code)
                code = weir__cli_trials_add(&session->trials, &trial);
        }
    return code;
}

static int run_group(struct weir__cli_session *session, struct group *group)
{
    group->trials = weir__cli_records_of(sizeof(weir__cli_trial), "result");
    int code = weir__cli_records_expect(&group->trials, group->count * session->request->trials);
    for (uint64_t i = 0; i < session->request->trials && !code && !session->difference; i++)
        code = run_group_once(session, group);
    if (!code)
        code = keep_trials(session, group);
    weir__cli_records_free(&group->trials);
    return code;
}

int weir__cli_run_batches(struct weir__cli_session *session)
{
    const uint64_t sources = session->source_count, most = session->algorithm->batch_most;
    const uint64_t batches = (sources + most - 1) / most;
    struct group group = {.first = 0};
    int code = EXIT_DONE;
    session->shared = (weir__cli_shared){.batches = batches, .most = most};
    for (; group.number < batches && !code && !session->difference; group.number++) {
        group.first = group.number * most;
        group.count = sources - group.first < most ? sources - group.first : most;
        if (group.number == 0 && batches * session->request->trials > 1) {
            weir__cli_progress("warming up");
            session->cold.source = session->sources[0];
            code = run_once(session, &group, &session->cold.stats);
        }
        if (!code)
            code = run_group(session, &group);
    }
    weir__cli_progress(NULL);
    return code;
}
