/** @file test_collectives_routes.c  Which way collectives go on machines that nobody here owns, in virtual time.
 *
 * What is timed moves no bytes (topology/rehearse.h); what is compared does. */
#include "router/collective/internal.h"
#include "tests/router/collective_fixture.h"
#include "tests/lib/share.h"
#include "topology/rehearse.h"

#include <stdio.h>

#define DATA_BYTES (64u << 10)
#define IN_A_ROW   20u

/* ---- data: every way, on every kind of machine ------------------------------------------------- */

static void check_way(struct job *job, const struct plan *plan, uint64_t seed)
{
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
        struct work w = {.what = (weir_collective)what,
                         .root = (uint32_t)seed % job->ranks,
                         .count = 301 + (size_t)seed % 7,
                         .type = WEIR_TYPE_U32,
                         .in_place = seed % 2 != 0,
                         .seed = seed};
        if (plan->way.paced && !weir__exchanges(w.what))
            continue;
        if (weir__exchanges(w.what) && plan->way.algorithm != WEIR_ALGORITHM_DIRECT)
            continue;
        job->c->dictated = plan;
        work_do(job, &w);
        job->c->dictated = NULL;
    }
}

/* In packets of a part, and in one. */
static void every_way_gives_the_same(void **state)
{
    static const size_t pieces[] = {256, 4096};
    struct job job;
    uint64_t seed = 1;
    job_open(&job, state, DATA_BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 4096);
    assert_true(job.c->way_count >= 3);
    for (uint32_t w = 0; w < job.c->way_count; w++)
        for (size_t p = 0; p < 2; p++, seed++) {
            struct plan plan = {.way = job.c->ways[w], .piece = pieces[p]};
            check_way(&job, &plan, seed);
        }
    OK(weir_collectives_status(job.c));
    job_close(&job);
}

static void assert_is_order(const weir_collectives *c)
{
    for (uint32_t i = 0; i < c->ranks; i++) {
        assert_in_range(c->order[i], 0, c->ranks - 1);
        assert_int_equal(c->seat[c->order[i]], i);
    }
}

/* Some devices in another order, and the home device among them. */
static void ranks_are_numbered_as_they_are_given(void **state)
{
    static const uint32_t chosen[] = {5, 2, 7, 0, 4};
    enum { RANKS = 6 };
    struct job job, part;
    job_open(&job, state, DATA_BYTES);
    part = job;
    part.ranks = RANKS;
    part.c = NULL;
    for (uint32_t i = 0; i < RANKS; i++) {
        uint32_t from = i < 2 ? i : i - 1;
        part.device[i] = i == 2 ? weir_context_home(job.context) : job.device[chosen[from]];
        part.queue[i] = new_queue(part.device[i]);
        part.send[i] = new_memory(part.device[i], DATA_BYTES);
        part.recv[i] = new_memory(part.device[i], DATA_BYTES);
    }
    job_use(&part, WEIR_ALGORITHM_AUTO, 1024);
    assert_is_order(part.c);
    for (uint32_t w = 0; w < part.c->way_count; w++) {
        struct plan plan = {.way = part.c->ways[w], .piece = 1024};
        check_way(&part, &plan, 100 + w);
    }
    weir_collectives_destroy(part.c);
    for (uint32_t i = 0; i < RANKS; i++) {
        weir_queue_destroy(part.queue[i]);
        weir_device_free(part.device[i], part.send[i]);
        weir_device_free(part.device[i], part.recv[i]);
    }
    job_close(&job);
}

/* ---- time --------------------------------------------------------------------------------------- */

/* A job whose memory is addresses. */
static void open_dry(struct job *job, const char *name, size_t bytes)
{
    weir_machine *machine;
    weir_config *config;
    weir_context *context;
    OK(weir_machine_open(name, &machine));
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "pool_bytes", "16TiB"));
    OK(weir__machine_rehearse(machine, NULL, config, &context));
    weir_config_destroy(config);
    weir_machine_destroy(machine);
    job_open_in(job, context, bytes);
}

static void sync_all(struct job *job)
{
    for (uint32_t i = 0; i < job->ranks; i++)
        OK(weir_queue_sync(job->queue[i]));
}

