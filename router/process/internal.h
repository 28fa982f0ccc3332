/** @file internal.h  What the files of router/process/ share; of the rest of router/ only graph.c, endpoint.c and link.c
 * include it.
 *
 * A *connection* joins an output in one process with a receiving link in another: its *outbound* half
 * lies with the sender, its *inbound* half with the receiver, who owns the inbox.
 *
 *     sender's process                              receiver's process
 *     send queues -> output, one receive posted     inbox -> message into the link's output, from the send
 *     for each credit -> copy into the inbox       queue of the sender's process -> receive buffer
 *                 -- PACKET {credit, lent, bytes, offset, meta, tag, source} -->
 *                 <-- CREDIT {credit, status} -- the inbox's buffer was read, and what was lent taken; or never will be
 *
 * Who does what: programs' threads make connections and put them into the group's list; the progress thread alone
 * takes them out, and alone reads and writes the sockets and everything of a connection that is not said to be
 * guarded. So nothing of one process waits for a lock of another.
 *
 * Lock rules: group->lock is innermost and nothing is called with it held; the progress thread calls into the router as
 * any thread of a program does, with nothing locked. */
#ifndef WEIR_ROUTER_PROCESS_INTERNAL_H
#define WEIR_ROUTER_PROCESS_INTERNAL_H

#include "router/internal.h"
#include "router/process.h"

#include <pthread.h>

/* ---- what is said (wire.c) ---------------------------------------------------------------------- */

#define WIRE_MAGIC   0x72696577u /* "weir" as bytes */
#define WIRE_VERSION 3u

enum wire_kind {
    WIRE_HELLO =
        1, /* first, both ways: magic in `number`, version in `credit`, rank in `bytes`, size in `offset` */
    WIRE_OPEN,   /* receiver: an inbox; its descriptor comes along */
    WIRE_JOINED, /* sender: the inbox was mapped, all its credits are mine */
    WIRE_PACKET, /* sender: a credit was used */
    WIRE_CREDIT, /* receiver: and is free again; a status that is not WEIR_OK: nobody took the packet, nor will */
    WIRE_END, /* sender: nothing more will come, with the status and sentence of why */
    WIRE_STOP, /* receiver: nothing more is taken; each packet still has its CREDIT, until END came */
    WIRE_KINDS
};

#define WIRE_NAME   32
#define WIRE_DETAIL 256

/** One message of a socket. Both ends run on one machine, and WIRE_HELLO compares versions: plain structs do. */
struct wire {
    uint32_t kind;
    uint32_t number; /* of the connection, by its receiver */
    uint32_t credit;
    int32_t status;
    uint32_t lent, reserved; /* of a packet: others may take it too */
    uint64_t bytes, offset,
        meta;             /* of a packet; of an inbox: bytes of a buffer, buffers, weir_transport */
    uint64_t tag, source; /* of a packet */
    /* Of OPEN, END and STOP; others end before. */
    char router[WIRE_NAME], destination[WIRE_NAME];
    char detail[WIRE_DETAIL];
};

struct peer {
    int socket;                    /* -1: this process itself, or it is gone */
    int pidfd;                     /* readable when the process has ended; -1: there is none */
    int gone;                      /* it has ended, and all that it said was read */
    int deaf;                      /* it takes nothing any more */
    int waiting;                   /* the thread is told of room in the socket */
    struct outgoing *first, *last; /* what the socket did not take yet */
};

/** Bytes of a message of that kind; 0: there is none. */
size_t weir__wire_bytes(uint32_t kind);
/** Send now. @param descriptor  to come along; stays the caller's; -1: none.
 *  @return 1, 0: the socket does not take it now, -1: nor later. */
int weir__wire_put(int socket, const struct wire *wire, int descriptor);
/** Send, or keep for later what the socket does not take. Nothing, if the peer takes nothing any more. */
void weir__wire_send(struct peer *peer, const struct wire *wire, int descriptor);
/** Send what was kept. */
void weir__wire_flush(struct peer *peer);
/** Take the next message. @param[out] descriptor_out  the caller's; -1: none.
 *  @return 1, 0: there is none now, -1: the peer is gone, or sent what nobody of this version does. */
int weir__wire_receive(struct peer *peer, struct wire *wire, int *descriptor_out);
/** Hang up, also for what a program that forked holds of the socket. */
void weir__wire_forget(struct peer *peer);

/* ---- meeting (meet.c) ------------------------------------------------------------------------------ */

/** Fill in the sockets of group->peers. */
weir_status weir__group_meet(weir_group *group, const char *path, int64_t timeout_ms);

/* ---- groups (group.c, progress.c) -------------------------------------------------------------------- */

struct credit {
    weir_pending *pending; /* outbound: the receive that is posted for it */
    int told;              /* outbound: the receiver has the packet, and has not answered */
    weir_future
        *done;     /* inbound: complete when the inbox's buffer was read, and what was lent taken */
    int unwatched; /* inbound: there was no memory to be told of that */
};

