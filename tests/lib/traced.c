/** @file traced.c  See traced.h. */
#include "tests/lib/traced.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define NEAR_US   0.0015 /* times are written in whole nanoseconds */

static int write_to(void *user, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, user) == bytes ? 0 : 5;
}

char *traced_text(weir_context *context, weir_trace_form form)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    weir_status status = weir_context_trace_write(context, form, write_to, file);
    if (fclose(file) || status) {
        free(text);
        return NULL;
    }
    return text;
}

json_t *traced(weir_context *context)
{
    char *text = traced_text(context, WEIR_TRACE_JSON);
    json_t *trace = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return trace;
}

static const char *text_of(const json_t *event, const char *name)
{
    const char *text = json_string_value(json_object_get(event, name));
    return text ? text : "";
}

static double number_of(const json_t *event, const char *name)
{
    return json_number_value(json_object_get(event, name));
}

static int is_span(const json_t *event)
{
    return strcmp(text_of(event, "ph"), "X") == 0;
}

struct open {
    double pid, tid, begin, end;
};

static int compare(const void *a, const void *b)
{
    const struct open *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

static int overlap(struct open *spans, size_t count)
{
    double stack[DEPTH_MAX];
    size_t depth = 0;
    qsort(spans, count, sizeof *spans, compare);
    for (size_t i = 0; i < count; i++) {
        if (i && (spans[i].pid != spans[i - 1].pid || spans[i].tid != spans[i - 1].tid))
            depth = 0;
        while (depth && stack[depth - 1] <= spans[i].begin + NEAR_US)
            depth--;
        if (depth == DEPTH_MAX || (depth && stack[depth - 1] < spans[i].end - NEAR_US))
            return 1;
        stack[depth++] = spans[i].end;
    }
    return 0;
}

static int is_named(const json_t *events, double pid, double tid)
{
    size_t i;
    json_t *event;
    json_array_foreach(events, i, event) if (strcmp(text_of(event, "name"), "thread_name") == 0 &&
                                             number_of(event, "pid") == pid &&
                                             number_of(event, "tid") == tid) return 1;
    return 0;
}

const char *traced_flaw(const json_t *trace)
{
    const json_t *events = json_object_get(trace, "traceEvents");
    struct open *spans = calloc(json_array_size(events) + 1, sizeof *spans);
    const char *flaw = json_is_array(events) && spans ? NULL : "there are no events";
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(events, i, event)
    {
        const double ts = number_of(event, "ts"), took = number_of(event, "dur");
        if (strcmp(text_of(event, "ph"), "C") == 0 &&
            number_of(json_object_get(event, "args"), "value") < 0)
            flaw = "a counter is below 0";
        if (!is_span(event))
            continue;
        if (!json_is_number(json_object_get(event, "dur")) || took < 0 || ts < 0)
            flaw = "a span has no time";
        spans[count++] =
            (struct open){number_of(event, "pid"), number_of(event, "tid"), ts, ts + took};
    }
    if (!flaw && overlap(spans, count))
        flaw = "spans of a track overlap";
    for (i = 0; !flaw && i < count; i++)
        if ((i == 0 || spans[i].tid != spans[i - 1].tid) &&
            !is_named(events, spans[i].pid, spans[i].tid))
            flaw = "a track has no name";
    free(spans);
    return flaw;
}

static int is_one(const json_t *event, const char *category, const char *name, int pid)
{
    return is_span(event) && strcmp(text_of(event, "cat"), category) == 0 &&
           (!name || strcmp(text_of(event, "name"), name) == 0) &&
           (!pid || (int)number_of(event, "pid") == pid);
}

double traced_ms(const json_t *trace, const char *category, const char *name, int pid,
                 size_t *count_out)
{
    const json_t *events = json_object_get(trace, "traceEvents");
    double us = 0;
    size_t i, count = 0;
    json_t *event;
    json_array_foreach(events, i, event) if (is_one(event, category, name, pid))
    {
        us += number_of(event, "dur");
        count++;
    }
    if (count_out)
        *count_out = count;
    return us / 1e3;
}

double traced_sum(const json_t *trace, const char *category, const char *name, const char *argument)
{
    const json_t *events = json_object_get(trace, "traceEvents");
    double sum = 0;
    size_t i;
    json_t *event;
    json_array_foreach(events, i, event) if (is_one(event, category, name, 0)) sum +=
        number_of(json_object_get(event, "args"), argument);
    return sum;
}
