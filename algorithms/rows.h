/** @file rows.h  A graph that is placed by rows: on the devices for step programs (worklist/steps.h), as the library's
 * own algorithms place it. The part that kernels see is in the dialect. docs/steps.md has an example.
 *
 * Where a weir_part (part.h) names far vertices by a halo, here every arc names its far end by *number*, the
 * same on all devices, so that arrays over all vertices can be replicated and exchanged as they are; unless halos are asked
 * for (weir_rows_halo), so that a device has no more than it looks at. A *row* is a
 * vertex of a part. Numbers of the rows of one part follow one another; a part begins at a multiple of
 * WEIR_ROWS_ALIGN, so that the words of a bitmap and the lines of an array belong to one device. Numbers in the
 * gaps stand for no vertex: they have no arcs and nothing leads to them.
 *
 * Threads: rows are read-only after they are made, on the host and while kernels run, and may be shared. A call that
 * returns a status refuses NULL, where nothing else is said, by the argument's name. */
#ifndef WEIR_ALGORITHMS_ROWS_H
#define WEIR_ALGORITHMS_ROWS_H

#include "algorithms/algorithms.h"
#include "runtime/dialect.h"
#include "worklist/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- as kernels see it ---------------------------------------------------------------------- */

#define WEIR_ROWS_ALIGN   1024u
#define WEIR_ROWS_BYTE    255u       /* in weir_rows_part.out_byte: the degree does not fit */
#define WEIR_ROWS_NONE    UINT32_MAX /* in weir_arcs.firsts: the row has no arc */
#define WEIR_ROWS_NO_PAIR UINT64_MAX /* in weir_rows_pairs.firsts */

/** One direction of the arcs of a part's vertices. Row r is that of number begin + r. Arrays begin at multiples of 256 bytes; a lane may load the 16 that an end lies in. */
typedef struct weir_arcs {
    const uint64_t
        *offsets; /**< owned + 1: the arcs of row r are offsets[r] to offsets[r + 1] - 1 */
    const uint32_t *
        targets; /**< numbers of the far ends, ascending within a row; unless by weight. NULL where there are pairs */
    const uint32_t *weights; /**< of each arc; NULL: none, or pairs */
    const uint32_t *
        firsts; /**< the first target of each row, WEIR_ROWS_NONE where there is none; NULL if not asked for.
                                   Often all that is looked at of a row: four bytes beside those of its neighbours, in the
                                   device's memory wherever the arcs lie */
} weir_arcs;

/** The arcs of one part as pairs, of rows that were asked for them: a word for each, in the place that it has in weir_arcs. Who looks at few
 *  arcs of a row finds a weight and its target in one line of memory. A plain value whose pointers are memory of the part's device, or
 *  what it reads of host memory. */
typedef struct weir_rows_pairs {
    const uint64_t *out; /**< weir_rows_pair() of the arcs of weir_rows_part.out */
    const uint64_t *in;  /**< of .in: `out` if the graph is symmetric; NULL if not asked for */
    const uint64_t *
        firsts; /**< the first two in-arcs of each row, one behind the other, out-arcs if in-arcs were not asked for;
                     WEIR_ROWS_NO_PAIR where the row has none. In the device's memory. NULL if not asked for, and unless arcs lie
                     in host memory: elsewhere they spare nothing */
} weir_rows_pairs;

/** An arc in a word: its weight in the upper half, its target in the lower. */
WEIR_DEV uint64_t weir_rows_pair(uint32_t weight, uint32_t target)
{
    return (uint64_t)weight << 32 | target;
}
WEIR_DEV uint32_t weir_rows_pair_weight(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}
WEIR_DEV uint32_t weir_rows_pair_target(uint64_t pair)
{
    return (uint32_t)pair;
}

