/** @file test_abi.c  Programs compiled with an older or a newer header (docs/abi.md): every structure that begins with its
 * size, given shorter and longer than the library has it. A structure of another version is a piece of memory here, with
 * a size at its beginning and bytes behind its end that must be neither read nor written. */
#include "algorithms/matrix.h"
#include "algorithms/algorithms.h"
#include "algorithms/rows.h"
#include "topology/bench.h"
#include "algorithms/bfs/bfs_op.h"
#include "router/channel.h"
#include "router/collective.h"
#include "tests/lib/beats.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

#define ROOM  (1u << 14)
#define NOISE 0xA5

extern const weir_operator weir__bfs_operator;

/* What the calls are made on: the smallest of everything. */
static struct {
    weir_context *context;
    weir_endpoint *end[2];
    weir_graph *graph;
    weir_placement *placement;
    weir_rows *rows;
    weir_link *link;
} world;

/* ---- structures that a program fills in ----------------------------------------------------------- */

static weir_status give_link(const void *given)
{
    weir_link *link;
    weir_status status = weir_link_create(world.end[1], world.end[0], given, &link);
    weir_link_destroy(link);
    return status;
}

static weir_status give_channel(const void *given)
{
    weir_device *device = weir_context_device(world.context, 0);
    weir_channel *channel;
    weir_status status = weir_channel_create(device, device, given, &channel);
    weir_channel_destroy(channel);
    return status;
}

static weir_status give_collectives(const void *given)
{
    weir_device *devices[2] = {weir_context_device(world.context, 0),
                               weir_context_device(world.context, 1)};
    weir_collectives *collectives;
    weir_status status = weir_collectives_create(world.context, devices, 2, given, &collectives);
    weir_collectives_destroy(collectives);
    return status;
}

static weir_status give_trace(const void *given)
{
    weir_status status = weir_context_trace(world.context, given);
    return status ? status : weir_context_trace_stop(world.context, NULL);
}

static weir_status give_bench(const void *given)
{
    weir_bench_table *table;
    weir_status status = weir_bench_run(world.context, "launch", given, &table);
    weir_bench_table_destroy(table);
    return status;
}

static weir_status give_worklist(const void *given)
{
    weir_worklist *list;
    weir_status status =
        weir_worklist_create(world.end[0], &world.end[1], 1, &weir__bfs_operator, given, &list);
    weir_worklist_destroy(list);
    return status;
}

static weir_status give_graph(const void *given)
{
    weir_graph *graph;
    weir_status status = weir_graph_open("grid:3x3", given, &graph);
    weir_graph_destroy(graph);
    return status;
}

static weir_status give_run(const void *given)
{
    weir_bfs *bfs;
    weir_status status = weir_bfs_create(world.context, world.graph, NULL, given, &bfs);
    weir_bfs_destroy(bfs);
    return status;
}

static weir_status give_batch(const void *given)
{
    weir_bfs_batch *batch;
    weir_status status =
        weir_bfs_batch_create(world.context, world.graph, NULL, NULL, given, &batch);
    weir_bfs_batch_destroy(batch);
    return status;
}

static weir_status give_run_batch(const void *given)
{
    weir_bfs_batch *batch;
    weir_status status =
        weir_bfs_batch_create(world.context, world.graph, NULL, given, NULL, &batch);
    weir_bfs_batch_destroy(batch);
    return status;
}

static weir_status give_run_traversal(const void *given)
{
    weir_traversal *traversal;
    weir_status status =
        weir_traversal_create(world.placement, &weir__bfs_operator, given, NULL, &traversal);
    weir_traversal_destroy(traversal);
    return status;
}

static weir_status give_traversal(const void *given)
{
    weir_traversal *traversal;
    weir_status status =
        weir_traversal_create(world.placement, &weir__bfs_operator, NULL, given, &traversal);
    weir_traversal_destroy(traversal);
    return status;
}

static weir_status give_placement(const void *given)
{
    weir_placement *placement;
    weir_status status =
        weir_placement_create_with(world.context, world.graph, NULL, given, &placement);
    weir_placement_destroy(placement);
    return status;
}

static weir_status give_rows(const void *given)
{
    weir_rows *rows;
    weir_status status = weir_rows_create(world.context, world.graph, NULL, given, &rows);
    weir_rows_destroy(rows);
    return status;
}

static weir_status give_pr(const void *given)
{
    weir_pr *pr;
    weir_status status = weir_pr_create(world.context, world.graph, NULL, NULL, given, &pr);
    weir_pr_destroy(pr);
    return status;
}

static weir_status give_color(const void *given)
{
    weir_color *color;
    weir_status status = weir_color_create(world.context, world.graph, NULL, NULL, given, &color);
    weir_color_destroy(color);
    return status;
}

