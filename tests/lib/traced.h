/** @file traced.h  For tests: the trace of a context as a JSON document, and sums over its spans. */
#ifndef WEIR_TESTS_LIB_TRACED_H
#define WEIR_TESTS_LIB_TRACED_H

#include "runtime/runtime.h"

#include <stddef.h>

struct json_t;

/** The text of the last trace of the context, freed with free(); NULL: it could not be written. */
char *traced_text(weir_context *context, weir_trace_form form);
/** The trace as a document, freed with json_decref(). NULL: it could not be written, or is no JSON. */
struct json_t *traced(weir_context *context);
/** What is wrong with the events as a viewer sees them: a span without a length, one that lies over the border of another
 *  on its track, tracks without a name, counters below 0. @return a sentence in static storage; NULL: nothing is. */
const char *traced_flaw(const struct json_t *trace);
/** Milliseconds of all spans of a category with this name, on all tracks of process @p pid; pid 0: of all processes.
 *  @param[in] name  NULL: whatever their names are. @param[out] count_out  how many there are; may be NULL. */
double traced_ms(const struct json_t *trace, const char *category, const char *name, int pid,
                 size_t *count_out);
/** The sum of a number in the arguments of these spans. */
double traced_sum(const struct json_t *trace, const char *category, const char *name,
                  const char *argument);

#endif
