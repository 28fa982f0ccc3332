/** @file notify.h  Who is told when a future is complete. Included by notify.c, completion.c and context.c. */
#ifndef WEIR_RUNTIME_NOTIFY_H
#define WEIR_RUNTIME_NOTIFY_H

#include "runtime/context.h"

enum weir__watch_state { WEIR__WATCH_WAITING, WEIR__WATCH_RUNNING, WEIR__WATCH_TOLD };

/* Guarded by context->watches.lock, but for what never changes: context, fn, user, word. */
struct weir_watch {
    weir_context *context;
    void (*fn)(void *user,
               weir_status status); /* NULL: a completion, put into the context's queue */
    void *user;
    uint64_t word; /* of a completion */
    enum weir__watch_state state;
    int orphan;             /* nobody destroys it: whoever calls it frees it */
    pthread_t caller;       /* valid while it runs */
    weir_status status;     /* of a completion, once it is in the queue */
    weir_future *future;    /* valid while it waits: the observation holds a reference */
    weir_watch *next, **at; /* those of the future; of a completion in the queue `next` alone */
    weir_watch *next_all, **at_all; /* those of the context that wait */
};

/** Have a watch, which nobody else knows yet, told when @p future is complete; at once if it is. */
weir_status weir__watch_start(weir_watch *watch, weir_future *future);
/** Put a completion, which nobody else knows, behind the others; the watches are locked. */
void weir__completion_push(weir_watch *completion, weir_status status);
/** Free what nobody took, and the file descriptor; the context ends. */
void weir__completions_drop(weir_context *context);

#endif
