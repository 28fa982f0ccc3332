/** @file wire.c  Messages between processes: whole ones, in order, over Unix sockets that keep packets apart.
 *
 * The progress thread never waits for a socket: what one does not take, because its process stands still, is kept
 * until it does. Each kept message stands for a credit, an inbox or an end, so their number is bounded. */
#include "router/process/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct outgoing {
    struct outgoing *next;
    struct wire wire;
    int descriptor; /* its own copy, or -1 */
};

size_t weir__wire_bytes(uint32_t kind)
{
    static const size_t plain = offsetof(struct wire, router);
    if (kind == WIRE_OPEN || kind == WIRE_END || kind == WIRE_STOP)
        return sizeof(struct wire);
    return kind > 0 && kind < WIRE_KINDS ? plain : 0;
}

int weir__wire_put(int socket, const struct wire *wire, int descriptor)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {{0}};
    struct iovec part = {(void *)(uintptr_t)wire, weir__wire_bytes(wire->kind)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    }
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent >= 0)
        return 1;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? 0 : -1;
}

static void hang_up(struct peer *peer)
{
    peer->deaf = 1;
    (void)shutdown(peer->socket, SHUT_RDWR);
}

/* What cannot be kept is like a peer that cannot be spoken to: it is told nothing any more, and hangs up. */
static void keep(struct peer *peer, const struct wire *wire, int descriptor)
{
    struct outgoing *kept;
    if (weir__alloc(1, sizeof *kept, "message to another process", &kept)) {
        hang_up(peer);
        return;
    }
    *kept = (struct outgoing){
        .wire = *wire, .descriptor = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1};
    if (descriptor >= 0 && kept->descriptor < 0) {
        free(kept);
        hang_up(peer);
        return;
    }
    if (peer->last)
        peer->last->next = kept;
    else
        peer->first = kept;
    peer->last = kept;
}

static void drop_first(struct peer *peer)
{
    struct outgoing *kept = peer->first;
    peer->first = kept->next;
    if (!peer->first)
        peer->last = NULL;
    if (kept->descriptor >= 0)
        (void)close(kept->descriptor);
    free(kept);
}

static void drop_all(struct peer *peer)
{
    while (peer->first)
        drop_first(peer);
}

/* A peer that ended may have said something before, which is still to be read: only its end of file says that it
 * is gone. */
void weir__wire_send(struct peer *peer, const struct wire *wire, int descriptor)
{
    int taken = peer->deaf || peer->first ? 0 : weir__wire_put(peer->socket, wire, descriptor);
    peer->deaf |= taken < 0;
    if (taken == 0 && !peer->deaf)
        keep(peer, wire, descriptor);
}

void weir__wire_flush(struct peer *peer)
{
    int taken = 1;
    while (peer->first &&
           (taken = weir__wire_put(peer->socket, &peer->first->wire, peer->first->descriptor)) > 0)
        drop_first(peer);
    peer->deaf |= taken < 0;
    if (peer->deaf)
        drop_all(peer);
}

void weir__wire_forget(struct peer *peer)
{
    drop_all(peer);
    if (peer->socket >= 0) {
        (void)shutdown(peer->socket, SHUT_RDWR); /* a child of fork() would keep it open */
        (void)close(peer->socket);
    }
    if (peer->pidfd >= 0)
        (void)close(peer->pidfd);
    peer->socket = peer->pidfd = -1;
}

static int take_descriptor(struct msghdr *message)
{
    int descriptor = -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static int is_text(const char *text, size_t bytes)
{
    return memchr(text, 0, bytes) != NULL;
}

static int is_whole(const struct wire *wire, size_t bytes)
{
    if (bytes < sizeof wire->kind || bytes != weir__wire_bytes(wire->kind))
        return 0;
    return bytes < sizeof *wire ||
           (is_text(wire->router, WIRE_NAME) && is_text(wire->destination, WIRE_NAME) &&
            is_text(wire->detail, WIRE_DETAIL));
}

int weir__wire_receive(struct peer *peer, struct wire *wire, int *descriptor_out)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    struct iovec part = {wire, sizeof *wire};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t came;
    *descriptor_out = -1;
    memset(wire, 0, sizeof *wire);
    do
        came = recvmsg(peer->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (came < 0 && (errno == EINTR || errno == ECONNRESET)); /* the latter once, before data */
    if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (came <= 0)
        return -1;
    *descriptor_out = take_descriptor(&message);
    if (is_whole(wire, (size_t)came))
        return 1;
    if (*descriptor_out >= 0)
        (void)close(*descriptor_out);
    *descriptor_out = -1;
    return -1;
}