static weir_status give_pr_reference(const void *given)
{
    double ranks[16];
    return weir_pr_reference(world.graph, given, ranks);
}

static weir_status give_pbf(const void *given)
{
    weir_pbf *pbf;
    weir_status status = weir_pbf_create(world.context, given, &pbf);
    weir_pbf_destroy(pbf);
    return status;
}

static weir_status give_pbf_verify(const void *given)
{
    return weir_pbf_verify(given, 1, 0, NULL, 0);
}

static weir_status give_policy(const void *given)
{
    weir_router *router;
    weir_status status = weir_router_create(world.context, NULL, given, &router);
    weir_router_destroy(router);
    return status;
}

static void no_work(const void *args, uint32_t worker, uint32_t workers)
{
    (void)args;
    (void)worker;
    (void)workers;
}

static weir_status give_kernel(const void *given)
{
    weir_queue *queue;
    OK(weir_queue_create(weir_context_device(world.context, 0), 0, &queue));
    weir_status status = weir_queue_launch(queue, given, "", 1);
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    return status;
}

static weir_status choose_none(void *user, const weir_segment *message, const weir_endpoint *source,
                               weir_endpoint *const *candidates, uint32_t count,
                               weir_choice *choice_out)
{
    (void)user;
    (void)message;
    (void)source;
    (void)candidates;
    (void)count;
    (void)choice_out;
    return WEIR_ERR_INVALID;
}

/* ---- matrices and their products ---- */

static weir_status give_matrix(const void *given)
{
    weir_matrix *matrix;
    weir_status status = weir_matrix_open("banded:9,1", given, &matrix);
    weir_matrix_destroy(matrix);
    return status;
}

static weir_status give_arrays(const void *given)
{
    weir_matrix *matrix;
    weir_status status = weir_matrix_wrap(given, &matrix);
    weir_matrix_destroy(matrix);
    return status;
}

static weir_product *product_of(const weir_product_config *config, weir_status *status_out)
{
    weir_matrix *matrix;
    weir_product *product;
    OK(weir_matrix_open("banded:9,1", NULL, &matrix));
    *status_out = weir_product_create(world.context, matrix, config, &product);
    weir_matrix_destroy(matrix);
    return product;
}

static weir_status give_product(const void *given)
{
    weir_status status;
    weir_product_destroy(product_of(given, &status));
    return status;
}

static weir_status give_case(const void *given)
{
    double y[1];
    return weir_product_reference(given, y, NULL);
}

static weir_status take_product_run(void *taken)
{
    weir_status status;
    weir_product *product = product_of(NULL, &status);
    OK(status);
    status = weir_product_run(product, 1, 0, taken);
    weir_product_destroy(product);
    return status;
}

static weir_status take_product_part(void *taken)
{
    weir_status status;
    weir_product *product = product_of(NULL, &status);
    OK(status);
    status = weir_product_y(product, 0, taken);
    weir_product_destroy(product);
    return status;
}

static const weir_matrix_options matrix_options = WEIR_MATRIX_OPTIONS_INIT;
static const uint64_t no_rows[1];
static const weir_matrix_arrays matrix_arrays = {.size = sizeof matrix_arrays, .offsets = no_rows};
static const weir_product_config product_config = WEIR_PRODUCT_CONFIG_INIT;
static const float one_value[1];
static const weir_matrix no_matrix = {.offsets = no_rows, .kind = WEIR_VALUE_F32, .name = "none"};
static const weir_product_case product_case = {
    .size = sizeof product_case, .matrix = &no_matrix, .alpha = 1, .x = one_value};
static const weir_link_config link_config = WEIR_LINK_CONFIG_INIT;
static const weir_channel_config channel_config = WEIR_CHANNEL_CONFIG_INIT;
static const weir_collectives_config collectives_config = WEIR_COLLECTIVES_CONFIG_INIT;
static const weir_trace_config trace_config = WEIR_TRACE_CONFIG_INIT;
static const weir_bench_config bench_config = WEIR_BENCH_CONFIG_INIT;
static const weir_worklist_config worklist_config = WEIR_WORKLIST_CONFIG_INIT;
static const weir_graph_options graph_options = WEIR_GRAPH_OPTIONS_INIT;
static const weir_run_options run_options = WEIR_RUN_OPTIONS_INIT;
static const weir_traversal_config traversal_config = WEIR_TRAVERSAL_CONFIG_INIT;
static const weir_bfs_batch_config batch_config = WEIR_BFS_BATCH_CONFIG_INIT;
static const weir_rows_config rows_config = WEIR_ROWS_CONFIG_INIT;
static const weir_placement_config placement_config = WEIR_PLACEMENT_CONFIG_INIT;
static const weir_pr_config pr_config = WEIR_PR_CONFIG_INIT;
static const weir_color_config color_config = WEIR_COLOR_CONFIG_INIT;
static const weir_pbf_config pbf_config = WEIR_PBF_CONFIG_INIT;
static const weir_policy policy = {
    .size = sizeof policy, .name = "none", .choose = choose_none, .user = NULL};
