/** @file devices.h  A command's devices, which begin on a thread of their own while the main thread opens the graph: a GPU takes some tenths of a
 * second to begin, and so do most files. */
#ifndef WEIR_ALGORITHMS_CLI_DEVICES_H
#define WEIR_ALGORITHMS_CLI_DEVICES_H

#include "algorithms/cli/cli.h"

typedef struct weir__cli_devices weir__cli_devices;

/** Have the devices of a spec begin. Those that have begun after a moment, or failed, as host devices have, are waited for.
 *  @param[out] devices_out  for weir__cli_devices_end(), which has to be called where this succeeds. @return as of weir_context_create(). */
weir_status weir__cli_devices_begin(const char *spec, weir__cli_devices **devices_out);
/** Have the graph of a request opened with them: with their context, or by asking for it when the arcs are there. They are waited for before one that is
 *  generated, which may be theirs to do, so that the time of its opening is its own; and before any, if stages have a limit of time. */
void weir__cli_devices_give(weir__cli_devices *devices, const weir__cli_request *request,
                            weir_graph_options *options);
/** Wait for them. If they fail, an opening that is under way ends, and theirs is the failure to tell, since it came first.
 *  @param[in] status  of what was done meanwhile. @param[out] context_out  whatever @p status is; NULL where the devices failed.
 *  @param[out] begun_out  NULL: nobody wants to know.
 *  @return their failure, or @p status, with its sentence. */
weir_status weir__cli_devices_end(weir__cli_devices *devices, weir_status status,
                                  weir_context **context_out, weir__cli_begun *begun_out);

#endif
