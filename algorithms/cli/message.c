/** @file message.c  What the command says on stderr, and the exit status that goes with it. */
#include "algorithms/cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>

int weir__cli_exit_of(weir_status status)
{
    switch (status) {
    case WEIR_OK:
    case WEIR_PENDING:
    case WEIR_CLOSED:
        return EXIT_DONE;
    case WEIR_ERR_INVALID:
    case WEIR_ERR_UNSUPPORTED:
    case WEIR_ERR_IO:
    case WEIR_ERR_FORMAT:
        return EXIT_USAGE;
    case WEIR_ERR_NOMEM:
    case WEIR_FULL:
    case WEIR_ERR_NODEV:
    case WEIR_ERR_DEVICE:
    case WEIR_ERR_TIMEOUT:
    case WEIR_ERR_CANCELLED:
    case WEIR_ERR_VERIFY:
    case WEIR_ERR_CHILD:
    case WEIR_ERR_PROCESS:
        break;
    }
    return EXIT_RUN;
}

int weir__cli_fail(int code, const char *format, ...)
{
    char *sentence = NULL;
    va_list arguments;
    weir__cli_progress(NULL);
    va_start(arguments, format);
    int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0) {
        fputs("weir: out of memory\n", stderr);
        return EXIT_RUN;
    }
    weir__cli_clean(sentence); /* a file name may hold a line end, but a message is one line */
    fprintf(stderr, "weir: %s\n", sentence);
    free(sentence);
    return code;
}

int weir__cli_fail_status(weir_status status)
{
    const char *detail = weir_error_detail();
    const int code = status == WEIR_ERR_CANCELLED ? weir__cli_signals_told() : EXIT_DONE;
    if (code)
        return code;
    return weir__cli_fail(weir__cli_exit_of(status), "%s",
                          *detail ? detail : weir_status_text(status));
}
