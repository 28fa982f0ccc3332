/** @file test_stop.c  Long calls that their observer ends: each is stopped at its first look, its second, and so on until it is through. What
 * was stopped says so, gives nothing, and leaves nothing: no object (AddressSanitizer looks), no memory of a device, no
 * file, no process. */
#include "algorithms/common/certify.h"
#include "algorithms/graph/csr.h"
#include "algorithms/rows.h"
#include "runtime/internal.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* What the calls are made on. */
static struct {
    weir_context *context;
    weir_graph *directed, *weighted, *undirected;
    weir_partition *two;
    double *reals;
    int64_t *parents;
    int32_t *levels;
    uint32_t *labels;
    char path[9][400]; /* of files */
} world;

/* ---- one call after the other ---------------------------------------------------------------------- */

typedef weir_status (*call_fn)(const void *data);

/* @return how often it was stopped. */
static unsigned stop_everywhere(const char *what, call_fn call, const void *data)
{
    unsigned stopped = 0;
    for (uint64_t n = 1;; n += 1 + n / 4) {
        weir_observer *observer;
        const int files = entries(0);
        OK(weir_observer_create(&observer));
        (void)weir_observer_attach(observer);
        weir__fault_arm(WEIR__FAULT_STOP, n);
        const weir_status status = call(data);
        const int struck = weir__fault_struck(WEIR__FAULT_STOP);
        weir__fault_arm(WEIR__FAULT_STOP, 0);
        weir_observer_destroy(observer);
        if (status != (struck ? WEIR_ERR_CANCELLED : WEIR_OK))
            fail_msg("%s, stopped at look %llu (%d): status %d, %s", what, (unsigned long long)n,
                     struck, status, weir_error_detail());
        if (!struck)
            return stopped;
        if (!strstr(weir_error_detail(), "cancelled while "))
            fail_msg("%s, stopped at look %llu: %s", what, (unsigned long long)n,
                     weir_error_detail());
        if (files != entries(0))
            fail_msg("%s, stopped at look %llu: a file is left", what, (unsigned long long)n);
        stopped++;
    }
}

#define STOP_EVERYWHERE(call, data, least) \
    assert_in_range(stop_everywhere(#call " " #data, call, data), least, UINT32_MAX)

/* ---- graphs ---------------------------------------------------------------------------------------- */

static weir_status open_it(const char *text, int undirected)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    options.undirected = undirected;
    weir_status status = weir_graph_open(text, &options, &graph);
    assert_int_equal(!graph, status != WEIR_OK);
    weir_graph_destroy(graph);
    return status;
}

static weir_status open_as_it_is(const void *text)
{
    return open_it(text, 0);
}

static weir_status open_undirected(const void *text)
{
    return open_it(text, 1);
}

static void generating_is_stopped(void **state)
{
    (void)state;
    STOP_EVERYWHERE(open_undirected, "rmat:12", 5);
    STOP_EVERYWHERE(open_as_it_is, "uniform:12", 4);
    STOP_EVERYWHERE(open_as_it_is, "smallworld:20000", 4);
    STOP_EVERYWHERE(open_as_it_is, "grid:200x200,0.7", 3);
    STOP_EVERYWHERE(open_as_it_is, "mesh:200x200,shuffle", 3);
    STOP_EVERYWHERE(open_as_it_is, "chain:40000", 3);
}

static weir_status write_it(const void *path)
{
    weir_status status = weir_graph_write(world.undirected, path);
    if (!status)
        assert_int_equal(remove(path), 0);
    return status;
}

static weir_status write_directed(const void *path)
{
    weir_status status = weir_graph_write(world.directed, path);
    if (!status)
        assert_int_equal(remove(path), 0);
    return status;
}

static void writing_is_stopped(void **state)
{
    static const char *const names[] = {"a.mtx",   "a.gr",     "a.dimacs.gz",
                                        "a.graph", "a.sg.zst", "a.el.xz"};
    char path[400];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        STOP_EVERYWHERE(write_it, path, 1);
    }
    snprintf(path, sizeof path, "%s/b.wsg", folder); /* which has the arcs turned round too */
    STOP_EVERYWHERE(write_directed, path, 5);
}

