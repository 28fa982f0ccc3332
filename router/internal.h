/** @file internal.h  The router layer's own structs. Included in router/ only.
 *
 * Lock rules, outermost first: the builder's (graph.c), a router's graph lock, an output's matching, its lock, a
 * message's, a future's. A message is routed with one graph lock held for reading, that of the router it is sent into,
 * through however many it goes: whoever changes where a router sends to holds those of all that feed it, in
 * the order of their numbers, for writing. No two outputs' locks are held at a time. Who has an output's matching
 * pairs what was sent with what was posted, which takes calls of a backend; its lock is held for lists and
 * states alone. Senders and receivers take the lock, and only ever try the matching, but to relieve who has done
 * more than its share (they wait for it, or for who came first), to change the graph, for statistics, and at the end. "Output locked" is its lock, "matching"
 * says the other. A program's `arrived` callback is called with neither, and so a cancel starts. The call-back of an event
 * may come while this thread holds any of these locks: it only ever tries an output's matching, and puts off what it
 * came for while its thread holds one of its two (watch.c). */
#ifndef WEIR_ROUTER_INTERNAL_H
#define WEIR_ROUTER_INTERNAL_H

#include "router/router.h"
#include "runtime/internal.h"
#include "runtime/trace.h"

#include <pthread.h>
#include <stdatomic.h>

#define PORTS_MAX WEIR_ROUTER_PORTS_MAX

/* ---- endpoints (endpoint.c) ------------------------------------------------------------------- */

struct weir_endpoint {
    _Atomic uint32_t references; /* the program's handle and links; acq_rel. Unused by a router's */
    weir_context *context;
    weir_device *device; /* NULL for a router's */
    weir_router *router; /* NULL for a device's */
    /* Of an endpoint in another process, whose device is home here; held. NULL for others. */
    struct weir_group *group;
    uint32_t process;
    _Atomic(void *) user; /* the program's; release, acquire */
    pthread_mutex_t lock; /* guards all below */
    weir_link *direct;    /* links from here to other plain endpoints, linked by next_direct */
    char name[32];
};

weir_endpoint *weir__endpoint_retain(weir_endpoint *endpoint);
void weir__endpoint_release(weir_endpoint *endpoint);

struct beacon;
struct window;
struct send_queue;
struct output;

/* ---- messages (message.c, claim.c) ------------------------------------------------------------ */

/** Alternatives below alternatives, with "all of" between them, that one message may have. */
#define DECISIONS_MAX 6

/** On the way from a message's root to one receiver: a choice between alternatives. A receiver may
 *  take a parcel if at every decision nobody has chosen another alternative. */
struct decision {
    uint16_t node;        /* which choice of the branch */
    uint16_t alternative; /* counted from 1; 0 in a parcel's claims is: open */
    uint16_t more;        /* copies, beyond one, that come with choosing it */
};

struct leaf {
    uint32_t decisions;
    struct decision decision[DECISIONS_MAX];
    struct beacon
        *beacon; /* of a message's: its output's, held, where there is a choice; else NULL */
};

/** Of a claim: it is for good. Until then the parcel is *lent* to who claimed it. */
#define CLAIM_KEPT UINT32_C(0x10000)

/** One packet's worth of a message, offered to one output or to several. */
struct parcel {
    struct message *message;
    size_t offset, bytes;
    /* One word for each choice of the branch: the alternative that was taken, 0 while open. seq_cst:
     * who takes it owns it. NULL if there is nothing to choose. */
    _Atomic uint32_t *claims;
    int lends;                   /* a choice between single outputs: it may come back from one */
    _Atomic int returned;        /* relaxed: it came back from one */
    _Atomic uint32_t candidates; /* acq_rel: if it lends, outputs that may still take it */
    /* seq_cst with `claims`: some output left it to others (pace.c), or gave it up for want of an event, and has to see who
     * keeps it */
    _Atomic int left;
};

/** A parcel in the send queue of one output; a parcel of several candidates has one in each, and
 *  those that come too late are stale and dropped (Groute 4.2), once the parcel cannot come back. */
struct offer {
    struct offer *next;
    struct parcel *parcel;
    const struct leaf *leaf; /* NULL: nothing to choose */
    int watched;             /* the output looks again when the message is ready */
    uint64_t withheld_ns;    /* since when the output leaves it to others, or 0 (pace.c) */
};

