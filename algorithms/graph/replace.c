/** @file replace.c  Files that appear complete or not at all.
 *
 * A regular file is written beside its target and renamed at the end. Until then it has no name where the
 * file system can do that, so that nothing is left of it however the program ends; where it cannot, the
 * file has another name, and is on a list, so that a program that is told to stop can remove it. */
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

enum { NAME_TRIES = 100, LINKS_MAX = 40 };

struct listed {
    struct listed *next;
    const char *name;
    int unnamed; /* a descriptor of the file, which does not have that name yet; -1: it has */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listed *names; /* guarded by lock */

/* The entry of a name, or NULL; the lock is held. */
static struct listed *find(const char *name)
{
    struct listed *listed = names;
    while (listed && strcmp(listed->name, name) != 0)
        listed = listed->next;
    return listed;
}

/* The way to an open file that has no name. */
static const char *way_to(int descriptor, char room[32])
{
    snprintf(room, 32, "/proc/self/fd/%d", descriptor);
    return room;
}

/* A file in the folder of @p name that has no name, but can get one; -1: that is not to be had here. */
static int open_unnamed(char *name)
{
    char *slash = strrchr(name, '/'), room[32];
    *slash = '\0';
    int descriptor = open(*name ? name : "/", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    *slash = '/';
    if (descriptor < 0 || access(way_to(descriptor, room), F_OK) == 0)
        return descriptor;
    (void)close(descriptor);
    return -1;
}

/* Open the file that is to have this name, or has it already; the lock is held.
 * @param[out] unnamed_out  see struct listed. */
static int open_under(char *name, int *unnamed_out)
{
    *unnamed_out = -1;
    if (find(name) || access(name, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    int descriptor = open_unnamed(name);
    if (descriptor >= 0 && (*unnamed_out = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) >= 0)
        return descriptor;
    if (descriptor >= 0)
        (void)close(descriptor);
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Create a file and put it on the list in one step, so that a signal finds it there. */
static int create_listed(char *name)
{
    struct listed *listed = malloc(sizeof *listed);
    int unnamed;
    if (!listed) {
        errno = ENOMEM;
        return -1;
    }
    pthread_mutex_lock(&lock);
    int descriptor = open_under(name, &unnamed);
    int error = errno;
    if (descriptor >= 0) {
        *listed = (struct listed){names, name, unnamed};
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
            if (listed->unnamed >= 0)
                (void)close(listed->unnamed);
            free(listed);
            return;
        }
}

/* Give a file that has none its name; the lock is held. @return 0, or an errno value. */
static int name_it(struct listed *listed)
{
    char room[32];
    if (listed->unnamed < 0)
        return 0;
    if (linkat(AT_FDCWD, way_to(listed->unnamed, room), AT_FDCWD, listed->name, AT_SYMLINK_FOLLOW))
        return errno;
    (void)close(listed->unnamed);
    listed->unnamed = -1;
    return 0;
}

void weir__replace_remove_all(void)
{
    pthread_mutex_lock(&lock);
    for (struct listed *listed = names; listed; listed = listed->next)
        if (listed->unnamed < 0)
            (void)unlink(listed->name);
    /* The lock stays taken: nothing may be created after this. */
}

/* The folder of a path without symbolic links; NULL with errno. @p base_out  behind its last slash. */
static char *real_folder(const char *path, const char **base_out)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    int error = errno;
    free(folder);
    *base_out = slash ? slash + 1 : path;
    errno = error;
    return real;
}

static char *join(const char *folder, const char *base)
{
    char *whole;
    if (asprintf(&whole, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, base) >= 0)
        return whole;
    errno = ENOMEM;
    return NULL;
}

/* Where a path leads whose last part is not there: its folder without symbolic links, and that part. */
static char *resolve_new(const char *path)
{
    const char *base;
    char *folder = real_folder(path, &base), *whole = NULL;
    if (folder && *base)
        whole = join(folder, base);
    else if (folder)
        errno = EISDIR;
    int error = errno;
    free(folder);
    errno = error;
    return whole;
}

/* What the link at @p path stands for, which goes through no other link; NULL: it is no link. */
static char *follow(const char *path)
{
    char text[PATH_MAX], *target = NULL;
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    int folder = *text == '/' ? 0 : (int)(strrchr(path, '/') + 1 - path);
    return asprintf(&target, "%.*s%s", folder, path, text) < 0 ? NULL : target;
}

/* The path without symbolic links, whether its last part exists or not; NULL with errno. Where the last
 * part is a link to what is not there, that is what will be written, as a shell's > does. */
static char *resolve(const char *path)
{
    char *whole = realpath(path, NULL), *next;
    if (whole || errno != ENOENT)
        return whole;
    whole = resolve_new(path);
    for (int links = 0; whole && (next = follow(whole)); links++) {
        free(whole);
        whole = links < LINKS_MAX ? resolve_new(next) : NULL;
        int error = links < LINKS_MAX ? errno : ELOOP;
        free(next);
        errno = error;
    }
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

/* The shell has opened the file behind standard output, and others may write to it too. */
static int is_standard_output(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0;
}

int weir__replace_streams(const char *path)
{
    struct stat there;
    return is_standard_output(path) ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

int weir__replace_open(weir__replace *file, const char *path)
{
    struct stat there;
    int exists = stat(path, &there) == 0;
    *file = (weir__replace){-1, NULL, NULL};
    if (is_standard_output(path)) {
        file->descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        return file->descriptor < 0 ? errno : 0;
    }
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
    if (!(error = name_it(find(file->temporary))) && rename(file->temporary, file->target))
        error = errno;
    if (!error)
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
        if (find(file->temporary)->unnamed < 0)
            (void)unlink(file->temporary);
        unlist(file->temporary);
        pthread_mutex_unlock(&lock);
    }
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
}
