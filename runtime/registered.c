/** @file registered.c  Memory that the program allocated itself, made good for copies and kernels. */
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct weir__pinned {
    struct weir__pinned *next;
    char *data;
    size_t bytes;
    int changing; /* the driver is at work on it, with the list unlocked: it may wait for all that runs */
};

/* As numbers: ordering pointers into different objects is not C's. */
static int overlap(const struct weir__pinned *a, const char *data, size_t bytes)
{
    uintptr_t at = (uintptr_t)a->data, other = (uintptr_t)data;
    return at < other + bytes && other < at + a->bytes;
}

/* The list is locked. */
static weir_status check(const weir_context *context, const char *data, size_t bytes)
{
    if (bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)data)
        return weir__fail(WEIR_ERR_INVALID, "%zu bytes at %p are no memory to register", bytes,
                          (const void *)data);
    for (const struct weir__pinned *p = context->pinned.list; p; p = p->next)
        if (overlap(p, data, bytes))
            return weir__fail(WEIR_ERR_INVALID,
                              "%zu bytes at %p: %zu bytes at %p are registered already", bytes,
                              (const void *)data, p->bytes, (void *)p->data);
    return WEIR_OK;
}

static weir_status pin(weir_context *context, void *data, size_t bytes)
{
    weir_device *device = context->pinning;
    return device && device->ops->pin ? device->ops->pin(device, data, bytes) : WEIR_OK;
}

static void unpin(weir_context *context, struct weir__pinned *pinned)
{
    weir_device *device = context->pinning;
    if (device && device->ops->unpin)
        device->ops->unpin(device, pinned->data);
}

/* The list is locked. */
static void take_out(weir_context *context, struct weir__pinned *pinned)
{
    struct weir__pinned **at = &context->pinned.list;
    while (*at != pinned)
        at = &(*at)->next;
    *at = pinned->next;
}

weir_status weir_memory_register(weir_context *context, void *data, size_t bytes)
{
    struct weir__pinned *pinned;
    weir_status status;
    if (!context || !data)
        return weir__missing("weir_memory_register", context ? "data" : "context");
    if ((status = weir__alloc(1, sizeof *pinned, "registered memory", &pinned)))
        return status;
    pthread_mutex_lock(&context->pinned.lock);
    if (!(status = check(context, data, bytes))) {
        *pinned = (struct weir__pinned){context->pinned.list, data, bytes, 1};
        context->pinned.list = pinned;
    }
    pthread_mutex_unlock(&context->pinned.lock);
    if (status) {
        free(pinned);
        return status;
    }
    status = pin(context, data, bytes);
    pthread_mutex_lock(&context->pinned.lock);
    pinned->changing = 0;
    if (status)
        take_out(context, pinned);
    pthread_mutex_unlock(&context->pinned.lock);
    if (status)
        free(pinned);
    return status;
}

/* Whose memory begins at `data`, for the caller to give up; NULL if there is none, or somebody else does so. */
static struct weir__pinned *claim(weir_context *context, const void *data)
{
    pthread_mutex_lock(&context->pinned.lock);
    struct weir__pinned *pinned = context->pinned.list;
    while (pinned && (pinned->data != data || pinned->changing))
        pinned = pinned->next;
    if (pinned)
        pinned->changing = 1;
    pthread_mutex_unlock(&context->pinned.lock);
    return pinned;
}

weir_status weir_memory_unregister(weir_context *context, void *data)
{
    if (!data)
        return WEIR_OK;
    if (!context)
        return weir__missing("weir_memory_unregister", "context");
    struct weir__pinned *pinned = claim(context, data);
    if (!pinned)
        return weir__fail(WEIR_ERR_INVALID, "the memory at %p was not registered", data);
    unpin(context, pinned);
    pthread_mutex_lock(&context->pinned.lock);
    take_out(context, pinned);
    pthread_mutex_unlock(&context->pinned.lock);
    free(pinned);
    return WEIR_OK;
}

int weir__memory_registered(weir_context *context, const void *data, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)data;
    int is = 0;
    pthread_mutex_lock(&context->pinned.lock);
    for (const struct weir__pinned *p = context->pinned.list; p && !is; p = p->next)
        is = !p->changing && begin >= (uintptr_t)p->data &&
             begin - (uintptr_t)p->data <= p->bytes &&
             bytes <= p->bytes - (begin - (uintptr_t)p->data);
    pthread_mutex_unlock(&context->pinned.lock);
    return is;
}

void weir__context_unpin_all(weir_context *context)
{
    while (context->pinned.list) {
        struct weir__pinned *pinned = context->pinned.list;
        context->pinned.list = pinned->next;
        weir__log(WEIR__LOG_ERROR, "%zu bytes at %p were never unregistered", pinned->bytes,
                  (void *)pinned->data);
        unpin(context, pinned);
        free(pinned);
    }
}

weir_status weir__locked_alloc(weir_context *context, size_t count, size_t bytes, const char *what,
                               void *data_out)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *data = NULL;
    weir_status status;
    memcpy(data_out, &data, sizeof data);
    if (count > (SIZE_MAX - page) / bytes)
        return weir__fail(WEIR_ERR_NOMEM, "%zu %s of %zu bytes are more than there can be", count,
                          what, bytes);
    const size_t all = (count * bytes + page) / page * page;
    if (!weir__fault_strikes(WEIR__FAULT_ALLOC))
        data = aligned_alloc(page, all);
    if (!data)
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %zu bytes of %s", all, what);
    if ((status = weir_memory_register(context, data, all)))
        free(data);
    else
        memcpy(data_out, &data, sizeof data);
    return status;
}

void weir__locked_free(weir_context *context, void *data)
{
    if (data && weir__memory_registered(context, data, 1))
        (void)weir_memory_unregister(context, data);
    free(data);
}
