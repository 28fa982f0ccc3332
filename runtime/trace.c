/** @file trace.c  A trace: its beginning and end, and what the layers tell it. */
#include "runtime/room.h"
#include "runtime/trace_store.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_USUAL  (UINT64_C(64) << 20)
#define BYTES_LEAST  (UINT64_C(1) << 20)
#define BYTES_MOST   (UINT64_C(64) << 30)
#define STAMPS_USUAL 2048u
#define STAMPS_MOST  65536u
#define NOTES_USUAL  65536u
#define NOTES_MOST   (UINT32_C(1) << 24)
#define WARM         43690u /* events whose pages are there from the start: 4 MiB */
#define WRITING      60u /* bytes of an event that are taken while it is put in order and counted */

_Static_assert(sizeof(struct record) == 96, "weir_trace_config.bytes says so");

static _Thread_local struct weir__trace_mark message_now;

struct weir__trace *weir__tracing(const weir_context *context)
{
    struct weir__trace *trace =
        atomic_load_explicit(&((weir_context *)context)->trace, memory_order_acquire);
    return trace && atomic_load_explicit(&trace->on, memory_order_relaxed) ? trace : NULL;
}

/* ---- writers ----------------------------------------------------------------------------------------- */

/* Which stripe the calling thread counts itself in. */
static _Atomic uint32_t *writers_of(struct weir__trace *trace)
{
    static _Atomic uint32_t threads; /* relaxed */
    static _Thread_local uint32_t number;
    if (!number)
        number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % STRIPES + 1;
    return &trace->stripe[number - 1].writers;
}

int weir__trace_enter(struct weir__trace *trace)
{
    /* Counted first, then looked: who clears `on` and sees no writer knows that later ones see it cleared. */
    atomic_fetch_add(writers_of(trace), 1);
    if (atomic_load(&trace->on))
        return 1;
    weir__trace_leave(trace);
    return 0;
}

void weir__trace_leave(struct weir__trace *trace)
{
    atomic_fetch_sub(writers_of(trace), 1);
}

/* Records side by side. @param[in,out] count  as many as are wanted, and there are. */
static struct record *take(struct weir__trace *trace, uint32_t *count)
{
    const uint64_t at = atomic_fetch_add_explicit(&trace->next, *count, memory_order_relaxed);
    const uint64_t left = at < trace->room ? trace->room - at : 0;
    if (left < *count) {
        weir__trace_lost(trace, *count - left);
        *count = (uint32_t)left;
    }
    return *count ? &trace->records[at] : NULL;
}

struct record *weir__trace_record(struct weir__trace *trace)
{
    uint32_t one = 1;
    return take(trace, &one);
}

void weir__trace_name(char *to, size_t room, const char *text)
{
    const size_t length = strlen(text), most = length < room ? length : room - 1;
    memcpy(to, text, most);
    memset(to + most, 0, room - most);
}

void weir__trace_lost(struct weir__trace *trace, uint64_t count)
{
    atomic_fetch_add_explicit(&trace->dropped, count, memory_order_relaxed);
}

uint32_t weir__trace_notes(const struct weir__trace *trace)
{
    return atomic_load_explicit(&trace->notes, memory_order_relaxed);
}

/* ---- tracks -------------------------------------------------------------------------------------------- */

static uint32_t hash(uint32_t group, const char *name)
{
    uint32_t sum = UINT32_C(2166136261) ^ group;
    for (; *name; name++)
        sum = (sum ^ (unsigned char)*name) * UINT32_C(16777619);
    return sum;
}

static uint32_t word_of(const struct weir__trace *trace, uint32_t track)
{
    return trace->generation << 16 | (track + 1);
}

int64_t weir__trace_track_of(const struct weir__trace *trace, uint32_t word)
{
    return word && word >> 16 == trace->generation ? (int64_t)(word & 0xFFFF) - 1 : -1;
}

