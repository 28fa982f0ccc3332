/** @file test_stress.c  Many messages from many threads to many, under each policy.
 *
 * Every word sent says who sent it, in which message, and where in it it lies. Receivers check the
 * words and the order; in the end each packet must have come as often as the policy says, no more.
 * WEIR_TEST_SEED picks another run; a failure prints the seed. */
#include "tests/lib/flow.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INPUTS   3
#define OUTPUTS  4
#define MESSAGES 150
#define PACKET   512
#define PIECES   3 /* most packets a message has */
#define WORDS    (PACKET / 8)
#define AHEAD    4 /* messages a sender has under way, packets a receiver copies before it looks */
#define BUFFERS  3

enum kind { ANY, RING, DIRECT, ALL };

struct stress {
    struct flow flow;
    enum kind kind;
    uint64_t seed;
    uint32_t sizes[INPUTS][MESSAGES];
    atomic_uint hits[INPUTS][MESSAGES][PIECES];
    pthread_mutex_t lock; /* guards wrong */
    char wrong[160];      /* what was seen first, or empty */
};

struct worker {
    struct stress *stress;
    uint32_t number;
    pthread_t thread;
    uint64_t random;
    weir_device *device;
    char *data;        /* AHEAD messages of a sender, AHEAD packets of a receiver */
    uint64_t *words;   /* in home memory: what is copied to or from the device */
    weir_queue *mover; /* copies them */
    weir_queue *queue; /* a receiver's reader */
    uint64_t last[INPUTS];
    weir_segment copied[AHEAD];
    uint32_t copies;
};

static void note(struct stress *stress, const char *what, uint64_t a, uint64_t b)
{
    pthread_mutex_lock(&stress->lock);
    if (!stress->wrong[0])
        snprintf(stress->wrong, sizeof stress->wrong, "%s (%llu, %llu)", what,
                 (unsigned long long)a, (unsigned long long)b);
    pthread_mutex_unlock(&stress->lock);
    weir_router_cancel(stress->flow.router, WEIR_ERR_CANCELLED); /* let the others end */
}

static uint64_t word_of(uint64_t sender, uint64_t message, uint64_t offset)
{
    return (sender + 1) << 56 | (message + 1) << 32 | offset;
}

/* Not by weir__upload and weir__download: they take memory, for which a GPU may have to be idle. */
static weir_status move(struct worker *w, void *data, size_t bytes, int to_device)
{
    weir_device *home = weir_context_home(w->stress->flow.context);
    weir_status status = to_device
                             ? weir_queue_copy(w->mover, w->device, data, home, w->words, bytes)
                             : weir_queue_copy(w->mover, home, w->words, w->device, data, bytes);
    return status ? status : weir_queue_sync(w->mover);
}

/* ---- senders --------------------------------------------------------------------------------- */

static weir_status send_one(struct worker *w, uint32_t i, weir_future **done_out)
{
    uint32_t bytes = w->stress->sizes[w->number][i];
    char *data = w->data + (size_t)(i % AHEAD) * PIECES * PACKET;
    uint64_t meta = (uint64_t)w->number << 32 | i;
    if (w->stress->kind == DIRECT)
        meta = next_random(&w->random) % OUTPUTS;
    for (uint32_t at = 0; at < bytes; at += 8)
        w->words[at / 8] = word_of(w->number, i, at);
    weir_status status = move(w, data, bytes, 1);
    weir_segment segment = {.device = w->device, .data = data, .bytes = bytes, .meta = meta};
    return status ? status
                  : weir_link_send(w->stress->flow.in[w->number], &segment, NULL, done_out);
}

static void *send_all(void *data)
{
    struct worker *w = data;
    weir_future *done[AHEAD] = {NULL};
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < MESSAGES + AHEAD && !status; i++) {
        if (done[i % AHEAD])
            status = weir_future_wait(done[i % AHEAD], LONG_MS);
        weir_future_release(done[i % AHEAD]);
        done[i % AHEAD] = NULL;
        if (i < MESSAGES && !status)
            status = send_one(w, i, &done[i % AHEAD]);
    }
    for (int i = 0; i < AHEAD; i++)
        weir_future_release(done[i]);
    if (status)
        note(w->stress, weir_status_text(status), w->number, 0);
    (void)weir_link_shutdown(w->stress->flow.in[w->number]);
    return NULL;
}

/* ---- receivers ------------------------------------------------------------------------------- */

