/** @file drive.h  Sending through a web from several threads, receiving in several, and noting all.
 *
 * Threads never assert: what goes wrong is noted, ends the run, and is for the test to look at. */
#ifndef WEIR_TESTS_LIB_DRIVE_H
#define WEIR_TESTS_LIB_DRIVE_H

#include "tests/lib/web.h"

#include <pthread.h>
#include <stdatomic.h>

#define DRIVE_BYTES   16384 /* of the largest message */
#define DRIVE_AHEAD   8     /* messages that an input has under way */
#define DRIVE_HELD    4     /* receives that an output has taken */
#define DRIVE_THREADS 3     /* most senders, and most receivers */

/** What was sent on an input, in order. */
struct drive_message {
    uint64_t meta;
    uint32_t bytes;
    weir_status status; /**< of the send, then of its future */
};

struct drive_input {
    uint64_t stop_at; /**< shut down when so many packets were received in all */
    uint32_t count, room;
    struct drive_message *messages;
    char *memory; /**< DRIVE_AHEAD messages in the sender's device */
    char *words;  /**< the same in home memory */
    weir_queue *mover;
    weir_event *ready[DRIVE_AHEAD];
    weir_future *done[DRIVE_AHEAD];
    uint32_t under_way[DRIVE_AHEAD]; /**< number of the message */
    int over;
    atomic_int shut; /**< set before the shutdown is sent */
};

/** A packet as it was received. */
struct drive_record {
    uint16_t input, output, low; /**< low: of meta */
    uint32_t message, offset, bytes;
};

struct drive_output {
    uint32_t want, held;
    weir_pending *pending[DRIVE_HELD]; /**< the oldest first */
    char *memory;                      /**< of receive_into, DRIVE_HELD packets */
    uint32_t posted;
    weir_status ended;
};

struct drive;
struct drive_worker {
    struct drive *drive;
    uint32_t number;
    pthread_t thread;
    uint64_t random;
    pthread_mutex_t lock; /* guards told, asleep */
    pthread_cond_t more;
    uint64_t told; /* a receiver: how often it was told that there is something */
    int asleep;
    weir_queue *queues[WEIR_DEVICES_MAX + 1]; /* a receiver: copies packets home */
    char *scratch;
    struct drive_record *records;
    size_t count, room;
};

struct drive {
    struct web web;
    uint64_t budget; /**< packets to receive, more or less */
    uint32_t senders, receivers;
    struct drive_worker send[DRIVE_THREADS], receive[DRIVE_THREADS];
    struct drive_input inputs[WEB_LINKS];
    struct drive_output outputs[WEB_LINKS];
    atomic_uint_fast64_t received;
    atomic_uint_fast64_t sends; /**< tried, refused ones too */
    atomic_uint sending;        /**< senders that are not through */
    atomic_int stop;            /**< something went wrong */
    /** The part of the web that was cancelled, or -1; with what. */
    atomic_int cancelled;
    weir_status status;
    pthread_mutex_t lock; /* guards wrong */
    char wrong[240];
};

/** Plan and build from a seed, and make what the threads need. */
void drive_open(struct drive *drive, weir_context *context, uint64_t seed, uint64_t budget);
/** Let it run to its end. @param[in] cancel_at  cancel a part of the web once so many packets were
 *  received; UINT64_MAX: never. */
void drive_run(struct drive *drive, uint64_t cancel_at);
void drive_close(struct drive *drive);
/** Keep what went wrong first, and end the run. */
void drive_wrong(struct drive *drive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What sending and receiving have in common (drive_bytes.c). */

/** Word @p i of a message: says who sent it, and where in it it lies. */
uint64_t drive_word(uint64_t input, uint64_t message, uint64_t i);
void drive_fill(void *data, size_t bytes, uint64_t input, uint64_t message);
/** Find out whose packet it is, and whether its bytes are right; fills all but `output` of the record. */
int drive_check(const struct web *web, const weir_segment *segment, const void *data,
                struct drive_record *record_out);
uint64_t drive_meta(uint64_t input, uint64_t message, uint64_t draw);

void *drive_sender(void *worker);
void *drive_receiver(void *worker);
/** `arrived` of the outputs: wakes the receiver that is @p worker. */
void drive_arrived(void *worker);

#endif