static const weir_kernel kernel = {
    .size = sizeof kernel, .name = "none", .host = no_work, .cuda = NULL};

/* `oldest`: the shortest that there may be of it. A configuration may be cut behind its size, since all the rest of it
 * has defaults; of a kernel and a policy the members of version 0.1 are what it is. */
static const struct given {
    const char *type;
    weir_status (*give)(const void *given);
    const void *good;
    size_t bytes, oldest;
} givens[] = {
    {"weir_link_config", give_link, &link_config, sizeof link_config, sizeof(size_t)},
    {"weir_channel_config", give_channel, &channel_config, sizeof channel_config, sizeof(size_t)},
    {"weir_collectives_config", give_collectives, &collectives_config, sizeof collectives_config,
     sizeof(size_t)},
    {"weir_bench_config", give_bench, &bench_config, sizeof bench_config, sizeof(size_t)},
    {"weir_trace_config", give_trace, &trace_config, sizeof trace_config, sizeof(size_t)},
    {"weir_worklist_config", give_worklist, &worklist_config, sizeof worklist_config,
     sizeof(size_t)},
    {"weir_graph_options", give_graph, &graph_options, sizeof graph_options, sizeof(size_t)},
    {"weir_run_options", give_run, &run_options, sizeof run_options, sizeof(size_t)},
    {"weir_run_options", give_run_traversal, &run_options, sizeof run_options, sizeof(size_t)},
    {"weir_run_options", give_run_batch, &run_options, sizeof run_options, sizeof(size_t)},
    {"weir_bfs_batch_config", give_batch, &batch_config, sizeof batch_config, sizeof(size_t)},
    {"weir_traversal_config", give_traversal, &traversal_config, sizeof traversal_config,
     sizeof(size_t)},
    {"weir_rows_config", give_rows, &rows_config, sizeof rows_config, sizeof(size_t)},
    {"weir_placement_config", give_placement, &placement_config, sizeof placement_config,
     sizeof(size_t)},
    {"weir_pr_config", give_pr, &pr_config, sizeof pr_config, sizeof(size_t)},
    {"weir_pr_config", give_pr_reference, &pr_config, sizeof pr_config, sizeof(size_t)},
    {"weir_color_config", give_color, &color_config, sizeof color_config, sizeof(size_t)},
    {"weir_matrix_options", give_matrix, &matrix_options, sizeof matrix_options, sizeof(size_t)},
    {"weir_matrix_arrays", give_arrays, &matrix_arrays, sizeof matrix_arrays,
     offsetof(weir_matrix_arrays, f32)},
    {"weir_product_config", give_product, &product_config, sizeof product_config, sizeof(size_t)},
    {"weir_product_case", give_case, &product_case, sizeof product_case,
     offsetof(weir_product_case, y)},
    {"weir_pbf_config", give_pbf, &pbf_config, sizeof pbf_config, sizeof(size_t)},
    {"weir_pbf_config", give_pbf_verify, &pbf_config, sizeof pbf_config, sizeof(size_t)},
    {"weir_policy", give_policy, &policy, sizeof policy, offsetof(weir_policy, user)},
    {"weir_kernel", give_kernel, &kernel, sizeof kernel, sizeof kernel},
};
enum { GIVENS = sizeof givens / sizeof givens[0] };

/* The structure as a header of another version has it. What lies behind it is noise that no enumeration, count or size
 * of ours may be: whoever reads it refuses the call. */
static void *of_size(const struct given *given, size_t size)
{
    static union {
        size_t size;
        unsigned char bytes[ROOM];
        max_align_t aligned;
    } room;
    memset(&room, NOISE, sizeof room);
    if (size > given->bytes)
        memset(room.bytes + given->bytes, 0, size - given->bytes);
    memcpy(room.bytes, given->good, size < given->bytes ? size : given->bytes);
    room.size = size;
    return &room;
}

static void an_older_caller_gets_the_defaults_of_what_it_lacks(void **state)
{
    (void)state;
    for (int i = 0; i < GIVENS; i++)
        for (size_t size = givens[i].oldest; size <= givens[i].bytes; size += sizeof(size_t))
            OK(givens[i].give(of_size(&givens[i], size)));
}

