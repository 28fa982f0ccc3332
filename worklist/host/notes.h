/** @file notes.h  The host's side of what resident kernels note for a trace (worklist/notes.h). Included in worklist/ only. */
#ifndef WEIR_WORKLIST_HOST_NOTES_H
#define WEIR_WORKLIST_HOST_NOTES_H

#include "runtime/trace.h"
#include "worklist/notes.h"

/** Before a run: notes for a device, empty, or NULL where no trace is on. They stay with the device's worker for later runs.
 *  @param[in,out] notes  what weir__notes_begin() gave the last time, NULL at first; freed by weir_device_free().
 *  @param[in,out] room   notes that there is room for.
 *  @retval WEIR_ERR_NOMEM  the device has no memory for them. */
weir_status weir__notes_begin(struct weir__trace *trace, weir_device *device,
                              struct weir_notes **notes, uint64_t *room);
/** After a run: tell the trace. @param[in] name  of a phase, by its number; NULL: it has none, and is left out. */
weir_status weir__notes_end(struct weir__trace *trace, weir_device *device,
                            const struct weir_notes *notes, enum weir__trace_phase kind,
                            const char *(*name)(const void *user, uint32_t phase),
                            const void *user);

#endif
