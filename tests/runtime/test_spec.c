/** @file test_spec.c  Device specs: what they name, and how bad ones are refused. */
#include "tests/lib/support.h"

#include "runtime/backend.h"

#include <stdio.h>
#include <string.h>

static uint32_t three_gpus(void)
{
    return 3;
}

static uint32_t one_gpu(void)
{
    return 1;
}

static uint32_t no_gpu(void)
{
    (void)weir__fail(WEIR_ERR_NODEV, "no CUDA device: none is here");
    return 0;
}

/* The backends of a machine with so many GPUs. */
static const weir__backend *const *machine(uint32_t (*gpus)(void))
{
    static weir__backend cuda = {.name = "cuda", .usual = "cuda"};
    static const weir__backend *const backends[] = {&cuda, &weir__host_backend, NULL};
    cuda.count = gpus;
    return backends;
}

/* "h0" is a host device of the configured threads, "h3" one of 3, "c2" cuda:2. */
static void show(const struct weir__spec_item *items, uint32_t count, char *text, size_t room)
{
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && at < room; i++)
        at += (size_t)snprintf(text + at, room - at, "%s%c%u", i ? " " : "",
                               items[i].ops->made ? 'h' : 'c',
                               items[i].ops->made ? items[i].threads : items[i].ordinal);
}

