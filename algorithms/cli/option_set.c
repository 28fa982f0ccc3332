/** @file option_set.c  How the text of an option becomes a value. */
#include "algorithms/cli/option_set.h"
#include "algorithms/graph/read.h"

#include <math.h>
#include <string.h>

static void *field(weir__cli_request *request, const weir__cli_option *option)
{
    return (char *)request + option->field;
}

int weir__cli_set_flag(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    (void)text;
    *(int *)field(request, option) = 1;
    return EXIT_DONE;
}

int weir__cli_set_text(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    if (!*text)
        return weir__cli_fail(EXIT_USAGE, "--%s: %s is empty", option->name, option->argument);
    *(const char **)field(request, option) = text;
    return EXIT_DONE;
}

int weir__cli_set_number(weir__cli_request *request, const weir__cli_option *option,
                         const char *text)
{
    uint64_t value;
    if (weir__cli_number(text, &value) || value < option->low || value > option->high)
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a whole number from %llu to %llu",
                              option->name, text, (unsigned long long)option->low,
                              (unsigned long long)option->high);
    *(uint64_t *)field(request, option) = value;
    return EXIT_DONE;
}

int weir__cli_set_source(weir__cli_request *request, const weir__cli_option *option,
                         const char *text)
{
    if (weir__cli_number(text, &request->source))
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a vertex number", option->name,
                              text);
    return EXIT_DONE;
}

int weir__cli_set_seconds(weir__cli_request *request, const weir__cli_option *option,
                          const char *text)
{
    uint64_t ms;
    if (weir__cli_seconds(text, &ms) || ms < option->low || ms > option->high)
        return weir__cli_fail(EXIT_USAGE,
                              "--%s: \"%s\" is not a number of seconds above 0 and up to %llu",
                              option->name, text, (unsigned long long)(option->high / 1000));
    *(uint64_t *)field(request, option) = ms;
    return EXIT_DONE;
}

int weir__cli_set_bytes(weir__cli_request *request, const weir__cli_option *option,
                        const char *text)
{
    uint64_t bytes;
    if (weir__cli_bytes(text, &bytes) || bytes < option->low || bytes > option->high)
        return weir__cli_fail(
            EXIT_USAGE, "--%s: \"%s\" is not a number of bytes from %llu to %llu, say 64KiB",
            option->name, text, (unsigned long long)option->low, (unsigned long long)option->high);
    *(uint64_t *)field(request, option) = bytes;
    return EXIT_DONE;
}

/* A number such as 0.25 or 1e-3, without a sign, that a double can hold. @return 0 when it is one. */
static int parse_real(const char *text, double *value_out)
{
    const char *end = weir__parse_real(text, value_out);
    return !end || *end || !isfinite(*value_out) || *text == '-' || *text == '+';
}

int weir__cli_set_factor(weir__cli_request *request, const weir__cli_option *option,
                         const char *text)
{
    double value;
    if (parse_real(text, &value) || value < (double)option->low || value > (double)option->high)
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a number from %llu to %llu",
                              option->name, text, (unsigned long long)option->low,
                              (unsigned long long)option->high);
    *(double *)field(request, option) = value;
    return EXIT_DONE;
}

int weir__cli_set_real(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    double value;
    const char *end = weir__parse_real(text, &value);
    if (!end || *end || !isfinite(value))
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a number, say -0.5", option->name,
                              text);
    *(double *)field(request, option) = value;
    return EXIT_DONE;
}

