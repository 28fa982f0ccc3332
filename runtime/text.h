/** @file text.h  Texts that are printed into memory, and whether bytes are UTF-8. Not installed. */
#ifndef WEIR_RUNTIME_TEXT_H
#define WEIR_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** A text that is being printed. open_memstream() does the same, but does not tell of a text that could
 *  not grow: what was printed then is missing from it, or all of it is. */
typedef struct weir__text {
    FILE *file;
    char *bytes;
    size_t count, room;
    int failed; /**< some of it is missing */
} weir__text;

/** @return the stream to print to; NULL: no memory. */
FILE *weir__text_open(weir__text *text);
/** End it; fine after a failed open.
 *  @param[out] bytes_out  without the zero behind them; may be NULL.
 *  @return all that was printed, to be freed with free(); NULL: there was no memory for it. */
char *weir__text_close(weir__text *text, size_t *bytes_out);

/** Bytes of the character at @p at, of a text that ends with a zero; 0: it is no UTF-8. */
size_t weir__utf8_decode(const char *at, uint32_t *code_out);
/** Whether all of a text is UTF-8. */
int weir__utf8_is(const char *text);

#endif
