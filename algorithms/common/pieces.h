/** @file pieces.h  Arcs of a graph in host memory to a device, a piece at a time, and a kernel over each. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_PIECES_H
#define WEIR_ALGORITHMS_COMMON_PIECES_H

#include "algorithms/algorithms.h"
#include "algorithms/common/pieces_op.h"

/** Arcs that two pieces have together where there is no reason for less: 2^26. */
#define WEIR__PIECES_ARCS (UINT64_C(1) << 26)

/** Room for pieces on a device, two where there are several: one comes over while a kernel looks at the other. Used by one thread at a
 *  time. */
struct weir__pieces {
    const weir_graph *graph;
    weir_device *device;
    weir_queue *queue; /* for other work on the same arrays, too */
    uint64_t most;     /* arcs of a piece */
    int weights;
    int rooms, turn; /* how many, and the next one's */
    struct {
        uint32_t *heads;
        void *weights;
    } room[2];
};

/** Arcs of a piece of a graph where nobody asks for another number: 2^25, or all that there are. */
uint64_t weir__pieces_usual(const weir_graph *graph);
/** Take the room. weir__pieces_close() is due in any case. @param[in] weights  whether weights come along, of the graph's kind.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir__pieces_open(const weir_graph *graph, weir_device *device, uint64_t most,
                              int weights, struct weir__pieces *pieces);
/** What is still in the queue has run when this returns. */
void weir__pieces_close(struct weir__pieces *pieces);
/** Bring the arcs from @p begin on, at most `most` of them, and put a kernel over them into the queue, which copies the arguments.
 *  @param[in,out] args  what the kernel takes, which begins with @p here.
 *  @par Blocks  until the kernel before has ended, and the copy. */
weir_status weir__pieces_feed(struct weir__pieces *pieces, const weir_kernel *kernel,
                              arcs_piece *here, const void *args, size_t bytes, uint64_t begin,
                              uint64_t count);
/** The same for all arcs from @p begin to @p end, piece after piece. @par Blocks  until the last kernel has ended. */
weir_status weir__pieces_each(struct weir__pieces *pieces, const weir_kernel *kernel,
                              arcs_piece *here, const void *args, size_t bytes, uint64_t begin,
                              uint64_t end);

#endif
