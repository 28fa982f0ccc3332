/** @file notes.c  Notes of resident kernels: memory for them before a run, and their way into a trace after it. */
#include "worklist/host/notes.h"

#include <stddef.h>
#include <string.h>

#define IMAGE_MOST 65536u /* notes: 4 MiB of page-locked memory a GPU */
#define AT_ONCE    64u    /* notes that a trace is told together */

static size_t bytes_of(uint64_t notes)
{
    return offsetof(struct weir_notes, note) + (size_t)notes * sizeof(struct weir_note);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static weir_device *home_of(weir_device *device)
{
    return weir_context_home(weir__device_context(device));
}

static weir_status make(weir_device *device, struct kernel_notes *notes, uint64_t room)
{
    const struct weir_notes first = {.room = room};
    void *data;
    weir_status status =
        weir__device_alloc_as(device, "notes for a trace", 1, bytes_of(room), &data);
    if (status)
        return status;
    notes->data = data;
    notes->room = room;
    if (!weir__device_is_gpu(device)) { /* the host reads it where it is */
        memcpy(notes->data, &first, offsetof(struct weir_notes, note));
        return WEIR_OK;
    }
    notes->image_room = least(room, IMAGE_MOST);
    notes->expected = least(notes->image_room, AT_ONCE);
    if ((status = weir__device_alloc_as(home_of(device), "notes for a trace", 1,
                                        bytes_of(notes->image_room), &data)))
        return status;
    notes->image = data;
    return weir__upload(device, notes->data, &first, offsetof(struct weir_notes, note));
}

weir_status weir__notes_begin(struct weir__trace *trace, weir_device *device,
                              struct kernel_notes *notes)
{
    const uint64_t room = weir__trace_notes(trace);
    if (notes->room == room)
        return WEIR_OK;
    weir__notes_free(device, notes);
    weir_status status = make(device, notes, room);
    if (status)
        weir__notes_free(device, notes);
    return status;
}

weir_status weir__notes_behind(struct kernel_notes *notes, weir_queue *queue)
{
    weir_device *device = weir_queue_device(queue);
    return notes->image ? weir_queue_copy(queue, home_of(device), notes->image, device, notes->data,
                                          bytes_of(notes->expected))
                        : WEIR_OK;
}

/* What a trace is told of, and how. */
struct listener {
    struct weir__trace *trace;
    const weir_device *device;
    enum weir__trace_phase kind;
    const char *(*name)(const void *user, uint32_t phase);
    const void *user;
};

static void tell(const struct listener *to, const struct weir_note *note, uint64_t count)
{
    struct weir__trace_span spans[AT_ONCE];
    for (uint64_t at = 0; at < count;) {
        uint32_t used = 0;
        for (; at < count && used < AT_ONCE; at++) {
            struct weir__trace_span *span = &spans[used];
            if (!(span->name = to->name(to->user, note[at].phase)))
                continue;
            span->begin_ns = note[at].begin_ns;
            span->end_ns = note[at].end_ns;
            memcpy(span->value, note[at].value, sizeof note[at].value);
            span->value[WEIR_NOTE_VALUES] = note[at].threshold;
            span->values = to->kind == WEIR__TRACE_STEP ? 1 : WEIR_NOTE_VALUES + 1;
            used++;
        }
        weir__trace_phases(to->trace, to->device, to->kind, 1, spans, used);
    }
}

/* Those that did not come behind the kernel: through the image, which was read. */
static weir_status fetch(const struct listener *to, weir_device *device, struct kernel_notes *notes,
                         uint64_t from, uint64_t count)
{
    weir_status status = WEIR_OK;
    for (uint64_t at = from, part; at < count && !status; at += part) {
        part = least(count - at, notes->image_room);
        status = weir__download(device, notes->image->note, &notes->data->note[at],
                                (size_t)part * sizeof(struct weir_note));
        if (!status)
            tell(to, notes->image->note, part);
    }
    return status;
}

weir_status weir__notes_end(struct weir__trace *trace, weir_device *device,
                            struct kernel_notes *notes, enum weir__trace_phase kind,
                            const char *(*name)(const void *user, uint32_t phase), const void *user)
{
    const struct listener to = {trace, device, kind, name, user};
    const struct weir_notes *from = notes->image ? notes->image : notes->data;
    const uint64_t made = from->count, kept = least(made, notes->room);
    const uint64_t here = notes->image ? least(kept, notes->expected) : kept;
    weir__trace_lost(trace, made - kept);
    tell(&to, from->note, here);
    if (!notes->image)
        return WEIR_OK;
    notes->expected = least(notes->image_room, (kept + kept / 4) / AT_ONCE * AT_ONCE + AT_ONCE);
    return fetch(&to, device, notes, here, kept);
}

void weir__notes_free(weir_device *device, struct kernel_notes *notes)
{
    weir_device_free(device, notes->data);
    if (notes->image)
        weir_device_free(home_of(device), notes->image);
    *notes = (struct kernel_notes){.data = NULL};
}
