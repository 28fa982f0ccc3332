/** @file read.c  Lines and bytes over a large buffer that follows the unpacked file, or, once many plain lines are expected,
 * over blocks that were read ahead (ahead.h). */
#include "algorithms/graph/read.h"
#include "algorithms/graph/ahead.h"
#include "algorithms/graph/unpack.h"
#include "runtime/observe.h"
#include "runtime/room.h"
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
    off_t start;         /* where the file begins for us; -1: a pipe */
    uint64_t size;       /* unpacked; UINT64_MAX: not known */
    uint64_t file_bytes; /* as it lies there; 0: not known */
    uint64_t line;
    const char *noun; /* what sentences call a number that is no id; NULL: a weight */
    int inside;       /* a line was begun and not yet taken to its end */
    int begun;        /* something else than blanks was seen of it */
    int comment;      /* that begins with % or #, or is one of `remark` */
    char remark;      /* a first word that makes a line a comment; 0: none does */
    int ended;
    int holding; /* bytes were taken ahead and stand in place of the source */
    char *held;  /* them, until all were taken again */
    size_t held_at, held_have;
    weir__ahead *ahead;           /* where lines come from, once it was begun */
    weir__block *block;           /* the last one from there */
    size_t buffered, buffered_to; /* of the buffer, not yet read from there */
    char *text;                   /* what `at` and `have` count in: the buffer, or the block's */
    size_t at, have;
    char buffer[WEIR__LINE_MAX + 2]; /* one for a line's end, one for the zero behind it */
};

/* To open a pipe that nobody writes to yet takes until somebody does. Where somebody observes the call it is opened at once, and
 * the first reading waits. */
static int open_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | (weir__activity_observed() ? O_NONBLOCK : 0));
    const int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

static weir_status open_file(weir__reader *r, int path_is_input)
{
    struct stat facts;
    r->fd = path_is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_path(r->path);
    if (r->fd < 0 || fstat(r->fd, &facts) != 0)
        return weir__fail(WEIR_ERR_IO, "%s: %s", r->path, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return weir__fail(WEIR_ERR_IO, "%s: is a directory", r->path);
    r->start = S_ISREG(facts.st_mode) ? lseek(r->fd, 0, SEEK_CUR) : -1;
    r->size = r->start >= 0 && facts.st_size >= r->start ? (uint64_t)(facts.st_size - r->start)
                                                         : UINT64_MAX;
    r->file_bytes = r->size != UINT64_MAX ? r->size : 0;
    return WEIR_OK;
}

static weir_status start(weir__reader *r)
{
    if (r->file_bytes)
        weir__activity_expect(r->file_bytes);
    weir_status status = weir__unpack_start(&r->source, r->fd, r->path);
    if (!status && r->source.packing != WEIR__PLAIN)
        r->size = UINT64_MAX;
    return status;
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
    r->text = r->buffer;
    const int is_input = strcmp(path, "-") == 0;
    if (!(r->path = strdup(is_input ? "standard input" : path)))
        status = weir__fail(WEIR_ERR_NOMEM, "file buffer: no memory for a name");
    if (status || (status = open_file(r, is_input)) || (status = start(r))) {
        weir__reader_close(r);
        return status;
    }
    *reader_out = r;
    return WEIR_OK;
}

weir_status weir__reader_names(weir_status status, const char *path)
{
    if (status != WEIR_ERR_NOMEM)
        return status;
    return weir__fail(status, "%s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
                      weir_error_detail());
}

void weir__reader_close(weir__reader *reader)
{
    if (!reader)
        return;
    weir__ahead_stop(reader->ahead);
    weir__unpack_end(&reader->source);
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->held);
    free(reader->path);
    free(reader);
}

int weir__reader_may_rewind(const weir__reader *reader)
{
    return reader->start >= 0;
}

weir_status weir__reader_rewind(weir__reader *r)
{
    if (lseek(r->fd, r->start, SEEK_SET) != r->start)
        return weir__fail(WEIR_ERR_IO, "%s: %s", r->path, strerror(errno));
    weir__ahead_stop(r->ahead);
    r->ahead = NULL;
    weir__unpack_end(&r->source);
    r->line = 0;
    r->inside = r->begun = r->comment = r->ended = 0;
    r->text = r->buffer;
    r->at = r->have = 0;
    return start(r);
}

const char *weir__reader_path(const weir__reader *reader)
{
    return reader->path;
}

void weir__reader_call(weir__reader *reader, const char *noun)
{
    reader->noun = noun;
}

const char *weir__reader_noun(const weir__reader *reader)
{
    return reader->noun ? reader->noun : "weight";
}

void weir__reader_remarks(weir__reader *reader, char word)
{
    reader->remark = word;
}

