/** @file arrays.h  A body for supersteps that looks at the arrays its table has asked for: every extent, holding and
 * beginning that there is. What is wrong is counted. */
#ifndef WEIR_TESTS_LIB_ARRAYS_H
#define WEIR_TESTS_LIB_ARRAYS_H

#include "worklist/steps.h"

#define ARRAYS_SOME 20u /* elements; fewer than devices own, and whole words of 16 bytes */
#define ARRAYS_EACH 64u /* numbers from one device's first to the next device's */

/** What lies in weir_steps_page.result. */
enum arrays_result {
    ARRAYS_WRONG = 0, /* elements and pointers that were not as they had to be */
    ARRAYS_SEEN,      /* elements that were looked at */
    ARRAYS_AFTER,     /* of `own`, by the epilogue: what the body has left */
    ARRAYS_RESULTS
};

struct arrays_args {
    struct weir_steps_member member;
    uint32_t *one;          /* 1 + 3 elements, bytes 0x5A before a run */
    const uint32_t *origin; /* of own numbers: 3 times the number */
    uint32_t *own;          /* a copy of it */
    uint32_t *once;         /* of own numbers: bytes 0x11 at first; 1 more after each run */
    uint32_t *some;    /* of own numbers: bytes 0x22, of the first ARRAYS_SOME before each run */
    uint64_t *devices; /* of each device, bytes 0 before a run */
    uint32_t *all[WEIR_DEVICES_MAX];   /* of each device: of all numbers */
    uint32_t *words[WEIR_DEVICES_MAX]; /* of each device: bitmaps, all bits set before a run */
    uint32_t *inbox[WEIR_DEVICES_MAX]; /* arrays_items() elements */
    uint32_t *outbox[WEIR_DEVICES_MAX];
    uint32_t *none;     /* not taken */
    uint32_t *left_out; /* not taken */
    uint32_t first[WEIR_DEVICES_MAX + 1];
    uint32_t owned;
    uint32_t run; /* runs before this one */
};

struct arrays_shared {
    uint64_t wrong;
};

extern const weir_steps_body weir__arrays_steps;

/** Elements of the inbox of a device for a sender. */
WEIR_BOTH uint32_t arrays_items(uint32_t device, uint32_t sender)
{
    return device * 7 + sender + 1;
}

#endif
