/** @file shm.c  Between processes of one machine, through memory that both map.
 *
 * An inbox is a file in memory, whose descriptor goes over a socket once. Its size is sealed, so that neither side can
 * take pages away below the other. The sender copies into it, and the receiver out of it: either is one copy. */
#include "router/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int joins(weir_device *source, weir_device *destination)
{
    return source == destination || weir_device_reaches(source, destination);
}

static weir_status no_inbox(size_t bytes, const char *what)
{
    return weir__fail(WEIR_ERR_NOMEM, "no inbox of %zu bytes for another process: %s: %s", bytes,
                      what, strerror(errno));
}

static weir_status map(weir_context *context, int handle, size_t bytes, void **inbox_out)
{
    void *inbox = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    *inbox_out = NULL;
    if (inbox == MAP_FAILED)
        return no_inbox(bytes, "mmap");
    weir_status status = weir_memory_register(context, inbox, bytes);
    if (status)
        (void)munmap(inbox, bytes);
    else
        *inbox_out = inbox;
    return status;
}

/* The pages are taken here: who writes to an inbox later cannot be told that there is no memory. */
static weir_status expose(weir_context *context, size_t bytes, void **inbox_out, int *handle_out)
{
    weir_status status;
    *inbox_out = NULL;
    *handle_out = memfd_create("weir inbox", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*handle_out < 0)
        return no_inbox(bytes, "memfd_create");
    if (fallocate(*handle_out, 0, 0, (off_t)bytes))
        status = no_inbox(bytes, "fallocate");
    else if (fcntl(*handle_out, F_ADD_SEALS, SEALS))
        status = no_inbox(bytes, "F_ADD_SEALS");
    else
        status = map(context, *handle_out, bytes, inbox_out);
    if (status) {
        (void)close(*handle_out);
        *handle_out = -1;
    }
    return status;
}

static weir_status attach(weir_context *context, int handle, size_t bytes, void **inbox_out)
{
    struct stat about;
    *inbox_out = NULL;
    if (handle < 0 || fstat(handle, &about) || (uint64_t)about.st_size < bytes ||
        (fcntl(handle, F_GET_SEALS) & SEALS) != SEALS)
        return weir__fail(WEIR_ERR_INVALID, "an inbox of %zu bytes of another process is not whole",
                          bytes);
    return map(context, handle, bytes, inbox_out);
}

static void give_up(weir_context *context, void *inbox, size_t bytes)
{
    (void)weir_memory_unregister(context, inbox);
    (void)munmap(inbox, bytes);
}

const struct transport weir__transport_shm = {
    .which = WEIR_TRANSPORT_SHM,
    .processes = 1,
    .streams = 1,
    .joins = joins,
    .open = weir__open_gpu,
    .put = weir__put_copy,
    .expose = expose,
    .attach = attach,
    .close = give_up,
};
