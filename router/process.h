/** @file process.h  Routers over several processes of one machine.
 *
 * A *group* is a number of processes, each with a rank, that meet in a directory: nothing but the processes
 * is started. An endpoint may then live in another process of the group. All processes build the same
 * graph, each from its own point of view: endpoints of its own devices by weir_endpoint_create(), the
 * others by weir_endpoint_create_remote(), under the same names. A router that several of them make is one
 * router, of which each process has its part:
 *
 *     process 0: link(host, R)    link(R, remote 1 "a")   link(R, remote 2 "b")     sends, chooses
 *     process 1: link(remote 0 "host", R)   link(R, a)                              receives at a
 *     process 2: link(remote 0 "host", R)   link(R, b)                              receives at b
 *
 * The policy is asked where a message is sent, and packets are claimed there: any, priority and all
 * others are as good over processes as in one. weir_group_join() waits until the others have made their parts.
 *
 * How it works: for each process that sends to a receiving link, the receiver opens an *inbox*, as many
 * buffers as the link has, in memory that both processes see. A free buffer is a *credit* of the sender's: packets are
 * copied straight into it, and from there into the receive buffer. See docs/router.md and docs/design.md.
 *
 * Ends: shutdown, cancel (with its sentence) and destroying go to the other processes. A process that
 * ends, or is killed, with links that were not shut down cancels with WEIR_ERR_PROCESS the routers that it sent into;
 * where it only received, candidates that are left take over, and where there are none the router
 * is cancelled. Packets with a choice that its program had not taken go to those candidates, or their `done` fails; packets
 * without one that were copied into its inbox are lost with it. A process that stands still is waited for: give waits a time limit.
 *
 * Threads: as in router.h. A group has one thread, which calls `arrived` of links and matches packets of other
 * processes. Linux only: it takes memfd_create, epoll and Unix sockets. Processes are spawned,
 * or forked before the first context is made. All run under one user. */
#ifndef WEIR_ROUTER_PROCESS_H
#define WEIR_ROUTER_PROCESS_H

#include "router/router.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most processes of a group. */
#define WEIR_GROUP_MAX 64

typedef struct weir_group weir_group; /**< long-lived */

/** Meet the other processes. Where, which and how many is said by the tunables of the context: `group`, a
 *  directory that is made if there is none (WEIR_GROUP), `rank` (WEIR_RANK), from 0, and `size`
 *  (WEIR_SIZE), the number of processes.
 *  @param[in] context     keeps it as long as the group is there.
 *  @param[in] timeout_ms  until all have come; negative: without limit.
 *  @retval WEIR_ERR_INVALID  the tunables say no group, two processes have one rank, or another process is of another
 *                            size or of another version of weir.
 *  @retval WEIR_ERR_TIMEOUT  not all have come.
 *  @retval WEIR_ERR_IO       the directory cannot be used.
 *  @par Blocks  until all have come. */
weir_status weir_group_create(weir_context *context, int64_t timeout_ms, weir_group **group_out);
/** This process's number in the group, and how many there are. */
uint32_t weir_group_rank(const weir_group *group);
/** See weir_group_rank(). */
uint32_t weir_group_size(const weir_group *group);

/** An endpoint of another process, found there by its name when a link joins the two: by its first 31
 *  bytes. Of links to it the bounds of the input (`send_messages`, `send_bytes`, `room`) are taken from the
 *  configuration, and a transport, which is refused where it does not join two processes: for the rest the
 *  receiver's holds. Links from it only say who sends.
 *  @param[in] process  its rank.
 *  @retval WEIR_ERR_INVALID  no such process, or this one itself. */
weir_status weir_endpoint_create_remote(weir_group *group, uint32_t process, const char *name,
                                        weir_endpoint **endpoint_out);

/** Wait until all links between processes that this one has made have their other half. Before that, sending
 *  to another process is refused. Links are found by the name of the router, or of the source where there is
 *  none, and of the destination.
 *  @param[in] timeout_ms  negative: without limit.
 *  @retval WEIR_ERR_TIMEOUT  one was not made; the sentence says which.
 *  @retval WEIR_ERR_PROCESS  it will not be made: its process has ended.
 *  @par Blocks  until then. */
weir_status weir_group_join(weir_group *group, int64_t timeout_ms);

/** Leave the group. What is under way with other processes is cancelled; what was shut down, or whose
 *  links are destroyed, is first brought to its end. Endpoints and links stay valid until they
 *  are destroyed. NULL is fine.
 *  @par Blocks  until copies to and from other processes are over. */
void weir_group_destroy(weir_group *group);

#ifdef __cplusplus
}
#endif
#endif
