/** @file memory.c  How much memory may be taken before the system kills somebody for it.
 *
 * malloc promises more than there is, and a header of a few bytes can ask for terabytes. */
#include "algorithms/graph/build.h"
#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number behind `key` in a file of lines; UINT64_MAX when there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[128];
    uint64_t value = UINT64_MAX;
    FILE *file = fopen(path, "re");
    while (file && value == UINT64_MAX && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0)
            continue;
        const char *at = line + length + strspn(line + length, " \t");
        if (*at >= '0' && *at <= '9') /* "max" is no limit */
            value = strtoull(at, NULL, 10);
    }
    if (file)
        fclose(file);
    return value;
}

uint64_t weir__memory_left(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t left = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    uint64_t available_kib = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t group = number_in("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    if (group != UINT64_MAX && used != UINT64_MAX)
        group = used < group ? group - used : 0;
    if (available_kib < left / 1024)
        left = available_kib * 1024;
    return group < left ? group : left;
}

weir_status weir__memory_fits(uint64_t bytes, const char *what)
{
    uint64_t left = weir__memory_left();
    if (bytes <= left)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_NOMEM, "%s: %llu MiB are needed, this machine has %llu MiB left",
                      what, (unsigned long long)(bytes >> 20), (unsigned long long)(left >> 20));
}