/** One part; a plain value whose pointers are memory of the part's device. */
typedef struct weir_rows_part {
    weir_arcs out; /**< arcs that leave the part's vertices: targets are heads */
    weir_arcs
        in; /**< arcs that come to them: targets are tails. The pointers of `out` if the graph is
                        symmetric; NULL if they were not asked for */
    const uint32_t *out_degree; /**< of all vertices by number, replicated; NULL if not asked for */
    const uint8_t
        *out_byte;    /**< of own rows: out-degrees, WEIR_ROWS_BYTE for that and more; NULL if
                                   not asked for. Of most rows it tells what 16 bytes of offsets would */
    uint32_t begin;   /**< number of the first row */
    uint32_t owned;   /**< rows */
    uint32_t busy;    /**< rows from this one on have no arc in any direction that was asked for */
    uint32_t numbers; /**< of all parts with the gaps; a multiple of WEIR_ROWS_ALIGN */
    uint32_t part, parts;
    uint32_t first[WEIR_DEVICES_MAX + 1]; /**< where each part begins; first[parts] == numbers */
    uint64_t arcs_out, arcs_in;           /**< of this part */
    uint64_t arcs_all;                    /**< out-arcs of the whole graph */
    uint64_t vertices;                    /**< of the whole graph */
} weir_rows_part;

/** The halo of one part, of rows that were asked for it: the vertices of other parts that its arcs name, and all of another part's where
 *  they name 15 in 16 of them, so that neither side has to look up which. Arcs then name far ends by
 *  *local* number in place of number: 0 to count - 1, for its own rows and its halo together, in the order of numbers. So
 *  arrays over what a part knows have `count` elements, and targets ascend as they would by number. A plain value whose
 *  pointers are memory of the part's device. With one part local numbers are rows, and the pointers are NULL. */
typedef struct weir_rows_halo {
    const uint32_t *numbers; /**< of the halo, ascending. NULL where rows are numbered by degree,
                                  since a halo is most of the graph there */
    const uint64_t
        *known; /**< weir_rows_local(): for each 32 numbers. NULL where rows are numbered by id */
    const uint64_t *to[WEIR_DEVICES_MAX]; /**< weir_rows_local() of another part, for each 32 own
                                               rows. NULL: its arcs name no row of this one */
    uint32_t begin; /**< local number of the first row; those of the others follow */
    uint32_t count; /**< local numbers: rows, and halo */
    uint32_t first[WEIR_DEVICES_MAX + 1]; /**< local numbers of part p are first[p] to
                                               first[p + 1] - 1; first[parts] == count */
    uint64_t
        whole; /**< bit p: all rows of part p are in the halo, so row r of it is first[p] + r */
    uint32_t whole_at
        [WEIR_DEVICES_MAX]; /**< the local number of this part's first row at another that has
                                              all of them, which then follow it; else WEIR_ROWS_NONE */
} weir_rows_halo;

/** Whether a number is among those that @p known is of. @param[in] known  weir_rows_halo.known by number, or .to by own row. */
WEIR_DEV int weir_rows_knows(const uint64_t *known, uint32_t number)
{
    return (int)(known[number / 32] >> number % 32 & 1);
}

/** The local number of a number, or of the next one that is among them, by the word of @p known that is of the number. In the upper half of a word
 *  is the local number of the first of its 32 numbers, in the lower half a bit for each that is among them. */
WEIR_DEV uint32_t weir_rows_local_in(uint64_t word, uint32_t number)
{
    return (uint32_t)(word >> 32) + weir_popcount_u32((uint32_t)word & ((1u << number % 32) - 1u));
}
WEIR_DEV uint32_t weir_rows_local(const uint64_t *known, uint32_t number)
{
    return weir_rows_local_in(known[number / 32], number);
}

/** The number of a local number. Of the halo of rows that are numbered by degree it is searched for. */
WEIR_DEV uint32_t weir_rows_number_of(const weir_rows_part *part, const weir_rows_halo *halo,
                                      uint32_t local)
{
    uint32_t low = 0, high = part->numbers / 32, bits, left;
    if (local - halo->begin < part->owned)
        return part->begin + (local - halo->begin);
    if (halo->numbers)
        return halo->numbers[local < halo->begin ? local : local - part->owned];
    while (high - low > 1) { /* the last word whose first local number is not above it */
        const uint32_t middle = low + (high - low) / 2;
        if (halo->known[middle] >> 32 <= local)
            low = middle;
        else
            high = middle;
    }
    bits = (uint32_t)halo->known[low];
    for (left = local - (uint32_t)(halo->known[low] >> 32); left; left--)
        bits &= bits - 1;
    return low * 32 + weir_first_bit_u32(bits);
}

/** The out-degree of an own row, of a part that has out_byte. */
WEIR_DEV uint64_t weir_rows_out_degree(const weir_rows_part *part, uint64_t row)
{
    const uint64_t degree = part->out_byte[row];
    return degree < WEIR_ROWS_BYTE ? degree : part->out.offsets[row + 1] - part->out.offsets[row];
}

