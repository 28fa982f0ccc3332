/** @file verb_topo.c  weir topo: a machine, discovered, given or measured, as a table, JSON or a
 *  graph. */
#include "algorithms/cli/result.h"

#include "runtime/text.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_FORMAT, JSON_FORMAT, DOT_FORMAT }; /* positions in weir__cli_topo_formats */

struct session {
    const weir__cli_request *request;
    weir__cli_output output;
    weir_context *context;
    /* A machine that was opened or measured; NULL: the machine belongs to the context. */
    weir_machine *owned;
    const weir_machine *machine;
};

static int check_options(const weir__cli_request *request)
{
    if (request->devices && request->machine)
        return weir__cli_fail(EXIT_USAGE, "--devices and --machine: give only one of them");
    if (request->plan >= 0 && request->format != TABLE_FORMAT)
        return weir__cli_fail(EXIT_USAGE, "--route belongs to --format table; %s shows no routes",
                              weir__cli_topo_formats.built[request->format]);
    if (request->arc_ns > 0 && request->format != TABLE_FORMAT)
        return weir__cli_fail(EXIT_USAGE, "--levels belongs to --format table; %s shows no levels",
                              weir__cli_topo_formats.built[request->format]);
    if (request->measure && request->format == DOT_FORMAT)
        return weir__cli_fail(EXIT_USAGE, "--measure belongs to --format table and json; dot shows "
                                          "nothing that was measured");
    return EXIT_DONE;
}

static int measure(struct session *session)
{
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    weir__cli_progress("measuring");
    weir__cli_measure_begin(&config);
    int code =
        weir__cli_measure_end(weir_machine_measure(session->context, &config, &session->owned));
    session->machine = session->owned;
    return code;
}

static int find_machine(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir_status status;
    if (request->machine && !request->measure) {
        status = weir_machine_open(request->machine, &session->owned);
        session->machine = session->owned;
        return status ? weir__cli_fail_status(status) : EXIT_DONE;
    }
    int code = weir__cli_context_open(request, &session->context);
    if (code || request->measure)
        return code ? code : measure(session);
    status = weir_machine_of(session->context, &session->machine);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* ---- writing ---- */

static void print_source(const struct session *session, FILE *file)
{
    const weir__cli_request *request = session->request;
    char room[4096];
    fprintf(file, "machine  %s\nsource   ",
            weir__cli_cleaned(weir_machine_name(session->machine), room, sizeof room));
    if (request->machine)
        fprintf(file, "--machine %s%s\n", weir__cli_cleaned(request->machine, room, sizeof room),
                request->measure ? ", its simulation measured: times are virtual" : "");
    else
        fprintf(file, "%s%s%s\n", request->measure ? "discovered and measured" : "discovered",
                request->devices ? " on --devices " : "", request->devices ? request->devices : "");
}

/* The text is made in memory first, so that a write that fails can say why. */
static int print_table(struct session *session)
{
    weir__text table;
    size_t bytes;
    FILE *file = weir__text_open(&table);
    if (!file)
        return weir__cli_fail(EXIT_RUN, "no memory for the table");
    print_source(session, file);
    weir__cli_topo_table(session->machine, file);
    if (session->context)
        weir__cli_topo_pools(session->context, file);
    int code = weir__cli_topo_routes(session->machine, session->request->plan, file);
    if (!code && session->request->arc_ns > 0)
        code = weir__cli_topo_levels(session->machine, session->request, file);
    char *text = weir__text_close(&table, &bytes);
    if (!text && !code)
        code = weir__cli_fail(EXIT_RUN, "no memory for the table");
    if (!code)
        code = weir__cli_output_text(&session->output, text, bytes);
    free(text);
    return code;
}

static int print_text(struct session *session)
{
    char *text = NULL;
    weir_status status = session->request->format == JSON_FORMAT
                             ? weir_machine_json(session->machine, &text)
                             : weir_machine_dot(session->machine, &text);
    if (status)
        return weir__cli_fail_status(status);
    int code = weir__cli_output_text(&session->output, text, strlen(text));
    free(text);
    return code;
}

static void close_session(struct session *session)
{
    weir__cli_output_drop(&session->output);
    weir_machine_destroy(session->owned);
    if (session->context)
        weir_context_destroy(session->context);
}

int weir__cli_topo(const weir__cli_request *request)
{
    struct session session = {.request = request};
    int code = check_options(request);
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = weir__cli_output_open(&session.output, "output",
                                     request->output ? request->output : "-", request);
    if (!code)
        code = find_machine(&session);
    if (!code)
        code = request->format == TABLE_FORMAT ? print_table(&session) : print_text(&session);
    if (!code)
        code = weir__cli_output_commit(&session.output, 1);
    close_session(&session);
    return code;
}
