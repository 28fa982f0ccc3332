/** @file test_graph_partition.c  Partitions of every kind, and a METIS helper that misbehaves. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const weir_partition_kind kinds[] = {WEIR_PARTITION_BLOCK, WEIR_PARTITION_EDGE,
                                            WEIR_PARTITION_RANDOM, WEIR_PARTITION_METIS};

/* The numbers of a partition, counted again in the plainest way. */
static void assert_measured(const weir_graph *graph, const weir_partition *p)
{
    uint64_t cut = 0, vertices[WEIR_DEVICES_MAX] = {0}, arcs[WEIR_DEVICES_MAX] = {0};
    uint64_t most_vertices = 0, most_arcs = 0;
    assert_int_equal(p->vertices, graph->vertices);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (p->owner[v] >= p->parts)
            fail_msg("vertex %llu is in part %u", (unsigned long long)v, p->owner[v]);
        vertices[p->owner[v]]++;
        arcs[p->owner[v]] += graph->offsets[v + 1] - graph->offsets[v];
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            cut += p->owner[v] != p->owner[graph->targets[i]];
    }
    for (uint32_t i = 0; i < p->parts; i++) {
        most_vertices = vertices[i] > most_vertices ? vertices[i] : most_vertices;
        most_arcs = arcs[i] > most_arcs ? arcs[i] : most_arcs;
    }
    assert_int_equal(p->cut_arcs, cut);
    double n = (double)graph->vertices, m = (double)graph->arcs;
    assert_true(fabs(p->vertex_balance - (n ? (double)most_vertices * p->parts / n : 1)) < 1e-9);
    assert_true(fabs(p->arc_balance - (m ? (double)most_arcs * p->parts / m : 1)) < 1e-9);
}

static weir_partition *partitioned(const weir_graph *graph, weir_partition_kind kind,
                                   uint32_t parts, uint64_t seed)
{
    weir_partition *p = NULL;
    weir_status status = weir_partition_create(graph, kind, parts, seed, NULL, &p);
    if (status)
        fail_msg("%s, %s, %u parts: %s", graph->name, weir_partition_kind_text(kind), parts,
                 weir_error_detail());
    assert_int_equal(p->kind, kind);
    assert_int_equal(p->parts, parts);
    assert_measured(graph, p);
    return p;
}

/* Generated, disconnected, with isolated vertices, a star, without arcs, without vertices. */
static weir_graph *sample(int which)
{
    static const char *const texts[] = {"rmat:10", "grid:40x40,.5", "grid:9x1", "rmat:8,1",
                                        "grid:30x30,0"};
    uint32_t hub[500], rim[500];
    weir_graph *graph;
    if (which < 5)
        return open_graph(texts[which], 0);
    for (uint32_t i = 0; i < 500; i++) {
        hub[i] = 500;
        rim[i] = i;
    }
    assert_int_equal(weir_graph_from_arcs(which == 5 ? 501 : 0, which == 5 ? 500 : 0, hub, rim,
                                          NULL, NULL, &graph),
                     WEIR_OK);
    return graph;
}

static void every_kind(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    for (int g = 0; g < 7; g++) {
        weir_graph *graph = sample(g);
        for (size_t k = 0; k < 4; k++)
            for (size_t c = 0; c < 5; c++) {
                weir_partition *p = partitioned(graph, kinds[k], counts[c], 1);
                weir_partition *again = partitioned(graph, kinds[k], counts[c], 1);
                if (graph->vertices)
                    assert_memory_equal(p->owner, again->owner, graph->vertices);
                if (counts[c] == 1)
                    assert_int_equal(p->cut_arcs, 0);
                weir_partition_destroy(p);
                weir_partition_destroy(again);
            }
        weir_graph_destroy(graph);
    }
    weir_partition_destroy(NULL);
}

