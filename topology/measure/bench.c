/** @file bench.c  Running one benchmark of a list by its name, and what all of them need to know of the machine. */
#include "runtime/room.h"
#include "topology/measure/measure.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_GPU  100000000u
#define BYTES_HOST 4000000u
#define BYTES_MAX  ((uint64_t)1 << 46)
/* Devices that live in the program's own memory: what a benchmark takes for all of them together,
 * where each holds what it sends, what it gets, and what is in host memory on the way to it. */
#define HOST_BYTES   2000000000u
#define HOST_PARTS   3u
#define UNIT         64u /* a transfer is a multiple of it: kernels move 16 bytes at a time */
#define TRIALS       7
#define TRIALS_MAX   1000000u
#define WARMUPS      2
#define WARMUPS_NONE UINT32_MAX
#define LIMIT_MS     60000

static weir_status find(const struct bench_list *among, const char *name, size_t *index_out)
{
    for (size_t i = 0; name && i < among->count; i++)
        if (strcmp(among->infos[i].name, name) == 0) {
            *index_out = i;
            return WEIR_OK;
        }
    return weir__fail(WEIR_ERR_INVALID, "\"%.60s\": no such benchmark", name ? name : "");
}

static int in_host_memory(const struct bench *bench)
{
    return bench->simulated || !bench->gpus;
}

static uint64_t default_bytes(const struct bench *bench)
{
    uint64_t bytes = bench->gpus || bench->simulated ? BYTES_GPU : BYTES_HOST;
    uint64_t most = HOST_BYTES / (HOST_PARTS * (bench->devices + !bench->devices)) / UNIT * UNIT;
    return in_host_memory(bench) && bytes > most ? most : bytes;
}

uint64_t weir__host_room(const struct bench *bench)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_home(bench->context), &info);
    uint64_t most = info.memory_bytes ? info.memory_bytes / 4 * 3 : UINT64_MAX;
    struct weir__room room;
    weir__room_look(
        "", &room); /* past the limits of the process a benchmark fails alone, as malloc does */
    return room.memory < most ? room.memory : most;
}

/* The system hands out memory that it does not have, and ends the program that writes to it. */
static weir_status check_room(const struct bench *bench)
{
    uint64_t room = weir__host_room(bench);
    uint64_t parts = HOST_PARTS * (uint64_t)(bench->devices + !bench->devices);
    if (!in_host_memory(bench) || bench->config.bytes <= room / parts)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_NOMEM,
                      "transfers of %llu bytes between %u devices in host memory, of which no "
                      "more than %llu bytes are to be used; use --bytes with less",
                      (unsigned long long)bench->config.bytes, bench->devices,
                      (unsigned long long)room);
}

/* What a simulated device measures is the same every time: once is enough there. */
static void fill_in(struct bench *bench)
{
    weir_bench_config *config = &bench->config;
    if (!config->bytes)
        config->bytes = default_bytes(bench);
    config->bytes = (config->bytes + UNIT - 1) / UNIT * UNIT;
    if (config->warmups == WARMUPS_NONE)
        config->warmups = 0;
    else if (!config->warmups && !bench->simulated)
        config->warmups = WARMUPS;
    if (!config->trials)
        config->trials = bench->simulated ? 1 : TRIALS;
    if (!config->limit_ms)
        config->limit_ms = LIMIT_MS;
}

static weir_status check(const weir_bench_config *config)
{
    if (config->bytes > BYTES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "transfers of %llu bytes: at most %llu",
                          (unsigned long long)config->bytes, (unsigned long long)BYTES_MAX);
    if (config->trials > TRIALS_MAX ||
        (config->warmups > TRIALS_MAX && config->warmups != WARMUPS_NONE))
        return weir__fail(WEIR_ERR_INVALID, "%u trials after %u warm-ups: at most %u each",
                          config->trials, config->warmups, TRIALS_MAX);
    return WEIR_OK;
}

static int all_gpus(const weir_context *context)
{
    for (uint32_t i = 0; i < weir_context_device_count(context); i++)
        if (!weir__device_is_gpu(weir_context_device(context, i)))
            return 0;
    return 1;
}

weir_status weir__bench_open(struct bench *bench, weir_context *context,
                             const weir_bench_config *config)
{
    weir_status status;
    *bench = (struct bench){.config = WEIR_BENCH_CONFIG_INIT};
    if ((status =
             weir__sized_in(&bench->config, sizeof bench->config, config, "weir_bench_config")) ||
        (status = check(&bench->config)))
        return status;
    bench->context = context;
    bench->devices = weir_context_device_count(context);
    bench->gpus = all_gpus(context);
    bench->simulated = weir_context_simulated(context);
    fill_in(bench);
    if ((status = check_room(bench)) || (status = weir_machine_of(context, &bench->machine)))
        return status;
    weir__context_drop_when(context, bench->config.cancel);
    return WEIR_OK;
}

void weir__bench_close(struct bench *bench)
{
    if (!bench->context)
        return;
    weir__bench_settle(bench);
    weir__context_drop_when(bench->context, NULL);
    for (uint32_t i = 0; i <= bench->devices; i++) {
        weir_queue_destroy(bench->queue[i]);
        weir_device_free(weir__bench_device(bench, i), bench->wrong[i]);
    }
    weir_device_free(weir_context_home(bench->context), bench->answer);
}

weir_status weir__bench_cancelled(const struct bench *bench)
{
    if (bench->config.cancel && __atomic_load_n(bench->config.cancel, __ATOMIC_RELAXED))
        return weir__fail(WEIR_ERR_CANCELLED, "the benchmark was cancelled");
    return WEIR_OK;
}

weir_status weir__bench_judge(const struct bench *bench, weir_status status)
{
    weir_status cancelled = weir__bench_cancelled(bench);
    return cancelled ? cancelled : status;
}

weir_status weir__bench_run(const struct bench_list *among, weir_context *context, const char *name,
                            const weir_bench_config *config, weir_bench_table **table_out)
{
    size_t index = 0;
    struct bench bench;
    weir_status status = find(among, name, &index);
    *table_out = NULL;
    if (status)
        return status;
    if ((status = weir__bench_open(&bench, context, config)))
        return status;
    status = weir__calloc(1, sizeof *bench.table, "table of a benchmark", &bench.table);
    if (!status)
        strcpy(bench.table->name, among->infos[index].name);
    if (!status && !(status = weir__bench_cancelled(&bench)))
        status = weir__bench_judge(&bench, among->runs[index](&bench));
    weir__bench_close(&bench);
    if (status)
        weir_bench_table_destroy(bench.table);
    else
        *table_out = bench.table;
    return status;
}

void weir_bench_table_destroy(weir_bench_table *table)
{
    if (!table)
        return;
    free(table->rows);
    free(table);
}
