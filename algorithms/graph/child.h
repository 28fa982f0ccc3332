/** @file child.h  Run a helper program: bytes in, bytes out, within a time. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_CHILD_H
#define WEIR_ALGORITHMS_GRAPH_CHILD_H

#include "runtime/runtime.h"

#include <sys/uio.h>

/** Run @p path without arguments; write the pieces to its standard input, read its standard output.
 *
 *  The child is started by posix_spawn in a process group of its own, with no open files but its
 *  three, and is killed and reaped before this returns, whatever happens.
 *
 *  @param[in]  pieces       what to write; consumed.
 *  @param[out] answer       receives up to @p room bytes, all within one process's reach.
 *  @param[out] answer_bytes how many came; more than @p room is a failure.
 *  @retval WEIR_ERR_CHILD    not started, exit status not 0, killed, or answered too much; the
 *                            detail names which and quotes the end of its standard error.
 *  @retval WEIR_ERR_TIMEOUT  not done in @p timeout_ms, or in the time that the call's observer allows.
 *  @retval WEIR_ERR_CANCELLED  the observer stopped the call.
 *  @par Threads  any; no signal disposition of the process is touched. */
weir_status weir__child_run(const char *path, struct iovec *pieces, size_t piece_count,
                            void *answer, size_t room, uint64_t timeout_ms, size_t *answer_bytes);

#endif