/* Microseconds of a call among many. @param[in] bytes  of what a rank sends, or receives: the larger. */
static double time_us(struct job *job, weir_collective what, size_t bytes, uint32_t calls)
{
    const int blocks = what != WEIR_COLLECTIVE_BROADCAST && what != WEIR_COLLECTIVE_REDUCE &&
                       what != WEIR_COLLECTIVE_ALL_REDUCE;
    struct work w = {.what = what, .count = bytes / 4, .type = WEIR_TYPE_F32};
    w.count = blocks ? w.count / job->ranks : w.count;
    uint64_t start = weir_context_time_ns(job->context);
    for (uint32_t i = 0; i < calls; i++)
        OK(work_call(job, &w));
    sync_all(job);
    return (double)(weir_context_time_ns(job->context) - start) / 1e3 / calls;
}

/* The bytes of a call of the most bytes that every size has. */
static const size_t sizes[] = {1 << 10, 48 << 10, 1 << 20, 24 << 20, 1 << 30};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

/* Those that a simulated machine has. */
static const weir_algorithm compared[] = {WEIR_ALGORITHM_RING, WEIR_ALGORITHM_TREE,
                                          WEIR_ALGORITHM_DIRECT, WEIR_ALGORITHM_AUTO};
#define COMPARED (sizeof compared / sizeof *compared)

/* AUTO against all ways that can be asked for, each in a set of its own. Where time is short each call has some of the
 * sizes, and the next call the ones beside them, so that no size and no call is left out. */
static void auto_is_as_fast_as_the_best(void **state)
{
    struct job jobs[COMPARED];
    const char *name = *state;
    for (size_t a = 0; a < COMPARED; a++) {
        open_dry(&jobs[a], name, sizes[SIZE_COUNT - 1] + 4096);
        job_use(&jobs[a], compared[a], 0);
    }
    for (int what = 0; what < WEIR_COLLECTIVE_ALL_TO_ALL_V; what++)
        for (size_t s = 0; s < SIZE_COUNT; s++) {
            if (((size_t)what + s) % (size_t)test_stride() != 0)
                continue;
            uint32_t calls = sizes[s] < 16 << 20 ? IN_A_ROW : 4;
            double us[COMPARED], best = 0;
            size_t last = COMPARED - 1; /* AUTO */
            for (size_t a = 0; a < COMPARED; a++)
                us[a] = time_us(&jobs[a], (weir_collective)what, sizes[s], calls);
            for (size_t a = 0; a < last; a++)
                best = !best || us[a] < best ? us[a] : best;
            if (us[last] > 1.05 * best)
                fail_msg("%s, %s of %zu bytes: auto %.1f us; ring %.1f, tree %.1f, direct %.1f",
                         name, weir_collective_name((weir_collective)what), sizes[s], us[last],
                         us[0], us[1], us[2]);
        }
    for (size_t a = 0; a < COMPARED; a++)
        job_close(&jobs[a]);
}

/* Ranks in another order than that of their devices: first those of even places, then the others. */
static void shuffle(struct job *job)
{
    weir_device *device[JOB_RANKS_MAX];
    struct job before = *job;
    uint32_t half = (job->ranks + 1) / 2;
    for (uint32_t i = 0; i < job->ranks; i++) {
        uint32_t from = i < half ? 2 * i : 2 * (i - half) + 1;
        device[i] = before.device[from];
        job->queue[i] = before.queue[from];
        job->send[i] = before.send[from];
        job->recv[i] = before.recv[from];
    }
    memcpy(job->device, device, sizeof device);
}

static uint32_t moved(const weir_collectives *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->ranks; i++)
        count += c->order[i] != i;
    return count;
}

static void use_order(weir_collectives *c, const uint8_t *order)
{
    for (uint32_t i = 0; i < c->ranks; i++) {
        c->order[i] = order[i];
        c->seat[order[i]] = (uint8_t)i;
    }
}

/* In the same packets; each behind a call that nobody times. */
static double ring_us(struct job *job, weir_collective what, size_t piece, const uint8_t *order)
{
    struct plan plan = {.way = {.algorithm = WEIR_ALGORITHM_RING}, .piece = piece};
    job->c->dictated = &plan;
    use_order(job->c, order);
    (void)time_us(job, what, 64 * piece, 1);
    double us = time_us(job, what, 64 * piece, 4);
    job->c->dictated = NULL;
    return us;
}

