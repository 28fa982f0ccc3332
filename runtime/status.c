/** @file status.c  Status texts and the sentence of the last failure, one per thread. */
#include "runtime/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Long enough for the dump of counters of 64 workers (worklist/host/run.c). */
#define DETAIL_BYTES 16384

static _Thread_local char detail[DETAIL_BYTES];

const char *weir_status_text(weir_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) \
    case name:                         \
        return text;
        WEIR_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

weir_status weir__timed_out(void)
{
    weir__fail_adopt("what was waited for did not come within the time limit");
    return WEIR_ERR_TIMEOUT;
}

const char *weir_error_detail(void)
{
    return detail;
}

weir_status weir__fail(weir_status status, const char *format, ...)
{
    /* Through a local buffer: an argument may be the old detail itself. */
    char text[DETAIL_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(detail, text, strlen(text) + 1);
    weir__log(WEIR__LOG_ERROR, "%s: %s", weir_status_text(status), detail);
    return status;
}

weir_status weir_error_set(weir_status status, const char *sentence)
{
    return weir__fail(status, "%s", sentence);
}

void weir__fail_adopt(const char *text)
{
    snprintf(detail, sizeof detail, "%s", text);
}