/* Who sent a packet, and in which message: from its words, or from meta where it has none. */
static int check_words(struct worker *w, const weir_segment *segment, uint64_t *sender,
                       uint64_t *message)
{
    const uint64_t *words = w->words;
    *sender = segment->meta >> 32;
    *message = segment->meta & 0xFFFFFFFFu;
    if (segment->bytes > PACKET || move(w, segment->data, segment->bytes, 0))
        return 0;
    if (segment->bytes) {
        *sender = (words[0] >> 56) - 1;
        *message = ((words[0] >> 32) & 0xFFFFFFu) - 1;
    }
    for (size_t at = 0; at < segment->bytes; at += 8)
        if (words[at / 8] != word_of(*sender, *message, segment->offset + at))
            return 0;
    return *sender < INPUTS && *message < MESSAGES;
}

static void check_packet(struct worker *w, const weir_segment *segment)
{
    struct stress *stress = w->stress;
    uint64_t sender, message;
    if (!check_words(w, segment, &sender, &message)) {
        note(stress, "words are not what was sent", segment->meta, segment->offset);
        return;
    }
    uint64_t place = (message + 1) * PIECES + segment->offset / PACKET;
    uint32_t left = stress->sizes[sender][message] - (uint32_t)segment->offset;
    if (segment->offset % PACKET || segment->bytes != (left < PACKET ? left : PACKET))
        note(stress, "a packet is cut wrongly", segment->offset, segment->bytes);
    else if (place <= w->last[sender])
        note(stress, "packets of a sender came out of order", place, w->last[sender]);
    else
        atomic_fetch_add(&stress->hits[sender][message][segment->offset / PACKET], 1);
    w->last[sender] = place;
}

/* Look at what the queue copied out of buffers that were given back at once. */
static weir_status check_copies(struct worker *w)
{
    weir_status status = weir_queue_sync(w->queue);
    for (uint32_t i = 0; i < w->copies && !status; i++)
        check_packet(w, &w->copied[i]);
    w->copies = 0;
    return status;
}

