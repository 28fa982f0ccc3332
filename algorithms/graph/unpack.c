/** @file unpack.c  Plain, gzip, xz and zstd files as one stream of bytes. */
#include "algorithms/graph/unpack.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd_errors.h>

/* A dictionary of this size unpacks everything xz writes by itself; more is an attack on memory. */
#define XZ_MEMORY_MAX       (UINT64_C(1) << 30)
#define ZSTD_WINDOW_LOG_MAX 30 /* zstd --long=30; by itself it writes 2^27 at most */

/* More is not read, and not unpacked, between two looks whether the call is to end. */
#define PULL_BYTES (4u << 20)

/* Bytes of the file; none only at its end, which sets `ended`. */
static weir_status read_some(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    ssize_t got;
    weir_status status = weir__activity_wait(u->fd, POLLIN);
    if (status)
        return status;
    while ((got = read(u->fd, data, room < PULL_BYTES ? room : PULL_BYTES)) < 0) {
        if (errno == EAGAIN) { /* standard input, as somebody left it */
            struct pollfd more = {.fd = u->fd, .events = POLLIN};
            (void)poll(&more, 1, -1);
        } else if (errno != EINTR) {
            return weir__fail(WEIR_ERR_IO, "%s: %s", u->path, strerror(errno));
        }
    }
    u->ended = got == 0;
    *got_out = (size_t)got;
    return weir__activity_went((uint64_t)got);
}

/* ---- files that are not packed, all cores reading ---------------------------------------------------- */

#define MANY_BYTES  ((size_t)8 << 20) /* fewer are copied before threads are there */
#define PIECE_BYTES (UINT64_C(2) << 20)

struct many {
    int fd;
    off_t from;
    char *to;
    uint64_t got; /* bytes that are there without a gap: relaxed atomic, only ever smaller */
};

