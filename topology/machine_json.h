/** @file machine_json.h  Reading JSON objects by table, and telling where they are broken. Topology
 *  only. */
#ifndef WEIR_TOPOLOGY_MACHINE_JSON_H
#define WEIR_TOPOLOGY_MACHINE_JSON_H

#include "topology/machine.h"

#include <jansson.h>
#include <stddef.h>

/** A place in a JSON text of two levels: {"LIST": [{"KEY": value}]} and {"KEY": value}. */
struct weir__json_place {
    const char *list; /* NULL: the outermost object itself, or its member `key` */
    size_t index;     /* element of the list; unused without one, or when the list is an object */
    const char *key;  /* NULL: the element itself */
    int at_key;       /* where the key stands, not its value */
};

/** The line, from 1, on which @p place begins. What is missing stands where its object begins.
 *  @param[in] text  valid JSON, else the line means nothing (but the call is safe). */
int weir__json_line(const char *text, size_t bytes, struct weir__json_place place);

/** A file that is being read. */
struct weir__json_reader {
    const char *path, *text;
    size_t bytes;
    struct weir__json_place place; /* the object that is being read */
};

/** The member of the object that is being read. */
struct weir__json_place weir__json_member(const struct weir__json_reader *r, const char *key);
/** @return WEIR_ERR_FORMAT with "PATH:LINE: hops[3].a: WHY". */
weir_status weir__json_bad(const struct weir__json_reader *r, struct weir__json_place place,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Text of a file for a sentence: printable, cut to @p size. @return @p room */
const char *weir__json_shown(char *room, size_t size, const char *text);

enum weir__json_type {
    WEIR__JSON_TEXT,   /* char[room], terminated */
    WEIR__JSON_COUNT,  /* uint32_t */
    WEIR__JSON_BYTES,  /* uint64_t */
    WEIR__JSON_FIGURE, /* double from least to most; 0 too, unless it is required */
    WEIR__JSON_FLAG,   /* int, 0 or 1 */
    WEIR__JSON_LIST,   /* json_t *, borrowed */
    WEIR__JSON_OBJECT  /* the same */
};

struct weir__json_field {
    const char *key;
    enum weir__json_type type;
    int required;
    size_t offset; /* of what is filled in */
    size_t room;
    double least, most;
};

/** Fill @p to from the object at r->place; members that are absent are left as they are. Members
 *  not in the table, missing required ones and wrong values are refused. */
weir_status weir__json_read(const struct weir__json_reader *r, json_t *object,
                            const struct weir__json_field *fields, size_t count, void *to);
#define WEIR__JSON_READ(r, object, fields, to) \
    weir__json_read(r, object, fields, sizeof fields / sizeof *fields, to)

/* The entries of a table of fields. */
#define WEIR__JSON_SIZEOF(type, member) sizeof(((type *)NULL)->member)
#define WEIR__JSON_TEXT_FIELD(key, required, type, member)                                       \
    {                                                                                            \
        key, WEIR__JSON_TEXT, required, offsetof(type, member), WEIR__JSON_SIZEOF(type, member), \
            0, 0                                                                                 \
    }
#define WEIR__JSON_FIGURE_FIELD(key, required, type, member, least, most)        \
    {                                                                            \
        key, WEIR__JSON_FIGURE, required, offsetof(type, member), 0, least, most \
    }
#define WEIR__JSON_FIELD(key, kind, required, type, member)               \
    {                                                                     \
        key, WEIR__JSON_##kind, required, offsetof(type, member), 0, 0, 0 \
    }

/* Slower or faster than anything there is: times computed from these stay finite. */
#define WEIR__GBS_LEAST 1e-6
#define WEIR__GBS_MOST  1e6
/* A second: the latencies of a path, 32 hops at most, are far from what virtual time holds. */
#define WEIR__US_MOST      1e6
#define WEIR__ARC_NS_LEAST 1e-6

/** The number of the node with this label among the first @p count, or @p count. */
uint32_t weir__machine_find(const weir_machine *machine, uint32_t count, const char *label);

#endif
