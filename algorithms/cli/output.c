/** @file output.c  Result files that appear complete or not at all.
 *
 * A regular file is written under another name in the same directory and renamed at the end; a
 * pipe, a terminal or a device cannot be replaced and is written directly. The list of open
 * temporaries is shared with the signal thread, which removes them when it ends the program. */
#include "algorithms/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_MAX_FILES = 4, NAME_TRIES = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *temporaries[OPEN_MAX_FILES]; /* guarded by lock */

static int fail(const weir__cli_output *output, int error)
{
    return weir__cli_fail(weir__cli_exit_of(WEIR_ERR_IO), "--%s %s: cannot be written: %s",
                          output->option, output->path, strerror(error));
}

static int out_of_memory(const weir__cli_output *output)
{
    return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
}

/* ---- the list of temporaries ---- */

/* Create a file and put it on the list in one step, so that a signal finds it there. */
static int create_listed(const char *temporary)
{
    pthread_mutex_lock(&lock);
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    for (int i = 0; descriptor >= 0 && i < OPEN_MAX_FILES; i++)
        if (!temporaries[i]) {
            temporaries[i] = temporary;
            break;
        }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static void unlist(const char *temporary)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (temporaries[i] == temporary)
            temporaries[i] = NULL;
    pthread_mutex_unlock(&lock);
}

void weir__cli_output_remove_all(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (temporaries[i])
            (void)unlink(temporaries[i]);
    /* The lock stays taken: nothing may be created after this. */
}

/* ---- opening ---- */

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
    if (asprintf(&whole, "%s/%s", strcmp(real, "/") == 0 ? "" : real, base) < 0)
        whole = NULL;
    free(real);
    return whole;
}

/* A new file in the folder of the target. Its name does not grow with the target's. */
static FILE *open_temporary(const char *target, char **temporary_out)
{
    int folder = (int)(strrchr(target, '/') - target);
    for (int i = 0; i < NAME_TRIES; i++) {
        char *name;
        if (asprintf(&name, "%.*s/.weir-%ld-%d.part", folder, target, (long)getpid(), i) < 0)
            return NULL;
        int descriptor = create_listed(name);
        FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
        if (file) {
            *temporary_out = name;
            return file;
        }
        int error = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
            (void)unlink(name);
            unlist(name);
        }
        free(name);
        errno = error;
        if (error != EEXIST)
            return NULL;
    }
    return NULL;
}

static int open_replacing(weir__cli_output *output, int exists)
{
    if (!(output->target = resolve(output->path)))
        return fail(output, errno);
    if (exists && access(output->target, W_OK))
        return fail(output, errno);
    if (!(output->file = open_temporary(output->target, &output->temporary)))
        return fail(output, errno);
    return EXIT_DONE;
}

int weir__cli_output_open(weir__cli_output *output, const char *option, const char *path)
{
    struct stat there, standard;
    *output = (weir__cli_output){.option = option, .path = path};
    int exists = strcmp(path, "-") != 0 && stat(path, &there) == 0;
    int same = exists && fstat(STDOUT_FILENO, &standard) == 0 && there.st_dev == standard.st_dev &&
               there.st_ino == standard.st_ino && !S_ISCHR(there.st_mode);
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || same) {
        output->file = stdout;
        return EXIT_DONE;
    }
    if (!exists || S_ISREG(there.st_mode))
        return open_replacing(output, exists);
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail(output, errno);
    if (!(output->file = fdopen(descriptor, "w"))) {
        (void)close(descriptor);
        return out_of_memory(output);
    }
    return EXIT_DONE;
}

int weir__cli_output_is_stdout(const weir__cli_output *output)
{
    return output->file == stdout;
}

int weir__cli_output_differ(const weir__cli_output *a, const weir__cli_output *b)
{
    int same_file = a->target && b->target && strcmp(a->target, b->target) == 0;
    int both_stdout = weir__cli_output_is_stdout(a) && weir__cli_output_is_stdout(b);
    if (same_file || both_stdout)
        return weir__cli_fail(EXIT_USAGE, "--%s and --%s both write to %s", a->option, b->option,
                              both_stdout ? "standard output" : b->path);
    return EXIT_DONE;
}

/* ---- closing ---- */

/* Everything on its way to the disk; the file does not yet have its name. */
static int finish(weir__cli_output *output)
{
    if (!output->file)
        return EXIT_DONE;
    errno = 0;
    int failed = fflush(output->file) != 0 || ferror(output->file);
    int error = errno;
    if (output->file != stdout) {
        if (fclose(output->file) != 0 && !failed) {
            failed = 1;
            error = errno;
        }
        output->file = NULL;
    }
    return failed ? fail(output, error ? error : EIO) : EXIT_DONE;
}

static int publish(weir__cli_output *output)
{
    if (!output->temporary)
        return EXIT_DONE;
    if (rename(output->temporary, output->target))
        return fail(output, errno);
    unlist(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    return EXIT_DONE;
}

int weir__cli_output_commit(weir__cli_output *outputs, size_t count)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && !code; i++)
        code = finish(&outputs[i]);
    for (size_t i = 0; i < count && !code; i++)
        code = publish(&outputs[i]);
    return code;
}

void weir__cli_output_drop(weir__cli_output *output)
{
    if (output->file && output->file != stdout)
        (void)fclose(output->file);
    output->file = NULL;
    if (output->temporary) {
        (void)unlink(output->temporary);
        unlist(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
    }
    free(output->target);
    output->target = NULL;
}
