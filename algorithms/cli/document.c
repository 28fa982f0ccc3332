/** @file document.c  What all JSON documents share: numbers, texts, devices, and how they are written. */
#include "algorithms/cli/cli.h"

#include "runtime/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_malloc_t usual_malloc; /* It is set before there is a second thread. */

static void *demand(size_t bytes)
{
    void *data = usual_malloc(bytes);
    if (data)
        return data;
    weir__replace_remove_all();
    _exit(weir__cli_fail(EXIT_RUN, "no memory for a JSON document"));
}

void weir__cli_json_start(void)
{
    json_free_t usual_free;
    json_get_alloc_funcs(&usual_malloc, &usual_free);
    json_set_alloc_funcs(demand, usual_free);
}

struct json_t *weir__cli_json_integer(uint64_t value)
{
    /* jansson's integers are signed and have 64 bits. No count comes near that bound, but a seed may. */
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

struct json_t *weir__cli_json_text(const char *text)
{
    if (!text || weir__utf8_is(text))
        return json_string(text);
    char *copy = strdup(text);
    for (char *c = copy; copy && *c; c++)
        if ((unsigned char)*c >= 128)
            *c = '?';
    json_t *string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

struct json_t *weir__cli_json_devices(const weir_context *context)
{
    json_t *devices = json_array();
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_pool_stats pool = WEIR_POOL_STATS_INIT;
        weir_device_info_get(weir_context_device(context, i), &info);
        weir_device_pool_stats(weir_context_device(context, i), &pool);
        json_t *device = json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "label", info.label, "name", info.name,
            "kind", info.kind == WEIR_DEVICE_CUDA ? "cuda" : "host", "units",
            weir__cli_json_integer(info.units), "workers", weir__cli_json_integer(info.workers),
            "lanes", weir__cli_json_integer(info.lanes), "memory_bytes",
            weir__cli_json_integer(info.memory_bytes), "pool_bytes",
            weir__cli_json_integer(pool.bound_bytes));
        if (json_array_append_new(devices, device)) {
            json_decref(devices);
            return NULL;
        }
    }
    return devices;
}

int weir__cli_json_write(struct json_t *document, weir__cli_output *output, int digits)
{
    if (!document)
        return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
    char *text =
        json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | JSON_ENSURE_ASCII);
    json_decref(document);
    size_t bytes = text ? strlen(text) : 0;
    if (!text)
        return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
    text[bytes] = '\n'; /* it replaces the zero, so that the document ends with a line end */
    int code = weir__cli_output_text(output, text, bytes + 1);
    free(text);
    return code;
}