/** Sent once, cut into parcels, done when the last of them was copied. One block of memory. */
struct message {
    _Atomic uint32_t references; /* offers, and the sender while it cuts; acq_rel */
    weir_router *router;         /* that it was sent into; held */
    struct window *window;       /* of its link; held; NULL of a packet from another process */
    struct message *next_over;
    weir_segment segment;
    size_t base;                  /* of a packet from another process: its offset in its message */
    weir_event *ready;            /* held; may be NULL */
    _Atomic int is_ready;         /* relaxed: `ready` was found complete, or there is none */
    weir_future *done;            /* may be NULL */
    uint64_t posted_ns, serial;   /* where a trace is on */
    _Atomic uint64_t copies_left; /* acq_rel: the last one completes the message */
    pthread_mutex_t lock;         /* guards all below */
    weir_status status;           /* of the first parcel that failed */
    char *detail;                 /* its sentence, or NULL; freed with the message */
    int watched;                  /* its outputs look when `ready` has come */
    _Atomic uint32_t tails_left;  /* acq_rel: not reached yet, once all copies were put */
    uint32_t tail_count;
    struct tail {
        weir_queue *queue;
        weir_event
            *event; /* behind this message's last copy in that queue; NULL: none was marked */
        weir_queue *first;     /* of copies that could not be marked: where they begin */
        uint32_t unmarked;     /* how many such there are, to fail once both queues are empty */
        struct output *output; /* that has the queues: held while there are such */
        weir_status status;    /* with what */
        int unwatched;         /* the event could not be watched, and is to be waited for */
    } * tails;
    int is_stuck;               /* some tail is to be waited for, and a thread knows */
    struct message *next_stuck; /* that thread's */
    int turns;                  /* a choice whose candidates, all single outputs, take turns */
    uint32_t leaf_count;
    struct leaf *leaves;
    struct parcel *parcels;
    struct offer *offers;
};

/** What a message is made of. */
struct message_size {
    uint64_t parcels, offers, claims;
    uint32_t leaves; /* and as many queues at most */
};

/** @param[in] window  of the link it is sent on, which counts the message already, until it is over; NULL: none does.
 *  @param[in] copies  to be made if every choice takes an alternative of one copy.
 *  @param[out] done_out  may be NULL. */
weir_status weir__message_create(weir_router *router, struct window *window,
                                 const weir_segment *segment, weir_event *ready,
                                 const struct message_size *size, uint64_t copies,
                                 weir_future **done_out, struct message **message_out,
                                 _Atomic uint32_t **claims_out);
void weir__message_ref(struct message *message);
void weir__message_unref(struct message *message, uint32_t count);
/** All outputs that may take its packets, where there is a choice, look, in the order of preference. No output locked. */
void weir__message_kick(struct message *message);
/** Whether the sender's memory may be read now. */
int weir__message_is_ready(struct message *message);
/** Whether copies of this message were put into @p queue before: it waits for `ready` already. */
int weir__message_is_in(struct message *message, const weir_queue *queue);
/** A copy was put into a queue of @p sends, with @p event recorded right behind where it read the segment.
 *  @param[in] sends  NULL: not known any more.  @param[in] event  NULL: the message knows it. */
void weir__message_copied(struct message *message, const struct send_queue *sends,
                          weir_queue *queue, weir_event *event);
/** The same of a copy that does not count, since its receiver is gone: it still reads the segment. */
void weir__message_reads(struct message *message, weir_queue *queue, weir_event *event);
/** A copy will never be made, for @p status. */
void weir__message_failed(struct message *message, weir_status status);

/** A copy was put into the queues but could not be marked: it fails with @p status when they are empty.
 *  Matching. */
void weir__message_stuck(struct output *output, struct message *message, weir_queue *first,
                         weir_queue *last, weir_status status);
/** A parcel came back, or is kept that some output left to others: with weir__messages_settle() its outputs look again.
 *  Takes the offer's reference over. */
void weir__message_offered_again(struct offer *offer);
/** Do what this thread put off, with nothing locked: wait for what it found stuck, and for futures
 *  (weir__futures_settle()), have outputs look for what came back. Most often there is nothing. */
void weir__messages_settle(void);

