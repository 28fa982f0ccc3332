/** @file test_graph_partition_file.c  Partitions written and read, files that are none, and what parts hold. */
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

static const char *const graphs[] = {"rmat:10", "rmat:10,1", "grid:40x40,.5", "grid:9x1",
                                     "grid:30x30,0"};

/* What is written reads back equal, packed or not, and says as many parts as its largest number does. */
static void round_trip(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        weir_graph *graph = open_graph(graphs[g], 0);
        for (uint32_t parts = 1; parts <= WEIR_DEVICES_MAX; parts = parts * 3 - 1 + (parts == 1)) {
            const char *path = in_folder("g.part");
            weir_partition *made, *read;
            uint32_t largest = 0;
            OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, parts, 7, NULL, &made));
            for (uint64_t v = 0; v < graph->vertices; v++)
                largest = made->owner[v] > largest ? made->owner[v] : largest;
            OK(weir_partition_write(made, path));
            OK(weir_partition_read(graph, path, WEIR_DEVICES_MAX, &read));
            assert_int_equal(read->kind, WEIR_PARTITION_FILE);
            assert_int_equal(read->parts, largest + 1);
            assert_int_equal(read->vertices, graph->vertices);
            assert_int_equal(read->cut_arcs, made->cut_arcs);
            assert_memory_equal(read->owner, made->owner, graph->vertices);
            weir_partition_destroy(read);
            weir_partition_destroy(made);
        }
        weir_graph_destroy(graph);
    }
}

static void packed(void **state)
{
    (void)state;
    static const char text[] = "0\n1\n1\n0\n";
    const char *const paths[] = {put_gzip("a", text, 8), put_xz("b", text, 8),
                                 put_zstd("c", text, 8),
                                 put_bytes("d", text, 7)}; /* the last line has no end */
    weir_graph *graph = open_graph("chain:4", 0);
    for (int i = 0; i < 4; i++) {
        weir_partition *read;
        OK(weir_partition_read(graph, paths[i], 2, &read));
        assert_int_equal(read->parts, 2);
        assert_memory_equal(read->owner, "\0\1\1\0", 4);
        assert_int_equal(read->cut_arcs, 4);
        weir_partition_destroy(read);
    }
    weir_graph_destroy(graph);
}

static void refuse(const weir_graph *graph, const char *text, const char *why)
{
    const char *path = put_text("wrong.part", text);
    weir_partition *read = (weir_partition *)&read;
    STATUS(weir_partition_read(graph, path, 3, &read), WEIR_ERR_FORMAT);
    assert_null(read);
    assert_detail_has(why);
}

static void wrong_files(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("chain:4", 0), *none;
    weir_partition *read;
    refuse(graph, "", "wrong.part: the file is empty, and chain:4 has 4 vertices");
    refuse(graph, "0\n1\n2\n", "wrong.part:3: the file ends here, and chain:4 has 4 vertices");
    refuse(graph, "0\n1\n2\n0\n1\n", "wrong.part:5: a line too many: chain:4 has 4 vertices");
    refuse(graph, "0\n1\n2\n0\n\n1\n", "wrong.part:6: a line too many");
    refuse(graph, "0\n1\n3\n0\n", "wrong.part:3: part 3, and there may be 3");
    refuse(graph, "0\n-1\n2\n0\n", "wrong.part:2: the part -1 is negative");
    refuse(graph, "0\n1\n99999999999999999999999\n0\n", "wrong.part:3: the part 9999");
    refuse(graph, "0\nx\n2\n0\n", "wrong.part:2: 'x' is no part");
    refuse(graph, "0\n1.0\n2\n0\n", "wrong.part:2: '1.0' is no part");
    refuse(graph, "% parts\n0\n1\n2\n0\n", "wrong.part:1: '%' is no part");
    refuse(graph, "0\n\n2\n0\n", "wrong.part:2: the line ends before the part");
    refuse(graph, "0 1\n2\n0\n1\n", "wrong.part:1: ");
    STATUS(weir_partition_read(graph, in_folder("not-there"), 3, &read), WEIR_ERR_IO);
    assert_detail_has("not-there");
    const char *path = put_text("right.part", "0\n0\n0\n0\n");
    STATUS(weir_partition_read(graph, path, 0, &read), WEIR_ERR_INVALID);
    STATUS(weir_partition_read(graph, path, WEIR_DEVICES_MAX + 1, &read), WEIR_ERR_INVALID);
    STATUS(weir_partition_read(graph, NULL, 2, &read), WEIR_ERR_INVALID);
    OK(weir_partition_read(graph, path, 3, &read));
    assert_int_equal(read->parts, 1);
    STATUS(weir_partition_write(read, in_folder("no-folder/x")), WEIR_ERR_IO);
    weir_partition_destroy(read);
    weir_graph_destroy(graph);

    /* No vertices, no lines. */
    OK(weir_graph_from_arcs(0, 0, NULL, NULL, NULL, NULL, &none));
    OK(weir_partition_read(none, put_text("none.part", ""), 3, &read));
    assert_int_equal(read->parts, 1);
    weir_partition_destroy(read);
    weir_graph_destroy(none);
}