uint64_t weir__reader_number(const weir__reader *reader)
{
    return reader->line;
}

uint64_t weir__reader_size(const weir__reader *reader)
{
    return reader->size;
}

/* Bytes of the unpacked file behind the buffer; none only at its end. */
static weir_status draw(weir__reader *r, void *data, size_t room, size_t *got_out)
{
    if (r->holding) {
        size_t left = r->held_have - r->held_at;
        *got_out = left < room ? left : room;
        if (left > 0)
            memcpy(data, r->held + r->held_at, *got_out);
        r->held_at += *got_out;
        if (r->held_at == r->held_have) {
            free(r->held);
            r->held = NULL;
        }
        return WEIR_OK;
    }
    return weir__unpack_pull(&r->source, data, room, got_out);
}

static weir_status pull(weir__reader *r, void *data, size_t room, size_t *got_out)
{
    weir_status status = draw(r, data, room, got_out);
    if (!status)
        r->ended = *got_out == 0;
    return status;
}

/* The next block, in place of the buffer. Those before hold whole lines, all of which were taken. */
static weir_status fill_ahead(weir__reader *r)
{
    weir_status status = weir__ahead_next(r->ahead, &r->block);
    if (status)
        return status;
    r->text = r->block->text;
    r->at = 0;
    r->have = r->block->bytes;
    r->ended = r->block->last;
    return WEIR_OK;
}

