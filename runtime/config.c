/** @file config.c  Tunables: one table, read from defaults, the environment, and calls. */
#include "runtime/config.h"
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

enum type { BYTES, COUNT, MILLISECONDS, CHOICE, PATH };

#define TYPE_TEXT_BYTES        "bytes"
#define TYPE_TEXT_COUNT        "count"
#define TYPE_TEXT_MILLISECONDS "milliseconds"
#define TYPE_TEXT_CHOICE       "choice"
#define TYPE_TEXT_PATH         "path"

#define ENTRY(id, key, variable, kind, initial, low, high, choices, line) \
    [id] = {.name = key,                                                  \
            .environment = variable,                                      \
            .type = TYPE_TEXT_##kind,                                     \
            .default_text = initial,                                      \
            .help = line},
static const weir_config_entry entries[] = {WEIR__CONFIG_MAP(ENTRY)};

struct rule {
    enum type type;
    uint64_t low, high;
    const char *choices; /* separated by blanks; the value is the position */
};
#define RULE(id, name, env, type, initial, low, high, choices, help) \
    [id] = {type, low, high, choices},
static const struct rule rules[] = {WEIR__CONFIG_MAP(RULE)};

struct weir_config {
    uint64_t number[WEIR__CONFIG_COUNT];
    char *text[WEIR__CONFIG_COUNT]; /* of paths and choices, else NULL */
};

size_t weir_config_entries(const weir_config_entry **entries_out)
{
    if (entries_out)
        *entries_out = entries;
    return WEIR__CONFIG_COUNT;
}

static int find(const char *name)
{
    for (int i = 0; name && i < WEIR__CONFIG_COUNT; i++)
        if (strcmp(entries[i].name, name) == 0)
            return i;
    return -1;
}

/* Position of a word in a list separated by blanks, or -1. */
static int position(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; length && *list; i++) {
        size_t here = strcspn(list, " ");
        if (here == length && memcmp(list, word, length) == 0)
            return i;
        list += here + (list[here] == ' ');
    }
    return -1;
}

static weir_status parse(const struct rule *rule, const char *text, uint64_t *number_out)
{
    int choice;
    switch (rule->type) {
    case BYTES:
        return weir__parse_bytes(text, number_out);
    case COUNT:
        return weir__parse_u64(text, number_out);
    case MILLISECONDS:
        return weir__parse_ms(text, number_out);
    case CHOICE:
        choice = position(rule->choices, text);
        *number_out = (uint64_t)choice;
        return choice < 0 ? WEIR_ERR_INVALID : WEIR_OK;
    case PATH:
        *number_out = 0;
        return WEIR_OK;
    }
    return WEIR_ERR_INVALID;
}

/* `shown` is the name the user knows the tunable by: its own, or the environment variable's. */
static weir_status assign(weir_config *config, int id, const char *shown, const char *text)
{
    const struct rule *rule = &rules[id];
    uint64_t number = 0;
    if (parse(rule, text, &number) || number < rule->low || number > rule->high) {
        if (rule->type == CHOICE)
            return weir__fail(WEIR_ERR_INVALID, "%s=%s: choose one of: %s", shown, text,
                              rule->choices);
        return weir__fail(WEIR_ERR_INVALID, "%s=%s: not a number%s%s from %llu to %llu", shown,
                          text, rule->type == COUNT ? "" : " of ",
                          rule->type == COUNT ? "" : entries[id].type,
                          (unsigned long long)rule->low, (unsigned long long)rule->high);
    }
    if (rule->type == CHOICE || rule->type == PATH) {
        char *copy = strdup(text);
        if (!copy)
            return weir__fail(WEIR_ERR_NOMEM, "configuration: no memory for %s", shown);
        free(config->text[id]);
        config->text[id] = copy;
    }
    config->number[id] = number;
    return WEIR_OK;
}

weir_status weir_config_create(weir_config **config_out)
{
    weir_config *config;
    weir_status status;
    *config_out = NULL;
    if ((status = weir__calloc(1, sizeof *config, "configuration", &config)))
        return status;
    for (int i = 0; i < WEIR__CONFIG_COUNT && !status; i++)
        status = assign(config, i, entries[i].name, entries[i].default_text);
    for (int i = 0; i < WEIR__CONFIG_COUNT && !status; i++) {
        const char *text = getenv(entries[i].environment);
        if (text && *text)
            status = assign(config, i, entries[i].environment, text);
    }
    if (status) {
        weir_config_destroy(config);
        return status;
    }
    *config_out = config;
    return WEIR_OK;
}

void weir_config_destroy(weir_config *config)
{
    if (!config)
        return;
    for (int i = 0; i < WEIR__CONFIG_COUNT; i++)
        free(config->text[i]);
    free(config);
}

weir_status weir_config_set(weir_config *config, const char *name, const char *value)
{
    int id = find(name);
    if (!config || !value)
        return weir__fail(WEIR_ERR_INVALID, "weir_config_set: no config or no value");
    if (id < 0)
        return weir__fail(WEIR_ERR_INVALID, "%s: no such tunable", name ? name : "(null)");
    return assign(config, id, name, value);
}

weir_status weir_config_number(const weir_config *config, const char *name, uint64_t *value_out)
{
    int id = find(name);
    *value_out = 0;
    if (!config || id < 0 || rules[id].type == PATH)
        return weir__fail(WEIR_ERR_INVALID, "%s: no such numeric tunable", name ? name : "(null)");
    *value_out = config->number[id];
    return WEIR_OK;
}

weir_status weir_config_string(const weir_config *config, const char *name, const char **text_out)
{
    int id = find(name);
    *text_out = NULL;
    if (!config || id < 0 || !config->text[id])
        return weir__fail(WEIR_ERR_INVALID, "%s: no such tunable with a text",
                          name ? name : "(null)");
    *text_out = config->text[id];
    return WEIR_OK;
}

uint64_t weir__config_get(const weir_config *config, enum weir__config_id id)
{
    return config->number[id];
}

const char *weir__config_text(const weir_config *config, enum weir__config_id id)
{
    return config->text[id];
}

weir_status weir__config_copy(const weir_config *config, weir_config **copy_out)
{
    weir_status status = weir_config_create(copy_out);
    for (int i = 0; config && !status && i < WEIR__CONFIG_COUNT; i++) {
        (*copy_out)->number[i] = config->number[i];
        if (!config->text[i])
            continue;
        char *text = strdup(config->text[i]);
        if (!text) {
            status = weir__fail(WEIR_ERR_NOMEM, "configuration: no memory for a copy");
            break;
        }
        free((*copy_out)->text[i]);
        (*copy_out)->text[i] = text;
    }
    if (status) {
        weir_config_destroy(*copy_out);
        *copy_out = NULL;
    }
    return status;
}