static void reading_is_stopped(void **state)
{
    static const char *const names[] = {"r.mtx",    "r.gr", "r.dimacs.gz", "r.graph",
                                        "r.sg.zst", "r.el", "r.wsg.xz"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(world.path[i], sizeof world.path[i], "%s/%s", folder, names[i]);
        OK(weir_graph_write(i == 6 ? world.directed : world.undirected, world.path[i]));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        STOP_EVERYWHERE(open_as_it_is, world.path[i], 4);
        STOP_EVERYWHERE(open_undirected, world.path[i], 4);
    }
    entries(1);
}

static weir_status from_arcs(const void *data)
{
    static const uint32_t sources[] = {0, 1, 2}, targets[] = {1, 2, 0};
    weir_graph *graph;
    (void)data;
    weir_status status = weir_graph_from_arcs(3, 3, sources, targets, NULL, NULL, &graph);
    assert_int_equal(!graph, status != WEIR_OK);
    weir_graph_destroy(graph);
    return status;
}

static weir_status weigh(const void *data)
{
    const uint32_t *before = world.weighted->weights_u32;
    const weir_weights weights = {WEIR_WEIGHTS_RANDOM, 1, 255, 1, 0};
    (void)data;
    weir_status status = weir_graph_weigh(world.weighted, &weights);
    if (status)
        assert_ptr_equal(world.weighted->weights_u32, before); /* as it was */
    return status;
}

static weir_status make_undirected(const void *data)
{
    weir_graph *graph;
    weir_status status = weir_graph_undirected(data, &graph);
    assert_int_equal(!graph, status != WEIR_OK);
    weir_graph_destroy(graph);
    return status;
}

static weir_status summarize(const void *data)
{
    weir_graph_summary summary = WEIR_GRAPH_SUMMARY_INIT;
    return weir_graph_summarize(data, &summary);
}

static weir_status find_span(const void *data)
{
    weir_graph_span span = WEIR_GRAPH_SPAN_INIT;
    return weir_graph_span_find(data, &span);
}

static void what_is_done_with_graphs_is_stopped(void **state)
{
    (void)state;
    STOP_EVERYWHERE(from_arcs, NULL, 2);
    STOP_EVERYWHERE(weigh, NULL, 1);
    STOP_EVERYWHERE(make_undirected, world.directed, 3);
    STOP_EVERYWHERE(summarize, world.directed, 3);
    STOP_EVERYWHERE(summarize, world.undirected, 2);
    STOP_EVERYWHERE(find_span, world.directed, 5);
    STOP_EVERYWHERE(find_span, world.undirected, 3);
}

/* ---- partitions ------------------------------------------------------------------------------------ */

static weir_status partition(const void *kind)
{
    weir_partition *made;
    weir_status status = weir_partition_create(world.undirected, *(const weir_partition_kind *)kind,
                                               3, 1, NULL, &made);
    assert_int_equal(!made, status != WEIR_OK);
    weir_partition_destroy(made);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD); /* METIS is gone too */
    return status;
}

static weir_status read_partition(const void *path)
{
    weir_partition *made;
    weir_status status = weir_partition_read(world.undirected, path, 8, &made);
    assert_int_equal(!made, status != WEIR_OK);
    weir_partition_destroy(made);
    return status;
}

static weir_status write_partition(const void *path)
{
    weir_status status = weir_partition_write(world.two, path);
    if (!status)
        assert_int_equal(remove(path), 0);
    return status;
}

static weir_status measure_parts(const void *data)
{
    weir_partition_part parts[2];
    (void)data;
    return weir_partition_parts(world.directed, world.two, parts);
}

