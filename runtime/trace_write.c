/** @file trace_write.c  A trace as JSON of Chrome's tracing, which Perfetto opens.
 *
 * Events are written one by one, from the records in the order of their tracks and times. What overlaps on one track (messages of
 * a link that are under way together) is dealt out to *lanes*, since a track of the viewer holds only what nests. Counters are
 * made here from what was kept: how many operations wait in a queue, and what workers noted at the ends of their phases. */
#include "runtime/trace_store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 64u /* of a track; what finds none free shares the last one */

/* ---- text ---------------------------------------------------------------------------------------------- */

void weir__trace_flush(struct trace_text *text)
{
    if (text->used && !text->error)
        text->error = text->write(text->user, text->room, text->used);
    text->used = 0;
}

void weir__trace_print(struct trace_text *text, const char *format, ...)
{
    va_list args;
    if (sizeof text->room - text->used < 1024) /* nothing that is printed at once is longer */
        weir__trace_flush(text);
    va_start(args, format);
    const int length =
        vsnprintf(text->room + text->used, sizeof text->room - text->used, format, args);
    va_end(args);
    text->used += length > 0 ? (size_t)length : 0;
}

void weir__trace_quote(struct trace_text *text, const char *value)
{
    weir__trace_print(text, "\"");
    for (; *value; value++) {
        const unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            weir__trace_print(text, "\\%c", c);
        else
            weir__trace_print(text, "%c", c < 0x20 || c > 0x7E ? '?' : c);
    }
    weir__trace_print(text, "\"");
}

/* ---- order ----------------------------------------------------------------------------------------------- */

/* When a record begins to be drawn: a message when it was posted. */
static uint64_t begin_of(const struct record *record)
{
    const uint64_t posted = record->value[1];
    return record->kind == RECORD_MESSAGE && posted && posted < record->begin_ns ? posted
                                                                                 : record->begin_ns;
}

struct entry {
    uint32_t track, record;
    uint64_t begin_ns, end_ns;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns) /* what holds others first */
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->record < y->record ? -1 : 1;
}

weir_status weir__trace_order(const struct weir__trace *trace, uint32_t **order_out,
                              uint64_t *count_out)
{
    const uint64_t count = trace->stats.events;
    struct entry *entries;
    uint32_t *order;
    weir_status status;
    *order_out = NULL;
    *count_out = count;
    if ((status = weir__alloc((size_t)count, sizeof *entries, "order of a trace", &entries)))
        return status;
    if ((status = weir__alloc((size_t)count, sizeof *order, "order of a trace", &order))) {
        free(entries);
        return status;
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct record *record = &trace->records[i];
        entries[i] = (struct entry){record->track, (uint32_t)i, begin_of(record), record->end_ns};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare);
    for (uint64_t i = 0; i < count; i++)
        order[i] = entries[i].record;
    free(entries);
    *order_out = order;
    return WEIR_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

struct writer {
    const struct weir__trace *trace;
    struct trace_text *text;
    int follows;
    uint32_t lanes[TRACKS_MAX]; /* that a track has */
};

/* Process 0 is the idle one for viewers. */
static uint32_t process_of(const struct writer *writer, const struct track *track)
{
    const uint32_t devices = writer->trace->context->count;
    return track->group == GROUP_LINKS     ? devices + 2
           : track->group == GROUP_PROGRAM ? devices + 3
                                           : track->group + 1;
}

static void next(struct writer *writer)
{
    weir__trace_print(writer->text, writer->follows++ ? ",\n" : "\n");
}

static void time_us(struct writer *writer, const char *name, uint64_t ns)
{
    weir__trace_print(writer->text, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000,
                      (unsigned)(ns % 1000));
}

static uint64_t since_begin(const struct writer *writer, uint64_t ns)
{
    const uint64_t begin = writer->trace->begin_ns;
    return ns > begin ? ns - begin : 0;
}

/* Begin a span; its arguments and the end of the object follow. */
static void span(struct writer *writer, const struct track *track, uint32_t tid, const char *name,
                 const char *category, uint64_t begin_ns, uint64_t end_ns)
{
    const uint64_t begin = since_begin(writer, begin_ns), end = since_begin(writer, end_ns);
    next(writer);
    weir__trace_print(writer->text, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"%s\",\"name\":",
                      process_of(writer, track), tid, category);
    weir__trace_quote(writer->text, name);
    time_us(writer, "ts", begin);
    time_us(writer, "dur", end > begin ? end - begin : 0);
}

static void counter(struct writer *writer, const struct track *track, const char *what,
                    const char *of, uint64_t ns, uint64_t value)
{
    char name[TRACK_NAME + 32];
    snprintf(name, sizeof name, "%s%s%s", what, *of ? ": " : "", of);
    next(writer);
    weir__trace_print(writer->text,
                      "{\"ph\":\"C\",\"pid\":%u,\"tid\":0,\"name\":", process_of(writer, track));
    weir__trace_quote(writer->text, name);
    time_us(writer, "ts", since_begin(writer, ns));
    weir__trace_print(writer->text, ",\"args\":{\"value\":%" PRIu64 "}}", value);
}

static void arguments(struct writer *writer, const struct record *record, const char *const *names)
{
    weir__trace_print(writer->text, ",\"args\":{");
    for (uint32_t i = 0; i < record->values && names[i]; i++)
        weir__trace_print(writer->text, "%s\"%s\":%" PRIu64, i ? "," : "", names[i],
                          record->value[i]);
    weir__trace_print(writer->text, "}}");
}

/* A part of a message's way, inside its span. */
static void part(struct writer *writer, const struct track *track, uint32_t tid, const char *name,
                 uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns >= end_ns)
        return;
    span(writer, track, tid, name, "link", begin_ns, end_ns);
    weir__trace_print(writer->text, "}");
}

