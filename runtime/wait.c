/** @file wait.c  Waiting on the host for any, or for all, of several futures. */
#include "runtime/backend.h"

#include <errno.h>
#include <stdlib.h>

/* The contexts' waits are what probes devices and raises alarms, so one wait belongs to one context. Places
 * that are NULL are passed over. @param[out] context_out  NULL: there is no future. */
static weir_status check(weir_future *const *futures, size_t count, weir_context **context_out)
{
    *context_out = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!futures[i])
            continue;
        if (*context_out && weir__future_context(futures[i]) != *context_out)
            return weir__fail(WEIR_ERR_INVALID,
                              "future %zu is of another context than those before it", i);
        *context_out = weir__future_context(futures[i]);
    }
    return WEIR_OK;
}

/* ---- any --------------------------------------------------------------------------------------- */

struct any {
    weir_future *const *futures;
    size_t count;
    weir_context *context;
    weir_watch **watches;
    pthread_mutex_t lock; /* guards `rung` */
    pthread_cond_t bell;
    int rung; /* one of them is complete */
};

/* Called when one of the futures is complete. */
static void ring(void *user, weir_status status)
{
    struct any *any = user;
    weir_context *context = any->context;
    const weir__progress *progress = weir__context_progress(any->context);
    (void)status;
    pthread_mutex_lock(&any->lock);
    any->rung = 1;
    pthread_cond_signal(&any->bell);
    pthread_mutex_unlock(&any->lock);
    if (progress->kick)
        progress->kick(context);
}

static int has_rung(void *user)
{
    struct any *any = user;
    pthread_mutex_lock(&any->lock);
    int rung = any->rung;
    pthread_mutex_unlock(&any->lock);
    return rung;
}

static int sleep_until_rung(void *user, int64_t timeout_ms)
{
    struct any *any = user;
    struct timespec at = weir__deadline(timeout_ms);
    int error = 0;
    pthread_mutex_lock(&any->lock);
    while (!any->rung && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&any->bell, &any->lock, &at);
    int rung = any->rung;
    pthread_mutex_unlock(&any->lock);
    return rung;
}

/* @return the position of the first that is complete, or `count`. */
static size_t find_complete(const struct any *any, weir_status *status_out)
{
    for (size_t i = 0; i < any->count; i++)
        if (any->futures[i] && (*status_out = weir__future_look(any->futures[i])) != WEIR_PENDING)
            return i;
    return any->count;
}

static weir_status watch_all(struct any *any)
{
    weir_status status =
        weir__calloc(any->count, sizeof *any->watches, "wait for several futures", &any->watches);
    for (size_t i = 0; i < any->count && !status; i++)
        if (any->futures[i])
            status = weir_future_notify(any->futures[i], ring, any, &any->watches[i]);
    return status;
}

static void unwatch_all(struct any *any)
{
    for (size_t i = 0; any->watches && i < any->count; i++)
        weir_watch_destroy(any->watches[i]);
    free(any->watches);
}

static weir_status wait_watched(struct any *any, int64_t timeout_ms, size_t *index_out)
{
    weir_status result = WEIR_OK, status;
    pthread_mutex_init(&any->lock, NULL);
    weir__cond_init(&any->bell);
    if (!(status = watch_all(any)))
        (void)weir__context_wait(
            any->context,
            &(struct weir__wait){.is = has_rung, .sleep = sleep_until_rung, .user = any},
            timeout_ms);
    unwatch_all(any);
    pthread_cond_destroy(&any->bell);
    pthread_mutex_destroy(&any->lock);
    if (status)
        return status;
    *index_out = find_complete(any, &result);
    return *index_out < any->count ? result : weir__timed_out();
}

weir_status weir_future_wait_any(weir_future *const *futures, size_t count, int64_t timeout_ms,
                                 size_t *index_out)
{
    struct any any = {.futures = futures, .count = count};
    weir_status result = WEIR_OK, status;
    if ((count && !futures) || !index_out)
        return weir__missing("weir_future_wait_any", index_out ? "futures" : "index_out");
    *index_out = count;
    if ((status = check(futures, count, &any.context)))
        return status;
    if (!any.context)
        return weir__fail(WEIR_ERR_INVALID, "a wait for any of no futures would never end");
    if ((*index_out = find_complete(&any, &result)) == count)
        result = wait_watched(&any, timeout_ms, index_out);
    weir__alarms_raise(any.context);
    return result;
}

/* ---- all --------------------------------------------------------------------------------------- */

static int64_t left_of(uint64_t start_ns, int64_t timeout_ms)
{
    int64_t spent = (int64_t)((weir__now_ns() - start_ns) / 1000000u);
    return timeout_ms < 0 ? -1 : spent < timeout_ms ? timeout_ms - spent : 0;
}

weir_status weir_future_wait_all(weir_future *const *futures, size_t count, int64_t timeout_ms,
                                 size_t *index_out)
{
    const uint64_t start = weir__now_ns();
    weir_context *context;
    size_t unused, *index = index_out ? index_out : &unused;
    weir_status first = WEIR_OK, status;
    *index = count;
    if (count && !futures)
        return weir__missing("weir_future_wait_all", "futures");
    if ((status = check(futures, count, &context)))
        return status;
    for (size_t i = 0; i < count; i++) {
        if (!futures[i])
            continue;
        status = weir_future_wait(futures[i], left_of(start, timeout_ms));
        if (status == WEIR_ERR_TIMEOUT && weir__future_look(futures[i]) == WEIR_PENDING) {
            *index = i;
            return status;
        }
        if (status && !first) {
            first = status;
            *index = i;
        }
    }
    if (first)
        (void)weir__future_look(
            futures[*index]); /* for its sentence: later ones may have put theirs there */
    return first;
}
