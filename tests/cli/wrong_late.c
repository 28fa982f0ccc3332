/** @file wrong_late.c  The command with devices that take long to begin, as GPUs do: with WEIR_TEST_LATE_MS=N, N milliseconds.
 *
 * Linked as wrong_levels.c is, by --wrap=weir_context_create. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <unistd.h>

weir_status __real_weir_context_create(const char *spec, const weir_config *config,
                                       weir_context **context_out);
weir_status __wrap_weir_context_create(const char *spec, const weir_config *config,
                                       weir_context **context_out);

weir_status __wrap_weir_context_create(const char *spec, const weir_config *config,
                                       weir_context **context_out)
{
    const char *late = getenv("WEIR_TEST_LATE_MS");
    if (late)
        usleep((useconds_t)strtoul(late, NULL, 10) * 1000);
    return __real_weir_context_create(spec, config, context_out);
}
