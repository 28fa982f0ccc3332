/** @file test_values.c  Results where they lie, against results on the host; and what is counted of them there. */
#include "algorithms/bfs/bfs_op.h"
#include "algorithms/common/gather.h"
#include "algorithms/common/traversal.h"
#include "algorithms/common/values_op.h"
#include "runtime/internal.h"
#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

#include <math.h>

extern const weir_operator weir__bfs_operator;

/* ---- results where they lie -------------------------------------------------------------------- */

union object {
    weir_bfs *bfs;
    weir_sssp *sssp;
    weir_pr *pr;
    weir_cc *cc;
};

enum kind { BFS, SSSP, PR, CC };

static weir_status values_of(enum kind kind, union object object, uint32_t device,
                             weir_values *values)
{
    return kind == BFS    ? weir_bfs_values(object.bfs, device, values)
           : kind == SSSP ? weir_sssp_values(object.sssp, device, values)
           : kind == PR   ? weir_pr_values(object.pr, device, values)
                          : weir_cc_values(object.cc, device, values);
}

static double element(const weir_values *values, const char *data, uint64_t i)
{
    int32_t i32;
    uint32_t u32;
    double f64;
    switch (values->kind) {
    case WEIR_VALUE_I32:
        memcpy(&i32, data + i * 4, 4);
        return i32;
    case WEIR_VALUE_U32:
        memcpy(&u32, data + i * 4, 4);
        return u32 == UINT32_MAX ? (double)INFINITY : values->scale * u32;
    default:
        memcpy(&f64, data + i * 8, 8);
        return isnan(f64) ? (double)INFINITY : values->scale * f64;
    }
}

/* Each vertex is on one device, with the value that the host was given. */
static void assert_values(enum kind kind, union object object, weir_context *context,
                          uint32_t parts, uint64_t n, const double *want)
{
    uint8_t *seen = calloc(n, 1);
    uint64_t found = 0, next = 0;
    weir_values values = WEIR_VALUES_INIT;
    assert_non_null(seen);
    for (uint32_t d = 0; d < parts; d++) {
        OK(values_of(kind, object, d, &values));
        assert_int_equal(values.bytes, values.kind == WEIR_VALUE_F64 ? 8 : 4);
        assert_true(values.first >= next);
        next = values.first + values.count;
        char *data = malloc(values.count * values.bytes + 1);
        uint32_t *vertex = malloc(values.count * 4 + 1);
        assert_true(data && vertex);
        weir_device *device = weir_context_device(context, d);
        OK(weir__download(device, data, values.data, values.count * values.bytes));
        OK(weir__download(device, vertex, values.vertices, values.count * 4));
        for (uint64_t i = 0; i < values.count; i++) {
            if (vertex[i] == UINT32_MAX)
                continue;
            assert_true(vertex[i] < n && !seen[vertex[i]]++);
            found++;
            double have = element(&values, data, i), should = want[vertex[i]];
            if (!(have == should || fabs(have - should) <= 1e-12 * should))
                fail_msg("vertex %u has %.17g, not %.17g", vertex[i], have, should);
        }
        free(data);
        free(vertex);
    }
    assert_int_equal(found, n);
    STATUS(values_of(kind, object, parts, &values), WEIR_ERR_INVALID);
    free(seen);
}

