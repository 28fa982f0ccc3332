/** @file test_process_meeting.c  Processes that meet, never come, or break the rules: who is told what. */
#include "router/process/internal.h"
#include "tests/lib/processes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOON_MS 1000 /* within which a rule that is broken is noticed */

/* ---- meeting ------------------------------------------------------------------------------------- */

/* A process of its own as far as a group is concerned: a context, and who it says it is. */
struct caller {
    const char *path, *rank, *size;
    int64_t timeout_ms;
    weir_status status;
    char detail[256];
};

static void *call(void *user)
{
    struct caller *c = user;
    weir_config *config;
    weir_context *context;
    weir_group *group = NULL;
    if (!(c->status = weir_config_create(&config))) {
        if (!(c->status = weir_config_set(config, "group", c->path)) &&
            !(c->status = weir_config_set(config, "rank", c->rank)) &&
            !(c->status = weir_config_set(config, "size", c->size)) &&
            !(c->status = weir_context_create("host:1", config, &context))) {
            c->status = weir_group_create(context, c->timeout_ms, &group);
            snprintf(c->detail, sizeof c->detail, "%s", c->status ? weir_error_detail() : "");
            weir_group_destroy(group);
            weir_context_destroy(context);
        }
        weir_config_destroy(config);
    }
    return NULL;
}

static void call_alone(struct caller caller, weir_status wanted, const char *sentence)
{
    (void)call(&caller);
    assert_int_equal(caller.status, wanted);
    assert_string_equal(caller.detail, sentence);
}

static void make_path(char path[64])
{
    snprintf(path, 64, "/tmp/weir-test.XXXXXX");
    assert_non_null(mkdtemp(path));
}

static void who_cannot_meet_is_told(void **state)
{
    char path[64], sentence[256], long_path[200];
    (void)state;
    make_path(path);
    call_alone((struct caller){"", "0", "2", 20, WEIR_OK, ""}, WEIR_ERR_INVALID,
               "no group of processes is named: set WEIR_GROUP, WEIR_RANK and WEIR_SIZE, or group, "
               "rank and size");
    call_alone((struct caller){path, "0", "0", 20, WEIR_OK, ""}, WEIR_ERR_INVALID,
               "no group of processes is named: set WEIR_GROUP, WEIR_RANK and WEIR_SIZE, or group, "
               "rank and size");
    snprintf(sentence, sizeof sentence, "group %s: process 2 of 2: ranks start at 0", path);
    call_alone((struct caller){path, "2", "2", 20, WEIR_OK, ""}, WEIR_ERR_INVALID, sentence);
    snprintf(sentence, sizeof sentence, "group %s: process 1 of 3 did not come in 20 ms", path);
    call_alone((struct caller){path, "0", "3", 20, WEIR_OK, ""}, WEIR_ERR_TIMEOUT, sentence);
    snprintf(sentence, sizeof sentence, "group %s: process 0 of 3 did not come in 20 ms", path);
    call_alone((struct caller){path, "2", "3", 20, WEIR_OK, ""}, WEIR_ERR_TIMEOUT, sentence);
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = 0;
    snprintf(sentence, sizeof sentence, "group %s: a path of more than 90 bytes", long_path);
    call_alone((struct caller){long_path, "0", "1", 20, WEIR_OK, ""}, WEIR_ERR_INVALID, sentence);
    snprintf(sentence, sizeof sentence, "group %s/no/dir: mkdir: No such file or directory", path);
    strcat(path, "/no/dir");
    call_alone((struct caller){path, "0", "1", 20, WEIR_OK, ""}, WEIR_ERR_IO, sentence);
    path[strlen(path) - strlen("/no/dir")] = 0;
    call_alone((struct caller){path, "0", "1", 20, WEIR_OK, ""}, WEIR_OK, "");
    assert_int_equal(rmdir(path), 0);
}

