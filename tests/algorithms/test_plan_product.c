/** @file test_plan_product.c  Plans of products against what runs of them take of each device. */
#include "algorithms/common/plan.h"
#include "algorithms/matrix.h"
#include "runtime/support.h"
#include "tests/algorithms/cc_fixture.h"

#include <string.h>

/* ThreadSanitizer is slow: it sees every schedule with one of the shapes. */
#ifdef __SANITIZE_THREAD__
enum { STRIDE = 4 };
#else
enum { STRIDE = 1 };
#endif

struct making {
    const weir_matrix *matrix;
    weir_product_config config;
};

static weir_status create(const void *user, weir_context *context, const weir_graph *graph,
                          const weir_partition *partition, void **object_out)
{
    const struct making *making = user;
    weir_product *product;
    (void)graph;
    (void)partition;
    weir_status status = weir_product_create(context, making->matrix, &making->config, &product);
    *object_out = product;
    return status;
}

static void destroy(void *product)
{
    weir_product_destroy(product);
}

static void plan_like(weir_context *context, const struct making *making, struct weir__plan *plan)
{
    struct weir__plan_device devices[WEIR_DEVICES_MAX];
    const struct weir__maker maker = {"a product", making, create, destroy, NULL};
    weir_context *planned;
    weir__plan_devices_of(context, devices);
    OK(weir__context_plan(devices, weir_context_device_count(context), NULL, context, &planned));
    OK(weir__plan_make(&maker, planned, NULL, NULL, plan));
    assert_no_memory_is_left(planned);
    weir_context_destroy(planned);
}

/* Host memory has what host devices have, and what it takes to bring that there. */
static uint32_t host_lacks(const struct weir__plan *plan, const char *spec)
{
    uint64_t bytes = 0;
    for (uint32_t d = 0; d < plan->devices; d++)
        if (plan->device[d].info.kind == WEIR_DEVICE_HOST)
            bytes += plan->device[d].used;
    if (plan->host.most > bytes)
        return 0;
    print_message("%s: host memory %llu, but its devices take %llu\n", spec,
                  (unsigned long long)plan->host.most, (unsigned long long)bytes);
    return 1;
}

/* Pools keep their peak, so each run has a context of its own. @return how many devices differ by more than 3 %. */
static uint32_t compare(const char *spec, const struct making *making, struct weir__plan *plan)
{
    weir_context *context = context_or_skip(spec);
    const uint64_t rows = making->config.transpose ? making->matrix->rows : making->matrix->columns;
    void *values = calloc(rows * making->config.columns + 1, sizeof(double));
    weir_product *product;
    uint32_t wrong = 0;
    assert_non_null(values);
    plan_like(context, making, plan);
    wrong += host_lacks(plan, spec);
    OK(weir_product_create(context, making->matrix, &making->config, &product));
    OK(weir_product_set_x(product, values));
    OK(weir_product_run(product, 1, 0, NULL));
    for (uint32_t d = 0; d < weir_context_device_count(context); d++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        const struct weir__plan_use *use = &plan->device[d];
        OK(weir_device_pool_stats(weir_context_device(context, d), &stats));
        const double off = (double)use->used - (double)stats.peak_bytes;
        if (off <= 0.03 * (double)stats.peak_bytes && -off <= 0.03 * (double)stats.peak_bytes)
            continue;
        wrong++;
        print_message(
            "%s, schedule %s, %u columns, x %s, device %u of %s: planned %llu bytes, used %llu\n",
            making->matrix->name, weir_product_schedule_text(making->config.schedule),
            making->config.columns, weir_product_vector_text(making->config.vector), d, spec,
            (unsigned long long)use->used, (unsigned long long)stats.peak_bytes);
    }
    weir_product_destroy(product);
    weir_context_destroy(context);
    free(values);
    return wrong;
}

static const char *const matrices[] = {"random:3000x5000,20", "banded:20000,4", "powerlaw:3000,30",
                                       "denserow:9000"};

/* Every schedule; x whole and cut, overlap, transposes, columns and grids go around. */
static void a_plan_is_what_a_run_uses(void **state)
{
    struct weir__plan *plan;
    weir_context *context = context_or_skip(*state);
    const uint32_t devices = weir_context_device_count(context);
    uint32_t wrong = 0;
    weir_context_destroy(context);
    OK(weir__calloc(1, sizeof *plan, "plan", &plan));
    for (int i = 0; i < 4; i++)
        for (int s = WEIR_PRODUCT_AUTO; s <= WEIR_PRODUCT_MERGE; s++) {
            weir_matrix_options options = WEIR_MATRIX_OPTIONS_INIT;
            struct making making = {.config = WEIR_PRODUCT_CONFIG_INIT};
            weir_matrix *matrix;
            if ((i + s) % STRIDE)
                continue;
            options.kind = (i + s) % 2 ? WEIR_VALUE_F64 : WEIR_VALUE_F32;
            OK(weir_matrix_open(matrices[i], &options, &matrix));
            making.matrix = matrix;
            making.config.schedule = (weir_product_schedule)s;
            making.config.columns = s == WEIR_PRODUCT_BINS ? 1 : (uint32_t)(1 + 3 * (i % 2));
            making.config.transpose = s % 3 == 0;
            making.config.overlap = (i + s / 2) % 2 ? WEIR_OVERLAP_OFF : WEIR_OVERLAP_AUTO;
            making.config.vector =
                devices == 1 ? WEIR_VECTOR_AUTO : (weir_product_vector)((i + s) % 3);
            if (devices % 2 == 0 && s % 4 == 1) {
                making.config.grid_rows = devices / 2;
                making.config.grid_columns = 2;
            }
            wrong += compare(*state, &making, plan);
            weir_matrix_destroy(matrix);
        }
    free(plan);
    assert_int_equal(wrong, 0);
}