static void good_specs(void **state)
{
    static const struct {
        const char *spec, *wanted;
    } rows[] = {
        {"host", "h0"},
        {"host:1", "h0"},
        {"host:4", "h0 h0 h0 h0"},
        {"host:04", "h0 h0 h0 h0"},
        {"host:2x3", "h3 h3"},
        {"host:1x256", "h256"},
        {"host,host:1x2", "h0 h2"},
        {"cuda", "c0 c1 c2"},
        {"cuda:0", "c0"},
        {"cuda:2", "c2"},
        {"cuda:0-2", "c0 c1 c2"},
        {"cuda:1-1", "c1"},
        {"cuda:0,2", "c0 c2"},
        {"cuda:2,0-1", "c2 c0 c1"},
        {"cuda:2,cuda:0", "c2 c0"},
        {"cuda:0,host:1", "c0 h0"},
        {"host:2x3,cuda:1-2", "h3 h3 c1 c2"},
        {"cuda,host", "c0 c1 c2 h0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir__spec_item items[WEIR_DEVICES_MAX];
        uint32_t count;
        char text[256];
        OK(weir__spec_parse(rows[i].spec, machine(three_gpus), items, &count));
        show(items, count, text, sizeof text);
        assert_string_equal(text, rows[i].wanted);
    }
}

struct bad {
    const char *spec;
    uint32_t (*gpus)(void);
    weir_status status;
    const char *detail;
};

static const struct bad bad_rows[] = {
    {"host:0", no_gpu, WEIR_ERR_INVALID, "device spec 'host:0': host:0 has no device"},
    {"host:65", no_gpu, WEIR_ERR_INVALID, "device spec 'host:65': more than 64 devices"},
    {"host:60,host:5", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:60,host:5': more than 64 devices"},
    {"host:99999999999999999999", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:99999999999999999999': more than 64 devices"},
    {"host:", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:': a number of host devices is expected at character 6"},
    {"host:-1", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:-1': a number of host devices is expected at character 6"},
    {"host:2x0", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:2x0': a number of threads from 1 to 256 is expected at character 9"},
    {"host:2x257", no_gpu, WEIR_ERR_INVALID, "a number of threads from 1 to 256 is expected"},
    {"host:2x", no_gpu, WEIR_ERR_INVALID, "a number of threads from 1 to 256 is expected"},
    {"host:1,", no_gpu, WEIR_ERR_INVALID,
     "device spec 'host:1,': 'cuda' or 'host' is expected at character 8"},
    {",", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"host:1,,host:1", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 8"},
    {"hosts", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"HOST:1", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"gpu:0", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"0", three_gpus, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"host:1,2", three_gpus, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 8"},
    {"cuda,1", three_gpus, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 6"},
    {" host:1", no_gpu, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 1"},
    {"host:1 ", no_gpu, WEIR_ERR_INVALID, "',' or the end is expected at character 7"},
    {"host: 1", no_gpu, WEIR_ERR_INVALID, "a number of host devices is expected at character 6"},
    {"host:1;host:1", no_gpu, WEIR_ERR_INVALID, "',' or the end is expected at character 7"},
    {"host:1y2", no_gpu, WEIR_ERR_INVALID, "',' or the end is expected at character 7"},
    {"cuda", no_gpu, WEIR_ERR_NODEV, "no CUDA device: none is here"},
    {"cuda:0", no_gpu, WEIR_ERR_NODEV, "no CUDA device: none is here"},
    {"host:1,cuda:0", no_gpu, WEIR_ERR_NODEV, "no CUDA device: none is here"},
    {"cuda:3", three_gpus, WEIR_ERR_NODEV, "cuda:3 does not exist: there are 3 GPUs"},
    {"cuda:0-7", three_gpus, WEIR_ERR_NODEV, "cuda:7 does not exist: there are 3 GPUs"},
    {"cuda:1", one_gpu, WEIR_ERR_NODEV, "cuda:1 does not exist: there is 1 GPU"},
    {"cuda:99999999999999999999", three_gpus, WEIR_ERR_NODEV, "does not exist: there are 3 GPUs"},
    {"cuda:0,0", three_gpus, WEIR_ERR_INVALID, "device spec 'cuda:0,0': cuda:0 is named twice"},
    {"cuda,cuda:1", three_gpus, WEIR_ERR_INVALID, "cuda:1 is named twice"},
    {"cuda:0-2,host:1,cuda:1", three_gpus, WEIR_ERR_INVALID, "cuda:1 is named twice"},
    {"cuda:2-1", three_gpus, WEIR_ERR_INVALID, "a range that runs backwards ends at character 9"},
    {"cuda:", three_gpus, WEIR_ERR_INVALID, "the number of a GPU is expected at character 6"},
    {"cuda:0-", three_gpus, WEIR_ERR_INVALID, "the number of a GPU is expected at character 8"},
    {"cuda:0,", three_gpus, WEIR_ERR_INVALID, "'cuda' or 'host' is expected at character 8"},
    {"cuda:x", three_gpus, WEIR_ERR_INVALID, "the number of a GPU is expected at character 6"},
    {"cuda:0x2", three_gpus, WEIR_ERR_INVALID, "',' or the end is expected at character 7"},
};

static void bad_specs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const struct bad *row = &bad_rows[i];
        struct weir__spec_item items[WEIR_DEVICES_MAX];
        uint32_t count;
        weir_status status = weir__spec_parse(row->spec, machine(row->gpus), items, &count);
        if (status != row->status || !strstr(weir_error_detail(), row->detail))
            fail_msg("'%s': status %d, '%s' instead of %d, '%s'", row->spec, (int)status,
                     weir_error_detail(), (int)row->status, row->detail);
    }
}

static void a_host_spec_does_not_ask_for_gpus(void **state)
{
    struct weir__spec_item items[WEIR_DEVICES_MAX];
    uint32_t count;
    (void)state;
    OK(weir__spec_parse("host:64", machine(NULL), items, &count));
    assert_int_equal(count, 64);
}

/* A third kind of device is a row: no grammar knows it. */
static void a_backend_is_a_row(void **state)
{
    static const weir__backend hip = {.name = "hip", .usual = "hip", .count = one_gpu};
    static const weir__backend *const backends[] = {&hip, &weir__host_backend, NULL};
    struct weir__spec_item items[WEIR_DEVICES_MAX];
    uint32_t count;
    (void)state;
    OK(weir__spec_parse("host:2,hip:0", backends, items, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(items[2].ops, &hip);
    STATUS(weir__spec_parse("cuda", backends, items, &count), WEIR_ERR_INVALID);
    assert_detail_has("'hip' or 'host' is expected at character 1");
    STATUS(weir__spec_parse("hip:1", backends, items, &count), WEIR_ERR_NODEV);
    assert_detail_has("hip:1 does not exist: there is 1 GPU");
}

static void what_is_usual_is_the_first_that_there_is(void **state)
{
    (void)state;
    assert_string_equal(weir__spec_usual(machine(one_gpu)), "cuda");
    weir__fail(WEIR_ERR_INVALID, "an older sentence");
    assert_string_equal(weir__spec_usual(machine(no_gpu)), "host:4");
    assert_string_equal(weir_error_detail(), "an older sentence");
}

static void a_context_has_the_devices_of_its_spec(void **state)
{
    weir_context *context;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    (void)state;
    OK(weir_context_create("host:2x3,host", NULL, &context));
    assert_int_equal(weir_context_device_count(context), 3);
    for (uint32_t i = 0; i < 3; i++) {
        char label[16];
        snprintf(label, sizeof label, "host:%u", i);
        weir_device_info_get(weir_context_device(context, i), &info);
        assert_int_equal(info.kind, WEIR_DEVICE_HOST);
        assert_int_equal(info.index, i);
        assert_int_equal(info.ordinal, i);
        assert_string_equal(info.label, label);
        assert_string_equal(info.name, "host device");
        assert_int_equal(info.units, i < 2 ? 3 : 1);
        assert_int_equal(info.workers, info.units);
        assert_int_equal(info.lanes, 1);
        assert_true(info.memory_bytes > 0);
    }
    assert_null(weir_context_device(context, 3));
    weir_device_info_get(weir_context_home(context), &info);
    assert_int_equal(info.kind, WEIR_DEVICE_HOST);
    assert_int_equal(info.index, 3);
    assert_int_equal(info.workers, 1);
    assert_string_equal(info.label, "home");
    weir_context_destroy(context);
}

static void a_bad_spec_gives_no_context(void **state)
{
    weir_context *context = (weir_context *)state;
    STATUS(weir_context_create("host:0", NULL, &context), WEIR_ERR_INVALID);
    assert_null(context);
    context = (weir_context *)state;
    STATUS(weir_context_create("cuda:4095", NULL, &context), WEIR_ERR_NODEV);
    assert_null(context);
    assert_true(weir_error_detail()[0]);
}

static void no_spec_picks_what_there_is(void **state)
{
    static const char *const specs[] = {NULL, ""};
    (void)state;
    for (int i = 0; i < 2; i++) {
        weir_context *context;
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir__fail_adopt(WEIR_ERR_INVALID, "as it was");
        OK(weir_context_create(specs[i], NULL, &context));
        weir_device_info_get(weir_context_device(context, 0), &info);
        if (info.kind == WEIR_DEVICE_HOST)
            assert_int_equal(weir_context_device_count(context), 4);
        assert_detail("as it was"); /* that there is no GPU was no failure */
        weir_context_destroy(context);
    }
}

static void the_configured_threads_count_where_none_are_named(void **state)
{
    static const char *const settings[] = {"host_threads=5", NULL};
    (void)state;
    weir_context *context = open_with_or_skip("host:1,host:1x2", settings);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    assert_int_equal(info.workers, 5);
    weir_device_info_get(weir_context_device(context, 1), &info);
    assert_int_equal(info.workers, 2);
    weir_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_specs),
        cmocka_unit_test(bad_specs),
        cmocka_unit_test(a_host_spec_does_not_ask_for_gpus),
        cmocka_unit_test(a_backend_is_a_row),
        cmocka_unit_test(what_is_usual_is_the_first_that_there_is),
        cmocka_unit_test(a_context_has_the_devices_of_its_spec),
        cmocka_unit_test(a_bad_spec_gives_no_context),
        cmocka_unit_test(no_spec_picks_what_there_is),
        cmocka_unit_test(the_configured_threads_count_where_none_are_named),
    };
    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