static void a_newer_caller_that_sets_nothing_new_is_served(void **state)
{
    (void)state;
    for (int i = 0; i < GIVENS; i++) {
        OK(givens[i].give(of_size(&givens[i], givens[i].bytes + 1)));
        OK(givens[i].give(of_size(&givens[i], givens[i].bytes + 4096)));
    }
}

static void a_newer_caller_that_sets_something_new_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < GIVENS; i++)
        for (int last = 0; last < 2; last++) {
            unsigned char *bytes = of_size(&givens[i], givens[i].bytes + 24);
            bytes[givens[i].bytes + (last ? 23 : 0)] = 1;
            STATUS(givens[i].give(bytes), WEIR_ERR_UNSUPPORTED);
            assert_detail_has(givens[i].type);
            assert_detail_has("sets what this library");
        }
}

static void a_size_that_was_never_set_is_refused(void **state)
{
    static const size_t never[] = {1, 7, (size_t)1 << 20, SIZE_MAX, SIZE_MAX - 4096};
    (void)state;
    for (int i = 0; i < GIVENS; i++)
        for (size_t n = 0; n < sizeof never / sizeof never[0]; n++) {
            size_t *size = of_size(&givens[i], givens[i].bytes);
            *size = never[n];
            STATUS(givens[i].give(size), WEIR_ERR_INVALID);
            assert_detail_has(givens[i].type);
            assert_detail_has("not set by its initialiser");
        }
}

/* 0 too, but for the two that programs write down as constants by the names of their members. */
static void no_size_is_that_of_the_first_version_in_a_constant(void **state)
{
    (void)state;
    for (int i = 0; i < GIVENS; i++) {
        size_t *size = of_size(&givens[i], givens[i].bytes);
        *size = 0;
        int constant = givens[i].give == give_policy || givens[i].give == give_kernel;
        STATUS(givens[i].give(size), constant ? WEIR_OK : WEIR_ERR_INVALID);
    }
    static const weir_kernel cut = {.size = offsetof(weir_kernel, cuda), .host = no_work};
    STATUS(give_kernel(&cut), WEIR_ERR_INVALID);
}

static void what_an_older_caller_sets_counts(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct {
            size_t size;
            weir_algorithm algorithm;
        } old = {sizeof old, wrong ? WEIR_ALGORITHM_COUNT : WEIR_ALGORITHM_TREE};
        STATUS(give_collectives(&old), wrong ? WEIR_ERR_INVALID : WEIR_OK);
    }
}

/* ---- structures that the library fills in ----------------------------------------------------------- */

static weir_status take_device(void *taken)
{
    return weir_device_info_get(weir_context_device(world.context, 1), taken);
}

static weir_status take_pool(void *taken)
{
    return weir_device_pool_stats(weir_context_device(world.context, 1), taken);
}

