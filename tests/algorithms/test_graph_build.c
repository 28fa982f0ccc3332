/** @file test_graph_build.c  Lists of arcs of all kinds to graphs, against a sort of all arcs at once: stretches with and
 * without a hub, lists in order and in none, weights of which all fractions are dropped, lists that are given back; lists that are graphs. */
#include "algorithms/graph/load.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/share.h"

#include <sys/stat.h>

#define COUNT    400000u
#define VERTICES 50000u
#define HUB      7u

enum weights { NONE, INTEGERS, FRACTIONS, DROPPED_FRACTIONS };
enum order { MIXED, BY_SOURCE, SORTED };

struct arc {
    uint32_t source, target;
    double weight;
};

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static int by_all(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static int by_source(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;
    return (x->source > y->source) - (x->source < y->source);
}

/* A third of the arcs begins at one vertex, so that its stretch is far larger than others; many come twice, some are loops.
 * Of the last kind of weights a fraction is always on an arc that is there with a smaller integer, too. */
static struct arc *make(enum weights weights, enum order order)
{
    struct arc *arcs = malloc(COUNT * sizeof *arcs);
    assert_non_null(arcs);
    for (uint32_t i = 0; i < COUNT; i++) {
        arcs[i] = (struct arc){draw(3) ? draw(VERTICES) : HUB, draw(VERTICES), draw(1000)};
        if (i > 0 && draw(8) == 0) {
            arcs[i] = arcs[draw(i)];
            arcs[i].weight += weights == DROPPED_FRACTIONS ? 0.5 : weights == INTEGERS ? 1 : -0.25;
        }
    }
    if (order != MIXED)
        qsort(arcs, COUNT, sizeof *arcs, order == SORTED ? by_all : by_source);
    return arcs;
}

/* What the graph has to be, from arcs in any order. @return how many arcs it has; they come first. */
static uint64_t expect(struct arc *arcs, uint64_t count, uint64_t *loops_out)
{
    uint64_t kept = 0;
    *loops_out = 0;
    qsort(arcs, count, sizeof *arcs, by_all);
    for (uint64_t i = 0; i < count; i++) {
        *loops_out += arcs[i].source == arcs[i].target;
        if (arcs[i].source != arcs[i].target &&
            (kept == 0 || arcs[kept - 1].source != arcs[i].source ||
             arcs[kept - 1].target != arcs[i].target))
            arcs[kept++] = arcs[i];
    }
    return kept;
}

static void check(const weir_graph *graph, const struct arc *arcs, uint64_t count,
                  enum weights weights)
{
    assert_sound(graph);
    assert_int_equal(graph->arcs, count);
    assert_int_equal(graph->weight_kind, weights == NONE        ? WEIR_WEIGHT_NONE
                                         : weights == FRACTIONS ? WEIR_WEIGHT_F64
                                                                : WEIR_WEIGHT_U32);
    for (uint64_t v = 0, i = 0; v < VERTICES; v++) {
        for (; i < graph->offsets[v + 1]; i++) {
            const double weight = graph->weights_u32   ? graph->weights_u32[i]
                                  : graph->weights_f64 ? graph->weights_f64[i]
                                                       : arcs[i].weight;
            if (arcs[i].source != v || arcs[i].target != graph->targets[i] ||
                arcs[i].weight != weight)
                fail_msg("arc %llu: %llu to %u, %g", (unsigned long long)i, (unsigned long long)v,
                         graph->targets[i], weight);
        }
    }
}

/* The list of a loader, which takes it along; or one that is the caller's and stays. */
static weir__arcs list_of(const struct arc *arcs, enum weights weights, int mirror, int borrowed)
{
    weir__arcs list = {.vertices = VERTICES, .weighted = weights != NONE, .mirror = mirror};
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(weir__arcs_add(&list, arcs[i].source, arcs[i].target, arcs[i].weight),
                         WEIR_OK);
    list.borrowed = borrowed;
    return list;
}

static void check_builds(const struct arc *arcs, enum weights weights, int mirror)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    const uint64_t count = (uint64_t)COUNT << mirror;
    struct arc *wanted = malloc(count * sizeof *wanted);
    uint64_t loops;
    assert_non_null(wanted);
    for (uint32_t i = 0; i < COUNT; i++) {
        wanted[i] = arcs[i];
        if (mirror)
            wanted[COUNT + i] = (struct arc){arcs[i].target, arcs[i].source, arcs[i].weight};
    }
    const uint64_t kept = expect(wanted, count, &loops);
    for (int t = 0; t < 4; t++) {
        weir__arcs list = list_of(arcs, weights, mirror, t == 1);
        weir__arcs kept_list = list;
        weir_graph *graph;
        assert_int_equal(weir__build(&list, threads[t], &graph), WEIR_OK);
        check(graph, wanted, kept, weights);
        assert_int_equal(graph->loops_dropped, loops >> mirror);
        assert_int_equal(graph->duplicates_dropped, count - loops - kept);
        if (t == 1) {
            for (uint32_t i = 0; i < COUNT; i++)
                assert_int_equal(kept_list.sources[i], arcs[i].source);
            kept_list.borrowed = 0;
            weir__arcs_free(&kept_list);
        }
        weir__arcs_free(&list);
        weir_graph_destroy(graph);
    }
    free(wanted);
}