static void results_are_those_on_the_host(void **state)
{
    static const char *const graphs[] = {"rmat:10", "grid:40x27,0.7"};
    static const weir_direction ways[] = {WEIR_DIRECTION_PUSH, WEIR_DIRECTION_AUTO};
    weir_context *context = open_or_skip(state);
    const uint32_t parts = weir_context_device_count(context);
    for (int g = 0; g < 8; g++) {
        weir_graph *graph = open_graph(graphs[g / 2 % 2], 0);
        weir_run_options options = WEIR_RUN_OPTIONS_INIT;
        weir_weights weights = {.kind = WEIR_WEIGHTS_RANDOM, .low = 1, .high = 100, .seed = 1};
        const weir_weights floats = {
            .kind = WEIR_WEIGHTS_FLOATS, .low = 1, .high = 1 << 21, .seed = 1, .exponent = -21};
        const uint64_t n = graph->vertices;
        double *want = malloc(n * sizeof *want);
        int32_t *levels = malloc(n * sizeof *levels);
        weir_partition *partition;
        weir_run_stats stats = WEIR_RUN_STATS_INIT;
        weir_values values = WEIR_VALUES_INIT;
        union object object;
        assert_true(want && levels);
        OK(weir_graph_weigh(graph, g < 4 ? &weights : &floats));
        OK(weir_partition_create(graph, WEIR_PARTITION_RANDOM, parts, 7, NULL, &partition));
        options.direction = ways[g % 2];
        if (g >= 4)
            options.balance = WEIR_BALANCE_OFF;

        OK(weir_bfs_create(context, graph, partition, &options, &object.bfs));
        STATUS(weir_bfs_values(object.bfs, 0, &values), WEIR_ERR_INVALID);
        for (uint64_t source = 1; source < 4; source++) {
            OK(weir_bfs_run(object.bfs, source, &stats));
            OK(weir_bfs_levels(object.bfs, levels));
            for (uint64_t v = 0; v < n; v++)
                want[v] = levels[v];
            assert_values(BFS, object, context, parts, n, want);
        }
        weir_bfs_destroy(object.bfs);

        OK(weir_sssp_create(context, graph, partition, &options, &object.sssp));
        STATUS(weir_sssp_values(object.sssp, 0, &values), WEIR_ERR_INVALID);
        OK(weir_sssp_run(object.sssp, 1, &stats));
        OK(weir_sssp_distances(object.sssp, want));
        assert_values(SSSP, object, context, parts, n, want);
        weir_sssp_destroy(object.sssp);

        OK(weir_pr_create(context, graph, partition, &options, NULL, &object.pr));
        STATUS(weir_pr_values(object.pr, 0, &values), WEIR_ERR_INVALID);
        OK(weir_pr_run(object.pr, &stats));
        OK(weir_pr_ranks(object.pr, want));
        assert_values(PR, object, context, parts, n, want);
        weir_pr_destroy(object.pr);

        OK(weir_cc_create(context, graph, partition, NULL, WEIR_CC_RESIDENT, &object.cc));
        STATUS(weir_cc_values(object.cc, 0, &values), WEIR_ERR_INVALID);
        OK(weir_cc_run(object.cc, &stats));
        OK(weir_cc_labels(object.cc, (uint32_t *)levels));
        for (uint64_t v = 0; v < n; v++)
            want[v] = (uint32_t)levels[v];
        assert_values(CC, object, context, parts, n, want);
        weir_cc_destroy(object.cc);

        OK(weir_cc_create(context, graph, partition, NULL, WEIR_CC_STREAMED, &object.cc));
        OK(weir_cc_run(object.cc, &stats));
        STATUS(weir_cc_values(object.cc, 0, &values), WEIR_ERR_UNSUPPORTED);
        weir_cc_destroy(object.cc);

        weir_partition_destroy(partition);
        free(want);
        free(levels);
        weir_graph_destroy(graph);
    }
    weir_context_destroy(context);
}

/* ---- the order of vertices --------------------------------------------------------------------- */

enum { VERTICES = 5000, MANY = 1300000 };

/* Vertices are dealt out in turn; behind those of each part are `gap` numbers of none. */
struct scattered {
    struct weir__numbering fields, *numbering;
    uint32_t number[MANY], *vertex;
    void *values[WEIR_DEVICES_MAX];
};

