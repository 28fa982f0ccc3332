/** @file replace.c  Files that appear complete or not at all.
 *
 * A regular file is written under another name in its folder and renamed at the end. The names are on
 * a list while they exist, so that a program that is told to stop can remove them. */
#include "algorithms/graph/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 100 };

struct listed {
    struct listed *next;
    const char *name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listed *names; /* guarded by lock */

/* Create a file and put it on the list in one step, so that a signal finds it there. */
static int create_listed(const char *name)
{
    struct listed *listed = malloc(sizeof *listed);
    if (!listed) {
        errno = ENOMEM;
        return -1;
    }
    pthread_mutex_lock(&lock);
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = errno;
    if (descriptor >= 0) {
        *listed = (struct listed){names, name};
        names = listed;
        listed = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(listed);
    errno = error;
    return descriptor;
}

/* Take a name off the list; the lock is held. */
static void unlist(const char *name)
{
    for (struct listed **at = &names; *at; at = &(*at)->next)
        if ((*at)->name == name) {
            struct listed *listed = *at;
            *at = listed->next;
            free(listed);
            return;
        }
}

void weir__replace_remove_all(void)
{
    pthread_mutex_lock(&lock);
    for (struct listed *listed = names; listed; listed = listed->next)
        (void)unlink(listed->name);
    /* The lock stays taken: nothing may be created after this. */
}

/* The path without symbolic links, whether its last part exists or not; NULL with errno. */
static char *resolve(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole || errno != ENOENT)
        return whole;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    int error = errno;
    free(folder);
    if (!real) {
        errno = error;
        return NULL;
    }
    if (!*base) {
        free(real);
        errno = EISDIR;
        return NULL;
    }
    if (asprintf(&whole, "%s/%s", strcmp(real, "/") == 0 ? "" : real, base) < 0) {
        whole = NULL;
        errno = ENOMEM;
    }
    free(real);
    return whole;
}

/* A new file in the folder of the target. Its name does not grow with the target's. */
static int open_temporary(weir__replace *file)
{
    int folder = (int)(strrchr(file->target, '/') - file->target), error = EEXIST;
    for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
        if (asprintf(&file->temporary, "%.*s/.weir-%ld-%d.part", folder, file->target,
                     (long)getpid(), i) < 0) {
            file->temporary = NULL;
            return ENOMEM;
        }
        file->descriptor = create_listed(file->temporary);
        if (file->descriptor >= 0)
            return 0;
        error = errno;
        free(file->temporary);
        file->temporary = NULL;
    }
    return error;
}

static int open_beside(weir__replace *file, const char *path, const struct stat *there)
{
    int error = 0;
    if (!(file->target = resolve(path)))
        return errno;
    if (there && access(file->target, W_OK))
        error = errno;
    if (!error)
        error = open_temporary(file);
    if (!error && there && fchmod(file->descriptor, there->st_mode & 0777)) {
        error = errno;
        (void)close(file->descriptor);
    }
    if (error)
        weir__replace_drop(file);
    return error;
}

int weir__replace_open(weir__replace *file, const char *path)
{
    struct stat there;
    int exists = stat(path, &there) == 0;
    *file = (weir__replace){-1, NULL, NULL};
    if (exists && S_ISDIR(there.st_mode))
        return EISDIR;
    if (!exists || S_ISREG(there.st_mode))
        return open_beside(file, path, exists ? &there : NULL);
    file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return file->descriptor < 0 ? errno : 0;
}

int weir__replace_commit(weir__replace *file)
{
    int error = 0;
    if (!file->temporary)
        return 0;
    pthread_mutex_lock(&lock);
    if (rename(file->temporary, file->target))
        error = errno;
    else
        unlist(file->temporary);
    pthread_mutex_unlock(&lock);
    if (!error) {
        free(file->temporary);
        file->temporary = NULL;
    }
    return error;
}

void weir__replace_drop(weir__replace *file)
{
    if (file->temporary) {
        pthread_mutex_lock(&lock);
        (void)unlink(file->temporary);
        unlist(file->temporary);
        pthread_mutex_unlock(&lock);
    }
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
}