/* Bytes of all devices, of a machine that need not be here. */
static uint64_t planned_bytes(const char *spec, const struct making *making,
                              struct weir__plan *plan)
{
    static struct weir__plan_device devices[WEIR_DEVICES_MAX];
    const struct weir__maker maker = {"a product", making, create, destroy, NULL};
    weir_config *config;
    weir_context *planned;
    uint32_t count;
    uint64_t bytes = 0;
    OK(weir_config_create(&config));
    OK(weir__plan_devices_parse(spec, config, devices, &count));
    OK(weir__context_plan(devices, count, config, NULL, &planned));
    OK(weir__plan_make(&maker, planned, NULL, NULL, plan));
    for (uint32_t d = 0; d < count; d++)
        bytes += plan->device[d].used;
    assert_int_equal(host_lacks(plan, spec), 0);
    weir_context_destroy(planned);
    weir_config_destroy(config);
    return bytes;
}

/* Sizes alone say nearly as much as a matrix whose nonzeros are spread evenly; such a matrix is for plans alone. */
static void sizes_are_nearly_enough(void **state)
{
    static const char *const specs[] = {"host:1", "host:2", "host:3", "cuda:0", "cuda:0-3"};
    static const char *const texts[] = {"random:30000x30000,3", "random:6000x6000,40",
                                        "random:400x400,300"};
    struct weir__plan *plan;
    uint32_t wrong = 0;
    (void)state;
    OK(weir__calloc(1, sizeof *plan, "plan", &plan));
    for (int i = 0; i < 3 * 5 * 4; i++) {
        struct making making = {.config = WEIR_PRODUCT_CONFIG_INIT};
        const char *spec = specs[i / 3 % 5];
        const int one = strstr(spec, "-") == NULL && !strcmp(spec + strlen(spec) - 1, "0"),
                  which = i / 15;
        weir_matrix *matrix;
        OK(weir_matrix_open(texts[i % 3], NULL, &matrix));
        const weir_matrix sizes = {.rows = matrix->rows,
                                   .columns = matrix->columns,
                                   .nonzeros = matrix->nonzeros,
                                   .kind = WEIR_VALUE_F32,
                                   .name = "sizes"};
        making.config.schedule = which == 1   ? WEIR_PRODUCT_BINS
                                 : which == 2 ? WEIR_PRODUCT_MERGE
                                              : WEIR_PRODUCT_ROWS;
        making.config.columns = which ? 1 : 3;
        making.config.transpose = which == 3;
        making.config.vector = one || !strcmp(spec, "host:1") ? WEIR_VECTOR_AUTO
                               : which % 2                    ? WEIR_VECTOR_CUT
                                                              : WEIR_VECTOR_WHOLE;
        making.matrix = matrix;
        const double known = (double)planned_bytes(spec, &making, plan);
        making.matrix = &sizes;
        const double host = (double)plan->host.most;
        const double sketched = (double)planned_bytes(spec, &making, plan);
        if (host > 1.05 * (double)plan->host.most || (double)plan->host.most > 1.05 * host) {
            wrong++;
            print_message("%s on %s: host memory %.0f by the matrix, %llu by its sizes\n",
                          texts[i % 3], spec, host, (unsigned long long)plan->host.most);
        }
        if (known > sketched * 1.05 || sketched > known * 1.05) {
            wrong++;
            print_message("%s on %s, schedule %s: %.0f bytes by the matrix, %.0f by its sizes\n",
                          texts[i % 3], spec, weir_product_schedule_text(making.config.schedule),
                          known, sketched);
        }
        if (!i) {
            weir_context *context = context_or_skip("host:1");
            weir_product *product;
            STATUS(weir_product_create(context, &sizes, NULL, &product), WEIR_ERR_INVALID);
            assert_detail("a product of a matrix without offsets");
            weir_context_destroy(context);
        }
        weir_matrix_destroy(matrix);
    }
    free(plan);
    assert_int_equal(wrong, 0);
}

/* A plan does not refuse what does not fit: it says so. */
static void what_does_not_fit_is_planned(void **state)
{
    weir_context *context = context_with_pool(*state, "1MiB");
    struct making making = {.config = WEIR_PRODUCT_CONFIG_INIT};
    struct weir__plan *plan;
    weir_matrix *matrix;
    OK(weir__calloc(1, sizeof *plan, "plan", &plan));
    OK(weir_matrix_open("banded:200000,2", NULL, &matrix));
    making.matrix = matrix;
    plan_like(context, &making, plan);
    assert_int_equal(weir__plan_lacks(plan), 0);
    assert_true(plan->device[0].used > 2 << 20);
    weir_matrix_destroy(matrix);
    free(plan);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_EACH_SPEC(a_plan_is_what_a_run_uses) CC_TEST(
        what_does_not_fit_is_planned, "host:2") cmocka_unit_test(sizes_are_nearly_enough)};
    return cmocka_run_group_tests_name("plans of products", tests, NULL, NULL);
}