static void scatter(struct scattered *s, weir_context *context, uint32_t gap, uint64_t vertices)
{
    const uint32_t parts = weir_context_device_count(context);
    uint32_t next = 0;
    s->vertex = malloc((vertices + parts * (uint64_t)gap) * sizeof *s->vertex);
    assert_non_null(s->vertex);
    s->fields = (struct weir__numbering){.context = context, .vertices = vertices, .parts = parts};
    for (uint32_t p = 0; p < parts; p++) {
        s->fields.begin[p] = next;
        for (uint64_t v = p; v < vertices; v += parts) {
            s->number[v] = next;
            s->vertex[next++] = (uint32_t)v;
        }
        for (uint32_t i = 0; i < gap; i++)
            s->vertex[next++] = UINT32_MAX;
        s->fields.owned[p] = next - s->fields.begin[p];
    }
    s->fields.numbers = next;
    s->fields.number = s->number;
    s->fields.vertex = gap ? s->vertex : NULL;
    OK(weir__numbering_create(&s->fields, &s->numbering));
}

static unsigned char byte_of(uint32_t vertex, size_t i)
{
    return (unsigned char)(vertex * 31u + (vertex >> 8) * 7u + i * 101u + 3u);
}

static void fill_scattered(struct scattered *s, size_t bytes)
{
    for (uint32_t p = 0; p < s->fields.parts; p++) {
        weir_device *device = weir_context_device(s->fields.context, p);
        const size_t all = s->fields.owned[p] * bytes;
        char *host = malloc(all + 1);
        assert_non_null(host);
        for (size_t at = 0; at < all; at++)
            host[at] = (char)byte_of(s->vertex[s->fields.begin[p] + at / bytes], at % bytes);
        OK(weir_device_alloc(device, all, &s->values[p]));
        OK(weir__upload(device, s->values[p], host, all));
        free(host);
    }
}

static void assert_in_order(const unsigned char *out, uint64_t vertices, size_t bytes)
{
    for (uint64_t at = 0; at < vertices * bytes; at++)
        if (out[at] != byte_of((uint32_t)(at / bytes), at % bytes))
            fail_msg("byte %llu of width %zu", (unsigned long long)at, bytes);
}

/* @param[out] values  for each part. */
static struct scattered *open_scattered(weir_context *context, uint32_t gap, uint64_t vertices,
                                        size_t bytes, const void **values)
{
    struct scattered *s = calloc(1, sizeof *s);
    assert_non_null(s);
    scatter(s, context, gap, vertices);
    fill_scattered(s, bytes);
    memcpy(values, s->values, sizeof s->values);
    return s;
}

static void close_scattered(struct scattered *s)
{
    for (uint32_t p = 0; p < s->fields.parts; p++)
        weir_device_free(weir_context_device(s->fields.context, p), s->values[p]);
    weir__numbering_destroy(s->numbering);
    free(s->vertex);
    free(s);
}

static void values_come_in_the_order_of_vertices(void **state)
{
    static const size_t widths[] = {4, 8, 1, 12};
    weir_context *context = open_or_skip(state);
    unsigned char *out = malloc(VERTICES * 12);
    assert_non_null(out);
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
        const size_t bytes = widths[i % 4];
        const uint64_t vertices = i / 8 % 2 ? 1 : VERTICES;
        const void *values[WEIR_DEVICES_MAX];
        struct scattered *s = open_scattered(context, i / 4 % 2 ? 17 : 0, vertices, bytes, values);
        if (i / 16)
            OK(weir_memory_register(context, out, VERTICES * 12));
        for (int twice = 0; twice < 2; twice++) {
            memset(out, 0, VERTICES * 12);
            OK(weir__gather(s->numbering, values, bytes, out));
            assert_in_order(out, vertices, bytes);
        }
        memset(out, 0, VERTICES * 12);
        weir_status status =
            weir__gather_on_devices(s->numbering, values, bytes, VALUES_AS_THEY_ARE, out);
        assert_true(!status || status == WEIR_ERR_UNSUPPORTED);
        assert_true(!status || bytes == 1 || bytes == 12 || strstr(*state, "cuda"));
        if (!status)
            assert_in_order(out, vertices, bytes);
        if (i / 16)
            OK(weir_memory_unregister(context, out));
        close_scattered(s);
    }
    free(out);
    weir_context_destroy(context);
}

