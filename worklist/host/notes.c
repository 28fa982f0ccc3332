/** @file notes.c  Notes of resident kernels: memory for them before a run, and their way into a trace after it. */
#include "worklist/host/notes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(uint64_t room)
{
    return offsetof(struct weir_notes, note) + (size_t)room * sizeof(struct weir_note);
}

weir_status weir__notes_begin(struct weir__trace *trace, weir_device *device,
                              struct weir_notes **notes, uint64_t *room)
{
    const struct weir_notes first = {.room = weir__trace_notes(trace)};
    weir_status status = WEIR_OK;
    void *data;
    if (*notes && *room != first.room) {
        weir_device_free(device, *notes);
        *notes = NULL;
    }
    if (!*notes && !(status = weir_device_alloc(device, bytes_of(first.room), &data))) {
        *notes = data;
        *room = first.room;
    }
    return status ? status
                  : weir__upload(device, *notes, &first, offsetof(struct weir_notes, note));
}

static void tell(struct weir__trace *trace, const weir_device *device, const struct weir_note *note,
                 enum weir__trace_phase kind, const char *name)
{
    uint64_t values[WEIR__TRACE_VALUES] = {0};
    memcpy(values, note->value, sizeof note->value);
    values[WEIR_NOTE_VALUES] = note->threshold;
    weir__trace_phase(trace, device, kind, name, 1, note->begin_ns, note->end_ns, values,
                      kind == WEIR__TRACE_STEP ? 1 : WEIR_NOTE_VALUES + 1);
}

weir_status weir__notes_end(struct weir__trace *trace, weir_device *device,
                            const struct weir_notes *notes, enum weir__trace_phase kind,
                            const char *(*name)(const void *user, uint32_t phase), const void *user)
{
    struct weir_notes head;
    struct weir_note *all;
    weir_status status = weir__download(device, &head, notes, offsetof(struct weir_notes, note));
    if (status)
        return status;
    const uint64_t count = head.count < head.room ? head.count : head.room;
    weir__trace_lost(trace, head.count - count);
    if (!count)
        return WEIR_OK;
    if ((status = weir__alloc((size_t)count, sizeof *all, "notes of a kernel", &all)))
        return status;
    status = weir__download(device, all, notes->note, (size_t)count * sizeof *all);
    for (uint64_t i = 0; i < count && !status; i++) {
        const char *text = name(user, all[i].phase);
        if (text)
            tell(trace, device, &all[i], kind, text);
    }
    free(all);
    return status;
}
