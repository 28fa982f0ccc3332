/** @file meet.c  The processes of a group find each other in a directory.
 *
 * Each listens on a socket there that is named by its rank, calls all lower ranks, and is called by
 * the higher ones. Both ends then say who they are. Nobody waits in a circle: rank 0 only listens. */
#include "router/process/internal.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define RETRY_MS    5   /* between two calls of a process that is not there yet */
#define STRANGER_MS 500 /* that somebody who calls may take to say who it is */

struct meeting {
    weir_group *group;
    const char *path;
    uint64_t start_ns;
    int64_t timeout_ms;
    int listener, made, named; /* made: the directory is ours; named: the name in it */
    struct sockaddr_un own;
};

/* Milliseconds that are left, at most `most`. */
static int left(const struct meeting *meeting, int most)
{
    if (meeting->timeout_ms < 0)
        return most;
    int64_t spent = (int64_t)((weir__now_ns() - meeting->start_ns) / 1000000u);
    int64_t rest = meeting->timeout_ms > spent ? meeting->timeout_ms - spent : 0;
    return rest < most ? (int)rest : most;
}

static weir_status unusable(const struct meeting *meeting, const char *what)
{
    return weir__fail(WEIR_ERR_IO, "group %s: %s: %s", meeting->path, what, strerror(errno));
}

static weir_status late(const struct meeting *meeting, uint32_t rank)
{
    return weir__fail(WEIR_ERR_TIMEOUT, "group %s: process %u of %u did not come in %lld ms",
                      meeting->path, rank, meeting->group->size, (long long)meeting->timeout_ms);
}

/* A socket's name has a rank behind it, and for a moment a number of 16 digits. */
static weir_status too_long(const struct meeting *meeting)
{
    return weir__fail(WEIR_ERR_INVALID, "group %s: a path of more than %zu bytes", meeting->path,
                      sizeof meeting->own.sun_path - 18);
}

static weir_status address_of(const struct meeting *meeting, uint32_t rank,
                              struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length =
        snprintf(address->sun_path, sizeof address->sun_path, "%s/%u", meeting->path, rank);
    if (length > 0 && (size_t)length < sizeof address->sun_path)
        return WEIR_OK;
    return too_long(meeting);
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Whether somebody listens there; a socket that an ended process left does not answer. */
static int is_alive(const struct sockaddr_un *address)
{
    int caller = new_socket();
    int alive = caller >= 0 && !connect(caller, (const struct sockaddr *)address, sizeof *address);
    if (caller >= 0)
        (void)close(caller);
    return alive;
}

/* The socket gets its name when it listens already, so whoever finds the name finds out whether it is alive. */
static weir_status take_name(struct meeting *meeting, const char *unnamed)
{
    meeting->named = !link(unnamed, meeting->own.sun_path);
    if (!meeting->named && errno == EEXIST) {
        if (is_alive(&meeting->own))
            return weir__fail(WEIR_ERR_INVALID, "group %s: there is a process %u already",
                              meeting->path, meeting->group->rank);
        (void)unlink(meeting->own.sun_path);
        meeting->named = !link(unnamed, meeting->own.sun_path);
    }
    return meeting->named ? WEIR_OK : unusable(meeting, "link");
}

static weir_status listen_here(struct meeting *meeting)
{
    weir_group *group = meeting->group;
    struct sockaddr_un unnamed = {.sun_family = AF_UNIX};
    weir_status status = address_of(meeting, group->rank, &meeting->own);
    if (status)
        return status;
    int length = snprintf(unnamed.sun_path, sizeof unnamed.sun_path, "%s/%llx", meeting->path,
                          (unsigned long long)(weir__now_ns() ^ (uint64_t)getpid() << 40));
    if (length < 0 || (size_t)length >= sizeof unnamed.sun_path)
        return too_long(meeting);
    meeting->made = !mkdir(meeting->path, 0700);
    if (!meeting->made && errno != EEXIST)
        return unusable(meeting, "mkdir");
    if ((meeting->listener = new_socket()) < 0)
        return unusable(meeting, "socket");
    if (bind(meeting->listener, (struct sockaddr *)&unnamed, sizeof unnamed))
        return unusable(meeting, "bind");
    status = listen(meeting->listener, WEIR_GROUP_MAX) ? unusable(meeting, "listen")
                                                       : take_name(meeting, unnamed.sun_path);
    (void)unlink(unnamed.sun_path);
    return status;
}

/* ---- who is it? --------------------------------------------------------------------------------- */

static int is_same_user(int socket)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &bytes) && who.uid == geteuid();
}

static int say_hello(const weir_group *group, int socket)
{
    struct wire hello = {.kind = WIRE_HELLO,
                         .number = WIRE_MAGIC,
                         .credit = WIRE_VERSION,
                         .bytes = group->rank,
                         .offset = group->size,
                         .meta = sizeof(struct wire)};
    return weir__wire_put(socket, &hello, -1) > 0;
}

/* @return 1: it is in `hello`, 0: not in time, -1: it is nobody of ours. */
static int hear_hello(int socket, int timeout_ms, struct wire *hello)
{
    struct peer peer = {.socket = socket};
    struct pollfd wait = {.fd = socket, .events = POLLIN};
    int descriptor, ready = poll(&wait, 1, timeout_ms);
    if (ready <= 0)
        return ready < 0 && errno != EINTR ? -1 : 0;
    int came = weir__wire_receive(&peer, hello, &descriptor);
    if (descriptor >= 0)
        (void)close(descriptor);
    return came > 0 && (hello->kind != WIRE_HELLO || hello->number != WIRE_MAGIC) ? -1 : came;
}

