/** @file completion.c  The completion queue of a context: what event loops (epoll, libuv) wait for.
 *
 * A completion is a watch without a function. It is made when it is posted, so nothing is allocated, and
 * nothing can fail, at the moment when the future is complete. */
#include "runtime/notify.h"
#include "runtime/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The descriptor is readable while the queue is not empty: set with the first completion, and read with the
 * last. Neither can block, nor fail, on an eventfd that nobody else writes to. */
static void show(const weir_context *context, int readable)
{
    uint64_t count = 1;
    if (context->watches.fd < 0)
        return;
    ssize_t moved = readable ? write(context->watches.fd, &count, sizeof count)
                             : read(context->watches.fd, &count, sizeof count);
    if (moved != (ssize_t)sizeof count)
        weir__log(WEIR__LOG_ERROR, "the completion queue's descriptor: %s", strerror(errno));
}

void weir__completion_push(weir_watch *completion, weir_status status)
{
    weir_context *context = completion->context;
    completion->status = status;
    completion->next = NULL;
    if (context->watches.last) {
        context->watches.last->next = completion;
    } else {
        context->watches.first = completion;
        show(context, 1);
    }
    context->watches.last = completion;
}

/* The watches are locked. @return NULL: the queue is empty. */
static weir_watch *take(weir_context *context)
{
    weir_watch *completion = context->watches.first;
    if (completion && !(context->watches.first = completion->next)) {
        context->watches.last = NULL;
        show(context, 0);
    }
    return completion;
}

static weir_status make(weir_context *context, uint64_t word, weir_watch **completion_out)
{
    weir_status status = weir__calloc(1, sizeof **completion_out, "completion", completion_out);
    if (!status) {
        (*completion_out)->context = context;
        (*completion_out)->word = word;
    }
    return status;
}

weir_status weir_future_post(weir_future *future, uint64_t word)
{
    weir_watch *completion;
    weir_status status;
    if (!future)
        return weir__missing("weir_future_post", "future");
    status = make(weir__future_context(future), word, &completion);
    if (!status && (status = weir__watch_start(completion, future)))
        free(completion);
    return status;
}

weir_status weir_context_post(weir_context *context, uint64_t word)
{
    weir_watch *completion;
    weir_status status;
    if (!context)
        return weir__missing("weir_context_post", "context");
    if ((status = make(context, word, &completion)))
        return status;
    pthread_mutex_lock(&context->watches.lock);
    weir__completion_push(completion, WEIR_OK);
    pthread_mutex_unlock(&context->watches.lock);
    if (context->progress->kick)
        context->progress->kick(context);
    return WEIR_OK;
}

static int has_completion(void *user)
{
    weir_context *context = user;
    pthread_mutex_lock(&context->watches.lock);
    int has = context->watches.first != NULL;
    pthread_mutex_unlock(&context->watches.lock);
    return has;
}

weir_status weir_context_next(weir_context *context, uint64_t *word_out, weir_status *status_out)
{
    if (!context || !word_out)
        return weir__missing("weir_context_next", context ? "word_out" : "context");
    weir__context_poll(context, has_completion, context);
    weir__alarms_raise(context); /* a program may do nothing but ask */
    pthread_mutex_lock(&context->watches.lock);
    weir_watch *completion = take(context);
    pthread_mutex_unlock(&context->watches.lock);
    if (!completion)
        return WEIR_PENDING;
    *word_out = completion->word;
    if (status_out)
        *status_out = completion->status;
    free(completion);
    return WEIR_OK;
}

weir_status weir_context_fd(weir_context *context, int *fd_out)
{
    int error = 0;
    if (!context || !fd_out)
        return weir__missing("weir_context_fd", context ? "fd_out" : "context");
    *fd_out = -1;
    if (context->progress->by_calls)
        return weir__fail(
            WEIR_ERR_UNSUPPORTED,
            "a simulated context has no descriptor to wait for: its time goes on only "
            "in calls, so ask weir_context_next()");
    pthread_mutex_lock(&context->watches.lock);
    if (context->watches.fd < 0) {
        context->watches.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        error = context->watches.fd < 0 ? errno : 0;
        if (context->watches.first)
            show(context, 1);
    }
    *fd_out = context->watches.fd;
    pthread_mutex_unlock(&context->watches.lock);
    return error ? weir__fail(WEIR_ERR_NOMEM, "the completion queue's descriptor: %s",
                              strerror(error))
                 : WEIR_OK;
}

void weir__completions_drop(weir_context *context)
{
    weir_watch *completion;
    while ((completion = take(context)))
        free(completion);
    if (context->watches.fd >= 0)
        close(context->watches.fd);
}
