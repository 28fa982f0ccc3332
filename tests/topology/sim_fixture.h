/** @file sim_fixture.h  A machine whose times are easy to work out, simulated.
 *
 *     gpu0 --\                     every hop 10 GB/s a direction and 0.5 us, so a copy between two
 *     gpu1 ---- switch0 -- numa0   devices takes 2 us to start, 1 us to get there, and 1 us for
 *     gpu2 --/                     each 10 000 bytes; a push starts in 1 us, a kernel in 4 us;
 *                                  a copy within a device moves 100 GB/s without latency */
#ifndef WEIR_TESTS_TOPOLOGY_SIM_FIXTURE_H
#define WEIR_TESTS_TOPOLOGY_SIM_FIXTURE_H

#include "tests/lib/support.h"
#include "topology/machine.h"

#include <stdio.h>
#include <string.h>

#define STAR_DEVICES 3
#define BYTES        1000000 /* 100 us on the way */
#define COPY_US      103     /* of BYTES between two devices */

/* Pairs in `apart` (a bit for each device) do not reach each other. */
static inline weir_machine *star_machine(uint32_t apart)
{
    weir_machine *machine;
    OK(weir__machine_create("star", "gpu", STAR_DEVICES, 1, 1, &machine));
    machine->overheads = (weir_overheads){.copy_us = 2, .push_us = 1, .launch_us = 4};
    for (uint32_t n = 0; n <= STAR_DEVICES; n++) {
        weir_hop hop = {.kind = WEIR_HOP_PCIE, .a = n, .b = STAR_DEVICES + 1};
        hop.bandwidth_gbs = 10;
        hop.latency_us = 0.5;
        machine->node[n].memory_gbs = 200;
        machine->node[n].memory_bytes = 1000 + n;
        snprintf(machine->node[n].name, sizeof machine->node[n].name, "made-up GPU %u", n);
        OK(weir__machine_add_hop(machine, hop));
    }
    for (uint32_t a = 0; a < STAR_DEVICES; a++)
        for (uint32_t b = a + 1; b < STAR_DEVICES; b++)
            if (!(apart >> a & apart >> b & 1))
                weir__machine_connect(machine, a, b, 1);
    OK(weir__machine_finish(machine));
    return machine;
}

static inline weir_context *simulate(weir_machine *machine, const weir_config *config)
{
    weir_context *context;
    OK(weir_machine_simulate(machine, config, &context));
    weir_machine_destroy(machine); /* it was copied */
    return context;
}

/* The star with one queue and one buffer on each device, and on home. */
struct star {
    weir_context *context;
    weir_device *device[STAR_DEVICES + 1];
    weir_queue *queue[STAR_DEVICES + 1];
    unsigned char *data[STAR_DEVICES + 1];
};

/* Buffers are filled on the host: that costs no virtual time. */
static inline void star_open(struct star *star)
{
    star->context = simulate(star_machine(0), NULL);
    for (uint32_t i = 0; i <= STAR_DEVICES; i++) {
        star->device[i] = any_device(star->context, i);
        star->queue[i] = new_queue(star->device[i]);
        star->data[i] = new_memory(star->device[i], BYTES);
        memset(star->data[i], (int)(i + 1), BYTES);
    }
}

static inline void star_close(struct star *star)
{
    for (uint32_t i = 0; i <= STAR_DEVICES; i++) {
        weir_queue_destroy(star->queue[i]);
        weir_device_free(star->device[i], star->data[i]);
    }
    weir_context_destroy(star->context);
}

/* Put a copy of `bytes` bytes between two buffers into a queue. */
static inline void put_copy(struct star *star, uint32_t queue, uint32_t from, uint32_t to,
                            size_t bytes)
{
    OK(weir_queue_copy(star->queue[queue], star->device[to], star->data[to], star->device[from],
                       star->data[from], bytes));
}

static inline void assert_time_us(const weir_context *context, double us)
{
    assert_int_equal(weir_context_time_ns(context), (uint64_t)(us * 1000));
}

static inline void assert_bytes(const unsigned char *place, size_t bytes, unsigned char value)
{
    for (size_t i = 0; i < bytes; i++)
        if (place[i] != value)
            fail_msg("byte %zu is %u, not %u", i, place[i], value);
}

#endif
