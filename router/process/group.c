/** @file group.c  Groups of processes: made, left; endpoints that lie in other processes. */
#include "router/process/internal.h"
#include "runtime/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

weir_group *weir__group_retain(weir_group *group)
{
    atomic_fetch_add_explicit(&group->references, 1, memory_order_relaxed);
    return group;
}

/* The last holder may be a call-back of the runtime, so this frees memory and closes files, and no more. */
void weir__group_release(weir_group *group)
{
    if (atomic_fetch_sub_explicit(&group->references, 1, memory_order_acq_rel) > 1)
        return;
    if (group->epoll >= 0)
        (void)close(group->epoll);
    if (group->wake >= 0)
        (void)close(group->wake);
    pthread_cond_destroy(&group->changed);
    pthread_mutex_destroy(&group->lock);
    free(group);
}

/* ---- making ------------------------------------------------------------------------------------- */

static weir_status check_tunables(const char *path, uint64_t rank, uint64_t size)
{
    if (!*path || size == 0)
        return weir__fail(WEIR_ERR_INVALID, "no group of processes is named: set WEIR_GROUP, "
                                            "WEIR_RANK and WEIR_SIZE, or group, rank and size");
    if (rank >= size)
        return weir__fail(WEIR_ERR_INVALID, "group %s: process %llu of %llu: ranks start at 0",
                          path, (unsigned long long)rank, (unsigned long long)size);
    return WEIR_OK;
}

static weir_status no_thread(const char *what, int error)
{
    return weir__fail(WEIR_ERR_NOMEM, "no group of processes: %s: %s", what, strerror(error));
}

static int watch(const weir_group *group, int descriptor, uint32_t number)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    return descriptor < 0 ||
           !epoll_ctl(group->epoll, EPOLL_CTL_ADD, descriptor, &event); /* -1: it is no peer */
}

/* A child that a killed process forked may hold its socket open: then this says that it has ended. A number
 * that is in use again says no wrong thing, for the process that had it is gone. Where the system has no such
 * descriptors, or the process lies in another namespace, there is the end of file alone. */
static int open_pidfd(int socket)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    if (socket < 0 || getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &bytes) || who.pid <= 0)
        return -1;
    return (int)syscall(SYS_pidfd_open, who.pid, 0);
}

static weir_status start(weir_group *group)
{
    int watched = watch(group, group->wake, WEIR_GROUP_MAX);
    for (uint32_t i = 0; i < group->size; i++) {
        struct peer *peer = &group->peers[i];
        peer->pidfd = open_pidfd(peer->socket);
        watched = watched && watch(group, peer->socket, i) &&
                  watch(group, peer->pidfd, WEIR_GROUP_MAX + 1 + i);
    }
    if (!watched)
        return no_thread("epoll_ctl", errno);
    int error = pthread_create(&group->thread, NULL, weir__group_progress, group);
    return error ? no_thread("pthread_create", error) : WEIR_OK;
}

static weir_status empty_group(uint64_t rank, uint64_t size, weir_group **group_out)
{
    weir_group *group;
    weir_status status = weir__calloc(1, sizeof *group, "group of processes", &group);
    if (status)
        return status;
    atomic_store_explicit(&group->references, 1, memory_order_relaxed);
    group->rank = (uint32_t)rank;
    group->size = (uint32_t)size;
    for (uint32_t i = 0; i < WEIR_GROUP_MAX; i++)
        group->peers[i].socket = group->peers[i].pidfd = -1;
    pthread_mutex_init(&group->lock, NULL);
    weir__cond_init(&group->changed);
    group->epoll = epoll_create1(EPOLL_CLOEXEC);
    group->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (group->epoll < 0 || group->wake < 0) {
        status = no_thread("epoll_create1, eventfd", errno);
        weir__group_release(group);
        return status;
    }
    *group_out = group;
    return WEIR_OK;
}

static weir_status meet_and_start(weir_group *group, const char *path, int64_t timeout_ms)
{
    weir_status status = weir__group_meet(group, path, timeout_ms);
    if (!status)
        status = start(group);
    for (uint32_t i = 0; status && i < group->size; i++)
        weir__wire_forget(&group->peers[i]);
    return status;
}

