/** @file session_report.c  What the runs of a traversal leave: a report, a document, files of values. */
#include "algorithms/cli/session.h"
#include "runtime/observe.h"

#include <inttypes.h>

static weir_status write_values(struct weir__cli_session *session)
{
    weir_status status = WEIR_OK;
    const weir__cli_algorithm *algorithm = session->algorithm;
    FILE *file = session->outputs[OUTPUT].file;
    char room[VALUE_ROOM];
    for (uint64_t v = 0; v < session->graph->vertices && !(status = weir__activity_at(v)); v++) {
        weir__cli_value_text(algorithm, algorithm->at(session->values, v), room);
        if (fputs(room, file) < 0 || putc('\n', file) < 0)
            break; /* weir__cli_run_commit() finds the error of the stream and says why */
    }
    return status;
}

static weir_status write_parents(struct weir__cli_session *session)
{
    weir_status status = WEIR_OK;
    FILE *file = session->outputs[PARENTS].file;
    for (uint64_t v = 0; v < session->graph->vertices && !(status = weir__activity_at(v)); v++)
        if (fprintf(file, "%" PRId64 "\n", session->parents[v]) < 0)
            break; /* as in write_values() */
    return status;
}

static int write_file(struct weir__cli_session *session, int which,
                      weir_status (*write)(struct weir__cli_session *session))
{
    struct weir__activity outer;
    if (!session->outputs[which].file)
        return EXIT_DONE;
    weir__cli_writing(&session->outputs[which]);
    weir__activity_begin(&outer, "writing values", "vertices", session->graph->vertices);
    const weir_status status = weir__activity_end(&outer, write(session));
    weir__cli_progress(NULL);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
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
                                 .shared = session->shared,
                                 .begun = session->begun,
                                 .prepared = session->prepared,
                                 .verified = session->verified,
                                 .difference = session->difference};
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
    if (!code)
        code = write_file(session, OUTPUT, write_values);
    if (!code)
        code = write_file(session, PARENTS, write_parents);
    if (!code)
        code = print(session, &report);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, session->difference);
}
