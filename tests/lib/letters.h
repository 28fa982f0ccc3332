/** @file letters.h  A body for supersteps that sends items through inboxes and checks what arrives. */
#ifndef WEIR_TESTS_LIB_LETTERS_H
#define WEIR_TESTS_LIB_LETTERS_H

#include "worklist/steps.h"

/** What lies in weir_steps_page.result. */
enum letters_result {
    LETTERS_WRONG = 0, /* items of another round than those that can be there */
    LETTERS_CAME,      /* items that were absorbed */
    LETTERS_SUM,       /* of their lower halves */
    LETTERS_ALL,       /* the same of all devices, as every thread knows it */
    LETTERS_NS,        /* a phase: rounds */
    LETTERS_STEPS
};

/** An item is round << 32 | its index among those of the round. */
struct letters_args {
    struct weir_steps_member member;
    uint64_t *inbox[WEIR_DEVICES_MAX];  /* [from] */
    uint64_t *outbox[WEIR_DEVICES_MAX]; /* [to] */
    uint32_t rounds;
    uint32_t
        again; /* inboxes are used again from their beginning in each round; else every second round absorbs */
    uint32_t mixed; /* lanes of a worker have items for different devices */
};

/** Items that a device sends to another in a round: none, one, many. */
WEIR_DEV uint32_t letters_count(uint32_t from, uint32_t to, uint32_t round)
{
    return (round * 37u + from * 11u + to * 5u) % 301u;
}

extern const weir_steps_body weir__letters_steps;

#endif
