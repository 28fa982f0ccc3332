/** @file room.h  How much host memory there is, and how much a piece of work takes. Not installed.
 *
 * malloc promises more than there is: what is too large succeeds, and the system ends the program that writes to
 * it. So whoever takes memory by the size of its input adds up beforehand what it will write to, from the
 * first array to the last, and refuses what does not fit. Each module says in one function what it needs, in
 * the order in which it takes it; those that use it call that function as part of their own. */
#ifndef WEIR_RUNTIME_ROOM_H
#define WEIR_RUNTIME_ROOM_H

#include "runtime/runtime.h"

/* ---- what there is (room.c) ------------------------------------------------------------------- */

/** Memory that may still be taken, an estimate. */
struct weir__room {
    uint64_t bytes;
    uint64_t
        memory; /**< the same without the limits of this process, past which malloc itself fails */
    uint64_t
        all; /**< what this process may use if nobody else uses any: memory and limits, without what is used */
    char owner
        [128]; /**< who has no more: "this machine", "the control group /a/b", "the limit ulimit -v" */
};

/** The least of what the machine has available, what the control groups of this process have left (version 1 and
 *  2, this one and those above it), and the limits on address space and data. The page cache that a group
 *  can give back at once counts as free.
 *  @param[in] root  a folder in front of /proc and of mount points, for tests; "" as a rule. */
void weir__room_look(const char *root, struct weir__room *room_out);
/** weir__room_look() from here on looks there; for tests. @param[in] root  kept; NULL: "" again. */
void weir__room_pretend(const char *root);
/** As weir__room_look() says. */
uint64_t weir__room_left(void);

/** `all` of it: what the pools of host devices are bounded by. */
uint64_t weir__room_all(void);

/** How often that or weir__need_fits() looked, in this process so far; for tests. */
uint64_t weir__room_looks(void);

/* ---- what is needed (room.c) ------------------------------------------------------------------ */

/** Host memory as work goes on: what is held now, and the most that was held at once. Begins as zeros, and what
 *  there is already is not counted. Sums end at a bound instead of wrapping. */
struct weir__need {
    int64_t held; /**< below zero: more was given back than was taken */
    int64_t most;
};

/** What is noted in place of a check, by a thread that only plans. */
struct weir__need_note {
    uint64_t most;  /**< bytes of the largest need so far */
    char what[256]; /**< whose it is */
};
/** From here on weir__need_fits() of this thread notes needs and finds that all fit; NULL: it looks again. */
void weir__need_note_in(struct weir__need_note *note);

/** Take @p count times @p bytes. */
void weir__need_take(struct weir__need *need, uint64_t count, uint64_t bytes);
/** Give them back. */
void weir__need_give(struct weir__need *need, uint64_t count, uint64_t bytes);
/** Take them and give them back at once: memory of a step that comes after the one before and before the next. */
void weir__need_pass(struct weir__need *need, uint64_t count, uint64_t bytes);
/** Take them in the memory of a device: counts where that is host memory. */
void weir__need_take_on(struct weir__need *need, const weir_device *device, uint64_t count,
                        uint64_t bytes);
/** Refuse what does not fit into the room there is. A look at it, half a millisecond, serves for 10 ms all that is
 *  small beside what was left, 1/64 of it together; each by itself looks where the process has limits of its own.
 *  @retval WEIR_ERR_NOMEM  "WHAT: so many MiB are needed, and the machine has so many left". */
weir_status weir__need_fits(const struct weir__need *need, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
