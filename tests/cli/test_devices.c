/** @file test_devices.c  A command's devices that begin while its graph is opened, with a weir_context_create() that takes as long and ends as the
 * test wants. */
#include "runtime/runtime.h"

static weir_status late_context_create(const char *spec, const weir_config *config,
                                       weir_context **context_out);
#define weir_context_create late_context_create
#include "algorithms/cli/devices.c" /* of the command, of which tests link nothing */
#undef weir_context_create

#include "algorithms/graph/csr.h"
#include "tests/lib/support.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* How the next one is: how many milliseconds it takes, and whether it fails. */
static int late_ms, fails;
/* Written by the thread that makes it: whether it has been made, or has failed. */
static _Atomic int made;

static weir_status late_context_create(const char *spec, const weir_config *config,
                                       weir_context **context_out)
{
    usleep((useconds_t)late_ms * 1000);
    const weir_status status = fails ? weir__fail(WEIR_ERR_NODEV, "no device of that name")
                                     : weir_context_create(spec, config, context_out);
    atomic_store(&made, 1);
    return status;
}

static weir__cli_devices *begin_late(int ms, int failing)
{
    weir__cli_devices *devices;
    late_ms = ms;
    fails = failing;
    atomic_store(&made, 0);
    assert_int_equal(weir__cli_devices_begin("host:2", &devices), WEIR_OK);
    return devices;
}

static void give_for(const char *graph, uint64_t limit_ms, weir__cli_devices *devices,
                     weir_graph_options *options)
{
    const weir__cli_request request = {.graph = graph, .time_limit_ms = limit_ms};
    weir__cli_devices_give(devices, &request, options);
}

/* Those that are there at once have a context before anything is read. */
static void at_once(void **state)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_context *context;
    (void)state;
    weir__cli_devices *devices = begin_late(0, 0);
    for (int i = 0; i < 1000 && !atomic_load(&made); i++)
        usleep(10000); /* on a machine that is busy with something else */
    give_for("chain:10", 0, devices, &options);
    assert_non_null(options.context);
    assert_null(options.context_of);
    assert_int_equal(weir__cli_devices_end(devices, WEIR_OK, &context, NULL), WEIR_OK);
    assert_ptr_equal(context, options.context);
    weir_context_destroy(context);
}

static void refused_at_once(void **state)
{
    weir__cli_devices *devices;
    (void)state;
    late_ms = 0;
    fails = 1;
    /* A thread that gets no core for so long is waited for at the end. */
    weir_context *context;
    weir_status status = weir__cli_devices_begin("host:2", &devices);
    if (!status)
        status = weir__cli_devices_end(devices, WEIR_OK, &context, NULL);
    assert_int_equal(status, WEIR_ERR_NODEV);
    assert_non_null(strstr(weir_error_detail(), "no device of that name"));
}

static const char *small_file(char *room, size_t size)
{
    snprintf(room, size, "%s", "/tmp/weir-devices-XXXXXX");
    const int file = mkstemp(room);
    assert_true(file >= 0);
    assert_int_equal(write(file, "2 0\n0 1\n1 2\n", 12), 12);
    close(file);
    return room;
}

/* Those that take longer: a file is read meanwhile, and only who makes the graph of its arcs on them waits. */
static void while_a_file_is_read(void **state)
{
    char room[64];
    const char *path = small_file(room, sizeof room);
    weir__cli_begun begun;
    (void)state;
    for (int pretended = 0; pretended < 2; pretended++) {
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir_context *context;
        weir_graph *graph;
        weir__cli_devices *devices = begin_late(1500, 0);
        assert_false(atomic_load(&made)); /* begin() did not wait for it */
        give_for(path, 0, devices, &options);
        assert_null(options.context);
        assert_non_null(options.context_of);
        weir__csr_pretend(pretended); /* that host devices make graphs, and of three arcs */
        assert_int_equal(weir_graph_open(path, &options, &graph), WEIR_OK);
        weir__csr_pretend(0);
        assert_int_equal(atomic_load(&made), pretended);
        assert_int_equal(graph->arcs, 3);
        usleep(300000); /* something else is done */
        assert_int_equal(weir__cli_devices_end(devices, WEIR_OK, &context, &begun), WEIR_OK);
        assert_true(begun.ms >= 1500 && begun.waited_ms > 0);
        assert_true(pretended || begun.waited_ms <= begun.ms - 100);
        assert_int_equal(weir_context_device_count(context), 2);
        weir_graph_destroy(graph);
        weir_context_destroy(context);
    }
    unlink(path);
}

/* A generated graph may be theirs to make, and a limit of time is one of the opening: they are there before its clock starts. */
static void before_a_graph_is_generated(void **state)
{
    weir_context *context;
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir__cli_devices *devices = begin_late(200, 0);
        give_for(limited ? "/some/file" : "rmat:10", limited ? 1000 : 0, devices, &options);
        assert_true(atomic_load(&made));
        assert_non_null(options.context);
        assert_int_equal(weir__cli_devices_end(devices, WEIR_OK, &context, NULL), WEIR_OK);
        weir_context_destroy(context);
    }
}