struct connection {
    struct connection *next; /* guarded by group->lock, but for the progress thread's reading */
    weir_group *group;       /* held */
    int inbound;
    uint32_t process; /* the other one */
    char router[WIRE_NAME], destination[WIRE_NAME];
    struct output
        *output;   /* held; NULL in an outbound half that this process has made no link for */
    int joined;    /* guarded by group->lock: it has its other half, or ended without */
    int told_gone; /* that the other process has ended */
    int open;      /* there is an inbox */
    int ended;     /* the other process said that nothing more comes, or is taken */
    int stopped;   /* this one said so */
    uint32_t number;
    const struct transport *transport; /* its row: one that joins processes */
    char *inbox;
    size_t room, stride; /* bytes of a buffer, and from one to the next */
    uint32_t count;
    struct credit *credits;
    uint32_t *posted; /* outbound: a ring of credits in the order posted */
    uint32_t first, posted_count;
    uint32_t in_flight;  /* packets that were told and not answered */
    int watched;         /* outbound: the copy of the first receive wakes the thread */
    int handle;          /* inbound: the inbox's, until it was sent; -1: none */
    weir_status refused; /* outbound, without a link yet: why its inbox cannot be used */
    char why[WIRE_DETAIL];
};

struct weir_group {
    _Atomic uint32_t references; /* the handle, remote endpoints, connections, watches; acq_rel */
    weir_context *context;       /* held by the handle and endpoints */
    uint32_t rank, size, next_number;
    int epoll, wake;
    _Atomic int woken; /* acq_rel: `wake` was written to, and the thread has not looked since */
    pthread_t thread;
    int watch_failed;     /* a copy could not be watched: the thread looks again by the clock */
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    int leaving, lost; /* lost: a process ended before the link below was joined */
    uint32_t lost_process;
    char lost_router[WIRE_NAME], lost_destination[WIRE_NAME];
    struct connection *connections;
    struct peer peers[WEIR_GROUP_MAX]; /* `gone` under the lock, the rest the progress thread's */
};

weir_group *weir__group_retain(weir_group *group);
void weir__group_release(weir_group *group);
/** Have the progress thread look at all connections; any thread, with any lock held. */
void weir__group_wake(void *group);
/** A connection will never be joined; the group is locked. */
void weir__group_lost(const struct connection *connection);
/** The same as a future's notification, which holds the group. */
void weir__group_notified(void *group);
void *weir__group_progress(void *group);
/** Nothing will come from that process: it has ended, or this one is leaving. */
int weir__group_is_over(weir_group *group, uint32_t process);
/** Say something to a process, unless it is gone. */
void weir__group_say(weir_group *group, uint32_t process, const struct wire *wire, int descriptor);

/* ---- connections (connection.c) ------------------------------------------------------------------------ */

/** Not in the list yet. */
weir_status weir__connection_create(weir_group *group, int inbound, uint32_t process,
                                    const char *router, const char *destination,
                                    struct connection **connection_out);
/** Gives up everything; not in the list any more. */
void weir__connection_destroy(struct connection *connection);
/** Take it out of the list, and destroy it. */
void weir__connection_close(struct connection *connection);
void weir__connection_joined(struct connection *connection);
/** Put it behind the others in the list: links of equal names meet in the order made. */
void weir__connection_add(struct connection *connection);
/** Take over what WIRE_OPEN says of an inbox, and memory for its credits. */
weir_status weir__connection_inbox(struct connection *connection, const struct wire *about);
/** The next in the list, or the first; progress thread. */
struct connection *weir__connection_next(weir_group *group, const struct connection *connection);
/** By the receiver's number, or NULL. */
struct connection *weir__connection_numbered(weir_group *group, int inbound, uint32_t process,
                                             uint32_t number);
/** What the output of a connection ended with; WEIR_OK while it is open. */
weir_status weir__connection_output_ended(struct connection *connection);
/** Cancel the router with the status and sentence of another process. */
void weir__connection_cancel(struct connection *connection, weir_status status, const char *detail);
void weir__connection_say(struct connection *connection, uint32_t kind, uint32_t credit,
                          weir_status status);
/** WIRE_END or WIRE_STOP, with the sentence of the router if the status is a failure. */
void weir__connection_say_end(struct connection *connection, uint32_t kind, weir_status status);

/* ---- the two halves (outbound.c, inbound.c): progress thread ------------------------------------------- */

/** For an output whose destination lies in another process; while building. */
weir_status weir__outbound_create(struct output *output);
void weir__outbound_open(weir_group *group, uint32_t process, const struct wire *wire, int handle);
void weir__outbound_credit(struct connection *connection, const struct wire *wire);
void weir__outbound_stop(struct connection *connection, const struct wire *wire);
/** Move what can be moved. The connection may be gone after. */
void weir__outbound_progress(struct connection *connection);
void weir__outbound_gone(struct connection *connection);

/** For what @p source, of another process, sends to @p output; makes the inbox. While building. */
weir_status weir__inbound_create(const weir_endpoint *source, struct output *output);
void weir__inbound_packet(struct connection *connection, const struct wire *wire);
void weir__inbound_end(struct connection *connection, const struct wire *wire);
void weir__inbound_progress(struct connection *connection);
void weir__inbound_gone(struct connection *connection);

#endif
