/** @file 09_user_policy.c  A policy of the program's own: work of one customer stays on one device.
 *
 *                         +--> device 0
 *     desk --> (sticky) --+--> device 1
 *                         +--> device 2
 *
 *     build/examples/09_user_policy [DEVICES]      say "cuda"; "host:3" if left out
 *
 * A customer's first message goes to the device that was given least so far; all later ones of that
 * customer follow it, in order. A policy is a C function with a state behind it: it sees the message,
 * the sender and the outputs, and answers with numbers of outputs. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <stdatomic.h>

enum { CUSTOMERS = 40, MESSAGES = 1000, BYTES_MAX = 4096 };

/* Senders may ask at the same time, and may not be made to wait: so all of it is atomic. */
struct sticky {
    _Atomic uint32_t home[CUSTOMERS];              /* output + 1, 0 before the first message */
    _Atomic uint64_t given[WEIR_ROUTER_PORTS_MAX]; /* bytes */
};

/* In `meta` travel who it is for and the number of the message. */
static uint64_t label(uint32_t customer, uint32_t number)
{
    return (uint64_t)customer << 32 | number;
}

static weir_status choose(void *user, const weir_segment *message, const weir_endpoint *source,
                          weir_endpoint *const *candidates, uint32_t count, weir_choice *choice_out)
{
    struct sticky *state = user;
    uint64_t customer = message->meta >> 32;
    uint32_t none = 0, least = 0;
    (void)source, (void)candidates;
    if (customer >= CUSTOMERS)
        return weir_error_set(WEIR_ERR_INVALID, "a message for a customer that nobody knows");
    for (uint32_t i = 1; i < count; i++)
        if (atomic_load(&state->given[i]) < atomic_load(&state->given[least]))
            least = i;
    if (!atomic_compare_exchange_strong(&state->home[customer], &none, least + 1))
        least = none - 1; /* it had one, and still has */
    atomic_fetch_add(&state->given[least], message->bytes);
    choice_out->delivery = WEIR_DELIVER_ANY;
    choice_out->count = 1;
    choice_out->candidate[0] = least;
    return WEIR_OK;
}

/* What arrived, over all outputs: who served a customer, and the last message of each. */
struct seen {
    uint32_t server[CUSTOMERS]; /* output + 1 */
    uint32_t last[CUSTOMERS];   /* number + 1 */
    uint32_t messages, wrong;
};

static void note(struct seen *seen, uint32_t output, const weir_segment *packet)
{
    uint32_t customer = (uint32_t)(packet->meta >> 32), number = (uint32_t)packet->meta;
    seen->messages++;
    if (seen->server[customer] && seen->server[customer] != output + 1)
        seen->wrong++;
    if (number < seen->last[customer])
        seen->wrong++;
    seen->server[customer] = output + 1;
    seen->last[customer] = number + 1;
}

/* Take everything that comes out of an output, until the desk has shut down. */
static void drain(weir_link *link, uint32_t output, struct seen *seen)
{
    weir_pending *pending;
    weir_segment packet;
    weir_status status;
    while ((status = weir_link_next(link, -1, &pending, &packet)) == WEIR_OK) {
        note(seen, output, &packet);
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
}

int main(int argc, char **argv)
{
    static struct sticky state;
    static struct seen seen;
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_device *home = weir_context_home(context);
    weir_policy policy = {.name = "sticky", .choose = choose, .user = &state};
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_router *router;
    weir_endpoint *desk, *servers[WEIR_DEVICES_MAX];
    weir_link *in, *out[WEIR_DEVICES_MAX];
    uint32_t count = weir_context_device_count(context);

    config.packet_bytes = BYTES_MAX; /* so that a message is one packet */
    TRY(weir_router_create(context, "router", &policy, &router));
    TRY(weir_endpoint_create(home, "desk", &desk));
    TRY(weir_link_create(desk, weir_router_endpoint(router), NULL, &in));
    for (uint32_t i = 0; i < count; i++) {
        TRY(weir_endpoint_create(weir_context_device(context, i), "server", &servers[i]));
        TRY(weir_link_create(weir_router_endpoint(router), servers[i], &config, &out[i]));
    }

    /* Sending never waits: what finds no receiver stands in a queue. All read the same memory. */
    void *data = alloc_on(home, BYTES_MAX);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t dice = i * 2654435761u >> 8;
        weir_segment message = {.device = home,
                                .data = data,
                                .bytes = 1 + dice % BYTES_MAX,
                                .meta = label(dice % CUSTOMERS, i)};
        TRY(weir_link_send(in, &message, NULL, NULL));
    }
    weir_segment stranger = {.device = home, .data = data, .bytes = 1, .meta = label(CUSTOMERS, 0)};
    /* What a policy refuses is not sent, and its status is what the sender gets. */
    seen.wrong += weir_link_send(in, &stranger, NULL, NULL) != WEIR_ERR_INVALID;
    TRY(weir_link_shutdown(in));

    for (uint32_t i = 0; i < count; i++) {
        weir_link_stats stats = WEIR_LINK_STATS_INIT;
        drain(out[i], i, &seen);
        weir_link_stats_get(out[i], &stats);
        seen.wrong += stats.bytes != state.given[i];
        printf("server %u: %llu messages, %llu bytes\n", i, (unsigned long long)stats.packets,
               (unsigned long long)stats.bytes);
    }
    printf("%u of %d messages came, %u of them wrong\n", seen.messages, MESSAGES, seen.wrong);

    weir_device_free(home, data);
    weir_router_destroy(router);
    weir_link_destroy(in);
    for (uint32_t i = 0; i < count; i++) {
        weir_link_destroy(out[i]);
        weir_endpoint_destroy(servers[i]);
    }
    weir_endpoint_destroy(desk);
    weir_context_destroy(context);
    return seen.messages == MESSAGES && seen.wrong == 0 ? RIGHT : WRONG;
}
