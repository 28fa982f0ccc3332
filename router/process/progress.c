/** @file progress.c  The thread of a group: what other processes say, and what is to be said to them.
 *
 * It sleeps until a socket can be read, or somebody wakes it: a receive was matched, a copy is over, a
 * link was made or ended. Wake-ups coalesce, so it looks at all connections each time; there are few. */
#include "router/process/internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#define FLUSH_MS 2000 /* that a process which leaves waits for one that does not read */
#define LOOK_MS  2    /* between two looks at what could not be watched */

void weir__group_wake(void *user)
{
    weir_group *group = user;
    static const uint64_t one = 1;
    if (atomic_exchange_explicit(&group->woken, 1, memory_order_acq_rel))
        return; /* it will look, and sees what was done before */
    /* It fails only where the counter is full: the thread is about to wake up then. */
    ssize_t written = write(group->wake, &one, sizeof one);
    (void)written;
}

void weir__group_notified(void *user)
{
    weir__group_wake(user);
    weir__group_release(user);
}

int weir__group_is_over(weir_group *group, uint32_t process)
{
    pthread_mutex_lock(&group->lock);
    int over = group->peers[process].gone || group->leaving;
    pthread_mutex_unlock(&group->lock);
    return over;
}

void weir__group_say(weir_group *group, uint32_t process, const struct wire *wire, int descriptor)
{
    if (group->peers[process].socket >= 0)
        weir__wire_send(&group->peers[process], wire, descriptor);
}

/* ---- what others say ---------------------------------------------------------------------------- */

static void obey(weir_group *group, uint32_t process, const struct wire *wire, int descriptor)
{
    int inbound = wire->kind == WIRE_JOINED || wire->kind == WIRE_PACKET || wire->kind == WIRE_END;
    struct connection *connection =
        weir__connection_numbered(group, inbound, process, wire->number);
    if (wire->kind == WIRE_OPEN)
        weir__outbound_open(group, process, wire, descriptor);
    if (!connection) /* it is over here already */
        return;
    if (wire->kind == WIRE_JOINED)
        weir__connection_joined(connection);
    else if (wire->kind == WIRE_PACKET)
        weir__inbound_packet(connection, wire);
    else if (wire->kind == WIRE_END)
        weir__inbound_end(connection, wire);
    else if (wire->kind == WIRE_CREDIT)
        weir__outbound_credit(connection, wire);
    else if (wire->kind == WIRE_STOP)
        weir__outbound_stop(connection, wire);
}

/* Files that a child of fork() holds too stay in the epoll set when they are closed here. */
static void unwatch(weir_group *group, const struct peer *peer)
{
    (void)epoll_ctl(group->epoll, EPOLL_CTL_DEL, peer->socket, NULL);
    if (peer->pidfd >= 0)
        (void)epoll_ctl(group->epoll, EPOLL_CTL_DEL, peer->pidfd, NULL);
}

static int is_gone(weir_group *group, uint32_t process)
{
    pthread_mutex_lock(&group->lock);
    int gone = group->peers[process].gone;
    pthread_mutex_unlock(&group->lock);
    return gone;
}

/* A link may be made while its process ends: then it is told when it is first looked at. */
static void tell_gone(struct connection *connection)
{
    if (connection->told_gone || !is_gone(connection->group, connection->process))
        return;
    connection->told_gone = 1;
    (connection->inbound ? weir__inbound_gone : weir__outbound_gone)(connection);
}

static void lose(weir_group *group, uint32_t process)
{
    struct connection *next = NULL;
    unwatch(group, &group->peers[process]);
    pthread_mutex_lock(&group->lock);
    group->peers[process].gone = 1;
    pthread_cond_broadcast(&group->changed);
    pthread_mutex_unlock(&group->lock);
    weir__wire_forget(&group->peers[process]);
    for (struct connection *c = weir__connection_next(group, NULL); c; c = next) {
        next = weir__connection_next(group, c);
        tell_gone(c);
    }
}

static void listen_to(weir_group *group, uint32_t process)
{
    struct peer *peer = &group->peers[process];
    struct wire wire;
    int descriptor, came = 0;
    while (peer->socket >= 0 && (came = weir__wire_receive(peer, &wire, &descriptor)) > 0) {
        obey(group, process, &wire, descriptor);
        if (descriptor >= 0)
            (void)close(descriptor);
    }
    if (came < 0)
        lose(group, process);
}