/* More than two stretches (gather.c), of which the last one is short. */
static void stretches_come_one_after_the_other(void **state)
{
    weir_context *context = open_or_skip(state);
    unsigned char *out = malloc(MANY * UINT64_C(8));
    assert_non_null(out);
    for (size_t bytes = 4; bytes <= 8; bytes += 4) {
        const void *values[WEIR_DEVICES_MAX];
        struct scattered *s = open_scattered(context, 3, MANY, bytes, values);
        for (int registered = 0; registered < 2; registered++) {
            if (registered)
                OK(weir_memory_register(context, out, MANY * bytes));
            memset(out, 0, MANY * bytes);
            OK(weir__gather_on_devices(s->numbering, values, bytes, VALUES_AS_THEY_ARE, out));
            assert_in_order(out, MANY, bytes);
            if (registered)
                OK(weir_memory_unregister(context, out));
        }
        close_scattered(s);
    }
    free(out);
    weir_context_destroy(context);
}

/* A value of a vertex: another vertex's number, or none. */
static uint64_t friend_of(uint64_t vertex, uint64_t vertices)
{
    return vertex % 5 == 2 ? UINT64_MAX : (vertex * 7919 + 3) % vertices;
}

static void fill_with_friends(struct scattered *s)
{
    const uint64_t vertices = s->fields.vertices;
    for (uint32_t p = 0; p < s->fields.parts; p++) {
        uint32_t *host = malloc(s->fields.owned[p] * sizeof *host + 1);
        assert_non_null(host);
        for (uint32_t r = 0; r < s->fields.owned[p]; r++) {
            const uint32_t vertex = s->vertex[s->fields.begin[p] + r];
            const uint64_t other = vertex == UINT32_MAX ? UINT64_MAX : friend_of(vertex, vertices);
            host[r] = other == UINT64_MAX ? UINT32_MAX : s->number[other];
        }
        OK(weir__upload(weir_context_device(s->fields.context, p), s->values[p], host,
                        s->fields.owned[p] * sizeof *host));
        free(host);
    }
}

static void assert_wide(const struct scattered *s, enum values_form form, const void *out)
{
    const uint64_t vertices = s->fields.vertices;
    for (uint64_t v = 0; v < vertices; v++) {
        const uint64_t other = friend_of(v, vertices);
        if (form == VALUES_AS_VERTICES)
            assert_int_equal(((const int64_t *)out)[v], other == UINT64_MAX ? -1 : (int64_t)other);
        else
            assert_true(((const double *)out)[v] ==
                        (other == UINT64_MAX ? (double)INFINITY : (double)s->number[other]));
    }
}

/* Numbers become vertices, whole numbers doubles, on whatever way they go: more than two stretches, and intervals of the
 * widening on the host that are halved several times. */
static void values_become_wider_on_the_way(void **state)
{
    static const enum values_form forms[] = {VALUES_AS_VERTICES, VALUES_AS_DOUBLES};
    weir_context *context = open_or_skip(state);
    uint64_t *out = malloc(MANY * sizeof *out);
    assert_non_null(out);
    for (int i = 0; i < 2 * 2 * 3; i++) {
        const uint64_t vertices = i / 4 == 0 ? MANY : i / 4 == 1 ? 1 : VERTICES;
        const void *values[WEIR_DEVICES_MAX];
        struct scattered *s = open_scattered(context, i / 2 % 2 ? 17 : 0, vertices, 4, values);
        s->fields.vertex = s->numbering->vertex = s->vertex;
        fill_with_friends(s);
        memset(out, 0x77, vertices * sizeof *out);
        OK(weir__gather_wide(s->numbering, values, forms[i % 2], out));
        assert_wide(s, forms[i % 2], out);
        memset(out, 0x77, vertices * sizeof *out);
        weir_status status = weir__gather_on_devices(s->numbering, values, 4, forms[i % 2], out);
        assert_true(!status || status == WEIR_ERR_UNSUPPORTED);
        if (!status)
            assert_wide(s, forms[i % 2], out);
        close_scattered(s);
    }
    free(out);
    weir_context_destroy(context);
}