/* Nobody waits for the end of a file that nothing can be done with: here one that never ends. Theirs is the sentence. */
static void fail_while_a_file_is_read(void **state)
{
    char path[64];
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_context *context;
    weir_graph *graph = NULL;
    weir_observer *observer;
    (void)state;
    snprintf(path, sizeof path, "/tmp/weir-devices-%d", (int)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    const int end = open(path, O_RDWR); /* so that it can be opened, and has no end */
    assert_true(end >= 0);
    assert_int_equal(weir_observer_create(&observer), WEIR_OK);
    weir_observer *before = weir_observer_attach(observer);
    weir__cli_devices *devices = begin_late(300, 1);
    give_for(path, 0, devices, &options);
    weir_status status = weir_graph_open(path, &options, &graph);
    assert_int_equal(status, WEIR_ERR_CANCELLED);
    assert_null(graph);
    assert_int_equal(weir__cli_devices_end(devices, status, &context, NULL), WEIR_ERR_NODEV);
    assert_null(context);
    assert_non_null(strstr(weir_error_detail(), "no device of that name"));
    (void)weir_observer_attach(before);
    weir_observer_destroy(observer);
    close(end);
    unlink(path);
}

/* What went wrong meanwhile is told where the devices are well. */
static void another_failure_stays(void **state)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_context *context;
    weir_graph *graph = NULL;
    (void)state;
    weir__cli_devices *devices = begin_late(200, 0);
    give_for("/nowhere/at/all", 0, devices, &options);
    weir_status status = weir_graph_open("/nowhere/at/all", &options, &graph);
    assert_int_equal(status, WEIR_ERR_IO);
    assert_int_equal(weir__cli_devices_end(devices, status, &context, NULL), WEIR_ERR_IO);
    assert_non_null(strstr(weir_error_detail(), "/nowhere/at/all"));
    assert_non_null(context);
    weir_context_destroy(context);
}

/* ---- weir_graph_options.context_of by itself ------------------------------------------------------ */

struct asked {
    weir_context *context;
    weir_status status;
    const char *sentence;
    int times;
};

static weir_status give(void *user, weir_context **context_out)
{
    struct asked *asked = user;
    assert_null(*context_out);
    asked->times++;
    *context_out = asked->context;
    return asked->sentence ? weir__fail(asked->status, "%s", asked->sentence) : asked->status;
}

/* Of matrices those that are graphs ask as graphs do; others never. */
static void matrices_ask_as_graphs_do(void **state)
{
    char room[64];
    const char *path = small_file(room, sizeof room);
    struct asked asked = {.status = WEIR_OK};
    weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
    weir_matrix *matrix;
    const char *const of[] = {"rmat:6", "banded:9,1", path};
    (void)state;
    assert_int_equal(weir_context_create("host:2", NULL, &asked.context), WEIR_OK);
    options.context_of = give;
    options.user = &asked;
    weir__csr_pretend(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weir_matrix_open(of[i], &options, &matrix), WEIR_OK);
        weir_matrix_destroy(matrix);
        assert_int_equal(asked.times, i < 2 ? 1 : 2);
    }
    asked.status = WEIR_ERR_NODEV;
    assert_int_equal(weir_matrix_open("rmat:6", &options, &matrix), WEIR_ERR_NODEV);
    assert_null(matrix);
    weir__csr_pretend(0);
    options.context = asked.context;
    assert_int_equal(weir_matrix_open("banded:9,1", &options, &matrix), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "both context and context_of"));
    weir_context_destroy(asked.context);
    unlink(path);
}

static void asked_for_a_context(void **state)
{
    char room[64];
    const uint32_t sources[] = {0, 1}, targets[] = {1, 2};
    const char *path = small_file(room, sizeof room);
    struct asked asked = {.status = WEIR_OK};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    (void)state;
    assert_int_equal(weir_context_create("host:2", NULL, &asked.context), WEIR_OK);
    options.context_of = give;
    options.user = &asked;
    /* Few arcs are no work for GPUs. */
    assert_int_equal(weir_graph_open(path, &options, &graph), WEIR_OK);
    weir_graph_destroy(graph);
    assert_int_equal(weir_graph_from_arcs(3, 2, sources, targets, NULL, &options, &graph), WEIR_OK);
    weir_graph_destroy(graph);
    assert_int_equal(asked.times, 0);
    weir__csr_pretend(1);
    const char *const of[] = {path, "rmat:6", "uniform:6"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weir_graph_open(of[i], &options, &graph), WEIR_OK);
        weir_graph_destroy(graph);
        assert_int_equal(asked.times, i + 1);
    }
    assert_int_equal(weir_graph_from_arcs(3, 2, sources, targets, NULL, &options, &graph), WEIR_OK);
    weir_graph_destroy(graph);
    assert_int_equal(asked.times, 4);
    asked.status = WEIR_ERR_NODEV;
    assert_int_equal(weir_graph_open(path, &options, &graph), WEIR_ERR_NODEV);
    assert_null(graph);
    assert_non_null(strstr(weir_error_detail(), "context_of gave no context"));
    asked.sentence = "it is switched off";
    assert_int_equal(weir_graph_open("rmat:6", &options, &graph), WEIR_ERR_NODEV);
    assert_non_null(strstr(weir_error_detail(), "it is switched off"));
    weir__csr_pretend(0);
    options.context = asked.context;
    assert_int_equal(weir_graph_open(path, &options, &graph), WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "both context and context_of"));
    assert_int_equal(weir_graph_from_arcs(3, 2, sources, targets, NULL, &options, &graph),
                     WEIR_ERR_INVALID);
    weir_context_destroy(asked.context);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_once),
        cmocka_unit_test(refused_at_once),
        cmocka_unit_test(while_a_file_is_read),
        cmocka_unit_test(before_a_graph_is_generated),
        cmocka_unit_test(fail_while_a_file_is_read),
        cmocka_unit_test(another_failure_stays),
        cmocka_unit_test(matrices_ask_as_graphs_do),
        cmocka_unit_test(asked_for_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
