/** @file 03_ping_pong.c  A small segment goes back and forth between two devices: how long is that?
 *
 *              ping
 *          ---------->
 *     left             right
 *          <----------
 *              pong
 *
 *     build/examples/03_ping_pong [DEVICES]      say "cuda:0-1"; "host:2" if left out
 *
 * Nothing is copied but by the links: each side sends on from the receive buffer that the packet lies
 * in, so after the last round the bytes went through every copy of every round. The host waits for
 * each packet, hence the time is that of a host that drives both sides. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <string.h>

enum { BYTES = 4096, ROUNDS = 1000, WARM_UP = 10 };

/* Where the packet is: in its first memory, or in a receive buffer that is held. */
struct ball {
    weir_segment segment;
    weir_pending *held;
};

/* Hit it over a link. The buffer it came from is given back when it was read. */
static void hit(struct ball *ball, weir_link *link)
{
    weir_pending *came;
    weir_future *sent;
    weir_segment segment;
    ball->segment.meta++; /* counts the hits, since meta travels along */
    TRY(weir_link_send(link, &ball->segment, NULL, &sent));
    TRY(weir_link_next(link, -1, &came, &segment));
    TRY(weir_future_wait(sent, -1));
    weir_future_release(sent);
    if (ball->held)
        TRY(weir_pending_release(ball->held, NULL));
    ball->segment = segment;
    ball->held = came;
}

/* Copy between the host's memory and a device's, and wait for it. */
static void copy_now(weir_device *worker, weir_device *to, void *destination, weir_device *from,
                     const void *source)
{
    weir_queue *queue;
    TRY(weir_queue_create(worker, 0, &queue));
    TRY(weir_queue_copy(queue, to, destination, from, source, BYTES));
    TRY(weir_queue_sync(queue));
    weir_queue_destroy(queue);
}

static weir_link *link_between(weir_endpoint *source, weir_endpoint *destination)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_link *link;
    config.packet_bytes = BYTES;
    TRY(weir_link_create(source, destination, &config, &link));
    return link;
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:2");
    weir_device *home = weir_context_home(context);
    weir_device *device = device_in_turn(context, 0);
    weir_endpoint *left, *right;

    TRY(weir_endpoint_create(device, "left", &left));
    TRY(weir_endpoint_create(device_in_turn(context, 1), "right", &right));
    weir_link *ping = link_between(left, right), *pong = link_between(right, left);

    unsigned char *first = alloc_on(home, BYTES), *last = alloc_on(home, BYTES);
    void *start = alloc_on(device, BYTES);
    for (int i = 0; i < BYTES; i++)
        first[i] = (unsigned char)(i * 7 + i / 251);
    copy_now(device, device, start, home, first);

    struct ball ball = {.segment = {.device = device, .data = start, .bytes = BYTES}};
    uint64_t begin = 0;
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        if (i == WARM_UP)
            begin = weir_context_time_ns(context);
        hit(&ball, ping);
        hit(&ball, pong);
    }
    uint64_t took = weir_context_time_ns(context) - begin;

    copy_now(device, home, last, device, ball.segment.data);
    int same = ball.segment.bytes == BYTES && memcmp(first, last, BYTES) == 0;
    int counted = ball.segment.meta == 2 * (WARM_UP + ROUNDS);
    printf("%.2f us for a round trip of %d bytes, mean of %d\n", (double)took / ROUNDS * 1e-3,
           BYTES, ROUNDS);
    if (!same || !counted)
        printf("%s\n", same ? "a hit was lost or counted twice" : "the bytes changed on the way");

    TRY(weir_pending_release(ball.held, NULL));
    weir_device_free(device, start);
    weir_device_free(home, first);
    weir_device_free(home, last);
    weir_link_destroy(ping);
    weir_link_destroy(pong);
    weir_endpoint_destroy(left);
    weir_endpoint_destroy(right);
    weir_context_destroy(context);
    return same && counted ? RIGHT : WRONG;
}