/* All part counts around the number of vertices, where METIS is at its weakest. */
static void tiny_graphs(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n++) {
        char text[32];
        snprintf(text, sizeof text, "grid:%dx1", n);
        weir_graph *graph = open_graph(text, 0);
        for (uint32_t parts = 1; parts <= 12; parts++)
            for (size_t k = 0; k < 4; k++)
                weir_partition_destroy(partitioned(graph, kinds[k], parts, parts));
        weir_graph_destroy(graph);
    }
}

static void promises(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:12", 0), *mesh = open_graph("grid:64x64", 0);
    weir_partition *p = partitioned(graph, WEIR_PARTITION_BLOCK, 7, 0);
    for (uint64_t v = 1; v < graph->vertices; v++)
        assert_true(p->owner[v] >= p->owner[v - 1]);
    assert_true(p->vertex_balance < 1.01);
    weir_partition_destroy(p);

    p = partitioned(graph, WEIR_PARTITION_EDGE, 7, 0);
    for (uint64_t v = 1; v < graph->vertices; v++)
        assert_true(p->owner[v] >= p->owner[v - 1]);
    assert_true(p->arc_balance < 1.2);
    weir_partition_destroy(p);

    p = partitioned(graph, WEIR_PARTITION_RANDOM, 7, 1);
    weir_partition *other = partitioned(graph, WEIR_PARTITION_RANDOM, 7, 2);
    assert_true(p->vertex_balance < 1.01);
    assert_memory_not_equal(p->owner, other->owner, graph->vertices);
    weir_partition_destroy(p);
    weir_partition_destroy(other);

    p = partitioned(mesh, WEIR_PARTITION_METIS, 4, 1);
    assert_true(p->vertex_balance < 1.1 && p->arc_balance < 1.1);
    assert_true(p->cut_arcs < 2 * 200); /* two straight cuts through the mesh cut 2 * 128 */
    weir_partition_destroy(p);
    weir_graph_destroy(mesh);
    weir_graph_destroy(graph);
}

static void kind_names(void **state)
{
    (void)state;
    weir_partition_kind kind;
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(weir_partition_kind_parse(weir_partition_kind_text(kinds[k]), &kind),
                         WEIR_OK);
        assert_int_equal(kind, kinds[k]);
    }
    assert_int_equal(weir_partition_kind_parse("file:x", &kind), WEIR_OK);
    assert_int_equal(kind, WEIR_PARTITION_FILE);
    assert_string_equal(weir_partition_kind_text(kind), "file");
    assert_int_equal(weir_partition_kind_parse("file:", &kind), WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_kind_parse("file", &kind), WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_kind_parse("2d:2x2", &kind), WEIR_OK);
    assert_int_equal(kind, WEIR_PARTITION_2D);
    assert_string_equal(weir_partition_kind_text(kind), "2d");
    assert_int_equal(weir_partition_kind_parse("blocks", &kind), WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_kind_parse("", &kind), WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_kind_parse(NULL, &kind), WEIR_ERR_INVALID);
}

