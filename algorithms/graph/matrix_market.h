/** @file matrix_market.h  Words and lines of MatrixMarket files, for who reads graphs and for who reads matrices. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_MATRIX_MARKET_H
#define WEIR_ALGORITHMS_GRAPH_MATRIX_MARKET_H

#include "algorithms/graph/read.h"

#include <string.h>
#include <strings.h>

/** "1 1" and an end: no entry takes fewer bytes. */
#define WEIR__ENTRY_BYTES_MIN 4

/** Take a word of the banner, in lower or upper case, if it is one of the list; else -1. */
static inline int weir__banner_word(const char **at, const char *const *list)
{
    const char *begin = weir__skip(*at);
    size_t length = strcspn(begin, " \t");
    for (int i = 0; list[i]; i++) {
        if (strlen(list[i]) == length && strncasecmp(begin, list[i], length) == 0) {
            *at = begin + length;
            return i;
        }
    }
    *at = begin;
    return -1;
}

/** The next line that is neither empty nor a comment. */
static inline weir_status weir__matrix_line(weir__reader *reader, const char **line_out)
{
    weir_status status;
    while (!(status = weir__reader_line(reader, line_out))) {
        *line_out = weir__skip(*line_out);
        if (**line_out && **line_out != '%')
            break;
    }
    return status;
}

#endif
