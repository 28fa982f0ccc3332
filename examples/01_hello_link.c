/** @file 01_hello_link.c  "hello" from the host to a device, and on from there to another.
 *
 *     build/examples/01_hello_link [DEVICES]      say "cuda:0-1"; "host:2" if left out
 *
 * Links are made once; then data flows without the host waiting anywhere but at the end. */
#include "router/router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may give up where a library may not. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        weir_status status_ = (call);                                                    \
        if (status_) {                                                                   \
            fprintf(stderr, "%s: %s\n", weir_status_text(status_), weir_error_detail()); \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

int main(int argc, char **argv)
{
    static const char text[] = "hello";
    weir_context *context;
    weir_endpoint *host, *first, *second;
    weir_link *to_first, *to_second, *back;
    weir_segment segment;
    weir_future *sent;
    void *data;

    TRY(weir_context_create(argc > 1 ? argv[1] : "host:2", NULL, &context));
    if (weir_context_device_count(context) < 2) {
        fprintf(stderr, "two devices are needed\n");
        return 1;
    }

    /* The graph: host -> first -> second -> host. */
    TRY(weir_endpoint_create(weir_context_home(context), "host", &host));
    TRY(weir_endpoint_create(weir_context_device(context, 0), "first", &first));
    TRY(weir_endpoint_create(weir_context_device(context, 1), "second", &second));
    TRY(weir_link_create(host, first, NULL, &to_first));
    TRY(weir_link_create(first, second, NULL, &to_second));
    TRY(weir_link_create(second, host, NULL, &back));

    /* What the host sends lies in memory of the home device, which GPUs can read by themselves. */
    TRY(weir_device_alloc(weir_context_home(context), sizeof text, &data));
    memcpy(data, text, sizeof text);
    segment =
        (weir_segment){.device = weir_context_home(context), .data = data, .bytes = sizeof text};
    TRY(weir_link_send(to_first, &segment, NULL, &sent));

    /* Each stop takes the packet and sends it on from the receive buffer it lies in. A buffer goes
     * back to its link only when it was read: that is what the future says. */
    weir_link *stops[] = {to_first, to_second}, *next[] = {to_second, back};
    for (int i = 0; i < 2; i++) {
        weir_pending *pending;
        weir_future *passed_on;
        TRY(weir_link_receive(stops[i], &pending));
        TRY(weir_pending_wait(pending, -1, &segment));
        TRY(weir_link_send(next[i], &segment, NULL, &passed_on));
        TRY(weir_future_wait(passed_on, -1));
        weir_future_release(passed_on);
        TRY(weir_pending_release(pending, NULL));
    }

    weir_pending *arrived;
    TRY(weir_link_receive(back, &arrived));
    TRY(weir_pending_wait(arrived, -1, &segment));
    int same = segment.bytes == sizeof text && memcmp(segment.data, text, sizeof text) == 0;
    printf("%s, after %d links\n", same ? (const char *)segment.data : "something else", 3);
    TRY(weir_pending_release(arrived, NULL));

    /* Links first, then what they join, then the context. */
    TRY(weir_future_wait(sent, -1));
    weir_future_release(sent);
    weir_link_destroy(back);
    weir_link_destroy(to_second);
    weir_link_destroy(to_first);
    weir_endpoint_destroy(second);
    weir_endpoint_destroy(first);
    weir_endpoint_destroy(host);
    weir_device_free(weir_context_home(context), data);
    weir_context_destroy(context);
    return same ? 0 : 1;
}
