/** @file format.h  The formats of graph files: how each is told, read and written. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_FORMAT_H
#define WEIR_ALGORITHMS_GRAPH_FORMAT_H

#include "algorithms/graph/load.h"
#include "algorithms/graph/pack.h"

/** A format. Adding one is a line of the table in format.c. */
typedef struct weir__format {
    const char *name; /**< as weir_graph.format has it */
    const char
        *prefix; /**< in front of a path, for files that are not what they look like: "metis:" */
    int text;    /**< a byte order mark may stand before it */
    /** Whether a file that begins so is one; NULL: nothing tells. The first one of the table that says yes is it.
     *  @param[in] size  of the file, at least @p have; UINT64_MAX: hidden. */
    int (*begins)(const char *data, size_t have, uint64_t size);
    weir_status (*load)(weir__reader *reader, weir__arcs *arcs); /**< one of the two is NULL */
    weir_status (*load_rows)(weir__reader *reader, weir__rows *rows);
} weir__format;

/** Bytes that are looked at to tell a format. */
#define WEIR__FORMAT_PEEK (64u << 10)

/** The format that @p text has a prefix of; NULL: none. @param[out] path_out  what is behind it, or @p text. */
const weir__format *weir__format_named(const char *text, const char **path_out);
/** The format of a file that begins so; one always fits. */
const weir__format *weir__format_of(const char *data, size_t have, uint64_t size);
/** The format of METIS text. */
const weir__format *weir__format_metis(void);

#endif