weir_status weir_group_create(weir_context *context, int64_t timeout_ms, weir_group **group_out)
{
    weir_group *group = NULL;
    weir_status status;
    if (group_out)
        *group_out = NULL;
    if (!context || !group_out)
        return weir__missing("weir_group_create", context ? "group_out" : "context");
    const weir_config *config = weir_context_config(context);
    const char *path = weir__config_text(config, WEIR__GROUP);
    const uint64_t rank = weir__config_get(config, WEIR__RANK),
                   size = weir__config_get(config, WEIR__SIZE);
    if ((status = check_tunables(path, rank, size)) || (status = empty_group(rank, size, &group)))
        return status;
    group->context = context;
    if ((status = meet_and_start(group, path, timeout_ms))) {
        weir__group_release(group);
        return status;
    }
    weir__context_retain(context);
    *group_out = group;
    return WEIR_OK;
}

uint32_t weir_group_rank(const weir_group *group)
{
    return group->rank;
}

uint32_t weir_group_size(const weir_group *group)
{
    return group->size;
}

/* ---- endpoints ---------------------------------------------------------------------------------- */

weir_status weir_endpoint_create_remote(weir_group *group, uint32_t process, const char *name,
                                        weir_endpoint **endpoint_out)
{
    weir_status status;
    if (endpoint_out)
        *endpoint_out = NULL;
    if (!group || !name || !endpoint_out)
        return weir__missing("weir_endpoint_create_remote", !group  ? "group"
                                                            : !name ? "name"
                                                                    : "endpoint_out");
    if (process >= group->size || process == group->rank)
        return weir__fail(WEIR_ERR_INVALID, "%s: process %u is %s", name, process,
                          process == group->rank ? "this one: weir_endpoint_create()"
                                                 : "none of the group's");
    if ((status = weir_endpoint_create(weir_context_home(group->context), name, endpoint_out)))
        return status;
    (*endpoint_out)->group = weir__group_retain(group);
    (*endpoint_out)->process = process;
    return WEIR_OK;
}

/* ---- joining and leaving ------------------------------------------------------------------------- */

/* The first connection without its other half; the group is locked. */
static const struct connection *unjoined(const weir_group *group)
{
    const struct connection *connection = group->connections;
    while (connection && (connection->joined || !connection->output))
        connection = connection->next;
    return connection;
}

void weir__group_lost(const struct connection *connection)
{
    weir_group *group = connection->group;
    group->lost = 1;
    group->lost_process = connection->process;
    memcpy(group->lost_router, connection->router, sizeof group->lost_router);
    memcpy(group->lost_destination, connection->destination, sizeof group->lost_destination);
}

weir_status weir_group_join(weir_group *group, int64_t timeout_ms)
{
    struct timespec at = weir__deadline(timeout_ms);
    const struct connection *open;
    weir_status status = WEIR_OK;
    int error = 0;
    if (!group)
        return weir__missing("weir_group_join", "group");
    pthread_mutex_lock(&group->lock);
    while (!group->lost && (open = unjoined(group)) && !error)
        error = timeout_ms < 0 ? pthread_cond_wait(&group->changed, &group->lock)
                               : pthread_cond_timedwait(&group->changed, &group->lock, &at);
    if (group->lost)
        status = weir__fail(WEIR_ERR_PROCESS, "process %u ended without the link from %s to %s",
                            group->lost_process, group->lost_router, group->lost_destination);
    else if (open)
        status = weir__fail(WEIR_ERR_TIMEOUT, "process %u has not made the link from %s to %s",
                            open->process, open->router, open->destination);
    pthread_mutex_unlock(&group->lock);
    return status;
}

void weir_group_destroy(weir_group *group)
{
    if (!group)
        return;
    weir_context *context = group->context;
    pthread_mutex_lock(&group->lock);
    group->leaving = 1;
    pthread_mutex_unlock(&group->lock);
    weir__group_wake(group);
    pthread_join(group->thread, NULL);
    weir__group_release(group);
    weir__context_release(context);
}
