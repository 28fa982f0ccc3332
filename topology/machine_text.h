/** @file machine_text.h  A machine written out as a text of its own. Topology only. */
#ifndef WEIR_TOPOLOGY_MACHINE_TEXT_H
#define WEIR_TOPOLOGY_MACHINE_TEXT_H

#include "topology/machine.h"

#include <stdio.h>

/** What @p put prints, as a string. Its numbers have decimal points, whatever the locale is.
 *  @param[out] text_out  freed with free(). */
weir_status weir__machine_text(const weir_machine *machine,
                               void (*put)(FILE *out, const weir_machine *machine),
                               char **text_out);

#endif