static void partitioning_is_stopped(void **state)
{
    static const weir_partition_kind block = WEIR_PARTITION_BLOCK, edge = WEIR_PARTITION_EDGE,
                                     random = WEIR_PARTITION_RANDOM, metis = WEIR_PARTITION_METIS;
    weir_partition *made;
    (void)state;
    STOP_EVERYWHERE(partition, &block, 1);
    STOP_EVERYWHERE(partition, &edge, 1);
    STOP_EVERYWHERE(partition, &random, 2);
    STOP_EVERYWHERE(partition, &metis, 5);
    STOP_EVERYWHERE(measure_parts, NULL, 2);
    STOP_EVERYWHERE(write_partition, in_folder("two"), 1);
    OK(weir_partition_create(world.undirected, WEIR_PARTITION_RANDOM, 8, 1, NULL, &made));
    OK(weir_partition_write(made, in_folder("parts")));
    weir_partition_destroy(made);
    STOP_EVERYWHERE(read_partition, in_folder("parts"), 2);
    entries(1);
}

/* ---- placing --------------------------------------------------------------------------------------- */

static weir_status place(const void *in)
{
    weir_placement *placement;
    weir_status status =
        (*(const int *)in ? weir_placement_create_with_in_arcs : weir_placement_create)(
            world.context, world.weighted, world.two, WEIR_PART_WEIGHTS_U32, &placement);
    assert_int_equal(!placement, status != WEIR_OK);
    weir_placement_destroy(placement);
    assert_no_memory_is_left(world.context);
    return status;
}

static weir_status place_rows(const void *by_weight)
{
    weir_rows_config config = WEIR_ROWS_CONFIG_INIT;
    weir_rows *rows;
    config.weights = 1;
    config.by_weight = *(const int *)by_weight;
    config.in_arcs = config.out_degrees = config.out_bytes = 1;
    weir_status status = weir_rows_create(world.context, world.weighted, world.two, &config, &rows);
    assert_int_equal(!rows, status != WEIR_OK);
    weir_rows_destroy(rows);
    assert_no_memory_is_left(world.context);
    return status;
}

#define ALGORITHM(id, create)                              \
    static weir_status make_##id(const void *data)         \
    {                                                      \
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;  \
        weir_##id *made = NULL;                            \
        options.direction = *(const weir_direction *)data; \
        weir_status status = create;                       \
        assert_int_equal(!made, status != WEIR_OK);        \
        weir_##id##_destroy(made);                         \
        assert_no_memory_is_left(world.context);           \
        return status;                                     \
    }
ALGORITHM(bfs, weir_bfs_create(world.context, world.directed, NULL, &options, &made))
ALGORITHM(sssp, weir_sssp_create(world.context, world.weighted, NULL, &options, &made))
ALGORITHM(pr, weir_pr_create(world.context, world.directed, NULL, &options, NULL, &made))
ALGORITHM(color, weir_color_create(world.context, world.directed, NULL, &options, NULL, &made))

static weir_status make_cc(const void *source)
{
    weir_cc *made = NULL;
    weir_status status = weir_cc_create(world.context, world.directed, NULL, NULL,
                                        *(const weir_cc_source *)source, &made);
    assert_int_equal(!made, status != WEIR_OK);
    weir_cc_destroy(made);
    assert_no_memory_is_left(world.context);
    return status;
}

static void placing_is_stopped(void **state)
{
    static const int no = 0, yes = 1;
    static const weir_direction push = WEIR_DIRECTION_PUSH, pull = WEIR_DIRECTION_PULL,
                                by_itself = WEIR_DIRECTION_AUTO;
    static const weir_cc_source resident = WEIR_CC_RESIDENT, streamed = WEIR_CC_STREAMED;
    (void)state;
    STOP_EVERYWHERE(place, &no, 5);
    STOP_EVERYWHERE(place, &yes, 8);
    STOP_EVERYWHERE(place_rows, &no, 8);
    STOP_EVERYWHERE(place_rows, &yes, 8);
    STOP_EVERYWHERE(make_bfs, &push, 5);
    STOP_EVERYWHERE(make_bfs, &by_itself, 5);
    STOP_EVERYWHERE(make_sssp, &push, 5);
    STOP_EVERYWHERE(make_sssp, &by_itself, 5);
    STOP_EVERYWHERE(make_pr, &push, 5);
    STOP_EVERYWHERE(make_pr, &pull, 5);
    STOP_EVERYWHERE(make_cc, &resident, 5);
    STOP_EVERYWHERE(make_color, &by_itself, 5);
    STOP_EVERYWHERE(make_cc, &streamed, 2);
}

