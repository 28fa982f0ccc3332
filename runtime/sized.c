/** @file sized.c  Structures that grow by their size, read from a caller and filled for one (docs/abi.md). */
#include "runtime/support.h"

#include <string.h>

/* No structure grows by more from one version to another: a size that is larger still was never set. */
#define GROWTH_MAX 4096

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static weir_status check(size_t size, size_t bytes, const char *what)
{
    if (size >= sizeof size && size <= bytes + GROWTH_MAX)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "a %s of size %zu was not set by its initialiser", what,
                      size);
}

weir_status weir__sized_check(const void *given, size_t bytes, const char *what)
{
    const unsigned char *text = given;
    const size_t size = size_of(given);
    weir_status status = check(size, bytes, what);
    for (size_t i = bytes; i < size && !status; i++)
        if (text[i])
            status = weir__fail(WEIR_ERR_UNSUPPORTED,
                                "a %s of %zu bytes sets what this library, which knows the first "
                                "%zu, does not have",
                                what, size, bytes);
    return status;
}

weir_status weir__sized_in(void *known, size_t bytes, const void *given, const char *what)
{
    if (!given)
        return WEIR_OK;
    const size_t size = size_of(given);
    weir_status status = weir__sized_check(given, bytes, what);
    if (status)
        return status;
    memcpy(known, given, size < bytes ? size : bytes);
    memcpy(known, &bytes, sizeof bytes);
    return WEIR_OK;
}

weir_status weir__sized_room(const void *given, size_t bytes, const char *what)
{
    return given ? check(size_of(given), bytes, what) : WEIR_OK;
}

weir_status weir__sized_out(void *given, const void *known, size_t bytes, const char *what)
{
    if (!given)
        return weir__fail(WEIR_ERR_INVALID, "the %s to fill in is NULL", what);
    const size_t size = size_of(given);
    weir_status status = check(size, bytes, what);
    if (status)
        return status;
    memcpy((char *)given + sizeof size, (const char *)known + sizeof size,
           (size < bytes ? size : bytes) - sizeof size);
    return WEIR_OK;
}