/** Whether somebody else took the parcel, for good. */
int weir__offer_is_stale(const struct offer *offer);
/** Whether somebody else has the parcel and may give it back. */
int weir__offer_is_lent(const struct offer *offer);
/** Whether others may still take it. */
int weir__offer_is_open(const struct offer *offer);
/** Try to take it: on success this output must copy it, fail it or give it up. */
int weir__offer_claim(const struct offer *offer);
/** It was claimed here but cannot be copied now: if it lends, others may take it. @return whether those are to look. */
int weir__offer_unclaim(const struct offer *offer);
/** Now that it is kept others have to see that: one waits for its end, or for what comes behind it. */
int weir__offer_is_awaited(const struct offer *offer);
/** Its receiver has the parcel, so that it does not come back: others may drop their offers. */
void weir__offer_keep(const struct offer *offer);
/** The parcel was claimed here and lent, and no receiver has it: others may take it again. */
void weir__offer_return(const struct offer *offer);
/** This output will never take it, for @p status: it is left to the other candidates, if there are. */
void weir__offer_forgo(const struct offer *offer, weir_status status);

/* ---- transports (transport/) ------------------------------------------------------------------ */

#define STREAMS_MAX 3 /* queues of an output on one source: two for large packets, one for small */

/** The queues of one stream of copies: what reads the source and what writes the destination; the same
 *  if one copy does both. */
struct stream {
    const struct transport *transport; /* its row: transport/transport.h */
    weir_queue *first, *last;
};

/** Open the streams of a send queue: of the transport that was asked for, or of the first that joins the two.
 *  @retval WEIR_ERR_UNSUPPORTED  what was asked for does not. */
weir_status weir__transport_open(struct output *output, struct send_queue *sends);
/** What the tunable says; AUTO if it fails. @retval WEIR_ERR_INVALID  it is none of the names. */
weir_status weir__transport_tuned(const weir_context *context, weir_transport *transport_out);

/* ---- outputs (output.c, send_queue.c, transfer.c) ----------------------------------------------------- */

/** What one input has sent to one output and was not taken yet: senders take turns by send queues. */
struct send_queue {
    const weir_link *link; /* NULL once it is gone; only who builds may follow it */
    const struct weir_group
        *group; /* what `process` is of, if the input lies in another one, or NULL */
    uint32_t process;
    weir_device *source;
    int32_t priority;       /* the input's */
    struct stream large[2]; /* packets take turns, where there are two */
    struct stream small;    /* of packets up to small_bytes */
    size_t small_bytes;
    uint32_t turn;
    struct offer *head, *tail; /* tail: where there is a head */
    /* Offers that others may take, since stale ones were looked for behind the head; after how many that is done again. */
    uint64_t choices, until_trim;
    int shut; /* nothing more will come */
    /* Left by who sends and who shuts it, with the output locked, as `link`. All else above is of who matches, or stays as it was made. */
    struct offer *new_head, *new_tail; /* sent, and not collected */
    uint64_t new_choices;
    int shutting;
    char from[64]; /* the sender, and whether the router is the link's own: for traces */
    int direct;
    struct weir__trace_place trace;
};

/** A receive buffer and the receive it is posted for. */
struct weir_pending {
    struct output *output;
    struct weir_pending *next;        /* among those not taken, in the order posted, or the spare */
    struct weir_pending *next_credit; /* the same among those that have no packet */
    struct weir_pending *next_returned;
    void *data;           /* memory of the destination */
    size_t room;          /* bytes of it */
    int own;              /* the link's own, else the program's */
    int held;             /* the program has the handle; with the output locked */
    void *bounce;         /* packet_bytes of page-locked host memory, if a sender needs it */
    int bounced;          /* the packet came by it */
    weir_future *future;  /* complete when the bytes are there */
    weir_segment segment; /* valid once assigned is WEIR_OK */
    weir_status assigned; /* WEIR_PENDING until matched or ended */
    uint64_t posted;      /* in the order posted */
    uint64_t served_at;   /* what the router had served when it was assigned (pace.c) */
    int working;          /* it counts among the router's `working` */
    int taken;            /* what is assigned to it does not go back any more */
    /* What is lent to it: an offer with its reference, the event behind which it is sent, held, and that event's queue; or
     * NULL. It may be sent before it has arrived, so who writes to the buffer next goes by `future`. */
    struct offer *lent;
    weir_queue *copied_in;
    weir_event *copied;
    struct weir_pending *next_lent, **lent_at; /* among the output's, in no order */
    int told; /* another process was told of what is lent: it may have taken it, and says whether it has */
    const weir_queue *_Atomic
        gated; /* seq_cst with the output's `withheld`: a queue that waits for the bytes already, or NULL */
    /* The buffer is *promised* until both have come, and *free* then. */
    weir_event *reuse;         /* the buffers may be written after this, or NULL */
    weir_event *ready;         /* the same for the program's memory; borrowed */
    const weir_event *watched; /* the output looks again when this one has come */
};