/* Many pieces, and memory that is registered in part. */
static void downloads_of_all_sizes(void **state)
{
    static const size_t sizes[] = {1, 4095, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (16 << 20) + 5};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    const size_t most = (16 << 20) + 5;
    unsigned char *from = malloc(most), *to = malloc(most);
    void *there;
    assert_true(from && to);
    for (size_t i = 0; i < most; i++)
        from[i] = (unsigned char)(i * 2654435761u >> 24);
    OK(weir_device_alloc(device, most, &there));
    OK(weir__upload(device, there, from, most));
    for (int registered = 0; registered < 2; registered++) {
        if (registered)
            OK(weir_memory_register(context, to, 4 << 20));
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            memset(to, 0, most);
            OK(weir__download(device, to, there, sizes[i]));
            assert_memory_equal(to, from, sizes[i]);
            assert_true(sizes[i] == most || to[sizes[i]] == 0);
        }
        assert_int_equal(weir__memory_registered(context, to, 4 << 20), registered);
        assert_int_equal(weir__memory_registered(context, to + 5, (4 << 20) - 5), registered);
        assert_int_equal(weir__memory_registered(context, to, (4 << 20) + 1), 0);
        assert_int_equal(weir__memory_registered(context, to + (4 << 20), 1), 0);
    }
    OK(weir_memory_unregister(context, to));
    weir_device_free(device, there);
    free(from);
    free(to);
    weir_context_destroy(context);
}

/* ---- counts ------------------------------------------------------------------------------------ */

enum { ROWS = 3001 };

/* What the host would count. */
static void recount(const unsigned char *values, const uint64_t *offsets, size_t bytes, int fill,
                    uint64_t far, uint64_t want[VALUES_COUNTS])
{
    memset(want, 0, VALUES_COUNTS * sizeof *want);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t number = 0;
        int hit = 0;
        for (size_t i = 0; i < bytes; i++)
            hit |= values[row * bytes + i] != fill;
        if (bytes == 4 || bytes == 8)
            memcpy(&number, values + row * bytes, bytes);
        want[VALUES_REACHED] += (uint64_t)hit;
        want[VALUES_ARCS_LEFT] += hit ? 0 : offsets[row + 1] - offsets[row];
        want[VALUES_FAR] += hit && far && number >= far;
    }
}