/** Where an out-arc leads: for the lanes of a worker that have an arc of a row each, of whom some may be beyond its end.
 *  @param[in]  arc, end    the arc, and where those of its row end. Of a part without a halo or pairs.
 *  @param[out] number_out  of the far end; 0 beyond the end.
 *  @return the device that owns it; UINT32_MAX beyond the end. */
WEIR_DEV uint32_t weir_rows_far_end(const weir_rows_part *part, uint64_t arc, uint64_t end,
                                    uint32_t *number_out)
{
    *number_out = arc < end ? part->out.targets[arc] : 0;
    return arc < end ? weir_steps_owner(part->first, *number_out) : UINT32_MAX;
}

/* ---- on the host ---------------------------------------------------------------------------- */

/** A graph placed by rows, part p on device p. Long-lived. */
typedef struct weir_rows weir_rows;

/** How the vertices of a part are numbered. */
typedef enum weir_rows_order {
    WEIR_ROWS_AUTO = 0, /**< WEIR_ROWS_BY_DEGREE where degrees are skewed, else WEIR_ROWS_BY_ID */
    WEIR_ROWS_BY_ID, /**< as in the input: keeps the locality that a mesh or a road network has */
    WEIR_ROWS_BY_DEGREE /**< the largest degree first, which is out-degree, plus in-degree where in-arcs are
                             placed and are not the out-arcs: what is looked at most lies together, and each
                             row begins with the hubs */
} weir_rows_order;

/** What is placed; zero in all fields is a graph without weights and with its out-arcs alone. */
typedef struct weir_rows_config {
    size_t size; /**< sizeof(weir_rows_config), set by WEIR_ROWS_CONFIG_INIT */
    int in_arcs; /**< non-zero: with weir_rows_part.in. Those of a graph that is not symmetric take as much as the
                          out-arcs, and in host memory as much again while it is placed */
    int weights;   /**< non-zero: with weights, the graph's must be WEIR_WEIGHT_U32 */
    int by_weight; /**< non-zero: the arcs of a row ascend by weight, then by number; needs weights */
    int out_degrees; /**< non-zero: with weir_rows_part.out_degree */
    int out_bytes;   /**< non-zero: with weir_rows_part.out_byte */
    weir_rows_order order;
    /** Host memory that the program itself takes afterwards: the arrays of a step program on host devices, results, a
     *  reference. What would not fit beside the rows is refused before any of it is taken. Bytes. */
    uint64_t reserved_bytes;
    const char *
        what; /**< what they are placed for, as in "breadth-first search of GRAPH: 90 MiB of memory are
                               needed ..."; NULL: "rows". Not kept */
    weir_memory
        memory; /**< where arcs lie; WEIR_MEMORY_AUTO looks at what the pools still have for the rows themselves, and knows
                             nothing of what the program takes behind them */
    int firsts; /**< non-zero: with weir_arcs.firsts, of each direction that is placed; of pairs with weir_rows_pairs.firsts, of one direction,
                     in their place, 16 bytes a row, where arcs lie in host memory */
    int halo; /**< non-zero: with weir_rows_halo, by whose local numbers arcs then name far ends; without out_degrees,
                   which are by number */
    int unused; /**< padding of versions without what follows; not looked at */
    int pairs; /**< non-zero: with weir_rows_pairs in place of weir_arcs.targets and .weights, which are NULL then; needs weights,
                    and takes as much memory; without halo */
    int unused_too; /**< padding; not looked at */
} weir_rows_config;
/** Defaults of weir_rows_config. */
#define WEIR_ROWS_CONFIG_INIT                                                                     \
    {                                                                                             \
        sizeof(weir_rows_config), 0, 0, 0, 0, 0, WEIR_ROWS_AUTO, 0, NULL, WEIR_MEMORY_AUTO, 0, 0, \
            0, 0, 0                                                                               \
    }

