/** @file options.c  Reads a command line against the table of options. */
#include "algorithms/cli/cli.h"

#include <string.h>

struct parser {
    const weir__cli_verb *verb;
    weir__cli_request *request;
    int count, next;
    char **arguments;
    int positionals;
};

/* ---- what was given ---- */

static int is_given(const weir__cli_request *request, size_t row)
{
    return (request->given[row / 64] >> row % 64 & 1) != 0;
}

int weir__cli_given(const weir__cli_request *request, const char *name)
{
    const weir__cli_option *options;
    size_t count = weir__cli_options(&options);
    for (size_t row = 0; row < count; row++)
        if (is_given(request, row) && strcmp(options[row].name, name) == 0)
            return 1;
    return 0;
}

const char *weir__cli_first_given(const weir__cli_request *request)
{
    const weir__cli_option *options;
    size_t count = weir__cli_options(&options);
    for (size_t row = 0; row < count; row++)
        if (is_given(request, row))
            return options[row].name;
    return NULL;
}

/* ---- suggestions ---- */

/* Names are close when at most one letter in CLOSE of the longer differs: a word that is mostly
 * another is no slip of the fingers. */
enum { NAME_MAX_LENGTH = 24, CLOSE = 3 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits between two words of bounded lengths, where two letters that changed places are one. */
static size_t distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t edits[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
    for (size_t i = 0; i <= length_a; i++)
        for (size_t j = 0; j <= length_b; j++) {
            if (!i || !j) {
                edits[i][j] = i + j;
                continue;
            }
            edits[i][j] = smaller(edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                  smaller(edits[i - 1][j], edits[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits[i][j] = smaller(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    return edits[length_a][length_b];
}

const char *weir__cli_closest(const char *text, const char *(*next)(void *user), void *user)
{
    const char *best = NULL, *name;
    size_t least = SIZE_MAX, length = strlen(text);
    while ((name = next(user))) {
        size_t other = strlen(name), longer = length > other ? length : other;
        if (longer > NAME_MAX_LENGTH)
            continue;
        size_t edits = distance(text, length, name, other);
        if (edits < least && edits * CLOSE <= longer) {
            least = edits;
            best = name;
        }
    }
    return best;
}

struct option_names {
    unsigned verb;
    size_t next;
};

static const char *next_option(void *user)
{
    struct option_names *names = user;
    const weir__cli_option *options;
    size_t count = weir__cli_options(&options);
    while (names->next < count) {
        const weir__cli_option *option = &options[names->next++];
        if ((option->verbs & names->verb) && option->help)
            return option->name;
    }
    return NULL;
}

/* ---- one option ---- */

/* The row for this name, best the one the verb takes. A short name has one character. */
static const weir__cli_option *find(const struct parser *parser, const char *name, size_t length,
                                    int is_short)
{
    const weir__cli_option *options, *other = NULL;
    size_t count = weir__cli_options(&options);
    for (size_t i = 0; i < count; i++) {
        int same = is_short ? options[i].letter && options[i].letter == *name
                            : strlen(options[i].name) == length &&
                                  memcmp(options[i].name, name, length) == 0;
        if (same && (options[i].verbs & parser->verb->bit))
            return &options[i];
        if (same)
            other = &options[i];
    }
    return other;
}

static int unknown(const struct parser *parser, const char *argument)
{
    struct option_names names = {parser->verb->bit, 0};
    char word[NAME_MAX_LENGTH + 2] = "";
    const char *name = argument + strspn(argument, "-");
    for (size_t i = 0; i + 1 < sizeof word && name[i] && name[i] != '='; i++)
        word[i] = name[i];
    const char *close = weir__cli_closest(word, next_option, &names);
    int shown = (int)strcspn(argument, "=");
    if (close)
        return weir__cli_fail(EXIT_USAGE, "%.*s: unknown option of %s; did you mean --%s?", shown,
                              argument, parser->verb->name, close);
    return weir__cli_fail(EXIT_USAGE, "%.*s: unknown option; see weir help %s", shown, argument,
                          parser->verb->name);
}

static int refuse_foreign(const struct parser *parser, const weir__cli_option *option)
{
    if (!option->verbs)
        return weir__cli_fail(EXIT_USAGE, "--%s: %s %s", option->name, parser->verb->name,
                              option->help);
    return weir__cli_fail(EXIT_USAGE, "--%s: %s has no such option; see weir help %s", option->name,
                          parser->verb->name, parser->verb->name);
}

static int refuse_repeat(struct parser *parser, const weir__cli_option *option)
{
    const weir__cli_option *options;
    (void)weir__cli_options(&options);
    size_t row = (size_t)(option - options);
    if (option->argument && is_given(parser->request, row))
        return weir__cli_fail(EXIT_USAGE, "--%s: given twice; give it once", option->name);
    parser->request->given[row / 64] |= UINT64_C(1) << row % 64;
    return EXIT_DONE;
}

/* The value behind the option: attached, or the next argument. NULL when there is none. */
static const char *value_of(struct parser *parser, const char *attached)
{
    if (attached)
        return attached;
    if (parser->next < parser->count && strncmp(parser->arguments[parser->next], "--", 2) != 0)
        return parser->arguments[parser->next++];
    return NULL;
}

static int take_option(struct parser *parser, const char *argument)
{
    int is_short = argument[1] != '-';
    const char *name = argument + (is_short ? 1 : 2);
    size_t length = is_short ? 1 : strcspn(name, "=");
    const char *attached =
        is_short ? (name[1] ? name + 1 : NULL) : (name[length] ? name + length + 1 : NULL);
    if (strcmp(argument, "-h") == 0)
        return take_option(parser, "--help");
    const weir__cli_option *option = find(parser, name, length, is_short);
    if (!option)
        return unknown(parser, argument);
    if (!(option->verbs & parser->verb->bit))
        return refuse_foreign(parser, option);
    if (refuse_repeat(parser, option))
        return EXIT_USAGE;
    if (!option->argument) {
        if (attached)
            return weir__cli_fail(EXIT_USAGE, "--%s: takes no value, so \"%s\" is too much",
                                  option->name, attached);
        return option->set(parser->request, option, NULL);
    }
    const char *text = value_of(parser, attached);
    if (!text)
        return weir__cli_fail(EXIT_USAGE, "--%s: its value %s is missing", option->name,
                              option->argument);
    return option->set(parser->request, option, text);
}

static int take_positional(struct parser *parser, const char *argument)
{
    if (parser->positionals++ >= parser->verb->positional)
        return weir__cli_fail(EXIT_USAGE, "%s: one argument too many; see weir help %s", argument,
                              parser->verb->name);
    parser->request->graph = argument;
    return EXIT_DONE;
}

int weir__cli_parse(const weir__cli_verb *verb, int count, char **arguments,
                    weir__cli_request *request)
{
    struct parser parser = {verb, request, count, 0, arguments, 0};
    int code = EXIT_DONE, options_end = 0;
    *request = (weir__cli_request){.trials = 1,
                                   .seed = 1,
                                   .partition = PARTITION_AUTO,
                                   .plan = -1,
                                   .warmups = UINT64_MAX,
                                   .elements = UINT64_C(1) << 26,
                                   .selectivity = 0.5,
                                   .tolerance = 1e-6,
                                   .damping = 0.85};
    while (!code && !request->help && parser.next < count) {
        const char *argument = arguments[parser.next++];
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = 1;
        else if (!options_end && argument[0] == '-' && argument[1])
            code = take_option(&parser, argument);
        else
            code = take_positional(&parser, argument);
    }
    return code;
}