static void bad_arguments(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("grid:3x3", 0);
    weir_partition *p;
    assert_int_equal(weir_partition_create(graph, WEIR_PARTITION_BLOCK, 0, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    assert_int_equal(
        weir_partition_create(graph, WEIR_PARTITION_BLOCK, WEIR_DEVICES_MAX + 1, 0, NULL, &p),
        WEIR_ERR_INVALID);
    assert_null(p);
    assert_int_equal(weir_partition_create(graph, (weir_partition_kind)9, 2, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_create(NULL, WEIR_PARTITION_BLOCK, 2, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    assert_int_equal(weir_partition_create(graph, WEIR_PARTITION_FILE, 2, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "weir_partition_read()"));
    /* Sizes METIS cannot index are refused before the arrays are looked at. */
    weir_graph huge = {.vertices = 3000000000, .arcs = 1, .name = "huge"};
    weir_graph dense = {.vertices = 10, .arcs = 3000000000, .name = "dense"};
    assert_int_equal(weir_partition_create(&huge, WEIR_PARTITION_METIS, 2, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    assert_non_null(strstr(weir_error_detail(), "32-bit"));
    assert_int_equal(weir_partition_create(&dense, WEIR_PARTITION_METIS, 2, 0, NULL, &p),
                     WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
}

struct helper {
    const char *script;
    const char *timeout;
    weir_status status;
    const char *why;
};

/* Programs in place of weir-metis that do everything but what they should. */
static const struct helper helpers[] = {
    {"exit 3", "60s", WEIR_ERR_CHILD, "exit status 3"},
    {"echo 'no luck today' >&2; exit 1", "60s", WEIR_ERR_CHILD, "exit status 1: no luck today"},
    {"kill -SEGV $$", "60s", WEIR_ERR_CHILD, "signal 11"},
    {"cat >/dev/null; kill -ABRT $$", "60s", WEIR_ERR_CHILD, "signal 6"},
    {"cat >/dev/null", "60s", WEIR_ERR_CHILD, "no answer"},
    {"cat", "60s", WEIR_ERR_CHILD, "answered"},
    {"head -c 100000 /dev/zero; cat >/dev/null", "60s", WEIR_ERR_CHILD, "answered more than"},
    {"cat >/dev/null; head -c 200 /dev/zero", "60s", WEIR_ERR_CHILD, "no answer"},
    {"cat >/dev/null; printf 'wrmetis1'", "60s", WEIR_ERR_CHILD, "no answer"},
    {"while :; do echo noise >&2; done", "200ms", WEIR_ERR_TIMEOUT, "time limit"},
    {"exec sleep 1000", "100ms", WEIR_ERR_TIMEOUT, "time limit"},
    {"sleep 1000", "100ms", WEIR_ERR_TIMEOUT, "time limit"},
    {"exec <&- >&- 2>&-; exec sleep 1000", "100ms", WEIR_ERR_TIMEOUT, "time limit"},
    {"sleep 1000 & exit 4", "60s", WEIR_ERR_CHILD, "exit status 4"}, /* its child holds the pipes */
};

static void try_helper(const weir_graph *graph, const char *path, const char *timeout,
                       weir_status wanted, const char *why)
{
    weir_config *config;
    weir_partition *p = (weir_partition *)&p;
    assert_int_equal(weir_config_create(&config), WEIR_OK);
    assert_int_equal(weir_config_set(config, "metis_helper", path), WEIR_OK);
    assert_int_equal(weir_config_set(config, "metis_timeout", timeout), WEIR_OK);
    weir_status got = weir_partition_create(graph, WEIR_PARTITION_METIS, 4, 1, config, &p);
    if (got != wanted || p || !strstr(weir_error_detail(), why) ||
        !strstr(weir_error_detail(), path))
        fail_msg("wanted %d (%s), got %d: %s", wanted, why, got, weir_error_detail());
    weir_config_destroy(config);
}

static void bad_helpers(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:13", 0); /* more than a pipe or socket holds */
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", helpers[i].script);
        const char *path = put_text("helper", text);
        assert_int_equal(chmod(path, 0700), 0);
        try_helper(graph, path, helpers[i].timeout, helpers[i].status, helpers[i].why);
        remove(path);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left to reap */
    }
    try_helper(graph, "/nonexistent/weir-metis", "60s", WEIR_ERR_CHILD, "no program");
    try_helper(graph, folder, "60s", WEIR_ERR_CHILD, "no program");
    const char *path = put_text("helper", "#!/nonexistent/interpreter\n");
    assert_int_equal(chmod(path, 0700), 0);
    try_helper(graph, path, "60s", WEIR_ERR_CHILD, "cannot be started");
    weir_graph_destroy(graph);
}

/* One part and no edges need no METIS, so a missing helper is no matter there. */
static void helper_not_needed(void **state)
{
    (void)state;
    weir_config *config;
    weir_partition *p;
    weir_graph *graph = open_graph("grid:20x20", 0), *bare = open_graph("grid:20x20,0", 0);
    assert_int_equal(weir_config_create(&config), WEIR_OK);
    assert_int_equal(weir_config_set(config, "metis_helper", "/nonexistent"), WEIR_OK);
    assert_int_equal(weir_partition_create(graph, WEIR_PARTITION_METIS, 1, 1, config, &p), WEIR_OK);
    weir_partition_destroy(p);
    assert_int_equal(weir_partition_create(bare, WEIR_PARTITION_METIS, 4, 1, config, &p), WEIR_OK);
    assert_true(p->vertex_balance < 1.01);
    weir_partition_destroy(p);
    weir_config_destroy(config);
    weir_graph_destroy(graph);
    weir_graph_destroy(bare);
}

/* A program may have closed its standard streams, ignore SIGCHLD, or block signals. */
static void unusual_parents(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("grid:30x30", 0);
    fflush(NULL);
    for (int what = 0; what < 3; what++) {
        pid_t pid = fork();
        if (pid == 0) {
            weir_partition *p;
            if (what == 0) {
                close(0);
                close(1);
                close(2);
            } else if (what == 1) {
                signal(SIGCHLD, SIG_IGN);
            } else {
                sigset_t all;
                sigfillset(&all);
                sigprocmask(SIG_SETMASK, &all, NULL);
            }
            _exit(weir_partition_create(graph, WEIR_PARTITION_METIS, 4, 1, NULL, &p) != WEIR_OK);
        }
        int ending = -1;
        assert_int_equal(waitpid(pid, &ending, 0), pid);
        assert_int_equal(ending, 0);
    }
    weir_graph_destroy(graph);
}

/* What part @p part has of all arcs. */
static double part_of(const weir_graph *graph, const weir_partition *partition, uint32_t part)
{
    uint64_t arcs = 0;
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (partition->owner[v] == part)
            arcs += graph->offsets[v + 1] - graph->offsets[v];
    return (double)arcs / (double)graph->arcs;
}

/* The partition that is made where none is given: equal parts for devices that are alike, and parts by their units for others.
 * A graph without arcs has parts too. */
static void parts_by_speed(void **state)
{
    static const char *const specs[] = {"host:3", "host:2x2", "host:1x1,host:1x3",
                                        "host:1x4,host:1x1,host:1x5", "cuda:0,host:1"};
    weir_graph *graph = open_graph("grid:100x100", 0), *empty = open_graph("grid:40x1,0", 0);
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        weir_context *context;
        weir_partition *partition;
        double units[WEIR_DEVICES_MAX], all = 0;
        if (weir_context_create(specs[i], NULL, &context))
            continue; /* no GPU */
        const uint32_t count = weir_context_device_count(context);
        for (uint32_t d = 0; d < count; d++) {
            weir_device_info info = WEIR_DEVICE_INFO_INIT;
            weir_device_info_get(weir_context_device(context, d), &info);
            all += units[d] = info.units;
        }
        OK(weir_partition_create_for(context, graph, count, &partition));
        assert_measured(graph, partition);
        assert_int_equal(partition->kind, WEIR_PARTITION_EDGE);
        for (uint32_t d = 0; d < count; d++)
            if (fabs(part_of(graph, partition, d) - units[d] / all) > 0.001)
                fail_msg("%s: device %u has %g of the arcs, and %g of the units", specs[i], d,
                         part_of(graph, partition, d), units[d] / all);
        weir_partition_destroy(partition);
        OK(weir_partition_create_for(context, empty, count, &partition));
        assert_measured(empty, partition);
        weir_partition_destroy(partition);
        STATUS(weir_partition_create_for(context, graph, count + 1, &partition), WEIR_ERR_INVALID);
        assert_detail_has("of a context that has");
        STATUS(weir_partition_create_for(context, graph, 0, &partition), WEIR_ERR_INVALID);
        weir_context_destroy(context);
    }
    weir_graph_destroy(graph);
    weir_graph_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),        cmocka_unit_test(tiny_graphs),
        cmocka_unit_test(promises),          cmocka_unit_test(kind_names),
        cmocka_unit_test(bad_arguments),     cmocka_unit_test(bad_helpers),
        cmocka_unit_test(helper_not_needed), cmocka_unit_test(unusual_parents),
        cmocka_unit_test(parts_by_speed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
