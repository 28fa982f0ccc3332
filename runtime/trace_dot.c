/** @file trace_dot.c  A trace as a graph for Graphviz: who sent to whom, how much, and how long a link stood still. */
#include "runtime/trace_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most messages of a link that were under way at a time, from when they were matched to when they arrived. */
struct moment {
    uint64_t ns;
    int by;
};

static int compare(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->by - y->by; /* one that arrived makes room for the next */
}

static uint64_t most_under_way(const struct weir__trace *trace, const uint32_t *order,
                               uint64_t count, struct moment *moments)
{
    uint64_t used = 0, most = 0, now = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct record *record = &trace->records[order[i]];
        const uint64_t matched = record->value[2];
        if (record->kind != RECORD_MESSAGE)
            continue;
        moments[used++] =
            (struct moment){matched < record->begin_ns ? matched : record->begin_ns, 1};
        moments[used++] = (struct moment){record->end_ns, -1};
    }
    qsort(moments, (size_t)used, sizeof *moments, compare);
    for (uint64_t i = 0; i < used; i++) {
        now += (uint64_t)moments[i].by;
        most = now > most && moments[i].by > 0 ? now : most;
    }
    return most;
}

static uint64_t sum_of(const _Atomic uint64_t *sum)
{
    return atomic_load_explicit(sum, memory_order_relaxed);
}

static int has_carried(const struct track *track)
{
    return sum_of(&track->messages) || sum_of(&track->items);
}

static void print_bytes(struct trace_text *text, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    weir__trace_print(text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_edge(struct trace_text *text, const struct track *track, uint64_t under_way)
{
    const uint64_t messages = sum_of(&track->messages), items = sum_of(&track->items);
    weir__trace_print(text, "    ");
    weir__trace_quote(text, track->from);
    weir__trace_print(text, " -> ");
    weir__trace_quote(text, track->to);
    weir__trace_print(text, " [label=\"%s%s", track->over, *track->over ? "\\n" : "");
    if (messages)
        weir__trace_print(text, "%" PRIu64 " packet%s", messages, messages == 1 ? "" : "s");
    if (messages &&
        (under_way || sum_of(&track->bytes))) { /* else kernels sent them, and only counted */
        weir__trace_print(text, ", ");
        print_bytes(text, sum_of(&track->bytes));
        weir__trace_print(text, "\\nstalled %.3f ms, starved %.3f ms\\nup to %" PRIu64 " in flight",
                          (double)sum_of(&track->stalled_ns) / 1e6,
                          (double)sum_of(&track->starved_ns) / 1e6, under_way);
    }
    if (items) {
        weir__trace_print(text, "%s%" PRIu64 " item%s", messages ? "\\n" : "", items,
                          items == 1 ? "" : "s");
        if (!messages && sum_of(&track->bytes)) {
            weir__trace_print(text, ", ");
            print_bytes(text, sum_of(&track->bytes));
        }
    }
    weir__trace_print(text, "\"];\n");
}

/* A device is drawn if anything was told of it, with the time that its workers waited. */
static void print_devices(const struct weir__trace *trace, struct trace_text *text)
{
    const weir_context *context = trace->context;
    for (uint32_t i = 0; i < context->count; i++) {
        uint64_t wait = 0, all = 0;
        for (uint64_t k = 0; k < trace->stats.events; k++) {
            const struct record *record = &trace->records[k];
            const struct track *track = &trace->tracks[record->track];
            if (track->kind != TRACK_PHASES || track->group != i)
                continue;
            all += record->end_ns - record->begin_ns;
            if (strcmp(record->name, "wait") == 0)
                wait += record->end_ns - record->begin_ns;
        }
        weir__trace_print(text, "    ");
        weir__trace_quote(text, context->devices[i]->info.label);
        if (all)
            weir__trace_print(text, " [label=\"%s\\nphases %.3f ms, waiting %.3f ms\"]",
                              context->devices[i]->info.label, (double)all / 1e6,
                              (double)wait / 1e6);
        weir__trace_print(text, ";\n");
    }
}

static void print_links(const struct weir__trace *trace, struct trace_text *text,
                        const uint32_t *order, uint64_t count, struct moment *moments)
{
    uint64_t at = 0;
    for (uint32_t t = 0; t < trace->track_count; t++) {
        const uint64_t begin = at;
        while (at < count && trace->records[order[at]].track == t)
            at++;
        if (trace->tracks[t].kind == TRACK_LINK && has_carried(&trace->tracks[t]))
            print_edge(text, &trace->tracks[t],
                       most_under_way(trace, order + begin, at - begin, moments));
    }
}

weir_status weir__trace_dot(const struct weir__trace *trace, struct trace_text *text)
{
    uint32_t *order;
    uint64_t count;
    struct moment *moments;
    weir_status status = weir__trace_order(trace, &order, &count);
    if (status)
        return status;
    if (!(status = weir__alloc((size_t)count, 2 * sizeof *moments, "graph of a trace", &moments))) {
        weir__trace_print(text,
                          "digraph weir {\n    label=\"%.3f ms%s; %" PRIu64 " of %" PRIu64
                          " events were dropped\";\n    node [shape=box];\n",
                          (double)(trace->end_ns - trace->begin_ns) / 1e6,
                          weir_context_simulated(trace->context) ? ", simulated" : "",
                          trace->stats.dropped, trace->stats.events + trace->stats.dropped);
        print_devices(trace, text);
        print_links(trace, text, order, count, moments);
        weir__trace_print(text, "}\n");
        free(moments);
    }
    free(order);
    return status;
}
