/** @file 01_hello_link.c  "hello" goes from the host to a device, on to another one, and back.
 *
 *     host --> first --> second --> host
 *
 *     build/examples/01_hello_link [DEVICES]      say "cuda:0-1"; "host:2" if left out
 *
 * Links are made once; then data flows. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <string.h>

int main(int argc, char **argv)
{
    static const char text[] = "hello";
    weir_context *context = open_devices(argc, argv, "host:2");
    weir_device *home = weir_context_home(context);
    weir_endpoint *host, *first, *second;
    weir_link *to_first, *to_second, *back;
    weir_pending *arrived;
    weir_future *sent;

    TRY(weir_endpoint_create(home, "host", &host));
    TRY(weir_endpoint_create(device_in_turn(context, 0), "first", &first));
    TRY(weir_endpoint_create(device_in_turn(context, 1), "second", &second));
    TRY(weir_link_create(host, first, NULL, &to_first));
    TRY(weir_link_create(first, second, NULL, &to_second));
    TRY(weir_link_create(second, host, NULL, &back));

    /* What the host sends lies in memory of the home device, which GPUs can read by themselves. */
    char *data = alloc_on(home, sizeof text);
    memcpy(data, text, sizeof text);
    weir_segment segment = {.device = home, .data = data, .bytes = sizeof text};
    TRY(weir_link_send(to_first, &segment, NULL, &sent));

    /* Each stop takes the packet and sends it on from the receive buffer it lies in. A buffer goes
     * back to its link only when it was read: that is what the future says. */
    weir_link *stops[] = {to_first, to_second}, *next[] = {to_second, back};
    for (int i = 0; i < 2; i++) {
        weir_pending *pending;
        weir_future *passed_on;
        TRY(weir_link_next(stops[i], -1, &pending, &segment));
        TRY(weir_link_send(next[i], &segment, NULL, &passed_on));
        TRY(weir_future_wait(passed_on, -1));
        weir_future_release(passed_on);
        TRY(weir_pending_release(pending, NULL));
    }

    TRY(weir_link_next(back, -1, &arrived, &segment));
    int same = segment.bytes == sizeof text && memcmp(segment.data, text, sizeof text) == 0;
    printf("%s, after %d links\n", same ? (const char *)segment.data : "something else", 3);
    TRY(weir_pending_release(arrived, NULL));
    TRY(weir_future_wait(sent, -1));
    weir_future_release(sent);

    /* Memory goes back while its context is there; all else is destroyed in any order. */
    weir_device_free(home, data);
    weir_endpoint_destroy(host);
    weir_endpoint_destroy(first);
    weir_endpoint_destroy(second);
    weir_link_destroy(to_first);
    weir_link_destroy(to_second);
    weir_link_destroy(back);
    weir_context_destroy(context);
    return same ? RIGHT : WRONG;
}