uint32_t weir__trace_track(struct weir__trace *trace, uint32_t group, enum track_kind kind,
                           const char *name)
{
    uint32_t at = hash(group, name) % SLOTS, word = 0;
    char cut[TRACK_NAME];
    weir__trace_name(cut, sizeof cut, name);
    pthread_mutex_lock(&trace->lock);
    for (; trace->slot[at] && !word; at = (at + 1) % SLOTS) {
        const struct track *track = &trace->tracks[trace->slot[at] - 1];
        if (track->group == group && track->kind == kind && strcmp(track->name, cut) == 0)
            word = word_of(trace, trace->slot[at] - 1u);
    }
    if (!word && trace->track_count < TRACKS_MAX) {
        struct track *track = &trace->tracks[trace->track_count];
        memset(track, 0, sizeof *track);
        track->group = group;
        track->kind = kind;
        memcpy(track->name, cut, sizeof cut);
        trace->slot[at] = (uint16_t)(trace->track_count + 1);
        word = word_of(trace, trace->track_count++);
    }
    pthread_mutex_unlock(&trace->lock);
    return word;
}

/* The track of a place, which is asked for its name only where it is of an earlier trace. */
static uint32_t known(const struct weir__trace *trace, struct weir__trace_place *place)
{
    const uint32_t word = atomic_load_explicit(&place->word, memory_order_relaxed);
    return weir__trace_track_of(trace, word) < 0 ? 0 : word;
}

uint32_t weir__trace_queue(struct weir__trace *trace, weir_queue *queue)
{
    uint32_t word = known(trace, &queue->trace);
    char name[TRACK_NAME];
    if (word)
        return word;
    snprintf(name, sizeof name, "queue %u%s%s", queue->number, queue->role ? " " : "",
             queue->role ? queue->role : "");
    word = weir__trace_track(trace, queue->device->info.index, TRACK_QUEUE, name);
    atomic_store_explicit(&queue->trace.word, word, memory_order_relaxed);
    return word;
}

void weir__queue_role(weir_queue *queue, const char *role)
{
    if (queue)
        queue->role = role;
}

/* ---- queues ---------------------------------------------------------------------------------------------- */

struct weir__trace_mark weir__trace_message(struct weir__trace_mark mark)
{
    const struct weir__trace_mark before = message_now;
    message_now = mark;
    return before;
}

void weir__trace_mark(struct weir__trace_mark *mark_out, const weir_context *context)
{
    if (!weir__tracing(context)) {
        mark_out->link = 0;
        mark_out->put_ns = 0;
        return;
    }
    *mark_out = message_now;
    if (!message_now.put_ns) /* else it was put in before, and kept */
        mark_out->put_ns = weir_context_time_ns(context);
}

const char *weir__trace_op_name(enum weir__trace_op op, const char *kernel)
{
    static const char *const names[] = {"copy", "push", "fill", "function"};
    return kernel ? kernel : names[op];
}

static void keep_message(struct weir__trace *trace, int64_t link, uint16_t clock, uint64_t begin_ns,
                         uint64_t end_ns, const struct weir__trace_mark *mark)
{
    struct record *record = weir__trace_record(trace);
    if (!record)
        return;
    *record =
        (struct record){.begin_ns = begin_ns,
                        .end_ns = end_ns,
                        .track = (uint32_t)link,
                        .clock = clock,
                        .kind = RECORD_MESSAGE,
                        .values = 4,
                        .name = "message",
                        .value = {mark->bytes, mark->posted_ns, mark->matched_ns, mark->serial}};
}

void weir__trace_keep_op(struct weir__trace *trace, int64_t track, uint16_t clock, const char *name,
                         uint64_t begin_ns, uint64_t end_ns, uint64_t bytes,
                         const struct weir__trace_mark *mark)
{
    struct record *record = track < 0 ? NULL : weir__trace_record(trace);
    const int64_t link = weir__trace_track_of(trace, mark->link);
    if (record) {
        *record = (struct record){.begin_ns = begin_ns,
                                  .end_ns = end_ns,
                                  .track = (uint32_t)track,
                                  .clock = clock,
                                  .kind = RECORD_OP,
                                  .values = 2,
                                  .value = {bytes, mark->put_ns}};
        weir__trace_name(record->name, sizeof record->name, name);
    }
    if (link >= 0)
        keep_message(trace, link, clock, begin_ns, end_ns, mark);
}

