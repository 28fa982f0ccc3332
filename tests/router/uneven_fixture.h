/** @file uneven_fixture.h  A sender and two receivers, of which one stands still: what each gets is exact. */
#ifndef WEIR_TESTS_ROUTER_UNEVEN_FIXTURE_H
#define WEIR_TESTS_ROUTER_UNEVEN_FIXTURE_H

#include "tests/lib/flow.h"

#include <string.h>

#define PACKET  64
#define PACKETS 40
#define BUFFERS 2

/** A router from one sender to two receivers. The queue of the first one stands still until `hold` is set. */
struct uneven {
    struct flow flow;
    weir_device *source;
    void *data;
    weir_queue *queue[2];
    weir_future *hold, *done;
    weir_pending *pending[2]; /* taken and not assigned yet, or NULL */
    uint32_t got[2];
};

/** @param[in] patience  the links': so long that no test sees its end, or what it is about. */
static inline void uneven_open_with(struct uneven *u, void **state, weir_policy policy,
                                    const char *patience)
{
    const char *const settings[] = {patience, NULL};
    memset(u, 0, sizeof *u);
    u->flow =
        (struct flow){.context = open_with_or_skip(*state, settings), .inputs = 1, .outputs = 2};
    flow_open(&u->flow, &policy, PACKET, BUFFERS);
    u->source = weir_endpoint_device(u->flow.from[0]);
    u->data = new_memory(u->source, PACKETS * PACKET);
    u->hold = new_future(u->flow.context);
    for (int i = 0; i < 2; i++)
        u->queue[i] = new_queue(weir_endpoint_device(u->flow.to[i]));
    OK(weir_queue_wait_future(u->queue[0], u->hold));
}

static inline void uneven_open(struct uneven *u, void **state, weir_policy policy)
{
    uneven_open_with(u, state, policy, "link_patience=3600s");
}

/** Take all that is assigned to an output, and give each buffer back behind its receiver's queue. */
static inline uint32_t work_off(struct uneven *u, int output)
{
    weir_segment segment;
    uint32_t before = u->got[output];
    for (;;) {
        if (!u->pending[output] &&
            weir_link_receive(u->flow.out[output], &u->pending[output]) == WEIR_FULL)
            break;
        if (weir_pending_assigned(u->pending[output], &segment) != WEIR_OK)
            break;
        OK(weir_pending_release(u->pending[output], u->queue[output]));
        u->pending[output] = NULL;
        u->got[output]++;
    }
    return u->got[output] - before;
}

static inline void open_hold(struct uneven *u)
{
    OK(weir_future_set(u->hold, NULL));
    weir_future_release(u->hold);
    u->hold = NULL;
}

/** Work off packets at an output until so many came to it; what comes is told by its pending. */
static inline void work_off_until(struct uneven *u, int output, uint32_t packets)
{
    weir_segment segment;
    while (u->got[output] < packets)
        if (!work_off(u, output))
            OK(weir_pending_wait_assigned(u->pending[output], LONG_MS, &segment));
}

static inline void uneven_close(struct uneven *u)
{
    if (u->hold)
        open_hold(u);
    if (u->done)
        finish(u->done);
    OK(weir_link_shutdown(u->flow.in[0]));
    for (int i = 0; i < 2; i++) {
        weir_segment segment;
        if (!u->flow.out[i])
            continue;
        if (u->pending[i]) {
            STATUS(weir_pending_wait(u->pending[i], LONG_MS, &segment), WEIR_CLOSED);
            OK(weir_pending_release(u->pending[i], NULL));
        } else {
            receive_closed(u->flow.out[i]);
        }
    }
    flow_close(&u->flow);
    for (int i = 0; i < 2; i++)
        weir_queue_destroy(u->queue[i]);
    weir_device_free(u->source, u->data);
    assert_pools_empty(u->flow.context);
    weir_context_destroy(u->flow.context);
}

static inline void send_all(struct uneven *u, uint32_t packets)
{
    u->done = send_data(u->flow.in[0], u->source, u->data, packets * PACKET, 0);
}

/** Packets that an output left to the other one. */
static inline uint64_t withheld(const struct uneven *u, int output)
{
    weir_link_stats stats = WEIR_LINK_STATS_INIT;
    OK(weir_link_stats_get(u->flow.out[output], &stats));
    return stats.withheld;
}

#endif
