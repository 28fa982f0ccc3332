/** @file steps_table.h  Supersteps: the table of a program, looked through before anything is allocated. Included in
 * worklist/ only. */
#ifndef WEIR_WORKLIST_HOST_STEPS_TABLE_H
#define WEIR_WORKLIST_HOST_STEPS_TABLE_H

#include "worklist/steps.h"

/** The array of that name; NULL if there is none, or if @p name is NULL. */
const weir_steps_array *weir__steps_array_named(const weir_steps_program *program,
                                                const char *name);
/** @retval WEIR_ERR_INVALID  with a sentence that names the first thing that cannot be. */
weir_status weir__steps_check(const weir_steps_program *program, const weir_steps_domain *domain);

#endif