static void all_kinds(void **state)
{
    (void)state;
    int turn = 0;
    seed = 11;
    for (int weights = NONE; weights <= DROPPED_FRACTIONS; weights++) {
        for (int order = MIXED; order <= SORTED; order++) {
            if (turn++ % test_stride())
                continue;
            struct arc *arcs = make((enum weights)weights, (enum order)order);
            check_builds(arcs, (enum weights)weights, 0);
            if (order != BY_SOURCE)
                check_builds(arcs, (enum weights)weights, 1);
            free(arcs);
        }
    }
}

/* A list of arcs as they are, loops and all; as many as there are. */
static weir__arcs some_of(const struct arc *arcs, uint64_t count, uint64_t vertices,
                          enum weights weights)
{
    weir__arcs list = {
        .vertices = vertices, .weighted = weights != NONE, .negative_line = weights ? 9 : 0};
    assert_int_equal(weir__arcs_reserve(&list, count), WEIR_OK);
    for (uint64_t i = 0; i < count; i++)
        (void)weir__arcs_add(&list, arcs[i].source, arcs[i].target, arcs[i].weight);
    assert_int_equal(list.count, count);
    return list;
}

/* Whether a list stays one that ascends; the graph is the wanted one in either case. */
static int is_taken(const struct arc *arcs, uint64_t count, enum weights weights,
                    const weir_graph *wanted, uint64_t loops)
{
    const weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir__arcs list = {.vertices = VERTICES,
                       .weighted = weights != NONE,
                       .negative_line = weights ? 9 : 0,
                       .ascends = 1};
    weir_graph *graph;
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(weir__arcs_add(&list, arcs[i].source, arcs[i].target, arcs[i].weight),
                         WEIR_OK);
    const int taken = list.ascends;
    assert_int_equal(weir__arcs_entries(&list), count);
    assert_true(!taken || !list.sources);
    assert_int_equal(weir__build_with(&list, &options, &graph), WEIR_OK);
    assert_sound(graph);
    assert_non_null(graph->targets); /* without, they would be on devices */
    if (wanted) {
        assert_same(graph, wanted);
        assert_int_equal(graph->negative_line, weights ? 9 : 0);
        assert_int_equal(graph->loops_dropped, loops);
        assert_int_equal(graph->duplicates_dropped, 0);
    }
    assert_int_equal(list.count, 0);
    weir_graph_destroy(graph);
    weir__arcs_free(&list);
    return taken;
}

/* The usual way, by which the graph of a list is made. */
static weir_graph *usual(const struct arc *arcs, uint64_t count, enum weights weights)
{
    weir__arcs list = some_of(arcs, count, VERTICES, weights);
    weir_graph *graph;
    assert_int_equal(weir__build(&list, 0, &graph), WEIR_OK);
    weir__arcs_free(&list);
    return graph;
}

/* What ascends is kept as rows, loops left out; a second copy or a step back anywhere, and it is a list. */
static void lists_that_ascend(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 5000, 140000};
    (void)state;
    for (enum weights weights = NONE; weights <= FRACTIONS; weights++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct arc *arcs = make(weights, MIXED);
            uint64_t loops, kept = expect(arcs, COUNT, &loops);
            kept = kept < counts[c] ? kept : counts[c];
            for (uint64_t i = 0; i < kept; i += 7)
                arcs[i].weight = -0.0;
            weir_graph *wanted = usual(arcs, kept, weights);
            assert_int_equal(wanted->arcs, kept);
            assert_true(is_taken(arcs, kept, weights, wanted, 0));
            for (uint64_t k = 0; k < 2; k++) /* the array has room: it had loops and copies */
                arcs[kept + k] = (struct arc){VERTICES - 1, VERTICES - 1, 3.5};
            assert_true(is_taken(arcs, kept + 1, weights, wanted, 1));
            assert_true(is_taken(arcs, kept + 2, weights, wanted, 2));
            for (int k = 0; k < 6 && kept >= 5000; k++) {
                const uint64_t i = 1 + draw((uint32_t)kept - 2);
                const struct arc was = arcs[i];
                arcs[i] = k % 3 == 0   ? (struct arc){was.source, was.source, 0.25}
                          : k % 3 == 1 ? arcs[i - 1]
                                       : (struct arc){arcs[i - 1].source, 0, was.weight};
                weir_graph *other = usual(arcs, kept, weights);
                if (k % 3 == 0)
                    assert_true(is_taken(arcs, kept, weights, other, 1));
                else if (k % 3 == 1 || arcs[i - 1].target > 0)
                    assert_false(is_taken(arcs, kept, weights, NULL, 0));
                weir_graph_destroy(other);
                arcs[i] = was;
            }
            weir_graph_destroy(wanted);
            free(arcs);
        }
}