/* What lies on devices is counted there. */
static weir_status part_there(const void *graph)
{
    weir_partition_part part[3];
    weir_partition *made;
    weir_status status = weir_partition_create(graph, WEIR_PARTITION_RANDOM, 3, 1, NULL, &made);
    if (!status)
        status = weir_partition_parts(graph, made, part);
    weir_partition_destroy(made);
    return status;
}

static void counting_on_devices_is_stopped(void **state)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph;
    weir_pool_stats stats = WEIR_POOL_STATS_INIT;
    (void)state;
    options.context = world.context;
    options.resident = 1;
    weir__csr_pretend(1);
    OK(weir_graph_open("rmat:11", &options, &graph));
    weir__csr_pretend(0);
    OK(weir_device_pool_stats(weir_context_device(world.context, 0), &stats));
    const uint64_t before = stats.used_bytes;
    STOP_EVERYWHERE(part_there, graph, 8);
    OK(weir_device_pool_stats(weir_context_device(world.context, 0), &stats));
    assert_int_equal(stats.used_bytes, before);
    assert_null(graph->targets);
    weir_graph_destroy(graph);
    assert_no_memory_is_left(world.context);
}

/* ---- references ------------------------------------------------------------------------------------- */

static weir_status refer_bfs(const void *data)
{
    (void)data;
    return weir_bfs_reference(world.directed, 0, world.levels);
}

static weir_status check_tree(const void *data)
{
    (void)data;
    return weir_bfs_tree_check(world.directed, 0, world.parents, world.levels);
}

static weir_status check_paths(const void *data)
{
    (void)data;
    return weir_sssp_tree_check(world.weighted, 0, world.parents, world.reals);
}

static weir_status refer_sssp(const void *data)
{
    (void)data;
    return weir_sssp_reference(world.weighted, 0, world.reals);
}

static weir_status refer_cc(const void *data)
{
    (void)data;
    return weir_cc_reference(world.directed, world.labels);
}

static weir_status refer_color(const void *data)
{
    (void)data;
    return weir_color_reference(world.directed, world.labels);
}

static weir_status refer_pr(const void *data)
{
    (void)data;
    return weir_pr_reference(world.directed, NULL, world.reals);
}

static weir_status check_pr(const void *data)
{
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    (void)data;
    return weir_pr_check(world.directed, NULL, world.reals, &change);
}

static weir_status certify_bfs(const void *parents)
{
    return weir_bfs_certify(world.context, world.directed, 0, world.levels,
                            parents ? world.parents : NULL);
}

static weir_status certify_sssp(const void *data)
{
    (void)data;
    return weir_sssp_certify(world.context, world.weighted, 0, world.reals, NULL);
}

static weir_status certify_cc(const void *data)
{
    (void)data;
    return weir_cc_certify(world.context, world.directed, world.labels);
}

static weir_status certify_color(const void *data)
{
    (void)data;
    return weir_color_certify(world.context, world.directed, world.labels);
}

static weir_status certify_pr(const void *data)
{
    weir_pr_change change = WEIR_PR_CHANGE_INIT;
    (void)data;
    return weir_pr_certify(world.context, world.directed, NULL, world.reals, &change);
}

/* Between two pieces too, on whichever device. */
static void certificates_are_stopped(void **state)
{
    weir_bfs *bfs;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    (void)state;
    weir__certify_pretend(world.directed->arcs / 7);
    OK(weir_pr_reference(world.directed, NULL, world.reals));
    STOP_EVERYWHERE(certify_pr, NULL, 5);
    OK(weir_cc_reference(world.directed, world.labels));
    STOP_EVERYWHERE(certify_cc, NULL, 5);
    OK(weir_color_reference(world.directed, world.labels));
    STOP_EVERYWHERE(certify_color, NULL, 5);
    OK(weir_sssp_reference(world.weighted, 0, world.reals));
    STOP_EVERYWHERE(certify_sssp, NULL, 5);
    options.parents = 1;
    OK(weir_bfs_create(world.context, world.directed, NULL, &options, &bfs));
    OK(weir_bfs_run(bfs, 0, NULL));
    OK(weir_bfs_levels(bfs, world.levels));
    OK(weir_bfs_parents(bfs, world.parents));
    weir_bfs_destroy(bfs);
    STOP_EVERYWHERE(certify_bfs, NULL, 5);
    STOP_EVERYWHERE(certify_bfs, world.parents, 5);
    weir__certify_pretend(0);
    assert_no_memory_is_left(world.context);
}

