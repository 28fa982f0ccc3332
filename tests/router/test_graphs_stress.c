/** @file test_graphs_stress.c  Random dataflow graphs under load: nothing is lost, doubled or reordered.
 *
 * Graphs of up to 64 endpoints and 16 routers that feed each other, under all policies, with packets,
 * buffers and transports drawn at random, driven by several threads on both sides (tests/lib/drive.h).
 * Inputs shut down at random times; in half of the tests a part of the graph is cancelled in the middle.
 * Afterwards a reference (tests/lib/web_model.c) says for each message what must have come out where.
 *
 *     WEIR_TEST_SEED      the first graph's seed; a failure prints its own
 *     WEIR_TEST_SEGMENTS  packets to receive in all tests together */
#include "tests/lib/drive.h"
#include "tests/lib/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define SEGMENTS 40000
#elif defined(__SANITIZE_ADDRESS__)
#define SEGMENTS 200000
#else
#define SEGMENTS (1000000 / test_stride())
#endif
#define GRAPH_SEGMENTS 15000 /* of one graph */

static struct drive drive;
static struct web_answer answer;

/* ---- order ------------------------------------------------------------------------------------ */

/* Packets of an input come to an output in the order sent. By two ways at a time, say to a router that is
 * fed by two, only messages have an order. */
static void check_order(struct drive_worker *worker)
{
    static uint64_t last[WEB_LINKS][WEB_LINKS];
    const struct web *web = &drive.web;
    memset(last, 0, sizeof last);
    for (size_t i = 0; i < worker->count; i++) {
        const struct drive_record *r = &worker->records[i];
        uint64_t *before = &last[r->output][r->input];
        uint64_t now = (uint64_t)(r->message + 1) << 32 | (r->offset + 1);
        int several = web->ways[r->input][r->output] > 1;
        if (several ? now >> 32 < *before >> 32 : now <= *before)
            drive_wrong(&drive, "output %u: message %u of input %u, offset %u, came too late",
                        r->output, r->message, r->input, r->offset);
        *before = now;
    }
}

/* ---- completeness ------------------------------------------------------------------------------- */

static int compare_records(const void *one, const void *other)
{
    const struct drive_record *a = one, *b = other;
    uint64_t x = (uint64_t)a->input << 32 | a->message, y = (uint64_t)b->input << 32 | b->message;
    if (x == y) {
        x = (uint64_t)a->offset << 32 | a->bytes;
        y = (uint64_t)b->offset << 32 | b->bytes;
    }
    if (x == y) {
        x = a->output;
        y = b->output;
    }
    return x == y ? 0 : (x < y ? -1 : 1);
}

/* All that was received, sorted; to be freed. */
static struct drive_record *gather(size_t *count_out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < drive.receivers; i++)
        count += drive.receive[i].count;
    struct drive_record *all = malloc((count + 1) * sizeof *all);
    assert_non_null(all);
    *count_out = 0;
    for (uint32_t i = 0; i < drive.receivers; i++) {
        const struct drive_worker *worker = &drive.receive[i];
        if (worker->count)
            memcpy(all + *count_out, worker->records, worker->count * sizeof *all);
        *count_out += worker->count;
    }
    qsort(all, count, sizeof *all, compare_records);
    return all;
}

/* Whether the message's packets are what the reference has, `records` being all that came of it. */
static int complete(const struct drive_record *records, size_t count, int partly)
{
    size_t at = 0;
    for (uint32_t i = 0, next; i < answer.item_count; i = next) {
        const struct web_item *item = &answer.items[i];
        struct web_set got = {0};
        for (next = i; next < answer.item_count && answer.items[next].offset == item->offset &&
                       answer.items[next].bytes == item->bytes;)
            next++;
        for (; at < count && records[at].offset == item->offset &&
               records[at].bytes == item->bytes && got.count < WEB_FAN;
             at++)
            got.outputs[got.count++] = records[at].output;
        if (!web_explains(&answer, item, next - i, &got, partly))
            return 0;
    }
    return at == count;
}

static void check_message(uint32_t input, uint32_t m, const struct drive_record *records,
                          size_t count)
{
    const struct drive_message *message = &drive.inputs[input].messages[m];
    int partly = atomic_load(&drive.cancelled) == web_input_piece(&drive.web, input);
    int ended = partly && message->status == drive.status;
    web_expect(&drive.web, input, message->meta, message->bytes, &answer);
    if (answer.status == WEIR_FULL)
        drive_wrong(&drive, "the reference has no room for a message of %u bytes", message->bytes);
    else if (message->status != answer.status && !ended)
        drive_wrong(&drive, "input %u, message %u: %s instead of %s", input, m,
                    weir_status_text(message->status), weir_status_text(answer.status));
    else if (!complete(records, count, partly))
        drive_wrong(&drive, "input %u, message %u of %u bytes, meta %llx: %zu packets are not it",
                    input, m, message->bytes, (unsigned long long)message->meta, count);
    for (size_t i = 0; i < count; i++)
        if (records[i].low != (message->meta & 0xFFFF))
            drive_wrong(&drive, "input %u, message %u: meta has changed", input, m);
}