/* Fill the buffer until `want` bytes are in it or the file ends. */
static weir_status fill(weir__reader *r, size_t want)
{
    const size_t room = sizeof r->buffer - 1;
    if (r->ahead)
        return fill_ahead(r);
    memmove(r->buffer, r->buffer + r->at, r->have - r->at);
    r->have -= r->at;
    r->at = 0;
    while (r->have < want && !r->ended) {
        size_t got;
        weir_status status = pull(r, r->buffer + r->have, room - r->have, &got);
        if (status)
            return status;
        r->have += got;
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

/* Whether what there is of a line without its end is a part of it: a block that ends within a line was cut there. */
static int is_part(const weir__reader *r)
{
    return r->ahead ? r->have > r->at : r->have - r->at > WEIR__LINE_MAX;
}

/* Cut a line that fills the buffer at its last blank, or a comment, of which nobody takes words, anywhere. Behind a block of which the last
 * byte is a blank is what belongs to the next one. @return the end of the part, NULL: there is none. */
static char *cut(weir__reader *r, char *begin)
{
    char *end = r->text + r->have;
    while (end > begin && end[-1] != ' ' && end[-1] != '\t' && !r->comment)
        end--;
    if (end == begin)
        return NULL;
    r->at = (size_t)(end - r->text);
    return end[-1] == ' ' || end[-1] == '\t' ? end - 1 : end;
}

/* What the next part of a line tells of it. */
static void look_for_comment(weir__reader *r, const char *begin, const char *end)
{
    if (!r->inside)
        r->begun = r->comment = 0;
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    if (r->begun || begin == end)
        return;
    r->begun = 1;
    r->comment = *begin == '%' || *begin == '#' ||
                 (r->remark && *begin == r->remark && end - begin > 1 &&
                  (begin[1] == ' ' || begin[1] == '\t'));
}

weir_status weir__reader_part(weir__reader *r, const char **part_out, int *more_out)
{
    char *begin = r->text + r->at, *end = memchr(begin, '\n', r->have - r->at);
    *more_out = 0;
    while (!end && !r->ended && !is_part(r)) {
        size_t known = r->have - r->at;
        weir_status status = fill(r, known + 1);
        if (status)
            return status;
        begin = r->text;
        end = memchr(begin + known, '\n', r->have - known);
    }
    *part_out = begin;
    if (!end && r->have == r->at && !r->inside)
        return WEIR_CLOSED;
    r->line += !r->inside;
    look_for_comment(r, begin, end ? end : r->text + r->have);
    if (end) {
        r->at = (size_t)(end + 1 - r->text);
    } else if (r->ended) {
        end = r->text + r->have; /* the last line has no end of its own */
        r->at = r->have;
    } else {
        *more_out = 1;
        if (!(end = cut(r, begin)))
            return weir__line_fail(r, "a word is longer than %u bytes", WEIR__LINE_MAX);
    }
    r->inside = *more_out;
    if (end > begin && end[-1] == '\r' && !*more_out)
        end--;
    *end = '\0';
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return weir__line_fail(r, "the line holds a zero byte; this is no text");
    return WEIR_OK;
}

weir_status weir__reader_line(weir__reader *r, const char **line_out)
{
    int more = r->inside && r->comment;
    weir_status status = WEIR_OK;
    while (more && !status) /* the end of a comment of which the beginning was given */
        status = weir__reader_part(r, line_out, &more);
    if (status || (status = weir__reader_part(r, line_out, &more)))
        return status;
    if (more && !r->comment)
        return weir__line_fail(r, "the line is longer than %u bytes", WEIR__LINE_MAX);
    return status;
}

weir_status weir__reader_bytes(weir__reader *r, void *data, size_t bytes, size_t *got_out)
{
    char *to = data;
    *got_out = 0;
    while (*got_out < bytes) {
        size_t left = r->have - r->at, want = bytes - *got_out, take = left < want ? left : want;
        weir_status status = WEIR_OK;
        if (left > 0) {
            memcpy(to + *got_out, r->buffer + r->at, take);
            r->at += take;
        } else if (want >= sizeof r->buffer) { /* an array: past the buffer, into its place */
            status = pull(r, to + *got_out, want, &take);
        } else if (!(status = fill(r, 1)) && r->have > 0) {
            continue;
        }
        if (status || take == 0)
            return status;
        *got_out += take;
    }
    return WEIR_OK;
}

/* Editors put it before text in UTF-8. It stands for nothing. */
weir_status weir__reader_skip_mark(weir__reader *reader)
{
    char mark[3];
    const char *data;
    size_t have, got;
    weir_status status = weir__reader_peek(reader, sizeof mark, &data, &have);
    if (status || have < sizeof mark || memcmp(data, "\xEF\xBB\xBF", sizeof mark) != 0)
        return status;
    return weir__reader_bytes(reader, mark, sizeof mark, &got);
}

/* Room for as many bytes again, `most` at the most. */
static weir_status grow_held(weir__reader *r, char **held, size_t *room, uint64_t most)
{
    struct weir__need need = {0, 0};
    size_t more = *room ? *room * 2 : sizeof r->buffer;
    weir_status status;
    if (more > most)
        more = (size_t)most;
    weir__need_take(&need, more - *room, 1);
    if ((status = weir__need_fits(&need, "unpacking it")))
        return status;
    char *data = realloc(*held, more);
    if (!data)
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %llu unpacked bytes",
                          (unsigned long long)more);
    *held = data;
    *room = more;
    return WEIR_OK;
}

weir_status weir__reader_hold(weir__reader *r, uint64_t most)
{
    char *held = NULL;
    size_t room = 0, have = 0, got = 1;
    weir_status status = WEIR_OK;
    if (r->size != UINT64_MAX)
        return WEIR_OK;
    most = most < SIZE_MAX / 2 ? most + 1 : SIZE_MAX / 2; /* one more tells that there is more */
    while (!status && have < most && got > 0) {
        if (have == room)
            status = grow_held(r, &held, &room, most);
        if (!status && !(status = weir__reader_bytes(r, held + have, room - have, &got)))
            have += got;
    }
    if (status) {
        free(held);
        return status;
    }
    r->holding = 1;
    r->held = held;
    r->held_have = r->size = have;
    r->ended = 0;
    return WEIR_OK;
}

/* What is in the buffer goes in front of what follows in the file. */
static weir_status pull_ahead(void *user, void *data, size_t room, size_t *got_out)
{
    weir__reader *r = user;
    const size_t left = r->buffered_to - r->buffered;
    if (left == 0)
        return draw(r, data, room, got_out);
    *got_out = left < room ? left : room;
    memcpy(data, r->buffer + r->buffered, *got_out);
    r->buffered += *got_out;
    return WEIR_OK;
}

weir_status weir__reader_ahead(weir__reader *r, const weir__plain_form *form, uint32_t threads)
{
    const struct weir__ahead_source source = {.pull = pull_ahead,
                                              .user = r,
                                              .bytes = r->size,
                                              .inside = r->inside,
                                              .hasty = r->start < 0};
    if (r->ahead)
        return WEIR_OK;
    r->buffered = r->at;
    r->buffered_to = r->have;
    r->at = r->have = 0;
    r->ended = 0;
    return weir__ahead_start(form, &source, threads, &r->ahead);
}

void weir__reader_deal(weir__reader *r, weir__early *early)
{
    if (r->ahead)
        weir__ahead_deal(r->ahead, early);
}

weir_status weir__reader_plain(weir__reader *r, uint64_t most, weir__plain **plain_out)
{
    weir_status status = WEIR_OK;
    *plain_out = NULL;
    if (r->ahead && r->at == r->have && !r->ended)
        status = fill_ahead(r);
    if (status || !r->ahead || r->at > 0 || r->block->taken == 0 || r->block->plain.count > most)
        return status;
    r->at = r->block->taken;
    r->line += r->block->plain.lines;
    *plain_out = &r->block->plain;
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
