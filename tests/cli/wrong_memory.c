/** @file wrong_memory.c  The command without memory for what it does before a run.
 *
 * Linked as wrong_levels.c is. With WEIR_TEST_NO_MEMORY=open the files of --output and --json find none, by
 * --wrap=weir__replace_open; with a number N the N-th allocation of the JSON parser does. */
#include "algorithms/graph/replace.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int __real_weir__replace_open(weir__replace *file, const char *path);
int __wrap_weir__replace_open(weir__replace *file, const char *path);

int __wrap_weir__replace_open(weir__replace *file, const char *path)
{
    const char *wrong = getenv("WEIR_TEST_NO_MEMORY");
    if (!wrong || strcmp(wrong, "open") != 0)
        return __real_weir__replace_open(file, path);
    *file = (weir__replace){-1, NULL, NULL};
    return ENOMEM;
}

static unsigned long left; /* allocations until the one that fails; 0: none does */

static void *take(size_t bytes)
{
    if (left && --left == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(bytes);
}

__attribute__((constructor)) static void arm(void)
{
    const char *wrong = getenv("WEIR_TEST_NO_MEMORY");
    left = wrong ? strtoul(wrong, NULL, 10) : 0;
    if (left)
        json_set_alloc_funcs(take, free);
}
