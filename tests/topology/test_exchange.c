/** @file test_exchange.c  The estimate of an exchange against a simulated one, over real links.
 *
 * Every device sends WEIR_PLAN_BYTES to every other at once; the plans are those of one step, whose
 * estimate leaves nothing out but how packets take turns. */
#include "tests/lib/support.h"

#include "router/router.h"
#include "topology/topology.h"

#define DEVICES_MOST 8

struct pair {
    weir_link *link;
    weir_queue *queue;
    weir_pending *pending;
};

struct exchange {
    weir_context *context;
    uint32_t n;
    weir_endpoint *end[DEVICES_MOST];
    void *data[DEVICES_MOST];
    struct pair pair[DEVICES_MOST][DEVICES_MOST];
};

static void open_pair(struct exchange *x, uint32_t from, uint32_t to, weir_route_kind kind)
{
    struct pair *pair = &x->pair[from][to];
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = WEIR_PLAN_BYTES;
    config.buffers = 1;
    config.transport = kind == WEIR_ROUTE_STAGED ? WEIR_TRANSPORT_STAGED : WEIR_TRANSPORT_AUTO;
    OK(weir_link_create(x->end[from], x->end[to], &config, &pair->link));
    pair->queue = new_queue(weir_context_device(x->context, to));
}

static void open_exchange(struct exchange *x, const weir_machine *machine, weir_route_kind kind)
{
    OK(weir_machine_simulate(machine, NULL, &x->context));
    x->n = weir_machine_device_count(machine);
    assert_true(x->n <= DEVICES_MOST);
    for (uint32_t d = 0; d < x->n; d++) {
        weir_device *device = weir_context_device(x->context, d);
        OK(weir_endpoint_create(device, "device", &x->end[d]));
        x->data[d] = new_memory(device, WEIR_PLAN_BYTES);
        put_pattern(device, x->data[d], WEIR_PLAN_BYTES, d);
    }
    for (uint32_t from = 0; from < x->n; from++)
        for (uint32_t to = 0; to < x->n; to++)
            if (from != to)
                open_pair(x, from, to, kind);
}

static void close_exchange(struct exchange *x)
{
    for (uint32_t from = 0; from < x->n; from++)
        for (uint32_t to = 0; to < x->n; to++)
            if (from != to) {
                OK(weir_pending_release(x->pair[from][to].pending, NULL));
                weir_link_destroy(x->pair[from][to].link);
                weir_queue_destroy(x->pair[from][to].queue);
            }
    for (uint32_t d = 0; d < x->n; d++) {
        weir_endpoint_destroy(x->end[d]);
        weir_device_free(weir_context_device(x->context, d), x->data[d]);
    }
    weir_context_destroy(x->context);
}

/* Neighbours first, as a program would that does not want all to send to device 0 at once. */
static void send_all(struct exchange *x)
{
    for (uint32_t step = 1; step < x->n; step++)
        for (uint32_t from = 0; from < x->n; from++) {
            struct pair *pair = &x->pair[from][(from + step) % x->n];
            weir_segment segment = {.device = weir_context_device(x->context, from),
                                    .data = x->data[from],
                                    .bytes = WEIR_PLAN_BYTES};
            OK(weir_link_send(pair->link, &segment, NULL, NULL));
            OK(weir_link_receive(pair->link, &pair->pending));
            OK(weir_pending_gate(pair->pending, pair->queue));
        }
}

static void check_all(struct exchange *x)
{
    for (uint32_t from = 0; from < x->n; from++)
        for (uint32_t to = 0; to < x->n; to++) {
            weir_segment segment;
            if (from == to)
                continue;
            OK(weir_pending_assigned(x->pair[from][to].pending, &segment));
            assert_pattern(segment.device, segment.data, WEIR_PLAN_BYTES, from);
        }
}

static double simulate_us(const weir_machine *machine, weir_route_kind kind)
{
    struct exchange x = {0};
    open_exchange(&x, machine, kind);
    uint64_t start_ns = weir_context_time_ns(x.context);
    send_all(&x);
    for (uint32_t from = 0; from < x.n; from++)
        for (uint32_t to = 0; to < x.n; to++)
            if (from != to)
                OK(weir_queue_sync(x.pair[from][to].queue));
    double us = (double)(weir_context_time_ns(x.context) - start_ns) / 1e3;
    check_all(&x);
    close_exchange(&x);
    return us;
}

static void check_machine(const char *text)
{
    static const weir_route_kind kinds[] = {WEIR_ROUTE_DIRECT, WEIR_ROUTE_STAGED};
    /* Devices near the home memory are through with the first halves of a staged exchange before
     * others are, so its phases overlap a little more, or keep each other waiting. */
    static const double least[] = {0.98, 0.6}, most[] = {1.02, 1.05};
    weir_machine *machine;
    OK(weir_machine_open(text, &machine));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        weir_route_plan plan;
        OK(weir_route_plan_make(machine, kinds[k], &plan));
        double us = simulate_us(machine, kinds[k]);
        if (us > most[k] * plan.exchange_us || us < least[k] * plan.exchange_us)
            fail_msg("%s, %s: estimated %.1f us, simulated %.1f", text,
                     weir_route_kind_text(kinds[k]), plan.exchange_us, us);
    }
    weir_machine_destroy(machine);
}

static void estimates_are_what_a_simulation_takes(void **state)
{
    static const char *const machines[] = {"m60",        "dgx1v",        "nvswitch8", "hetero2",
                                           "3*nvswitch", "pcie4-nopeer", "2*nvlink",  "4*pcie"};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        check_machine(machines[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates_are_what_a_simulation_takes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