/** Place @p graph on devices of @p context.
 *  @param[in] partition  of this graph, with as many parts as the context has devices, or fewer: then the
 *                        first devices are used; NULL: WEIR_PARTITION_EDGE over all.
 *  @param[in] config     NULL for defaults.
 *  @retval WEIR_ERR_INVALID  the partition does not fit the graph or the context, the graph has no such weights, a
 *                            field is out of range, or there are more than 2^32 numbers with the gaps.
 *  @retval WEIR_ERR_NOMEM    a part does not fit into its device's pool (WEIR_POOL_BYTES), or the host has
 *                            no memory to build it in, which is known before any is taken.
 *  The rows keep the context; graph and partition may be destroyed after the call.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_rows_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_rows_config *config,
                             weir_rows **rows_out);
/** The context that they lie in. */
weir_context *weir_rows_context(const weir_rows *rows);
/** Who owns which numbers, for weir_steps_create(). @param[out] domain_out  set as a whole. */
void weir_rows_domain(const weir_rows *rows, weir_steps_domain *domain_out);
/** Part @p part: what a kernel's arguments hold a copy of. The pointers in it are the device's memory, the rows'.
 *  NULL: there is no such part; there is always part 0. */
const weir_rows_part *weir_rows_part_of(const weir_rows *rows, uint32_t part);
/** The halo of part @p part, to be copied as the part is. NULL: there is no such part, or halos were not asked for. */
const weir_rows_halo *weir_rows_halo_of(const weir_rows *rows, uint32_t part);
/** The arcs of part @p part as pairs, to be copied as the part is. NULL: there is no such part, or pairs were not asked for. */
const weir_rows_pairs *weir_rows_pairs_of(const weir_rows *rows, uint32_t part);
/** Whether the graph has the reverse of every arc, of equal weight if weights were asked for: then the in-arcs of a
 *  part are its out-arcs. Known only if in-arcs were asked for; else 0. */
int weir_rows_symmetric(const weir_rows *rows);
/** How rows are numbered: never WEIR_ROWS_AUTO. */
weir_rows_order weir_rows_order_of(const weir_rows *rows);
/** Where the arcs lie: never WEIR_MEMORY_AUTO. Their pointers are good for kernels of the part's device in any case; to copy
 *  them to the host, those in host memory are read there. */
weir_memory weir_rows_memory(const weir_rows *rows);
/** Where a vertex lies. @param[out] part_out, number_out  may be NULL.
 *  @retval WEIR_ERR_INVALID  @p vertex is not a vertex. */
weir_status weir_rows_locate(const weir_rows *rows, uint64_t vertex, uint32_t *part_out,
                             uint32_t *number_out);
/** The vertex that has a number; UINT32_MAX for a gap. Host memory, the rows': weir_rows_part.numbers values. */
const uint32_t *weir_rows_vertices(const weir_rows *rows);
/** The number of each vertex. Host memory, the rows': weir_rows_part.vertices values. */
const uint32_t *weir_rows_numbers(const weir_rows *rows);
/** Out-degrees by number, 0 for gaps. Host memory, the rows': weir_rows_part.numbers values. */
const uint32_t *weir_rows_degrees(const weir_rows *rows);
/** Bring values of vertices to the host, fast into memory that was registered (weir_memory_register()).
 *  @param[in] values       for each part an array in its device's memory of one value a row: of an array that has a value
 *                          for each number, from that of the part's first row on. No kernel may be writing them.
 *  @param[in] value_bytes  of one value, at least 1.
 *  @param[out] values_out  a value a vertex in the order of the input, the caller's.
 *  @retval WEIR_ERR_INVALID  @p value_bytes is 0, or a part that has rows has no values.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE
 *  @par Threads  any.  @par Blocks  yes. */
weir_status weir_rows_gather(const weir_rows *rows, const void *const *values, size_t value_bytes,
                             void *values_out);
/** Describe values, one a row, that lie at @p data in the memory of a part's device, as weir_bfs_values() does: for
 *  programs that hand their results on where they lie. weir_values.scale is 1, weir_values.vertices are the rows' and
 *  made at the first call.
 *  @param[in,out] values_out  begins as WEIR_VALUES_INIT.
 *  @retval WEIR_ERR_INVALID  no such part, no such kind, or a size that was never set.
 *  @retval WEIR_ERR_NOMEM    no memory for weir_values.vertices.
 *  @par Threads  any.  @par Blocks  the first call for a part, while it copies. */
weir_status weir_rows_values(const weir_rows *rows, uint32_t part, const void *data,
                             weir_value_kind kind, weir_values *values_out);
/** Nothing may use the parts' memory any more: a step program over them is destroyed first. NULL is fine. */
void weir_rows_destroy(weir_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
