/** @file 10_router_chain.c  Routers that feed routers: any of two groups, and there both members.
 *
 *                         +--> (left: broadcast) ---+--> a
 *                         |                         +--> b
 *     host --> (pick: any)
 *                         |                         +--> c
 *                         +--> (right: broadcast) --+--> d
 *
 *     build/examples/10_router_chain [DEVICES]      say "cuda:0-3"; "host:4" if left out
 *
 * Routers hold no data: a packet goes from the host's memory straight to both members of the group
 * that was free first. Each message must come to one group, whole, to both of its members. */
#include "examples/example.h"
#include <weir/router/router.h>

#include <pthread.h>
#include <string.h>

enum { MEMBERS = 4, MESSAGES = 200, BYTES = 3000 };

struct member {
    weir_device *home, *device;
    weir_endpoint *endpoint;
    weir_link *link;
    char (*copies)[BYTES]; /* MESSAGES of them in the host's memory: what came */
    uint32_t count[MESSAGES];
    pthread_t thread;
};

/* Copy what comes to the host, where it can be compared. The buffer is filled again behind that. */
static void *run_member(void *argument)
{
    struct member *member = argument;
    weir_queue *queue;
    weir_pending *pending;
    weir_segment got;
    weir_status status;
    TRY(weir_queue_create(member->device, 0, &queue));
    while ((status = weir_link_next(member->link, -1, &pending, &got)) == WEIR_OK) {
        if (got.bytes == BYTES && got.meta < MESSAGES) {
            TRY(weir_queue_copy(queue, member->home, member->copies[got.meta], member->device,
                                got.data, BYTES));
            member->count[got.meta]++;
        }
        TRY(weir_pending_release(pending, queue));
    }
    if (status != WEIR_CLOSED)
        TRY(status);
    TRY(weir_queue_sync(queue));
    weir_queue_destroy(queue);
    return NULL;
}

/* @return how many messages did not come to one group once, or came changed. */
static uint32_t count_wrong(const struct member *members, char (*sent)[BYTES])
{
    uint32_t wrong = 0;
    for (int m = 0; m < MESSAGES; m++) {
        int left = members[0].count[m] == 1 && members[1].count[m] == 1;
        int right = members[2].count[m] == 1 && members[3].count[m] == 1;
        uint32_t came = 0, same = 0;
        for (int i = 0; i < MEMBERS; i++) {
            came += members[i].count[m];
            same += members[i].count[m] && memcmp(members[i].copies[m], sent[m], BYTES) == 0;
        }
        wrong += left == right || came != 2 || same != 2;
    }
    return wrong;
}

static void open_member(struct member *member, weir_context *context, uint32_t i,
                        weir_router *group)
{
    static const char *const names[MEMBERS] = {"a", "b", "c", "d"};
    weir_link_config config = WEIR_LINK_CONFIG_INIT;
    config.packet_bytes = BYTES;
    memset(member, 0, sizeof *member);
    member->home = weir_context_home(context);
    member->device = device_in_turn(context, i);
    member->copies = alloc_on(member->home, sizeof(char[MESSAGES][BYTES]));
    TRY(weir_endpoint_create(member->device, names[i], &member->endpoint));
    TRY(weir_link_create(weir_router_endpoint(group), member->endpoint, &config, &member->link));
}

int main(int argc, char **argv)
{
    weir_context *context = open_devices(argc, argv, "host:4");
    weir_device *home = weir_context_home(context);
    weir_policy any = weir_policy_any(), broadcast = weir_policy_broadcast();
    weir_router *pick, *groups[2];
    weir_endpoint *host;
    weir_link *in, *to_group[2];
    static struct member members[MEMBERS];

    TRY(weir_endpoint_create(home, "host", &host));
    TRY(weir_router_create(context, "pick", &any, &pick));
    TRY(weir_link_create(host, weir_router_endpoint(pick), NULL, &in));
    for (int g = 0; g < 2; g++) {
        TRY(weir_router_create(context, g ? "right" : "left", &broadcast, &groups[g]));
        TRY(weir_link_create(weir_router_endpoint(pick), weir_router_endpoint(groups[g]), NULL,
                             &to_group[g]));
    }
    for (uint32_t i = 0; i < MEMBERS; i++)
        open_member(&members[i], context, i, groups[i / 2]);
    for (int i = 0; i < MEMBERS; i++)
        if (pthread_create(&members[i].thread, NULL, run_member, &members[i]))
            return WRONG;

    char(*messages)[BYTES] = alloc_on(home, sizeof(char[MESSAGES][BYTES]));
    for (int m = 0; m < MESSAGES; m++) {
        weir_segment segment = {
            .device = home, .data = messages[m], .bytes = BYTES, .meta = (uint64_t)m};
        for (int i = 0; i < BYTES; i++)
            messages[m][i] = (char)(m * 31 + i * 7);
        TRY(weir_link_send(in, &segment, NULL, NULL));
    }
    TRY(weir_link_shutdown(in));
    uint32_t left = 0;
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(members[i].thread, NULL);
    for (int m = 0; m < MESSAGES; m++)
        left += members[0].count[m];
    uint32_t wrong = count_wrong(members, messages);
    printf("%d messages: %u to the left, %u to the right, %u wrong\n", MESSAGES, left,
           MESSAGES - left, wrong);

    /* Any order: say, the routers before the links that lead to them. */
    weir_router_destroy(pick);
    for (int g = 0; g < 2; g++) {
        weir_router_destroy(groups[g]);
        weir_link_destroy(to_group[g]);
    }
    for (int i = 0; i < MEMBERS; i++) {
        weir_endpoint_destroy(members[i].endpoint);
        weir_link_destroy(members[i].link);
        weir_device_free(home, members[i].copies);
    }
    weir_link_destroy(in);
    weir_endpoint_destroy(host);
    weir_device_free(home, messages);
    weir_context_destroy(context);
    return wrong == 0 ? RIGHT : WRONG;
}
