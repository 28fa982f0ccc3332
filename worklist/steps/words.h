/** @file words.h  Supersteps: the words that blocks and devices share, and what a block knows about itself. Included by
 * steps.h. */
#ifndef WEIR_WORKLIST_STEPS_WORDS_H
#define WEIR_WORKLIST_STEPS_WORDS_H

#include "runtime/runtime.h"
#include "runtime/sync.h"
#include "worklist/engine/reset.h"
#include "worklist/notes.h"

enum {
    WEIR_STEPS_SUMS = 4,    /* added up over all devices at a barrier */
    WEIR_STEPS_SLOTS = 4,   /* steps whose words exist at a time; a power of two */
    WEIR_STEPS_RESULTS = 48 /* numbers that the body of a device leaves for the host */
};

/* A look at the clock or at the stop word takes long, so there are few. A block that never has to wait at its barriers looks
 * once in LOOK_STEPS barriers. A thread that waits looks once in LOOK_WAITS reads of the word that it waits for. Both are
 * powers of two. On a host device they are small, since a superstep may take a second there and a thread that waits sleeps
 * between two reads (weir_host_pause()). */
#ifdef __CUDACC__
enum { WEIR_STEPS_LOOK_STEPS = 64, WEIR_STEPS_LOOK_WAITS = 1024 };
/* Looks after which weir_pause() lets a thread sleep at once: a block that sleeps waits so, since others use the same memory. A
 * thread of a host device has a core of its own, and a sleep of the system takes longer than many levels. */
enum { WEIR_STEPS_ASLEEP = 8192 };
#else
enum { WEIR_STEPS_LOOK_STEPS = 1, WEIR_STEPS_LOOK_WAITS = 16 };
enum { WEIR_STEPS_ASLEEP = 0 };
#endif

/** Why a body ends before it is done: what lies in weir_steps_page.stop. */
enum weir_steps_stop { WEIR_STEPS_GOES_ON = 0, WEIR_STEPS_STOPPED, WEIR_STEPS_TIME_OVER };

/** What one device tells another at a barrier, in the memory of the receiver: its sums of the step, and a word for this receiver
 *  only. Each value is two words, the lower half and the upper one, and each word has the number of the step above its half. So no
 *  word has to be stored behind the others, and who waits has the values as soon as it has seen the words. */
enum { WEIR_STEPS_FLAG_WORDS = 2 * (WEIR_STEPS_SUMS + 1) };

/* Of so many devices, the first ones, a block keeps what they told at the last barrier (weir_steps_told(), weir_steps_own()): as many as GPUs have
 * links to each other, and few on host devices, so that tests see both ways. A body that does not ask and has no memory to spare defines
 * it as 0. */
#ifndef WEIR_STEPS_FLAGS_KEPT
#ifdef __CUDACC__
#define WEIR_STEPS_FLAGS_KEPT 8
#else
#define WEIR_STEPS_FLAGS_KEPT 2
#endif
#endif

/** The words that the threads of a block share. The first of them are of those who pass a barrier, sleep or count. */
enum {
    WEIR_STEPS_HEARD = 10, /* weir_steps_page.wake as it was when the block fell asleep */
    WEIR_STEPS_FLAGS =
        12, /* from here on the halves of the flags of WEIR_STEPS_FLAGS_KEPT devices */
    WEIR_STEPS_SHARE = WEIR_STEPS_FLAGS + WEIR_STEPS_FLAGS_KEPT * WEIR_STEPS_FLAG_WORDS
};

struct weir_steps_flag {
    uint64_t word
        [WEIR_STEPS_FLAG_WORDS]; /* release sys by a block of the sender, acquire sys by all blocks of the receiver */
    uint64_t pad[16 - WEIR_STEPS_FLAG_WORDS];
};

/** The words of a device, in its memory; zero before a run. Rows of docs/memory-model.md. */
struct weir_steps_page {
    uint32_t stop; /* enum weir_steps_stop; relaxed sys, host and block 0; apart from the rest */
    uint32_t pad[15];
    /* Of step s in slot s % WEIR_STEPS_SLOTS. Sums are added relaxed by any thread of the device before its
     * block arrives; arrivals release and acquire, dev. Cleared two steps later by block 0. Sum 0 travels
     * with the arrivals: sum << 16 | blocks. So there are fewer than 2^16 blocks, and the sum of a device counts
     * modulo 2^48; an overflow leaves the number of blocks as it is. */
    struct {
        uint64_t sum[WEIR_STEPS_SUMS]; /* the first is not used */
        uint64_t arrived;
        uint64_t pad[3];
    } slot[WEIR_STEPS_SLOTS];
    struct weir_steps_flag from[2][WEIR_DEVICES_MAX]; /* of step s in [s % 2]; of several devices */
    /* What follows is written by the device alone, and is copied for the host behind the kernel. */
    uint64_t tell[WEIR_DEVICES_MAX]; /* to each device, with the next barrier; relaxed dev */
    /* Items of each device's inbox that are absorbed; relaxed dev, by block 0. */
    uint64_t absorbed[WEIR_DEVICES_MAX];
    uint64_t wake;     /* step << 32 | blocks; release dev by block 0 */
    uint64_t board[8]; /* what block 0 tells those it wakes */
    uint64_t over;     /* the time limit ended the run; by block 0, for the host after the end */
    uint64_t reset_ns; /* how long the reset took; by block 0, for the host after the end */
    uint64_t result[WEIR_STEPS_RESULTS]; /* by the body, for the host after the end */
    /* Of a host device that is alone: the arrivals at step s when all are there, in [s % WEIR_STEPS_SLOTS], else 0. Stored by the
     * last thread to arrive, release; acquired by those that wait, which look at nothing else meanwhile. Cleared as slots are. */
    uint64_t apart[8];
    struct {
        uint64_t arrived;
        uint64_t pad[7];
    } complete[WEIR_STEPS_SLOTS];
};

/** What a kernel knows about all devices; the first member of its arguments. */
struct weir_steps_member {
    struct weir_steps_page *page[WEIR_DEVICES_MAX]; /* of each device, as this one reaches it */
    const struct weir_reset
        *reset; /* arrays to be reset before the body; in this device's memory */
    uint32_t resets;
    uint32_t index, count;    /* this device, all devices */
    uint64_t limit_ns;        /* of the run; 0: none */
    struct weir_notes *notes; /* in this device's memory; NULL: no trace is on */
};

/** Which block and thread this is, and the step that the block is at. */
struct weir_steps_block {
    uint32_t block, blocks;   /* of this device */
    uint32_t thread, threads; /* of this block; 0 and 1 on the host */
    uint32_t step;            /* barriers passed, modulo 2^32 */
    uint64_t until_ns;        /* when the time is over, for thread 0 of block 0; 0: never */
    uint64_t *share;          /* WEIR_STEPS_SHARE words that the threads of the block share */
};

#endif
