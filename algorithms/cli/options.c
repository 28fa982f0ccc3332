/** @file options.c  Reads a command line against the table of options. */
#include "algorithms/cli/algorithm.h"

#include <string.h>

struct parser {
    const weir__cli_verb *verb;
    weir__cli_request *request;
    const weir__cli_option *options[OPTIONS_MAX];
    size_t option_count;
    int count, next;
    char **arguments;
    int positionals;
};

/* ---- what was given ---- */

int weir__cli_given(const weir__cli_request *request, const char *name)
{
    const weir__cli_option *options[OPTIONS_MAX];
    size_t count = weir__cli_options(request->verb, options);
    for (size_t i = 0; i < count; i++)
        if ((request->given >> i & 1) && strcmp(options[i]->name, name) == 0)
            return 1;
    return 0;
}

const char *weir__cli_first_given(const weir__cli_request *request)
{
    const weir__cli_option *options[OPTIONS_MAX];
    size_t count = weir__cli_options(request->verb, options);
    for (size_t i = 0; i < count; i++)
        if (request->given >> i & 1)
            return options[i]->name;
    return NULL;
}

/* ---- suggestions ---- */

/* Names are close when at most one letter in CLOSE of the longer one differs. A word that differs more is not a
 * typing mistake. */
enum { NAME_MAX_LENGTH = 24, CLOSE = 3 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Count the edits between two words of bounded lengths. Two neighbouring letters that changed places are one edit. */
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
    const struct parser *parser;
    size_t next;
};

static const char *next_option(void *user)
{
    struct option_names *names = user;
    while (names->next < names->parser->option_count) {
        const weir__cli_option *option = names->parser->options[names->next++];
        if (option->help)
            return option->name;
    }
    return NULL;
}

/* ---- one option ---- */

static int unknown(const struct parser *parser, const char *argument)
{
    struct option_names names = {parser, 0};
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
    const char *verb = parser->verb->name;
    if (option->foreign)
        return weir__cli_fail(EXIT_USAGE, "--%s: %s %s", option->name, verb, option->foreign);
    return weir__cli_fail(EXIT_USAGE, "--%s: %s has no such option; see weir help %s", option->name,
                          verb, verb);
}

static int refuse_repeat(struct parser *parser, const weir__cli_option *option)
{
    uint64_t bit = 1;
    for (size_t i = 0; parser->options[i] != option; i++)
        bit <<= 1;
    if (option->argument && (parser->request->given & bit))
        return weir__cli_fail(EXIT_USAGE, "--%s: given twice; give it once", option->name);
    parser->request->given |= bit;
    return EXIT_DONE;
}

/* Find the value of an option: the attached text or else the next argument. NULL: there is none. */
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
    const weir__cli_option *option =
        weir__cli_option_named(parser->options, parser->option_count, name, length, is_short);
    if (!option) {
        option = weir__cli_option_elsewhere(name, length, is_short);
        return option ? refuse_foreign(parser, option) : unknown(parser, argument);
    }
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
    if (parser->positionals == 1)
        parser->request->graph = argument;
    else if (parser->verb->bit == VERB_PLAN)
        parser->request->only = argument;
    else
        parser->request->output = argument;
    return EXIT_DONE;
}

int weir__cli_parse(const weir__cli_verb *verb, int count, char **arguments,
                    weir__cli_request *request)
{
    struct parser parser = {
        .verb = verb, .request = request, .count = count, .arguments = arguments};
    int code = EXIT_DONE, options_end = 0;
    parser.option_count = weir__cli_options(verb, parser.options);
    *request = (weir__cli_request){.verb = verb,
                                   .trials = 1,
                                   .seed = 1,
                                   .partition = PARTITION_AUTO,
                                   .balance = WEIR_BALANCE_AUTO,
                                   .plan = -1,
                                   .warmups = UINT64_MAX,
                                   .elements = UINT64_C(1) << 26,
                                   .edge_factor = 16,
                                   .columns = verb->bit == VERB_SPMM ? SPMM_COLUMNS : 1,
                                   .alpha = 1,
                                   .selectivity = 0.5};
    if (verb->algorithm)
        memcpy(request->own, verb->algorithm->own, sizeof request->own);
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
