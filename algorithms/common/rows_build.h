/** @file rows_build.h  What the building of rows works with. Not installed.
 *
 * In steps, each with the same outcome whoever does it: how many in-arcs a vertex has (rows_transpose.c; none are
 * stored where the graph is symmetric), which number (rows_number.c), and then part after part the rows themselves. GPUs put
 * those of large graphs in order themselves (rows_device.c); else all cores do, for in-arcs by way of a transpose of the whole graph
 * (rows_part.c, rows_transpose.c). */
#ifndef WEIR_ALGORITHMS_COMMON_ROWS_BUILD_H
#define WEIR_ALGORITHMS_COMMON_ROWS_BUILD_H

#include "algorithms/common/gather.h"
#include "algorithms/common/need.h"
#include "algorithms/rows.h"
#include "algorithms/graph/arcs.h"

/* In plans, of first arcs that are pairs: taken where there is room. */
#define WEIR__PAIR_FIRSTS_NAME "first arcs as pairs"

struct weir_rows {
    weir_context *context;
    uint64_t vertices;
    uint32_t parts, numbers;
    int symmetric; /* 0 where in-arcs are not wanted */
    weir_rows_order order;
    weir_memory memory; /* of arcs; never AUTO */
    uint32_t *number;   /* by vertex */
    uint32_t *vertex;   /* by number; UINT32_MAX for gaps */
    uint32_t *degree;   /* out-degree by number */
    weir_rows_part part[WEIR_DEVICES_MAX];
    weir_rows_halo *halo;                    /* by part; NULL: not asked for */
    weir_rows_pairs pairs[WEIR_DEVICES_MAX]; /* if rows are paired */
    int paired;
    struct weir__numbering *numbering;
    uint32_t grid_rows, grid_columns; /* of cells (cell.h); 0: parts have their rows */
};

struct weir__rows_build {
    weir_rows *rows;
    const weir_graph *graph;
    const weir_rows_config *config;
    const uint8_t *owner; /* by vertex */
    uint32_t
        *in_degree;    /* by vertex; NULL: in-arcs are not wanted, or those of a symmetric graph */
    uint64_t *in_ends; /* by number: where each row of in-arcs ends */
    void *in_keys;     /* the rows of in-arcs by number, as weir__rows_key says, not sorted yet */
    const struct weir__sizes *sizes; /* of a context that only counts: arcs by part; else NULL */
    uint32_t weight_bits;            /* all bits that some weight has; 0 without weights */
    uint8_t there
        [2]
        [WEIR_DEVICES_MAX]; /* whether a part's device has put its out-arcs and in-arcs in order */
    /* For tests: arcs that a device, whatever it is, is given and sorts at a time. 0: as is best. */
    uint64_t piece, stretch;
};

/** From here on rows that this thread makes are put in order by their devices, of whatever kind and however few the arcs; for tests.
 *  @param[in] piece, stretch  as in weir__rows_build; 0 and 0: as ever. */
void weir__rows_pretend(uint64_t piece, uint64_t stretch);

/** The in-degrees, if in-arcs are wanted and not those of a symmetric graph. */
weir_status weir__rows_count_in(struct weir__rows_build *build);
/** Numbers, and the parts' begins. */
weir_status weir__rows_number(struct weir__rows_build *build);
/** Whether the first device sorts vertices by degree, rather than the host. */
int weir__rows_number_on_device(const struct weir__rows_build *build);
/** Fill rows->number, vertex and degree but for the gaps, in the order by degree. Where parts begin is known.
 *  @retval WEIR_ERR_NOMEM  the host has to. */
weir_status weir__rows_number_there(const struct weir__rows_build *build, uint32_t degree_max);
/** In-arcs by number, from the in-degrees, unless they are there. */
weir_status weir__rows_transpose(struct weir__rows_build *build);
/** The rows of all parts whose devices put them in order, side by side; those that have no room for it are left to the host. */
weir_status weir__rows_place_all_there(struct weir__rows_build *build);
/** Build the rows of a part, if they are not there, and bring them and what belongs to them to its device. */
weir_status weir__rows_place_part(struct weir__rows_build *build, uint32_t part);

/** Halos of all parts, whose rows are there: arcs then name local numbers. */
weir_status weir__rows_place_halos(struct weir__rows_build *build);
/** What they take of a part's device, at most: all others may be in a halo, and rows by degree keep no numbers of them, but the
 *  order is found later. */
uint64_t weir__rows_halo_bytes(const struct weir__sizes *sizes, uint32_t part);
/** What placing them takes. */
void weir__rows_halos_need(const struct weir__sizes *sizes, struct weir__need *need);
/** Free it. */
void weir__rows_free_halos(weir_rows *rows);

/** weir__rows_place_part() of the cell of a part, where rows->grid_rows is not 0. */
weir_status weir__rows_place_cell(struct weir__rows_build *build, uint32_t part);

/** Sort the rows of a part, in one direction, by weir__rows_key.
 *  @param[in] offsets  by row of the part, and the end.
 *  @param[in] dealt  keys of in-arcs, in any order within a row; may be @p keys_out. NULL: out-arcs, as the graph has them.
 *  @param[out] keys_out  one an arc. */
weir_status weir__rows_sort(const struct weir__rows_build *build, const weir_rows_part *part,
                            const uint64_t *offsets, const void *dealt, void *keys_out);

/** Whether the host writes arcs to the place where they stay, since the device works in its memory. */
static inline int weir__rows_stay(const weir_device *device, weir_memory memory)
{
    return memory != WEIR_MEMORY_HOST && !weir__device_is_gpu(device);
}

/** Whether keys are parted into targets and weights when they are brought. */
static inline int weir__rows_part_halves(const weir_rows_config *config)
{
    return config->weights && !config->pairs;
}

/** What the arcs of a direction are called where they are taken. */
static inline const char *weir__rows_arcs_name(const weir_rows_config *config, int in)
{
    if (config->pairs)
        return in ? "in-arcs with weights" : "out-arcs with weights";
    return in ? "in-arcs" : "out-arcs";
}

/** Whether a device puts rows in order, rather than the host, where parts have so many arcs on average. @param[in] memory  of arcs. */
int weir__rows_go_there(const weir_device *device, weir_memory memory, uint64_t arcs);
/** Whether the device of a part does. */
int weir__rows_on_device(const struct weir__rows_build *build, uint32_t part);
/** What weir__rows_place_part() does for one direction, by that device. @param[in] in  in-arcs, from the in-degrees.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_UNSUPPORTED  the host has to: nothing is placed. */
weir_status weir__rows_place_there(const struct weir__rows_build *build, weir_rows_part *part,
                                   int in);
/** The counting of weir__rows_count_in(), by device 0. @retval WEIR_ERR_NOMEM  the host has to. */
weir_status weir__rows_count_in_there(struct weir__rows_build *build);

/** What a row is sorted by: the far end's number, in 32 bits; with weights both in 64 bits, the one that
 *  counts first above. */
static inline uint64_t weir__rows_key(const struct weir__rows_build *build, uint32_t number,
                                      uint32_t weight)
{
    return build->config->by_weight ? (uint64_t)weight << 32 | number
                                    : (uint64_t)number << 32 | weight;
}

static inline size_t weir__rows_key_bytes(const struct weir__rows_build *build)
{
    return build->config->weights ? 8 : 4;
}

#endif