/** Receives that have no packet, in the order posted. */
struct credits {
    struct weir_pending *first, *last; /* by next_credit; last: where there is a first */
};

/** Why an output is to be looked at: a call-back came, or a thread left something. */
#define LOOK_CALLED 1u
#define LOOK_ASKED  2u

/** By what an output that found no event left is called. */
enum watched { WATCHED_POOL, WATCHED_CLOCK, WATCHED_COUNT };

struct output {
    _Atomic uint32_t references; /* the link and taken receives; acq_rel */
    weir_router *router;         /* held */
    weir_endpoint *destination;  /* held */
    char to[64];                 /* the same for traces */
    size_t packet_bytes;
    uint32_t buffers; /* 0: WEIR_BUFFERS_NONE */
    weir_transport transport;
    int early; /* packets are matched before they are ready although there are other senders */
    struct beacon *beacon;  /* what call-backs find it by */
    _Atomic uint32_t looks; /* acq_rel: why it is to be matched again */
    _Atomic int weary;      /* relaxed, a hint: who matches has done its share */
    /* Relaxed, a hint: threads that wait for the matching, and look then. */
    _Atomic uint32_t reliefs;
    _Atomic int watches
        [WATCHED_COUNT]; /* relaxed, ordered by `looks`: whether an event's return is watched for */
    void (*arrived)(void *user);
    void *arrived_user;
    uint32_t telling;    /* threads that are in `arrived` */
    pthread_cond_t told; /* none is any more */
    int unlinked;        /* the link is gone, and the program is not called any more */
    weir_queue *pull;    /* on the destination's device */
    /* On a source's device, where copies start there. */
    weir_queue *push[WEIR_DEVICES_MAX + 1][STREAMS_MAX];
    /* Its receiver lies in another process, whose packet size is not known yet. Release, acquire:
     * publishes packet_bytes. */
    _Atomic int unjoined;
    pthread_mutex_t matching; /* guards what is said to be of who matches */
    /* Guards all else below. What is said to be of both is read with either, and changed with both. */
    pthread_mutex_t lock;
    struct weir_group *group; /* held: other processes send here; NULL: none does */
    int dropped; /* of who matches: its link into another process was destroyed before all was sent */
    struct send_queue **send_queues;            /* both */
    uint32_t send_queue_count, send_queue_room; /* both */
    uint32_t turn;            /* of who matches: the send queue that is asked first */
    _Atomic uint32_t senders; /* inputs that there ever were; relaxed where the lock is not held */
    int bouncing;             /* both: some sender is staged, and slots need a bounce buffer */
    int orphan;               /* the link is gone */
    int starved;              /* of who matches: it looks again when an event may be free */
    weir_status ended;        /* both: WEIR_OK while open, then WEIR_CLOSED or the failure */
    struct weir_pending *slots; /* `buffers` of them */
    /* Not given out, in the order posted. Last: where there is a first. */
    struct weir_pending *untaken, *untaken_last;
    struct credits posted;    /* not collected */
    struct credits unmatched; /* of who matches: collected */
    struct weir_pending
        *returned;             /* taken, and given back with nothing in them; by next_returned */
    struct weir_pending *lent; /* receives that something is lent to */
    int forfeited; /* the process of its receiver has ended: what was told to it comes back */
    struct weir_pending *spare; /* for receives into the program's memory */
    uint64_t posts;
    uint32_t held;          /* receives that the program has */
    struct pace {           /* of who matches */
        uint64_t served_at; /* what the router had served when the last buffer came back */
        uint32_t cost,
            known; /* what others serve meanwhile, in sixteenths; whether one came back */
        uint64_t
            patience_ns; /* how long packets are left to others: the tunable's, doubled when that was in vain, until */
        /* a buffer comes back; 0: they are not */
        uint64_t look_ns;     /* when it looks whether one was, or did */
        _Atomic int withheld; /* when it was matched last, one was; seq_cst with slots' `gated` */
    } pace;
    enum idling { FLOWING, STALLED, STARVED } idling; /* since `idling_since` (output.c) */
    uint64_t idling_since;                            /* nanoseconds of the context */
    uint64_t matched_ns;   /* while a trace is on: when a packet last met a receive */
    weir_link_stats stats; /* these four of who matches */
};

