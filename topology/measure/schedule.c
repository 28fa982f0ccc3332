/** @file schedule.c  Building, running and verifying a schedule of copies. */
#include "topology/measure/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 65536u /* patterns of one run: their seeds differ from those of the next */

void weir__schedule_init(struct schedule *schedule, struct bench *bench)
{
    memset(schedule, 0, sizeof *schedule);
    schedule->bench = bench;
    schedule->parts = 1;
}

void weir__schedule_free(struct schedule *schedule)
{
    weir__region_close(&schedule->region);
    if (schedule->bench)
        weir__bench_settle(schedule->bench);
    while (schedule->memories) {
        struct piece *piece = &schedule->memory[--schedule->memories];
        weir_device_free(weir__bench_device(schedule->bench, piece->device), piece->data);
    }
    free(schedule->memory);
    free(schedule->source);
    free(schedule->target);
    free(schedule->step);
    memset(schedule, 0, sizeof *schedule);
}

/* Room for one more; `list` is the address of a pointer. */
static weir_status grow(void *list, size_t count, size_t *room, size_t bytes)
{
    void *old, *grown;
    if (count < *room)
        return WEIR_OK;
    size_t more = *room ? 2 * *room : 16;
    memcpy(&old, list, sizeof old);
    if (!(grown = realloc(old, more * bytes)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for %zu steps of a schedule", more);
    memcpy(list, &grown, sizeof grown);
    *room = more;
    return WEIR_OK;
}

uint32_t weir__schedule_queue(struct schedule *schedule, uint32_t device)
{
    if (schedule->status)
        return QUEUE_NONE;
    if (schedule->queues == REGION_QUEUES_MAX) {
        schedule->status = weir__fail(WEIR_ERR_INVALID, "more than %d queues in a timed region",
                                      REGION_QUEUES_MAX);
        return QUEUE_NONE;
    }
    schedule->owner[schedule->queues] = device;
    return schedule->queues++;
}

static void add(struct schedule *schedule, struct piece **list, size_t *count, size_t *room,
                const struct piece *piece)
{
    if (schedule->status || (schedule->status = grow(list, *count, room, sizeof **list)))
        return;
    (*list)[(*count)++] = *piece;
}

char *weir__schedule_memory(struct schedule *schedule, uint32_t device, uint64_t bytes)
{
    struct piece piece = {device, NULL, bytes, 0};
    if (schedule->status ||
        (schedule->status = weir__bench_alloc(schedule->bench, device, bytes, &piece.data)))
        return NULL;
    add(schedule, &schedule->memory, &schedule->memories, &schedule->memory_room, &piece);
    if (!schedule->status)
        return piece.data;
    weir_device_free(weir__bench_device(schedule->bench, device), piece.data);
    return NULL;
}

char *weir__schedule_source(struct schedule *schedule, uint32_t device, uint64_t bytes,
                            uint32_t pattern)
{
    struct piece piece = {device, weir__schedule_memory(schedule, device, bytes), bytes, pattern};
    add(schedule, &schedule->source, &schedule->sources, &schedule->source_room, &piece);
    return piece.data;
}

char *weir__schedule_target(struct schedule *schedule, uint32_t device, uint64_t bytes,
                            uint32_t pattern)
{
    struct piece piece = {device, weir__schedule_memory(schedule, device, bytes), bytes, pattern};
    add(schedule, &schedule->target, &schedule->targets, &schedule->target_room, &piece);
    return piece.data;
}

uint32_t weir__schedule_step(struct schedule *schedule, const struct step *step)
{
    if (schedule->status || (schedule->status = grow(&schedule->step, schedule->steps,
                                                     &schedule->step_room, sizeof *step)))
        return STEP_NONE;
    for (int i = 0; i < 2; i++)
        if (step->after[i] != STEP_NONE && schedule->step[step->after[i]].queue != step->queue)
            schedule->step[step->after[i]].marked = 1;
    schedule->step[schedule->steps] = *step;
    schedule->step[schedule->steps].marked = 0;
    return (uint32_t)schedule->steps++;
}

/* Operations of each queue, the region's own among them. @return the most of any. */
static uint32_t most_operations(const struct schedule *schedule)
{
    uint32_t ops[REGION_QUEUES_MAX], most = 0;
    for (uint32_t q = 0; q < schedule->queues; q++)
        ops[q] = q ? 2 : schedule->queues + 4;
    for (size_t i = 0; i < schedule->steps; i++) {
        const struct step *step = &schedule->step[i];
        ops[step->queue] += 1u + (step->after[0] != STEP_NONE) + (step->after[1] != STEP_NONE) +
                            (step->marked != 0);
    }
    for (uint32_t q = 0; q < schedule->queues; q++)
        most = ops[q] > most ? ops[q] : most;
    return most;
}

static uint32_t most_marks(const struct schedule *schedule)
{
    uint32_t marks[WEIR_DEVICES_MAX + 1] = {0}, most = 0;
    for (uint32_t q = 0; q < schedule->queues; q++)
        marks[schedule->owner[q]] += q ? 1 : 2; /* the region's own */
    for (size_t i = 0; i < schedule->steps; i++)
        marks[schedule->owner[schedule->step[i].queue]] += schedule->step[i].marked != 0;
    for (uint32_t d = 0; d <= schedule->bench->devices; d++)
        most = marks[d] > most ? marks[d] : most;
    return most;
}

int weir__schedule_fits(const struct schedule *schedule)
{
    return most_operations(schedule) <= weir__region_ops_max(schedule->bench) &&
           most_marks(schedule) <= weir__region_marks_max(schedule->bench);
}

static weir_status put_step(struct schedule *schedule, struct step *step)
{
    struct bench *bench = schedule->bench;
    weir_device *from = weir__bench_device(bench, step->from);
    weir_device *to = weir__bench_device(bench, step->to);
    weir_queue *queue = schedule->region.queue[step->queue];
    weir_status status = WEIR_OK;
    for (int i = 0; i < 2 && !status; i++) {
        const struct step *before =
            step->after[i] == STEP_NONE ? NULL : &schedule->step[step->after[i]];
        if (before && before->queue != step->queue)
            status = weir__region_wait(&schedule->region, step->queue, before->mark);
    }
    if (!status)
        status = (step->kernel ? weir_queue_push : weir_queue_copy)(queue, to, step->target, from,
                                                                    step->source, step->bytes);
    if (!status && step->marked)
        status = weir__region_mark(&schedule->region, step->queue, &step->mark);
    return status;
}

weir_status weir__schedule_run(struct schedule *schedule, double *ms_out)
{
    weir_status status = weir__region_begin(&schedule->region);
    for (size_t i = 0; i < schedule->steps && !status; i++)
        status = put_step(schedule, &schedule->step[i]);
    return weir__region_end(&schedule->region, status, ms_out);
}

static weir_status fill(struct schedule *schedule, uint64_t number)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < schedule->sources && !status; i++) {
        const struct piece *piece = &schedule->source[i];
        status = weir__pattern_put(schedule->bench, piece->device, piece->data, piece->bytes,
                                   number * NUMBERS + piece->pattern);
    }
    return status;
}

