/** @file option_set.h  How the text of an option becomes a value: functions for rows of the table of options. */
#ifndef WEIR_ALGORITHMS_CLI_OPTION_SET_H
#define WEIR_ALGORITHMS_CLI_OPTION_SET_H

#include "algorithms/cli/cli.h"

/** Of a row's `set`: those of one kind of value set the field of the row, the others their own.
 *  @param[in] text  NULL for flags. @return EXIT_USAGE when the text is refused. */
typedef int weir__cli_setter(weir__cli_request *request, const weir__cli_option *option,
                             const char *text);
weir__cli_setter weir__cli_set_flag, weir__cli_set_text, weir__cli_set_number, weir__cli_set_source,
    weir__cli_set_seconds, weir__cli_set_bytes, weir__cli_set_factor, weir__cli_set_tolerance,
    weir__cli_set_damping, weir__cli_set_choice, weir__cli_set_direction, weir__cli_set_order,
    weir__cli_set_mapping, weir__cli_set_weights, weir__cli_set_unbuilt;

#endif
