/** @file test_bench_kernels.c  The benchmarks' kernels compute what a plain loop computes, on every
 *  backend, and the benchmarks made of them give sane tables. */
#include "tests/lib/support.h"
#include "topology/measure/list.h"
#include "topology/measure/partners.h"
#include "topology/topology.h"

#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES   ((uint64_t)4096 + 16) /* no multiple of what a block moves */
#define WORDS   (BYTES / 8)
#define PLACES  ((uint64_t)256)
#define COUNT   ((uint64_t)5000)
#define SEED    ((uint64_t)0x1234567890ABCDEF)
#define NEUTRAL 0xFFu /* what no minimum is above */

/* Device 0 of a context, memory of it, and what it held last. */
struct stand {
    weir_context *context;
    weir_device *device;
    weir_queue *queue;
    uint64_t *data, *other, *sum;
    uint64_t host[WORDS];
};

static void stand_open(struct stand *s, void **state)
{
    s->context = open_or_skip(state);
    s->device = weir_context_device(s->context, 0);
    s->queue = new_queue(s->device);
    s->data = new_memory(s->device, BYTES);
    s->other = new_memory(s->device, BYTES);
    s->sum = new_memory(s->device, sizeof *s->sum);
}

static void stand_close(struct stand *s)
{
    weir_device_free(s->device, s->sum);
    weir_device_free(s->device, s->other);
    weir_device_free(s->device, s->data);
    weir_queue_destroy(s->queue);
    weir_context_destroy(s->context);
}

/* Run a kernel; @return what it added to the sum. */
static uint64_t launch(struct stand *s, const weir_kernel *kernel, const void *args, size_t bytes)
{
    uint64_t sum = 0;
    OK(weir_queue_fill(s->queue, s->sum, 0, sizeof sum));
    OK(weir_queue_launch(s->queue, kernel, args, bytes));
    OK(weir_queue_sync(s->queue));
    OK(weir__download(s->device, &sum, s->sum, sizeof sum));
    return sum;
}
#define LAUNCH(s, name, args) launch(s, &weir__kernel_##name, &(args), sizeof(args))

static const uint64_t *fetched(struct stand *s, const void *data)
{
    OK(weir__download(s->device, s->host, data, BYTES));
    return s->host;
}

static void flip(struct stand *s, size_t byte)
{
    (void)fetched(s, s->data);
    ((unsigned char *)s->host)[byte] ^= 0x10;
    OK(weir__upload(s->device, s->data, s->host, BYTES));
}

static void test_pattern_finds_flipped_bytes(void **state)
{
    struct stand s;
    stand_open(&s, state);
    struct weir__pattern_args args = {s.data, WORDS, SEED, s.sum};
    LAUNCH(&s, pattern_put, args);
    for (uint64_t i = 0; i < WORDS; i++)
        assert_int_equal(fetched(&s, s.data)[i], weir__pattern_word(SEED, i));
    assert_int_equal(LAUNCH(&s, pattern_check, args), 0);
    flip(&s, BYTES - 1);
    assert_int_equal(LAUNCH(&s, pattern_check, args), 1);
    flip(&s, 0);
    flip(&s, 1); /* in the same word */
    flip(&s, 2048);
    assert_int_equal(LAUNCH(&s, pattern_check, args), 3);
    args.seed++; /* another pattern altogether */
    assert_int_equal(LAUNCH(&s, pattern_check, args), WORDS);
    stand_close(&s);
}

static void test_streams_equal_a_loop(void **state)
{
    struct stand s;
    uint64_t sum = 0;
    stand_open(&s, state);
    struct weir__stream_args args = {s.data, s.data, BYTES, SEED, 3, s.sum, 0};
    LAUNCH(&s, stream_write, args);
    for (uint64_t i = 0; i < WORDS; i++) {
        assert_int_equal(fetched(&s, s.data)[i], SEED + 3 * i);
        sum += SEED + 3 * i;
    }
    assert_int_equal(LAUNCH(&s, stream_read, args), sum);
    assert_int_equal(LAUNCH(&s, stream_check, args), 0);
    flip(&s, BYTES - 1);
    assert_int_equal(LAUNCH(&s, stream_check, args), 1);
    flip(&s, BYTES - 1);
    args.to = s.other;
    LAUNCH(&s, stream_copy, args);
    for (uint64_t i = 0; i < WORDS; i++)
        assert_int_equal(fetched(&s, s.other)[i], SEED + 3 * i);
    stand_close(&s);
}

