/** @file format.c  The table of formats, and what tells a file's. */
#include "algorithms/graph/format.h"
#include "algorithms/graph/metis_text.h"

#include <string.h>
#include <strings.h>

static int is_matrix_market(const char *data, size_t have, uint64_t size)
{
    static const char banner[] = "%%MatrixMarket";
    (void)size;
    return have >= sizeof banner - 1 && strncasecmp(data, banner, sizeof banner - 1) == 0;
}

/* DIMACS text begins with a line whose first word is a single c, p or a. */
static int is_dimacs(const char *data, size_t have, uint64_t size)
{
    size_t at = 0;
    (void)size;
    while (at < have && strchr(" \t\r\n", data[at]) && data[at])
        at++;
    return at + 1 < have && data[at] && strchr("cpa", data[at]) && data[at + 1] &&
           strchr(" \t\r\n", data[at + 1]);
}

/* A version of 64 bits. A directed GAP graph without arcs begins with the same bytes, but what would be the size of an
 * edge's data here is 256 times its number of vertices there. */
static int is_galois(const char *data, size_t have, uint64_t size)
{
    uint64_t edge_bytes = 0;
    (void)size;
    if (have < 8 || (data[0] != 1 && data[0] != 2) || memcmp(data + 1, "\0\0\0\0\0\0", 7) != 0)
        return 0;
    if (have >= 16)
        memcpy(&edge_bytes, data + 8, 8);
    return data[0] == 2 || !edge_bytes || edge_bytes % 256 != 0;
}

/* No text begins with such a byte. */
static int is_gap(const char *data, size_t have, uint64_t size)
{
    (void)size;
    return have > 0 && (data[0] == 0 || data[0] == 1);
}

static int is_anything(const char *data, size_t have, uint64_t size)
{
    (void)data, (void)have, (void)size;
    return 1;
}

enum { METIS = 4 };
static const weir__format formats[] = {
    {"MatrixMarket", "mtx:", 1, is_matrix_market, weir__load_matrix_market, NULL},
    {"Galois", "galois:", 0, is_galois, NULL, weir__load_galois},
    {"GAP", "gap:", 0, is_gap, NULL, weir__load_gap},
    {"DIMACS", "dimacs:", 1, is_dimacs, weir__load_dimacs, NULL},
    [METIS] = {"METIS", "metis:", 1, weir__metis_text_begins, weir__load_metis, NULL},
    {"Graph500", "graph500:", 0, NULL, weir__load_graph500, NULL},
    {"edge list", "edges:", 1, is_anything, weir__load_edge_list, NULL}};

#define COUNT (sizeof formats / sizeof *formats)

const weir__format *weir__format_named(const char *text, const char **path_out)
{
    for (size_t i = 0; i < COUNT; i++) {
        const size_t length = strlen(formats[i].prefix);
        if (strncmp(text, formats[i].prefix, length) == 0) {
            *path_out = text + length;
            return &formats[i];
        }
    }
    *path_out = text;
    return NULL;
}

const weir__format *weir__format_of(const char *data, size_t have, uint64_t size)
{
    size_t i = 0;
    while (!formats[i].begins || !formats[i].begins(data, have, size))
        i++;
    return &formats[i];
}

const weir__format *weir__format_metis(void)
{
    return &formats[METIS];
}