static void check_all(void)
{
    size_t count, at = 0;
    struct drive_record *all = gather(&count);
    for (uint32_t i = 0; i < drive.web.input_count; i++)
        for (uint32_t m = 0; m < drive.inputs[i].count; m++) {
            size_t first = at;
            while (at < count && all[at].input == i && all[at].message == m)
                at++;
            check_message(i, m, all + first, at - first);
        }
    if (at < count)
        drive_wrong(&drive, "a packet of message %u of input %u, which was never sent",
                    all[at].message, all[at].input);
    free(all);
}

/* ---- after a cancel ----------------------------------------------------------------------------- */

static void check_cancelled_output(uint32_t o)
{
    const struct web_output *out = &drive.web.outputs[o];
    const struct drive_output *output = &drive.outputs[o];
    weir_pending *pending;
    weir_segment segment;
    weir_status status = output->memory ? weir_link_receive_into(out->link, output->memory,
                                                                 out->packet, NULL, &pending)
                                        : weir_link_receive(out->link, &pending);
    if (!status) {
        status = weir_pending_wait(pending, LONG_MS, &segment);
        OK(weir_pending_release(pending, NULL));
    }
    if (status != drive.status && status != output->ended)
        drive_wrong(&drive, "output %u is %s after a cancel", o, weir_status_text(status));
}

/* What comes later ends with the same status. */
static void check_cancelled(void)
{
    int piece = atomic_load(&drive.cancelled);
    for (uint32_t i = 0; i < drive.web.input_count; i++) {
        weir_segment segment = {.device = web_device(&drive.web, drive.web.inputs[i].end)};
        weir_future *done;
        if (piece != web_input_piece(&drive.web, i))
            continue;
        weir_status status = weir_link_send(drive.web.inputs[i].link, &segment, NULL, &done);
        if (status != drive.status)
            drive_wrong(&drive, "input %u: a send after a cancel is %s", i,
                        weir_status_text(status));
    }
    for (uint32_t o = 0; o < drive.web.output_count; o++)
        if (piece == web_output_piece(&drive.web, o))
            check_cancelled_output(o);
}

/* ---- runs ------------------------------------------------------------------------------------- */

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t run_graph(weir_context *context, uint64_t seed, uint64_t budget, int cancel)
{
    uint64_t random = seed ^ 0xCA9CE1;
    drive_open(&drive, context, seed, budget);
    drive_run(&drive, cancel ? next_random(&random) % budget : UINT64_MAX);
    uint64_t received = atomic_load(&drive.received);
    for (uint32_t i = 0; i < drive.receivers && !drive.wrong[0]; i++)
        check_order(&drive.receive[i]);
    if (!drive.wrong[0])
        check_all();
    if (cancel && !drive.wrong[0])
        check_cancelled();
    if (drive.wrong[0])
        fail_msg("WEIR_TEST_SEED=%llu, %u routers, %u links: %s", (unsigned long long)seed,
                 drive.web.router_count, drive.web.edge_count, drive.wrong);
    drive_close(&drive);
    assert_pools_empty(context);
    return received;
}

/* Graph after graph until a share of all segments has come through. */
static void run_graphs(void **state, uint64_t percent, int cancel)
{
    static const char *const settings[] = {"events=16384", NULL};
    weir_context *context = open_with_or_skip(*state, settings);
    uint64_t seed = number_from("WEIR_TEST_SEED", 20261121 + (uint64_t)cancel * 1000000);
    uint64_t segments = number_from("WEIR_TEST_SEGMENTS", SEGMENTS) * percent / 100;
    for (uint64_t got = 0; got < segments;) {
        uint64_t left = segments - got;
        got += run_graph(context, seed++, left < GRAPH_SEGMENTS ? left : GRAPH_SEGMENTS, cancel);
    }
    weir_context_destroy(context);
}

static void nothing_is_lost_doubled_or_reordered(void **state)
{
    run_graphs(state, 45, 0);
}

static void a_cancelled_part_ends_and_the_rest_goes_on(void **state)
{
    run_graphs(state, 5, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(nothing_is_lost_doubled_or_reordered, "host:1"),
        ON_BACKEND(nothing_is_lost_doubled_or_reordered, "host:4"),
        ON_BACKEND(nothing_is_lost_doubled_or_reordered, "cuda:0"),
        ON_BACKEND(nothing_is_lost_doubled_or_reordered, "cuda:0-1"),
        ON_BACKEND(nothing_is_lost_doubled_or_reordered, "cuda:0,host:1"),
        ON_BACKEND(a_cancelled_part_ends_and_the_rest_goes_on, "host:1"),
        ON_BACKEND(a_cancelled_part_ends_and_the_rest_goes_on, "host:4"),
        ON_BACKEND(a_cancelled_part_ends_and_the_rest_goes_on, "cuda:0"),
        ON_BACKEND(a_cancelled_part_ends_and_the_rest_goes_on, "cuda:0-1"),
    };
    return cmocka_run_group_tests_name("graphs_stress", tests, NULL, NULL);
}
