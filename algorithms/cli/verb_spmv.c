/** @file verb_spmv.c  weir spmv and spmm: make a matrix, multiply it on all devices, check, report. */
#include "algorithms/cli/compared.h"
#include "algorithms/cli/devices.h"
#include "runtime/room.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, VALUES, OUTPUTS };

struct session {
    const weir__cli_request *request;
    weir__cli_output outputs[OUTPUTS];
    weir_context *context;
    weir_matrix *matrix;
    weir_product *product;
    void *x, *y, *result; /* y as it is before each run; NULL where beta is 0 */
    double *expected,
        *bound; /* the reference and by how much a result may differ; NULL: not made yet */
    uint64_t x_rows, y_rows;
    size_t value_bytes;
    weir__cli_multiplied report;
    weir__cli_rival rivals[RIVALS_MAX];
};

/* ---- what is asked for ------------------------------------------------------------------------------- */

int weir__cli_product_check(const weir__cli_request *request)
{
    if (request->columns > 1 && request->product_schedule == WEIR_PRODUCT_BINS)
        return weir__cli_fail(EXIT_USAGE,
                              "--schedule bins: is for one column of x, and there are %" PRIu64,
                              request->columns);
    return EXIT_DONE;
}

static int check_request(const weir__cli_request *request)
{
    if (!request->graph)
        return weir__cli_fail(EXIT_USAGE, "%s: no matrix is named; see weir help %s",
                              request->verb->name, request->verb->name);
    if (strcmp(request->graph, "-") == 0 && ((request->x && strcmp(request->x, "-") == 0) ||
                                             (request->y && strcmp(request->y, "-") == 0)))
        return weir__cli_fail(EXIT_USAGE,
                              "%s: the matrix is standard input, which has no %s behind it",
                              request->verb->name, request->x ? "x" : "y");
    if (request->y && request->beta == 0)
        return weir__cli_fail(EXIT_USAGE, "--y: with --beta 0 what y was is not looked at");
    return weir__cli_product_check(request);
}

static int open_outputs(struct session *session)
{
    const weir__cli_request *request = session->request;
    int code = EXIT_DONE;
    if (request->json)
        code = weir__cli_output_open(&session->outputs[JSON], "json", request->json, request);
    if (!code && request->output)
        code = weir__cli_output_open(&session->outputs[VALUES], "output", request->output, request);
    return code ? code : weir__cli_outputs_differ(session->outputs, OUTPUTS);
}

/* The devices begin meanwhile. */
static int open_matrix(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    weir_graph_options how = WEIR_GRAPH_OPTIONS_INIT;
    weir__cli_devices *devices;
    weir_status status = weir__cli_devices_begin(request->devices, &devices);
    if (status)
        return weir__cli_fail_status(status);
    options.kind = request->values ? WEIR_VALUE_F64 : WEIR_VALUE_F32;
    options.undirected = request->undirected;
    weir__cli_devices_give(devices, request, &how);
    options.context = how.context;
    options.context_of = how.context_of;
    options.user = how.user;
    options.weights = weir__cli_given(request, "weights") ? &request->weights : NULL;
    weir__cli_progress("making %s", request->graph);
    status = weir_matrix_open(request->graph, &options, &session->matrix);
    if ((status =
             weir__cli_devices_end(devices, status, &session->context, &session->report.begun)))
        return weir__cli_fail_status(status);
    session->report.matrix = session->matrix;
    session->report.opening_ms = session->matrix->prepare_ms;
    session->value_bytes = request->values ? sizeof(double) : sizeof(float);
    session->x_rows = request->transpose ? session->matrix->rows : session->matrix->columns;
    session->y_rows = request->transpose ? session->matrix->columns : session->matrix->rows;
    return EXIT_DONE;
}

/* ---- values ------------------------------------------------------------------------------------------- */