static void test_streams_add_to_every_counter(void **state)
{
    struct stand s;
    stand_open(&s, state);
    struct weir__stream_args args = {s.data, s.data, BYTES, 5 * 0x100000001u, 0, s.sum, 0};
    LAUNCH(&s, stream_write, args);
    LAUNCH(&s, stream_add, args);
    args.system = 1;
    LAUNCH(&s, stream_add, args);
    for (uint64_t i = 0; i < BYTES / 4; i++)
        assert_int_equal(((const uint32_t *)fetched(&s, s.data))[i], 7);
    stand_close(&s);
}

/* ---- random places -------------------------------------------------------------------------- */

static struct weir__random_args random_args(struct stand *s, enum weir__access access)
{
    return (struct weir__random_args){(uint32_t *)s->data, PLACES, COUNT, SEED, s->sum, access, 0};
}

/* The accesses of a kernel, by a plain loop over `words`; @return its sum. */
static uint64_t loop(const struct weir__random_args *a, uint32_t *words)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        uint32_t *word = &words[weir__place(a, i)], value = weir__value(a, weir__place(a, i));
        if (a->access == WEIR__READ)
            sum += *word;
        else if (a->access == WEIR__WRITE || (a->access != WEIR__ADD && value < *word))
            *word = value;
        else if (a->access == WEIR__ADD)
            *word += 1;
    }
    return sum;
}

/* Every access in both scopes leaves what the loop leaves, starting from `fill` bytes. */
static void compare(struct stand *s, enum weir__access access, unsigned char fill)
{
    struct weir__random_args args = random_args(s, access);
    for (args.system = 0; args.system < 2; args.system++) {
        uint32_t words[PLACES];
        memset(words, fill, sizeof words);
        loop(&args, words);
        OK(weir_queue_fill(s->queue, s->data, fill, BYTES));
        LAUNCH(s, random, args);
        assert_memory_equal(fetched(s, s->data), words, sizeof words);
    }
}

static void test_random_accesses_equal_a_loop(void **state)
{
    struct stand s;
    stand_open(&s, state);
    compare(&s, WEIR__WRITE, 0);
    compare(&s, WEIR__MIN, NEUTRAL);
    compare(&s, WEIR__MIN, 0); /* nothing is below */
    compare(&s, WEIR__MIN_UNUSED, NEUTRAL);
    compare(&s, WEIR__ADD, 0);
    stand_close(&s);
}

static void test_random_reads_sum_up(void **state)
{
    struct stand s;
    stand_open(&s, state);
    struct weir__stream_args fill = {s.data, NULL, BYTES, SEED, 1, s.sum, 0};
    struct weir__random_args args = random_args(&s, WEIR__READ);
    LAUNCH(&s, stream_write, fill);
    uint64_t sum = LAUNCH(&s, random, args);
    (void)fetched(&s, s.data);
    assert_int_equal(sum, loop(&args, (uint32_t *)s.host));
    args.access = WEIR__EXPECT;
    assert_int_equal(LAUNCH(&s, random, args), sum);
    stand_close(&s);
}

static void test_random_check_counts_what_is_wrong(void **state)
{
    struct stand s;
    uint64_t hits = 0;
    stand_open(&s, state);
    struct weir__random_args args = random_args(&s, WEIR__WRITE);
    LAUNCH(&s, random, args);
    args.access = WEIR__CHECK;
    assert_int_equal(LAUNCH(&s, random, args), 0);
    for (uint64_t i = 0; i < COUNT; i++)
        hits += weir__place(&args, i) == 7;
    assert_true(hits > 0);
    flip(&s, 7 * 4);
    assert_int_equal(LAUNCH(&s, random, args), hits);
    stand_close(&s);
}

