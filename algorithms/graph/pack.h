/** @file pack.h  A file that appears complete or not at all, packed on the way. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_PACK_H
#define WEIR_ALGORITHMS_GRAPH_PACK_H

#include "algorithms/algorithms.h"
#include "algorithms/graph/replace.h"
#include "algorithms/graph/unpack.h"

/** A file being written. One thread. The first failure sticks and is what commit returns. */
typedef struct weir__pack {
    weir__replace file;
    const char *path; /* for messages; the caller's */
    weir_status failed;
    int finished;
    int is_pipe;      /* or a terminal or device: writing may have to wait */
    uint64_t written; /* bytes, packed */
    weir__packing packing;
    z_stream gzip;
    lzma_stream xz;
    ZSTD_CStream *zstd;
    size_t have;
    char buffer[WEIR__UNPACK_BYTES];
    unsigned char packed[WEIR__UNPACK_BYTES];
} weir__pack;

/** Start a file that will be @p path, which stays the caller's until the close. */
weir_status weir__pack_open(const char *path, weir__packing packing, weir__pack **pack_out);
/** Add bytes. */
void weir__pack_bytes(weir__pack *pack, const void *data, size_t bytes);
/** Add a number in decimal and the character behind it. */
void weir__pack_number(weir__pack *pack, uint64_t value, char behind);
/** Add a double with 17 digits and the character behind it; the caller's locale is the C one. */
void weir__pack_real(weir__pack *pack, double value, char behind);
/** Add formatted text of at most 200 bytes. */
void weir__pack_text(weir__pack *pack, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Write out what is left; the file does not have its name yet. */
void weir__pack_finish(weir__pack *pack);
/** Bytes of the file that this thread finished last: for the call that weir__graph_write() makes, whose file has no name. */
uint64_t weir__pack_finished_bytes(void);
/** Finish the file and put it in its place, or remove it after a failure. Frees @p pack. */
weir_status weir__pack_close(weir__pack *pack);

/** weir_graph_write(), with a call when everything is written and only the name is missing.
 *  @param[in] last  a non-zero answer removes the file; NULL is fine.
 *  @retval WEIR_ERR_CANCELLED  that was the answer. */
weir_status weir__graph_write(const weir_graph *graph, const char *path, int (*last)(void *user),
                              void *user);

/** Whether the suffix of @p path names a format that weir_graph_write() knows, and @p path a file when it is read.
 *  @retval WEIR_ERR_INVALID  it does not. */
weir_status weir__write_check(const char *path);

#endif