/* Give the buffer back before the bytes have come: the queue holds its place. */
static weir_status take_ahead(struct worker *w, weir_pending *pending)
{
    const struct timespec pause = {0, 20000};
    uint64_t start = weir__now_ns();
    weir_segment segment;
    weir_status status;
    while ((status = weir_pending_assigned(pending, &segment)) == WEIR_PENDING) {
        if (weir__now_ns() - start > LONG_MS * 1000000ull)
            return WEIR_ERR_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    if (status)
        return status;
    char *to = w->data + (size_t)w->copies * PACKET;
    if ((status = weir_pending_gate(pending, w->queue)) ||
        (status =
             weir_queue_copy(w->queue, w->device, to, w->device, segment.data, segment.bytes)) ||
        (status = weir_pending_release(pending, w->queue)))
        return status;
    segment.data = to;
    w->copied[w->copies++] = segment;
    return w->copies == AHEAD ? check_copies(w) : WEIR_OK;
}

static weir_status take_one(struct worker *w, weir_pending *pending)
{
    weir_segment segment;
    weir_status status;
    if (next_random(&w->random) % 2)
        return take_ahead(w, pending);
    if (w->copies && (status = check_copies(w)))
        return status;
    if ((status = weir_pending_wait(pending, LONG_MS, &segment)))
        return status;
    check_packet(w, &segment);
    return weir_pending_release(pending, NULL);
}

/* Holds one to BUFFERS receives at a time. */
static void *receive_all(void *data)
{
    struct worker *w = data;
    weir_link *link = w->stress->flow.out[w->number];
    weir_status status = WEIR_OK;
    while (!status) {
        weir_pending *held[BUFFERS];
        uint32_t count = 0, want = 1 + (uint32_t)(next_random(&w->random) % BUFFERS);
        while (count < want && !(status = weir_link_receive(link, &held[count])))
            count++;
        for (uint32_t i = 0; i < count; i++) {
            weir_status one = status ? status : take_one(w, held[i]);
            if (one) /* once nothing comes any more, the others have ended too */
                (void)weir_pending_release(held[i], NULL);
            status = status ? status : one;
        }
    }
    weir_status last = check_copies(w);
    if (status != WEIR_CLOSED || last)
        note(w->stress, weir_status_text(last ? last : status), w->number, 1);
    return NULL;
}

/* ---- one run --------------------------------------------------------------------------------- */

static weir_status choose_every_one(void *user, const weir_segment *message,
                                    const weir_endpoint *source, weir_endpoint *const *candidates,
                                    uint32_t count, weir_choice *choice)
{
    (void)user;
    (void)message;
    (void)source;
    (void)candidates;
    choice->delivery = WEIR_DELIVER_ALL;
    choice->count = count;
    for (uint32_t i = 0; i < count; i++)
        choice->candidate[i] = i;
    return WEIR_OK;
}

static weir_policy policy_of(enum kind kind)
{
    switch (kind) {
    case ANY:
        return weir_policy_any();
    case RING:
        return weir_policy_ring();
    case DIRECT:
        return weir_policy_direct();
    case ALL:
        break;
    }
    return (weir_policy){.name = "all", .choose = choose_every_one};
}

static void open_workers(struct stress *stress, struct worker *workers)
{
    for (uint32_t i = 0; i < INPUTS + OUTPUTS; i++) {
        struct worker *w = &workers[i];
        int sends = i < INPUTS;
        *w = (struct worker){.stress = stress, .number = sends ? i : i - INPUTS};
        w->random = stress->seed * 1000 + i;
        w->device =
            weir_endpoint_device(sends ? stress->flow.from[i] : stress->flow.to[i - INPUTS]);
        w->mover = new_queue(w->device);
        w->words = new_memory(weir_context_home(stress->flow.context), PIECES * PACKET);
        w->data = new_memory(w->device, AHEAD * (sends ? PIECES : 1) * PACKET);
        if (!sends)
            w->queue = new_queue(w->device);
    }
}

static void close_workers(struct worker *workers)
{
    for (uint32_t i = 0; i < INPUTS + OUTPUTS; i++) {
        struct worker *w = &workers[i];
        weir_queue_destroy(w->queue);
        weir_queue_destroy(w->mover);
        weir_device_free(weir_context_home(w->stress->flow.context), w->words);
        weir_device_free(w->device, w->data);
    }
}

/* Packets that did not come as often as they should. */
static uint32_t count_misses(struct stress *stress)
{
    uint32_t misses = 0, copies = stress->kind == ALL ? OUTPUTS : 1;
    for (int s = 0; s < INPUTS; s++)
        for (int m = 0; m < MESSAGES; m++)
            for (uint32_t p = 0; p < PIECES; p++) {
                int exists = p == 0 || stress->sizes[s][m] > p * PACKET;
                misses += atomic_load(&stress->hits[s][m][p]) != (exists ? copies : 0);
            }
    return misses;
}

static void run_once(weir_context *context, enum kind kind, uint64_t seed)
{
    static struct stress stress;
    struct worker workers[INPUTS + OUTPUTS];
    weir_policy policy = policy_of(kind);
    uint64_t random = seed;
    memset(&stress, 0, sizeof stress);
    stress.kind = kind;
    stress.seed = seed;
    stress.flow = (struct flow){.context = context, .inputs = INPUTS, .outputs = OUTPUTS};
    pthread_mutex_init(&stress.lock, NULL);
    for (int s = 0; s < INPUTS; s++)
        for (int m = 0; m < MESSAGES; m++) {
            uint64_t draw = next_random(&random);
            /* Under direct, meta does not tell who sent an empty one. */
            uint32_t least = draw % 8 || kind == DIRECT;
            stress.sizes[s][m] = least ? 8 * (1 + (uint32_t)((draw >> 8) % (PIECES * WORDS))) : 0;
        }
    flow_open(&stress.flow, &policy, PACKET, BUFFERS);
    open_workers(&stress, workers);
    for (int i = 0; i < INPUTS + OUTPUTS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL,
                                        i < INPUTS ? send_all : receive_all, &workers[i]),
                         0);
    for (int i = 0; i < INPUTS + OUTPUTS; i++)
        pthread_join(workers[i].thread, NULL);
    uint32_t misses = stress.wrong[0] ? 0 : count_misses(&stress);
    if (stress.wrong[0] || misses)
        fail_msg("WEIR_TEST_SEED=%llu, policy %s: %s; %u packets lost or doubled",
                 (unsigned long long)seed, policy.name, stress.wrong, misses);
    close_workers(workers);
    flow_close(&stress.flow);
    pthread_mutex_destroy(&stress.lock);
}

static void run_seeds(void **state, enum kind kind)
{
    static const uint64_t seeds[] = {1, 20261121};
    const char *own = getenv("WEIR_TEST_SEED");
    weir_context *context = open_or_skip(state);
    if (own)
        run_once(context, kind, strtoull(own, NULL, 10));
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds && !own; i++)
        run_once(context, kind, seeds[i]);
    weir_context_destroy(context);
}

static void any_loses_and_doubles_nothing(void **state)
{
    run_seeds(state, ANY);
}

static void ring_loses_and_doubles_nothing(void **state)
{
    run_seeds(state, RING);
}

static void direct_loses_and_doubles_nothing(void **state)
{
    run_seeds(state, DIRECT);
}

static void all_loses_and_doubles_nothing(void **state)
{
    run_seeds(state, ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(any_loses_and_doubles_nothing),
        ON_EACH_BACKEND(ring_loses_and_doubles_nothing),
        ON_EACH_BACKEND(direct_loses_and_doubles_nothing),
        ON_EACH_BACKEND(all_loses_and_doubles_nothing),
    };
    return cmocka_run_group_tests_name("stress", tests, NULL, NULL);
}
