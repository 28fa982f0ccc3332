/** @file inbox.c  The ways in which a process sees an inbox of another one: a table.
 *
 * Today there is shared memory alone: the inbox is a file in memory, whose descriptor goes over the
 * socket once. Its size is sealed, so that neither side can take pages away below the other. docs/design.md says what
 * rows for memory that cannot be mapped need beside these functions. */
#include "router/process/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static weir_status no_inbox(size_t bytes, const char *what)
{
    return weir__fail(WEIR_ERR_NOMEM, "no inbox of %zu bytes for another process: %s: %s", bytes,
                      what, strerror(errno));
}

static weir_status map(int handle, size_t bytes, void **data_out)
{
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    *data_out = NULL;
    if (data == MAP_FAILED)
        return no_inbox(bytes, "mmap");
    *data_out = data;
    return WEIR_OK;
}

/* The pages are taken here: who writes to an inbox later cannot be told that there is no memory. */
static weir_status open_shared(size_t bytes, void **data_out, int *handle_out)
{
    weir_status status;
    *data_out = NULL;
    *handle_out = memfd_create("weir inbox", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*handle_out < 0)
        return no_inbox(bytes, "memfd_create");
    if (fallocate(*handle_out, 0, 0, (off_t)bytes))
        status = no_inbox(bytes, "fallocate");
    else if (fcntl(*handle_out, F_ADD_SEALS, SEALS))
        status = no_inbox(bytes, "F_ADD_SEALS");
    else
        status = map(*handle_out, bytes, data_out);
    if (status) {
        (void)close(*handle_out);
        *handle_out = -1;
    }
    return status;
}

static weir_status join_shared(int handle, size_t bytes, void **data_out)
{
    struct stat about;
    *data_out = NULL;
    if (handle < 0 || fstat(handle, &about) || (uint64_t)about.st_size < bytes ||
        (fcntl(handle, F_GET_SEALS) & SEALS) != SEALS)
        return weir__fail(WEIR_ERR_INVALID, "an inbox of %zu bytes of another process is not whole",
                          bytes);
    return map(handle, bytes, data_out);
}

static void close_shared(void *data, size_t bytes)
{
    (void)munmap(data, bytes);
}

static const struct inbox_transport transports[] = {
    {.name = "shared memory", .open = open_shared, .join = join_shared, .close = close_shared},
};

const struct inbox_transport *weir__inbox_transport(uint64_t number)
{
    return number < sizeof transports / sizeof *transports ? &transports[number] : NULL;
}