static void message(struct writer *writer, const struct track *track, uint32_t tid,
                    const struct record *record)
{
    const uint64_t posted = begin_of(record);
    uint64_t matched = record->value[2];
    matched = matched < posted ? posted : matched > record->begin_ns ? record->begin_ns : matched;
    span(writer, track, tid, "message", "link", posted, record->end_ns);
    weir__trace_print(writer->text, ",\"args\":{\"bytes\":%" PRIu64 ",\"message\":%" PRIu64 "}}",
                      record->value[0], record->value[3]);
    part(writer, track, tid, "wait for a receive", posted, matched);
    part(writer, track, tid, "wait in the queue", matched, record->begin_ns);
    part(writer, track, tid, "copy", record->begin_ns, record->end_ns);
}

static void rounds(struct writer *writer, const struct track *track, uint32_t tid,
                   const struct record *record)
{
    static const char *const names[] = {"rounds",  "processed", "waiting", "deferred",
                                        "credits", "threshold", NULL};
    span(writer, track, tid, record->name, "phase", record->begin_ns, record->end_ns);
    arguments(writer, record, names);
    for (uint32_t i = 2; i < record->values; i++)
        if (i < 5 || record->value[i] != UINT32_MAX) /* no threshold: all items are near */
            counter(writer, track, i == 2 ? "items waiting" : names[i], "", record->end_ns,
                    record->value[i]);
}

static void event(struct writer *writer, const struct record *record, uint32_t lane)
{
    static const char *const of_op[] = {"bytes", NULL}, *const of_step[] = {"step", NULL};
    const struct track *track = &writer->trace->tracks[record->track];
    const uint32_t tid = record->track * LANES + lane + 1;
    switch ((enum record_kind)record->kind) {
    case RECORD_OP:
        span(writer, track, tid, record->name, "queue", record->begin_ns, record->end_ns);
        arguments(writer, record, of_op);
        break;
    case RECORD_MESSAGE:
        message(writer, track, tid, record);
        break;
    case RECORD_STEP:
        span(writer, track, tid, record->name, "phase", record->begin_ns, record->end_ns);
        arguments(writer, record, of_step);
        break;
    case RECORD_ROUNDS:
        rounds(writer, track, tid, record);
        break;
    case RECORD_RUN:
        span(writer, track, tid, record->name, "run", record->begin_ns, record->end_ns);
        weir__trace_print(writer->text, "}");
        break;
    case RECORD_TRIAL:
        span(writer, track, tid, record->series, "trial", record->begin_ns, record->end_ns);
        weir__trace_print(writer->text, ",\"args\":{\"row\":%" PRIu64 ",\"trial\":%" PRIu64 "}}",
                          record->row, record->number);
        break;
    case RECORD_LEVEL:
        counter(writer, track, "free receives", track->name, record->begin_ns, record->value[0]);
        counter(writer, track, "waiting packets", track->name, record->begin_ns, record->value[1]);
        break;
    }
}

/* The lane of a record: the first whose last one is over. Runs are nested calls of one thread, or of several, which may not
 * nest; phases of a device follow each other. */
static uint32_t lane_of(struct writer *writer, const struct record *record, uint64_t *over)
{
    uint32_t lane = 0, *lanes = &writer->lanes[record->track];
    if (record->kind == RECORD_LEVEL)
        return 0;
    while (lane + 1 < LANES && lane < *lanes && over[lane] > begin_of(record))
        lane++;
    over[lane] = record->end_ns;
    *lanes = *lanes > lane + 1 ? *lanes : lane + 1;
    return lane;
}

/* ---- how many operations a queue holds ---------------------------------------------------------------------- */

struct change {
    uint64_t ns;
    int64_t by;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->by > y->by ? -1 : x->by < y->by; /* put in before taken out: never below 0 */
}

