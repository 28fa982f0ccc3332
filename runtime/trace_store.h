/** @file trace_store.h  What a trace is inside. Included by runtime/trace*.c only.
 *
 * A trace belongs to its context and stays until that ends; its buffer is taken anew with each start. Who tells something
 * *enters*: it counts itself among the writers (of its threads' stripe), looks whether the trace is on, and only then touches the buffer. Who stops
 * the trace clears `on` and waits for the writers, of which none waits for anything; from then on nobody writes.
 * Locks: `lock` guards tracks, a GPU's `lock` its stamps; both are leaves. */
#ifndef WEIR_RUNTIME_TRACE_STORE_H
#define WEIR_RUNTIME_TRACE_STORE_H

#include "runtime/context.h"

enum {
    RECORD_NAME = 24,
    SERIES_NAME = 56,
    TRACK_NAME = 176,
    ENDPOINT_NAME = 64,
    TRACKS_MAX = 8192,
    SLOTS = 16384
};

enum record_kind {
    RECORD_OP,      /* bytes, when it was put in */
    RECORD_MESSAGE, /* bytes, posted, matched, serial number */
    RECORD_STEP,
    RECORD_ROUNDS,
    RECORD_RUN,
    RECORD_TRIAL,
    RECORD_LEVEL /* credits, packets that wait */
};

struct record {
    uint64_t begin_ns, end_ns;
    uint32_t track;
    uint16_t
        clock; /* of the two times: 0 the context's; 1 + 2 * device a GPU's events; 2 + 2 * device its kernels */
    uint8_t kind;
    uint8_t values;
    union {
        struct {
            char name[RECORD_NAME];
            uint64_t value[WEIR__TRACE_VALUES];
        };
        struct { /* of a trial */
            char series[SERIES_NAME];
            uint64_t row, number;
        };
    };
};

/** Where records are drawn: groups are devices by index, home last, and then these. */
enum { GROUP_LINKS = 1000, GROUP_PROGRAM };

/** What stands above others in a group. */
enum track_kind { TRACK_RUNS, TRACK_PHASES, TRACK_QUEUE, TRACK_LINK };

struct track {
    uint32_t group;
    enum track_kind kind;
    char name[TRACK_NAME];
    /* Of a link: */
    char from[ENDPOINT_NAME], to[ENDPOINT_NAME], over[ENDPOINT_NAME];
    _Atomic uint64_t messages, bytes, items, stalled_ns, starved_ns; /* relaxed: sums */
};

/** An operation between two stamps. Out of the lists while its submitter has it. */
struct weir__timed {
    struct weir__timed *next;
    weir_stamp *begin, *end;
    uint32_t generation, track;
    uint64_t bytes;
    struct weir__trace_mark mark;
    char name[RECORD_NAME];
};

/** A reading of two clocks at one moment. */
struct reading {
    uint64_t device_ns, host_ns, error_ns;
    int there;
};

struct gpu {
    weir_device *device;
    pthread_mutex_t lock; /* guards the lists and the base */
    struct weir__timed *free, *pending;
    uint32_t made;
    weir_stamp *base; /* reached at base_ns of the time that events are given in */
    uint64_t base_ns;
    weir_queue *queue;                    /* for readings; not among the device's */
    struct reading events[2], kernels[2]; /* as the trace began and ended */
};

/** Writers of some threads, and records handed out: words that threads write often, each in a cache line of its own. */
enum { STRIPES = 16, LINE = 128 };
struct stripe {
    _Atomic uint32_t writers; /* seq_cst */
    char pad[LINE - sizeof(uint32_t)];
};

struct weir__trace {
    weir_context *context;
    _Atomic int on;         /* seq_cst with `writers` */
    uint32_t generation;    /* changes while the trace is off; of 16 bits, never 0 */
    _Atomic uint32_t notes; /* relaxed */
    struct record *records;
    uint64_t room;
    char before[LINE];
    struct stripe stripe[STRIPES];
    _Atomic uint64_t next; /* relaxed: hands out records; may be more than there are */
    char behind[LINE];
    _Atomic uint64_t dropped; /* relaxed */
    uint64_t begin_ns, end_ns;
    int stopped;            /* something is kept */
    weir_trace_stats stats; /* since it was stopped */
    struct gpu *gpu[WEIR_DEVICES_MAX];
    pthread_mutex_t lock;    /* guards all below */
    pthread_mutex_t control; /* start, stop and write, one at a time; before all others */
    struct track *tracks;
    uint32_t track_count;
    uint16_t *slot; /* tracks by the hash of their names: number + 1 */
};

/** Begin to write. @return 0: the trace is off. Else weir__trace_leave() follows. */
int weir__trace_enter(struct weir__trace *trace);
void weir__trace_leave(struct weir__trace *trace);
/** A record of its own for who entered, or who stopped the trace; NULL: there is none left, which is counted. */
struct record *weir__trace_record(struct weir__trace *trace);
void weir__trace_name(char *to, size_t room, const char *text);
/** The word of a track, made if there is none of this name in the group; 0: there are too many. */
uint32_t weir__trace_track(struct weir__trace *trace, uint32_t group, enum track_kind kind,
                           const char *name);
/** The track of a word; -1: the word is of another trace. */
int64_t weir__trace_track_of(const struct weir__trace *trace, uint32_t word);
/** The word of a queue's track. */
uint32_t weir__trace_queue(struct weir__trace *trace, weir_queue *queue);
const char *weir__trace_op_name(enum weir__trace_op op, const char *kernel);
/** Keep an operation, and the message that it is a part of. */
void weir__trace_keep_op(struct weir__trace *trace, int64_t track, uint16_t clock, const char *name,
                         uint64_t begin_ns, uint64_t end_ns, uint64_t bytes,
                         const struct weir__trace_mark *mark);

/* ---- trace_clock.c --------------------------------------------------------------------------------- */

/** Take what the stamps of the context's GPUs need, and read their clocks. */
weir_status weir__trace_clocks_start(struct weir__trace *trace, uint32_t stamps);
/** Read the clocks again, keep what has ended, and put all records on the context's clock.
 *  @return the largest error, ns. */
uint64_t weir__trace_clocks_stop(struct weir__trace *trace);
void weir__trace_clocks_free(struct weir__trace *trace);

/* ---- trace_write.c, trace_dot.c ------------------------------------------------------------------------ */

/** Text on its way to the program's `write`. */
struct trace_text {
    int (*write)(void *user, const char *text, size_t bytes);
    void *user;
    int error; /* what write returned */
    size_t used;
    char room[16384];
};
void weir__trace_print(struct trace_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Print a text between double quotes as JSON and Graphviz read it. */
void weir__trace_quote(struct trace_text *text, const char *value);
void weir__trace_flush(struct trace_text *text);
/** The records, by track and then by time: numbers of records, freed with free(). */
weir_status weir__trace_order(const struct weir__trace *trace, uint32_t **order_out,
                              uint64_t *count_out);
weir_status weir__trace_json(const struct weir__trace *trace, struct trace_text *text);
weir_status weir__trace_dot(const struct weir__trace *trace, struct trace_text *text);

#endif
