/** @file 16_event_loop.c  weir inside an event loop: epoll here, and the same for libuv or any other.
 *
 *     home --> device, message after message; one thread sleeps in epoll_wait(), never in weir
 *
 *     build/examples/16_event_loop [DEVICES]      say "cuda:0"; "host:1" if left out
 *
 * The loop waits for two descriptors: that of the context, readable while there are completions, and a timer's,
 * by which it asks now and then whether the device still works. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MESSAGES = 50, BYTES = 4096, CHECK_MS = 200 };

/* What a completion says: that a message has left its segment, or that bytes have come. Words below MESSAGES are
 * the numbers of messages that were sent. */
enum { CAME = 1000, ARRIVED = 2000 };

struct loop {
    weir_context *context;
    weir_link *link;
    unsigned char *data;   /* MESSAGES segments */
    weir_pending *pending; /* the next receive; its bytes are under way if it is `posted` */
    int posted, sent, came, wrong;
};

/* Called by the thread that matched a packet and a buffer: it may post, and nothing else. */
static void arrived(void *context)
{
    (void)weir_context_post(context, ARRIVED);
}

static void send_one(struct loop *loop, int number)
{
    unsigned char *data = loop->data + (size_t)number * BYTES;
    weir_segment segment = {.device = weir_context_home(loop->context),
                            .data = data,
                            .bytes = BYTES,
                            .meta = (uint64_t)number};
    weir_future *done;
    memset(data, number, BYTES);
    TRY(weir_link_send(loop->link, &segment, NULL, &done));
    TRY(weir_future_post(done, (uint64_t)number)); /* tells the loop; nobody waits for `done` */
    weir_future_release(done);
}

/* Take the next receive once a packet was chosen for it, and have its bytes told. */
static void take(struct loop *loop)
{
    weir_segment segment;
    if (!loop->pending)
        TRY(weir_link_receive(loop->link, &loop->pending));
    if (loop->posted || weir_pending_assigned(loop->pending, &segment) != WEIR_OK)
        return;
    TRY(weir_future_post(weir_pending_future(loop->pending), CAME));
    loop->posted = 1;
}

static void use(struct loop *loop)
{
    weir_segment segment;
    TRY(weir_pending_assigned(loop->pending, &segment));
    loop->wrong += segment.bytes != BYTES || segment.meta != (uint64_t)loop->came;
    loop->came++;
    TRY(weir_pending_release(loop->pending, NULL));
    loop->pending = NULL;
    loop->posted = 0;
    take(loop); /* the next may have been assigned long ago */
}

/* All that is there: the descriptor stays readable until the queue is empty. */
static void serve(struct loop *loop)
{
    uint64_t word;
    weir_status status;
    while (weir_context_next(loop->context, &word, &status) == WEIR_OK) {
        TRY(status);
        if (word == CAME)
            use(loop);
        else if (word == ARRIVED)
            take(loop);
        else if (word < MESSAGES && ++loop->sent < MESSAGES)
            send_one(loop, loop->sent);
    }
}

static int start_timer(void)
{
    const struct timespec period = {0, CHECK_MS * 1000000L};
    const struct itimerspec times = {period, period};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0 || timerfd_settime(timer, 0, &times, NULL))
        exit(WRONG);
    return timer;
}

static void run(struct loop *loop, weir_device *device)
{
    int completions, timer = start_timer(), epoll = epoll_create1(EPOLL_CLOEXEC);
    TRY(weir_context_fd(loop->context, &completions));
    struct epoll_event events[2] = {{.events = EPOLLIN, .data.fd = completions},
                                    {.events = EPOLLIN, .data.fd = timer}};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, completions, &events[0]) ||
        epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &events[1]))
        exit(WRONG);
    while (loop->sent < MESSAGES || loop->came < MESSAGES) {
        int count = epoll_wait(epoll, events, 2, -1);
        for (int i = 0; i < count; i++) {
            uint64_t ticks;
            if (events[i].data.fd == completions)
                serve(loop);
            else if (read(timer, &ticks, sizeof ticks) > 0)
                TRY(weir_device_status(device));
        }
    }
    close(epoll);
    close(timer);
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:1");
    weir_device *home = weir_context_home(context), *device = weir_context_device(context, 0);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    weir_endpoint *here, *there;
    struct loop loop = {.context = context, .data = alloc_on(home, (size_t)MESSAGES * BYTES)};

    TRY(weir_endpoint_create(home, "here", &here));
    TRY(weir_endpoint_create(device, "there", &there));
    config.packet_bytes = BYTES;
    config.arrived = arrived;
    config.arrived_user = context;
    TRY(weir_link_create(here, there, &config, &loop.link));
    send_one(&loop, 0); /* each one that has left sends the next */
    run(&loop, device);
    printf("%d messages sent, %d received, %d of them wrong\n", loop.sent, loop.came, loop.wrong);

    weir_link_cancel(loop.link, WEIR_ERR_CANCELLED); /* ends the receive that waits */
    TRY(weir_pending_release(loop.pending, NULL));
    weir_device_free(home, loop.data);
    weir_link_destroy(loop.link);
    weir_endpoint_destroy(there);
    weir_endpoint_destroy(here);
    weir_context_destroy(context);
    return loop.came == MESSAGES && loop.wrong == 0 ? RIGHT : WRONG;
}
