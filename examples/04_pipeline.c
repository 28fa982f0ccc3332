/** @file 04_pipeline.c  Three stages on three devices; while one packet is worked on, others travel.
 *
 *     host --> stage 1 --> stage 2 --> stage 3 --> host
 *
 *     build/examples/04_pipeline [DEVICES]      "host:3" if left out; kernels for host devices alone
 *
 * Each stage has a thread, which only puts work into queues: a packet's copy in, kernel and copy out
 * are under way before its bytes have come. The link keeps three receive buffers posted and a stage has
 * three for its results, so all three go on at a time. The end of the input travels behind the data. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <pthread.h>

enum { STAGES = 3, BUFFERS = 3, PACKET_WORDS = 1 << 12, WORDS = 100 * PACKET_WORDS + 17 };

/* A result on its way: its memory is not written again before `sent`. */
struct slot {
    uint32_t *data;
    weir_future *sent;
};

struct stage {
    weir_device *device;
    weir_endpoint *endpoint;
    weir_link *in, *out;
    uint32_t times, plus;
};

struct work {
    const uint32_t *in;
    uint32_t *out;
    size_t words;
    uint32_t times, plus;
};

static void times_plus(const void *args, uint32_t worker, uint32_t workers)
{
    const struct work *work = args;
    for (size_t i = worker; i < work->words; i += workers)
        work->out[i] = work->in[i] * work->times + work->plus;
}

static const weir_kernel kernel = {.name = "times_plus", .host = times_plus};

static void finish(struct slot *slot)
{
    if (slot->sent)
        TRY(weir_future_wait(slot->sent, -1));
    weir_future_release(slot->sent);
    slot->sent = NULL;
}

/* One packet through a stage. Nothing here waits: the queue does, first for the bytes. */
static void pass(const struct stage *stage, weir_queue *queue, weir_pending *pending,
                 const weir_segment *in, struct slot *slot)
{
    struct work work = {in->data, slot->data, in->bytes / sizeof(uint32_t), stage->times,
                        stage->plus};
    weir_segment out = {.device = stage->device,
                        .data = slot->data,
                        .bytes = in->bytes,
                        .meta = in->meta + in->offset};
    TRY(weir_pending_gate(pending, queue));
    TRY(weir_queue_launch(queue, &kernel, &work, sizeof work));
    TRY(weir_pending_release(pending, queue)); /* to be filled again, behind the kernel */
    TRY(weir_link_send_from(stage->out, &out, queue, &slot->sent));
}

static void *run_stage(void *argument)
{
    const struct stage *stage = argument;
    struct slot slots[BUFFERS] = {{NULL, NULL}};
    weir_queue *queue;
    weir_pending *pending;
    weir_segment in;
    weir_status status;

    TRY(weir_queue_create(stage->device, 1, &queue));
    for (int i = 0; i < BUFFERS; i++)
        slots[i].data = alloc_on(stage->device, PACKET_WORDS * sizeof(uint32_t));
    for (int i = 0;; i = (i + 1) % BUFFERS) {
        TRY(weir_link_receive(stage->in, &pending));
        if ((status = weir_pending_wait_assigned(pending, -1, &in)))
            break;
        finish(&slots[i]);
        pass(stage, queue, pending, &in, &slots[i]);
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    TRY(weir_pending_release(pending, NULL));
    TRY(weir_link_shutdown(stage->out));

    for (int i = 0; i < BUFFERS; i++) {
        finish(&slots[i]);
        weir_device_free(stage->device, slots[i].data);
    }
    weir_queue_destroy(queue);
    return NULL;
}

/* Take the results as they come, until the last stage is shut down. @return the wrong ones. */
static size_t check_results(weir_link *link, const uint32_t *input)
{
    size_t next = 0, wrong = 0;
    weir_pending *pending;
    weir_segment got;
    weir_status status;
    while ((status = weir_link_next(link, -1, &pending, &got)) == WEIR_OK) {
        const uint32_t *data = got.data;
        wrong += got.meta != next * sizeof *data; /* packets overtake each other nowhere */
        for (size_t i = 0; i < got.bytes / sizeof *data && next < WORDS; i++, next++)
            wrong += data[i] != ((input[next] * 3 + 1) * 5 + 7) * 7 + 2;
        TRY(weir_pending_release(pending, NULL));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    return wrong + (WORDS - next);
}

int main(int argc, char **argv)
{
    static const uint32_t times[STAGES] = {3, 5, 7}, plus[STAGES] = {1, 7, 2};
    weir_context *context = open_devices(argc, argv, "host:3");
    weir_device *home = weir_context_home(context);
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    struct stage stages[STAGES];
    pthread_t threads[STAGES];
    weir_endpoint *host;
    weir_link *links[STAGES + 1]; /* links[i] leads to stage i, the last one back to the host */

    need_host_devices(context);
    config.packet_bytes = PACKET_WORDS * sizeof(uint32_t);
    config.buffers = BUFFERS;
    TRY(weir_endpoint_create(home, "host", &host));
    weir_endpoint *before = host;
    for (uint32_t i = 0; i < STAGES; i++) {
        stages[i] = (struct stage){device_in_turn(context, i), NULL, NULL, NULL, times[i], plus[i]};
        TRY(weir_endpoint_create(stages[i].device, "stage", &stages[i].endpoint));
        TRY(weir_link_create(before, stages[i].endpoint, &config, &links[i]));
        before = stages[i].endpoint;
    }
    TRY(weir_link_create(before, host, &config, &links[STAGES]));
    for (int i = 0; i < STAGES; i++) {
        stages[i].in = links[i];
        stages[i].out = links[i + 1];
        if (pthread_create(&threads[i], NULL, run_stage, &stages[i]))
            return WRONG;
    }

    uint32_t *input = alloc_on(home, WORDS * sizeof *input);
    for (uint32_t i = 0; i < WORDS; i++)
        input[i] = i * 2654435761u;
    weir_segment all = {.device = home, .data = input, .bytes = WORDS * sizeof *input};
    TRY(weir_link_send(links[0], &all, NULL, NULL)); /* the link cuts it into packets */
    TRY(weir_link_shutdown(links[0]));
    size_t wrong = check_results(links[STAGES], input);
    printf("%d words through %d stages, %zu wrong\n", WORDS, STAGES, wrong);

    for (int i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    weir_device_free(home, input);
    for (int i = 0; i <= STAGES; i++)
        weir_link_destroy(links[i]);
    for (int i = 0; i < STAGES; i++)
        weir_endpoint_destroy(stages[i].endpoint);
    weir_endpoint_destroy(host);
    weir_context_destroy(context);
    return wrong == 0 ? RIGHT : WRONG;
}