void weir__output_lock(struct output *output);
void weir__output_unlock(struct output *output);
/** Say that somebody should look: LOOK_ASKED or LOOK_CALLED. What is to be found was left before. */
void weir__output_ask(struct output *output, uint32_t why);
/** Take the matching if nobody has it. @return 0: somebody has. */
int weir__output_try(struct output *output);
/** The same if somebody should look. @return 0: nobody should, or who has it will. */
int weir__output_look(struct output *output);
/** Wait for the matching, and take it, if who has it has done its share. @return 0: it has not, or this is a call-back. */
int weir__output_relieve(struct output *output);
/** Wait for the matching, and take it. */
void weir__output_seize(struct output *output);
/** Let it go; the caller sees to it that somebody looks. */
void weir__output_let_go(struct output *output);
/** Let it go, and match what somebody asked for meanwhile. */
void weir__output_cede(struct output *output);
/** Match what can be, now or when whoever matches looks again. Never waits in a call-back. */
void weir__output_kick(struct output *output);
/** Take in what senders and receivers have left. Matching, not locked. */
void weir__output_collect(struct output *output);
/** Kick the output when @p event has come, if it is still there then. Matching.
 *  @retval WEIR_ERR_NOMEM  there is no memory for it; @return or another failure of the backend. */
weir_status weir__output_watch(struct output *output, weir_event *event);
/** The same for all outputs that may take its packets when the message is ready; once is enough. Matching. */
weir_status weir__message_watch(struct message *message);
/** The same as the first when one of the device's events may be free again. */
weir_status weir__output_watch_pool(struct output *output, weir_device *device);
/** All copies of a message are accounted for: its link has room again. */
void weir__message_over(struct message *message);
/** The same some time after @p delay_ns. */
weir_status weir__output_watch_time(struct output *output, uint64_t delay_ns);
/** Whether this thread is in the call-back of an event, where nothing may be waited for. */
int weir__watch_calling(void);
weir_status weir__beacon_create(struct output *output);
struct beacon *weir__beacon_ref(struct beacon *beacon);
/** NULL is fine. */
void weir__beacon_unref(struct beacon *beacon);
/** Its output looks, if there still is one. No output locked. */
void weir__beacon_kick(struct beacon *beacon);
/** Waits for call-backs that are using the output; later ones do not find it. NULL is fine. */
void weir__beacon_destroy(struct beacon *beacon);

weir_status weir__output_create(weir_router *router, weir_endpoint *destination,
                                const weir_link_config *config, struct output **output_out);
void weir__output_ref(struct output *output);
/** The last one waits for copies that are under way. */
void weir__output_unref(struct output *output);
/** Put offers [first .. last] of one input behind its others and match. The caller cancels the router
 *  if this fails. */
weir_status weir__output_offer(struct output *output, const weir_link *link, struct offer *first,
                               struct offer *last);
/** End every open receive, drop every offer; the first status stays. */
void weir__output_end(struct output *output, weir_status status);
/** The same for an output whose receiver's process has ended: what that was told of and had not taken comes back too. */
void weir__output_forfeit(struct output *output, weir_status status);
/** The link is gone: end, and post nothing any more. */
void weir__output_orphan(struct output *output);
/** Match what can be, or have who matches do it, and tell the receiver of it, or where @p woke says so. Nothing locked. The
 *  caller cancels the router if this fails. */
weir_status weir__output_progress(struct output *output, int woke);
/** What is under way on it now, and its times up to now, into @p stats. Nothing locked. */
void weir__output_read(struct output *output, weir_link_stats *stats);
/** Post a slot; the output is locked. */
weir_status weir__output_post(struct output *output, struct weir_pending *slot);
/** Post a buffer of the link's again after its release, or keep the slot for the program's next. */
weir_status weir__output_give_back(struct output *output, struct weir_pending *slot);
/** weir_link_receive_into(), whosoever the link is. */
weir_status weir__output_receive_into(struct output *output, void *data, size_t bytes,
                                      weir_event *ready, weir_pending **pending_out);
/** What a staged sender needs of a slot; the output is locked. */
weir_status weir__slot_bounce(struct output *output, struct weir_pending *slot);
/** The queue number @p number on @p source for copies that start there. */
weir_status weir__output_push_queue(struct output *output, weir_device *source, uint32_t number,
                                    weir_queue **queue_out);