static weir_status take_trace(void *taken)
{
    weir_queue *queue;
    void *data;
    weir_device *device = weir_context_device(world.context, 1);
    OK(weir_context_trace(world.context, NULL));
    OK(weir_queue_create(device, 0, &queue));
    OK(weir_device_alloc(device, 64, &data));
    OK(weir_queue_fill(queue, data, 1, 64));
    OK(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    weir_device_free(device, data);
    weir_status status = weir_context_trace_stop(world.context, taken);
    if (status) /* what is refused leaves the trace on */
        OK(weir_context_trace_stop(world.context, NULL));
    return status;
}

static weir_status take_queue(void *taken)
{
    weir_queue *queue;
    weir_status status = weir_queue_create(weir_context_device(world.context, 1), 0, &queue);
    if (!status)
        status = weir_queue_stats_get(queue, taken);
    weir_queue_destroy(queue);
    return status;
}

static weir_status take_link(void *taken)
{
    return weir_link_stats_get(world.link, taken);
}

static weir_status take_channel(void *taken)
{
    weir_device *device = weir_context_device(world.context, 0);
    weir_channel *channel;
    OK(weir_channel_create(device, device, NULL, &channel));
    weir_status status = weir_channel_stats_get(channel, taken);
    weir_channel_destroy(channel);
    return status;
}

static weir_status take_policy(void *taken)
{
    return weir_policy_get(WEIR_POLICY_GATHER, (void *)(uintptr_t)3, taken);
}

static weir_status take_activity(void *taken)
{
    weir_observer *observer;
    OK(weir_observer_create(&observer));
    weir_status status = weir_observer_look(observer, taken);
    weir_observer_destroy(observer);
    return status;
}

static weir_status take_summary(void *taken)
{
    return weir_graph_summarize(world.graph, taken);
}

static weir_status take_span(void *taken)
{
    return weir_graph_span_find(world.graph, taken);
}

static weir_status take_change(void *taken)
{
    static const double ranks[9] = {1};
    return weir_pr_check(world.graph, NULL, ranks, taken);
}

static weir_status take_placement(void *taken)
{
    return weir_placement_prepared(world.placement, taken);
}

static weir_status take_rows(void *taken)
{
    static uint32_t values[9]; /* a device of the host reads where the host does */
    return weir_rows_values(world.rows, 0, values, WEIR_VALUE_U32, taken);
}

static weir_status take_pbf(void *taken)
{
    weir_device *home = weir_context_home(world.context);
    uint32_t *input = new_memory(home, 400), *output = new_memory(home, 400);
    weir_pbf *pbf;
    memset(input, 0, 400);
    OK(weir_pbf_create(world.context, NULL, &pbf));
    weir_status status = weir_pbf_run(pbf, input, 100, output, 100, taken);
    weir_pbf_destroy(pbf);
    weir_device_free(home, input);
    weir_device_free(home, output);
    return status;
}

/* What is asked of an algorithm: a run, its values, what it took to prepare, or what was picked, and why. */
enum call { RUN, VALUES, PREPARED, PICKED, REASONS };

#define ALGORITHM(id, create, run_with)                                            \
    static weir_status id##_of(enum call call, void *taken)                        \
    {                                                                              \
        weir_run_stats *stats = call == RUN ? taken : NULL;                        \
        weir_run_stats picked = WEIR_RUN_STATS_INIT;                               \
        weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;                          \
        weir_##id *id;                                                             \
        OK(create);                                                                \
        weir_status status = (run_with);                                           \
        if (call != RUN) {                                                         \
            OK(status);                                                            \
            status = call == VALUES     ? weir_##id##_values(id, 0, taken)         \
                     : call == PREPARED ? weir_##id##_prepared(id, taken)          \
                     : call == PICKED   ? weir_##id##_explain(id, taken, &reasons) \
                                        : weir_##id##_explain(id, &picked, taken);   \
        }                                                                          \
        weir_##id##_destroy(id);                                                   \
        return status;                                                             \
    }                                                                              \
    static weir_status take_##id##_run(void *taken)                                \
    {                                                                              \
        return id##_of(RUN, taken);                                                \
    }                                                                              \
    static weir_status take_##id##_values(void *taken)                             \
    {                                                                              \
        return id##_of(VALUES, taken);                                             \
    }                                                                              \
    static weir_status take_##id##_prepared(void *taken)                           \
    {                                                                              \
        return id##_of(PREPARED, taken);                                           \
    }                                                                              \
    static weir_status take_##id##_picked(void *taken)                             \
    {                                                                              \
        return id##_of(PICKED, taken);                                             \
    }                                                                              \
    static weir_status take_##id##_reasons(void *taken)                            \
    {                                                                              \
        return id##_of(REASONS, taken);                                            \
    }
ALGORITHM(bfs, weir_bfs_create(world.context, world.graph, NULL, NULL, &bfs),
          weir_bfs_run(bfs, 0, stats))
ALGORITHM(sssp, weir_sssp_create(world.context, world.graph, NULL, NULL, &sssp),
          weir_sssp_run(sssp, 0, stats))
ALGORITHM(pr, weir_pr_create(world.context, world.graph, NULL, NULL, NULL, &pr),
          weir_pr_run(pr, stats))
ALGORITHM(cc, weir_cc_create(world.context, world.graph, NULL, NULL, WEIR_CC_RESIDENT, &cc),
          weir_cc_run(cc, stats))
ALGORITHM(color, weir_color_create(world.context, world.graph, NULL, NULL, NULL, &color),
          weir_color_run(color, stats))

enum batch_call { BATCH_RUN, BATCH_FOUND, BATCH_PREPARED, BATCH_PICKED, BATCH_REASONS };

static weir_status batch_of(enum batch_call call, void *taken)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    const uint64_t source = 0;
    weir_bfs_batch *batch;
    OK(weir_bfs_batch_create(world.context, world.graph, NULL, NULL, NULL, &batch));
    if (call == BATCH_FOUND)
        OK(weir_bfs_batch_run(batch, &source, 1, NULL));
    weir_status status = call == BATCH_RUN        ? weir_bfs_batch_run(batch, &source, 1, taken)
                         : call == BATCH_FOUND    ? weir_bfs_batch_found(batch, 0, taken)
                         : call == BATCH_PREPARED ? weir_bfs_batch_prepared(batch, taken)
                         : call == BATCH_PICKED   ? weir_bfs_batch_explain(batch, taken, &reasons)
                                                  : weir_bfs_batch_explain(batch, &picked, taken);
    weir_bfs_batch_destroy(batch);
    return status;
}

