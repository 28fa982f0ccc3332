/** @file table.c  The table of transports, and which of them a send queue takes. */
#include "router/transport/transport.h"
#include "runtime/config.h"

#include <stdio.h>
#include <string.h>

#define ROW(id, word, help) [WEIR_TRANSPORT_##id] = &weir__transport_##word,
static const struct transport *const rows[] = {WEIR_TRANSPORT_MAP(ROW)};
#define NAME(id, word, help) [WEIR_TRANSPORT_##id] = #word,
static const char *const names[] = {[WEIR_TRANSPORT_AUTO] = "auto", WEIR_TRANSPORT_MAP(NAME)};
#define HELP(id, word, help) [WEIR_TRANSPORT_##id] = help,
static const char *const helps[] = {[WEIR_TRANSPORT_AUTO] =
                                        "the first of the others that joins the two ends",
                                    WEIR_TRANSPORT_MAP(HELP)};

_Static_assert(WEIR_TRANSPORT_COUNT <= WEIR_TRANSPORTS_MAX, "the statistics count all of them");

const char *weir_transport_name(weir_transport transport)
{
    return (unsigned)transport < WEIR_TRANSPORT_COUNT ? names[transport] : "unknown";
}

const char *weir_transport_help(weir_transport transport)
{
    return (unsigned)transport < WEIR_TRANSPORT_COUNT ? helps[transport] : "unknown";
}

const struct transport *weir__transport_row(uint64_t which)
{
    return which < WEIR_TRANSPORT_COUNT ? rows[which] : NULL;
}

const struct transport *weir__transport_between(weir_transport asked)
{
    for (int i = WEIR_TRANSPORT_AUTO + 1; i < WEIR_TRANSPORT_COUNT; i++)
        if (rows[i]->processes && (!asked || rows[i]->which == asked))
            return rows[i];
    return NULL;
}

/* ---- the tunable --------------------------------------------------------------------------------- */

static weir_status no_such_word(const char *word)
{
    char list[256];
    size_t used = 0;
    for (size_t i = 0; i < WEIR_TRANSPORT_COUNT && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", names[i]);
    return weir__fail(WEIR_ERR_INVALID, "transport=%s: choose one of:%s", word, list);
}

weir_status weir__transport_tuned(const weir_context *context, weir_transport *transport_out)
{
    const char *word = weir__config_text(weir_context_config(context), WEIR__TRANSPORT);
    int which = 0;
    while (which < WEIR_TRANSPORT_COUNT && strcmp(names[which], word) != 0)
        which++;
    *transport_out = which < WEIR_TRANSPORT_COUNT ? (weir_transport)which : WEIR_TRANSPORT_AUTO;
    return which < WEIR_TRANSPORT_COUNT ? WEIR_OK : no_such_word(word);
}

/* ---- a send queue's ---------------------------------------------------------------------------------- */

static int is_remote(const struct output *output, const struct send_queue *sends)
{
    return sends->group || output->destination->group;
}

static const struct transport *find(weir_transport which, const struct output *output,
                                    const struct send_queue *sends)
{
    for (int i = WEIR_TRANSPORT_AUTO + 1; i < WEIR_TRANSPORT_COUNT; i++)
        if ((which == WEIR_TRANSPORT_AUTO || rows[i]->which == which) &&
            rows[i]->processes == is_remote(output, sends) &&
            rows[i]->joins(sends->source, output->destination->device))
            return rows[i];
    return NULL;
}

/* An end as sentences name it. */
static const char *label(const weir_device *device, const struct weir_group *group,
                         uint32_t process, char room[64])
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(device, &info);
    if (group)
        snprintf(room, 64, "process %u", process);
    else
        snprintf(room, 64, "%s", info.label);
    return room;
}

static weir_status refuse(weir_transport asked, const struct output *output,
                          const struct send_queue *sends)
{
    const weir_endpoint *to = output->destination;
    const char *why = "";
    char from_room[64], to_room[64];
    if (rows[asked] && rows[asked]->processes != is_remote(output, sends))
        why = rows[asked]->processes ? ": it joins two processes"
                                     : ": it joins devices of one process";
    return weir__fail(WEIR_ERR_UNSUPPORTED, "transport %s cannot carry from %s to %s%s",
                      names[asked], label(sends->source, sends->group, sends->process, from_room),
                      label(to->device, to->group, to->process, to_room), why);
}

/* What the link asks for; where it does not, the tunable, if that joins the two. */
static weir_transport wish(const struct output *output, const struct send_queue *sends)
{
    weir_transport asked = output->transport;
    if (sends->link->source ==
        output->destination) /* nobody means what an endpoint sends to itself */
        return WEIR_TRANSPORT_AUTO;
    if (asked == WEIR_TRANSPORT_AUTO) {
        (void)weir__transport_tuned(output->router->context, &asked); /* the router took the word */
        return find(asked, output, sends) ? asked : WEIR_TRANSPORT_AUTO;
    }
    if (rows[asked]->or_auto && !rows[asked]->processes == !is_remote(output, sends) &&
        !find(asked, output, sends))
        return WEIR_TRANSPORT_AUTO;
    return asked;
}

static weir_status open_stream(struct output *output, struct send_queue *sends,
                               weir_transport asked, uint32_t number, struct stream *stream)
{
    stream->transport = find(asked, output, sends);
    return stream->transport ? stream->transport->open(output, sends->source, number, stream)
                             : refuse(asked, output, sends);
}

weir_status weir__transport_open(struct output *output, struct send_queue *sends)
{
    weir_transport asked = wish(output, sends);
    weir_status status = open_stream(output, sends, asked, 0, &sends->large[0]);
    if (status)
        return status;
    const struct transport *row = sends->large[0].transport;
    sends->large[1] = sends->small = sends->large[0];
    if (row->streams > 1 && (status = open_stream(output, sends, asked, 1, &sends->large[1])))
        return status;
    /* What makes a GPU's small packets faster that way, a simulated device does not have: how its queues wait. */
    if (asked != WEIR_TRANSPORT_AUTO || row->small == WEIR_TRANSPORT_AUTO ||
        !weir__device_is_gpu(sends->source))
        return WEIR_OK;
    sends->small_bytes = row->small_bytes;
    return open_stream(output, sends, row->small, 2, &sends->small);
}