/* Fresh patterns where bytes come from, none where they go. */
static weir_status refill(struct schedule *schedule, uint64_t number)
{
    weir_status status = fill(schedule, number);
    for (size_t i = 0; i < schedule->targets && !status; i++) {
        const struct piece *piece = &schedule->target[i];
        status = weir__pattern_poison(schedule->bench, piece->device, piece->data, piece->bytes);
    }
    return status;
}

static weir_status compare(struct schedule *schedule, uint64_t number, const char *what)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < schedule->targets && !status; i++) {
        const struct piece *piece = &schedule->target[i];
        status = weir__pattern_check(schedule->bench, piece->device, piece->data, piece->bytes,
                                     number * NUMBERS + piece->pattern, what);
    }
    return status;
}

/* A queue that takes no more makes the host wait, which could then not open the gate. */
static weir_status open_region(struct schedule *schedule)
{
    if (schedule->status)
        return schedule->status;
    uint32_t most = most_operations(schedule), room = weir__region_ops_max(schedule->bench);
    if (most > room)
        return weir__fail(
            WEIR_ERR_INVALID,
            "a held queue of %u operations: at most %u, ask for fewer bytes (--bytes)", most, room);
    return weir__region_open(&schedule->region, schedule->bench, schedule->owner, schedule->queues);
}

weir_status weir__schedule_start(struct schedule *schedule)
{
    weir_status status = open_region(schedule);
    return status ? status : fill(schedule, ++schedule->bench->number);
}

weir_status weir__schedule_verify(struct schedule *schedule, const char *what)
{
    uint64_t number = ++schedule->bench->number;
    double ms;
    weir_status status = weir__bench_cancelled(schedule->bench);
    if (status || (status = refill(schedule, number)) ||
        (status = weir__schedule_run(schedule, &ms)))
        return status;
    return compare(schedule, number, what);
}

static weir_status trial(void *user, uint64_t number, double *value_out)
{
    struct schedule *schedule = user;
    double ms;
    weir_status status = weir__schedule_run(schedule, &ms);
    (void)number; /* the bytes are the same in all timed trials */
    *value_out = schedule->bytes > 0 ? weir__gbs(schedule->bytes, ms) : ms * 1000 / schedule->parts;
    return status;
}

static weir_status row_then_verify(struct schedule *schedule, const weir_bench_row *row,
                                   const char *what)
{
    weir_status status = weir__schedule_start(schedule);
    if (!status)
        status = weir__bench_row(schedule->bench, row, trial, schedule);
    return status ? status : weir__schedule_verify(schedule, what);
}

static weir_status row_that_is_verified(struct schedule *schedule, const weir_bench_row *row,
                                        const char *what)
{
    uint64_t number = ++schedule->bench->number;
    weir_status status = open_region(schedule);
    if (status || (status = refill(schedule, number)) ||
        (status = weir__bench_row(schedule->bench, row, trial, schedule)))
        return status;
    return compare(schedule, number, what);
}

weir_status weir__schedule_row(struct schedule *schedule, const weir_bench_row *row)
{
    char what[96];
    snprintf(what, sizeof what, "%s%s%s%s%s", row->series, row->from[0] ? ", " : "", row->from,
             row->to[0] ? " to " : "", row->to);
    return (schedule->bench->simulated ? row_that_is_verified : row_then_verify)(schedule, row,
                                                                                 what);
}
