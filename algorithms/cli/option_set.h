/** @file option_set.h  How the text of an option becomes a value: functions for rows of the table of options. */
#ifndef WEIR_ALGORITHMS_CLI_OPTION_SET_H
#define WEIR_ALGORITHMS_CLI_OPTION_SET_H

#include "algorithms/cli/cli.h"

#include <stddef.h>

/** The type of a row's `set`. Setters of a kind of value (flag, text, number, ...) set the field of the row;
 *  setters of one option set the field of that option. @param[in] text  NULL for flags. @return EXIT_USAGE when
 *  the text is refused. */
typedef int weir__cli_setter(weir__cli_request *request, const weir__cli_option *option,
                             const char *text);
weir__cli_setter weir__cli_set_flag, weir__cli_set_text, weir__cli_set_number, weir__cli_set_source,
    weir__cli_set_seconds, weir__cli_set_bytes, weir__cli_set_factor, weir__cli_set_positive,
    weir__cli_set_fraction, weir__cli_set_choice, weir__cli_set_partition, weir__cli_set_direction,
    weir__cli_set_order, weir__cli_set_mapping, weir__cli_set_weights, weir__cli_set_real,
    weir__cli_set_grid, weir__cli_set_planned_partition, weir__cli_set_levels,
    weir__cli_set_unbuilt;

/* Rows of the table of options, and of the options of algorithms. */
#define FIELD(member) offsetof(weir__cli_request, member)

#define OPTION(option, value, who, setter, at, text, ...)                                          \
    {                                                                                              \
        .name = option, .argument = value, .verbs = who, .set = setter, .field = at, .help = text, \
        __VA_ARGS__                                                                                \
    }
#define FLAG(option, who, member, text) \
    OPTION(option, NULL, who, weir__cli_set_flag, FIELD(member), text, .letter = 0)
#define TEXT(option, value, who, member, text) \
    OPTION(option, value, who, weir__cli_set_text, FIELD(member), text, .letter = 0)
#define OUTPUT_FILE(who, text) \
    OPTION("output", "FILE", who, weir__cli_set_text, FIELD(output), text, .letter = 'o')
#define NUMBER(option, who, member, from, to, text) \
    OPTION(option, "N", who, weir__cli_set_number, FIELD(member), text, .low = from, .high = to)
#define CHOICE(option, value, who, member, list, text) \
    OPTION(option, value, who, weir__cli_set_choice, FIELD(member), text, .choices = &list)
#define DIRECTION(list, text) \
    OPTION("direction", "D", VERB_OWN, weir__cli_set_direction, 0, text, .choices = &list)

#endif