/* ---- the loop ----------------------------------------------------------------------------------- */

/* Room in a socket is waited for only where something was kept for it. */
static void watch_room(weir_group *group)
{
    for (uint32_t i = 0; i < group->size; i++) {
        struct peer *peer = &group->peers[i];
        struct epoll_event event = {.events = EPOLLIN | (peer->first ? EPOLLOUT : 0),
                                    .data.u32 = i};
        if (peer->socket < 0 || peer->waiting == (peer->first != NULL))
            continue;
        peer->waiting = peer->first != NULL;
        (void)epoll_ctl(group->epoll, EPOLL_CTL_MOD, peer->socket, &event);
    }
}

static void look_at_all(weir_group *group)
{
    struct connection *next;
    group->watch_failed = 0;
    for (struct connection *c = weir__connection_next(group, NULL); c; c = next) {
        next = weir__connection_next(group, c);
        tell_gone(c);
        (c->inbound ? weir__inbound_progress : weir__outbound_progress)(c);
    }
    weir__messages_settle();
    watch_room(group);
}

/* The process has ended: what it said before lies in the socket, and no more comes. */
static void hear_end(weir_group *group, uint32_t process)
{
    listen_to(group, process);
    if (group->peers[process].socket >= 0)
        lose(group, process);
}

static void hear(weir_group *group, const struct epoll_event *event)
{
    uint64_t count;
    if (event->data.u32 > WEIR_GROUP_MAX) {
        hear_end(group, event->data.u32 - WEIR_GROUP_MAX - 1);
        return;
    }
    if (event->data.u32 == WEIR_GROUP_MAX) {
        ssize_t got = read(group->wake, &count, sizeof count);
        (void)got;
        (void)atomic_exchange_explicit(&group->woken, 0, memory_order_acq_rel);
        return;
    }
    if (event->events & EPOLLOUT)
        weir__wire_flush(&group->peers[event->data.u32]);
    listen_to(group, event->data.u32);
}

static void step(weir_group *group)
{
    struct epoll_event events[WEIR_GROUP_MAX + 1];
    int count =
        epoll_wait(group->epoll, events, WEIR_GROUP_MAX + 1, group->watch_failed ? LOOK_MS : -1);
    for (int i = 0; i < count; i++)
        hear(group, &events[i]);
    look_at_all(group);
}

/* ---- leaving ------------------------------------------------------------------------------------ */

static int is_leaving(weir_group *group)
{
    pthread_mutex_lock(&group->lock);
    int leaving = group->leaving;
    pthread_mutex_unlock(&group->lock);
    return leaving;
}

/* What is still open ends with a cancel, and what is over with all that it has to say. */
static void end_all(weir_group *group)
{
    struct connection *next;
    for (struct connection *c = weir__connection_next(group, NULL); c; c = next) {
        next = weir__connection_next(group, c);
        if (!c->output)
            weir__connection_close(c);
        else if (!weir__connection_output_ended(c))
            weir__connection_cancel(c, WEIR_ERR_CANCELLED, "the group of processes was left");
    }
}

static int has_kept(const weir_group *group)
{
    int kept = 0;
    for (uint32_t i = 0; i < group->size; i++)
        kept |= group->peers[i].first != NULL;
    return kept;
}

static void flush_all(weir_group *group)
{
    uint64_t start = weir__now_ns();
    while (has_kept(group) && weir__elapsed_ms(start) < FLUSH_MS) {
        (void)poll(NULL, 0, LOOK_MS);
        for (uint32_t i = 0; i < group->size; i++)
            weir__wire_flush(&group->peers[i]);
    }
    for (uint32_t i = 0; i < group->size; i++)
        weir__wire_forget(&group->peers[i]);
}

void *weir__group_progress(void *user)
{
    weir_group *group = user;
    while (!is_leaving(group))
        step(group);
    look_at_all(group); /* links that were destroyed just now say so */
    end_all(group);
    look_at_all(group);
    while (weir__connection_next(group, NULL))
        step(group);
    flush_all(group);
    return NULL;
}