static void test_counters_of_floats_sum_up(void **state)
{
    struct stand s;
    stand_open(&s, state);
    struct weir__random_args args = random_args(&s, WEIR__ADD_FLOAT);
    struct weir__counters_args counters = {(uint32_t *)s.data, PLACES, s.sum, 1};
    OK(weir_queue_fill(s.queue, s.data, 0, BYTES));
    LAUNCH(&s, random, args);
    assert_int_equal(LAUNCH(&s, counters, counters), COUNT);
    args.access = WEIR__ADD;
    counters.floats = 0;
    OK(weir_queue_fill(s.queue, s.data, 0, BYTES));
    LAUNCH(&s, random, args);
    assert_int_equal(LAUNCH(&s, counters, counters), COUNT);
    stand_close(&s);
}

/* ---- the benchmarks ------------------------------------------------------------------------- */

static weir_bench_table *run_small(weir_context *context, const char *name)
{
    weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
    weir_bench_table *table;
    config.bytes = 65536;
    config.trials = 2;
    config.warmups = 1;
    OK(weir_bench_run(context, name, &config, &table));
    assert_string_equal(table->name, name);
    assert_true(table->title[0] && table->unit[0]);
    for (size_t i = 0; i < table->count; i++) {
        const weir_bench_row *row = &table->rows[i];
        assert_true(row->series[0]);
        assert_true(row->low >= 0 && row->low <= row->median && row->median <= row->high);
        assert_true((row->x > 0) == (table->x_name[0] != 0));
        assert_true(row->low > 0 || strstr(row->series, "empty region"));
        assert_int_equal(row->trials, 2);
    }
    return table;
}

static const weir_bench_row *row_like(const weir_bench_table *table, const char *series)
{
    for (size_t i = 0; i < table->count; i++)
        if (strstr(table->rows[i].series, series))
            return &table->rows[i];
    fail_msg("%s has no row of %s", table->name, series);
    return NULL;
}

static int first_is_gpu(weir_context *context)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(context, 0), &info);
    return info.kind == WEIR_DEVICE_CUDA;
}

/* Whether the first two devices are of one kind and reach each other. */
static int reaches_second(weir_context *context)
{
    weir_device *a = weir_context_device(context, 0), *b = weir_context_device(context, 1);
    weir_device_info first = WEIR_DEVICE_INFO_INIT, second = WEIR_DEVICE_INFO_INIT;
    if (!b)
        return 0;
    weir_device_info_get(a, &first);
    weir_device_info_get(b, &second);
    return first.kind == second.kind && weir_device_reaches(a, b) && weir_device_reaches(b, a);
}

