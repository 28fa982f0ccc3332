/** @file machine_open.c  A machine from whatever the user wrote: a shipped name, a file, a spec. */
#include "topology/machine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST ((size_t)4 << 20) /* the largest machine takes about 1 MiB */

static weir_status cannot_read(const char *path)
{
    return weir__fail(WEIR_ERR_IO, "%s: %s", path, strerror(errno));
}

static weir_status too_large(const char *path)
{
    return weir__fail(WEIR_ERR_FORMAT, "%s: more than %zu MiB is no machine", path,
                      FILE_MOST >> 20);
}

/* Regular files tell their size; a pipe gets room for the most, and is read to its end. */
static weir_status room_for(int fd, const char *path, size_t *room_out)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return cannot_read(path);
    if (S_ISDIR(facts.st_mode))
        return weir__fail(WEIR_ERR_IO, "%s: is a directory", path);
    if (!S_ISREG(facts.st_mode))
        *room_out = FILE_MOST;
    else if ((uint64_t)facts.st_size > FILE_MOST)
        return too_large(path);
    else
        *room_out = (size_t)facts.st_size;
    return WEIR_OK;
}

/* Reads one byte more than there is room for, to see that nothing follows. */
static weir_status read_all(int fd, const char *path, char *text, size_t room, size_t *bytes_out)
{
    size_t bytes = 0;
    ssize_t got;
    while (bytes <= room && (got = read(fd, text + bytes, room + 1 - bytes)) != 0) {
        if (got > 0)
            bytes += (size_t)got;
        else if (errno != EINTR)
            return cannot_read(path);
    }
    *bytes_out = bytes;
    if (bytes > FILE_MOST)
        return too_large(path);
    if (bytes > room)
        return weir__fail(WEIR_ERR_IO, "%s: grew while it was read", path);
    if (!bytes)
        return weir__fail(WEIR_ERR_FORMAT, "%s: empty", path);
    return WEIR_OK;
}

static weir_status from_file(const char *path, weir_machine **machine_out)
{
    char *text = NULL;
    size_t room = 0, bytes = 0;
    weir_status status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_read(path);
    if ((status = room_for(fd, path, &room)) ||
        (status = weir__alloc(room + 1, 1, "machine file", &text)) ||
        (status = read_all(fd, path, text, room, &bytes)) ||
        (status = weir__machine_from_json(path, text, bytes, machine_out)))
        goto done;
    snprintf((*machine_out)->source, sizeof(*machine_out)->source, "file %s", path);
done:
    free(text);
    close(fd);
    return status;
}

static int looks_like_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length >= 5 && strcmp(text + length - 5, ".json") == 0) ||
           access(text, F_OK) == 0;
}

static weir_status unknown(const char *text)
{
    const char *const *names;
    char known[128] = "";
    size_t used = 0, count = weir_machine_shipped(&names, NULL);
    for (size_t i = 0; i < count && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    return weir__fail(WEIR_ERR_INVALID,
                      "machine '%.80s': no file, no shipped machine (there are %s), and no spec, "
                      "which begins with a number, such as 8*nvswitch",
                      text, known);
}

weir_status weir_machine_open(const char *text, weir_machine **machine_out)
{
    weir_status status;
    *machine_out = NULL;
    if (!text || !*text)
        return weir__fail(WEIR_ERR_INVALID, "no machine is named");
    if (weir__machine_from_name(text, machine_out, &status))
        return status;
    if (looks_like_path(text))
        return from_file(text, machine_out);
    return isdigit((unsigned char)*text) ? weir__machine_from_spec(text, machine_out)
                                         : unknown(text);
}