/** Join an input to an output; nothing if it is already. While building. */
weir_status weir__send_queue_open(struct output *output, weir_link *link);
/** The input sends no more, or is gone altogether; the caller makes progress. Output locked. */
void weir__send_queue_shut(struct output *output, const weir_link *link);
void weir__send_queue_gone(struct output *output, const weir_link *link);
/** Take back what weir__send_queue_open() did. While building. */
void weir__send_queue_undo(struct output *output, const weir_link *link);
/** The send queue of an input, or NULL. Output locked. */
struct send_queue *weir__send_queue_of(const struct output *output, const weir_link *link);
/** Put offers [first .. last] behind the others. Output locked. */
void weir__send_queue_append(struct send_queue *sends, struct offer *first, struct offer *last);
/** Take in what was put behind the others. Matching, and output locked. */
void weir__send_queues_collect(struct output *output);
/** Now and then drop what others took from all of the send queues. Matching. */
void weir__send_queues_thin(struct output *output);
/** Put an offer that was taken out before the others again; it stays claimed. Matching. */
void weir__send_queue_put_back(struct send_queue *sends, struct offer *offer);
/** The next offer that the first unmatched slot may be given, claimed and taken out of its queue;
 *  @p sends_out that queue. Matching. */
struct offer *weir__send_queues_next(struct output *output, struct send_queue **sends_out);
/** Whether a slot's buffer may be written now. Matching. */
int weir__slot_is_free(struct weir_pending *slot);
/** Kick the output when it is. Matching. @return not WEIR_OK: it is, or nobody would say so. */
weir_status weir__slot_await(struct weir_pending *slot);
/** Packets that wait for a receive: not taken, nor lent to another output. Matching. */
uint64_t weir__send_queues_waiting(const struct output *output);
/** Whether at least so many do. Matching. */
int weir__send_queues_wait(const struct output *output, uint64_t packets);
/** Packets of one sender that wait, counted up to @p most. Matching. */
uint64_t weir__send_queue_length(const struct send_queue *sends, uint64_t most);
/** Drop what others took from the front of all send queues. Matching. */
void weir__send_queues_trim(struct output *output);
/** All send queues are shut and empty. Matching. */
int weir__send_queues_drained(const struct output *output);
void weir__send_queues_destroy(struct output *output);

/** Of a new output; when a slot is assigned a packet; its buffer has come back from the program and its device (these
 *  matching); or nobody will know when (pace.c): of a slot that nobody has, or locked. */
void weir__pace_open(struct output *output);
void weir__pace_assigned(struct weir_pending *slot);
void weir__pace_served(struct weir_pending *slot);
void weir__pace_dropped(struct weir_pending *slot);
/** Whether an offer is left to others although a buffer is free, since this output's device is far behind; then it looks
 *  again when that may have changed. Matching. */
int weir__pace_withholds(struct output *output, struct offer *offer);

/** How traces name an endpoint: with its device, if its name does not say that. */
void weir__traced_name(const weir_endpoint *endpoint, char name_out[64]);
/** What a trace is told of links (traced.c). Matching. A packet is about to be put into queues: what these are to know of it. */
struct weir__trace_mark weir__traced_packet(struct weir__trace *trace, struct output *output,
                                            struct send_queue *sends, const struct parcel *parcel);
/** It was. */
void weir__traced_carried(struct weir__trace *trace, const struct weir__trace_mark *mark);
/** An output was matched. @param[in] sends  whose packet was the last that met a receive; NULL: none did. */
void weir__traced_level(struct weir__trace *trace, const struct output *output,
                        struct send_queue *sends);
/** Nothing met since packets, or receives, were missing. */
void weir__traced_idled(struct weir__trace *trace, const struct output *output, uint64_t stalled_ns,
                        uint64_t starved_ns);

/** Copy a parcel into a slot's buffer; the slot's future completes with it. Takes the offer over, and its
 *  reference. Matching.
 *  @retval WEIR_FULL  no event is left. Nothing happened, and the output looks again when one may be. */
weir_status weir__transfer(struct output *output, struct send_queue *sends,
                           struct weir_pending *slot, struct offer *offer);
/** Something is lent to a slot from now on, or no more. Output locked. */
void weir__slot_lend(struct weir_pending *slot, struct offer *offer);
void weir__slot_unlend(struct weir_pending *slot);
/** What was lent to a slot, which ends with @p status; NULL: nothing was. Output locked. */
struct offer *weir__slot_withdraw(struct weir_pending *slot, weir_status status);
/** What came back so goes to other candidates, or ends with @p status. Nothing locked. */
void weir__offer_lost(struct output *output, struct offer *offer, weir_status status);
/** Of a slot that stands for a credit of another process: that is told of its packet from now on. @return what is assigned.
 *  @param[out] lent_out  whether the packet may go to others. */