/* @param[in] order  of the records of one queue. */
static weir_status queue_length(struct writer *writer, const uint32_t *order, uint64_t count)
{
    const struct weir__trace *trace = writer->trace;
    const struct track *track = &trace->tracks[trace->records[order[0]].track];
    struct change *changes;
    int64_t length = 0;
    weir_status status =
        weir__alloc((size_t)count, 2 * sizeof *changes, "counters of a trace", &changes);
    if (status)
        return status;
    for (uint64_t i = 0; i < count; i++) {
        const struct record *record = &trace->records[order[i]];
        const uint64_t put = record->value[1];
        changes[2 * i] = (struct change){put && put < record->begin_ns ? put : record->begin_ns, 1};
        changes[2 * i + 1] = (struct change){record->end_ns, -1};
    }
    qsort(changes, (size_t)(2 * count), sizeof *changes, compare_changes);
    for (uint64_t i = 0; i < 2 * count; i++) {
        length += changes[i].by;
        if (i + 1 == 2 * count || changes[i + 1].ns != changes[i].ns)
            counter(writer, track, "operations", track->name, changes[i].ns, (uint64_t)length);
    }
    free(changes);
    return WEIR_OK;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void name_process(struct writer *writer, uint32_t process, const char *name,
                         const char *more)
{
    char whole[96];
    snprintf(whole, sizeof whole, "%s%s%s", name, *more ? ", " : "", more);
    next(writer);
    weir__trace_print(
        writer->text,
        "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":", process);
    weir__trace_quote(writer->text, whole);
    weir__trace_print(writer->text,
                      "}},\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\","
                      "\"args\":{\"sort_index\":%u}}",
                      process, process);
}

static void name_track(struct writer *writer, uint32_t number)
{
    const struct track *track = &writer->trace->tracks[number];
    for (uint32_t lane = 0; lane < writer->lanes[number]; lane++) {
        const uint32_t tid = number * LANES + lane + 1;
        char name[TRACK_NAME + 16];
        snprintf(name, sizeof name, lane ? "%s (%u)" : "%s", track->name, lane + 1);
        next(writer);
        weir__trace_print(
            writer->text,
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":",
            process_of(writer, track), tid);
        weir__trace_quote(writer->text, name);
        weir__trace_print(writer->text,
                          "}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\","
                          "\"args\":{\"sort_index\":%u}}",
                          process_of(writer, track), tid, (unsigned)track->kind * 1000000u + tid);
    }
}

static void name_all(struct writer *writer)
{
    const weir_context *context = writer->trace->context;
    for (uint32_t i = 0; i < context->count; i++)
        name_process(writer, i + 1, context->devices[i]->info.label,
                     context->devices[i]->info.name);
    name_process(writer, context->count + 1, context->home->info.label, "");
    name_process(writer, context->count + 2, "links", "");
    name_process(writer, context->count + 3, "program", "");
    for (uint32_t i = 0; i < writer->trace->track_count; i++)
        name_track(writer, i);
}

/* ---- the document ------------------------------------------------------------------------------------------------- */

/* All records of one track, in the order of their times. */
static weir_status write_track(struct writer *writer, const uint32_t *order, uint64_t count)
{
    uint64_t over[LANES] = {0};
    for (uint64_t i = 0; i < count && !writer->text->error; i++) {
        const struct record *record = &writer->trace->records[order[i]];
        event(writer, record, lane_of(writer, record, over));
    }
    return writer->trace->records[order[0]].kind == RECORD_OP ? queue_length(writer, order, count)
                                                              : WEIR_OK;
}

static weir_status write_tracks(struct writer *writer, const uint32_t *order, uint64_t count)
{
    const struct record *records = writer->trace->records;
    weir_status status = WEIR_OK;
    for (uint64_t i = 0, end; i < count && !status && !writer->text->error; i = end) {
        for (end = i; end < count && records[order[end]].track == records[order[i]].track;)
            end++;
        status = write_track(writer, order + i, end - i);
    }
    return status;
}

weir_status weir__trace_json(const struct weir__trace *trace, struct trace_text *text)
{
    struct writer *writer;
    uint32_t *order;
    uint64_t count;
    weir_status status = weir__trace_order(trace, &order, &count);
    if (status)
        return status;
    if (!(status = weir__calloc(1, sizeof *writer, "writer of a trace", &writer))) {
        writer->trace = trace;
        writer->text = text;
        weir__trace_print(
            text,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"weir %s\",\"simulated\":%s,"
            "\"ms\":%.6f,\"events\":%" PRIu64 ",\"dropped\":%" PRIu64
            ",\"clock_error_us\":%.3f},\n\"traceEvents\":[",
            weir_version_text(), weir_context_simulated(trace->context) ? "true" : "false",
            (double)(trace->end_ns - trace->begin_ns) / 1e6, trace->stats.events,
            trace->stats.dropped, trace->stats.error_us);
        status = write_tracks(writer, order, count);
        name_all(writer);
        weir__trace_print(text, "\n]}\n");
    }
    free(writer);
    free(order);
    return status;
}