static void references_are_stopped(void **state)
{
    weir_bfs *bfs;
    weir_sssp *sssp;
    weir_run_options options = WEIR_RUN_OPTIONS_INIT;
    (void)state;
    STOP_EVERYWHERE(refer_bfs, NULL, 1);
    STOP_EVERYWHERE(refer_sssp, NULL, 1);
    STOP_EVERYWHERE(refer_cc, NULL, 2);
    STOP_EVERYWHERE(refer_color, NULL, 2);
    STOP_EVERYWHERE(refer_pr, NULL, 10);
    STOP_EVERYWHERE(check_pr, NULL, 1);
    options.parents = 1;
    OK(weir_bfs_create(world.context, world.directed, NULL, &options, &bfs));
    OK(weir_bfs_run(bfs, 0, NULL));
    OK(weir_bfs_parents(bfs, world.parents));
    weir_bfs_destroy(bfs);
    STOP_EVERYWHERE(check_tree, NULL, 1);
    OK(weir_sssp_create(world.context, world.weighted, NULL, &options, &sssp));
    OK(weir_sssp_run(sssp, 0, NULL));
    OK(weir_sssp_distances(sssp, world.reals));
    OK(weir_sssp_parents(sssp, world.parents));
    weir_sssp_destroy(sssp);
    STOP_EVERYWHERE(check_paths, NULL, 1);
}

/* ---- by another thread, and by the clock ------------------------------------------------------------- */

static void *stop_soon(void *observer)
{
    usleep(100000);
    weir_observer_stop(observer);
    return NULL;
}

/* @param[in] limit_ms  0: another thread stops it. */
static void ends_soon(call_fn call, const void *data, uint32_t limit_ms)
{
    weir_observer *observer;
    pthread_t thread;
    OK(weir_observer_create(&observer));
    (void)weir_observer_attach(observer);
    weir_observer_limit(observer, limit_ms);
    if (!limit_ms)
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, observer), 0);
    const uint64_t begin_ns = weir__now_ns();
    STATUS(call(data), limit_ms ? WEIR_ERR_TIMEOUT : WEIR_ERR_CANCELLED);
    assert_true(weir__elapsed_ms(begin_ns) < 10000); /* what is called would take for ever */
    if (!limit_ms)
        pthread_join(thread, NULL);
    weir_observer_destroy(observer);
}

static void a_pipe_that_nobody_writes_is_given_up(void **state)
{
    const char *path = in_folder("pipe");
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    ends_soon(open_as_it_is, path, 0);
    ends_soon(open_as_it_is, path, 100);
    const int writer = open(path, O_RDWR);
    assert_true(writer >= 0);
    assert_int_equal(write(writer, "0 1\n", 4), 4); /* it begins, and does not end */
    ends_soon(open_as_it_is, path, 0);
    assert_int_equal(write(writer, "0 1\n", 4), 4);
    ends_soon(open_as_it_is, path, 100);
    close(writer);
    entries(1);
}

static weir_status write_to_pipe(const void *path)
{
    return weir_graph_write(world.undirected, path);
}

static void a_pipe_that_nobody_reads_is_given_up(void **state)
{
    const char *path = in_folder("pipe");
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    ends_soon(write_to_pipe, path, 0);
    ends_soon(write_to_pipe, path, 100);
    const int reader = open(path, O_RDWR); /* which has it open, and does not read */
    assert_true(reader >= 0);
    ends_soon(write_to_pipe, path, 0);
    ends_soon(write_to_pipe, path, 100);
    close(reader);
    entries(1);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    const char *path = in_folder("pipe");
    weir_observer *observer;
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    OK(weir_observer_create(&observer));
    (void)weir_observer_attach(observer);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int writer = open(path, O_WRONLY);
        usleep(60000); /* the reader waits a while */
        _exit(write(writer, "0 1\n1 2\n", 8) != 8);
    }
    weir_graph *graph = open_graph(path, 0);
    assert_int_equal(graph->arcs, 2);
    weir_graph_destroy(graph);
    assert_int_equal(waitpid(child, NULL, 0), child);
    weir_observer_destroy(observer);
    entries(1);
}