void weir__trace_ran(struct weir__trace *trace, weir_queue *queue, enum weir__trace_op op,
                     const char *kernel, uint64_t begin_ns, uint64_t end_ns, uint64_t bytes,
                     const struct weir__trace_mark *mark)
{
    if (!weir__trace_enter(trace))
        return;
    if (begin_ns >= trace->begin_ns)
        weir__trace_keep_op(trace, weir__trace_track_of(trace, weir__trace_queue(trace, queue)), 0,
                            weir__trace_op_name(op, kernel), begin_ns, end_ns, bytes, mark);
    weir__trace_leave(trace);
}

/* ---- links ------------------------------------------------------------------------------------------------ */

uint32_t weir__trace_link(struct weir__trace *trace, struct weir__trace_place *place,
                          const char *from, const char *to, const char *router)
{
    char name[TRACK_NAME];
    uint32_t word = 0;
    if (!weir__trace_enter(trace))
        return 0;
    if (!(word = known(trace, place))) {
        snprintf(name, sizeof name, "%s > %s%s%s", from, to, router ? " over " : "",
                 router ? router : "");
        word = weir__trace_track(trace, GROUP_LINKS, TRACK_LINK, name);
        const int64_t at = weir__trace_track_of(trace, word);
        if (at >= 0) {
            struct track *track = &trace->tracks[at];
            pthread_mutex_lock(&trace->lock);
            weir__trace_name(track->from, sizeof track->from, from);
            weir__trace_name(track->to, sizeof track->to, to);
            weir__trace_name(track->over, sizeof track->over, router ? router : "");
            pthread_mutex_unlock(&trace->lock);
        }
        atomic_store_explicit(&place->word, word, memory_order_relaxed);
    }
    weir__trace_leave(trace);
    return word;
}