#define TAKE_BATCH(name, call)           \
    static weir_status name(void *taken) \
    {                                    \
        return batch_of(call, taken);    \
    }
TAKE_BATCH(take_batch_run, BATCH_RUN)
TAKE_BATCH(take_batch_found, BATCH_FOUND)
TAKE_BATCH(take_batch_prepared, BATCH_PREPARED)
TAKE_BATCH(take_batch_picked, BATCH_PICKED)
TAKE_BATCH(take_batch_reasons, BATCH_REASONS)

static weir_status take_worklist(void *taken)
{
    weir_worklist *list;
    OK(weir_worklist_create(world.end[0], &world.end[1], 1, &weir__bfs_operator, NULL, &list));
    weir_status status = weir_worklist_run(list, taken); /* nothing to do, which is a run too */
    weir_worklist_destroy(list);
    return status;
}

static weir_status worklist_plan(void *picked, void *reasons)
{
    weir_worklist *list;
    OK(weir_worklist_create(world.end[0], &world.end[1], 1, &weir__bfs_operator, NULL, &list));
    weir_status status = weir_worklist_explain(list, picked, reasons);
    weir_worklist_destroy(list);
    return status;
}

static weir_status take_worklist_picked(void *taken)
{
    return worklist_plan(taken, NULL);
}

static weir_status take_worklist_reasons(void *taken)
{
    weir_worklist_stats picked = WEIR_WORKLIST_STATS_INIT;
    return worklist_plan(&picked, taken);
}

static const weir_steps_program beats_program = {.what = "beats", .body = &weir__beats_steps};

static weir_status take_steps(void *taken)
{
    uint64_t *cell = new_memory(weir_context_device(world.context, 0), BEATS_CELLS * 8);
    weir_steps *steps;
    OK(beats_create(world.context, 1, &beats_program, 0, &steps));
    struct beats_args *args = weir_steps_args(steps, 0);
    args->cell[0] = cell;
    args->mode = BEATS_COUNT;
    args->steps = 4;
    weir_status status = weir_steps_run(steps, taken);
    weir_steps_destroy(steps);
    weir_device_free(weir_context_device(world.context, 0), cell);
    return status;
}

static weir_status traversal_of(enum call call, void *taken)
{
    weir_run_stats picked = WEIR_RUN_STATS_INIT;
    weir_run_reasons reasons = WEIR_RUN_REASONS_INIT;
    weir_traversal *traversal;
    OK(weir_traversal_create(world.placement, &weir__bfs_operator, NULL, NULL, &traversal));
    for (uint32_t p = 0; p < 2; p++) {
        const bfs_state state = {.part = *weir_placement_part(world.placement, p),
                                 .level = weir_traversal_values(traversal, p)};
        OK(weir_traversal_bind(traversal, p, &state));
    }
    weir_status status = call == RUN        ? weir_traversal_run(traversal, taken)
                         : call == PREPARED ? weir_traversal_prepared(traversal, taken)
                         : call == PICKED   ? weir_traversal_explain(traversal, taken, &reasons)
                                            : weir_traversal_explain(traversal, &picked, taken);
    weir_traversal_destroy(traversal);
    return status;
}

static weir_status take_traversal_run(void *taken)
{
    return traversal_of(RUN, taken);
}

static weir_status take_traversal_prepared(void *taken)
{
    return traversal_of(PREPARED, taken);
}

static weir_status take_traversal_picked(void *taken)
{
    return traversal_of(PICKED, taken);
}

static weir_status take_traversal_reasons(void *taken)
{
    return traversal_of(REASONS, taken);
}

/* What a search in two dimensions told. */
static weir_bfs *searched_2d(void)
{
    weir_partition *partition;
    weir_bfs *bfs;
    OK(weir_partition_create_2d(world.graph, 2, 1, &partition));
    OK(weir_bfs_create(world.context, world.graph, partition, NULL, &bfs));
    weir_partition_destroy(partition);
    OK(weir_bfs_run(bfs, 0, NULL));
    return bfs;
}

static weir_status take_level(void *taken)
{
    weir_bfs *bfs = searched_2d();
    weir_status status = weir_bfs_level_get(bfs, 0, taken);
    weir_bfs_destroy(bfs);
    return status;
}

static weir_status take_pair(void *taken)
{
    weir_bfs *bfs = searched_2d();
    weir_status status = weir_bfs_level_pair(bfs, 0, 0, 1, taken);
    weir_bfs_destroy(bfs);
    return status;
}

