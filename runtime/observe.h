/** @file observe.h  Long calls, as whoever waits for them sees them: what they are busy with, how far they are, and whether
 * they are to end. What weir_observer has in the public header is looked at from here. Not installed.
 *
 * A call that may take long says so with weir__activity_begin() and weir__activity_end(), and looks whether it is to end at
 * least every few milliseconds: by weir__activity_went(), or by a loop of weir__activity_for(). All of it belongs to the
 * calling thread; where that has no observer, nothing happens, and every look says that the call goes on. */
#ifndef WEIR_RUNTIME_OBSERVE_H
#define WEIR_RUNTIME_OBSERVE_H

#include "runtime/runtime.h"

/** Vertices or arcs that a serial loop goes through between two looks; some tenths of a millisecond to some milliseconds. */
#define WEIR__LOOK_EACH (UINT64_C(1) << 15)

/** What a thread is busy with. */
struct weir__activity {
    weir_observer *observer; /* of the thread; NULL: it has none */
    const char *name, *unit; /* static storage: "sorting arcs", "arcs" */
    uint64_t done, total;    /* 0: unknown */
};

/** What weir__activity_aside() changes. */
struct weir__aside {
    weir_observer *observer;
    int aside;
};

/** A call of the calling thread that its observer may end begins, and is busy with this, until weir__activity_end(). Within
 *  another such call it is a part of that.
 *  @param[out] outer  what the thread was busy with before; for weir__activity_end(). */
void weir__activity_begin(struct weir__activity *outer, const char *name, const char *unit,
                          uint64_t total);
/** The same of what is only ever a part: outside such a call it is not observed. */
void weir__activity_part(struct weir__activity *outer, const char *name, const char *unit,
                         uint64_t total);
/** What was begun is over, however it ended. @return @p status, so that a call can end with it. */
weir_status weir__activity_end(const struct weir__activity *outer, weir_status status);

/** So much more is done; 0 only looks.
 *  @retval WEIR_ERR_CANCELLED  the observer was told to stop the call.
 *  @retval WEIR_ERR_TIMEOUT    the call takes longer than the observer allows. */
weir_status weir__activity_went(uint64_t more) __attribute__((warn_unused_result));
/** The same in a serial loop that counts from 0: looks once for WEIR__LOOK_EACH values of @p i. */
static inline weir_status weir__activity_at(uint64_t i)
{
    return i % WEIR__LOOK_EACH ? WEIR_OK : weir__activity_went(i ? WEIR__LOOK_EACH : 0);
}
/** So much more is to come, as is known by now: the total is that and what is done already. */
void weir__activity_expect(uint64_t more);

/** weir__parallel_for() as a part of a call, with a look before each chunk. When the call is to end, the chunks that
 *  nobody has begun are left out: then what they would have written is not there.
 *  @param[in] unit  what @p count counts.  @retval WEIR_ERR_CANCELLED, WEIR_ERR_TIMEOUT  as of weir__activity_went(). */
weir_status weir__activity_for(const char *name, const char *unit, uint64_t count, uint64_t chunk,
                               uint32_t threads,
                               void (*fn)(void *user, uint64_t begin, uint64_t end), void *user)
    __attribute__((warn_unused_result));

/** Call fn(user, index) for each index below @p count, each on a thread of its own but the last, which is the calling thread's: for work
 *  that waits for a device. They look and count for the call; what they begin is not shown, since they are busy side by side.
 *  @return the first failure by index, with its sentence. Where no thread can be had the calling thread does more. */
weir_status weir__activity_each(uint32_t count, weir_status (*fn)(void *user, uint32_t index),
                                void *user) __attribute__((warn_unused_result));

/** Wait until a file can be read or written without waiting, or has ended or failed, and look meanwhile. Where the call is
 *  not observed it returns at once: reading and writing wait by themselves. @param[in] events  POLLIN or POLLOUT. */
weir_status weir__activity_wait(int descriptor, short events) __attribute__((warn_unused_result));
/** Whether the calling thread has an observer. */
int weir__activity_observed(void);
/** That observer, or NULL: threads which a call starts, and waits for, attach it by weir__activity_aside(). */
weir_observer *weir__activity_observer(void);
/** From here on the calling thread looks and counts for a call of another thread, which waits for it. What it begins is not shown.
 *  @param[in] observer  of the call; NULL: it has none. @return what weir__activity_back() takes. */
struct weir__aside weir__activity_aside(weir_observer *observer);
void weir__activity_back(struct weir__aside before);

/* ---- for the loop (parallel.c) ------------------------------------------------------------- */

/** Whether a call is to end, without a sentence. @param[in] observer  NULL: it goes on. Any thread. */
weir_status weir__observer_ends(weir_observer *observer);
/** Whether the calling thread works for another's call. */
int weir__activity_is_aside(void);
/** So much more is done. Any thread; NULL is fine. */
void weir__observer_add(weir_observer *observer, uint64_t more);
/** Choose that failure, with a sentence on what the calling thread is busy with. */
weir_status weir__activity_fail(weir_status status);

#endif
