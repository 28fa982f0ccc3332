/** @file example_graph.h  What the programs over any graph share: the command line, the graph, its rows, timed runs, the verdict.
 *
 *     PROGRAM [DEVICES [GRAPH [TRIALS]]]
 *
 * DEVICES is "host:3" if left out. Each run is timed as its caller sees it, and the median of TRIALS runs (3) behind one that warms
 * up is printed. The last line is "verified", or how much is wrong. */
#ifndef WEIR_EXAMPLES_EXAMPLE_GRAPH_H
#define WEIR_EXAMPLES_EXAMPLE_GRAPH_H

#include <weir/algorithms/rows.h>
#include "examples/example.h"

#include <stddef.h>

/* Of a table of arrays: how many elements one has, and who; what it holds when a run begins; the pointer of the arguments. */
#define NUMBERS        .extent = WEIR_STEPS_NUMBERS
#define COPIES         NUMBERS, .holding = WEIR_STEPS_SHARED
#define OWNED          .extent = WEIR_STEPS_OWNED
#define FILLED(byte)   .first = WEIR_STEPS_FILLED, .fill = (byte)
#define FIELD(pointer) .field = offsetof(ARGS, pointer)
/* Inboxes with room for an item for each row of their owner, and the outboxes. */
#define INBOXES(inbox, out)                                                                        \
    .extent = WEIR_STEPS_COUNTED, .count = job_owned, .holding = WEIR_STEPS_INBOXES, FIELD(inbox), \
    .outbox = offsetof(ARGS, out)
/* A step program of such a table, without phases. */
#define PROGRAM(text, compiled)                                     \
    static const weir_steps_program program = {.what = (text),      \
                                               .body = &(compiled), \
                                               .arrays = arrays,    \
                                               .array_count = sizeof arrays / sizeof *arrays}

enum { TRIALS_MAX = 1000, TIME_LIMIT_MS = 120000 };

struct job {
    weir_context *context;
    uint32_t devices;
    weir_graph *graph;
    weir_rows *rows;
    weir_steps *steps;
    uint32_t trials, timed;      /* wanted, and had so far */
    double ms[TRIALS_MAX], last; /* of each trial; of the runs since the last one */
};

/* Memory of the host. */
static inline void *zeroed(uint64_t count, size_t bytes)
{
    void *data = calloc(count ? count : 1, bytes);
    if (!data) {
        fprintf(stderr, "no memory for %llu elements of %zu bytes\n", (unsigned long long)count,
                bytes);
        exit(WRONG);
    }
    return data;
}

static inline void job_destroy(struct job *job)
{
    weir_steps_destroy(job->steps);
    weir_rows_destroy(job->rows); /* behind those that read them */
    weir_graph_destroy(job->graph);
    weir_context_destroy(job->context);
    free(job);
}

/* What cannot be had of what the command line names is no failure but a wrong call, unless memory is short or a device failed. */
static inline void job_try(struct job *job, weir_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", weir_error_detail());
    job_destroy(job);
    exit(status == WEIR_ERR_NOMEM || status == WEIR_ERR_DEVICE ? WRONG : USAGE);
}

/* The devices and the graph, which gets the reverse of every arc. The caller frees nothing: job_close() does. */
static inline struct job *job_open(int argc, char **argv, const char *graph)
{
    struct job *job = zeroed(1, sizeof *job);
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    char *end = NULL;
    const long trials = argc > 3 ? strtol(argv[3], &end, 10) : 3;
    if (argc > 4 || (end && (*end || end == argv[3])) || trials < 1 || trials > TRIALS_MAX) {
        fprintf(stderr, "usage: %s [DEVICES [GRAPH [TRIALS]]], TRIALS from 1 to %d\n", argv[0],
                TRIALS_MAX);
        exit(USAGE);
    }
    job->trials = (uint32_t)trials;
    job_try(job, weir_context_create(argc > 1 ? argv[1] : "host:3", NULL, &job->context));
    job->devices = weir_context_device_count(job->context);
    options.undirected = 1;
    options.context = job->context;
    job_try(job, weir_graph_open(argc > 2 ? argv[2] : graph, &options, &job->graph));
    return job;
}