/* Three numbers, Z,P,NS: the first two may be 0. Each is far below what a sum of doubles would lose. */
int weir__cli_set_levels(weir__cli_request *request, const weir__cli_option *option,
                         const char *text)
{
    double *const figure[] = {&request->level_us, &request->barrier_us, &request->arc_ns};
    const char *at = text;
    for (size_t i = 0; i < 3 && at; i++) {
        const char *end = *at == '-' || *at == '+' ? NULL : weir__parse_real(at, figure[i]);
        const int ends = end && *end == (i < 2 ? ',' : '\0') && *figure[i] <= 1e6;
        at = ends ? end + 1 : NULL;
    }
    if (!at || !(request->arc_ns >= 1e-6))
        return weir__cli_fail(EXIT_USAGE,
                              "--%s: \"%s\" is not Z,P,NS, three numbers up to 1e6 of which the "
                              "last is at least 1e-6, say 4,3,0.5",
                              option->name, text);
    return EXIT_DONE;
}

/* Rows alone, or a grid of devices. */
int weir__cli_set_grid(weir__cli_request *request, const weir__cli_option *option, const char *text)
{
    request->grid_rows = request->grid_columns = 0;
    if (strcmp(text, "rows") == 0)
        return EXIT_DONE;
    if (strncmp(text, "2d:", 3) != 0)
        return weir__cli_fail(EXIT_USAGE, "--%s %s: unknown; choose one of: rows, 2d:RxC",
                              option->name, text);
    if (weir_partition_2d_parse(text, &request->grid_rows, &request->grid_columns))
        return weir__cli_fail(EXIT_USAGE, "--%s", weir_error_detail());
    return EXIT_DONE;
}

int weir__cli_set_positive(weir__cli_request *request, const weir__cli_option *option,
                           const char *text)
{
    double value;
    if (parse_real(text, &value) || !(value > 0))
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a number above 0, say 1e-6",
                              option->name, text);
    *(double *)field(request, option) = value;
    return EXIT_DONE;
}

int weir__cli_set_fraction(weir__cli_request *request, const weir__cli_option *option,
                           const char *text)
{
    double value;
    if (parse_real(text, &value) || !(value >= 0 && value < 1))
        return weir__cli_fail(EXIT_USAGE, "--%s: \"%s\" is not a number from 0 to below 1",
                              option->name, text);
    *(double *)field(request, option) = value;
    return EXIT_DONE;
}

int weir__cli_set_choice(weir__cli_request *request, const weir__cli_option *option,
                         const char *text)
{
    return weir__cli_choose(option->choices, option->name, text, (int *)field(request, option));
}

int weir__cli_set_partition(weir__cli_request *request, const weir__cli_option *option,
                            const char *text)
{
    (void)option;
    return weir__cli_choose_partition(text, request);
}

/* Of traversals, or "rows" of products: which of them is planned may stand behind it. */
int weir__cli_set_planned_partition(weir__cli_request *request, const weir__cli_option *option,
                                    const char *text)
{
    (void)option;
    request->partition_rows = strcmp(text, "rows") == 0;
    return weir__cli_choose_partition(request->partition_rows ? "auto" : text, request);
}

int weir__cli_set_direction(weir__cli_request *request, const weir__cli_option *option,
                            const char *text)
{
    return weir__cli_choose_direction(option->choices, text, &request->direction);
}

int weir__cli_set_order(weir__cli_request *request, const weir__cli_option *option,
                        const char *text)
{
    (void)option;
    return weir__cli_choose_order(text, &request->order, &request->delta);
}

int weir__cli_set_mapping(weir__cli_request *request, const weir__cli_option *option,
                          const char *text)
{
    (void)option;
    return weir__cli_choose_mapping(text, &request->mapping, &request->group);
}

int weir__cli_set_weights(weir__cli_request *request, const weir__cli_option *option,
                          const char *text)
{
    if (weir_weights_parse(text, &request->weights))
        return weir__cli_fail(EXIT_USAGE, "--%s: %s", option->name, weir_error_detail());
    return EXIT_DONE;
}

/* For options that the design names for a verb, but that are not built yet. */
int weir__cli_set_unbuilt(weir__cli_request *request, const weir__cli_option *option,
                          const char *text)
{
    (void)request;
    (void)text;
    return weir__cli_fail(EXIT_USAGE, "--%s is not built yet; leave it out", option->name);
}
