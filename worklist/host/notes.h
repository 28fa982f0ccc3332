/** @file notes.h  The host's side of what resident kernels note for a trace (worklist/notes.h). Included in worklist/ only. */
#ifndef WEIR_WORKLIST_HOST_NOTES_H
#define WEIR_WORKLIST_HOST_NOTES_H

#include "runtime/trace.h"
#include "worklist/notes.h"

/** Notes of the kernels of one device, which stay for later runs; all zero before the first that is traced. Belongs to the
 *  thread that runs them. */
struct kernel_notes {
    struct weir_notes *data; /* in the device's memory: what its kernels are given */
    struct weir_notes
        *image;    /* of a GPU: page-locked; the first notes are copied here behind a kernel */
    uint64_t room; /* notes that there is room for in the device's memory, */
    uint64_t image_room; /* and in the image */
    uint64_t expected;   /* notes that are copied: somewhat more than the last run made */
};

/** Before a run that is traced: memory for notes, if there is none yet. Only then does it wait for the device: a kernel
 *  begins with no notes by itself.
 *  @retval WEIR_ERR_NOMEM  the device has no memory for them, or the host. */
weir_status weir__notes_begin(struct weir__trace *trace, weir_device *device,
                              struct kernel_notes *notes);
/** Behind a kernel in its queue: what it noted comes back. On a host device nothing needs to come. */
weir_status weir__notes_behind(struct kernel_notes *notes, weir_queue *queue);
/** After a run, when the queue is empty: tell the trace. It waits for the device only if there were more notes than were
 *  expected. @param[in] name  of a phase, by its number; NULL: it has none, and is left out. */
weir_status weir__notes_end(struct weir__trace *trace, weir_device *device,
                            struct kernel_notes *notes, enum weir__trace_phase kind,
                            const char *(*name)(const void *user, uint32_t phase),
                            const void *user);
void weir__notes_free(weir_device *device, struct kernel_notes *notes);

#endif
