/** @file config.c  Tunables: one table, read from defaults, the environment, and calls. */
#include "runtime/config.h"
#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum type { BYTES, COUNT, MILLISECONDS, CHOICE, WORD, PATH };

#define TYPE_TEXT_BYTES        "bytes"
#define TYPE_TEXT_COUNT        "count"
#define TYPE_TEXT_MILLISECONDS "milliseconds"
#define TYPE_TEXT_CHOICE       "choice"
#define TYPE_TEXT_WORD         "word"
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
    char *text[WEIR__CONFIG_COUNT]; /* of paths, words and choices, else NULL */
};

size_t weir_config_entries(const weir_config_entry **entries_out)
{
    if (entries_out)
        *entries_out = entries;
    return WEIR__CONFIG_COUNT;
}

static int find(const char *name)
{
    for (int i = 0; i < WEIR__CONFIG_COUNT; i++)
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
    case WORD:
    case PATH:
        *number_out = 0;
        return WEIR_OK;
    }
    return WEIR_ERR_INVALID;
}

/* A default below the range stands for what is found out. */
static int is_default(int id, uint64_t number)
{
    uint64_t usual;
    return !parse(&rules[id], entries[id].default_text, &usual) && usual == number;
}

/* `shown` is the name the user knows the tunable by: its own, or the environment variable's. */
static weir_status assign(weir_config *config, int id, const char *shown, const char *text)
{
    const struct rule *rule = &rules[id];
    uint64_t number = 0;
    if (parse(rule, text, &number) ||
        ((number < rule->low || number > rule->high) && !is_default(id, number))) {
        if (rule->type == CHOICE)
            return weir__fail(WEIR_ERR_INVALID, "%s=%s: choose one of: %s", shown, text,
                              rule->choices);
        return weir__fail(WEIR_ERR_INVALID, "%s=%s: not a number%s%s from %llu to %llu%s", shown,
                          text, rule->type == COUNT ? "" : " of ",
                          rule->type == COUNT ? "" : entries[id].type,
                          (unsigned long long)rule->low, (unsigned long long)rule->high,
                          rule->low && is_default(id, 0) ? ", or 0" : "");
    }
    if (rule->type == CHOICE || rule->type == WORD || rule->type == PATH) {
        char *copy = strdup(text);
        if (!copy)
            return weir__fail(WEIR_ERR_NOMEM, "configuration: no memory for %s", shown);
        free(config->text[id]);
        config->text[id] = copy;
    }
    config->number[id] = number;
    return WEIR_OK;
}

/* ---- the environment ---------------------------------------------------------------------------- */

#define NAME_MAX_BYTES 64 /* of a variable that is compared with the known ones */

/* Changes of one letter that make one word of the other: put in, taken out, or another (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_BYTES + 1], length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = corner + (a[i] != b[j]);
            corner = row[j + 1];
            if (best > corner + 1)
                best = corner + 1;
            row[j + 1] = best < row[j] + 1 ? best : row[j] + 1;
        }
    }
    return row[length];
}

static const char *nearest(const char *name)
{
    size_t best = 0, least = SIZE_MAX;
    for (size_t i = 0; i < WEIR__CONFIG_COUNT; i++) {
        size_t now = distance(name, entries[i].environment);
        if (now < least) {
            least = now;
            best = i;
        }
    }
    return entries[best].environment;
}

/* Variables of others: of the project's own tests and scripts, and of build tools that look for an installation. One of
 * these words right after WEIR_, alone or with more behind a `_`. */
static int is_others(const char *name)
{
    static const char *const words[] = {"TEST", "CHECK", "DATA", "FAULTS", "GOLDEN", "REQUIRE",
                                        "SOAK", "SWEEP", "ROOT", "DIR",    "HOME"};
    name += strlen("WEIR_");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0 && (name[length] == '\0' || name[length] == '_'))
            return 1;
    }
    return 0;
}

static int is_tunable(const char *name)
{
    int is = 0;
    for (size_t i = 0; i < WEIR__CONFIG_COUNT && !is; i++)
        is = strcmp(entries[i].environment, name) == 0;
    return is;
}

/* A misspelt variable would do nothing, and nobody would know. One without a value is as if it were not there. */
static weir_status check_variable(const char *variable)
{
    const char *value = strchr(variable, '=');
    char name[NAME_MAX_BYTES];
    if (strncmp(variable, "WEIR_", 5) != 0 || !value || !value[1])
        return WEIR_OK;
    snprintf(name, sizeof name, "%.*s", (int)(value - variable), variable);
    if (is_tunable(name) || is_others(name))
        return WEIR_OK;
    return weir__fail(
        WEIR_ERR_INVALID,
        "%s: there is no such variable; the nearest is %s (weir info --config lists all)", name,
        nearest(name));
}

static weir_status check_environment(void)
{
    weir_status status = WEIR_OK;
    for (char **at = environ; at && *at && !status; at++)
        status = check_variable(*at);
    return status;
}

static weir_status read_environment(weir_config *config)
{
    weir_status status = check_environment();
    for (int i = 0; i < WEIR__CONFIG_COUNT && !status; i++) {
        const char *text = getenv(entries[i].environment);
        if (text && *text)
            status = assign(config, i, entries[i].environment, text);
    }
    return status;
}

/* ---- making, setting, asking -------------------------------------------------------------------- */

weir_status weir_config_create(weir_config **config_out)
{
    weir_config *config;
    weir_status status;
    if (!config_out)
        return weir__missing("weir_config_create", "config_out");
    *config_out = NULL;
    if ((status = weir__calloc(1, sizeof *config, "configuration", &config)))
        return status;
    for (int i = 0; i < WEIR__CONFIG_COUNT && !status; i++)
        status = assign(config, i, entries[i].name, entries[i].default_text);
    if (!status)
        status = read_environment(config);
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
    if (!config || !name || !value)
        return weir__missing("weir_config_set", !config ? "config" : !name ? "name" : "value");
    int id = find(name);
    if (id < 0)
        return weir__fail(WEIR_ERR_INVALID, "%s: no such tunable", name);
    return assign(config, id, name, value);
}

weir_status weir_config_number(const weir_config *config, const char *name, uint64_t *value_out)
{
    if (!config || !name || !value_out)
        return weir__missing("weir_config_number", !config ? "config"
                                                   : !name ? "name"
                                                           : "value_out");
    int id = find(name);
    *value_out = 0;
    if (id < 0 || rules[id].type == WORD || rules[id].type == PATH)
        return weir__fail(WEIR_ERR_INVALID, "%s: no such numeric tunable", name);
    *value_out = config->number[id];
    return WEIR_OK;
}

weir_status weir_config_string(const weir_config *config, const char *name, const char **text_out)
{
    if (!config || !name || !text_out)
        return weir__missing("weir_config_string", !config ? "config"
                                                   : !name ? "name"
                                                           : "text_out");
    int id = find(name);
    *text_out = NULL;
    if (id < 0 || !config->text[id])
        return weir__fail(WEIR_ERR_INVALID, "%s: no such tunable with a text", name);
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