static void compare_rings(struct job *job, const char *name)
{
    static const weir_collective around[] = {WEIR_COLLECTIVE_BROADCAST, WEIR_COLLECTIVE_ALL_GATHER,
                                             WEIR_COLLECTIVE_REDUCE, WEIR_COLLECTIVE_ALL_REDUCE,
                                             WEIR_COLLECTIVE_REDUCE_SCATTER};
    static const size_t pieces[] = {4 << 10, 1 << 20};
    uint8_t planned[RANKS_MAX], indexed[RANKS_MAX];
    memcpy(planned, job->c->order, sizeof planned);
    for (uint32_t i = 0; i < job->ranks; i++)
        indexed[i] = (uint8_t)i;
    for (size_t w = 0; w < sizeof around / sizeof *around; w++)
        for (size_t p = 0; p < 2; p++) {
            double by_plan = ring_us(job, around[w], pieces[p], planned);
            double by_index = ring_us(job, around[w], pieces[p], indexed);
            if (by_plan > by_index * 1.001)
                fail_msg("%s, %s in packets of %zu bytes: %.2f us by the plan, %.2f in order", name,
                         weir_collective_name(around[w]), pieces[p], by_plan, by_index);
        }
    use_order(job->c, planned);
}

/* The ring of the plan against the ranks in order; where they are the same, against the devices shuffled. */
static void a_planned_ring_is_never_behind(void **state)
{
    struct job job;
    open_dry(&job, *state, 128 << 20);
    job_use(&job, WEIR_ALGORITHM_RING, 0);
    assert_int_equal(moved(job.c) > 0, strcmp(*state, "dgx1v") == 0);
    if (moved(job.c))
        compare_rings(&job, *state);
    shuffle(&job);
    job_use(&job, WEIR_ALGORITHM_RING, 0);
    assert_int_equal(moved(job.c) > 0, strcmp(*state, "dgx1v") == 0 || strcmp(*state, "m60") == 0);
    if (moved(job.c))
        compare_rings(&job, *state);
    job_close(&job);
}

/* Pairs without an NVLink, over a third device: issue's figures are the estimates of direct and tree plans. */
static void pairs_without_a_link_are_relayed(void **state)
{
    enum { BLOCK = 1 << 20 };
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    const weir_machine *machine;
    weir_route_plan direct, tree;
    struct job job;
    (void)state;
    open_dry(&job, "dgx1v", 8 * BLOCK);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    OK(weir_machine_of(job.context, &machine));
    OK(weir_route_plan_make(machine, WEIR_ROUTE_DIRECT, &direct));
    OK(weir_route_plan_make(machine, WEIR_ROUTE_TREE, &tree));
    OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_TO_ALL, 0, BLOCK, &choice));
    assert_int_equal(choice.algorithm, WEIR_ALGORITHM_DIRECT);
    assert_true(choice.relays > 0);
    assert_non_null(strstr(choice.why, "direct with relays"));
    double us = time_us(&job, WEIR_COLLECTIVE_ALL_TO_ALL, 8 * BLOCK, 1);
    if (us > 200 || us > tree.exchange_us || us > direct.exchange_us)
        fail_msg("%.1f us, with %.1f expected of direct and %.1f of the tree", us,
                 direct.exchange_us, tree.exchange_us);
    struct plan staged = {.way = {.algorithm = WEIR_ALGORITHM_DIRECT}, .piece = BLOCK};
    job.c->dictated = &staged;
    assert_true(time_us(&job, WEIR_COLLECTIVE_ALL_TO_ALL, 8 * BLOCK, 1) > 2 * us);
    job_close(&job);
}

/* ---- channels ------------------------------------------------------------------------------------ */