static void call_together(struct caller *callers, int count)
{
    pthread_t threads[PROCESSES_MAX];
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void different_sizes_are_told_to_both(void **state)
{
    char path[64];
    (void)state;
    make_path(path);
    struct caller callers[] = {{.path = path, .rank = "0", .size = "2", .timeout_ms = LONG_MS},
                               {.path = path, .rank = "1", .size = "3", .timeout_ms = LONG_MS}};
    call_together(callers, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(callers[i].status, WEIR_ERR_INVALID);
        assert_non_null(strstr(callers[i].detail, i ? "of 3 processes here, of 2 for process 0"
                                                    : "of 2 processes here, of 3 for process 1"));
    }
    assert_int_equal(rmdir(path), 0);
}

static void a_rank_is_there_once(void **state)
{
    char path[64];
    (void)state;
    make_path(path);
    struct caller callers[] = {{.path = path, .rank = "0", .size = "2", .timeout_ms = 2000},
                               {.path = path, .rank = "0", .size = "2", .timeout_ms = 2000}};
    call_together(callers, 2);
    int second = callers[1].status == WEIR_ERR_INVALID;
    assert_int_equal(callers[second].status, WEIR_ERR_INVALID);
    assert_non_null(strstr(callers[second].detail, "there is a process 0 already"));
    assert_int_equal(callers[!second].status, WEIR_ERR_TIMEOUT);
    assert_int_equal(rmdir(path), 0);
}

/* Somebody who talks another language, and somebody who says nothing, are not waited for long. */
static void strangers_are_hung_up_on(void **state)
{
    char path[64];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int strangers[2], called = -1;
    pthread_t zero;
    (void)state;
    make_path(path);
    struct caller callers[] = {{.path = path, .rank = "0", .size = "2", .timeout_ms = LONG_MS},
                               {.path = path, .rank = "1", .size = "2", .timeout_ms = LONG_MS}};
    assert_int_equal(pthread_create(&zero, NULL, call, &callers[0]), 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/0", path);
    for (int i = 0; i < 2; i++) {
        strangers[i] = socket(AF_UNIX, SOCK_SEQPACKET, 0);
        for (int tries = 0; called != i && tries < 10000; tries++) {
            if (!connect(strangers[i], (struct sockaddr *)&address, sizeof address))
                called = i;
            else
                usleep(1000);
        }
        assert_int_equal(called, i);
    }
    assert_int_equal(send(strangers[0], "good day", 8, 0), 8);
    (void)call(&callers[1]);
    pthread_join(zero, NULL);
    assert_int_equal(callers[0].status, WEIR_OK);
    assert_int_equal(callers[1].status, WEIR_OK);
    close(strangers[0]);
    close(strangers[1]);
    assert_int_equal(rmdir(path), 0);
}

/* ---- a process that breaks the rules -------------------------------------------------------------- */

/* Process 1 of a group, played by hand: it says what the test wants. */
struct impostor {
    struct world world; /* of process 0 */
    pthread_t thread;
    struct peer peer;
    struct wire hello, answer;
};

static void *meet_by_hand(void *user)
{
    struct impostor *i = user;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int descriptor;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/0", i->world.path);
    while (connect(i->peer.socket, (struct sockaddr *)&address, sizeof address))
        usleep(1000);
    (void)weir__wire_put(i->peer.socket, &i->hello, -1);
    while (weir__wire_receive(&i->peer, &i->answer, &descriptor) == 0)
        usleep(1000);
    return NULL;
}

static void start_impostor(struct impostor *i, uint32_t version)
{
    memset(i, 0, sizeof *i);
    make_path(i->world.path);
    i->hello = (struct wire){.kind = WIRE_HELLO,
                             .number = WIRE_MAGIC,
                             .credit = version,
                             .bytes = 1,
                             .offset = 2,
                             .meta = sizeof(struct wire)};
    i->peer.pidfd = -1;
    i->peer.socket = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_true(i->peer.socket >= 0);
    assert_int_equal(pthread_create(&i->thread, NULL, meet_by_hand, i), 0);
}

static void end_impostor(struct impostor *i)
{
    weir__wire_forget(&i->peer);
    assert_int_equal(rmdir(i->world.path), 0);
}

static void another_version_is_refused(void **state)
{
    struct impostor i;
    char sentence[128];
    (void)state;
    start_impostor(&i, WIRE_VERSION + 1);
    snprintf(sentence, sizeof sentence, "group %s: a process of another version of weir",
             i.world.path);
    call_alone((struct caller){i.world.path, "0", "2", LONG_MS, WEIR_OK, ""}, WEIR_ERR_INVALID,
               sentence);
    pthread_join(i.thread, NULL);
    assert_int_equal(i.answer.credit, WIRE_VERSION); /* it is told which version is here */
    end_impostor(&i);
}

/* A link between processes 0 and 1, as process 0 makes it. */
struct ends {
    weir_endpoint *zero, *one;
    weir_link *link;
};

static void open_ends(struct ends *e, const struct world *world, int outbound)
{
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = 64;
    config.buffers = 2;
    e->zero = endpoint_of(world, 0, "zero");
    e->one = endpoint_of(world, 1, "one");
    CHECK_OK(weir_link_create(outbound ? e->zero : e->one, outbound ? e->one : e->zero, &config,
                              &e->link));
}

static void close_ends(struct ends *e)
{
    weir_link_destroy(e->link);
    weir_endpoint_destroy(e->zero);
    weir_endpoint_destroy(e->one);
}

/* Send an inbox, and wait for the answer that there is none. */
static void send_inbox(struct impostor *i, struct wire inbox, const char *sentence)
{
    struct wire end;
    int descriptor, came;
    inbox.kind = WIRE_OPEN;
    snprintf(inbox.router, sizeof inbox.router, "zero");
    snprintf(inbox.destination, sizeof inbox.destination, "one");
    assert_int_equal(weir__wire_put(i->peer.socket, &inbox, -1), 1);
    while ((came = weir__wire_receive(&i->peer, &end, &descriptor)) == 0)
        usleep(1000);
    assert_int_equal(came, 1);
    assert_int_equal(end.kind, WIRE_END);
    assert_string_equal(end.detail, sentence);
}

/* The link is made after the inbox came: it ends at once, with the inbox's sentence. */
static void offer_inbox(struct wire inbox, const char *sentence)
{
    struct impostor i;
    struct ends e;
    weir_segment segment = {0};
    start_impostor(&i, WIRE_VERSION);
    world_open(&i.world, 0, 2);
    pthread_join(i.thread, NULL);
    segment.device = i.world.device;
    send_inbox(&i, inbox, sentence);
    open_ends(&e, &i.world, 1);
    CHECK_OK(weir_group_join(i.world.group, LONG_MS));
    CHECK_STATUS(weir_link_send(e.link, &segment, NULL, NULL), WEIR_ERR_INVALID);
    assert_string_equal(weir_error_detail(), sentence);
    close_ends(&e);
    world_close(&i.world);
    end_impostor(&i);
}

static void an_inbox_that_cannot_be_is_refused(void **state)
{
    (void)state;
    offer_inbox((struct wire){.number = 1, .bytes = 64},
                "process 1 sent an inbox that makes no sense");
    offer_inbox((struct wire){.number = 1, .bytes = 64, .offset = 2, .meta = WEIR_TRANSPORT_LOCAL},
                "process 1 sent an inbox that makes no sense");
    offer_inbox((struct wire){.number = 1, .bytes = 64, .offset = 2, .meta = WEIR_TRANSPORT_SHM},
                "an inbox of 8192 bytes of another process is not whole");
}

/* The other process is told, and the link here ends: nobody waits to join. */
static void an_inbox_without_memory_is_refused(void **state)
{
    struct impostor i;
    struct ends e;
    weir_segment segment = {0};
    char sentence[128];
    (void)state;
    snprintf(sentence, sizeof sentence, "link to another process: no %zu bytes of host memory left",
             sizeof(struct connection));
    start_impostor(&i, WIRE_VERSION);
    world_open(&i.world, 0, 2);
    pthread_join(i.thread, NULL);
    segment.device = i.world.device;
    open_ends(&e, &i.world, 1);
    weir__fault_arm(WEIR__FAULT_ALLOC, 1);
    send_inbox(&i, (struct wire){.number = 1, .bytes = 64, .offset = 2, .meta = WEIR_TRANSPORT_SHM},
               sentence);
    weir__fault_arm(WEIR__FAULT_ALLOC, 0);
    CHECK_OK(weir_group_join(i.world.group, LONG_MS));
    CHECK_STATUS(weir_link_send(e.link, &segment, NULL, NULL), WEIR_ERR_NOMEM);
    close_ends(&e);
    world_close(&i.world);
    end_impostor(&i);
}

/* Says `bytes` bytes of a packet to process 0, once its inbox is open. */
static void say_to_inbox(struct wire packet, size_t bytes, weir_status wanted, const char *sentence)
{
    struct impostor i;
    struct ends e;
    struct wire open;
    weir_pending *pending;
    weir_segment got;
    int descriptor, came;
    start_impostor(&i, WIRE_VERSION);
    world_open(&i.world, 0, 2);
    pthread_join(i.thread, NULL);
    open_ends(&e, &i.world, 0);
    while ((came = weir__wire_receive(&i.peer, &open, &descriptor)) == 0)
        usleep(1000);
    assert_true(came == 1 && open.kind == WIRE_OPEN && descriptor >= 0);
    (void)close(descriptor);
    packet.number = open.number;
    assert_int_equal(send(i.peer.socket, &packet, bytes, 0), bytes);
    CHECK_STATUS(weir_link_next(e.link, SOON_MS, &pending, &got), wanted);
    assert_string_equal(weir_error_detail(), sentence);
    close_ends(&e);
    world_close(&i.world);
    end_impostor(&i);
}

static void packets_that_cannot_be_are_refused(void **state)
{
    static const char no_room[] = "process 1 sent a packet that has no room to zero",
                      ended[] = "process 1 ended before its link from one to zero was shut down";
    size_t whole = weir__wire_bytes(WIRE_PACKET);
    (void)state;
    say_to_inbox((struct wire){.kind = WIRE_PACKET, .credit = 2}, whole, WEIR_ERR_INVALID, no_room);
    say_to_inbox((struct wire){.kind = WIRE_PACKET, .bytes = 65}, whole, WEIR_ERR_INVALID, no_room);
    say_to_inbox((struct wire){.kind = WIRE_PACKET}, whole - 1, WEIR_ERR_PROCESS, ended);
    say_to_inbox((struct wire){.kind = WIRE_KINDS}, whole, WEIR_ERR_PROCESS, ended);
}

/* A socket that a killed process left is no process. */
static void a_directory_may_be_used_again(void **state)
{
    char path[64];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)state;
    make_path(path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/0", path);
    int left = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(left, (struct sockaddr *)&address, sizeof address), 0);
    close(left);
    struct caller callers[] = {{.path = path, .rank = "0", .size = "2", .timeout_ms = LONG_MS},
                               {.path = path, .rank = "1", .size = "2", .timeout_ms = LONG_MS}};
    call_together(callers, 2);
    assert_int_equal(callers[0].status, WEIR_OK);
    assert_int_equal(callers[1].status, WEIR_OK);
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_cannot_meet_is_told),
        cmocka_unit_test(different_sizes_are_told_to_both),
        cmocka_unit_test(a_rank_is_there_once),
        cmocka_unit_test(strangers_are_hung_up_on),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(an_inbox_that_cannot_be_is_refused),
        cmocka_unit_test(an_inbox_without_memory_is_refused),
        cmocka_unit_test(packets_that_cannot_be_are_refused),
        cmocka_unit_test(a_directory_may_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