weir_status weir__pending_tell(weir_pending *pending, int *lent_out);
/** That process has taken the packet, or (@p status not WEIR_OK) never will: it goes to other candidates. */
void weir__pending_answered(weir_pending *pending, weir_status status);
/** What a slot was lent: an offer with its reference, and the event behind which it is sent, held, of a queue. */
struct loan {
    struct offer *offer; /* or NULL */
    weir_queue *queue;
    weir_event *copied;
};

/** The program has the slot: what is lent to it, now or later, is kept, and its message waits for the copy. Output locked. */
struct loan weir__slot_taken(struct weir_pending *slot);
/** Keep it. Nothing locked. @return a message, held, whose outputs have to look again; or NULL. */
struct message *weir__loan_keep(const struct loan *loan);

/* ---- routing (dispatch.c) ------------------------------------------------------------------------- */

/** A piece of a message that is cut by itself: for one receiver, or for those of a choice. */
struct branch {
    size_t offset, bytes, packet;
    uint32_t first_leaf, leaves, choices;
    int single;      /* each alternative is one output */
    uint32_t groups; /* candidates of its first choice that take turns; 0: they do not */
};

struct recipient {
    struct output *output;
    uint32_t group; /* the candidate of the branch's first choice that it lies below */
    struct leaf leaf;
};

/** Where a message goes, worked out by the policies; kept by the link for its next message. */
struct dispatch {
    struct branch *branches;
    struct recipient *recipients; /* the leaves of all branches, in order */
    uint32_t branch_count, branch_room, recipient_count, recipient_room;
    uint32_t group; /* of the leaves being added */
};

/** Ask the policies, with the graph of the link's router locked for reading. */
weir_status weir__dispatch_make(struct dispatch *dispatch, const weir_link *link,
                                const weir_segment *segment);
void weir__dispatch_free(struct dispatch *dispatch);

/* ---- routers and links (router.c, wiring.c, graph.c, link.c) ---------------------------------- */

/** What a router can send to: a receiver, or another router; neither once the link is gone. */
struct port {
    struct output *output; /* or NULL */
    weir_router *router;   /* or NULL */
};

struct weir_router {
    _Atomic uint32_t references; /* the program's handle, links, outputs; acq_rel */
    weir_context *context;
    weir_policy policy;
    weir_endpoint self;
    weir__alarm *alarm;
    _Atomic uint32_t turn; /* relaxed: where turns go on */
    _Atomic uint64_t
        served; /* relaxed, a measure: buffers that came back to its outputs (pace.c) */
    _Atomic uint64_t working; /* seq_cst: buffers that have not */
    _Atomic int status;       /* WEIR_OK or what it was cancelled with; release after detail */
    _Atomic int ending; /* seq_cst: an input of it was shut down, or was parted from an output */
    pthread_mutex_t cancel_lock;
    char detail[512];        /* the sentence of who cancelled first; written before status, once */
    uint64_t number;         /* in the order made */
    _Atomic uint64_t walked; /* relaxed: the walk over the graph that came by last (router.c) */
    pthread_rwlock_t graph;  /* guards all below */
    uint32_t input_count, port_count; /* numbers given out so far: what is gone leaves a NULL */
    uint32_t ports_linked;            /* ports that are there */
    uint32_t feeder_count;
    uint32_t inputs_ever; /* plain inputs that there ever were */
    weir_link *inputs[PORTS_MAX];
    struct port ports[PORTS_MAX];
    weir_endpoint *candidates[PORTS_MAX]; /* the ports as policies see them */
    weir_router *feeders[PORTS_MAX];      /* routers that send to this one */
};

void weir__router_ref(weir_router *router);
void weir__router_unref(weir_router *router);
/** What the router was cancelled with, and its sentence as this thread's; WEIR_OK while it is open. */
weir_status weir__router_status(weir_router *router);
/** Routers form diamonds, whose ways double with each: a walk goes on from a router once. Walks that run at a time in several
 *  threads may make each other look twice, never miss one. */
