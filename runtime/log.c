/** @file log.c  Logging to stderr, off unless WEIR_LOG says error, info or debug.
 *
 * Read from the environment once, not from a config: failures before any config exists are worth a
 * line too. */
#include "runtime/internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int threshold; /* written once before any reader: pthread_once orders it */

static void read_level(void)
{
    static const char *const names[] = {"off", "error", "info", "debug"};
    const char *text = getenv("WEIR_LOG");
    for (int i = 0; text && i < 4; i++)
        if (strcmp(text, names[i]) == 0)
            threshold = i;
}

void weir__log(weir__log_level level, const char *format, ...)
{
    static const char *const names[] = {"", "error", "info", "debug"};
    pthread_once(&once, read_level);
    if ((int)level > threshold)
        return;
    char text[16384 + 64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* One call a line, so that lines of several threads do not mix. */
    fprintf(stderr, "weir %s: %s\n", names[level], text);
}