static const struct taken {
    const char *type;
    weir_status (*take)(void *taken);
    size_t bytes;
} takens[] = {
    {"weir_device_info", take_device, sizeof(weir_device_info)},
    {"weir_pool_stats", take_pool, sizeof(weir_pool_stats)},
    {"weir_queue_stats", take_queue, sizeof(weir_queue_stats)},
    {"weir_trace_stats", take_trace, sizeof(weir_trace_stats)},
    {"weir_link_stats", take_link, sizeof(weir_link_stats)},
    {"weir_channel_stats", take_channel, sizeof(weir_channel_stats)},
    {"weir_activity", take_activity, sizeof(weir_activity)},
    {"weir_policy", take_policy, sizeof(weir_policy)},
    {"weir_graph_summary", take_summary, sizeof(weir_graph_summary)},
    {"weir_graph_span", take_span, sizeof(weir_graph_span)},
    {"weir_pr_change", take_change, sizeof(weir_pr_change)},
    {"weir_prepare_stats", take_placement, sizeof(weir_prepare_stats)},
    {"weir_prepare_stats", take_bfs_prepared, sizeof(weir_prepare_stats)},
    {"weir_prepare_stats", take_sssp_prepared, sizeof(weir_prepare_stats)},
    {"weir_prepare_stats", take_pr_prepared, sizeof(weir_prepare_stats)},
    {"weir_prepare_stats", take_cc_prepared, sizeof(weir_prepare_stats)},
    {"weir_prepare_stats", take_color_prepared, sizeof(weir_prepare_stats)},
    {"weir_run_stats", take_bfs_run, sizeof(weir_run_stats)},
    {"weir_run_stats", take_sssp_run, sizeof(weir_run_stats)},
    {"weir_run_stats", take_pr_run, sizeof(weir_run_stats)},
    {"weir_run_stats", take_cc_run, sizeof(weir_run_stats)},
    {"weir_run_stats", take_color_run, sizeof(weir_run_stats)},
    {"weir_run_stats", take_batch_run, sizeof(weir_run_stats)},
    {"weir_bfs_found", take_batch_found, sizeof(weir_bfs_found)},
    {"weir_prepare_stats", take_batch_prepared, sizeof(weir_prepare_stats)},
    {"weir_run_stats", take_batch_picked, sizeof(weir_run_stats)},
    {"weir_run_reasons", take_batch_reasons, sizeof(weir_run_reasons)},
    {"weir_values", take_bfs_values, sizeof(weir_values)},
    {"weir_values", take_sssp_values, sizeof(weir_values)},
    {"weir_values", take_pr_values, sizeof(weir_values)},
    {"weir_values", take_cc_values, sizeof(weir_values)},
    {"weir_values", take_color_values, sizeof(weir_values)},
    {"weir_values", take_rows, sizeof(weir_values)},
    {"weir_run_level", take_level, sizeof(weir_run_level)},
    {"weir_run_pair", take_pair, sizeof(weir_run_pair)},
    {"weir_product_stats", take_product_run, sizeof(weir_product_stats)},
    {"weir_product_part", take_product_part, sizeof(weir_product_part)},
    {"weir_pbf_stats", take_pbf, sizeof(weir_pbf_stats)},
    {"weir_run_stats", take_traversal_run, sizeof(weir_run_stats)},
    {"weir_prepare_stats", take_traversal_prepared, sizeof(weir_prepare_stats)},
    {"weir_steps_times", take_steps, sizeof(weir_steps_times)},
    {"weir_worklist_stats", take_worklist, sizeof(weir_worklist_stats)},
    {"weir_run_stats", take_bfs_picked, sizeof(weir_run_stats)},
    {"weir_run_stats", take_sssp_picked, sizeof(weir_run_stats)},
    {"weir_run_stats", take_pr_picked, sizeof(weir_run_stats)},
    {"weir_run_stats", take_cc_picked, sizeof(weir_run_stats)},
    {"weir_run_stats", take_color_picked, sizeof(weir_run_stats)},
    {"weir_run_stats", take_traversal_picked, sizeof(weir_run_stats)},
    {"weir_worklist_stats", take_worklist_picked, sizeof(weir_worklist_stats)},
    {"weir_run_reasons", take_bfs_reasons, sizeof(weir_run_reasons)},
    {"weir_run_reasons", take_sssp_reasons, sizeof(weir_run_reasons)},
    {"weir_run_reasons", take_pr_reasons, sizeof(weir_run_reasons)},
    {"weir_run_reasons", take_cc_reasons, sizeof(weir_run_reasons)},
    {"weir_run_reasons", take_color_reasons, sizeof(weir_run_reasons)},
    {"weir_run_reasons", take_traversal_reasons, sizeof(weir_run_reasons)},
    {"weir_worklist_reasons", take_worklist_reasons, sizeof(weir_worklist_reasons)},
};
enum { TAKENS = sizeof takens / sizeof takens[0] };

