/** @file pack.c  Writing a file, plain, gzip, xz or zstd, that appears complete or not at all. */
#include "algorithms/graph/pack.h"
#include "algorithms/graph/decimal.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Preset 6 packs a graph a few percent smaller and takes several times as long. */
#define XZ_PRESET 2

#define PIECE_BYTES ((size_t)4 << 20)

static void fail(weir__pack *p, const char *what, int error)
{
    if (!p->failed)
        p->failed = weir__fail(WEIR_ERR_IO, "%s: %s (%s)", p->path, strerror(error), what);
}

/* How much is written between two looks whether the call is to end. A pipe that can be written takes so much without waiting. */
static size_t piece(const weir__pack *p, size_t bytes)
{
    const size_t most = !weir__activity_observed() ? bytes : p->is_pipe ? PIPE_BUF : PIECE_BYTES;
    return bytes < most ? bytes : most;
}

static void write_out(weir__pack *p, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0 && !p->failed) {
        if ((p->failed = weir__activity_wait(p->file.descriptor, POLLOUT)))
            return;
        ssize_t put = write(p->file.descriptor, at, piece(p, bytes));
        if (put > 0 && (p->failed = weir__activity_went((uint64_t)put)))
            return;
        if (put < 0 && errno != EINTR)
            fail(p, "writing", errno);
        if (put > 0) {
            at += put;
            bytes -= (size_t)put;
            p->written += (uint64_t)put;
        }
    }
}