/* Read a text as weir_graph_open() does. @return whether it was kept as rows to its end. */
static int stays_rows(const char *name, weir_status (*load)(weir__reader *, weir__arcs *))
{
    weir__arcs arcs = {.ascends = 1, .format_given = 1};
    weir__reader *reader;
    assert_int_equal(weir__reader_open(in_folder(name), &reader), WEIR_OK);
    assert_int_equal(load(reader, &arcs), WEIR_OK);
    const int rows = arcs.ascends;
    assert_int_equal(rows, arcs.sources == NULL);
    weir__reader_close(reader);
    weir__arcs_free(&arcs);
    return rows;
}

static void append_line(const char *name, const char *line)
{
    FILE *file = fopen(in_folder(name), "a");
    assert_non_null(file);
    assert_true(fputs(line, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* An edge list without the comment that says how many edges there are. */
static void drop_promise(const char *from, const char *to)
{
    char line[100], path[200];
    snprintf(path, sizeof path, "%s", in_folder(from));
    FILE *in = fopen(path, "r"), *out = fopen(in_folder(to), "w");
    assert_true(in && out);
    while (fgets(line, sizeof line, in))
        if (line[0] != '#')
            assert_true(fputs(line, out) >= 0);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static void check_text(const char *name, const weir_graph *wanted)
{
    static const uint32_t threads[] = {1, 3};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
        weir_graph *graph;
        options.threads = threads[t];
        assert_int_equal(weir_graph_open(in_folder(name), &options, &graph), WEIR_OK);
        assert_sound(graph);
        assert_same(graph, wanted);
        weir_graph_destroy(graph);
    }
}

/* Loops between the lines of a text that ascends are left out where many lines are taken at once, too. */
static void texts_with_loops_ascend(void **state)
{
    enum { N = 3000 };
    (void)state;
    for (int weights = 0; weights < 3; weights++) {
        FILE *file = fopen(in_folder("loops.el"), "w");
        char name[220];
        assert_non_null(file);
        for (int v = 0; v < N; v++) {
            const char *half = weights == 2 && v == N / 2 ? ".5" : "";
            if (v % 3 != 1)
                fprintf(file, "%d %d%s\n", v, v, weights ? " 7" : "");
            fprintf(file, "%d %d", v, v + 1);
            if (weights)
                fprintf(file, " %d%s", v, half);
            fputc('\n', file);
        }
        assert_int_equal(fclose(file), 0);
        assert_int_equal(stays_rows("loops.el", weir__load_edge_list), 1);
        snprintf(name, sizeof name, "edges:%s", in_folder("loops.el"));
        weir_graph *graph = open_graph(name, 0);
        assert_sound(graph);
        assert_int_equal(graph->vertices, N + 1);
        assert_int_equal(graph->arcs, N);
        assert_int_equal(graph->loops_dropped, N / 3 * 2);
        for (uint32_t v = 0; v < N; v++) {
            assert_int_equal(graph->offsets[v], v);
            assert_int_equal(graph->targets[v], v + 1);
            if (weights == 1)
                assert_int_equal(graph->weights_u32[v], v);
            if (weights == 2)
                assert_true(graph->weights_f64[v] == v + (v == N / 2 ? 0.5 : 0));
        }
        weir_graph_destroy(graph);
    }
}

/* Texts as this library writes them never become lists, whatever their format; a line that goes back makes one. */
static void texts_that_ascend(void **state)
{
    static const struct {
        const char *name;
        weir_status (*load)(weir__reader *, weir__arcs *);
    } text[] = {{"x.mtx", weir__load_matrix_market},
                {"x.el", weir__load_edge_list},
                {"x.dimacs", weir__load_dimacs},
                {"x.graph", weir__load_metis}};
    weir_graph *graph, *weighed;
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    (void)state;
    options.undirected = 1; /* for METIS */
    assert_int_equal(weir_graph_open("rmat:13", &options, &graph), WEIR_OK);
    for (int weights = 0; weights < 2; weights++) {
        for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
            assert_int_equal(weir_graph_write(graph, in_folder(text[i].name)), WEIR_OK);
            assert_int_equal(stays_rows(text[i].name, text[i].load), 1);
            if (weights || text[i].load != weir__load_dimacs) /* which has weights in any case */
                check_text(text[i].name, graph);
        }
        drop_promise("x.el", "y.el");
        append_line("y.el", weights ? "60000 1 0.5\n" : "60000 1\n");
        assert_int_equal(stays_rows("y.el", weir__load_edge_list), 1);
        assert_int_equal(weir_graph_open(in_folder("y.el"), NULL, &weighed), WEIR_OK);
        assert_int_equal(weighed->weight_kind, weights ? WEIR_WEIGHT_F64 : WEIR_WEIGHT_NONE);
        assert_int_equal(weighed->arcs, graph->arcs + 1);
        assert_int_equal(weighed->offsets[60000], graph->arcs);
        for (uint64_t i = 0; weights && i < graph->arcs; i++)
            assert_true(weighed->weights_f64[i] == graph->weights_u32[i]);
        append_line("y.el", weights ? "60000 0 1\n" : "60000 0\n");
        assert_int_equal(stays_rows("y.el", weir__load_edge_list), 0);
        weir_graph_destroy(weighed);
        assert_int_equal(weir_graph_open(in_folder("y.el"), NULL, &weighed), WEIR_OK);
        assert_sound(weighed);
        assert_int_equal(weighed->arcs, graph->arcs + 2);
        assert_int_equal(weighed->targets[graph->arcs], 0);
        assert_memory_equal(weighed->targets, graph->targets, 4 * graph->arcs);
        weir_graph_destroy(weighed);
        weir_weights kind;
        assert_int_equal(weir_weights_parse("random:1-255", &kind), WEIR_OK);
        assert_int_equal(weir_graph_weigh(graph, &kind), WEIR_OK);
    }
    weir_graph_destroy(graph);
}

/* Room for what a text lets expect does not become room of a list, in which an arc takes twice as much and more. */
static void a_list_has_room_for_what_came(void **state)
{
    weir__arcs list = {.weighted = 1, .ascends = 1, .expected = 50000000};
    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(weir__arcs_add(&list, i, i + 1, 2), WEIR_OK);
    assert_true(list.room >= list.expected);
    assert_int_equal(weir__arcs_add(&list, 0, 9, 2), WEIR_OK);
    assert_false(list.ascends);
    assert_in_range(list.room, 10001, 20000);
    for (uint32_t i = 0; i < 10001; i++) {
        assert_int_equal(list.sources[i], i < 10000 ? i : 0);
        assert_int_equal(list.targets[i], i < 10000 ? i + 1 : 9);
        assert_true(list.weights[i] == 2);
    }
    weir__arcs_free(&list);
}

/* Nor do rows widen all their room for the first fraction where memory has not so much left: what came becomes a list. */
static void a_fraction_may_end_rows(void **state)
{
    weir__arcs list = {.weighted = 1, .ascends = 1, .expected = 20000000};
    char root[200];
    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(weir__arcs_add(&list, i, i + 1, 2), WEIR_OK);
    snprintf(root, sizeof root, "%s", in_folder("machine"));
    assert_int_equal(mkdir(root, 0777), 0);
    assert_int_equal(mkdir(in_folder("machine/proc"), 0777), 0);
    append_line("machine/proc/meminfo", "MemAvailable: 65536 kB\n");
    weir__room_pretend(root);
    const weir_status status = weir__arcs_add(&list, 10000, 1, 0.5);
    weir__room_pretend(NULL);
    assert_int_equal(remove(in_folder("machine/proc/meminfo")), 0);
    assert_int_equal(rmdir(in_folder("machine/proc")), 0);
    assert_int_equal(status, WEIR_OK);
    assert_false(list.ascends);
    assert_int_equal(list.count, 10001);
    assert_true(list.weights[9999] == 2 && list.weights[10000] == 0.5);
    weir__arcs_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(lists_that_ascend),
        cmocka_unit_test(a_list_has_room_for_what_came),
        cmocka_unit_test(a_fraction_may_end_rows),
        cmocka_unit_test(texts_that_ascend),
        cmocka_unit_test(texts_with_loops_ascend),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