static union {
    size_t size;
    unsigned char bytes[ROOM];
    max_align_t aligned;
} taken_room;

static int all_noise(size_t from)
{
    size_t i = from;
    while (i < sizeof taken_room && taken_room.bytes[i] == NOISE)
        i++;
    return i == sizeof taken_room;
}

/* Noise that is all gone from the first members of the type says that these were filled in. */
static void take(const struct taken *taken, size_t size)
{
    memset(&taken_room, NOISE, sizeof taken_room);
    taken_room.size = size;
    OK(taken->take(&taken_room));
    assert_int_equal(taken_room.size, size);
    assert_true(all_noise(size < taken->bytes ? size : taken->bytes));
    if (size > sizeof(size_t))
        assert_false(all_noise(sizeof(size_t)));
}

static void structures_are_filled_as_far_as_the_caller_has_them(void **state)
{
    (void)state;
    for (int i = 0; i < TAKENS; i++) {
        take(&takens[i], sizeof(size_t));
        take(&takens[i], 2 * sizeof(size_t));
        take(&takens[i], takens[i].bytes - sizeof(size_t));
        take(&takens[i], takens[i].bytes);
        take(&takens[i], takens[i].bytes + 64);
    }
}

static void nothing_is_filled_where_the_size_was_never_set(void **state)
{
    static const size_t never[] = {0, 7, (size_t)1 << 20, SIZE_MAX};
    (void)state;
    for (int i = 0; i < TAKENS; i++)
        for (size_t n = 0; n < sizeof never / sizeof never[0]; n++) {
            memset(&taken_room, NOISE, sizeof taken_room);
            taken_room.size = never[n];
            STATUS(takens[i].take(&taken_room), WEIR_ERR_INVALID);
            assert_detail_has(takens[i].type);
            assert_true(all_noise(sizeof(size_t)));
        }
}

/* ---- what is compiled with the engine's templates ---------------------------------------------------- */

static void an_operator_of_other_templates_is_refused(void **state)
{
    weir_operator other = weir__bfs_operator;
    weir_worklist *list;
    (void)state;
    other.engine++;
    STATUS(weir_worklist_create(world.end[0], &world.end[1], 1, &other, NULL, &list),
           WEIR_ERR_UNSUPPORTED);
    assert_detail_has("compile it again");
    assert_null(list);
    weir_steps_body body = weir__beats_steps;
    const weir_steps_program program = {.what = "beats", .body = &body};
    weir_steps *steps;
    body.engine = 0;
    STATUS(beats_create(world.context, 1, &program, 0, &steps), WEIR_ERR_UNSUPPORTED);
    assert_detail_has("compile it again");
    assert_null(steps);
}

/* ---- the ends ----------------------------------------------------------------------------------------- */

static int build(void **state)
{
    (void)state;
    OK(weir_context_create("host:2", NULL, &world.context));
    for (uint32_t i = 0; i < 2; i++)
        OK(weir_endpoint_create(i ? weir_context_device(world.context, 0)
                                  : weir_context_home(world.context),
                                "end", &world.end[i]));
    OK(weir_link_create(world.end[0], world.end[1], NULL, &world.link));
    OK(weir_graph_open("grid:3x3", NULL, &world.graph));
    const weir_weights unit = {.kind = WEIR_WEIGHTS_UNIT};
    OK(weir_graph_weigh(world.graph, &unit));
    OK(weir_placement_create(world.context, world.graph, NULL, WEIR_PART_WEIGHTS_NONE,
                             &world.placement));
    OK(weir_rows_create(world.context, world.graph, NULL, NULL, &world.rows));
    return 0;
}

static int raze(void **state)
{
    (void)state;
    weir_rows_destroy(world.rows);
    weir_placement_destroy(world.placement);
    weir_graph_destroy(world.graph);
    weir_link_destroy(world.link);
    weir_endpoint_destroy(world.end[0]);
    weir_endpoint_destroy(world.end[1]);
    weir_context_destroy(world.context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_the_defaults_of_what_it_lacks),
        cmocka_unit_test(a_newer_caller_that_sets_nothing_new_is_served),
        cmocka_unit_test(a_newer_caller_that_sets_something_new_is_refused),
        cmocka_unit_test(a_size_that_was_never_set_is_refused),
        cmocka_unit_test(no_size_is_that_of_the_first_version_in_a_constant),
        cmocka_unit_test(what_an_older_caller_sets_counts),
        cmocka_unit_test(structures_are_filled_as_far_as_the_caller_has_them),
        cmocka_unit_test(nothing_is_filled_where_the_size_was_never_set),
        cmocka_unit_test(an_operator_of_other_templates_is_refused),
    };
    return cmocka_run_group_tests(tests, build, raze);
}
