/** @file flags.c  Latency of a flag: a word that one side writes (release) and the other polls (acquire)
 *  goes forth and back. Two kernels are timed by the device; a kernel and the CPU by the host's clock,
 *  from the first flag that comes to the last. */
#include "topology/measure/list.h"
#include "topology/measure/partners.h"

#include <stdio.h>

#define ROUNDS       10000u
#define POLLS_A_LOOK 4096u /* polls by the CPU between two looks at clock and cancel word */

/* ---- two GPUs ----------------------------------------------------------------------------------------- */

static weir_status launch_ping(struct partners *p, uint32_t i, uint32_t rounds)
{
    struct weir__ping_args args = {.mine = p->flags[i],
                                   .theirs = p->flags[1 - i],
                                   .base = p->base,
                                   .rounds = rounds,
                                   .first = i == 0,
                                   .patience = p->patience};
    return weir_queue_launch(p->region.queue[i], &weir__kernel_ping, &args, sizeof args);
}

static weir_status between_gpus(void *user, uint64_t number, double *us_out)
{
    double ms = 0;
    weir_status status = weir__partners_run(user, launch_ping, ROUNDS, &ms);
    (void)number;
    *us_out = ms * 1e3 / (2.0 * ROUNDS);
    return status;
}

static weir_status row_of_peer(struct bench *bench, const struct target *peer)
{
    uint32_t devices[2] = {0, peer->device};
    weir_bench_row row = {.verified = 0};
    struct partners partners;
    weir_status status = weir__partners_open(&partners, bench, devices, 2, launch_ping);
    if (status)
        return status;
    snprintf(row.series, sizeof row.series, "%s, one way", peer->what);
    (void)weir__bench_label(bench, 0, row.from);
    (void)weir__bench_label(bench, peer->device, row.to);
    status = weir__bench_row(bench, &row, between_gpus, &partners);
    weir__partners_close(&partners);
    return status;
}

/* ---- a GPU and the CPU --------------------------------------------------------------------------------- */

#define TO_GPU(p) ((p)->words + 2 * WEIR__LINE)
#define TO_CPU(p) ((p)->words + 3 * WEIR__LINE)

static weir_status launch_with_cpu(struct partners *p, uint32_t i, uint32_t rounds)
{
    struct weir__ping_args args = {.mine = TO_GPU(p),
                                   .theirs = TO_CPU(p),
                                   .base = p->base,
                                   .rounds = rounds,
                                   .first = 1,
                                   .patience = p->patience};
    return weir_queue_launch(p->region.queue[i], &weir__kernel_ping, &args, sizeof args);
}

static weir_status impatient(const struct partners *p, uint64_t deadline_ns)
{
    weir_status status = weir__partners_judge(p);
    if (!status)
        status = weir__bench_cancelled(p->bench);
    if (!status && weir__now_ns() > deadline_ns)
        status = weir__fail(WEIR_ERR_TIMEOUT,
                            "flags: the CPU waited in vain for a kernel's flag "
                            "for %u ms",
                            p->bench->config.limit_ms);
    return status;
}

static weir_status await(const struct partners *p, uint32_t wanted, uint64_t deadline_ns)
{
    weir_status status = WEIR_OK;
    for (uint32_t polls = 1; !status; polls++) {
        /* Acquire: pairs with the kernel's release in system scope. */
        uint32_t flag = __atomic_load_n(TO_CPU(p), __ATOMIC_ACQUIRE);
        if ((int32_t)(flag - wanted) >= 0)
            return WEIR_OK;
        if (polls % POLLS_A_LOOK == 0)
            status = impatient(p, deadline_ns);
    }
    return status;
}

/* The CPU's side. @param[out] ns_out  from the first flag to the last: ROUNDS - 1 ways there and back. */
static weir_status answer(struct partners *p, uint64_t *ns_out)
{
    uint64_t begin = 0, deadline = weir__now_ns() + p->bench->config.limit_ms * (uint64_t)1000000;
    weir_status status = WEIR_OK;
    for (uint32_t i = 1; i <= ROUNDS && !status; i++) {
        status = await(p, p->base + i, deadline);
        if (i == 1)
            begin = weir__now_ns();
        if (i == ROUNDS)
            *ns_out = weir__now_ns() - begin;
        if (!status)
            __atomic_store_n(TO_GPU(p), p->base + i, __ATOMIC_RELEASE);
    }
    return status;
}

static weir_status with_cpu(void *user, uint64_t number, double *us_out)
{
    struct partners *p = user;
    uint64_t ns = 0;
    weir_status status = launch_with_cpu(p, 0, ROUNDS), ended;
    (void)number;
    if (status)
        return status;
    if ((status = answer(p, &ns)))
        weir__partners_stop(p);
    ended = weir_queue_sync(p->region.queue[0]); /* the kernel ends by itself, whatever happens */
    p->base += ROUNDS;
    weir__bench_took(p->bench, (double)ns / 1e6);
    *us_out = (double)ns / 1e3 / (2.0 * (ROUNDS - 1));
    if (!status)
        status = ended ? ended : weir__partners_judge(p);
    return status;
}

static weir_status row_of_cpu(struct bench *bench)
{
    uint32_t device = 0;
    weir_bench_row row = {.series = "GPU and CPU, one way, host's clock"};
    struct partners partners;
    weir_status status = weir__partners_open(&partners, bench, &device, 1, launch_with_cpu);
    if (status)
        return status;
    (void)weir__bench_label(bench, 0, row.from);
    (void)weir__bench_label(bench, bench->devices, row.to);
    status = weir__bench_row(bench, &row, with_cpu, &partners);
    weir__partners_close(&partners);
    return status;
}

weir_status weir__bench_flags(struct bench *bench)
{
    struct target peers[PEERS_MAX];
    char label[16];
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "us", 0, "",
                         "a flag from one side to the other, half of forth and back; with the CPU "
                         "through page-locked memory");
    if (weir__skip_simulated(bench))
        return WEIR_OK;
    if (!weir__is_gpu(bench, 0))
        return weir__bench_skip(bench, "%s is a host device: its kernels must not wait for others",
                                weir__bench_label(bench, 0, label));
    uint32_t count = weir__peers_find(bench, peers);
    for (uint32_t i = 0; i < count && !status; i++)
        status = row_of_peer(bench, &peers[i]);
    return status ? status : row_of_cpu(bench);
}