static void counts_are_those_of_the_host(void **state)
{
    static const size_t widths[] = {1, 2, 3, 4, 5, 8, 12, 16, 4096};
    static const int fills[] = {0, 0x5A, 0xFF};
    weir_context *context = open_or_skip(state);
    weir_device *device = weir_context_device(context, 0);
    uint64_t offsets[ROWS + 1], want[VALUES_COUNTS], have[VALUES_COUNTS];
    unsigned char *values = malloc(ROWS * (size_t)4096);
    void *there, *offsets_there, *counts;
    weir_queue *queue;
    uint32_t seed = 1;
    assert_non_null(values);
    offsets[0] = 0;
    for (uint32_t row = 0; row < ROWS; row++)
        offsets[row + 1] = offsets[row] + row % 13 + (row == 77 ? UINT64_C(5000000000) : 0);
    OK(weir_queue_create(device, 0, &queue));
    OK(weir_device_alloc(device, ROWS * (size_t)4096, &there));
    OK(weir_device_alloc(device, sizeof offsets, &offsets_there));
    OK(weir_device_alloc(device, sizeof have, &counts));
    OK(weir__upload(device, offsets_there, offsets, sizeof offsets));
    for (int i = 0; i < 9 * 3; i++) {
        const size_t bytes = widths[i / 3];
        const uint64_t far = i % 2 ? 0 : bytes == 4 ? UINT32_MAX - 1 : UINT64_MAX / 2;
        memset(values, fills[i % 3], ROWS * bytes);
        for (uint32_t row = 0; row < ROWS; row++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 31) /* one byte of half of them, or all: numbers of every size */
                values[row * bytes + (seed >> 8) % bytes] = (unsigned char)(seed >> 3);
            if (seed % 7 == 0)
                memset(values + row * bytes, (int)(seed >> 16 & 255), bytes);
            if (seed % 64 == 5) { /* far, by one */
                memset(values + row * bytes, 0xFF, bytes);
                values[row * bytes] = 0xFE;
            }
        }
        recount(values, offsets, bytes, fills[i % 3], far, want);
        OK(weir__upload(device, there, values, ROWS * bytes));
        const values_count_args args = {.values = there,
                                        .offsets = offsets_there,
                                        .counts = counts,
                                        .far = far,
                                        .rows = ROWS,
                                        .bytes = (uint32_t)bytes,
                                        .fill = (uint32_t)fills[i % 3]};
        OK(weir_queue_fill(queue, counts, 0, sizeof have));
        OK(weir_queue_launch(queue, &weir__values_count_kernel, &args, sizeof args));
        OK(weir_queue_sync(queue));
        OK(weir__download(device, have, counts, sizeof have));
        for (int c = 0; c < VALUES_COUNTS; c++)
            if (have[c] != want[c])
                fail_msg("width %zu, fill %d: count %d is %llu, not %llu", bytes, fills[i % 3], c,
                         (unsigned long long)have[c], (unsigned long long)want[c]);
    }
    weir_queue_destroy(queue);
    weir_device_free(device, there);
    weir_device_free(device, offsets_there);
    weir_device_free(device, counts);
    free(values);
    weir_context_destroy(context);
}

/* A traversal counts far values and none before it ran; without stats too. */
static void far_values_of_a_traversal(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_graph *graph = open_graph("grid:20x13", 0);
    weir_placement *placement;
    weir_traversal *traversal;
    bfs_wire wire = {0, 0};
    uint32_t part;
    OK(weir_placement_create(context, graph, NULL, WEIR_PART_WEIGHTS_NONE, &placement));
    OK(weir_traversal_create(placement, &weir__bfs_operator, NULL, NULL, &traversal));
    for (uint32_t p = 0; p < weir_context_device_count(context); p++) {
        bfs_state bound = {.part = *weir_placement_part(placement, p),
                           .level = weir_traversal_values(traversal, p)};
        OK(weir_traversal_bind(traversal, p, &bound));
    }
    weir__traversal_watch(traversal, 19 + 12);
    assert_int_equal(weir__traversal_far(traversal), 0);
    OK(weir_placement_locate(placement, 0, &part, &wire.vertex, NULL));
    OK(weir_traversal_seed(traversal, part, &wire, 1));
    OK(weir_traversal_run(traversal, NULL));
    assert_int_equal(weir__traversal_far(traversal), 1); /* the other corner */
    OK(weir_traversal_run(traversal, NULL));             /* from nowhere */
    assert_int_equal(weir__traversal_far(traversal), 0);
    weir_traversal_destroy(traversal);
    weir_placement_destroy(placement);
    weir_graph_destroy(graph);
    weir_context_destroy(context);
}

int main(void)
{
#define ON_EACH(f)                                                               \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:3"), ON_BACKEND(f, "host:2x2"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1")
    const struct CMUnitTest tests[] = {
        ON_EACH(results_are_those_on_the_host),  ON_EACH(values_come_in_the_order_of_vertices),
        ON_EACH(downloads_of_all_sizes),         ON_EACH(counts_are_those_of_the_host),
        ON_EACH(far_values_of_a_traversal),      ON_EACH(stretches_come_one_after_the_other),
        ON_EACH(values_become_wider_on_the_way),
    };
    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
