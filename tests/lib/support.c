/** @file support.c  Contexts, memory and patterns for tests. */
#include "tests/lib/support.h"

#include "runtime/internal.h"
#include "tests/lib/skip.h"
#include "tests/lib/strict.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a program that is stopped from outside, the log is to say in which test it was. */
__attribute__((constructor)) static void print_line_by_line(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void check_status(weir_status got, weir_status wanted, const char *call, const char *file, int line)
{
    if (got == wanted)
        return;
    print_error("%s: %s (%d) instead of %s (%d): %s\n", call, weir_status_text(got), (int)got,
                weir_status_text(wanted), (int)wanted, weir_error_detail());
    _fail(file, line);
}

void check_detail_has(const char *part, const char *file, int line)
{
    if (strstr(weir_error_detail(), part))
        return;
    print_error("'%s' is not in the sentence '%s'\n", part, weir_error_detail());
    _fail(file, line);
}

weir_context *open_any_with_or_skip(const char *spec, const char *const *settings)
{
    weir_config *config;
    weir_context *context;
    OK(weir_config_create(&config));
    for (; settings && *settings; settings++) {
        char name[64];
        const char *equals = strchr(*settings, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - *settings), *settings);
        OK(weir_config_set(config, name, equals + 1));
    }
    char host[64];
    int strict = strncmp(spec, "strict", strlen("strict")) == 0;
    snprintf(host, sizeof host, "host%s", strict ? spec + strlen("strict") : "");
    weir_status status = weir_context_create(strict ? host : spec, config, &context);
    weir_config_destroy(config);
    if (status == WEIR_ERR_NODEV)
        skip_without(spec);
    OK(status);
    if (strict)
        strict_devices(context);
    return context;
}

weir_context *open_with_or_skip(const char *spec, const char *const *settings)
{
    skip_if_left_out(spec);
    return open_any_with_or_skip(spec, settings);
}

weir_context *open_or_skip(void **state)
{
    return open_with_or_skip(*state, NULL);
}

uint32_t all_devices(const weir_context *context)
{
    return weir_context_device_count(context) + 1;
}

weir_device *any_device(const weir_context *context, uint32_t index)
{
    if (index == weir_context_device_count(context))
        return weir_context_home(context);
    return weir_context_device(context, index);
}

void assert_no_memory_is_left(const weir_context *context)
{
    for (uint32_t d = 0; d < all_devices(context); d++) {
        weir_pool_stats stats = WEIR_POOL_STATS_INIT;
        weir_device_pool_stats(any_device(context, d), &stats);
        assert_int_equal(stats.allocations, 0);
    }
}

weir_queue *new_queue(weir_device *device)
{
    weir_queue *queue;
    OK(weir_queue_create(device, 0, &queue));
    return queue;
}

void *new_memory(weir_device *device, size_t bytes)
{
    void *data;
    OK(weir_device_alloc(device, bytes, &data));
    return data;
}

weir_event *new_event(weir_device *device)
{
    weir_event *event;
    OK(weir_event_acquire(device, &event));
    return event;
}

weir_future *new_future(weir_context *context)
{
    weir_future *future;
    OK(weir_future_create(context, &future));
    return future;
}

/* Eight bytes of the pattern, the first one lowest. */
static uint64_t pattern_word(uint64_t seed, size_t word)
{
    uint64_t x = word + seed * 0x9E3779B97F4A7C15u;
    return next_random(&x);
}

unsigned char pattern_byte(uint64_t seed, size_t i)
{
    return (unsigned char)(pattern_word(seed, i >> 3) >> (8 * (i & 7)));
}

static void fill_pattern(unsigned char *host, size_t bytes, uint64_t seed)
{
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word = htole64(pattern_word(seed, i >> 3));
        memcpy(host + i, &word, 8);
    }
    for (; i < bytes; i++)
        host[i] = pattern_byte(seed, i);
}

size_t pattern_length(const unsigned char *host, size_t offset, size_t bytes, uint64_t seed)
{
    size_t i = 0;
    while (i < bytes) {
        uint64_t word, wanted;
        if ((offset + i) % 8 == 0 && i + 8 <= bytes) { /* whole words, eight times as fast */
            wanted = htole64(pattern_word(seed, (offset + i) >> 3));
            memcpy(&word, host + i, 8);
            if (word == wanted) {
                i += 8;
                continue;
            }
        }
        if (host[i] != pattern_byte(seed, offset + i))
            return i;
        i++;
    }
    return i;
}

void put_pattern(weir_device *device, void *data, size_t bytes, uint64_t seed)
{
    unsigned char *host = malloc(bytes + 1);
    assert_non_null(host);
    fill_pattern(host, bytes, seed);
    OK(weir__upload(device, data, host, bytes));
    free(host);
}

/* A host copy of device memory, to be freed. */
static unsigned char *fetch(weir_device *device, const void *data, size_t bytes)
{
    unsigned char *host = malloc(bytes + 1);
    assert_non_null(host);
    OK(weir__download(device, host, data, bytes));
    return host;
}

void assert_pattern(weir_device *device, const void *data, size_t bytes, uint64_t seed)
{
    unsigned char *host = fetch(device, data, bytes);
    const size_t i = pattern_length(host, 0, bytes, seed);
    free(host);
    if (i < bytes)
        fail_msg("byte %zu of %zu is not that of pattern %llu", i, bytes, (unsigned long long)seed);
}

void assert_filled(weir_device *device, const void *data, size_t bytes, unsigned char value)
{
    unsigned char *host = fetch(device, data, bytes);
    size_t i = 0;
    while (i < bytes && host[i] == value)
        i++;
    unsigned found = i < bytes ? host[i] : value;
    free(host);
    if (i < bytes)
        fail_msg("byte %zu of %zu is %u, not %u", i, bytes, found, value);
}

uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