/* By leave alone; then one set goes by kernels of its own and by links, as the forecast has it. */
static void auto_takes_channels_by_leave(void **state)
{
    weir_collectives_config config = WEIR_COLLECTIVES_CONFIG_INIT;
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    struct job job;
    job_open(&job, state, DATA_BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 0, 4096, &choice));
    assert_true(choice.us[WEIR_ALGORITHM_CHANNELS] <= 0);
    weir_collectives_destroy(job.c);
    config.resident = 1;
    OK(weir_collectives_create(job.context, job.device, job.ranks, &config, &job.c));
    for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++) {
        uint64_t hops = job.c->hops;
        choice = (weir_collectives_choice)WEIR_COLLECTIVES_CHOICE_INIT;
        OK(weir_collectives_choose(job.c, (weir_collective)what, 0, 1000, &choice));
        assert_true(choice.us[WEIR_ALGORITHM_CHANNELS] > 0);
        work_do(&job, &(struct work){.what = (weir_collective)what,
                                     .count = 250,
                                     .type = WEIR_TYPE_U32,
                                     .seed = (uint64_t)what});
        const int kernels =
            choice.algorithm == WEIR_ALGORITHM_CHANNELS || choice.algorithm == WEIR_ALGORITHM_NCCL;
        assert_int_equal(job.c->hops == hops, kernels);
    }
    job.c->narrowest_gbs = 1e-6; /* then links are faster */
    weir__rehearsal_close(job.c);
    uint64_t hops = job.c->hops;
    work_do(&job, &(struct work){.what = WEIR_COLLECTIVE_ALL_REDUCE,
                                 .count = 2000,
                                 .type = WEIR_TYPE_U32,
                                 .seed = 3});
    if (!job.c->nccl)
        assert_true(job.c->hops > hops);
    OK(weir_collectives_status(job.c));
    job_close(&job);
}

/* ---- what is told -------------------------------------------------------------------------------- */

static void a_choice_is_told(void **state)
{
    weir_collectives_choice choice = WEIR_COLLECTIVES_CHOICE_INIT;
    struct job job;
    job_open(&job, state, DATA_BYTES);
    job_use(&job, WEIR_ALGORITHM_AUTO, 0);
    OK(weir_collectives_choose(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 0, 1 << 20, &choice));
    assert_true(choice.packet_bytes > 0 && choice.packet_bytes <= 1 << 20);
    for (int a = WEIR_ALGORITHM_RING; a <= WEIR_ALGORITHM_DIRECT; a++) {
        assert_int_equal(choice.us[a] > 0, a != WEIR_ALGORITHM_NCCL);
        if (choice.us[a] > 0)
            assert_true(choice.us[choice.algorithm] <= choice.us[a]);
    }
    assert_int_equal(strncmp(choice.why, weir_algorithm_name(choice.algorithm),
                             strlen(weir_algorithm_name(choice.algorithm))),
                     0);
    assert_int_equal(weir_collectives_chosen(job.c, WEIR_COLLECTIVE_ALL_REDUCE, 1 << 20),
                     choice.algorithm);
    STATUS(weir_collectives_choose(job.c, WEIR_COLLECTIVE_COUNT, 0, 1, &choice), WEIR_ERR_INVALID);
    assert_detail_has("collective 9 with root 0 of");
    STATUS(weir_collectives_choose(job.c, WEIR_COLLECTIVE_REDUCE, job.ranks, 1, &choice),
           WEIR_ERR_INVALID);
    choice.size = 3;
    STATUS(weir_collectives_choose(job.c, WEIR_COLLECTIVE_REDUCE, 0, 1, &choice), WEIR_ERR_INVALID);
    job_close(&job);
}

/* ---- what kernels take that cannot be rehearsed ------------------------------------------------------- */

#define MIB ((double)(1 << 20))