static void add(_Atomic uint64_t *sum, uint64_t value)
{
    atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

/* The track of a link for who has entered, or NULL and left again. */
static struct track *enter_link(struct weir__trace *trace, uint32_t link)
{
    if (!weir__trace_enter(trace))
        return NULL;
    const int64_t at = weir__trace_track_of(trace, link);
    if (at >= 0)
        return &trace->tracks[at];
    weir__trace_leave(trace);
    return NULL;
}

void weir__trace_carried(struct weir__trace *trace, uint32_t link, uint64_t messages,
                         uint64_t bytes, uint64_t items)
{
    struct track *track = enter_link(trace, link);
    if (!track)
        return;
    add(&track->messages, messages);
    add(&track->bytes, bytes);
    add(&track->items, items);
    weir__trace_leave(trace);
}

void weir__trace_idled(struct weir__trace *trace, uint32_t link, uint64_t stalled_ns,
                       uint64_t starved_ns)
{
    struct track *track = enter_link(trace, link);
    if (!track)
        return;
    add(&track->stalled_ns, stalled_ns);
    add(&track->starved_ns, starved_ns);
    weir__trace_leave(trace);
}

void weir__trace_level(struct weir__trace *trace, uint32_t link, uint64_t ns, uint64_t credits,
                       uint64_t waiting)
{
    struct track *track = enter_link(trace, link);
    if (!track)
        return;
    struct record *record = weir__trace_record(trace);
    if (record) {
        *record = (struct record){.begin_ns = ns,
                                  .end_ns = ns,
                                  .track = (uint32_t)(track - trace->tracks),
                                  .kind = RECORD_LEVEL,
                                  .values = 2,
                                  .value = {credits, waiting}};
    }
    weir__trace_leave(trace);
}

/* ---- workers and runs ---------------------------------------------------------------------------------------- */

static void keep(struct weir__trace *trace, uint32_t word, enum record_kind kind, uint16_t clock,
                 const struct weir__trace_span *spans, uint32_t count)
{
    const int64_t track = weir__trace_track_of(trace, word);
    struct record *record = track < 0 || !count ? NULL : take(trace, &count);
    for (uint32_t i = 0; i < count && record; i++, record++) {
        *record = (struct record){.begin_ns = spans[i].begin_ns,
                                  .end_ns = spans[i].end_ns,
                                  .track = (uint32_t)track,
                                  .clock = clock,
                                  .kind = (uint8_t)kind,
                                  .values = (uint8_t)spans[i].values};
        weir__trace_name(record->name, sizeof record->name, spans[i].name);
        for (uint32_t v = 0; v < spans[i].values; v++)
            record->value[v] = spans[i].value[v];
    }
}

void weir__trace_phases(struct weir__trace *trace, const weir_device *device,
                        enum weir__trace_phase kind, int by_device,
                        const struct weir__trace_span *spans, uint32_t count)
{
    const uint32_t index = device->info.index;
    const int step = kind == WEIR__TRACE_STEP;
    if (!weir__trace_enter(trace))
        return;
    const int gpu = by_device && index < WEIR_DEVICES_MAX && trace->gpu[index];
    keep(trace,
         weir__trace_track(trace, index, TRACK_PHASES, step ? "supersteps" : "worker phases"),
         step ? RECORD_STEP : RECORD_ROUNDS, (uint16_t)(gpu ? 2 + 2 * index : 0), spans, count);
    weir__trace_leave(trace);
}

void weir__trace_run(struct weir__trace *trace, const char *name, uint64_t begin_ns,
                     uint64_t end_ns)
{
    const struct weir__trace_span run = {.name = name, .begin_ns = begin_ns, .end_ns = end_ns};
    if (!weir__trace_enter(trace))
        return;
    keep(trace, weir__trace_track(trace, GROUP_PROGRAM, TRACK_RUNS, "runs"), RECORD_RUN, 0, &run,
         1);
    weir__trace_leave(trace);
}

void weir__trace_trial(struct weir__trace *trace, const char *benchmark, const char *series,
                       uint64_t row, uint64_t number, uint64_t begin_ns, uint64_t end_ns)
{
    char name[TRACK_NAME];
    if (!weir__trace_enter(trace))
        return;
    snprintf(name, sizeof name, "trials of %s", benchmark);
    const int64_t track =
        weir__trace_track_of(trace, weir__trace_track(trace, GROUP_PROGRAM, TRACK_RUNS, name));
    struct record *record = track < 0 ? NULL : weir__trace_record(trace);
    if (record) {
        *record = (struct record){.begin_ns = begin_ns,
                                  .end_ns = end_ns,
                                  .track = (uint32_t)track,
                                  .kind = RECORD_TRIAL,
                                  .row = row,
                                  .number = number};
        weir__trace_name(record->series, sizeof record->series, series);
    }
    weir__trace_leave(trace);
}

void weir__range_open(const weir_context *context, const char *name)
{
    if (context->pinning && context->pinning->ops->range)
        context->pinning->ops->range(name);
}

void weir__range_close(const weir_context *context)
{
    weir__range_open(context, NULL);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static weir_status read_config(const weir_trace_config *given, weir_trace_config *config)
{
    weir_status status = weir__sized_in(config, sizeof *config, given, "weir_trace_config");
    if (status)
        return status;
    config->bytes = config->bytes ? config->bytes : BYTES_USUAL;
    config->stamps = config->stamps ? config->stamps : STAMPS_USUAL;
    config->notes = config->notes ? config->notes : NOTES_USUAL;
    if (config->bytes < BYTES_LEAST || config->bytes > BYTES_MOST)
        return weir__fail(WEIR_ERR_INVALID,
                          "a trace of %llu bytes: from 1 MiB to 64 GiB are possible",
                          (unsigned long long)config->bytes);
    if (config->stamps > STAMPS_MOST)
        return weir__fail(WEIR_ERR_INVALID, "a trace with %u stamps: at most %u are possible",
                          config->stamps, STAMPS_MOST);
    if (config->notes > NOTES_MOST)
        return weir__fail(WEIR_ERR_INVALID, "a trace with %u notes of a run: at most %u",
                          config->notes, NOTES_MOST);
    return WEIR_OK;
}

/* The trace of a context: made with its first start. */
static weir_status find(weir_context *context, struct weir__trace **trace_out)
{
    struct weir__trace *trace, *first = NULL;
    weir_status status;
    if ((*trace_out = atomic_load_explicit(&context->trace, memory_order_acquire)))
        return WEIR_OK;
    if ((status = weir__calloc(1, sizeof *trace, "trace", &trace)))
        return status;
    trace->context = context;
    pthread_mutex_init(&trace->lock, NULL);
    pthread_mutex_init(&trace->control, NULL);
    if (!atomic_compare_exchange_strong_explicit(&context->trace, &first, trace,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        weir__trace_free(trace);
        trace = first;
    }
    *trace_out = trace;
    return WEIR_OK;
}

static weir_status take_memory(struct weir__trace *trace, uint64_t bytes)
{
    const uint64_t room = bytes / sizeof(struct record);
    struct weir__need need = {0, 0};
    weir_status status = WEIR_OK;
    if (trace->room != room) {
        free(trace->records);
        trace->records = NULL;
        trace->room = 0;
        weir__need_take(&need, room, sizeof(struct record));
        weir__need_take(&need, room, WRITING); /* or the trace could not be written */
        if ((status =
                 weir__need_fits(&need, "a trace of %llu MiB", (unsigned long long)(bytes >> 20))))
            return status;
        /* Not cleared: a page is there when it is first written to. */
        if ((status = weir__alloc((size_t)room, sizeof *trace->records, "events of a trace",
                                  &trace->records)))
            return status;
        trace->room = room;
        /* The first write to a page takes as long as some events, which is not to be in the times of the first. */
        memset(trace->records, 0, (size_t)(room < WARM ? room : WARM) * sizeof *trace->records);
    }
    if (!trace->tracks)
        status =
            weir__calloc(TRACKS_MAX, sizeof *trace->tracks, "tracks of a trace", &trace->tracks);
    if (!status && !trace->slot)
        status = weir__calloc(SLOTS, sizeof *trace->slot, "tracks of a trace", &trace->slot);
    return status;
}

/* Nobody writes: the trace is off, and who came late has left. */
static void settle(struct weir__trace *trace)
{
    for (int i = 0; i < STRIPES; i++)
        while (atomic_load(&trace->stripe[i].writers))
            sched_yield();
}

static weir_status start(struct weir__trace *trace, const weir_trace_config *config)
{
    weir_status status;
    if (atomic_load(&trace->on))
        return weir__fail(WEIR_ERR_INVALID, "a trace of this context is on already");
    trace->stopped = 0;
    settle(trace);
    if ((status = take_memory(trace, config->bytes)))
        return status;
    trace->generation = trace->generation % 0xFFFF + 1;
    atomic_store_explicit(&trace->notes, config->notes, memory_order_relaxed);
    trace->track_count = 0;
    memset(trace->slot, 0, SLOTS * sizeof *trace->slot);
    atomic_store_explicit(&trace->next, 0, memory_order_relaxed);
    atomic_store_explicit(&trace->dropped, 0, memory_order_relaxed);
    if ((status = weir__trace_clocks_start(trace, config->stamps)))
        return status;
    trace->begin_ns = weir_context_time_ns(trace->context);
    atomic_store(&trace->on, 1);
    return WEIR_OK;
}

weir_status weir_context_trace(weir_context *context, const weir_trace_config *given)
{
    weir_trace_config config = WEIR_TRACE_CONFIG_INIT;
    struct weir__trace *trace;
    weir_status status;
    if (!context)
        return weir__missing("weir_context_trace", "context");
    if ((status = read_config(given, &config)) || (status = find(context, &trace)))
        return status;
    pthread_mutex_lock(&trace->control);
    status = start(trace, &config);
    pthread_mutex_unlock(&trace->control);
    return status;
}

static void stop(struct weir__trace *trace)
{
    atomic_store(&trace->on, 0);
    settle(trace);
    trace->end_ns = weir_context_time_ns(trace->context);
    const uint64_t error_ns = weir__trace_clocks_stop(trace);
    const uint64_t next = atomic_load_explicit(&trace->next, memory_order_relaxed);
    trace->stats =
        (weir_trace_stats){.size = sizeof trace->stats,
                           .events = next < trace->room ? next : trace->room,
                           .dropped = atomic_load_explicit(&trace->dropped, memory_order_relaxed),
                           .error_us = (double)error_ns / 1e3};
    trace->stopped = 1;
}

weir_status weir_context_trace_stop(weir_context *context, weir_trace_stats *stats_out)
{
    if (!context)
        return weir__missing("weir_context_trace_stop", "context");
    weir_status status = weir__sized_room(stats_out, sizeof *stats_out, "weir_trace_stats");
    struct weir__trace *trace = atomic_load_explicit(&context->trace, memory_order_acquire);
    if (status)
        return status;
    if (trace)
        pthread_mutex_lock(&trace->control);
    if (!trace || !atomic_load(&trace->on))
        status = weir__fail(WEIR_ERR_INVALID, "no trace of this context is on");
    else
        stop(trace);
    if (!status && stats_out)
        status = weir__sized_out(stats_out, &trace->stats, sizeof trace->stats, "weir_trace_stats");
    if (trace)
        pthread_mutex_unlock(&trace->control);
    return status;
}

static weir_status write_out(const struct weir__trace *trace, weir_trace_form form,
                             struct trace_text *text)
{
    weir_status status;
    if (!trace->stopped)
        return weir__fail(WEIR_ERR_INVALID, "there is no trace of this context that was stopped");
    status = form == WEIR_TRACE_JSON ? weir__trace_json(trace, text) : weir__trace_dot(trace, text);
    weir__trace_flush(text);
    if (!status && text->error)
        status = weir__fail(WEIR_ERR_IO, "a trace cannot be written: %s", strerror(text->error));
    return status;
}

weir_status weir_context_trace_write(weir_context *context, weir_trace_form form,
                                     int (*write)(void *user, const char *text, size_t bytes),
                                     void *user)
{
    struct trace_text *text;
    if (!context || !write)
        return weir__missing("weir_context_trace_write", context ? "write" : "context");
    if (form != WEIR_TRACE_JSON && form != WEIR_TRACE_DOT)
        return weir__fail(WEIR_ERR_INVALID, "a trace has no form %d", (int)form);
    struct weir__trace *trace = atomic_load_explicit(&context->trace, memory_order_acquire);
    if (!trace)
        return weir__fail(WEIR_ERR_INVALID, "there is no trace of this context that was stopped");
    weir_status status = weir__alloc(1, sizeof *text, "text of a trace", &text);
    if (status)
        return status;
    text->write = write;
    text->user = user;
    text->error = 0;
    text->used = 0;
    pthread_mutex_lock(&trace->control);
    status = write_out(trace, form, text);
    pthread_mutex_unlock(&trace->control);
    free(text);
    return status;
}

void weir__trace_free(struct weir__trace *trace)
{
    if (!trace)
        return;
    atomic_store(&trace->on, 0);
    settle(trace);
    weir__trace_clocks_free(trace);
    free(trace->records);
    free(trace->tracks);
    free(trace->slot);
    pthread_mutex_destroy(&trace->control);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}
