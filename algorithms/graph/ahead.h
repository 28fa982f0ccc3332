/** @file ahead.h  A text read ahead of who takes its lines, in blocks of whole lines, by threads. Not installed.
 *
 * Blocks are cut by the bytes of the text alone. Threads read them one after the other, each takes the plain lines of
 * what it has read (plain.h) while the next one reads, and the loader gets the blocks in their order: so what it sees does
 * not depend on how many threads there are, and the first of several errors is the one that it meets. */
#ifndef WEIR_ALGORITHMS_GRAPH_AHEAD_H
#define WEIR_ALGORITHMS_GRAPH_AHEAD_H

#include "algorithms/graph/plain.h"
#include "runtime/runtime.h"

/** Where the bytes come from: up to @p room of them, 0 in @p got_out only at the end. Called by one thread at a time,
 *  never again after the end or a failure. */
typedef weir_status (*weir__ahead_pull)(void *user, void *data, size_t room, size_t *got_out);

struct weir__ahead_source {
    weir__ahead_pull pull;
    void *user;
    uint64_t bytes; /**< of all; UINT64_MAX: unknown */
    int inside;     /**< the first bytes are the end of a line that was begun */
    int hasty; /**< a read may wait for who writes a pipe: nobody reads more than the next lines */
};

/** Whole lines of the text; the last block may end without the end of its line, and so does one that begins with a line
 *  that is longer than WEIR__LINE_MAX: of METIS text, whose lines may be, it ends behind a blank if there is one. */
typedef struct weir__block {
    char *text; /**< may be written to, up to the byte behind the last one */
    size_t bytes;
    size_t taken;      /**< of these are the plain lines in front */
    weir__plain plain; /**< what they hold */
    int last;
} weir__block;

typedef struct weir__ahead weir__ahead;

/** Begin to read. @param[in] threads  at most, this one counted; 0: one per core. Fewer are started for short texts, and
 *  none where that fails. @retval WEIR_ERR_NOMEM */
weir_status weir__ahead_start(const weir__plain_form *form, const struct weir__ahead_source *source,
                              uint32_t threads, weir__ahead **ahead_out);
/** The next block, valid until the next call; not after the last one. Works itself where it would wait.
 *  @return what `pull` returned, after all lines in front of that. @par Threads  the one that began. */
weir_status weir__ahead_next(weir__ahead *ahead, weir__block **block_out);
/** Arcs that the loader gives to @p early, by `deal_to` of a block that it has, are dealt out by whichever thread comes to it once the loader has
 *  done with the block. NULL: that has an end; what was given and not dealt out yet is forgotten. @par Threads  the one that began, as weir__ahead_settle(). */
void weir__ahead_deal(weir__ahead *ahead, weir__early *early);
/** Returns when all that was given is dealt out, in which it takes part. */
void weir__ahead_settle(weir__ahead *ahead);
/** Ends all threads, behind what weir__ahead_settle() does; NULL is fine. */
void weir__ahead_stop(weir__ahead *ahead);
/** Blocks of about so many bytes from here on, to have many in a short text; 0: as many as usual. For tests. */
void weir__ahead_pretend(size_t bytes);

#endif