/* The numbers of the parts, counted again in the plainest way. */
static void assert_parts(const weir_graph *graph, const weir_partition *partition)
{
    weir_partition_part parts[WEIR_DEVICES_MAX];
    uint8_t *far = malloc(graph->vertices + 1);
    uint64_t cut = 0;
    assert_non_null(far);
    OK(weir_partition_parts(graph, partition, parts));
    for (uint32_t p = 0; p < partition->parts; p++) {
        weir_partition_part want = {0, 0, 0, 0};
        memset(far, 0, graph->vertices + 1);
        for (uint64_t v = 0; v < graph->vertices; v++) {
            if (partition->owner[v] != p)
                continue;
            want.vertices++;
            for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
                want.arcs++;
                if (partition->owner[graph->targets[i]] == p)
                    continue;
                want.cut_arcs++;
                want.halo += !far[graph->targets[i]];
                far[graph->targets[i]] = 1;
            }
        }
        assert_int_equal(parts[p].vertices, want.vertices);
        assert_int_equal(parts[p].arcs, want.arcs);
        assert_int_equal(parts[p].cut_arcs, want.cut_arcs);
        assert_int_equal(parts[p].halo, want.halo);
        cut += want.cut_arcs;
    }
    assert_int_equal(partition->cut_arcs, cut);
    free(far);
}

static void what_parts_hold(void **state)
{
    (void)state;
    static const weir_partition_kind kinds[] = {WEIR_PARTITION_BLOCK, WEIR_PARTITION_EDGE,
                                                WEIR_PARTITION_RANDOM};
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        weir_graph *graph = open_graph(graphs[g], 0);
        for (uint32_t i = 0; i < 12; i++) {
            static const uint32_t counts[] = {1, 3, 8, 64};
            weir_partition *partition;
            OK(weir_partition_create(graph, kinds[i % 3], counts[i / 3], 5, NULL, &partition));
            assert_parts(graph, partition);
            weir_partition_destroy(partition);
        }
        weir_graph_destroy(graph);
    }
    weir_graph *one = open_graph("chain:4", 0), *other = open_graph("chain:5", 0);
    weir_partition_part parts[2];
    weir_partition *partition;
    OK(weir_partition_create(one, WEIR_PARTITION_BLOCK, 2, 0, NULL, &partition));
    STATUS(weir_partition_parts(other, partition, parts), WEIR_ERR_INVALID);
    weir_partition_destroy(partition);
    weir_graph_destroy(one);
    weir_graph_destroy(other);
}

/* A placement has the halos that were counted. */
static void halos_of_placements(void **state)
{
    (void)state;
    weir_graph *graph = open_graph("rmat:10", 0);
    weir_partition_part parts[4];
    weir_partition *partition;
    weir_placement *placement;
    weir_context *context;
    OK(weir_context_create("host:4", NULL, &context));
    OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, 4, 3, NULL, &partition));
    OK(weir_partition_parts(graph, partition, parts));
    OK(weir_placement_create(context, graph, partition, WEIR_PART_WEIGHTS_NONE, &placement));
    for (uint32_t p = 0; p < 4; p++) {
        assert_int_equal(weir_placement_part(placement, p)->halo_count, parts[p].halo);
        assert_int_equal(weir_placement_part(placement, p)->owned, parts[p].vertices);
    }
    weir_placement_destroy(placement);
    weir_partition_destroy(partition);
    weir_context_destroy(context);
    weir_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),          cmocka_unit_test(packed),
        cmocka_unit_test(wrong_files),         cmocka_unit_test(what_parts_hold),
        cmocka_unit_test(halos_of_placements),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