static void test_access(void **state)
{
    static const char *const wanted[] = {
        "own memory, coalesced read",    "own memory, coalesced write",
        "own memory, random read",       "own memory, random write",
        "own memory, random atomic add", "home memory, coalesced read",
        "home memory, random write",
    };
    weir_context *context = open_or_skip(state);
    weir_bench_table *table = run_small(context, "access");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(row_like(table, wanted[i])->verified, 1);
    assert_string_equal(row_like(table, "home memory, coalesced read")->from, "home");
    assert_string_equal(row_like(table, "home memory, coalesced write")->to, "home");
    int peers = reaches_second(context);
    assert_true(table->count >= (peers ? 16 : 12));
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void test_memory(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_table *table = run_small(context, "memory");
    assert_int_equal(table->count, 4 * weir_context_device_count(context));
    for (size_t i = 0; i < table->count; i++) {
        assert_int_equal(table->rows[i].verified, 1);
        assert_string_equal(table->rows[i].from, table->rows[i].to);
    }
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void test_atomics(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_table *table = run_small(context, "atomics");
    assert_string_equal(table->x_name, "working set bytes");
    assert_true(table->count >= 4);
    double smallest = table->rows[0].x;
    assert_true(smallest == (first_is_gpu(context) ? 4096 * 1024 : 64 * 1024));
    for (size_t i = 0; i < table->count; i++)
        assert_true(table->rows[i].verified && table->rows[i].x >= smallest);
    assert_true(row_like(table, "atomicMin, result used")->median > 0);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

static void test_flags(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_table *table = run_small(context, "flags");
    if (first_is_gpu(context)) {
        assert_string_equal(table->skipped, "");
        assert_string_equal(row_like(table, "GPU and CPU, one way")->to, "home");
        assert_int_equal(table->count, 1 + reaches_second(context));
    } else {
        assert_int_equal(table->count, 0);
        assert_non_null(strstr(table->skipped, "host device"));
    }
    assert_int_equal(table->larger_is_better, 0);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* One of a queue, and one of a queue on each of several devices. @return how many. */
static int rows_of_regions(const weir_bench_table *table, uint32_t devices)
{
    char series[48];
    (void)row_like(table, "empty region, 1 queue");
    snprintf(series, sizeof series, "empty region, %u queues", devices);
    if (devices > 1)
        (void)row_like(table, series);
    return devices > 1 ? 2 : 1;
}

static void test_launch(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_table *table = run_small(context, "launch");
    assert_string_equal(table->unit, "us");
    (void)row_like(table, "launch, back to back");
    assert_true(!strstr(table->title, "barriers") == !first_is_gpu(context));
    (void)row_like(table, "launch and wait");
    int regions = rows_of_regions(table, weir_context_device_count(context));
    if (first_is_gpu(context)) {
        (void)row_like(table, "grid barrier, 1 block a multiprocessor");
        (void)row_like(table, "grid barrier, 2 blocks a multiprocessor");
        assert_int_equal(table->count, 4 + regions + reaches_second(context));
    } else {
        assert_int_equal(table->count, 2 + regions);
    }
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
}

/* ---- what they are made of ------------------------------------------------------------------ */

static void test_wrong_results_are_found(void **state)
{
    weir_context *context = open_or_skip(state);
    struct bench bench = {.context = context, .devices = weir_context_device_count(context)};
    weir_device *device = weir_context_device(context, 0);
    struct work work;
    uint64_t wrong = 12345;
    bench.config.limit_ms = LONG_MS;
    uint64_t *data = new_memory(device, BYTES);
    OK(weir__work_open(&work, &bench, 0));
    OK(weir__work_fill(&work, data, BYTES, SEED, 1));
    OK(weir__work_check(&work, data, BYTES, SEED, 1, "a copy"));
    OK(weir__upload(device, data + 5, &wrong, sizeof wrong));
    STATUS(weir__work_check(&work, data, BYTES, SEED, 1, "a copy"), WEIR_ERR_VERIFY);
    assert_detail("a copy: 1 of 514 words are wrong");
    OK(weir__work_same(&work, "a sum", 3, 3));
    STATUS(weir__work_same(&work, "a sum", 3, 4), WEIR_ERR_VERIFY);
    assert_detail_has("the sum of the results is 3 instead of 4");
    weir__work_close(&work);
    weir_device_free(device, data);
    weir__bench_close(&bench);
    weir_context_destroy(context);
}

/* Half of 1000 MiB, of that, and of that: but a GPU's caches would hold the last one. */
static void test_memory_is_halved_until_it_fits(void **state)
{
    static const char *const settings[] = {"pool_bytes=160MiB", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    struct bench bench = {.context = context, .devices = weir_context_device_count(context)};
    weir_device *device = weir_context_device(context, 0);
    uint64_t bytes = (uint64_t)1000 << 20, more = bytes;
    void *data, *none;
    OK(weir__work_memory(&bench, 0, &bytes, &data));
    assert_int_equal(bytes, (uint64_t)(first_is_gpu(context) ? 128 : 125) << 20);
    assert_int_equal(weir__words_in(bytes), first_is_gpu(context) ? 32 << 20 : 16 << 20);
    if (first_is_gpu(context)) {
        STATUS(weir__work_memory(&bench, 0, &more, &none), WEIR_ERR_NOMEM);
        assert_detail_has("WEIR_POOL_BYTES");
        assert_detail_has("; use --bytes with less");
    }
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* Less would be the speed of a cache. What was asked for may be less. */
static void test_memory_is_not_made_a_caches(void **state)
{
    static const char *const settings[] = {"pool_bytes=4MiB", NULL};
    weir_context *context = open_with_or_skip("host:1", settings);
    struct bench bench = {.context = context, .devices = 1};
    weir_device *device = weir_context_device(context, 0);
    uint64_t bytes = WEIR__LEAST_HOST * 5 / 2, few = 64 << 10;
    void *taken = new_memory(device, 3500u << 10), *data;
    (void)state;
    STATUS(weir__work_memory(&bench, 0, &bytes, &data), WEIR_ERR_NOMEM);
    assert_detail_has("; use --bytes with less");
    OK(weir__work_memory(&bench, 0, &few, &data));
    assert_int_equal(few, 64 << 10);
    weir_device_free(device, data);
    weir_device_free(device, taken);
    bytes = WEIR__LEAST_HOST * 5;
    OK(weir__work_memory(&bench, 0, &bytes, &data));
    assert_int_equal(bytes, WEIR__LEAST_HOST * 5 / 2);
    weir_device_free(device, data);
    weir_context_destroy(context);
}

/* What the other device is said to have is looked at by that device. */
static void test_owners_check_their_memory(void **state)
{
    static const char *const settings[] = {NULL};
    static const bench_fn benches[] = {weir__bench_access, weir__bench_atomics};
    weir_context *context = open_with_or_skip("host:2", settings);
    (void)state;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
        weir_bench_config config = WEIR_BENCH_CONFIG_INIT;
        struct bench bench;
        config.bytes = 65536;
        config.trials = 1;
        OK(weir__bench_open(&bench, context, &config));
        weir_bench_table *table = calloc(1, sizeof *table);
        assert_non_null(bench.table = table);
        assert_null(bench.queue[1]);
        OK(benches[i](&bench));
        assert_non_null(bench.queue[1]); /* taken when a device first runs something */
        weir_bench_table_destroy(table);
        weir__bench_close(&bench);
    }
    weir_context_destroy(context);
}

/* ---- kinds of peers ------------------------------------------------------------------------- */

/* From the first device to each other one, in order. */
static void assert_kinds(const char *text, const char *const *wanted)
{
    weir_machine *machine;
    OK(weir_machine_open(text, &machine));
    for (uint32_t d = 1; d < weir_machine_device_count(machine); d++)
        if (strcmp(weir__peer_kind(machine, 0, d), wanted[d - 1]))
            fail_msg("%s: device %u is \"%s\" instead of \"%s\"", text, d,
                     weir__peer_kind(machine, 0, d), wanted[d - 1]);
    weir_machine_destroy(machine);
}

#define SAME   "same board"
#define OTHER  "other board"
#define SOCKET "other socket"
#define LINK   "NVLink peer"
#define FABRIC "NVSwitch peer"

static void test_peers_are_told_apart_by_the_way(void **state)
{
    (void)state;
    assert_kinds("m60", (const char *[]){SAME, OTHER, OTHER, SOCKET, SOCKET, SOCKET, SOCKET});
    assert_kinds("dgx1v", (const char *[]){LINK, LINK, LINK, SOCKET, SOCKET, LINK, SOCKET});
    assert_kinds("nvswitch8",
                 (const char *[]){FABRIC, FABRIC, FABRIC, FABRIC, FABRIC, FABRIC, FABRIC});
    assert_kinds("2x4*pcie-tree",
                 (const char *[]){SAME, OTHER, OTHER, SOCKET, SOCKET, SOCKET, SOCKET});
    assert_kinds("2*pcie", (const char *[]){OTHER});
    assert_kinds("2*nvlink", (const char *[]){LINK});
    assert_kinds("2*host", (const char *[]){"peer in host memory"});
}

/* A kernel whose partner never comes ends by its bound of time, and says so. */
static weir_status launch_first_only(struct partners *p, uint32_t i, uint32_t rounds)
{
    struct weir__ping_args args = {p->flags[i], p->flags[i] + 1, p->base, rounds, 1, p->patience};
    return weir_queue_launch(p->region.queue[i], &weir__kernel_ping, &args, sizeof args);
}

static void test_waiting_in_vain_ends(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_bench_table table = {.name = "flags"};
    struct bench bench = {.context = context, .devices = weir_context_device_count(context)};
    struct partners partners;
    uint32_t device = 0;
    double ms;
    bench.config.limit_ms = 2000;
    bench.table = &table;
    if (!first_is_gpu(context)) {
        STATUS(weir__partners_open(&partners, &bench, &device, 1, launch_first_only),
               WEIR_ERR_UNSUPPORTED);
        assert_detail_has("kernel ping has no form for host:0");
    } else {
        OK(weir__partners_open(&partners, &bench, &device, 1, launch_first_only));
        STATUS(weir__partners_run(&partners, launch_first_only, 1, &ms), WEIR_ERR_TIMEOUT);
        assert_detail_has("waited in vain for a flag of its partner within 1000 ms");
        weir__partners_close(&partners);
    }
    weir__bench_close(&bench);
    weir_context_destroy(context);
}

static void test_simulated_machines_run_no_kernels(void **state)
{
    static const char *const skipped[] = {"access", "memory", "atomics", "flags"};
    weir_machine *machine;
    weir_context *context;
    weir_bench_table *table;
    (void)state;
    OK(weir_machine_open("4*nvswitch", &machine));
    OK(weir_machine_simulate(machine, NULL, &context));
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        table = run_small(context, skipped[i]);
        assert_int_equal(table->count, 0);
        assert_non_null(strstr(table->skipped, "a simulated machine runs no kernels"));
        weir_bench_table_destroy(table);
    }
    table = run_small(context, "launch");
    assert_null(strstr(table->title, "barriers"));
    assert_int_equal(table->count, 1 + rows_of_regions(table, 4));
    assert_true(row_like(table, "empty region, 4 queues")->high ==
                0); /* marks cost nothing there */
    double launch_us = weir_machine_overheads(machine).launch_us;
    assert_true(table->rows[0].median > 0.99 * launch_us);
    assert_true(table->rows[0].median < 1.01 * launch_us);
    weir_bench_table_destroy(table);
    weir_context_destroy(context);
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(test_pattern_finds_flipped_bytes),
        ON_EACH_BACKEND(test_streams_equal_a_loop),
        ON_EACH_BACKEND(test_streams_add_to_every_counter),
        ON_EACH_BACKEND(test_random_accesses_equal_a_loop),
        ON_EACH_BACKEND(test_random_reads_sum_up),
        ON_EACH_BACKEND(test_random_check_counts_what_is_wrong),
        ON_EACH_BACKEND(test_counters_of_floats_sum_up),
        ON_EACH_BACKEND(test_access),
        ON_EACH_BACKEND(test_memory),
        ON_EACH_BACKEND(test_atomics),
        ON_EACH_BACKEND(test_flags),
        ON_EACH_BACKEND(test_launch),
        ON_EACH_BACKEND(test_wrong_results_are_found),
        ON_EACH_BACKEND(test_memory_is_halved_until_it_fits),
        cmocka_unit_test(test_memory_is_not_made_a_caches),
        cmocka_unit_test(test_owners_check_their_memory),
        cmocka_unit_test(test_peers_are_told_apart_by_the_way),
        ON_EACH_BACKEND(test_waiting_in_vain_ends),
        cmocka_unit_test(test_simulated_machines_run_no_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
