/** @file hostcost.c  What a segment costs the thread that sends it and the one that receives it.
 *
 * One thread does both, with the queues running. The send of a message is matched with the buffers
 * that are posted, so it pays for the copies of that many packets; the release of a buffer pays for the
 * copy of the next packet that waits. Packets are small: what the devices do beside is not in the way.
 * Reading the clock of the thread's CPU time is a system call and part of the two figures that stand
 * apart; the sum is measured with two readings a run. */
#include "router/measure/list.h"

#include "runtime/internal.h"

#include <time.h>

#define PACKET    4096u
#define RUNS      4u
#define MOST      64u
#define A_MESSAGE 4u /* factor from one number of packets a message to the next */

static uint64_t thread_cpu_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum part { SEND, RECEIVE, BOTH };

static const struct figure {
    const char *series;
    uint64_t (*clock)(void);
    enum part part;
} figures[] = {
    {"send and receive, CPU", thread_cpu_ns, BOTH},
    {"send and receive, clock", weir__now_ns, BOTH},
    {"send, CPU", thread_cpu_ns, SEND},
    {"send, clock", weir__now_ns, SEND},
    {"receive, gate and release, CPU", thread_cpu_ns, RECEIVE},
    {"receive, gate and release, clock", weir__now_ns, RECEIVE},
};
#define FIGURES (sizeof figures / sizeof *figures)

struct cost {
    struct wire wire; /* first: the verified run is the wire's own */
    const struct figure *figure;
};

static weir_status trial(void *user, uint64_t number, double *us_out)
{
    struct cost *cost = user;
    struct wire *wire = &cost->wire;
    uint64_t packets = 0;
    double ms;
    weir_status status = WEIR_OK;
    (void)number; /* the bytes are the same in all trials */
    wire->meter = (struct wire_meter){cost->figure->clock, cost->figure->part == BOTH, 0, 0};
    for (uint32_t i = 0; i < RUNS && !status; i++) {
        status = weir__wire_run(wire, &ms);
        packets += wire->pacer.packets;
    }
    uint64_t ns = cost->figure->part == RECEIVE ? wire->meter.receive : wire->meter.send;
    weir__bench_took(wire->bench, (double)ns / 1e6);
    *us_out = packets ? (double)ns / 1e3 / (double)packets : 0;
    return status;
}

static weir_status rows_of(struct cost *cost, const struct figure *figure, uint64_t most)
{
    struct wire *wire = &cost->wire;
    weir_status status = WEIR_OK;
    cost->figure = figure;
    for (uint64_t packets = 1; packets <= most && !status; packets *= A_MESSAGE) {
        weir_bench_row row = weir__row_make(wire->bench, wire->shape.from, wire->shape.to,
                                            (double)packets, "%s", figure->series);
        wire->size = packets * PACKET;
        wire->repeats = most / packets;
        status = weir__wire_row(wire, &row, trial, cost);
    }
    return status;
}

static weir_status rows_between(struct bench *bench, uint32_t from, uint32_t to)
{
    const struct wire_shape shape = {
        .from = from, .to = to, .transport = WEIR_TRANSPORT_AUTO, .packet = PACKET};
    uint64_t most = weir__packets_max(bench) < MOST ? weir__packets_max(bench) : MOST;
    struct cost cost;
    weir_status status = weir__wire_open(&cost.wire, bench, &shape, most * PACKET);
    cost.wire.running = 1;
    for (size_t i = 0; i < FIGURES && !status; i++)
        status = rows_of(&cost, &figures[i], most);
    weir__wire_close(&cost.wire);
    return status;
}

weir_status weir__bench_hostcost(struct bench *bench)
{
    uint32_t home = bench->devices, other = bench->devices > 1 ? 1 : 0;
    const uint32_t ends[][2] = {{0, other}, {home, 0}, {0, home}};
    weir_status status = WEIR_OK;
    weir__bench_describe(bench, "us", 0, "packets a message",
                         "time of the calling thread for one packet of %u bytes over one link, "
                         "sent and received by one thread; CPU time and the clock",
                         PACKET);
    if (bench->simulated)
        return weir__bench_skip(bench, "a simulated machine's calls cost the host that simulates "
                                       "it, not the machine");
    for (int i = 0; i < 3 && !status; i++)
        status = rows_between(bench, ends[i][0], ends[i][1]);
    return status;
}