static int take_values(struct session *session, const char *file, uint64_t seed, uint64_t rows,
                       void **values_out)
{
    const weir__cli_request *request = session->request;
    const uint64_t count = rows * request->columns;
    if (!(*values_out = malloc(count * session->value_bytes + 1)))
        return weir__cli_fail(EXIT_RUN, "no memory for %" PRIu64 " values", count);
    if (!file) {
        weir_dense_draw(session->matrix->kind, count, seed, *values_out);
        return EXIT_DONE;
    }
    weir__cli_progress("reading %s", file);
    const weir_status status =
        weir_dense_read(file, session->matrix->kind, rows, request->columns, *values_out);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int make_values(struct session *session)
{
    const weir__cli_request *request = session->request;
    struct weir__need need = {0, 0};
    int code;
    weir__need_take(&need,
                    (session->x_rows + session->y_rows * (request->beta != 0 ? 2 : 1)) *
                        request->columns,
                    session->value_bytes);
    if (weir__need_fits(&need, "x and y of %" PRIu64 " columns", request->columns))
        return weir__cli_fail(EXIT_RUN, "%s", weir_error_detail());
    if ((code = take_values(session, request->x, request->seed, session->x_rows, &session->x)))
        return code;
    if (request->beta != 0 &&
        (code = take_values(session, request->y, request->seed + 1, session->y_rows, &session->y)))
        return code;
    if (!(session->result = malloc(session->y_rows * request->columns * session->value_bytes + 1)))
        return weir__cli_fail(EXIT_RUN, "no memory for y");
    return EXIT_DONE;
}

weir_product_config weir__cli_product_config(const weir__cli_request *request)
{
    weir_product_config config = WEIR_PRODUCT_CONFIG_INIT;
    config.schedule = (weir_product_schedule)request->product_schedule;
    config.overlap = (weir_product_overlap)request->overlap;
    config.vector = (weir_product_vector)request->vector;
    config.columns = (uint32_t)request->columns;
    config.transpose = request->transpose;
    config.grid_rows = request->grid_rows;
    config.grid_columns = request->grid_columns;
    return config;
}

static int place(struct session *session)
{
    const weir__cli_request *request = session->request;
    const weir_product_config config = weir__cli_product_config(request);
    const uint64_t begin_ns = weir_context_time_ns(session->context);
    weir_status status;
    weir__cli_progress("placing %s", session->matrix->name);
    if ((status =
             weir_product_create(session->context, session->matrix, &config, &session->product)) ||
        (status = weir_product_set_x(session->product, session->x)))
        return weir__cli_fail_status(status);
    session->report.placing_ms = (double)(weir_context_time_ns(session->context) - begin_ns) / 1e6;
    session->report.trials = weir__cli_records_of(sizeof(weir_product_stats), "result");
    return weir__cli_records_expect(&session->report.trials, request->trials);
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

/* A run is short and is not stopped: a signal ends the program where it stands. */
static int run_once(struct session *session, weir_product_stats *stats_out)
{
    const weir__cli_request *request = session->request;
    weir_status status = session->y ? weir_product_set_y(session->product, session->y) : WEIR_OK;
    if (!status)
        status = weir_product_run(session->product, request->alpha, request->beta, stats_out);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

static int bring_result(struct session *session)
{
    const weir_status status = weir_product_get_y(session->product, session->result);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* One reference serves all trials: every run begins with the same x and y. */
static int make_reference(struct session *session, const weir_product_case *of)
{
    const weir__cli_request *request = session->request;
    const uint64_t count = session->y_rows * request->columns;
    struct weir__need need = {0, 0};
    weir__need_take(&need, count, 2 * sizeof(double));
    if (weir__need_fits(&need, "the reference of a product of %s", session->matrix->name))
        return weir__cli_fail(EXIT_RUN, "%s", weir_error_detail());
    session->expected = malloc((count + 1) * sizeof(double));
    session->bound = malloc((count + 1) * sizeof(double));
    if (!session->expected || !session->bound)
        return weir__cli_fail(EXIT_RUN, "no memory for the reference of %" PRIu64 " values", count);
    const weir_status status = weir_product_reference(of, session->expected, session->bound);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* A difference is remembered here and reported with the other results. */
static int verify(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir__cli_multiplied *report = &session->report;
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    int code = bring_result(session);
    if (code)
        return code;
    of.matrix = session->matrix;
    of.transpose = request->transpose;
    of.columns = (uint32_t)request->columns;
    of.alpha = request->alpha;
    of.beta = request->beta;
    of.x = session->x;
    of.y = session->y;
    weir__cli_progress("verifying");
    if (!session->expected && (code = make_reference(session, &of)))
        return code;
    const weir_status status =
        weir_product_compare(&of, session->expected, session->bound, session->result);
    if (status && status != WEIR_ERR_VERIFY)
        return weir__cli_fail_status(status);
    report->verified = !status;
    if (status) /* the sentence stays until this thread's next failure, and that ends the report */
        report->difference = weir_error_detail();
    return EXIT_DONE;
}

/* What verifies a trial leaves the host's caches with nothing of the driver, and the next short run would wait for that. */
static int warm_up(struct session *session, double last_ms)
{
    const int warms =
        session->request->verify && session->report.trials.count && last_ms <= WEIR__CLI_WARMED_MS;
    session->report.warmed_up += (uint64_t)warms;
    return warms ? run_once(session, NULL) : EXIT_DONE;
}

static int run_all(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir__cli_multiplied *report = &session->report;
    double last_ms = 0;
    int code = weir__cli_trials_warm_up(request) ? run_once(session, NULL) : EXIT_DONE;
    while (!code && weir__cli_trials_next(request, &report->trials, report->difference)) {
        weir_product_stats trial = WEIR_PRODUCT_STATS_INIT;
        if (!(code = warm_up(session, last_ms)) && !(code = run_once(session, &trial)) &&
            !(code = weir__cli_records_add(&report->trials, &trial)) && request->verify)
            code = verify(session);
        last_ms = trial.ms;
    }
    if (!code && request->output && !request->verify)
        code = bring_result(session);
    weir__cli_progress(NULL);
    return code;
}

/* Others have the matrix that a product has, so the transpose is made for them, too. */
static int compare(struct session *session)
{
    const weir__cli_request *request = session->request;
    struct weir__cli_comparing of = {.context = session->context,
                                     .matrix = session->matrix,
                                     .columns = (uint32_t)request->columns,
                                     .alpha = request->alpha,
                                     .beta = request->beta,
                                     .x = session->x,
                                     .y = session->y,
                                     .trials = request->trials,
                                     .expected = session->expected,
                                     .bound = session->bound};
    weir_matrix *turned = NULL;
    if (!request->against || session->report.difference)
        return EXIT_DONE;
    weir__cli_progress("multiplying by others");
    if (request->transpose) {
        const weir_status status = weir_matrix_transposed(session->matrix, &turned);
        if (status)
            return weir__cli_fail_status(status);
        of.matrix = turned;
    }
    session->report.rivals = session->rivals;
    session->report.rival_count = weir__cli_compare_products(&of, session->rivals);
    weir_matrix_destroy(turned);
    weir__cli_progress(NULL);
    return EXIT_DONE;
}

/* ---- reports ----------------------------------------------------------------------------------------------- */

static int write_text(void *output, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, ((weir__cli_output *)output)->file) == bytes ? 0
           : errno                                                             ? errno
                                                                               : EIO;
}

static int write_values(struct session *session)
{
    const weir__cli_request *request = session->request;
    weir__cli_output *output = &session->outputs[VALUES];
    const char *suffix = strrchr(request->output, '.');
    weir__cli_writing(output);
    if (weir_dense_write(session->matrix->kind, session->y_rows, request->columns, session->result,
                         suffix && strcmp(suffix, ".mtx") == 0, write_text, output))
        return weir__cli_fail(EXIT_RUN, "%s: %s", request->output, weir_error_detail());
    return EXIT_DONE;
}

static int report(struct session *session)
{
    weir__cli_multiplied *multiplied = &session->report;
    int code = weir__cli_multiplied_summarize(multiplied), taken = 0;
    multiplied->context = session->context;
    for (int i = 0; i < OUTPUTS; i++)
        taken |= weir__cli_output_is_stdout(&session->outputs[i]);
    if (multiplied->difference) /* a wrong result is reported, and not kept */
        weir__cli_output_drop(&session->outputs[VALUES]);
    if (!code && session->outputs[VALUES].file)
        code = write_values(session);
    if (!code && session->outputs[JSON].file)
        code = weir__cli_multiplied_json(multiplied, &session->outputs[JSON]);
    weir__cli_progress(NULL);
    if (!code && !taken)
        code = weir__cli_multiplied_text(multiplied);
    return code ? code : weir__cli_run_commit(session->outputs, OUTPUTS, multiplied->difference);
}

static void close_session(struct session *session)
{
    for (int i = 0; i < OUTPUTS; i++)
        weir__cli_output_drop(&session->outputs[i]);
    weir_product_destroy(session->product);
    if (session->context)
        weir_context_destroy(session->context);
    weir_matrix_destroy(session->matrix);
    free(session->x);
    free(session->y);
    free(session->result);
    free(session->expected);
    free(session->bound);
    weir__cli_records_free(&session->report.trials);
}

int weir__cli_spmv(const weir__cli_request *request)
{
    struct session session = {.request = request};
    int code = check_request(request);
    session.report = (weir__cli_multiplied){.request = request, .verified = -1};
    if (!code)
        code = weir__cli_signals_start(request);
    if (!code)
        code = open_outputs(&session);
    if (!code)
        code = open_matrix(&session);
    if (!code)
        code = make_values(&session);
    if (!code)
        code = place(&session);
    if (!code)
        code = run_all(&session);
    if (!code)
        code = compare(&session);
    if (!code)
        code = report(&session);
    weir__cli_progress(NULL);
    close_session(&session);
    return code;
}