static weir_status check_hello(const struct meeting *meeting, const struct wire *hello)
{
    const weir_group *group = meeting->group;
    if (hello->credit != WIRE_VERSION || hello->meta != sizeof(struct wire))
        return weir__fail(WEIR_ERR_INVALID, "group %s: a process of another version of weir",
                          meeting->path);
    if (hello->offset != group->size)
        return weir__fail(WEIR_ERR_INVALID,
                          "group %s: of %u processes here, of %llu for process %llu", meeting->path,
                          group->size, (unsigned long long)hello->offset,
                          (unsigned long long)hello->bytes);
    if (hello->bytes >= group->size || hello->bytes == group->rank ||
        group->peers[hello->bytes].socket >= 0)
        return weir__fail(WEIR_ERR_INVALID, "group %s: there is a process %llu already",
                          meeting->path, (unsigned long long)hello->bytes);
    return WEIR_OK;
}

/* ---- calling and being called ------------------------------------------------------------------- */

static weir_status reach(const struct meeting *meeting, uint32_t rank, int *socket_out)
{
    struct sockaddr_un address;
    weir_status status = address_of(meeting, rank, &address);
    while (!status) {
        if ((*socket_out = new_socket()) < 0)
            return unusable(meeting, "socket");
        if (!connect(*socket_out, (struct sockaddr *)&address, sizeof address))
            return WEIR_OK;
        int error = errno;
        (void)close(*socket_out);
        *socket_out = -1;
        errno = error;
        if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != EINTR)
            return unusable(meeting, address.sun_path);
        int pause = left(meeting, RETRY_MS);
        if (pause <= 0)
            return late(meeting, rank);
        (void)poll(NULL, 0, pause);
    }
    return status;
}

static weir_status call_one(const struct meeting *meeting, uint32_t rank)
{
    weir_group *group = meeting->group;
    struct wire hello;
    int socket, heard = 0, wait;
    weir_status status = reach(meeting, rank, &socket);
    if (status)
        return status;
    if (!say_hello(group, socket))
        heard = -1;
    while (!heard && (wait = left(meeting, 1000)) > 0)
        heard = hear_hello(socket, wait, &hello);
    if (heard == 0)
        status = late(meeting, rank);
    else if (heard < 0 || !is_same_user(socket))
        status = weir__fail(WEIR_ERR_INVALID, "group %s: process %u does not want this one",
                            meeting->path, rank);
    else if (!(status = check_hello(meeting, &hello)) && hello.bytes != rank)
        status = weir__fail(WEIR_ERR_INVALID, "group %s: process %u says that it is %llu",
                            meeting->path, rank, (unsigned long long)hello.bytes);
    if (status)
        (void)close(socket);
    else
        group->peers[rank].socket = socket;
    return status;
}

/* Strangers are hung up on. One of ours that does not fit is answered, so that it knows as well. */
static weir_status answer_one(const struct meeting *meeting, int socket, int *joined_out)
{
    struct wire hello;
    weir_status status = WEIR_OK;
    *joined_out = 0;
    if (is_same_user(socket) && hear_hello(socket, left(meeting, STRANGER_MS), &hello) > 0 &&
        say_hello(meeting->group, socket) && !(status = check_hello(meeting, &hello))) {
        meeting->group->peers[hello.bytes].socket = socket;
        *joined_out = 1;
        return WEIR_OK;
    }
    (void)close(socket);
    return status;
}

static uint32_t missing(const weir_group *group)
{
    uint32_t rank = group->rank + 1;
    while (rank < group->size && group->peers[rank].socket >= 0)
        rank++;
    return rank;
}

static weir_status be_called(const struct meeting *meeting)
{
    weir_group *group = meeting->group;
    weir_status status = WEIR_OK;
    while (!status && missing(group) < group->size) {
        struct pollfd wait = {.fd = meeting->listener, .events = POLLIN};
        int pause = left(meeting, 1000), joined;
        if (pause <= 0)
            return late(meeting, missing(group));
        if (poll(&wait, 1, pause) <= 0)
            continue;
        int socket = accept4(meeting->listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket >= 0)
            status = answer_one(meeting, socket, &joined);
    }
    return status;
}

weir_status weir__group_meet(weir_group *group, const char *path, int64_t timeout_ms)
{
    struct meeting meeting = {.group = group,
                              .path = path,
                              .start_ns = weir__now_ns(),
                              .timeout_ms = timeout_ms,
                              .listener = -1};
    weir_status status = listen_here(&meeting);
    for (uint32_t rank = 0; rank < group->rank && !status; rank++)
        status = call_one(&meeting, rank);
    if (!status)
        status = be_called(&meeting);
    if (meeting.listener >= 0)
        (void)close(meeting.listener);
    if (meeting.named)
        (void)unlink(meeting.own.sun_path);
    /* Whoever has met all others has seen that all have their sockets: an empty directory is over. */
    if (meeting.made)
        (void)rmdir(path);
    return status;
}
