/** @file unpack.h  A stream of bytes out of a file that may be packed. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_UNPACK_H
#define WEIR_ALGORITHMS_GRAPH_UNPACK_H

#include "runtime/runtime.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define WEIR__UNPACK_BYTES (256u << 10)

typedef enum weir__packing { WEIR__PLAIN, WEIR__GZIP, WEIR__XZ, WEIR__ZSTD } weir__packing;

typedef struct weir__unpack {
    int fd;
    const char *path; /* the caller's */
    weir__packing packing;
    int ended;   /* the file has no more bytes */
    int between; /* a gzip member or a zstd frame ended and no other has begun */
    size_t at, have;
    z_stream gzip;
    lzma_stream xz;
    ZSTD_DStream *zstd;
    unsigned char input[WEIR__UNPACK_BYTES];
} weir__unpack;

/** Take over @p fd and find out how its bytes are packed; closes nothing on failure. */
weir_status weir__unpack_start(weir__unpack *u, int fd, const char *path);
void weir__unpack_end(weir__unpack *u);
/** Up to @p room unpacked bytes; 0 in @p got_out only at the end. */
weir_status weir__unpack_pull(weir__unpack *u, void *data, size_t room, size_t *got_out);

#endif
