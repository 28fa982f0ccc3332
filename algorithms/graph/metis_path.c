/** @file metis_path.c  Where the weir-metis program is. */
#include "algorithms/graph/partition.h"
#include "runtime/config.h"
#include "runtime/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELPER "weir-metis"

static int can_run(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* The path, to be freed, if a program is there. */
static char *candidate(const char *folder, int length, const char *below)
{
    char *path;
    if (asprintf(&path, "%.*s/%s%s", length, folder, below, HELPER) < 0)
        return NULL;
    if (can_run(path))
        return path;
    free(path);
    return NULL;
}

/* Beside this program, as built, as installed, and for tests, which lie two folders deeper. */
static char *beside_us(void)
{
    static const char *const below[] = {"",        "../",       "../../", "../libexec/",
                                        "../bin/", "../../bin/"};
    char self[4096], *path = NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return NULL;
    for (size_t i = 0; !path && i < sizeof below / sizeof below[0]; i++)
        path = candidate(self, (int)(slash - self), below[i]);
    return path;
}

static char *in_search_path(void)
{
    const char *list = getenv("PATH");
    char *path = NULL;
    while (list && !path) {
        size_t length = strcspn(list, ":");
        if (length > 0 && length < 4096) /* an empty entry is the working folder: not searched */
            path = candidate(list, (int)length, "");
        list = list[length] ? list + length + 1 : NULL;
    }
    return path;
}

weir_status weir__metis_helper(const weir_config *config, char **path_out)
{
    const char *named = weir__config_text(config, WEIR__METIS_HELPER);
    *path_out = NULL;
    if (named && *named) {
        if (!can_run(named))
            return weir__fail(WEIR_ERR_CHILD, "%s: the METIS helper is no program that can be run",
                              named);
        *path_out = strdup(named);
        return *path_out ? WEIR_OK : weir__fail(WEIR_ERR_NOMEM, "no memory for a path");
    }
    *path_out = beside_us();
    if (!*path_out)
        *path_out = in_search_path();
    if (!*path_out)
        return weir__fail(WEIR_ERR_CHILD,
                          "no %s beside this program, in ../libexec or in PATH; set "
                          "WEIR_METIS_HELPER",
                          HELPER);
    return WEIR_OK;
}