static weir_status partition_by(const void *config)
{
    weir_partition *made;
    return weir_partition_create(world.undirected, WEIR_PARTITION_METIS, 2, 1, config, &made);
}

/* A helper that never answers, and has started a program of its own. */
static void metis_is_killed_with_all_that_it_started(void **state)
{
    char script[1000], pid_path[400];
    weir_config *config;
    (void)state;
    snprintf(pid_path, sizeof pid_path, "%s", in_folder("pid"));
    snprintf(script, sizeof script, "#!/bin/sh\nsleep 1000 &\necho $! >%s\nwait\n", pid_path);
    const char *path = put_text("helper", script);
    assert_int_equal(chmod(path, 0700), 0);
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "metis_helper", path));
    for (uint32_t limit_ms = 0; limit_ms <= 500; limit_ms += 500) {
        long pid = 0;
        ends_soon(partition_by, config, limit_ms);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        FILE *file = fopen(pid_path, "r");
        if (!file) /* it was ended before it had begun */
            continue;
        assert_int_equal(fscanf(file, "%ld", &pid), 1);
        fclose(file);
        for (int i = 0; i < 500 && kill((pid_t)pid, 0) == 0; i++)
            usleep(10000); /* init reaps it */
        char status[64];
        snprintf(status, sizeof status, "/proc/%ld/status", pid);
        FILE *facts = fopen(status, "r");
        char line[200] = "";
        while (facts && fgets(line, sizeof line, facts) && strncmp(line, "State:", 6) != 0)
            continue;
        if (facts)
            fclose(facts);
        /* Gone, or dead and waiting for an init that does not reap. */
        assert_true(!facts || strstr(line, "Z") || strstr(line, "X"));
    }
    weir_config_destroy(config);
    entries(1);
}

/* ---- the group --------------------------------------------------------------------------------------- */

static int open_world(void **state)
{
    const weir_weights weights = {WEIR_WEIGHTS_RANDOM, 1, 255, 1, 0};
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    if (make_folder(state) || weir_context_create("host:2", NULL, &world.context) ||
        weir_graph_open("rmat:11", NULL, &world.directed) ||
        weir_graph_open("rmat:11", NULL, &world.weighted) ||
        weir_graph_weigh(world.weighted, &weights) ||
        weir_partition_create(world.directed, WEIR_PARTITION_RANDOM, 2, 1, NULL, &world.two))
        return -1;
    options.undirected = 1;
    if (weir_graph_open("rmat:11", &options, &world.undirected))
        return -1;
    const size_t n = (size_t)world.directed->vertices;
    world.reals = calloc(n, sizeof *world.reals);
    world.parents = calloc(n, sizeof *world.parents);
    world.levels = calloc(n, sizeof *world.levels);
    world.labels = calloc(n, sizeof *world.labels);
    return 0;
}

static int close_world(void **state)
{
    weir_partition_destroy(world.two);
    weir_graph_destroy(world.directed);
    weir_graph_destroy(world.weighted);
    weir_graph_destroy(world.undirected);
    weir_context_destroy(world.context);
    free(world.reals);
    free(world.parents);
    free(world.levels);
    free(world.labels);
    return remove_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generating_is_stopped),
        cmocka_unit_test(writing_is_stopped),
        cmocka_unit_test(reading_is_stopped),
        cmocka_unit_test(what_is_done_with_graphs_is_stopped),
        cmocka_unit_test(partitioning_is_stopped),
        cmocka_unit_test(placing_is_stopped),
        cmocka_unit_test(counting_on_devices_is_stopped),
        cmocka_unit_test(references_are_stopped),
        cmocka_unit_test(certificates_are_stopped),
        cmocka_unit_test(a_pipe_that_nobody_writes_is_given_up),
        cmocka_unit_test(a_pipe_that_nobody_reads_is_given_up),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(metis_is_killed_with_all_that_it_started),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