/* The figures of docs/benchmarks.md, through all that is done to find them. */
static void tables_are_read_as_they_are_written(void **state)
{
    const weir_collective all = WEIR_COLLECTIVE_ALL_REDUCE, gather = WEIR_COLLECTIVE_GATHER;
    weir_collectives c = {.gpus = 1, .ranks = 2, .narrowest_gbs = 394, .memory_gbs = 3350};
    (void)state;
    assert_int_equal(setenv("NCCL_COMM_BLOCKING", "1", 1), 0);
    assert_float_equal(weir__channels_us(&c, all, 256 * MIB), 805.7, 1e-6);
    c.memory_gbs = 4800;
    assert_float_equal(weir__channels_us(&c, all, 256 * MIB), 807, 1e-6);
    c.ranks = 4; /* three quarters of it go over a link, twice */
    assert_float_equal(weir__channels_us(&c, all, 1.5 * 256 * MIB), 1305, 1e-6);
    assert_float_equal(weir__nccl_us(&c, all, 1.5 * 256 * MIB), 1189, 1e-6);
    assert_float_equal(weir__nccl_us(&c, gather, .75 * 16 * MIB), 43.4, 1e-6);
    c.narrowest_gbs /= 2;
    assert_float_equal(weir__nccl_us(&c, gather, .75 * 8 * MIB), 43.4, 1e-6);
    c.narrowest_gbs *= 2;
    const weir_collective down = WEIR_COLLECTIVE_BROADCAST;
    c.ranks = 6; /* two more, which start as the fourth does */
    const double six = 91.6 + 2 * (24.2 - 18.7);
    assert_float_equal(weir__nccl_us(&c, down, 16 * MIB), six, 1e-4);
    assert_int_equal(unsetenv("NCCL_COMM_BLOCKING"), 0);
    assert_true(weir__nccl_us(&c, down, 16 * MIB) > six + 50); /* a thread each time */
}

/* A digit too many or too few in a table would be beyond what a link can carry, or far below it. */
static void tables_are_near_what_links_carry(void **state)
{
    (void)state;
    assert_int_equal(setenv("NCCL_COMM_BLOCKING", "1", 1), 0);
    for (uint32_t ranks = 2; ranks <= 8; ranks++)
        for (int what = 0; what < WEIR_COLLECTIVE_COUNT; what++)
            for (int nccl = 0; nccl < 2; nccl++) {
                weir_collectives c = {
                    .gpus = 1, .ranks = ranks, .narrowest_gbs = 394, .memory_gbs = 4800};
                double before = 0;
                for (double load = MIB / 1024; load <= 4096 * MIB; load *= 2) {
                    double us = nccl ? weir__nccl_us(&c, (weir_collective)what, load)
                                     : weir__channels_us(&c, (weir_collective)what, load);
                    assert_true(us > load / 450e3);
                    assert_true(us < 80 + load / 100e3);
                    assert_true(us > (load > 8 * MIB ? before : .9 * before)); /* starts scatter */
                    before = us;
                }
            }
    assert_int_equal(unsetenv("NCCL_COMM_BLOCKING"), 0);
}

/* Under sanitizers, where a call takes up to twenty times as long, the smallest of them. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ON_SHIPPED(f) ON_BACKEND(f, "hetero2")
#else
#define ON_SHIPPED(f)                                                         \
    ON_BACKEND(f, "m60"), ON_BACKEND(f, "dgx1v"), ON_BACKEND(f, "nvswitch8"), \
        ON_BACKEND(f, "hetero2"), ON_BACKEND(f, "pcie4-nopeer")
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read_as_they_are_written),
        cmocka_unit_test(tables_are_near_what_links_carry),
        ON_BACKEND(every_way_gives_the_same, "sim:dgx1v"),
        ON_BACKEND(every_way_gives_the_same, "sim:m60"),
        ON_BACKEND(every_way_gives_the_same, "sim:hetero2"),
        ON_BACKEND(every_way_gives_the_same, "host:1,host:1,host:1"),
        ON_BACKEND(every_way_gives_the_same, "host:2"),
        ON_BACKEND(every_way_gives_the_same, "host:8"),
        ON_BACKEND(every_way_gives_the_same, "cuda:0-1"),
        ON_BACKEND(ranks_are_numbered_as_they_are_given, "sim:dgx1v"),
        ON_BACKEND(ranks_are_numbered_as_they_are_given, "host:8"),
        ON_BACKEND(auto_takes_channels_by_leave, "host:2"),
        ON_BACKEND(auto_takes_channels_by_leave, "host:4"),
        ON_BACKEND(auto_takes_channels_by_leave, "cuda:0-1"),
        ON_BACKEND(a_choice_is_told, "host:4"),
        ON_BACKEND(a_choice_is_told, "sim:nvswitch8"),
        ON_BACKEND(a_choice_is_told, "cuda:0-1"),
        cmocka_unit_test(pairs_without_a_link_are_relayed),
        ON_SHIPPED(a_planned_ring_is_never_behind),
        ON_SHIPPED(auto_is_as_fast_as_the_best),
    };
    return cmocka_run_group_tests_name("routes of collectives", tests, NULL, NULL);
}
