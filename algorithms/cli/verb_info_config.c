/** @file verb_info_config.c  weir info --config: the tunables and what they are set to. */
#include "algorithms/cli/cli.h"
#include "router/router.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* Write the value in force; numbers are in the base unit of their type. */
static const char *value_text(const weir_config *config, const weir_config_entry *entry, char *room,
                              size_t size)
{
    const char *text = "";
    uint64_t number = 0;
    if (!weir_config_string(config, entry->name, &text))
        return text;
    (void)weir_config_number(config, entry->name, &number);
    snprintf(room, size, "%" PRIu64 "%s", number,
             strcmp(entry->type, "bytes") == 0          ? " bytes"
             : strcmp(entry->type, "milliseconds") == 0 ? " ms"
                                                        : "");
    return room;
}

static void print_text(const weir_config *config)
{
    const weir_config_entry *entries;
    size_t count = weir_config_entries(&entries);
    char room[48];
    printf("%-14s %-20s %-13s %-20s %-9s %s\n", "name", "environment", "type", "value", "default",
           "what it is");
    for (size_t i = 0; i < count; i++) {
        const char *value = value_text(config, &entries[i], room, sizeof room);
        printf("%-14s %-20s %-13s %-20s %-9s %s\n", entries[i].name, entries[i].environment,
               entries[i].type, *value ? value : "-",
               *entries[i].default_text ? entries[i].default_text : "-", entries[i].help);
    }
}

/* The words of the one tunable whose choices are not in its line of help. */
static void print_transports(void)
{
    printf("\ntransport takes one of:\n");
    for (int i = 0; i < WEIR_TRANSPORT_COUNT; i++)
        printf("  %-12s %s\n", weir_transport_name((weir_transport)i),
               weir_transport_help((weir_transport)i));
}

static json_t *document(const weir_config *config)
{
    const weir_config_entry *entries;
    size_t count = weir_config_entries(&entries);
    json_t *rows = json_array();
    char room[48];
    for (size_t i = 0; i < count; i++) {
        json_t *row =
            json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "name", entries[i].name, "environment",
                      entries[i].environment, "type", entries[i].type, "value",
                      weir__cli_json_text(value_text(config, &entries[i], room, sizeof room)),
                      "default", entries[i].default_text, "help", entries[i].help);
        if (json_array_append_new(rows, row)) {
            json_decref(rows);
            return NULL;
        }
    }
    return json_pack("{s:i, s:s, s:o}", "schema", 1, "command", "info", "config", rows);
}

int weir__cli_info_config(const weir__cli_request *request)
{
    weir__cli_output output = {0};
    weir_config *config = NULL;
    int code = EXIT_DONE;
    if (request->graph)
        return weir__cli_fail(EXIT_USAGE, "--config and GRAPH: give only one of them");
    if (request->json)
        code = weir__cli_output_open(&output, "json", request->json, request);
    if (code)
        goto drop;
    weir_status status = weir_config_create(&config);
    if (status) {
        code = weir__cli_fail_status(status);
        goto drop;
    }
    if (output.file)
        code = weir__cli_json_write(document(config), &output, 17);
    if (!code && !weir__cli_output_is_stdout(&output)) {
        print_text(config);
        print_transports();
    }
    if (!code)
        code = weir__cli_output_commit(&output, 1);
    weir_config_destroy(config);
drop:
    weir__cli_output_drop(&output);
    return code;
}
