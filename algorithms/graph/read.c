/** @file read.c  Lines and bytes over a large buffer that follows the unpacked file. */
#include "algorithms/graph/read.h"
#include "algorithms/graph/unpack.h"
#include "runtime/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct weir__reader {
    weir__unpack source;
    char *path;
    int fd;
    uint64_t size;
    uint64_t line;
    int ended;
    size_t at, have;
    char buffer[WEIR__LINE_MAX + 2]; /* one for a line's end, one for the zero behind it */
};

static weir_status open_file(weir__reader *r, int path_is_input)
{
    struct stat facts;
    r->fd = path_is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                          : open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &facts) != 0)
        return weir__fail(WEIR_ERR_IO, "%s: %s", r->path, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return weir__fail(WEIR_ERR_IO, "%s: is a directory", r->path);
    r->size = S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : UINT64_MAX;
    return WEIR_OK;
}

weir_status weir__reader_open(const char *path, weir__reader **reader_out)
{
    weir__reader *r;
    weir_status status;
    *reader_out = NULL;
    if ((status = weir__alloc(1, sizeof *r, "file buffer", &r)))
        return status;
    memset(r, 0, offsetof(weir__reader, buffer));
    r->fd = -1;
    const int is_input = strcmp(path, "-") == 0;
    if (!(r->path = strdup(is_input ? "standard input" : path)))
        status = weir__fail(WEIR_ERR_NOMEM, "file buffer: no memory for a name");
    if (status || (status = open_file(r, is_input)) ||
        (status = weir__unpack_start(&r->source, r->fd, r->path))) {
        weir__reader_close(r);
        return status;
    }
    if (r->source.packing != WEIR__PLAIN)
        r->size = UINT64_MAX;
    *reader_out = r;
    return WEIR_OK;
}

void weir__reader_close(weir__reader *reader)
{
    if (!reader)
        return;
    weir__unpack_end(&reader->source);
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->path);
    free(reader);
}

const char *weir__reader_path(const weir__reader *reader)
{
    return reader->path;
}

uint64_t weir__reader_number(const weir__reader *reader)
{
    return reader->line;
}

uint64_t weir__reader_size(const weir__reader *reader)
{
    return reader->size;
}

/* Fill the buffer until `want` bytes are in it or the file ends. */
static weir_status fill(weir__reader *r, size_t want)
{
    const size_t room = sizeof r->buffer - 1;
    memmove(r->buffer, r->buffer + r->at, r->have - r->at);
    r->have -= r->at;
    r->at = 0;
    while (r->have < want && !r->ended) {
        size_t got;
        weir_status status =
            weir__unpack_pull(&r->source, r->buffer + r->have, room - r->have, &got);
        if (status)
            return status;
        r->have += got;
        r->ended = got == 0;
    }
    return WEIR_OK;
}

weir_status weir__reader_peek(weir__reader *reader, size_t want, const char **data_out,
                              size_t *have_out)
{
    weir_status status = WEIR_OK;
    if (reader->have - reader->at < want)
        status = fill(reader, want);
    *data_out = reader->buffer + reader->at;
    *have_out = reader->have - reader->at < want ? reader->have - reader->at : want;
    return status;
}

weir_status weir__reader_line(weir__reader *r, const char **line_out)
{
    char *begin = r->buffer + r->at, *end = memchr(begin, '\n', r->have - r->at);
    while (!end && !r->ended && r->have - r->at <= WEIR__LINE_MAX) {
        size_t known = r->have - r->at;
        weir_status status = fill(r, known + 1);
        if (status)
            return status;
        begin = r->buffer;
        end = memchr(begin + known, '\n', r->have - known);
    }
    *line_out = begin;
    if (!end && r->have == r->at)
        return WEIR_CLOSED;
    r->line++;
    if (!end) {
        if (!r->ended)
            return weir__line_fail(r, "the line is longer than %u bytes", WEIR__LINE_MAX);
        end = r->buffer + r->have; /* the last line has no end of its own */
        r->at = r->have;
    } else {
        r->at = (size_t)(end + 1 - r->buffer);
    }
    if (end > begin && end[-1] == '\r')
        end--;
    *end = '\0';
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return weir__line_fail(r, "the line holds a zero byte; this is no text");
    return WEIR_OK;
}

weir_status weir__reader_bytes(weir__reader *r, void *data, size_t bytes, size_t *got_out)
{
    char *to = data;
    *got_out = 0;
    while (*got_out < bytes) {
        if (r->at == r->have) {
            weir_status status = fill(r, 1);
            if (status)
                return status;
            if (r->have == 0)
                break;
        }
        size_t left = r->have - r->at, want = bytes - *got_out, take = left < want ? left : want;
        memcpy(to + *got_out, r->buffer + r->at, take);
        r->at += take;
        *got_out += take;
    }
    return WEIR_OK;
}

weir_status weir__line_fail(const weir__reader *reader, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return weir__fail(WEIR_ERR_FORMAT, "%s:%llu: %s", reader->path,
                      (unsigned long long)reader->line, sentence);
}