static void flush_gzip(weir__pack *p, int last)
{
    int result;
    p->gzip.next_in = (unsigned char *)p->buffer;
    p->gzip.avail_in = (uInt)p->have;
    do {
        p->gzip.next_out = p->packed;
        p->gzip.avail_out = sizeof p->packed;
        result = deflate(&p->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        write_out(p, p->packed, sizeof p->packed - p->gzip.avail_out);
    } while (!p->failed && (p->gzip.avail_out == 0 || (last && result == Z_OK)));
}

static void flush_xz(weir__pack *p, int last)
{
    lzma_ret result;
    p->xz.next_in = (unsigned char *)p->buffer;
    p->xz.avail_in = p->have;
    do {
        p->xz.next_out = p->packed;
        p->xz.avail_out = sizeof p->packed;
        result = lzma_code(&p->xz, last ? LZMA_FINISH : LZMA_RUN);
        write_out(p, p->packed, sizeof p->packed - p->xz.avail_out);
        if (result != LZMA_OK && result != LZMA_STREAM_END)
            fail(p, "packing", ENOMEM);
    } while (!p->failed && (p->xz.avail_in > 0 || (last && result == LZMA_OK)));
}

static void flush_zstd(weir__pack *p, int last)
{
    ZSTD_inBuffer in = {p->buffer, p->have, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {p->packed, sizeof p->packed, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        write_out(p, p->packed, out.pos);
        if (ZSTD_isError(left))
            fail(p, "packing", ENOMEM);
    } while (!p->failed && (in.pos < in.size || (last && left > 0)));
}

static void flush(weir__pack *p, int last)
{
    if (p->packing == WEIR__GZIP)
        flush_gzip(p, last);
    else if (p->packing == WEIR__XZ)
        flush_xz(p, last);
    else if (p->packing == WEIR__ZSTD)
        flush_zstd(p, last);
    else
        write_out(p, p->buffer, p->have);
    p->have = 0;
}

void weir__pack_bytes(weir__pack *pack, const void *data, size_t bytes)
{
    const char *at = data;
    if (pack->packing == WEIR__PLAIN &&
        bytes >= sizeof pack->buffer) { /* an array: past the buffer */
        flush(pack, 0);
        write_out(pack, data, bytes);
        return;
    }
    while (bytes > 0 && !pack->failed) {
        size_t room = sizeof pack->buffer - pack->have, take = bytes < room ? bytes : room;
        memcpy(pack->buffer + pack->have, at, take);
        pack->have += take;
        at += take;
        bytes -= take;
        if (pack->have == sizeof pack->buffer)
            flush(pack, 0);
    }
}

void weir__pack_number(weir__pack *pack, uint64_t value, char behind)
{
    char text[24], *at = text + sizeof text;
    *--at = behind;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    weir__pack_bytes(pack, at, (size_t)(text + sizeof text - at));
}

void weir__pack_real(weir__pack *pack, double value, char behind)
{
    char text[WEIR__DECIMAL_ROOM + 1];
    const int length = weir__decimal_put(value, text);
    text[length] = behind;
    weir__pack_bytes(pack, text, (size_t)length + 1);
}

void weir__pack_text(weir__pack *pack, const char *format, ...)
{
    char text[201];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    weir__pack_bytes(pack, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

/* To open a pipe that nobody reads yet takes until somebody does, and whoever observes the call does not wait for that.
 * @param[out] probe_out  holds the pipe open until it is opened for good; -1: it is none, or cannot be opened. */
static weir_status await_reader(const char *path, int *probe_out)
{
    const struct timespec pause = {0, 20000000};
    struct stat facts;
    weir_status status = WEIR_OK;
    *probe_out = -1;
    if (!weir__activity_observed() || stat(path, &facts) != 0 || !S_ISFIFO(facts.st_mode))
        return WEIR_OK;
    while (!(status = weir__activity_went(0)) &&
           (*probe_out = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO)
        (void)nanosleep(&pause, NULL);
    return status;
}

static void open_target(weir__pack *p, const char *path)
{
    struct stat facts;
    int probe;
    p->path = path;
    p->file.descriptor = -1;
    if ((p->failed = await_reader(path, &probe)))
        return;
    int error = weir__replace_open(&p->file, path);
    if (probe >= 0)
        (void)close(probe);
    if (error)
        fail(p, "opening", error);
    else
        p->is_pipe = fstat(p->file.descriptor, &facts) == 0 && !S_ISREG(facts.st_mode);
}

static void start_packing(weir__pack *p, weir__packing packing)
{
    int started = 1;
    p->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (packing == WEIR__GZIP)
        started = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK;
    else if (packing == WEIR__XZ)
        started = lzma_easy_encoder(&p->xz, XZ_PRESET, LZMA_CHECK_CRC64) == LZMA_OK;
    else if (packing == WEIR__ZSTD)
        started = (p->zstd = ZSTD_createCStream()) &&
                  !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1));
    if (started)
        p->packing = packing;
    else
        p->failed = weir__fail(WEIR_ERR_NOMEM, "%s: no memory to pack it", p->path);
}

weir_status weir__pack_open(const char *path, weir__packing packing, weir__pack **pack_out)
{
    weir__pack *p;
    weir_status status;
    *pack_out = NULL;
    if ((status = weir__calloc(1, sizeof *p, "file buffer", &p)))
        return status;
    open_target(p, path);
    if (!p->failed)
        start_packing(p, packing);
    if (p->failed)
        return weir__pack_close(p);
    *pack_out = p;
    return WEIR_OK;
}

static _Thread_local uint64_t finished_bytes;

uint64_t weir__pack_finished_bytes(void)
{
    return finished_bytes;
}

void weir__pack_finish(weir__pack *p)
{
    if (!p->failed)
        flush(p, 1);
    if (p->file.descriptor >= 0 && close(p->file.descriptor) != 0)
        fail(p, "closing", errno);
    p->file.descriptor = -1;
    p->finished = 1;
    finished_bytes = p->written;
}

weir_status weir__pack_close(weir__pack *p)
{
    if (!p->finished)
        weir__pack_finish(p);
    int error = p->failed ? 0 : weir__replace_commit(&p->file);
    if (error)
        fail(p, "renaming", error);
    weir__replace_drop(&p->file);
    if (p->packing == WEIR__GZIP)
        deflateEnd(&p->gzip);
    else if (p->packing == WEIR__XZ)
        lzma_end(&p->xz);
    ZSTD_freeCStream(p->zstd); /* NULL is fine */
    weir_status status = p->failed;
    free(p);
    return status;
}
