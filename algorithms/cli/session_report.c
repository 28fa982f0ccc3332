/** @file session_report.c  What the runs of a traversal leave: a report, a document, files of values. */
#include "algorithms/cli/session.h"

#include <inttypes.h>

static void write_values(struct weir__cli_session *session)
{
    const weir__cli_algorithm *algorithm = session->algorithm;
    FILE *file = session->outputs[OUTPUT].file;
    char room[VALUE_ROOM];
    for (uint64_t v = 0; v < session->graph->vertices; v++) {
        weir__cli_value_text(algorithm, algorithm->at(session->values, v), room);
        if (fputs(room, file) < 0 || putc('\n', file) < 0)
            break; /* weir__cli_run_commit() finds the error of the stream and says why */
    }
}

static void write_parents(struct weir__cli_session *session)
{
    FILE *file = session->outputs[PARENTS].file;
    for (uint64_t v = 0; v < session->graph->vertices; v++)
        if (fprintf(file, "%" PRId64 "\n", session->parents[v]) < 0)
            break; /* as in write_values() */
}

static int print(const struct weir__cli_session *session, const weir__cli_report *report)
{
    int taken = 0, code = EXIT_DONE;
    for (int i = 0; i < OUTPUTS; i++)
        taken |= weir__cli_output_is_stdout(&session->outputs[i]);
    if (!taken)
        code = weir__cli_report_text(report);
    if (!code && session->request->stats)
        code = weir__cli_report_work(report, taken ? stderr : stdout);
    return code;
}

static int fill_in(const struct weir__cli_session *session, weir__cli_report *report)
{
    const weir__cli_records *rows = &session->trials.rows;
    *report = (weir__cli_report){.algorithm = session->algorithm,
                                 .request = session->request,
                                 .context = session->context,
                                 .graph = session->graph,
                                 .weights = *session->weights ? session->weights : NULL,
                                 .partition = session->partition,
                                 .trials = &session->trials,
                                 .cold = session->cold,
                                 .verified = session->verified,
                                 .difference = session->difference};
    report->prepared = (weir_prepare_stats)WEIR_PREPARE_STATS_INIT;
    session->algorithm->prepared(session->object, &report->prepared);
    int code = weir__cli_records_get(rows, 0, &report->first);
    if (!code)
        code = weir__cli_records_get(rows, rows->count - 1, &report->last);
    return code ? code : weir__cli_summarize(&session->trials, &report->summary);
}

/* A wrong result is reported and its document written, but no file of values is left. */
int weir__cli_session_report(struct weir__cli_session *session)
{
    weir__cli_report report;
    int code = fill_in(session, &report);
    if (!code && session->outputs[JSON].file)
        code = weir__cli_report_json(&report, &session->outputs[JSON]);
    if (!code && session->difference) {
        weir__cli_output_drop(&session->outputs[OUTPUT]);
        weir__cli_output_drop(&session->outputs[PARENTS]);
    }
    if (!code && session->outputs[OUTPUT].file)
        write_values(session);
    if (!code && session->outputs[PARENTS].file)
        write_parents(session);
    if (!code)
        code = print(session, &report);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, session->difference);
}
