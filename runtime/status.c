/** @file status.c  Status texts and the sentence of the last failure, one per thread. */
#include "runtime/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Long enough for the dump of counters of 64 workers (worklist/host/run.c). */
#define DETAIL_BYTES 16384

static _Thread_local char detail[DETAIL_BYTES];
static _Thread_local weir_status detail_status; /* the failure that `detail` tells of */
static _Thread_local uint64_t sentences;        /* that this thread was given */

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

int weir__status_ends(weir_status status)
{
    switch (status) {
#define STATUS_IS(name, value, text) case name:
        WEIR_STATUS_MAP(STATUS_IS)
#undef STATUS_IS
        return status < 0 && status != WEIR_ERR_TIMEOUT;
    }
    return 0;
}

weir_status weir__timed_out(void)
{
    weir__fail_adopt(WEIR_ERR_TIMEOUT, "what was waited for did not come within the time limit");
    return WEIR_ERR_TIMEOUT;
}

weir_status weir__missing(const char *call, const char *name)
{
    return weir__fail(WEIR_ERR_INVALID, "%s: %s is NULL", call, name);
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
    weir__fail_adopt(status, text);
    weir__log(WEIR__LOG_ERROR, "%s: %s", weir_status_text(status), detail);
    return status;
}

weir_status weir_error_set(weir_status status, const char *sentence)
{
    return weir__fail(status, "%s", sentence ? sentence : weir_status_text(status));
}

void weir__fail_adopt(weir_status status, const char *text)
{
    if (text != detail)
        snprintf(detail, sizeof detail, "%s", text);
    detail_status = status;
    sentences++;
}

const char *weir__fail_cause(weir_status status)
{
    return *detail && detail_status == status ? detail : NULL;
}

uint64_t weir__fail_count(void)
{
    return sentences;
}

struct weir__sentence weir__fail_keep(void)
{
    return (struct weir__sentence){detail_status, *detail ? strdup(detail) : NULL};
}

void weir__fail_restore(struct weir__sentence *kept)
{
    weir__fail_adopt(kept->status, kept->text ? kept->text : "");
    free(kept->text);
    kept->text = NULL;
}