/* A piece that cannot be read to its end ends what is there; the next read by itself says why. */
static void read_piece(void *user, uint64_t begin, uint64_t end)
{
    struct many *many = user;
    while (begin < end) {
        const ssize_t got =
            pread(many->fd, many->to + begin, end - begin, many->from + (off_t)begin);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        begin += (uint64_t)got;
    }
    uint64_t known = __atomic_load_n(&many->got, __ATOMIC_RELAXED);
    while (begin < end && begin < known &&
           !__atomic_compare_exchange_n(&many->got, &known, begin, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

/* A core copies out of the page cache, to memory that is touched for the first time, slower than a disk reads.
 * @param[out] got_out  bytes; 0: it is no such file, has fewer left, or cannot be read so. */
static weir_status read_many(const weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    struct stat facts;
    struct many many = {.fd = u->fd, .from = lseek(u->fd, 0, SEEK_CUR), .to = data};
    *got_out = 0;
    if (room < MANY_BYTES || many.from < 0 || fstat(u->fd, &facts) || !S_ISREG(facts.st_mode) ||
        facts.st_size - many.from < (off_t)MANY_BYTES)
        return WEIR_OK;
    const uint64_t left = (uint64_t)(facts.st_size - many.from);
    many.got = room < left ? room : left;
    weir_status status =
        weir__activity_for("reading", "bytes", many.got, PIECE_BYTES, 0, read_piece, &many);
    if (!status && lseek(u->fd, many.from + (off_t)many.got, SEEK_SET) >= 0)
        *got_out = (size_t)many.got;
    return status ? status : weir__activity_went(*got_out);
}

/* Read more packed bytes behind those that are left. */
static weir_status refill(weir__unpack *u)
{
    memmove(u->input, u->input + u->at, u->have - u->at);
    u->have -= u->at;
    u->at = 0;
    while (u->have < sizeof u->input && !u->ended) {
        size_t got;
        weir_status status = read_some(u, u->input + u->have, sizeof u->input - u->have, &got);
        if (status)
            return status;
        u->have += got;
    }
    return WEIR_OK;
}

/* Whoever opens a graph names the file in front of each lack of memory. */
static weir_status no_memory(const char *packing)
{
    return weir__fail(WEIR_ERR_NOMEM, "no memory to unpack %s", packing);
}

static int starts(const weir__unpack *u, const void *magic, size_t bytes)
{
    return u->have >= bytes && memcmp(u->input, magic, bytes) == 0;
}

/* pzstd begins with a frame that holds no data. */
static int is_skippable(const weir__unpack *u)
{
    return u->have >= 4 && (u->input[0] & 0xF0) == 0x50 &&
           memcmp(u->input + 1, "\x2A\x4D\x18", 3) == 0;
}

weir_status weir__unpack_start(weir__unpack *u, int fd, const char *path)
{
    weir_status status;
    memset(u, 0, offsetof(weir__unpack, input));
    u->fd = fd;
    u->path = path;
    if ((status = refill(u)))
        return status;
    if (starts(u, "\x1f\x8b\x08", 3)) {
        if (inflateInit2(&u->gzip, 15 + 16) != Z_OK)
            return no_memory("gzip");
        u->packing = WEIR__GZIP;
    } else if (starts(u, "\xFD\x37zXZ\0", 6)) {
        u->xz = (lzma_stream)LZMA_STREAM_INIT;
        if (lzma_stream_decoder(&u->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
            return no_memory("xz");
        u->packing = WEIR__XZ;
    } else if (starts(u, "\x28\xB5\x2F\xFD", 4) || is_skippable(u)) {
        if (!(u->zstd = ZSTD_createDStream()) ||
            ZSTD_isError(
                ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX))) {
            ZSTD_freeDStream(u->zstd);
            return no_memory("zstd");
        }
        u->packing = WEIR__ZSTD;
    } else if (starts(u, "BZh", 3)) {
        return weir__fail(WEIR_ERR_FORMAT, "%s: packed with bzip2; gzip, xz and zstd can be read",
                          path);
    }
    return WEIR_OK;
}

void weir__unpack_end(weir__unpack *u)
{
    if (u->packing == WEIR__GZIP)
        inflateEnd(&u->gzip);
    else if (u->packing == WEIR__XZ)
        lzma_end(&u->xz);
    else if (u->packing == WEIR__ZSTD)
        ZSTD_freeDStream(u->zstd);
}

static weir_status pull_plain(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    size_t left = u->have - u->at, got = left < room ? left : room;
    memcpy(data, u->input + u->at, got);
    u->at += got;
    *got_out = got;
    return WEIR_OK;
}

static weir_status pull_gzip(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    z_stream *z = &u->gzip;
    if (u->between) { /* gzip files may be glued together, and padded with zeros */
        while (u->at < u->have && u->input[u->at] == 0)
            u->at++;
        if (u->at == u->have)
            return WEIR_OK;
        inflateReset(z);
        u->between = 0;
    }
    z->next_in = u->input + u->at;
    z->avail_in = (uInt)(u->have - u->at);
    z->next_out = data;
    z->avail_out = (uInt)room;
    int result = inflate(z, Z_NO_FLUSH);
    u->at = u->have - z->avail_in;
    *got_out = room - z->avail_out;
    u->between = result == Z_STREAM_END;
    if (result == Z_BUF_ERROR && u->ended && *got_out == 0)
        return weir__fail(WEIR_ERR_IO, "%s: the gzip data is cut short", u->path);
    if (result == Z_MEM_ERROR)
        return no_memory("gzip");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return weir__fail(WEIR_ERR_IO, "%s: the gzip data is damaged (%s)", u->path,
                          z->msg ? z->msg : "unknown");
    return WEIR_OK;
}

static weir_status pull_xz(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    lzma_stream *x = &u->xz;
    x->next_in = u->input + u->at;
    x->avail_in = u->have - u->at;
    x->next_out = data;
    x->avail_out = room;
    lzma_ret result = lzma_code(x, u->ended ? LZMA_FINISH : LZMA_RUN);
    u->at = u->have - x->avail_in;
    *got_out = room - x->avail_out;
    switch (result) {
    case LZMA_OK:
        return WEIR_OK;
    case LZMA_STREAM_END:
        u->between = 1;
        return WEIR_OK;
    case LZMA_BUF_ERROR:
        if (!u->ended)
            return WEIR_OK;
        return weir__fail(WEIR_ERR_IO, "%s: the xz data is cut short", u->path);
    case LZMA_MEM_ERROR:
        return no_memory("xz");
    case LZMA_MEMLIMIT_ERROR:
        return weir__fail(WEIR_ERR_NOMEM, "unpacking it takes %llu MiB, %llu are allowed",
                          (unsigned long long)(lzma_memusage(x) >> 20),
                          (unsigned long long)(XZ_MEMORY_MAX >> 20));
    case LZMA_OPTIONS_ERROR:
        return weir__fail(WEIR_ERR_IO, "%s: the xz data is packed in a way that is not known here",
                          u->path);
    default:
        return weir__fail(WEIR_ERR_IO, "%s: the xz data is damaged", u->path);
    }
}

/* Frames may be glued together. */
static weir_status pull_zstd(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    ZSTD_inBuffer in = {u->input, u->have, u->at};
    ZSTD_outBuffer out = {data, room, 0};
    const size_t result = ZSTD_decompressStream(u->zstd, &out, &in);
    const int moved = in.pos > u->at || out.pos > 0;
    u->at = in.pos;
    *got_out = out.pos;
    u->between = result == 0;
    if (ZSTD_isError(result) && ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return no_memory("zstd");
    if (ZSTD_isError(result) &&
        ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return weir__fail(WEIR_ERR_NOMEM,
                          "unpacking it takes more than the %u MiB that are allowed",
                          1u << (ZSTD_WINDOW_LOG_MAX - 20));
    if (ZSTD_isError(result))
        return weir__fail(WEIR_ERR_IO, "%s: the zstd data is damaged (%s)", u->path,
                          ZSTD_getErrorName(result));
    if (u->ended && !moved)
        return weir__fail(WEIR_ERR_IO, "%s: the zstd data is cut short", u->path);
    return WEIR_OK;
}

weir_status weir__unpack_pull(weir__unpack *u, void *data, size_t room, size_t *got_out)
{
    weir_status status = weir__activity_went(0);
    *got_out = 0;
    if (status)
        return status;
    /* Arrays of binary files come straight into their place. */
    const int straight =
        u->packing == WEIR__PLAIN && u->at == u->have && !u->ended && room >= sizeof u->input;
    if (straight && ((status = read_many(u, data, room, got_out)) || *got_out))
        return status;
    room = room < PULL_BYTES ? room : PULL_BYTES;
    if (straight)
        return read_some(u, data, room, got_out);
    while (room > 0 && *got_out == 0 && !status) {
        if (u->at == u->have && !u->ended && (status = refill(u)))
            return status;
        if (u->packing == WEIR__GZIP)
            status = pull_gzip(u, data, room, got_out);
        else if (u->packing == WEIR__XZ && !u->between)
            status = pull_xz(u, data, room, got_out);
        else if (u->packing == WEIR__ZSTD && (u->at < u->have || !u->between))
            status = pull_zstd(u, data, room, got_out);
        else if (u->packing == WEIR__PLAIN)
            status = pull_plain(u, data, room, got_out);
        /* The end: nothing came, nothing is left, and a packed stream said it was complete. */
        if (u->ended && u->at == u->have && *got_out == 0 &&
            (u->packing == WEIR__PLAIN || u->between))
            break;
    }
    return status;
}