/* Steps need devices that reach each other's memory. */
static inline void job_need_steps(struct job *job)
{
    if (!weir_steps_possible(job->context, job->devices))
        return;
    fprintf(stderr, "%s\n", weir_error_detail());
    job_destroy(job);
    exit(SKIPPED);
}

/* Place a graph, the job's or one made of it, and make a program over it.
 * @param[in] rows  offsetof(struct NAME_args, ...): where the arguments have a weir_rows_part. Others are set by the caller. */
static inline void job_place(struct job *job, const weir_graph *graph,
                             const weir_rows_config *config, const weir_steps_program *program,
                             size_t rows)
{
    weir_steps_domain domain;
    job_need_steps(job);
    job_try(job, weir_rows_create(job->context, graph, NULL, config, &job->rows));
    weir_rows_domain(job->rows, &domain);
    TRY(weir_steps_create(job->context, program, &domain, job->rows, TIME_LIMIT_MS, &job->steps));
    for (uint32_t d = 0; d < job->devices; d++)
        *(weir_rows_part *)((char *)weir_steps_args(job->steps, d) + rows) =
            *weir_rows_part_of(job->rows, d);
}

/* Milliseconds by the clock of the devices. */
static inline double now_ms(const struct job *job)
{
    return (double)weir_context_time_ns(job->context) * 1e-6;
}

/* A run of the program; a trial may be several. */
static inline weir_steps_times job_run(struct job *job)
{
    weir_steps_times times = WEIR_STEPS_TIMES_INIT;
    const double since = now_ms(job);
    TRY(weir_steps_run(job->steps, &times));
    job->last += now_ms(job) - since;
    return times;
}

/* The same of a traversal, which is the caller's. */
static inline weir_run_stats job_traverse(struct job *job, weir_traversal *traversal)
{
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    const double since = now_ms(job);
    TRY(weir_traversal_run(traversal, &stats));
    job->last += now_ms(job) - since;
    return stats;
}

/* Before each trial, counted from 0: the time of the last one is put among the others. The first one is not counted.
 * @return 0: there were enough. */
static inline int job_trial(struct job *job, uint32_t trial)
{
    uint32_t at = job->timed;
    if (trial > 1) {
        for (; at && job->ms[at - 1] > job->last; at--)
            job->ms[at] = job->ms[at - 1];
        job->ms[at] = job->last;
        job->timed++;
    }
    job->last = 0;
    return trial <= job->trials;
}

/* An array of the program that has a value for each number, or for each own row, in the order of vertices. The caller frees it. */
static inline void *job_gather(const struct job *job, const char *name, size_t bytes,
                               weir_steps_extent extent)
{
    const void *own[WEIR_DEVICES_MAX] = {NULL};
    void *values = zeroed(job->graph->vertices, bytes);
    const weir_rows_part *part;
    for (uint32_t d = 0; (part = weir_rows_part_of(job->rows, d)); d++) {
        const char *data = weir_steps_data(job->steps, name, d);
        own[d] = data && extent == WEIR_STEPS_NUMBERS ? data + bytes * part->begin : data;
    }
    TRY(weir_rows_gather(job->rows, own, bytes, values));
    return values;
}

/* The rows of a device: weir_steps_array.count. */
static inline uint64_t job_owned(const void *rows, uint32_t device, uint32_t sender)
{
    (void)sender;
    return weir_rows_part_of(rows, device)->owned;
}

/* The time, the verdict, and the end. @return the exit status. */
static inline int job_close(struct job *job, uint64_t wrong)
{
    printf("%s, %u devices: %.3f ms, the median of %u\n", job->graph->name, job->devices,
           job->ms[job->timed / 2], job->timed);
    if (wrong)
        printf("WRONG: %llu unlike in the serial program\n", (unsigned long long)wrong);
    else
        printf("verified\n");
    job_destroy(job);
    return wrong ? WRONG : RIGHT;
}

#endif