uint64_t weir__walk_begin(void);
/** @return whether @p walk comes to the router for the first time, as far as it knows. */
int weir__walk_enters(weir_router *router, uint64_t walk);
/** Whether a plain endpoint sends to it, or ever did, as far as @p walk has not looked yet. */
int weir__router_has_sender(weir_router *router, uint64_t walk);
/** Call fn for every output that the router reaches, or every input that reaches it, until one fails; seldom twice for the
 *  same. With the router's graph locked for reading, or while building. */
weir_status weir__router_each_output(weir_router *router,
                                     weir_status (*fn)(struct output *output, void *user),
                                     void *user);
weir_status weir__router_each_input(weir_router *router,
                                    weir_status (*fn)(weir_link *link, void *user), void *user);

/** Devices have failed (failover.c): end what needs them, with @p status. Nothing locked. */
void weir__router_fail_over(weir_router *router, weir_status status);

/** Join a link to its routers (wiring.c), while building: as an input, as an output, as a link between
 *  routers. What fails is undone. */
weir_status weir__input_add(weir_link *link);
void weir__input_remove(weir_link *link);
weir_status weir__output_add(weir_link *link, weir_endpoint *destination,
                             const weir_link_config *config);
weir_status weir__chain_add(weir_link *link);
/** Take a link out of the graph, whatever it is; what was sent on it still arrives. */
void weir__link_part(weir_link *link);
/** The refusal of a second link between a pair. */
weir_status weir__link_doubled(const weir_endpoint *source, const weir_endpoint *destination);

/* ---- windows (window.c) ------------------------------------------------------------------------ */

weir_status weir__window_create(const weir_context *context, const weir_link_config *config,
                                struct window **window_out);
void weir__window_ref(struct window *window);
void weir__window_unref(struct window *window);
/** The link is gone: `room` is not called any more. Releases it; NULL is fine. */
void weir__window_close(struct window *window);
/** A message is under way. @retval WEIR_FULL  there is no room. */
weir_status weir__window_take(struct window *window, uint64_t bytes);
/** It is not any more. No output locked. */
void weir__window_give(struct window *window, uint64_t bytes);
/** Have @p future set when a message is over. @retval WEIR_PENDING  it will be; WEIR_OK: there is room.
 *  @retval WEIR_ERR_INVALID  somebody else waits already. */
weir_status weir__window_await(struct window *window, uint64_t bytes, weir_future *future);
/** Who waited by @p future waits no more. */
void weir__window_forget(struct window *window, const weir_future *future);
/** The link has ended: have it set now, and call `room`. */
void weir__window_wake(struct window *window);
void weir__window_read(struct window *window, weir_link_stats *stats);

/* ---- links to and from other processes (process/) ---------------------------------------------- */

/** Whether the two may be joined as far as processes are concerned. */
weir_status weir__remote_check(const weir_endpoint *source, const weir_endpoint *destination);
/** Refuse what is for the process of the endpoint to do, if that is another: "sends", "receives". */
weir_status weir__remote_refuse(const weir_endpoint *endpoint, const char *what);
/** How a link receives that leads into another process; nothing is changed if it does not. */
void weir__remote_config(const weir_endpoint *destination, weir_link_config *config);
/** A link was made: other processes are told of what concerns them. While building. */
weir_status weir__remote_linked(weir_link *link);
/** A link into another process is about to be destroyed: what was sent and is dropped by that is remembered. */
void weir__remote_parted(struct output *output);
/** The receivers or senders of a group have changed: its thread looks at them. */
void weir__group_wake(void *group);
void weir__group_release(struct weir_group *group);

struct weir_link {
    weir_link *next_made,
        **made_at;         /* among all links of the process, which only who builds may follow */
    _Atomic(void *) user;  /* the program's; release, acquire */
    weir_router *router;   /* held: the one it leads into, else the one it comes from */
    weir_router *own;      /* the private router of a link between two plain endpoints */
    weir_router *from;     /* of a link between routers: the one that feeds `router`; held */
    weir_endpoint *source; /* of an input, held; NULL if the link is no input */
    uint32_t number;       /* among the inputs of its router, or the outputs */
    int32_t priority;      /* of an input */
    struct output *output; /* NULL if the link is no output */
    weir_endpoint *destination; /* of a link between plain endpoints, for the check of doubles */
    weir_link *next_direct;
    _Atomic int closed;        /* the input was shut down; relaxed: one call at a time */
    _Atomic int sending;       /* acquire, release: a call has `dispatch` */
    struct dispatch dispatch;  /* of the message being sent */
    struct window *window;     /* of an input; held */
    _Atomic uint64_t messages; /* relaxed: a statistic */
};

#endif
