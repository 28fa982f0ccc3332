/** @file notes.h  What a resident kernel notes of its phases while a trace is on (weir_context_trace()).
 *
 * Thread 0 of block 0 of a device writes a note where it books the time of a phase anyway, into memory of the device that
 * the host took before the run and reads after it. No other thread knows of it. Without a trace the kernel has NULL. */
#ifndef WEIR_WORKLIST_NOTES_H
#define WEIR_WORKLIST_NOTES_H

#include "runtime/sync.h"

/** Numbers of a note; what they are the kernel's kind says. */
enum { WEIR_NOTE_VALUES = 5 };

/** A phase, or a stretch of one. */
struct weir_note {
    uint64_t begin_ns, end_ns; /* of weir_clock_ns() */
    uint32_t phase;
    uint32_t threshold; /* of a worklist; UINT32_MAX: there is none */
    uint64_t value[WEIR_NOTE_VALUES];
};

/** The notes of a device; as many as there is room for follow one another. A kernel begins with none, by itself. */
struct weir_notes {
    uint64_t count; /* may be more than `room`: the others were not kept */
    uint64_t room;
    uint64_t pad[6];
    struct weir_note note[1];
};

/** Before the first note of a run. By thread 0 of block 0. @param[in] notes  NULL is fine. */
WEIR_DEV void weir_notes_clear(struct weir_notes *notes)
{
    if (notes)
        notes->count = 0;
}

/** The next note to be filled in, or one that nobody reads: NULL, there is no room. By thread 0 of block 0. */
WEIR_DEV struct weir_note *weir_note_next(struct weir_notes *notes)
{
    const uint64_t at = notes->count++;
    return at < notes->room ? &notes->note[at] : (struct weir_note *)0;
}

/** Note a superstep of a phase. By thread 0 of block 0. */
WEIR_DEV void weir_note_step(struct weir_notes *notes, uint64_t begin_ns, uint64_t end_ns,
                             uint32_t phase, uint64_t step)
{
    struct weir_note *note = weir_note_next(notes);
    if (!note)
        return;
    note->begin_ns = begin_ns;
    note->end_ns = end_ns;
    note->phase = phase;
    note->value[0] = step;
}

#endif
